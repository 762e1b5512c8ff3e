//! Where a map leaves room.

use super::Walls;
use glam::Vec3;

/// How many rings of cells around a place are searched for an open one.
const MOST_RINGS: i32 = 32;

impl Walls {
    /// Is a place in a wall? Twin of `in_wall` in `shaders/common/walls.wgsl`, to the bit.
    pub fn in_wall(&self, place: Vec3) -> bool {
        let per_unit = 1.0 / self.cell;
        let along =
            |at: f32, count: u32| ((at * per_unit + (count as f32 + 2.0) * 0.5).floor() as i32).saturating_sub(1);
        self.is_solid(along(place.x, self.columns), along(-place.y, self.rows))
    }

    /// The open place within a world of this extent that is nearest to a place in a wall; `None` if none is within 32 cells.
    pub(crate) fn way_out(&self, place: Vec3, extent: Vec3) -> Option<Vec3> {
        let ((column, row), half) = (self.cell_of(place), extent * 0.5);
        let side = Vec3::new(self.cell, self.cell, 0.0) * 0.49;
        let mut best: Option<(f32, Vec3)> = None;
        for ring in 1..=MOST_RINGS {
            // Farther rings have nothing nearer.
            if best.is_some_and(|(away, _)| away <= (ring - 1) as f32 * self.cell) {
                break;
            }
            let around = |at: i32| [(at, -ring), (at, ring), (-ring, at), (ring, at)];
            for (right, down) in (-ring..=ring).flat_map(around) {
                let center = self.center(column + right, row + down);
                let near = place.with_z(0.0).clamp(center - side, center + side).with_z(place.z);
                let (away, within) = (near.distance(place), near.x.abs() < half.x && near.y.abs() < half.y);
                if within && !self.in_wall(near) && best.is_none_or(|(nearest, _)| away < nearest) {
                    best = Some((away, near));
                }
            }
        }
        best.map(|(_, near)| near)
    }

    /// A place in each open cell that overlaps a box around the origin, or the ellipsoid inscribed in it. It is the place in the box that
    /// is nearest to the middle of the cell, or, if that is not in the ellipsoid, the place in the cell that is nearest to the origin. A
    /// border of one cell around the map is open.
    pub fn open_places(&self, extent: Vec3, ellipsoid: bool) -> impl Iterator<Item = Vec3> + '_ {
        // A little less than half of the extent, so that a cell that the box only touches is left out.
        let half = extent.with_z(0.0) * 0.49999;
        let (left, upper) = self.cell_of(half * Vec3::new(-1.0, 1.0, 0.0));
        let (right, lower) = self.cell_of(half * Vec3::new(1.0, -1.0, 0.0));
        let within = |first: i32, last: i32, count: u32| first.max(-1)..=last.min(count as i32);
        let columns = within(left, right, self.columns);
        let cells =
            within(upper, lower, self.rows).flat_map(move |row| columns.clone().map(move |column| (column, row)));
        let reaches = move |place: &Vec3| {
            !ellipsoid || (place / extent.max(Vec3::splat(f32::MIN_POSITIVE))).length_squared() <= 0.25 * 0.9999
        };
        let place = move |(column, row)| {
            let (center, side) = (self.center(column, row), Vec3::new(self.cell, self.cell, 0.0) * 0.4999);
            let place = center.clamp(-half, half);
            if reaches(&place) { place } else { Vec3::ZERO.clamp(center - side, center + side) }
        };
        cells.map(place).filter(reaches).filter(|place| !self.in_wall(*place))
    }
}
