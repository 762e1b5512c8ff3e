//! The ground that agents explore and forage on.

use crate::*;
use steerling::model::{BufferId, GroundCell};

const REYNOLDS: &str = "Reynolds 1999 names it without a formula";

laws! {
    explore_target in both:
        "A seeks the center of the least visited cell within reach other than the agent's own, of equal ones the \
         nearest",
        source: REYNOLDS,
        mutant: explore_steer("goal.offset * (agent.max_speed / goal.distance)" => "goal.offset"),
        mistake: "the offset is the desired velocity: slower the nearer";
    explore_coverage in both:
        "without forgetting the number of visited cells never falls, and reaches 95 % of all, sooner than by \
         wandering alone",
        source: REYNOLDS,
        mutant: search_ground("visits < fewest ||" => "visits > fewest ||"),
        mistake: "A leads to the most visited cell";
    ground_visits in both: "each agent counts once a step, and every half-life each count is halved, rounded down",
        source: "integer arithmetic",
        mutant: ground_settle("max(world.ground_half_life, 1u) == 0u" => "max(world.ground_half_life, 1u) != 0u"),
        mistake: "counts are halved in all steps but those";
    forage_target in both:
        "A arrives at the center of the nearest cell within the radius that holds food: V = v_max min(1, d/R)",
        source: REYNOLDS,
        mutant: forage_steer("min(goal.distance / max(forage.slow_radius, 1e-6), 1.0)" => "1.0"),
        mistake: "the agent never slows down, and flies past its food";
    forage_arrives in both:
        "with τ = dt the distance d to the nearest food falls by the share v_max dt/R in each step within R, and by \
         v_max dt outside",
        source: "arrive, toward one place: the nearest cell stays the nearest",
        mutant: forage_steer("min(goal.distance / max(forage.slow_radius, 1e-6), 1.0)" => "1.0"),
        mistake: "the agent never slows down, and flies past its food";
    forage_balance in both:
        "what the agents carry is what the ground has lost, to the unit, and no cell gives more than it has",
        source: "conservation",
        mutant: ground_settle("let taken = min(stock, ground_units(world.ground_intake, step)); stock -= taken;"
            => "let taken = ground_units(world.ground_intake, step); stock -= min(stock, taken);"),
        mistake: "the last bite is a full one";
    forage_claims in both:
        "of the agents in a cell the one with the smallest id eats, at the rate of the scene, rounded down",
        source: "claims are granted by id",
        mutant: ground_mark("atomicMin" => "atomicMax"),
        mistake: "no agent is granted what is still unclaimed";
    ground_regrowth in both:
        "an agent that eats faster than food grows has eaten min(I T, S + G T) after T, and no cell holds more than \
         at the start",
        source: "what a cell had, and what grew in it since",
        mutant: ground_settle("min(capacity - stock, ground_units(world.ground_regrowth, step))"
            => "min(capacity - stock, ground_units(world.ground_regrowth, step) * 2u)"),
        mistake: "food grows back twice as fast";
}

const SIZE: f64 = 64.0;
const CELLS: usize = 16;
const CELL: f64 = SIZE / CELLS as f64;

fn world(spatial: bool, boundary: &str, dt: f64, ground: &str) -> Setup {
    strip(spatial, SIZE, boundary, dt, ground)
}

/// A world that is long along y and `across` wide along the other axes, u.
fn strip(spatial: bool, across: f64, boundary: &str, dt: f64, ground: &str) -> Setup {
    let more = format!("world.margin = 2\nground = {{ resolution = {CELLS}, {ground} }}");
    Setup::within(spatial, [across, SIZE, across], boundary, dt, more)
}

/// The cells of the ground.
pub(super) fn cells(run: &Run) -> Result<Vec<GroundCell>, ConformError> {
    let words = run.words(BufferId::Ground)?;
    let cell = |words: &[u32]| bytemuck::pod_read_unaligned(bytemuck::cast_slice(words));
    Ok(words.chunks_exact(size_of::<GroundCell>() / 4).map(cell).collect())
}

