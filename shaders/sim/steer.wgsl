// Stage steer: search for those whom a target names, look at the neighbors, evaluate every behavior, and combine them into
// one acceleration.
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
// Columns by id and one word, each only in scenes that need it.
@group(0) @binding(9) var<storage, read_write> memory: array<Memory>;
@group(0) @binding(10) var<storage, read> place_of: array<u32>;
@group(0) @binding(11) var<storage, read> clock: array<u32>;
// The sum of the angular behaviors in the latest step in which the agent steered, rad/s².
@group(0) @binding(12) var<storage, read_write> turning: array<Turn>;
// Where the agents are that the two queries of each agent who asks found: a place, FOUND_NOBODY or CUT_OFF.
@group(0) @binding(22) var<storage, read_write> found: array<vec2u>;
@group(0) @binding(21) var<storage, read> ground: array<GroundCell>;
// Sums over all agents of the world, two words each.
@group(0) @binding(20) var<storage, read> census_sums: array<u32>;

const FOUND_NOBODY = 0xfffffffeu;
// In a scene in which some skip steps: the number of those who steer in this step, and their places, in any order.
@group(0) @binding(23) var<storage, read_write> due: array<atomic<u32>>;
// The workgroups of `steer` that they need, in three dimensions.
@group(0) @binding(24) var<storage, read_write> due_groups: array<u32>;

// Three sums of the census, from this one.
fn census_of(first: u32) -> vec3f {
    let at = 2u * first;
    return vec3f(
        from_fixed_point(census_sums[at], census_sums[at + 1u]),
        from_fixed_point(census_sums[at + 2u], census_sums[at + 3u]),
        from_fixed_point(census_sums[at + 4u], census_sums[at + 5u]),
    );
}

// By id, in scenes whose agents remember which way they face.
@group(0) @binding(13) var<storage, read> pose: array<Pose>;

// The direction that an agent of a species faces.
fn facing_of(own: u32, id: u32, velocity: vec3f) -> vec3f {
    var forward = forward_of(velocity, id);
    if (pose_acts) {
        if (species[own].vehicle.keeps_pose != 0u) {
            forward = triple(pose[id].forward);
        }
    }
    return forward;
}

// What an agent heads for, u and u/s. `places` is what the queries of its species found.
fn find_goal(toward: Target, own: u32, agent: Agent, places: vec2u) -> Goal {
    var goal = no_goal();
    if (tracks_points) {
        if (toward.kind == TARGET_POINT || toward.kind == TARGET_MOUSE) {
            let point = select(triple(toward.point), world.mouse, toward.kind == TARGET_MOUSE);
            goal = goal_at(nearest_image(point - agent.position), vec3f(0.0), vec3f(0.0));
        }
    }
    if (tracks_field) {
        if (toward.kind == TARGET_FIELD) {
            let flow = sample_field(agent.position);
            goal = goal_at(flow, flow, vec3f(0.0));
        }
    }
    if (tracks_paths) {
        if (toward.kind == TARGET_PATH) {
            let place = nearest_on_path(scenery.paths[toward.index], agent.position);
            goal = goal_at(nearest_image(place.point - agent.position), vec3f(0.0), place.tangent);
        }
    }
    var place = FOUND_NOBODY;
    if (tracks_agents) {
        if (toward.kind == TARGET_AGENT || toward.kind == TARGET_LEADER) {
            var leader = toward.index;
            if (toward.kind == TARGET_LEADER) {
                let leaders = species[toward.index].count;
                leader = species[toward.index].first_id + (agent.id - species[own].first_id) % max(leaders, 1u);
                leader = select(leader, agent.id, leaders == 0u);
            }
            if (leader < world.agent_count && leader != agent.id) {
                place = place_of[leader];
            }
        }
    }
    if (queries) {
        if (toward.kind == TARGET_NEAREST) {
            place = places.x;
            if (two_queries) {
                place = select(places.x, places.y, toward.index == 1u);
            }
        }
    }
    if (tracks_agents || queries) {
        if (place < FOUND_NOBODY) {
            goal = goal_of(place, agent);
        }
    }
    return goal;
}

// The agent at a place as a goal; none where it is frozen.
fn goal_of(place: u32, agent: Agent) -> Goal {
    let id = sorted_id[place];
    if ((id & FROZEN) != 0u) {
        return no_goal();
    }
    let velocity = load(sorted_velocity[place]);
    let offset = nearest_image(load(sorted_position[place]) - agent.position);
    var goal = goal_at(offset, velocity, vec3f(0.0));
    if (tracks_headings) {
        goal.forward = facing_of(species_of(id), id, velocity);
    }
    if (angular_velocity_matching_acts) {
        if (pose_acts) {
            goal.spin = triple(pose[id].spin);
        }
    }
    return goal;
}

