//! Cohesion: toward the mean position of the neighbors, in proportion to its distance.

use crate::common::*;
use std::f64::consts::PI;
use steerling::scene::Scene;

/// Agents that all perceive each other, without limits of force and speed.
fn everyone(agents: usize, spatial: bool, weight: f64, dt: f64) -> Scene {
    let size = if spatial { "[1e6, 1e6, 1e6]" } else { "[1e6, 1e6]" };
    let species =
        format!("count = {agents}\nmax_speed = 1e5\nmax_force = 1e9\n{}", all_around("cohesion", weight, 5000.0));
    scene(&format!("dt = {dt}\nworld = {{ size = {size}, boundary = \"open\" }}"), &species)
}

#[test]
fn the_acceleration_leads_to_the_center_of_the_others() {
    let mut draw = Draw::new(41);
    for case in 0..16 {
        let spatial = case % 2 == 1;
        let agents = 2 + case * 4;
        let weight = draw.between(-2.0, 4.0);
        let start = draw.crowd(agents, spatial, 20.0, 5.0);
        let found = accelerations(&everyone(agents, spatial, weight, 0.01), &start);
        let all: Vec<V> = start.positions.iter().map(|p| wide(*p)).collect();
        for agent in 0..agents {
            let center = times(minus(sum(&all), all[agent]), 1.0 / (agents - 1) as f64);
            let expected = times(minus(center, all[agent]), weight);
            let scale = weight.abs() * 30.0;
            assert!(norm(minus(found[agent], expected)) <= 2e-6 * scale, "{:?}, not {expected:?}", found[agent]);
            let with_self = times(expected, 1.0 - 1.0 / agents as f64);
            assert!(norm(expected) < 0.1 * scale || norm(minus(found[agent], with_self)) > 2e-6 * scale);
        }
        let total: f64 = found.iter().map(|v| norm(*v)).sum();
        assert!(norm(sum(&found)) <= agents as f64 * f64::from(f32::EPSILON) * total, "the sum is not zero");
    }
}

#[test]
fn two_agents_meet_at_the_midpoint() {
    // From rest their distance is that of an oscillator, d·cos(√(2w)·t), and first is zero at π/(2√(2w)).
    let mut draw = Draw::new(42);
    for case in 0..16 {
        let spatial = case % 2 == 1;
        let (weight, dt) = (draw.scale(0.5, 20.0), 0.002);
        let (a, b) = (draw.point(spatial, 20.0), draw.point(spatial, 20.0));
        let middle = times(plus(a, b), 0.5);
        let mut simulation = simulation(&everyone(2, spatial, weight, dt), &state(&[a, b], &[[0.0; 3]; 2]));
        let mut met = 0;
        for step in 1..2000 {
            simulation.step(1);
            let now = simulation.state().positions.iter().map(|p| wide(*p)).collect::<Vec<_>>();
            let error = norm(minus(times(plus(now[0], now[1]), 0.5), middle));
            // Half a unit in the last place of each coordinate and step.
            assert!(error <= 2e-6 * f64::from(step), "step {step}: the midpoint moved by {error:e}");
            if dot(minus(now[1], now[0]), minus(b, a)) <= 0.0 {
                met = step;
                break;
            }
        }
        let expected = PI / (2.0 * (2.0 * weight).sqrt());
        assert!((f64::from(met) * dt - expected).abs() <= 2.0 * dt, "weight {weight}: met at step {met}, {expected} s");
        // With the mean over both instead of over the other, √w would stand for √(2w).
        assert!((f64::from(met) * dt - expected * 2f64.sqrt()).abs() > 2.0 * dt);
    }
}

#[test]
fn it_is_the_same_far_from_the_origin() {
    // Multiples of 1/64 are exact at 2^17 u, and so are the sums of a few offsets of them.
    let mut draw = Draw::new(43);
    let corner = [131072.0, -131072.0, 131072.0];
    for spatial in [false, true] {
        let near_by: Vec<V> = (0..31)
            .map(|_| {
                [
                    draw.dyadic(-20.0, 20.0),
                    draw.dyadic(-20.0, 20.0),
                    if spatial { draw.dyadic(-20.0, 20.0) } else { 0.0 },
                ]
            })
            .collect();
        let shift = if spatial { corner } else { [corner[0], corner[1], 0.0] };
        let far: Vec<V> = near_by.iter().map(|p| plus(*p, shift)).collect();
        let scene = everyone(31, spatial, 1.0, 0.01);
        let at_rest = [[0.0; 3]; 31];
        let found = accelerations(&scene, &state(&far, &at_rest));
        assert_eq!(accelerations(&scene, &state(&near_by, &at_rest)), found);
        // A mean of absolute positions in f32 is not.
        let naive = far[1..].iter().fold(0.0f32, |total, p| total + p[0] as f32) / 30.0 - far[0][0] as f32;
        assert!((f64::from(naive) - found[0][0]).abs() > 1e-4, "{naive} and {}", found[0][0]);
    }
}

#[test]
fn separation_and_cohesion_balance_at_a_known_distance() {
    // k/d = w·d at d = √(k/w): no acceleration there, apart nearer by, together farther away.
    let mut draw = Draw::new(44);
    for _ in 0..32 {
        let (k, w) = (draw.between(1.0, 10.0), draw.between(0.5, 2.0));
        let species = format!("count = 2\n{}{}", all_around("separation", k, 20.0), all_around("cohesion", w, 20.0));
        let scene = scene("world = { size = [100, 100] }", &species);
        let heading = draw.heading(false);
        let pull =
            |d: f64| dot(accelerations(&scene, &state(&[[0.0; 3], times(heading, d)], &[[0.0; 3]; 2]))[0], heading);
        let d = (k / w).sqrt();
        assert!(pull(d).abs() <= 1e-6 * (k / d), "{:e}", pull(d));
        assert!(pull(d * 0.99) < 0.0 && pull(d * 1.01) > 0.0);
        let other = draw.between(0.1, 10.0);
        let expected = w * other - k / other;
        assert!((pull(other) - expected).abs() <= 2e-6 * (w * other + k / other), "the weighted sum at {other}");
    }
}
