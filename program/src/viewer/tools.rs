//! Tools: agents attracted to the pointer or repelled by it, and obstacles, paths and walls that are drawn. Each is a change of the scene
//! like any other: it can be undone, and is saved with the scene.

use super::actions::Action;
use super::areas::Area;
use super::dashboard::{SHADE, over};
use super::dialogs::Wish;
use super::format::{free_name, readable};
use super::gui::{Asks, Hint};
use super::handles::lay;
use super::panel::rows::{NumberField, number};
use super::pointer::{Drawn, GRASP, TOOLS, Tool};
use super::session::Session;
use egui::{Align2, Response, Ui};
use glam::{Quat, Vec2, Vec3};
use std::ops::RangeInclusive;
use steerling::render::View;
use steerling::scene::{
    Draft, Map, MapSource, MapStroke, Obstacle, ObstacleShape, Path, Range, SceneError, SeenFrom, Setting, Species,
    Table, Target,
};

/// How all agents react to the pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lure {
    Attract,
    Repel,
}

/// The distance at which agents flee the pointer, as a share of the world's height.
const PANIC: f32 = 0.2;
/// Widths of walls, cells of the map.
const BRUSHES: RangeInclusive<u32> = 1..=32;
/// Numbers of agents put at a spot; and radii of the brush, px.
const AGENTS: RangeInclusive<u32> = 1..=10_000;
const RADII: RangeInclusive<u32> = 2..=300;
/// Speeds of a painted field, % of the greatest speed of any species.
const FLOWS: RangeInclusive<u32> = 1..=200;
/// Units of the trail that each cell gets.
const UNITS: RangeInclusive<u32> = 1..=1_000_000;
/// The behavior that avoids obstacles.
const AVOIDS: &str = "obstacle_avoidance";
/// The behavior that follows paths.
const FOLLOWS: &str = "path_following";
/// Radius of a drawn capsule, as a share of its length; and least size of a drawn box along each axis in space, as a share of the drag.
const THICK: f32 = 0.125;
const DEEP: f32 = 0.25;
/// Half of the width of a path that is drawn, as a share of the world's height.
const WAY: f32 = 0.03;

impl Lure {
    /// The name of the behavior that does it.
    fn behavior(self) -> &'static str {
        match self {
            Lure::Attract => "seek",
            Lure::Repel => "flee",
        }
    }

    /// Does any species have that behavior active, with the mouse as its target?
    pub fn acts(self, draft: &Draft) -> bool {
        draft.species.iter().any(|species| self.moves(species))
    }

    fn moves(self, species: &Species) -> bool {
        let mine = species.active_behavior(self.behavior());
        mine.is_some_and(|behavior| behavior.parameters.contains(&Setting::Target(Target::Mouse)))
    }

    /// Let every species react so. If any does already, put the behavior of each back to that of the original scene, or switch it off
    /// where the original reacted so too or had none.
    pub fn toggle(self, draft: &mut Draft, original: &Draft) -> Result<(), SceneError> {
        let (name, acts) = (self.behavior(), self.acts(draft));
        let panic = PANIC * draft.world.size.y;
        for (index, species) in draft.species.iter_mut().enumerate() {
            if acts {
                let was = original.species.get(index).filter(|was| !self.moves(was));
                let was = was.and_then(|was| was.behavior(name));
                let now = species.behaviors.iter_mut().find(|behavior| behavior.spec.name == name);
                match (now, was) {
                    (Some(now), Some(was)) => now.clone_from(was),
                    (Some(now), None) => now.enabled = false,
                    (None, _) => {}
                }
                continue;
            }
            let spec = species.behavior(name).map(|behavior| behavior.spec);
            let target = spec.into_iter().flat_map(|spec| spec.parameters).find(|p| matches!(p.range, Range::Target));
            let target = target.map_or("target", |target| target.name);
            species.enable(name)?.set(name, target, Target::Mouse)?;
            if self == Lure::Repel {
                species.set(name, "panic_distance", panic)?;
            }
        }
        Ok(())
    }
}

/// The words of a scene file for the shapes of obstacles.
pub fn shapes() -> &'static [&'static str] {
    match Obstacle::KEYS[0].range {
        Range::Choice(words) => words,
        _ => &[],
    }
}

/// The last entry of the list of shapes: a line drawn by hand.
const BY_HAND: &str = "by hand";

