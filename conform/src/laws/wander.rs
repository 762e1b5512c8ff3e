//! Wandering: a target that strolls on a circle or a sphere ahead, and the random force that it is compared with.

use crate::*;

laws! {
    wander_target in both: "A = (v_max d/|d| - v)/τ with d = D f + R w, and |w| = 1",
        source: "Reynolds 1999, Wander",
        mutant: wander_steer("agent.forward * wander.distance + w * wander.radius" => "w * wander.radius"),
        mistake: "the center of the circle is calculated and not used";
    wander_turn in both: "seen from the agent the target is within asin(R/D) of straight ahead, and comes near to that",
        source: "tangent from the agent to the circle, D > R",
        mutant: wander_steer("agent.forward * wander.distance" => "agent.forward"),
        mistake: "the circle's distance is always 1";
    wander_circle_variance: "planar: after T the angle of w has variance σ²T, whatever the time step",
        source: "sum of independent steps σ√dt ξ; a displacement per frame or in proportion to dt fails",
        mutant: wander_stroll("wander.rate * sqrt(world.dt)" => "wander.rate * world.dt * 7.7459667"),
        mistake: "steps in proportion to dt, right at 60 Hz only";
    wander_sphere_variance:
        "spatial: after n steps the mean cosine between w and where it began is cⁿ, c = E[1/√(1 + σ² dt (x² + y²))], which is exp(-σ²T) to first order",
        source: "Brownian motion on the sphere; c by quadrature over what is drawn",
        mutant: wander_stroll("vec3f(unit_variance(hash.x), unit_variance(hash.y), unit_variance(hash.z))"
            => "unit_direction(hash.x, hash.y)"),
        mistake: "a unit vector as the step: a third of the variance";
    wander_sustained: "w turns with the heading: without strolling, the agent flies the curve of a fixed local target",
        source: "Reynolds 1999, Wander: the target is constrained to a sphere in the agent's own space",
        mutant: wander_stroll("turned_along(before, triple(memory.heading), agent.forward)" => "before"),
        mistake: "the offset keeps its direction in the world when the agent turns";
    wander_crowd in both:
        "agents that start with one heading soon have random headings: the sum of N headings is √N long, not N",
        source: "the sum of N random unit vectors: |Σ u|²/N has the mean 1, over many crowds to 5 σ, and falls off as e^-x, in space faster",
        mutant: wander_steer("wander.distance + w * wander.radius;" => "wander.distance;"),
        mistake: "the center of the circle is sought, and all agents fly straight on";
    wander_random_variance: "the mean square of the change of velocity after T is weight² T, whatever the time step, `update_every` and body",
        source: "sum of independent steps weight √dt",
        mutant: wander_random_steer("push / root" => "push"),
        mistake: "the same force in every frame, however short";
    wander_random_displacement:
        "with linear drag k alone, MSD(T) = (w/k)² (T - 2(1 - e^-kT)/k + (1 - e^-2kT)/2k): Brownian motion",
        source: "Uhlenbeck and Ornstein 1930, from rest; here the sum of the steps, which tends to it",
        mutant: wander_random_steer("agent.step, STREAM_WANDER_RANDOM" => "agent.step / 2u, STREAM_WANDER_RANDOM"),
        mistake: "each force lasts for two steps";
    wander_random_twitchy in both:
        "from step to step the steering of wander_random has correlation 0, and that of wander nearly 1",
        source: "Reynolds 1999, Wander: a random force is twitchy, the strolling target gives sustained turns",
        mutant: wander_random_steer("agent.step, STREAM_WANDER_RANDOM" => "0u, STREAM_WANDER_RANDOM"),
        mistake: "the same force in every step";
}

/// A species that wanders; the rest of its vehicle is in `vehicle`.
fn wanderer(radius: f64, distance: f64, rate: f64, vehicle: &str) -> String {
    format!("{vehicle}\nbehaviors.wander = {{ radius = {radius}, distance = {distance}, rate = {rate} }}")
}

