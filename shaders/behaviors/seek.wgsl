// Seek: toward the target at full speed.

struct Seek {
    rule: Rule,
    toward: Target,
    form: u32,
    speed: u32,
    capture_radius: f32,
    approach: u32,
}

// u/s² before its weight
fn seek_steer(seek: Seek, agent: Agent, goal: Goal) -> vec3f {
    return vec3f(0.0);
}
