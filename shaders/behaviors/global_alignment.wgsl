// Global alignment: toward the mean velocity of all agents of the world, the own one included, or toward their mean heading
// at full speed. Alignment with unlimited vision; the stage `census` takes the means.

struct GlobalAlignment {
    rule: Rule,
    // 0: mean velocity; 1: mean heading at max_speed.
    mode: u32,
}

// u/s² before its weight. `velocity` is the mean, u/s; `headings` is the sum of the headings.
fn global_alignment_steer(global_alignment: GlobalAlignment, agent: Agent, velocity: vec3f, headings: vec3f) -> vec3f {
    if (global_alignment.mode == ALIGN_HEADINGS) {
        return align_to_heading(headings, agent);
    }
    return steer_to(agent, velocity);
}
