// Stage measure: reduce the state to what the scene asks to observe. It runs on request, not in every step.
//
// Everything is summed up in integers of 64 bits, so the order of agents does not matter. docs/observables.md has the formulas;
// `src/model/measured.rs` says what lies where in `measured`, and makes numbers of the sums.

// Kinds of pair measurements. The row of a kind in `pairs` is one less.
const NEAREST_DISTANCE = 1u;
const GROUPS = 2u;
const GROUP_POLARIZATION = 3u;
const VELOCITY_CORRELATION = 4u;
const OVERLAPS = 5u;

// Squares of speeds and products of velocities, as shares of the top speed, may be small: these factors give them more digits.
const FINE_SQUARE = 65536.0;
const FINE_PRODUCT = 256.0;
// Of the middle of all agents, as a share of the world's longest extent: two steps of a sum.
const MIDDLE_ERROR = 2.0 / 1048576.0;

// Most agents that are chosen for the correlation function, and its number of bins.
const MOST_CHOSEN = 4096u;
const BIN_COUNT = 64u;
// A counter that sets the hash that chooses agents apart from other hashes.
const CHOOSES = 0x636f7272u;

// An agent that finds no other within this many cells is lonely: it is compared with all agents.
const LONELY_REACH = 4u;
const UNKNOWN_SQUARE = 3e38;

// Count the agents in each cell.
@compute @workgroup_size(workgroup_size)
fn measure_density(invocation: Invocation) {
    let cells = measurement[0].density_cells;
    for (var slot = invocation.id.x; slot < world.agent_count; slot += invocation.workgroups.x * workgroup_size) {
        let at = equal_cell(load(position[slot]), cells);
        if (takes_part(slot) && all(at >= vec3i(0))) {
            let cell = (u32(at.z) * cells.y + u32(at.y)) * cells.x + u32(at.x);
            atomicAdd(&measured_atomic[measurement[0].first_density_cell + cell], 1u);
        }
    }
}

// List the agents that are chosen for the correlation function.
@compute @workgroup_size(workgroup_size)
fn measure_chosen(invocation: Invocation) {
    let first = measurement[0].first_chosen;
    for (var slot = invocation.id.x; slot < world.agent_count; slot += invocation.workgroups.x * workgroup_size) {
        let hash = hash4(vec4u(id[slot] & ID_BITS, CHOOSES, 0u, 0u)).x;
        if (hash <= measurement[0].chosen_below && takes_part(slot)) {
            let place = atomicAdd(&measured_atomic[first], 1u);
            if (place < MOST_CHOSEN) {
                atomicStore(&measured_atomic[first + 1u + place], slot);
            }
        }
    }
}

// Sums of velocities and of speeds.
@compute @workgroup_size(workgroup_size)
fn measure_motion(invocation: Invocation) {
    begin_shares(5u, invocation.thread);
    var agents = 0u;
    var sums = array<vec2u, 4>();
    for (var slot = invocation.id.x; slot < world.agent_count; slot += invocation.workgroups.x * workgroup_size) {
        if (!takes_part(slot)) {
            continue;
        }
        agents += 1u;
        let share = load(velocity[slot]) / world.top_speed;
        sums[0] = plus(sums[0], summed(share.x));
        sums[1] = plus(sums[1], summed(share.y));
        if (SPATIAL) {
            sums[2] = plus(sums[2], summed(share.z));
        }
        sums[3] = plus(sums[3], summed(sqrt(dot3(share, share))));
    }
    add_share(0u, vec2u(agents, 0u));
    for (var sum = 0u; sum < 4u; sum += 1u) {
        add_share(1u + sum, sums[sum]);
    }
    end_shares(AGENTS_IN_MOTION, 5u, invocation.thread);
}

// After `measure_motion`: the sum of the squared deviations of speeds from their mean.
@compute @workgroup_size(workgroup_size)
fn measure_spread(invocation: Invocation) {
    begin_shares(1u, invocation.thread);
    let mean = measured_sum(SUM_OF_SPEEDS) / agents_measured(AGENTS_IN_MOTION);
    var squares = vec2u(0u);
    for (var slot = invocation.id.x; slot < world.agent_count; slot += invocation.workgroups.x * workgroup_size) {
        if (!takes_part(slot)) {
            continue;
        }
        let share = load(velocity[slot]) / world.top_speed;
        let faster = sqrt(dot3(share, share)) - mean;
        squares = plus(squares, summed(faster * faster * FINE_SQUARE));
    }
    add_share(0u, squares);
    end_shares(SUM_OF_SPREADS, 1u, invocation.thread);
}

