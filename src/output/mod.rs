//! What a run leaves behind: a folder with `run.json`, `metrics.csv` and the states as NPY files.

mod checkpoint;
mod folder;
mod manifest;
mod npy;

pub use checkpoint::{Recipe, read_checkpoint, write_checkpoint};
pub use folder::{RunFolder, utc_stamp};
pub use manifest::{Device, Manifest, Metrics, SceneRecord, SpeciesRecord, States, Timings};
pub use npy::{StateFile, columns, write_state};

use crate::scene::{LONGEST, shorten, shown};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a file cannot be written or used.
#[derive(Debug, Error)]
pub enum OutputError {
    /// A file or folder that cannot be made or written.
    #[error("{}: {}", shown(path), shorten(reason, LONGEST))]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What happened.
        reason: String,
    },
    /// A data file with contents that do not fit.
    #[error("{}: {}", shown(path), shorten(reason, LONGEST))]
    Data {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl OutputError {
    fn write(path: &Path, reason: impl ToString) -> Self {
        OutputError::Write { path: path.to_owned(), reason: reason.to_string() }
    }

    fn data(path: &Path, reason: impl ToString) -> Self {
        OutputError::Data { path: path.to_owned(), reason: reason.to_string() }
    }
}

/// Write a file under another name and rename it when it is complete, so that nobody finds half of it.
fn write_whole(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<(), OutputError> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let attempt = || {
        let mut writer = BufWriter::new(File::create(&part)?);
        write(&mut writer)?;
        writer.flush()?;
        drop(writer);
        std::fs::rename(&part, path)
    };
    attempt().map_err(|error| {
        let _ = std::fs::remove_file(&part);
        OutputError::write(path, error)
    })
}
