//! Flow-field following: what a field wants, how an agent gives way to it, and how its grid is sampled.

use super::locomotion::flowing;
use crate::*;

const REYNOLDS: &str = "Reynolds 1999, Flow Field Following: flow at the predicted position minus own velocity";

laws! {
    flow_field_steering in both: "A = w (V - v) / τ, V the field, or its direction at max_speed",
        source: REYNOLDS,
        mutant: flow_field_steer("sampled * (agent.max_speed / sqrt(squared))" => "sampled * agent.max_speed"),
        mistake: "the direction is not brought to length 1";
    flow_field_relaxation in both:
        "in a uniform field U, v(n) = U + (v - U)(1 - w dt/τ)^n, which is e^(-w t/τ) to first order",
        source: "first-order lag, solved for Euler's steps",
        mutant: flow_field_steer("return steer_to(agent, desired);" => "return desired - agent.velocity;"),
        mistake: "a force of 1 per second: the time constant is missing";
    flow_field_no_overshoot in both: "with w dt/τ ≤ 1 speed never exceeds max(|v|, |U|)",
        source: "the new velocity is a convex combination of the old and the desired one",
        mutant: steer_to("agent.time_constant" => "(0.5 * agent.time_constant)"),
        mistake: "half the time constant";
    flow_field_prediction in both: "the field is sampled at p + v T",
        source: REYNOLDS,
        mutant: flow_field_ahead("agent.position + agent.velocity * flow_field.prediction_time" => "agent.position"),
        mistake: "the field is sampled here, not ahead";
    flow_field_turn in both: "with a turn φ, V is the field turned by φ about z",
        source: "ours: streams that cross in one field",
        mutant: flow_field_ahead("vec3f(0.0, 0.0, flow_field.turn)" => "vec3f(0.0, 0.0, -flow_field.turn)"),
        mistake: "the field is turned clockwise";
    flow_field_interpolation in both:
        "between nodes the field is bilinear, and beyond the last node it has that node's value",
        source: "bilinear interpolation of a vortex 2s/(1 + s²)",
        mutant: field_axis("min(low + 1u, nodes - 1u), within - f32(low)" => "min(low + 1u, nodes - 1u), 0.5"),
        mistake: "the share of the nearer node is left out";
    flow_field_linear in both:
        "along each axis, in space too, the field is linear from node to node: V = A + (B - A) s",
        source: "linear interpolation along each axis of curl noise, whose nodes all differ",
        mutant: sample_record("z.share" => "0.5"),
        mistake: "between two layers the share is left out";
    flow_field_followed in both:
        "with τ = dt an agent moves by the field: p(n + 1) = p(n) + V(p(n)) dt, so it circles a vortex and drifts out",
        source: "Euler's steps along the stream line; the radius grows by √(1 + (ω dt)²) in each",
        mutant: after_step("before + after * world.dt" => "before + moving * world.dt"),
        mistake: "the position moves by the flow of the step before";
    flow_field_zero in both: "where the field is zero, A = 0",
        source: "gdx-ai's rule; Reynolds 1999 leaves it open",
        mutant: flow_field_steer("if (squared <= STANDSTILL) {" => "if (squared < 0.0) {"),
        mistake: "a field of zero is taken for a desired velocity of zero";
    flow_field_brake in both: "with still = brake, A = -w v/τ where the field is zero",
        source: "the other reading of Reynolds 1999: a flow of zero is a desired velocity of zero",
        mutant: flow_field_steer("flow_field.still == FLOW_FIELD_BRAKE" => "false"),
        mistake: "the key has no effect";
    flow_field_outside: "with outside = zero there is no field at p + v T beyond an end; a wrapped axis has no end",
        source: "a field is defined on the world, which goes on across a seam",
        mutant: is_outside_field("(boundary_y != WRAP && beyond.y)" => "beyond.y"),
        mistake: "a wrapped axis is taken to end too";
}

/// A uniform field of random speed and direction, with its vector.
fn wind(draw: &mut Draw, spatial: bool, dt: f64) -> (Setup, V) {
    let (speed, direction) = (draw.between(2.0, 20.0), draw.between(0.0, 360.0));
    flowing(spatial, dt, speed, direction)
}

