//! Orientation: the basis, limits of turns, inertia, angular drag, independent facing, banking, and up on a surface.

use super::locomotion::{axis_of, flowing};
use crate::*;
use std::f64::consts::PI;

const UPRIGHT: V = [0.0, 0.0, 1.0];
/// The world's up in space.
const SKY: V = [0.0, 1.0, 0.0];

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
        source: "Reynolds 1999, A Simple Vehicle Model",
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
    let setup = Setup::within(spatial, [40.0; 3], "wrap", 0.02, field);
    bench.watches(setup, 0..=25, KINDS.into_iter().enumerate(), |setup, (kind, vehicle)| {
        // The last kind circles in a level plane, so its headings change along two axes.
        let is_level = kind == KINDS.len() - 1;
        let in_space = spatial && !is_level;
        let target = format!("seek.target.point = {}", point(spatial, ZERO));
        let behavior = if is_level { &target } else { "flow_field = {}" };
        let lines = format!("max_speed = 12\nmax_force = 200\nbehaviors.{behavior}\nvehicle = {{ {vehicle} }}\n");
        let ids = setup.species(&lines, &draw.crowd(24, in_space, ZERO, 19.0, 5.0));
        for id in ids.clone() {
            let (heading, spin) = (draw.heading(in_space), draw.point(true, 6.0));
            setup.face(id, heading, draw.heading(true), spin);
        }
        move |seen| {
            // The largest error of a length or an angle, and the least up · up of the step before.
            let (mut error, mut turned) = (0f64, 1f64);
            for (pair, id) in seen.windows(2).flat_map(|pair| ids.clone().map(move |id| (pair, id))) {
                let [before, Facing { forward: f, up: u, .. }] = [&pair[0], &pair[1]].map(|moment| moment.poses[id]);
                let skew = [norm(f) - 1.0, norm(u) - 1.0, dot(f, u), norm(cross(f, u)) - 1.0];
                let flat = if spatial { 0.0 } else { norm(minus(u, UPRIGHT)) + f[2].abs() };
                error = skew.iter().fold(error.max(flat), |worst, error| worst.max(error.abs()));
                if angle(f, before.forward) < 1.4 {
                    turned = turned.min(dot(u, before.up));
                }
            }
            let parameters = [("vehicle", kind as f64), dimensions(spatial)];
            bench.check(Case::at_most(&parameters, 0.0, error, 2e-6));
            bench.check(Case::at_least(&parameters, 0.1, turned, 0.0));
        }
    })
}

fn basis_at_rest(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    // With drag the velocity is zero after some steps; without, it stays.
    bench.watches(Setup::open(spatial, 1.0 / 64.0), [0, 2, 62], [4000, 0], |setup, drag| {
        let lines = format!("{FREE}vehicle = {{ orientation = \"kept\", linear_drag = {drag} }}\n");
        let ids = setup.species(&lines, &draw.crowd(12, spatial, ZERO, 50.0, 7.0));
        move |seen| {
            for id in ids {
                let parameters = [("agent", id as f64), dimensions(spatial)];
                let [early, late] = [1, 2].map(|moment: usize| seen[moment].poses[id]);
                bench.check(Case::vector(&parameters, unit(seen[0].bodies[id].velocity), late.forward, 1e-6));
                bench.check(Case::holds(&parameters, true, (late.forward, late.up) == (early.forward, early.up)));
            }
        }
    })
}

/// Add an agent that wants to move along a flow, and starts at rest with a heading at an angle from it. Returns its id and the angle.
fn turning(draw: &mut Draw, setup: &mut Setup, spatial: bool, flow: V, vehicle: &str, range: [f64; 2]) -> (usize, f64) {
    let angle = draw.between(range[0], range[1]);
    let heading = draw.turned(spatial, unit(flow), angle.to_degrees());
    let lines = format!(
        "{FREE}time_constant = 0.1\nbehaviors.flow_field = {{}}\n\
         vehicle = {{ locomotion = \"kinematic\", {vehicle} }}\n"
    );
    let id = setup.agent(&lines, ZERO, ZERO);
    setup.face(id, heading, axis_of(draw, spatial, heading), ZERO);
    (id, angle)
}

/// How far an agent has turned since the first moment, rad.
fn turned(seen: &[Moment], moment: usize, id: usize) -> f64 {
    angle(seen[0].poses[id].forward, seen[moment].poses[id].forward)
}

