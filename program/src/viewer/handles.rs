//! Handles: the values of a scene that can be dragged in the picture, found by walking its tables. A vector that is a place in the world
//! has a handle; around it, in the same table, an extent has handles at its sides and corners, a radius one, a length two, a normal one.

use super::format::readable;
use super::panel::targets::kind;
use super::tools::{ring, turned};
use glam::{Quat, Vec2, Vec3};
use std::collections::BTreeMap;
use steerling::scene::{Draft, Key, Obstacle, Path, Range, Setting, SpawnShape, Species, Target};

/// A point that can be dragged to change a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Handle {
    /// The dotted path of the value that it changes.
    pub path: String,
    /// The part of the value that it changes.
    pub part: Part,
    /// Its place in the world, u.
    pub at: Vec3,
}

/// What a handle stands for, in the value at its path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Part {
    /// The place itself, or a point of a list.
    Place,
    /// The middle between two points of a list: dragging inserts a new point after the point at the path.
    Between,
    /// A side or a corner of an extent: -1, 0 or 1 along each axis. The opposite one stays where it is.
    Side(Vec3),
    /// A point at the distance of a radius.
    Edge,
    /// One of the two ends of a length: -1 or 1. The other one stays where it is.
    End(f32),
    /// The tip of a direction.
    Tip,
    /// The edge of the region that a species starts in.
    Spawn,
}

/// Distance of the handle of a direction from its place, as a share of the world's height.
const ARROW: f32 = 0.08;
/// The least extent, radius or length that a drag makes, as a share of the world's height.
const LEAST: f32 = 1e-3;
/// Scenes with more handles show none: they would be too dense to hit one.
const MOST: usize = 4_000;

/// Is the key a place in the world that has a handle? The camera, the pointer and walls, which consist of many strokes, have none.
fn is_place(path: &str, key: &Key) -> bool {
    let negative = match key.range {
        Range::Vector { min, .. } | Range::Points { min, .. } => min < 0.0,
        _ => false,
    };
    let hidden = ["camera.", "mouse", "map.strokes."].iter().any(|start| path.starts_with(start));
    negative && key.unit == "u" && !hidden
}

/// Is the key an extent along each axis?
fn is_extent(key: &Key) -> bool {
    key.unit == "u" && matches!(key.range, Range::Vector { min, .. } if min >= 0.0)
}

/// The vectors of one table, each with its path. `list`: the table is a list of points.
#[derive(Default)]
struct Around {
    places: Vec<(String, Vec3)>,
    extents: Vec<(String, Vec3)>,
    directions: Vec<(String, Vec3)>,
    list: bool,
}

/// All handles of a scene; of start regions, only that of the given species, which the panel shows.
pub fn handles(draft: &Draft, species: usize) -> Vec<Handle> {
    let mut draft = draft.clone();
    let mut tables: BTreeMap<String, Around> = BTreeMap::new();
    let mut order = Vec::new();
    let all = draft.vectors();
    // Return early: at most about three vectors belong to one handle, so these make too many.
    if all.len() > 3 * MOST {
        return Vec::new();
    }
    for (path, key, value) in all {
        let Some((table, _)) = path.rsplit_once('.') else { continue };
        let list = matches!(key.range, Range::Points { .. });
        let around = tables.entry(table.to_owned()).or_insert_with(|| {
            order.push(table.to_owned());
            Around { list, ..Around::default() }
        });
        if is_place(&path, &key) {
            around.places.push((path, *value));
        } else if is_extent(&key) {
            around.extents.push((path, *value));
        } else if key.unit.is_empty() && path.ends_with(".normal") {
            around.directions.push((path, *value));
        }
    }
    let mut found = Vec::new();
    for table in &order {
        of_table(&mut draft, table, &tables[table], &mut found);
    }
    found.extend(spawn(&draft, species));
    found.retain(|handle| handle.at.is_finite());
    if found.len() > MOST {
        found.clear();
    }
    found
}

