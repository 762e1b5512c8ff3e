// Stage observe: reduce the state to a few integers per workgroup, which the host adds up. It runs on request, not in
// every step. All sums are of integers, so their order does not matter.


// Words of one workgroup's result: digest (4); number of frozen agents; number of agents whose loops were cut off in the latest step; the
// largest ~id of these two kinds, which gives their smallest id; whether any agent was ever cut off; number of agents that the latest step
// set aside (from the first workgroup only); number of frozen agents that are away, which are left out of that smallest id. Then pairs of
// words, because the sums of a workgroup do not fit into one: headings (3), speeds, neighbors.
const WORDS = 20u;
const PAIRS = 10u; // From this word on, each sum takes two words: a sum of lower halves and a sum of upper halves.
// Then four tails. A tail sums over the agents of one species and of all later species: to be in a tail is one comparison, and the host
// gets a species as the difference of two tails. Each tail has the number of frozen agents, the number of those that are away, and the same
// pairs.
const TAIL_WORDS = 12u;
const ROW_WORDS = WORDS + 4u * TAIL_WORDS;

var<workgroup> sums: array<atomic<u32>, ROW_WORDS>;

fn digest_of(own_id: u32, own_position: vec3f, moving: vec3f) -> vec4u {
    let first = hash4(vec4u(own_id, bitcast<u32>(own_position.x), bitcast<u32>(own_position.y), bitcast<u32>(own_position.z)));
    return hash4(first ^ vec4u(bitcast<u32>(moving.x), bitcast<u32>(moving.y), bitcast<u32>(moving.z), 0x5354454fu));
}

// Add the sum of an invocation: its lower half to a word, its upper half, with the sign, to the next.
fn add_to_pair(word: u32, sum: u32) {
    atomicAdd(&sums[word], sum & 0xffffu);
    atomicAdd(&sums[word + 1u], bitcast<u32>(bitcast<i32>(sum) >> 16u));
}

// What an invocation has seen so far.
struct Totals {
    digest: vec4u,
    heading: vec3u,
    speeds: u32,
    perceived: u32,
    frozen: u32,
    away: u32,
    cut_off: u32,
    inverse_id: u32,
    tail_x: vec4u,
    tail_y: vec4u,
    tail_z: vec4u,
    tail_speeds: vec4u,
    tail_perceived: vec4u,
    tail_frozen: vec4u,
    tail_away: vec4u,
}

fn see(seen: ptr<function, Totals>, tails: vec4u, own_id: u32, own_position: vec3f, moving: vec3f, own_neighbors: u32, top_speed: f32) {
    // The sums over all agents are the same in every layer (`group.y`).
    (*seen).digest += digest_of(own_id, own_position, moving);
    let is_cut_off = own_neighbors == CUT_OFF;
    let is_frozen = (own_id & FROZEN) != 0u;
    // Without branches, which would put every sum behind a condition.
    let squared = dot3(moving, moving);
    let counts = !is_frozen && squared > STANDSTILL;
    let speed = sqrt(max(squared, STANDSTILL));
    let x = select(0u, fixed_point(moving.x / speed), counts);
    let y = select(0u, fixed_point(moving.y / speed), counts);
    // A state from outside may be faster than the species allows, until its first step.
    let pace = select(0u, fixed_point(min(speed / top_speed, 8.0)), counts);
    let perceived = select(0u, own_neighbors, !is_frozen && !is_cut_off);
    let frozen = select(0u, 1u, is_frozen);
    var away = 0u;
    if (some_away) {
        away = select(0u, 1u, is_away(own_id));
    }
    (*seen).heading.x += x;
    (*seen).heading.y += y;
    (*seen).speeds += pace;
    (*seen).perceived += perceived;
    (*seen).frozen += frozen;
    (*seen).away += away;
    (*seen).cut_off += select(0u, 1u, is_cut_off);
    (*seen).inverse_id = max((*seen).inverse_id, select(0u, ~(own_id & ID_BITS), frozen > away || is_cut_off));
    // Where this is false whatever the tails, compilers leave out the tail with its sums.
    let there = vec4<bool>(true, tails_in_layer > 1u, tails_in_layer > 2u, tails_in_layer > 3u);
    let within = select(vec4u(0u), vec4u(0xffffffffu), (vec4u(own_id & ID_BITS) >= tails) & there);
    if (many_species) {
        (*seen).tail_x += vec4u(x) & within;
        (*seen).tail_y += vec4u(y) & within;
        (*seen).tail_speeds += vec4u(pace) & within;
        (*seen).tail_perceived += vec4u(perceived) & within;
        (*seen).tail_frozen += vec4u(frozen) & within;
        (*seen).tail_away += vec4u(away) & within;
    }
    if (SPATIAL) {
        let z = select(0u, fixed_point(moving.z / speed), counts);
        (*seen).heading.z += z;
        if (many_species) {
            (*seen).tail_z += vec4u(z) & within;
        }
    }
}

fn words_of_layer() -> u32 {
    return select(WORDS, ROW_WORDS, many_species);
}

fn begin_sums(thread: u32) {
    for (var word = thread; word < words_of_layer(); word += workgroup_size) {
        atomicStore(&sums[word], 0u);
    }
    workgroupBarrier();
}

