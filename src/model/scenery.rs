//! Obstacles, paths and the surface as shaders read them: the build script writes the structs from
//! `shaders/common/scenery.wgsl`.

use crate::scene::{self, ObstacleShape, Scene, SeenFrom};
use bytemuck::{Pod, Zeroable};
use glam::Vec3;

/// Farther than anything, u.
pub const FAR_AWAY: f32 = 1e9;
/// Below this length an offset has no direction, u.
pub const TOUCHING: f32 = 1e-9;
/// Half of a box along z in a planar world: none of its faces is ever nearest there.
const ENDLESS: f32 = 1e9;

include!(concat!(env!("OUT_DIR"), "/scenery.rs"));

impl Scenery {
    /// The scenery of a scene as a parameter block.
    pub fn new(scene: &Scene) -> Scenery {
        let mut block = Scenery::zeroed();
        let spatial = scene.world.spatial;
        for (row, obstacle) in block.obstacles.iter_mut().zip(&scene.scenery.obstacles) {
            *row = obstacle_row(obstacle, spatial);
            block.obstacle_count += 1;
        }
        let mut free: &mut [[f32; 4]] = &mut block.points;
        let mut first_point = 0;
        for (row, path) in block.paths.iter_mut().zip(&scene.scenery.paths) {
            let points = path_points(path, &scene.world);
            let (own, rest) = free.split_at_mut(points.len());
            own.copy_from_slice(&points);
            free = rest;
            *row = Path {
                first_point,
                segments: points.len() as u32 - 1,
                closed: u32::from(path.closed),
                radius: path.radius,
                length: points[points.len() - 1][3],
                padding: [0; 3],
            };
            first_point += points.len() as u32;
            block.path_count += 1;
        }
        block.surface = scene.scenery.surface.as_ref().map_or(Surface::zeroed(), surface_block);
        if let Some(scene::Surface::HeightField { hills, .. }) = &scene.scenery.surface {
            for (row, &scene::Hill { x, z, height, width }) in block.hills.iter_mut().zip(hills) {
                *row = Hill { x, z, height, width_squared: width * width };
                block.hill_count += 1;
            }
        }
        block
    }
}

fn obstacle_row(obstacle: &scene::Obstacle, spatial: bool) -> Obstacle {
    let (shape, size) = match obstacle.shape {
        ObstacleShape::Sphere { radius } => (0, [radius, 0.0, 0.0]),
        ObstacleShape::Box { size } => {
            (1, (size * 0.5).with_z(if spatial { size.z * 0.5 } else { ENDLESS }).to_array())
        }
        ObstacleShape::Plane { normal } => (2, unit(normal)),
    };
    let seen_from = match obstacle.seen_from {
        SeenFrom::Outside => 0,
        SeenFrom::Inside => 1,
        SeenFrom::Both => 2,
    };
    // A plane has no end, and agents that have to stay inside a shape are never out of its range.
    let bound = match obstacle.shape {
        _ if obstacle.seen_from == SeenFrom::Inside => FAR_AWAY,
        ObstacleShape::Sphere { radius } => radius,
        ObstacleShape::Box { size } => {
            (size * 0.5).with_z(if spatial { size.z * 0.5 } else { 0.0 }).length() * 1.000_001
        }
        ObstacleShape::Plane { .. } => FAR_AWAY,
    };
    Obstacle { center: obstacle.center.to_array(), shape, size, seen_from, bound, padding: [0; 3] }
}

fn surface_block(surface: &scene::Surface) -> Surface {
    let none = Surface::zeroed();
    match surface {
        scene::Surface::Sphere { center, radius } => {
            Surface { center: center.to_array(), shape: 1, radius: *radius, ..none }
        }
        scene::Surface::Plane { point, normal } => {
            Surface { center: point.to_array(), shape: 2, normal: unit(*normal), ..none }
        }
        scene::Surface::HeightField { level, .. } => Surface { center: [0.0, *level, 0.0], shape: 3, ..none },
    }
}

fn unit(vector: Vec3) -> [f32; 3] {
    vector.as_dvec3().normalize_or(glam::DVec3::Y).as_vec3().to_array()
}

/// The points with their arc lengths, u.
fn path_points(path: &scene::Path, world: &scene::World) -> Vec<[f32; 4]> {
    let points = path.stored_points(world);
    let mut before = points[0].as_dvec3();
    let mut length = 0.0;
    let row = |point: &Vec3| {
        length += before.distance(point.as_dvec3());
        before = point.as_dvec3();
        [point.x, point.y, point.z, length as f32]
    };
    points.iter().map(row).collect()
}
