//! Locomotion beyond the point mass: drag, explicit Euler, kinematic and turn-first agents, limits at low speed.

use crate::*;
use std::f64::consts::PI;

laws! {
    source: "turn-first steering (variable matching; Millington, Artificial Intelligence for Games)";
    drag_linear in both: "v(t) = v e^(-k t) + (a / k) (1 - e^(-k t)), whatever the time step",
        source: "dv/dt = a - k v; splitting drag and drive ends 1.7 % off at 60 Hz, k = 2",
        mutant: dragged("acceleration * species[own].vehicle.velocity_gain" => "acceleration * world.dt"),
        mistake: "drag and drive are split";
    drag_terminal in both: "the terminal speed solves k v + q v² = a: a / k, sqrt(a / q), or both together",
        source: "dv/dt = a - k v - q |v| v at rest",
        mutant: dragged("2.0 / (1.0 + sqrt(1.0 + air * speed))" => "1.0 / (1.0 + 0.25 * air * speed)"),
        mistake: "quadratic drag takes its speed from before the drag";
    explicit_position in both: "explicit Euler under a constant acceleration: p(t) = p + v t + ½ a t² - ½ a t dt",
        source: "forward Euler: the position moves first",
        mutant: after_step("before + moving * world.dt" => "before + after * world.dt"),
        mistake: "the explicit integrator is semi-implicit";
    explicit_energy in both: "explicit Euler's oscillator grows by sqrt(1 + ω² dt²) in each step",
        source: "eigenvalues 1 ± iω dt; 5.29 after 50 s at ω = 2, 60 Hz",
        mutant: after_step("species[own].vehicle.explicit_euler != 0u" => "false"),
        mistake: "the explicit integrator is semi-implicit";
    kinematic_velocity in both:
        "a kinematic agent has the desired velocity at once, whatever its mass, force and time constant",
        source: "kinematic movement: velocities are assigned",
        mutant: propelled("faster, desired, species[own].vehicle.locomotion == KINEMATIC" => "faster, desired, false"),
        mistake: "the agent accelerates as a point mass";
    low_speed_lateral in both:
        "below v_low the part of an acceleration across the heading is scaled by |v| / v_low; at rest it is 0",
        source: "Reynolds 1999, A Simple Vehicle Model: limit lateral steering forces at low speed",
        mutant: limit_lateral("(speed / low_speed)" => "min(1.0, 4.0 * speed / low_speed)"),
        mistake: "the limit holds below a quarter of the speed only";
    low_speed_turns in both:
        "below v_low a heading at θ from a steady pull a goes tan(θ/2) = tan(θ₀/2) e^(-a t/v_low), whatever the speed",
        source: "dθ/dt = -(a sin θ |v|/v_low)/|v|: the limit cancels the speed",
        mutant: limit_lateral("(speed / low_speed)" => "min(1.0, 4.0 * speed / low_speed)"),
        mistake: "the limit holds below a quarter of the speed only";
    turn_first_circle in both:
        "constant turning ω and speed v: a circle of radius v dt / (2 sin(ω dt / 2)), v / ω in the limit",
        mutant: half_turn("let half_cosine = 1.0 - 2.0 * q2 * s * s;" => "let half_cosine = 1.0;"),
        mistake: "the rotation is linear in the angle";
    turn_first_loss in both: "turning at ω for t leaves e^(-ω² loss t / 2) of the speed, to the order of the time step",
        mutant: drive("turn.spin) * loss" => "turn.spin) * loss * 60.0 * world.dt"),
        mistake: "the loss depends on the frame rate, as a projection on the new heading does";
    turn_first_projection in both:
        "the speed follows |V| cos φ with a = clip((|V| cos φ - v) / τ, ± a_max); without reverse it stops at 0",
        mutant: drive("select(sqrt(dot3(desired, desired)), ahead, species[own].vehicle.projects != 0u)"
            => "sqrt(dot3(desired, desired))"),
        mistake: "full speed ahead, wherever the target is";
    turn_first_reverse in both:
        "a target behind is approached backward while turning, and the speed passes 0 once; with reverse = forbid it \
         is never approached backward",
        mutant: drive("select(limits.least_speed, backward, backward < 0.0)" => "-species[own].max_speed"),
        mistake: "every agent may drive backward";
    turn_first_reaches in both:
        "a target within the circle v/ω is met within 0.2 v/ω if the speed follows |V| cos φ, and circled at full speed",
        mutant: drive("let ahead = speed_along(desired, turn.forward);" => "let ahead = sqrt(dot3(desired, desired));"),
        mistake: "the speed does not follow the heading";
    turn_first_never_slides in both: "v × forward = 0 at all times",
        mutant: drive("return turn.forward" => "return body.forward"),
        mistake: "the agent moves along the heading of the step before";
    turn_first_reverse_speed in both:
        "with reverse allowed, the speed backward grows to max_reverse_speed where more is desired, and no further; the limit of a \
         state holds at once",
        mutant: drive("backward = backward_of(own, limits.id);" => "backward = backward_of(own, limits.id) * 1.5;"),
        mistake: "the agent drives backward faster than max_reverse_speed";
    turn_first_grip in both:
        "after a turn by φ at once, v sin φ falls by grip dt a step to 0, v cos φ does not jump, and no agent passes \
         max_speed",
        source: "Coulomb friction: a force of one size against the slide, over v²/2 grip",
        mutant: drive("1.0 - grip / max(max(slide, grip), 1e-30)" => "1.0 - grip"),
        mistake: "the sideways velocity falls by a share of itself, as with viscous friction";
}

