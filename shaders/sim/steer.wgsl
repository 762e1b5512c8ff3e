// Stage steer: look at the neighbors, evaluate every behavior, and combine them into one acceleration.
//
// Neighbors are visited in a fixed order: rows of cells by z, then y, and within a row by place. So the sums have the
// same bits in every run.

@group(0) @binding(3) var<storage, read> cell_start: array<u32>;
@group(0) @binding(4) var<storage, read> sorted_position: array<Stored>;
@group(0) @binding(5) var<storage, read> sorted_velocity: array<Stored>;
@group(0) @binding(6) var<storage, read> sorted_id: array<u32>;
// The weighted sum of the behaviors, u/s², before the force limit.
@group(0) @binding(7) var<storage, read_write> acceleration: array<Stored>;
// Number of neighbors that at least one behavior perceives, or CUT_OFF. One more word at the end stays 1 once any agent
// was cut off in any step, so that nobody has to look after every step.
@group(0) @binding(8) var<storage, read_write> neighbors: array<u32>;

@compute @workgroup_size(workgroup_size)
fn steer(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let place = invocation_index(invocation, workgroups);
    if (place >= world.agent_count) {
        return;
    }
    let id = sorted_id[place];
    if ((id & FROZEN) != 0u) {
        acceleration[place] = store(vec3f(0.0));
        // `gather` looped over all frozen agents, and a driver may cut that off.
        let frozen = world.agent_count - cell_start[world.cell_count];
        neighbors[place] = 0u;
        if (frozen > 65000u) {
            neighbors[place] = CUT_OFF;
            neighbors[world.agent_count] = 1u;
        }
        return;
    }
    let position = load(sorted_position[place]);
    let velocity = load(sorted_velocity[place]);
    let own = species_of(id);
    let forward = forward_of(velocity, id);

    let separation = species[own].separation;
    let alignment = species[own].alignment;
    let cohesion = species[own].cohesion;
    var separation_sum = vec3f(0.0);
    var alignment_sum = AlignmentSum(vec3f(0.0), 0u);
    var cohesion_sum = CohesionSum(vec3f(0.0), 0u);
    var perceived = 0u;
    var coincident = 0u;
    // A driver may silently end a loop early (Mesa's llvmpipe does after 65,535 iterations of all loops together), so
    // every loop below checks that it came to its end: by equality, because a compiler takes the negation of the loop's
    // own condition for granted.
    var complete = true;

    if (separation_acts || alignment_acts || cohesion_acts) {
        let radius = species[own].perception_radius;
        let reach = radius + world.search_margin;
        let wraps_x = boundary_x == WRAP;
        let wraps_y = boundary_y == WRAP;
        let wraps_z = SPATIAL && boundary_z == WRAP;
        let half_size = world.half_size;
        let cells = world.cells;
        let cells_per_unit = world.cells_per_unit;
        let rows_y = cell_range(position.y, reach, half_size.y, cells_per_unit.y, cells.y, wraps_y);
        var rows_z = vec2i(0);
        if (SPATIAL) {
            rows_z = cell_range(position.z, reach, half_size.z, cells_per_unit.z, cells.z, wraps_z);
        }
        var rows = 0;
        for (var z = rows_z.x; z <= rows_z.y; z += 1) {
            let period_z = select(0, period_of(z, cells.z), wraps_z);
            let home_z = u32(z - period_z * i32(cells.z));
            var distance_z = 0.0;
            if (SPATIAL) {
                distance_z = row_distance(position.z, z, half_size.z, world.cell_size.z, cells.z, wraps_z);
            }
            for (var y = rows_y.x; y <= rows_y.y; y += 1) {
                rows += 1;
                let period_y = select(0, period_of(y, cells.y), wraps_y);
                let home_y = u32(y - period_y * i32(cells.y));
                // Clip the row to the chord of the circle (of the sphere) at the row's nearest distance.
                var chord = reach;
                if (clipped_rows) {
                    let distance_y = row_distance(position.y, y, half_size.y, world.cell_size.y, cells.y, wraps_y);
                    let rest = reach * reach - distance_y * distance_y - distance_z * distance_z;
                    if (rest < 0.0) {
                        continue;
                    }
                    chord = sqrt(rest) + world.search_margin;
                }
                let row_start = (home_z * cells.y + home_y) * cells.x;
                let range = cell_range(position.x, chord, half_size.x, cells_per_unit.x, cells.x, wraps_x);
                var x = range.x;
                // A row that crosses the seam is two or three ranges of agents, each with its image's offset.
                while (x <= range.y) {
                    let period_x = select(0, period_of(x, cells.x), wraps_x);
                    let home_x = x - period_x * i32(cells.x);
                    let length = min(range.y - x, i32(cells.x) - 1 - home_x);
                    // Half of the way to the image is added to the neighbor and half taken from the agent: close to
                    // the seam both are exact, where their difference first and the way then would lose digits.
                    var half_way = vec3f(f32(period_x) * half_size.x, f32(period_y) * half_size.y, 0.0);
                    if (SPATIAL) {
                        half_way.z = f32(period_z) * half_size.z;
                    }
                    let from_here = position - half_way;
                    let first = cell_start[row_start + u32(home_x)];
                    let last = cell_start[row_start + u32(home_x + length) + 1u];
                    var other = first;
                    for (; other < last; other += 1u) {
                        let offset = load(sorted_position[other]) + half_way - from_here;
                        let distance_squared = dot3(offset, offset);
                        // Loaded for every candidate, in or out of reach: a load under a condition that differs from
                        // lane to lane costs more than the loads that it saves.
                        var their_velocity = vec3f(0.0);
                        if (alignment_acts) {
                            their_velocity = load(sorted_velocity[other]);
                        }
                        if (other != place && distance_squared <= radius * radius) {
                            let distance = sqrt(distance_squared);
                            let neighbor =
                                Neighbor(offset, distance_squared, distance, dot3(offset, forward), their_velocity);
                            var seen = false;
                            if (separation_acts) {
                                seen = seen || sees(separation.vision, neighbor);
                                separation_sum = separation_add(separation_sum, separation, neighbor);
                            }
                            if (alignment_acts) {
                                seen = seen || sees(alignment.vision, neighbor);
                                alignment_sum = alignment_add(alignment_sum, alignment, neighbor);
                            }
                            if (cohesion_acts) {
                                seen = seen || sees(cohesion.vision, neighbor);
                                cohesion_sum = cohesion_add(cohesion_sum, cohesion, neighbor);
                            }
                            perceived += u32(seen);
                            coincident += u32(distance_squared == 0.0);
                        }
                    }
                    complete = complete && other == last;
                    x += length + 1;
                }
                complete = complete && x == range.y + 1;
            }
        }
        complete = complete && rows == (rows_y.y - rows_y.x + 1) * (rows_z.y - rows_z.x + 1);
    }

    if (!(separation_acts || alignment_acts || cohesion_acts)) {
        // No loop here would notice that `gather` was cut off in a cell with too many agents.
        let home = cell_of(position);
        complete = cell_start[home + 1u] - cell_start[home] <= 65000u;
    }

    if (separation_acts && coincident > 0u) {
        // Rare, so it is kept out of the loop above. Coincident agents are in the same cell.
        let home = cell_of(position);
        let last = cell_start[home + 1u];
        var other = cell_start[home];
        for (; other < last; other += 1u) {
            let offset = load(sorted_position[other]) - position;
            if (other != place && dot3(offset, offset) == 0.0) {
                separation_sum = separation_add_coincident(separation_sum, separation, id, sorted_id[other]);
            }
        }
        complete = complete && other == last;
    }

    let time_constant = species[own].time_constant;
    var total = vec3f(0.0);
    if (separation_acts) {
        total += separation_resolve(separation_sum) * separation.weight;
    }
    if (alignment_acts) {
        total += alignment_resolve(alignment_sum, velocity, time_constant) * alignment.weight;
    }
    if (cohesion_acts) {
        total += cohesion_resolve(cohesion_sum) * cohesion.weight;
    }
    if (flow_field_acts) {
        let flow_field = species[own].flow_field;
        let sampled = sample_field(flow_field_predict(flow_field, position, velocity));
        total += flow_field_resolve(flow_field, sampled, velocity, species[own].max_speed, time_constant)
            * flow_field.weight;
    }
    total += containment(position, species[own].max_force / species[own].mass);
    acceleration[place] = store(total);
    neighbors[place] = perceived;
    if (!complete) {
        neighbors[place] = CUT_OFF;
        neighbors[world.agent_count] = 1u;
    }
}
