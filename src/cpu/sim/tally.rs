//! Twin of `shaders/sim/tally.wgsl`: count the agents that cross each line; list them, and those that leave or enter.

use crate::cpu::common::events::{list_change, list_event};
use crate::cpu::{Buffers, Execution};
use crate::model::away::is_away;
use crate::model::events::{NOBODY, STATE_AWAY};
use crate::model::{CompiledScene, FROZEN, ID_BITS};
use crate::scene::Boundary;
use glam::{Vec2, Vec3, Vec4, Vec4Swizzles};

/// Run the stage; the sums are the same in any order.
pub fn tally(model: &CompiledScene, buffers: &mut Buffers, _: Execution) {
    if model.scenery.line_count == 0 && buffers.events.is_empty() {
        return;
    }
    for index in 0..model.world.agent_count as usize {
        tally_one(model, buffers, index);
    }
}

fn is_left(ends: Vec4, place: Vec2) -> bool {
    let way = place - ends.xy();
    let along = ends.zw() - ends.xy();
    along.x * way.y - along.y * way.x >= 0.0
}

fn is_left_of_move(before: Vec2, moved: Vec2, place: Vec2) -> bool {
    let way = place - before;
    moved.x * way.y - moved.y * way.x >= 0.0
}

fn worlds_between(before: f32, after: f32, half_size: f32, boundary: Boundary) -> f32 {
    if boundary != Boundary::Wrap {
        return 0.0;
    }
    f32::from(u8::from(after - before < -half_size)) - f32::from(u8::from(after - before > half_size))
}

fn list_absence(model: &CompiledScene, buffers: &mut Buffers, before: u32, after: u32) {
    let id = after & ID_BITS;
    if is_away(before) == is_away(after) || id >= model.world.agent_count {
        return;
    }
    let state = buffers.memory[id as usize].state;
    let (from, to) = if is_away(before) { (STATE_AWAY, state) } else { (state, STATE_AWAY) };
    list_change(buffers, [id, from, to, NOBODY]);
}

fn tally_one(model: &CompiledScene, buffers: &mut Buffers, index: usize) {
    let id = buffers.sorted_id[index];
    list_absence(model, buffers, id, buffers.id[index]);
    if id & FROZEN != 0 {
        return;
    }
    let world = &model.world;
    let before = Vec3::from_array(buffers.sorted_position[index]).truncate();
    let after = Vec3::from_array(buffers.position[index]).truncate();
    let size = Vec3::from_array(world.size).truncate();
    let along = |axis: usize| worlds_between(before[axis], after[axis], world.half_size[axis], model.boundary[axis]);
    let around = Vec2::new(along(0), along(1));
    let moved = after + around * size - before;
    let [images_x, images_y] = [0, 1].map(|axis| i8::from(model.boundary[axis] == Boundary::Wrap));
    for line in 0..model.scenery.line_count {
        let ends = Vec4::from_array(model.scenery.lines[line as usize]);
        let mut times = [0; 2];
        for y in -images_y..=images_y {
            for x in -images_x..=images_x {
                let image = Vec2::new(f32::from(x), f32::from(y));
                let was_left = is_left(ends, before - image * size);
                if was_left == is_left(ends, after - (image - around) * size) {
                    continue;
                }
                let there = image * size;
                if is_left_of_move(before, moved, ends.xy() + there)
                    == is_left_of_move(before, moved, ends.zw() + there)
                {
                    continue;
                }
                times[usize::from(!was_left)] += 1;
            }
        }
        for (back, times) in (0..).zip(times) {
            for _ in 0..times {
                let sum = &mut buffers.crossed[(2 * line + back) as usize];
                *sum = sum.wrapping_add(1);
                list_event(buffers, id, line, back);
            }
        }
    }
}
