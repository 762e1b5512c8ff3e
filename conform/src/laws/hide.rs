//! Hide: places in cover.

use crate::flight::{point, rounded};
use crate::scenery::{among, cuboid, sphere};
use crate::*;

const BUCKLAND: &str =
    "Buckland, Programming Game AI by Example, Hide: beyond the obstacle's center, as the hunter sees it";

laws! {
    hide_place in both:
        "V arrives at c + (c - q)/|c - q| (depth + r + D): the place with the least own way over the target's",
        source: BUCKLAND,
        mutant: hide_behind("center + behind * room" => "center - behind * room"),
        mistake: "before the obstacle, in full view";
    hide_covered in both: "after a while everybody is at rest, and the line from the target meets the obstacle",
        source: "what hiding is for",
        mutant: hide_steer("cover.share < best.share" => "cover.share > best.share"),
        mistake: "the first of all obstacles, however near the target is to it";
    hide_panic_distance: "beyond the panic distance, and with planes and hollow shapes only, A = 0",
        source: BUCKLAND,
        mutant: hide_steer("goal.distance > hide.panic_distance" => "goal.distance < hide.panic_distance"),
        mistake: "who is far away is hidden from";
}

/// A sphere or a box: its center, and its radius or half its size.
#[derive(Clone, Copy)]
enum Rock {
    Sphere(V, f64),
    Cuboid(V, V),
}

impl Rock {
    fn new(draw: &mut Draw, spatial: bool, center: V) -> Rock {
        match draw.whole(0, 1) {
            0 => Rock::Sphere(center, draw.between(1.0, 4.0)),
            _ => Rock::Cuboid(center, [draw.between(1.0, 4.0), draw.between(1.0, 4.0), draw.between(1.0, 4.0)]),
        }
        .flat(spatial)
    }

