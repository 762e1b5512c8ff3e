//! The trail on the ground, and agents that follow it.

use crate::*;
use std::fmt::Debug;

const EXACT: &str = "integer arithmetic";
const JONES: &str = "Jones 2010, sensors and turn of a particle";

laws! {
    trail_is_laid in both:
        "n agents in a cell lay n floor(r t) there, whole units each; an agent beyond an end of the world lays in \
         the cell at that end",
        source: EXACT,
        mutant: trail_lay("atomicAdd(&ground_atomic[home].trail" => "atomicMax(&ground_atomic[home].trail"),
        mistake: "only one of the agents in a cell lays";
    trail_is_conserved in both: "spreading changes where the trail lies, and never by a unit how much of it there is",
        source: "conservation",
        mutant: trail_exchange("- given" => ""),
        mistake: "a cell keeps what it gives away";
    trail_half_life in both: "after every half-life half of a trail is left, whether it is thick or thin",
        source: "A 2^(-t/T)",
        mutant: trail_fade("reverseBits(step_now())" => "0u"),
        mistake: "rounded down, so that a thin trail stays";
    trail_neighbors in both:
        "in a step a cell gives each adjacent cell D dt/h² of what it holds, h its own extent along that axis, also \
         across a wrapped end",
        source: "Fick 1855, by finite differences",
        mutant: trail_spread("cells.z, boundary_z == WRAP, share.z" => "cells.z, boundary_x == WRAP, share.z"),
        mistake: "the ends of x decide for z";
    trail_variance in both:
        "a trail that is laid at one place spreads to all sides alike, its variance by 2 D t along each axis",
        source: "Fick 1855, diffusion",
        mutant: trail_spread("cells.x, boundary_x == WRAP, share.x" => "cells.x, boundary_x == WRAP, share.x / 2u"),
        mistake: "half as far along x";
    trail_symmetry in both:
        "the trail of a place and its mirror image are mirror images, to the unit, across each axis and each diagonal",
        source: EXACT,
        mutant: trail_exchange("step <= 1" => "step < 1"),
        mistake: "only the neighbor to the left counts";
    trail_sensors in both:
        "A = (v_max w - v)/T, w the direction to the sensor that senses most, in space in a plane that is drawn; A = \
         0 if nothing is sensed",
        source: JONES,
        mutant: follow_trail_steer("at_right > at_left ||" => "at_right < at_left ||"),
        mistake: "the agent turns toward the weaker side";
    trail_choice in both:
        "of two sides that sense alike each is taken equally often, in space in any plane through the heading, and \
         anew in each step",
        source: "an even draw",
        mutant: follow_trail_steer("across(agent.forward, unit_direction(hash.x, hash.y))"
            => "right_of(agent.forward)"),
        mistake: "the sensors are always level";
    trail_short_way:
        "of two ways to the food, one a fifth longer, ants that follow their trail take the short one more often",
        source: "Goss, Aron, Deneubourg and Pasteels 1989, a bridge of two branches",
        mutant: follow_trail_steer("way = select(left, right, to_right);" => "way = agent.forward;"),
        mistake: "the sides are not heeded";
    trail_condenses in both:
        "agents that follow the trail they lay draw veins: the cells' contents differ more than after wandering alone",
        source: JONES,
        mutant: follow_trail_steer("most > ahead" => "most < ahead"),
        mistake: "agents turn away from a trail ahead";
}

const SIZE: f64 = 64.0;

/// Cells along each axis: in space fewer and larger ones, four times as many in all.
fn cells(spatial: bool) -> usize {
    if spatial { 16 } else { 32 }
}

/// Length of a cell.
fn cell(spatial: bool) -> f64 {
    SIZE / cells(spatial) as f64
}

fn axes(spatial: bool) -> usize {
    if spatial { 3 } else { 2 }
}

/// A world with so many cells along each axis, of a seed and a time step.
fn parted(spatial: bool, (seed, dt): (u32, f64), cells: usize, boundary: impl Debug, ground: &str) -> Setup {
    let more = format!("world.margin = 2\nground = {{ resolution = {cells}, {ground} }}\nseed = {seed}");
    Setup::within(spatial, [SIZE; 3], boundary, dt, more)
}

