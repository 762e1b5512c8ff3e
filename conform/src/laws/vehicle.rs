//! The vehicle: force limit, mass, semi-implicit Euler, speed limits, and the time constant.

use super::locomotion::{driven, flowing};
use crate::*;

const REYNOLDS: &str = "Reynolds 1999, A Simple Vehicle Model";

laws! {
    vehicle_force_limit in both: "|Δv| / dt = min(|A|, max_force / mass), in the direction of A",
        source: REYNOLDS,
        mutant: propelled("limit(steering * limits.mass, limits.force)"
            => "limit(steering, limits.force) * limits.mass"),
        mistake: "the acceleration is limited, not the force";
    vehicle_huge_steering in both: "|Δv| / dt = max_force / mass in the direction of A, however large A is",
        source: "the force limit holds for every force",
        mutant: limit("squared > LARGEST_SQUARE" => "false"),
        mistake: "the square is infinite, and nothing is left of the steering";
    vehicle_mass: "a limited force F accelerates a mass m by F/m",
        source: "Newton's second law",
        mutant: propelled("var pushed = force / limits.mass;" => "var pushed = force;"),
        mistake: "the mass is missing";
    vehicle_max_speed in both by limited([9.001, 900.0], 9.0): "faster than max_speed, a velocity is shortened to it and keeps its direction",
        source: REYNOLDS,
        mutant: clip_speed("moving * (fastest / sqrt(squared))" => "clamp(moving, vec3f(-fastest), vec3f(fastest))"),
        mistake: "each component is limited for itself";
    vehicle_min_speed in both by limited([0.01, 3.999], 4.0): "slower than min_speed, a velocity is lengthened to it and keeps its direction",
        source: "NetLogo, UnitySteer; no rule of Reynolds",
        mutant: clip_speed("squared < slowest * slowest" => "squared < 0.0"),
        mistake: "min_speed is missing";
    vehicle_from_rest in both:
        "at rest min_speed is reached in one step, by each agent in a direction of its own, which the seed decides",
        source: "a velocity of 0 has no direction to keep",
        mutant: forward_of("return direction(id, 0u, STREAM_FORWARD);" => "return vec3f(1.0, 0.0, 0.0);"),
        mistake: "all start along x";
    vehicle_speed_range: "in a crowd, at walls and across seams, min_speed ≤ |v| ≤ max_speed after every step",
        source: "the limits hold whatever steers",
        mutant: clip_speed("moving * (fastest / sqrt(squared))" => "moving * (fastest / sqrt(squared) * 1.001)"),
        mistake: "the limit is missed by one in a thousand";
    vehicle_velocity: "under a constant acceleration v(t) = v + a t",
        source: "semi-implicit Euler, exact for the velocity",
        mutant: propelled("var pushed = force / limits.mass;" => "var pushed = force / limits.mass * 0.99;"),
        mistake: "one part in a hundred is lost in each step";
    vehicle_position: "under a constant acceleration p(t) = p + v t + ½ a t² + ½ a t dt",
        source: "semi-implicit Euler: ahead by ½ a t dt, as explicit Euler lags",
        mutant: after_step("before + after * world.dt" => "before + moving * world.dt"),
        mistake: "explicit Euler: the position moves by the old velocity";
    vehicle_symplectic: "an oscillator keeps v² + ω² x² - ω² dt x v, here over 20 s",
        source: "semi-implicit Euler is symplectic; explicit Euler grows by the factor 5.29 at ω = 2, 60 Hz",
        mutant: after_step("before + after * world.dt" => "before + (moving + after) * (0.5 * world.dt)"),
        mistake: "the position moves by the mean velocity, which gains energy";
    vehicle_coasts:
        "without a force p(t) = p + v t, whatever the mass; an agent that would come farther than 1e9 u along an \
         axis rests where it is",
        source: "Newton's first law",
        mutant: after_step("before + after * world.dt" => "before + after"),
        mistake: "dt is missing";
    vehicle_time_constant_zero: "τ = 0 is one time step: the desired velocity is reached at once",
        source: "the canon of units: τ = 0 means τ = dt",
        mutant: steer_to("agent.time_constant" => "max(agent.time_constant, 0.1)"),
        mistake: "the time constant has a floor of 0.1 s";
}

fn vehicle_force_limit(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.ends(Setup::open(spatial, 0.01).apart(), 1, VELOCITY, 0..24, |setup, _| {
        let (mass, force, weight) = (draw.scale(0.1, 10.0), draw.scale(0.5, 50.0), draw.scale(0.5, 50.0));
        let bodies = [ZERO, times(draw.heading(spatial), draw.between(0.5, 5.0))].map(Body::at);
        let lines = format!("mass = {mass}\nmax_force = {force}\nmax_speed = 1e6\n");
        let id = setup.species(&(lines + &all_around("cohesion", weight, 100.0)), &bodies).start;
        let wanted = times(minus(setup.body(id + 1).position, setup.body(id).position), weight);
        let expected = times(clipped(wanted, force / mass), 0.01);
        let parameters = [("mass", mass), ("max_force", force), ("|A|", norm(wanted))];
        (id, parameters, expected, 2e-6 * norm(expected))
    })
}