/// The obstacle that a drag from one place to another makes, of the shape with this index. The drag goes from the center of a ball to its
/// edge, between two corners of a box or two ends of a capsule, or from a plane toward its free side.
pub fn drawn_obstacle(shape: usize, [from, to]: [Vec3; 2], spatial: bool) -> Obstacle {
    let (way, length) = (to - from, from.distance(to));
    let mut obstacle = match shapes().get(shape) {
        Some(&"box") => {
            // In space a drag does not give the depth of the box.
            let size = way.abs().max(if spatial { Vec3::splat(DEEP * length) } else { Vec3::ZERO });
            Obstacle { center: from.midpoint(to), ..Obstacle::new(ObstacleShape::Box { size }) }
        }
        Some(&"plane") => {
            Obstacle { center: from, ..Obstacle::new(ObstacleShape::Plane { normal: way.normalize_or(Vec3::Y) }) }
        }
        Some(&"capsule") => {
            let shape = ObstacleShape::Capsule { length, radius: THICK * length };
            Obstacle { center: from.midpoint(to), ..Obstacle::new(shape) }
        }
        _ => Obstacle { center: from, ..Obstacle::new(ObstacleShape::Sphere { radius: length }) },
    };
    if matches!(obstacle.shape, ObstacleShape::Capsule { .. }) {
        lay(&mut obstacle, way, spatial);
    }
    obstacle
}

/// Add the obstacle that [`drawn_obstacle`] makes of a drag. With the first obstacle of a scene, all species begin to avoid obstacles.
pub fn add_obstacle(draft: &mut Draft, shape: usize, ends: [Vec3; 2]) -> Result<(), SceneError> {
    add_obstacles(draft, [drawn_obstacle(shape, ends, draft.world.spatial)])
}

fn add_obstacles(draft: &mut Draft, added: impl IntoIterator<Item = Obstacle>) -> Result<(), SceneError> {
    let first = draft.scenery.obstacles.is_empty();
    draft.scenery.obstacles.extend(added);
    let mut species = draft.species.iter_mut().filter(|_| first);
    species.try_for_each(|species| species.enable(AVOIDS).map(drop))
}

/// Add a line drawn by hand as a chain of capsules, with a ball for a link of no length.
pub fn add_chain(draft: &mut Draft, points: &[Vec3], radius: f32) -> Result<(), SceneError> {
    let spatial = draft.world.spatial;
    let links = points.windows(2).map(|ends| {
        let length = ends[0].distance(ends[1]);
        let shape = match length > 0.0 {
            true => ObstacleShape::Capsule { length, radius },
            false => ObstacleShape::Sphere { radius },
        };
        let mut link = Obstacle { center: ends[0].midpoint(ends[1]), ..Obstacle::new(shape) };
        if length > 0.0 {
            lay(&mut link, ends[1] - ends[0], spatial);
        }
        link
    });
    add_obstacles(draft, links)
}

/// Add a path through these points. With the first path of a scene, all species begin to follow it.
pub fn add_path(draft: &mut Draft, points: &[Vec3], closed: bool) -> Result<(), SceneError> {
    let name = free_name("path", 0, draft.scenery.paths.iter().map(|path| &path.name));
    let radius = WAY * draft.world.size.y;
    let points = points.to_vec();
    draft.scenery.paths.push(Path { name, points, closed, radius, ..Path::default() });
    if draft.scenery.paths.len() == 1 {
        draft.species.iter_mut().try_for_each(|species| species.enable(FOLLOWS).map(drop))?;
    }
    Ok(())
}

/// The rotation of an obstacle: about its axis in space, about z in a plane.
pub fn turned(obstacle: &Obstacle, spatial: bool) -> Quat {
    let axis = if spatial { obstacle.axis.normalize_or(Vec3::Z) } else { Vec3::Z };
    Quat::from_axis_angle(axis, obstacle.turn.to_radians())
}

/// Number of line segments that a circle is drawn with.
pub const SIDES: usize = 72;

/// A closed line around a center: a circle, or an ellipse with the half axes `x` and `y`.
pub fn ring(center: Vec3, x: Vec3, y: Vec3) -> Vec<Vec3> {
    let at = |i: usize| {
        let (sine, cosine) = (i as f32 * std::f32::consts::TAU / SIDES as f32).sin_cos();
        center + x * cosine + y * sine
    };
    (0..=SIDES).map(at).collect()
}

/// Why walls, goals and a flow field cannot be drawn in a scene; `None` if they can.
pub fn unpaintable(draft: &Draft) -> Option<&'static str> {
    draft.world.spatial.then_some("This tool draws only in flat worlds, and this world has three dimensions")
}

