//! Hide: places in cover.

use crate::*;
use steerling::scene::Walls;

const BUCKLAND: &str =
    "Buckland, Programming Game AI by Example, Hide: beyond the obstacle's center, as the hunter sees it";

laws! {
    hide_place in both:
        "V arrives at c + (c - q)/|c - q| (depth + r + D) of the obstacle with the least ratio of the agent's way to \
         the target's way",
        source: BUCKLAND,
        mutant: hide_behind("center + behind * room" => "center - behind * room"),
        mistake: "the place is before the obstacle, in view of the target";
    hide_covered in both: "after a while every agent is at rest, and the line from the target to it meets the obstacle",
        source: "what hiding is for",
        mutant: hide_steer("cover.share < best.share" => "cover.share > best.share"),
        mistake: "the first of all obstacles, however near the target is to it";
    hide_panic_distance: "beyond the panic distance, and with planes and hollow shapes only, A = 0",
        source: BUCKLAND,
        mutant: hide_steer("goal.distance > hide.panic_distance" => "goal.distance < hide.panic_distance"),
        mistake: "agents hide from a target that is far away, too";
    hide_wall_place in both:
        "at a block on a map V arrives behind the wall point, of those met by rays every 30° and the nearest one, \
         with the least ratio of the agent's way to the target's way",
        source: "ours: Buckland's place with a point of the wall for the center of the obstacle; rays and a block in f64",
        mutant: way_out_of_wall("max(depth, LEAST_LEAP * world.map_cell_size)"
            => "LEAST_LEAP * world.map_cell_size * 0.25"),
        mistake: "what lies behind a thick wall is not found";
    hide_wall_covered in both:
        "whatever the map, the lines from the target to both sides of a body at its hiding place meet walls",
        source: "what hiding is for",
        mutant: hide_behind_wall("walls_hide(place - side, side - theirs)" => "true"),
        mistake: "only one side of the body is covered";
    hide_wall_reached: "beside a block on a map every agent comes to rest where both sides of its body are covered",
        source: "what hiding is for",
        mutant: hide_behind_walls("ray == HIDE_RAYS" => "ray > HIDE_RAYS"),
        mistake: "the nearest wall is not looked at, and rays miss a small one";
}

/// A species that hides by a rule.
fn hider(speed: f64, tau: f64, radius: f64, rule: &str) -> String {
    format!("max_speed = {speed}\ntime_constant = {tau}\nradius = {radius}\nbehaviors.hide = {{ {rule} }}")
}

/// Least and greatest corner (x, y) of a block, u.
type Block = [[f64; 2]; 2];

/// The part of a line within a block, as multiples of `forward` at its two ends; `None` if the line does not meet the block.
fn within([low, high]: Block, from: V, forward: V) -> Option<(f64, f64)> {
    let mut share = (f64::NEG_INFINITY, f64::INFINITY);
    for axis in 0..2 {
        // If a component is zero, which is rare, a tiny slant replaces it.
        let rate = if forward[axis] == 0.0 { 1e-12 } else { forward[axis] };
        let ends = [low[axis], high[axis]].map(|side| (side - from[axis]) / rate);
        share = (share.0.max(ends[0].min(ends[1])), share.1.min(ends[0].max(ends[1])));
    }
    (share.0 < share.1 && share.1 > 0.0).then_some(share)
}

/// Does the line from the menace to a place meet the block?
fn covers(block: Block, menace: V, place: V) -> bool {
    within(block, menace, minus(place, menace)).is_some_and(|(enters, _)| enters < 1.0)
}

fn is_in([low, high]: Block, [x, y, _]: V) -> bool {
    x > low[0] && x < high[0] && y > low[1] && y < high[1]
}

