//! Twin of `shaders/common/mesh.wgsl`, without cells: it asks all triangles.

use super::clearance::Ground;
use super::vector::dot3;
use super::vehicle::direction_of;
use crate::model::CompiledScene;
use glam::Vec3;

fn weighted([a, b, c]: [Vec3; 3], share: Vec3) -> Vec3 {
    a * share.x + b * share.y + c * share.z
}

/// Barycentric coordinates of the point of a triangle that is nearest to a place.
fn nearest_shares(place: Vec3, [a, b, c]: [Vec3; 3]) -> Vec3 {
    let (ab, ac) = (b - a, c - a);
    let [from_a, from_b, from_c] = [a, b, c].map(|corner| place - corner);
    let [along_ab_a, along_ab_b, along_ab_c] = [from_a, from_b, from_c].map(|from| dot3(ab, from));
    let [along_ac_a, along_ac_b, along_ac_c] = [from_a, from_b, from_c].map(|from| dot3(ac, from));
    if along_ab_a <= 0.0 && along_ac_a <= 0.0 {
        return Vec3::X;
    }
    if along_ab_b >= 0.0 && along_ac_b <= along_ab_b {
        return Vec3::Y;
    }
    if along_ac_c >= 0.0 && along_ab_c <= along_ac_c {
        return Vec3::Z;
    }
    let beside_c = along_ab_a * along_ac_b - along_ab_b * along_ac_a;
    let beside_b = along_ab_c * along_ac_a - along_ab_a * along_ac_c;
    let beside_a = along_ab_b * along_ac_c - along_ab_c * along_ac_b;
    if beside_c <= 0.0 && along_ab_a >= 0.0 && along_ab_b <= 0.0 {
        let share = along_ab_a / (along_ab_a - along_ab_b);
        return Vec3::new(1.0 - share, share, 0.0);
    }
    if beside_b <= 0.0 && along_ac_a >= 0.0 && along_ac_c <= 0.0 {
        let share = along_ac_a / (along_ac_a - along_ac_c);
        return Vec3::new(1.0 - share, 0.0, share);
    }
    let (to_c, to_b) = (along_ac_b - along_ab_b, along_ab_c - along_ac_c);
    if beside_a <= 0.0 && to_c >= 0.0 && to_b >= 0.0 {
        let share = to_c / (to_c + to_b);
        return Vec3::new(0.0, 1.0 - share, share);
    }
    let whole = beside_a + beside_b + beside_c;
    let (share_b, share_c) = (beside_b / whole, beside_c / whole);
    Vec3::new(1.0 - share_b - share_c, share_b, share_c)
}

/// The nearest point of the mesh; of several as near, the one on the first triangle.
pub fn on_mesh(model: &CompiledScene, position: Vec3) -> Ground {
    let Some(mesh) = &model.surface_mesh else { return Ground { point: position, up: Vec3::Y } };
    let (mut nearest, mut found, mut shares) = (3e38, &mesh.triangles[0], Vec3::X);
    for triangle in &mesh.triangles {
        let own = nearest_shares(position, triangle.corners);
        let offset = position - weighted(triangle.corners, own);
        let distance_squared = dot3(offset, offset);
        if distance_squared < nearest {
            (nearest, found, shares) = (distance_squared, triangle, own);
        }
    }
    let up = weighted(found.normals, shares);
    Ground { point: weighted(found.corners, shares), up: direction_of(up, found.normals[0]) }
}