/// The map that walls and goals are drawn on: the scene's, or a new one of open ground.
pub fn drawn_on(draft: &Draft) -> Map {
    draft.map.clone().unwrap_or_else(|| Map { source: MapSource::Open, ..Map::default() })
}

/// The width of this number of map cells, u.
fn brush_width(draft: &Draft, cells: u32) -> f32 {
    cells as f32 * drawn_on(draft).walls(&draft.world, draft.seed).cell
}

/// Draw a wall through these points, `cells` map cells wide; if `open`, open walls there instead. A scene without a map gets one.
pub fn add_wall(draft: &mut Draft, points: &[Vec3], cells: u32, open: bool) {
    let width = brush_width(draft, cells);
    draft.map = Some(drawn_on(draft));
    let strokes = points.windows(2).map(|ends| {
        let (from, to) = (ends[0].with_z(0.0), ends[1].with_z(0.0));
        MapStroke { from, to, width, open }
    });
    draft.map.iter_mut().for_each(|map| map.strokes.extend(strokes.clone()));
}

/// The most that [`thinned`] moves a line drawn by hand, px.
const OFF: f32 = 1.5;

/// A line drawn by hand with fewer points, which is off by at most [`OFF`] (Douglas and Peucker 1973).
pub fn thinned(line: &[Vec2]) -> Vec<Vec2> {
    let (Some(first), Some(last)) = (line.first(), line.last()) else { return Vec::new() };
    let mut kept = vec![*first];
    let mut parts = vec![(0, line.len() - 1)];
    while let Some((from, to)) = parts.pop() {
        let away = |at: &usize| from_segment(line[*at], [line[from], line[to]]);
        let farthest = (from + 1..to).max_by(|a, b| away(a).total_cmp(&away(b)));
        match farthest.filter(|at| away(at) > OFF) {
            Some(middle) => parts.extend([(middle, to), (from, middle)]),
            None => kept.push(line[to]),
        }
    }
    debug_assert_eq!(kept.last(), Some(last));
    kept
}

/// The distance from a point to the segment between two ends.
pub fn from_segment(at: Vec2, [from, to]: [Vec2; 2]) -> f32 {
    let way = to - from;
    let share = if way == Vec2::ZERO { 0.0 } else { ((at - from).dot(way) / way.length_squared()).clamp(0.0, 1.0) };
    at.distance(from + way * share)
}

/// The options of the tools.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Brush {
    /// Width of walls, cells of the map.
    pub cells: u32,
    /// Do walls follow the pointer? Otherwise they are straight.
    pub free: bool,
    /// The shape of obstacles, an index into [`shapes`]; one past the last means a line drawn by hand.
    pub shape: usize,
    /// The kind of area that is drawn.
    pub area: Area,
    /// Index of the species whose agents are put into the world, and that regions keep in.
    pub species: usize,
    /// Number of agents put at each spot.
    pub agents: u32,
    /// Radius of the brush for agents, field and trail, and of obstacles drawn by hand, px.
    pub radius: u32,
    /// Speed of the painted field, % of the greatest speed of any species.
    pub flow: u32,
    /// Is the trail painted instead of the flow field? Only in a scene with a trail.
    pub trails: bool,
    /// Units of the trail that each cell gets.
    pub units: u32,
}

impl Brush {
    /// Does what this tool draws follow the pointer? Otherwise only the two ends of a drag count.
    pub fn is_by_hand(self, tool: Tool) -> bool {
        match tool {
            Tool::Walls => self.free,
            Tool::Obstacles => self.shape == shapes().len(),
            tool => matches!(tool, Tool::Agents | Tool::Flow),
        }
    }
}

impl Default for Brush {
    fn default() -> Brush {
        // Two cells of the map leave no gaps at any slant.
        Brush {
            cells: 2,
            free: false,
            shape: 0,
            area: Area::default(),
            species: 0,
            agents: 20,
            radius: 30,
            flow: 50,
            trails: false,
            units: 1000,
        }
    }
}

