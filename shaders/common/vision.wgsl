// Perception: which candidates are within a behavior's radius and field of view.

// Perception radius, field of view, the radius within which the field of view does not count, and the species that are perceived.
struct Vision {
    // Squared perception radius, u²; neighbors at exactly this distance are perceived. Negative for a species that does
    // not use the behavior, so that not even a coincident agent is.
    radius_squared: f32,
    // Cosine of half the field of view, or ALL_AROUND.
    cosine: f32,
    // Squared radius within which agents are perceived all around, u².
    inner_squared: f32,
    // Bit s is set where species s is perceived.
    species: u32,
}

// For 360 degrees: rounding never hides a neighbor dead behind.
const ALL_AROUND = -2.0;
// As ALL_AROUND, for a behavior that looks as far as its agent does: it perceives every neighbor that the walk finds near. The
// calls have it as a literal where no field of view is less than 360 degrees.
const EVERYONE = -3.0;

struct Neighbor {
    // From the agent to the neighbor's nearest image, u.
    offset: vec3f,
    distance_squared: f32,
    distance: f32,
    // Component of the offset along the agent's heading, u.
    ahead: f32,
    // u/s
    velocity: vec3f,
    // Direction of the velocity; zero if the neighbor stands still.
    heading: vec3f,
    // The bit of its species.
    species: u32,
    // Radius of its body, u.
    radius: f32,
    id: u32,
}

// In the loop over candidates truth values are combined without `&&` and `||`, which would branch.
fn sees(vision: Vision, neighbor: Neighbor) -> bool {
    var seen = neighbor.distance_squared <= vision.radius_squared;
    if (cones) {
        var in_view = neighbor.ahead >= neighbor.distance * vision.cosine;
        if (inner_radii) {
            in_view = in_view | (neighbor.distance_squared <= vision.inner_squared);
        }
        seen = seen & in_view;
    } else {
        seen = seen | (vision.cosine == EVERYONE);
    }
    if (masks) {
        seen = seen & ((vision.species & neighbor.species) != 0u);
    }
    return seen;
}

// The distances of the nearest neighbors of a behavior, ascending, for topological neighborhoods.
struct Ranking {
    distance_squared: array<vec4f, 4>,
}

fn ranking_start() -> Ranking {
    return Ranking(array<vec4f, 4>(vec4f(FARTHEST), vec4f(FARTHEST), vec4f(FARTHEST), vec4f(FARTHEST)));
}

// More than any squared distance between agents in a world, u².
const FARTHEST = 3e38;

// Four ascending numbers with one put in and the largest pushed out.
struct Insertion {
    kept: vec4f,
    out: f32,
}

fn insertion(sorted: vec4f, x: f32) -> Insertion {
    let a = max(sorted.x, x);
    let b = max(sorted.y, a);
    let c = max(sorted.z, b);
    let kept = vec4f(min(sorted.x, x), min(sorted.y, a), min(sorted.z, b), min(sorted.w, c));
    return Insertion(kept, max(sorted.w, c));
}

// Without a loop, because a driver may count the iterations of all loops together.
fn ranking_add(ranking: Ranking, distance_squared: f32) -> Ranking {
    let first = insertion(ranking.distance_squared[0], distance_squared);
    let second = insertion(ranking.distance_squared[1], first.out);
    if (!many_nearest) {
        return Ranking(array<vec4f, 4>(first.kept, second.kept, vec4f(FARTHEST), vec4f(FARTHEST)));
    }
    let third = insertion(ranking.distance_squared[2], second.out);
    let fourth = insertion(ranking.distance_squared[3], third.out);
    return Ranking(array<vec4f, 4>(first.kept, second.kept, third.kept, fourth.kept));
}

// A hint tells how far an agent has to look for its k nearest. x: how far away the k nearest were at its last search, as a share of
// how far it sees; 0 before the first search. y: a margin, as a share of x: the largest of twice the last relative change of x,
// 0.95 of the margin before, and LEAST_MARGIN. An agent looks that far at first, and as far as it sees only if that is not enough.
// Hints lie by id behind `neighbors`. Whatever a hint is, the same agents are found, so hints are no part of the state.
const LEAST_MARGIN = 0.02;

fn hint_of(id: u32) -> vec2f {
    return unpack2x16unorm(neighbors[world.agent_count + 1u + id]);
}

// The squared distance up to which an agent looks first, u². `all`: as far as it sees.
fn first_reach(hint: vec2f, all: f32) -> f32 {
    let share = hint.x * (1.0 + hint.y);
    return select(all, min(share * share, 1.0) * all, hint.x > 0.0);
}

fn keep_hint(id: u32, before: vec2f, reach: f32, all: f32) {
    let share = sqrt(reach / max(all, 1e-30));
    let change = select(0.0, 2.0 * abs(share - before.x) / max(before.x, 1e-3), before.x > 0.0);
    let margin = max(max(0.95 * before.y, change), LEAST_MARGIN);
    neighbors[world.agent_count + 1u + id] = pack2x16unorm(vec2f(share, margin));
}

// Rank a candidate, if the behavior perceives it.
fn ranking_see(ranking: Ranking, vision: Vision, neighbor: Neighbor) -> Ranking {
    return ranking_add(ranking, select(FARTHEST, neighbor.distance_squared, sees(vision, neighbor)));
}

// The squared distance of the k-th nearest, k from 1.
fn ranking_of(ranking: Ranking, k: u32) -> f32 {
    var all = ranking.distance_squared;
    return all[(k - 1u) / 4u][(k - 1u) % 4u];
}