fn world(spatial: bool, boundary: &str, ground: &str) -> Setup {
    parted(spatial, (1, DT), cells(spatial), boundary, ground)
}

/// Lines of a species that stands still and lays so many units in a second, in its first state.
fn layers(deposit: f64) -> String {
    format!("max_speed = 5\nmax_force = 0\ndeposit = {deposit}\n")
}

/// As `layers`, but laying ends at a time, s.
fn layers_until(deposit: f64, time: f64) -> String {
    let rule = format!("rules = [{{ to = \"rests\", when = \"after\", than = {time} }}]");
    format!("{}deposit_states = \"lays\"\nstates = [\"lays\", \"rests\"]\n{rule}\n", layers(deposit))
}

fn at(position: V) -> Body {
    Body::at(position)
}

fn trail(run: &Run) -> Result<Vec<f64>, ConformError> {
    Ok(super::ground::cells(run)?.iter().map(|cell| f64::from(cell.trail)).collect())
}

fn total(run: &Run) -> Result<f64, ConformError> {
    Ok(trail(run)?.iter().sum())
}

/// Column, row and layer of a cell.
fn parts(spatial: bool, index: usize) -> [usize; 3] {
    let cells = cells(spatial);
    [index % cells, index / cells % cells, index / cells / cells]
}

fn index_of(spatial: bool, [column, row, layer]: [usize; 3]) -> usize {
    (layer * cells(spatial) + row) * cells(spatial) + column
}

/// The center of a cell.
fn center(spatial: bool, parts: [usize; 3]) -> V {
    let along = |axis: usize| (parts[axis] as f64 + 0.5) * cell(spatial) - SIZE / 2.0;
    [along(0), along(1), if spatial { along(2) } else { 0.0 }]
}

/// Any cell.
fn some_cell(draw: &mut Draw, spatial: bool) -> [usize; 3] {
    let mut along = || draw.whole(0, cells(spatial) as u32 - 1) as usize;
    [along(), along(), if spatial { along() } else { 0 }]
}

/// The whole units that a rate makes in so many steps. The rate is held in 1/65536 units per step.
fn units(per_second: f64, steps: u32) -> f64 {
    ((per_second * DT * 65536.0).round() * f64::from(steps) / 65536.0).floor()
}

fn trail_is_laid(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    for _ in 0..if spatial { 8 } else { 20 } {
        let (rate, steps, count) = (draw.scale(1.0, 9000.0), draw.whole(10, 120), draw.whole(1, 300));
        // Some agents are outside of the world, and lay in the cells at its end.
        let mut setup = world(spatial, "open", "trail_half_life = 0");
        setup.species(&layers(rate), &draw.bodies(count as usize, |draw| at(draw.point(spatial, 40.0))));
        let run = bench.run(&setup, steps)?;
        let found = trail(&run)?;
        let mut expected = vec![0.0; found.len()];
        let along =
            |x: f64| ((x + SIZE / 2.0) / cell(spatial)).floor().clamp(0.0, cells(spatial) as f64 - 1.0) as usize;
        for body in setup.bodies() {
            let [x, y, z] = body.position.map(along);
            expected[index_of(spatial, [x, y, if spatial { z } else { 0 }])] += units(rate, steps);
        }
        let parameters = [("rate", rate), ("steps", f64::from(steps)), ("agents", f64::from(count))];
        bench.check(Case::absolute(&parameters, f64::from(count) * units(rate, steps), found.iter().sum(), 0.0));
        let wrong = expected.iter().zip(&found).filter(|(expected, found)| expected != found).count();
        bench.check(Case::absolute(&parameters, 0.0, wrong as f64, 0.0));
    }
    Ok(())
}

fn trail_is_conserved(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    for boundary in ["wrap", "contain", "open"] {
        for _ in 0..4 {
            let (rate, spread) = (draw.scale(10.0, 9000.0), draw.between(0.5, 60.0));
            let bodies = draw.bodies(50, |draw| at(draw.point(spatial, 31.0)));
            let ground = format!("trail_half_life = 0, trail_spread = {spread}");
            let found = total(&bench.run(&world(spatial, boundary, &ground).with(&layers(rate), &bodies), 100)?)?;
            let parameters = [("rate", rate), ("D", spread)];
            bench.check(Case::absolute(&parameters, 50.0 * units(rate, 100), found, 0.0));
        }
    }
    Ok(())
}

