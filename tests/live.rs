//! Live changes: any valid scene can follow any other in a running simulation, on both backends alike.

mod support;

use steerling::cpu::{Execution, Simulation as Cpu};
use steerling::gpu::{Change, Options, Simulation};
use steerling::model::State;
use steerling::scene::Scene;
use support::gpu;

fn parse(text: &str) -> Scene {
    Scene::parse(text, "live.toml", &[]).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn flock(agents: u32, size: &str) -> Scene {
    parse(&format!(
        "schema = 1\nworld.size = {size}\n[[species]]\ncount = {agents}\n\
         behaviors.separation = {{}}\nbehaviors.cohesion = {{}}\n"
    ))
}

/// Another number of agents, or another dimension, is another world: the run starts as a fresh one does.
#[test]
fn another_world_starts_anew() {
    let gpu = gpu();
    let (before, size) = (flock(100, "[30, 30]"), "[30, 30]");
    for after in [flock(101, size), flock(99, size), flock(1, size), flock(0, size), flock(100, "[30, 30, 30]")] {
        let start = State::initial(&before);
        let mut simulation = Simulation::new(&gpu, &before, &start, Options::default()).unwrap();
        let mut reference = Cpu::new(&before, &start, Execution::Serial).unwrap();
        simulation.step(3).unwrap();
        reference.step(3);
        assert_eq!(simulation.change(&after).unwrap(), Change::Restart);
        assert!(reference.change(&after).unwrap());
        simulation.step(5).unwrap();
        reference.step(5);
        let mut fresh = Cpu::new(&after, &State::initial(&after), Execution::Serial).unwrap();
        fresh.step(5);
        assert!(reference.state() == fresh.state(), "the reference");
        assert!(simulation.state().unwrap() == fresh.state(), "the GPU");
    }
}

/// A field that is only a target is made of the seed too.
#[test]
fn the_field_follows_the_seed() {
    let gpu = gpu();
    let scene = |seed: u32| {
        parse(&format!(
            "schema = 1\nseed = {seed}\nworld.size = [30, 30]\nfield = {{ source = \"curl_noise\" }}\n\
             [[species]]\ncount = 50\nbehaviors.velocity_matching = {{ target = \"field\" }}\n"
        ))
    };
    let mut simulation = Simulation::new(&gpu, &scene(1), &State::initial(&scene(1)), Options::default()).unwrap();
    let fresh = Simulation::new(&gpu, &scene(2), &State::initial(&scene(2)), Options::default()).unwrap();
    assert!(simulation.words("field").unwrap() != fresh.words("field").unwrap());
    assert_eq!(simulation.change(&scene(2)).unwrap(), Change::Numbers);
    assert!(simulation.words("field").unwrap() == fresh.words("field").unwrap(), "the old field");
}
