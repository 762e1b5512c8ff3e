//! What these tests share: scenes from a few lines, states and runs.

use steerling::cpu::{Execution, Simulation};
use steerling::model::State;
use steerling::scene::Scene;
pub use steerling_conform::{Draw, V, norm, sum, wide};

/// A scene of one species, from lines before and lines within `[[species]]`.
pub fn scene(head: &str, species: &str) -> Scene {
    let text = format!("schema = 1\n{head}\n[[species]]\n{species}\n");
    Scene::parse(&text, "law.toml", &[]).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

pub fn state(positions: &[V], velocities: &[V]) -> State {
    let single = |vectors: &[V]| vectors.iter().map(|v| v.map(|x| x as f32)).collect();
    State {
        positions: single(positions),
        velocities: single(velocities),
        frozen: vec![false; positions.len()],
        ..Default::default()
    }
}

pub fn simulation(scene: &Scene, state: &State) -> Simulation {
    Simulation::new(scene, state, Execution::Serial).expect("a state of the scene")
}

/// The state after so many steps.
pub fn run(scene: &Scene, state: &State, steps: u32) -> State {
    let mut simulation = simulation(scene, state);
    simulation.step(steps);
    simulation.state()
}

/// Every bit of some vectors.
pub fn bits(vectors: &[[f32; 3]]) -> Vec<[u32; 3]> {
    vectors.iter().map(|v| v.map(f32::to_bits)).collect()
}

/// Every bit of a state.
pub fn all_bits(state: &State) -> (Vec<[u32; 3]>, Vec<[u32; 3]>, Vec<bool>) {
    (bits(&state.positions), bits(&state.velocities), state.frozen.clone())
}

#[track_caller]
pub fn assert_near(found: f64, expected: f64, relative: f64) {
    assert!(
        (found - expected).abs() <= relative * expected.abs(),
        "found {found:e}, expected {expected:e} within {relative:e}"
    );
}