/// A world without ends with a uniform field of this speed and direction, degrees from +x about +z. Returns it and the field's vector.
pub(super) fn flowing(spatial: bool, dt: f64, speed: f64, direction: f64) -> (Setup, V) {
    let field = format!("field = {{ source = \"uniform\", speed = {speed}, direction = {direction} }}");
    let (sin, cos) = direction.to_radians().sin_cos();
    (Setup::open_with(spatial, dt, field), times([cos, sin, 0.0], speed))
}

/// An axis about which a heading may turn: a random one across it in space, +z in the plane.
pub(super) fn axis_of(draw: &mut Draw, spatial: bool, heading: V) -> V {
    if spatial { draw.turned(true, heading, 90.0) } else { [0.0, 0.0, 1.0] }
}

/// Lines of a species under the constant acceleration force / mass, in a field that it never catches up with.
pub(super) fn driven(mass: f64, force: f64, vehicle: &str) -> String {
    format!(
        "mass = {mass}\nmax_force = {force}\nmax_speed = 1e6\ntime_constant = 0.25\nbehaviors.flow_field = {{}}\n\
         vehicle = {{ {vehicle} }}\n"
    )
}

fn drag_linear(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (setup, flow) = flowing(spatial, DT, 1e6, draw.between(0.0, 360.0));
    bench.ends(setup, 48, VELOCITY, 0..32, |setup, _| {
        let (mass, force, k) = (draw.scale(0.1, 10.0), draw.scale(0.5, 50.0), draw.scale(0.1, 30.0));
        let id = setup.agent(&driven(mass, force, &format!("linear_drag = {k}")), ZERO, draw.point(spatial, 20.0));
        let (a, start, left) = (force / mass, setup.body(id).velocity, (-k * 48.0 * DT).exp());
        let expected = plus(times(start, left), times(unit(flow), a / k * (1.0 - left)));
        (id, [("a", a), ("k", k)], expected, 1e-5 * (norm(start) + a / k))
    })
}