// Sums of places.
@compute @workgroup_size(workgroup_size)
fn measure_places(invocation: Invocation) {
    begin_shares(7u, invocation.thread);
    var agents = 0u;
    var sums = array<vec2u, 6>();
    for (var slot = invocation.id.x; slot < world.agent_count; slot += invocation.workgroups.x * workgroup_size) {
        if (!takes_part(slot)) {
            continue;
        }
        agents += 1u;
        let place = load(position[slot]);
        let x = place_share(place.x, world.size.x, boundary_x);
        let y = place_share(place.y, world.size.y, boundary_y);
        sums[0] = plus(sums[0], summed(x.x));
        sums[1] = plus(sums[1], summed(x.y));
        sums[2] = plus(sums[2], summed(y.x));
        sums[3] = plus(sums[3], summed(y.y));
        if (SPATIAL) {
            let z = place_share(place.z, world.size.z, boundary_z);
            sums[4] = plus(sums[4], summed(z.x));
            sums[5] = plus(sums[5], summed(z.y));
        }
    }
    for (var sum = 0u; sum < 6u; sum += 1u) {
        add_share(sum, sums[sum]);
    }
    add_share(6u, vec2u(agents, 0u));
    end_shares(SUM_OF_PLACES, 7u, invocation.thread);
}

// After `measure_places`: how agents turn around the middle of all.
@compute @workgroup_size(workgroup_size)
fn measure_turns(invocation: Invocation) {
    begin_shares(3u, invocation.thread);
    let middle = middle_of_all();
    // The middle is known to this distance, u: an agent that is as near to it has no direction from it.
    let known = max(max(world.size.x, world.size.y), world.size.z) * MIDDLE_ERROR;
    var sums = array<vec2u, 3>();
    for (var slot = invocation.id.x; slot < world.agent_count; slot += invocation.workgroups.x * workgroup_size) {
        if (!takes_part(slot)) {
            continue;
        }
        let way = nearest_image(load(position[slot]) - middle);
        let spoke = select(vec3f(0.0), unit_or_zero(way), dot3(way, way) > known * known);
        let turn = cross3(spoke, heading_of(load(velocity[slot])));
        sums[0] = plus(sums[0], summed(turn.x));
        sums[1] = plus(sums[1], summed(turn.y));
        sums[2] = plus(sums[2], summed(turn.z));
    }
    for (var sum = 0u; sum < 3u; sum += 1u) {
        add_share(sum, sums[sum]);
    }
    end_shares(SUM_OF_TURNS, 3u, invocation.thread);
}

// Numbers of agents in cells, and their squares.
@compute @workgroup_size(workgroup_size)
fn measure_cells(invocation: Invocation) {
    begin_shares(2u, invocation.thread);
    let along = measurement[0].density_cells;
    var agents = 0u;
    var squares = vec2u(0u);
    for (var cell = invocation.id.x; cell < along.x * along.y * along.z; cell += invocation.workgroups.x * workgroup_size) {
        let here = atomicLoad(&measured_atomic[measurement[0].first_density_cell + cell]);
        agents += here;
        squares = plus(squares, count_squared(here));
    }
    add_share(0u, vec2u(agents, 0u));
    add_share(1u, squares);
    end_shares(CROWDING, 2u, invocation.thread);
}

