// A mesh of triangles that agents move on. It lies in a texture, which takes no storage binding: three texels with the origin, the scale
// and the extent of a grid around it and the offsets of its lists, six for each triangle (its corners, and the normals of the mesh
// there), and then for each cell of that grid which triangles may be nearest to a place in it.

fn surface_texel(index: u32) -> vec4u {
    return textureLoad(surface_texels, vec2u(index % TEXELS_PER_ROW, index / TEXELS_PER_ROW), 0);
}

struct Triangle {
    a: vec3f,
    b: vec3f,
    c: vec3f,
}

// The corners of the triangle that begins at a texel, u; from its fourth texel on, its normals.
fn three_vectors(texel: u32) -> Triangle {
    return Triangle(
        bitcast<vec3f>(surface_texel(texel).xyz),
        bitcast<vec3f>(surface_texel(texel + 1u).xyz),
        bitcast<vec3f>(surface_texel(texel + 2u).xyz),
    );
}

fn weighted(three: Triangle, share: vec3f) -> vec3f {
    return three.a * share.x + three.b * share.y + three.c * share.z;
}

// Barycentric coordinates of the point of a triangle that is nearest to a place. The corner or side beyond which the place lies tells
// whether that point is a corner, a point of a side, or a point within (Ericson 2005, Real-Time Collision Detection, 5.1.5).
fn nearest_shares(place: vec3f, triangle: Triangle) -> vec3f {
    let ab = triangle.b - triangle.a;
    let ac = triangle.c - triangle.a;
    let from_a = place - triangle.a;
    let from_b = place - triangle.b;
    let from_c = place - triangle.c;
    let along_ab_a = dot3(ab, from_a);
    let along_ac_a = dot3(ac, from_a);
    let along_ab_b = dot3(ab, from_b);
    let along_ac_b = dot3(ac, from_b);
    let along_ab_c = dot3(ab, from_c);
    let along_ac_c = dot3(ac, from_c);
    if (along_ab_a <= 0.0 && along_ac_a <= 0.0) {
        return vec3f(1.0, 0.0, 0.0);
    }
    if (along_ab_b >= 0.0 && along_ac_b <= along_ab_b) {
        return vec3f(0.0, 1.0, 0.0);
    }
    if (along_ac_c >= 0.0 && along_ab_c <= along_ac_c) {
        return vec3f(0.0, 0.0, 1.0);
    }
    // Barycentric coordinates, not normalized, of the place projected to the triangle's plane; negative beyond the opposite side.
    let beside_c = along_ab_a * along_ac_b - along_ab_b * along_ac_a;
    let beside_b = along_ab_c * along_ac_a - along_ab_a * along_ac_c;
    let beside_a = along_ab_b * along_ac_c - along_ab_c * along_ac_b;
    if (beside_c <= 0.0 && along_ab_a >= 0.0 && along_ab_b <= 0.0) {
        let share = along_ab_a / (along_ab_a - along_ab_b);
        return vec3f(1.0 - share, share, 0.0);
    }
    if (beside_b <= 0.0 && along_ac_a >= 0.0 && along_ac_c <= 0.0) {
        let share = along_ac_a / (along_ac_a - along_ac_c);
        return vec3f(1.0 - share, 0.0, share);
    }
    let to_c = along_ac_b - along_ab_b;
    let to_b = along_ab_c - along_ac_c;
    if (beside_a <= 0.0 && to_c >= 0.0 && to_b >= 0.0) {
        let share = to_c / (to_c + to_b);
        return vec3f(0.0, 1.0 - share, share);
    }
    let whole = beside_a + beside_b + beside_c;
    let share_b = beside_b / whole;
    let share_c = beside_c / whole;
    return vec3f(1.0 - share_b - share_c, share_b, share_c);
}

// The nearest point of the mesh; of equally near ones, the one on the first triangle. `up` is interpolated between the normals of the
// corners, so an agent that comes to an edge is led around it.
fn on_mesh(position: vec3f) -> Ground {
    let head = surface_texel(0u);
    let scale = surface_texel(1u);
    let grid = surface_texel(2u);
    let cells = grid.xyz;
    let at = (position - bitcast<vec3f>(head.xyz)) * bitcast<vec3f>(scale.xyz);
    let cell = min(vec3u(clamp(at, vec3f(0.0), vec3f(cells))), cells - vec3u(1u));
    let index = cell.x + cells.x * (cell.y + cells.y * cell.z);
    // Two cells to a texel, each with the start and the length of its list. Outside of the grid all triangles are tried.
    let two = surface_texel(head.w + index / 2u);
    let inside = all(at >= vec3f(0.0)) && all(at <= vec3f(cells));
    let list = select(vec2u(0u, grid.w), select(two.xy, two.zw, (index & 1u) == 1u), inside);
    var nearest = 3e38;
    var found = 0u;
    var shares = vec3f(1.0, 0.0, 0.0);
    for (var i = 0u; i < list.y; i += 1u) {
        let entry = list.x + i;
        let triangle = select(entry, surface_texel(scale.w + entry / 4u)[entry & 3u], inside);
        let corners = three_vectors(3u + 6u * triangle);
        let own = nearest_shares(position, corners);
        let offset = position - weighted(corners, own);
        let distance_squared = dot3(offset, offset);
        if (distance_squared < nearest) {
            nearest = distance_squared;
            found = triangle;
            shares = own;
        }
    }
    let corners = three_vectors(3u + 6u * found);
    let normals = three_vectors(6u + 6u * found);
    // Where the normals cancel out, as on the edge of a leaf, the first one is taken.
    let up = weighted(normals, shares);
    return Ground(weighted(corners, shares), direction_of(up, normals.a));
}
