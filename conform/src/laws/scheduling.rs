//! Agents that do not steer in every step, and steering that is smoothed.

use super::actions::first_change;
use crate::*;

laws! {
    skip_holds:
        "an agent steers in every k-th step, at a phase of its own, and holds its steering between; ends of the \
         world push it in all steps",
        source: "Reynolds 1999, Combining Behaviors: momentum filters steering, so not all is needed in every step",
        mutant: hold("var held = triple(held_of(id));" => "var held = vec3f(0.0);"),
        mistake: "nothing steers an agent between its steps";
    skip_holds_turning:
        "an agent that steers in every k-th step turns by α = (Ω - ω)/τ of that step, and holds α between",
        source: "Reynolds 1999, Combining Behaviors; Millington, Align",
        mutant: hold("neighbors[sorted_index] = perceived_of(id); }" => "neighbors[sorted_index] = perceived_of(id); keep_turning(id, Turn()); }"),
        mistake: "nothing turns an agent between its steps";
    skip_keeps_state: "the action state changes in the steps in which an agent steers, and in no other",
        source: "an agent that does not perceive does not decide",
        mutant: list_active("let steers = (id & FROZEN) != 0u || steers_now(own, id, step);" => "let steers = true;"),
        mistake: "agents decide in every step";
    skip_reaches:
        "a time constant of 0 means k dt: the desired velocity is reached when the steering was held for k steps, \
         and then kept",
        source: "v + k dt (V - v) / (k dt) = V; held for k steps, (V - v) / dt overshoots k times",
        mutant: steer_to("agent.time_constant;" => "min(agent.time_constant, world.dt);"),
        mistake: "the shortest time is one step";
    skip_leaves_others: "k = 1 changes nothing, to the bit, also among agents that skip steps",
        source: "each agent is calculated on its own",
        mutant: steers_now("% species[own].update_every == 0u" => "% species[1].update_every == 0u"),
        mistake: "all species share the pace of one";
    skip_polarization in both:
        "a flock that steers in every k-th step, each at a phase of its own, aligns as one whose phases go in turn, within 3 %",
        source: "the same in f64; k dt is up to half of τ, where holding changes much",
        mutant: perceive("var walks = radius > 0.0;" => "var walks = radius > 0.0 && species[own].update_every == 1u;"),
        mistake: "agents that skip steps never look around";
    smoothing_response:
        "smoothed within T, a steady wish A shows after the time t as A (1 - exp(-t/T)), whatever the time step",
        source: "first-order low-pass filter",
        mutant: smoothed("held + (total - held) * share" => "held * share + (total - held)"),
        mistake: "new and old values are exchanged";
}

fn skip_holds(bench: &Bench, draw: &mut Draw) -> Tried {
    for every in [1, 2, 3, 4, 5, 6, 7, 8, 12, 16] {
        let mut setup = Setup::open(false, 1.0 / 60.0);
        let lines = format!("max_force = 1e9\nmax_speed = 100\nupdate_every = {every}\nbehaviors.wander_random = {{}}");
        let still = |_| Body::at(draw.point(false, 100.0));
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
        // All agents steer in the first step. From the second on each phase has its turn.
        let changes = |step: usize| -> Vec<usize> {
            (0..200).filter(|id| norm(minus(pushes[step + 1][*id], pushes[step][*id])) > 5e-6).collect()
        };
        let turns: Vec<Vec<usize>> = (0..2 * every as usize).map(changes).collect();
        let mut steered: Vec<usize> = turns[..every as usize].concat();
        steered.sort_unstable();
        let once = steered == (0..200).collect::<Vec<_>>();
        let again = (0..every as usize).all(|step| turns[step] == turns[step + every as usize]);
        let (most, fair) = (turns.iter().map(Vec::len).max().unwrap_or(0), 200.0 / f64::from(every));
        let parameters = [("k", f64::from(every))];
        bench.check(Case::holds(&parameters, true, once && again));
        bench.check(Case::at_most(&parameters, fair + 4.0 * fair.sqrt(), most as f64, 0.0));
    }
    // An agent that seeks itself wants no acceleration, so it moves as agents that steer in every step.
    let mut setup = Setup::new("dt = 0.01\nworld = { size = [60, 60], boundary = \"contain\", margin = 6 }");
    let positions = [0; 4].map(|_| [draw.between(25.0, 29.0), draw.between(-29.0, -20.0), 0.0]);
    let paces = [1, 2, 3, 7];
    for (id, (every, position)) in paces.into_iter().flat_map(|k| positions.map(|at| (k, at))).enumerate() {
        let lines = format!("update_every = {every}\nbehaviors.seek = {{ target = {{ agent = {id} }} }}");
        setup.agent(&lines, position, ZERO);
    }
    let run = bench.run(&setup, 12)?;
    let after = run.bodies()?;
    bench.check(Case::absolute(&[], 0.0, run.observe()?.mean_neighbors, 0.0));
    bench.check((4..16).map(|id| {
        Case::vector_within(&[("k", f64::from(paces[id / 4]))], after[id % 4].velocity, after[id].velocity, 1e-5)
    }));
    Ok(())
}