fn trail_half_life(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let half_lives = if spatial { [0.5, 1.0, 2.0].to_vec() } else { [0.5, 1.0, 2.0, 4.0, 6.0, 8.0, 30.0].to_vec() };
    for rate in [9000.0, 640.0, 64.0] {
        for half_life in half_lives.clone() {
            let mut setup = world(spatial, "wrap", &format!("trail_half_life = {half_life}"));
            // Many cells that hold the same, because units are whole and a few of them would be rounded too much.
            let mut start = |k: usize| {
                let mut cell = some_cell(draw, spatial);
                // No two agents in one cell.
                cell[0] = k % cells(spatial);
                cell[1] = if spatial { k / cells(spatial) } else { cell[1] };
                at(center(spatial, cell))
            };
            let start: Vec<Body> = (0..32).map(&mut start).collect();
            setup.species(&layers_until(rate, 1.0), &start);
            let mut run = bench.run(&setup, 66)?;
            let before = total(&run)?;
            run.step((half_life / DT) as u32)?;
            let parameters = [("T", half_life), ("rate", rate)];
            // Rounding in each step leaves every cell about two units off.
            bench.check(Case::absolute(&parameters, before / 2.0, total(&run)?, 2e-3 * before + 1.5 * 32.0));
        }
    }
    Ok(())
}

/// What spreads from a cell to its neighbors in the step in which it is laid.
fn trail_neighbors(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    const LONGEST: f64 = 32.0;
    for longest in (0..axes(spatial)).cycle().take(12) {
        // Eight cells of 4 u along one axis. Along the others, as many cells as come nearest to 4 u, at least one.
        let size: Vec<f64> =
            (0..axes(spatial)).map(|axis| if axis == longest { LONGEST } else { draw.between(2.0, LONGEST) }).collect();
        let count: Vec<usize> = size.iter().map(|size| (size / LONGEST * 8.0).round().max(1.0) as usize).collect();
        let wraps: Vec<bool> = size.iter().map(|_| draw.whole(0, 1) == 1).collect();
        let home: Vec<usize> = count.iter().map(|count| draw.whole(0, *count as u32 - 1) as usize).collect();
        let spread = draw.between(5.0, 80.0);
        let words: Vec<&str> = wraps.iter().map(|wraps| if *wraps { "wrap" } else { "open" }).collect();
        let mut setup = Setup::new(format!(
            "dt = {DT}\nworld = {{ size = {size:?}, boundary = {words:?} }}\n\
             ground = {{ resolution = 8, trail_half_life = 0, trail_spread = {spread} }}"
        ));
        let mut position = ZERO;
        (0..axes(spatial)).for_each(|axis| {
            position[axis] = ((home[axis] as f64 + 0.5) / count[axis] as f64 - 0.5) * size[axis];
        });
        setup.species(&layers(9000.0), &[at(position); 400]);
        let run = bench.run(&setup, 1)?;
        let found = trail(&run)?;
        let index = |cell: &[usize]| cell.iter().zip(&count).rev().fold(0, |index, (at, count)| index * count + at);
        let mut expected = vec![0.0; found.len()];
        let laid = 400.0 * units(9000.0, 1);
        expected[index(&home)] = laid;
        for axis in (0..axes(spatial)).filter(|axis| count[*axis] > 1) {
            let share = (laid * spread * DT * (count[axis] as f64 / size[axis]).powi(2)).floor();
            for step in [-1, 1] {
                let (there, count) = (home[axis] as i64 + step, count[axis] as i64);
                if wraps[axis] || (0..count).contains(&there) {
                    let mut next = home.clone();
                    next[axis] = there.rem_euclid(count) as usize;
                    expected[index(&home)] -= share;
                    expected[index(&next)] += share;
                }
            }
        }
        let parameters = [("D", spread), ("columns", count[0] as f64), ("rows", count[1] as f64)];
        // The share is held in 2^-32, which may take a unit of each.
        let told = (0..found.len()).filter(|index| expected[*index] > 0.0);
        bench.check(told.map(|index| Case::absolute(&parameters, expected[index], found[index], 2.5)));
        let others = (0..found.len()).filter(|index| expected[*index] == 0.0 && found[*index] != 0.0).count();
        bench.check(Case::absolute(&parameters, 0.0, others as f64, 0.0));
    }
    Ok(())
}

