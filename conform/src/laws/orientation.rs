//! Orientation: the basis, limits of turns, inertia, angular drag, independent facing, banking, and up on a surface.

use super::locomotion::flowing;
use crate::*;
use std::f64::consts::PI;
use steerling::model::Pose;

const REYNOLDS: &str = "Reynolds 1999, A Simple Vehicle Model";
const UPRIGHT: V = [0.0, 0.0, 1.0];

laws! {
    basis_orthonormal in both:
        "|forward| = |up| = 1, forward · up = 0; up turns by less than 90° with the heading; +z in a plane",
        source: "Reynolds 1999, whose last line, up = forward × side, turns up over in every step: up = side × forward",
        mutant: rebase("side / sqrt(dot3(side, side)), forward" => "forward, side / sqrt(dot3(side, side))"),
        mistake: "up = forward × side";
    basis_at_rest in both: "an agent that stops keeps its heading, and one that flies straight its basis, to the bit",
        source: "heading = normalize(velocity) is undefined at v = 0: keep the previous one",
        mutant: direction_of("return otherwise;" => "return vec3f(1.0, 0.0, 0.0);"),
        mistake: "an agent at rest faces +x";
    turn_about in both:
        "without a limit of turns an agent may turn by 180° in a step, however slow it is; with one, by ω_max dt",
        source: "Reynolds 1999: a simple vehicle may turn by any angle in a step, and needs a limit where that matters",
        mutant: rotation_between("return select(up * PI, axis, cosine > 0.0);" => "return axis;"),
        mistake: "opposite directions have no axis, so no agent turns about";
    turn_rate in both: "a heading turns by min(ω_max dt, φ) in each step toward a direction at the angle φ",
        source: "Reynolds 1999: a constraint on the change of orientation per step",
        mutant: spun("limit(faster, limits.angular_speed);" => "limit(faster, limits.angular_speed * 1.1);"),
        mistake: "the heading turns faster by a tenth";
    turn_rate_velocity in both: "the velocity follows the limited heading: v × forward = 0",
        source: "velocity alignment, Reynolds 1999",
        mutant: course_of("velocity = turn.forward * speed;" => "velocity = after;"),
        mistake: "the agent skids";
    turn_inertia in both: "a constant torque turns a body at rest by ½ (T / I) t² + ½ (T / I) t dt",
        source: "Reynolds 1999: a moment of inertia; Newton's second law for rotations",
        mutant: spun("angular_acceleration_of(own, limits.id)" => "angular_acceleration_of(own, limits.id) * 1.05"),
        mistake: "the torque is greater than allowed";
    turn_comes_to_rest in both: "a turn by φ ends at φ, never beyond it, within 2.13 sqrt(φ / α) and a few steps",
        source: "α until half way, then 4/5 of it: t = 2.25 sqrt(φ / (1.125 α))",
        mutant: turn_to("let step = min(angle, stopping);" => "let step = angle;"),
        mistake: "the turn brakes too late and swings over";
    angular_drag in both: "a free rotation decays: ω(t) = ω e^(-k t)",
        source: "drag in place of a cap, for angular velocities too",
        mutant: spun("let faster = spin * species[own].vehicle.spin_kept +" => "let faster = spin + "),
        mistake: "rotations have no drag";
    facing_independent in both:
        "an agent that faces freely moves sideways: neither velocity nor heading follows the other",
        source: "orientation independent of velocity (strafing)",
        mutant: course_of("if (species[own].vehicle.faces_freely != 0u) {" => "if (false) {"),
        mistake: "every heading follows the velocity";
    facing_mirrored in both: "a wall that turns a velocity turns the heading with it",
        source: "velocity alignment holds at walls too",
        mutant: mirrored("select(direction, -direction, before != after)" => "direction"),
        mistake: "the agent flies backward off the wall";
    banking_levels: "level flight rights itself: tan(θ / 2) falls as e^(-righting rate t)",
        source: "up ← lerp(up, righting · world up, rate dt), of unit length: dθ/dt = -righting rate sin θ",
        mutant: banked("wish.y += drawn" => "wish.z += drawn"),
        mistake: "up is z";
    banking_turn: "a steady level turn banks to the inside: tan θ = leaning v ω / righting",
        source: "equilibrium of leaning · acceleration and righting · world up",
        mutant: banked("wish = bank * drawn" => "wish = -bank * drawn"),
        mistake: "the agent rolls to the outside";
    surface_sphere: "coasting on a sphere: a great circle, by atan(v dt / R) in each step, at constant speed",
        source: "Reynolds 1999: position set to the surface, velocity tangential; the speed is kept",
        mutant: tangential("return along * (sqrt(dot3(velocity, velocity)) / sqrt(squared));" => "return along;"),
        mistake: "the sphere slows agents down";
    surface_stands: "on hills y = h(x, z), up is the normal, velocity and heading are tangential",
        source: REYNOLDS,
        mutant: standing("next.up = rebase(next.forward, normal);" => "next.up = rebase(next.forward, body.up);"),
        mistake: "up is not set to the normal";
    surface_nearest:
        "on hills an agent is put at the nearest point of the surface, from afar at a locally nearest one; v is \
         turned into the slope, at its speed",
        source: "Reynolds 1999: position set to the nearest point of the surface; here sought in f64 by ever finer grids",
        mutant: height_field("foot = next;" => "foot = vec3f(position.x, slope_at(position).height, position.z);"),
        mistake: "agents are put straight above or below, so the way over a hill is too long";
    surface_plane: "on a plane an agent comes down along the normal, and coasts straight on in the plane at its speed",
        source: "Reynolds 1999: position set to the surface, velocity tangential; the speed is kept",
        mutant: ground_at("dot3(surface.normal, offset)" => "dot3(surface.normal, position)"),
        mistake: "every plane goes through the origin";
    surface_mesh:
        "on a mesh an agent is put at the nearest point of all triangles: within one, on a side, or at a corner",
        source: "Reynolds 1999: position set to the nearest point of the surface; here sought in f64 in each triangle",
        mutant: nearest_shares("share_b - share_c, share_b, share_c);" => "share_b - share_c, share_c, share_b);"),
        mistake: "two corners are taken for each other";
    surface_mesh_stands:
        "on a mesh up is the mean of the normals at the triangle's corners, weighted by their shares; v is turned \
         across it, at its speed",
        source: "Thürmer and Wüthrich 1998: normals of corners, by angles; between corners as Phong 1975 has them",
        mutant: on_mesh("let up = weighted(normals, shares);" => "let up = normals.a;"),
        mistake: "up jumps at every edge";
}