fn drag_terminal(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (setup, flow) = flowing(spatial, 1.0 / 16.0, 1e6, draw.between(0.0, 360.0));
    bench.ends(setup, 240, VELOCITY, 0..30, |setup, index| {
        let (mass, force) = (draw.scale(0.5, 2.0), draw.scale(5.0, 50.0));
        // Only linear, only quadratic, or both.
        let k = if index % 3 == 1 { 0.0 } else { draw.scale(1.0, 20.0) };
        let q = if index % 3 == 0 { 0.0 } else { draw.scale(0.1, 5.0) };
        let drags = format!("linear_drag = {k}, quadratic_drag = {q}");
        let (id, a) = (setup.agent(&driven(mass, force, &drags), ZERO, ZERO), force / mass);
        let terminal = if q == 0.0 { a / k } else { ((k * k + 4.0 * q * a).sqrt() - k) / (2.0 * q) };
        (id, [("a", a), ("k", k), ("q", q)], times(unit(flow), terminal), 1e-5 * terminal)
    })
}

fn explicit_position(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (setup, flow) = flowing(spatial, DT, 1e6, draw.between(0.0, 360.0));
    bench.ends(setup, 32, PLACE, 0..32, |setup, _| {
        let (mass, force) = (draw.scale(0.5, 2.0), draw.scale(1.0, 50.0));
        let lines = driven(mass, force, "integrator = \"explicit\"");
        let id = setup.agent(&lines, draw.point(spatial, 5.0), draw.point(spatial, 5.0));
        let (Body { position, velocity }, a, t) = (setup.body(id), force / mass, 32.0 * DT);
        let moved = plus(times(velocity, t), times(unit(flow), a * (t * t / 2.0 - t * DT / 2.0)));
        (id, [("|a|", a)], plus(position, moved), 2e-6 * (norm(position) + norm(velocity) + a))
    })
}

fn explicit_energy(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (dt, steps) = (1.0 / 32.0, 160);
    bench.arrives(Setup::open(spatial, dt).apart(), steps, 0..24, |setup, _| {
        // Cohesion pulls each of two agents toward the other, which is twice as far away as their middle.
        let weight = draw.scale(0.2, 4.0);
        let away = times(draw.heading(spatial), draw.between(1.0, 4.0));
        let lines =
            format!("{FREE}vehicle = {{ integrator = \"explicit\" }}\n{}", all_around("cohesion", weight, 190.0));
        let id = setup.species(&lines, &[away, times(away, -1.0)].map(Body::at)).start;
        let (square, before) = (2.0 * weight, setup.body(id));
        let amplitude =
            move |body: Body| (dot(body.position, body.position) + dot(body.velocity, body.velocity) / square).sqrt();
        move |after| {
            let expected = (1.0 + square * dt * dt).powf(f64::from(steps) / 2.0);
            let grown = amplitude(after[id]) / amplitude(before);
            bench.check(Case::relative(&[("ω", square.sqrt())], expected, grown, 1e-4));
        }
    })
}

fn kinematic_velocity(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    for _ in 0..2 {
        let (setup, flow) = flowing(spatial, DT, draw.scale(1.0, 30.0), draw.between(0.0, 360.0));
        bench.arrives(setup, 1, 0..16, |setup, _| {
            let (mass, force, tau) = (draw.scale(0.1, 10.0), draw.scale(0.01, 1.0), draw.scale(0.01, 10.0));
            let most = norm(flow) * draw.between(0.5, 2.0);
            let drives = "behaviors.flow_field = {}\nvehicle = { locomotion = \"kinematic\" }\n";
            let lines = limits(most, force, tau) + &format!("mass = {mass}\n{drives}");
            let id = setup.agent(&lines, draw.point(spatial, 5.0), times(draw.heading(spatial), most * 0.9));
            let start = setup.body(id).position;
            move |found| {
                let (parameters, expected) = ([("max_speed", most), ("τ", tau)], clipped(flow, most));
                bench.check(Case::vector(&parameters, expected, found[id].velocity, 2e-6));
                let moved = minus(found[id].position, start);
                bench.check(Case::vector_within(&parameters, times(expected, DT), moved, 3e-6));
            }
        })?;
    }
    Ok(())
}