// The correlation function of the chosen agents: for each bin the number of pairs, the sum of their distances, and the sum of the
// products of their deviations from the mean velocity.
@compute @workgroup_size(workgroup_size)
fn measure_bins(invocation: Invocation) {
    begin_shares(3u * BIN_COUNT, invocation.thread);
    let first = measurement[0].first_chosen;
    let chosen = min(atomicLoad(&measured_atomic[first]), MOST_CHOSEN);
    let mean = mean_share();
    for (var own = invocation.id.x; own < chosen; own += invocation.workgroups.x * workgroup_size) {
        let slot = atomicLoad(&measured_atomic[first + 1u + own]);
        let place = load(position[slot]);
        let aside = load(velocity[slot]) / world.top_speed - mean;
        for (var other = own + 1u; other < chosen; other += 1u) {
            let there = atomicLoad(&measured_atomic[first + 1u + other]);
            let way = nearest_image(load(position[there]) - place);
            let distance = sqrt(dot3(way, way));
            let bin = u32(min(distance / measurement[0].bin_width, 1e6));
            if (bin < BIN_COUNT) {
                let others = load(velocity[there]) / world.top_speed - mean;
                add_share(3u * bin, vec2u(1u, 0u));
                add_share(3u * bin + 1u, summed(distance / measurement[0].bin_width));
                add_share(3u * bin + 2u, summed(dot3(aside, others) * FINE_PRODUCT));
            }
        }
    }
    end_shares(BINS, 3u * BIN_COUNT, invocation.thread);
}

// Count the agents in each action state, for each species that has states.
@compute @workgroup_size(workgroup_size)
fn measure_states(invocation: Invocation) {
    for (var slot = invocation.id.x; slot < world.agent_count; slot += invocation.workgroups.x * workgroup_size) {
        let own_id = id[slot] & ID_BITS;
        let first = measurement[0].states[species_of(own_id)];
        if (first != 0u && takes_part(slot)) {
            atomicAdd(&measured_atomic[first + min(state_of(own_id), 31u)], 1u);
        }
    }
}

// For each species, count the agents in each row along each axis, and sum up their velocities.
@compute @workgroup_size(workgroup_size)
fn measure_rows(invocation: Invocation) {
    let cells = measurement[0].row_cells;
    for (var slot = invocation.id.x; slot < world.agent_count; slot += invocation.workgroups.x * workgroup_size) {
        let inside = equal_cell(load(position[slot]), cells);
        if (!takes_part(slot) || any(inside < vec3i(0))) {
            continue;
        }
        let at = vec3u(inside);
        let first = measurement[0].streams[species_of(id[slot] & ID_BITS)];
        let share = load(velocity[slot]) / world.top_speed;
        let along_x = first + 6u;
        let along_y = along_x + cells.y * cells.z;
        add_measured(first, summed(share.x));
        add_measured(first + 2u, summed(share.y));
        atomicAdd(&measured_atomic[along_x + at.z * cells.y + at.y], 1u);
        atomicAdd(&measured_atomic[along_y + at.z * cells.x + at.x], 1u);
        if (SPATIAL) {
            add_measured(first + 4u, summed(share.z));
            atomicAdd(&measured_atomic[along_y + cells.x * cells.z + at.y * cells.x + at.x], 1u);
        }
    }
}

// Ways to goals: the number of agents that have a way, the sum of the lengths of their ways, and the number of agents that have none.
@compute @workgroup_size(workgroup_size)
fn measure_ways(invocation: Invocation) {
    begin_shares(3u, invocation.thread);
    for (var slot = invocation.id.x; slot < world.agent_count; slot += invocation.workgroups.x * workgroup_size) {
        let goal = measurement[0].goals[species_of(id[slot] & ID_BITS)];
        if (goal == NO_INDEX || !takes_part(slot)) {
            continue;
        }
        let way = way_at(goal, load(position[slot]));
        if (way.share > 0.0) {
            add_share(0u, vec2u(1u, 0u));
            add_share(1u, summed(way.cells / way.share));
        } else {
            add_share(2u, vec2u(1u, 0u));
        }
    }
    end_shares(WAYS_TO_GOALS, 3u, invocation.thread);
}

// Paths: the number of agents that follow one, the sum of their distances from it, and the number of agents outside of its width.
@compute @workgroup_size(workgroup_size)
fn measure_paths(invocation: Invocation) {
    begin_shares(3u, invocation.thread);
    for (var slot = invocation.id.x; slot < world.agent_count; slot += invocation.workgroups.x * workgroup_size) {
        let path = measurement[0].paths[species_of(id[slot] & ID_BITS)];
        if (path == NO_INDEX || !takes_part(slot)) {
            continue;
        }
        let off = off_path(scenery.paths[path], load(position[slot]));
        add_share(0u, vec2u(1u, 0u));
        add_share(1u, summed(off.x));
        add_share(2u, vec2u(select(0u, 1u, off.y > 0.0), 0u));
    }
    end_shares(OFF_PATHS, 3u, invocation.thread);
}

