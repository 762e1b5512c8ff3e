//! The folder of one run.

use super::record::sealed;
use super::rows::Rows;
use super::{
    Columns, Computed, Manifest, OutputError, Recipe, Record, read_record, write_checkpoint, write_state, write_whole,
};
use crate::files;
use crate::model::{Observation, Snapshot, State};
use crate::scene::Scene;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A folder that belongs to one run. Every file in it is complete at any time, except for the last row of the metrics.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    columns: Columns,
    dt: f32,
    metrics: Rows,
    states: Vec<String>,
    /// Steps between the rows that `metrics.csv` had before; `None` if the run does not go on in place, or if this is not known.
    pub spacing: Option<u64>,
    /// The last step that the folder had a row of when the run went on in place; 0 if it does not.
    pub reached: u64,
    /// The steps that the `run.json` of a run that goes on in place tells of; `None` if it has none.
    ended: Option<u64>,
    /// True if the run goes on in place, so that files of steps that are computed again are overwritten.
    in_place: bool,
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

    /// Make the folder and begin its `metrics.csv`. If two runs want the same folder, only one gets it.
    ///
    /// # Errors
    /// As [`RunFolder::check`], or a folder that cannot be made.
    pub fn create(path: &Path, scene: &Scene) -> Result<RunFolder, OutputError> {
        RunFolder::check(path)?;
        files::create_folders(path).map_err(|error| OutputError::write(path, error))?;
        RunFolder::begin(path, scene)
    }

    /// As [`RunFolder::create`], in the first folder that does not exist: `path`, `path-2`, `path-3` and so on.
    ///
    /// # Errors
    /// A folder that cannot be made.
    pub fn create_numbered(path: &Path, scene: &Scene) -> Result<RunFolder, OutputError> {
        if let Some(parent) = path.parent() {
            files::create_folders(parent).map_err(|error| OutputError::write(parent, error))?;
        }
        let name = |number: u64| PathBuf::from(format!("{}-{number}", path.display()));
        let mut names = std::iter::once(path.to_owned()).chain((2..).map(name));
        loop {
            let name = names.next().unwrap_or_default();
            // If several runs try at once, the one that creates the folder gets it.
            match files::create_folder(&name) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(OutputError::write(&name, error)),
                Ok(()) => return RunFolder::begin(&name, scene),
            }
        }
    }

    /// Open the folder of a run that goes on in place from this step to the step `end`. Rows of its metrics before the step are kept, and
    /// later ones computed again. If that does not repeat them to the bit (`repeats`), later states and checkpoints are removed.
    ///
    /// # Errors
    /// A `metrics.csv` that is not one of this scene, or that lacks rows before the step; rows that would be lost.
    pub fn reopen(
        path: &Path,
        scene: &Scene,
        (step, end): (u64, u64),
        repeats: bool,
    ) -> Result<RunFolder, OutputError> {
        let path = path.canonicalize().map_err(|error| OutputError::write(path, error))?;
        let (name, columns) = (path.join("metrics.csv"), Columns::of(scene));
        let (record, steps) = (read_record(&path.join("run.json")).ok(), steps_of(&name));
        let reached = steps.iter().copied().chain(record.iter().map(|record| record.steps)).max().unwrap_or(0);
        let lost = |after: u64, instead: String| {
            let reason = format!(
                "this run has gone on to step {reached}, and what it has after step {after} would be lost; {instead}, \
                 or another folder with --out"
            );
            Err(OutputError::data(&path, reason))
        };
        if reached > end {
            return lost(end, format!("give at least --steps {reached}"));
        }
        if reached > step && record.is_some() && !repeats {
            return lost(step, "name a later checkpoint".to_owned());
        }
        let spacing = spacing(record.as_ref(), &steps);
        if let Some(last) = last_before_a_gap(&steps, step, spacing) {
            let reason = format!(
                "has no row between step {last} and step {step}, at which the checkpoint was written: since then the \
                 run has gone on from an earlier checkpoint. Name a checkpoint of step {last} or before, or another \
                 folder"
            );
            return Err(OutputError::data(&name, reason));
        }
        let metrics = Rows::reopen(name, columns.names(), step)?;
        let folder = RunFolder::with(path, columns, scene.dt, metrics);
        let ended = record.map(|record| record.steps);
        let mut folder = RunFolder { spacing, reached, ended, in_place: true, ..folder };
        if !repeats {
            let files = [folder.numbered("states", ".npy"), folder.numbered("checkpoints", ".steering")].concat();
            for (_, name) in files.into_iter().filter(|(at, _)| *at > step) {
                let path = folder.path.join(name);
                fs::remove_file(&path).map_err(|error| OutputError::write(&path, error))?;
            }
        }
        folder.list_states(step);
        Ok(folder)
    }

    /// The files of a subfolder that are named by a step, in order.
    fn numbered(&self, of: &str, ending: &str) -> Vec<(u64, String)> {
        let found = fs::read_dir(self.path.join(of)).into_iter().flatten().filter_map(Result::ok);
        let names = found.filter_map(|entry| entry.file_name().into_string().ok());
        let mut files: Vec<_> =
            names.filter_map(|name| Some((name.strip_suffix(ending)?.parse().ok()?, format!("{of}/{name}")))).collect();
        files.sort();
        files
    }

    /// List the states up to this step that lie in the folder of a run that goes on in place, also those that were there before.
    pub fn list_states(&mut self, step: u64) {
        if self.in_place {
            let states = self.numbered("states", ".npy").into_iter();
            self.states = states.filter(|(at, _)| *at <= step).map(|(_, name)| name).collect();
        }
    }

    fn begin(path: &Path, scene: &Scene) -> Result<RunFolder, OutputError> {
        let path = path.canonicalize().map_err(|error| OutputError::write(path, error))?;
        let columns = Columns::of(scene);
        let metrics = Rows::begin(path.join("metrics.csv"), columns.names())?;
        Ok(RunFolder::with(path, columns, scene.dt, metrics))
    }

    fn with(path: PathBuf, columns: Columns, dt: f32, metrics: Rows) -> RunFolder {
        let (states, spacing, reached, ended, in_place) = (Vec::new(), None, 0, None, false);
        RunFolder { path, columns, dt, metrics, states, spacing, reached, ended, in_place }
    }

    /// Check that the folder is still there, with the `metrics.csv` that this run writes. Otherwise rows would go into a file that was
    /// moved or deleted.
    fn check_place(&self) -> Result<(), OutputError> {
        let same = |found: fs::Metadata| {
            #[cfg(unix)]
            {
                use std::os::unix::fs::MetadataExt;
                self.metrics.file().metadata().is_ok_and(|own| (own.dev(), own.ino()) == (found.dev(), found.ino()))
            }
            #[cfg(not(unix))]
            found.is_file()
        };
        match fs::metadata(&self.metrics.path).is_ok_and(same) {
            true => Ok(()),
            false => Err(OutputError::write(
                &self.path,
                "was moved or removed while the run wrote to it, or another run writes to it",
            )),
        }
    }

    /// Make a subfolder unless it exists, and return its path.
    fn subfolder(&self, name: &str) -> Result<PathBuf, OutputError> {
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

    /// Add a row to `metrics.csv`.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn observe(&mut self, step: u64, seen: &Observation) -> Result<(), OutputError> {
        self.check_place()?;
        self.metrics.add([self.columns.row(step, self.dt, seen)])
    }

    /// Path of the state after a step, relative to the folder.
    pub fn state_name(step: u64) -> String {
        format!("states/{step:06}.npy")
    }

    /// Write the state after a step to its file, as [`write_state`].
    ///
    /// # Errors
    /// A file that cannot be written, or a part that failed.
    pub fn state<E: From<OutputError>>(
        &mut self,
        step: u64,
        shape: (u32, bool),
        parts: impl Iterator<Item = Result<State, E>>,
    ) -> Result<(), E> {
        self.subfolder("states")?;
        let name = RunFolder::state_name(step);
        write_state(&self.path.join(&name), self.in_place, shape, parts)?;
        self.states.push(name);
        Ok(())
    }

    /// Write a checkpoint of the run after a step, and return its path. The metrics before it are made durable.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn checkpoint(
        &self,
        recipe: &Recipe,
        computed: &Computed,
        snapshot: &Snapshot,
    ) -> Result<PathBuf, OutputError> {
        let path = self.subfolder("checkpoints")?.join(format!("{:06}.steering", snapshot.steps));
        self.metrics.sync()?;
        write_checkpoint(&path, self.in_place, recipe, computed, snapshot)?;
        Ok(path)
    }

    /// Give the `run.json` of the run that goes on another name, by its steps: should this run be killed, the end that it tells of would be
    /// wrong. One that cannot be read is removed.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn forget_end(&self) -> Result<(), OutputError> {
        let record = self.path.join("run.json");
        let earlier = self.ended.map(|steps| self.path.join(format!("run-{steps:06}.json")));
        match earlier.map_or_else(|| fs::remove_file(&record), |earlier| fs::rename(&record, earlier)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(OutputError::write(&record, error)),
            _ => Ok(()),
        }
    }

    /// Write `run.json`.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn manifest(&self, manifest: &Manifest) -> Result<(), OutputError> {
        self.check_place()?;
        let text = sealed(manifest).map_err(|error| OutputError::write(&self.path.join("run.json"), error))?;
        write_whole(&self.path.join("run.json"), self.in_place, true, |file| file.write_all(text.as_bytes()))
    }
}