/// The hiding places behind a block, each with its score, best first; `None` if rounding would decide. `flat` drops z.
fn behind(block: Block, menace: V, own: V, radius: f64, room: f64) -> Option<Vec<(f64, V)>> {
    let flat = |[x, y, _]: V| [x, y, 0.0];
    let wider = |by: f64| [block[0].map(|low| low - by), block[1].map(|high| high + by)];
    let nearest = [0, 1].map(|axis| own[axis].clamp(block[0][axis], block[1][axis]) - own[axis]);
    let toward = flat(minus(menace, own));
    let turned = |k: u32| {
        let (sin, cos) = (f64::from(k) * std::f64::consts::FRAC_PI_6).sin_cos();
        [toward[0] * cos - toward[1] * sin, toward[0] * sin + toward[1] * cos, 0.0]
    };
    let rays = (0..12).map(turned).chain([[nearest[0], nearest[1], 0.0]]);
    let mut places = Vec::new();
    for (index, ray) in rays.enumerate() {
        let forward = unit(ray);
        let last = index == 12;
        if !last && within(wider(0.15), own, forward).is_some() != within(wider(-0.15), own, forward).is_some() {
            return None;
        }
        let Some((enters, _)) = (if last { Some((norm(ray), 0.0)) } else { within(block, own, forward) }) else {
            continue;
        };
        let met = plus(own, times(forward, enters));
        let mut shift = ZERO;
        for _ in 0..2 {
            let start = plus(met, shift);
            let on = unit(flat(minus(start, menace)));
            let through =
                within(wider(1e-9), start, on).filter(|(enters, _)| *enters <= 0.0).map_or(0.0, |(_, leaves)| leaves);
            // If the line grazes the block, its depth there depends on the cells.
            let depth =
                |by: f64| within(wider(by), start, on).filter(|(enters, _)| *enters <= 0.5).map_or(0.0, |way| way.1);
            if (depth(0.15) - depth(-0.15)).abs() > 1.0 {
                return None;
            }
            let place = plus(start, times(on, through + room));
            match [0.15, -0.15].map(|by| is_in(wider(by), place)) {
                [true, true] => break,
                [false, false] => {}
                _ => return None,
            }
            let across = times([-on[1], on[0], 0.0], radius);
            let sides = [across, times(across, -1.0)];
            let covered = |more: f64| sides.map(|side| covers(block, menace, plus(place, times(side, more))));
            match covered(0.85) {
                sure if sure != covered(1.15) => return None,
                [true, true] => {
                    places.push((norm(minus(place, own)) / norm(minus(place, menace)), place));
                    break;
                }
                [false, false] => break,
                [left, _] => shift = sides[usize::from(!left)],
            }
        }
    }
    places.sort_by(|a, b| a.0.total_cmp(&b.0));
    Some(places)
}

fn hide_wall_place(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    const SLOW: f64 = 1000.0;
    for _ in 0..3 {
        let mut cells = || MAP_CELL * f64::from(draw.whole(6, 24));
        let high = [cells(), cells()];
        let block = [high.map(|half| -half), high];
        bench.wants(Setup::open_with(spatial, 0.01, blocks(spatial, &[block])), 0..12, |setup, _| {
            loop {
                let (distance, radius) = (draw.between(0.3, 3.0), draw.between(0.2, 1.0));
                let (menace, own) = (rounded(draw.point(spatial, 25.0)), rounded(draw.point(spatial, 25.0)));
                let beside = |[x, y, _]: V| x.abs() > high[0] + 1.0 || y.abs() > high[1] + 1.0;
                // Skip places that a corner and a side of the block are equally near to.
                let edge = (0..2).any(|axis| (own[axis].abs() - high[axis]).abs() < 0.15);
                if !beside(menace) || !beside(own) || edge {
                    continue;
                }
                let Some(places) = behind(block, menace, own, radius, radius + distance) else { continue };
                // Skip cases with two places so equally good that the size of a cell decides.
                let alike = |pair: &[(f64, V)]| pair[1].0 - pair[0].0 < 0.1;
                if places.is_empty() || places.windows(2).next().is_some_and(alike) {
                    continue;
                }
                let rule = format!("{}, distance = {distance}, slow_radius = {SLOW}", to(spatial, menace));
                let id = setup.agent(&hider(SLOW, 1.0, radius, &rule), own, ZERO);
                break (id, [("share", places[0].0), ("D", distance)], minus(places[0].1, own), MAP_CELL);
            }
        })?;
    }
    Ok(())
}

