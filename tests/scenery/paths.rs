//! Nearest points of paths against dense sampling in f64, and the points at an arc length.

use super::{Draw, nearest_image, paths, world};
use glam::{DVec3, Vec3};
use steerling::cpu::common::paths::{nearest_on_path, path_at};
use steerling::scene::{Boundary, Path, Scene, Scenery};
use support::model;

/// The points of a path with their arc lengths, in f64.
fn corners(path: &Path) -> Vec<(DVec3, f64)> {
    let mut length = 0.0;
    let mut before: Option<DVec3> = None;
    let end = path.points.first().filter(|_| path.closed);
    let mut corner = |point: &Vec3| {
        let point = point.as_dvec3();
        length += before.map_or(0.0, |before| before.distance(point));
        before = Some(point);
        (point, length)
    };
    path.points.iter().chain(end).map(&mut corner).collect()
}

/// Distance of the nearest of many points along a path: 1,000 to a segment, and then 1,000 around the nearest.
fn sampled(scene: &Scene, path: &Path, position: DVec3) -> f64 {
    let mut best = f64::INFINITY;
    for pair in corners(path).windows(2) {
        let at = |share: f64| nearest_image(scene, position - pair[0].0.lerp(pair[1].0, share)).length();
        let finest = |low: f64, high: f64| {
            let shares =
                (0..=1000).map(|k| low + (high - low) * f64::from(k) / 1000.0).filter(|s| (0.0..=1.0).contains(s));
            shares.min_by(|a, b| at(*a).total_cmp(&at(*b))).unwrap()
        };
        let near = finest(0.0, 1.0);
        best = best.min(at(finest(near - 1e-3, near + 1e-3)));
    }
    best
}

#[test]
fn the_nearest_point_is_that_of_dense_sampling() {
    let mut compared = 0;
    for seed in 0..12 {
        let (draw, spatial) = (Draw(seed), seed % 2 == 1);
        for boundary in [Boundary::Open, Boundary::Wrap] {
            let scene = world(spatial, boundary, Scenery { paths: paths(&draw, spatial), ..Default::default() });
            let model = model(&scene);
            for (path, row) in scene.scenery.paths.iter().zip(&model.scenery.paths) {
                for k in 0..24 {
                    let p = Draw(500 + seed).vector(k, 0, 49.9, spatial);
                    let expected = sampled(&scene, path, p.as_dvec3());
                    // Farther away the nearest image of a whole segment is not always that of its nearest point.
                    if boundary == Boundary::Wrap && expected > 25.0 {
                        continue;
                    }
                    let found = nearest_on_path(&model, row, p);
                    let place = format!("{seed} {boundary:?} {} {p}: {found:?}, {expected}", path.name);
                    assert!((f64::from(found.distance) - expected).abs() < 1e-4, "{place}");
                    let offset = nearest_image(&scene, p.as_dvec3() - found.point.as_dvec3());
                    assert!((offset.length() - expected).abs() < 1e-4, "{place}");
                    assert!((found.tangent.length() - 1.0).abs() < 1e-5, "{place}");
                    let again = path_at(&model, row, found.arc_length);
                    assert!(again.point.distance(found.point) < 1e-4, "{place}: {again:?}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 1500, "{compared}");
}

#[test]
fn the_point_at_an_arc_length_is_that_of_the_polyline() {
    for seed in 0..20 {
        let (draw, spatial) = (Draw(seed), seed % 2 == 1);
        let scene = world(spatial, Boundary::Open, Scenery { paths: paths(&draw, spatial), ..Default::default() });
        let model = model(&scene);
        for (path, row) in scene.scenery.paths.iter().zip(&model.scenery.paths) {
            let corners = corners(path);
            let length = corners.last().unwrap().1;
            assert!((f64::from(row.length) - length).abs() < 1e-4);
            for k in 0..200 {
                let asked = draw.between(k, 400, -1.5, 2.5) * row.length;
                let within =
                    if path.closed { f64::from(asked).rem_euclid(length) } else { f64::from(asked).clamp(0.0, length) };
                let pair = corners.windows(2).find(|pair| within <= pair[1].1).unwrap_or(&corners[corners.len() - 2..]);
                let expected = pair[0].0.lerp(pair[1].0, (within - pair[0].1) / (pair[1].1 - pair[0].1).max(1e-300));
                let found = path_at(&model, row, asked);
                assert!(found.point.as_dvec3().distance(expected) < 1e-3, "{seed} {} {asked}: {found:?}", path.name);
                // One step on along the tangent is one step on along the path, but near corners.
                let next = path_at(&model, row, asked + 1e-2).point;
                let inside = pair[0].1 + 2e-2 < within && within < pair[1].1 - 2e-2;
                assert!(
                    !inside || next.distance(found.point + found.tangent * 1e-2) < 1e-3,
                    "{seed} {asked}: {found:?}"
                );
            }
        }
    }
}

/// Beyond an outer corner no perpendicular meets a segment: the corner itself is nearest.
#[test]
fn beyond_an_outer_corner_the_corner_is_nearest() {
    let points = vec![Vec3::new(-20.0, 0.0, 0.0), Vec3::ZERO, Vec3::new(0.0, -20.0, 0.0)];
    let path = Path { name: "corner".into(), points, closed: false, radius: 1.0, radii: vec![] };
    let model = model(&world(false, Boundary::Open, Scenery { paths: vec![path], ..Default::default() }));
    let found = nearest_on_path(&model, &model.scenery.paths[0], Vec3::new(3.0, 4.0, 0.0));
    assert_eq!((found.point, found.arc_length, found.distance), (Vec3::ZERO, 20.0, 5.0));
    let behind = nearest_on_path(&model, &model.scenery.paths[0], Vec3::new(-23.0, 4.0, 0.0));
    assert_eq!((behind.arc_length, behind.distance), (0.0, 5.0));
}

/// Segments keep their widths where others are left out, because they have no length, or split, because the world wraps.
#[test]
fn segments_keep_their_widths() {
    let [a, b, c] = [Vec3::new(-40.0, 0.0, 0.0), Vec3::new(20.0, 0.0, 0.0), Vec3::new(20.0, 30.0, 0.0)];
    let radii = vec![9.0, 1.0, 2.0, 3.0];
    let path = Path { name: "wide".into(), points: vec![a, a, b, c], closed: true, radius: 5.0, radii };
    for boundary in [Boundary::Open, Boundary::Wrap] {
        let model = model(&world(false, boundary, Scenery { paths: vec![path.clone()], ..Default::default() }));
        for (from, to, radius) in [(a, b, 1.0), (b, c, 2.0), (c, a, 3.0)] {
            for share in [0.1, 0.4, 0.9] {
                let found = nearest_on_path(&model, &model.scenery.paths[0], from.lerp(to, share));
                assert_eq!(found.radius, radius, "{boundary:?} {from} {to} {share}");
            }
        }
    }
}
