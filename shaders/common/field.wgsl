// The flow field: one vector per node of a grid over the world, interpolated linearly along each axis.

// A coordinate between two nodes of the field.
struct FieldAxis {
    low: u32, // The node below.
    high: u32, // The node above.
    // Share of the node `high`, 0 to 1.
    share: f32,
}

// The two nodes around a coordinate. Beyond an end that does not wrap, the field goes on as at the end.
fn field_axis(x: f32, half_size: f32, nodes_per_unit: f32, nodes: u32, wraps: bool) -> FieldAxis {
    let coordinate = (x + half_size) * nodes_per_unit;
    if (wraps) {
        let turns = floor(coordinate / f32(nodes));
        let within = clamp(coordinate - turns * f32(nodes), 0.0, f32(nodes));
        let low = min(u32(floor(within)), nodes - 1u);
        return FieldAxis(low, select(low + 1u, 0u, low + 1u == nodes), min(within - f32(low), 1.0));
    }
    let within = clamp(coordinate, 0.0, f32(nodes) - 1.0);
    let low = u32(floor(within));
    return FieldAxis(low, min(low + 1u, nodes - 1u), within - f32(low));
}

fn field_between(a: vec3f, b: vec3f, share: f32) -> vec3f {
    return a + (b - a) * share;
}

fn field_along_x(first: u32, x: FieldAxis, y: u32, z: u32) -> vec3f {
    let row = first + (z * world.field_nodes.y + y) * world.field_nodes.x;
    return field_between(load(field[row + x.low]), load(field[row + x.high]), x.share);
}

fn field_along_y(first: u32, x: FieldAxis, y: FieldAxis, z: u32) -> vec3f {
    return field_between(field_along_x(first, x, y.low, z), field_along_x(first, x, y.high, z), y.share);
}

// Is a position beyond an end of the field? A wrapped axis has none.
fn is_outside_field(position: vec3f) -> bool {
    let beyond = abs(position) > world.half_size;
    return (boundary_x != WRAP && beyond.x)
        || (boundary_y != WRAP && beyond.y)
        || (SPATIAL && boundary_z != WRAP && beyond.z);
}

// The field at a position in one of its records: the one whose first node is `first`, u/s.
fn sample_record(first: u32, position: vec3f) -> vec3f {
    let per_unit = world.field_nodes_per_unit;
    let half_size = world.half_size;
    let nodes = world.field_nodes;
    let x = field_axis(position.x, half_size.x, per_unit.x, nodes.x, boundary_x == WRAP);
    let y = field_axis(position.y, half_size.y, per_unit.y, nodes.y, boundary_y == WRAP);
    if (SPATIAL) {
        let z = field_axis(position.z, half_size.z, per_unit.z, nodes.z, boundary_z == WRAP);
        return field_between(field_along_y(first, x, y, z.low), field_along_y(first, x, y, z.high), z.share);
    }
    return field_along_y(first, x, y, 0u);
}

// The flow field at a position in this step, u/s.
fn sample_field(position: vec3f) -> vec3f {
    if (field_changes) {
        let first = sample_record(scenery.flow.first, position);
        let second = sample_record(scenery.flow.second, position);
        let flow = field_between(first, second, scenery.flow.share) * scenery.flow.factor;
        let cosine = scenery.flow.cosine;
        let sine = scenery.flow.sine;
        return vec3f(flow.x * cosine - flow.y * sine, flow.x * sine + flow.y * cosine, flow.z);
    }
    return sample_record(0u, position);
}
