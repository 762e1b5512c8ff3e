//! Who enters and who leaves.

use crate::*;
use steerling::model::{AWAY, Event, What};

laws! {
    source: "docs/walls.md, doors";
    absence_enters in both:
        "the n-th agent of a species with `enters` rests unperceived until the end of step ⌊n / (enters dt)⌋, whose \
         events list it, and then moves on with its initial velocity",
        mutant: entry_step("species[own].entry_interval" => "2.0 * species[own].entry_interval"),
        mistake: "half as many agents enter in a second";
    absence_leaves in both:
        "an agent that comes to the goal at which its species leaves rests where it first ended a step on the goal, \
         and the events of that step list it",
        mutant: is_out("position.x * world.map_cells_per_unit" => "position.y * world.map_cells_per_unit"),
        mistake: "the position's y is taken for its x";
}

const STEPS: u32 = 40;

fn absence_enters(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    // No cell is crowded here, but the scene has enough agents that a cell could be.
    let setup = Setup::open_with(spatial, DT, "world.crowd = 64").apart();
    let seen = |setup: &Setup| {
        let (run, events) = bench.eventful(setup, STEPS)?;
        Ok((events, run.bodies()?, run.steering()?.neighbors))
    };
    bench.tries(setup, seen, 0..6, |setup, index| {
        // Steps between entries. No agent's entry is so near to a whole step that rounding decides.
        let interval = loop {
            let interval = draw.scale(0.2, 4.0);
            if (1..12).all(|n| (f64::from(n) * interval).fract().min(1.0 - (f64::from(n) * interval).fract()) > 1e-3) {
                break interval;
            }
        };
        let lines = format!("{FREE}enters = {}\n{}", 1.0 / (interval * DT), all_around("cohesion", 1e-9, 25.0));
        let (ids, start) = setup.flock(&lines, &draw.crowd(12, spatial, lane(index, 60.0), 2.0, 8.0));
        move |(events, after, seen)| {
            let entry = |n: usize| (n as f64 * interval).floor();
            let there = (0..ids.len()).filter(|n| entry(*n) <= f64::from(STEPS)).count() as f64;
            for (n, id) in ids.enumerate() {
                let parameters = [("interval", interval), ("n", n as f64)];
                let flown = (f64::from(STEPS) - entry(n)).max(0.0) * DT;
                let expected = plus(start[n].position, times(start[n].velocity, flown));
                // Positions are some hundred units from the origin, so f32 rounds them that coarsely.
                bench.check(Case::vector_within(&parameters, expected, after[id].position, 2e-3));
                let own: Vec<&Event> = events.iter().filter(|event| event.id == id as u32).collect();
                let enters = entry(n) > 0.0 && entry(n) <= f64::from(STEPS);
                let entered = What::Changed { to: 0, from: AWAY, by: None };
                let is_listed = own.len() == 1 && f64::from(own[0].step) == entry(n) && own[0].what == entered;
                bench.check(Case::holds(&parameters, true, if enters { is_listed } else { own.is_empty() }));
                let expected = if entry(n) <= f64::from(STEPS) { there - 1.0 } else { 0.0 };
                bench.check(Case::absolute(&parameters, expected, f64::from(seen[id]), 0.0));
            }
        }
    })
}

fn absence_leaves(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    const CELL: f64 = 0.25;
    const UP: V = [0.0, 0.0, 1.0];
    let goals = [[-20.0, 4.0], [9.0, 22.0], [17.0, -13.0], [-8.0, -19.0]]
        .map(|[x, y]| ([x + draw.dyadic(-2.0, 2.0), y + draw.dyadic(-2.0, 2.0), 0.0], draw.between(1.0, 2.5)));
    let lines = goals.iter().enumerate().map(|(index, (place, radius))| {
        format!("{{ name = \"goal {index}\", place = {}, radius = {radius} }}", point(spatial, *place))
    });
    let lines = lines.collect::<Vec<String>>().join(", ");
    let map = format!("map = {{ source = \"open\", resolution = 256, cell = {CELL}, goals = [{lines}] }}\n");
    let seen = |setup: &Setup| {
        let (run, events) = bench.eventful(setup, STEPS)?;
        Ok((events, run.bodies()?))
    };
    bench.tries(Setup::open_with(spatial, DT, map), seen, (0..).zip(goals), |setup, (index, (place, radius))| {
        let bodies = [0; 8].map(|_| {
            let (heading, speed) = (draw.heading(false), draw.between(6.0, 18.0));
            let position = minus(place, times(heading, radius + draw.between(1.0, 3.0)));
            // At any height, up or down.
            let [height, rise] = if spatial { [5.0, 9.0].map(|most| draw.between(-most, most)) } else { [0.0; 2] };
            Body::at(plus(position, [0.0, 0.0, height])).moving(plus(times(heading, speed), [0.0, 0.0, rise]))
        });
        let (ids, start) = setup.flock(&format!("{FREE}leaves = \"goal {index}\"\n"), &bodies);
        move |(events, after)| {
            for (id, Body { position, velocity }) in ids.zip(start) {
                let own: Vec<&Event> = events.iter().filter(|event| event.id == id as u32).collect();
                let step = own.first().map_or(f64::NAN, |event| f64::from(event.step));
                let (parameters, left) =
                    ([("radius", radius), ("step", step)], plus(position, times(velocity, step * DT)));
                let leaves = What::Changed { to: AWAY, from: 0, by: None };
                bench.check(Case::holds(&parameters, true, own.len() == 1 && own[0].what == leaves));
                bench.check(Case::vector_within(&parameters, left, after[id].position, 1e-4));
                // A cell belongs to the goal as a whole or not at all, and the agent leaves at the end of a step.
                let rest = norm(across(minus(after[id].position, place), UP));
                bench.check(Case::at_most(&parameters, radius + CELL, rest, 0.0));
                bench.check(Case::at_least(&parameters, radius - CELL - DT * norm(across(velocity, UP)), rest, 0.0));
            }
        }
    })
}
