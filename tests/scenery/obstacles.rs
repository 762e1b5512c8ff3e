//! Distances, walls and first hits against an oracle in f64 that knows one formula per shape and walks along rays.

use super::{Draw, nearest_image, obstacles, world};
use glam::{DQuat, DVec3, Vec3};
use steerling::cpu::common::obstacles::{Approach, first_hit, nearest_wall};
use steerling::model::CompiledScene;
use steerling::scene::{Boundary, Obstacle, ObstacleShape, Scene, Scenery, SeenFrom};
use support::{edited, model};

/// Signed distance of a point, positive where agents are free.
fn distance(scene: &Scene, obstacle: &Obstacle, position: DVec3) -> f64 {
    let at = nearest_image(scene, position - obstacle.center.as_dvec3());
    let axis = if scene.world.spatial { obstacle.axis.as_dvec3().normalize() } else { DVec3::Z };
    let at = DQuat::from_axis_angle(axis, -f64::from(obstacle.turn).to_radians()) * at;
    let outside = match obstacle.shape {
        ObstacleShape::Sphere { radius } => at.length() - f64::from(radius),
        ObstacleShape::Plane { normal } => at.dot(normal.as_dvec3().normalize()),
        ObstacleShape::Capsule { length, radius } => {
            let half = DVec3::X * f64::from(length) * 0.5;
            at.distance(at.clamp(-half, half)) - f64::from(radius)
        }
        ObstacleShape::Box { size } => {
            let half = size.as_dvec3() * 0.5;
            let axes = scene.world.axes();
            let inner = (0..axes).map(|axis| half[axis] - at[axis].abs()).fold(f64::INFINITY, f64::min);
            if inner >= 0.0 { -inner } else { at.distance(at.clamp(-half, half)) }
        }
    };
    match obstacle.seen_from {
        SeenFrom::Outside => outside,
        SeenFrom::Inside => -outside,
        SeenFrom::Both => outside.abs(),
    }
}

fn nearest(scene: &Scene, position: DVec3) -> f64 {
    scene.scenery.obstacles.iter().map(|o| distance(scene, o, position)).fold(f64::INFINITY, f64::min)
}

fn scenes(boundary: Boundary, planes: bool) -> Vec<(Scene, CompiledScene)> {
    let scene = |seed: u32| {
        let (draw, spatial) = (Draw(seed), seed % 2 == 1);
        let obstacles = obstacles(&draw, 3 + 2 * (seed % 5), spatial, planes);
        let scene = world(spatial, boundary, Scenery { obstacles, ..Default::default() });
        let model = model(&scene);
        (scene, model)
    };
    (0..40).map(scene).collect()
}

#[test]
fn the_nearest_wall_is_that_of_brute_force() {
    for (seed, (scene, model)) in scenes(Boundary::Wrap, false).iter().chain(&scenes(Boundary::Open, true)).enumerate()
    {
        let draw = Draw(2000 + seed as u32);
        for row in 0..500 {
            let p = draw.vector(row, 0, 49.9, scene.world.spatial);
            let (found, expected) = (nearest_wall(model, p, 0.0), nearest(scene, p.as_dvec3()));
            let turned = scene.scenery.obstacles.iter().any(|obstacle| obstacle.turn != 0.0);
            let bound = if turned { 1e-4 } else { 2e-5 };
            assert!(found.exists && (f64::from(found.distance) - expected).abs() < bound, "{seed} {p}: {found:?}");
            // Of the obstacle that it names, the point is on the surface, and the normal leads there.
            let named = &scene.scenery.obstacles[found.obstacle as usize];
            assert!(distance(scene, named, found.point.as_dvec3()).abs() < 1e-4, "{seed} {p}: {found:?}");
            assert!((found.point + found.normal * found.distance).distance(p) < 1e-4);
        }
    }
    let empty = model(&world(true, Boundary::Open, Scenery::default()));
    assert!(
        !nearest_wall(&empty, Vec3::ONE, 0.0).exists
            && !first_hit(&empty, Vec3::ONE, Approach::feeler(Vec3::X, 1e6), 1.0).exists
    );
}

/// How a body gets on along a ray: where it touches, and how closely it passes before that.
struct Walk {
    hit: Option<f64>,
    closest: f64,
    slope: f64,
}