fn forward(pose: &Pose) -> V {
    wide(pose.forward)
}

fn basis_orthonormal(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    const KINDS: [&str; 6] = [
        "orientation = \"kept\"",
        "max_angular_speed = 200",
        "max_angular_acceleration = 2000",
        "facing = \"independent\"",
        "locomotion = \"turn_first\", max_angular_speed = 300",
        "orientation = \"kept\"",
    ];
    let field = "field = { source = \"curl_noise\", speed = 9, wavelength = 8, resolution = 32 }";
    let mut setup = Setup::within(spatial, [40.0; 3], "wrap", 0.02, field);
    for (index, vehicle) in KINDS.into_iter().enumerate() {
        // The last kind circles in a level plane, so its headings change along two axes.
        let is_level = index == KINDS.len() - 1;
        let in_space = spatial && !is_level;
        let target = format!("seek.target.point = {}", point(spatial, ZERO));
        let behavior = if is_level { &target } else { "flow_field = {}" };
        let lines = format!("max_speed = 12\nmax_force = 200\nbehaviors.{behavior}\nvehicle = {{ {vehicle} }}\n");
        let bodies = draw.crowd(24, in_space, ZERO, 19.0, 5.0);
        for id in setup.species(&lines, &bodies) {
            let (heading, spin) = (draw.heading(in_space), draw.point(true, 6.0));
            setup.face(id, heading, draw.heading(true), spin);
        }
    }
    let mut run = bench.start(&setup)?;
    let mut before = run.poses()?;
    // For each kind the largest error of a length or an angle, and the least up · up of the step before.
    let mut worst = [(0f64, 1f64); KINDS.len()];
    for _ in 0..25 {
        run.step(1)?;
        let poses = run.poses()?;
        for (id, (pose, before)) in poses.iter().zip(&before).enumerate() {
            let (f, u) = (forward(pose), wide(pose.up));
            let skew = [norm(f) - 1.0, norm(u) - 1.0, dot(f, u), norm(cross(f, u)) - 1.0];
            let flat = if spatial { 0.0 } else { norm(minus(u, UPRIGHT)) + f[2].abs() };
            let (error, turned) = &mut worst[id / 24];
            *error = skew.iter().fold(error.max(flat), |worst, error| worst.max(error.abs()));
            if angle(f, forward(before)) < 1.4 {
                *turned = turned.min(dot(u, wide(before.up)));
            }
        }
        before = poses;
    }
    for (kind, (error, turned)) in worst.into_iter().enumerate() {
        let parameters = [("vehicle", kind as f64), dimensions(spatial)];
        bench.check(Case::at_most(&parameters, 0.0, error, 2e-6));
        bench.check(Case::at_least(&parameters, 0.1, turned, 0.0));
    }
    Ok(())
}

fn basis_at_rest(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let mut setup = Setup::open(spatial, 1.0 / 64.0);
    // With drag the velocity is zero after some steps; without, it stays.
    for drag in [4000, 0] {
        let lines = format!("{FREE}vehicle = {{ orientation = \"kept\", linear_drag = {drag} }}\n");
        setup.species(&lines, &draw.crowd(12, spatial, ZERO, 50.0, 7.0));
    }
    let mut run = bench.run(&setup, 2)?;
    let early = run.poses()?;
    run.step(60)?;
    for (id, ((late, early), body)) in run.poses()?.iter().zip(&early).zip(setup.bodies()).enumerate() {
        let parameters = [("agent", id as f64), dimensions(spatial)];
        bench.check(Case::vector(&parameters, unit(body.velocity), forward(late), 1e-6));
        let same = (late.forward, late.up) == (early.forward, early.up);
        bench.check(Case::holds(&parameters, true, same));
    }
    Ok(())
}

