// Blending: how the accelerations of the behaviors become one.

// How a behavior takes part; the first member of every behavior's parameters.
struct Rule {
    // Turns the behavior's output into u/s²; 0 for a species that does not use the behavior.
    weight: f32,
    // A shorter acceleration counts as this long where accelerations are normalized, u/s².
    floor: f32,
    // In the lower three bits the priority, 0 to 7; 0 comes first. Above them, where only the first behavior of its priority counts,
    // its rank there, 0 to 7; elsewhere 0.
    priority: u32,
    // Bit s is set where the behavior is active in action state s.
    states: u32,
    // In the lower half, the row of the species' `state_weights` that holds its factors; in the upper half, its index in
    // `weight_spreads`, which also keeps its random numbers apart from those of other behaviors. If this struct had eight words,
    // llvmpipe (Mesa 22.3) would compute nonsense.
    rows: u32,
    // Length of the random vector that is added to the behavior's acceleration, as a share of the acceleration's length.
    jitter: f32,
    // Longest acceleration that it may ask for, before its weight, u/s²; 0 for no limit.
    limit: f32,
}

const COMBINE_NORMALIZED = 1u;
const COMBINE_PRIORITY = 2u;
const COMBINE_BUDGET = 3u;
const COMBINE_DITHERED = 4u;

// Ways to combine the behaviors of a priority.
const WITHIN_NORMALIZED = 1u;
const WITHIN_FIRST = 2u;

const PRIORITIES = 8u;
// Value of `winner` where no priority decided alone.
const NO_WINNER = 0u;

struct Blend {
    total: vec3f,
    // The sum of each priority.
    groups: array<vec3f, PRIORITIES>,
    // Four bits for each priority in which only the first behavior counts: one more than the least rank so far, or 0.
    first: u32,
}

// The first random draw (`which` of `deviation`) of weights. Those below are draws of bodies.
const FIRST_WEIGHT = 64u;

// The weight that a behavior has for an agent. A drawn weight never changes its sign, so that no agent does the opposite.
fn own_weight(own: u32, id: u32, rule: Rule) -> f32 {
    if (weights_vary) {
        let behavior = rule.rows >> 16u;
        let spread = species[own].weight_spreads[behavior];
        let drawn = rule.weight + spread * deviation(world.seed, id, FIRST_WEIGHT + behavior, species[own].normal != 0u);
        return select(min(drawn, 0.0), max(drawn, 0.0), rule.weight > 0.0);
    }
    return rule.weight;
}

// The weight that a behavior has for an agent in an action state.
fn weight_of(own: u32, id: u32, rule: Rule, state: u32) -> f32 {
    if (reweighs) {
        return own_weight(own, id, rule) * species[own].state_weights[32u * (rule.rows & 0xFFFFu) + state];
    }
    return own_weight(own, id, rule);
}

fn rule_is_active(own: u32, id: u32, rule: Rule, state: u32) -> bool {
    if (selects_actions) {
        return weight_of(own, id, rule, state) != 0.0 && ((rule.states >> state) & 1u) != 0u;
    }
    return weight_of(own, id, rule, state) != 0.0;
}

// A behavior's acceleration plus jitter: a vector of random direction, whose length is a share of the acceleration's. (The vectorial
// noise of Gregoire and Chate 2004 is a share of the number of neighbors, whatever the sum of their headings.)
fn jittered(rule: Rule, agent: Agent, steering: vec3f) -> vec3f {
    if (jitters) {
        if (rule.jitter > 0.0) {
            let draw = hash4(vec4u(world.seed, agent.id, agent.step, STREAM_JITTER + (rule.rows >> 16u)));
            let length = rule.jitter * sqrt(dot3(steering, steering));
            return steering + unit_direction(draw.x, draw.y) * length;
        }
    }
    return steering;
}

// As `jittered`, for an angular acceleration. In a plane it has two directions.
fn jittered_turn(rule: Rule, agent: Agent, turning: vec3f) -> vec3f {
    if (jitters && !SPATIAL) {
        if (rule.jitter > 0.0) {
            let draw = hash4(vec4u(world.seed, agent.id, agent.step, STREAM_JITTER + (rule.rows >> 16u)));
            let length = rule.jitter * abs(turning.z);
            return vec3f(0.0, 0.0, turning.z + select(-length, length, unit_interval(draw.x) < 0.5));
        }
    }
    return jittered(rule, agent, turning);
}

