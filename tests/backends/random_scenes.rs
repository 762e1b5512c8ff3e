//! Scenes drawn at random from the schema: every behavior, kind of target, combination and table of rules in mixes that nobody thought
//! of, some of their parameters as small or as large as they may be. All sides must agree to the bit, and every agent must stay finite.
//! `cargo run --example fuzz` draws any number of them.

use std::panic::catch_unwind;
use std::sync::Mutex;
use std::{iter, thread};
use steerling::scene::BEHAVIORS;
use support::drawn::{Outcome, certain, check, drawn, ends, text};
use support::{gpus, parsed, ran_on_cpu, small_gpu};

/// The shares of values that are as small or as large as they may be.
const EXTREMES: [f64; 4] = [0.0, 0.15, 0.25, 0.4];

/// On the reference alone, because the other test compares the two.
#[test]
fn nobody_freezes_at_the_ends_of_the_ranges() {
    let mut frozen = Vec::new();
    for seed in 0..2 * BEHAVIORS.len() as u64 {
        let bad = ran_on_cpu(&parsed(&text(&ends(seed)), &[]), 60).observe().bad_agents;
        frozen.extend((bad > 0).then(|| (certain(seed), seed, bad)));
    }
    assert!(frozen.is_empty(), "not finite: {frozen:?}");
}

/// Each behavior is certain in one scene, so that none is left to chance. They run on a device with the limits that every WebGPU device
/// has too: no pass of any mixture binds more. Those without extremes, in which no number becomes subnormal, run on another driver instead.
#[test]
fn every_random_mix_of_behaviors_is_equal() {
    let (gpus, small) = (gpus(), small_gpu());
    let seeds = Mutex::new(0..BEHAVIORS.len());
    let outcome_of = |seed: usize| {
        let draw = || drawn(seed as u64, EXTREMES[seed % EXTREMES.len()]);
        let Ok(scene) = catch_unwind(draw) else {
            return (seed, Outcome::Failed("to read a scene panics".to_owned()), Default::default());
        };
        let again = if EXTREMES[seed % EXTREMES.len()] == 0.0 { &gpus[gpus.len() - 1] } else { &small };
        (seed, check(&gpus[0], again, &scene), scene)
    };
    // Side by side, because most of it is the making of shaders, by one thread.
    let work = || iter::from_fn(|| seeds.lock().unwrap().next()).map(outcome_of).collect::<Vec<_>>();
    let outcomes: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..rayon::current_num_threads()).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let (mut held, mut seen, mut failed) = (0, 0, Vec::new());
    for (seed, outcome, scene) in &outcomes {
        match outcome {
            Outcome::Held { neighbors } => (held, seen) = (held + 1, seen + neighbors),
            Outcome::Refused(why) => println!("seed {seed}: refused, {why}"),
            Outcome::Failed(why) => {
                println!("seed {seed}: {why}\n{}", text(scene));
                failed.push(*seed);
            }
        }
    }
    assert_eq!(failed, [0; 0], "`cargo run --example fuzz -- scenes 1 0 SEED` shrinks such a scene");
    assert!(held * 10 >= outcomes.len() * 9, "only {held} scenes were not refused");
    assert!(seen > 100_000, "the oracle was asked for {seen} neighbors");
}
