// Stage schedule, in scenes in which agents skip steps: the active list of the agents that steer in this step; the others
// hold.

// A step in which an agent does not steer: it perceives no agent, and holds its latest steering and its number of neighbors. Memories
// that need no neighbors (of wandering and of waypoints) go on.
fn hold(sorted_index: u32, id: u32, own: u32) {
    let agent = agent_at(own, sorted_agent(sorted_index));
    remember_each(own, agent);
    var held = triple(held_of(id));
    if (agent.moves_as_desired) {
        held = (held - agent.velocity) / agent.time_constant;
    }
    acceleration[sorted_index] = store(unsigned_zeros(held + containment(agent.position, agent.max_acceleration)));
    neighbors[sorted_index] = perceived_of(id);
}

var<workgroup> active_here: atomic<u32>;
var<workgroup> active_before: u32;

@compute @workgroup_size(1)
fn clear_active() {
    atomicStore(&cell_start_atomic[active_start()], 0u);
}

// The active list: the agents that steer in this step. It keeps the workgroups of `steer` full: phases are spread over
// all agents, and without it every workgroup would have some agent that all its other lanes wait for.
@compute @workgroup_size(workgroup_size)
fn list_active(invocation: Invocation) {
    if (invocation.thread == 0u) {
        atomicStore(&active_here, 0u);
    }
    workgroupBarrier();
    let sorted_index = invocation_index(invocation.id, invocation.workgroups);
    let exists = sorted_index < world.agent_count;
    var id = FROZEN;
    if (exists) {
        id = sorted_id_at(sorted_index);
    }
    let own = species_of(id & ID_BITS);
    let step = step_now();
    let steers = (id & FROZEN) != 0u || steers_now(own, id, step);
    var slot = 0u;
    if (exists && steers) {
        slot = atomicAdd(&active_here, 1u);
    }
    workgroupBarrier();
    if (invocation.thread == 0u) {
        active_before = atomicAdd(&cell_start_atomic[active_start()], atomicLoad(&active_here));
    }
    workgroupBarrier();
    if (exists && steers) {
        atomicStore(&cell_start_atomic[active_start() + 1u + active_before + slot], sorted_index);
    }
    if (exists && !steers) {
        hold(sorted_index, id, own);
    }
}

// Most workgroups that a dispatch may have along its first dimension.
const WIDEST_DISPATCH = 65535u;

@compute @workgroup_size(1)
fn close_active() {
    let groups = (atomicLoad(&cell_start_atomic[active_start()]) + workgroup_size - 1u) / workgroup_size;
    active_groups[0] = min(groups, WIDEST_DISPATCH);
    active_groups[1] = (groups + WIDEST_DISPATCH - 1u) / WIDEST_DISPATCH;
    active_groups[2] = 1u;
}