/// Number of cells.
fn all_cells(spatial: bool) -> usize {
    if spatial { CELLS * CELLS * CELLS } else { CELLS * CELLS }
}

/// The center of a cell.
fn center(spatial: bool, index: usize) -> V {
    let along = |cell: usize| (cell as f64 + 0.5) * CELL - SIZE / 2.0;
    [along(index % CELLS), along(index / CELLS % CELLS), if spatial { along(index / CELLS / CELLS) } else { 0.0 }]
}

/// The cell of a point.
fn home(spatial: bool, position: V) -> usize {
    let along = |x: f64| ((x + SIZE / 2.0) / CELL).floor().clamp(0.0, CELLS as f64 - 1.0) as usize;
    let layer = if spatial { along(position[2]) } else { 0 };
    (layer * CELLS + along(position[1])) * CELLS + along(position[0])
}

/// An offset to the nearest image in a wrapped world.
fn around(offset: V) -> V {
    offset.map(|x| x - SIZE * (x / SIZE).round())
}

fn explore_target(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    for reach in [1, 2, 4] {
        let mut setup = world(spatial, "wrap", 1.0 / 64.0, "half_life = 0");
        let lines = format!(
            "max_force = 0\nmax_speed = 5\ntime_constant = 0.5\nbehaviors.explore = {{ weight = 1.0, reach = {reach} }}"
        );
        setup.species(&lines, &draw.crowd(60, spatial, ZERO, 31.0, 3.0));
        let run = bench.run(&setup, 20)?;
        let (ground, bodies, found) = (cells(&run)?, run.bodies()?, run.steering()?.accelerations);
        for id in 0..8 {
            let Body { position, velocity } = bodies[id];
            let own = home(spatial, position);
            let near = |cell: &usize| {
                let apart = |a: usize, b: usize| a.abs_diff(b).min(CELLS - a.abs_diff(b));
                let along = |cell: usize| [cell % CELLS, cell / CELLS % CELLS, cell / CELLS / CELLS];
                let steps = along(*cell).into_iter().zip(along(own)).map(|(a, b)| apart(a, b));
                steps.max() <= Some(reach) && *cell != own
            };
            let rank =
                |cell: &usize| (f64::from(ground[*cell].visits), norm(around(minus(center(spatial, *cell), position))));
            let least = (0..all_cells(spatial)).filter(near).min_by(|a, b| rank(a).partial_cmp(&rank(b)).unwrap());
            let way = unit(around(minus(center(spatial, least.unwrap_or(0)), position)));
            let expected = times(minus(times(way, 5.0), velocity), 2.0);
            bench.check(Case::vector_within(&[("reach", reach as f64)], expected, found[id], 1e-3));
        }
    }
    Ok(())
}

/// The share of cells that were visited, at ten times of a run in which all ways together are five times as long as the shortest tour.
fn covered(bench: &Bench, spatial: bool, behaviors: &str, start: &[Body]) -> Result<Vec<f64>, ConformError> {
    // Fewer and larger cells in space: as many as in the plane on each side would be sixteen times as many.
    let across = if spatial { CELLS / 2 } else { CELLS };
    let all = across.pow(if spatial { 3 } else { 2 }) as f64;
    let more = format!("world.margin = 2\nground = {{ resolution = {across}, half_life = 0 }}");
    let mut setup = Setup::within(spatial, [SIZE; 3], "contain", 1.0 / 30.0, more);
    let vehicle = "max_speed = 8\nmin_speed = 1\nmax_force = 40\ntime_constant = 0.2\n";
    setup.species(&format!("{vehicle}{behaviors}"), start);
    let mut run = bench.start(&setup)?;
    let mut shares = Vec::new();
    let (speed, dt) = (8.0, 1.0 / 30.0);
    let steps = 5.0 * all * (SIZE / across as f64) / (speed * dt * start.len() as f64);
    for _ in 0..10 {
        run.step((steps / 10.0) as u32)?;
        let visited = cells(&run)?.iter().filter(|cell| cell.visits > 0).count();
        shares.push(visited as f64 / all);
    }
    Ok(shares)
}

