//! Where a map leaves room.

use super::Walls;
use glam::Vec3;

impl Walls {
    /// Is a place in a wall? As steps ask, to the bit: twin of `in_wall` in `shaders/common/walls.wgsl`.
    pub fn holds(&self, place: Vec3) -> bool {
        let per_unit = 1.0 / self.cell;
        let along =
            |at: f32, count: u32| ((at * per_unit + (count as f32 + 2.0) * 0.5).floor() as i32).saturating_sub(1);
        self.is_solid(along(place.x, self.columns), along(-place.y, self.rows))
    }

    /// A place in each open cell that a box around the origin reaches into: the nearest to the middle of the cell that is in the box. The
    /// border around the map is open.
    pub fn open_places(&self, extent: Vec3) -> impl Iterator<Item = Vec3> + '_ {
        // A little less than it, so that a cell that it only touches is not in it.
        let half = extent.with_z(0.0) * 0.49999;
        let (left, upper) = self.cell_of(half * Vec3::new(-1.0, 1.0, 0.0));
        let (right, lower) = self.cell_of(half * Vec3::new(1.0, -1.0, 0.0));
        let within = |first: i32, last: i32, count: u32| first.max(-1)..=last.min(count as i32);
        let columns = within(left, right, self.columns);
        let cells =
            within(upper, lower, self.rows).flat_map(move |row| columns.clone().map(move |column| (column, row)));
        let places = cells.map(move |(column, row)| self.center(column, row).clamp(-half, half));
        places.filter(|place| !self.holds(*place))
    }
}
