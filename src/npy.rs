//! NPY files with numbers, as `numpy.save` writes them: the header is read and judged before any of the data.

use crate::input;
use npyz::{DType, NpyFile, Order, TypeChar};
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

/// Longest header, bytes. An array of two axes has one of 118.
const LONGEST_HEADER: u64 = 1000;
/// Most brackets in a header. An array of plain numbers has two pairs; a parser of deeper nesting may not return.
const MOST_BRACKETS: usize = 4;

/// An array of numbers in a file, of which only the header has been read.
pub struct Array {
    file: NpyFile<BufReader<File>>,
    read: Read64,
}

/// Reads all numbers of a certain type, as f64.
type Read64 = fn(NpyFile<BufReader<File>>, &mut dyn FnMut(f64)) -> Result<(), String>;

impl Array {
    /// Open a file and read its header. `wanted` accepts or refuses the shape, and what it returns is returned, too. The numbers have to be
    /// float32 or float64, or, if `integers` is true, integers.
    ///
    /// # Errors
    /// Why it cannot be read, without its name: no file of at most `most` bytes, no NPY header, numbers of a type that is not wanted,
    /// another shape, or a length that does not agree with the shape.
    pub fn open<T>(
        path: &Path,
        most: u64,
        integers: bool,
        wanted: impl FnOnce(&[u64]) -> Result<T, String>,
    ) -> Result<(Array, T), String> {
        let unreadable = |error: std::io::Error| format!("cannot be read: {error}");
        let (mut raw, length) = input::open(path, most)?;
        check_header(&mut raw)?;
        raw.rewind().map_err(unreadable)?;
        let mut reader = BufReader::new(raw);
        let header = npyz::NpyHeader::from_reader(&mut reader).map_err(|error| {
            // Only the first line: the others are a picture of the place.
            let error = error.to_string();
            let why = error.lines().next().unwrap_or_default().replace(":  --> ", " at ");
            format!("has no NPY header that can be read: {why}")
        })?;
        let (read, width) = reader_of(&header.dtype(), integers)?;
        let told = wanted(header.shape())?;
        let start = reader.stream_position().map_err(unreadable)?;
        let numbers = header.shape().iter().fold(1u64, |product, side| product.saturating_mul(*side));
        let (found, needed) = (length.saturating_sub(start), numbers.saturating_mul(width));
        if found != needed {
            let what = if found < needed { "is cut short" } else { "is too long" };
            let shape = shown(header.shape());
            return Err(format!(
                "{what}: the shape {shape} needs {needed} bytes after the header, and there are {found}"
            ));
        }
        Ok((Array { file: NpyFile::with_header(header, reader), read }, told))
    }

    /// Read the data: each number with its index in C order, where the last axis is the fastest.
    ///
    /// # Errors
    /// A file that cannot be read to its end.
    pub fn read(self, mut put: impl FnMut(usize, f64)) -> Result<(), String> {
        let Array { file, read } = self;
        let (order, shape, mut index) = (file.order(), file.shape().to_vec(), 0);
        read(file, &mut |value| {
            let place = match order {
                Order::C => index,
                Order::Fortran => from_fortran(index, &shape),
            };
            put(place, value);
            index += 1;
        })
    }
}

fn read_all<T: npyz::Deserialize>(
    file: NpyFile<BufReader<File>>,
    put: &mut dyn FnMut(f64),
    as_double: fn(T) -> f64,
) -> Result<(), String> {
    let data = file.data::<T>().map_err(|error| format!("cannot be read: {error}"))?;
    for value in data {
        put(as_double(value.map_err(|error| format!("cannot be read: {error}"))?));
    }
    Ok(())
}

/// A shape as text, such as `(2, 3)`.
pub fn shown(shape: &[u64]) -> String {
    let sides: Vec<String> = shape.iter().map(u64::to_string).collect();
    format!("({})", sides.join(", "))
}

/// The index in C order of a number that stands at this one in Fortran order, where the first axis is the fastest.
fn from_fortran(mut index: usize, shape: &[u64]) -> usize {
    let mut stride = shape.iter().product::<u64>() as usize;
    let mut place = 0;
    for side in shape.iter().map(|side| *side as usize) {
        stride /= side;
        place += index % side * stride;
        index /= side;
    }
    place
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
        2 | 3 => (u64::from(u32::from_le_bytes([start[8], start[9], start[10], start[11]])), 12),
        major => {
            return Err(format!(
                "is an NPY file of an unsupported version, {major}.{}; 1.0, 2.0 and 3.0 are read",
                start[7]
            ));
        }
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

/// The function that reads numbers of this type, and the bytes of each number.
fn reader_of(dtype: &DType, integers: bool) -> Result<(Read64, u64), String> {
    let wanted = match integers {
        false => "float32 or float64 are needed: array.astype(numpy.float32)",
        true => "integers or floats are needed: array.astype(numpy.uint32)",
    };
    let DType::Plain(ty) = dtype else { return Err(format!("does not hold plain numbers; {wanted}")) };
    // An integer beyond 2^53 is rounded: it stays far beyond any number that is accepted.
    let read: Read64 = match (ty.type_char(), ty.size_field()) {
        (TypeChar::Float, 4) => |file, put| read_all::<f32>(file, put, f64::from),
        (TypeChar::Float, 8) => |file, put| read_all::<f64>(file, put, |value| value),
        (TypeChar::Uint, 1) if integers => |file, put| read_all::<u8>(file, put, f64::from),
        (TypeChar::Uint, 2) if integers => |file, put| read_all::<u16>(file, put, f64::from),
        (TypeChar::Uint, 4) if integers => |file, put| read_all::<u32>(file, put, f64::from),
        (TypeChar::Uint, 8) if integers => |file, put| read_all::<u64>(file, put, |value| value as f64),
        (TypeChar::Int, 1) if integers => |file, put| read_all::<i8>(file, put, f64::from),
        (TypeChar::Int, 2) if integers => |file, put| read_all::<i16>(file, put, f64::from),
        (TypeChar::Int, 4) if integers => |file, put| read_all::<i32>(file, put, f64::from),
        (TypeChar::Int, 8) if integers => |file, put| read_all::<i64>(file, put, |value| value as f64),
        _ => return Err(format!("holds numbers of the type `{ty}`; {wanted}")),
    };
    Ok((read, ty.size_field()))
}