/// No step is longer than the distance to the nearest obstacle, so none is passed through.
fn walk(scene: &Scene, position: DVec3, forward: DVec3, radius: f64, reach: f64) -> Walk {
    let gap = |way: f64| nearest(scene, position + forward * way) - radius;
    let (mut way, mut closest) = (0.0, f64::INFINITY);
    while way < reach {
        let now = gap(way);
        if now < 1e-9 {
            return Walk { hit: Some(way), closest, slope: (gap(way + 1e-5) - gap(way - 1e-5)) / 2e-5 };
        }
        let slope = (gap(way + 1e-5) - now) / 1e-5;
        // Passing by: the distance grows again.
        if slope > -0.05 {
            closest = f64::min(closest, now);
        }
        way += now.max(1e-7);
    }
    Walk { hit: None, closest, slope: 0.0 }
}

#[test]
fn the_first_hit_is_that_of_a_walk_along_the_ray() {
    let (mut hits, mut misses, mut inside, mut skipped) = (0, 0, 0, 0);
    for (seed, (scene, model)) in scenes(Boundary::Open, true).iter().enumerate() {
        let draw = Draw(3000 + seed as u32);
        for row in 0..500 {
            let spatial = scene.world.spatial;
            let (p, forward) = (draw.vector(row, 0, 49.9, spatial), draw.direction(row, 1, spatial));
            let (radius, reach) = (draw.between(row, 90, 0.0, 2.0), 60.0);
            let found = first_hit(model, p, Approach::feeler(forward, reach), radius);
            let walk = walk(scene, p.as_dvec3(), forward.as_dvec3(), radius.into(), reach.into());
            let place = format!("{seed}, {row}: {p} {forward} {radius}: {found:?}, {:?}", walk.hit);
            let start = nearest(scene, p.as_dvec3()) - f64::from(radius);
            match walk.hit {
                _ if start.abs() < 1e-4 => skipped += 1,
                Some(0.0) => {
                    assert!(found.exists && found.distance == 0.0, "{place}");
                    // The deepest counts.
                    let named = distance(scene, &scene.scenery.obstacles[found.obstacle as usize], p.as_dvec3());
                    assert!((named - nearest(scene, p.as_dvec3())).abs() < 1e-4, "{place}");
                    inside += 1;
                }
                // A body that grazes may touch or not, by rounding.
                _ if walk.closest < 1e-3 || (walk.hit.is_some() && walk.slope > -0.05) => skipped += 1,
                Some(way) if way < f64::from(reach) - 1e-3 => {
                    assert!(found.exists && (f64::from(found.distance) - way).abs() < 1e-3, "{place}");
                    hits += 1;
                }
                Some(_) => skipped += 1,
                None => {
                    assert!(!found.exists, "{place}");
                    misses += 1;
                }
            }
        }
    }
    eprintln!("{hits} hits, {misses} misses, {inside} inside, {skipped} skipped");
    assert!(hits > 3000 && misses > 300 && inside > 1000 && skipped < 800);
}

#[test]
fn the_first_hit_does_not_depend_on_the_order_of_obstacles() {
    for (seed, (scene, model)) in scenes(Boundary::Wrap, true).iter().enumerate() {
        let turned = support::model(&edited(scene, |draft| draft.scenery.obstacles.reverse()));
        let draw = Draw(4000 + seed as u32);
        for row in 0..400 {
            let (p, forward) =
                (draw.vector(row, 0, 49.9, scene.world.spatial), draw.direction(row, 1, scene.world.spatial));
            let [one, other] = [model, &turned].map(|model| first_hit(model, p, Approach::feeler(forward, 30.0), 1.0));
            assert_eq!(
                (one.exists, one.distance, one.normal),
                (other.exists, other.distance, other.normal),
                "{seed} {row}"
            );
        }
    }
}

#[test]
fn a_hit_is_found_across_the_seam() {
    let shape = ObstacleShape::Sphere { radius: 5.0 };
    let ball = Obstacle { center: Vec3::new(-45.0, 3.0, 0.0), ..Obstacle::new(shape) };
    let scenery = Scenery { obstacles: vec![ball], ..Default::default() };
    for (boundary, expected) in [(Boundary::Wrap, Some(9.0)), (Boundary::Open, None)] {
        let model = model(&world(false, boundary, scenery.clone()));
        let hit = first_hit(&model, Vec3::new(40.0, 3.0, 0.0), Approach::feeler(Vec3::X, 50.0), 1.0);
        assert_eq!(hit.exists.then_some(hit.distance), expected, "{boundary:?}");
    }
}
