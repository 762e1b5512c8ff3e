// Events: what happens to agents. An event has four words: the step, the agent's id, what happened, and which way the agent crossed a line
// or which agent was the reason.

// Most events that the list holds; later ones are only counted. The first word of the list is the number of events, the next three are
// unused.
const MOST_EVENTS = 65535u;

// What happened is the index of the line that was crossed or, with this bit, a change of the action state: the previous state in the lower
// eight bits, and above them the new one.
const CHANGED = 0x80000000u;
// In place of a state: the agent is away.
const STATE_AWAY = 255u;
// In place of an id: no agent.
const NOBODY = 0xffffffffu;

fn list_event(agent_id: u32, what: u32, how: u32) {
    let row = atomicAdd(&events_atomic[0], 1u);
    if (row < MOST_EVENTS) {
        let at = 4u * row + 4u;
        atomicStore(&events_atomic[at], step_now());
        atomicStore(&events_atomic[at + 1u], agent_id);
        atomicStore(&events_atomic[at + 2u], what);
        atomicStore(&events_atomic[at + 3u], how);
    }
}

fn list_change(agent_id: u32, before: u32, after: u32, by: u32) {
    list_event(agent_id, CHANGED | (after << 8u) | before, by);
}
