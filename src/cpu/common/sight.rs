//! Twin of `shaders/common/sight.wgsl`: which agents obstacles and walls of the map hide.

use super::obstacles::{Approach, Hit, earlier_hit, is_nearer};
use super::target::COINCIDENT;
use super::vector::dot3;
use super::walls::{MAX_CELLS_CROSSED, is_wall, on_map};
use crate::model::CompiledScene;
use crate::model::scenery::FAR_AWAY;
use glam::{BVec2, Vec2, Vec3};

/// Is an agent at `offset` from `position` hidden from an agent at `position`?
pub fn is_hidden(model: &CompiledScene, position: Vec3, offset: Vec3) -> bool {
    let distance = dot3(offset, offset).sqrt();
    // Agents nearer than this have no line between them, and see each other.
    if distance <= COINCIDENT {
        return false;
    }
    obstacles_hide(model, position, offset / distance, distance)
        || (model.nearest_walls.is_some() && walls_hide(model, position, offset))
}

/// Does the line of this length meet an obstacle? The shader tests the nearby obstacles, and if there are many, those that cells
/// along the line list.
fn obstacles_hide(model: &CompiledScene, position: Vec3, forward: Vec3, distance: f32) -> bool {
    let course = Approach::feeler(forward, distance);
    let compared_distance = course.reach();
    let none = Hit { exists: false, distance: FAR_AWAY, normal: Vec3::X, obstacle: 0, course, compared_distance };
    (0..).zip(model.obstacles.iter()).any(|(index, obstacle)| {
        is_nearer(model, obstacle, position, distance, 0.0)
            && earlier_hit(model, none, index, position, course, 0.0).exists
    })
}

/// Does the line meet a wall of the map? It is walked from cell to cell.
pub fn walls_hide(model: &CompiledScene, position: Vec3, offset: Vec3) -> bool {
    let world = &model.world;
    let at = on_map(world, position);
    let way = on_map(world, position + offset) - at;
    let onward = way.cmpgt(Vec2::ZERO);
    let ahead = Vec2::select(onward, Vec2::ONE, Vec2::NEG_ONE);
    let mut cell = at.floor();
    let (mut hidden, mut arrived, mut crossed) = (is_wall(model, at), false, 0);
    while crossed < MAX_CELLS_CROSSED && !hidden && !arrived {
        let side = Vec2::select(onward, cell + 1.0, cell);
        let share = Vec2::select(way.cmpne(Vec2::ZERO), (side - at) / way, Vec2::splat(FAR_AWAY));
        arrived = share.x.min(share.y) > 1.0;
        let sideways = share.x <= share.y;
        cell += Vec2::select(BVec2::new(sideways, !sideways), ahead, Vec2::ZERO);
        hidden = !arrived && is_wall(model, cell + 0.5);
        crossed += 1;
    }
    !arrived
}