fn skip_holds_turning(bench: &Bench, draw: &mut Draw) -> Tried {
    let most = 2f64;
    for every in [1, 2, 4, 9] {
        // The poses before each step, and how agents turn in it.
        let seen = |setup: &Setup| {
            let mut run = bench.start(setup)?;
            let mut step = |_| {
                let poses = run.poses()?;
                run.step(1)?;
                Ok((poses, run.turnings()?))
            };
            (0..=2 * every).map(&mut step).collect::<Result<Vec<_>, ConformError>>()
        };
        let targets: Vec<Body> = (0..8).map(|index| Body::at(lane(index, 40.0))).collect();
        let setup = Setup::open(false, DT).with("name = \"target\"\nmax_speed = 0", &targets);
        bench.tries(setup, seen, targets, |setup, target| {
            // The time to target is no shorter than the time for which turning is held.
            let (time, slow) = (draw.scale(0.01, 1.0), draw.between(0.5, 2.0));
            let lines = format!(
                "max_speed = 1\nupdate_every = {every}\n\
                 behaviors.face = {{ target = {{ nearest = \"target\", perception_radius = 15 }}, \
                 slow_angle = {}, time_to_target = {time} }}\n\
                 vehicle = {{ facing = \"independent\", max_angular_speed = {} }}",
                slow.to_degrees(),
                most.to_degrees()
            );
            let away = times(draw.heading(false), 10.0);
            let id = setup.agent(&lines, plus(target.position, away), ZERO);
            setup.face(id, draw.heading(false), [0.0, 0.0, 1.0], ZERO);
            let (time, goal) = (time.max(f64::from(every) * DT), times(away, -0.1));
            move |seen| {
                let (mut held, mut worst, mut turns) = (0.0, 0f64, 0);
                for (step, (poses, turnings)) in seen.iter().enumerate() {
                    let (found, Facing { forward, spin, .. }) = (turnings[id][2], poses[id]);
                    let angle = cross(forward, goal)[2].atan2(dot(forward, goal));
                    let fresh = (most * (angle / slow).clamp(-1.0, 1.0) - spin[2]) / time;
                    // The first step, in which all agents steer, is no turn.
                    if found != held {
                        turns += u32::from(step > 0);
                        worst = worst.max((found - fresh).abs() * time);
                    }
                    held = found;
                }
                let parameters = [("k", f64::from(every)), ("τ", time), ("slow angle", slow)];
                bench.check(Case::absolute(&parameters, 0.0, worst, 1e-4));
                // With the shortest time one turn reaches the wanted spin, and the next turn may change nothing.
                if time > 1.1 * f64::from(every) * DT {
                    bench.check(Case::absolute(&parameters, 2.0, f64::from(turns), 0.0));
                }
            }
        })?;
    }
    Ok(())
}