/// Agents that want to move along a flow, and start at rest with a heading at an angle from it. Returns the angles.
fn turning(
    draw: &mut Draw,
    setup: &mut Setup,
    spatial: bool,
    flow: V,
    vehicles: &[String],
    range: [f64; 2],
) -> Vec<f64> {
    let mut add = |vehicle: &String| {
        let angle = draw.between(range[0], range[1]);
        let heading = draw.turned(spatial, unit(flow), angle.to_degrees());
        let lines = format!(
            "{FREE}time_constant = 0.1\nbehaviors.flow_field = {{}}\n\
             vehicle = {{ locomotion = \"kinematic\", {vehicle} }}\n"
        );
        let id = setup.agent(&lines, ZERO, ZERO);
        setup.face(id, heading, if spatial { draw.turned(true, heading, 90.0) } else { UPRIGHT }, ZERO);
        angle
    };
    vehicles.iter().map(&mut add).collect()
}

fn turn_about(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let dt = 1.0 / 32.0;
    for limited in [false, true] {
        let (mut setup, mut drawn) = (Setup::open(spatial, dt), Vec::new());
        for index in 0..12 {
            let (heading, speed) = (draw.heading(spatial), draw.scale(0.01, 5.0));
            let (rate, place) = (draw.scale(20.0, 900.0), lane(index, 40.0));
            let limit = if limited { format!("vehicle.max_angular_speed = {rate}\n") } else { String::new() };
            let behind = point(spatial, minus(place, times(heading, 20.0)));
            let seek = format!("behaviors.seek = {{ target = {{ point = {behind} }} }}");
            let lines = limits(5.0, 1e9, 0.0) + &format!("{limit}{seek}");
            setup.agent(&lines, place, times(heading, speed));
            drawn.push((heading, speed, rate.to_radians()));
        }
        let run = bench.run(&setup, 1)?;
        // The velocity of a limited agent has no part along its new heading, so its pose has to tell the heading.
        let headings: Vec<V> = match limited {
            true => run.poses()?.iter().map(forward).collect(),
            false => run.bodies()?.iter().map(|body| body.velocity).collect(),
        };
        for ((heading, speed, rate), after) in drawn.into_iter().zip(headings) {
            let expected = if limited { (rate * dt).min(PI) } else { PI };
            bench.check(Case::absolute(&[("v", speed), ("ω", rate)], expected, angle(heading, after), 1e-5));
        }
    }
    Ok(())
}

fn turn_rate(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let dt = 1.0 / 32.0;
    let (mut setup, flow) = flowing(spatial, dt, 5.0, draw.between(0.0, 360.0));
    let rates: Vec<f64> = (0..24).map(|_| draw.scale(20.0, 900.0)).collect();
    let vehicles: Vec<String> = rates.iter().map(|rate| format!("max_angular_speed = {rate}")).collect();
    let angles = turning(draw, &mut setup, spatial, flow, &vehicles, [0.1, PI]);
    let (mut run, mut time) = (bench.start(&setup)?, 0.0);
    let start = run.poses()?;
    for steps in [1, 8, 32] {
        run.step(steps)?;
        time += f64::from(steps) * dt;
        for (((start, pose), rate), angle_left) in start.iter().zip(run.poses()?).zip(&rates).zip(&angles) {
            let expected = (rate.to_radians() * time).min(*angle_left);
            let parameters = [("ω", rate.to_radians()), ("φ", *angle_left), ("t", time)];
            bench.check(Case::absolute(&parameters, expected, angle(forward(start), forward(&pose)), 1e-5));
        }
    }
    Ok(())
}

fn turn_rate_velocity(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (mut setup, flow) = flowing(spatial, 1.0 / 32.0, 5.0, draw.between(0.0, 360.0));
    let rates: Vec<f64> = (0..24).map(|_| draw.scale(20.0, 300.0)).collect();
    let vehicles: Vec<String> = rates.iter().map(|rate| format!("max_angular_speed = {rate}")).collect();
    turning(draw, &mut setup, spatial, flow, &vehicles, [0.3, 1.4]);
    let mut run = bench.start(&setup)?;
    let mut worst = vec![0f64; rates.len()];
    for _ in 0..24 {
        run.step(1)?;
        for ((worst, body), pose) in worst.iter_mut().zip(run.bodies()?).zip(run.poses()?) {
            *worst = worst.max(norm(cross(body.velocity, forward(&pose))));
        }
    }
    let case = |(rate, worst): (f64, f64)| Case::at_most(&[("ω", rate.to_radians())], 0.0, worst, 5e-6);
    bench.tried(rates.into_iter().zip(worst).map(case))
}

