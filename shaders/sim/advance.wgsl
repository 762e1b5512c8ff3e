// Stage advance: move the scenery to where it is when the step begins.

@compute @workgroup_size(workgroup_size)
fn advance(@builtin(local_invocation_index) index: u32) {
    if (moves) {
        let steps = step_now() - 1u;
        if (index < scenery_moving.trajectory_count) {
            let moment = moment_of(scenery_moving.trajectories[index], steps);
            scenery_moving.trajectories[index].place = moment.place;
            scenery_moving.trajectories[index].rate = moment.rate;
        }
        // Many obstacles lie in a texture; each pass moves the ones that it reads (`obstacle_after`).
        if (!many_obstacles) {
            if (index < scenery_moving.obstacle_count) {
                let along = scenery_moving.obstacles[index].trajectory;
                if (along < scenery_moving.trajectory_count) {
                    let moment = moment_of(scenery_moving.trajectories[along], steps);
                    scenery_moving.obstacles[index] = moved(scenery_moving.obstacles[index], moment);
                }
            }
        }
        if (index == 0u && scenery_moving.flow.trajectory < scenery_moving.trajectory_count) {
            let moment = moment_of(scenery_moving.trajectories[scenery_moving.flow.trajectory], steps);
            let nodes = world.field_nodes.x * world.field_nodes.y * world.field_nodes.z;
            scenery_moving.flow = changed(scenery_moving.flow, moment, nodes);
        }
    }
}