/// Time step of a spot, s: so long that much is laid in one step.
const LONG: f64 = 0.25;

/// The fastest spread of a spot: in a step a cell gives away all that it has.
fn fastest(spatial: bool) -> f64 {
    cell(spatial).powi(2) / (2.0 * axes(spatial) as f64 * LONG)
}

/// The trail that one cell has spread after some steps.
fn spot(
    bench: &Bench,
    spatial: bool,
    boundary: &str,
    spread: f64,
    cell: [usize; 3],
    steps: u32,
) -> Result<Vec<f64>, ConformError> {
    let ground = format!("trail_half_life = 0, trail_spread = {spread}");
    let setup = parted(spatial, (1, LONG), cells(spatial), boundary, &ground);
    // All agents lay in the first step. They are few, because all are in one cell of the grid, where ranking takes quadratic time.
    let setup = setup.with(&layers_until(9000.0, 0.5 * LONG), &[at(center(spatial, cell)); 400]);
    trail(&bench.run(&setup, steps)?)
}

fn trail_variance(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let half = cells(spatial) / 2;
    let middle = [half, half, if spatial { half } else { 0 }];
    for _ in 0..8 {
        // The spot stays far from the ends of the world, and shares are many units.
        let spread = draw.between(0.1, 0.9) * fastest(spatial);
        let steps = draw.whole(5, if spatial { 12 } else { 30 });
        let found = spot(bench, spatial, "open", spread, middle, steps)?;
        let sum: f64 = found.iter().sum();
        for axis in 0..axes(spatial) {
            let of = |index: usize| parts(spatial, index)[axis] as f64 - half as f64;
            let mean = |power: i32| {
                found.iter().enumerate().map(|(index, units)| units * of(index).powi(power)).sum::<f64>() / sum
            };
            let parameters = [("D", spread), ("steps", f64::from(steps)), ("axis", axis as f64)];
            let expected = 2.0 * spread * f64::from(steps) * LONG / cell(spatial).powi(2);
            bench.check(Case::relative(&parameters, expected, mean(2), 5e-3));
            bench.check(Case::absolute(&parameters, 0.0, mean(1), 1e-3));
        }
    }
    Ok(())
}

fn trail_symmetry(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    for case in 0..12 {
        let (spread, steps) = (draw.between(0.02, 1.0) * fastest(spatial), draw.whole(5, 60));
        let home = some_cell(draw, spatial);
        let boundary = if draw.whole(0, 1) == 1 { "wrap" } else { "open" };
        // Mirrors across each axis, and the diagonal ones, which exchange two.
        let axis = case % axes(spatial);
        let mirrored = |mut cell: [usize; 3]| {
            if (case / axes(spatial)).is_multiple_of(2) {
                cell[axis] = cells(spatial) - 1 - cell[axis];
            } else {
                cell.swap(axis, (axis + 1) % axes(spatial));
            }
            cell
        };
        let here = spot(bench, spatial, boundary, spread, home, steps)?;
        let there = spot(bench, spatial, boundary, spread, mirrored(home), steps)?;
        let image = |index: usize| there[index_of(spatial, mirrored(parts(spatial, index)))];
        let wrong = (0..here.len()).filter(|index| here[*index] != image(*index)).count();
        let parameters = [("D", spread), ("steps", f64::from(steps)), ("axis", axis as f64)];
        bench.check(Case::absolute(&parameters, 0.0, wrong as f64, 0.0));
    }
    Ok(())
}

