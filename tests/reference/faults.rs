//! Numbers at the ends of what a state may have. What becomes of those beyond: tests/backends/hostile.rs.

use crate::common::*;

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
