//! Flow fields from arrays of NumPy: of a plane, and of space.

use super::MOST_FIELD_BYTES;
use super::grid::{FieldGrid, VECTOR, check_memory, file_error};
use crate::npy::{Array, shown};
use crate::scene::SceneError;
use crate::scene::data::index_shown;
use crate::scene::keys::MAX_NODES;
use npyz::WriterBuilder;
use std::io::{self, Write};
use std::path::Path;

/// One node for each vector, u/s. The shape is (height, width, 2), or (depth, height, width, 3) in a world of space: the last axis holds
/// x, y and z of a vector, the one before goes along x, then y, then z, each from the least coordinate on.
pub fn read(path: &Path, spatial: bool) -> Result<FieldGrid, SceneError> {
    let fault = |reason: String| file_error(path, reason);
    let (array, (nodes, width)) =
        Array::open(path, MOST_FIELD_BYTES, false, |shape| nodes_of(shape, spatial)).map_err(fault)?;
    let count = nodes.iter().map(|side| u64::from(*side)).product::<u64>();
    check_memory(Some(path), VECTOR * count)?;
    let mut vectors = vec![[0.0; 3]; count as usize];
    let mut wrong = None;
    let put = |index: usize, value: f64| {
        let value = value as f32;
        vectors[index / width][index % width] = value;
        if !value.is_finite() {
            wrong.get_or_insert(index);
        }
    };
    array.read(put).map_err(fault)?;
    match wrong {
        Some(index) => {
            let [x, y, z] = nodes;
            let place = if width == 2 { index_shown(index, &[y, x, 2]) } else { index_shown(index, &[z, y, x, 3]) };
            Err(fault(format!("value {place} is not a finite number of float32")))
        }
        None => Ok(FieldGrid { nodes, vectors }),
    }
}

impl FieldGrid {
    /// Write the field of a plane as an array of NumPy, as `field.source` reads one.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(&self, file: impl Write) -> io::Result<()> {
        let shape = [u64::from(self.nodes[1]), u64::from(self.nodes[0]), 2];
        let mut array = npyz::WriteOptions::<f32>::new().default_dtype().shape(&shape).writer(file).begin_nd()?;
        array.extend(self.vectors.iter().flat_map(|[x, y, _]| [*x, *y]))?;
        array.finish()
    }
}

/// Nodes along x, y and z, and components of a vector.
fn nodes_of(shape: &[u64], spatial: bool) -> Result<([u32; 3], usize), String> {
    let (sides, width) = match shape {
        [height, width, 2] => ([*width, *height, 1], 2),
        [depth, height, width, 3] if spatial => ([*width, *height, *depth], 3),
        [_, _, _, 3] => {
            return Err(format!("has the shape {}; in a world of a plane (height, width, 2) is needed", shown(shape)));
        }
        _ => {
            let wanted = "(height, width, 2), or (depth, height, width, 3) in a world of space, is needed";
            return Err(format!("has the shape {}; {wanted}", shown(shape)));
        }
    };
    let count = sides.iter().fold(1u64, |product, side| product.saturating_mul(*side));
    if sides[0].min(sides[1]) < 2 || sides[2] < 1 || count > MAX_NODES {
        let least = "at least 2 nodes along x and y and 1 along z";
        return Err(format!("has the shape {}; {least} are needed, and at most {MAX_NODES} in all", shown(shape)));
    }
    Ok((sides.map(|side| side as u32), width))
}