fn turn_about(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let dt = 1.0 / 32.0;
    for limited in [false, true] {
        bench.watches(Setup::open(spatial, dt), [1], 0..12, |setup, index| {
            let (heading, speed) = (draw.heading(spatial), draw.scale(0.01, 5.0));
            let (rate, place) = (draw.scale(20.0, 900.0), lane(index, 40.0));
            let limit = if limited { format!("vehicle.max_angular_speed = {rate}\n") } else { String::new() };
            let behind = to(spatial, minus(place, times(heading, 20.0)));
            let lines = limits(5.0, 1e9, 0.0) + &format!("{limit}behaviors.seek = {{ {behind} }}");
            let id = setup.agent(&lines, place, times(heading, speed));
            let rate = rate.to_radians();
            move |seen| {
                // The velocity of a limited agent has no part along its new heading, so its pose has to tell the heading.
                let after = if limited { seen[0].poses[id].forward } else { seen[0].bodies[id].velocity };
                let expected = if limited { (rate * dt).min(PI) } else { PI };
                bench.check(Case::absolute(&[("v", speed), ("ω", rate)], expected, angle(heading, after), 1e-5));
            }
        })?;
    }
    Ok(())
}

fn turn_rate(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let dt = 1.0 / 32.0;
    let (setup, flow) = flowing(spatial, dt, 5.0, draw.between(0.0, 360.0));
    let rates: Vec<f64> = (0..24).map(|_| draw.scale(20.0, 900.0)).collect();
    bench.watches(setup, [0, 1, 9, 41], rates, |setup, rate| {
        let vehicle = format!("max_angular_speed = {rate}");
        let (id, end) = turning(draw, setup, spatial, flow, &vehicle, [0.1, PI]);
        let rate = rate.to_radians();
        move |seen| {
            for (moment, time) in [(1, dt), (2, 9.0 * dt), (3, 41.0 * dt)] {
                let (expected, parameters) = ((rate * time).min(end), [("ω", rate), ("φ", end), ("t", time)]);
                bench.check(Case::absolute(&parameters, expected, turned(seen, moment, id), 1e-5));
            }
        }
    })
}

fn turn_rate_velocity(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (setup, flow) = flowing(spatial, 1.0 / 32.0, 5.0, draw.between(0.0, 360.0));
    let rates: Vec<f64> = (0..24).map(|_| draw.scale(20.0, 300.0)).collect();
    bench.watches(setup, 1..=24, rates, |setup, rate| {
        let (id, _) = turning(draw, setup, spatial, flow, &format!("max_angular_speed = {rate}"), [0.3, 1.4]);
        move |seen| {
            let slides = |moment: &Moment| norm(cross(moment.bodies[id].velocity, moment.poses[id].forward));
            let worst = seen.iter().map(slides).most();
            bench.check(Case::at_most(&[("ω", rate.to_radians())], 0.0, worst, 5e-6));
        }
    })
}

fn turn_inertia(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (dt, steps) = (1.0 / 32.0, 12);
    let (setup, flow) = flowing(spatial, dt, 5.0, draw.between(0.0, 360.0));
    let bodies: Vec<(f64, f64)> = (0..24).map(|_| (draw.scale(0.1, 10.0), draw.between(0.5, 8.0))).collect();
    bench.watches(setup, [0, steps], bodies, |setup, (inertia, alpha)| {
        let vehicle = format!("moment_of_inertia = {inertia}, max_torque = {}", inertia * alpha);
        let (id, _) = turning(draw, setup, spatial, flow, &vehicle, [2.5, 3.1]);
        move |seen| {
            let t = f64::from(steps) * dt;
            let parameters = [("I", inertia), ("T", inertia * alpha)];
            bench.check(Case::absolute(&parameters, alpha * t * (t + dt) / 2.0, turned(seen, 1, id), 1e-5));
        }
    })
}

