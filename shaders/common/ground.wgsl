// The ground: a coarse grid over the world that counts visits and holds a resource, all in integers.

struct GroundCell {
    // Agents that were here, one for each step, halved every half-life.
    visits: u32,
    // Units of the resource, and the most that there can be.
    stock: u32,
    capacity: u32,
    // The smallest id of those that would take from it in this step, or UNCLAIMED.
    claim: u32,
}

const UNCLAIMED = 0xffffffffu;

fn ground_axis(x: f32, half_size: f32, per_unit: f32, cells: u32) -> u32 {
    return u32(clamp(floor((x + half_size) * per_unit), 0.0, f32(cells) - 1.0));
}

// The cell of a point; agents outside of the world are at its edge.
fn ground_cell(position: vec3f) -> vec3u {
    let per_unit = world.ground_cells_per_unit;
    let cells = world.ground_cells;
    let x = ground_axis(position.x, world.half_size.x, per_unit.x, cells.x);
    let y = ground_axis(position.y, world.half_size.y, per_unit.y, cells.y);
    if (SPATIAL) {
        return vec3u(x, y, ground_axis(position.z, world.half_size.z, per_unit.z, cells.z));
    }
    return vec3u(x, y, 0u);
}

fn ground_index(cell: vec3u) -> u32 {
    return (cell.z * world.ground_cells.y + cell.y) * world.ground_cells.x + cell.x;
}

struct GroundStep {
    // False beyond an end that does not wrap.
    inside: bool,
    cell: u32,
}

// One axis of a cell so many cells away. On a wrapped axis nothing is farther away than all cells.
fn ground_step(home: u32, step: i32, cells: u32, wraps: bool) -> GroundStep {
    let there = i32(home) + step;
    if (wraps) {
        let count = i32(cells);
        let around = ((there % count) + count) % count;
        return GroundStep(abs(step) <= count / 2, u32(around));
    }
    return GroundStep(there >= 0 && there < i32(cells), u32(clamp(there, 0, i32(cells) - 1)));
}

// From a point to the center of the cell so many cells from its own, u.
fn ground_offset(position: vec3f, home: vec3u, step: vec3i) -> vec3f {
    let center = (vec3f(vec3i(home) + step) + 0.5) * world.ground_cell_size - world.half_size;
    let offset = center - position;
    if (SPATIAL) {
        return offset;
    }
    return vec3f(offset.x, offset.y, 0.0);
}

// Whole units of this step at a rate in 1/65536 units per step, so that n steps have n times the rate, rounded down.
fn ground_units(rate: u32, step: u32) -> u32 {
    return (((step * rate) >> 16u) - (((step - 1u) * rate) >> 16u)) & 0xffffu;
}
