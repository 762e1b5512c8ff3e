//! Agents whose state is no number to calculate with are frozen where they were. That nobody perceives them: tests/backends/hostile.rs.

use crate::common::*;
use steerling::model::State;

#[test]
fn a_frozen_agent_stays_where_it_was() {
    let flock = format!("count = 50\nmin_speed = 2\n{}", seeing("cohesion", 5.0, 5.0, 270.0));
    let scene = scene("seed = 9\nworld = { size = [24, 24] }", &flock);
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
