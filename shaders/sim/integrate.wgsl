// Stage integrate: limit the force, then semi-implicit Euler, the speed limits and the boundary.

@group(0) @binding(3) var<storage, read> sorted_position: array<Stored>;
@group(0) @binding(4) var<storage, read> sorted_velocity: array<Stored>;
@group(0) @binding(5) var<storage, read> sorted_id: array<u32>;
@group(0) @binding(6) var<storage, read> acceleration: array<Stored>;
@group(0) @binding(7) var<storage, read_write> position: array<Stored>;
@group(0) @binding(8) var<storage, read_write> velocity: array<Stored>;
@group(0) @binding(9) var<storage, read_write> id: array<u32>;

// A velocity with its length brought between the two speeds.
fn clip_speed(moving: vec3f, slowest: f32, fastest: f32, forward: vec3f) -> vec3f {
    let squared = dot3(moving, moving);
    if (squared > fastest * fastest) {
        return moving * (fastest / sqrt(squared));
    }
    if (squared < slowest * slowest) {
        if (squared > STANDSTILL) {
            return moving * (slowest / sqrt(squared));
        }
        return forward * slowest;
    }
    return moving;
}

@compute @workgroup_size(workgroup_size)
fn integrate(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let place = invocation_index(invocation, workgroups);
    if (place >= world.agent_count) {
        return;
    }
    let own_id = sorted_id[place];
    let before = load(sorted_position[place]);
    if ((own_id & FROZEN) != 0u) {
        position[place] = store(before);
        velocity[place] = store(vec3f(0.0));
        id[place] = own_id;
        return;
    }
    let own = species_of(own_id);
    let moving = load(sorted_velocity[place]);
    let force = limit(load(acceleration[place]) * species[own].mass, species[own].max_force);
    let forward = forward_of(moving, own_id);
    let faster = moving + force / species[own].mass * world.dt;
    let after = clip_speed(faster, species[own].min_speed, species[own].max_speed, forward);
    let moved = before + after * world.dt;

    let x = bounded(moved.x, after.x, world.size.x, world.half_size.x, boundary_x);
    let y = bounded(moved.y, after.y, world.size.y, world.half_size.y, boundary_y);
    var z = Motion(0.0, 0.0);
    if (SPATIAL) {
        z = bounded(moved.z, after.z, world.size.z, world.half_size.z, boundary_z);
    }
    let new_position = vec3f(x.position, y.position, z.position);
    let new_velocity = vec3f(x.velocity, y.velocity, z.velocity);
    if (is_sane3(new_position) && is_sane3(new_velocity)) {
        position[place] = store(new_position);
        velocity[place] = store(new_velocity);
        id[place] = own_id;
    } else {
        position[place] = store(before);
        velocity[place] = store(vec3f(0.0));
        id[place] = own_id | FROZEN;
    }
}
