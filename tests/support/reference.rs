//! What the tests of laws share: scenes from a few lines, states, random draws, and one step's steering by agent id.
#![allow(dead_code, unused_imports)] // each test program uses a part of it

use std::ops::{Deref, DerefMut};
use steerling::cpu::{Execution, Simulation};
use steerling::model::{FROZEN, STAGES, StageId, State};
use steerling::scene::Scene;
pub use steerling_conform::{V, all_around, dot, minus, norm, plus, seeing, sum, times, wide};

/// A scene of one species, from lines before and lines within `[[species]]`.
pub fn scene(head: &str, species: &str) -> Scene {
    parse(&format!("schema = 1\n{head}\n[[species]]\n{species}\n"))
}

pub fn parse(text: &str) -> Scene {
    Scene::parse(text, "law.toml", &[]).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The scene with another seed.
pub fn seeded(scene: &Scene, seed: u32) -> Scene {
    let scene = scene.edit(|draft| {
        draft.seed = seed;
        Ok(())
    });
    scene.unwrap_or_else(|e| panic!("{e}"))
}

/// Random draws of a fixed seed, which is printed so that a failure names it.
pub struct Draw(steerling_conform::Draw);

impl Draw {
    pub fn new(seed: u64) -> Draw {
        println!("drawn with seed {seed}");
        Draw(steerling_conform::Draw::new(seed))
    }

    /// So many points and velocities.
    pub fn crowd(&mut self, agents: usize, spatial: bool, half: f64, speed: f64) -> State {
        let positions: Vec<V> = (0..agents).map(|_| self.point(spatial, half)).collect();
        let velocities: Vec<V> = (0..agents).map(|_| times(self.heading(spatial), speed)).collect();
        state(&positions, &velocities)
    }
}

impl Deref for Draw {
    type Target = steerling_conform::Draw;

    fn deref(&self) -> &steerling_conform::Draw {
        &self.0
    }
}

impl DerefMut for Draw {
    fn deref_mut(&mut self) -> &mut steerling_conform::Draw {
        &mut self.0
    }
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

/// A simulation within a step: agents are sorted and accelerations known, nobody has moved.
pub fn steered(scene: &Scene, state: &State) -> Simulation {
    let mut simulation = simulation(scene, state);
    STAGES.iter().take_while(|stage| stage.id != StageId::Integrate).for_each(|stage| simulation.run_stage(stage.id));
    simulation
}

/// Ids that each agent perceives, by id.
pub fn perceived(scene: &Scene, state: &State) -> Vec<Vec<u32>> {
    let simulation = steered(scene, state);
    let mut by_id = vec![Vec::new(); state.positions.len()];
    for (sorted_index, id) in simulation.buffers().sorted_id.iter().enumerate() {
        by_id[(id & !FROZEN) as usize] = simulation.perceived_by(sorted_index);
    }
    by_id
}

/// Every bit of some vectors.
pub fn bits(vectors: &[[f32; 3]]) -> Vec<[u32; 3]> {
    vectors.iter().map(|v| v.map(f32::to_bits)).collect()
}

/// Every bit of a state.
pub fn all_bits(state: &State) -> (Vec<[u32; 3]>, Vec<[u32; 3]>, Vec<bool>) {
    (bits(&state.positions), bits(&state.velocities), state.frozen.clone())
}

/// Is a value within a relative distance of the expected one?
pub fn near(found: f64, expected: f64, relative: f64) -> bool {
    (found - expected).abs() <= relative * expected.abs()
}

#[track_caller]
pub fn assert_near(found: f64, expected: f64, relative: f64) {
    assert!(near(found, expected, relative), "found {found:e}, expected {expected:e} within {relative:e}");
}

/// Largest length of the difference of two lists of vectors, relative to the longest of the second.
pub fn distance(found: &[V], expected: &[V]) -> f64 {
    let longest = expected.iter().map(|v| norm(*v)).fold(0.0, f64::max);
    found.iter().zip(expected).map(|(a, b)| norm(minus(*a, *b))).fold(0.0, f64::max) / longest
}