fn skip_keeps_state(bench: &Bench, draw: &mut Draw) -> Tried {
    let agents = 100;
    for every in [1, 2, 3, 8, 13] {
        let setup = Setup::open(false, DT).with("name = \"fox\"\nmax_speed = 0", &[Body::at(ZERO)]);
        // Some agents calm down after a time, others when the fox is far away, which it never is.
        let after = draw.whole(3, 40);
        let still = draw.bodies(agents, |draw| Body::at(draw.point(false, 20.0)));
        let timed = format!("when = \"after\", than = {}", f64::from(after) * DT);
        let near = "when = \"farther\", than = 50, target = { nearest = \"fox\", perception_radius = 60 }";
        bench.remembers(
            setup,
            after + every + 1,
            [(timed.as_str(), true), (near, false)],
            |setup, (when, is_timed)| {
                let lines = format!(
                    "max_speed = 0\nupdate_every = {every}\nstates = [\"alert\", \"calm\"]\n\
                 rules = [{{ to = \"calm\", from = \"alert\", {when} }}]\nbehaviors.wander = {{}}"
                );
                let ids = setup.species(&lines, &still);
                move |steps| {
                    let since: Vec<f64> = ids.map(|id| first_change(steps, id)).collect();
                    let within = |from: u32, to: u32| {
                        let range = f64::from(from)..=f64::from(to);
                        since.iter().filter(|since| range.contains(since)).count() as f64
                    };
                    let parameters = [("k", f64::from(every)), ("after", f64::from(after))];
                    if !is_timed {
                        bench.check(Case::absolute(&parameters, 0.0, within(1, u32::MAX), 0.0));
                        return;
                    }
                    // The time counts from the first step on. There are enough agents that some steer in each step.
                    let turns = after + 1..=after + every;
                    bench.check(turns.map(|step| Case::at_least(&parameters, 1.0, within(step, step), 0.0)));
                    bench.check(Case::absolute(&parameters, agents as f64, within(after + 1, after + every), 0.0));
                }
            },
        )?;
    }
    Ok(())
}

fn skip_reaches(bench: &Bench, draw: &mut Draw) -> Tried {
    for every in [1, 2, 4, 7] {
        let speed = draw.between(2.0, 10.0);
        let setup = Setup::open_with(false, DT, format!("field = {{ source = \"uniform\", speed = {speed} }}"));
        let setup = setup.with("max_speed = 20", &[Body::at(ZERO).moving(draw.point(false, 9.0))]);
        let behaviors = [
            ("flow_field = {}", [speed, 0.0, 0.0]),
            ("velocity_matching = { target = { agent = 0 }, time_to_target = 0 }", setup.body(0).velocity),
            ("arrive = { target = { point = [0, 0] }, capture_radius = 1000 }", ZERO),
        ];
        // The first turn may come after fewer than k steps; the second takes k.
        bench.flies(setup, 5 * every, behaviors.into_iter().cycle().take(9), |setup, (behavior, velocity)| {
            let lines = format!("{FREE}time_constant = 0\nupdate_every = {every}\nbehaviors.{behavior}");
            let id = setup.agent(&lines, draw.point(false, 20.0), draw.point(false, 9.0));
            move |path| {
                let off = |bodies: &Vec<Body>| norm(minus(bodies[id].velocity, velocity));
                let worst = path[2 * every as usize..].iter().map(off).fold(0.0, f64::max);
                bench.check(Case::absolute(&[("k", f64::from(every))], 0.0, worst, 2e-5));
            }
        })?;
    }
    Ok(())
}

/// A flock that steers in every `every`-th step.
fn flock(every: u32) -> String {
    let near = "perception_radius = 6.0, field_of_view = 300";
    format!(
        "max_speed = 10\nmin_speed = 5\nmax_force = 60\nupdate_every = {every}\n\
         behaviors.alignment = {{ weight = 1.0, {near} }}\nbehaviors.cohesion = {{ weight = 1.0, {near} }}\n"
    )
}

fn skip_leaves_others(bench: &Bench, draw: &mut Draw) -> Tried {
    for every in [2, 3, 4, 5, 8] {
        for spatial in [false, true] {
            let [first, second] = [0; 2].map(|_| draw.crowd(60, spatial, ZERO, 15.0, 8.0));
            let after = |every: u32| {
                let mut setup = Setup::open(spatial, 1.0 / 60.0).apart();
                setup.species(&flock(1), &first);
                setup.species(&flock(every), &second);
                bench.after(&setup, 40)
            };
            let (alone, among) = (after(1)?, after(every)?);
            let moved = |ids: std::ops::Range<usize>| ids.filter(|id| alone[*id] != among[*id]).count() as f64;
            let parameters = [("k of the others", f64::from(every))];
            bench.check(Case::absolute(&parameters, 0.0, moved(0..60), 0.0));
            // The other flock must differ, which shows that it does skip steps.
            bench.check(Case::at_least(&parameters, 30.0, moved(60..120), 0.0));
        }
    }
    Ok(())
}

