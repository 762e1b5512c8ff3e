// Stage tally: count the agents that cross each line; where events are asked for, list them, and the agents that leave or enter.
//
// After a step `sorted_position` still holds where each agent was, and `position`, at the same index, where it is now. So nothing is
// remembered from step to step, and the passes that move agents know nothing of lines.

// Return whether a place is to the left of the infinite line through these ends, or on it. That depends on the place alone, so a step
// begins on the side on which the last one ended, and no crossing is counted twice or missed.
fn is_left(ends: vec4f, place: vec2f) -> bool {
    let way = place - ends.xy;
    let along = ends.zw - ends.xy;
    return along.x * way.y - along.y * way.x >= 0.0;
}

// Return whether a place is to the left of the infinite line along which an agent moves, or on it. For an end that two lines share the
// answer is the same, so an agent that goes through that end crosses one of them.
fn is_left_of_move(before: vec2f, moved: vec2f, place: vec2f) -> bool {
    let way = place - before;
    return moved.x * way.y - moved.y * way.x >= 0.0;
}

// By how many world lengths an agent's coordinate fell short in a step because the agent crossed the seam of a wrapped axis: -1, 0 or 1. No
// agent moves by more than half a world.
fn worlds_between(before: f32, after: f32, half_size: f32, boundary: u32) -> f32 {
    if (boundary != WRAP) {
        return 0.0;
    }
    return select(0.0, 1.0, after - before < -half_size) - select(0.0, 1.0, after - before > half_size);
}

// List an agent that leaves or enters. `before` and `after` are the words of its id before and after the step.
fn list_absence(before: u32, after: u32) {
    let agent_id = after & ID_BITS;
    if (is_away(before) == is_away(after) || agent_id >= world.agent_count) {
        return;
    }
    let state = state_of(agent_id);
    let entered = is_away(before);
    list_change(agent_id, select(state, STATE_AWAY, entered), select(STATE_AWAY, state, entered), NOBODY);
}

@compute @workgroup_size(workgroup_size)
fn tally(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let index = invocation_index(invocation, workgroups);
    if (index >= world.agent_count) {
        return;
    }
    let own_id = sorted_id_at(index);
    if (lists_events) {
        if (some_away) {
            list_absence(own_id, id[index]);
        }
    }
    if ((own_id & FROZEN) != 0u) {
        return;
    }
    let before = sorted_position_at(index).xy;
    let after = load(position[index]).xy;
    let size = world.size.xy;
    let around = vec2f(
        worlds_between(before.x, after.x, world.half_size.x, boundary_x),
        worlds_between(before.y, after.y, world.half_size.y, boundary_y),
    );
    let moved = after + around * size - before;
    // Along wrapped axes the images of a line in the adjacent worlds count, too.
    let images_x = select(0, 1, boundary_x == WRAP);
    let images_y = select(0, 1, boundary_y == WRAP);
    for (var line = 0u; line < scenery.line_count; line += 1u) {
        let ends = scenery.lines[line];
        var times = vec2u(0u);
        for (var y = -images_y; y <= images_y; y += 1) {
            for (var x = -images_x; x <= images_x; x += 1) {
                let image = vec2f(vec2i(x, y));
                let was_left = is_left(ends, before - image * size);
                if (was_left == is_left(ends, after - (image - around) * size)) {
                    continue;
                }
                let there = image * size;
                if (is_left_of_move(before, moved, ends.xy + there) == is_left_of_move(before, moved, ends.zw + there)) {
                    continue;
                }
                times += select(vec2u(0u, 1u), vec2u(1u, 0u), was_left);
            }
        }
        // Once for all images, because software drivers do atomics lane by lane, whether there is anything to add or not.
        for (var left = times; left.x + left.y > 0u;) {
            let back = select(0u, 1u, left.x == 0u);
            left[back] -= 1u;
            atomicAdd(&crossed_atomic[2u * line + back], 1u);
            if (lists_events) {
                list_event(own_id, line, back);
            }
        }
    }
}
