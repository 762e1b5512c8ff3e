//! How a simulation is built.

use crate::model::GridChoice;
use crate::shaders::Sources;

/// How a simulation is built. The defaults are what the product runs and what `verify` verifies.
#[derive(Debug, Clone)]
pub struct Options {
    /// Load shaders so that floats are computed as written, where the device can.
    pub exact: bool,
    /// Invocations per workgroup of the stages that run over agents: 64, 128 or 256.
    pub workgroup_size: u32,
    /// How fine the grid is.
    pub grid: GridChoice,
    /// Clip rows of cells to the circle. Off only in the plain baseline.
    pub clipped_rows: bool,
    /// Order the agents of a cell by id. Off only in the plain baseline: without it, sums depend on timing.
    pub id_order: bool,
    /// Steer, integrate and bin for the next step in one pass, where the scene and the device can: see
    /// [`CompiledScene::strides`](crate::model::CompiledScene::strides). The bits are the same.
    pub stride: bool,
    /// The shader files.
    pub shaders: Sources,
    /// Overrides that are set otherwise than the scene needs, with which tests break a pipeline.
    pub forced: Vec<(String, f64)>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            exact: true,
            workgroup_size: 64,
            grid: GridChoice::default(),
            clipped_rows: true,
            id_order: true,
            stride: true,
            shaders: Sources::default(),
            forced: Vec::new(),
        }
    }
}

impl Options {
    /// The common design that the profiler compares with: cells as wide as the perception radius, whole rows, and the
    /// order of threads within a cell.
    pub fn plain() -> Self {
        let grid = GridChoice { cells_per_radius: 1, ..Default::default() };
        Options { grid, clipped_rows: false, id_order: false, stride: false, ..Default::default() }
    }

    /// May one pass stand for several? Not where a user wrote some of the shaders: each stage is then run as it is written.
    pub(super) fn strides(&self) -> bool {
        self.stride && self.shaders.strides
    }
}
