// Global alignment: toward the mean velocity of all agents of the world, the own one included, or toward their mean heading
// at full speed. Alignment with unlimited vision; the stage `census` takes the means.

/// toward the mean velocity of all agents of the world: unlimited vision
/// weight = 1
/// priority = 6
/// order = 70
/// wants = velocity
struct GlobalAlignment {
    rule: Rule,
    /// velocity: mean velocity; heading: mean heading at max_speed
    /// value = velocity of velocity | heading
    mode: u32,
}

// u/s² before its weight
fn global_alignment_steer(global_alignment: GlobalAlignment, agent: Agent) -> vec3f {
    if (global_alignment.mode == ALIGN_HEADINGS) {
        return align_to_heading(sum_of_headings(), agent);
    }
    return steer_to(agent, mean_velocity());
}