fn flow_field_steering(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (setup, flow) = wind(draw, spatial, 0.01);
    bench.wants(setup, 0..32, |setup, case| {
        let (weight, tau) = (draw.between(-3.0, 3.0), draw.scale(0.05, 2.0));
        let max_speed = draw.between(21.0, 40.0);
        let (mode, desired) = match case % 2 {
            0 => ("velocity", flow),
            _ => ("direction", times(unit(flow), max_speed)),
        };
        let rule = format!("behaviors.flow_field = {{ weight = {weight}, mode = \"{mode}\" }}");
        let lines = format!("time_constant = {tau}\nmax_speed = {max_speed}\n{rule}");
        let (id, Body { velocity, .. }) = setup.placed(&lines, draw.point(spatial, 30.0), draw.point(spatial, 10.0));
        let expected = times(minus(desired, velocity), weight / tau);
        let bound = 1e-6 * weight.abs() * (norm(desired) + norm(velocity)) / tau;
        (id, [("w", weight), ("τ", tau), ("|V|", norm(desired))], expected, bound)
    })
}

fn flow_field_turn(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (setup, [x, y, _]) = wind(draw, spatial, 0.01);
    bench.wants(setup, 0..16, |setup, _| {
        let turn = draw.between(-180.0, 180.0);
        let id =
            setup.agent(&format!("{FREE}behaviors.flow_field = {{ turn = {turn} }}"), ZERO, draw.point(spatial, 10.0));
        let velocity = setup.body(id).velocity;
        let (sin, cos) = turn.to_radians().sin_cos();
        let desired = [x * cos - y * sin, x * sin + y * cos, 0.0];
        let expected = times(minus(desired, velocity), 4.0);
        (id, [("φ", turn)], expected, 1e-5 * (norm(desired) + norm(velocity)))
    })
}

fn flow_field_relaxation(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (setup, flow) = wind(draw, spatial, DT);
    bench.ends(setup, 64, VELOCITY, 0..24, |setup, _| {
        let (weight, tau) = (draw.between(0.5, 2.0), draw.scale(0.1, 4.0));
        let lines = format!("{FREE}time_constant = {tau}\nbehaviors.flow_field = {{ weight = {weight} }}");
        let (id, Body { velocity, .. }) = setup.placed(&lines, ZERO, draw.point(spatial, 10.0));
        let expected = plus(flow, times(minus(velocity, flow), (1.0 - weight * DT / tau).powi(64)));
        let bound = 64.0 * f64::from(f32::EPSILON) * (norm(flow) + norm(velocity));
        (id, [("w", weight), ("τ", tau)], expected, bound)
    })
}

fn flow_field_no_overshoot(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (setup, flow) = wind(draw, spatial, DT);
    bench.flies(setup, 8, 0..24, |setup, id| {
        // From τ = 0, where one step takes the agent all the way, to τ of many steps.
        let tau = if id < 4 { 0.0 } else { draw.scale(DT, 20.0 * DT) };
        let lines = format!("{FREE}time_constant = {tau}\nbehaviors.flow_field = {{}}");
        setup.agent(&lines, ZERO, draw.point(spatial, 30.0));
        move |path| {
            let fastest = path[1..].iter().map(|bodies| norm(bodies[id].velocity)).fold(0.0, f64::max);
            let [start, wind] = [path[0][id].velocity, flow].map(norm);
            let limit = start.max(wind);
            bench.check(Case::at_most(&[("τ", tau), ("|v|", start), ("|U|", wind)], limit, fastest, 1e-5 * limit));
        }
    })
}

/// World, nodes per side and peak speed of the vortex.
const SIZE: f64 = 64.0;
const NODES: usize = 17;
const PEAK: f64 = 8.0;
const VORTEX_DT: f64 = 1.0 / 64.0;