/// Is there a wall within 0.01 u of the line between two places? Tested in steps of 0.01 u.
fn meets(walls: &Walls, from: V, to: V) -> bool {
    const STEP: f64 = 0.01;
    let steps = (norm(minus(to, from)) / STEP).ceil() as u32;
    let near = [[-STEP, 0.0], [STEP, 0.0], [0.0, -STEP], [0.0, STEP]];
    (0..=steps).any(|step| {
        let at = plus(from, times(minus(to, from), f64::from(step) / f64::from(steps)));
        let along = |x: f64, count: u32| (x / MAP_CELL + 0.5 * f64::from(count)).floor() as i32;
        near.iter().any(|[x, y]| walls.is_solid(along(at[0] + x, walls.columns), along(-at[1] - y, walls.rows)))
    })
}

fn hide_wall_covered(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    const SLOW: f64 = 1000.0;
    for _ in 0..3 {
        let mut block = || {
            let mut cell = |low: f64, high: f64| (draw.between(low, high) / MAP_CELL).round() * MAP_CELL;
            let low = [cell(-20.0, 18.0), cell(-20.0, 18.0)];
            [low, [low[0] + cell(0.5, 4.0), low[1] + cell(0.5, 4.0)]]
        };
        let map: Vec<Block> = (0..30).map(|_| block()).collect();
        let outside =
            |[x, y, _]: V| map.iter().all(|[low, high]| x < low[0] || x > high[0] || y < low[1] || y > high[1]);
        let seen = |setup: &Setup| {
            let scene = bench.scene(setup)?;
            let walls = scene.map.as_ref().expect("a map").walls(&scene.world, scene.seed);
            Ok((walls, bench.steering(setup)?.accelerations))
        };
        let setup = Setup::open_with(spatial, 0.01, blocks(spatial, &map));
        bench.tries(setup, seen, 0..32, |setup, _| {
            loop {
                let radius = draw.between(0.3, 1.0);
                let (menace, own) = (rounded(draw.point(spatial, 20.0)), rounded(draw.point(spatial, 20.0)));
                if !outside(menace) || !outside(own) {
                    continue;
                }
                let rule = format!("{}, distance = 0.4, slow_radius = {SLOW}", to(spatial, menace));
                let id = setup.agent(&hider(SLOW, 1.0, radius, &rule), own, ZERO);
                break move |(walls, found): &(_, Vec<V>)| {
                    let place = plus(own, found[id]);
                    let [x, y, _] = minus(place, menace);
                    let across = times(unit([-y, x, 0.0]), radius);
                    let mut sides = [across, times(across, -1.0)].into_iter();
                    let covered = norm(found[id]) > 0.0 && sides.all(|side| meets(walls, menace, plus(place, side)));
                    bench.check(Case::holds(&[("radius", radius), ("way", norm(found[id]))], true, covered));
                };
            }
        })?;
    }
    Ok(())
}

fn hide_wall_reached(bench: &Bench, draw: &mut Draw) -> Tried {
    let half = MAP_CELL * f64::from(draw.whole(5, 8));
    let block = [[-half; 2], [half; 2]];
    // Not more steps: a sideways speed would decay below the smallest normal number, which some drivers flush to zero.
    bench.arrives(Setup::open_with(false, 1.0 / 32.0, blocks(false, &[block])), 300, 0..24, |setup, _| {
        let behind = draw.heading(false);
        let menace = rounded(times(behind, -draw.between(6.0, 25.0)));
        // The agent starts where its way to the hiding place is free.
        let aside = times([-behind[1], behind[0], 0.0], draw.between(-10.0, 10.0));
        let start = rounded(plus(times(behind, draw.between(6.0, 20.0)), aside));
        let rule = format!("{}, slow_radius = 8", to(false, menace));
        let lines = format!("max_speed = 10\nmax_force = 100\nradius = 0.3\nbehaviors.hide = {{ {rule} }}");
        let id = setup.agent(&lines, start, ZERO);
        move |after| {
            let Body { position, velocity } = after[id];
            let parameters = [("speed", norm(velocity)), ("way", norm(minus(position, start)))];
            bench.check(Case::at_most(&parameters, 0.05, norm(velocity), 0.0));
            let sight = unit(minus(position, menace));
            let mut sides =
                [-0.29, 0.29].map(|aside| plus(position, times([-sight[1], sight[0], 0.0], aside))).into_iter();
            bench.check(Case::holds(&parameters, true, sides.all(|side| covers(block, menace, side))));
        }
    })
}

