//! How space is divided into cells.

use crate::scene::{self, Boundary, Scene};

/// How fine the grid is. The product uses the default; the plain baseline of the profiler has one cell per radius.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GridChoice {
    /// Cells along x per perception radius.
    pub cells_per_radius: u32,
    /// Rows (cells along y, and along z) per perception radius.
    pub rows_per_radius: u32,
    /// Most cells; coarser ones are used where there would be more. Tests force few cells with it.
    pub most_cells: u32,
}

impl Default for GridChoice {
    fn default() -> Self {
        GridChoice { cells_per_radius: 4, rows_per_radius: 1, most_cells: 1 << 25 }
    }
}

/// A perception radius as the shaders use it: always less than half a wrapped axis, because an agent at exactly half is
/// on both sides at once.
pub(super) fn radius_within(scene: &Scene, radius: f32) -> f32 {
    let wrapped = (0..3).filter(|&axis| scene.world.boundary[axis] == Boundary::Wrap);
    wrapped.fold(radius, |r, axis| r.min((scene.world.size[axis] * 0.5).next_down().next_down()))
}

/// How space is divided into cells, along each axis.
pub(super) struct Cells {
    /// Cells from one end of the world to the other.
    pub across: [u32; 3],
    /// Cells in the table: as many, except on folded axes, where cells that are this number apart share an entry.
    pub table: [u32; 3],
    /// Cells beyond each end of the world, on folded axes.
    pub beyond: [f32; 3],
}

impl Cells {
    /// Fold open axes until the table has at most about `most` cells, each time the axis whose table is longest in proportion to the world.
    /// `None` if that does not suffice.
    fn folded(across: [u32; 3], open: [bool; 3], most: f64) -> Option<Cells> {
        let mut table = across;
        for axis in (0..3).filter(|axis| open[*axis]) {
            table[axis] = across[axis].next_power_of_two();
        }
        let cells = |table: [u32; 3]| table.iter().map(|&c| u64::from(c)).product::<u64>();
        while cells(table) > (most as u64).next_power_of_two() {
            let share = |axis: usize| table[axis] as f32 / across[axis] as f32;
            let longest = (0..3).filter(|axis| open[*axis]).max_by(|a, b| share(*a).total_cmp(&share(*b)))?;
            if share(longest) < 2.0 * LEAST_TABLE || table[longest] <= FEWEST_ENTRIES {
                return None;
            }
            table[longest] /= 2;
        }
        // Twice the world at each side. Farther out rounding would be more than the margin of a search.
        let beyond = [0, 1, 2].map(|axis| if open[axis] { 2.0 * across[axis] as f32 } else { 0.0 });
        Some(Cells { across, table, beyond })
    }
}

/// A folded table is at least this share of the world long: a flock may be as long, and in a shorter table would share entries with itself.
const LEAST_TABLE: f32 = 0.33;
/// The fewest entries of a folded table: more than a search visits along an axis.
const FEWEST_ENTRIES: u32 = 8;

/// Cells along each axis: as high and deep as the perception radius, `cells_per_radius` times finer along x. A sparse
/// world gets coarser cells, so that the table stays within two cells per agent (at least 65,536, at most 2^25), unless axes are
/// open: hardly any world without walls is full, so these are folded.
pub(super) fn choose_cells(scene: &Scene, grid: GridChoice) -> Cells {
    let radius = radius_within(scene, commonest_radius(scene));
    let dimensions = scene.world.axes();
    let size = scene.world.size;
    let agents = f64::from(scene.agent_count());
    let most = (2.0 * agents).max(65536.0).min(f64::from(grid.most_cells.max(1)));
    // Without perception the grid only keeps the order of agents: a few to a cell.
    let mut height = f64::from(radius);
    if height <= 0.0 {
        height = (4.0 * scene.world.volume() / agents.max(1.0)).powf(1.0 / f64::from(dimensions as u32));
    }
    let rows = if radius > 0.0 { grid.rows_per_radius } else { 1 };
    let mut finer = if radius > 0.0 { grid.cells_per_radius } else { 1 };
    let open = [0, 1, 2].map(|axis| axis < dimensions && scene.world.boundary[axis] == Boundary::Open && radius > 0.0);
    loop {
        let mut cells = [1u32; 3];
        for axis in 0..dimensions {
            let per_radius = f64::from(if axis == 0 { finer } else { rows });
            cells[axis] = (f64::from(size[axis]) / height * per_radius).floor().clamp(1.0, 4194304.0) as u32;
        }
        if cells.iter().map(|&c| f64::from(c)).product::<f64>() <= most {
            return Cells { across: cells, table: cells, beyond: [0.0; 3] };
        }
        if let Some(folded) = Cells::folded(cells, open, most) {
            return folded;
        }
        if finer > 1 {
            finer /= 2;
        } else {
            height *= 1.25;
        }
    }
}

/// The perception radius of the most numerous species that perceives. Cells follow it, so that few agents with large
/// radii visit more cells, and the others do not visit larger ones.
fn commonest_radius(scene: &Scene) -> f32 {
    let perceiving = scene.species.iter().filter(|s| s.count > 0 && s.perception_radius() > 0.0);
    let own = |species: &scene::Species| match species.neighborhood_radius() {
        0.0 => species.perception_radius(),
        radius => radius,
    };
    perceiving.max_by_key(|s| s.count).map_or(0.0, own)
}
