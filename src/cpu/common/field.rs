//! Twin of `shaders/common/field.wgsl`.

use super::structs::FieldAxis;
use crate::model::CompiledScene;
use crate::model::scenery::NO_TRAJECTORY;
use crate::scene::Boundary;
use glam::Vec3;

fn field_axis(x: f32, half_size: f32, nodes_per_unit: f32, nodes: u32, wraps: bool) -> FieldAxis {
    let coordinate = (x + half_size) * nodes_per_unit;
    if wraps {
        let turns = (coordinate / nodes as f32).floor();
        let within = (coordinate - turns * nodes as f32).clamp(0.0, nodes as f32);
        let low = (within.floor() as u32).min(nodes - 1);
        let high = if low + 1 == nodes { 0 } else { low + 1 };
        return FieldAxis { low, high, share: (within - low as f32).min(1.0) };
    }
    let within = coordinate.clamp(0.0, nodes as f32 - 1.0);
    let low = within.floor() as u32;
    FieldAxis { low, high: (low + 1).min(nodes - 1), share: within - low as f32 }
}

fn field_between(a: Vec3, b: Vec3, share: f32) -> Vec3 {
    a + (b - a) * share
}

fn field_along_x(model: &CompiledScene, first: u32, x: FieldAxis, y: u32, z: u32) -> Vec3 {
    let row = first + (z * model.world.field_nodes[1] + y) * model.world.field_nodes[0];
    let node = |column: u32| Vec3::from_array(model.field.vectors[(row + column) as usize]);
    field_between(node(x.low), node(x.high), x.share)
}

fn field_along_y(model: &CompiledScene, first: u32, x: FieldAxis, y: FieldAxis, z: u32) -> Vec3 {
    field_between(field_along_x(model, first, x, y.low, z), field_along_x(model, first, x, y.high, z), y.share)
}

/// Is a position beyond an end of the field? A wrapped axis has none.
pub fn is_outside_field(model: &CompiledScene, position: Vec3) -> bool {
    let axes = if model.spatial { 3 } else { 2 };
    let beyond = |axis: usize| position[axis].abs() > model.world.half_size[axis];
    (0..axes).any(|axis| model.boundary[axis] != Boundary::Wrap && beyond(axis))
}

fn sample_record(model: &CompiledScene, first: u32, position: Vec3) -> Vec3 {
    let world = &model.world;
    let axis = |axis: usize| {
        let wraps = model.boundary[axis] == Boundary::Wrap;
        let nodes = world.field_nodes[axis];
        field_axis(position[axis], world.half_size[axis], world.field_nodes_per_unit[axis], nodes, wraps)
    };
    let (x, y) = (axis(0), axis(1));
    if model.spatial {
        let z = axis(2);
        let low = field_along_y(model, first, x, y, z.low);
        return field_between(low, field_along_y(model, first, x, y, z.high), z.share);
    }
    field_along_y(model, first, x, y, 0)
}

/// The flow field at a position in this step, u/s.
pub fn sample_field(model: &CompiledScene, position: Vec3) -> Vec3 {
    let flow = &model.scenery.flow;
    if flow.trajectory == NO_TRAJECTORY {
        return sample_record(model, 0, position);
    }
    let first = sample_record(model, flow.first, position);
    let second = sample_record(model, flow.second, position);
    let (cosine, sine) = (flow.cosine, flow.sine);
    let flow = field_between(first, second, flow.share) * flow.factor;
    Vec3::new(flow.x * cosine - flow.y * sine, flow.x * sine + flow.y * cosine, flow.z)
}
