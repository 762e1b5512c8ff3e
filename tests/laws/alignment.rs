//! Alignment: toward the mean velocity of the neighbors, within the time constant.

use crate::common::*;
use steerling::scene::Scene;

/// Agents that all perceive each other, without limits of force and speed.
fn everyone(agents: usize, spatial: bool, weight: f64, dt: f64, tau: f64) -> Scene {
    let size = if spatial { "[60, 60, 60]" } else { "[60, 60]" };
    let species = format!(
        "count = {agents}\nmax_speed = 1e5\nmax_force = 1e9\ntime_constant = {tau}\n{}",
        all_around("alignment", weight, 5000.0)
    );
    scene(&format!("dt = {dt}\nworld = {{ size = {size}, boundary = \"open\" }}"), &species)
}

fn velocities(state: &steerling::model::State) -> Vec<V> {
    state.velocities.iter().map(|v| wide(*v)).collect()
}

fn mean(vectors: &[V]) -> V {
    times(sum(vectors), 1.0 / vectors.len() as f64)
}

fn variance(vectors: &[V]) -> f64 {
    let mean = mean(vectors);
    vectors.iter().map(|v| norm(minus(*v, mean)).powi(2)).sum::<f64>() / vectors.len() as f64
}

#[test]
fn the_acceleration_is_the_mean_of_the_others_less_the_own() {
    let mut draw = Draw::new(31);
    for case in 0..16 {
        let spatial = case % 2 == 1;
        let agents = 2 + case * 4;
        let (weight, tau) = (draw.between(-2.0, 4.0), draw.scale(0.05, 2.0));
        let speed = draw.between(1.0, 20.0);
        let start = draw.crowd(agents, spatial, 20.0, speed);
        let found = accelerations(&everyone(agents, spatial, weight, 0.01, tau), &start);
        let all = velocities(&start);
        for agent in 0..agents {
            let others = times(minus(sum(&all), all[agent]), 1.0 / (agents - 1) as f64);
            let expected = times(minus(others, all[agent]), weight / tau);
            let scale = weight.abs() / tau * 2.0 * norm(all[agent]);
            assert!(norm(minus(found[agent], expected)) <= 2e-6 * scale, "{:?}, not {expected:?}", found[agent]);
            // Dividing twice by the count, or counting the agent itself, gives another acceleration.
            let twice = times(minus(times(others, 1.0 / (agents - 1) as f64), all[agent]), weight / tau);
            let with_self = times(minus(mean(&all), all[agent]), weight / tau);
            assert!(agents == 2 || norm(minus(found[agent], twice)) > 2e-6 * scale);
            assert!(norm(minus(found[agent], with_self)) > 2e-6 * scale);
        }
    }
}

#[test]
fn two_agents_converge_by_a_constant_factor() {
    let mut draw = Draw::new(32);
    for case in 0..16 {
        let spatial = case % 2 == 1;
        let (weight, tau, dt) = (draw.between(0.2, 2.0), draw.between(0.2, 1.0), draw.between(0.005, 0.02));
        let start = draw.crowd(2, spatial, 5.0, 10.0);
        let mut simulation = simulation(&everyone(2, spatial, weight, dt, tau), &start);
        let apart = |all: &[V]| norm(minus(all[1], all[0]));
        let angle = |all: &[V]| (dot(all[0], all[1]) / (norm(all[0]) * norm(all[1]))).clamp(-1.0, 1.0).acos();
        let first = velocities(&start);
        let mut before = first.clone();
        for step in 1..=80 {
            simulation.step(1);
            let now = velocities(&simulation.state());
            let factor = 1.0 - 2.0 * weight * dt / tau;
            let bound = 1e-6 * f64::from(step) * 10.0;
            assert!((apart(&now) - apart(&first) * factor.powi(step)).abs() <= bound, "step {step}");
            assert!(angle(&now) <= angle(&before) + 1e-6, "step {step}: the headings part");
            // One agent turning for both would take twice the time.
            let single = apart(&first) * (1.0 - weight * dt / tau).powi(step);
            assert!(step != 10 || apart(&first) < 1.0 || (apart(&now) - single).abs() > bound);
            before = now;
        }
    }
}

#[test]
fn variance_falls_by_the_same_factor_every_step_and_the_mean_stays() {
    // Each agent steers to the mean of the N - 1 others, which is N/(N - 1) of the way to the mean of all.
    let mut draw = Draw::new(33);
    for (case, agents) in [8, 64, 500, 501].into_iter().enumerate() {
        let spatial = case % 2 == 1;
        let (weight, dt, tau) = (draw.between(0.5, 1.0), draw.between(0.003, 0.005), draw.between(0.4, 0.5));
        let mut start = draw.crowd(agents, spatial, 10.0, 10.0);
        // A mean that is not zero, so that there is something to conserve.
        start.velocities.iter_mut().for_each(|v| v[0] += 3.0);
        let mut simulation = simulation(&everyone(agents, spatial, weight, dt, tau), &start);
        let first = velocities(&start);
        let share = agents as f64 / (agents - 1) as f64;
        let factor = |share: f64| (1.0 - weight * dt / tau * share).powi(2);
        for step in 1..=100 {
            simulation.step(1);
            let now = velocities(&simulation.state());
            assert_near(variance(&now), variance(&first) * factor(share).powi(step), 1e-5);
            let drift = norm(minus(mean(&now), mean(&first)));
            assert!(
                drift <= 13.0 * f64::from(f32::EPSILON) * f64::from(step),
                "step {step}: the mean moved by {drift:e}"
            );
        }
        let end = variance(&velocities(&simulation.state())) / variance(&first);
        println!("{agents} agents: variance is {end} of the first after 100 steps");
        assert!(!near(end, factor(1.0).powi(100), 1e-5), "the agent itself counted among its neighbors passes");
        assert!(!near(end, factor(share).sqrt().powi(100), 1e-5), "the factor not squared passes");
    }
}

#[test]
fn momentum_is_kept_in_pairs_and_lost_with_a_narrow_view() {
    // Where perception is mutual in isolated pairs, what one gains the other loses.
    let mut draw = Draw::new(34);
    let positions: Vec<V> = (0..100).map(|i| [f64::from(i / 2) * 40.0 - 1000.0, f64::from(i % 2), 0.0]).collect();
    let all: Vec<V> = (0..100).map(|_| draw.point(false, 10.0)).collect();
    let start = state(&positions, &all);
    let gained = |field_of_view: f64| {
        let species = format!("count = 100\n{}", seeing("alignment", 1.5, 5.0, field_of_view));
        let found = accelerations(&scene("world = { size = [2100, 100] }", &species), &start);
        (norm(sum(&found)), found.iter().map(|v| norm(*v)).sum::<f64>())
    };
    let (total, lengths) = gained(360.0);
    assert!(total <= 100.0 * f64::from(f32::EPSILON) * lengths && lengths > 0.0, "{total:e} of {lengths:e}");
    let (total, lengths) = gained(120.0);
    assert!(total > 100.0 * f64::from(f32::EPSILON) * lengths);
}

#[test]
fn headings_come_to_agree() {
    let mut draw = Draw::new(35);
    for spatial in [false, true] {
        let scene = everyone(200, spatial, 1.0, 0.02, 0.25);
        let start = draw.crowd(200, spatial, 10.0, 10.0);
        let mut simulation = simulation(&scene, &start);
        let before = simulation.observe().polarization;
        simulation.step(400);
        let after = simulation.observe().polarization;
        println!("polarization {before} before, {after} after");
        assert!(before < 0.2 && after > 0.9999);
    }
}
