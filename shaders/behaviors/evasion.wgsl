// Evasion: flee from where the target will be (Reynolds 1999), unless it is farther away now than the panic distance. From
// a target at rest the agent flees as `flee` does, to the bit.
//
// `closing` is the default: it predicts less than the distance, so a target that comes straight on is never predicted at
// the agent itself, where there is no direction to flee from.

struct Evasion {
    rule: Rule,
    toward: Target,
    prediction: u32,
    prediction_time: f32,
    max_prediction_time: f32,
    panic_distance: f32,
}

// u/s² before its weight
fn evasion_steer(evasion: Evasion, agent: Agent, goal: Goal) -> vec3f {
    if (!goal.exists || goal.distance > evasion.panic_distance) {
        return vec3f(0.0);
    }
    let way = predicted_way(agent, goal, evasion.prediction, evasion.prediction_time, evasion.max_prediction_time);
    return steer_to(agent, flee_direction(agent, way) * agent.max_speed);
}
