//! Twin of `shaders/common/paths.wgsl`.

pub use super::structs::PathPlace;
use super::target::nearest_image;
use super::vector::dot3;
pub use crate::constants::SHORTEST_SEGMENT;
use crate::model::CompiledScene;
use crate::model::scenery::{FAR_AWAY, Path, TOUCHING};
use glam::{Vec3, Vec4, Vec4Swizzles};

/// Half of the width of a segment, u.
pub fn segment_radius(model: &CompiledScene, path: &Path, segment: u32) -> f32 {
    match path.own_radii {
        0 => path.radius,
        _ => model.scenery.segment_radii[segment as usize / 4][segment as usize % 4],
    }
}

fn point(model: &CompiledScene, index: u32) -> Vec4 {
    Vec4::from_array(model.scenery.points[index as usize])
}

fn segment_place(model: &CompiledScene, path: &Path, segment: u32, share: f32, distance: f32) -> PathPlace {
    let start = point(model, segment);
    let end = point(model, segment + 1);
    let along = end.xyz() - start.xyz();
    let length = dot3(along, along).max(SHORTEST_SEGMENT).sqrt();
    let arc_length = start.w + (end.w - start.w) * share;
    let radius = segment_radius(model, path, segment);
    PathPlace { point: start.xyz() + along * share, arc_length, tangent: along / length, distance, radius }
}

/// The nearest point of a path; where segments differ in width, distances are measured from their edges. Of two points that
/// are equally near, the earlier one.
pub fn nearest_on_path(model: &CompiledScene, path: &Path, position: Vec3) -> PathPlace {
    followed_on_path(model, path, position, Vec3::ZERO)
}

/// As [`nearest_on_path`], for an agent that follows the path in a direction: a segment that leads back counts as a whole width
/// farther away, in squares.
pub fn followed_on_path(model: &CompiledScene, path: &Path, position: Vec3, direction: Vec3) -> PathPlace {
    let mut nearest = path.first_point;
    let mut nearest_share = 0.0;
    let mut nearest_squared = FAR_AWAY * FAR_AWAY;
    let mut least = nearest_squared;
    for k in path.first_point..path.first_point + path.segments {
        let start = point(model, k).xyz();
        let along = point(model, k + 1).xyz() - start;
        let from_start = position - start;
        let from_middle = from_start - along * 0.5;
        let at = from_start - (from_middle - nearest_image(model, from_middle));
        let projected = (dot3(at, along) / dot3(along, along).max(SHORTEST_SEGMENT)).min(1.0);
        let share = if projected > 0.0 { projected } else { 0.0 };
        let away = at - along * share;
        let squared = dot3(away, away);
        let mut off = squared;
        if dot3(direction, along) < 0.0 {
            let width = 2.0 * segment_radius(model, path, k);
            off = squared + width * width;
        }
        if path.own_radii != 0 {
            off = off.sqrt() - segment_radius(model, path, k);
        }
        if off < least {
            least = off;
            nearest = k;
            nearest_share = share;
            nearest_squared = squared;
        }
    }
    segment_place(model, path, nearest, nearest_share, nearest_squared.sqrt())
}

/// The point of a path at an arc length from its first point. Beyond its end a closed path begins again, an open one stays there.
pub fn path_at(model: &CompiledScene, path: &Path, arc_length: f32) -> PathPlace {
    let mut onward = arc_length.min(path.length);
    if path.closed == 1 {
        let length = path.length.max(TOUCHING);
        onward = arc_length - length * (arc_length / length).floor();
    }
    let rest = if onward > 0.0 { onward } else { 0.0 };
    let mut segment = path.first_point;
    for k in path.first_point + 1..path.first_point + path.segments {
        if point(model, k).w <= rest {
            segment = k;
        }
    }
    let start = point(model, segment).w;
    let length = (point(model, segment + 1).w - start).max(TOUCHING);
    segment_place(model, path, segment, ((rest - start) / length).min(1.0), 0.0)
}
