//! The trail that lies on the ground when a run begins, from an array of NumPy.

use super::SceneError;
#[cfg(feature = "fields")]
use super::data::check_memory;
use super::data::{file_error, index_shown};
use super::keys::Key;
use super::names::Names;
use super::read::{Section, file};
use super::tables::Value;
use super::tree::{Kind, Node};
pub use crate::constants::MOST_TRAIL;
#[cfg(feature = "fields")]
use crate::npy::Array;
#[cfg(feature = "fields")]
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Most cells that a ground may have.
pub(super) const MOST_CELLS: u64 = 1 << 22;
/// The key that names the file.
const KEY: &str = "ground.trail";
/// What the file may be.
pub(super) const FILES: &[&str] = &["npy"];

/// A trail, as its file has it: whole units for each cell of the ground, 0 to 2^30 - 1, as `numpy.save` writes them, of the shape (height,
/// width), or (depth, height, width) in a world of space. Each axis goes from the least coordinate on: `array[k, j, i]` is the i-th cell
/// along x, the j-th along y and the k-th along z.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrailFile {
    path: PathBuf,
    cells: [u32; 3],
    units: Arc<Vec<u32>>,
}

impl TrailFile {
    /// A trail with these numbers of cells along x, y and z and the units of each cell, x fastest. `path` is the file that it lies in, or
    /// will be written to.
    ///
    /// # Errors
    /// Another number of cells than of units, or a cell with more than [`MOST_TRAIL`].
    pub fn new(path: impl Into<PathBuf>, cells: [u32; 3], units: Vec<u32>) -> Result<TrailFile, SceneError> {
        let path = path.into();
        if cells.iter().map(|side| u128::from(*side)).product::<u128>() != units.len() as u128 {
            let [x, y, z] = cells;
            let message = format!("has {} numbers for {x} x {y} x {z} cells of the ground", units.len());
            return Err(file_error(&path, KEY, message));
        }
        match units.iter().position(|units| *units > MOST_TRAIL) {
            Some(index) => Err(file_error(&path, KEY, too_large(index, cells, f64::from(units[index])))),
            None => Ok(TrailFile { path, cells, units: units.into() }),
        }
    }

    /// Read a trail from an array of whole numbers, of any type of integers or floats.
    ///
    /// # Errors
    /// A file that is missing, malformed or too large, and a number that is not whole, negative or too large, with its place.
    #[cfg(feature = "fields")]
    pub fn open(path: &Path) -> Result<TrailFile, SceneError> {
        let fault = |reason: String| file_error(path, KEY, reason);
        // As many numbers as the ground may have cells, of 8 bytes each, and a header.
        let most = (8 * MOST_CELLS) + (1 << 16);
        let (array, cells) = Array::open(path, most, true, cells_of).map_err(fault)?;
        let count = cells.iter().map(|side| *side as usize).product();
        check_memory(path.display().to_string(), "trail", 4 * count as u64)?;
        let (mut units, mut wrong) = (vec![0; count], None);
        let put = |index: usize, value: f64| {
            if value.fract() != 0.0 || !(0.0..=f64::from(MOST_TRAIL)).contains(&value) {
                wrong.get_or_insert((index, value));
            }
            units[index] = value as u32;
        };
        array.read(put).map_err(fault)?;
        match wrong {
            Some((index, value)) => Err(fault(too_large(index, cells, value))),
            None => Ok(TrailFile { path: path.into(), cells, units: units.into() }),
        }
    }

    /// This build cannot read arrays.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(feature = "fields"))]
    pub fn open(path: &Path) -> Result<TrailFile, SceneError> {
        let error = file_error(path, KEY, "this build cannot read arrays");
        Err(error.hint("build it with the feature `fields`"))
    }

    /// Write it as an array of uint32, as [`TrailFile::open`] reads one.
    ///
    /// # Errors
    /// A file that cannot be written.
    #[cfg(feature = "fields")]
    pub fn write(&self, file: impl io::Write) -> io::Result<()> {
        use npyz::WriterBuilder;
        let [x, y, z] = self.cells.map(u64::from);
        let shape = [z, y, x];
        let shape = if z == 1 { &shape[1..] } else { &shape };
        let mut array = npyz::WriteOptions::<u32>::new().default_dtype().shape(shape).writer(file).begin_nd()?;
        array.extend(self.units.iter().copied())?;
        array.finish()
    }

    /// The file that it lies in.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Cells along x, y and z.
    pub fn cells(&self) -> [u32; 3] {
        self.cells
    }

    /// The units of each cell, x fastest, then y, then z.
    pub fn units(&self) -> &[u32] {
        &self.units
    }

    /// This trail with the path of another file.
    #[must_use]
    pub fn at(&self, path: impl Into<PathBuf>) -> TrailFile {
        TrailFile { path: path.into(), ..self.clone() }
    }
}

/// Cells along x, y and z of an array of this shape.
#[cfg(feature = "fields")]
fn cells_of(shape: &[u64]) -> Result<[u32; 3], String> {
    let cells = match shape {
        [height, width] => [*width, *height, 1],
        [depth, height, width] => [*width, *height, *depth],
        _ => [0; 3],
    };
    let count = cells.iter().fold(1u64, |product, side| product.saturating_mul(*side));
    if count == 0 || count > MOST_CELLS {
        let wanted = "(height, width) of the ground's cells is needed, or (depth, height, width) in a world of space";
        return Err(format!("has the shape {}; {wanted}", crate::npy::shown(shape)));
    }
    Ok(cells.map(|side| side as u32))
}

/// The message about a number that a trail may not have, with its index as in NumPy.
fn too_large(index: usize, [x, y, z]: [u32; 3], value: f64) -> String {
    let place = if z == 1 { index_shown(index, &[y, x]) } else { index_shown(index, &[z, y, x]) };
    format!("value {place} is {value}; whole units from 0 to {MOST_TRAIL} are needed")
}

impl Value for Option<TrailFile> {
    fn read<'a>(&mut self, key: &Key, from: &Section<'a>, node: &'a Node, _: &Names) -> Result<(), SceneError> {
        *self = Some(from.source(key, node, (&[], &[]), FILES, TrailFile::open)?);
        Ok(())
    }

    fn kind_in_file(&mut self, _: &Key, _: &str, _: &Names) -> Option<Kind> {
        self.as_ref().and_then(|trail| file(&trail.path))
    }
}
