//! The initial state, and what a run reports of a state: digest, polarization, speed.

use crate::assert_near;
use glam::Vec3;
use std::f64::consts::TAU;
use steerling::model::{Pose, State, starting_poses};
use steerling::scene::Scene;
use steerling_conform::{V, norm, sum, wide};
use support::{edited, parsed, preset};

fn spawned(agents: usize, spatial: bool, spawn: &str) -> Scene {
    let size = if spatial { "[40, 20, 30]" } else { "[40, 20]" };
    let text =
        format!("schema = 1\nseed = 4\nworld.size = {size}\n[[species]]\ncount = {agents}\nspawn = {{ {spawn} }}\n");
    parsed(&text, &[])
}

/// Chi-square of counts that are expected to be equal.
fn chi_square(bins: usize, of: impl Iterator<Item = f64>) -> f64 {
    let mut counts = vec![0.0; bins];
    of.for_each(|share| counts[((share * bins as f64) as usize).min(bins - 1)] += 1.0);
    let expected = counts.iter().sum::<f64>() / bins as f64;
    counts.iter().map(|count: &f64| (count - expected).powi(2) / expected).sum()
}

/// Within six standard deviations of the mean of chi-square with 63 degrees of freedom: 63 ± 67, and not too even.
fn looks_even(chi_square: f64) -> bool {
    (20.0..130.0).contains(&chi_square)
}

#[test]
fn a_box_is_filled_evenly() {
    for spatial in [false, true] {
        let start = State::initial(&spawned(65536, spatial, "extent = 0.5"));
        let extent = [20.0, 10.0, if spatial { 15.0 } else { 0.0 }];
        let share = |axis: usize| start.positions.iter().map(move |p| f64::from(p[axis]) / extent[axis] + 0.5);
        for axis in 0..if spatial { 3 } else { 2 } {
            assert!(share(axis).all(|s| (0.0..=1.0).contains(&s)));
            let found = chi_square(64, share(axis));
            println!("axis {axis}: chi-square {found} of 63");
            assert!(looks_even(found));
        }
        // Pairs of axes: 8 × 8 fields.
        let field = share(0).zip(share(1)).map(|(x, y)| ((x * 8.0).floor().min(7.0) + y.min(0.999999)) / 8.0);
        assert!(looks_even(chi_square(64, field)));
        assert!(spatial || start.positions.iter().all(|p| p[2] == 0.0));
        // The test tells even from uneven: here one in twenty is in the wrong half.
        assert!(!looks_even(chi_square(64, share(0).enumerate().map(|(i, s)| if i % 10 == 0 { s / 2.0 } else { s }))));
    }
}

#[test]
fn a_ball_is_filled_evenly() {
    for spatial in [false, true] {
        let start = State::initial(&spawned(65536, spatial, "shape = \"ball\", extent = 0.8"));
        let half = [16.0, 8.0, if spatial { 12.0 } else { f64::INFINITY }];
        let scaled = |p: &[f32; 3]| -> V { [0, 1, 2].map(|axis| f64::from(p[axis]) / half[axis]) };
        let radius: Vec<f64> = start.positions.iter().map(|p| norm(scaled(p))).collect();
        assert!(radius.iter().all(|r| *r <= 1.0 + 1e-6), "somebody is outside of the ball");
        // The share of the ball within a radius is its square in the plane, its cube in space.
        let even = |power: i32| looks_even(chi_square(64, radius.iter().map(|r| r.powi(power))));
        assert_eq!([even(2), even(3)], [!spatial, spatial]);
        let angle = start.positions.iter().map(scaled).map(|p| p[1].atan2(p[0]) / TAU + 0.5);
        assert!(looks_even(chi_square(64, angle)));
    }
}

#[test]
fn agents_start_at_their_speed() {
    for spatial in [false, true] {
        let start = State::initial(&spawned(65536, spatial, "speed = 7.5"));
        start.velocities.iter().for_each(|v| assert_near(norm(wide(*v)), 7.5, 1e-6));
    }
}

/// Of all in one direction, or each in one of its own.
#[test]
fn a_shared_heading_is_shared() {
    for spatial in [false, true] {
        let polarization = |heading: &str| {
            let start = State::initial(&spawned(4096, spatial, &format!("speed = 3, heading = \"{heading}\"")));
            norm(sum(&start.velocities.iter().map(|v| wide(*v)).collect::<Vec<_>>())) / (3.0 * 4096.0)
        };
        assert!(polarization("shared") > 0.9, "{}", polarization("shared"));
        assert!(polarization("random") < 5.0 / 64.0, "{}", polarization("random"));
    }
}

