//! Flow fields: the steering they give, how an agent follows them, and how their grid is sampled.

use crate::common::*;
use glam::Vec3;
use std::f64::consts::TAU;
use steerling::cpu::common::field::sample_field;
use steerling::model::{GridChoice, Model};
use steerling::scene::{FieldGrid, Scene};

fn follows(dt: f64, field: &str, species: &str) -> Scene {
    let head = format!("dt = {dt}\nworld = {{ size = [64, 64], boundary = \"open\" }}\nfield = {{ source = {field} }}");
    scene(&head, &format!("count = 1\nmax_force = 1e9\n{species}"))
}

#[test]
fn steering_is_the_desired_velocity_less_the_own() {
    let mut draw = Draw::new(11);
    for _ in 0..32 {
        let (speed, angle, max_speed) = (draw.between(0.5, 20.0), draw.between(0.0, 360.0), draw.between(21.0, 40.0));
        let (weight, tau) = (draw.between(-3.0, 3.0), draw.scale(0.05, 2.0));
        let velocity = draw.point(false, 10.0);
        for (mode, desired) in [("velocity", speed), ("direction", max_speed)] {
            let field = format!("\"uniform\", speed = {speed}, direction = {angle}");
            let behavior = format!("behaviors.flow_field = {{ weight = {weight}, mode = \"{mode}\" }}");
            let scene = follows(0.01, &field, &format!("time_constant = {tau}\nmax_speed = {max_speed}\n{behavior}"));
            let found = accelerations(&scene, &state(&[draw.point(false, 30.0)], &[velocity]))[0];
            let (sin, cos) = angle.to_radians().sin_cos();
            let expected = times(minus([cos * desired, sin * desired, 0.0], velocity), weight / tau);
            let scale = weight.abs() * (desired + norm(velocity)) / tau;
            assert!(norm(minus(found, expected)) <= 1e-6 * scale, "{mode}: {found:?}, not {expected:?}");
            let flipped = times(plus([cos * desired, sin * desired, 0.0], velocity), weight / tau);
            assert!(norm(minus(found, flipped)) > 1e-6 * scale, "a sign flipped would pass");
        }
    }
}

#[test]
fn a_field_of_zeros_does_not_steer() {
    let mut draw = Draw::new(12);
    for field in ["\"uniform\", speed = 0", "\"vortex\", speed = 0", "\"curl_noise\", scale = 0"] {
        for mode in ["velocity", "direction"] {
            let scene = follows(0.01, field, &format!("max_speed = 50\nbehaviors.flow_field.mode = \"{mode}\""));
            let start = state(&[draw.point(false, 30.0)], &[draw.point(false, 20.0)]);
            assert_eq!(bits(&run(&scene, &start, 10).velocities), bits(&start.velocities), "{field}, {mode}");
        }
    }
}

#[test]
fn a_uniform_field_is_reached_by_a_constant_factor_per_step() {
    let mut draw = Draw::new(13);
    let mut told_apart = 0;
    for _ in 0..32 {
        let (dt, weight, speed) = (draw.scale(0.002, 0.05), draw.between(0.3, 2.0), draw.between(1.0, 20.0));
        let tau = draw.between(0.2, 2.0);
        let species = format!("time_constant = {tau}\nmax_speed = 1e4\nbehaviors.flow_field = {{ weight = {weight} }}");
        let start = state(&[[0.0; 3]], &[draw.point(false, 30.0)]);
        let mut simulation = simulation(&follows(dt, &format!("\"uniform\", speed = {speed}"), &species), &start);
        let first = minus(wide(start.velocities[0]), [speed, 0.0, 0.0]);
        for step in 1..=60 {
            simulation.step(1);
            let rest = minus(wide(simulation.state().velocities[0]), [speed, 0.0, 0.0]);
            let exact = |factor: f64| times(first, factor.powi(step));
            let bound = 1e-7 * f64::from(step + 2) * (speed + norm(first));
            let error = norm(minus(rest, exact(1.0 - weight * dt / tau)));
            assert!(error <= bound, "step {step}: {error:e} > {bound:e}");
            // An implicit step would divide by 1 + w·dt/τ; a forgotten weight shows too.
            if step == 20 && weight * dt / tau > 1e-2 {
                told_apart += 1;
                assert!(norm(minus(rest, exact(1.0 / (1.0 + weight * dt / tau)))) > bound);
                assert!((weight - 1.0).abs() < 1e-3 || norm(minus(rest, exact(1.0 - dt / tau))) > bound);
            }
        }
    }
    assert!(told_apart > 5);
}

