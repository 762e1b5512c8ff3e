//! What the lists of a grid's cells have in common, for obstacles and for meshes.

/// The halves of a block of cells across an axis; a block is given by its first cell, and the cell behind its last.
pub(super) fn halves(low: [u32; 3], high: [u32; 3], axis: usize) -> [[[u32; 3]; 2]; 2] {
    let between = low[axis].midpoint(high[axis]);
    let (mut first_end, mut second_start) = (high, low);
    (first_end[axis], second_start[axis]) = (between, between);
    [[low, first_end], [second_start, high]]
}

/// The ranges of cells as texels, two to a texel.
pub(super) fn two_per_texel(ranges: &[[u32; 2]]) -> impl Iterator<Item = [u32; 4]> {
    ranges.chunks(2).map(|two| {
        let [a, b] = [two[0], two.get(1).copied().unwrap_or_default()];
        [a[0], a[1], b[0], b[1]]
    })
}
