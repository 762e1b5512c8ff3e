//! States as NPY files: one row for each agent, in the order of their ids.
//!
//! A row is position and velocity: x, y, vx, vy in a planar world, x, y, z, vx, vy, vz in a spatial one; u and u/s. Of agents that take no
//! part all of it is NaN.

use super::{OutputError, write_whole};
use crate::cpu::common::vector::is_sane;
use crate::input;
use crate::model::State;
use npyz::{DType, Endianness, NpyFile, Order, TypeChar, WriterBuilder};
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek};
use std::path::{Path, PathBuf};

/// Longest header, bytes. That of an array of two axes has 118.
const LONGEST_HEADER: u64 = 1000;
/// Most brackets in a header. That of an array of plain numbers has two pairs; a parser of deeper nesting may not return.
const MOST_BRACKETS: usize = 4;
/// Most agents of a scene.
const MOST_AGENTS: u64 = 1 << 30;

/// Names of the columns of a state.
pub fn columns(spatial: bool) -> &'static [&'static str] {
    if spatial { &["x", "y", "z", "vx", "vy", "vz"] } else { &["x", "y", "vx", "vy"] }
}

/// Write a state of so many agents as a float32 array of the shape (agents, 4), or (agents, 6) in a spatial world. It comes in parts, each
/// the state of the agents whose ids follow.
///
/// # Errors
/// A file that is there and is not to be overwritten, or that cannot be written, or a part that failed; then there is none.
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
    // The file failed because of it.
    match failure {
        Some(failure) => Err(failure),
        None => Ok(written?),
    }
}

/// An NPY file with a state of which the header is read, so that the number of agents is known before the data is.
pub struct StateFile {
    path: PathBuf,
    file: NpyFile<BufReader<File>>,
    agents: u32,
    axes: usize,
    double: bool,
}

impl StateFile {
    /// Read the header of a state for a planar or a spatial world.
    ///
    /// # Errors
    /// No file, no NPY header, other numbers than float32 or float64, another shape than (agents, 4) or (agents, 6), or
    /// a length that does not agree with the shape.
    pub fn open(path: &Path, spatial: bool) -> Result<StateFile, OutputError> {
        let fault = |reason: String| OutputError::data(path, reason);
        let unreadable = |error: std::io::Error| fault(format!("cannot be read: {error}"));
        let (mut raw, length) = input::open(path, u64::MAX).map_err(fault)?;
        check_header(&mut raw).map_err(fault)?;
        raw.rewind().map_err(unreadable)?;
        let mut reader = BufReader::new(raw);
        let header = npyz::NpyHeader::from_reader(&mut reader);
        let header = header.map_err(|error| {
            // What follows its first line is a picture of the place.
            let error = error.to_string();
            let why = error.lines().next().unwrap_or_default().replace(":  --> ", " at ");
            fault(format!("has no NPY header that can be read: {why}"))
        })?;
        let double = is_double(&header.dtype()).map_err(fault)?;
        let axes = columns(spatial).len() / 2;
        let agents = agents_of(header.shape(), axes).map_err(fault)?;
        let row = 2 * axes as u64 * if double { 8 } else { 4 };
        let start = reader.stream_position().map_err(unreadable)?;
        let (found, needed) = (length.saturating_sub(start), u64::from(agents) * row);
        if found != needed {
            let what = if found < needed { "is cut short" } else { "is too long" };
            let reason = format!("{what}: {agents} rows need {needed} bytes after the header, and there are {found}");
            return Err(fault(reason));
        }
        Ok(StateFile { path: path.to_owned(), file: NpyFile::with_header(header, reader), agents, axes, double })
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
        let StateFile { path, file, agents, axes, double } = self;
        let (rows, width, order) = (agents as usize, 2 * axes, file.order());
        let mut state = State::at_rest(rows);
        let mut put = |index: usize, value: f32| {
            let (row, column) = match order {
                Order::C => (index / width, index % width),
                Order::Fortran => (index % rows, index / rows),
            };
            let target = if column < axes { &mut state.positions[row] } else { &mut state.velocities[row] };
            target[column % axes] = value;
            state.frozen[row] |= !is_sane(value);
        };
        let fault = |error: std::io::Error| OutputError::data(&path, format!("cannot be read: {error}"));
        let mistyped = |error| fault(std::io::Error::new(ErrorKind::InvalidData, error));
        if double {
            for (index, value) in file.data::<f64>().map_err(mistyped)?.enumerate() {
                put(index, value.map_err(fault)? as f32);
            }
        } else {
            for (index, value) in file.data::<f32>().map_err(mistyped)?.enumerate() {
                put(index, value.map_err(fault)?);
            }
        }
        Ok(state)
    }
}

/// Refuse what is no NPY file, and a header that is long or nested, before a parser sees it.
fn check_header(file: &mut File) -> Result<(), String> {
    let mut start = Vec::new();
    file.take(12 + LONGEST_HEADER).read_to_end(&mut start).map_err(|error| format!("cannot be read: {error}"))?;
    if start.len() < 12 || !start.starts_with(b"\x93NUMPY") {
        return Err("is not an NPY file (numpy.save writes them)".into());
    }
    let (length, begin) = match start[6] {
        1 => (u64::from(u16::from_le_bytes([start[8], start[9]])), 10),
        _ => (u64::from(u32::from_le_bytes([start[8], start[9], start[10], start[11]])), 12),
    };
    if length > LONGEST_HEADER {
        return Err(format!("has an NPY header of {length} bytes; at most {LONGEST_HEADER} are read"));
    }
    let Some(header) = start.get(begin..begin + length as usize) else {
        return Err("is cut short: it ends within its NPY header".into());
    };
    if header.iter().filter(|byte| b"([{".contains(byte)).count() > MOST_BRACKETS {
        return Err("does not hold a plain array of numbers".into());
    }
    // The parser multiplies the axes of the shape without a check.
    let numbers = header.split(|byte| !byte.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let mut factors = numbers.map(|digits| str::from_utf8(digits).ok()?.parse::<u64>().ok());
    match factors.try_fold(1u64, |product, factor| product.checked_mul(factor?.max(1))) {
        Some(_) => Ok(()),
        None => Err("has a shape that is larger than any file".into()),
    }
}

fn is_double(dtype: &DType) -> Result<bool, String> {
    let wanted = "float32 or float64 are needed: array.astype(numpy.float32)";
    let DType::Plain(ty) = dtype else { return Err(format!("does not hold plain numbers; {wanted}")) };
    match (ty.type_char(), ty.size_field(), ty.endianness()) {
        (TypeChar::Float, 4, Endianness::Little | Endianness::Big) => Ok(false),
        (TypeChar::Float, 8, Endianness::Little | Endianness::Big) => Ok(true),
        _ => Err(format!("holds numbers of the type `{ty}`; {wanted}")),
    }
}

fn agents_of(shape: &[u64], axes: usize) -> Result<u32, String> {
    let width = 2 * axes as u64;
    match shape {
        [agents, found] if *found == width && *agents <= MOST_AGENTS => Ok(*agents as u32),
        [agents, found] if *found == width => {
            Err(format!("has {agents} rows; there may be {MOST_AGENTS} agents (2^30)"))
        }
        _ => {
            let shape: Vec<String> = shape.iter().map(u64::to_string).collect();
            let names = columns(axes == 3).join(", ");
            Err(format!("has the shape ({}); (agents, {width}) is needed, with the columns {names}", shape.join(", ")))
        }
    }
}
