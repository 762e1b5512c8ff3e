//! Functions of the reference that scenes reach at a few places only: wrapping a coordinate, rotation.

use crate::common::*;
use steerling::model::boundary::wrap_coordinate;
use steerling::model::random::rotation;

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
