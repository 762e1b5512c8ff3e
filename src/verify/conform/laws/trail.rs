//! The trail on the ground, and who follows it.

use crate::verify::conform::*;

const EXACT: &str = "integer arithmetic";
const JONES: &str = "Jones 2010, sensors and turn of a particle";

pub const LAWS: &[Law] = &[
    Law {
        name: "trail_is_laid",
        statement: "what lies on the ground is n floor(r t): each agent's deposit in whole units, whoever shares its cell",
        source: EXACT,
        mutant: Mutant {
            function: "trail_lay",
            from: "atomicAdd(&trail_atomic[home]",
            to: "atomicMax(&trail_atomic[home]",
            mistake: "of those in a cell one lays",
        },
        cases: laid,
    },
    Law {
        name: "trail_is_conserved",
        statement: "spreading changes where the trail lies, and never by a unit how much of it there is",
        source: "conservation",
        mutant: Mutant {
            function: "trail_exchange",
            from: "portion_of(faded[index - at * stride + next.cell * stride], share, 0u) - given",
            to: "portion_of(faded[index - at * stride + next.cell * stride], share, 0u)",
            mistake: "a cell keeps what it gives away",
        },
        cases: conserved,
    },
    Law {
        name: "trail_half_life",
        statement: "after every half-life half of a trail is left, whether it is thick or thin",
        source: "A 2^(-t/T)",
        mutant: Mutant {
            function: "trail_fade",
            from: "reverseBits(step_now())",
            to: "0u",
            mistake: "rounded down, so that a thin trail stays",
        },
        cases: half_life,
    },
    Law {
        name: "trail_variance",
        statement: "a trail that is laid at one place spreads to both sides alike, its variance by 2 D t along each axis",
        source: "Fick 1855, diffusion",
        mutant: Mutant {
            function: "trail_spread",
            from: "cells.x, boundary_x == WRAP, share.x",
            to: "cells.x, boundary_x == WRAP, share.x / 2u",
            mistake: "half as far along x",
        },
        cases: variance,
    },
    Law {
        name: "trail_symmetry",
        statement: "the trail of a place and its mirror image are mirror images, to the unit",
        source: EXACT,
        mutant: Mutant {
            function: "trail_exchange",
            from: "step <= 1",
            to: "step < 1",
            mistake: "only the neighbor to the left counts",
        },
        cases: symmetry,
    },
    Law {
        name: "trail_sensors",
        statement: "A = (v_max w - v)/T, w the way to the sensor that senses most; nothing sensed, no A",
        source: JONES,
        mutant: Mutant {
            function: "follow_trail_steer",
            from: "at_right > at_left ||",
            to: "at_right < at_left ||",
            mistake: "toward the weaker side",
        },
        cases: sensors,
    },
    Law {
        name: "trail_short_way",
        statement: "of two ways to the food, one a fifth longer, ants that follow their trail take the short one more often",
        source: "Goss, Aron, Deneubourg and Pasteels 1989, a bridge of two branches",
        mutant: Mutant {
            function: "follow_trail_steer",
            from: "way = select(left, right, to_right);",
            to: "way = agent.forward;",
            mistake: "the sides are not heeded",
        },
        cases: short_way,
    },
    Law {
        name: "trail_condenses",
        statement: "who follows the trail it lays draws veins: the cells hold less alike than after wandering alone",
        source: JONES,
        mutant: Mutant {
            function: "follow_trail_steer",
            from: "most > ahead",
            to: "most < ahead",
            mistake: "it leaves a trail that is ahead",
        },
        cases: condenses,
    },
];

const SIZE: f64 = 64.0;
const CELLS: usize = 32;
const CELL: f64 = SIZE / CELLS as f64;
/// Steps, and times of so many of them, are exact.
const DT: f64 = 1.0 / 64.0;

fn world(boundary: &str, ground: &str) -> Setup {
    let world = format!("world = {{ size = [{SIZE}, {SIZE}], boundary = {boundary:?}, margin = 2 }}");
    Setup::new(format!("dt = {DT}\n{world}\nground = {{ resolution = {CELLS}, {ground} }}"))
}

/// Who stands still and lays so many units in a second, in the first state.
fn layers(deposit: f64) -> String {
    format!("max_speed = 5\nmax_force = 0\ndeposit = {deposit}\n")
}