// Loops over cells of the ground, paths, obstacles, species and rules are of known lengths, some thousand rounds in all, and
// do not check their ends. Where a driver counts the rounds of all loops together, this one, asked for after all others,
// is cut off if any was, of this agent or of one beside it. It takes two rounds, which no compiler knows.
fn cuts_loops_off() -> bool {
    let last_round = 1u + min(world.species_count, 1u);
    var round = 0u;
    for (; round < last_round; round += 1u) {
    }
    return round != last_round;
}

// Number of the step; 0 where nobody counts.
fn step_now() -> u32 {
    if (clocked) {
        return clock[0];
    }
    return 0u;
}

// Agents that do not steer in every step hold the latest steering. Their phases are spread evenly.
fn steers_now(own: u32, id: u32, step: u32) -> bool {
    if (skips) {
        let phase = hash4(vec4u(world.seed, id, 0u, STREAM_PHASE)).x % species[own].update_every;
        return (step + phase) % species[own].update_every == 0u || step == 1u;
    }
    return true;
}

// The places that the queries of an agent found in this step.
fn found_by(own: u32, id: u32) -> vec2u {
    var places = vec2u(FOUND_NOBODY);
    if (asks(own)) {
        let row = species[own].asker_row + id;
        places.x = found[row].x;
        if (two_queries) {
            places.y = found[row].y;
        }
    }
    return places;
}

struct Search {
    nearest: Nearest,
    // Did every loop come to its end?
    complete: bool,
}

// The nearest agent that a query sees. It visits the rows that the query's own radius needs, apart from the neighbors.
fn find_nearest(query: Vision, place: u32, position: vec3f, forward: vec3f) -> Search {
    var search = Search(Nearest(), true);
    if (query.radius_squared < 0.0) {
        return search;
    }
    let reach = sqrt(query.radius_squared) + world.search_margin;
    let wraps_x = boundary_x == WRAP;
    let wraps_y = boundary_y == WRAP;
    let wraps_z = SPATIAL && boundary_z == WRAP;
    let half_size = world.half_size;
    let cells = world.cells;
    let rows_y = cell_range(position.y, reach, half_size.y, world.cells_per_unit.y, cells.y, wraps_y);
    var rows_z = vec2i(0);
    if (SPATIAL) {
        rows_z = cell_range(position.z, reach, half_size.z, world.cells_per_unit.z, cells.z, wraps_z);
    }
    var rows = 0u;
    for (var z = rows_z.x; z <= rows_z.y; z += 1) {
        let period_z = select(0, period_of(z, cells.z), wraps_z);
        let home_z = u32(z - period_z * i32(cells.z));
        var distance_z = 0.0;
        if (SPATIAL) {
            distance_z = row_distance(position.z, z, half_size.z, world.cell_size.z, cells.z, wraps_z);
        }
        for (var y = rows_y.x; y <= rows_y.y; y += 1) {
            rows += 1u;
            let period_y = select(0, period_of(y, cells.y), wraps_y);
            let home_y = u32(y - period_y * i32(cells.y));
            let distance_y = row_distance(position.y, y, half_size.y, world.cell_size.y, cells.y, wraps_y);
            let rest = reach * reach - distance_y * distance_y - distance_z * distance_z;
            if (rest < 0.0) {
                continue;
            }
            let row_start = (home_z * cells.y + home_y) * cells.x;
            let chord = sqrt(rest) + world.search_margin;
            let range = cell_range(position.x, chord, half_size.x, world.cells_per_unit.x, cells.x, wraps_x);
            var x = range.x;
            while (x <= range.y) {
                let period_x = select(0, period_of(x, cells.x), wraps_x);
                let home_x = x - period_x * i32(cells.x);
                let length = min(range.y - x, i32(cells.x) - 1 - home_x);
                var half_way = vec3f(f32(period_x) * half_size.x, f32(period_y) * half_size.y, 0.0);
                if (SPATIAL) {
                    half_way.z = f32(period_z) * half_size.z;
                }
                let from_here = position - half_way;
                let last = cell_start[row_start + u32(home_x + length) + 1u];
                var other = cell_start[row_start + u32(home_x)];
                for (; other < last; other += 1u) {
                    let offset = load(sorted_position[other]) + half_way - from_here;
                    let distance_squared = dot3(offset, offset);
                    let asked = (query.species >> species_of(sorted_id[other])) & 1u;
                    if (other != place && asked == 1u) {
                        search.nearest = nearest_add(search.nearest, query, offset, distance_squared, forward, other);
                    }
                }
                search.complete = search.complete && other == last;
                x += length + 1;
            }
            search.complete = search.complete && x == range.y + 1;
        }
    }
    let all = u32(rows_y.y - rows_y.x + 1) * u32(rows_z.y - rows_z.x + 1);
    search.complete = search.complete && rows == all;
    return search;
}