fn turn_comes_to_rest(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let dt = 1.0 / 32.0;
    let (setup, flow) = flowing(spatial, dt, 5.0, draw.between(0.0, 360.0));
    let rates: Vec<f64> = (0..24).map(|_| draw.between(5.0, 60.0)).collect();
    bench.watches(setup, 0..=128, rates, |setup, alpha| {
        let vehicle = format!("max_angular_acceleration = {}", alpha.to_degrees());
        let (id, end) = turning(draw, setup, spatial, flow, &vehicle, [0.2, 3.0]);
        move |seen| {
            let angles: Vec<f64> = (1..seen.len()).map(|step| turned(seen, step, id)).collect();
            // The first step at the end of the turn.
            let arrived = angles.iter().rposition(|angle| (angle - end).abs() > 1e-3).map_or(0, |step| step + 2);
            let off = angle(seen[128].poses[id].forward, flow);
            let parameters = [("α", alpha), ("φ", end)];
            let latest = 2.13 * (end / alpha).sqrt() + 4.0 * dt;
            bench.check([
                Case::at_most(&parameters, end, angles.into_iter().fold(0.0, f64::max), 1e-5),
                Case::at_most(&parameters, latest, arrived as f64 * dt, 0.0),
                Case::absolute(&parameters, 0.0, off, 1e-5),
            ]);
        }
    })
}

/// Add an agent that faces freely and turns about an axis across its heading. Returns its id, drag and angular velocity.
fn spinning(draw: &mut Draw, setup: &mut Setup, spatial: bool, dragged: bool) -> (usize, f64, V) {
    let k = if dragged { draw.scale(0.2, 10.0) } else { 0.0 };
    let heading = draw.heading(spatial);
    let axis = if spatial { unit(cross(heading, draw.heading(true))) } else { UPRIGHT };
    let spin = times(axis, draw.between(0.3, 2.5));
    let lines = format!("{FREE}vehicle = {{ facing = \"independent\", angular_drag = {k} }}\n");
    let id = setup.agent(&lines, draw.point(spatial, 9.0), times(draw.heading(spatial), 5.0));
    setup.face(id, heading, axis, spin);
    (id, k, spin)
}

fn angular_drag(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let steps = 48;
    bench.watches(Setup::open(spatial, DT), [0, steps], 0..16, |setup, _| {
        let (id, k, spin) = spinning(draw, setup, spatial, true);
        move |seen| {
            let parameters = [("k", k), ("ω", norm(spin)), dimensions(spatial)];
            let left = |step: u32| (-k * f64::from(step) * DT).exp();
            bench.check(Case::vector(&parameters, times(spin, left(steps)), seen[1].poses[id].spin, 2e-5));
            let expected = norm(spin) * DT * (1..=steps).map(left).sum::<f64>();
            bench.check(Case::absolute(&parameters, expected, turned(seen, 1, id), 1e-5));
        }
    })
}

fn facing_independent(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let steps = 48;
    bench.watches(Setup::open(spatial, DT), [0, steps], 0..16, |setup, _| {
        let (id, _, spin) = spinning(draw, setup, spatial, false);
        move |seen| {
            let parameters = [("ω", norm(spin)), dimensions(spatial)];
            let expected = norm(spin) * f64::from(steps) * DT;
            bench.check(Case::absolute(&parameters, expected, turned(seen, 1, id), 1e-5));
            let [before, after] = [0, 1].map(|moment: usize| seen[moment].bodies[id].velocity);
            bench.check(Case::vector(&parameters, before, after, 0.0));
        }
    })
}

fn facing_mirrored(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let setup = Setup::within(spatial, [40.0; 3], "contain", 0.02, "world.margin = 0");
    let axes = if spatial { 3 } else { 2 };
    // By itself it could not turn round.
    let lines = "max_speed = 100\nmax_force = 0\nvehicle = { max_angular_speed = 1 }\n";
    bench.watches(setup, [0, 2], 0..16, |setup, index| {
        let (mut position, mut heading) = (draw.point(spatial, 15.0), draw.heading(spatial));
        let axis = index % axes;
        heading[axis] += heading[axis].signum();
        position[axis] = 19.95 * heading[axis].signum();
        let id = setup.agent(lines, position, times(unit(heading), draw.between(8.0, 20.0)));
        move |seen| {
            let [start, velocity] = [0, 1].map(|moment: usize| seen[moment].bodies[id].velocity);
            let parameters = [("axis", axis as f64), ("dimensions", axes as f64)];
            bench.check(Case::vector(&parameters, unit(velocity), seen[1].poses[id].forward, 1e-6));
            bench.check(Case::relative(&parameters, -start[axis], velocity[axis], 1e-5));
        }
    })
}

