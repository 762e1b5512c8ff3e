// Containment: back into a region that the agent would leave: a box, a sphere, or the open ground of a map (Reynolds 1999 names
// it: predict, and steer by the part of the boundary's normal across the heading). Head-on there is no side, and the id decides.
//
//   brake:  A = -a n
//   turn:   A = -a unit(n - (n·f) f)  where n·f > 0
//   n: outward, where p + prediction_time v is nearer than margin to the boundary, or beyond
//
// `brake` pushes straight back with full acceleration: a force with a potential, the distance from the inner part times
// a. So no agent leaves where margin >= v²/(2 a) + v dt with the full speed v, in the corner of a box too.
// An agent with a least speed cannot be stopped, and leaves where it meets the boundary head-on.
//
// The ground of a map ends at the nearest wall. What is predicted stops at the first wall on its way and goes on along it, as
// agents do: the normal beyond a thin wall would push them on through it.
//
// `turn` pushes sideways and keeps the speed. It needs the radius r = v²/a of the turn in front of a flat wall, and more
// where the wall comes around: the whole circle, 2 r, in the corner of a box, r + sqrt(c² + r²) - c in a sphere, where c
// is its radius less the margin; and one step more.

/// back into a region that the agent would leave
/// weight = 1
/// priority = 0
/// order = 220
struct Containment {
    rule: Rule,
    /// shape of the region
    /// value = box of box | sphere | map
    /// needs = map if shape = map
    shape: u32,
    /// center of the box or the sphere
    /// value = 0 in -1e7..1e7 u
    /// needs = scale
    center: array<f32, 3>,
    /// full extent of the box; the first is the diameter of the sphere
    /// value = 100 in 0..1e7 u
    /// needs = inside with margin if shape = box
    /// needs = across with margin if shape = sphere
    /// needs = scale
    size: array<f32, 3>,
    /// distance from the boundary at which it is felt
    /// value = 10 in 0..1e6 u
    /// needs = brake if mode = brake
    /// needs = corner if mode = turn and shape = box
    /// needs = round with size if mode = turn and shape = sphere
    margin: f32,
    /// how far ahead of the agent the boundary is felt
    /// value = 0.5 in 0..1e3 s
    prediction_time: f32,
    /// brake: against the boundary; turn: sideways
    /// value = brake of brake | turn
    /// needs = standstill if mode = brake
    mode: u32,
}

const CONTAINMENT_MAP = 2u;

// u/s² before its weight
fn containment_steer(containment: Containment, agent: Agent) -> vec3f {
    let predicted = agent.position + agent.velocity * containment.prediction_time;
    let at = nearest_image(predicted - triple(containment.center));
    let half_size = triple(containment.size) * 0.5 - vec3f(containment.margin);
    var outward = vec3f(0.0);
    if (containment.shape == 1u) {
        let squared = dot3(at, at);
        let radius = max(half_size.x, 0.0);
        outward = select(vec3f(0.0), at, squared > radius * radius);
    } else if (containment.shape == CONTAINMENT_MAP) {
        outward = out_of_ground(agent.position, Move(predicted, agent.velocity), containment.margin);
    } else {
        let beyond = max(abs(at) - max(half_size, vec3f(0.0)), vec3f(0.0));
        outward = select(beyond, -beyond, at < vec3f(0.0));
        if (!SPATIAL) {
            outward.z = 0.0;
        }
    }
    if (dot3(outward, outward) <= STANDSTILL) {
        return vec3f(0.0);
    }
    let inward = -along(outward);
    if (containment.mode == 1u) {
        let leaving = dot3(agent.forward, inward) < 0.0;
        return select(vec3f(0.0), sidestep(agent.id, agent.forward, inward), leaving) * agent.max_acceleration;
    }
    return inward * agent.max_acceleration;
}
