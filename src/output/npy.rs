//! States as NPY files: one row for each agent, in the order of their ids.
//!
//! A row is position and velocity: x, y, vx, vy in a planar world, x, y, z, vx, vy, vz in a spatial one; u and u/s. The row of a frozen
//! agent is all NaN.

use super::{OutputError, write_whole};
use crate::cpu::common::vector::is_sane;
use crate::model::State;
use crate::npy::{Array, shown};
use crate::scene::MAX_AGENTS;
use npyz::WriterBuilder;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Names of the columns of a state.
pub fn columns(spatial: bool) -> &'static [&'static str] {
    if spatial { &["x", "y", "z", "vx", "vy", "vz"] } else { &["x", "y", "vx", "vy"] }
}

/// Write a state as a float32 array of the shape (agents, 4), or (agents, 6) in a spatial world. The state comes in parts, in the order of
/// ids.
///
/// # Errors
/// A file that exists and is not to be overwritten, or that cannot be written, or a part that failed; then no file is left.
pub fn write_state<E: From<OutputError>>(
    path: &Path,
    overwrite: bool,
    (agents, spatial): (u32, bool),
    parts: impl Iterator<Item = Result<State, E>>,
) -> Result<(), E> {
    let axes = columns(spatial).len() / 2;
    let mut failure = None;
    let written = write_whole(path, overwrite, false, |file| {
        let shape = [u64::from(agents), 2 * axes as u64];
        let mut array = npyz::WriteOptions::<f32>::new().default_dtype().shape(&shape).writer(file).begin_nd()?;
        for part in parts {
            let part = part.map_err(|error| {
                failure = Some(error);
                ErrorKind::Other
            })?;
            for ((position, velocity), frozen) in part.positions.iter().zip(&part.velocities).zip(&part.frozen) {
                let numbers = position[..axes].iter().chain(&velocity[..axes]);
                array.extend(numbers.map(|number| if *frozen { f32::NAN } else { *number }))?;
            }
        }
        array.finish()
    });
    // A part that failed made the file fail, so return the part's error.
    match failure {
        Some(failure) => Err(failure),
        None => Ok(written?),
    }
}

/// An NPY file with a state. Only its header is read at first, so that the number of agents is known before the data.
pub struct StateFile {
    path: PathBuf,
    array: Array,
    agents: u32,
    axes: usize,
}

impl StateFile {
    /// Read the header of a state for a planar or a spatial world.
    ///
    /// # Errors
    /// No file, no NPY header, other numbers than float32 or float64, another shape than (agents, 4) or (agents, 6), or
    /// a length that does not agree with the shape.
    pub fn open(path: &Path, spatial: bool) -> Result<StateFile, OutputError> {
        let axes = columns(spatial).len() / 2;
        let opened = Array::open(path, u64::MAX, false, |shape| agents_of(shape, axes));
        let (array, agents) = opened.map_err(|reason| OutputError::data(path, reason))?;
        Ok(StateFile { path: path.to_owned(), array, agents, axes })
    }

    /// Number of agents.
    pub fn agents(&self) -> u32 {
        self.agents
    }

    /// Read the data. Agents that are not finite, or beyond 1e9, are marked as frozen.
    ///
    /// # Errors
    /// A file that cannot be read to its end.
    pub fn read(self) -> Result<State, OutputError> {
        let StateFile { path, array, agents, axes } = self;
        let mut state = State::at_rest(agents as usize);
        let put = |index: usize, value: f64| {
            let value = value as f32;
            let (row, column) = (index / (2 * axes), index % (2 * axes));
            let target = if column < axes { &mut state.positions[row] } else { &mut state.velocities[row] };
            target[column % axes] = value;
            state.frozen[row] |= !is_sane(value);
        };
        array.read(put).map_err(|reason| OutputError::data(&path, reason))?;
        Ok(state)
    }
}

fn agents_of(shape: &[u64], axes: usize) -> Result<u32, String> {
    let width = 2 * axes as u64;
    match shape {
        [agents, found] if *found == width && *agents <= u64::from(MAX_AGENTS) => Ok(*agents as u32),
        [agents, found] if *found == width => {
            Err(format!("has {agents} rows; there may be {MAX_AGENTS} agents (2^30)"))
        }
        _ => {
            let (shape, names) = (shown(shape), columns(axes == 3).join(", "));
            Err(format!("has the shape {shape}; (agents, {width}) is needed, with the columns {names}"))
        }
    }
}
