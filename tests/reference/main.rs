//! What the reference promises and no law of `conform` states: how a run starts and what it reports, numbers at the ends of what a state
//! may have, and what must not matter.

mod functions;
mod start;

use steerling::cpu::{Execution, Simulation};
use steerling::model::Observation;
use steerling_conform::{Body, Draw, Setup, norm, wide};

#[track_caller]
fn assert_near(found: f64, expected: f64, relative: f64) {
    assert!(
        (found - expected).abs() <= relative * expected.abs(),
        "found {found:e}, expected {expected:e} within {relative:e}"
    );
}

/// The world of a setup after so many steps.
fn run(setup: &Setup, steps: u32) -> Simulation {
    let scene = setup.scene().unwrap_or_else(|e| panic!("{e}"));
    let mut simulation = Simulation::new(&scene, setup.state(), Execution::Serial).expect("a state of the scene");
    simulation.step(steps);
    simulation
}

/// What becomes of numbers beyond these: tests/backends/hostile.rs.
#[test]
fn the_greatest_and_the_smallest_numbers_are_no_fault() {
    let tiny = f64::from(f32::from_bits(1));
    let bodies = [
        Body::at([1e9, 0.0, 0.0]).moving([-5.0, 0.0, 0.0]),
        Body::at([-1e9, 0.0, 0.0]).moving([5.0, 0.0, 0.0]),
        Body::at([tiny, -tiny, 0.0]),
        Body::at([-0.0, 0.0, 0.0]).moving([tiny, 0.0, 0.0]),
        Body::at([0.0; 3]).moving([1e9, 0.0, 0.0]),
        Body::at([1.0, 1.0, 0.0]).moving([1e-20, -1e-30, 0.0]),
    ];
    let mut setup = Setup::new("world = { size = [100, 100], boundary = \"open\" }");
    setup.species("max_speed = 1e6", &bodies);
    let simulation = run(&setup, 3);
    assert_eq!(simulation.observe().bad_agents, 0);
    assert_near(norm(wide(simulation.state().velocities[4])), 1e6, 1e-6);
}

#[test]
fn a_behavior_without_weight_is_gone_to_the_bit() {
    let rules = [
        ("separation", "weight = 12", "perception_radius = 2.5, field_of_view = 300"),
        ("alignment", "weight = 1", "perception_radius = 4, field_of_view = 270"),
        ("cohesion", "weight = 5", "perception_radius = 5, field_of_view = 200"),
        ("flow_field", "weight = 0.7", "prediction_time = 0.1"),
    ];
    let bodies = Draw::new(56).crowd(300, false, [0.0; 3], 15.0, 15.0);
    // The flock's end with one behavior's weight replaced, or with the behavior left out.
    let end = |name: &str, replaced: Option<&str>| -> Observation {
        let mut species = String::new();
        for (rule, weight, rest) in rules {
            let weight = if rule == name { replaced } else { Some(weight) };
            species += &weight.map_or(String::new(), |weight| format!("behaviors.{rule} = {{ {weight}, {rest} }}\n"));
        }
        let field = "field = { source = \"curl_noise\", speed = 8, wavelength = 20, resolution = 32 }";
        let mut setup = Setup::new(format!("world = {{ size = [30, 30] }}\n{field}"));
        setup.species(&species, &bodies);
        run(&setup, 20).observe()
    };
    for (name, weight, _) in rules {
        let without = end(name, None);
        assert_eq!(without, end(name, Some("weight = 0")), "{name} with weight 0");
        assert_eq!(without, end(name, Some(&format!("enabled = false, {weight}"))), "{name} not enabled");
        assert_ne!(without, end(name, Some("weight = 1e-3")), "{name} has no effect at all");
    }
}
