//! The grid of vectors that a flow field becomes, whatever it comes from.

use crate::scene::{SceneError, World, data};
use std::path::Path;

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

/// Where the nodes of a formula's grid lie.
pub struct Lattice {
    pub nodes: [u32; 3],
    /// Extent of the world, u.
    pub size: [f64; 3],
    pub wrapped: [bool; 3],
}

impl Lattice {
    pub fn new(world: &World, nodes: [u32; 3]) -> Self {
        let wrapped = world.wraps();
        Lattice { nodes, size: world.size.as_dvec3().to_array(), wrapped }
    }

    /// Distance between nodes along an axis, u.
    pub fn spacing(&self, axis: usize) -> f64 {
        let intervals = if self.wrapped[axis] { self.nodes[axis] } else { self.nodes[axis] - 1 };
        self.size[axis] / f64::from(intervals.max(1))
    }

    /// Position along an axis as a fraction of the world, -1/2 to 1/2. Nodes beyond the ends are allowed.
    pub fn fraction(&self, axis: usize, node: i64) -> f64 {
        let intervals = if self.wrapped[axis] { self.nodes[axis] } else { self.nodes[axis] - 1 };
        if intervals == 0 { 0.0 } else { node as f64 / f64::from(intervals) - 0.5 }
    }

    /// One vector for each node, from its position as fractions of the world.
    pub fn map(&self, vector: impl Fn([f64; 3]) -> [f64; 3]) -> Vec<[f64; 3]> {
        let [nx, ny, nz] = self.nodes.map(i64::from);
        let mut vectors = Vec::with_capacity((nx * ny * nz) as usize);
        for z in 0..nz {
            for y in 0..ny {
                let row = |x| vector([self.fraction(0, x), self.fraction(1, y), self.fraction(2, z)]);
                vectors.extend((0..nx).map(row));
            }
        }
        vectors
    }
}

/// The vectors with the longest of them `speed` long. A field of zeros stays one.
pub fn with_peak(vectors: &[[f64; 3]], speed: f64) -> Vec<[f32; 3]> {
    let square = |v: &[f64; 3]| v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    let peak = vectors.iter().map(square).fold(0.0, f64::max).sqrt();
    let factor = if peak > 0.0 { speed / peak } else { 0.0 };
    vectors.iter().map(|v| v.map(|x| (x * factor) as f32)).collect()
}

/// A few bits of noise for a lattice point: the same integers on every machine.
pub fn hash(seed: u32, words: [i64; 4]) -> u32 {
    let mix = |h: u32, word: i64| {
        let h = (h ^ word as u32).wrapping_mul(0x9E37_79B1);
        (h ^ (h >> 15)).wrapping_mul(0x85EB_CA77)
    };
    let h = words.into_iter().fold(seed ^ 0x5EED_F1E1, mix);
    h ^ (h >> 16)
}

/// Bytes of a vector of the grid, and (`FORMULA`) of one while a formula computes it.
pub const VECTOR: u64 = 12;
pub const FORMULA: u64 = 64;

/// The key that names a source, and (`WHAT`) what the source becomes, for messages.
pub const KEY: &str = "field.source";
pub const WHAT: &str = "flow field";

/// An error if there is no memory for what a source takes while it becomes a grid.
pub fn check_memory(path: Option<&Path>, bytes: u64) -> Result<(), SceneError> {
    data::check_memory(path.map_or(KEY.into(), |path| path.display().to_string()), WHAT, bytes)
}

/// A problem of a file that the scene names.
pub fn file_error(path: &Path, message: impl Into<String>) -> SceneError {
    data::file_error(path, KEY, message)
}
