// Stage collide: bodies that overlap at the end of a step are moved apart.
//
// Positions are corrected instead of adding forces (position-based dynamics: Müller, Heidelberger, Hennix and Ratcliff 2007; for crowds
// Weiss, Litteneker, Jiang and Terzopoulos 2019): two bodies part along the line between them, the heavier one by less. All pushes are
// computed from the same positions, in the fixed order of a walk, so the order of threads changes nothing. An agent moves by a mean of
// its pushes, so agents are not thrown about where many press. A pushed agent loses the part of its velocity against the push, at most
// as much as moves it by the push in one step, and no agent gains velocity: pressed agents stop, pushed ones do not glide, and a crowd
// comes to rest. (Exchanging momentum instead, by the velocities of both, left a pressed crowd swinging, with five times the overlap.)
//
// Both passes run several times in a step (`world.contact_rounds` of a scene), because an agent that is pushed out of one body may be
// pushed into another.
//
// The grid is still that of the step's beginning, so a walk reaches farther by what a step may have moved any agent since. Agents that
// earlier rounds pushed farther than that may be missed until the next step: rows that a walk's circle does not touch are skipped,
// although their agents may be near by now. Agents set aside from a crowded cell are pushed but push no other agent.

fn collides(id: u32) -> bool {
    let own_id = id & ID_BITS;
    return (id & FROZEN) == 0u && own_id < world.agent_count && species[species_of(own_id)].collides != 0u;
}

// How far an agent is pushed by the bodies that overlap its own, u.
fn pushed_by_others(index: u32, own_id: u32) -> vec3f {
    let own = species_of(own_id);
    let here = load(position[index]);
    let radius = radius_of(own, own_id);
    let mass = mass_of(own, own_id);
    var push = vec3f(0.0);
    var sum = 0.0;
    var squares = 0.0;
    var complete = true;
    var walk = walk_once(here, radius + world.contact_reach);
    while (walk_next(&walk)) {
        var other = walk.first;
        let last = select(walk.first, walk.last, walk.touched);
        for (; other < last; other += 1u) {
            // Agents have moved since they were sorted, so a cell no longer tells in which image of the world they are.
            let offset = nearest_image(load(position[other]) - here);
            let squared = dot3(offset, offset);
            let id = id[other];
            if (other != index && collides(id)) {
                let theirs = species_of(id);
                let touching = radius + radius_of(theirs, id);
                if (squared < touching * touching) {
                    let distance = sqrt(squared);
                    var away = -offset / max(distance, TOUCHING);
                    if (squared < TOUCHING * TOUCHING) {
                        away = direction(min(own_id, id), max(own_id, id), STREAM_COINCIDENT);
                        away = select(-away, away, own_id < id);
                    }
                    let their_mass = mass_of(theirs, id);
                    let overlap = touching - distance;
                    push += away * (overlap * (their_mass / (mass + their_mass)));
                    sum += overlap;
                    squares += overlap * overlap;
                }
            }
        }
        complete = complete && other == last;
    }
    if (!(complete && walk_complete(walk)) || cuts_loops_off()) {
        neighbors[world.agent_count] = 1u;
    }
    // Divide by half of sum² / squares, the number of equal overlaps that would have this sum and these squares: so a body that hardly
    // touches hardly counts. Half, as if only the bodies on one side pressed: divided by the whole number a crowd parts half as fast,
    // by less it might swing.
    return push / max(0.5 * sum * sum / max(squares, 1e-30), 1.0);
}

@compute @workgroup_size(workgroup_size)
fn collide_push(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let index = invocation_index(invocation, workgroups);
    if (index >= world.agent_count) {
        return;
    }
    let own_id = id[index];
    var push = vec3f(0.0);
    if (collides(own_id)) {
        push = pushed_by_others(index, own_id);
    }
    pushes[index] = store(unsigned_zeros(push));
}

// The velocity that is left after a push, u/s.
fn braked(moving: vec3f, push: vec3f) -> vec3f {
    let length = sqrt(dot3(push, push));
    if (length < TOUCHING) {
        return moving;
    }
    let along = push / length;
    return moving + along * within(-dot3(moving, along), 0.0, length / world.dt);
}

@compute @workgroup_size(workgroup_size)
fn collide_move(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let index = invocation_index(invocation, workgroups);
    if (index >= world.agent_count) {
        return;
    }
    let own_id = id[index];
    if (!collides(own_id)) {
        return;
    }
    let own = species_of(own_id);
    let before = load(position[index]);
    let moving = load(velocity[index]);
    var push = load(pushes[index]);
    // Walls and obstacles do not give way, so they come last: where they will be when the next step begins, if they go on as now.
    let wall = nearest_wall(before + push, world.dt);
    push += wall.normal * max(radius_of(own, own_id) - wall.distance, 0.0);
    if (all(push == vec3f(0.0))) {
        return;
    }
    var after = Move(before + push, braked(moving, push));
    let limits = limits_of(own, own_id);
    let least = min(limits.least_speed, sqrt(dot3(moving, moving)));
    after.velocity = clip_speed(after.velocity, least, limits.speed, forward_of(moving, own_id));
    if (walled) {
        after = along_walls(before, after);
    }
    var new_position = bounded_move(Move(after.position, vec3f(0.0))).position;
    var new_velocity = after.velocity;
    if (surface_acts) {
        if (species[own].vehicle.hugs_surface != 0u) {
            let ground = ground_at(new_position);
            new_position = wrapped(ground.point);
            new_velocity = tangential(new_velocity, ground.up);
        }
    }
    if (walled) {
        if (any(new_position != after.position) && in_wall(new_position) && !in_wall(before)) {
            new_position = before;
            new_velocity = vec3f(0.0);
        }
    }
    if (is_sane3(new_position) && is_sane3(new_velocity)) {
        position[index] = store(unsigned_zeros(new_position));
        velocity[index] = store(unsigned_zeros(new_velocity));
    }
}
