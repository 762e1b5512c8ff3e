//! Who enters and who leaves.

use crate::*;
use steerling::model::{AWAY, Event, What};

const PAGE: &str = "docs/walls.md, doors";

laws! {
    absence_enters in both:
        "the n-th agent of a species with `enters` rests unperceived until the end of step ⌊n / (enters dt)⌋, whose \
         events list it, and then moves on with its initial velocity",
        source: PAGE,
        mutant: entry_step("species[own].entry_interval" => "2.0 * species[own].entry_interval"),
        mistake: "half as many agents enter in a second";
    absence_leaves in both:
        "an agent that comes to the goal at which its species leaves rests where it first ended a step on the goal, \
         and the events of that step list it",
        source: PAGE,
        mutant: is_out("position.x * world.map_cells_per_unit" => "position.y * world.map_cells_per_unit"),
        mistake: "the position's y is taken for its x";
}

const STEPS: u32 = 40;

fn absence_enters(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    // No cell is crowded here, but the scene has enough agents that a cell could be.
    let mut setup = Setup::open_with(spatial, DT, "world.crowd = 64").apart();
    let mut drawn = Vec::new();
    for index in 0..6 {
        // Steps between entries. No agent's entry is so near to a whole step that rounding decides.
        let interval = loop {
            let interval = draw.scale(0.2, 4.0);
            if (1..12).all(|n| (f64::from(n) * interval).fract().min(1.0 - (f64::from(n) * interval).fract()) > 1e-3) {
                break interval;
            }
        };
        let lines = format!("{FREE}enters = {}\n{}", 1.0 / (interval * DT), all_around("cohesion", 1e-9, 25.0));
        let bodies = draw.crowd(12, spatial, lane(index, 60.0), 2.0, 8.0);
        drawn.push((interval, setup.species(&lines, &bodies)));
    }
    let (mut run, start) = (bench.start(&setup)?, setup.bodies());
    run.list_events()?;
    run.step(STEPS)?;
    let (found, after, seen) = (run.take_events()?.list, run.bodies()?, run.steering()?.neighbors);
    for (interval, ids) in drawn {
        let entry = |id: usize| ((id - ids.start) as f64 * interval).floor();
        let there = ids.clone().filter(|id| entry(*id) <= f64::from(STEPS)).count() as f64;
        for id in ids.clone() {
            let parameters = [("interval", interval), ("n", (id - ids.start) as f64)];
            let flown = (f64::from(STEPS) - entry(id)).max(0.0) * DT;
            let expected = plus(start[id].position, times(start[id].velocity, flown));
            // Positions are some hundred units from the origin, so f32 rounds them that coarsely.
            bench.check(Case::vector_within(&parameters, expected, after[id].position, 2e-3));
            let own: Vec<&Event> = found.iter().filter(|event| event.id == id as u32).collect();
            let enters = entry(id) > 0.0 && entry(id) <= f64::from(STEPS);
            let entered = What::Changed { to: 0, from: AWAY, by: None };
            let is_listed = own.len() == 1 && f64::from(own[0].step) == entry(id) && own[0].what == entered;
            bench.check(Case::holds(&parameters, true, if enters { is_listed } else { own.is_empty() }));
            let expected = if entry(id) <= f64::from(STEPS) { there - 1.0 } else { 0.0 };
            bench.check(Case::absolute(&parameters, expected, f64::from(seen[id]), 0.0));
        }
    }
    Ok(())
}

fn absence_leaves(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    const CELL: f64 = 0.25;
    const UP: V = [0.0, 0.0, 1.0];
    let goals: Vec<(V, f64)> = [[-20.0, 4.0], [9.0, 22.0], [17.0, -13.0], [-8.0, -19.0]]
        .into_iter()
        .map(|[x, y]| ([x + draw.dyadic(-2.0, 2.0), y + draw.dyadic(-2.0, 2.0), 0.0], draw.between(1.0, 2.5)))
        .collect();
    let lines = goals.iter().enumerate().map(|(index, (place, radius))| {
        format!("{{ name = \"goal {index}\", place = {}, radius = {radius} }}", point(spatial, *place))
    });
    let lines: Vec<String> = lines.collect();
    let map =
        format!("map = {{ source = \"open\", resolution = 256, cell = {CELL}, goals = [{}] }}\n", lines.join(", "));
    let mut setup = Setup::open_with(spatial, DT, map);
    let mut drawn = Vec::new();
    for (index, (place, radius)) in goals.into_iter().enumerate() {
        let bodies = [0; 8].map(|_| {
            let (heading, speed) = (draw.heading(false), draw.between(6.0, 18.0));
            let position = minus(place, times(heading, radius + draw.between(1.0, 3.0)));
            // At any height, up or down.
            let [height, rise] = if spatial { [5.0, 9.0].map(|most| draw.between(-most, most)) } else { [0.0; 2] };
            Body::at(plus(position, [0.0, 0.0, height])).moving(plus(times(heading, speed), [0.0, 0.0, rise]))
        });
        drawn.extend(
            setup.species(&format!("{FREE}leaves = \"goal {index}\"\n"), &bodies).map(|id| (id, place, radius)),
        );
    }
    let (mut run, start) = (bench.start(&setup)?, setup.bodies());
    run.list_events()?;
    run.step(STEPS)?;
    let (found, after) = (run.take_events()?.list, run.bodies()?);
    for (id, place, radius) in drawn {
        let own: Vec<&Event> = found.iter().filter(|event| event.id == id as u32).collect();
        let step = own.first().map_or(f64::NAN, |event| f64::from(event.step));
        let (Body { position, velocity }, parameters) = (start[id], [("radius", radius), ("step", step)]);
        let left = What::Changed { to: AWAY, from: 0, by: None };
        bench.check(Case::holds(&parameters, true, own.len() == 1 && own[0].what == left));
        bench.check(Case::vector_within(
            &parameters,
            plus(position, times(velocity, step * DT)),
            after[id].position,
            1e-4,
        ));
        // A cell belongs to the goal as a whole or not at all, and the agent leaves at the end of a step.
        let rest = norm(across(minus(after[id].position, place), UP));
        bench.check(Case::at_most(&parameters, radius + CELL, rest, 0.0));
        bench.check(Case::at_least(&parameters, radius - CELL - DT * norm(across(velocity, UP)), rest, 0.0));
    }
    Ok(())
}
