// How far ahead in time the position of a target is predicted.
//
// Reynolds 1999 has T = D c with a turning parameter c (Pursuit), and no number for it. `intercept` meets a steady target
// exactly; `distance` is in proportion to the distance; `own_speed` is Millington's ("Artificial Intelligence for Games"),
// `closing` Buckland's ("Programming Game AI by Example"), `nine_cases` that of OpenSteer's steerForPursuit, and `target_speed`
// that of its steerForEvasion: the time in which the menace would be there.

const PREDICT_INTERCEPT = 0u;
const PREDICT_FIXED = 1u;
const PREDICT_DISTANCE = 2u;
const PREDICT_OWN_SPEED = 3u;
const PREDICT_CLOSING = 4u;
const PREDICT_NINE_CASES = 5u;
const PREDICT_TARGET_SPEED = 6u;

// A speed to divide by: never 0, u/s.
const SLOWEST = 1e-6;

// Time in which agent and target would meet if they flew toward each other, s.
fn closing_time(agent: Agent, way: vec3f, velocity: vec3f) -> f32 {
    return sqrt(dot3(way, way)) / max(agent.max_speed + sqrt(dot3(velocity, velocity)), SLOWEST);
}

// The least time t > 0 with |way + velocity t| = max_speed t, s; where there is none, the closing time.
fn intercept_time(agent: Agent, way: vec3f, velocity: vec3f) -> f32 {
    // c t² - 2 b t - distance² = 0. Each form of the root is used where it does not cancel digits.
    let c = agent.max_speed * agent.max_speed - dot3(velocity, velocity);
    let b = dot3(way, velocity);
    let distance_squared = dot3(way, way);
    let discriminant = b * b + c * distance_squared;
    if (b < 0.0 && discriminant >= 0.0) {
        return distance_squared / (sqrt(discriminant) - b);
    }
    if (b >= 0.0 && c > 0.0) {
        return (b + sqrt(discriminant)) / c;
    }
    return closing_time(agent, way, velocity);
}

// One of three values by a cosine: within 45 degrees of the opposite, of a perpendicular, or of the same direction.
fn by_cosine(cosine: f32, opposite: f32, perpendicular: f32, same: f32) -> f32 {
    return select(select(perpendicular, opposite, cosine < -0.70710678), same, cosine > 0.70710678);
}

// OpenSteer's factors on the time to the target: by where it is, and by how it heads compared with the agent.
fn nine_cases(agent: Agent, goal: Goal) -> f32 {
    let place = dot3(agent.forward, along(goal.offset));
    let heading = dot3(agent.forward, goal.forward);
    let behind = by_cosine(heading, 2.0, 2.0, 0.5);
    let beside = by_cosine(heading, 4.0, 0.8, 1.0);
    let ahead = by_cosine(heading, 0.85, 1.8, 4.0);
    return by_cosine(place, behind, beside, ahead);
}

// The way to where the target will be, u. `time` is the time of the rule `fixed`, s. `turning` is that of the rule `distance`
// per distance, s/u; 0 stands for 1 / (the sum of both speeds), which predicts the target on the agent's side of where they
// would meet, whatever the speeds. No prediction is longer than `longest`, s.
fn predicted_way(agent: Agent, goal: Goal, rule: u32, time: f32, turning: f32, longest: f32) -> vec3f {
    let own_time = goal.distance / max(agent.speed, SLOWEST);
    var t = time;
    if (rule == PREDICT_INTERCEPT) {
        t = intercept_time(agent, goal.offset, goal.velocity);
    }
    if (rule == PREDICT_DISTANCE) {
        t = select(closing_time(agent, goal.offset, goal.velocity), goal.distance * turning, turning > 0.0);
    }
    if (rule == PREDICT_OWN_SPEED) {
        t = own_time;
    }
    if (rule == PREDICT_CLOSING) {
        t = closing_time(agent, goal.offset, goal.velocity);
    }
    if (rule == PREDICT_NINE_CASES) {
        t = own_time * nine_cases(agent, goal);
    }
    if (rule == PREDICT_TARGET_SPEED) {
        t = goal.distance / max(sqrt(dot3(goal.velocity, goal.velocity)), SLOWEST);
    }
    return goal.offset + goal.velocity * min(t, longest);
}