// Put each agent into the list of its cell, as a group of its own.
@compute @workgroup_size(workgroup_size)
fn measure_enter(invocation: Invocation) {
    for (var kind = NEAREST_DISTANCE; kind <= OVERLAPS; kind += 1u) {
        let layer = measurement[0].pairs[kind - 1u];
        for (var slot = invocation.id.x; slot < world.agent_count && layer.cells.x > 0u; slot += invocation.workgroups.x * workgroup_size) {
            if (!takes_part(slot)) {
                continue;
            }
            let cell = pair_cell(layer, load(position[slot]));
            let head = layer.first_head + (cell.z * layer.cells.y + cell.y) * layer.cells.x + cell.x;
            atomicStore(&measured_atomic[layer.first_next + slot], atomicExchange(&measured_atomic[head], slot + 1u));
            if (kind == GROUPS || kind == GROUP_POLARIZATION) {
                atomicStore(&measured_atomic[layer.first_root + slot], slot);
            }
        }
    }
}

// One agent: where it is, how it deviates from the mean velocity, and what it has found in the cells around its own.
struct PairSums {
    place: vec3f,
    aside: vec3f,
    squared: f32,
    pairs: u32,
    products: vec2u,
    // The root of the group, as far as it is known.
    root: u32,
}

// Where each pair counts once, the agent with the lower slot counts it; the result does not depend on which does.
fn measure_pair(kind: u32, layer: PairMeasurement, slot: u32, other: u32, mean: vec3f, sums: ptr<function, PairSums>) {
    if (kind != NEAREST_DISTANCE && other < slot) {
        return;
    }
    let way = nearest_image(load(position[other]) - (*sums).place);
    let squared = dot3(way, way);
    (*sums).squared = min((*sums).squared, squared);
    if (kind == OVERLAPS) {
        let own_id = id[slot] & ID_BITS;
        let other_id = id[other] & ID_BITS;
        let reach = radius_of(species_of(own_id), own_id) + radius_of(species_of(other_id), other_id);
        (*sums).pairs += select(0u, 1u, squared < reach * reach);
    } else if (kind != NEAREST_DISTANCE && squared < layer.distance * layer.distance) {
        if (kind == VELOCITY_CORRELATION) {
            let others = load(velocity[other]) / world.top_speed - mean;
            (*sums).pairs += 1u;
            (*sums).products = plus((*sums).products, summed(dot3((*sums).aside, others) * FINE_PRODUCT));
        } else if (atomicLoad(&measured_atomic[layer.first_root + other]) != (*sums).root) {
            (*sums).root = unite_groups(layer.first_root, slot, other);
        }
    }
}

fn measure_around(
    kind: u32,
    layer: PairMeasurement,
    slot: u32,
    cell: vec3u,
    reach: u32,
    mean: vec3f,
    sums: ptr<function, PairSums>,
) {
    let x = cells_around(cell.x, layer.cells.x, reach);
    let y = cells_around(cell.y, layer.cells.y, reach);
    let z = cells_around(cell.z, layer.cells.z, reach);
    for (var k = 0u; k < z.y; k += 1u) {
        let plane = wrap_cell(z.x + k, layer.cells.z) * layer.cells.y;
        for (var j = 0u; j < y.y; j += 1u) {
            let row = layer.first_head + (plane + wrap_cell(y.x + j, layer.cells.y)) * layer.cells.x;
            for (var i = 0u; i < x.y; i += 1u) {
                var next = atomicLoad(&measured_atomic[row + wrap_cell(x.x + i, layer.cells.x)]);
                while (next != 0u) {
                    let other = next - 1u;
                    if (other != slot) {
                        measure_pair(kind, layer, slot, other, mean, sums);
                    }
                    next = atomicLoad(&measured_atomic[layer.first_next + other]);
                }
            }
        }
    }
}