fn priority_of(rule: Rule) -> u32 {
    return rule.priority & 7u;
}

fn rank_of(rule: Rule) -> u32 {
    return rule.priority >> 3u;
}

// How the behaviors of a priority are combined.
fn way_within(own: u32, priority: u32) -> u32 {
    return (species[own].combine_within >> (4u * priority)) & 15u;
}

// An acceleration scaled to unit length, or divided by the rule's floor if it is shorter than that, times the weight.
fn unit_part(rule: Rule, wish: vec3f, weight: f32) -> vec3f {
    let length = sqrt(dot3(wish, wish));
    // 1e-18: so a zero acceleration stays zero with a floor of 0. The square of a smaller length underflows.
    return wish * (weight / max(length, max(rule.floor, 1e-18)));
}

// Add a behavior's part to the sum of its priority. There are no weights for whole priorities, since priorities are not weighed against
// each other. To limit behaviors to what is left of a budget, a scene gives them priorities of their own.
//
// Where only the first behavior of a priority counts, that is the one of lowest rank, since a scene cannot change the order of calls.
// Between equal ranks the order of calls decides.
fn group_add(sum: ptr<function, Blend>, own: u32, rule: Rule, part: vec3f) {
    if (combines_within) {
        let priority = priority_of(rule);
        if (way_within(own, priority) == WITHIN_FIRST) {
            let shift = 4u * priority;
            let before = ((*sum).first >> shift) & 15u;
            let rank = 1u + rank_of(rule);
            let silence = species[own].silence;
            let speaks = dot3(part, part) > silence * silence;
            if (speaks && (before == 0u || rank < before)) {
                (*sum).groups[priority] = part;
                (*sum).first = ((*sum).first & ~(15u << shift)) | (rank << shift);
            }
        } else {
            (*sum).groups[priority] += part;
        }
        return;
    }
    (*sum).groups[rule.priority] += part;
}

fn blend_add(sum: ptr<function, Blend>, own: u32, rule: Rule, state: u32, id: u32, steering: vec3f) {
    let combine = species[own].combine;
    let weight = weight_of(own, id, rule, state);
    var wish = steering;
    if (limits) {
        if (rule.limit > 0.0) {
            wish = limit(steering, rule.limit);
        }
    }
    var part = wish * weight;
    if (normalizes) {
        if (combine == COMBINE_NORMALIZED) {
            part = unit_part(rule, wish, weight);
        }
    }
    if (combines_within) {
        if (combine >= COMBINE_PRIORITY && way_within(own, priority_of(rule)) == WITHIN_NORMALIZED) {
            part = unit_part(rule, wish, weight);
        }
    }
    // The output of a behavior that is not active in this state may be NaN.
    part = select(vec3f(0.0), part, rule_is_active(own, id, rule, state));
    if (prioritizes) {
        if (combine >= COMBINE_PRIORITY) {
            group_add(sum, own, rule, part);
        } else {
            (*sum).total += part;
        }
    } else {
        (*sum).total += part;
    }
}

struct Blended {
    acceleration: vec3f,
    // One more than the priority that decided; NO_WINNER where several did or none.
    winner: u32,
}

// Combine the sums of all priorities. `most` is the longest acceleration, u/s² (of angular ones rad/s²).
fn blend_finish(sum: ptr<function, Blend>, own: u32, agent: Agent, most: f32) -> Blended {
    var result = Blended((*sum).total, NO_WINNER);
    if (prioritizes) {
        let combine = species[own].combine;
        let silence = species[own].silence;
        if (combine >= COMBINE_PRIORITY) {
            for (var priority = 0u; priority < PRIORITIES; priority += 1u) {
                let group = (*sum).groups[priority];
                let speaks = dot3(group, group) > silence * silence;
                if (combine == COMBINE_BUDGET) {
                    let spent = sqrt(dot3(result.acceleration, result.acceleration));
                    result.acceleration += limit(group, max(most - spent, 0.0));
                } else {
                    var drawn = true;
                    if (combine == COMBINE_DITHERED) {
                        let hash = hash4(vec4u(world.seed, agent.id, agent.step, STREAM_DITHER + priority));
                        drawn = unit_interval(hash.x) < species[own].dither[priority];
                    }
                    if (speaks && drawn && result.winner == NO_WINNER) {
                        result = Blended(group, priority + 1u);
                    }
                }
            }
        }
    }
    return result;
}