/// A vehicle without force, which nothing turns. The acceleration is measured before the force limit.
const STUBBORN: &str = "max_force = 0\nmax_speed = 10\ntime_constant = 0.5";

/// The direction w of each agent's wander target, by id.
fn strolling(run: &Run) -> Result<Vec<V>, ConformError> {
    Ok(run.memories()?.iter().map(|m| wide(m.behaviors.wander.target_direction)).collect())
}

fn wander_target(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let seen = |setup: &Setup| {
        let run = bench.run(setup, 4)?;
        Ok((strolling(&run)?, run.bodies()?, run.steering()?.accelerations))
    };
    bench.tries(Setup::open(spatial, 0.02), seen, 0..12, |setup, _| {
        let (radius, distance) = (draw.scale(0.1, 10.0), draw.scale(0.1, 10.0));
        let (speed, constant) = (draw.scale(1.0, 30.0), draw.scale(0.05, 2.0));
        let vehicle = format!("max_force = 0\nmax_speed = {speed}\ntime_constant = {constant}");
        let own = draw.between(0.2, 0.99) * speed;
        let bodies = draw.crowd(1, spatial, ZERO, 100.0, own);
        let id = setup.species(&wanderer(radius, distance, 0.0, &vehicle), &bodies).start;
        move |(w, bodies, found)| {
            let (w, velocity) = (w[id], bodies[id].velocity);
            let offset = plus(times(unit(velocity), distance), times(w, radius));
            let wanted = times(minus(times(unit(offset), speed), velocity), 1.0 / constant);
            let parameters = [("R", radius), ("D", distance), ("v_max", speed), ("τ", constant)];
            // Where the target is near the agent, the rounding of its direction is that of w over the distance.
            let bound = 1e-6 * (1.0 + (radius + distance) / norm(offset)) * speed / constant;
            bench.check(Case::vector_within(&parameters, wanted, found[id], bound));
            bench.check(Case::absolute(&parameters, 1.0, norm(w), 2e-7));
        }
    })
}

fn wander_turn(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let seen = |setup: &Setup| {
        let run = bench.run(setup, 5)?;
        Ok((run.bodies()?, run.steering()?.accelerations))
    };
    bench.tries(Setup::open(spatial, 0.02), seen, 0..6, |setup, _| {
        let distance = draw.scale(1.5, 10.0);
        let radius = distance * draw.between(0.1, 0.9);
        let bodies = draw.crowd(500, spatial, ZERO, 150.0, 8.0);
        let ids = setup.species(&wanderer(radius, distance, 3.0, STUBBORN), &bodies);
        move |(bodies, found)| {
            let angle = |id: usize| {
                let velocity = bodies[id].velocity;
                let desired = plus(times(found[id], 0.5), velocity);
                (dot(unit(desired), unit(velocity))).clamp(-1.0, 1.0).acos()
            };
            let widest = ids.map(angle).fold(0.0, f64::max);
            let limit = (radius / distance).asin();
            let parameters = [("R", radius), ("D", distance)];
            bench.check(Case::at_most(&parameters, limit, widest, 1e-5));
            bench.check(Case::at_least(&parameters, 0.97 * limit, widest, 0.0));
        }
    })
}