fn vortex(spatial: bool) -> Setup {
    let field = format!("field = {{ source = \"vortex\", speed = {PEAK}, resolution = {NODES} }}");
    Setup::within(spatial, [SIZE; 3], "open", VORTEX_DT, field)
}

/// The vortex at a node, at any height: 2s/(1 + s²) of the peak around the center, s the distance over a quarter of the world.
fn node(column: usize, row: usize) -> V {
    let along = |index: usize| (index as f64 / (NODES - 1) as f64 - 0.5) * 4.0;
    let (x, y) = (along(column), along(row));
    times([-y, x, 0.0], 2.0 * PEAK / (1.0 + x * x + y * y))
}

/// The vortex between the nodes.
fn bilinear(position: V) -> V {
    let last = (NODES - 1) as f64;
    let axis = |x: f64| {
        let coordinate = ((x / SIZE + 0.5) * last).clamp(0.0, last);
        let low = coordinate.floor().min(last - 1.0);
        (low as usize, coordinate - low)
    };
    let ((column, right), (row, up)) = (axis(position[0]), axis(position[1]));
    let along = |row: usize| plus(times(node(column, row), 1.0 - right), times(node(column + 1, row), right));
    plus(times(along(row), 1.0 - up), times(along(row + 1), up))
}

fn flow_field_prediction(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.wants(vortex(spatial), 0..32, |setup, _| {
        let time = draw.between(0.1, 3.0);
        let rule = format!("behaviors.flow_field = {{ prediction_time = {time} }}");
        let id =
            setup.agent(&format!("time_constant = 1\n{rule}"), draw.point(spatial, 20.0), draw.point(spatial, 8.0));
        let Body { position, velocity } = setup.body(id);
        let expected = minus(bilinear(plus(position, times(velocity, time))), velocity);
        (id, [("T", time), ("|v|", norm(velocity))], expected, 2e-5)
    })
}

fn flow_field_interpolation(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let mut setup = vortex(spatial);
    // A third of the agents, in space more, are beyond the ends of the world.
    let bodies: Vec<Body> = (0..64).map(|_| Body::at(draw.point(spatial, 0.6 * SIZE))).collect();
    setup.species("time_constant = 1\nbehaviors.flow_field = {}", &bodies);
    let wish = |(id, Body { position, .. }): (usize, Body)| {
        (id, [("x", position[0]), ("y", position[1])], bilinear(position), 2e-5)
    };
    bench.wanted(&setup, setup.bodies().into_iter().enumerate().map(wish))
}

fn flow_field_linear(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let field = format!("field = {{ source = \"curl_noise\", speed = 9, wavelength = 20, resolution = {NODES} }}");
    // In a wrapped world there is one more interval: from the last node on to the first.
    for (boundary, intervals) in [("open", NODES - 1), ("wrap", NODES)] {
        let setup = Setup::within(spatial, [SIZE; 3], boundary, 0.01, &field);
        let spacing = SIZE / intervals as f64;
        bench.steers(setup, 0..24, |setup, index| {
            let axis = index % if spatial { 3 } else { 2 };
            let share = draw.between(0.0, 1.0);
            // Anywhere across the axis, between two neighboring nodes along it.
            let mut place = draw.point(spatial, SIZE / 2.0);
            let first = if index % 4 == 3 { intervals as u32 - 1 } else { draw.whole(0, intervals as u32 - 2) };
            let bodies = [0.0, 1.0, share].map(|share| {
                let along = (f64::from(first) + share) * spacing;
                place[axis] = if boundary == "wrap" { along % SIZE } else { along } - SIZE / 2.0;
                Body::at(place)
            });
            let ids = setup.species("time_constant = 1\nmax_speed = 100\nbehaviors.flow_field = {}", &bodies);
            move |found| {
                let [a, b, between] = [0, 1, 2].map(|k| found[ids.start + k]);
                let parameters = [("axis", axis as f64), ("s", share), ("|A - B|", norm(minus(a, b)))];
                let expected = plus(times(a, 1.0 - share), times(b, share));
                bench.check(Case::vector_within(&parameters, expected, between, 2e-5));
            }
        })?;
    }
    Ok(())
}