// Add up the totals of a workgroup's invocations. Only here are there atomics, which software drivers execute lane by lane.
fn end_sums(seen: Totals, group: vec3u, workgroups: vec3u, thread: u32) {
    atomicAdd(&sums[0], seen.digest.x);
    atomicAdd(&sums[1], seen.digest.y);
    atomicAdd(&sums[2], seen.digest.z);
    atomicAdd(&sums[3], seen.digest.w);
    atomicAdd(&sums[4], seen.frozen);
    atomicAdd(&sums[5], seen.cut_off);
    atomicMax(&sums[6], seen.inverse_id);
    if (some_away) {
        atomicAdd(&sums[9], seen.away);
    }
    add_to_pair(PAIRS, seen.heading.x);
    add_to_pair(PAIRS + 2u, seen.heading.y);
    if (SPATIAL) {
        add_to_pair(PAIRS + 4u, seen.heading.z);
    }
    add_to_pair(PAIRS + 6u, seen.speeds);
    add_to_pair(PAIRS + 8u, seen.perceived);
    if (many_species) {
        let tails = min(world.species_count - 1u - 4u * group.y, 4u);
        for (var tail = 0u; tail < tails; tail += 1u) {
            let word = WORDS + TAIL_WORDS * tail;
            atomicAdd(&sums[word], seen.tail_frozen[tail]);
            if (some_away) {
                atomicAdd(&sums[word + 1u], seen.tail_away[tail]);
            }
            add_to_pair(word + 2u, seen.tail_x[tail]);
            add_to_pair(word + 4u, seen.tail_y[tail]);
            if (SPATIAL) {
                add_to_pair(word + 6u, seen.tail_z[tail]);
            }
            add_to_pair(word + 8u, seen.tail_speeds[tail]);
            add_to_pair(word + 10u, seen.tail_perceived[tail]);
        }
    }
    if (thread == 0u) {
        atomicStore(&sums[7], neighbors[world.agent_count]);
    }
    let row = group.x * workgroups.y + group.y;
    if (crowds && row == 0u && thread == 0u) {
        atomicStore(&sums[8], cell_start[first_absent_cell()] - cell_start[world.cell_count]);
    }
    workgroupBarrier();
    for (var word = thread; word < words_of_layer(); word += workgroup_size) {
        observed[row * words_of_layer() + word] = atomicLoad(&sums[word]);
    }
}

// Each invocation goes through at most 240 agents, in `observe_texels` one more, and adds up their values in registers.
@compute @workgroup_size(workgroup_size)
fn observe(invocation: Invocation, @builtin(workgroup_id) group: vec3u) {
    begin_sums(invocation.thread);
    let agent_count = world.agent_count;
    let top_speed = world.top_speed;
    let tails = world.first_ids[group.y];
    let invocations = invocation.workgroups.x * workgroup_size;
    var seen = Totals();
    for (var slot = invocation.id.x; slot < agent_count; slot += invocations) {
        see(&seen, tails, id[slot], load(position[slot]), load(velocity[slot]), neighbors[slot], top_speed);
    }
    end_sums(seen, group, invocation.workgroups, invocation.thread);
}

// As `observe`, where agents are loaded from a texture, because loads from buffers would be nearly all of its cost. Between steps the
// texture holds nothing else, so the host copies the columns into it: positions, velocities, ids, neighbors, each from the start of a row.
const TEXELS_ACROSS = 2u * AGENTS_PER_ROW;

fn rows_of(words: u32) -> u32 {
    return (words + 4u * TEXELS_ACROSS - 1u) / (4u * TEXELS_ACROSS);
}

fn copied(row: u32, texel: u32) -> vec4u {
    return textureLoad(sorted_agents, vec2u(texel % TEXELS_ACROSS, row + texel / TEXELS_ACROSS));
}

// The vectors of four agents.
fn copied_vectors(row: u32, four: u32) -> array<vec3f, 4> {
    if (SPATIAL) {
        let a = bitcast<vec4f>(copied(row, 3u * four));
        let b = bitcast<vec4f>(copied(row, 3u * four + 1u));
        let c = bitcast<vec4f>(copied(row, 3u * four + 2u));
        return array<vec3f, 4>(a.xyz, vec3f(a.w, b.xy), vec3f(b.zw, c.x), c.yzw);
    }
    let a = bitcast<vec4f>(copied(row, 2u * four));
    let b = bitcast<vec4f>(copied(row, 2u * four + 1u));
    return array<vec3f, 4>(vec3f(a.xy, 0.0), vec3f(a.zw, 0.0), vec3f(b.xy, 0.0), vec3f(b.zw, 0.0));
}

@compute @workgroup_size(workgroup_size)
fn observe_texels(invocation: Invocation, @builtin(workgroup_id) group: vec3u) {
    begin_sums(invocation.thread);
    let agent_count = world.agent_count;
    let top_speed = world.top_speed;
    let tails = world.first_ids[group.y];
    let invocations = invocation.workgroups.x * workgroup_size;
    let velocities = rows_of(agent_count * select(2u, 3u, SPATIAL));
    let ids = 2u * velocities;
    let counts = ids + rows_of(agent_count);
    var seen = Totals();
    let first = invocation.id.x;
    for (var four = first; four < agent_count / 4u; four += invocations) {
        let own_ids = copied(ids, four);
        let perceived = copied(counts, four);
        let places = copied_vectors(0u, four);
        let moving = copied_vectors(velocities, four);
        see(&seen, tails, own_ids.x, places[0], moving[0], perceived.x, top_speed);
        see(&seen, tails, own_ids.y, places[1], moving[1], perceived.y, top_speed);
        see(&seen, tails, own_ids.z, places[2], moving[2], perceived.z, top_speed);
        see(&seen, tails, own_ids.w, places[3], moving[3], perceived.w, top_speed);
    }
    // The remaining agents, at most three.
    if (first < agent_count % 4u) {
        let slot = agent_count - 1u - first;
        see(&seen, tails, id[slot], load(position[slot]), load(velocity[slot]), neighbors[slot], top_speed);
    }
    end_sums(seen, group, invocation.workgroups, invocation.thread);
}
