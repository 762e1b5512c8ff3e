//! The figures of flocks, tried on flocks whose figures are known.

#[path = "../../examples/starflag.rs"]
mod example;

use example::measure;
use glam::DVec3;
use steerling::model::random::{hash4, unit_direction, unit_interval};

const SEED: u32 = 7;

/// Points spread evenly in an ellipsoid with these half axes.
fn ellipsoid(count: u32, half: DVec3) -> Vec<DVec3> {
    let point = |id: u32| {
        let draw = |try_: u32| hash4([SEED, id, try_, 1]).map(|h| f64::from(unit_interval(h)) * 2.0 - 1.0);
        let points = (0..64).map(|k| DVec3::from_slice(&draw(k)[..3]));
        half * points.into_iter().find(|p| p.length() < 1.0).unwrap_or(DVec3::ZERO)
    };
    (0..count).map(point).collect()
}

fn random_heading(id: u32) -> DVec3 {
    let [a, b, ..] = hash4([SEED, id, 0, 2]);
    unit_direction(true, a, b).as_dvec3()
}

#[test]
fn order_and_shape_of_known_flocks() {
    let places = ellipsoid(4000, DVec3::new(56.0, 10.0, 28.0));
    let one_way = vec![DVec3::new(3.0, 0.0, 4.0); 4000];
    let figures = measure(&places, &one_way);
    assert!((figures.polarization - 1.0).abs() < 1e-9, "{figures:?}");
    let [short, middle, long] = figures.axes;
    assert!((middle / short - 2.8).abs() < 0.2 && (long / short - 5.6).abs() < 0.4, "{figures:?}");
    assert!(figures.tilt < 3.0, "{figures:?}");
    // Anywhere: a third of the square lies along the heading.
    assert!((figures.ahead - 1.0 / 3.0).abs() < 0.04, "{figures:?}");

    let random: Vec<DVec3> = (0..4000).map(random_heading).collect();
    let figures = measure(&places, &random);
    assert!(figures.polarization < 0.05, "{figures:?}");
    assert!(figures.correlation < 0.1, "{figures:?}");

    // A second flock, smaller, that flies another way, and agents far from all: they count for nothing but the share.
    let aside = ellipsoid(1000, DVec3::splat(8.0)).into_iter().map(|p| p + DVec3::new(0.0, 100.0, 0.0));
    let stray = (0..50).map(|k| DVec3::new(0.0, -100.0, f64::from(k) * 5.0));
    let all: Vec<DVec3> = aside.chain(stray).chain(places.iter().copied()).collect();
    let ways: Vec<DVec3> = (0..all.len()).map(|k| if k < 1050 { -DVec3::Y } else { one_way[0] }).collect();
    let apart = measure(&all, &ways);
    assert!((apart.share - 4000.0 / 5050.0).abs() < 0.01 && figures.share > 0.99, "{apart:?}");
    assert!((apart.polarization - 1.0).abs() < 1e-9 && apart.tilt < 3.0, "{apart:?}");

    // Half a flock flies a little to the left, the other half a little to the right: the correlation ends where the
    // halves do.
    let halves: Vec<DVec3> = places.iter().map(|p| DVec3::new(10.0, 0.0, p.x.signum())).collect();
    let figures = measure(&places, &halves);
    assert!((0.25..0.55).contains(&figures.correlation), "{figures:?}");
    assert!((0.99..1.0).contains(&figures.polarization), "{figures:?}");
}

#[test]
fn neighbors_that_are_missing_ahead_are_missed() {
    // Files side by side: the next in the file is farther than the one beside.
    let place = |k: u32| DVec3::new(f64::from(k % 20) * 3.0, 0.0, f64::from(k / 20));
    let places: Vec<DVec3> = (0..1000).map(place).collect();
    let along = measure(&places, &vec![DVec3::X; 1000]);
    let across = measure(&places, &vec![DVec3::Z; 1000]);
    assert!(along.ahead < 0.01 && across.ahead > 0.99, "{along:?} {across:?}");
    assert!((along.nearest - 1.0).abs() < 1e-9, "{along:?}");
}