#[test]
fn the_approach_is_exponential_as_the_step_goes_to_zero() {
    // The factor (1 - dt/τ)^n lies below e^(-t/τ) by t·dt/(2τ²), relative.
    let rest_after = |steps: u32, tau: f64| {
        let dt = 1.0 / f64::from(steps);
        let species = format!("time_constant = {tau}\nmax_speed = 1e4\nbehaviors.flow_field = {{}}");
        let scene = follows(dt, "\"uniform\", speed = 10", &species);
        (10.0 - f64::from(run(&scene, &state(&[[0.0; 3]], &[[0.0; 3]]), steps).velocities[0][0])) / 10.0
    };
    for tau in [0.3f64, 0.5, 1.0] {
        let exact = (-1.0 / tau).exp();
        let (coarse, fine) = (exact - rest_after(64, tau), exact - rest_after(128, tau));
        println!("τ = {tau}: {exact} less {coarse:e} at 1/64 s, {fine:e} at 1/128 s");
        assert!((coarse / fine - 2.0).abs() < 0.1, "the error is halved with the step: {}", coarse / fine);
        assert_near(fine / exact, 1.0 / 128.0 / (2.0 * tau * tau), 0.05);
    }
}

/// A wind file with the velocity `angular × position` on the nodes of a world of 64 u, whose axes do not wrap.
fn rotation(folder: &std::path::Path, angular: f64) -> String {
    let nodes = 33;
    let place = |i: usize| -32.0 + 64.0 * i as f64 / (nodes - 1) as f64;
    // Row 0 is the north.
    let eastward = (0..nodes * nodes).map(|i| angular * place(i / nodes));
    let northward = (0..nodes * nodes).map(|i| angular * place(i % nodes));
    let record = |number: u32, data: Vec<f64>| {
        let header = serde_json::json!({ "parameterCategory": 2, "parameterNumber": number, "nx": nodes, "ny": nodes });
        serde_json::json!({ "header": header, "data": data })
    };
    let path = folder.join("rotation.json");
    let records = serde_json::json!([record(2, eastward.collect()), record(3, northward.collect())]);
    std::fs::write(&path, records.to_string()).unwrap();
    format!("'{}'", path.display())
}

#[test]
fn a_rotation_is_followed_with_the_drift_of_its_step() {
    // Moving by ω·dt along the tangent multiplies the radius by √(1 + (ω·dt)²) each step.
    let folder = tempfile::tempdir().unwrap();
    let mut draw = Draw::new(14);
    for _ in 0..4 {
        let angular = draw.between(0.5, 2.0);
        let field = rotation(folder.path(), angular);
        let drift = |steps: u32, radius: f64| {
            let dt = TAU / angular / f64::from(steps);
            let scene = follows(dt, &field, "max_speed = 1e4\ntime_constant = 0\nbehaviors.flow_field = {}");
            let end = wide(run(&scene, &state(&[[radius, 0.0, 0.0]], &[[0.0; 3]]), steps).positions[0]);
            let grown = (1.0 + (angular * dt).powi(2)).powf(f64::from(steps) / 2.0);
            assert_near(norm(end) / radius, grown, 2e-5);
            assert!(!near(norm(end) / radius, 1.0, 2e-5) && end[0] > 0.9 * radius, "one turn, not without drift");
            norm(end) / radius - 1.0
        };
        let radius = draw.between(4.0, 16.0);
        let ratio = drift(500, radius) / drift(1000, radius);
        assert!((ratio - 2.0).abs() < 0.05, "half the step gives half the drift, not 1/{ratio}");
    }
}

#[test]
fn a_vortex_turns_counter_clockwise_and_drifts_less_with_a_smaller_step() {
    let drift = |dt: f64| {
        let scene = follows(
            dt,
            "\"vortex\", speed = 10, resolution = 512",
            "max_speed = 1e4\ntime_constant = 0\nbehaviors.flow_field = {}",
        );
        let radius = 16.0; // where the speed peaks
        let steps = (1.0 / dt).round() as u32;
        let end = wide(run(&scene, &state(&[[radius, 0.0, 0.0]], &[[0.0; 3]]), steps).positions[0]);
        assert_near(end[1].atan2(end[0]), 10.0 / radius, 0.01);
        norm(end) / radius - 1.0
    };
    let (coarse, fine) = (drift(1.0 / 32.0), drift(1.0 / 64.0));
    println!("drift {coarse:e} at 1/32 s, {fine:e} at 1/64 s");
    // ω²·T·dt/2 with ω = 10/16 and T = 1 s
    assert_near(coarse, 0.390625 / 64.0, 0.05);
    assert!((coarse / fine - 2.0).abs() < 0.1, "half the step gives half the drift, not 1/{}", coarse / fine);
}

#[test]
fn the_field_is_sampled_ahead_of_the_agent() {
    let folder = tempfile::tempdir().unwrap();
    let field = rotation(folder.path(), 1.5);
    let mut draw = Draw::new(15);
    for _ in 0..16 {
        let ahead = draw.between(0.1, 1.0);
        let behavior = format!("behaviors.flow_field = {{ prediction_time = {ahead} }}");
        let scene = follows(0.01, &field, &format!("max_speed = 1e4\ntime_constant = 0.5\n{behavior}"));
        let (at, velocity) = (draw.point(false, 10.0), draw.point(false, 10.0));
        let found = accelerations(&scene, &state(&[at], &[velocity]))[0];
        let expected = |at: V| times(minus([-1.5 * at[1], 1.5 * at[0], 0.0], velocity), 1.0 / 0.5);
        assert_near3(found, expected(plus(at, times(velocity, ahead))), 1e-5);
        assert!(!near3(found, expected(at), 1e-5) && !near3(found, expected(minus(at, times(velocity, ahead))), 1e-5));
    }
}