fn turn_inertia(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (dt, steps) = (1.0 / 32.0, 12);
    let (mut setup, flow) = flowing(spatial, dt, 5.0, draw.between(0.0, 360.0));
    let bodies: Vec<(f64, f64)> = (0..24).map(|_| (draw.scale(0.1, 10.0), draw.between(0.5, 8.0))).collect();
    let vehicle =
        |(inertia, alpha): &(f64, f64)| format!("moment_of_inertia = {inertia}, max_torque = {}", inertia * alpha);
    let vehicles: Vec<String> = bodies.iter().map(vehicle).collect();
    turning(draw, &mut setup, spatial, flow, &vehicles, [2.5, 3.1]);
    let mut run = bench.start(&setup)?;
    let start = run.poses()?;
    run.step(steps)?;
    let t = f64::from(steps) * dt;
    let case = |(((inertia, alpha), start), pose): (((f64, f64), &Pose), Pose)| {
        let parameters = [("I", inertia), ("T", inertia * alpha)];
        let expected = alpha * t * (t + dt) / 2.0;
        Case::absolute(&parameters, expected, angle(forward(start), forward(&pose)), 1e-5)
    };
    bench.tried(bodies.into_iter().zip(&start).zip(run.poses()?).map(case))
}

fn turn_comes_to_rest(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (dt, steps) = (1.0 / 32.0, 128);
    let (mut setup, flow) = flowing(spatial, dt, 5.0, draw.between(0.0, 360.0));
    let rates: Vec<f64> = (0..24).map(|_| draw.between(5.0, 60.0)).collect();
    let vehicle = |rate: &f64| format!("max_angular_acceleration = {}", rate.to_degrees());
    let vehicles: Vec<String> = rates.iter().map(vehicle).collect();
    let angles = turning(draw, &mut setup, spatial, flow, &vehicles, [0.2, 3.0]);
    let mut run = bench.start(&setup)?;
    let start = run.poses()?;
    // For each agent: the largest angle turned, the first step at the end of the turn, and the error there.
    let mut found = vec![(0f64, 0u32, 0f64); rates.len()];
    for step in 1..=steps {
        run.step(1)?;
        for ((found, (start, pose)), end) in found.iter_mut().zip(start.iter().zip(run.poses()?)).zip(&angles) {
            let turned = angle(forward(start), forward(&pose));
            found.0 = found.0.max(turned);
            if (turned - end).abs() > 1e-3 {
                found.1 = step + 1;
            }
            found.2 = angle(forward(&pose), flow);
        }
    }
    let cases = rates.into_iter().zip(angles).zip(found).flat_map(|((alpha, end), (farthest, arrived, off))| {
        let parameters = [("α", alpha), ("φ", end)];
        let latest = 2.13 * (end / alpha).sqrt() + 4.0 * dt;
        [
            Case::at_most(&parameters, end, farthest, 1e-5),
            Case::at_most(&parameters, latest, f64::from(arrived) * dt, 0.0),
            Case::absolute(&parameters, 0.0, off, 1e-5),
        ]
    });
    bench.tried(cases)
}

/// Agents that face freely and turn about an axis across their heading. Returns drag and angular velocity of each.
fn spinning(draw: &mut Draw, setup: &mut Setup, spatial: bool, dragged: bool) -> Vec<(f64, V)> {
    let mut add = |_| {
        let k = if dragged { draw.scale(0.2, 10.0) } else { 0.0 };
        let heading = draw.heading(spatial);
        let axis = if spatial { unit(cross(heading, draw.heading(true))) } else { UPRIGHT };
        let spin = times(axis, draw.between(0.3, 2.5));
        let lines = format!("{FREE}vehicle = {{ facing = \"independent\", angular_drag = {k} }}\n");
        let id = setup.agent(&lines, draw.point(spatial, 9.0), times(draw.heading(spatial), 5.0));
        setup.face(id, heading, if spatial { axis } else { UPRIGHT }, spin);
        (k, spin)
    };
    (0..16).map(&mut add).collect()
}

fn angular_drag(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let steps = 48;
    let mut setup = Setup::open(spatial, DT);
    let drawn = spinning(draw, &mut setup, spatial, true);
    let mut run = bench.start(&setup)?;
    let start = run.poses()?;
    run.step(steps)?;
    for (((k, spin), start), pose) in drawn.into_iter().zip(&start).zip(run.poses()?) {
        let parameters = [("k", k), ("ω", norm(spin)), dimensions(spatial)];
        let left = |step: u32| (-k * f64::from(step) * DT).exp();
        bench.check(Case::vector(&parameters, times(spin, left(steps)), wide(pose.spin), 2e-5));
        let turned = norm(spin) * DT * (1..=steps).map(left).sum::<f64>();
        bench.check(Case::absolute(&parameters, turned, angle(forward(start), forward(&pose)), 1e-5));
    }
    Ok(())
}

fn facing_independent(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let steps = 48;
    let mut setup = Setup::open(spatial, DT);
    let drawn = spinning(draw, &mut setup, spatial, false);
    let mut run = bench.start(&setup)?;
    let start = run.poses()?;
    run.step(steps)?;
    let (poses, bodies) = (run.poses()?, run.bodies()?);
    for (id, (_, spin)) in drawn.into_iter().enumerate() {
        let parameters = [("ω", norm(spin)), dimensions(spatial)];
        let turned = norm(spin) * f64::from(steps) * DT;
        bench.check(Case::absolute(&parameters, turned, angle(forward(&start[id]), forward(&poses[id])), 1e-5));
        bench.check(Case::vector(&parameters, setup.body(id).velocity, bodies[id].velocity, 0.0));
    }
    Ok(())
}

