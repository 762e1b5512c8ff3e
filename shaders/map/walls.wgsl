// For each cell of a map, the nearest cell of the other kind: of an open one the nearest wall, of a wall the nearest open cell. It runs
// once at the start, in whole numbers, so that every driver and the reference find the same. It is no part of a step.
//
// The nearest cell is the one whose square is nearest to the middle of the cell. Of equally near ones it is the one in the nearest column,
// then the one on the left, then the upper one.
//
// The text of this file stands behind that of `common/texels.wgsl`.

struct Head {
    columns: u32,
    rows: u32,
}

@group(0) @binding(0) var<uniform> head: Head;
// A bit for each cell, row by row: 1 for a wall.
@group(0) @binding(1) var<storage, read> solid: array<u32>;
// For each cell the row of the nearest cell of the other kind in its column.
@group(0) @binding(2) var<storage, read_write> nearest_rows: array<u32>;
// The stretches of each row, from left to right. A stretch is a run of cells whose nearest cells lie in one column. Its word has that
// column in its lower bits, and above it the first cell.
@group(0) @binding(3) var<storage, read_write> stretches: array<u32>;
@group(0) @binding(4) var wall_texels: texture_storage_2d<r32uint, write>;

const NO_ROW = 0xffffffffu;

fn is_solid(index: u32) -> bool {
    return ((solid[index >> 5u] >> (index & 31u)) & 1u) != 0u;
}

// Search down each column, and up again.
@compute @workgroup_size(64)
fn search_columns(@builtin(global_invocation_id) at: vec3u) {
    let column = at.x;
    if (column >= head.columns) {
        return;
    }
    // The latest rows of an open cell (x) and of a wall (y).
    var latest = vec2u(NO_ROW);
    for (var row = 0u; row < head.rows; row += 1u) {
        let index = row * head.columns + column;
        let wall = is_solid(index);
        nearest_rows[index] = select(latest.y, latest.x, wall);
        latest = select(vec2u(row, latest.y), vec2u(latest.x, row), wall);
    }
    latest = vec2u(NO_ROW);
    for (var below = head.rows; below > 0u; below -= 1u) {
        let row = below - 1u;
        let index = row * head.columns + column;
        let wall = is_solid(index);
        let other = select(latest.y, latest.x, wall);
        let above = nearest_rows[index];
        if (other != NO_ROW && (above == NO_ROW || other - row < row - above)) {
            nearest_rows[index] = other;
        }
        latest = select(vec2u(row, latest.y), vec2u(latest.x, row), wall);
    }
}

// Twice the way from the middle of a cell to the square of another one, along one axis.
fn half_cells_apart(here: u32, there: u32) -> u32 {
    return max(2u * (max(here, there) - min(here, there)), 1u) - 1u;
}

// The candidate that a column has for the cells of a row.
struct Found {
    column: u32,
    // Row of the column's nearest cell of the other kind.
    row: u32,
    // How far that cell is from the row: the square of `half_cells_apart`.
    squared_rows: u32,
}

fn found_in(column: u32, row: u32, wall: bool) -> Found {
    let index = row * head.columns + column;
    let found = select(nearest_rows[index], row, is_solid(index) != wall);
    let half_cells = half_cells_apart(found, row);
    return Found(column, found, half_cells * half_cells);
}

// Return whether the second of two columns, which lies to the right of the first, has the nearer candidate for a cell of their row. If so,
// it has it for all cells to the right, too.
fn second_is_nearer(first: Found, second: Found, column: u32) -> bool {
    let away = vec2u(half_cells_apart(column, first.column), half_cells_apart(column, second.column));
    let squared = away * away + vec2u(first.squared_rows, second.squared_rows);
    return squared.y < squared.x || (squared.y == squared.x && away.y < away.x);
}

// The first cell for which the second of two columns has the nearer candidate, if that is not the first cell of the row. If ways were
// measured between middles, it would be where (2 (x - first))² + squared_rows = (2 (x - second))² + squared_rows; it is within half a
// cell of that, or the next one.
fn first_of_second(first: Found, second: Found) -> u32 {
    let apart = 4u * (second.column - first.column);
    let along = (apart * (first.column + second.column + 1u) + second.squared_rows - first.squared_rows) / (2u * apart);
    let cell = min(along, head.columns);
    return cell + select(1u, 0u, second_is_nearer(first, second, cell));
}

// Search along a row, for its walls or for its open cells: first which stretches there are, then the nearest cell of each cell.
fn search_row(row: u32, wall: bool) {
    let start = row * head.columns;
    var count = 0u;
    var last = Found(0u, NO_ROW, 0u);
    var begins = 0u;
    var column = 0u;
    // Each round goes on to the next column, adding a stretch or not, or it takes the last stretch away because the new one has all of its
    // cells.
    for (var round = 0u; round < 2u * head.columns && column < head.columns; round += 1u) {
        let next = found_in(column, row, wall);
        if (next.row == NO_ROW) {
            column += 1u;
        } else if (count > 0u && second_is_nearer(last, next, begins)) {
            count -= 1u;
            if (count > 0u) {
                let before = stretches[start + count - 1u];
                last = found_in(before & COLUMN_MASK, row, wall);
                begins = before >> COLUMN_BITS;
            }
        } else {
            column += 1u;
            var cell = 0u;
            if (count > 0u) {
                cell = first_of_second(last, next);
            }
            if (cell < head.columns) {
                stretches[start + count] = next.column | (cell << COLUMN_BITS);
                count += 1u;
                last = next;
                begins = cell;
            }
        }
    }
    var done = 0u;
    for (column = 0u; column < head.columns; column += 1u) {
        if (done < count) {
            let next = stretches[start + done];
            if (next >> COLUMN_BITS == column) {
                last = found_in(next & COLUMN_MASK, row, wall);
                done += 1u;
            }
        }
        let index = start + column;
        if (is_solid(index) == wall) {
            let texel = last.column | (last.row << COLUMN_BITS) | select(0u, WALL_BIT, wall);
            textureStore(wall_texels, vec2u(index % TEXELS_PER_ROW, index / TEXELS_PER_ROW), vec4u(texel, 0u, 0u, 0u));
        }
    }
}

@compute @workgroup_size(64)
fn search_rows(@builtin(global_invocation_id) at: vec3u) {
    if (at.x < head.rows) {
        search_row(at.x, false);
        search_row(at.x, true);
    }
}
