//! Agents that do not steer in every step, and steering that is smoothed.

use super::memories;
use crate::verify::conform::*;

const FILE: &str = "sim/steer.wgsl";

pub const LAWS: &[Law] = &[
    Law {
        name: "skip_holds",
        statement: "an agent steers in every k-th step, at a phase of its own, and holds its steering between",
        source: "Reynolds 1999, Combining Behaviors: momentum filters steering, so not all is needed in every step",
        mutant: Mutant {
            file: FILE,
            from: "total = triple(remembered.held);",
            to: "total = select(vec3f(0.0), total, steers);",
            mistake: "nothing steers an agent between its steps",
        },
        cases: holds,
    },
    Law {
        name: "skip_leaves_others",
        statement: "k = 1 changes nothing, to the bit, also among agents that skip steps",
        source: "each agent is calculated on its own",
        mutant: Mutant {
            file: FILE,
            from: "% species[own].update_every == 0u",
            to: "% species[1].update_every == 0u",
            mistake: "all species share the pace of one",
        },
        cases: leaves_others,
    },
    Law {
        name: "skip_polarization",
        statement: "a flock that steers in every k-th step, k <= 4, is as well aligned within 2 %",
        source: "Reynolds 1999: momentum is a low-pass filter of steering",
        mutant: Mutant {
            file: FILE,
            from: "visits = select(0u, visits, steers);",
            to: "visits = 0u;",
            mistake: "agents that skip steps never look around",
        },
        cases: polarization,
    },
    Law {
        name: "smoothing_response",
        statement: "smoothed within T, a steady wish A shows after the time t as A (1 - exp(-t/T)), whatever the time step",
        source: "first-order low-pass filter",
        mutant: Mutant {
            file: FILE,
            from: "held + (total - held) * share",
            to: "held * share + (total - held)",
            mistake: "new and old are mixed up",
        },
        cases: smoothing,
    },
];

fn holds(bench: &mut Bench) -> Cases {
    let mut cases = Vec::new();
    for every in [1, 2, 3, 4, 7, 16] {
        let mut setup = Setup::open(false, 1.0 / 60.0);
        let lines = format!("max_force = 1e9\nmax_speed = 100\nupdate_every = {every}\nbehaviors.wander_random = {{}}");
        let still = |_| Body { position: bench.draw.point(false, 100.0), velocity: ZERO };
        setup.species(&lines, &(0..200).map(still).collect::<Vec<_>>());
        let mut run = bench.start(&setup)?;
        let (mut bodies, mut pushes) = (run.bodies()?, Vec::new());
        for _ in 0..=2 * every {
            run.step(1)?;
            let after = run.bodies()?;
            let push = |(b, a): (&Body, &Body)| minus(a.velocity, b.velocity);
            pushes.push(bodies.iter().zip(&after).map(push).collect::<Vec<V>>());
            bodies = after;
        }
        // The first step starts everybody; from the second on each phase has its turn.
        let changes = |step: usize| -> Vec<usize> {
            (0..200).filter(|id| norm(minus(pushes[step + 1][*id], pushes[step][*id])) > 1e-4).collect()
        };
        let turns: Vec<Vec<usize>> = (0..2 * every as usize).map(changes).collect();
        let mut steered: Vec<usize> = turns[..every as usize].concat();
        steered.sort_unstable();
        let once = steered == (0..200).collect::<Vec<_>>();
        let again = (0..every as usize).all(|step| turns[step] == turns[step + every as usize]);
        let (most, fair) = (turns.iter().map(Vec::len).max().unwrap_or(0), 200.0 / f64::from(every));
        let parameters = [("k", f64::from(every))];
        cases.push(Case::holds(&parameters, true, once && again));
        cases.push(Case::at_most(&parameters, fair + 4.0 * fair.sqrt(), most as f64, 0.0));
    }
    Ok(cases)
}

/// A flock of this pace.
fn flock(every: u32) -> String {
    let near = "perception_radius = 6.0, field_of_view = 300";
    format!(
        "max_speed = 10\nmin_speed = 5\nmax_force = 60\nupdate_every = {every}\n\
         behaviors.alignment = {{ weight = 1.0, {near} }}\nbehaviors.cohesion = {{ weight = 1.0, {near} }}\n"
    )
}

fn crowd(draw: &mut Draw, spatial: bool, agents: usize, half: f64) -> Vec<Body> {
    let mut body = || Body { position: draw.point(spatial, half), velocity: times(draw.heading(spatial), 8.0) };
    (0..agents).map(|_| body()).collect()
}