fn low_speed_lateral(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (setup, flow) = flowing(spatial, DT, 1e6, draw.between(0.0, 360.0));
    bench.ends(setup, 1, VELOCITY, 0..32, |setup, index| {
        let (force, low) = (draw.scale(1.0, 30.0), draw.scale(0.5, 5.0));
        let speed = if index < 4 { 0.0 } else { low * draw.between(0.0, 1.5) };
        let heading = draw.heading(spatial);
        let id = setup.agent(&driven(1.0, force, &format!("low_speed = {low}")), ZERO, times(heading, speed));
        setup.face(id, heading, axis_of(draw, spatial, heading), ZERO);
        let (start, pull) = (setup.body(id).velocity, times(unit(flow), force));
        let along = times(heading, dot(pull, heading));
        let gained = plus(along, times(minus(pull, along), (norm(start) / low).min(1.0)));
        let parameters = [("a", force), ("v_low", low), ("|v| / v_low", norm(start) / low)];
        (id, parameters, plus(start, times(gained, DT)), 2e-6 * (norm(start) + force * DT))
    })
}

/// Lines of an agent that drives along its heading.
fn driver(vehicle: &str) -> String {
    format!("{FREE}vehicle = {{ locomotion = \"turn_first\", max_angular_speed = 720, {vehicle} }}\n")
}

fn turn_first_circle(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let dt = 1.0 / 32.0;
    bench.watches(Setup::open(spatial, dt), [16, 32], 0..32, |setup, index| {
        let (speed, omega) = (draw.between(1.0, 8.0), draw.between(0.7, 6.0) * [1.0, -1.0][index % 2]);
        let heading = draw.heading(spatial);
        let lines = driver("max_angular_acceleration = 0, forward_acceleration = \"constant\"");
        let id = setup.agent(&lines, ZERO, times(heading, speed));
        let axis = axis_of(draw, spatial, heading);
        setup.face(id, heading, axis, times(axis, omega));
        move |seen| {
            let [a, b] = [0, 1].map(|moment: usize| seen[moment].bodies[id].position);
            // The radius of the circle through the origin, a and b.
            let radius = norm(a) * norm(b) * norm(minus(a, b)) / (2.0 * norm(cross(a, b)));
            let expected = speed * dt / (2.0 * (omega.abs() * dt / 2.0).sin());
            bench.check(Case::relative(&[("v", speed), ("ω", omega)], expected, radius, 3e-4));
        }
    })
}

fn turn_first_loss(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    for rate in [15, 30, 60, 240] {
        bench.arrives(Setup::open(spatial, 1.0 / f64::from(rate)), rate, 0..6, |setup, index| {
            let (omega, loss, speed) = (draw.between(1.0, 3.0), draw.between(0.02, 0.1), draw.between(1.0, 9.0));
            // Without a force nothing makes up for the loss.
            let lines = driver(&format!("max_angular_acceleration = 0, turn_loss = {loss}")).replace("1e9", "0");
            let heading = draw.heading(spatial);
            let axis = axis_of(draw, spatial, heading);
            let id = setup.agent(&lines, ZERO, times(heading, speed));
            setup.face(id, heading, axis, times(axis, omega));
            let speed = norm(setup.body(id).velocity);
            move |found| {
                let lost = omega * omega * loss / 2.0;
                let bound = 0.6 * lost * lost / f64::from(rate) + 5e-5;
                let parameters = [("ω", omega), ("loss", loss), ("1/dt", f64::from(rate))];
                bench.check(Case::relative(&parameters, (-lost).exp(), norm(found[index].velocity) / speed, bound));
            }
        })?;
    }
    Ok(())
}