fn of_table(draft: &mut Draft, table: &str, around: &Around, found: &mut Vec<Handle>) {
    // A vector of a behavior is a place in the world if its table has an extent; otherwise it is relative to the agent.
    let relative = table.contains(".behaviors.") && !table.ends_with(".target") && around.extents.is_empty();
    let target = around.places.iter().any(|(path, _)| path.ends_with(".point"));
    // The target of a rule that uses none is the origin: it gets no handle.
    let unset = table.contains(".rules.") && around.places.iter().all(|(_, at)| *at == Vec3::ZERO);
    if (relative && !target) || unset || moves(draft, table) {
        return;
    }
    let mut add = |path: String, part: Part, at: Vec3| found.push(Handle { path, part, at });
    let (turn, spatial) = (turn_of(draft, table), draft.world.spatial);
    if let Some((path, center)) = around.places.first().filter(|_| !around.list) {
        for (extent, size) in around.extents.iter().filter(|(_, size)| size.x > 0.0) {
            // Scattered obstacles show their region (`extent`), single ones their own size.
            let shaped =
                extent.ends_with(".extent") == (number(draft, table, "count").is_some_and(|count| count > 1.0));
            let (half, turn) = (0.5 * *size, if extent.ends_with(".extent") { Quat::IDENTITY } else { turn });
            for sign in sides(spatial).filter(|_| shaped) {
                add(extent.clone(), Part::Side(sign), *center + turn * (sign * half));
            }
        }
        for (normal, way) in &around.directions {
            let way = (turn * *way).normalize_or(Vec3::Y) * ARROW * draft.world.size.y;
            add(normal.clone(), Part::Tip, *center + way);
        }
        let radius = number(draft, table, "radius").filter(|radius| *radius > 0.0);
        if let Some(length) = number(draft, table, "length") {
            for end in [-1.0, 1.0] {
                add(format!("{table}.length"), Part::End(end), *center + turn * Vec3::X * (0.5 * end * length));
            }
            if let Some(radius) = radius {
                add(format!("{table}.radius"), Part::Edge, *center + turn * Vec3::Y * radius);
            }
        } else if let Some(radius) = radius {
            add(format!("{table}.radius"), Part::Edge, *center + Vec3::X * radius);
        }
        add(path.clone(), Part::Place, *center);
        around.places.iter().skip(1).for_each(|(path, at)| add(path.clone(), Part::Place, *at));
        return;
    }
    let owner = table.rsplit_once('.').map_or("", |(owner, _)| owner);
    let closed = path_at(draft, owner).map(|path| path.closed);
    if let ([(_, first), (_, second), ..], Some(closed)) = (&around.places[..], closed) {
        let pairs = around.places.windows(2).map(|pair| (&pair[0].0, pair[0].1, pair[1].1));
        let end = around.places.last().filter(|_| closed).map(|(path, at)| (path, *at, *first));
        pairs.chain(end).for_each(|(path, from, to)| add(path.clone(), Part::Between, from.midpoint(to)));
        if let Some(radius) = number(draft, owner, "radius").filter(|radius| *radius > 0.0) {
            let across = (*second - *first).truncate().perp().normalize_or(Vec2::Y).extend(0.0);
            add(format!("{owner}.radius"), Part::Edge, *first + across * radius);
        }
    }
    around.places.iter().for_each(|(path, at)| add(path.clone(), Part::Place, *at));
}

/// The sides and corners of a rectangle, or the sides of a box.
fn sides(spatial: bool) -> impl Iterator<Item = Vec3> {
    let all = (0..27).map(|n: i32| Vec3::new((n % 3 - 1) as f32, (n / 3 % 3 - 1) as f32, (n / 9 - 1) as f32));
    all.filter(move |sign| if spatial { sign.length_squared() == 1.0 } else { sign.z == 0.0 && *sign != Vec3::ZERO })
}

