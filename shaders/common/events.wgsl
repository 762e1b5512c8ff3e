// Events: what happens to agents, in a list of four words each: the step, the id, what, and which way or by whom.

// Events that the list holds; behind them only their number goes on. The first four words of the list are that number, and nothing.
const MOST_EVENTS = 65535u;

// What is a line that was crossed or, with this bit, a change of the action state: the new one, and the one before in the lower eight bits.
const CHANGED = 0x80000000u;
// In place of a state: the agent is away.
const STATE_AWAY = 255u;
// In place of an id.
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
