//! Functions of the reference that scenes reach at a few places only: wrapping a coordinate, rotations, angles, sums in fixed point.

use glam::Vec3;
use std::f32::consts::PI;
use steerling::cpu::common::angle::{angle_of, rotate, rotation_between};
use steerling::cpu::common::fixed_point::{fixed_point, from_fixed_point};
use steerling::model::boundary::wrap_coordinate;
use steerling::model::random::rotation;
use steerling_conform::Draw;

#[test]
fn a_wrapped_coordinate_is_always_in_the_world() {
    let mut draw = Draw::new(73);
    for size in [1e-3f32, 1.0, 0.3, 32.0, 153.6, 2400.0, 1e7] {
        let half = size * 0.5;
        let edges = [
            0.0,
            -0.0,
            half,
            -half,
            half.next_down(),
            half.next_up(),
            (-half).next_down(),
            (-half).next_up(),
            size,
            1e9,
            -1e9,
        ];
        let drawn = (0..2000).map(|_| (draw.between(-3.0, 3.0) * f64::from(size)) as f32);
        for x in edges.into_iter().chain(drawn) {
            let wrapped = wrap_coordinate(x, size, half);
            assert!((-half..half).contains(&wrapped), "{x:e} became {wrapped:e} in a world of {size:e}");
            let turns = (f64::from(x) - f64::from(wrapped)) / f64::from(size);
            let rounding = 3e-7 * (f64::from(x).abs() / f64::from(size) + 1.0);
            assert!((turns - turns.round()).abs() <= rounding, "{x:e} moved by {turns} worlds");
        }
    }
}

#[test]
fn rotation_is_cosine_and_sine() {
    let mut worst: f64 = 0.0;
    for k in -100_000..=100_000 {
        let angle = k as f32 * 1.3e-4;
        let (sin, cos) = f64::from(angle).sin_cos();
        let found = rotation(angle);
        worst = worst.max((f64::from(found.x) - cos).abs()).max((f64::from(found.y) - sin).abs());
    }
    assert!(worst < 4e-7, "{worst:e}");
    assert!((rotation(1732.0).length() - 1.0).abs() < 1e-6, "far away the rotation is still one");
}

/// Directions of a fixed spiral over the sphere, or of a circle.
fn directions(spatial: bool) -> impl Iterator<Item = Vec3> {
    (0..500).map(move |k| {
        let z = if spatial { (k as f32 + 0.5) / 250.0 - 1.0 } else { 0.0 };
        let (sine, cosine) = (2.4 * k as f32).sin_cos();
        let radius = (1.0 - z * z).sqrt();
        Vec3::new(radius * cosine, radius * sine, z)
    })
}

#[test]
fn angles_are_those_of_the_library() {
    let mut worst = 0f64;
    for k in -20_000..=20_000 {
        let angle = f64::from(k) / 20_000.0 * std::f64::consts::PI;
        let (sine, cosine) = (angle.sin() as f32, angle.cos() as f32);
        let expected = f64::from(sine).atan2(f64::from(cosine));
        worst = worst.max((f64::from(angle_of(sine, cosine)) - expected).abs());
    }
    println!("worst error {worst:e} rad");
    assert!(worst <= 3e-7);
    assert_eq!(angle_of(0.0, 1.0), 0.0);
    assert_eq!((angle_of(0.0, -1.0), angle_of(-0.0, -1.0)), (PI, PI));
    assert_eq!(angle_of(0.0, 0.0), 0.0);
    // Small angles keep their digits.
    assert_eq!(angle_of(1e-20, 1.0), 1e-20);
}

#[test]
fn the_rotation_between_two_directions_brings_one_to_the_other() {
    for spatial in [false, true] {
        let all: Vec<Vec3> = directions(spatial).collect();
        for (k, start) in all.iter().enumerate() {
            let end = all[(k * 7 + 3) % all.len()];
            let rotation = rotation_between(spatial, *start, end, Vec3::Z);
            assert!((rotate(spatial, *start, rotation) - end).length() <= 1e-6, "{start} to {end}");
            let back = rotation_between(spatial, *start, -*start, Vec3::Z.cross(*start).normalize());
            assert!((back.length() - PI).abs() <= 1e-6, "opposite ones are half a turn apart");
        }
    }
}

#[test]
fn a_rotation_keeps_lengths_and_its_axis() {
    for spatial in [false, true] {
        for (k, axis) in directions(true).enumerate() {
            let axis = if spatial { axis } else { Vec3::Z };
            let rotation = axis * (k as f32 / 500.0 * PI);
            for vector in directions(spatial).step_by(41) {
                let turned = rotate(spatial, vector, rotation);
                assert!((turned.length() - 1.0).abs() <= 6e-7);
                assert!((turned.dot(axis) - vector.dot(axis)).abs() <= 6e-7);
                let exact = glam::DQuat::from_scaled_axis(rotation.as_dvec3()) * vector.as_dvec3();
                assert!((turned.as_dvec3() - exact).length() <= 1e-6, "{vector} by {rotation}");
            }
        }
    }
}

#[test]
fn sums_come_back() {
    for x in [0.0, 1.0, -1.0, 0.25, -0.75, 1000.5, -1234.125, 1.0 / 1048576.0, -1.0 / 1048576.0] {
        assert_eq!(from_fixed_point(i64::from(fixed_point(x) as i32) as u64), x);
    }
    for (sum, value) in [(1i64 << 52, 4294967296.0f32), (-(1 << 52), -4294967296.0), (-(1 << 32), -4096.0)] {
        assert_eq!(from_fixed_point(sum as u64), value);
    }
}
