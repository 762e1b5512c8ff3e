// Stage steer: look at the neighbors, evaluate every behavior, and combine them into one acceleration.
//
// The calls of the behaviors (`perceivers_of`, `sums_add`, `sums_resolve`, `steer_each`, `turn_each`, `remember_each`)
// are generated for each scene, from its active behaviors: `steerling shaders SCENE` prints them.

// What an agent perceives.
struct Perception {
    sums: Sums,
    // Number of neighbors that at least one behavior perceives.
    perceived: u32,
    // The squared distance of the farthest of the k nearest, u².
    reach: f32,
    // Did every loop come to its end?
    complete: bool,
}

// An agent that looks at its candidates.
struct Viewer {
    own: u32,
    agent: Agent,
    sorted_index: u32,
    perceivers: Perceivers,
    // The squared distances up to which any behavior takes neighbors, and each of them, u².
    nearest_enough: f32,
    reach: Reach,
}

// What a walk is for: to add neighbors to the sums of the behaviors; and on the way to the k nearest, to list candidates, or to rank
// them where the list is too short for them. Calls have it as a literal, because drivers that compute on the CPU run both sides of
// every branch that is left in a loop.
const ADD = 0u;
const LIST = 1u;
const RANK = 2u;

// Candidates of an agent: sorted indices, and the images of the world that they are in.
const LISTED_MOST = 48u;
var<private> listed: array<u32, LISTED_MOST>;
var<private> listed_image: array<u32, LISTED_MOST>;

// Neighbors counted so far, beside the sums of the behaviors.
struct Seen {
    perceived: u32,
    // The squared distance of the nearest, u².
    nearest: f32,
    // Number of candidates on the list, or too many for it.
    listed: u32,
}

// A candidate as the agent sees it.
fn neighbor_at(agent: Agent, other: u32, offset: vec3f, distance_squared: f32, velocity: vec3f, id: u32) -> Neighbor {
    let their_species = species_of(id);
    return Neighbor(
        offset,
        distance_squared,
        sqrt(distance_squared),
        dot3(offset, agent.forward),
        velocity,
        heading_of(velocity),
        1u << their_species,
        radius_of(their_species, id),
        id,
    );
}

// As much of a candidate as decides who sees it.
fn sight_of(agent: Agent, offset: vec3f, distance_squared: f32, id: u32) -> Neighbor {
    var neighbor = Neighbor();
    neighbor.distance_squared = distance_squared;
    neighbor.distance = sqrt(distance_squared);
    neighbor.ahead = dot3(offset, agent.forward);
    neighbor.species = 1u << species_of(id);
    return neighbor;
}

// Do with the candidate at a sorted index what the walk is for, if it is near enough.
fn take_candidate(
    aim: u32,
    sums: ptr<function, Sums>,
    seen: ptr<function, Seen>,
    rankings: ptr<function, Rankings>,
    viewer: Viewer,
    walk: Walk,
    other: u32,
    candidate: SortedAgent,
) {
    let offset = walk_offset(walk, candidate.position);
    let distance_squared = dot3(offset, offset);
    if ((other != viewer.sorted_index) & (distance_squared <= viewer.nearest_enough)) {
        if (topological && aim == LIST) {
            let place = min((*seen).listed, LISTED_MOST - 1u);
            listed[place] = other;
            if (wraps) {
                listed_image[place] = image_of(walk);
            }
            (*seen).listed += 1u;
        } else if (topological && aim == RANK) {
            rankings_add(rankings, viewer.perceivers, sight_of(viewer.agent, offset, distance_squared, candidate.id));
        } else {
            let neighbor = neighbor_at(viewer.agent, other, offset, distance_squared, candidate.velocity, candidate.id);
            (*seen).perceived += u32(sums_add(sums, viewer.perceivers, viewer.reach, viewer.agent, neighbor));
            (*seen).nearest = min((*seen).nearest, distance_squared);
        }
    }
}

// Go through all ranges of a walk. Did every loop come to its end?
fn walk_through(
    aim: u32,
    sums: ptr<function, Sums>,
    seen: ptr<function, Seen>,
    rankings: ptr<function, Rankings>,
    viewer: Viewer,
    start: Walk,
) -> bool {
    var walk = start;
    var complete = true;
    while (walk_next(&walk)) {
        var other = walk.first;
        for (; other < walk.last; other += 1u) {
            // Loaded for every candidate, in or out of reach: a load under a condition that differs from lane to lane
            // costs more than the loads that it saves. Compilers leave out what no behavior reads.
            take_candidate(aim, sums, seen, rankings, viewer, walk, other, sorted_agent(other));
        }
        complete = complete && other == walk.last;
    }
    return complete && walk_complete(walk);
}