/// A model whose field has these vectors.
fn model_with(boundary: &str, nodes: [u32; 3], vector: impl Fn([u32; 3]) -> [f64; 3]) -> Model {
    let size = if nodes[2] > 1 { "[20, 10, 30]" } else { "[20, 10]" };
    let head = format!("world = {{ size = {size}, boundary = \"{boundary}\" }}\nfield = {{ source = \"uniform\" }}");
    let scene = scene(&head, "count = 1\nbehaviors.flow_field = {}");
    let mut model = Model::new(&scene, GridChoice::default()).unwrap();
    let mut vectors = Vec::new();
    for z in 0..nodes[2] {
        for y in 0..nodes[1] {
            vectors.extend((0..nodes[0]).map(|x| vector([x, y, z]).map(|v| v as f32)));
        }
    }
    model.field = FieldGrid { nodes, vectors }.into();
    model.followed_by(&scene, GridChoice::default()).unwrap()
}

fn sample(model: &Model, at: V) -> V {
    sample_field(model, Vec3::from_array(at.map(|x| x as f32))).as_dvec3().to_array()
}

#[test]
fn sampling_reproduces_a_linear_field() {
    let mut draw = Draw::new(16);
    let size = [20.0, 10.0, 30.0];
    for nodes in [[2, 2, 1], [5, 9, 1], [17, 6, 1], [5, 4, 3], [2, 7, 8]] {
        let spatial = nodes[2] > 1;
        let matrix: [V; 3] = std::array::from_fn(|_| draw.point(spatial, 2.0));
        let linear = |at: V| matrix.map(|row| dot(row, at) + 3.0);
        let place = |node: [u32; 3]| -> V {
            [0, 1, 2].map(|axis: usize| match nodes[axis] {
                1 => 0.0,
                n => size[axis] * (f64::from(node[axis]) / f64::from(n - 1) - 0.5),
            })
        };
        let model = model_with("contain", nodes, |node| linear(place(node)));
        for _ in 0..200 {
            let at: V = [0, 1, 2]
                .map(|axis: usize| if axis < 2 || spatial { draw.between(-0.5, 0.5) * size[axis] } else { 0.0 });
            let bound = 1e-6 * (3.0 + 2.0 * 60.0);
            let error = norm(minus(sample(&model, at), linear(at)));
            assert!(error <= bound, "{nodes:?} at {at:?}: {error:e}");
            // The nearest node instead of the weighted mean, or axes swapped, would be far off.
            assert!(norm(minus(sample(&model, at), linear([at[1], at[0], at[2]]))) > bound);
        }
        // Beyond walls the field is that of the wall.
        let (beyond, wall) = (sample(&model, [50.0, -20.0, 0.0]), sample(&model, [10.0, -5.0, 0.0]));
        assert_eq!(beyond, wall);
    }
}

#[test]
fn sampling_is_periodic_across_the_seam() {
    let mut draw = Draw::new(17);
    for nodes in [[4, 4, 1], [8, 5, 1], [4, 5, 6]] {
        let spatial = nodes[2] > 1;
        let values: Vec<V> = (0..8 * 8 * 8).map(|_| draw.point(spatial, 5.0)).collect();
        let value = |[x, y, z]: [u32; 3]| values[(z * 64 + y * 8 + x) as usize];
        let model = model_with("wrap", nodes, value);
        let spacing = 20.0 / f64::from(nodes[0]);
        // Between the last node and node 0, which lies one spacing beyond it.
        for share in [0.0, 0.25, 0.5, 0.875] {
            let at = [10.0 - spacing * (1.0 - share), -5.0, -15.0];
            let at = if spatial { at } else { [at[0], at[1], 0.0] };
            let (last, first) = (value([nodes[0] - 1, 0, 0]), value([0, 0, 0]));
            let expected = plus(times(last, 1.0 - share), times(first, share));
            assert!(norm(minus(sample(&model, at), expected)) < 1e-5, "{nodes:?}, share {share}");
            assert!(share < 0.5 || norm(minus(sample(&model, at), last)) > 1e-3, "the seam would hold the last node");
        }
        for _ in 0..100 {
            let at = [
                draw.between(-10.0, 10.0),
                draw.between(-5.0, 5.0),
                if spatial { draw.between(-15.0, 15.0) } else { 0.0 },
            ];
            let turns = [20.0, -10.0, if spatial { 30.0 } else { 0.0 }];
            let error = norm(minus(sample(&model, plus(at, turns)), sample(&model, at)));
            assert!(error < 1e-4, "{at:?}: a whole world farther the field differs by {error:e}");
        }
    }
}
