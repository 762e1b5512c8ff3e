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
    // Squared distances up to which neighbors are taken, u²: by any behavior, and (`reach`) by each behavior.
    nearest_enough: f32,
    reach: Reach,
    sight: Sight,
}

// Candidates for the k nearest of an agent: sorted indices, and the images of the world that they are in.
const LISTED_MOST = 48u;
var<private> shortlist: array<u32, LISTED_MOST>;
var<private> shortlist_image: array<u32, LISTED_MOST>;

// Neighbors counted so far, beside the sums of the behaviors.
struct Seen {
    perceived: u32,
    // The squared distance of the nearest, u².
    nearest: f32,
    // Number of candidates found; more than LISTED_MOST if the list could not hold all of them.
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

// A `Neighbor` with only the members that decide whether it is seen.
fn sight_of(agent: Agent, offset: vec3f, distance_squared: f32, id: u32) -> Neighbor {
    var neighbor = Neighbor();
    neighbor.distance_squared = distance_squared;
    neighbor.distance = sqrt(distance_squared);
    neighbor.ahead = dot3(offset, agent.forward);
    neighbor.species = 1u << species_of(id);
    return neighbor;
}

// An agent of the walk's current range, as the viewer sees it.
struct Candidate {
    sorted_index: u32,
    agent: SortedAgent,
    offset: vec3f,
    distance_squared: f32,
    is_near: bool,
}

// The whole agent is loaded, in or out of reach: a load under a condition that differs from lane to lane costs more than the loads
// that it saves. Compilers leave out what no behavior reads.
fn candidate_at(viewer: Viewer, walk: Walk, sorted_index: u32) -> Candidate {
    let agent = sorted_agent(sorted_index);
    let offset = walk_offset(walk, agent.position);
    let distance_squared = dot3(offset, offset);
    let is_near = (sorted_index != viewer.sorted_index) & (distance_squared <= viewer.nearest_enough);
    return Candidate(sorted_index, agent, offset, distance_squared, is_near);
}

// As `candidate_at`, but a hidden agent does not count as near.
fn candidate_in_sight(viewer: Viewer, walk: Walk, sorted_index: u32) -> Candidate {
    var candidate = candidate_at(viewer, walk, sorted_index);
    if (occludes) {
        if (candidate.is_near) {
            let squared = candidate.distance_squared;
            candidate.is_near = !is_hidden(viewer.sight, viewer.agent.position, candidate.offset, squared);
        }
    }
    return candidate;
}

fn add_candidate(sums: ptr<function, Sums>, seen: ptr<function, Seen>, viewer: Viewer, candidate: Candidate) {
    if (candidate.is_near) {
        let other = candidate.agent;
        let squared = candidate.distance_squared;
        let neighbor =
            neighbor_at(viewer.agent, candidate.sorted_index, candidate.offset, squared, other.velocity, other.id);
        (*seen).perceived += u32(sums_add(sums, viewer.perceivers, viewer.reach, viewer.agent, neighbor));
        (*seen).nearest = min((*seen).nearest, squared);
    }
}

fn rank_candidate(rankings: ptr<function, Rankings>, viewer: Viewer, candidate: Candidate) {
    if (candidate.is_near) {
        let sight = sight_of(viewer.agent, candidate.offset, candidate.distance_squared, candidate.agent.id);
        rankings_add(rankings, viewer.perceivers, sight);
    }
}

fn list_candidate(seen: ptr<function, Seen>, walk: Walk, candidate: Candidate) {
    if (candidate.is_near) {
        let place = min((*seen).listed, LISTED_MOST - 1u);
        shortlist[place] = candidate.sorted_index;
        if (wraps) {
            shortlist_image[place] = image_of(walk);
        }
        (*seen).listed += 1u;
    }
}

// Three loops over all ranges of a walk: `add_through` adds neighbors to the sums of the behaviors. To find the k nearest,
// `list_through` lists candidates, and `rank_through` ranks them where the list is too short. They are not one loop with a condition,
// because drivers that compute on the CPU run both sides of it. Each returns whether every loop came to its end.
fn add_through(sums: ptr<function, Sums>, seen: ptr<function, Seen>, viewer: Viewer, start: Walk) -> bool {
    var walk = start;
    var complete = true;
    while (walk_next(&walk)) {
        var other = walk.first;
        for (; other < walk.last; other += 1u) {
            add_candidate(sums, seen, viewer, candidate_in_sight(viewer, walk, other));
        }
        complete = complete && other == walk.last;
    }
    return complete && walk_complete(walk);
}

fn rank_through(rankings: ptr<function, Rankings>, viewer: Viewer, start: Walk) -> bool {
    var walk = start;
    var complete = true;
    while (walk_next(&walk)) {
        var other = walk.first;
        for (; other < walk.last; other += 1u) {
            rank_candidate(rankings, viewer, candidate_in_sight(viewer, walk, other));
        }
        complete = complete && other == walk.last;
    }
    return complete && walk_complete(walk);
}

fn list_through(seen: ptr<function, Seen>, viewer: Viewer, start: Walk) -> bool {
    var walk = start;
    var complete = true;
    (*seen).listed = 0u;
    while (walk_next(&walk)) {
        var other = walk.first;
        for (; other < walk.last; other += 1u) {
            list_candidate(seen, walk, candidate_in_sight(viewer, walk, other));
        }
        complete = complete && other == walk.last;
    }
    return complete && walk_complete(walk);
}

// The candidate at a place of the list, which holds no hidden agents.
fn listed_at(viewer: Viewer, place: u32) -> Candidate {
    var walk = walk_nowhere();
    walk.position = viewer.agent.position;
    walk.from_here = walk.position;
    if (wraps) {
        enter_listed_image(&walk, shortlist_image[place]);
    }
    return candidate_at(viewer, walk, shortlist[place]);
}

// Result of the search for the k nearest of an agent.
struct KNearest {
    viewer: Viewer,
    // The squared distance of the farthest of the k nearest, u².
    reach: f32,
    // True if the list holds all candidates that were near enough.
    is_listed: bool,
    complete: bool,
}

// Find how far away the k nearest agents within `nearest_enough` are. In space a walk goes through many rows, so this walk lists the
// candidates and no second walk is needed; in a plane two walks cost less than a list.
fn search_nearby(seen: ptr<function, Seen>, start: Viewer) -> KNearest {
    var nearby = KNearest(start, 0.0, false, true);
    let walk = walk_start(start.agent.position, sqrt(max(start.nearest_enough, 0.0)));
    var rankings = rankings_start();
    if (SPATIAL) {
        nearby.complete = list_through(seen, start, walk);
        nearby.is_listed = (*seen).listed <= LISTED_MOST;
    }
    if (nearby.is_listed) {
        for (var place = 0u; place < (*seen).listed; place += 1u) {
            rank_candidate(&rankings, start, listed_at(start, place));
        }
    } else {
        nearby.complete = rank_through(&rankings, start, walk) && nearby.complete;
    }
    nearby.viewer.reach = reach_of(rankings, species[start.own].k_nearest);
    nearby.reach = farthest_of(nearby.viewer.reach, start.perceivers);
    return nearby;
}

// All neighbors within the radius; where the neighborhood is topological, only the k nearest that each behavior
// perceives.
fn perceive(own: u32, agent: Agent, sorted_index: u32, perceivers: Perceivers, acts: bool) -> Perception {
    var sums = sums_start();
    var seen = Seen(0u, FARTHEST, 0u);
    var complete = true;
    let radius = species[own].perception_radius;
    // A species may have no behavior that looks.
    var walks = radius > 0.0;
    if (some_away) {
        // Agents that are away do not walk: they may be many, and lie where it is crowded.
        walks = walks && acts;
    }
    let sight = sight_from(own, agent.position, radius);
    var viewer = Viewer(own, agent, sorted_index, perceivers, radius * radius, reach_start(), sight);
    var reach = 0.0;
    var walk = walk_start(agent.position, radius);
    if (!walks) {
        walk = walk_nowhere();
    }
    if (topological) {
        // The k nearest are known only after a separate search. For an agent that takes all neighbors, -1 makes it find nothing.
        let all = viewer.nearest_enough;
        let searches = walks & (species[own].k_nearest > 0u);
        viewer.nearest_enough = select(-1.0, first_reach(hint_of(agent.id), all), searches);
        var nearby = search_nearby(&seen, viewer);
        while (searches && nearby.reach > viewer.nearest_enough && viewer.nearest_enough < all) {
            viewer.nearest_enough = all;
            nearby = search_nearby(&seen, viewer);
        }
        complete = nearby.complete;
        viewer.nearest_enough = all;
        if (searches) {
            reach = nearby.reach;
            viewer = nearby.viewer;
            viewer.nearest_enough = min(viewer.nearest_enough, reach);
            walk = walk_start(agent.position, sqrt(viewer.nearest_enough));
        }
        if (searches && nearby.is_listed) {
            for (var place = 0u; place < seen.listed; place += 1u) {
                add_candidate(&sums, &seen, viewer, listed_at(viewer, place));
            }
            walk = walk_nowhere();
        }
    }
    complete = add_through(&sums, &seen, viewer, walk) && complete;
    if (seen.nearest == 0.0) {
        complete = perceive_coincident(&sums, agent, sorted_index, perceivers) && complete;
    }
    return Perception(sums, seen.perceived, reach, complete);
}

// Add the agents at the very same point, which lie in the same cell. They are rare, so they are kept out of the loops above. Return
// whether the loop came to its end.
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

// The steering after smoothing, which begins at no acceleration. For agents that act it is stored, because agents that skip steps hold it.
fn smoothed(own: u32, agent: Agent, steering: vec3f, acts: bool) -> vec3f {
    if (species[own].update_every == 1u && species[own].smoothing == 1.0) {
        return steering;
    }
    var total = steering;
    // Such bodies hold a desired velocity: a held acceleration would be added to their velocity again in every step.
    if (agent.moves_as_desired) {
        total = agent.velocity + total * agent.time_constant;
    }
    let share = species[own].smoothing;
    var held = triple(held_of(agent.id));
    if (agent.moves_as_desired && agent.step == first_step(agent.id)) {
        held = agent.velocity;
    }
    total = select(total, held + (total - held) * share, share < 1.0);
    if (acts) {
        keep_held(agent.id, kept(total));
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
        turner.spin = triple(pose_of(agent.id).spin);
        turner.up = triple(pose_of(agent.id).up);
    }
    var combined: Blend;
    turn_each(&combined, own, agent, turner, state, query_results);
    let decision = blend_finish(&combined, own, agent, angular_acceleration_of(own, agent.id));
    let turn = unsigned_zeros(decision.acceleration);
    return Turn(select(0.0, turn.x, SPATIAL), select(0.0, turn.y, SPATIAL), turn.z);
}

// Store the number of neighbors of a frozen agent, which perceives no agent.
fn store_frozen(sorted_index: u32) {
    // `gather` loops over all agents with invalid ids, which a user's shaders may write, and a driver may cut that loop off.
    let invalid = world.agent_count - cell_start[last_cell()];
    neighbors[sorted_index] = 0u;
    if (invalid > 65000u) {
        neighbors[sorted_index] = CUT_OFF;
        neighbors[world.agent_count] = 1u;
    }
}

// The steering of an agent, u/s². Its memory, its turning and its number of neighbors are stored.
//
// Lanes without an agent and frozen agents compute along in vain, the latter with id 0. A branch around all this would put every load
// of a parameter under a condition, and then drivers that compute on the CPU load it lane by lane.
fn steering_of(sorted_index: u32, stored: SortedAgent, exists: bool) -> vec3f {
    let frozen = (stored.id & FROZEN) != 0u;
    let acts = exists & !frozen;
    let id = select(stored.id, 0u, frozen);
    let own = species_of(id);
    let agent = agent_at(own, SortedAgent(stored.position, stored.velocity, id));
    let perceivers = perceivers_of(own);
    var seen = Perception(sums_start(), 0u, 0.0, true);
    if (neighborhood) {
        seen = perceive(own, agent, sorted_index, perceivers, acts);
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

    var action = Action(0u, false, 0u);
    if (selects_actions) {
        action = select_action(own, agent, query_results);
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
            if (action.state != state_of(id)) {
                keep_since(id, agent.step);
            }
            keep_state(id, action.state);
            if (action.unloads) {
                keep_load(id, 0u);
            }
        }
    }
    if (prioritizes) {
        if (acts) {
            keep_winner(id, decision.winner);
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
        if (skips) {
            keep_perceived(id, seen.perceived);
        }
        if (topological) {
            let radius = species[own].perception_radius;
            keep_hint(id, hint_of(id), seen.reach, radius * radius);
        }
        if (!complete) {
            neighbors[sorted_index] = CUT_OFF;
            neighbors[world.agent_count] = 1u;
        }
    } else if (exists) {
        store_frozen(sorted_index);
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