// Go through the candidates on the list, in the order of the walk that listed them.
fn work_off(
    aim: u32,
    sums: ptr<function, Sums>,
    seen: ptr<function, Seen>,
    rankings: ptr<function, Rankings>,
    viewer: Viewer,
) {
    var walk = walk_nowhere();
    walk.position = viewer.agent.position;
    walk.from_here = walk.position;
    for (var place = 0u; place < (*seen).listed; place += 1u) {
        if (wraps) {
            enter_listed_image(&walk, listed_image[place]);
        }
        let other = listed[place];
        take_candidate(aim, sums, seen, rankings, viewer, walk, other, sorted_agent(other));
    }
}

// All neighbors within the radius; where the neighborhood is topological, only the k nearest that each behavior
// perceives.
fn perceive(own: u32, agent: Agent, sorted_index: u32, perceivers: Perceivers) -> Perception {
    var sums = sums_start();
    var seen = Seen(0u, FARTHEST, 0u);
    var complete = true;
    let radius = species[own].perception_radius;
    let all = radius * radius;
    // A species may have no behavior that looks.
    let walks = radius > 0.0;
    var viewer = Viewer(own, agent, sorted_index, perceivers, all, reach_start());
    var rankings = rankings_start();
    var reach = 0.0;
    var walk = walk_start(agent.position, radius);
    if (!walks) {
        walk = walk_nowhere();
    }
    if (topological) {
        // Which are the k nearest is known only after a search of its own. It begins no farther out than they were last time, and a bit.
        var searches = walks && species[own].k_nearest > 0u;
        var has_list = searches;
        if (searches) {
            viewer.nearest_enough = first_reach(last_reach_of(agent.id), all);
        }
        while (searches) {
            rankings = rankings_start();
            seen.listed = 0u;
            walk = walk_start(agent.position, sqrt(viewer.nearest_enough));
            complete = walk_through(LIST, &sums, &seen, &rankings, viewer, walk) && complete;
            has_list = seen.listed <= LISTED_MOST;
            if (has_list) {
                work_off(RANK, &sums, &seen, &rankings, viewer);
            } else {
                complete = walk_through(RANK, &sums, &seen, &rankings, viewer, walk) && complete;
            }
            viewer.reach = reach_of(rankings, species[own].k_nearest);
            reach = farthest_of(viewer.reach, perceivers);
            searches = reach > viewer.nearest_enough && viewer.nearest_enough < all;
            viewer.nearest_enough = select(min(viewer.nearest_enough, reach), all, searches);
            walk = walk_start(agent.position, sqrt(viewer.nearest_enough));
        }
        if (has_list) {
            work_off(ADD, &sums, &seen, &rankings, viewer);
            walk = walk_nowhere();
        }
    }
    complete = walk_through(ADD, &sums, &seen, &rankings, viewer, walk) && complete;
    if (seen.nearest == 0.0) {
        complete = perceive_coincident(&sums, agent, sorted_index, perceivers) && complete;
    }
    return Perception(sums, seen.perceived, reach, complete);
}

// Agents at the very same point: rare, so they are kept out of the loop above. They are in the same cell. Did the loop come
// to its end?
fn perceive_coincident(sums: ptr<function, Sums>, agent: Agent, sorted_index: u32, perceivers: Perceivers) -> bool {
    let home = cell_of(agent.position);
    let last = cell_start[home + 1u];
    var other = cell_start[home];
    for (; other < last; other += 1u) {
        let offset = sorted_position_at(other) - agent.position;
        if (other != sorted_index && dot3(offset, offset) == 0.0) {
            let id = sorted_id_at(other);
            sums_add_coincident(sums, perceivers, agent, id, 1u << species_of(id));
        }
    }
    return other == last;
}

// The steering after smoothing, which agents that skip steps hold, and which is kept of those that act.
fn smoothed(own: u32, agent: Agent, steering: vec3f, acts: bool) -> vec3f {
    if (species[own].update_every == 1u && species[own].smoothing == 1.0) {
        return steering;
    }
    var total = steering;
    // An acceleration that is held would be added to the desired velocity in every step.
    if (agent.moves_as_desired) {
        total = agent.velocity + total * agent.time_constant;
    }
    let share = species[own].smoothing;
    let held = triple(memory[agent.id].held);
    total = select(total, held + (total - held) * share, share < 1.0);
    if (acts) {
        memory[agent.id].held = kept(total);
    }
    if (agent.moves_as_desired) {
        total = (total - agent.velocity) / agent.time_constant;
    }
    return total;
}