// The agent of this row in `found`; none beyond the last row.
fn asker_id(row: u32) -> u32 {
    var id = FROZEN;
    for (var own = 0u; own < world.species_count; own += 1u) {
        let candidate = row - species[own].asker_row;
        let exists = candidate - species[own].first_id < species[own].count;
        id = select(id, candidate, asks(own) && exists);
    }
    return id;
}

// The queries of those who ask. A pass of its own: the many that do not ask pay nothing for the few that look far.
@compute @workgroup_size(workgroup_size)
fn search(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    var place = invocation_index(invocation, workgroups);
    if (few_ask) {
        // Neighbors in order of ids are no neighbors in space. For a few that does not matter.
        let asker = asker_id(place);
        if (asker == FROZEN) {
            return;
        }
        place = place_of[asker];
    }
    if (place >= world.agent_count) {
        return;
    }
    let id = sorted_id[place];
    let own = species_of(id & ~FROZEN);
    if (!asks(own)) {
        return;
    }
    let step = step_now();
    var places = vec2u(FOUND_NOBODY);
    if ((id & FROZEN) == 0u && steers_now(own, id, step)) {
        let position = load(sorted_position[place]);
        let forward = facing_of(own, id, load(sorted_velocity[place]));
        let first = find_nearest(species[own].queries[0], place, position, forward);
        places.x = select(places.x, first.nearest.place, first.nearest.found);
        places.x = select(CUT_OFF, places.x, first.complete);
        if (two_queries) {
            let second = find_nearest(species[own].queries[1], place, position, forward);
            places.y = select(places.y, second.nearest.place, second.nearest.found);
            places.y = select(CUT_OFF, places.y, second.complete);
        }
    }
    if (cuts_loops_off()) {
        places = vec2u(CUT_OFF);
    }
    found[species[own].asker_row + (id & ~FROZEN)] = places;
}

// Most cells to each side that a search of the ground visits.
const GROUND_REACH = select(16, 6, SPATIAL);

// The center of the ground cell around an agent that is best: with a resource the nearest one within the radius, and
// without the least visited, of equal ones the nearest.
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

struct Action {
    state: u32,
    unloads: bool,
}

// The action state after the first rule that holds.
fn select_action(own: u32, agent: Agent, before: Memory, places: vec2u) -> Action {
    var action = Action(before.state, false);
    var decided = false;
    for (var row = 0u; row < species[own].action_rules; row += 1u) {
        let rule = species[own].actions[row];
        let goal = find_goal(rule.toward, own, agent, places);
        var holds = false;
        if (rule.when == WHEN_NEARER) {
            holds = goal.exists && goal.distance < rule.than;
        }
        if (rule.when == WHEN_FARTHER) {
            holds = !goal.exists || goal.distance > rule.than;
        }
        if (rule.when == WHEN_AFTER) {
            // The state of the start begins in the first step, like any other in its own first step.
            holds = f32(agent.step - max(before.since, 1u)) * world.dt >= rule.than;
        }
        if (rule.when == WHEN_LOAD_ABOVE) {
            holds = f32(before.load) >= rule.than;
        }
        if (tracks_field) {
            let flow = sample_field(agent.position);
            let speed = sqrt(dot3(flow, flow));
            if (rule.when == WHEN_FIELD_ABOVE) {
                holds = speed > rule.than;
            }
            if (rule.when == WHEN_FIELD_BELOW) {
                holds = speed < rule.than;
            }
        }
        if (!decided && holds && ((rule.from_states >> before.state) & 1u) != 0u) {
            action = Action(rule.to, rule.unloads != 0u);
            decided = true;
        }
    }
    return action;
}

fn agent_of(own: u32, id: u32, step: u32, position: vec3f, velocity: vec3f, forward: vec3f) -> Agent {
    return Agent(
        id,
        step,
        position,
        velocity,
        sqrt(dot3(velocity, velocity)),
        forward,
        species[own].radius,
        species[own].max_speed,
        species[own].max_force / species[own].mass,
        species[own].time_constant,
        world.dt * f32(species[own].update_every),
        species[own].vehicle.locomotion != POINT_MASS,
    );
}

