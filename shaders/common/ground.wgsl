// The ground: a coarse grid over the world that counts visits and holds a resource and a trail, all in integers.

// One cell of the ground.
struct GroundCell {
    // Agents in this cell, counted in every step; halved every half-life.
    visits: u32,
    stock: u32, // Units of the resource that are there.
    capacity: u32, // The most units that there can be.
    // The smallest id of the agents that claim the intake of this step; `UNCLAIMED` where there is none.
    claim: u32,
    trail: u32, // Units of the trail.
}

// A `GroundCell` for passes in which agents mark it.
struct MarkedCell {
    visits: atomic<u32>,
    stock: u32,
    capacity: u32,
    claim: atomic<u32>,
    trail: atomic<u32>,
}

const UNCLAIMED = 0xffffffffu; // The claim of a cell whose intake no agent claims.

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
    // False beyond an end that does not wrap, and where the way around a wrapped axis would not be the shorter one.
    inside: bool,
    cell: u32,
}

// Along one axis, the cell that is `step` cells from `home`. A wrapped axis goes around.
fn ground_step(home: u32, step: i32, cells: u32, wraps: bool) -> GroundStep {
    let there = i32(home) + step;
    if (wraps) {
        let count = i32(cells);
        // GLSL leaves the remainder of a negative number undefined, so it is made positive first.
        let around = u32(there + GROUND_REACH * count) % cells;
        return GroundStep(abs(step) <= count / 2, around);
    }
    return GroundStep(there >= 0 && there < i32(cells), u32(clamp(there, 0, i32(cells) - 1)));
}

// From a point, whose own cell is `home`, to the center of the cell that is `step` cells away, u.
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

// Most cells to each side that a search of the ground visits.
const GROUND_REACH = select(16, 6, SPATIAL);

// The center of the best ground cell around an agent: with `eats` the nearest within the radius that holds some of the
// resource, without it the least visited, of equal ones the nearest.
fn search_ground(agent: Agent, cells: i32, radius: f32, eats: bool) -> Goal {
    let home = ground_cell(agent.position);
    let reach = min(cells, GROUND_REACH);
    let deep = select(0, reach, SPATIAL);
    var found = false;
    var fewest = 0u;
    var nearest = 0.0;
    var best = vec3f(0.0);
    for (var z = -deep; z <= deep; z += 1) {
        let at_z = ground_step(home.z, z, world.ground_cells.z, SPATIAL && boundary_z == WRAP);
        for (var y = -reach; y <= reach; y += 1) {
            let at_y = ground_step(home.y, y, world.ground_cells.y, boundary_y == WRAP);
            for (var x = -reach; x <= reach; x += 1) {
                let at_x = ground_step(home.x, x, world.ground_cells.x, boundary_x == WRAP);
                let there = ground_index(vec3u(at_x.cell, at_y.cell, at_z.cell));
                let offset = ground_offset(agent.position, home, vec3i(x, y, z));
                let distance_squared = dot3(offset, offset);
                let own = x == 0 && y == 0 && z == 0;
                var visits = ground[there].visits;
                var counts = !own;
                if (eats) {
                    visits = 0u;
                    counts = ground[there].stock > 0u && (own || distance_squared <= radius * radius);
                }
                let better = !found || visits < fewest || (visits == fewest && distance_squared < nearest);
                if (at_x.inside && at_y.inside && at_z.inside && counts && better) {
                    found = true;
                    fewest = visits;
                    nearest = distance_squared;
                    best = offset;
                }
            }
        }
    }
    var goal = goal_at(best, vec3f(0.0), vec3f(0.0));
    goal.exists = found;
    return goal;
}

// The center of the least visited cell other than the agent's own, of equal ones the nearest.
fn least_visited(agent: Agent, cells: u32) -> Goal {
    return search_ground(agent, i32(cells), 0.0, false);
}

// The center of the nearest cell within a radius that holds some of the resource, u.
fn nearest_resource(agent: Agent, radius: f32) -> Goal {
    let per_unit = world.ground_cells_per_unit;
    let cells = ceil(min(radius * max(per_unit.x, max(per_unit.y, per_unit.z)), 100.0));
    return search_ground(agent, i32(cells), radius, true);
}

// Most units of the trail in a cell when a step has faded it.
const MOST_TRAIL = 0x3fffffffu;

// Units of the trail at a point; beyond an end of the world as at it.
fn trail_at(position: vec3f) -> u32 {
    return ground[ground_index(ground_cell(wrapped(position)))].trail;
}

// `amount` times `share` / 2^32, in whole units, after `rounding` / 2^32 is added: the high word of a product of 64
// bits, from its four parts.
fn portion_of(amount: u32, share: u32, rounding: u32) -> u32 {
    let low = (amount & 0xffffu) * (share & 0xffffu);
    let first = (amount >> 16u) * (share & 0xffffu) + (low >> 16u);
    let second = (amount & 0xffffu) * (share >> 16u) + (first & 0xffffu);
    let high = (amount >> 16u) * (share >> 16u) + (first >> 16u) + (second >> 16u);
    let rest = (second << 16u) | (low & 0xffffu);
    return high + u32(rest + rounding < rest);
}