/// The handle of the region that a species starts in, which lies around the origin; none where a goal or a map decides where it starts.
fn spawn(draft: &Draft, species: usize) -> Option<Handle> {
    let spawn = draft.species.get(species)?.spawn;
    let half = 0.5 * draft.world.size * spawn.extent;
    let at = if spawn.shape == SpawnShape::Ball { half * Vec3::X } else { half };
    let handle = Handle { path: format!("species.{species}.spawn.extent"), part: Part::Spawn, at };
    (spawn.goal.is_none() && draft.map.is_none()).then_some(handle)
}

/// The number of this name in a table, if it has one.
fn number(draft: &mut Draft, table: &str, name: &str) -> Option<f32> {
    if let (Some(obstacle), "count") = (obstacle_at(draft, table), name) {
        return Some(obstacle.count as f32);
    }
    draft.number_at(&format!("{table}.{name}")).filter(|(key, _)| key.name == name).map(|(_, number)| *number)
}

/// The obstacle of a table `obstacles.N`.
fn obstacle_at<'a>(draft: &'a mut Draft, table: &str) -> Option<&'a mut Obstacle> {
    let index = table.strip_prefix("obstacles.")?.parse::<usize>().ok()?;
    draft.scenery.obstacles.get_mut(index)
}

/// Is the table an obstacle on a trajectory? Then its place is relative to that, and has no handle.
fn moves(draft: &mut Draft, table: &str) -> bool {
    obstacle_at(draft, table).is_some_and(|obstacle| obstacle.trajectory.is_some())
}

/// The rotation of the obstacle of a table; the identity for other tables.
fn turn_of(draft: &mut Draft, table: &str) -> Quat {
    let spatial = draft.world.spatial;
    obstacle_at(draft, table).map_or(Quat::IDENTITY, |obstacle| turned(obstacle, spatial))
}

/// The path of a table `paths.N`.
fn path_at<'a>(draft: &'a mut Draft, table: &str) -> Option<&'a mut Path> {
    draft.scenery.paths.get_mut(table.strip_prefix("paths.")?.parse::<usize>().ok()?)
}

/// Set the vector at a path. If it is a target, all targets at the same point move along, because the picture has one cross for them.
fn place(draft: &mut Draft, path: &str, to: Vec3) {
    let all = draft.vectors();
    let Some(from) = all.iter().find(|(known, ..)| known == path).map(|(.., value)| **value) else { return };
    let target = path.ends_with(".point");
    for (known, _, value) in all {
        // The target of a rule that uses none is the origin, and stays there.
        let unset = known.contains(".rules.") && from == Vec3::ZERO;
        let together = target && known.ends_with(".point") && *value == from && !unset;
        if known == path || together {
            *value = to;
        }
    }
}

fn set_number(draft: &mut Draft, path: &str, number: f32) {
    if let Some((key, value)) = draft.number_at(path) {
        let (min, max) = key.bounds().unwrap_or((f32::MIN, f32::MAX));
        *value = number.clamp(min, max);
    }
}

