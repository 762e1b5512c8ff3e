//! Flow fields from wind files: the two-record JSON that wind maps read.

use super::grid::{FieldGrid, VECTOR, check_memory, file_error};
use crate::scene::SceneError;
use crate::scene::keys::MAX_NODES;
use serde::{Deserialize, Deserializer};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

/// Longest file, bytes.
const MAX_BYTES: u64 = 64 << 20;
/// Bytes of memory that a value takes while the list grows, and (`WRITTEN`) the least bytes that it takes in the file, with its comma.
const GROWING: u64 = 12;
const WRITTEN: u64 = 2;

/// One record: one component of the wind on a grid of longitude and latitude.
#[derive(Deserialize)]
struct Record {
    header: Header,
    data: Vec<Sample>,
}

/// What a record says about itself. Other fields are of no use here.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Header {
    parameter_category: u32,
    parameter_number: u32,
    nx: u32,
    ny: u32,
    /// Latitude of the first and of the last row, degrees.
    la1: Option<f64>,
    la2: Option<f64>,
    /// Longitude of the first column, degrees.
    lo1: Option<f64>,
}

/// A value in m/s; `null`, which some tools write for missing data, is NaN until it is refused with its place.
#[derive(Clone, Copy)]
struct Sample(f32);

impl<'de> Deserialize<'de> for Sample {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Option::<f64>::deserialize(deserializer)?;
        Ok(Sample(value.map_or(f32::NAN, |x| x as f32)))
    }
}

/// Category of the parameters that are momenta, and the numbers of the two components of wind among them.
const MOMENTUM: u32 = 2;
const COMPONENTS: [(u32, &str); 2] = [(2, "eastward"), (3, "northward")];

/// One node for each value. Column c lies at x = -L/2 + c·L/nx where x wraps: longitude 0 is at the left end of the
/// world. Row 0, the north, becomes the last row of nodes, at the +y end.
pub fn read(path: &Path) -> Result<FieldGrid, SceneError> {
    let (file, length) = crate::input::open(path, MAX_BYTES).map_err(|reason| file_error(path, reason))?;
    check_memory(Some(path), length / WRITTEN * GROWING)?;
    let records = parse(path, file)?;
    let [u, v] = [component(path, &records, 0)?, component(path, &records, 1)?];
    let (nx, ny) = (u.header.nx, u.header.ny);
    if (v.header.nx, v.header.ny) != (nx, ny) {
        let other = format!("{} x {}", v.header.nx, v.header.ny);
        return Err(file_error(path, format!("the two components differ in size: {nx} x {ny} and {other}")));
    }
    let corner = |record: &Record| (record.header.la1, record.header.lo1);
    if corner(u) != corner(v) {
        return Err(file_error(path, "the two components begin at different places: their la1 or lo1 differ"));
    }
    check_memory(Some(path), VECTOR * u64::from(nx) * u64::from(ny))?;
    let columns = nx as usize;
    let rows = u.data.chunks_exact(columns).zip(v.data.chunks_exact(columns)).rev();
    let mut vectors = Vec::with_capacity(u.data.len());
    for (u, v) in rows {
        vectors.extend(u.iter().zip(v).map(|(u, v)| [u.0, v.0, 0.0]));
    }
    Ok(FieldGrid { nodes: [nx, ny, 1], vectors })
}

fn parse(path: &Path, file: File) -> Result<Vec<Record>, SceneError> {
    serde_json::from_reader(BufReader::new(file.take(MAX_BYTES))).map_err(|e| {
        let error = file_error(path, format!("not a wind file: {e}"));
        error.hint("a list of two records, each with `header` and `data`, as wind maps read it")
    })
}

/// The one record of a component, checked.
fn component<'a>(path: &Path, records: &'a [Record], which: usize) -> Result<&'a Record, SceneError> {
    let (number, name) = COMPONENTS[which];
    let title = format!("the {name} wind (parameterCategory {MOMENTUM}, parameterNumber {number})");
    let is_it = |r: &&Record| r.header.parameter_category == MOMENTUM && r.header.parameter_number == number;
    let mut found = records.iter().filter(is_it);
    let Some(record) = found.next() else {
        return Err(file_error(path, format!("there is no record of {title}")));
    };
    if found.next().is_some() {
        return Err(file_error(path, format!("there are several records of {title}")));
    }
    check(record).map_err(|message| file_error(path, format!("{title}: {message}")))?;
    Ok(record)
}

fn check(record: &Record) -> Result<(), String> {
    let Header { nx, ny, la1, la2, .. } = record.header;
    let wanted = u64::from(nx) * u64::from(ny);
    if nx < 2 || ny < 2 || wanted > MAX_NODES {
        return Err(format!("a grid of {nx} x {ny}; it must be at least 2 x 2, and at most {MAX_NODES} values in all"));
    }
    if record.data.len() as u64 != wanted {
        return Err(format!("{} values, but {nx} x {ny} = {wanted} are announced", record.data.len()));
    }
    if la1.zip(la2).is_some_and(|(first, last)| first < last) {
        return Err("the first row is the southernmost; it must be the northernmost".into());
    }
    match record.data.iter().position(|sample| !sample.0.is_finite()) {
        Some(i) => {
            let (row, column) = (i / nx as usize, i % nx as usize);
            Err(format!("value {i} (row {row}, column {column}) is null or not a finite number"))
        }
        None => Ok(()),
    }
}
