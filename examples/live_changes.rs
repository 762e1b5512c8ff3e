//! Changes of a running simulation: numbers at once, and new pipelines made on another thread while the old ones go on.

use std::thread;
use steerling::gpu::{AdapterChoice, Gpu, Options, Simulation};
use steerling::{model::State, scene::Scene};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let gpu = Gpu::open(&AdapterChoice::Best)?;
    let scene = Scene::open("flock", &[])?.with_agents(2_000)?;
    let mut simulation = Simulation::new(&gpu, &scene, &State::initial(&scene), Options::default())?;
    let positions = simulation.position_buffer().clone();
    simulation.step(200)?;
    report(&simulation, "a flock")?;

    // Other numbers are written into the same buffers.
    let strict = scene.edit(|draft| draft.species[0].set("alignment", "weight", 8.0))?;
    println!("more alignment took {:?}", simulation.change(&strict)?);
    simulation.step(200)?;
    report(&simulation, "a strict flock")?;

    // A behavior that did not act before needs other pipelines. They are made on another thread, and meanwhile the agents move.
    let restless = strict.edit(|draft| draft.species[0].enable("wander")?.set("wander", "weight", 20.0))?;
    let preparation = simulation.prepare(&restless);
    let worker = thread::spawn(move || preparation.run());
    let before = simulation.steps();
    while !worker.is_finished() {
        simulation.step(1)?;
    }
    let prepared = worker.join().map_err(|_| "the thread that compiles ended early")??;
    println!("{} steps while the pipelines were made", simulation.steps() - before);
    println!("wandering took {:?}", simulation.apply(prepared)?);
    simulation.step(200)?;
    report(&simulation, "a restless flock")?;
    // Bind groups of the caller stay valid as long as the agents are the same.
    assert_eq!(&positions, simulation.position_buffer());

    // An invalid scene is refused before the simulation is changed.
    let refused = restless.edit(|draft| draft.species[0].set("alignment", "weight", f32::NAN));
    println!("refused: {}", refused.err().ok_or("a weight that is not a number was taken")?);
    Ok(())
}

fn report(simulation: &Simulation, title: &str) -> Result<(), Box<dyn std::error::Error>> {
    println!("{title}: polarization {:.3} in step {}", simulation.observe()?.polarization, simulation.steps());
    Ok(())
}