/// Drag a handle to a place. Returns the handle that is held from then on: after [`Part::Between`], that of the new point.
pub fn carry(draft: &mut Draft, handle: &Handle, to: Vec3) -> Handle {
    let to = if draft.world.spatial { to } else { to.with_z(0.0) };
    let (path, least) = (&handle.path, LEAST * draft.world.size.y);
    let mut held = Handle { at: to, ..handle.clone() };
    let table = path.rsplit_once('.').map_or("", |(table, _)| table).to_owned();
    let turn = turn_of(draft, &table);
    let vectors: Vec<(String, Key, Vec3)> = draft.vectors().into_iter().map(|(path, key, v)| (path, key, *v)).collect();
    let center = vectors.iter().find(|(path, key, _)| path.starts_with(&format!("{table}.")) && is_place(path, key));
    let center = center.map(|(path, _, at)| (path.clone(), *at));
    match (handle.part, center) {
        (Part::Place, _) => place(draft, path, to),
        (Part::Between, _) => {
            let index = path.rsplit_once('.').and_then(|(_, index)| index.parse::<usize>().ok()).unwrap_or(0);
            let owner = table.rsplit_once('.').map_or("", |(owner, _)| owner);
            if let Some(way) = path_at(draft, owner) {
                way.points.insert((index + 1).min(way.points.len()), to);
                // Both new segments have the radius of the old one.
                if let Some(radius) = way.radii.get(index).copied() {
                    way.radii.insert(index, radius);
                }
                (held.path, held.part) = (format!("{table}.{}", index + 1), Part::Place);
            }
        }
        (Part::Side(sign), Some((place_path, center))) => {
            let Some(size) = vectors.iter().find(|(known, ..)| known == path).map(|(.., size)| *size) else {
                return held;
            };
            let turn = if path.ends_with(".extent") { Quat::IDENTITY } else { turn };
            let (local, half) = (turn.inverse() * (to - center), 0.5 * size);
            let (mut size, mut shift) = (size, Vec3::ZERO);
            for axis in (0..3).filter(|axis| sign[*axis] != 0.0) {
                let stays = -sign[axis] * half[axis];
                let goes = sign[axis] * (sign[axis] * (local[axis] - stays)).max(least) + stays;
                (size[axis], shift[axis]) = ((goes - stays).abs(), 0.5 * (goes + stays));
            }
            place(draft, path, size);
            place(draft, &place_path, center + turn * shift);
        }
        (Part::Edge, Some((_, center))) => set_number(draft, path, center.distance(to).max(least)),
        (Part::End(end), Some((_, center))) => {
            let Some(length) = number(draft, &table, "length") else { return held };
            let stays = center - turn * Vec3::X * (0.5 * end * length);
            let way = (to - stays) * end;
            let spatial = draft.world.spatial;
            if let Some(obstacle) = obstacle_at(draft, &table) {
                obstacle.center = stays.midpoint(to);
                lay(obstacle, way, spatial);
            }
            set_number(draft, path, way.length().max(least));
        }
        (Part::Tip, Some((_, center))) => {
            let way = turn.inverse() * (to - center);
            if way.length() > least {
                place(draft, path, way.normalize());
            }
        }
        (Part::Spawn, _) => {
            let share = to.abs() / (0.5 * draft.world.size);
            let axes = if draft.world.spatial { Vec3::ONE } else { Vec3::new(1.0, 1.0, 0.0) };
            let share = Vec3::select(axes.cmpgt(Vec3::ZERO), share, Vec3::ZERO);
            set_number(draft, path, share.max_element().clamp(0.01, 1.0));
        }
        _ => {}
    }
    held
}

/// Turn an obstacle, which lies along x when not turned, to the direction `way`.
pub fn lay(obstacle: &mut Obstacle, way: Vec3, spatial: bool) {
    let way = way.normalize_or(Vec3::X);
    if !spatial {
        (obstacle.turn, obstacle.axis) = (way.truncate().to_angle().to_degrees(), Vec3::ZERO);
        return;
    }
    let axis = Vec3::X.cross(way);
    // To turn straight back, any axis perpendicular to x will do.
    obstacle.axis = if axis.length() > 1e-6 { axis.normalize() } else { Vec3::Z };
    obstacle.turn = Vec3::X.angle_between(way).to_degrees();
}