/// The same, up to a time.
fn layers_until(deposit: f64, time: f64) -> String {
    let rule = format!("rules = [{{ to = \"rests\", when = \"after\", than = {time} }}]");
    format!("{}deposit_states = \"lays\"\nstates = [\"lays\", \"rests\"]\n{rule}\n", layers(deposit))
}

fn at(position: V) -> Body {
    Body { position, velocity: ZERO }
}

fn trail(run: &Run) -> Result<Vec<f64>, ConformError> {
    Ok(run.words("trail")?.into_iter().map(f64::from).collect())
}

fn total(run: &Run) -> Result<f64, ConformError> {
    Ok(trail(run)?.iter().sum())
}

/// The center of a cell.
fn center(column: usize, row: usize) -> V {
    let along = |cell: usize| (cell as f64 + 0.5) * CELL - SIZE / 2.0;
    [along(column), along(row), 0.0]
}

/// What a rate comes to in whole units after so many steps; it is held in 1/65536 units per step.
fn units(per_second: f64, steps: u32) -> f64 {
    ((per_second * DT * 65536.0).round() * f64::from(steps) / 65536.0).floor()
}

fn laid(bench: &mut Bench) -> Cases {
    let mut cases = Vec::new();
    for _ in 0..20 {
        let draw = &mut bench.draw;
        let (rate, steps, count) = (draw.scale(1.0, 9000.0), draw.whole(10, 120), draw.whole(1, 300));
        let mut setup = world("contain", "trail_half_life = 0");
        let mut start = || at(draw.point(false, 30.0));
        setup.species(&layers(rate), &(0..count).map(|_| start()).collect::<Vec<Body>>());
        let mut run = bench.start(&setup)?;
        run.step(steps)?;
        let parameters = [("rate", rate), ("steps", f64::from(steps)), ("agents", f64::from(count))];
        cases.push(Case::absolute(&parameters, f64::from(count) * units(rate, steps), total(&run)?, 0.0));
    }
    Ok(cases)
}

fn conserved(bench: &mut Bench) -> Cases {
    let mut cases = Vec::new();
    for boundary in ["wrap", "contain", "open"] {
        for _ in 0..4 {
            let draw = &mut bench.draw;
            let (rate, spread) = (draw.scale(10.0, 9000.0), draw.between(0.5, 60.0));
            let mut setup = world(boundary, &format!("trail_half_life = 0, trail_spread = {spread}"));
            let mut start = || at(draw.point(false, 31.0));
            setup.species(&layers(rate), &(0..50).map(|_| start()).collect::<Vec<Body>>());
            let mut run = bench.start(&setup)?;
            run.step(100)?;
            let parameters = [("rate", rate), ("D", spread)];
            cases.push(Case::absolute(&parameters, 50.0 * units(rate, 100), total(&run)?, 0.0));
            let most = trail(&run)?.into_iter().fold(0.0, f64::max);
            cases.push(Case::at_most(&parameters, 50.0 * units(rate, 100), most, 0.0));
        }
    }
    Ok(cases)
}

fn half_life(bench: &mut Bench) -> Cases {
    let mut cases = Vec::new();
    for rate in [9000.0, 640.0, 64.0] {
        for half_life in [0.5, 1.0, 2.0, 4.0, 6.0, 8.0, 30.0] {
            let mut setup = world("wrap", &format!("trail_half_life = {half_life}"));
            // Many cells of the same, because a few units are whole ones.
            let start: Vec<Body> =
                (0..CELLS).map(|column| at(center(column, bench.draw.whole(0, 31) as usize))).collect();
            setup.species(&layers_until(rate, 1.0), &start);
            let mut run = bench.start(&setup)?;
            run.step(66)?;
            let before = total(&run)?;
            run.step((half_life / DT) as u32)?;
            let parameters = [("T", half_life), ("rate", rate)];
            // Each cell is up to two units off, when it has had a while to add them up.
            cases.push(Case::absolute(&parameters, before / 2.0, total(&run)?, 2e-3 * before + 2.0 * CELLS as f64));
        }
    }
    Ok(cases)
}