fn turn_first_projection(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let desired = draw.between(3.0, 20.0);
    let (setup, flow) = flowing(spatial, DT, desired, draw.between(0.0, 360.0));
    bench.ends(setup, 24, VELOCITY, 0..32, |setup, index| {
        let (angle, start) = (draw.between(0.0, PI), draw.between(0.0, desired));
        let (tau, strongest, reverse) = (draw.scale(0.05, 1.0), draw.scale(2.0, 200.0), index % 2 == 0);
        let heading = draw.turned(spatial, unit(flow), angle.to_degrees());
        let word = if reverse { "allow" } else { "forbid" };
        // It cannot turn, so the angle stays.
        let vehicle = format!("locomotion = \"turn_first\", max_angular_speed = 0, reverse = \"{word}\"");
        let driven = format!("behaviors.flow_field = {{}}\nvehicle = {{ {vehicle} }}\n");
        let lines = limits(1000.0, strongest, tau) + &driven;
        let id = setup.agent(&lines, ZERO, times(heading, start));
        setup.face(id, heading, axis_of(draw, spatial, heading), ZERO);
        let aim = if reverse { desired * angle.cos() } else { (desired * angle.cos()).max(0.0) };
        let end = (0..24).fold(start, |v, _| v + ((aim - v) / tau).clamp(-strongest, strongest) * DT);
        let parameters = [("φ", angle), ("τ", tau), ("a_max", strongest), ("reverse", f64::from(reverse))];
        (id, parameters, times(heading, end), 1e-5 * desired)
    })
}

fn turn_first_reverse(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let desired = 6.0;
    let (setup, flow) = flowing(spatial, 1.0 / 32.0, desired, draw.between(0.0, 360.0));
    bench.watches(setup, 1..=112, 0..24, |setup, index| {
        let (omega, reverse) = (draw.between(60.0, 180.0), index % 2 == 0);
        let word = if reverse { "allow" } else { "forbid" };
        let behind = draw.between(2.6, PI);
        let heading = draw.turned(spatial, unit(flow), behind.to_degrees());
        let vehicle = format!("locomotion = \"turn_first\", max_angular_speed = {omega}, reverse = \"{word}\"");
        let lines = limits(9.0, 40.0, 0.1) + &format!("behaviors.flow_field = {{}}\nvehicle = {{ {vehicle} }}\n");
        let id = setup.agent(&lines, ZERO, ZERO);
        setup.face(id, heading, axis_of(draw, spatial, heading), ZERO);
        move |seen| {
            let speed = |moment: &Moment| dot(moment.bodies[id].velocity, moment.poses[id].forward);
            let speeds: Vec<f64> = seen.iter().map(speed).collect();
            let parameters = [("ω", omega.to_radians()), ("reverse", f64::from(reverse))];
            let slowest = speeds.iter().copied().least();
            let changes = speeds.windows(2).filter(|pair| pair[0] < -1e-6 && pair[1] >= -1e-6).count();
            bench.check(match reverse {
                true => Case::absolute(&parameters, 1.0, changes as f64, 0.0),
                false => Case::at_least(&parameters, 0.0, slowest, 1e-6),
            });
            bench.check(Case::relative(&parameters, desired, speeds[speeds.len() - 1], 1e-4));
        }
    })
}