/// Remove what a handle belongs to: a point of a path, or an obstacle, path or line.
///
/// # Errors
/// Why it cannot be removed, in words.
pub fn remove(draft: &mut Draft, handle: &Handle) -> Result<(), String> {
    let parts: Vec<&str> = handle.path.split('.').collect();
    let index = parts.get(1).and_then(|index| index.parse::<usize>().ok()).unwrap_or(usize::MAX);
    match (parts[0], parts.get(2), parts.get(3)) {
        ("obstacles", ..) if index < draft.scenery.obstacles.len() => {
            draft.scenery.obstacles.remove(index);
        }
        ("lines", ..) if index < draft.scenery.lines.len() => {
            draft.scenery.lines.remove(index);
        }
        ("paths", Some(&"points"), Some(point)) if handle.part == Part::Place => {
            let Some(path) = draft.scenery.paths.get_mut(index) else { return Ok(()) };
            let point = point.parse::<usize>().unwrap_or(usize::MAX);
            if path.points.len() <= 2 {
                return remove_path(draft, index);
            }
            if point < path.points.len() {
                path.points.remove(point);
                let segment = point.min(path.radii.len().saturating_sub(1));
                path.radii.drain(segment..(segment + 1).min(path.radii.len()));
            }
        }
        ("paths", ..) => return remove_path(draft, index),
        _ => return Err("This cannot be removed by itself, only dragged".to_owned()),
    }
    Ok(())
}

/// Remove a path. Species that follow it then follow the first of the others; without others, path following is switched off.
///
/// # Errors
/// The path is the target of a species.
pub fn remove_path(draft: &mut Draft, index: usize) -> Result<(), String> {
    let Some(path) = draft.scenery.paths.get(index) else { return Ok(()) };
    let (gone, name) = (index as u32, path.name.clone());
    if let Some(species) = draft.species.iter().find(|s| s.targets().any(|target| target == Target::Path(gone))) {
        return Err(format!("{} head for {name}; give them another target first", species.name));
    }
    draft.scenery.paths.remove(index);
    let none = draft.scenery.paths.is_empty();
    let moved = |path: &mut u32| *path -= u32::from(*path > gone);
    for species in &mut draft.species {
        each_target(species, |target, _| {
            if let Target::Path(path) = target {
                moved(path);
            }
        });
        for behavior in &mut species.behaviors {
            for setting in &mut behavior.parameters {
                if let Setting::Path(path) = setting {
                    *path = if *path == gone { 0 } else { *path - u32::from(*path > gone) };
                    behavior.enabled &= !none;
                }
            }
        }
    }
    Ok(())
}

/// Call `act` for each target of a species: those of rules, and those of behaviors with the switch of the behavior.
pub fn each_target(species: &mut Species, mut act: impl FnMut(&mut Target, Option<&mut bool>)) {
    species.rules.iter_mut().for_each(|rule| act(&mut rule.target, None));
    for behavior in &mut species.behaviors {
        for setting in &mut behavior.parameters {
            if let Setting::Target(target) = setting {
                act(target, Some(&mut behavior.enabled));
            }
        }
    }
}