/// A sphere (center and radius) or a box (center and half its size).
#[derive(Clone, Copy)]
enum Rock {
    Sphere(V, f64),
    Cuboid(V, V),
}

impl Rock {
    fn new(draw: &mut Draw, spatial: bool, center: V) -> Rock {
        match draw.whole(0, 1) {
            0 => Rock::Sphere(center, draw.between(1.0, 4.0)),
            _ => {
                let [x, y, z] = [0; 3].map(|_| draw.between(1.0, 4.0));
                Rock::Cuboid(center, [x, y, if spatial { z } else { 1e9 }])
            }
        }
    }

    fn toml(&self, spatial: bool) -> String {
        match self {
            Rock::Sphere(center, radius) => sphere(spatial, *center, *radius),
            Rock::Cuboid(center, half) => cuboid(spatial, *center, times(*half, 2.0)),
        }
    }

    fn center(&self) -> V {
        match self {
            Rock::Sphere(center, _) | Rock::Cuboid(center, _) => *center,
        }
    }

    /// The distance from the center to the surface in a direction, u.
    fn depth(&self, direction: V) -> f64 {
        match self {
            Rock::Sphere(_, radius) => *radius,
            Rock::Cuboid(_, half) => {
                (0..3).map(|axis| half[axis] / direction[axis].abs().max(1e-9)).fold(1e9, f64::min)
            }
        }
    }

    /// The hiding place behind it, seen from `menace`.
    fn behind(&self, menace: V, room: f64) -> V {
        let direction = unit(minus(self.center(), menace));
        plus(self.center(), times(direction, self.depth(direction) + room))
    }
}

fn hide_place(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let mut rock = |index: usize| {
        let center = rounded(plus(times(lane(index, 1.0), 12.0), draw.point(spatial, 3.0)));
        Rock::new(draw, spatial, center)
    };
    let rocks: Vec<Rock> = (0..8).map(&mut rock).collect();
    let scenery: Vec<String> = rocks.iter().map(|rock| rock.toml(spatial)).collect();
    bench.wants(among(spatial, 0.01, &scenery), 0..16, |setup, _| {
        loop {
            let (distance, slow, radius) = (draw.between(0.0, 3.0), draw.between(1.0, 20.0), draw.between(0.2, 1.0));
            let (speed, tau) = (draw.between(5.0, 20.0), draw.scale(0.1, 2.0));
            let (menace, own) = (rounded(draw.point(spatial, 60.0)), rounded(draw.point(spatial, 60.0)));
            let share = |rock: &Rock| {
                let place = rock.behind(menace, radius + distance);
                (norm(minus(place, own)) / norm(minus(place, menace)), place)
            };
            let mut places: Vec<(f64, V)> = rocks.iter().map(share).collect();
            places.sort_by(|a, b| a.0.total_cmp(&b.0));
            // Skip cases that rounding decides: two places that are equally good, and menaces too near to a rock.
            if places[1].0 - places[0].0 < 1e-3 || rocks.iter().any(|rock| norm(minus(rock.center(), menace)) < 2.0) {
                continue;
            }
            let rule = format!("{}, distance = {distance}, slow_radius = {slow}", to(spatial, menace));
            let velocity = rounded(draw.point(spatial, 4.0));
            let id = setup.agent(&hider(speed, tau, radius, &rule), own, velocity);
            let way = minus(places[0].1, own);
            let desired = times(way, speed * (1.0 / slow).min(1.0 / norm(way)));
            let wanted = times(minus(desired, velocity), 1.0 / tau);
            break (id, [("share", places[0].0), ("D", distance)], wanted, 1e-4 * (speed / tau));
        }
    })
}

