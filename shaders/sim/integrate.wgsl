// Stage integrate: limit the force, then semi-implicit Euler, the speed limits, the turn of the heading and the boundary.
// Overrides switch off what no vehicle of the scene needs.

// The velocity that the steering asks for. For a wish to stand still, v + τ (0 - v) / τ leaves a rounding error, which has
// a direction, so it counts as 0.
fn desired_velocity(limits: Limits, moving: vec3f, steering: vec3f) -> vec3f {
    let desired = moving + steering * limits.time_constant;
    if (dot3(desired, desired) <= 1e-12 * dot3(moving, moving)) {
        return vec3f(0.0);
    }
    return limit(desired, limits.speed);
}

// The velocity of a point mass after a step, within its speed limits. A kinematic agent takes `desired` at once.
fn propelled(own: u32, limits: Limits, moving: vec3f, steering: vec3f, desired: vec3f, forward: vec3f) -> vec3f {
    let force = limit(steering * limits.mass, limits.force);
    var pushed = force / limits.mass;
    if (low_speed_acts) {
        pushed = limit_lateral(pushed, forward, sqrt(dot3(moving, moving)), low_speed_of(own, limits.id));
    }
    var faster = moving + pushed * world.dt;
    if (drag_acts) {
        faster = dragged(own, limits, moving, pushed);
    }
    if (kinematic_acts) {
        faster = select(faster, desired, species[own].vehicle.locomotion == KINEMATIC);
    }
    return clip_speed(faster, limits.least_speed, limits.speed, forward);
}

// How an agent moves and faces after a step, before the boundary.
struct Course {
    velocity: vec3f,
    body: Body,
}

// Turn the heading, and let the velocity follow it where it has to. `desired` is the velocity that steering asks for,
// `after` the one that the point mass would get, `torque` the angular acceleration of an agent that faces freely.
fn course_of(
    own: u32,
    limits: Limits,
    body: Body,
    moving: vec3f,
    desired: vec3f,
    after: vec3f,
    torque: vec3f,
) -> Course {
    var next = body;
    var velocity = after;
    var wish = body.up;
    if (species[own].vehicle.faces_freely != 0u) {
        next.spin = spun(own, limits, body.spin, torque);
        let rotation = next.spin * world.dt;
        let forward = rotate(body.forward, rotation);
        next.forward = forward / sqrt(dot3(forward, forward));
        wish = rotate(body.up, rotation);
    } else {
        var direction = direction_of(after, body.forward);
        let drives = species[own].vehicle.locomotion == TURN_FIRST;
        if (turn_first_acts) {
            direction = select(direction, direction_of(desired, body.forward), drives);
        }
        let turn = turn_to(own, limits, body, direction);
        next.forward = turn.forward;
        next.spin = turn.spin;
        if (!turn.arrived) {
            let speed = within(speed_along(after, turn.forward), limits.least_speed, limits.speed);
            velocity = turn.forward * speed;
        }
        if (turn_first_acts) {
            if (drives) {
                velocity = drive(own, limits, moving, desired, body, turn);
            }
        }
    }
    if (banking_acts) {
        if (species[own].vehicle.banks != 0u) {
            next.bank = body.bank + ((velocity - moving) / world.dt - body.bank) * species[own].vehicle.smoothing;
            wish = banked(own, limits, wish, next.bank);
        }
    }
    if (any(next.forward != body.forward) || any(wish != body.up)) {
        next.up = rebase(next.forward, wish);
    }
    return Course(velocity, next);
}

// `direction`, with those components reversed in which a wall reversed the velocity `before` to `after`.
fn mirrored(direction: vec3f, before: vec3f, after: vec3f) -> vec3f {
    return select(direction, -direction, before != after);
}

// The agent after a step with this steering, u/s². Its pose is stored. As in `steering_of`, lanes without an agent and
// frozen agents compute along in vain.
fn after_step(agent: SortedAgent, steering: vec3f, exists: bool) -> SortedAgent {
    let frozen = (agent.id & FROZEN) != 0u;
    let own_id = select(agent.id, 0u, frozen);
    let before = agent.position;
    let own = species_of(own_id);
    let moving = agent.velocity;
    var body = Body(forward_of(moving, own_id), vec3f(0.0), vec3f(0.0), vec3f(0.0));
    if (pose_acts) {
        if (species[own].vehicle.keeps_pose != 0u) {
            body = load_pose(pose_of(own_id));
        }
    }

    let limits = limits_of(own, own_id);
    let desired = desired_velocity(limits, moving, steering);
    var after = propelled(own, limits, moving, steering, desired, body.forward);
    if (pose_acts) {
        if (species[own].vehicle.keeps_pose != 0u) {
            var torque = vec3f(0.0);
            if (turns) {
                torque = triple(turning_of(own_id));
            }
            let course = course_of(own, limits, body, moving, desired, after, torque);
            after = course.velocity;
            body = course.body;
        }
    }
    var moved = before + after * world.dt;
    if (explicit_euler_acts) {
        moved = select(moved, before + moving * world.dt, species[own].vehicle.explicit_euler != 0u);
    }

    if (walled) {
        let stopped = along_walls(before, Move(moved, after));
        moved = stopped.position;
        after = stopped.velocity;
    }
    let inside = bounded_move(Move(moved, after));
    var new_position = inside.position;
    var new_velocity = inside.velocity;
    if (pose_acts) {
        if (species[own].vehicle.faces_freely == 0u) {
            body.forward = mirrored(body.forward, after, new_velocity);
            body.up = mirrored(body.up, after, new_velocity);
        }
    }
    if (surface_acts) {
        if (species[own].vehicle.hugs_surface != 0u) {
            let ground = ground_at(new_position);
            // The surface may go on beyond an end of the world, where no query would find the agent.
            new_position = wrapped(ground.point);
            new_velocity = tangential(new_velocity, ground.up);
            body = standing(body, ground.up);
        }
    }
    if (some_away) {
        if (is_away(agent.id)) {
            return after_absence(agent);
        }
    }
    if (frozen || !is_sane3(new_position) || !is_sane3(new_velocity)) {
        return SortedAgent(before, vec3f(0.0), agent.id | FROZEN);
    }
    if (walled) {
        // The other end of a wrapped axis, or the surface, may lie in a wall.
        if (any(new_position != moved)) {
            if (in_wall(new_position) && !in_wall(before)) {
                new_position = before;
                new_velocity = vec3f(0.0);
            }
        }
    }
    if (pose_acts) {
        if (exists && species[own].vehicle.keeps_pose != 0u) {
            keep_pose(own_id, store_pose(body));
        }
    }
    var word = own_id;
    if (leaves) {
        word = select(own_id, own_id | FROZEN | AWAY, is_out(own, new_position));
    }
    return SortedAgent(unsigned_zeros(new_position), unsigned_zeros(new_velocity), word);
}

// Store an agent's state for the next step.
fn keep(slot: u32, agent: SortedAgent) {
    position[slot] = store(agent.position);
    velocity[slot] = store(agent.velocity);
    id[slot] = agent.id;
}

@compute @workgroup_size(workgroup_size)
fn integrate(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let index = invocation_index(invocation, workgroups);
    let exists = index < world.agent_count;
    let sorted_index = min(index, max(world.agent_count, 1u) - 1u);
    let after = after_step(sorted_agent(sorted_index), load(acceleration[sorted_index]), exists);
    if (exists) {
        keep(sorted_index, after);
    }
}