fn explore_coverage(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    for agents in if spatial { [24, 40].to_vec() } else { [6, 8, 12, 16].to_vec() } {
        let start = draw.crowd(agents, spatial, ZERO, 31.0, 3.0);
        let wander = "behaviors.wander = { weight = 0.3 }\n";
        let covered =
            |explore| covered(bench, spatial, &format!("{wander}behaviors.explore = {{ weight = {explore} }}"), &start);
        // Visits are recorded only if the scene has `explore`, with however small a weight.
        let (explored, wandered) = (covered(1.0)?, covered(1e-6)?);
        let parameters = [("agents", agents as f64)];
        let fewer = explored.windows(2).filter(|pair| pair[1] < pair[0]).count();
        bench.check(Case::absolute(&parameters, 0.0, fewer as f64, 0.0));
        bench.check(Case::at_least(&parameters, 0.95, explored[9], 0.0));
        for time in [3, 5] {
            bench.check(Case::at_least(&parameters, wandered[time], explored[time], 0.0));
        }
    }
    Ok(())
}

fn ground_visits(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    for half_life in if spatial { [3, 20].to_vec() } else { [0, 1, 2, 3, 5, 7, 13, 20].to_vec() } {
        // Times that are whole numbers of steps.
        let mut setup = world(spatial, "wrap", DT, &format!("half_life = {}", f64::from(half_life) * DT));
        let lines = "max_speed = 20\nbehaviors.explore = { weight = 0.001 }";
        setup.species(lines, &draw.crowd(40, spatial, ZERO, 31.0, 3.0));
        let mut run = bench.start(&setup)?;
        let mut expected = vec![0; all_cells(spatial)];
        for step in 1..=45 {
            run.step(1)?;
            run.bodies()?.iter().for_each(|body| expected[home(spatial, body.position)] += 1);
            if half_life > 0 && step % half_life == 0 {
                expected.iter_mut().for_each(|count| *count /= 2);
            }
        }
        let found = cells(&run)?;
        let wrong = found.iter().zip(&expected).filter(|(cell, count)| cell.visits != **count).count();
        let total: u32 = found.iter().map(|cell| cell.visits).sum();
        let parameters = [("half-life in steps", f64::from(half_life))];
        bench.check(Case::absolute(&parameters, 0.0, wrong as f64, 0.0));
        bench.check(Case::absolute(&parameters, f64::from(expected.iter().sum::<u32>()), f64::from(total), 0.0));
    }
    Ok(())
}

/// Patches that cover about the same share of the world in space as in the plane.
fn patches(spatial: bool) -> &'static str {
    if spatial { "patches = 12, patch_radius = 14" } else { "patches = 6, patch_radius = 7" }
}

/// The nearest cell that has food, within a radius of an agent's place or its own one. `way` leads from that place to a cell.
fn nearest_food(ground: &[GroundCell], home: usize, radius: f64, way: impl Fn(usize) -> V) -> Option<usize> {
    let food = |cell: &usize| ground[*cell].stock > 0 && (*cell == home || norm(way(*cell)) <= radius);
    nearest((0..ground.len()).filter(food), &way)
}

