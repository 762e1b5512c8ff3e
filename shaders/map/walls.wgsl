// For each cell of a map, the nearest cell of the other kind: of an open one the nearest wall, of a wall the nearest open cell. Once at
// the start, in whole numbers, so that every driver and the reference find the same. No part of a step.
//
// Nearest is the square that is nearest to the middle of the cell. Of equally near ones it is that in the nearest column, then the one
// on the left, then the upper one.

override columns: u32 = 1;
override rows: u32 = 1;

// Bit by bit, row by row: is it a wall?
@group(0) @binding(0) var<storage, read> solid: array<u32>;
// For each cell the row of the nearest cell of the other kind in its column.
@group(0) @binding(1) var<storage, read_write> nearest_rows: array<u32>;
@group(0) @binding(2) var wall_texels: texture_storage_2d<r32uint, write>;

// As in `common/walls.wgsl` and `common/obstacle_cells.wgsl`.
const COLUMN_BITS = 13u;
const TEXELS_PER_ROW = 4096u;

const NO_ROW = 0xffffffffu;

fn is_solid(index: u32) -> bool {
    return ((solid[index >> 5u] >> (index & 31u)) & 1u) != 0u;
}

// Down each column, and up again.
@compute @workgroup_size(64)
fn search_columns(@builtin(global_invocation_id) at: vec3u) {
    let column = at.x;
    if (column >= columns) {
        return;
    }
    // The latest rows of an open cell and of a wall.
    var latest = vec2u(NO_ROW);
    for (var row = 0u; row < rows; row += 1u) {
        let index = row * columns + column;
        let wall = is_solid(index);
        nearest_rows[index] = select(latest.y, latest.x, wall);
        latest = select(vec2u(row, latest.y), vec2u(latest.x, row), wall);
    }
    latest = vec2u(NO_ROW);
    for (var below = rows; below > 0u; below -= 1u) {
        let row = below - 1u;
        let index = row * columns + column;
        let wall = is_solid(index);
        let other = select(latest.y, latest.x, wall);
        let above = nearest_rows[index];
        if (other != NO_ROW && (above == NO_ROW || other - row < row - above)) {
            nearest_rows[index] = other;
        }
        latest = select(vec2u(row, latest.y), vec2u(latest.x, row), wall);
    }
}

// Twice the way from the middle of a cell to a square so many cells away, along one axis.
fn twice(cells: u32) -> u32 {
    return max(2u * cells, 1u) - 1u;
}

// Along each row, to both sides, until a column is farther away than the nearest cell so far.
@compute @workgroup_size(64)
fn search_rows(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let index = at.y * groups.x * 64u + at.x;
    if (index >= columns * rows) {
        return;
    }
    let row = index / columns;
    let column = index % columns;
    let wall = is_solid(index);
    var best = 0xffffffffu;
    var nearest = vec2u(column, row);
    for (var away = 0u; away < columns && twice(away) * twice(away) < best; away += 1u) {
        for (var side = 0u; side < 2u; side += 1u) {
            // A column left of the first one wraps to a number beyond the last.
            let there = select(column - away, column + away, side == 1u);
            if (there < columns) {
                let other = row * columns + there;
                var found = nearest_rows[other];
                if (is_solid(other) != wall) {
                    found = row;
                }
                let rise = max(found, row) - min(found, row);
                let squared = twice(away) * twice(away) + twice(rise) * twice(rise);
                if (found != NO_ROW && squared < best) {
                    best = squared;
                    nearest = vec2u(there, found);
                }
            }
        }
    }
    let texel = nearest.x | (nearest.y << COLUMN_BITS) | (u32(wall) << 31u);
    textureStore(wall_texels, vec2u(index % TEXELS_PER_ROW, index / TEXELS_PER_ROW), vec4u(texel, 0u, 0u, 0u));
}
