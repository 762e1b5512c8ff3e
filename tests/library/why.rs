//! What the reference says of an agent's steering is what it does: the account adds up to the stored acceleration, to the bit.

use steerling::cpu::{CpuError, Fate, Simulation, Why};
use steerling::gpu::Options;
use steerling::model::{ID_BITS, STAGES, StageId};
use steerling::scene::{Combine, CombineWithin, PRESETS, Scene};
use steerling::verify::Question;
use support::{gpus, on_cpu, on_gpu, ran_on_cpu, small_preset};

/// Agents that are asked of each world.
const ASKED: u32 = 20;
/// The moments, in steps from the start.
const MOMENTS: [u32; 3] = [0, 5, 40];

/// Take the step, and compare it with what was said of it.
fn agrees(simulation: &mut Simulation, said: &[Why]) -> Result<(), String> {
    // What is told is the step before contacts.
    let mut told = simulation.clone();
    STAGES.iter().take_while(|stage| stage.id <= StageId::Integrate).for_each(|stage| told.run_stage(stage.id));
    simulation.step(1);
    let state = if simulation.model().collides() { told.state() } else { simulation.state() };
    let buffers = simulation.buffers();
    for why in said {
        let id = why.agent as usize;
        let at = buffers.sorted_id.iter().position(|word| word & ID_BITS == why.agent).expect("it is there");
        let bits = |vector: [f32; 3]| vector.map(f32::to_bits);
        let own = &simulation.scene().species_of(why.agent).expect("a species");
        let plain = own.update_every == 1 && own.smoothing_time == 0.0;
        let checks = [
            ("the sum of the terms", why.adds_up()),
            ("the acceleration", bits(why.acceleration) == bits(buffers.acceleration[at])),
            ("the smoothing", !plain || why.frozen || bits(why.smoothed) == bits(why.combined)),
            ("the velocity", bits(why.next_velocity) == bits(state.velocities[id])),
            ("the neighbors", why.holds || why.neighbors.len() as u32 == buffers.neighbors[at]),
            ("the turning", bits(why.turning) == bits(buffers.memory[id].behaviors.turning)),
        ];
        if let Some((what, _)) = checks.iter().find(|(_, holds)| !holds) {
            return Err(format!("agent {id}: {what} is another: {why:#?}"));
        }
    }
    Ok(())
}

/// Ids all over a scene, of each species some.
fn drawn(scene: &Scene) -> Vec<u32> {
    let agents = scene.agent_count();
    (0..ASKED.min(agents)).map(|i| (u64::from(i) * u64::from(agents) / u64::from(ASKED.min(agents))) as u32).collect()
}

fn preset(name: &str) -> Scene {
    small_preset(name, &[120, 400, 1500])
}

/// All presets as they are, and combined in each of the other ways, in the plane and in space.
#[test]
fn what_is_said_of_an_agent_is_what_it_does_in_every_preset() {
    let (mut asked, mut fates, mut worlds) = (0, [0; 7], [0; 2]);
    for name in PRESETS.iter().map(|preset| preset.name) {
        let scene = preset(name);
        let ways = [Combine::Weighted, Combine::Normalized, Combine::Priority, Combine::Budget, Combine::Dithered];
        let combined = ways.iter().filter_map(|way| {
            let changed = scene.with(|draft| {
                for species in &mut draft.species {
                    species.combine = *way;
                    if *way == Combine::Budget {
                        // All of them there, and by rank against the order of calls.
                        species.combine_within = [CombineWithin::First; 8];
                        for (behavior, rank) in species.behaviors.iter_mut().zip((0..8).rev().cycle()) {
                            (behavior.priority, behavior.rank) = (rank % 2, rank);
                        }
                    }
                    if *way == Combine::Dithered {
                        species.combine_within = [CombineWithin::Normalized; 8];
                    }
                }
            });
            changed.ok().filter(|changed| *changed != scene)
        });
        for scene in [scene.clone()].into_iter().chain(combined) {
            let mut simulation = on_cpu(&scene);
            worlds[usize::from(scene.world.spatial)] += 1;
            for moment in MOMENTS {
                simulation.step(moment.saturating_sub(simulation.steps() as u32));
                let said = simulation.clone().why(&drawn(&scene)).unwrap();
                said.iter().flat_map(|why| &why.terms).for_each(|term| fates[term.fate as usize] += 1);
                asked += said.len();
                agrees(&mut simulation, &said).unwrap_or_else(|e| panic!("{name}, step {moment}: {e}"));
            }
        }
    }
    assert!(asked >= 1000 && worlds.iter().all(|count| *count > 10), "{asked} agents of {worlds:?} worlds");
    // Nothing of what can become of a term was left untried.
    assert!(fates.iter().all(|count| *count > 0), "{fates:?}");
}

