// The surface that agents move on: where a position is put on it, and which way is up there.

const SURFACE_SPHERE = 1u;
const SURFACE_PLANE = 2u;
const SURFACE_MESH = 4u;

// A height field at a place.
struct Slope {
    height: f32, // Height of the surface there, u.
    x: f32, // How steep along x.
    z: f32, // How steep along z.
}

// The height field goes up along y. A hill is height / (1 + r²/width²)² high: it needs no exponential function.
fn slope_at(place: vec3f) -> Slope {
    var slope = Slope(scenery.surface.center.y, 0.0, 0.0);
    for (var i = 0u; i < scenery.hill_count; i += 1u) {
        let hill = scenery.hills[i];
        let at = nearest_image(place - vec3f(hill.x, place.y, hill.z));
        let falloff = 1.0 / (1.0 + (at.x * at.x + at.z * at.z) / hill.width_squared);
        let own = hill.height * falloff * falloff;
        let steepness = 4.0 * own * falloff / hill.width_squared;
        slope.height += own;
        slope.x -= steepness * at.x;
        slope.z -= steepness * at.z;
    }
    return slope;
}

// Most steps toward the nearest point of a height field. An agent that moves on it needs two or three, one from afar more.
const FOOT_STEPS = 64u;
// Where a step is no longer than this, squared, the point is found, u².
const FOUND = 1e-12;

// The nearest point of the height field, from the point above or below the position on: each step goes to the nearest point of the
// tangent plane (Gauss and Newton). A step that does not come nearer is halved.
fn height_field(position: vec3f) -> Ground {
    var slope = slope_at(position);
    var foot = vec3f(position.x, slope.height, position.z);
    var offset = position - foot;
    var share = 1.0;
    for (var i = 0u; i < FOOT_STEPS; i += 1u) {
        let x = offset.x + offset.y * slope.x;
        let z = offset.z + offset.y * slope.z;
        let steep = (x * slope.x + z * slope.z) / (1.0 + slope.x * slope.x + slope.z * slope.z);
        let step = vec3f(share * (x - steep * slope.x), 0.0, share * (z - steep * slope.z));
        if (step.x * step.x + step.z * step.z <= FOUND) {
            break;
        }
        var next = foot + step;
        let there = slope_at(next);
        next.y = there.height;
        let left = position - next;
        if (dot3(left, left) < dot3(offset, offset)) {
            foot = next;
            offset = left;
            slope = there;
            share = min(2.0 * share, 1.0);
        } else {
            share *= 0.5;
        }
    }
    let up = vec3f(-slope.x, 1.0, -slope.z);
    return Ground(foot, up / sqrt(dot3(up, up)));
}

// The nearest point of the surface; of a height field, a point such that none around it is nearer.
fn ground_at(position: vec3f) -> Ground {
    let surface = scenery.surface;
    let offset = position - surface.center;
    if (surface.shape == SURFACE_SPHERE) {
        let clearance = sphere_clearance(surface.radius, nearest_image(offset));
        return Ground(position - clearance.normal * clearance.distance, clearance.normal);
    }
    if (surface.shape == SURFACE_PLANE) {
        return Ground(position - surface.normal * dot3(surface.normal, offset), surface.normal);
    }
    if (mesh_acts) {
        if (surface.shape == SURFACE_MESH) {
            return on_mesh(position);
        }
    }
    return height_field(position);
}
