// Seek: toward the target at full speed, and through it (Reynolds 1999, with the sign of his text: target minus position).
//
//   velocity:      A = (max_speed unit(r) - v) / τ
//   acceleration:  A = a unit(r)
//   offset:        A = (r / 1 s - v) / τ
//
// The desired velocity points to the target; its length is max_speed, or the current speed. Two other forms are published.
// `acceleration` (Millington) is full acceleration toward the target. It never takes away the speed across the way, so it
// circles a target within v²/a of its path. `offset` (OpenSteer) desires the way to the target within a second: a spring,
// x'' = -(x / 1 s + x') / time_constant, which settles there after swings where the time constant is above 0.25 s.

/// toward the target at full speed
/// weight = 1
/// priority = 4
/// order = 90
/// wants = velocity unless form = acceleration
struct Seek {
    rule: Rule,
    toward: Target,
    /// velocity: desired velocity minus velocity; acceleration: full acceleration toward the target; offset: the velocity that is desired is the way to the target per second
    /// value = velocity of velocity | acceleration | offset
    /// needs = spring if form = offset
    form: u32,
    /// length of the desired velocity, of `velocity`
    /// value = max of max | current
    speed: u32,
    /// nearer than this, the target counts as reached and nothing is desired
    /// value = 0 in 0..1e6 u
    /// needs = capture if form = acceleration and approach = direct
    capture_radius: f32,
    /// around: move away first from a target inside the turning circle
    /// value = direct of direct | around
    approach: u32,
}

const SEEK_CURRENT_SPEED = 1u;
const SEEK_AROUND = 1u;

// Is the target inside one of the circles, of radius v²/a, that the agent would fly in its tightest turns? That is
// distance² < 2 (distance from the line ahead) v²/a.
fn seek_inside_turn(agent: Agent, goal: Goal) -> bool {
    let ahead = dot3(goal.offset, agent.forward);
    let squared = goal.distance * goal.distance;
    let aside = sqrt(max(squared - ahead * ahead, 0.0));
    return squared * agent.max_acceleration < 2.0 * aside * agent.speed * agent.speed;
}

// u/s² before its weight
fn seek_steer(seek: Seek, agent: Agent, goal: Goal) -> vec3f {
    let at_hand = goal.distance <= COINCIDENT && seek.form != FORM_OFFSET;
    if (!goal.exists || goal.distance < seek.capture_radius || at_hand) {
        return vec3f(0.0);
    }
    var direction = along(goal.offset);
    if (seek.approach == SEEK_AROUND && seek_inside_turn(agent, goal)) {
        // Straight on, until the turn leads to the target.
        direction = agent.forward;
    }
    let speed = select(agent.max_speed, agent.speed, seek.speed == SEEK_CURRENT_SPEED);
    return steer_along(agent, seek.form, direction, goal.distance, speed);
}
