// The surface that agents move on: where a position is put on it, and which way is up there.

const SURFACE_SPHERE = 1u;
const SURFACE_PLANE = 2u;

struct Ground {
    // Point of the surface, u.
    point: vec3f,
    // Unit normal of the surface there.
    up: vec3f,
}

// The height field goes up along y. A hill is height / (1 + r²/width²)² high: it needs no exponential function.
fn height_field(position: vec3f) -> Ground {
    var height = scenery.surface.center.y;
    var slope_x = 0.0;
    var slope_z = 0.0;
    for (var i = 0u; i < scenery.hill_count; i += 1u) {
        let hill = scenery.hills[i];
        let at = nearest_image(position - vec3f(hill.x, position.y, hill.z));
        let falloff = 1.0 / (1.0 + (at.x * at.x + at.z * at.z) / hill.width_squared);
        let own = hill.height * falloff * falloff;
        let steepness = 4.0 * own * falloff / hill.width_squared;
        height += own;
        slope_x -= steepness * at.x;
        slope_z -= steepness * at.z;
    }
    let up = vec3f(-slope_x, 1.0, -slope_z);
    return Ground(vec3f(position.x, height, position.z), up / sqrt(dot3(up, up)));
}

// The nearest point of a sphere or a plane; the point above or below on a height field.
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
    return height_field(position);
}