fn vehicle_huge_steering(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.ends(Setup::open(spatial, 0.01), 1, VELOCITY, 0..12, |setup, _| {
        let (mass, force, weight) = (draw.scale(1e-3, 1e3), draw.scale(0.5, 50.0), draw.scale(0.5, 1e6));
        let (start, heading) = (draw.point(spatial, 20.0), draw.heading(spatial));
        let target = plus(start, times(heading, 100.0));
        let rule = format!("behaviors.seek = {{ weight = {weight}, {} }}", to(spatial, target));
        let lines = format!("mass = {mass}\n{}{rule}", limits(1e6, force, 1e-25));
        let id = setup.agent(&lines, start, ZERO);
        let expected = times(unit(minus(target, setup.body(id).position)), 0.01 * force / mass);
        (id, [("mass", mass), ("max_force", force), ("w", weight)], expected, 1e-5 * norm(expected))
    })
}

fn vehicle_mass(bench: &Bench, draw: &mut Draw) -> Tried {
    let (setup, flow) = flowing(false, 0.01, 1e6, draw.between(0.0, 360.0));
    bench.ends(setup, 1, VELOCITY, 0..32, |setup, _| {
        let (mass, force) = (draw.scale(0.01, 100.0), draw.scale(0.1, 100.0));
        let id = setup.agent(&driven(mass, force, ""), ZERO, ZERO);
        let gained = 0.01 * force / mass;
        (id, [("mass", mass), ("force", force)], times(unit(flow), gained), 2e-6 * gained)
    })
}

/// Agents whose speeds are between these two numbers, and are at a limit after a step.
fn limited(bench: &Bench, draw: &mut Draw, spatial: bool, speeds: [f64; 2], limit: f64) -> Tried {
    bench.ends(Setup::open(spatial, 0.01), 1, VELOCITY, 0..32, |setup, _| {
        let speed = draw.scale(speeds[0], speeds[1]);
        let id = setup.agent("min_speed = 4\nmax_speed = 9", ZERO, times(draw.heading(spatial), speed));
        let velocity = setup.body(id).velocity;
        (id, [("|v|", norm(velocity))], times(unit(velocity), limit), 1e-6 * limit)
    })
}

fn vehicle_from_rest(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let mut ends = Vec::new();
    for seed in [5, 6] {
        let least = draw.between(1.0, 5.0);
        let lines = format!("min_speed = {least}\nmax_speed = 9");
        let world = Setup::within(spatial, [100.0; 3], "wrap", 1.0 / 60.0, "").of_seed(seed);
        let setup = world.with(&lines, &[Body::at(ZERO); 50]);
        let velocities: Vec<V> = bench.after(&setup, 1)?.iter().map(|body| body.velocity).collect();
        let parameters = [("min_speed", least), ("seed", f64::from(seed))];
        bench.check(velocities.iter().map(|v| Case::relative(&parameters, least, norm(*v), 1e-6)));
        // 50 random directions: |mean| is above a half once in 300,000 times.
        bench.check(Case::at_most(&parameters, 0.5, norm(mean(&velocities)) / least, 0.0));
        ends.push(velocities.into_iter().map(unit).collect::<Vec<_>>());
    }
    let alike = ends[0].iter().zip(&ends[1]).filter(|(a, b)| norm(minus(**a, **b)) < 1e-4).count();
    bench.tried(Case::at_most(&[("agents", 50.0)], 1.0, alike as f64, 0.0))
}

fn vehicle_speed_range(bench: &Bench, draw: &mut Draw) -> Tried {
    for spatial in [false, true] {
        for boundary in ["wrap", "contain", "open"] {
            bench.flies(Setup::within(spatial, [40.0; 3], boundary, 0.02, "").apart(), 60, 0..4, |setup, _| {
                let (least, most) = (draw.between(1.0, 5.0), draw.between(8.0, 20.0));
                let lines = format!("min_speed = {least}\nmax_speed = {most}\nmax_force = 400\ntime_constant = 0.05\n")
                    + &seeing("separation", 50.0, 3.0, 300.0)
                    + &seeing("alignment", -0.5, 5.0, 270.0)
                    + &seeing("cohesion", 20.0, 5.0, 270.0);
                let crowd = draw.crowd(80, spatial, ZERO, 12.0, (least + most) / 2.0);
                let ids = setup.species(&lines, &crowd);
                move |path| {
                    let bodies = || path[1..].iter().flat_map(|bodies| &bodies[ids.clone()]);
                    let speeds = || bodies().map(|body| norm(body.velocity));
                    let parameters = [("min_speed", least), ("max_speed", most), dimensions(spatial)];
                    bench.check(Case::at_least(&parameters, least, speeds().least(), 1e-6 * least));
                    bench.check(Case::at_most(&parameters, most, speeds().most(), 1e-6 * most));
                }
            })?;
        }
    }
    Ok(())
}