// One kind of pair measurement. `kind` is a constant in every call, so that drivers leave the other kinds out.
fn measure_pairs(kind: u32, first_slot: u32, stride: u32, thread: u32) {
    begin_shares(3u, thread);
    let layer = measurement[0].pairs[kind - 1u];
    let mean = mean_share();
    let is_nearest = kind == NEAREST_DISTANCE;
    for (var slot = first_slot; slot < world.agent_count; slot += stride) {
        if (!takes_part(slot)) {
            continue;
        }
        let place = load(position[slot]);
        let cell = pair_cell(layer, place);
        var sums = PairSums(place, vec3f(0.0), UNKNOWN_SQUARE, 0u, vec2u(0u), NO_INDEX);
        if (kind == VELOCITY_CORRELATION) {
            sums.aside = load(velocity[slot]) / world.top_speed - mean;
        }
        if (kind == GROUPS || kind == GROUP_POLARIZATION) {
            sums.root = atomicLoad(&measured_atomic[layer.first_root + slot]);
        }
        var is_known = !is_nearest;
        // For the nearest agent the search widens until none outside of it can be nearer.
        for (var reach = 1u; reach <= select(1u, LONELY_REACH, is_nearest); reach *= 2u) {
            measure_around(kind, layer, slot, cell, reach, mean, &sums);
            let is_whole = 2u * reach + 1u >= max(layer.cells.x, max(layer.cells.y, layer.cells.z));
            // Rounding may put an agent into the cell beside its own.
            is_known = is_known || is_whole || sqrt(sums.squared) <= 0.99 * f32(reach) * layer.cell_width;
            if (is_known) {
                break;
            }
        }
        if (!is_known) {
            let lonely = atomicAdd(&measured_atomic[layer.first_root], 1u);
            atomicStore(&measured_atomic[layer.first_root + 1u + lonely], slot);
            atomicStore(&measured_atomic[layer.first_root + 1u + world.agent_count + lonely], bitcast<u32>(sums.squared));
        } else if (!is_nearest) {
            if (kind == VELOCITY_CORRELATION) {
                add_share(2u, summed(dot3(sums.aside, sums.aside) * FINE_PRODUCT));
            }
            if (sums.pairs > 0u) {
                add_share(0u, vec2u(sums.pairs, 0u));
                add_share(1u, sums.products);
            }
        } else if (sums.squared < UNKNOWN_SQUARE) {
            add_share(0u, vec2u(1u, 0u));
            add_share(1u, summed(sqrt(sums.squared) * layer.scale));
        }
    }
    end_shares(layer.first_sum, 3u, thread);
}

@compute @workgroup_size(workgroup_size)
fn measure_nearest(invocation: Invocation) {
    measure_pairs(NEAREST_DISTANCE, invocation.id.x, invocation.workgroups.x * workgroup_size, invocation.thread);
}

@compute @workgroup_size(workgroup_size)
fn measure_groups(invocation: Invocation) {
    measure_pairs(GROUPS, invocation.id.x, invocation.workgroups.x * workgroup_size, invocation.thread);
}

@compute @workgroup_size(workgroup_size)
fn measure_group_order(invocation: Invocation) {
    measure_pairs(GROUP_POLARIZATION, invocation.id.x, invocation.workgroups.x * workgroup_size, invocation.thread);
}

@compute @workgroup_size(workgroup_size)
fn measure_correlation(invocation: Invocation) {
    measure_pairs(VELOCITY_CORRELATION, invocation.id.x, invocation.workgroups.x * workgroup_size, invocation.thread);
}

@compute @workgroup_size(workgroup_size)
fn measure_overlaps(invocation: Invocation) {
    measure_pairs(OVERLAPS, invocation.id.x, invocation.workgroups.x * workgroup_size, invocation.thread);
}

// Find the nearest agent of each lonely one among all agents. Squared distances compare like their bits.
@compute @workgroup_size(workgroup_size)
fn measure_lonely(invocation: Invocation) {
    let layer = measurement[0].pairs[NEAREST_DISTANCE - 1u];
    let lonely = atomicLoad(&measured_atomic[layer.first_root]);
    for (var slot = invocation.id.x; slot < world.agent_count; slot += invocation.workgroups.x * workgroup_size) {
        for (var k = 0u; k < select(0u, lonely, takes_part(slot)); k += 1u) {
            let other = atomicLoad(&measured_atomic[layer.first_root + 1u + k]);
            let way = nearest_image(load(position[slot]) - load(position[other]));
            let squared = bitcast<u32>(dot3(way, way));
            let known = layer.first_root + 1u + world.agent_count + k;
            if (other != slot && squared < atomicLoad(&measured_atomic[known])) {
                atomicMin(&measured_atomic[known], squared);
            }
        }
    }
    if (cuts_loops_off()) {
        atomicStore(&measured_atomic[0], 1u);
    }
}

