//! How a simulation on the GPU is built.

use crate::model::GridChoice;
use crate::shaders::Sources;

/// How a simulation is built. The defaults are what `steerling` runs and `verify` verifies.
#[derive(Debug, Clone)]
pub struct Options {
    /// Load shaders so that float operations are computed as written, where the device can.
    pub exact: bool,
    /// Invocations per workgroup of the stages that run over agents: 64, 128 or 256.
    pub workgroup_size: u32,
    /// How fine the grid is.
    pub grid: GridChoice,
    /// Clip rows of cells to the circle of perception. Off only in the plain baseline.
    pub clipped_rows: bool,
    /// Sort the agents of a cell by id. Off only in the plain baseline: without it, sums depend on the timing of threads.
    pub id_order: bool,
    /// Steer, integrate and bin for the next step in one pass, where the scene and the device can: see
    /// [`CompiledScene::strides`](crate::model::CompiledScene::strides). The results are the same to the bit.
    pub stride: bool,
    /// The shader files.
    pub shaders: Sources,
    /// Overrides, by name, set to other values than the scene needs. Tests break pipelines with these. A name that no override has is an
    /// error of whatever makes pipelines.
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
    /// The common design that the profiler compares with: cells as wide as the perception radius, rows that are not
    /// clipped, and agents within a cell in the order of threads.
    pub fn plain() -> Self {
        let grid = GridChoice { cells_per_radius: 1, ..Default::default() };
        Options { grid, clipped_rows: false, id_order: false, stride: false, ..Default::default() }
    }

    /// May fused passes be used? Not if a user wrote some of the shaders: each stage is then run as it is written.
    pub(super) fn strides(&self) -> bool {
        self.stride && self.shaders.strides
    }
}
