//! Obstacles, paths and surfaces: their geometry against brute force in f64, and the two backends against each other.

mod contact;
mod exits;
mod input;
mod lines;
mod many_obstacles;
mod obstacles;
mod paths;
mod surfaces;
mod twins;

use glam::{DVec3, Vec3};
use steerling::model::random;
use steerling::scene::{Boundary, Hill, Obstacle, ObstacleShape, Path, Scene, Scenery, SeenFrom};

/// Extent of the test worlds along each axis, u.
const SIZE: f32 = 100.0;

/// Random numbers without a generator: each has a row and a column.
struct Draw(u32);

impl Draw {
    /// Between -1 and 1.
    fn signed(&self, row: u32, column: u32) -> f32 {
        random::unit_interval(random::hash4([self.0, row, column, 77])[0]) * 2.0 - 1.0
    }

    /// Between two numbers.
    fn between(&self, row: u32, column: u32, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.signed(row, column) * 0.5 + 0.5)
    }

    /// Each component between -reach and reach; z is 0 in a planar world.
    fn vector(&self, row: u32, column: u32, reach: f32, spatial: bool) -> Vec3 {
        let at = |axis| self.signed(row, 3 * column + axis) * reach;
        Vec3::new(at(0), at(1), if spatial { at(2) } else { 0.0 })
    }

    /// A unit vector.
    fn direction(&self, row: u32, column: u32, spatial: bool) -> Vec3 {
        let hash = random::hash4([self.0, row, column, 78]);
        random::unit_direction(spatial, hash[0], hash[1])
    }
}

/// A world with this scenery.
fn world(spatial: bool, boundary: Boundary, scenery: Scenery) -> Scene {
    let axes = if spatial { 3 } else { 2 };
    let size = vec![SIZE.to_string(); axes].join(", ");
    let text = format!("schema = 1\nname = \"scenery\"\nworld.size = [{size}]\n[[species]]\ncount = 1\n");
    support::edited(&support::parsed(&text, &[]), |draft| {
        draft.world.boundary[..axes].fill(boundary);
        draft.scenery = scenery;
    })
}

/// Spheres, boxes, planes and capsules in turn, seen from all sides, some of them turned. Planes only with `planes`: they have
/// no images.
fn obstacles(draw: &Draw, count: u32, spatial: bool, planes: bool) -> Vec<Obstacle> {
    let shape = |i: u32| match i % 4 {
        0 => ObstacleShape::Sphere { radius: draw.between(i, 9, 0.5, 12.0) },
        3 => ObstacleShape::Capsule { length: draw.between(i, 12, 0.0, 15.0), radius: draw.between(i, 9, 0.5, 6.0) },
        1 if planes => ObstacleShape::Plane { normal: draw.direction(i, 7, spatial) * draw.between(i, 10, 0.1, 3.0) },
        _ => {
            let size = (draw.vector(i, 5, 10.0, spatial) + if spatial { 12.0 } else { 0.0 }).max(Vec3::ZERO);
            ObstacleShape::Box { size: if spatial { size } else { (size + 12.0).with_z(0.0) } }
        }
    };
    let sides = [SeenFrom::Outside, SeenFrom::Outside, SeenFrom::Both, SeenFrom::Inside];
    let obstacle = |i: u32| {
        let shape = shape(i);
        // Little of the world is behind a plane, and few shapes are seen from inside: the rest is solid to those.
        let center = match shape {
            ObstacleShape::Plane { normal } => normal.normalize() * -40.0,
            _ => draw.vector(i, 0, 45.0, spatial),
        };
        let seen_from = match shape {
            ObstacleShape::Plane { .. } => sides[draw.between(i, 11, 0.0, 2.99) as usize],
            _ => sides[draw.between(i, 11, 0.0, 3.1) as usize],
        };
        let turn = if i.is_multiple_of(3) { 0.0 } else { draw.signed(i, 13) * 360.0 };
        Obstacle { center, seen_from, turn, axis: draw.direction(i, 14, spatial), ..Obstacle::new(shape) }
    };
    (0..count).map(obstacle).collect()
}

/// Random walks, and closed ones around a place.
fn paths(draw: &Draw, spatial: bool) -> Vec<Path> {
    let path = |i: u32| {
        let mut at = draw.vector(i, 100, 30.0, spatial);
        let closed = i % 2 == 1;
        let step = |k: u32| {
            let offset = draw.vector(i, 101 + k, 20.0, spatial);
            at += if closed { Vec3::ZERO } else { offset };
            if closed { at + offset } else { at }
        };
        let mut points: Vec<Vec3> = (0..3 + 4 * i).map(step).collect();
        points.insert(1, points[1]);
        Path { name: format!("walk {i}"), points, closed, radius: 1.0, radii: vec![] }
    };
    (0..4).map(path).collect()
}

fn hills(draw: &Draw) -> Vec<Hill> {
    let hill = |i: u32| Hill {
        x: draw.signed(i, 200) * 40.0,
        z: draw.signed(i, 201) * 40.0,
        height: draw.signed(i, 202) * 20.0,
        width: draw.between(i, 203, 4.0, 30.0),
    };
    (0..8).map(hill).collect()
}

/// The offset by the shortest way on wrapped axes, in f64.
fn nearest_image(scene: &Scene, offset: DVec3) -> DVec3 {
    let axis = |axis: usize| {
        let length = f64::from(scene.world.size[axis]);
        let wraps = scene.world.boundary[axis] == Boundary::Wrap;
        offset[axis] - if wraps { length * (offset[axis] / length).round() } else { 0.0 }
    };
    DVec3::new(axis(0), axis(1), axis(2))
}