fn hide_covered(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let rocks: Vec<(V, f64)> =
        (0..8).map(|index| (rounded(times(lane(index, 1.0), 10.0)), draw.between(1.5, 3.0))).collect();
    let scenery: Vec<String> = rocks.iter().map(|(center, radius)| sphere(spatial, *center, *radius)).collect();
    let rocks = &rocks;
    bench.arrives(among(spatial, 1.0 / 32.0, &scenery), 1000, 0..12, |setup, _| {
        let menace = rounded(plus(times(draw.heading(spatial), 70.0), [0.0, -35.0, 0.0]));
        let rule = format!("{}, slow_radius = 8", to(spatial, menace));
        let lines = format!("max_speed = 10\nmax_force = 100\nbehaviors.hide = {{ {rule} }}");
        let id = setup.agent(&lines, plus(draw.point(spatial, 40.0), [0.0, -35.0, 0.0]), ZERO);
        let start = setup.body(id).position;
        move |after| {
            let Body { position, velocity } = after[id];
            let sight = unit(minus(position, menace));
            // How deep within an obstacle the line of sight comes.
            let within = |(center, radius): &(V, f64)| {
                let way = minus(*center, menace);
                let ahead = dot(way, sight);
                let before = ahead > 0.0 && ahead < norm(minus(position, menace));
                if before { radius - norm(minus(way, times(sight, ahead))) } else { f64::MIN }
            };
            let deepest = rocks.iter().map(within).most();
            let places = rocks.iter().map(|(center, radius)| Rock::Sphere(*center, *radius).behind(menace, 1.5));
            let off = places.map(|place| norm(minus(place, position))).least();
            let parameters = [("speed", norm(velocity)), ("depth", deepest)];
            bench.check(Case::at_least(&parameters, 1.0, deepest, 0.0));
            bench.check(Case::at_most(&parameters, 0.05, norm(velocity), 0.0));
            bench.check(Case::at_most(&parameters, 0.05, off, 0.0));
            // It has come no farther than the menace would have to go: it is there before a target that is as fast.
            let [own, theirs] = [start, menace].map(|from| norm(minus(position, from)));
            bench.check(Case::at_most(&parameters, theirs, own, 0.0));
        }
    })
}

fn hide_panic_distance(bench: &Bench, draw: &mut Draw) -> Tried {
    for (spatial, covers) in [(false, true), (true, true), (false, false), (true, false)] {
        let scenery = match covers {
            true => vec![sphere(spatial, ZERO, 3.0)],
            false => vec![
                format!("{}seen_from = \"inside\"\n", sphere(spatial, ZERO, 300.0)),
                format!("{}seen_from = \"both\"\n", cuboid(spatial, ZERO, [3.0; 3])),
                plane(spatial, [0.0, -190.0, 0.0], [0.0, 1.0, 0.0]),
            ],
        };
        bench.steers(among(spatial, 0.01, &scenery), 0..8, |setup, index| {
            let (panic, speed) = (draw.between(10.0, 30.0), draw.between(5.0, 20.0));
            let menace = rounded(draw.point(spatial, 40.0));
            let own = rounded(plus(menace, times(draw.heading(spatial), panic * [0.8, 1.2][index % 2])));
            let rule = format!("{}, panic_distance = {panic}", to(spatial, menace));
            let lines = format!("max_speed = {speed}\ntime_constant = 1\nbehaviors.hide = {{ {rule} }}");
            let (id, distance) = (setup.agent(&lines, own, ZERO), norm(minus(own, menace)));
            move |found| {
                let parameters = [("panic", panic), ("d", distance), ("covers", f64::from(covers))];
                bench.check(Case::holds(&parameters, covers && distance <= panic, norm(found[id]) > 0.0));
            }
        })?;
    }
    Ok(())
}