/// Outlines of what is being drawn, in the picture, px. `line` is the path of the pointer so far.
pub fn preview(
    drawn: &Drawn,
    line: &[Vec2],
    draft: &Draft,
    brush: Brush,
    view: &View,
    size: (u32, u32),
) -> Vec<Vec<Vec2>> {
    let (by_hand, walls) = (brush.is_by_hand(drawn.tool), drawn.tool == Tool::Walls);
    if by_hand || walls {
        let width = || brush_width(draft, brush.cells) * view.pixels_per_unit(size);
        let radius = if walls { 0.5 * width() } else { brush.radius as f32 };
        let line = if by_hand { thinned(line) } else { vec![drawn.from.into(), drawn.to.into()] };
        return line.windows(2).map(|ends| band(ends[0], ends[1], radius)).collect();
    }
    let ends = [drawn.from, drawn.to].map(|at| view.unproject(at, size));
    let shape = if drawn.tool == Tool::Areas { brush.area.shape() } else { brush.shape };
    outline(&drawn_obstacle(shape, ends, view.spatial()), draft, view, size)
}

/// The outline of all points within a radius of a segment, px.
pub fn band(from: Vec2, end: Vec2, radius: f32) -> Vec<Vec2> {
    let ahead = (end - from).normalize_or(Vec2::X) * radius;
    // Half a circle around one end, half a circle around the other, and back to the first point.
    let at = |around: Vec2, i: u8| {
        around + Vec2::from_angle((f32::from(i) - 18.0) * std::f32::consts::TAU / 72.0).rotate(ahead)
    };
    (0..=36).map(|i| at(end, i)).chain((36..=72).map(|i| at(from, i))).chain([at(end, 0)]).collect()
}

/// Project a line of the world into the picture, px; `None` if a point of it is behind the camera.
pub fn projected(line: &[Vec3], view: &View, size: (u32, u32)) -> Option<Vec<Vec2>> {
    line.iter().map(|at| view.project(*at, size)).collect()
}

/// The outline of an obstacle in the picture, px: closed lines; of a plane, a line and its normal.
fn outline(obstacle: &Obstacle, draft: &Draft, view: &View, size: (u32, u32)) -> Vec<Vec<Vec2>> {
    let (center, turn) = (obstacle.center, turned(obstacle, draft.world.spatial));
    let lines = match obstacle.shape {
        ObstacleShape::Sphere { radius } => {
            let Some((at, radius)) = circle(center, radius, view, size) else { return Vec::new() };
            return vec![band(at, at, radius)];
        }
        ObstacleShape::Capsule { length, radius } => {
            let ends = [-0.5, 0.5].map(|end| view.project(center + turn * Vec3::X * (end * length), size));
            let [Some(from), Some(to)] = ends else { return Vec::new() };
            return vec![band(from, to, circle(center, radius, view, size).map_or(0.0, |(_, radius)| radius))];
        }
        ObstacleShape::Box { size } => {
            let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5)];
            let face = |axes: [Vec3; 3], side: f32| {
                let at = |(x, y): (f32, f32)| center + turn * (size * (axes[0] * x + axes[1] * y + axes[2] * side));
                corners.map(at).to_vec()
            };
            let [x, y, z] = Vec3::AXES;
            match draft.world.spatial {
                true => [[x, y, z], [y, z, x], [z, x, y]]
                    .iter()
                    .flat_map(|axes| [-0.5, 0.5].map(|s| face(*axes, s)))
                    .collect(),
                false => vec![face([x, y, z], 0.0)],
            }
        }
        ObstacleShape::Plane { normal } => {
            let normal = (turn * normal).normalize_or(Vec3::Y);
            let reach = 2.0 * draft.world.size.max_element();
            let along = if draft.world.spatial { normal.any_orthonormal_vector() } else { normal.cross(Vec3::Z) };
            let tip = center + normal * 0.05 * draft.world.size.y;
            vec![vec![center - along * reach, center + along * reach], vec![center, tip]]
        }
    };
    lines.iter().filter_map(|line| projected(line, view, size)).collect()
}

/// The index of the last obstacle at a point of the picture, px, that does not move. Each of scattered obstacles stands for their table.
pub fn obstacle_at(draft: &Draft, at: (f32, f32), view: &View, size: (u32, u32)) -> Option<usize> {
    let at = Vec2::from(at);
    let covers = |obstacle: &Obstacle| {
        let lines = outline(obstacle, draft, view, size);
        let near =
            || lines.iter().flat_map(|line| line.windows(2)).any(|ends| from_segment(at, [ends[0], ends[1]]) <= GRASP);
        let inside = || lines.iter().any(|line| contains(line, at));
        match obstacle.shape {
            // The inside of a plane is half of the world, so only its line counts.
            ObstacleShape::Plane { .. } => near(),
            _ => inside() || (obstacle.seen_from != SeenFrom::Outside && near()),
        }
    };
    let rows = draft.scenery.obstacles.iter().enumerate();
    let rows: Vec<usize> = rows.flat_map(|(row, one)| std::iter::repeat_n(row, one.count as usize)).collect();
    let placed = draft.scenery.placed(&draft.world);
    let found = placed.iter().zip(rows).rfind(|(one, _)| one.trajectory.is_none() && covers(one));
    found.map(|(_, row)| row)
}

