// Global alignment: toward the mean velocity of all agents of the world, the own one included, or toward their mean heading,
// or toward one of these directions at full speed. Alignment with unlimited vision; the stage `census` takes the means. An agent
// that stands still has no heading.
//
//   velocity:    A = (mean u - v) / τ
//   heading:     A = (mean unit(u) - unit(v)) max_speed / τ
//   full_speed:  A = (max_speed unit(Σ u) - v) / τ
//   course:      A = (max_speed unit(Σ unit(u)) - v) / τ

/// toward the mean velocity of all agents of the world: unlimited vision
/// weight = 1
/// priority = 6
/// order = 70
/// wants = velocity
struct GlobalAlignment {
    rule: Rule,
    /// velocity, heading: mean of all minus the own; full_speed, course: that direction at max_speed
    /// value = velocity of velocity | heading | full_speed | course
    mode: u32,
}

// u/s² before its weight
fn global_alignment_steer(global_alignment: GlobalAlignment, agent: Agent) -> vec3f {
    if (global_alignment.mode == ALIGN_HEADINGS) {
        return align_headings(sum_of_headings(), headings_counted(), agent);
    }
    if (global_alignment.mode == ALIGN_COURSE) {
        return align_to_course(sum_of_headings(), agent);
    }
    if (global_alignment.mode == ALIGN_FULL_SPEED) {
        return align_to_course(mean_velocity(), agent);
    }
    return steer_to(agent, mean_velocity());
}
