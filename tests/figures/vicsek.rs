//! The order of Vicsek's model in the worlds of the paper (figure 2a), against a table from an independent program in f64, because
//! the paper prints its order as a picture: N agents at four to a square unit, speed 0.03 u a step (60 steps a second), radius
//! 1 u, the agent itself included; the mean polarization after the order has settled. The paper moves agents with the velocity
//! from before the step, the preset with the new one; so slow agents are as ordered either way (0.957 and 0.957 for 40 agents
//! at 1 rad, 0.646 and 0.650 at 3 rad).

use steerling::cpu::{Execution, Simulation};
use steerling::model::State;
use steerling::scene::Scene;
use support::overrides;

/// The preset in a square world of so many agents.
fn scene(agents: u32, noise: f64, seed: u32) -> Scene {
    let edge = (f64::from(agents) / 4.0).sqrt();
    let changes = [
        format!("world.size=[{edge}, {edge}]"),
        format!("species.0.count={agents}"),
        format!("species.0.behaviors.heading_noise.noise={}", noise.to_degrees()),
        format!("seed={seed}"),
    ];
    Scene::open("vicsek", &overrides(&changes.each_ref().map(String::as_str))).unwrap_or_else(|e| panic!("{e}"))
}

/// Mean polarization of some steps after others that are not counted.
fn order(scene: &Scene, settling: u32, counted: u32) -> f64 {
    let mut simulation = Simulation::new(scene, &State::initial(scene), Execution::Serial).unwrap();
    simulation.step(settling);
    let samples = counted / 5;
    let sample = |_| {
        simulation.step(5);
        simulation.observe().polarization
    };
    (0..samples).map(sample).sum::<f64>() / f64::from(samples)
}

/// Noise (rad), polarization, and how far it may be off: 0.01, or three standard deviations of the mean of three seeds, and
/// 0.05 above 3 rad.
fn reproduces(agents: u32, settling: u32, counted: u32, table: [(f64, f64, f64); 4]) {
    let seeds = 3;
    let jobs: Vec<(usize, u32)> = (0..4).flat_map(|row| (1..=seeds).map(move |seed| (row, seed))).collect();
    let found: Vec<f64> = std::thread::scope(|threads| {
        let run = |&(row, seed): &(usize, u32)| {
            threads.spawn(move || order(&scene(agents, table[row].0, seed), settling, counted))
        };
        let running: Vec<_> = jobs.iter().map(run).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut off = Vec::new();
    for (row, (noise, expected, bar)) in table.into_iter().enumerate() {
        let of_row = jobs.iter().zip(&found).filter(|((r, _), _)| *r == row).map(|(_, found)| *found);
        let mean = of_row.clone().sum::<f64>() / f64::from(seeds);
        println!(
            "N = {agents}, noise {noise}: {mean:.4} of {expected} ± {bar}, seeds {:?}",
            of_row.collect::<Vec<_>>()
        );
        if (mean - expected).abs() > bar {
            off.push((noise, mean, expected));
        }
    }
    assert!(off.is_empty(), "N = {agents}: {off:?}");
}

#[test]
fn four_hundred_agents_are_as_ordered_as_those_of_the_table() {
    reproduces(400, 2500, 4000, [(1.0, 0.943, 0.01), (2.0, 0.784, 0.0104), (3.0, 0.540, 0.0269), (4.0, 0.216, 0.05)]);
}

#[test]
fn forty_agents_are_more_ordered() {
    reproduces(40, 2500, 10_000, [(1.0, 0.957, 0.01), (2.0, 0.832, 0.01), (3.0, 0.646, 0.01), (4.0, 0.415, 0.05)]);
}
