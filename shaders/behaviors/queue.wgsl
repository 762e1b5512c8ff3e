// Queue: to the target, and no faster than the way to the one ahead allows: so a line forms before a door (after Bevilacqua,
// "Understanding Steering Behaviors: Queue", whose agents brake by a share of all their steering). The speed falls in
// proportion to the way to the one ahead that leaves the least, from max_speed at the perception radius to 0 at the gap. An agent that
// comes the other way is in no queue.
//
//   A = (max_speed min(x, 1) unit(r) - v) / τ,  x = (d - s) / (perception_radius - s),
//   d the distance of one ahead,  s = gap + both radii;  the least x of all that are ahead
//
// A field of view of 90 degrees or less means ahead: in a wider one two agents may wait for each other. With the vehicle's
// orientation = "kept" an agent that stands keeps looking ahead.

/// to the target, no faster than the way to the one ahead allows
/// weight = 1
/// priority = 4
/// order = 85
/// wants = velocity
struct Queue {
    rule: Rule,
    vision: Vision,
    toward: Target,
    /// way between two bodies that stand in line
    /// value = 0.5 in 0..1e6 u
    gap: f32,
}

struct QueueSum {
    // How much of the speed the one ahead takes away, 0 to 1.
    taken: f32,
}

fn queue_add(sum: QueueSum, queue: Queue, neighbor: Neighbor, agent: Agent) -> QueueSum {
    let stop = queue.gap + agent.radius + neighbor.radius;
    let room = max(sqrt(max(queue.vision.radius_squared, 0.0)) - stop, COINCIDENT);
    let share = within((neighbor.distance - stop) / room, 0.0, 1.0);
    let ahead = neighbor.ahead > 0.0 && dot3(neighbor.heading, agent.forward) >= 0.0;
    return QueueSum(max(sum.taken, select(0.0, 1.0 - share, ahead && sees(queue.vision, neighbor))));
}

// u/s² before its weight
fn queue_resolve(sum: QueueSum, agent: Agent, goal: Goal) -> vec3f {
    if (!goal.exists) {
        return vec3f(0.0);
    }
    return steer_to(agent, along(goal.offset) * (agent.max_speed * (1.0 - sum.taken)));
}