fn facing_mirrored(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let mut setup = Setup::within(spatial, [40.0; 3], "contain", 0.02, "world.margin = 0");
    let axes = if spatial { 3 } else { 2 };
    // By itself it could not turn round.
    let lines = "max_speed = 100\nmax_force = 0\nvehicle = { max_angular_speed = 1 }\n";
    for index in 0..16 {
        let (mut position, mut heading) = (draw.point(spatial, 15.0), draw.heading(spatial));
        let axis = index % axes;
        heading[axis] += heading[axis].signum();
        position[axis] = 19.95 * heading[axis].signum();
        setup.agent(lines, position, times(unit(heading), draw.between(8.0, 20.0)));
    }
    let run = bench.run(&setup, 2)?;
    for (id, (body, pose)) in run.bodies()?.into_iter().zip(run.poses()?).enumerate() {
        let start = setup.body(id).velocity;
        let parameters = [("axis", (id % axes) as f64), ("dimensions", axes as f64)];
        bench.check(Case::vector(&parameters, unit(body.velocity), forward(&pose), 1e-6));
        bench.check(Case::relative(&parameters, -start[id % axes], body.velocity[id % axes], 1e-5));
    }
    Ok(())
}

fn banking_levels(bench: &Bench, draw: &mut Draw) -> Tried {
    let (dt, steps) = (1.0 / 240.0, 240);
    let (mut setup, mut drawn) = (Setup::open(true, dt), Vec::new());
    for _ in 0..24 {
        let (righting, rate, tilt) = (draw.between(0.1, 0.5), draw.between(1.0, 3.0), draw.between(-2.5, 2.5));
        let direction = draw.between(0.0, 2.0 * PI);
        let heading = [direction.cos(), 0.0, direction.sin()];
        let up = plus(times([0.0, 1.0, 0.0], tilt.cos()), times(cross(heading, [0.0, 1.0, 0.0]), tilt.sin()));
        let banking = format!("banking = {{ righting = {righting}, leaning = 0, rate = {rate} }}");
        let id = setup.agent(&format!("{FREE}vehicle = {{ {banking} }}\n"), ZERO, times(heading, 5.0));
        setup.face(id, heading, up, ZERO);
        drawn.push((righting, rate, tilt));
    }
    let run = bench.run(&setup, steps)?;
    let case = |((righting, rate, tilt), pose): ((f64, f64, f64), Pose)| {
        let time = f64::from(steps) * dt;
        let expected = 2.0 * ((tilt.abs() / 2.0).tan() * (-righting * rate * time).exp()).atan();
        let parameters = [("righting", righting), ("rate", rate), ("θ", tilt)];
        Case::absolute(&parameters, expected, angle(wide(pose.up), [0.0, 1.0, 0.0]), 0.02)
    };
    bench.check(drawn.into_iter().zip(run.poses()?).map(case));
    // If up follows at once, it is the direction across the course nearest to the world's up, however weak the righting.
    let (mut setup, mut drawn) = (Setup::open(true, 0.03125), Vec::new());
    while drawn.len() < 16 {
        let (righting, heading) = (draw.scale(1e-3, 10.0), draw.heading(true));
        if heading[1].abs() < 0.9 {
            let banking = format!("banking = {{ righting = {righting}, leaning = 0, rate = 1e3 }}");
            let id = setup.agent(&format!("{FREE}vehicle = {{ {banking} }}\n"), ZERO, times(heading, 5.0));
            setup.face(id, heading, draw.turned(true, heading, 90.0), ZERO);
            drawn.push((righting, heading));
        }
    }
    let run = bench.run(&setup, 2)?;
    bench.check(drawn.into_iter().zip(run.poses()?).map(|((righting, heading), pose)| {
        let up = unit(minus([0.0, 1.0, 0.0], times(heading, heading[1])));
        Case::vector_within(&[("righting", righting), ("f_y", heading[1])], up, wide(pose.up), 1e-4)
    }));
    Ok(())
}