/// The trail of a place in the middle, and the time after which it is looked at.
fn spot(
    bench: &Bench,
    agents: usize,
    spread: f64,
    (column, row): (usize, usize),
    steps: u32,
) -> Result<Vec<f64>, ConformError> {
    let mut setup = world("open", &format!("trail_half_life = 0, trail_spread = {spread}"));
    // All in the first step.
    setup.species(&layers_until(9000.0, 0.5 * DT), &vec![at(center(column, row)); agents]);
    let mut run = bench.start(&setup)?;
    run.step(steps)?;
    trail(&run)
}

fn variance(bench: &mut Bench) -> Cases {
    let mut cases = Vec::new();
    for _ in 0..8 {
        let (spread, steps) = (bench.draw.between(1.0, 20.0), bench.draw.whole(10, 60));
        let found = spot(bench, 2000, spread, (16, 16), steps)?;
        let sum: f64 = found.iter().sum();
        for axis in 0..2 {
            let of = |index: usize| [index % CELLS, index / CELLS][axis] as f64 - 16.0;
            let mean = |power: i32| {
                found.iter().enumerate().map(|(index, units)| units * of(index).powi(power)).sum::<f64>() / sum
            };
            let parameters = [("D", spread), ("steps", f64::from(steps)), ("axis", axis as f64)];
            let expected = 2.0 * spread * f64::from(steps) * DT / (CELL * CELL);
            cases.push(Case::relative(&parameters, expected, mean(2), 1e-2));
            cases.push(Case::absolute(&parameters, 0.0, mean(1), 1e-3));
        }
    }
    Ok(cases)
}

fn symmetry(bench: &mut Bench) -> Cases {
    let mut cases = Vec::new();
    for _ in 0..20 {
        let draw = &mut bench.draw;
        let (spread, steps) = (draw.between(1.0, 60.0), draw.whole(5, 80));
        let (column, row) = (draw.whole(0, 31) as usize, draw.whole(0, 31) as usize);
        // Few, because all are in one cell of the grid, where each step ranks each among all.
        let here = spot(bench, 300, spread, (column, row), steps)?;
        let there = spot(bench, 300, spread, (CELLS - 1 - column, row), steps)?;
        let image = |index: usize| there[index / CELLS * CELLS + CELLS - 1 - index % CELLS];
        let wrong = (0..CELLS * CELLS).filter(|index| here[*index] != image(*index)).count();
        let parameters = [("D", spread), ("steps", f64::from(steps)), ("column", column as f64)];
        cases.push(Case::absolute(&parameters, 0.0, wrong as f64, 0.0));
    }
    Ok(cases)
}

fn sensors(bench: &mut Bench) -> Cases {
    let mut cases = Vec::new();
    for (distance, angle) in [(5.0f64, 90.0f64), (9.0, 45.0), (3.0, 120.0), (12.0, 180.0)] {
        let mut setup = world("wrap", "trail_half_life = 5, trail_spread = 10");
        let draw = &mut bench.draw;
        let mut start = || at(draw.point(false, 31.0));
        setup.species(&layers(3000.0), &(0..40).map(|_| start()).collect::<Vec<Body>>());
        let lines = format!(
            "max_force = 0\nmax_speed = 5\ntime_constant = 0.5\n\
             behaviors.follow_trail = {{ sensor_distance = {distance}, sensor_angle = {angle} }}"
        );
        let mut flying = || Body { position: draw.point(false, 31.0), velocity: times(draw.heading(false), 3.0) };
        let followers = setup.species(&lines, &(0..40).map(|_| flying()).collect::<Vec<Body>>());
        let mut run = bench.start(&setup)?;
        run.step(20)?;
        let (trail, bodies, found) = (trail(&run)?, run.bodies()?, run.steering()?.accelerations);
        // The cell of a sensor; none close to an edge of cells, where rounding decides.
        let sensed = |position: V, way: V| {
            let along = |axis: usize| {
                let cells = (position[axis] + way[axis] * distance + SIZE / 2.0) / CELL;
                let off = (cells - cells.round()).abs() * CELL;
                (off > 1e-3).then(|| (cells.floor() as i64).rem_euclid(CELLS as i64) as usize)
            };
            Some(trail[along(1)? * CELLS + along(0)?])
        };
        for id in followers {
            let Body { position, velocity } = bodies[id];
            let ahead = unit(velocity);
            let (sin, cos) = (angle / 2.0).to_radians().sin_cos();
            let turned =
                |side: f64| [ahead[0] * cos - side * ahead[1] * sin, ahead[1] * cos + side * ahead[0] * sin, 0.0];
            let ways = [ahead, turned(1.0), turned(-1.0)];
            let [Some(front), Some(left), Some(right)] = ways.map(|way| sensed(position, way)) else { continue };
            // Where both sides are alike, either will do.
            if left == right && left > front {
                continue;
            }
            let best = if left.max(right) <= front { 0 } else { 1 + usize::from(right > left) };
            let desired = if front.max(left).max(right) > 0.0 { times(ways[best], 5.0) } else { velocity };
            let expected = times(minus(desired, velocity), 2.0);
            let parameters = [("distance", distance), ("angle", angle)];
            cases.push(Case::vector_within(&parameters, expected, found[id], 1e-3));
        }
    }
    Ok(cases)
}

