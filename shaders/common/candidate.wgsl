// What the loops over candidates read of each: from the buffers, or from a texture that holds the same bits.
//
// Drivers that compute on the CPU load from buffers component by component and lane by lane, each behind a branch, which
// costs more than what is then computed of a candidate. They load whole texels without a branch, four to five times as fast.

struct Candidate {
    position: vec3f,
    velocity: vec3f,
    id: u32,
}

// Two texels each: where, and of a planar world how fast; the rest.
const CANDIDATES_PER_ROW = 4096u;

fn texel_of(sorted_index: u32) -> vec2u {
    return vec2u(sorted_index % CANDIDATES_PER_ROW * 2u, sorted_index / CANDIDATES_PER_ROW);
}

fn candidate_at(sorted_index: u32) -> Candidate {
    if (texture_loads) {
        let texel = texel_of(sorted_index);
        let first = textureLoad(candidates, texel);
        let second = textureLoad(candidates, texel + vec2u(1u, 0u));
        let whole = bitcast<vec4f>(first);
        if (SPATIAL) {
            return Candidate(whole.xyz, bitcast<vec3f>(second.xyz), first.w);
        }
        return Candidate(vec3f(whole.xy, 0.0), vec3f(whole.zw, 0.0), second.x);
    } else {
        return Candidate(load(sorted_position[sorted_index]), load(sorted_velocity[sorted_index]), sorted_id[sorted_index]);
    }
}

fn candidate_keep(sorted_index: u32, candidate: Candidate) {
    let texel = texel_of(sorted_index);
    let position = bitcast<vec3u>(candidate.position);
    let velocity = bitcast<vec3u>(candidate.velocity);
    var first = vec4u(position.xy, velocity.xy);
    var second = vec4u(candidate.id, 0u, 0u, 0u);
    if (SPATIAL) {
        first = vec4u(position, candidate.id);
        second = vec4u(velocity, 0u);
    }
    textureStore(candidates_written, texel, first);
    textureStore(candidates_written, texel + vec2u(1u, 0u), second);
}
