//! Agents whose state is no number to calculate with: they are frozen and counted, and nobody perceives them.

use crate::common::*;
use steerling::model::State;
use steerling::scene::Scene;

const BAD: [f32; 8] = [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e38, -3.4e38, 1.0001e9, -2e9];

fn flock(agents: usize, spatial: bool, boundary: &str) -> Scene {
    let size = if spatial { "[24, 24, 24]" } else { "[24, 24]" };
    let species = format!(
        "count = {agents}\nmin_speed = 2\n{}{}{}",
        seeing("separation", 12.0, 2.5, 360.0),
        seeing("alignment", 1.0, 5.0, 270.0),
        seeing("cohesion", 5.0, 5.0, 270.0)
    );
    scene(&format!("seed = 9\nworld = {{ size = {size}, boundary = \"{boundary}\" }}"), &species)
}

fn without(state: &State, left_out: &[usize]) -> (Vec<[u32; 3]>, Vec<[u32; 3]>) {
    let keep = |vectors: &[[f32; 3]]| {
        let kept: Vec<_> = (0..vectors.len()).filter(|id| !left_out.contains(id)).map(|id| vectors[id]).collect();
        bits(&kept)
    };
    (keep(&state.positions), keep(&state.velocities))
}

#[test]
fn a_bad_agent_is_frozen_counted_and_invisible() {
    let mut draw = Draw::new(81);
    for case in 0..6 {
        let (spatial, boundary) = (case % 2 == 1, ["wrap", "contain", "open"][case / 2]);
        let scene = flock(800, spatial, boundary);
        let start = State::initial(&scene);
        let mut bad: Vec<usize> = (0..40).map(|_| (draw.word() % 800) as usize).collect();
        bad.sort_unstable();
        bad.dedup();
        let (mut injected, mut frozen) = (start.clone(), start.clone());
        for (i, &id) in bad.iter().enumerate() {
            let axis = i % if spatial { 3 } else { 2 };
            let vectors = if i % 4 < 2 { &mut injected.velocities } else { &mut injected.positions };
            vectors[id][axis] = BAD[i % BAD.len()];
            frozen.frozen[id] = true;
        }
        let (mut with_bad, mut with_frozen) = (simulation(&scene, &injected), simulation(&scene, &frozen));
        for step in 0..10 {
            with_bad.step(1);
            with_frozen.step(1);
            let (found, expected) = (with_bad.state(), with_frozen.state());
            let finite = found.positions.iter().chain(&found.velocities).flatten().all(|x| x.abs() <= 1e9);
            assert!(finite, "case {case}, step {step}: something is not finite");
            assert_eq!(without(&found, &bad), without(&expected, &bad), "case {case}, step {step}");
            assert!((0..800).all(|id| found.frozen[id] == bad.contains(&id)));
            assert!(bad.iter().all(|&id| found.velocities[id] == [0.0; 3]));
            let seen = with_bad.observe();
            assert_eq!((seen.bad_agents as usize, seen.first_bad), (bad.len(), Some(bad[0] as u32)));
            assert_eq!(seen.mean_neighbors, with_frozen.observe().mean_neighbors);
        }
        // Had they been perceived, others would have moved otherwise.
        assert_ne!(without(&run(&scene, &start, 10), &bad), without(&with_bad.state(), &bad));
    }
}

#[test]
fn a_frozen_agent_stays_where_it_was() {
    let scene = flock(50, false, "wrap");
    let mut start = State::initial(&scene);
    (start.frozen[7], start.velocities[8][1]) = (true, f32::NAN);
    (start.positions[9][0], start.velocities[9][0]) = (f32::NAN, f32::NAN);
    let end = run(&scene, &start, 25);
    assert_eq!(end.positions[7..9], start.positions[7..9]);
    assert_eq!(end.positions[9], [0.0; 3], "without a position it is put to the origin");
    assert!((0..50).all(|id| end.frozen[id] == (7..10).contains(&id)));
    assert!((0..50).all(|id| (end.positions[id] == start.positions[id]) == (7..9).contains(&id)));
}

#[test]
fn the_greatest_and_the_smallest_numbers_are_no_fault() {
    let scene = scene("world = { size = [100, 100], boundary = \"open\" }", "count = 6\nmax_speed = 1e6");
    let tiny = f64::from(f32::from_bits(1));
    let positions =
        [[1e9, 0.0, 0.0], [-1e9, 0.0, 0.0], [tiny, -tiny, 0.0], [-0.0, 0.0, 0.0], [0.0; 3], [1.0, 1.0, 0.0]];
    let velocities =
        [[-5.0, 0.0, 0.0], [5.0, 0.0, 0.0], [0.0; 3], [tiny, 0.0, 0.0], [1e9, 0.0, 0.0], [1e-20, -1e-30, 0.0]];
    let mut simulation = simulation(&scene, &state(&positions, &velocities));
    simulation.step(3);
    assert_eq!(simulation.observe().bad_agents, 0);
    assert_near(norm(wide(simulation.state().velocities[4])), 1e6, 1e-6);
}

#[test]
fn an_agent_that_becomes_too_large_is_frozen_at_its_last_place() {
    let scene = scene("dt = 1\nworld = { size = [1e7, 1e7], boundary = \"open\" }", "count = 2\nmax_speed = 1e6");
    let start = state(&[[9.995e8, 0.0, 0.0], [0.0; 3]], &[[1e6, 0.0, 0.0]; 2]);
    let mut simulation = simulation(&scene, &start);
    simulation.step(1);
    let found = simulation.state();
    assert_eq!((found.frozen[0], found.positions[0], found.velocities[0]), (true, start.positions[0], [0.0; 3]));
    assert_eq!((found.frozen[1], found.positions[1]), (false, [1e6, 0.0, 0.0]));
    assert_eq!(simulation.observe().first_bad, Some(0));
}