/// What is said otherwise is noticed, whichever number it is.
#[test]
fn a_number_that_is_another_is_noticed() {
    let scene = preset("flock");
    let simulation = ran_on_cpu(&scene, 30);
    let [why] = &simulation.clone().why(&[7]).unwrap()[..] else { panic!("one was asked for") };
    agrees(&mut simulation.clone(), std::slice::from_ref(why)).unwrap();
    let shares = why.terms.iter().map(|term| term.share);
    let loudest = shares.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).expect("a term").0;
    assert_eq!(why.terms[loudest].fate, Fate::Counts);
    // By some ten-thousandth.
    let nudged = |x: f32| f32::from_bits(x.to_bits() ^ 0x400);
    type Mutant = (&'static str, fn(&mut Why, usize, fn(f32) -> f32));
    let mutants: [Mutant; 7] = [
        ("a term", |why, term, nudged| why.terms[term].part[0] = nudged(why.terms[term].part[0])),
        ("a term that is left out", |why, term, _| drop(why.terms.remove(term))),
        ("the combination", |why, _, nudged| why.combined[0] = nudged(why.combined[0])),
        ("the smoothing", |why, _, nudged| why.smoothed[1] = nudged(why.smoothed[1])),
        ("the acceleration", |why, _, nudged| why.acceleration[1] = nudged(why.acceleration[1])),
        ("the velocity", |why, _, nudged| why.next_velocity[0] = nudged(why.next_velocity[0])),
        ("the neighbors", |why, _, _| {
            why.neighbors.pop();
        }),
    ];
    for (what, mutate) in mutants {
        let mut wrong = why.clone();
        mutate(&mut wrong, loudest, nudged);
        assert!(agrees(&mut simulation.clone(), &[wrong]).is_err(), "{what} was not noticed");
    }
}

/// Who is asked twice says the same, and who is not there is named with those that are.
#[test]
fn asking_changes_nothing_and_nobody_else_is_there() {
    let scene = preset("predator_and_prey");
    let simulation = ran_on_cpu(&scene, 10);
    let said = simulation.clone().why(&[3, 3]).unwrap();
    assert_eq!(said[0], said[1]);
    let agents = scene.agent_count();
    let refused = simulation.why(&[0, agents]).unwrap_err();
    assert!(matches!(refused, CpuError::NoAgent { id, agents: all } if (id, all) == (agents, agents)), "{refused}");
}

/// On every adapter a step stores what the reference says of the state before it.
#[test]
fn a_gpu_does_what_the_reference_says() {
    for name in ["flock", "predator_and_prey"] {
        let scene = preset(name);
        for gpu in gpus() {
            let mut simulation = on_gpu(&gpu, &scene, Options::default());
            simulation.keep_accelerations(true);
            simulation.step(25).unwrap();
            let ids = drawn(&scene);
            let before = simulation.snapshot().unwrap();
            let said = Question::new(&simulation, &ids).answer(&before).unwrap();
            simulation.step(1).unwrap();
            let done = simulation.read_agents(&ids).unwrap().wait().unwrap();
            for (why, agent) in said.iter().zip(done) {
                let stored = agent.acceleration.expect("it was kept");
                assert_eq!(why.acceleration.map(f32::to_bits), stored.map(f32::to_bits), "{name}, agent {}", why.agent);
                assert!(why.adds_up() && why.neighbors.len() as u32 == agent.neighbors, "{why:#?}");
            }
        }
    }
}