/// The index of the last path near a point of the picture, px.
pub fn path_at(draft: &Draft, at: (f32, f32), view: &View, size: (u32, u32)) -> Option<usize> {
    let near = |path: &Path| {
        let end = path.points.first().filter(|_| path.closed);
        let seen: Vec<Option<Vec2>> = path.points.iter().chain(end).map(|at| view.project(*at, size)).collect();
        seen.windows(2).any(|ends| match ends {
            [Some(from), Some(to)] => from_segment(at.into(), [*from, *to]) <= GRASP,
            _ => false,
        })
    };
    draft.scenery.paths.iter().rposition(near)
}

/// Is a point inside a closed line?
fn contains(line: &[Vec2], at: Vec2) -> bool {
    let crosses = |ends: &&[Vec2]| {
        let (a, b) = (ends[0] - at, ends[1] - at);
        (a.y > 0.0) != (b.y > 0.0) && (a.perp_dot(b) > 0.0) == (b.y > a.y)
    };
    line.windows(2).filter(crosses).count() % 2 == 1
}

/// Project a ball into the picture: its center and radius, px; `None` if the center is behind the camera.
fn circle(center: Vec3, radius: f32, view: &View, size: (u32, u32)) -> Option<(Vec2, f32)> {
    let seen = view.project(center, size)?;
    let edge = |axis: Vec3| view.project(center + axis * radius, size).map_or(0.0, |at| at.distance(seen));
    Some((seen, Vec3::AXES.map(edge).into_iter().fold(0.0, f32::max)))
}

/// The least width of the picture with tools beside the figures, points: about 590 for the tools, and up to 310 for the line of figures. In
/// a narrower one they stand below.
pub const BESIDE: f32 = 920.0;
/// Height of the row of tools below the figures, points.
pub const HEIGHT: f32 = 38.0;

/// Show the tools over the upper right corner of the picture, or below the figures if it is narrower than [`BESIDE`]. `room` is the width
/// of the picture, `below` the lower end of the figures, points. Adds what was chosen. Returns the lower end of the tools, points.
pub fn tools(
    ui: &Ui,
    session: &Session,
    tool: Tool,
    brush: Brush,
    (room, below): (f32, f32),
    wishes: &mut Vec<Wish>,
) -> f32 {
    let area = egui::Area::new(egui::Id::unique("tools"));
    let beside = room >= BESIDE;
    let area = match beside {
        true => area.pivot(Align2::RIGHT_TOP).fixed_pos((room - 10.0, 10.0)),
        false => area.fixed_pos((10.0, below + 6.0)),
    };
    let shown = over(ui, area, (SHADE, 6.0, 5.0), |ui| {
        ui.set_max_width(room - 30.0);
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = if beside { 6.0 } else { 3.0 };
            let scene = session.scene();
            // The hand has no action: that of the present tool leads back to it.
            let back = TOOLS.iter().find(|(other, ..)| *other == tool).and_then(|(_, action, _)| *action);
            for (other, action, does) in TOOLS {
                let refused = unpaintable(scene).filter(|_| other.is_flat());
                let hint = refused.unwrap_or(does).to_owned();
                let hint = action.filter(|_| refused.is_none()).map_or(hint, Action::hint);
                let button = egui::Button::selectable(tool == *other, format!("{other:?}"));
                if ui.add_enabled(refused.is_none(), button).hint(hint).clicked() && tool != *other {
                    wishes.extend(action.or(back).map(Wish::Act));
                }
            }
            ui.separator();
            for (name, on, action) in [
                ("Attract", Lure::Attract.acts(scene), Action::Attract),
                ("Repel", Lure::Repel.acts(scene), Action::Repel),
            ] {
                ui.selectable_label(on, name).hint(action.hint()).asks_for(wishes, Wish::Act(action));
            }
        });
        if matches!(tool, Tool::Obstacles | Tool::Areas | Tool::Walls | Tool::Agents | Tool::Flow) {
            let (mut chosen, mut refused) = (brush, None);
            ui.horizontal(|ui| options(ui, tool, session, &mut chosen, &mut refused));
            wishes.extend((chosen != brush).then_some(Wish::Brush(chosen)));
            wishes.extend(refused.map(Wish::Say));
        }
    });
    shown.bottom()
}