fn banking_levels(bench: &Bench, draw: &mut Draw) -> Tried {
    let (dt, steps) = (1.0 / 240.0, 240);
    bench.watches(Setup::open(true, dt), [steps], 0..24, |setup, _| {
        let (righting, rate, tilt) = (draw.between(0.1, 0.5), draw.between(1.0, 3.0), draw.between(-2.5, 2.5));
        let direction = draw.between(0.0, 2.0 * PI);
        let heading = [direction.cos(), 0.0, direction.sin()];
        let up = plus(times(SKY, tilt.cos()), times(cross(heading, SKY), tilt.sin()));
        let banking = format!("banking = {{ righting = {righting}, leaning = 0, rate = {rate} }}");
        let id = setup.agent(&format!("{FREE}vehicle = {{ {banking} }}\n"), ZERO, times(heading, 5.0));
        setup.face(id, heading, up, ZERO);
        move |seen| {
            let time = f64::from(steps) * dt;
            let expected = 2.0 * ((tilt.abs() / 2.0).tan() * (-righting * rate * time).exp()).atan();
            let parameters = [("righting", righting), ("rate", rate), ("θ", tilt)];
            bench.check(Case::absolute(&parameters, expected, angle(seen[0].poses[id].up, SKY), 0.02));
        }
    })?;
    // If up follows at once, it is the direction across the course nearest to the world's up, however weak the righting.
    bench.watches(Setup::open(true, 0.03125), [2], 0..16, |setup, _| {
        let (righting, heading) = loop {
            let (righting, heading) = (draw.scale(1e-3, 10.0), draw.heading(true));
            if heading[1].abs() < 0.9 {
                break (righting, heading);
            }
        };
        let banking = format!("banking = {{ righting = {righting}, leaning = 0, rate = 1e3 }}");
        let id = setup.agent(&format!("{FREE}vehicle = {{ {banking} }}\n"), ZERO, times(heading, 5.0));
        setup.face(id, heading, draw.turned(true, heading, 90.0), ZERO);
        move |seen| {
            let parameters = [("righting", righting), ("f_y", heading[1])];
            let up = unit(minus(SKY, times(heading, heading[1])));
            bench.check(Case::vector_within(&parameters, up, seen[0].poses[id].up, 1e-4));
        }
    })
}

