//! What a run leaves behind: a folder with `run.json`, `metrics.csv` and the states as NPY files. Also the loop that steps a run from
//! row to row.

mod checkpoint;
mod folder;
mod inputs;
mod manifest;
mod metrics;
mod npy;
mod record;
mod rows;
mod sweep;
mod table;
mod tracks;
mod until;
mod walk;

pub use checkpoint::{CHECKPOINT_VERSION, Computed, Files, Recipe, read_checkpoint, write_checkpoint};
pub use folder::RunFolder;
pub use inputs::{FileRecord, hash_of};
pub use manifest::{
    Device, EventsRecord, Manifest, Metrics, Resumed, SceneRecord, SpeciesRecord, States, Timings, TracksRecord,
};
pub use metrics::{Columns, time_of};
pub use npy::{StateFile, columns, write_state};
pub use record::{MetricsRecord, PictureRecord, Record, ResultInputs, read_record};
pub use sweep::{Point, Sweep, SweepHost};
pub use table::{Table, lines};
pub use tracks::{EventTables, Tracked, Tracks};
pub use until::Until;
pub use walk::{End, Host, Walk, Witness, next_batch};

use crate::files::{self, Part};
use crate::scene::{LONGEST, shorten, shown};
use std::io::{self, BufWriter};
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
        /// What went wrong.
        reason: String,
    },
    /// A data file for which there is not enough memory.
    #[error("{}: {}", shown(path), shorten(reason, LONGEST))]
    Memory {
        /// The file.
        path: PathBuf,
        /// How much memory it needs, and how much there is.
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

/// Write a file of a run, complete or not at all. An existing file is an error unless `overwrite`.
fn write_whole(
    path: &Path,
    overwrite: bool,
    durable: bool,
    write: impl FnOnce(&mut BufWriter<Part>) -> io::Result<()>,
) -> Result<(), OutputError> {
    files::write_whole(path, overwrite, durable, write).map_err(|error| OutputError::write(path, error))
}