fn skip_polarization(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    const AGENTS: usize = 400;
    for every in [2u32, 3, 4, 8] {
        // All agents perceive each other, so order grows smoothly, and a difference is not due to chance. From one turn to the
        // next passes a tenth to a half of the time constant.
        let tau = f64::from(every) * DT / draw.between(0.1, 0.5);
        let drift = times(draw.heading(spatial), 4.0);
        let mut start = draw.crowd(AGENTS, spatial, ZERO, 10.0, 8.0);
        start.iter_mut().for_each(|body| body.velocity = plus(body.velocity, drift));
        let mut setup = Setup::open(spatial, DT);
        let alignment = all_around("alignment", 1.0, 190.0);
        let lines = limits(40.0, 1e6, tau) + &format!("update_every = {every}\n{alignment}");
        setup.species(&lines, &start);
        let mut run = bench.start(&setup)?;
        // The same in f64, with phases in turn, while the program draws them at random. All agents steer in the first step.
        let mut velocities: Vec<V> = start.iter().map(|body| body.velocity).collect();
        let mut held = vec![ZERO; AGENTS];
        let mut step = 0;
        for time in [0.5, 1.0, 1.5] {
            let next = ((time * tau / DT).round() as u32).max(step + 1);
            run.step(next - step)?;
            for step in step..next {
                let whole = sum(&velocities);
                for (id, held) in held
                    .iter_mut()
                    .enumerate()
                    .filter(|(id, _)| step == 0 || (step + 1 + *id as u32).is_multiple_of(every))
                {
                    let others = times(minus(whole, velocities[id]), 1.0 / (AGENTS - 1) as f64);
                    *held = times(minus(others, velocities[id]), 1.0 / tau);
                }
                velocities.iter_mut().zip(&held).for_each(|(v, a)| *v = plus(*v, times(*a, DT)));
            }
            step = next;
            let headings: Vec<V> = velocities.iter().map(|v| unit(*v)).collect();
            let parameters = [("k", f64::from(every)), ("k dt/τ", f64::from(every) * DT / tau), ("t/τ", time)];
            bench.check(Case::relative(&parameters, norm(mean(&headings)), run.observe()?.polarization, 0.03));
        }
    }
    Ok(())
}

fn smoothing_response(bench: &Bench, draw: &mut Draw) -> Tried {
    for (hertz, every) in [(15, 1), (60, 1), (240, 1), (60, 3)] {
        let field = "field = { source = \"uniform\", speed = 5 }";
        let setup = Setup::open_with(false, 1.0 / f64::from(hertz), field);
        // With k > 1 the second turn may come early; two turns after it, a third one takes exactly k steps.
        let seen =
            |setup: &Setup| Ok((bench.run(setup, 3 * every)?.memories()?, bench.run(setup, 7 * every)?.memories()?));
        bench.tries(setup, seen, 0..4, |setup, _| {
            let (time, weight) = (draw.scale(0.05, 2.0), draw.scale(0.5, 5.0));
            let lines = format!(
                "max_force = 0\nmax_speed = 10\ntime_constant = 0.5\nsmoothing_time = {time}\nupdate_every = {every}\n\
                 behaviors.flow_field = {{ weight = {weight} }}"
            );
            // All agents take their first turn in the first step, so those of one phase show the steps of that phase.
            let id = setup.species(&lines, &draw.crowd(1, false, ZERO, 50.0, 8.0)).start;
            let wish = times(minus([5.0, 0.0, 0.0], setup.body(id).velocity), weight / 0.5);
            move |(before, after)| {
                let [before, after] = [before, after].map(|memories| wide(memories[id].held));
                let passed = f64::from(every) * 4.0 / f64::from(hertz);
                let rest = times(minus(before, wish), (-passed / time).exp());
                let parameters = [("T", time), ("Hz", f64::from(hertz)), ("k", f64::from(every))];
                bench.check(Case::vector_within(&parameters, plus(wish, rest), after, 1e-5 * norm(wish)));
                if every == 1 {
                    let share = 1.0 - (-3.0 / f64::from(hertz) / time).exp();
                    bench.check(Case::vector(&parameters, times(wish, share), before, 1e-5));
                }
            }
        })?;
    }
    Ok(())
}
