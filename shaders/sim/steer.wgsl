// Stage steer: look at the neighbors, evaluate every behavior, and combine them into one acceleration.
//
// The calls of the behaviors (`perceivers_of`, `sums_add`, `sums_resolve`, `steer_each`, `turn_each`, `remember_each`) are
// made for each scene, of the behaviors that act in it: `steerling shaders SCENE` prints them.

// What an agent perceives.
struct Perception {
    sums: Sums,
    // Number of neighbors that at least one behavior perceives.
    perceived: u32,
    // Did every loop come to its end?
    complete: bool,
}

// Another agent, seen from an agent.
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
        species[their_species].radius,
        id,
    );
}

// All neighbors within the radius; where the neighborhood is topological, the nearest ones only that each behavior sees.
fn perceive(own: u32, agent: Agent, place: u32, perceivers: Perceivers) -> Perception {
    var sums = sums_start();
    var perceived = 0u;
    var coincident = 0u;
    var complete = true;
    let radius = species[own].perception_radius;
    let nearest_enough = radius * radius;
    var rankings = rankings_start();
    var reach = reach_start();
    // Who is among the k nearest is known at the end of a walk of its own.
    var visits = 1u;
    if (topological) {
        visits = select(1u, 2u, species[own].k_nearest > 0u);
    }
    var visit = 0u;
    for (; visit < visits; visit += 1u) {
        var walk = walk_start(agent.position, radius);
        while (walk_next(&walk)) {
            var other = walk.first;
            for (; other < walk.last; other += 1u) {
                let offset = walk_offset(walk, other);
                let distance_squared = dot3(offset, offset);
                // Loaded for every candidate, in or out of reach: a load under a condition that differs from lane to lane
                // costs more than the loads that it saves. What no behavior looks at, compilers leave out.
                let their_velocity = load(sorted_velocity[other]);
                let their_id = sorted_id[other];
                if (other != place && distance_squared <= nearest_enough) {
                    let neighbor = neighbor_at(agent, other, offset, distance_squared, their_velocity, their_id);
                    if (topological) {
                        if (visit + 1u < visits) {
                            rankings_add(&rankings, perceivers, neighbor);
                            continue;
                        }
                    }
                    perceived += u32(sums_add(&sums, perceivers, reach, agent, neighbor));
                    coincident += u32(distance_squared == 0.0);
                }
            }
            complete = complete && other == walk.last;
        }
        complete = complete && walk_complete(walk);
        if (topological) {
            if (visit + 1u < visits) {
                reach = reach_of(rankings, species[own].k_nearest);
            }
        }
    }
    if (coincident > 0u) {
        complete = complete && perceive_coincident(&sums, agent, place, perceivers);
    }
    return Perception(sums, perceived, complete && visit == visits);
}

// Agents at the very same point: rare, so they are kept out of the loop above. They are in the same cell. Did the loop come
// to its end?
fn perceive_coincident(sums: ptr<function, Sums>, agent: Agent, place: u32, perceivers: Perceivers) -> bool {
    let home = cell_of(agent.position);
    let last = cell_start[home + 1u];
    var other = cell_start[home];
    for (; other < last; other += 1u) {
        let offset = load(sorted_position[other]) - agent.position;
        if (other != place && dot3(offset, offset) == 0.0) {
            let id = sorted_id[other];
            sums_add_coincident(sums, perceivers, agent, id, 1u << species_of(id));
        }
    }
    return other == last;
}

// The steering after smoothing, which agents that skip steps hold.
fn smoothed(own: u32, agent: Agent, steering: vec3f) -> vec3f {
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
    memory[agent.id].held = kept(total);
    if (agent.moves_as_desired) {
        total = (total - agent.velocity) / agent.time_constant;
    }
    return total;
}

// The sum of the angular behaviors, rad/s².
fn turn(own: u32, agent: Agent, state: u32, places: vec2u) -> Turn {
    var turner = Turner(vec3f(0.0), vec3f(0.0, 0.0, 1.0), species[own].vehicle.max_angular_speed, agent.interval);
    if (pose_acts) {
        turner.spin = triple(pose[agent.id].spin);
        turner.up = triple(pose[agent.id].up);
    }
    var turn = turn_each(own, agent, turner, state, places);
    turn = unsigned_zeros(turn);
    return Turn(select(0.0, turn.x, SPATIAL), select(0.0, turn.y, SPATIAL), turn.z);
}

@compute @workgroup_size(workgroup_size)
fn steer(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    var place = invocation_index(invocation, workgroups);
    if (skips) {
        if (place >= due[0]) {
            return;
        }
        place = due[1u + place];
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
    let own = species_of(id);
    let agent = agent_at(own, id, place);
    let perceivers = perceivers_of(own);
    var places = vec2u(FOUND_NOBODY);
    var complete = true;
    if (queries) {
        places = found_by(own, id);
        complete = all(places != vec2u(CUT_OFF));
    }
    var seen = Perception(sums_start(), 0u, true);
    if (neighborhood) {
        seen = perceive(own, agent, place, perceivers);
    } else {
        // No loop here would notice that `gather` was cut off in a cell with too many agents.
        let home = cell_of(agent.position);
        complete = complete && cell_start[home + 1u] - cell_start[home] <= 65000u;
    }
    complete = complete && seen.complete;

    var action = Action(0u, false);
    if (selects_actions) {
        action = select_action(own, agent, memory[id], places);
    }
    remember_each(own, agent);
    var combined: Combination;
    let combine = species[own].combine;
    sums_resolve(&combined, combine, seen.sums, perceivers, agent, action.state);
    steer_each(&combined, combine, own, agent, action.state, places);
    let decision = combine_finish(&combined, own, agent);
    var total = decision.acceleration;
    if (selects_actions) {
        if (action.state != memory[id].state) {
            memory[id].since = agent.step;
        }
        memory[id].state = action.state;
        if (action.unloads) {
            memory[id].load = 0u;
        }
    }
    if (prioritizes) {
        memory[id].winner = decision.winner;
    }
    if (holds) {
        total = smoothed(own, agent, total);
    }
    total += containment(agent.position, agent.max_acceleration);
    acceleration[place] = store(total);
    if (turns) {
        turning[id] = turn(own, agent, action.state, places);
    }
    neighbors[place] = seen.perceived;
    if (!complete) {
        neighbors[place] = CUT_OFF;
        neighbors[world.agent_count] = 1u;
    }
    if (cuts_loops_off()) {
        neighbors[world.agent_count] = 1u;
    }
}