fn wander_crowd(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    const AGENTS: usize = 32;
    const CROWDS: usize = 32;
    let mut setup = Setup::within(spatial, [400.0; 3], "wrap", 0.0625, "").seeded(draw);
    let mut drawn = Vec::new();
    for _ in 0..CROWDS {
        let (distance, rate, heading) = (draw.between(1.0, 2.0), draw.between(0.8, 1.6), draw.heading(spatial));
        let radius = distance * draw.between(0.6, 1.0);
        let bodies = draw.bodies(AGENTS, |draw| Body::at(draw.point(spatial, 190.0)).moving(times(heading, 8.0)));
        let vehicle = "max_force = 60\nmax_speed = 10\ntime_constant = 0.25";
        drawn.push((radius / distance, rate, setup.species(&wanderer(radius, distance, rate, vehicle), &bodies)));
    }
    // At a moment, the squared sum of the headings of each crowd, relative to its expectation by chance.
    let shares = |moment: &Moment| {
        let share = |(_, _, ids): &(f64, f64, std::ops::Range<usize>)| {
            let total = moment.bodies[ids.clone()].iter().fold(ZERO, |total, body| plus(total, unit(body.velocity)));
            dot(total, total) / AGENTS as f64
        };
        drawn.iter().map(share).collect()
    };
    let moments: Vec<Vec<f64>> = moments(bench, &setup, [192, 224, 256, 288])?.iter().map(shares).collect();
    for ((steepness, rate, _), found) in drawn.iter().zip(&moments[0]) {
        let parameters = [("R/D", *steepness), ("σ", *rate), ("N", AGENTS as f64)];
        // e^-15 is five standard deviations of a normal distribution.
        bench.check(Case::at_most(&parameters, 15.0, *found, 0.0));
    }
    // Five standard deviations of the mean of numbers that are exponential at most.
    let all = moments.concat();
    let (count, total) = (all.len() as f64, all.iter().sum::<f64>());
    bench.tried(Case::absolute(&[("crowds", count)], 1.0, total / count, 5.0 / count.sqrt()))
}

/// For several rates and time steps: the parameters, and cosine and sine of the angle by which each agent's target strolled, at some times.
fn strolls(bench: &Bench, draw: &mut Draw, spatial: bool, hertz: [u32; 3], agents: usize) -> Strolls {
    let mut found = Vec::new();
    for hertz in hertz {
        let (mut setup, mut drawn) = (Setup::open(spatial, 1.0 / f64::from(hertz)), Vec::new());
        for _ in 0..4 {
            let rate = draw.scale(0.4, 1.2);
            let bodies = draw.crowd(agents, spatial, ZERO, 150.0, 8.0);
            drawn.push((rate, setup.species(&wanderer(1.2, 2.0, rate, STUBBORN), &bodies)));
        }
        let mut run = bench.run(&setup, 1)?;
        let (mut before, mut angles) = (strolling(&run)?, vec![Vec::new(); 4]);
        let steps = hertz.div_ceil(15);
        for _ in 0..7 {
            run.step(steps)?;
            let after = strolling(&run)?;
            for (angles, (_, ids)) in angles.iter_mut().zip(&drawn) {
                let angle = |id: usize| (dot(before[id], after[id]), cross(before[id], after[id])[2]);
                angles.extend(ids.clone().map(angle));
            }
            before = after;
        }
        let of = |((rate, _), angles)| (rate, f64::from(hertz), f64::from(steps), angles);
        found.extend(drawn.into_iter().zip(angles).map(of));
    }
    Ok(found)
}

/// Rate, steps per second, steps, and cosine and sine of each angle.
type Strolls = Result<Vec<(f64, f64, f64, Vec<(f64, f64)>)>, ConformError>;

fn wander_circle_variance(bench: &Bench, draw: &mut Draw) -> Tried {
    for (rate, hertz, steps, angles) in strolls(bench, draw, false, [15, 60, 240], 3000)? {
        let squares: f64 = angles.iter().map(|(cos, sin)| sin.atan2(*cos).powi(2)).sum();
        let (time, draws) = (steps / hertz, angles.len() as f64);
        let parameters = [("σ", rate), ("Hz", hertz), ("T", time)];
        // Five standard errors of a variance.
        let bound = 5.0 * (2.0 / draws).sqrt();
        bench.check(Case::relative(&parameters, rate * rate * time, squares / draws, bound));
    }
    Ok(())
}

/// The mean cosine of a step of this size from a pole of the sphere, over the midpoints of a grid of draws.
fn mean_cosine(size: f64) -> f64 {
    const CELLS: i32 = 40;
    let draws = || (0..CELLS).map(|cell| (f64::from(2 * cell + 1) / f64::from(CELLS) - 1.0) * 3f64.sqrt() * size);
    let cosines = draws().flat_map(|x| draws().map(move |y| 1.0 / (1.0 + x * x + y * y).sqrt()));
    cosines.sum::<f64>() / f64::from(CELLS * CELLS)
}

