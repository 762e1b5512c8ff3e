//! Flow fields: where they come from, and the grid of vectors that both backends sample.

use super::{SceneError, World};
use std::path::PathBuf;

/// The flow field of a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Formula or file.
    pub source: FieldSource,
    /// Factor on every vector: u/s per unit of the source (m/s for wind files).
    pub scale: f32,
    /// Peak speed of a formula, u/s.
    pub speed: f32,
    /// Direction of a uniform field, degrees counter-clockwise from +x.
    pub direction: f32,
    /// Size of the eddies of curl noise, u.
    pub wavelength: f32,
    /// Nodes along the longest axis of a formula's grid.
    pub resolution: u32,
}

/// Where a flow field comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldSource {
    /// The same vector everywhere.
    Uniform,
    /// Circles the z axis counter-clockwise; speed rises to the peak at half the way to the wall, then falls.
    Vortex,
    /// Divergence-free noise: the curl of a smooth random potential, periodic along wrapped axes.
    CurlNoise,
    /// Belts of a generated planet: trade winds, westerlies and polar easterlies by latitude, with eddies.
    Planetary,
    /// Red and green of each pixel are the x and y components: 128 is zero, 255 is `speed`.
    Image(PathBuf),
    /// The two-record JSON that wind maps read: eastward and northward component in m/s, row 0 in the north.
    Wind(PathBuf),
}

/// A grid of vectors over the world.
///
/// Nodes are numbered x fastest, then y, then z. Along a wrapped axis of length L, n nodes lie L/n apart and node 0 is
/// at −L/2; otherwise they lie L/(n − 1) apart, and the first and the last are on the walls. A planar grid has one
/// node along z.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldGrid {
    /// Nodes along x, y, z; each at least 1.
    pub nodes: [u32; 3],
    /// One vector per node, u/s.
    pub vectors: Vec<[f32; 3]>,
}

impl Field {
    /// Evaluate the formula, or read the file, on the grid of this world.
    ///
    /// # Errors
    /// A missing, malformed or oversized file, with its path and what is wrong.
    pub fn grid(&self, world: &World, seed: u32) -> Result<FieldGrid, SceneError> {
        todo!("{world:?} {seed}")
    }

    /// Nodes of a formula's grid: `resolution` along the longest axis, and as dense along the others.
    pub(super) fn formula_nodes(&self, world: &World) -> [u32; 3] {
        let longest = world.size.max_element();
        let along = |axis: usize| {
            let nodes = (f64::from(self.resolution) * f64::from(world.size[axis] / longest)).round();
            (nodes as u32).max(2)
        };
        let depth = if world.spatial && self.source == FieldSource::CurlNoise { along(2) } else { 1 };
        [along(0), along(1), depth]
    }
}
