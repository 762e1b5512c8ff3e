//! Separation: the sum of offset / distance² over the neighbors, away from each.

use crate::common::*;
use steerling::scene::Scene;

const PLANE: &str = "world = { size = [64, 48] }";
const SPACE: &str = "world = { size = [64, 48, 56] }";

fn apart(head: &str, agents: usize, weight: f64, radius: f64) -> Scene {
    scene(head, &format!("count = {agents}\n{}", all_around("separation", weight, radius)))
}

#[test]
fn two_agents_part_equally_by_one_over_their_distance() {
    let mut draw = Draw::new(21);
    for case in 0..128 {
        let spatial = case % 2 == 1;
        let weight = draw.scale(0.1, 100.0);
        let (d, heading) = (draw.scale(0.05, 9.9), draw.heading(spatial));
        let first = draw.point(spatial, 20.0);
        let start =
            state(&[first, plus(first, times(heading, d))], &[draw.point(spatial, 5.0), draw.point(spatial, 5.0)]);
        let found = accelerations(&apart(if spatial { SPACE } else { PLANE }, 2, weight, 10.0), &start);
        // The distance between the rounded positions.
        let offset = minus(wide(start.positions[1]), wide(start.positions[0]));
        let expected = times(offset, -weight / dot(offset, offset));
        assert_near3(found[0], expected, 1e-6);
        assert_near(norm(found[0]), weight / norm(offset), 1e-6);
        assert_eq!(found[1], times(found[0], -1.0), "not opposite to the bit");
        let without_norm = times(offset, -weight / norm(offset));
        assert!(!near3(found[0], times(expected, -1.0), 1e-6), "attraction passes");
        assert!(near(norm(offset), 1.0, 1e-3) || !near3(found[0], without_norm, 1e-6), "a unit vector passes");
    }
}

#[test]
fn the_push_of_a_crowd_is_the_sum_over_its_pairs() {
    let mut draw = Draw::new(22);
    for spatial in [false, true] {
        let start = draw.crowd(40, spatial, 6.0, 5.0);
        let found = accelerations(&apart(if spatial { SPACE } else { PLANE }, 40, 3.0, 4.0), &start);
        for (agent, found) in found.iter().enumerate() {
            let offset = |other: usize| minus(wide(start.positions[other]), wide(start.positions[agent]));
            let neighbors = (0..40).filter(|&other| other != agent && norm(offset(other)) <= 4.0);
            let pushes: Vec<V> =
                neighbors.map(|other| times(offset(other), -3.0 / dot(offset(other), offset(other)))).collect();
            let scale: f64 = pushes.iter().map(|v| norm(*v)).sum();
            let error = norm(minus(*found, sum(&pushes)));
            assert!(error <= 2e-6 * scale, "agent {agent}: {error:e}");
            // An average instead of the sum would not pass.
            let average = times(sum(&pushes), 1.0 / pushes.len().max(1) as f64);
            assert!(pushes.len() < 2 || norm(minus(*found, average)) > 2e-6 * scale);
        }
    }
}

#[test]
fn the_pushes_of_a_crowd_cancel() {
    let mut draw = Draw::new(23);
    for spatial in [false, true] {
        let start = draw.crowd(500, spatial, 24.0, 5.0);
        let head = if spatial { SPACE } else { PLANE };
        let found = accelerations(&apart(head, 500, 12.0, 8.0), &start);
        let total: f64 = found.iter().map(|v| norm(*v)).sum();
        let bound = 500.0 * f64::from(f32::EPSILON) * total;
        println!("|sum| = {:e}, sum of lengths = {total:e}, bound {bound:e}", norm(sum(&found)));
        assert!(total > 1.0 && norm(sum(&found)) <= bound);
        let mut flipped = found.clone();
        flipped[7] = times(flipped[7], -1.0);
        assert!(norm(sum(&flipped)) > bound, "one sign flipped passes");
        // It is a law of all-around perception only.
        let half = scene(head, &format!("count = 500\n{}", seeing("separation", 12.0, 8.0, 180.0)));
        assert!(norm(sum(&accelerations(&half, &start))) > bound);
    }
}

#[test]
fn coincident_agents_part_in_opposite_directions() {
    for spatial in [false, true] {
        let scene = apart(if spatial { SPACE } else { PLANE }, 2, 1.0, 10.0);
        let start = state(&[[3.0, -7.0, 0.0]; 2], &[[1.0, 0.0, 0.0]; 2]);
        let found = accelerations(&scene, &start);
        // As strong as at the distance below which separation grows no more: 1e-3 of the radius.
        assert_near(norm(found[0]), 1.0 / (1e-3 * 10.0), 1e-5);
        assert_eq!(found[1], times(found[0], -1.0));
        assert_eq!(found, accelerations(&scene, &start), "another direction in another run");
        assert_eq!(found[0][2] != 0.0, spatial);
        let scene = seeded(&scene, scene.seed + 1);
        assert!(norm(minus(accelerations(&scene, &start)[0], found[0])) > 1e-3 * norm(found[0]), "the seed has no say");
    }
}

#[test]
fn a_heap_of_coincident_agents_comes_apart() {
    let scene = scene(SPACE, &format!("count = 60\n{}", all_around("separation", 12.0, 5.0)));
    let start = state(&[[1.0, 2.0, 3.0]; 60], &[[0.0; 3]; 60]);
    let found = accelerations(&scene, &start);
    let total: f64 = found.iter().map(|v| norm(*v)).sum();
    assert!(total.is_finite() && total > 0.0 && norm(sum(&found)) <= 60.0 * f64::from(f32::EPSILON) * total);
    let end = run(&scene, &start, 60);
    let nearest = |agent: usize| {
        let others = (0..60).filter(|&other| other != agent);
        others.map(|o| norm(minus(wide(end.positions[o]), wide(end.positions[agent])))).fold(f64::INFINITY, f64::min)
    };
    let least = (0..60).map(nearest).fold(f64::INFINITY, f64::min);
    println!("after a second the nearest two are {least} u apart");
    assert!(least > 0.5 && end.frozen.iter().all(|frozen| !frozen));
}

#[test]
fn nearer_than_the_floor_the_push_falls_to_zero() {
    // Below the shortest distance s the push is d/s², which meets 1/d at d = s.
    let mut draw = Draw::new(24);
    let s = 1e-3 * 10.0;
    for _ in 0..64 {
        let (share, heading) = (draw.between(0.05, 2.0), draw.heading(false));
        let start = state(&[[0.0; 3], times(heading, share * s)], &[[1.0, 0.0, 0.0]; 2]);
        let d = norm(wide(start.positions[1]));
        let expected = if d < s { d / (s * s) } else { 1.0 / d };
        let found = norm(accelerations(&apart(PLANE, 2, 1.0, 10.0), &start)[1]);
        assert_near(found, expected, 2e-6);
        assert!(share > 0.9 || !near(found, 1.0 / d, 2e-6), "without the floor");
    }
}