fn wander_sphere_variance(bench: &Bench, draw: &mut Draw) -> Tried {
    for (rate, hertz, steps, angles) in strolls(bench, draw, true, [15, 60, 240], 3000)? {
        let draws = angles.len() as f64;
        let short = 1.0 - angles.iter().map(|(cos, _)| cos).sum::<f64>() / draws;
        let expected = 1.0 - mean_cosine(rate / hertz.sqrt()).powf(steps);
        let parameters = [("σ", rate), ("Hz", hertz), ("T", steps / hertz)];
        // Five standard errors: what is missing to 1 spreads by no more than its mean.
        bench.check(Case::relative(&parameters, expected, short, 5.0 / draws.sqrt()));
    }
    Ok(())
}

fn wander_sustained(bench: &Bench, draw: &mut Draw) -> Tried {
    const STEPS: u32 = 160;
    let seen = |setup: &Setup| Ok((strolling(&bench.run(setup, 1)?)?, bench.after(setup, STEPS)?));
    bench.tries(Setup::open(false, DT), seen, 0..20, |setup, _| {
        let distance = draw.scale(1.0, 5.0);
        let radius = distance * draw.between(0.2, 0.8);
        let (speed, constant) = (draw.between(2.0, 8.0), draw.scale(0.2, 1.0));
        let vehicle = format!("max_force = 1000\nmax_speed = {speed}\ntime_constant = {constant}");
        let bodies = draw.crowd(1, false, ZERO, 50.0, speed);
        let id = setup.species(&wanderer(radius, distance, 0.0, &vehicle), &bodies).start;
        let start = setup.body(id);
        move |(w, found)| {
            let forward = unit(start.velocity);
            let (ahead, left) = (dot(w[id], forward), cross(forward, w[id])[2]);
            let steer = |body: Body| {
                let f = unit(body.velocity);
                let w = plus(times(f, ahead), times([-f[1], f[0], 0.0], left));
                let offset = plus(times(f, distance), times(w, radius));
                times(minus(times(unit(offset), speed), body.velocity), 1.0 / constant)
            };
            let vehicle = Vehicle { max_acceleration: 1000.0, max_speed: speed, dt: DT };
            let end = vehicle.fly(start, STEPS, steer);
            let parameters = [("R", radius), ("D", distance), ("v_max", speed), ("τ", constant)];
            bench.check(Case::vector_within(&parameters, end.position, found[id].position, 5e-3));
            bench.check(Case::vector_within(&parameters, end.velocity, found[id].velocity, 5e-3));
        }
    })
}

fn wander_random_variance(bench: &Bench, draw: &mut Draw) -> Tried {
    for (spatial, hertz) in [(false, 15), (false, 60), (false, 240), (true, 15), (true, 60), (true, 240)] {
        // Some steer every fifth step, and hold the push until then; some take what they want at once.
        let ways = [("", 1), ("", 1), ("update_every = 5", 5), ("vehicle.locomotion = \"kinematic\"", 1)];
        let steps = hertz / 3;
        bench.arrives(Setup::open(spatial, 1.0 / f64::from(hertz)), steps, ways, |setup, (more, turns)| {
            let weight = draw.scale(0.5, 20.0);
            let lines =
                format!("max_force = 1e9\nmax_speed = 1000\n{more}\nbehaviors.wander_random = {{ weight = {weight} }}");
            let (ids, before) = setup.flock(&lines, &draw.crowd(3000, spatial, ZERO, 150.0, 8.0));
            move |after| {
                let changes = before.iter().zip(&after[ids]).map(|(old, new)| norm(minus(new.velocity, old.velocity)));
                let mean = changes.map(|change| change.powi(2)).sum::<f64>() / before.len() as f64;
                // All steer in the first step, and each again after one to so many: what is held for n steps is √(n² dt / turns) long.
                let held = |first: u32| {
                    let rest = (steps - first) % turns;
                    (first * first + (steps - first - rest) * turns + rest * rest) as f64 / f64::from(turns)
                };
                let time = (1..=turns).map(held).sum::<f64>() / f64::from(turns * hertz);
                let parameters = [("weight", weight), ("Hz", f64::from(hertz)), ("turns", f64::from(turns))];
                // Four times the standard error of the mean square of 3000 planar draws.
                bench.check(Case::relative(&parameters, weight * weight * time, mean, 0.073));
            }
        })?;
    }
    Ok(())
}

