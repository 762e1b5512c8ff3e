//! Twin of `shaders/common/surface.wgsl`.

use super::obstacles::sphere_clearance;
use super::target::nearest_image;
use super::vector::dot3;
use crate::model::CompiledScene;
use glam::Vec3;

const SURFACE_SPHERE: u32 = 1;
const SURFACE_PLANE: u32 = 2;

/// A point of the surface.
#[derive(Debug, Clone, Copy)]
pub struct Ground {
    /// Point of the surface, u.
    pub point: Vec3,
    /// Unit normal of the surface there.
    pub up: Vec3,
}

fn height_field(model: &CompiledScene, position: Vec3) -> Ground {
    let mut height = model.scenery.surface.center[1];
    let mut slope_x = 0.0;
    let mut slope_z = 0.0;
    for hill in &model.scenery.hills[..model.scenery.hill_count as usize] {
        let at = nearest_image(model, position - Vec3::new(hill.x, position.y, hill.z));
        let falloff = 1.0 / (1.0 + (at.x * at.x + at.z * at.z) / hill.width_squared);
        let own = hill.height * falloff * falloff;
        let steepness = 4.0 * own * falloff / hill.width_squared;
        height += own;
        slope_x -= steepness * at.x;
        slope_z -= steepness * at.z;
    }
    let up = Vec3::new(-slope_x, 1.0, -slope_z);
    Ground { point: Vec3::new(position.x, height, position.z), up: up / dot3(up, up).sqrt() }
}

/// The nearest point of a sphere or a plane; the point above or below on a height field.
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
        _ => height_field(model, position),
    }
}
