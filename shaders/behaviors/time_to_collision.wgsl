// Time to collision: people spend the more effort on avoiding a collision the sooner it would come, if both went on as they do now
// (Karamouzas, Skinner and Guy 2014, "Universal power law governing pedestrian interactions"). The force is the slope of that energy, per
// mass. What drives people on is `flow_field`, or `seek`.
//
//   A = Σ -∇E,  E = strength τ^-2 e^(-τ / horizon)
//   τ: when both bodies touch, |r + w τ| = both radii;  r from the neighbor to the agent, w = v - u
//   ∇τ = (-w - ((r·w) w - |w|² r) / √D) / |w|²,  D = |w|² (R² - m²),  m the distance of nearest approach
//
// A pair that will not touch feels nothing. Walls count by the same energy: the first that the body would touch, along its normal. The
// formula says nothing of bodies that overlap; here they, and those that nearly touch, count as a hundredth of their distance apart.
// Collisions within 0.01 s count as that soon, and bodies that only graze each other as meeting by a thousandth of their speed.

/// people avoid those they would bump into, the more the sooner; walls too (Karamouzas)
/// weight = 1
/// priority = 3
/// order = 360
struct TimeToCollision {
    rule: Rule,
    /// field_of_view = 360
    vision: Vision,
    /// energy times squared time of a collision that is near
    /// value = 1.5 in 0..1e6 u²
    strength: f32,
    /// collisions later than this count less and less
    /// value = 3 in 1e-3..1e3 s
    horizon: f32,
}

// Sooner collisions count as this soon, s.
const TIME_TO_COLLISION_SHORTEST_TIME = 0.01;
// The force between bodies that only just touch would have no bounds: at least this share of their speed counts as head-on.
const TIME_TO_COLLISION_GRAZING_SHARE = 1e-3;

// How much the energy falls with the time to the collision, u²/s³.
fn time_to_collision_slope(time_to_collision: TimeToCollision, time: f32) -> f32 {
    let left = max(time, TIME_TO_COLLISION_SHORTEST_TIME);
    let energy = time_to_collision.strength * decay(left / time_to_collision.horizon) / (left * left);
    return energy * (2.0 / left + 1.0 / time_to_collision.horizon);
}

fn time_to_collision_add(
    sum: vec3f,
    time_to_collision: TimeToCollision,
    neighbor: Neighbor,
    agent: Agent,
) -> vec3f {
    let relative = agent.velocity - neighbor.velocity;
    let squared = max(dot3(relative, relative), STANDSTILL);
    let room = min(agent.radius + neighbor.radius, 0.99 * neighbor.distance);
    let nearing = dot3(neighbor.offset, relative);
    let miss = relative * (nearing / squared) - neighbor.offset;
    let rest = room * room - dot3(miss, miss);
    let collides = rest > 0.0 && nearing > 0.0 && squared > STANDSTILL;
    let grazing = room * room * (TIME_TO_COLLISION_GRAZING_SHARE * TIME_TO_COLLISION_GRAZING_SHARE);
    let root = sqrt(squared * max(rest, grazing));
    let time = (neighbor.distance - room) * (neighbor.distance + room) / max(nearing + root, STANDSTILL);
    // Gradient of the time to the collision by the agent's place (∇τ above), s/u.
    let later = (miss * (squared / max(root, STANDSTILL)) - relative) / squared;
    let felt = collides && sees(time_to_collision.vision, neighbor);
    return sum + select(vec3f(0.0), later * time_to_collision_slope(time_to_collision, time), felt);
}

// u/s² before its weight
fn time_to_collision_resolve(sum: vec3f, time_to_collision: TimeToCollision, agent: Agent) -> vec3f {
    // Later collisions no longer count in any sum.
    let ahead = 4.0 * time_to_collision.horizon;
    let course = Approach(heading_of(agent.velocity), agent.speed, 0.0, ahead, false);
    let hit = first_hit(agent.position, course, agent.radius);
    let nearing = -dot3(hit.normal, hit.course.forward);
    if (!hit.exists || nearing <= 0.0 || hit.course.speed * hit.course.speed <= STANDSTILL) {
        return sum;
    }
    let time = hit.distance / hit.course.speed;
    let later = 1.0 / (hit.course.speed * max(nearing, TIME_TO_COLLISION_GRAZING_SHARE));
    return sum + hit.normal * (time_to_collision_slope(time_to_collision, time) * later);
}