fn banking_turn(bench: &Bench, draw: &mut Draw) -> Tried {
    let (mut setup, mut drawn) = (Setup::open(true, 1.0 / 240.0), Vec::new());
    for index in 0..24 {
        let (speed, omega) = (draw.between(2.0, 12.0), draw.between(0.5, 3.0) * [1.0, -1.0][index % 2]);
        let (righting, leaning) = (draw.between(0.1, 1.0), draw.between(0.01, 0.1));
        let direction = draw.between(0.0, 2.0 * PI);
        let heading = [direction.cos(), 0.0, direction.sin()];
        let lines = format!(
            "{FREE}vehicle = {{ locomotion = \"turn_first\", max_angular_speed = 360, max_angular_acceleration = 0, \
             forward_acceleration = \"constant\", \
             banking = {{ righting = {righting}, leaning = {leaning}, rate = 100 }} }}\n"
        );
        let id = setup.agent(&lines, ZERO, times(heading, speed));
        setup.face(id, heading, [0.0, 1.0, 0.0], [0.0, omega, 0.0]);
        drawn.push((speed, omega, righting, leaning));
    }
    let run = bench.run(&setup, 80)?;
    let case = |((speed, omega, righting, leaning), pose): ((f64, f64, f64, f64), Pose)| {
        let inside = cross([0.0, omega.signum(), 0.0], forward(&pose));
        let bank = dot(wide(pose.up), inside) / dot(wide(pose.up), [0.0, 1.0, 0.0]);
        let parameters = [("v", speed), ("ω", omega), ("righting", righting), ("leaning", leaning)];
        Case::relative(&parameters, leaning * speed * omega.abs() / righting, bank, 0.01)
    };
    bench.tried(drawn.into_iter().zip(run.poses()?).map(case))
}

/// Lines of an agent on a surface.
fn hugger() -> String {
    format!("{FREE}vehicle = {{ hugs_surface = true }}\n")
}

fn surface_sphere(bench: &Bench, draw: &mut Draw) -> Tried {
    let (dt, steps) = (1.0 / 32.0, 48);
    for _ in 0..3 {
        let radius = draw.between(5.0, 30.0);
        let center = draw.point(true, 40.0);
        let surface = format!("surface = {{ shape = \"sphere\", center = {center:?}, radius = {radius} }}");
        let mut setup = Setup::open_with(true, dt, surface);
        let mut drawn = Vec::new();
        for _ in 0..8 {
            let normal = draw.heading(true);
            let along = unit(cross(normal, draw.heading(true)));
            let speed = draw.between(1.0, 10.0);
            setup.agent(&hugger(), plus(center, times(normal, radius)), times(along, speed));
            drawn.push((normal, along, speed));
        }
        // For an agent at the very center all points of the sphere are equally near.
        let middle = setup.agent(&hugger(), center, ZERO);
        let offset = minus(bench.after(&setup, 1)?[middle].position, center);
        bench.check(Case::absolute(&[("R", radius), ("v", 0.0)], radius, norm(offset), 2e-5));
        for ((normal, along, speed), body) in drawn.into_iter().zip(bench.after(&setup, steps)?) {
            let psi = f64::from(steps) * (speed * dt / radius).atan();
            let parameters = [("R", radius), ("v", speed)];
            let expected = times(plus(times(normal, psi.cos()), times(along, psi.sin())), radius);
            let offset = minus(body.position, center);
            bench.check(Case::vector_within(&parameters, expected, offset, 2e-4));
            bench.check(Case::absolute(&parameters, radius, norm(offset), 2e-5));
            bench.check(Case::relative(&parameters, speed, norm(body.velocity), 1e-5));
            bench.check(Case::absolute(&parameters, 0.0, dot(unit(offset), unit(body.velocity)), 5e-6));
        }
    }
    Ok(())
}

/// Four hills, each as x, z, height and width, u.
struct Hills([[f64; 4]; 4]);

impl Hills {
    fn drawn(draw: &mut Draw) -> Hills {
        Hills([(); 4].map(|()| {
            let [x, z] = [draw.between(-15.0, 15.0), draw.between(-15.0, 15.0)];
            [x, z, draw.between(-4.0, 8.0), draw.between(4.0, 12.0)]
        }))
    }

    /// A world with these hills, at 32 steps a second.
    fn setup(&self) -> Setup {
        let table = |[x, z, height, width]: &[f64; 4]| {
            format!("{{ x = {x:?}, z = {z:?}, height = {height:?}, width = {width:?} }}")
        };
        let hills = self.0.iter().map(table).collect::<Vec<_>>().join(", ");
        let surface = format!("surface = {{ shape = \"height_field\", level = 2, hills = [{hills}] }}");
        Setup::open_with(true, 0.03125, surface)
    }

    fn height(&self, x: f64, z: f64) -> f64 {
        let own = |[cx, cz, height, width]: &[f64; 4]| {
            let r2 = (x - cx).powi(2) + (z - cz).powi(2);
            height / (1.0 + r2 / (width * width)).powi(2)
        };
        2.0 + self.0.iter().map(own).sum::<f64>()
    }

    /// The point of the surface nearest to a place, searched around a point.
    fn nearest(&self, place: V, around: V) -> V {
        let point = |x: f64, z: f64| [x, self.height(x, z), z];
        let (mut best, mut width) = (point(around[0], around[2]), 0.5);
        while width > 1e-9 {
            let around = (0..121).map(|k| {
                let [i, j] = [k % 11, k / 11].map(|index| f64::from(index - 5) * width / 5.0);
                point(best[0] + i, best[2] + j)
            });
            let off = |point: &V| norm(minus(place, *point));
            best = around.min_by(|a, b| off(a).total_cmp(&off(b))).expect("a grid");
            width *= 0.4;
        }
        best
    }