fn flow_field_followed(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.ends(vortex(spatial), 100, PLACE, 0..24, |setup, _| {
        let lines = format!("{FREE}time_constant = 0\nbehaviors.flow_field = {{}}");
        let (id, Body { position: start, .. }) = setup.placed(&lines, draw.point(spatial, 12.0), ZERO);
        let step = |position: V, _: u32| plus(position, times(bilinear(position), VORTEX_DT));
        let expected = (0..100).fold(start, step);
        let parameters = [("x", start[0]), ("y", start[1]), ("drift", norm(expected) - norm(start))];
        // A position of up to 32 u is rounded in each step, and the flow shears.
        (id, parameters, expected, 100.0 * f64::from(f32::EPSILON) * 32.0)
    })
}

fn flow_field_zero(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    for field in ["\"uniform\", speed = 0", "\"vortex\", speed = 0", "\"curl_noise\", scale = 0"] {
        let setup = Setup::within(spatial, [SIZE; 3], "open", 0.01, format!("field = {{ source = {field} }}"));
        bench.steers(setup, ["velocity", "direction"], |setup, mode| {
            let lines = format!("behaviors.flow_field = {{ mode = \"{mode}\", still = \"ignore\" }}");
            let ids = setup.species(&lines, &draw.crowd(12, spatial, ZERO, 30.0, 9.0));
            move |found| bench.check(ids.map(|id| Case::absolute(&[("agent", id as f64)], 0.0, norm(found[id]), 0.0)))
        })?;
    }
    Ok(())
}

fn flow_field_brake(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.wants(flowing(spatial, 0.01, 0.0, 0.0).0, 0..24, |setup, index| {
        let (weight, tau) = (draw.between(0.5, 2.0), draw.scale(0.05, 2.0));
        let mode = ["velocity", "direction"][index % 2];
        let rule = format!("behaviors.flow_field = {{ weight = {weight}, mode = \"{mode}\", still = \"brake\" }}");
        let lines = format!("time_constant = {tau}\n{rule}");
        let id = setup.agent(&lines, draw.point(spatial, 30.0), draw.point(spatial, 9.0));
        let expected = times(setup.body(id).velocity, -weight / tau);
        (id, [("w", weight), ("τ", tau)], expected, 1e-6 * norm(expected))
    })
}

fn flow_field_outside(bench: &Bench, draw: &mut Draw) -> Tried {
    const SIDES: V = [64.0, 48.0, 40.0];
    let worlds = [&["open", "wrap"][..], &["wrap", "contain"], &["wrap", "wrap", "open"]];
    for boundary in worlds {
        let spatial = boundary.len() == 3;
        let field = "world.margin = 0\nfield = { source = \"uniform\", speed = 8, direction = 30 }";
        let flow = times([30f64.to_radians().cos(), 30f64.to_radians().sin(), 0.0], 8.0);
        bench.wants(Setup::within(spatial, SIDES, boundary, 0.01, field), 0..32, |setup, index| {
            let (time, outside) = (draw.between(0.5, 3.0), ["zero", "clamp"][index % 2]);
            let rule = format!("behaviors.flow_field = {{ prediction_time = {time}, outside = \"{outside}\" }}");
            // About half of the predicted positions are outside.
            let half = if spatial { 19.0 } else { 23.0 };
            let lines = format!("time_constant = 1\n{rule}");
            let id = setup.agent(&lines, draw.point(spatial, half), draw.point(spatial, 20.0));
            let Body { position, velocity } = setup.body(id);
            let ahead = plus(position, times(velocity, time));
            let is_beyond = |axis: usize| boundary[axis] != "wrap" && ahead[axis].abs() > SIDES[axis] / 2.0;
            let beyond = (0..boundary.len()).any(is_beyond);
            let expected = if beyond && outside == "zero" { ZERO } else { minus(flow, velocity) };
            let parameters = [("x", ahead[0]), ("y", ahead[1]), ("zero", f64::from(outside == "zero"))];
            (id, parameters, expected, 1e-4)
        })?;
    }
    Ok(())
}
