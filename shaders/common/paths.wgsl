// Paths: the nearest point of one, and the point at an arc length. Between two points a path is straight.

// A segment shorter than this has no direction, u².
const SHORTEST_SEGMENT = 1e-12;

// A point of a path.
struct PathPlace {
    point: vec3f, // The point, u.
    arc_length: f32, // Arc length from the path's first point, u.
    tangent: vec3f, // Unit vector in the direction of travel.
    // Distance of the given position from the point, u.
    distance: f32,
    // Half of the width of the path there, u.
    radius: f32,
}

// Half of the width of a segment, u.
fn segment_radius(path: Path, segment: u32) -> f32 {
    if (path.own_radii != 0u) {
        return scenery.segment_radii[segment / 4u][segment % 4u];
    }
    return path.radius;
}

// A point of a path. In a planar world z is 0 and is not loaded.
fn path_point(index: u32) -> vec3f {
    if (SPATIAL) {
        return scenery.points[index].xyz;
    }
    return vec3f(scenery.points[index].xy, 0.0);
}

// The point of a segment at a share of it: 0 is its first point, 1 its second.
fn segment_place(path: Path, segment: u32, share: f32, distance: f32) -> PathPlace {
    let start = scenery.points[segment];
    let end = scenery.points[segment + 1u];
    let along = end.xyz - start.xyz;
    let length = sqrt(max(dot3(along, along), SHORTEST_SEGMENT));
    let arc_length = start.w + (end.w - start.w) * share;
    return PathPlace(start.xyz + along * share, arc_length, along / length, distance, segment_radius(path, segment));
}

// The nearest point of a path. Where segments differ in width, the least distance minus radius counts (OpenSteer, mapPointToPathAlike);
// of equally near segments the first one. Along a wrapped axis it is the point nearest to any image of the position, which is found where
// a segment is at most half, and the distance at most a quarter, of the world's length.
fn nearest_on_path(path: Path, position: vec3f) -> PathPlace {
    return followed_on_path(path, position, vec3f(0.0));
}

// As `nearest_on_path`, for an agent that follows the path in a direction: a segment that leads back counts as farther away by its whole
// width, added in squares. So where two legs of the path overlap, as they do long before a sharp bend, the leg that the agent follows is
// found.
fn followed_on_path(path: Path, position: vec3f, direction: vec3f) -> PathPlace {
    var nearest = path.first_point;
    var nearest_share = 0.0;
    var nearest_squared = FAR_AWAY * FAR_AWAY;
    var least = nearest_squared;
    var start = path_point(path.first_point);
    for (var k = path.first_point; k < path.first_point + path.segments; k += 1u) {
        let end = path_point(k + 1u);
        let along = end - start;
        let from_start = position - start;
        start = end;
        // The shift is exactly 0 where nothing wraps.
        var at = from_start;
        if (boundary_x == WRAP || boundary_y == WRAP || boundary_z == WRAP) {
            let from_middle = from_start - along * 0.5;
            at = from_start - (from_middle - nearest_image(from_middle));
        }
        let projected = min(dot3(at, along) / max(dot3(along, along), SHORTEST_SEGMENT), 1.0);
        let share = select(0.0, projected, projected > 0.0);
        let away = at - along * share;
        let squared = dot3(away, away);
        var off = squared;
        if (dot3(direction, along) < 0.0) {
            let width = 2.0 * segment_radius(path, k);
            off = squared + width * width;
        }
        if (path.own_radii != 0u) {
            off = sqrt(off) - segment_radius(path, k);
        }
        if (off < least) {
            least = off;
            nearest = k;
            nearest_share = share;
            nearest_squared = squared;
        }
    }
    return segment_place(path, nearest, nearest_share, sqrt(nearest_squared));
}

// The point of a path at an arc length from its first point. A closed path goes round, an open one ends.
fn path_at(path: Path, arc_length: f32) -> PathPlace {
    var onward = min(arc_length, path.length);
    if (path.closed == 1u) {
        let length = max(path.length, TOUCHING);
        onward = arc_length - length * floor(arc_length / length);
    }
    let rest = select(0.0, onward, onward > 0.0);
    var segment = path.first_point;
    for (var k = path.first_point + 1u; k < path.first_point + path.segments; k += 1u) {
        segment = select(segment, k, scenery.points[k].w <= rest);
    }
    let start = scenery.points[segment].w;
    let length = max(scenery.points[segment + 1u].w - start, TOUCHING);
    return segment_place(path, segment, min((rest - start) / length, 1.0), 0.0);
}