fn forage_target(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let far = if spatial { 20.0 } else { 25.0 };
    for (radius, slow, thin) in [(6.0, 4.0, false), (12.0, 8.0, false), (far, 20.0, false), (11.8, 20.0, true)] {
        let patches = if thin { "patches = 2, patch_radius = 5" } else { patches(spatial) };
        // A thin strip has one row of cells, which are half as wide again as they are long.
        let across = if thin { 1.48 * CELL } else { SIZE };
        let mut setup = strip(spatial, across, "wrap", 1.0 / 64.0, &format!("{patches}, amount = 1000, intake = 0"));
        let lines = format!(
            "max_force = 0\nmax_speed = 5\ntime_constant = 0.5\n\
             behaviors.forage = {{ weight = 1.0, search_radius = {radius}, slow_radius = {slow} }}"
        );
        let mut agents = draw.crowd(if thin { 40 } else { 12 }, spatial, ZERO, 31.0, 3.0);
        for body in &mut agents {
            let [x, y, z] = body.position;
            body.position = [x * across / SIZE, y, z * across / SIZE];
        }
        setup.species(&lines, &agents);
        let run = bench.run(&setup, 1)?;
        let (ground, bodies, found) = (cells(&run)?, run.bodies()?, run.steering()?.accelerations);
        for (id, Body { position, velocity }) in bodies.into_iter().enumerate() {
            let middle = |cell: usize| match thin {
                true => [0.0, center(false, cell * CELLS)[1], 0.0],
                false => center(spatial, cell),
            };
            let way = |cell: usize| around(minus(middle(cell), position));
            let home = if thin { home(false, position) / CELLS } else { home(spatial, position) };
            let desired = |cell: usize| times(unit(way(cell)), 5.0 * (norm(way(cell)) / slow).min(1.0));
            let expected = nearest_food(&ground, home, radius, way)
                .map_or(ZERO, |cell| times(minus(desired(cell), velocity), 2.0));
            bench.check(Case::vector_within(&[("radius", radius), ("R", slow)], expected, found[id], 1e-3));
        }
    }
    Ok(())
}

/// What the ground loses while foragers move about is what they carry.
fn forage_balance(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    for (amount, intake) in [(3, 50.0), (10, 200.0), (37, 1000.0), (100, 64.0), (1000, 7.3)] {
        let mut setup =
            world(spatial, "wrap", 1.0 / 64.0, &format!("{}, amount = {amount}, intake = {intake}", patches(spatial)));
        let lines = "max_speed = 8\nmax_force = 60\nbehaviors.wander = { weight = 0.5 }\n\
                     behaviors.forage = { weight = 1.0, search_radius = 10, slow_radius = 2 }";
        setup.species(lines, &draw.crowd(80, spatial, ZERO, 31.0, 3.0));
        let mut run = bench.start(&setup)?;
        let stock =
            |run: &Run| Ok::<_, ConformError>(cells(run)?.iter().map(|c| u64::from(c.stock)).sum::<u64>() as f64);
        let before = stock(&run)?;
        run.step(150)?;
        let carried: u64 = run.memories()?.iter().map(|m| u64::from(m.load)).sum();
        let most = cells(&run)?.iter().map(|cell| cell.stock).max().unwrap_or(0);
        let parameters = [("amount", f64::from(amount)), ("intake", intake)];
        bench.check(Case::absolute(&parameters, before - stock(&run)?, carried as f64, 0.0));
        // A stock below zero would wrap around to billions.
        bench.check(Case::at_most(&parameters, f64::from(amount), f64::from(most), 0.0));
        bench.check(Case::at_least(&parameters, 1.0, carried as f64, 0.0));
    }
    Ok(())
}

fn forage_claims(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    for _ in 0..5 {
        let (intake, steps) = (draw.between(1.0, 300.0), draw.whole(20, 120));
        // One patch that covers the whole world, and agents that stand still.
        let ground = format!("patches = 1, patch_radius = 100, amount = 1000000, intake = {intake}");
        let mut setup = world(spatial, "wrap", 1.0 / 64.0, &ground);
        let rest = |body: Body| Body { velocity: ZERO, ..body };
        let bodies: Vec<Body> = draw.crowd(300, spatial, ZERO, 31.0, 3.0).into_iter().map(rest).collect();
        setup.species("max_force = 0\nmax_speed = 5\nbehaviors.forage = { weight = 1.0, search_radius = 1 }", &bodies);
        let run = bench.run(&setup, steps)?;
        let found = run.memories()?;
        let first = |id: usize| {
            (0..id).all(|other| home(spatial, setup.body(other).position) != home(spatial, setup.body(id).position))
        };
        // The rate is held in 1/65536 units per step.
        let share = ((intake / 64.0 * 65536.0).round() * f64::from(steps) / 65536.0).floor();
        let wrong = (0..300).filter(|id| f64::from(found[*id].load) != if first(*id) { share } else { 0.0 }).count();
        let eaten = (0..300).filter(|id| first(*id)).map(|id| f64::from(found[id].load)).sum::<f64>();
        let parameters = [("intake", intake), ("steps", f64::from(steps))];
        bench.check(Case::absolute(&parameters, 0.0, wrong as f64, 0.0));
        bench.check(Case::at_least(&parameters, f64::from(u32::from(share > 0.0)), eaten, 0.0));
    }
    Ok(())
}