// The waypoint after this step, which the agent remembers.
fn pass_waypoint(waypoint_following: WaypointFollowing, agent: Agent, remembered: Memory) -> u32 {
    let waypoint = waypoint_next(waypoint_following, agent, remembered.waypoint);
    memory[agent.id].waypoint = waypoint;
    return waypoint;
}

// The direction of the wander target after this step, which the agent remembers with its heading.
fn stroll(wander: Wander, agent: Agent, remembered: Memory) -> vec3f {
    let strolled = wander_stroll(wander, agent, triple(remembered.wander), triple(remembered.heading));
    memory[agent.id].wander = array<f32, 3>(strolled.x, strolled.y, strolled.z);
    memory[agent.id].heading = array<f32, 3>(agent.forward.x, agent.forward.y, agent.forward.z);
    return strolled;
}

// A step in which an agent does not steer: it looks at nobody and holds its latest steering. What it does without looking
// goes on: it strolls, and passes waypoints.
fn hold(place: u32, id: u32, own: u32, step: u32) {
    let position = load(sorted_position[place]);
    let velocity = load(sorted_velocity[place]);
    let forward = facing_of(own, id, velocity);
    let agent = agent_of(own, id, step, position, velocity, forward);
    let remembered = memory[id];
    if (waypoint_following_acts) {
        let waypoint_following = species[own].behaviors.waypoint_following;
        pass_waypoint(waypoint_following, agent, remembered);
    }
    if (wander_acts) {
        let wander = species[own].behaviors.wander;
        stroll(wander, agent, remembered);
    }
    var held = triple(remembered.held);
    if (agent.moves_as_desired) {
        held = (held - velocity) / agent.time_constant;
    }
    acceleration[place] = store(held + containment(position, agent.max_acceleration));
    neighbors[place] = 0u;
}

var<workgroup> due_here: atomic<u32>;
var<workgroup> due_before: u32;

@compute @workgroup_size(1)
fn due_clear() {
    atomicStore(&due[0], 0u);
}

// Who steers in this step. A list, so that the workgroups of `steer` are full of them: phases are spread over all agents, and
// without it every workgroup would have somebody for whom all others have to wait.
@compute @workgroup_size(workgroup_size)
fn due_list(
    @builtin(global_invocation_id) invocation: vec3u,
    @builtin(num_workgroups) workgroups: vec3u,
    @builtin(local_invocation_index) thread: u32,
) {
    if (thread == 0u) {
        atomicStore(&due_here, 0u);
    }
    workgroupBarrier();
    let place = invocation_index(invocation, workgroups);
    let exists = place < world.agent_count;
    var id = FROZEN;
    if (exists) {
        id = sorted_id[place];
    }
    let own = species_of(id & ~FROZEN);
    let step = clock[0];
    let steers = (id & FROZEN) != 0u || steers_now(own, id, step);
    var slot = 0u;
    if (exists && steers) {
        slot = atomicAdd(&due_here, 1u);
    }
    workgroupBarrier();
    if (thread == 0u) {
        due_before = atomicAdd(&due[0], atomicLoad(&due_here));
    }
    workgroupBarrier();
    if (exists && steers) {
        atomicStore(&due[1u + due_before + slot], place);
    }
    if (exists && !steers) {
        hold(place, id, own, step);
    }
}

// As many workgroups as a dispatch has along its first dimension.
const WIDEST_DISPATCH = 65535u;

@compute @workgroup_size(1)
fn due_close() {
    let groups = (atomicLoad(&due[0]) + workgroup_size - 1u) / workgroup_size;
    due_groups[0] = min(groups, WIDEST_DISPATCH);
    due_groups[1] = (groups + WIDEST_DISPATCH - 1u) / WIDEST_DISPATCH;
    due_groups[2] = 1u;
}

