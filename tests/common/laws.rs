//! What the tests of laws share: scenes from a few lines, states, random draws, and one step's steering by agent id.
#![allow(dead_code)] // each test program uses a part of it

use steerling::cpu::{Execution, Simulation};
use steerling::model::{FROZEN, STAGES, State};
use steerling::scene::Scene;

/// A vector of the expected values.
pub type V = [f64; 3];

/// A scene of one species, from lines before and lines within `[[species]]`.
pub fn scene(head: &str, species: &str) -> Scene {
    parse(&format!("schema = 1\n{head}\n[[species]]\n{species}\n"))
}

pub fn parse(text: &str) -> Scene {
    Scene::parse(text, "law.toml", &[]).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// A line for one behavior that perceives all around.
pub fn all_around(behavior: &str, weight: f64, radius: f64) -> String {
    seeing(behavior, weight, radius, 360.0)
}

/// A line for one behavior with a field of view, degrees.
pub fn seeing(behavior: &str, weight: f64, radius: f64, field_of_view: f64) -> String {
    let view = format!("perception_radius = {radius}, field_of_view = {field_of_view}");
    format!("behaviors.{behavior} = {{ weight = {weight}, {view} }}\n")
}

/// Random draws of a fixed seed (splitmix64), unlike those of the library.
pub struct Draw(u64);

impl Draw {
    /// The seed is printed, so that a failure names it.
    pub fn new(seed: u64) -> Draw {
        println!("drawn with seed {seed}");
        Draw(seed)
    }

    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.word() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Evenly drawn by ratio: as many between 1 and 10 as between 10 and 100.
    pub fn scale(&mut self, low: f64, high: f64) -> f64 {
        self.between(low.ln(), high.ln()).exp()
    }

    /// A multiple of 1/64, so that sums and differences of a few of them are exact in f32.
    pub fn dyadic(&mut self, low: f64, high: f64) -> f64 {
        (self.between(low, high) * 64.0).floor() / 64.0
    }

    /// A point of a box around the origin; z is 0 where the world is planar.
    pub fn point(&mut self, spatial: bool, half: f64) -> V {
        let mut along = || self.between(-half, half);
        [along(), along(), if spatial { along() } else { 0.0 }]
    }

    /// A unit vector.
    pub fn heading(&mut self, spatial: bool) -> V {
        loop {
            let v = self.point(spatial, 1.0);
            if (0.01..=1.0).contains(&norm(v)) {
                return times(v, 1.0 / norm(v));
            }
        }
    }

    /// So many points and velocities.
    pub fn crowd(&mut self, agents: usize, spatial: bool, half: f64, speed: f64) -> State {
        let positions: Vec<V> = (0..agents).map(|_| self.point(spatial, half)).collect();
        let velocities: Vec<V> = (0..agents).map(|_| times(self.heading(spatial), speed)).collect();
        state(&positions, &velocities)
    }
}

pub fn state(positions: &[V], velocities: &[V]) -> State {
    let single = |vectors: &[V]| vectors.iter().map(|v| v.map(|x| x as f32)).collect();
    State { positions: single(positions), velocities: single(velocities), frozen: vec![false; positions.len()] }
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
    STAGES.iter().take_while(|stage| stage.name != "integrate").for_each(|stage| simulation.run_stage(stage));
    simulation
}

/// Acceleration of each agent before the force limit, by id.
pub fn accelerations(scene: &Scene, state: &State) -> Vec<V> {
    let simulation = steered(scene, state);
    let mut by_id = vec![[0.0; 3]; state.positions.len()];
    for (place, id) in simulation.buffers().sorted_id.iter().enumerate() {
        by_id[(id & !FROZEN) as usize] = wide(simulation.buffers().acceleration[place]);
    }
    by_id
}

/// Ids that each agent perceives, by id.
pub fn perceived(scene: &Scene, state: &State) -> Vec<Vec<u32>> {
    let simulation = steered(scene, state);
    let mut by_id = vec![Vec::new(); state.positions.len()];
    for (place, id) in simulation.buffers().sorted_id.iter().enumerate() {
        by_id[(id & !FROZEN) as usize] = simulation.perceived_by(place);
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

pub fn wide(v: [f32; 3]) -> V {
    v.map(f64::from)
}

pub fn plus(a: V, b: V) -> V {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub fn minus(a: V, b: V) -> V {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub fn times(v: V, factor: f64) -> V {
    v.map(|x| x * factor)
}

pub fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn norm(v: V) -> f64 {
    dot(v, v).sqrt()
}

pub fn sum(vectors: &[V]) -> V {
    vectors.iter().fold([0.0; 3], |total, v| plus(total, *v))
}

/// Is a value within a relative distance of the expected one?
pub fn near(found: f64, expected: f64, relative: f64) -> bool {
    (found - expected).abs() <= relative * expected.abs()
}

/// Is a vector within a distance of the expected one, relative to the latter's length?
pub fn near3(found: V, expected: V, relative: f64) -> bool {
    norm(minus(found, expected)) <= relative * norm(expected)
}

#[track_caller]
pub fn assert_near(found: f64, expected: f64, relative: f64) {
    assert!(near(found, expected, relative), "found {found:e}, expected {expected:e} within {relative:e}");
}

#[track_caller]
pub fn assert_near3(found: V, expected: V, relative: f64) {
    assert!(near3(found, expected, relative), "found {found:?}, expected {expected:?} within {relative:e}");
}

/// Largest length of the difference of two lists of vectors, relative to the longest of the second.
pub fn distance(found: &[V], expected: &[V]) -> f64 {
    let longest = expected.iter().map(|v| norm(*v)).fold(0.0, f64::max);
    found.iter().zip(expected).map(|(a, b)| norm(minus(*a, *b))).fold(0.0, f64::max) / longest
}