fn turn_first_reaches(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.flies(Setup::open(spatial, 1.0 / 64.0), 320, 0..32, |setup, index| {
        let (speed, omega, variable) = (draw.between(4.0, 10.0), draw.between(60.0, 120.0), index % 2 == 0);
        let radius = speed / omega.to_radians();
        let (heading, distance) = (draw.heading(spatial), radius * draw.between(0.3, 0.95));
        let target = rounded(draw.turned(spatial, heading, 90.0).map(|x| x * distance));
        let word = if variable { "variable" } else { "constant" };
        let turns = format!("locomotion = \"turn_first\", max_angular_speed = {omega}");
        let vehicle = format!("vehicle = {{ {turns}, forward_acceleration = \"{word}\" }}");
        let lines = limits(speed, 1e4, 0.05) + &format!("behaviors.seek = {{ {} }}\n{vehicle}\n", to(spatial, target));
        setup.agent(&lines, ZERO, times(heading, speed));
        move |path| {
            let (_, nearest) = shortest(path, |bodies| minus(bodies[index].position, target));
            let parameters = [("v/ω", radius), ("D", distance), ("variable", f64::from(variable))];
            bench.check(match variable {
                true => Case::at_most(&parameters, 0.2 * radius, nearest, 0.0),
                // The circle begins at D from the target, which is on the line to its center.
                false => Case::at_least(&parameters, 0.99 * distance, nearest, 0.0),
            });
        }
    })
}

fn turn_first_never_slides(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let field = "field = { source = \"curl_noise\", speed = 6, wavelength = 8, resolution = 32 }";
    let setup = Setup::within(spatial, [40.0; 3], "contain", 0.02, field);
    bench.watches(setup, (2..=80).step_by(2), 0..16, |setup, id| {
        let (omega, alpha) = (draw.between(30.0, 300.0), draw.between(300.0, 3000.0));
        let lines = format!(
            "max_speed = 9\nmax_force = 60\nbehaviors.flow_field = {{}}\nvehicle = {{ locomotion = \"turn_first\", \
             max_angular_speed = {omega}, max_angular_acceleration = {alpha}, reverse = \"allow\" }}\n"
        );
        setup.agent(&lines, draw.point(spatial, 19.0), times(draw.heading(spatial), 4.0));
        move |seen| {
            let slides = |moment: &Moment| norm(cross(moment.bodies[id].velocity, moment.poses[id].forward));
            bench.check(Case::at_most(&[dimensions(spatial)], 0.0, seen.iter().map(slides).most(), 5e-6));
        }
    })
}

fn turn_first_reverse_speed(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (setup, flow) = flowing(spatial, 1.0 / 32.0, 8.0, draw.between(0.0, 360.0));
    bench.watches(setup, [96], 0..24, |setup, index| {
        let most = draw.between(0.5, 5.0);
        let heading = draw.turned(spatial, unit(flow), 170.0);
        // Every second one drives backward faster than its state allows, and has no force to brake.
        let (force, speed, reverse) = if index % 2 == 0 { (40.0, 0.0, most) } else { (0.0, 8.0, 8.0) };
        let states = format!("states = [\"slow\"]\nstate_speeds = [{}]\n", most / 9.0);
        let states = if index % 2 == 0 { "" } else { &states };
        // It hardly turns, so that the desired velocity stays behind it.
        let turns = "locomotion = \"turn_first\", max_angular_speed = 2, reverse = \"allow\"";
        let vehicle = format!("vehicle = {{ {turns}, max_reverse_speed = {reverse} }}");
        let lines = limits(9.0, force, 0.1) + &format!("{states}behaviors.flow_field = {{}}\n{vehicle}\n");
        let id = setup.agent(&lines, ZERO, times(heading, -speed));
        setup.face(id, heading, axis_of(draw, spatial, heading), ZERO);
        move |seen| {
            let backward = -dot(seen[0].bodies[id].velocity, seen[0].poses[id].forward);
            bench.check(Case::relative(&[("most", most)], most, backward, 1e-5));
        }
    })
}

