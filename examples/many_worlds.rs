//! Many small worlds: the first compiles the pipelines, the others share them, and all step in one submission.

use std::collections::HashSet;
use std::time::Instant;
use steerling::gpu::{AdapterChoice, Gpu, Options, Simulation};
use steerling::{model::State, scene::Scene};

const WORLDS: u32 = 100;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let gpu = Gpu::open(&AdapterChoice::Best)?;
    let flock = Scene::open("flock", &[])?.with_agents(200)?;
    let scene = |seed| flock.with(|draft| draft.seed = seed);

    let begin = Instant::now();
    let first = Simulation::new(&gpu, &scene(1)?, &State::initial(&scene(1)?), Options::default())?;
    println!("{:8.2} ms for the first world", 1e3 * begin.elapsed().as_secs_f64());
    let pipelines = first.pipelines().clone();
    let mut worlds = vec![first];
    let begin = Instant::now();
    for seed in 2..=WORLDS {
        let scene = scene(seed)?;
        worlds.push(Simulation::with_pipelines(&gpu, &scene, &State::initial(&scene), pipelines.clone())?);
    }
    println!("{:8.2} ms for each of the others", 1e3 * begin.elapsed().as_secs_f64() / f64::from(WORLDS - 1));

    let begin = Instant::now();
    for _ in 0..5 {
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        for world in &mut worlds {
            for _ in 0..10 {
                world.encode_step(&mut encoder);
            }
            world.submitted(10);
        }
        gpu.queue.submit([encoder.finish()]);
        gpu.wait()?;
    }
    println!("{:8.2} ms for a step of all {WORLDS}", 1e3 * begin.elapsed().as_secs_f64() / 50.0);

    let mut digests = HashSet::new();
    for world in &worlds {
        digests.insert(world.observe()?.digest);
    }
    println!("{} worlds with {} different ends", worlds.len(), digests.len());
    Ok(())
}
