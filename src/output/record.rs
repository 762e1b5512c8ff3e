//! What a `run.json` says of how it came about, and whether that is still so.

use super::{Computed, FileRecord, OutputError, Recipe, Resumed, SceneRecord};
use crate::input;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

/// Largest `run.json` that is read, bytes.
const LARGEST_RECORD: u64 = 1 << 26;

/// All that decides the results of a run. Of files the contents count, and where they lie only as far as an override names it.
#[derive(Debug, Serialize)]
pub struct Decides<'a> {
    text: &'a str,
    overrides: &'a [String],
    scaled_to: Option<u32>,
    rows: Option<u32>,
    files: Vec<[u8; blake3::OUT_LEN]>,
    start: Option<&'a str>,
    built_in: [u8; blake3::OUT_LEN],
    shaders: Vec<(&'a Path, [u8; blake3::OUT_LEN])>,
    exact: bool,
    ordered: bool,
}

impl<'a> Decides<'a> {
    /// What decides about a run; `start` is the hash of the state or the checkpoint that it began with.
    pub fn new(recipe: &'a Recipe, computed: &'a Computed, start: Option<&'a str>) -> Self {
        Decides {
            text: &recipe.text,
            overrides: &recipe.overrides,
            scaled_to: recipe.scaled_to,
            rows: recipe.rows,
            files: recipe.files.iter().map(|(_, hash)| *hash).collect(),
            start,
            built_in: computed.built_in,
            shaders: computed.shaders.iter().map(|(path, hash)| (path.as_path(), *hash)).collect(),
            exact: computed.exact,
            ordered: computed.ordered,
        }
    }

    /// Its BLAKE3 hash, in hexadecimal.
    pub fn hash(&self) -> String {
        let text = serde_json::to_vec(self).expect("texts, numbers and lists of them");
        blake3::hash(&text).to_hex().to_string()
    }
}

/// What of a `run.json` is needed to run it again.
#[derive(Debug, Clone, Deserialize)]
#[allow(missing_docs, reason = "as in `Manifest`")]
pub struct Record {
    pub version: String,
    pub hash: String,
    pub scene: SceneRecord,
    pub agents: u32,
    pub from: Option<FileRecord>,
    pub resumed: Option<Resumed>,
    pub steps: u64,
    pub digest: String,
    pub device: DeviceRecord,
    pub metrics: MetricsRecord,
}

/// How often it was observed.
#[derive(Debug, Clone, Deserialize)]
#[allow(missing_docs, reason = "as in `Metrics`")]
pub struct MetricsRecord {
    pub every: u64,
}

/// What computed it, as far as that decides about the results.
#[derive(Debug, Clone, Deserialize)]
#[allow(missing_docs, reason = "as in `Device`")]
pub struct DeviceRecord {
    pub adapter: String,
    pub exact: bool,
    pub ordered: bool,
    pub shaders: Vec<FileRecord>,
}

/// The text of a record whose last entry is `checksum`, with that filled in.
pub(super) fn sealed(record: &impl Serialize) -> io::Result<String> {
    let text = serde_json::to_string_pretty(record)? + "\n";
    let hash = blake3::hash(text.as_bytes()).to_hex();
    let (before, after) = text.rsplit_once("\"\"").ok_or_else(|| io::Error::other("has no place for its checksum"))?;
    Ok(format!("{before}\"{hash}\"{after}"))
}

/// Read a `run.json`.
///
/// # Errors
/// A file that cannot be read, that is no record of a run, or that is not as it was written.
pub fn read_record(path: &Path) -> Result<Record, OutputError> {
    let fault = |reason: String| OutputError::data(path, reason);
    let bytes = input::read(path, LARGEST_RECORD).map_err(fault)?;
    let text = String::from_utf8(bytes).map_err(|_| fault("is no UTF-8 text".to_owned()))?;
    let whole = text.rsplit_once(": \"").and_then(|(before, rest)| {
        let (hash, after) = rest.split_once('"')?;
        let name = before.ends_with("\"checksum\"");
        name.then(|| blake3::hash(format!("{before}: \"\"{after}").as_bytes()).to_hex().as_str() == hash)
    });
    match whole {
        Some(true) => {}
        Some(false) => return Err(fault("is not as it was written: its checksum is another".to_owned())),
        None => return Err(fault("is no run.json with a checksum, as this version writes it".to_owned())),
    }
    serde_json::from_str(&text).map_err(|error| fault(format!("is no record of a run: {error}")))
}