fn ground_regrowth(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    for _ in 0..if spatial { 3 } else { 10 } {
        let (amount, intake, growth) = (draw.whole(5, 50), draw.between(20.0, 100.0), draw.between(1.0, 10.0));
        let ground =
            format!("patches = 1, patch_radius = 100, amount = {amount}, intake = {intake}, regrowth = {growth}");
        let mut setup = world(spatial, "wrap", 1.0 / 64.0, &ground);
        // Each agent stays in a cell of its own.
        let still = |k: usize| Body::at(center(spatial, k * 37));
        let lines = "max_force = 0\nmax_speed = 5\nspawn.speed = 0\nbehaviors.forage = { search_radius = 1 }";
        setup.species(lines, &(0..6).map(still).collect::<Vec<Body>>());
        let stretches = [draw.whole(5, 20), draw.whole(20, 60), 512];
        let mut run = bench.start(&setup)?;
        let mut steps = 0;
        for more in stretches {
            run.step(more)?;
            steps += more;
            let time = f64::from(steps) / 64.0;
            let parameters = [("S", f64::from(amount)), ("I", intake), ("G", growth), ("T", time)];
            let expected = (intake * time).min(f64::from(amount) + growth * time);
            let loads: Vec<f64> = run.memories()?.iter().map(|memory| f64::from(memory.load)).collect();
            // Both rates are held in whole units of each step.
            let worst = loads.into_iter().max_by(|a, b| (a - expected).abs().total_cmp(&(b - expected).abs()));
            bench.check(Case::absolute(&parameters, expected, worst.unwrap_or(f64::NAN), 2.5));
            let most = cells(&run)?.iter().map(|cell| cell.stock).max().unwrap_or(0);
            bench.check(Case::absolute(&parameters, f64::from(amount), f64::from(most), 0.0));
        }
    }
    Ok(())
}

fn forage_arrives(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    const STEPS: u32 = 40;
    let setup = world(spatial, "wrap", DT, &format!("{}, amount = 1000, intake = 0", patches(spatial)));
    let seen = |setup: &Setup| Ok((cells(&bench.start(setup)?)?, bench.after(setup, STEPS)?));
    let bodies = draw.crowd(30, spatial, ZERO, 31.0, 3.0);
    bench.tries(setup, seen, bodies, |setup, body| {
        let (radius, slow, speed) = (draw.between(10.0, 20.0), draw.between(2.0, 15.0), draw.between(2.0, 10.0));
        let rule = format!("search_radius = {radius}, slow_radius = {slow}");
        let id =
            setup.agent(&(limits(speed, 1e6, 0.0) + &format!("behaviors.forage = {{ {rule} }}")), body.position, ZERO);
        let start = setup.body(id).position;
        move |(ground, after)| {
            let parameters = [("radius", radius), ("R", slow), ("v_max", speed)];
            let way = |from: V, cell: usize| around(minus(center(spatial, cell), from));
            let Some(cell) = nearest_food(ground, home(spatial, start), radius, |cell| way(start, cell)) else {
                bench.check(Case::vector_within(&parameters, start, after[id].position, 0.0));
                return;
            };
            let far = norm(way(start, cell));
            let left = (0..STEPS).fold(far, |left, _| left - speed * DT * (left / slow).min(1.0));
            bench.check(Case::absolute(&parameters, left, norm(way(after[id].position, cell)), 2e-4));
        }
    })
}