// The sum of the angular behaviors, rad/s².
fn turn(own: u32, agent: Agent, state: u32, query_results: vec4u) -> Turn {
    var turner = Turner(vec3f(0.0), vec3f(0.0, 0.0, 1.0), limits_of(own, agent.id).angular_speed, agent.interval);
    if (pose_acts) {
        turner.spin = triple(pose[agent.id].spin);
        turner.up = triple(pose[agent.id].up);
    }
    var combined: Blend;
    turn_each(&combined, own, agent, turner, state, query_results);
    let decision = blend_finish(&combined, own, agent, angular_acceleration_of(own, agent.id));
    let turn = unsigned_zeros(decision.acceleration);
    return Turn(select(0.0, turn.x, SPATIAL), select(0.0, turn.y, SPATIAL), turn.z);
}

// A frozen agent perceives nobody.
fn rest(sorted_index: u32) {
    // `gather` looped over all frozen agents, and a driver may cut that off.
    let frozen = world.agent_count - cell_start[frozen_cell()];
    neighbors[sorted_index] = 0u;
    if (frozen > 65000u) {
        neighbors[sorted_index] = CUT_OFF;
        neighbors[world.agent_count] = 1u;
    }
}

// The steering of an agent, u/s². What it remembers, how it turns and how many it perceives is kept.
//
// Lanes without an agent and frozen agents, the latter as the first agent, go along in vain. A branch around all this would
// put every load of a parameter under a condition, and then drivers that compute on the CPU load it lane by lane.
fn steering_of(sorted_index: u32, stored: SortedAgent, exists: bool) -> vec3f {
    let frozen = (stored.id & FROZEN) != 0u;
    let acts = exists & !frozen;
    let id = select(stored.id, 0u, frozen);
    let own = species_of(id);
    let agent = agent_at(own, SortedAgent(stored.position, stored.velocity, id));
    let perceivers = perceivers_of(own);
    var seen = Perception(sums_start(), 0u, 0.0, true);
    if (neighborhood) {
        seen = perceive(own, agent, sorted_index, perceivers);
    }
    var query_results = vec4u(NOT_FOUND);
    var complete = true;
    if (queries) {
        query_results = found_by(own, id);
        complete = all(query_results != vec4u(CUT_OFF));
    }
    if (!neighborhood) {
        // No loop here would notice that `gather` was cut off in a cell with too many agents.
        let home = cell_of(agent.position);
        complete = complete && cell_start[home + 1u] - cell_start[home] <= 65000u;
    }
    complete = complete && seen.complete;

    var action = Action(0u, false);
    if (selects_actions) {
        action = select_action(own, agent, memory[id], query_results);
    }
    if (acts) {
        remember_each(own, agent);
    }
    var combined: Blend;
    sums_resolve(&combined, seen.sums, perceivers, own, agent, action.state, query_results);
    steer_each(&combined, own, agent, action.state, query_results);
    let decision = blend_finish(&combined, own, agent, agent.max_acceleration);
    var total = decision.acceleration;
    if (selects_actions) {
        if (acts) {
            if (action.state != memory[id].state) {
                memory[id].since = agent.step;
            }
            memory[id].state = action.state;
            if (action.unloads) {
                memory[id].load = 0u;
            }
        }
    }
    if (prioritizes) {
        if (acts) {
            memory[id].winner = decision.winner;
        }
    }
    if (holds) {
        total = smoothed(own, agent, total, acts);
    }
    total = unsigned_zeros(total + containment(agent.position, agent.max_acceleration));
    if (turns) {
        let turned = turn(own, agent, action.state, query_results);
        if (acts) {
            keep_turning(id, turned);
        }
    }
    if (acts) {
        neighbors[sorted_index] = seen.perceived;
        if (topological) {
            keep_last_reach(id, seen.reach);
        }
        if (!complete) {
            neighbors[sorted_index] = CUT_OFF;
            neighbors[world.agent_count] = 1u;
        }
    } else if (exists) {
        rest(sorted_index);
    }
    if (cuts_loops_off()) {
        neighbors[world.agent_count] = 1u;
    }
    return select(vec3f(0.0), total, acts);
}

@compute @workgroup_size(workgroup_size)
fn steer(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    var sorted_index = invocation_index(invocation, workgroups);
    var agents = world.agent_count;
    if (skips) {
        agents = cell_start[active_start()];
    }
    let exists = sorted_index < agents;
    sorted_index = min(sorted_index, max(agents, 1u) - 1u);
    if (skips) {
        sorted_index = cell_start[active_start() + 1u + sorted_index];
    }
    let steering = steering_of(sorted_index, sorted_agent(sorted_index), exists);
    if (exists) {
        acceleration[sorted_index] = store(steering);
    }
}