/// Show the options of a tool. If typed text is refused, `refused` says why.
fn options(ui: &mut Ui, tool: Tool, session: &Session, brush: &mut Brush, refused: &mut Option<String>) {
    let draft = session.scene();
    match tool {
        Tool::Obstacles => {
            let names: Vec<String> = shapes().iter().copied().chain([BY_HAND]).map(readable).collect();
            let list = egui::ComboBox::from_id_salt("shape").width(80.0);
            pick(ui, list, &names, &mut brush.shape, "Shape of the new obstacle");
        }
        Tool::Areas => {
            let list = egui::ComboBox::from_id_salt("area").selected_text(brush.area.name());
            let list = list.show_ui(ui, |ui| {
                for area in Area::ALL {
                    let refused = unpaintable(draft).filter(|_| area == Area::Goal);
                    let button = egui::Button::selectable(brush.area == area, area.name());
                    let button = ui.add_enabled(refused.is_none(), button).hint(refused.unwrap_or_default());
                    if button.clicked() {
                        brush.area = area;
                    }
                }
            });
            list.response.hint("What is drawn");
            if brush.area != Area::Goal {
                species(ui, draft, brush, "The species that is kept in it");
            }
        }
        Tool::Walls => {
            let unit = if brush.cells == 1 { "cell" } else { "cells" };
            whole(ui, &mut brush.cells, ("Width", unit), (BRUSHES, 0.1), refused).hint("How wide walls are drawn");
            ui.checkbox(&mut brush.free, "Free hand").hint("Walls follow the pointer; otherwise they are straight");
        }
        Tool::Agents => {
            species(ui, draft, brush, "The species of new agents; agents of all species are erased");
            let agents = whole(ui, &mut brush.agents, ("Number", "agents"), (AGENTS, 0.2), refused);
            agents.hint("How many agents are put at each spot");
        }
        Tool::Flow => {
            let has_trail = session.simulation().model().has_trail();
            if has_trail {
                ui.selectable_value(&mut brush.trails, false, "Field").hint("Paint the flow field");
                let hint = "Lay or erase a trail, now; after a restart, and in a file, it is there from the start";
                ui.selectable_value(&mut brush.trails, true, "Trail").hint(hint);
            }
            if has_trail && brush.trails {
                let units = whole(ui, &mut brush.units, ("Amount", "units"), (UNITS, 20.0), refused);
                units.hint("How much of the trail each cell gets");
                return radius(ui, brush, refused);
            }
            let flow = whole(ui, &mut brush.flow, ("Speed", "% of the top speed"), (FLOWS, 0.3), refused);
            flow.hint("How fast the field flows where it is painted");
        }
        _ => {}
    }
    if tool != Tool::Walls && brush.is_by_hand(tool) {
        radius(ui, brush, refused);
    }
}

/// Show a whole number of the brush, with its range, and how far a drag by a point changes it.
fn whole(
    ui: &mut Ui,
    now: &mut u32,
    (name, unit): (&str, &str),
    (range, speed): (RangeInclusive<u32>, f64),
    refused: &mut Option<String>,
) -> Response {
    let bounds = (*range.start() as f32, *range.end() as f32);
    number(ui, now, &NumberField { name, bounds, whole: true, speed, unit, in_column: false }, refused)
}

/// Show a list to choose the brush's species from, if there are several.
fn species(ui: &mut Ui, draft: &Draft, brush: &mut Brush, hint: &str) {
    let names: Vec<String> = draft.species.iter().map(|species| readable(&species.name)).collect();
    brush.species = brush.species.min(names.len().saturating_sub(1));
    if names.len() > 1 {
        pick(ui, egui::ComboBox::from_id_salt("species"), &names, &mut brush.species, hint);
    }
}

/// Show a list of names, to choose the index of one.
fn pick(ui: &mut Ui, list: egui::ComboBox, names: &[String], chosen: &mut usize, hint: &str) {
    let list = list.selected_text(names.get(*chosen).map_or("", String::as_str)).show_ui(ui, |ui| {
        names.iter().enumerate().for_each(|(index, name)| drop(ui.selectable_value(chosen, index, name)));
    });
    list.response.hint(hint);
}

fn radius(ui: &mut Ui, brush: &mut Brush, refused: &mut Option<String>) {
    whole(ui, &mut brush.radius, ("Radius", "px"), (RADII, 0.5), refused).hint("How far around the pointer");
}
