//! The folder of one run.

use super::{Computed, Manifest, OutputError, Recipe, write_checkpoint, write_state, write_whole};
use crate::files::{self, Tried};
use crate::model::{Observation, Snapshot, State};
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// Columns of `metrics.csv`.
const METRICS: [&str; 7] = ["step", "time", "polarization", "mean_speed", "mean_neighbors", "bad_agents", "digest"];

/// A folder that belongs to one run. Every file in it is complete at any time, but for the last row of the metrics.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    metrics: csv::Writer<Tried<File>>,
    /// A second handle of the metrics' file, to recognize it.
    table: File,
    states: Vec<String>,
}

impl RunFolder {
    /// Is the folder free to be used: missing, or empty?
    ///
    /// # Errors
    /// A folder with something in it, or a file of this name.
    pub fn check(path: &Path) -> Result<(), OutputError> {
        match fs::read_dir(path).map(|mut entries| entries.next().is_none()) {
            Ok(true) => Ok(()),
            Ok(false) => {
                Err(OutputError::write(path, "this folder is not empty; give another with --out, or remove it"))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) if error.kind() == ErrorKind::NotADirectory => Err(OutputError::write(path, "is not a folder")),
            Err(error) => Err(OutputError::write(path, error)),
        }
    }

    /// Make the folder and begin its `metrics.csv`. Of two runs that want the same folder one gets it.
    ///
    /// # Errors
    /// As [`RunFolder::check`], or a folder that cannot be made.
    pub fn create(path: &Path) -> Result<RunFolder, OutputError> {
        RunFolder::check(path)?;
        files::create_folders(path).map_err(|error| OutputError::write(path, error))?;
        RunFolder::begin(path)
    }

    /// As [`RunFolder::create`], in the first folder that does not exist: `path`, `path-2`, `path-3` and so on.
    ///
    /// # Errors
    /// A folder that cannot be made.
    pub fn create_numbered(path: &Path) -> Result<RunFolder, OutputError> {
        if let Some(parent) = path.parent() {
            files::create_folders(parent).map_err(|error| OutputError::write(parent, error))?;
        }
        let name = |number: u64| PathBuf::from(format!("{}-{number}", path.display()));
        let mut names = std::iter::once(path.to_owned()).chain((2..).map(name));
        loop {
            let name = names.next().unwrap_or_default();
            // Of several runs, the one that makes the folder has it.
            match files::create_folder(&name) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(OutputError::write(&name, error)),
                Ok(()) => return RunFolder::begin(&name),
            }
        }
    }

    fn begin(path: &Path) -> Result<RunFolder, OutputError> {
        let path = path.canonicalize().map_err(|error| OutputError::write(path, error))?;
        let name = path.join("metrics.csv");
        let fault = |error| OutputError::write(&name, error);
        let table = files::create_new(&name).map_err(fault)?;
        let metrics = csv::Writer::from_writer(Tried(table.try_clone().map_err(fault)?));
        let mut folder = RunFolder { path, metrics, table, states: Vec::new() };
        folder.row(METRICS.map(str::to_owned))?;
        Ok(folder)
    }

    /// Is it still there, with the metrics that this run writes? Otherwise they would go on into a file that was moved
    /// or deleted.
    fn check_place(&self) -> Result<(), OutputError> {
        let same = |found: fs::Metadata| {
            #[cfg(unix)]
            {
                use std::os::unix::fs::MetadataExt;
                self.table.metadata().is_ok_and(|own| (own.dev(), own.ino()) == (found.dev(), found.ino()))
            }
            #[cfg(not(unix))]
            found.is_file()
        };
        match fs::metadata(self.path.join("metrics.csv")).is_ok_and(same) {
            true => Ok(()),
            false => Err(OutputError::write(&self.path, "was moved or removed while the run wrote to it")),
        }
    }

    /// Make a folder of this one.
    fn part(&self, name: &str) -> Result<PathBuf, OutputError> {
        self.check_place()?;
        let folder = self.path.join(name);
        match files::create_folder(&folder) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(OutputError::write(&folder, error)),
            _ => Ok(folder),
        }
    }

    /// The folder, as an absolute path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Paths of the states written so far, relative to the folder.
    pub fn states(&self) -> &[String] {
        &self.states
    }

    /// Columns of `metrics.csv`.
    pub fn columns() -> &'static [&'static str] {
        &METRICS
    }

    /// Add a row to `metrics.csv`; `time` is the simulated time, s.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn observe(&mut self, step: u64, time: f64, seen: &Observation) -> Result<(), OutputError> {
        let Observation { polarization, mean_speed, mean_neighbors, bad_agents, .. } = seen;
        self.row([
            step.to_string(),
            // Six digits are a thousandth of a step; more would be the noise of the product.
            format!("{time:.6}"),
            polarization.to_string(),
            mean_speed.to_string(),
            mean_neighbors.to_string(),
            bad_agents.to_string(),
            seen.digest_hex(),
        ])
    }

    fn row(&mut self, fields: [String; METRICS.len()]) -> Result<(), OutputError> {
        self.check_place()?;
        let written = self.metrics.write_record(fields).map_err(std::io::Error::from);
        let flushed = written.and_then(|()| self.metrics.flush());
        flushed.map_err(|error| OutputError::write(&self.path.join("metrics.csv"), error))
    }

    /// Path of the state after a step, relative to the folder.
    pub fn state_name(step: u64) -> String {
        format!("states/{step:06}.npy")
    }

    /// Write the state after a step to its file.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn state(&mut self, step: u64, state: &State, spatial: bool) -> Result<(), OutputError> {
        self.part("states")?;
        let name = RunFolder::state_name(step);
        write_state(&self.path.join(&name), state, spatial)?;
        self.states.push(name);
        Ok(())
    }

    /// Write a checkpoint of the run after a step, and return its path.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn checkpoint(
        &self,
        recipe: &Recipe,
        computed: &Computed,
        snapshot: &Snapshot,
    ) -> Result<PathBuf, OutputError> {
        let path = self.part("checkpoints")?.join(format!("{:06}.steering", snapshot.steps));
        write_checkpoint(&path, recipe, computed, snapshot)?;
        Ok(path)
    }

    /// Write `run.json`.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn manifest(&self, manifest: &Manifest) -> Result<(), OutputError> {
        self.check_place()?;
        write_whole(&self.path.join("run.json"), true, |file| {
            serde_json::to_writer_pretty(&mut *file, manifest)?;
            file.write_all(b"\n")
        })
    }
}

/// The time since 1970 as UTC, such as `20260131T235959Z`.
pub fn utc_stamp(now: std::time::SystemTime) -> String {
    let seconds = now.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs();
    let (mut days, second) = (seconds / 86400, seconds % 86400);
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let mut month = 1;
    for length in [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}{month:02}{:02}T{hour:02}{minute:02}{second:02}Z", days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_know_leap_years() {
        let stamp = |seconds| utc_stamp(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(stamp(0), "19700101T000000Z");
        assert_eq!(stamp(951827696), "20000229T123456Z");
        assert_eq!(stamp(4102444799), "20991231T235959Z");
        assert_eq!(stamp(4107542400), "21000301T000000Z");
    }
}