    fn normal(&self, x: f64, z: f64) -> V {
        let slope = |dx: f64, dz: f64| (self.height(x + dx, z + dz) - self.height(x - dx, z - dz)) / 2e-4;
        unit([-slope(1e-4, 0.0), 1.0, -slope(0.0, 1e-4)])
    }
}

fn surface_nearest(bench: &Bench, draw: &mut Draw) -> Tried {
    let dt = 0.03125;
    let hills = Hills::drawn(draw);
    let mut setup = hills.setup();
    for _ in 0..24 {
        // Above the hills and below them.
        let [x, y, z] = [draw.between(-15.0, 15.0), draw.between(-20.0, 30.0), draw.between(-15.0, 15.0)];
        let velocity = times(draw.heading(true), draw.between(2.0, 10.0));
        setup.agent(&hugger(), [x, y, z], velocity);
    }
    let flight = flight(bench, &setup, 4)?;
    for id in 0..24 {
        for (step, pair) in flight.windows(2).enumerate() {
            let [before, after] = [0, 1].map(|index: usize| pair[index][id]);
            let moved = plus(before.position, times(before.velocity, dt));
            let [x, y, z] = after.position;
            let (normal, offset) = (hills.normal(x, z), minus(moved, after.position));
            let parameters = [("step", step as f64), ("x", x), ("z", z)];
            bench.check(Case::absolute(&parameters, hills.height(x, z), y, 2e-5));
            if step == 0 {
                let least = norm(minus(moved, hills.nearest(moved, after.position)));
                bench.check(Case::at_most(&parameters, least, norm(offset), 1e-4 * least + 1e-5));
            } else {
                let nearest = hills.nearest(moved, moved);
                bench.check(Case::vector_within(&parameters, nearest, after.position, 1e-4));
            }
            let velocity = times(unit(across(before.velocity, normal)), norm(before.velocity));
            bench.check(Case::vector(&parameters, velocity, after.velocity, 1e-4));
        }
    }
    Ok(())
}

fn surface_stands(bench: &Bench, draw: &mut Draw) -> Tried {
    let hills = Hills::drawn(draw);
    let (mut setup, draw) = (hills.setup(), draw);
    for _ in 0..24 {
        let mut position = draw.point(true, 15.0);
        position[1] = 30.0;
        setup.agent(&hugger(), position, times(draw.heading(true), 6.0));
    }
    let run = bench.run(&setup, 40)?;
    for (id, (body, pose)) in run.bodies()?.into_iter().zip(run.poses()?).enumerate() {
        let [x, y, z] = body.position;
        let normal = hills.normal(x, z);
        let parameters = [("agent", id as f64), ("x", x), ("z", z)];
        bench.check(Case::absolute(&parameters, hills.height(x, z), y, 1e-5));
        bench.check(Case::vector(&parameters, normal, wide(pose.up), 1e-5));
        bench.check(Case::absolute(&parameters, 0.0, dot(unit(body.velocity), normal), 1e-5));
        bench.check(Case::vector(&parameters, unit(body.velocity), forward(&pose), 1e-5));
    }
    Ok(())
}

/// An agent near the knot after a step without force, and the mesh's nearest triangle in f64.
struct OnMesh {
    /// Position and velocity after the step if there were no surface.
    free: Body,
    after: Body,
    up: V,
    /// Corners and normals of the nearest triangle, and the barycentric coordinates of its nearest point.
    corners: [V; 3],
    normals: [V; 3],
    shares: V,
}

impl OnMesh {
    fn drawn(bench: &Bench, draw: &mut Draw) -> Result<Vec<OnMesh>, ConformError> {
        let dt = 0.03125;
        let lines = hugger();
        let size = rounded([draw.between(20.0, 60.0), 0.0, 0.0])[0];
        let surface =
            format!("surface = {{ shape = \"mesh\", source = \"knot\", center = [3, -5, 7], size = {size} }}");
        let mut lone = Setup::open_with(true, dt, &surface);
        lone.agent(&lines, ZERO, ZERO);
        let scene = bench.scene(&lone)?;
        let triangles = scene.scenery.surface.as_ref().and_then(|surface| surface.triangles(&scene.world));
        let triangles: Vec<([V; 3], [V; 3])> = triangles
            .unwrap_or_default()
            .iter()
            .map(|one| [one.corners, one.normals].map(|three| three.map(|at| wide(at.to_array()))))
            .map(|[corners, normals]| (corners, normals))
            .collect();
        // Positions whose nearest point is within a triangle, on a side, or at a corner.
        let bodies = [(); 48].map(|()| {
            let [corner, ..] = triangles[draw.word() as usize % triangles.len()].0;
            let position = plus(corner, draw.point(true, 0.1 * size));
            Body::at(position).moving(times(draw.heading(true), draw.between(2.0, 10.0)))
        });
        let mut setup = Setup::open_with(true, dt, surface);
        setup.species(&lines, &bodies);
        let flight = flight(bench, &setup, 3)?;
        let mut run = bench.start(&setup)?;
        let mut found = Vec::new();
        for pair in flight.windows(2) {
            run.step(1)?;
            let poses = run.poses()?;
            for id in 0..48 {
                let [before, after] = [0, 1].map(|index: usize| pair[index][id]);
                let free = Body { position: plus(before.position, times(before.velocity, dt)), ..before };
                let all = triangles.iter().map(|(corners, normals)| {
                    let shares = nearest_shares(free.position, *corners);
                    let off = norm(minus(free.position, weighted(*corners, shares)));
                    (off, OnMesh { free, after, up: wide(poses[id].up), corners: *corners, normals: *normals, shares })
                });
                found.extend(all.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, found)| found));
            }
        }
        Ok(found)
    }

    fn point(&self) -> V {
        weighted(self.corners, self.shares)
    }
}