/// The direction that an agent draws in a step, uniform on the sphere: two words of a hash of counters as longitude and height.
fn drawn(seed: u32, id: usize, step: u32) -> V {
    const STREAM: u32 = 14;
    let v = pcg4d([seed, id as u32, step, STREAM]);
    let turn = f64::from(v[0] >> 6) / f64::from(1 << 26) - 0.125;
    let height = f64::from(v[1] >> 8) / f64::from(1 << 23) - 1.0;
    let (sin, cos) = (turn * std::f64::consts::TAU).sin_cos();
    let level = (1.0 - height * height).sqrt();
    [cos * level, sin * level, height]
}

fn trail_sensors(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    for (index, (distance, angle)) in [(5.0f64, 90.0f64), (9.0, 45.0), (3.0, 120.0), (12.0, 180.0)].iter().enumerate() {
        // Beyond an end that does not wrap, a sensor reads the last cell.
        let wraps = [index % 2 == 0, index < 2, index % 3 == 0];
        let words: Vec<&str> = (0..axes(spatial)).map(|axis| if wraps[axis] { "wrap" } else { "open" }).collect();
        let (seed, ground) = (draw.whole(1, 9999), "trail_half_life = 5, trail_spread = 10");
        // In space so many that most sensors find some trail.
        let laying = draw.bodies(if spatial { 600 } else { 40 }, |draw| at(draw.point(spatial, 31.0)));
        let setup = parted(spatial, (seed, DT), cells(spatial), &words, ground).with(&layers(3000.0), &laying);
        let lines = format!(
            "max_force = 0\nmax_speed = 5\ntime_constant = 0.5\n\
             behaviors.follow_trail = {{ sensor_distance = {distance}, sensor_angle = {angle} }}"
        );
        let setup = setup.with(&lines, &draw.crowd(40, spatial, ZERO, 31.0, 3.0));
        let run = bench.run(&setup, 20)?;
        let (trail, bodies, found) = (trail(&run)?, run.bodies()?, run.steering()?.accelerations);
        // The trail in the cell of a sensor; `None` near an edge of cells, where rounding decides.
        let sensed = |position: V, way: V| {
            let along = |axis: usize| {
                let off = (position[axis] + way[axis] * distance + SIZE / 2.0) / cell(spatial);
                let (at, last) = (off.floor() as i64, cells(spatial) as i64 - 1);
                let within = if wraps[axis] { at.rem_euclid(last + 1) } else { at.clamp(0, last) };
                ((off - off.round()).abs() * cell(spatial) > 1e-3).then_some(within as usize)
            };
            Some(trail[index_of(spatial, [along(0)?, along(1)?, if spatial { along(2)? } else { 0 }])])
        };
        for id in laying.len()..bodies.len() {
            let Body { position, velocity } = bodies[id];
            let ahead = unit(velocity);
            let (sin, cos) = (angle / 2.0).to_radians().sin_cos();
            let mut right = [ahead[1], -ahead[0], 0.0];
            if spatial {
                // Across the heading, toward the direction drawn in the next step, the 21st.
                let aside = across(drawn(seed, id, 21), ahead);
                if norm(aside) < 0.05 {
                    continue;
                }
                right = unit(aside);
            }
            let turned = |side: f64| plus(times(ahead, cos), times(right, side * sin));
            let ways = [ahead, turned(-1.0), turned(1.0)];
            let [Some(front), Some(left), Some(right)] = ways.map(|way| sensed(position, way)) else { continue };
            // If both sides are equal, either choice is right.
            if left == right && left > front {
                continue;
            }
            let best = if left.max(right) <= front { 0 } else { 1 + usize::from(right > left) };
            let desired = if front.max(left).max(right) > 0.0 { times(ways[best], 5.0) } else { velocity };
            let expected = times(minus(desired, velocity), 2.0);
            bench.check(Case::vector_within(&[("distance", *distance), ("angle", *angle)], expected, found[id], 1e-3));
        }
    }
    Ok(())
}