fn banking_turn(bench: &Bench, draw: &mut Draw) -> Tried {
    bench.watches(Setup::open(true, 1.0 / 240.0), [80], 0..24, |setup, index| {
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
        setup.face(id, heading, SKY, times(SKY, omega));
        move |seen| {
            let Facing { forward, up, .. } = seen[0].poses[id];
            let bank = dot(up, cross(times(SKY, omega.signum()), forward)) / dot(up, SKY);
            let parameters = [("v", speed), ("ω", omega), ("righting", righting), ("leaning", leaning)];
            bench.check(Case::relative(&parameters, leaning * speed * omega.abs() / righting, bank, 0.01));
        }
    })
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
        let seen = |setup: &Setup| {
            // For an agent at the very center all points of the sphere are equally near.
            let after = bench.after(&setup.clone().with(&hugger(), &[Body::at(center)]), 1)?;
            let offset = minus(after[after.len() - 1].position, center);
            bench.check(Case::absolute(&[("R", radius), ("v", 0.0)], radius, norm(offset), 2e-5));
            bench.after(setup, steps)
        };
        bench.tries(Setup::open_with(true, dt, surface), seen, 0..8, |setup, _| {
            let normal = draw.heading(true);
            let along = unit(cross(normal, draw.heading(true)));
            let speed = draw.between(1.0, 10.0);
            let id = setup.agent(&hugger(), plus(center, times(normal, radius)), times(along, speed));
            move |after| {
                let psi = f64::from(steps) * (speed * dt / radius).atan();
                let parameters = [("R", radius), ("v", speed)];
                let expected = times(plus(times(normal, psi.cos()), times(along, psi.sin())), radius);
                let (offset, velocity) = (minus(after[id].position, center), after[id].velocity);
                bench.check(Case::vector_within(&parameters, expected, offset, 2e-4));
                bench.check(Case::absolute(&parameters, radius, norm(offset), 2e-5));
                bench.check(Case::relative(&parameters, speed, norm(velocity), 1e-5));
                bench.check(Case::absolute(&parameters, 0.0, dot(unit(offset), unit(velocity)), 5e-6));
            }
        })?;
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
    let hills = &hills;
    bench.flies(hills.setup(), 4, 0..24, |setup, id| {
        // Above the hills and below them.
        let [x, y, z] = [draw.between(-15.0, 15.0), draw.between(-20.0, 30.0), draw.between(-15.0, 15.0)];
        let velocity = times(draw.heading(true), draw.between(2.0, 10.0));
        setup.agent(&hugger(), [x, y, z], velocity);
        move |path| {
            for (step, pair) in path.windows(2).enumerate() {
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
    })
}

fn surface_stands(bench: &Bench, draw: &mut Draw) -> Tried {
    let hills = Hills::drawn(draw);
    let hills = &hills;
    bench.watches(hills.setup(), [40], 0..24, |setup, _| {
        let [x, _, z] = draw.point(true, 15.0);
        let id = setup.agent(&hugger(), [x, 30.0, z], times(draw.heading(true), 6.0));
        move |seen| {
            let (Body { position: [x, y, z], velocity }, pose) = (seen[0].bodies[id], seen[0].poses[id]);
            let normal = hills.normal(x, z);
            let parameters = [("agent", id as f64), ("x", x), ("z", z)];
            bench.check(Case::absolute(&parameters, hills.height(x, z), y, 1e-5));
            bench.check(Case::vector(&parameters, normal, pose.up, 1e-5));
            bench.check(Case::absolute(&parameters, 0.0, dot(unit(velocity), normal), 1e-5));
            bench.check(Case::vector(&parameters, unit(velocity), pose.forward, 1e-5));
        }
    })
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
        let scene = bench.scene(&Setup::open_with(true, dt, &surface).with(&lines, &[]))?;
        let triangles = scene.scenery.surface.as_ref().and_then(|surface| surface.triangles(&scene.world));
        let triangles = triangles.unwrap_or_default();
        let both = triangles.iter().map(|one| [one.corners, one.normals]);
        let triangles: Vec<[[V; 3]; 2]> =
            both.map(|both| both.map(|three| three.map(|at| wide(at.to_array())))).collect();
        // Positions whose nearest point is within a triangle, on a side, or at a corner.
        let bodies = [(); 48].map(|()| {
            let [[corner, ..], _] = triangles[draw.word() as usize % triangles.len()];
            let position = plus(corner, draw.point(true, 0.1 * size));
            Body::at(position).moving(times(draw.heading(true), draw.between(2.0, 10.0)))
        });
        let setup = Setup::open_with(true, dt, surface).with(&lines, &bodies);
        let mut found = Vec::new();
        for pair in moments(bench, &setup, 0..=3)?.windows(2) {
            for id in 0..48 {
                let [before, after] = [0, 1].map(|index: usize| pair[index].bodies[id]);
                let up = pair[1].poses[id].up;
                let free = Body { position: plus(before.position, times(before.velocity, dt)), ..before };
                let all = triangles.iter().map(|[corners, normals]| {
                    let shares = nearest_shares(free.position, *corners);
                    let off = norm(minus(free.position, weighted(*corners, shares)));
                    (off, OnMesh { free, after, up, corners: *corners, normals: *normals, shares })
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
        let normal = unit(normal);
        let onto = |v: V| across(v, normal);
        bench.arrives(Setup::open_with(true, dt, surface), steps, 0..8, |setup, _| {
            let start = rounded(plus(place, draw.point(true, 20.0)));
            let along = times(unit(onto(draw.heading(true))), draw.between(2.0, 10.0));
            let velocity = rounded(plus(along, normal));
            let id = setup.agent(&hugger(), start, velocity);
            move |after| {
                let (along, speed) = (unit(onto(velocity)), norm(velocity));
                // The first step moves the agent with its start velocity, and only then turns that velocity into the plane.
                let first = plus(place, onto(minus(plus(start, times(velocity, dt)), place)));
                let expected = plus(first, times(along, speed * dt * f64::from(steps - 1)));
                let parameters = [("v", speed), ("above", dot(minus(start, place), normal))];
                let above = dot(minus(after[id].position, place), normal);
                bench.check(Case::vector_within(&parameters, expected, after[id].position, 2e-3));
                bench.check(Case::absolute(&parameters, 0.0, above, 5e-5));
                bench.check(Case::vector_within(&parameters, times(along, speed), after[id].velocity, 1e-4));
            }
        })?;
    }
    Ok(())
}