@compute @workgroup_size(workgroup_size)
fn steer(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    var place = invocation_index(invocation, workgroups);
    if (skips) {
        if (place >= atomicLoad(&due[0])) {
            return;
        }
        place = atomicLoad(&due[1u + place]);
    }
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
    let forward = facing_of(own, id, velocity);

    let step = step_now();
    var remembered = Memory();
    if (remembers) {
        // What is not looked at is not loaded, and each part is stored where it changes: the column is in order of ids, and
        // every word of it costs.
        remembered = memory[id];
    }
    let separation = species[own].behaviors.separation;
    let alignment = species[own].behaviors.alignment;
    let cohesion = species[own].behaviors.cohesion;
    let unaligned_avoidance = species[own].behaviors.unaligned_avoidance;
    let close_neighbor_avoidance = species[own].behaviors.close_neighbor_avoidance;
    let heading_noise = species[own].behaviors.heading_noise;
    var separation_sum = vec3f(0.0);
    var alignment_sum = AlignmentSum(vec3f(0.0), 0u);
    var cohesion_sum = CohesionSum(vec3f(0.0), 0u);
    var unaligned_avoidance_sum = UnalignedAvoidanceSum();
    var close_neighbor_avoidance_sum = CloseNeighborAvoidanceSum();
    var heading_noise_sum = HeadingNoiseSum();
    var places = vec2u(FOUND_NOBODY);
    var ranking = ranking_start();
    var perceived = 0u;
    var coincident = 0u;
    // A driver may silently end a loop early (Mesa's llvmpipe does after 65,535 iterations of all loops together), so
    // every loop over agents checks that it came to its end: by equality, because a compiler takes the negation of the
    // loop's own condition for granted.
    var complete = true;

    if (queries) {
        places = found_by(own, id);
        complete = all(places != vec2u(CUT_OFF));
    }
    if (neighborhood) {
        let radius = species[own].perception_radius;
        let reach = radius + world.search_margin;
        let wraps_x = boundary_x == WRAP;
        let wraps_y = boundary_y == WRAP;
        let wraps_z = SPATIAL && boundary_z == WRAP;
        let half_size = world.half_size;
        let cells = world.cells;
        let cells_per_unit = world.cells_per_unit;
        // A topological neighborhood is found in a visit of its own: who is among the k nearest is known at its end.
        var visits = 1u;
        var nearest_enough = radius * radius;
        if (topological) {
            visits = select(1u, 2u, species[own].k_nearest > 0u);
        }
        let rows_y = cell_range(position.y, reach, half_size.y, cells_per_unit.y, cells.y, wraps_y);
        var rows_z = vec2i(0);
        if (SPATIAL) {
            rows_z = cell_range(position.z, reach, half_size.z, cells_per_unit.z, cells.z, wraps_z);
        }
        var visit = 0u;
        for (; visit < visits; visit += 1u) {
            var rows = 0u;
            for (var z = rows_z.x; z <= rows_z.y; z += 1) {
                let period_z = select(0, period_of(z, cells.z), wraps_z);
                let home_z = u32(z - period_z * i32(cells.z));
                var distance_z = 0.0;
                if (SPATIAL) {
                    distance_z = row_distance(position.z, z, half_size.z, world.cell_size.z, cells.z, wraps_z);
                }
                for (var y = rows_y.x; y <= rows_y.y; y += 1) {
                    rows += 1u;
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
                            if (sees_velocity) {
                                their_velocity = load(sorted_velocity[other]);
                            }
                            var their_species = 0u;
                            if (sees_species) {
                                their_species = species_of(sorted_id[other]);
                            }
                            if (other != place && distance_squared <= nearest_enough) {
                                if (topological) {
                                    if (visit + 1u < visits) {
                                        let perceives = (species[own].perceives >> their_species) & 1u;
                                        ranking = ranking_add(ranking, select(FARTHEST, distance_squared, perceives == 1u));
                                        continue;
                                    }
                                }
                                let distance = sqrt(distance_squared);
                                var their_radius = 0.0;
                                if (sees_bodies) {
                                    their_radius = species[their_species].radius;
                                }
                                var their_heading = vec3f(0.0);
                                if (sees_heading) {
                                    their_heading = heading_of(their_velocity);
                                }
                                let ahead = dot3(offset, forward);
                                let neighbor = Neighbor(
                                    offset,
                                    distance_squared,
                                    distance,
                                    ahead,
                                    their_velocity,
                                    their_heading,
                                    1u << their_species,
                                    their_radius,
                                );
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
                                if (unaligned_avoidance_acts) {
                                    seen = seen || sees(unaligned_avoidance.vision, neighbor);
                                    unaligned_avoidance_sum = unaligned_avoidance_add(unaligned_avoidance_sum, unaligned_avoidance, neighbor, velocity, species[own].radius, other);
                                }
                                if (close_neighbor_avoidance_acts) {
                                    seen = seen || sees(close_neighbor_avoidance.vision, neighbor);
                                    close_neighbor_avoidance_sum = close_neighbor_avoidance_add(close_neighbor_avoidance_sum, close_neighbor_avoidance, neighbor, species[own].radius, other);
                                }
                                if (heading_noise_acts) {
                                    seen = seen || sees(heading_noise.vision, neighbor);
                                    heading_noise_sum = heading_noise_add(heading_noise_sum, heading_noise, neighbor);
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
            complete = complete && rows == u32(rows_y.y - rows_y.x + 1) * u32(rows_z.y - rows_z.x + 1);
            if (topological) {
                if (visit + 1u < visits) {
                    nearest_enough = min(nearest_enough, ranking_of(ranking, species[own].k_nearest));
                }
            }
        }
        complete = complete && visit == visits;
    }

    if (!neighborhood) {
        // No loop here would notice that `gather` was cut off in a cell with too many agents.
        let home = cell_of(position);
        complete = complete && cell_start[home + 1u] - cell_start[home] <= 65000u;
    }

    if (separation_acts) {
        if (coincident > 0u) {
            // Rare, so it is kept out of the loop above. Coincident agents are in the same cell.
            let home = cell_of(position);
            let last = cell_start[home + 1u];
            var other = cell_start[home];
            for (; other < last; other += 1u) {
                let offset = load(sorted_position[other]) - position;
                if (other != place && dot3(offset, offset) == 0.0) {
                    var perceives = true;
                    if (masks) {
                        perceives = ((separation.vision.species >> species_of(sorted_id[other])) & 1u) != 0u;
                    }
                    if (perceives) {
                        separation_sum = separation_add_coincident(separation_sum, separation, id, sorted_id[other]);
                    }
                }
            }
            complete = complete && other == last;
        }
    }

    let combine = species[own].combine;
    let agent = agent_of(own, id, step, position, velocity, forward);
    var state = 0u;
    var unloads = false;
    if (selects_actions) {
        let action = select_action(own, agent, remembered, places);
        state = action.state;
        unloads = action.unloads;
    }
    var combined: Combination;
    if (separation_acts) {
        let steering = separation_resolve(separation_sum, separation, agent);
        combine_add(&combined, combine, separation.rule, state, steering);
    }
    if (alignment_acts) {
        let steering = alignment_resolve(alignment_sum, alignment, agent);
        combine_add(&combined, combine, alignment.rule, state, steering);
    }
    if (cohesion_acts) {
        let steering = cohesion_resolve(cohesion_sum, cohesion, agent);
        combine_add(&combined, combine, cohesion.rule, state, steering);
    }
    if (unaligned_avoidance_acts) {
        let steering = unaligned_avoidance_resolve(unaligned_avoidance_sum, agent, sorted_id[unaligned_avoidance_sum.place]);
        combine_add(&combined, combine, unaligned_avoidance.rule, state, steering);
    }
    if (close_neighbor_avoidance_acts) {
        let steering = close_neighbor_avoidance_resolve(close_neighbor_avoidance_sum, agent, sorted_id[close_neighbor_avoidance_sum.place]);
        combine_add(&combined, combine, close_neighbor_avoidance.rule, state, steering);
    }
    if (heading_noise_acts) {
        let steering = heading_noise_resolve(heading_noise_sum, heading_noise, agent);
        combine_add(&combined, combine, heading_noise.rule, state, steering);
    }
    if (global_alignment_acts) {
        let global_alignment = species[own].behaviors.global_alignment;
        if (global_alignment.rule.weight != 0.0) {
            // Nobody would be counted only where nobody steers.
            let velocity = census_of(0u) * (world.top_speed / f32(max(census_sums[12], 1u)));
            let steering = global_alignment_steer(global_alignment, agent, velocity, census_of(3u));
            combine_add(&combined, combine, global_alignment.rule, state, steering);
        }
    }
    if (flow_field_acts) {
        let flow_field = species[own].behaviors.flow_field;
        if (flow_field.rule.weight != 0.0) {
            combine_add(&combined, combine, flow_field.rule, state, flow_field_steer(flow_field, agent));
        }
    }
    if (seek_acts) {
        let seek = species[own].behaviors.seek;
        if (seek.rule.weight != 0.0) {
            let goal = find_goal(seek.toward, own, agent, places);
            combine_add(&combined, combine, seek.rule, state, seek_steer(seek, agent, goal));
        }
    }
    if (flee_acts) {
        let flee = species[own].behaviors.flee;
        if (flee.rule.weight != 0.0) {
            let goal = find_goal(flee.toward, own, agent, places);
            combine_add(&combined, combine, flee.rule, state, flee_steer(flee, agent, goal));
        }
    }
    if (arrive_acts) {
        let arrive = species[own].behaviors.arrive;
        if (arrive.rule.weight != 0.0) {
            let goal = find_goal(arrive.toward, own, agent, places);
            combine_add(&combined, combine, arrive.rule, state, arrive_steer(arrive, agent, goal));
        }
    }
    if (pursuit_acts) {
        let pursuit = species[own].behaviors.pursuit;
        if (pursuit.rule.weight != 0.0) {
            let goal = find_goal(pursuit.toward, own, agent, places);
            combine_add(&combined, combine, pursuit.rule, state, pursuit_steer(pursuit, agent, goal));
        }
    }
    if (evasion_acts) {
        let evasion = species[own].behaviors.evasion;
        if (evasion.rule.weight != 0.0) {
            let goal = find_goal(evasion.toward, own, agent, places);
            combine_add(&combined, combine, evasion.rule, state, evasion_steer(evasion, agent, goal));
        }
    }
    if (offset_pursuit_acts) {
        let offset_pursuit = species[own].behaviors.offset_pursuit;
        if (offset_pursuit.rule.weight != 0.0) {
            let goal = find_goal(offset_pursuit.toward, own, agent, places);
            combine_add(&combined, combine, offset_pursuit.rule, state, offset_pursuit_steer(offset_pursuit, agent, goal));
        }
    }
    if (interpose_acts) {
        let interpose = species[own].behaviors.interpose;
        if (interpose.rule.weight != 0.0) {
            let goal = find_goal(interpose.toward, own, agent, places);
            let other = find_goal(interpose.other, own, agent, places);
            combine_add(&combined, combine, interpose.rule, state, interpose_steer(interpose, agent, goal, other));
        }
    }
    if (leader_following_acts) {
        let leader_following = species[own].behaviors.leader_following;
        if (leader_following.rule.weight != 0.0) {
            let goal = find_goal(leader_following.toward, own, agent, places);
            combine_add(&combined, combine, leader_following.rule, state, leader_following_steer(leader_following, agent, goal));
        }
    }
    if (velocity_matching_acts) {
        let velocity_matching = species[own].behaviors.velocity_matching;
        if (velocity_matching.rule.weight != 0.0) {
            let goal = find_goal(velocity_matching.toward, own, agent, places);
            combine_add(&combined, combine, velocity_matching.rule, state, velocity_matching_steer(velocity_matching, agent, goal));
        }
    }
    if (target_speed_acts) {
        let target_speed = species[own].behaviors.target_speed;
        if (target_speed.rule.weight != 0.0) {
            combine_add(&combined, combine, target_speed.rule, state, target_speed_steer(target_speed, agent));
        }
    }
    if (obstacle_avoidance_acts) {
        let obstacle_avoidance = species[own].behaviors.obstacle_avoidance;
        if (obstacle_avoidance.rule.weight != 0.0) {
            combine_add(&combined, combine, obstacle_avoidance.rule, state, obstacle_avoidance_steer(obstacle_avoidance, agent));
        }
    }
    if (whiskers_acts) {
        let whiskers = species[own].behaviors.whiskers;
        if (whiskers.rule.weight != 0.0) {
            combine_add(&combined, combine, whiskers.rule, state, whiskers_steer(whiskers, agent));
        }
    }
    if (wall_following_acts) {
        let wall_following = species[own].behaviors.wall_following;
        if (wall_following.rule.weight != 0.0) {
            combine_add(&combined, combine, wall_following.rule, state, wall_following_steer(wall_following, agent));
        }
    }
    if (containment_acts) {
        let containment = species[own].behaviors.containment;
        if (containment.rule.weight != 0.0) {
            combine_add(&combined, combine, containment.rule, state, containment_steer(containment, agent));
        }
    }
    if (boundary_walls_acts) {
        let boundary_walls = species[own].behaviors.boundary_walls;
        if (boundary_walls.rule.weight != 0.0) {
            combine_add(&combined, combine, boundary_walls.rule, state, boundary_walls_steer(boundary_walls, agent));
        }
    }
    if (path_following_acts) {
        let path_following = species[own].behaviors.path_following;
        if (path_following.rule.weight != 0.0) {
            combine_add(&combined, combine, path_following.rule, state, path_following_steer(path_following, agent));
        }
    }
    if (stay_on_path_acts) {
        let stay_on_path = species[own].behaviors.stay_on_path;
        if (stay_on_path.rule.weight != 0.0) {
            combine_add(&combined, combine, stay_on_path.rule, state, stay_on_path_steer(stay_on_path, agent));
        }
    }
    if (waypoint_following_acts) {
        let waypoint_following = species[own].behaviors.waypoint_following;
        let waypoint = pass_waypoint(waypoint_following, agent, remembered);
        let steering = waypoint_following_steer(waypoint_following, agent, waypoint);
        combine_add(&combined, combine, waypoint_following.rule, state, steering);
    }
    if (wander_acts) {
        let wander = species[own].behaviors.wander;
        let strolled = stroll(wander, agent, remembered);
        combine_add(&combined, combine, wander.rule, state, wander_steer(wander, agent, strolled));
    }
    if (wander_random_acts) {
        let wander_random = species[own].behaviors.wander_random;
        if (wander_random.rule.weight != 0.0) {
            combine_add(&combined, combine, wander_random.rule, state, wander_random_steer(wander_random, agent));
        }
    }
    if (explore_acts) {
        let explore = species[own].behaviors.explore;
        if (explore.rule.weight != 0.0) {
            let goal = search_ground(agent, i32(explore.reach), 0.0, false);
            combine_add(&combined, combine, explore.rule, state, explore_steer(explore, agent, goal));
        }
    }
    if (forage_acts) {
        let forage = species[own].behaviors.forage;
        if (forage.rule.weight != 0.0) {
            let per_unit = world.ground_cells_per_unit;
            let cells = ceil(min(forage.search_radius * max(per_unit.x, max(per_unit.y, per_unit.z)), 100.0));
            let goal = search_ground(agent, i32(cells), forage.search_radius, true);
            combine_add(&combined, combine, forage.rule, state, forage_steer(forage, agent, goal));
        }
    }
    let decision = combine_finish(&combined, own, agent);
    var total = decision.acceleration;
    if (selects_actions) {
        if (state != remembered.state) {
            memory[id].since = step;
        }
        memory[id].state = state;
        if (unloads) {
            memory[id].load = 0u;
        }
    }
    if (prioritizes) {
        memory[id].winner = decision.winner;
    }
    if (remembers) {
        // An acceleration that is held would be added to the desired velocity in every step.
        if (agent.moves_as_desired) {
            total = velocity + total * agent.time_constant;
        }
        if (smooths) {
            let share = species[own].smoothing;
            let held = triple(remembered.held);
            total = select(total, held + (total - held) * share, share < 1.0);
        }
        if (skips || smooths) {
            memory[id].held = array<f32, 3>(total.x, total.y, total.z);
        }
        if (agent.moves_as_desired) {
            total = (total - velocity) / agent.time_constant;
        }
    }
    total += containment(position, agent.max_acceleration);
    acceleration[place] = store(total);
    if (turns) {
        var turn = vec3f(0.0);
        var turner = Turner(vec3f(0.0), vec3f(0.0, 0.0, 1.0), species[own].vehicle.max_angular_speed, agent.interval);
        if (pose_acts) {
            turner.spin = triple(pose[id].spin);
            turner.up = triple(pose[id].up);
        }
        if (align_acts) {
            let align = species[own].behaviors.align;
            let goal = find_goal(align.toward, own, agent, places);
            let part = align_turn(align, agent, turner, goal) * align.rule.weight;
            turn += select(vec3f(0.0), part, rule_acts(align.rule, state));
        }
        if (face_acts) {
            let face = species[own].behaviors.face;
            let goal = find_goal(face.toward, own, agent, places);
            let part = face_turn(face, agent, turner, goal) * face.rule.weight;
            turn += select(vec3f(0.0), part, rule_acts(face.rule, state));
        }
        if (look_where_you_go_acts) {
            let look_where_you_go = species[own].behaviors.look_where_you_go;
            let part = look_where_you_go_turn(look_where_you_go, agent, turner) * look_where_you_go.rule.weight;
            turn += select(vec3f(0.0), part, rule_acts(look_where_you_go.rule, state));
        }
        if (angular_velocity_matching_acts) {
            let angular_velocity_matching = species[own].behaviors.angular_velocity_matching;
            let goal = find_goal(angular_velocity_matching.toward, own, agent, places);
            let part = angular_velocity_matching_turn(angular_velocity_matching, agent, turner, goal) * angular_velocity_matching.rule.weight;
            turn += select(vec3f(0.0), part, rule_acts(angular_velocity_matching.rule, state));
        }
        // Drivers do not agree on the sign of a product with 0, so a 0 has none.
        turn = select(turn, vec3f(0.0), turn == vec3f(0.0));
        turning[id] = Turn(select(0.0, turn.x, SPATIAL), select(0.0, turn.y, SPATIAL), turn.z);
    }
    neighbors[place] = perceived;
    if (!complete) {
        neighbors[place] = CUT_OFF;
        neighbors[world.agent_count] = 1u;
    }
    if (cuts_loops_off()) {
        neighbors[world.agent_count] = 1u;
    }
}