/// All cells hold the same trail, except the one ahead of the agents, which holds none.
fn trail_choice(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    const AGENTS: usize = 1000;
    const DISTANCE: f64 = 12.0;
    // Cells of 16 u: a sensor straight to the side is farther from the center of the empty one than its corners are.
    let cells: usize = 4;
    let (lay, heed) = (layers(640.0), "max_force = 0\nmax_speed = 5\ntime_constant = 0.5\n");
    let follow = format!("behaviors.follow_trail = {{ sensor_distance = {DISTANCE}, sensor_angle = 180 }}");
    let along = |index: usize| (index % cells) as f64 * 16.0 - 24.0;
    let place =
        |index: usize| [along(index), along(index / cells), if spatial { along(index / cells / cells) } else { 0.0 }];
    let empty = place(if spatial { 21 } else { 5 });
    for _ in 0..4 {
        let (heading, seed) = (draw.heading(spatial), draw.whole(1, 9999));
        let mut setup = parted(spatial, (seed, DT), cells, "wrap", "trail_half_life = 0");
        let full = (0..cells.pow(axes(spatial) as u32)).map(place).filter(|place| *place != empty);
        setup.species(&lay, &full.map(at).collect::<Vec<Body>>());
        let body = Body::at(minus(empty, times(heading, DISTANCE))).moving(times(heading, 3.0));
        let followers = setup.species(&format!("{heed}{follow}"), &[body; AGENTS]);
        // The direction that each agent takes after so many steps.
        let ways = |steps: u32| {
            let run = bench.run(&setup, steps)?;
            let found = run.steering()?.accelerations;
            let way = |id: usize| times(plus(times(found[id], 0.5), body.velocity), 0.2);
            Ok::<Vec<V>, ConformError>(followers.clone().map(way).collect())
        };
        let (first, second) = (ways(1)?, ways(2)?);
        let up = unit(draw.turned(spatial, heading, 90.0));
        let right = if spatial { cross(heading, up) } else { ZERO };
        let parameters = [("x", heading[0]), ("y", heading[1]), ("z", heading[2])];
        let straight = first.iter().map(|way| dot(*way, heading).abs() + (norm(*way) - 1.0).abs()).fold(0.0, f64::max);
        bench.check(Case::absolute(&parameters, 0.0, straight, 1e-4));
        // Means of as many numbers as there are agents, each of which has this variance.
        let even = |of: &dyn Fn(usize) -> f64, variance: f64| {
            let mean = (0..AGENTS).map(of).sum::<f64>() / AGENTS as f64;
            bench.check(Case::absolute(&parameters, 0.0, mean, 5.0 * (variance / AGENTS as f64).sqrt()));
        };
        if spatial {
            even(&|k| dot(first[k], up), 0.5);
            even(&|k| dot(first[k], right), 0.5);
            // Moments of twice the angle, which would not vanish if agents chose between two sides of one plane.
            even(&|k| dot(first[k], up).powi(2) - dot(first[k], right).powi(2), 0.5);
            even(&|k| 2.0 * dot(first[k], up) * dot(first[k], right), 0.5);
            even(&|k| dot(first[k], second[k]), 0.5);
        } else {
            even(&|k| dot(first[k], up), 1.0);
            even(&|k| dot(first[k], second[k]), 1.0);
        }
    }
    Ok(())
}