/// Steps between rows: as `run.json` says if the run ended. If it was killed, from the first row to the second, if there are three or
/// more: the last one may be the irregular row of an early end.
fn spacing(record: Option<&Record>, steps: &[u64]) -> Option<u64> {
    if let Some(metrics) = record.and_then(|record| record.metrics.as_ref()) {
        return Some(metrics.every).filter(|every| *every > 0);
    }
    let [first, second, _, ..] = steps else { return None };
    second.checked_sub(*first).filter(|steps| *steps > 0)
}

/// The steps of the rows of a table, up to the first that cannot be read.
fn steps_of(table: &Path) -> Vec<u64> {
    let rows = csv::Reader::from_path(table).into_iter().flat_map(|reader| reader.into_records().map_while(Result::ok));
    rows.filter_map(|row| row.get(0)?.parse().ok()).collect()
}

/// The step of the last row before `step`, if rows are missing between the two.
fn last_before_a_gap(steps: &[u64], step: u64, spacing: Option<u64>) -> Option<u64> {
    let steps = steps.iter().copied().take_while(|found| *found < step);
    let (before, last) = steps.fold((None, None), |(_, last), step| (last, Some(step)));
    // The file may have been edited, so allow as much as between its last two rows.
    let every = spacing?.max(last?.saturating_sub(before.or(last)?));
    last.filter(|last| last.saturating_add(every) < step)
}