// After `measure_lonely`: add up the distances of the lonely agents.
@compute @workgroup_size(workgroup_size)
fn measure_far(invocation: Invocation) {
    begin_shares(2u, invocation.thread);
    let layer = measurement[0].pairs[NEAREST_DISTANCE - 1u];
    let lonely = atomicLoad(&measured_atomic[layer.first_root]);
    for (var k = invocation.id.x; k < lonely; k += invocation.workgroups.x * workgroup_size) {
        let squared = bitcast<f32>(atomicLoad(&measured_atomic[layer.first_root + 1u + world.agent_count + k]));
        if (squared < UNKNOWN_SQUARE) {
            add_share(0u, vec2u(1u, 0u));
            add_share(1u, summed(sqrt(squared) * layer.scale));
        }
    }
    end_shares(layer.first_sum, 2u, invocation.thread);
}

// After groups are found: add each agent to the root of its group.
@compute @workgroup_size(workgroup_size)
fn measure_roots(invocation: Invocation) {
    for (var kind = GROUPS; kind <= GROUP_POLARIZATION; kind += 1u) {
        let layer = measurement[0].pairs[kind - 1u];
        let sizes = layer.first_root + world.agent_count;
        for (var slot = invocation.id.x; slot < world.agent_count && layer.cells.x > 0u; slot += invocation.workgroups.x * workgroup_size) {
            if (!takes_part(slot)) {
                continue;
            }
            let root = root_of(layer.first_root, slot);
            atomicAdd(&measured_atomic[sizes + root], 1u);
            if (kind == GROUP_POLARIZATION) {
                let heading = heading_of(load(velocity[slot]));
                let sums = sizes + world.agent_count + 6u * root;
                add_measured(sums, summed(heading.x));
                add_measured(sums + 2u, summed(heading.y));
                add_measured(sums + 4u, summed(heading.z));
            }
        }
    }
}

// Last of all: the number of groups, the size of the largest one, and the sum of the lengths of the groups' sums of headings.
fn measure_sizes(kind: u32, first_slot: u32, stride: u32, thread: u32) {
    begin_shares(3u, thread);
    let layer = measurement[0].pairs[kind - 1u];
    let sizes = layer.first_root + world.agent_count;
    var groups = 0u;
    var largest = 0u;
    var lengths = vec2u(0u);
    for (var slot = first_slot; slot < world.agent_count; slot += stride) {
        let size = atomicLoad(&measured_atomic[sizes + slot]);
        groups += min(size, 1u);
        largest = max(largest, size);
        if (kind == GROUP_POLARIZATION && size > 0u) {
            let sums = sizes + world.agent_count + 6u * slot;
            let heading = vec3f(
                from_fixed_point(atomicLoad(&measured_atomic[sums]), atomicLoad(&measured_atomic[sums + 1u])),
                from_fixed_point(atomicLoad(&measured_atomic[sums + 2u]), atomicLoad(&measured_atomic[sums + 3u])),
                from_fixed_point(atomicLoad(&measured_atomic[sums + 4u]), atomicLoad(&measured_atomic[sums + 5u])),
            );
            lengths = plus(lengths, summed(sqrt(dot3(heading, heading))));
        }
    }
    add_share(0u, vec2u(groups, 0u));
    add_share(2u, lengths);
    // The largest size is a maximum, not a sum.
    atomicMax(&measured_atomic[FIRST_SUM + 2u * layer.first_sum + 2u], largest);
    end_shares(layer.first_sum, 3u, thread);
}

@compute @workgroup_size(workgroup_size)
fn measure_group_sizes(invocation: Invocation) {
    measure_sizes(GROUPS, invocation.id.x, invocation.workgroups.x * workgroup_size, invocation.thread);
}

@compute @workgroup_size(workgroup_size)
fn measure_group_orders(invocation: Invocation) {
    measure_sizes(GROUP_POLARIZATION, invocation.id.x, invocation.workgroups.x * workgroup_size, invocation.thread);
}
