// The agents in sorted order, as stages read them: from the buffers, or from a texture that holds the same bits. A texture takes no
// storage binding, of which devices may have no more than eight.
//
// Drivers that compute on the CPU load from buffers component by component and lane by lane, each behind a branch, which costs more
// than what is then computed of an agent. They load whole texels without a branch, four to five times as fast.

struct SortedAgent {
    position: vec3f,
    velocity: vec3f,
    id: u32,
}

// An agent takes two texels. In a planar world: position and velocity, then the id. In a spatial one: position and id, then the
// velocity.
const AGENTS_PER_ROW = 4096u;

fn texel_of(sorted_index: u32) -> vec2u {
    return vec2u(sorted_index % AGENTS_PER_ROW * 2u, sorted_index / AGENTS_PER_ROW);
}

fn sorted_agent(sorted_index: u32) -> SortedAgent {
    if (texture_loads) {
        let texel = texel_of(sorted_index);
        let first = textureLoad(sorted_agents, texel);
        let second = textureLoad(sorted_agents, texel + vec2u(1u, 0u));
        let whole = bitcast<vec4f>(first);
        if (SPATIAL) {
            return SortedAgent(whole.xyz, bitcast<vec3f>(second.xyz), first.w);
        }
        return SortedAgent(vec3f(whole.xy, 0.0), vec3f(whole.zw, 0.0), second.x);
    } else {
        return SortedAgent(load(sorted_position[sorted_index]), load(sorted_velocity[sorted_index]), sorted_id[sorted_index]);
    }
}

fn sorted_position_at(sorted_index: u32) -> vec3f {
    if (texture_loads) {
        return sorted_agent(sorted_index).position;
    } else {
        return load(sorted_position[sorted_index]);
    }
}

fn sorted_id_at(sorted_index: u32) -> u32 {
    if (texture_loads) {
        return sorted_agent(sorted_index).id;
    } else {
        return sorted_id[sorted_index];
    }
}

fn keep_texels(sorted_index: u32, agent: SortedAgent) {
    let texel = texel_of(sorted_index);
    let position = bitcast<vec3u>(agent.position);
    let velocity = bitcast<vec3u>(agent.velocity);
    var first = vec4u(position.xy, velocity.xy);
    var second = vec4u(agent.id, 0u, 0u, 0u);
    if (SPATIAL) {
        first = vec4u(position, agent.id);
        second = vec4u(velocity, 0u);
    }
    textureStore(sorted_agents_written, texel, first);
    textureStore(sorted_agents_written, texel + vec2u(1u, 0u), second);
}