/// Outlines, in the world, of what the picture does not show without the tool: regions of start, containment, and scattered obstacles, and
/// goals.
pub fn edges(draft: &Draft, handles: &[Handle]) -> Vec<Vec<Vec3>> {
    let mut found = Vec::new();
    let mut add = |line: Vec<Vec3>| found.push(line);
    let spatial = draft.world.spatial;
    let frame = |center: Vec3, half: Vec3, add: &mut dyn FnMut(Vec<Vec3>)| {
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)];
        let rectangle = |z: f32| corners.map(|(x, y)| center + half * Vec3::new(x, y, z)).to_vec();
        add(rectangle(-1.0));
        if spatial {
            add(rectangle(1.0));
            let upright = |(x, y): (f32, f32)| [-1.0, 1.0].map(|z| center + half * Vec3::new(x, y, z)).to_vec();
            corners[..4].iter().for_each(|corner| add(upright(*corner)));
        }
    };
    let mut known = draft.clone();
    let known: BTreeMap<String, Vec3> = known.vectors().into_iter().map(|(path, _, value)| (path, *value)).collect();
    for handle in handles {
        let table = handle.path.rsplit_once('.').map_or("", |(table, _)| table);
        let beside = |name: &str| known.get(&format!("{table}.{name}")).copied();
        match handle.part {
            Part::Spawn => {
                let index = table.split('.').nth(1).and_then(|index| index.parse::<usize>().ok()).unwrap_or(0);
                let Some(spawn) = draft.species.get(index).map(|species| species.spawn) else { continue };
                let half = 0.5 * draft.world.size * spawn.extent;
                if spawn.shape == SpawnShape::Box {
                    frame(Vec3::ZERO, half, &mut add);
                    continue;
                }
                let ways = [(Vec3::X, Vec3::Y), (Vec3::X, Vec3::Z), (Vec3::Y, Vec3::Z)];
                let ellipses = ways.into_iter().take(if spatial { 3 } else { 1 });
                ellipses.for_each(|(x, y)| add(ring(Vec3::ZERO, x * half, y * half)));
            }
            // One of the six or eight handles of a frame draws it.
            Part::Side(sign) if sign == Vec3::X => {
                // Single obstacles, which the picture shows, have a size and no extent.
                let size = if table.starts_with("obstacles.") { "extent" } else { "size" };
                let extent = beside(size).filter(|_| handle.path.ends_with(size));
                if let (Some(center), Some(extent)) = (beside("center"), extent) {
                    frame(center, 0.5 * extent, &mut add);
                }
            }
            Part::Edge if table.starts_with("map.goals.") => {
                if let Some(center) = beside("place") {
                    let radius = center.distance(handle.at);
                    add(ring(center, Vec3::X * radius, Vec3::Y * radius));
                }
            }
            _ => {}
        }
    }
    found
}

/// A short name of a handle, for the user.
pub fn called(draft: &Draft, handle: &Handle) -> String {
    let what = match handle.part {
        Part::Place => "",
        Part::Between => " (drag: a new point)",
        Part::Side(_) => " (size)",
        Part::Edge => " (radius)",
        Part::End(_) => " (end)",
        Part::Tip => " (direction)",
        Part::Spawn => " (where they start)",
    };
    format!("{}{what}", place_name(draft, &handle.path))
}

/// A name of the value at a path: "Goal outside, place 3"; the path itself if it is in no list of named things.
fn place_name(draft: &Draft, path: &str) -> String {
    let parts: Vec<&str> = path.split('.').collect();
    let index = |part: usize| parts.get(part).and_then(|index| index.parse::<usize>().ok());
    let (owner, rest) = match (parts[0], index(1), index(2)) {
        ("paths", Some(at), _) => (draft.scenery.paths.get(at).map(|path| kind("path", &path.name)), 2),
        ("map", _, Some(at)) if parts[1] == "goals" => {
            let goal = draft.map.iter().flat_map(|map| &map.goals).nth(at);
            (goal.map(|goal| kind("goal", &goal.name)), 3)
        }
        ("obstacles" | "lines", Some(at), _) => (Some(format!("{} {}", parts[0].trim_end_matches('s'), at + 1)), 2),
        ("species", Some(at), _) => (draft.species.get(at).map(|species| species.name.clone()), 2),
        _ => (None, 0),
    };
    let Some(owner) = owner else { return path.to_owned() };
    let rest = match (&parts[rest..], index(parts.len() - 1)) {
        (["points", _], Some(at)) => format!("point {}", at + 1),
        // Place 1 is the goal's own `place`.
        (["also", _], Some(at)) => format!("place {}", at + 2),
        (["rules", ..], _) => format!("rule {}", index(3).unwrap_or_default() + 1),
        (rest, _) => {
            let said = rest.iter().filter(|part| !["behaviors", "point"].contains(part));
            said.map(|part| part.replace('_', " ")).collect::<Vec<_>>().join(", ")
        }
    };
    format!("{}, {rest}", readable(&owner))
}