    fn flat(self, spatial: bool) -> Rock {
        match self {
            Rock::Cuboid(center, [x, y, _]) if !spatial => Rock::Cuboid(center, [x, y, 1e9]),
            other => other,
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

    /// From the center to the surface in a direction.
    fn depth(&self, direction: V) -> f64 {
        match self {
            Rock::Sphere(_, radius) => *radius,
            Rock::Cuboid(_, half) => {
                (0..3).map(|axis| half[axis] / direction[axis].abs().max(1e-9)).fold(1e9, f64::min)
            }
        }
    }

    /// The place behind it, as one at `menace` sees it.
    fn behind(&self, menace: V, room: f64) -> V {
        let direction = unit(minus(self.center(), menace));
        plus(self.center(), times(direction, self.depth(direction) + room))
    }
}

fn hide_place(bench: &mut Bench, spatial: bool) -> Cases {
    let draw = &mut bench.draw;
    let rocks: Vec<Rock> = (0..8)
        .map(|index| {
            let center = rounded(plus(times(lane(index, 1.0), 12.0), draw.point(spatial, 3.0)));
            Rock::new(draw, spatial, center)
        })
        .collect();
    let scenery: Vec<String> = rocks.iter().map(|rock| rock.toml(spatial)).collect();
    let (mut setup, mut all) = (among(spatial, 0.01, &scenery), Vec::new());
    while all.len() < 16 {
        let (distance, slow, radius) = (draw.between(0.0, 3.0), draw.between(1.0, 20.0), draw.between(0.2, 1.0));
        let (speed, tau) = (draw.between(5.0, 20.0), draw.scale(0.1, 2.0));
        let (menace, own) = (rounded(draw.point(spatial, 60.0)), rounded(draw.point(spatial, 60.0)));
        let share = |rock: &Rock| {
            let place = rock.behind(menace, radius + distance);
            (norm(minus(place, own)) / norm(minus(place, menace)), place)
        };
        let mut places: Vec<(f64, V)> = rocks.iter().map(share).collect();
        places.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Which of two is taken that are as good is rounding; and an edge of a box is one.
        if places[1].0 - places[0].0 < 1e-3 || rocks.iter().any(|rock| norm(minus(rock.center(), menace)) < 2.0) {
            continue;
        }
        let rule =
            format!("target = {{ point = {} }}, distance = {distance}, slow_radius = {slow}", point(spatial, menace));
        let lines =
            format!("max_speed = {speed}\ntime_constant = {tau}\nradius = {radius}\nbehaviors.hide = {{ {rule} }}");
        let velocity = rounded(draw.point(spatial, 4.0));
        let id = setup.agent(&lines, own, velocity);
        let way = minus(places[0].1, own);
        let desired = times(way, speed * (1.0 / slow).min(1.0 / norm(way)));
        all.push((
            id,
            times(minus(desired, velocity), 1.0 / tau),
            [("share", places[0].0), ("D", distance)],
            speed / tau,
        ));
    }
    let found = bench.steering(&setup)?.accelerations;
    Ok(all
        .into_iter()
        .map(|(id, expected, parameters, scale)| Case::vector_within(&parameters, expected, found[id], 1e-4 * scale))
        .collect())
}

fn hide_covered(bench: &mut Bench, spatial: bool) -> Cases {
    let mut cases = Vec::new();
    let draw = &mut bench.draw;
    let rocks: Vec<(V, f64)> =
        (0..8).map(|index| (rounded(times(lane(index, 1.0), 10.0)), draw.between(1.5, 3.0))).collect();
    let scenery: Vec<String> = rocks.iter().map(|(center, radius)| sphere(spatial, *center, *radius)).collect();
    let (mut setup, mut menaces) = (among(spatial, 1.0 / 32.0, &scenery), Vec::new());
    for _ in 0..12 {
        let menace = rounded(plus(times(draw.heading(spatial), 70.0), [0.0, -35.0, 0.0]));
        let rule = format!("target = {{ point = {} }}, slow_radius = 8", point(spatial, menace));
        let lines = format!("max_speed = 10\nmax_force = 100\nbehaviors.hide = {{ {rule} }}");
        let start = plus(draw.point(spatial, 40.0), [0.0, -35.0, 0.0]);
        menaces.push((menace, setup.agent(&lines, start, ZERO)));
    }
    let after = bench.after(&setup, 1000)?;
    for (menace, id) in menaces {
        let Body { position, velocity } = after[id];
        let sight = unit(minus(position, menace));
        // How far within an obstacle the line of sight comes.
        let within = |(center, radius): &(V, f64)| {
            let way = minus(*center, menace);
            let ahead = dot(way, sight);
            let before = ahead > 0.0 && ahead < norm(minus(position, menace));
            if before { radius - norm(minus(way, times(sight, ahead))) } else { f64::MIN }
        };
        let deepest = rocks.iter().map(within).fold(f64::MIN, f64::max);
        let best = rocks.iter().map(|(center, radius)| {
            let rock = Rock::Sphere(*center, *radius);
            let place = rock.behind(menace, 1.5);
            norm(minus(place, position))
        });
        let parameters = [("speed", norm(velocity)), ("depth", deepest)];
        cases.push(Case::at_least(&parameters, 1.0, deepest, 0.0));
        cases.push(Case::at_most(&parameters, 0.05, norm(velocity), 0.0));
        cases.push(Case::at_most(&parameters, 0.05, best.fold(f64::MAX, f64::min), 0.0));
        // It is there before the target, who is as fast.
        let start = setup.body(id).position;
        cases.push(Case::at_most(&parameters, norm(minus(position, menace)), norm(minus(position, start)), 0.0));
    }
    Ok(cases)
}

fn hide_panic_distance(bench: &mut Bench) -> Cases {
    let mut cases = Vec::new();
    for (spatial, covers) in [(false, true), (true, true), (false, false), (true, false)] {
        let draw = &mut bench.draw;
        let scenery = match covers {
            true => vec![sphere(spatial, ZERO, 3.0)],
            false => vec![
                format!("{}seen_from = \"inside\"\n", sphere(spatial, ZERO, 300.0)),
                format!("{}seen_from = \"both\"\n", cuboid(spatial, ZERO, [3.0; 3])),
                format!(
                    "[[obstacles]]\nshape = \"plane\"\ncenter = {}\nnormal = {}\n",
                    point(spatial, [0.0, -190.0, 0.0]),
                    point(spatial, [0.0, 1.0, 0.0])
                ),
            ],
        };
        let (mut setup, mut all) = (among(spatial, 0.01, &scenery), Vec::new());
        for _ in 0..8 {
            let (panic, speed) = (draw.between(10.0, 30.0), draw.between(5.0, 20.0));
            let (menace, own) = (rounded(draw.point(spatial, 40.0)), rounded(draw.point(spatial, 40.0)));
            let rule = format!("target = {{ point = {} }}, panic_distance = {panic}", point(spatial, menace));
            let lines = format!("max_speed = {speed}\ntime_constant = 1\nbehaviors.hide = {{ {rule} }}");
            let id = setup.agent(&lines, own, ZERO);
            all.push((id, panic, norm(minus(own, menace))));
        }
        let found = bench.steering(&setup)?.accelerations;
        for (id, panic, distance) in all {
            let parameters = [("panic", panic), ("d", distance), ("covers", f64::from(covers))];
            cases.push(Case::holds(&parameters, covers && distance <= panic, norm(found[id]) > 0.0));
        }
    }
    Ok(cases)
}
