// Stage bin: a step begins. Decide each agent's cell, once, and count the agents of each cell; then move the scenery to where
// it is when the step begins.


@compute @workgroup_size(workgroup_size)
fn bin(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let slot = invocation_index(invocation, workgroups);
    if (slot == 0u) {
        tick();
    }
    if (slot >= world.agent_count) {
        return;
    }
    let own_position = load(position[slot]);
    // Frozen agents have a cell of their own behind all others, which no query visits. Whatever words the state holds,
    // an agent in any other cell is in the world and has a valid id: later stages rely on it.
    var found = world.cell_count;
    let healthy = is_sane3(own_position) && is_sane3(load(velocity[slot])) && is_in_world(own_position);
    if (healthy && id[slot] < world.agent_count) {
        found = cell_of(own_position);
    }
    cell[slot] = found;
    // This rank depends on the timing of threads. It only gives each agent of a cell an index of its own; `gather` then
    // orders them by their ids.
    rank[slot] = atomicAdd(&count_atomic[found], 1u);
}

@compute @workgroup_size(workgroup_size)
fn advance(@builtin(local_invocation_index) index: u32) {
    if (moves) {
        let steps = step_now() - 1u;
        if (index < scenery_moving.trajectory_count) {
            let moment = moment_of(scenery_moving.trajectories[index], steps);
            scenery_moving.trajectories[index].place = moment.place;
            scenery_moving.trajectories[index].rate = moment.rate;
        }
        if (index < scenery_moving.obstacle_count) {
            let along = scenery_moving.obstacles[index].trajectory;
            if (along < scenery_moving.trajectory_count) {
                let moment = moment_of(scenery_moving.trajectories[along], steps);
                scenery_moving.obstacles[index] = moved(scenery_moving.obstacles[index], moment);
            }
        }
        if (index == 0u && scenery_moving.flow.trajectory < scenery_moving.trajectory_count) {
            let moment = moment_of(scenery_moving.trajectories[scenery_moving.flow.trajectory], steps);
            let nodes = world.field_nodes.x * world.field_nodes.y * world.field_nodes.z;
            scenery_moving.flow = changed(scenery_moving.flow, moment, nodes);
        }
    }
}