fn weighted(three: [V; 3], shares: V) -> V {
    (0..3).fold(ZERO, |sum, k| plus(sum, times(three[k], shares[k])))
}

/// Barycentric coordinates of the point of a triangle nearest to a place: the projection to its plane if that is within, else on a side.
fn nearest_shares(place: V, [a, b, c]: [V; 3]) -> V {
    let normal = cross(minus(b, a), minus(c, a));
    let share = |from: V, to: V| dot(cross(minus(to, from), minus(place, from)), normal) / dot(normal, normal);
    let within = [share(b, c), share(c, a), share(a, b)];
    if within.iter().all(|share| *share >= 0.0) {
        return within;
    }
    let corners = [a, b, c];
    let side = |k: usize| {
        let (from, to) = (corners[k], corners[(k + 1) % 3]);
        let along = minus(to, from);
        let share = (dot(minus(place, from), along) / dot(along, along)).clamp(0.0, 1.0);
        let mut shares = ZERO;
        (shares[k], shares[(k + 1) % 3]) = (1.0 - share, share);
        shares
    };
    let off = |shares: &V| norm(minus(place, weighted(corners, *shares)));
    (0..3).map(side).min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(ZERO)
}

fn surface_mesh(bench: &Bench, draw: &mut Draw) -> Tried {
    for one in OnMesh::drawn(bench, draw)? {
        let [x, y, z] = one.free.position;
        let (parameters, least) = ([("x", x), ("y", y), ("z", z)], norm(minus(one.free.position, one.point())));
        bench.check(Case::absolute(&parameters, least, norm(minus(one.free.position, one.after.position)), 2e-5));
        // Inside of the tube several points may be equally near.
        if least < 1.0 {
            bench.check(Case::vector_within(&parameters, one.point(), one.after.position, 1e-4));
        }
    }
    Ok(())
}

fn surface_mesh_stands(bench: &Bench, draw: &mut Draw) -> Tried {
    for one in OnMesh::drawn(bench, draw)? {
        if norm(minus(one.free.position, one.point())) > 1.0 {
            continue;
        }
        let normal = unit(weighted(one.normals, one.shares));
        let [x, y, z] = one.after.position;
        let parameters = [("x", x), ("y", y), ("z", z)];
        bench.check(Case::vector_within(&parameters, normal, one.up, 2e-4));
        let along = across(one.free.velocity, normal);
        let velocity = times(unit(along), norm(one.free.velocity));
        // If the velocity is straight down, what is left along the surface has no direction.
        if norm(along) > 0.05 * norm(one.free.velocity) {
            bench.check(Case::vector(&parameters, velocity, one.after.velocity, 1e-4));
        }
    }
    Ok(())
}

fn surface_plane(bench: &Bench, draw: &mut Draw) -> Tried {
    let (dt, steps) = (1.0 / 32.0, 48);
    for _ in 0..3 {
        let (place, normal) = (rounded(draw.point(true, 40.0)), rounded(draw.heading(true)));
        let surface = format!("surface = {{ shape = \"plane\", center = {place:?}, normal = {normal:?} }}");
        let mut setup = Setup::open_with(true, dt, surface);
        let (mut drawn, normal) = (Vec::new(), unit(normal));
        let onto = |v: V| across(v, normal);
        for _ in 0..8 {
            let start = rounded(plus(place, draw.point(true, 20.0)));
            let along = times(unit(onto(draw.heading(true))), draw.between(2.0, 10.0));
            let velocity = rounded(plus(along, normal));
            setup.agent(&hugger(), start, velocity);
            drawn.push((start, velocity));
        }
        for ((start, velocity), body) in drawn.into_iter().zip(bench.after(&setup, steps)?) {
            let (along, speed) = (unit(onto(velocity)), norm(velocity));
            // The first step moves the agent with its start velocity, and only then turns that velocity into the plane.
            let first = plus(place, onto(minus(plus(start, times(velocity, dt)), place)));
            let expected = plus(first, times(along, speed * dt * f64::from(steps - 1)));
            let parameters = [("v", speed), ("above", dot(minus(start, place), normal))];
            bench.check(Case::vector_within(&parameters, expected, body.position, 2e-3));
            bench.check(Case::absolute(&parameters, 0.0, dot(minus(body.position, place), normal), 5e-5));
            bench.check(Case::vector_within(&parameters, times(along, speed), body.velocity, 1e-4));
        }
    }
    Ok(())
}