/// Ants go to and fro between two places with a rock between them, which is longer on one side.
fn short_way(bench: &mut Bench) -> Cases {
    let (mut with, mut without, mut cases) = (0.0, 0.0, Vec::new());
    for _ in 0..2 {
        let start: Vec<Body> = (0..300)
            .map(|_| {
                let [x, y, _] = bench.draw.point(false, 40.0);
                Body { position: [1.8 * x, y, 0.0], velocity: times(bench.draw.heading(false), 8.0) }
            })
            .collect();
        let share = |follows: f64| {
            let head = "dt = 0.0166667\nworld = { size = [160, 90], boundary = \"contain\", margin = 3 }\n\
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
            let mut setup = Setup::new(head);
            setup.species(&lines, &start);
            let mut run = bench.start(&setup)?;
            run.step(1800)?;
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
        // Of one crowd alone, by how much chance decides.
        let parameters = [("without", of_others)];
        cases.push(Case::at_least(&parameters, 0.55, of_some, 0.0));
        cases.push(Case::at_least(&parameters, of_others, of_some, 0.0));
        cases.push(Case::absolute(&parameters, 0.55, of_others, 0.2));
        with += of_some / 2.0;
        without += of_others / 2.0;
    }
    let parameters = [("without", without)];
    // Without a trail, both ways are in use.
    cases.push(Case::at_least(&parameters, 0.6, with, 0.0));
    cases.push(Case::at_least(&parameters, without + 0.05, with, 0.0));
    cases.push(Case::absolute(&parameters, 0.55, without, 0.15));
    Ok(cases)
}

fn condenses(bench: &mut Bench) -> Cases {
    let mut cases = Vec::new();
    for agents in [300, 400, 500, 600, 700, 800] {
        let mut start = || {
            let draw = &mut bench.draw;
            Body { position: draw.point(false, 31.0), velocity: times(draw.heading(false), 8.0) }
        };
        let start: Vec<Body> = (0..agents).map(|_| start()).collect();
        // How unlike cells are: the mean of squares over the square of the mean.
        let contrast = |bench: &Bench, behaviors: &str| {
            let mut setup = world("wrap", "trail_half_life = 0.5, trail_spread = 4");
            let vehicle = "max_speed = 8\nmin_speed = 6\nmax_force = 150\ntime_constant = 0.07\ndeposit = 3000\n";
            setup.species(&format!("{vehicle}behaviors.wander = {{ weight = 0.2 }}\n{behaviors}"), &start);
            let mut run = bench.start(&setup)?;
            run.step(400)?;
            let found = trail(&run)?;
            let mean = |power: i32| found.iter().map(|units| units.powi(power)).sum::<f64>() / found.len() as f64;
            Ok::<f64, ConformError>(mean(2) / mean(1).powi(2))
        };
        let follow = "behaviors.follow_trail = { sensor_distance = 5, sensor_angle = 70 }";
        let (followed, wandered) = (contrast(bench, follow)?, contrast(bench, "")?);
        let parameters = [("agents", f64::from(agents))];
        cases.push(Case::at_least(&parameters, 2.0 * wandered, followed, 0.0));
        // And those who wander are spread about evenly.
        cases.push(Case::at_most(&parameters, 2.5, wandered, 0.0));
    }
    Ok(cases)
}