/// Ants go to and fro between two places with a rock between them, which is longer on one side.
fn trail_short_way(bench: &Bench, draw: &mut Draw) -> Tried {
    let (mut with, mut without) = (0.0, 0.0);
    for _ in 0..2 {
        let start = draw.bodies(300, |draw| {
            let [x, y, _] = draw.point(false, 40.0);
            Body::at([1.8 * x, y, 0.0]).moving(times(draw.heading(false), 8.0))
        });
        let share = |follows: f64| {
            // The scene's seed is fixed, whatever the seed of the draws: of a dozen crowds one takes to the long way.
            let head = "seed = 1\ndt = 0.0166667\nworld = { size = [160, 90], boundary = \"contain\", margin = 3 }\n\
                        ground = { resolution = 160, trail_half_life = 20, trail_spread = 0.3 }\n\
                        [[obstacles]]\nshape = \"box\"\ncenter = [-15, 0]\nsize = [14, 26]\n\
                        [[obstacles]]\nshape = \"box\"\ncenter = [8, -13]\nsize = [32, 52]\n";
            let rule = |from: &str, to: &str, x: f64| {
                format!(
                    "{{ from = {from:?}, to = {to:?}, when = \"nearer\", than = 5, target = {{ point = [{x}, 0] }} }}"
                )
            };
            let lines = format!(
                "max_speed = 10\nmin_speed = 4\nmax_force = 120\nradius = 0.5\ntime_constant = 0.15\ndeposit = 300\n\
                 states = [\"out\", \"home\"]\nrules = [{}, {}]\n[species.behaviors]\n\
                 follow_trail = {{ weight = {follows}, sensor_distance = 4, sensor_angle = 80 }}\n\
                 seek = {{ weight = 0.6, states = \"out\", target = {{ point = [60, 0] }} }}\n\
                 arrive = {{ weight = 0.6, states = \"home\", slow_radius = 8, target = {{ point = [-60, 0] }} }}\n\
                 wander = {{ weight = 0.5, rate = 2 }}\nobstacle_avoidance = {{ look_ahead_time = 3.3 }}\n",
                rule("out", "home", 60.0),
                rule("home", "out", -60.0)
            );
            let mut run = bench.run(&Setup::new(head).with(&lines, &start), 1800)?;
            // Ants beside the rock, on its short side and on its long side.
            let (mut short, mut long) = (0.0, 0.0);
            for _ in 0..3 {
                run.step(200)?;
                for [x, y, _] in run.bodies()?.into_iter().map(|body| body.position) {
                    let beside = f64::from((-8.0..24.0).contains(&x));
                    short += beside * f64::from(y > 13.0);
                    long += beside * f64::from(y < -39.0);
                }
            }
            Ok::<f64, ConformError>(short / (short + long))
        };
        let (of_some, of_others) = (share(0.5)?, share(1e-6)?);
        // For one crowd the bounds are wide, because chance decides much.
        let parameters = [("without", of_others)];
        bench.check(Case::at_least(&parameters, 0.55, of_some, 0.0));
        bench.check(Case::at_least(&parameters, of_others, of_some, 0.0));
        bench.check(Case::absolute(&parameters, 0.55, of_others, 0.2));
        with += of_some / 2.0;
        without += of_others / 2.0;
    }
    let parameters = [("without", without)];
    // Without a trail, both ways are in use.
    bench.check(Case::at_least(&parameters, 0.6, with, 0.0));
    bench.check(Case::at_least(&parameters, without + 0.05, with, 0.0));
    bench.tried(Case::absolute(&parameters, 0.55, without, 0.15))
}

fn trail_condenses(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    // In space a smaller world.
    let size = if spatial { 32.0 } else { SIZE };
    let all = if spatial { [600, 800].to_vec() } else { [300, 400, 500, 600, 700, 800].to_vec() };
    for agents in all {
        let start = draw.crowd(agents as usize, spatial, ZERO, size / 2.0 - 1.0, 8.0);
        // The contrast between cells: the mean of squares over the square of the mean.
        let contrast = |bench: &Bench, behaviors: &str| {
            let ground = "trail_half_life = 0.5, trail_spread = 4";
            let more = format!("ground = {{ resolution = {}, {ground} }}", if spatial { 12 } else { 32 });
            let vehicle = "max_speed = 8\nmin_speed = 6\nmax_force = 150\ntime_constant = 0.07\ndeposit = 3000\n";
            let lines = format!("{vehicle}behaviors.wander = {{ weight = 0.2 }}\n{behaviors}");
            let setup = Setup::within(spatial, [size; 3], "wrap", DT, more).with(&lines, &start);
            let found = trail(&bench.run(&setup, 400)?)?;
            let mean = |power: i32| found.iter().map(|units| units.powi(power)).sum::<f64>() / found.len() as f64;
            Ok::<f64, ConformError>(mean(2) / mean(1).powi(2))
        };
        let follow = "behaviors.follow_trail = { sensor_distance = 5, sensor_angle = 70 }";
        let (followed, wandered) = (contrast(bench, follow)?, contrast(bench, "")?);
        let parameters = [("agents", f64::from(agents))];
        bench.check(Case::at_least(&parameters, 2.0 * wandered, followed, 0.0));
        // Agents that only wander are spread about evenly.
        bench.check(Case::at_most(&parameters, 2.5, wandered, 0.0));
    }
    Ok(())
}