fn wander_random_displacement(bench: &Bench, draw: &mut Draw) -> Tried {
    let walkers = 3000;
    for (spatial, hertz) in [(false, 8), (false, 64), (true, 8), (true, 64)] {
        let (dt, steps) = (1.0 / f64::from(hertz), 3 * hertz);
        bench.arrives(Setup::open(spatial, dt), steps, 0..6, |setup, _| {
            let (weight, drag) = (draw.scale(0.5, 5.0), draw.scale(0.2, 4.0));
            let lines =
                format!("{FREE}vehicle.linear_drag = {drag}\nbehaviors.wander_random = {{ weight = {weight} }}");
            let (ids, before) = setup.flock(&lines, &draw.crowd(walkers, spatial, ZERO, 50.0, 0.0));
            move |after| {
                let ways = before.iter().zip(&after[ids]).map(|(old, new)| norm(minus(new.position, old.position)));
                let found = ways.map(|way| way.powi(2)).sum::<f64>() / walkers as f64;
                // What a force adds to a velocity, times what is left of that in each step until the end.
                let (left, gain) = ((-drag * dt).exp(), -(-drag * dt).exp_m1() / drag);
                let reach = |later: u32| gain * dt * (1.0 - left.powi(later as i32)) / (1.0 - left);
                let expected = weight * weight / dt * (1..=steps).map(|later| reach(later).powi(2)).sum::<f64>();
                let time = f64::from(steps) * dt;
                let limit = (time - 2.0 * (1.0 - (-drag * time).exp()) / drag
                    + (1.0 - (-2.0 * drag * time).exp()) / 2.0 / drag)
                    * (weight / drag).powi(2);
                let parameters = [("w", weight), ("k", drag), ("Hz", f64::from(hertz)), ("limit", limit)];
                // Five standard errors of the mean of squares that are exponential at most, planar.
                bench.check(Case::relative(&parameters, expected, found, 5.0 / (walkers as f64).sqrt()));
                if hertz == 64 {
                    bench.check(Case::relative(&parameters, limit, found, 5.0 / (walkers as f64).sqrt() + 2.0 * dt));
                }
            }
        })?;
    }
    Ok(())
}

fn wander_random_twitchy(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let setup = Setup::open(spatial, 1.0 / 60.0).seeded(draw);
    bench.flies(setup, 12, [false, true].repeat(5), |setup, strolls| {
        let vehicle = "max_force = 1e9\nmax_speed = 10\ntime_constant = 0.5";
        let strength = draw.scale(0.5, 2.0);
        let lines = match strolls {
            true => wanderer(strength, 2.5, 1.0, vehicle),
            false => format!("{vehicle}\nbehaviors.wander_random = {{ weight = {strength} }}"),
        };
        // Slower than max_speed, so that the limit of speed plays no part.
        let ids = setup.species(&lines, &draw.crowd(240, spatial, ZERO, 150.0, 4.0));
        move |path| {
            let push = |step: usize, id: usize| minus(path[step + 1][id].velocity, path[step][id].velocity);
            let over = |lag: usize| -> f64 {
                ids.clone().map(|id| (0..11).map(|s| dot(push(s, id), push(s + lag, id))).sum::<f64>()).sum()
            };
            let (correlation, parameters) = (over(1) / over(0), [("strength", strength)]);
            bench.check(match strolls {
                true => Case::at_least(&parameters, 0.9, correlation, 0.0),
                // Five standard errors of 2640 products in the plane.
                false => Case::absolute(&parameters, 0.0, correlation, 0.069),
            });
        }
    })
}