fn turn_first_grip(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (dt, every) = (1.0 / 32.0, 8);
    let (mut setup, flow) = flowing(spatial, dt, 20.0, draw.between(0.0, 360.0));
    let (ahead, mut drawn) = (unit(flow), Vec::new());
    for index in 0..30 {
        let (speed, grip) = (draw.between(3.0, 9.0), draw.between(2.0, 20.0));
        // The velocity is across the heading without a force, against it with a force, or across it at the greatest speed.
        let (angle, force, most) = match index % 3 {
            0 => (draw.between(60.0, 120.0), 0.0, 100.0),
            1 => (180.0, draw.between(1.0, 8.0), 100.0),
            _ => (90.0, 40.0, speed),
        };
        let vehicle = format!("locomotion = \"turn_first\", max_angular_speed = 1e6, grip = {grip}");
        let lines = limits(most, force, 0.1) + &format!("behaviors.flow_field = {{}}\nvehicle = {{ {vehicle} }}\n");
        let id = setup.agent(&lines, ZERO, times(draw.turned(spatial, ahead, angle), speed));
        drawn.push((speed, grip, angle, force, most, setup.body(id).velocity));
    }
    // An agent that slides slowly, but forward, is no slower than its least speed.
    let least = draw.between(1.2, 2.0);
    let lines = format!(
        "max_speed = 5\nmin_speed = {least}\nmax_force = 0\nbehaviors.flow_field = {{}}\n\
         vehicle = {{ locomotion = \"turn_first\", max_angular_speed = 1e6, grip = 1 }}\n"
    );
    let slow = setup.species(&lines, &[Body::at(ZERO).moving(draw.turned(spatial, ahead, 60.0))]);
    let seen = sampled_flight(bench, &setup, 6, every)?;
    for id in slow {
        let slowest = seen[1..].iter().map(|bodies| norm(bodies[id].velocity)).least();
        bench.check(Case::at_least(&[("least", least)], least, slowest, 1e-5));
    }
    for (id, (speed, grip, angle, force, most, start)) in drawn.into_iter().enumerate() {
        let parameters = [("v", speed), ("grip", grip), ("φ", angle.to_radians()), ("a", force)];
        if most == speed {
            let fastest = seen.iter().map(|bodies| norm(bodies[id].velocity)).fold(0.0, f64::max);
            bench.check(Case::at_most(&parameters, most, fastest, 1e-5));
            continue;
        }
        let along = dot(start, ahead);
        let aside = minus(start, times(ahead, along));
        let kept = |step: u32| (norm(aside) - f64::from(step) * grip * dt).max(0.0) / norm(aside).max(1e-9);
        let mut step = 0;
        for bodies in &seen[1..] {
            step += every;
            let expected = plus(times(ahead, along + force * f64::from(step) * dt), times(aside, kept(step)));
            bench.check(Case::vector_within(&parameters, expected, bodies[id].velocity, 2e-5 * (speed + force)));
        }
        let way = seen[seen.len() - 1][id].position;
        let slid = times(aside, dt * (1..=step).map(kept).sum::<f64>());
        bench.check(Case::vector_within(&parameters, slid, minus(way, times(ahead, dot(way, ahead))), 3e-5 * speed));
    }
    Ok(())
}

fn low_speed_turns(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (dt, steps) = (1.0 / 256.0, 200);
    let (setup, flow) = flowing(spatial, dt, 1e6, draw.between(0.0, 360.0));
    let time = f64::from(steps) * dt;
    bench.arrives(setup, steps, 0..16, |setup, id| {
        let (low, share, turn) = (draw.scale(0.5, 5.0), draw.between(0.1, 0.4), draw.between(40.0, 120.0));
        // So weak a pull that the speed stays below the limit, and does not pass 0.
        let pull = share * low / time;
        let heading = draw.turned(spatial, unit(flow), turn);
        let speed = low * draw.between(0.45, 0.55);
        setup.agent(&driven(1.0, pull, &format!("low_speed = {low}")), ZERO, times(heading, speed));
        move |found| {
            let expected = (turn.to_radians() / 2.0).tan() * (-pull * time / low).exp();
            let parameters = [("v_low", low), ("a", pull), ("θ", turn.to_radians())];
            let left = angle(found[id].velocity, flow);
            bench.check(Case::relative(&parameters, expected, (left / 2.0).tan(), 3e-3));
        }
    })
}