fn leaves_others(bench: &mut Bench) -> Cases {
    let mut cases = Vec::new();
    for every in [2, 3, 5, 8] {
        for spatial in [false, true] {
            let [first, second] = [0; 2].map(|_| crowd(&mut bench.draw, spatial, 60, 15.0));
            let after = |every: u32| {
                let mut setup = Setup::open(spatial, 1.0 / 60.0).apart();
                setup.species(&flock(1), &first);
                setup.species(&flock(every), &second);
                bench.after(&setup, 40)
            };
            let (alone, among) = (after(1)?, after(every)?);
            let moved = |ids: std::ops::Range<usize>| ids.filter(|id| alone[*id] != among[*id]).count() as f64;
            let parameters = [("k of the others", f64::from(every))];
            cases.push(Case::absolute(&parameters, 0.0, moved(0..60), 0.0));
            // That the others do differ shows that they skip steps at all.
            cases.push(Case::at_least(&parameters, 30.0, moved(60..120), 0.0));
        }
    }
    Ok(cases)
}

fn polarization(bench: &mut Bench) -> Cases {
    let mut cases = Vec::new();
    for spatial in [false, true] {
        // All see each other, so that order grows smoothly, and a difference is none of chance.
        let drift = times(bench.draw.heading(spatial), 6.0);
        let mut start = crowd(&mut bench.draw, spatial, 150, 10.0);
        start.iter_mut().for_each(|body| body.velocity = plus(body.velocity, drift));
        let order = |every: u32| -> Result<Vec<f64>, ConformError> {
            let mut setup = Setup::open(spatial, 1.0 / 120.0);
            let alignment = all_around("alignment", 1.0, 190.0);
            setup.species(&format!("max_speed = 20\ntime_constant = 1.0\nupdate_every = {every}\n{alignment}"), &start);
            let mut run = bench.start(&setup)?;
            let mut after = |steps| {
                run.step(steps)?;
                Ok(run.observe()?.polarization)
            };
            [40, 40, 80].into_iter().map(&mut after).collect()
        };
        let full = order(1)?;
        for every in 2..=4 {
            for (expected, found) in full.iter().zip(order(every)?) {
                cases.push(Case::relative(&[("k", f64::from(every))], *expected, found, 0.02));
            }
        }
        cases.push(Case::at_least(&[("k", 1.0)], full[0] + 0.1, full[2], 0.0));
    }
    Ok(cases)
}

fn smoothing(bench: &mut Bench) -> Cases {
    let mut cases = Vec::new();
    for (hertz, every) in [(15, 1), (60, 1), (240, 1), (60, 3)] {
        let size = "world = { size = [400, 400], boundary = \"open\" }";
        let field = "field = { source = \"uniform\", speed = 5 }";
        let (mut setup, mut drawn) =
            (Setup::new(format!("dt = {}\n{size}\n{field}", 1.0 / f64::from(hertz))), Vec::new());
        for _ in 0..4 {
            let (time, weight) = (bench.draw.scale(0.05, 2.0), bench.draw.scale(0.5, 5.0));
            let lines = format!(
                "max_force = 0\nmax_speed = 10\ntime_constant = 0.5\nsmoothing_time = {time}\nupdate_every = {every}\n\
                 behaviors.flow_field = {{ weight = {weight} }}"
            );
            // All agents take their first turn in the first step, so those of one phase show the steps of that phase.
            setup.species(&lines, &crowd(&mut bench.draw, false, 1, 50.0));
            drawn.push((time, weight));
        }
        let mut run = bench.start(&setup)?;
        // With k > 1 the second turn may come early; two turns after it, a third one takes exactly k steps.
        run.step(every * 3)?;
        let before = memories(&run)?;
        run.step(every * 4)?;
        for (id, (time, weight)) in drawn.into_iter().enumerate() {
            let wish = times(minus([5.0, 0.0, 0.0], setup.body(id).velocity), weight / 0.5);
            let passed = f64::from(every) * 4.0 / f64::from(hertz);
            let rest = times(minus(wide(before[id].held), wish), (-passed / time).exp());
            let found = wide(memories(&run)?[id].held);
            let parameters = [("T", time), ("Hz", f64::from(hertz)), ("k", f64::from(every))];
            cases.push(Case::vector_within(&parameters, plus(wish, rest), found, 1e-5 * norm(wish)));
            if every == 1 {
                let share = 1.0 - (-3.0 / f64::from(hertz) / time).exp();
                cases.push(Case::vector(&parameters, times(wish, share), wide(before[id].held), 1e-5));
            }
        }
    }
    Ok(cases)
}