#[test]
fn the_seed_alone_decides_the_start() {
    for shape in ["box", "ball"] {
        let scene = spawned(500, true, &format!("shape = \"{shape}\""));
        let start = State::initial(&scene);
        assert_eq!(start, State::initial(&scene));
        let scene = edited(&scene, |draft| draft.seed = 5);
        let other = State::initial(&scene);
        let same = |a: &[[f32; 3]], b: &[[f32; 3]]| a.iter().zip(b).filter(|(a, b)| a == b).count();
        assert_eq!(same(&start.positions, &other.positions) + same(&start.velocities, &other.velocities), 0);
        // More agents leave the first ones where they are.
        let more = edited(&scene, |draft| draft.species[0].count = 700);
        assert_eq!(State::initial(&more).positions[..500], other.positions);
    }
}

#[test]
fn confining_brings_agents_into_the_world_and_leaves_those_inside_alone() {
    let scene = preset("flock", 300, &[]);
    let half = scene.world.size.x * 0.5;
    let xs = [-half, half.next_down(), -0.0, 1.5, half, -half - 1.0, 7.0 * half];
    let positions: Vec<[f32; 3]> = xs.iter().map(|&x| [x, 0.0, 0.0]).collect();
    let velocities = vec![[0.0; 3]; xs.len()];
    let mut state =
        State { positions: positions.clone(), velocities, frozen: vec![false; xs.len()], ..Default::default() };
    state.confine(&scene);
    for (index, position) in state.positions.iter().enumerate() {
        assert!((-half..half).contains(&position[0]), "{position:?}");
        assert!(index >= 4 || position[0].to_bits() == xs[index].to_bits(), "{position:?}");
    }
    let once = state.clone();
    state.confine(&scene);
    assert_eq!(once, state);
}

/// Are forward and up unit vectors at a right angle, but for rounding?
fn is_basis(pose: &Pose) -> bool {
    let [forward, up] = [pose.forward, pose.up].map(Vec3::from_array);
    let finite = [pose.spin, pose.bank].as_flattened().iter().all(|word| word.is_finite());
    finite && [forward.length() - 1.0, up.length() - 1.0, forward.dot(up)].iter().all(|error| error.abs() <= 1e-5)
}

fn moving(velocity: [f32; 3], pose: Option<Pose>) -> State {
    State { velocities: vec![velocity], poses: pose.into_iter().collect(), ..Default::default() }
}

#[test]
fn without_poses_agents_face_their_velocity() {
    let [pose] = starting_poses(&moving([3.0, 0.0, -4.0], None), 1, true)[..] else { panic!() };
    assert_eq!((pose.forward, pose.up), ([0.6, 0.0, -0.8], [0.0, 1.0, 0.0]));
    let [pose] = starting_poses(&moving([0.0, -2.0, 9.0], None), 1, false)[..] else { panic!() };
    assert_eq!((pose.forward, pose.up), ([0.0, -1.0, 0.0], [0.0, 0.0, 1.0]));
    for velocity in [[0.0, 7.0, 0.0], [0.0; 3], [f32::NAN, 1.0, 1.0], [f32::INFINITY; 3]] {
        for spatial in [false, true] {
            let poses = starting_poses(&moving(velocity, None), 1, spatial);
            assert!(is_basis(&poses[0]), "{velocity:?}");
        }
    }
}

#[test]
fn poses_of_a_run_stay_and_others_are_put_right() {
    let tilted = Pose { forward: [0.6, 0.8, 0.0], up: [-0.8, 0.6, 0.0], spin: [1.0, -2.0, 3.0], bank: [9.0; 3] };
    assert_eq!(starting_poses(&moving([1.0; 3], Some(tilted)), 1, true), [tilted]);
    let long = Pose { forward: [6.0, 8.0, 0.0], up: [0.0, 5.0, 0.0], ..tilted };
    let [right] = starting_poses(&moving([1.0; 3], Some(long)), 1, true)[..] else { panic!() };
    assert!(is_basis(&right) && right.spin == tilted.spin);
    assert!((Vec3::from(right.up) - Vec3::from(tilted.up)).length() < 1e-6);
    let [flat] = starting_poses(&moving([1.0; 3], Some(tilted)), 1, false)[..] else { panic!() };
    assert_eq!((flat.up, flat.spin, flat.bank), ([0.0, 0.0, 1.0], [0.0, 0.0, 3.0], [9.0, 9.0, 0.0]));
    let lost = Pose { forward: [f32::NAN; 3], ..tilted };
    assert_eq!(starting_poses(&moving([2.0, 0.0, 0.0], Some(lost)), 1, false)[0].forward, [1.0, 0.0, 0.0]);
}
