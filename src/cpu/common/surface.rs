//! Twin of `shaders/common/surface.wgsl`.

use super::clearance::Ground;
use super::mesh::on_mesh;
use super::obstacles::sphere_clearance;
use super::structs::Slope;
use super::target::nearest_image;
use super::vector::dot3;
use crate::constants::{FOOT_STEPS, FOUND, SURFACE_MESH, SURFACE_PLANE, SURFACE_SPHERE};
use crate::model::CompiledScene;
use glam::Vec3;

fn slope_at(model: &CompiledScene, place: Vec3) -> Slope {
    let mut slope = Slope { height: model.scenery.surface.center[1], x: 0.0, z: 0.0 };
    for hill in &model.scenery.hills[..model.scenery.hill_count as usize] {
        let at = nearest_image(model, place - Vec3::new(hill.x, place.y, hill.z));
        let falloff = 1.0 / (1.0 + (at.x * at.x + at.z * at.z) / hill.width_squared);
        let own = hill.height * falloff * falloff;
        let steepness = 4.0 * own * falloff / hill.width_squared;
        slope.height += own;
        slope.x -= steepness * at.x;
        slope.z -= steepness * at.z;
    }
    slope
}

fn height_field(model: &CompiledScene, position: Vec3) -> Ground {
    let mut slope = slope_at(model, position);
    let mut foot = Vec3::new(position.x, slope.height, position.z);
    let mut offset = position - foot;
    let mut share = 1.0;
    for _ in 0..FOOT_STEPS {
        let x = offset.x + offset.y * slope.x;
        let z = offset.z + offset.y * slope.z;
        let steep = (x * slope.x + z * slope.z) / (1.0 + slope.x * slope.x + slope.z * slope.z);
        let step = Vec3::new(share * (x - steep * slope.x), 0.0, share * (z - steep * slope.z));
        if step.x * step.x + step.z * step.z <= FOUND {
            break;
        }
        let mut next = foot + step;
        let there = slope_at(model, next);
        next.y = there.height;
        let left = position - next;
        if dot3(left, left) < dot3(offset, offset) {
            (foot, offset, slope, share) = (next, left, there, (2.0 * share).min(1.0));
        } else {
            share *= 0.5;
        }
    }
    let up = Vec3::new(-slope.x, 1.0, -slope.z);
    Ground { point: foot, up: up / dot3(up, up).sqrt() }
}

/// The nearest point of the surface; of a height field, a point where the distance has a local minimum.
pub fn ground_at(model: &CompiledScene, position: Vec3) -> Ground {
    let surface = &model.scenery.surface;
    let offset = position - Vec3::from_array(surface.center);
    let normal = Vec3::from_array(surface.normal);
    match surface.shape {
        SURFACE_SPHERE => {
            let clearance = sphere_clearance(surface.radius, nearest_image(model, offset));
            Ground { point: position - clearance.normal * clearance.distance, up: clearance.normal }
        }
        SURFACE_PLANE => Ground { point: position - normal * dot3(normal, offset), up: normal },
        SURFACE_MESH => on_mesh(model, position),
        _ => height_field(model, position),
    }
}