/// Agents that start anywhere and are driven along x for four seconds. `end` is what is expected of one, given its acceleration, and
/// the sum of lengths that it is rounded with.
fn driven_on(bench: &Bench, draw: &mut Draw, of: fn(&Body) -> V, end: fn(Body, f64) -> (V, f64)) -> Tried {
    bench.ends(flowing(false, 1.0 / 64.0, 1e6, 0.0).0, 256, of, 0..24, |setup, _| {
        let (mass, force) = (draw.scale(0.5, 4.0), draw.between(1.0, 8.0));
        let id = setup.agent(&driven(mass, force, ""), draw.point(false, 50.0), draw.point(false, 5.0));
        let (start, a) = (setup.body(id), force / mass);
        let (expected, size) = end(start, a);
        (id, [("a", a), ("v", norm(start.velocity))], expected, 256.0 * f64::from(f32::EPSILON) * size)
    })
}

fn vehicle_velocity(bench: &Bench, draw: &mut Draw) -> Tried {
    driven_on(bench, draw, VELOCITY, |start, a| {
        let expected = plus(start.velocity, [4.0 * a, 0.0, 0.0]);
        (expected, norm(start.velocity) + 4.0 * a)
    })
}

fn vehicle_position(bench: &Bench, draw: &mut Draw) -> Tried {
    driven_on(bench, draw, PLACE, |Body { position, velocity }, a| {
        let (t, dt) = (4.0, 1.0 / 64.0);
        let expected = sum(&[position, times(velocity, t), [a * t * t / 2.0 + a * t * dt / 2.0, 0.0, 0.0]]);
        (expected, norm(position) + norm(velocity) * t + a * t * t)
    })
}

fn vehicle_symplectic(bench: &Bench, draw: &mut Draw) -> Tried {
    for hertz in [15.0, 30.0, 60.0] {
        let dt = f64::from((1.0 / hertz) as f32);
        let weights: Vec<f64> = (0..8).map(|_| draw.scale(0.2, 8.0)).collect();
        let steps = (20.0 * hertz) as u32;
        bench.watches(Setup::open(false, dt).apart(), [0, steps], weights, |setup, weight| {
            let apart = times(draw.heading(false), draw.between(1.0, 10.0));
            let lines = format!("{FREE}{}", all_around("cohesion", weight, 1000.0));
            let id = setup.species(&lines, &[ZERO, apart].map(Body::at)).start;
            move |seen| {
                // Two agents are an oscillator of ω² = 2w in their distance.
                let square = 2.0 * weight;
                let [before, after] = [0, 1].map(|moment: usize| {
                    let [own, other] = [id, id + 1].map(|id| seen[moment].bodies[id]);
                    let (x, v) = (minus(other.position, own.position), minus(other.velocity, own.velocity));
                    dot(v, v) + square * dot(x, x) - square * dt * dot(x, v)
                });
                let parameters = [("ω", square.sqrt()), ("Hz", hertz)];
                bench.check(Case::relative(&parameters, before, after, f64::from(steps) * 1e-7));
            }
        })?;
    }
    Ok(())
}

fn vehicle_coasts(bench: &Bench, draw: &mut Draw) -> Tried {
    for (spatial, dt) in [(false, 1.0 / 32.0), (true, 1.0 / 128.0)] {
        bench.ends(Setup::open(spatial, dt), 128, PLACE, 0..16, |setup, _| {
            let mass = draw.scale(0.01, 100.0);
            let id = setup.agent(&format!("mass = {mass}"), draw.point(spatial, 20.0), draw.point(spatial, 10.0));
            let Body { position, velocity } = setup.body(id);
            let way = times(velocity, 128.0 * dt);
            let bound = 128.0 * f64::from(f32::EPSILON) * (norm(position) + norm(way));
            (id, [("mass", mass), ("dt", dt), ("|v|", norm(velocity))], plus(position, way), bound)
        })?;
        bench.arrives(Setup::open(spatial, dt), 2, 0..if spatial { 6 } else { 4 }, |setup, end| {
            let mut outward = ZERO;
            outward[end / 2] = if end % 2 == 0 { 1.0 } else { -1.0 };
            let position = plus(draw.point(spatial, 20.0), times(outward, 999_999_936.0));
            let (id, Body { position: start, .. }) = setup.placed("max_speed = 1e6", position, times(outward, 1e6));
            move |found| {
                let way = plus(minus(found[id].position, start), found[id].velocity);
                bench.check(Case::vector_within(&[("end", id as f64), ("dt", dt)], ZERO, way, 0.0));
            }
        })?;
    }
    Ok(())
}

fn vehicle_time_constant_zero(bench: &Bench, draw: &mut Draw) -> Tried {
    for dt in [0.002, 0.01, 0.05] {
        let (setup, flow) = flowing(false, dt, draw.between(1.0, 50.0), 0.0);
        bench.ends(setup, 1, VELOCITY, 0..8, |setup, _| {
            let lines = format!("{FREE}time_constant = 0\nbehaviors.flow_field = {{}}");
            let id = setup.agent(&lines, ZERO, draw.point(false, 50.0));
            (id, [("dt", dt), ("|V|", norm(flow)), ("|v|", norm(setup.body(id).velocity))], flow, 1e-4)
        })?;
    }
    Ok(())
}
