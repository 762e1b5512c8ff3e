//! The record of how a run came about, in a `run.json` or a picture, and whether its files are still the same.

use super::checkpoint::renamed;
use super::inputs::Moved;
use super::{Computed, Device, FileRecord, OutputError, Recipe, Resumed, SceneRecord};
use crate::input;
use crate::scene::{Override, PRESETS, Scene, SceneError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf, absolute};

/// Largest `run.json` that is read, bytes.
const LARGEST_RECORD: u64 = 1 << 26;

/// Everything that decides the results of a run. Files count by their contents; their paths count only where an override names them.
#[derive(Debug, Serialize)]
pub struct ResultInputs<'a> {
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

impl<'a> ResultInputs<'a> {
    /// What decides the results of a run; `start` is the hash of the state or the checkpoint that it began with.
    pub fn new(recipe: &'a Recipe, computed: &'a Computed, start: Option<&'a str>) -> Self {
        ResultInputs {
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

/// The part of a `run.json` that is needed to run it again. A picture holds the same about the run that it shows, except for what only
/// run folders have.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[allow(missing_docs, reason = "as in `Manifest`")]
pub struct Record {
    pub version: String,
    pub hash: Option<String>,
    pub scene: SceneRecord,
    pub agents: u32,
    pub from: Option<FileRecord>,
    pub resumed: Option<Resumed>,
    pub steps: u64,
    pub digest: String,
    pub device: Device,
    pub metrics: Option<MetricsRecord>,
    /// How the picture shows the run; null in a `run.json`.
    pub picture: Option<PictureRecord>,
    /// Marked steps of the run, and their names. Only pictures of the window have some.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub marks: BTreeMap<u64, String>,
}

/// How a picture shows its run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PictureRecord {
    /// Point at the center of the picture, u.
    pub center: [f32; 3],
    /// 1 frames the whole world, 2 shows half of its height.
    pub zoom: f32,
    /// Rotation about the vertical axis, degrees.
    pub yaw: f32,
    /// Elevation above the horizontal, degrees.
    pub pitch: f32,
    /// Radius that holds 95 % of the agents, u, if the camera followed them.
    pub crowd: Option<f32>,
    /// True if the run was changed while it ran. Changes are not recorded, so the run cannot be repeated from its start.
    pub changed: bool,
}

/// How often the run was observed.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[allow(missing_docs, reason = "as in `Metrics`")]
pub struct MetricsRecord {
    pub every: u64,
}

impl Record {
    /// The record for pictures of a run of this scene, as it is before the first step. `from` is the state that the run began with, if
    /// that is a file.
    ///
    /// Files are named relative to the folder of the scene, or else by their names alone, so that a picture does not reveal anybody's
    /// folders.
    ///
    /// # Errors
    /// A file of the scene that cannot be read, or a scene that a text with overrides cannot express.
    pub fn of_pictures(scene: &Scene, device: Device, from: Option<FileRecord>) -> Result<Record, OutputError> {
        let recipe = Recipe::from_source(scene, None, None)?.with_changes(scene)?;
        let origin = absolute(&recipe.origin).unwrap_or_default();
        let mut record = Record {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            hash: None,
            scene: SceneRecord::new(scene, &recipe),
            agents: scene.agent_count(),
            from,
            resumed: None,
            steps: 0,
            digest: String::new(),
            device,
            metrics: None,
            picture: None,
            marks: BTreeMap::new(),
        };
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        record.move_files(|path| match origin.parent().and_then(|folder| Path::new(path).strip_prefix(folder).ok()) {
            Some(beside) => beside.display().to_string(),
            None if recipe.text.contains(path) => path.to_owned(),
            None => name(Path::new(path)),
        });
        record.scene.origin = name(&origin);
        Ok(record)
    }

    /// Read the record in a picture. The files that it names are looked for relative to the folder of the picture.
    ///
    /// # Errors
    /// A text that is no record of a picture.
    pub fn of_picture(path: &Path, text: &str) -> Result<Record, OutputError> {
        let fault = |why: String| OutputError::data(path, format!("its record of a run cannot be used: {why}"));
        let mut record: Record = serde_json::from_str(text).map_err(|error| fault(error.to_string()))?;
        let seen = |picture: &PictureRecord| {
            let PictureRecord { center: [x, y, z], zoom, yaw, pitch, crowd, .. } = *picture;
            [x, y, z, zoom, yaw, pitch, crowd.unwrap_or(0.0)].iter().all(|number| number.is_finite())
        };
        if !record.picture.as_ref().is_some_and(seen) {
            return Err(fault("it has no valid camera of the picture".to_owned()));
        }
        let path = absolute(path).unwrap_or_else(|_| path.to_owned());
        let folder = path.parent().unwrap_or(Path::new(""));
        record.move_files(|told| folder.join(told).display().to_string());
        let told = &mut record.scene;
        if !PRESETS.iter().any(|preset| preset.name == told.origin && preset.text == told.text) {
            told.origin = path.display().to_string();
        }
        Ok(record)
    }

    /// The record with more overrides: it is then a record of a scene, no longer of the run.
    pub fn with(mut self, overrides: &[Override]) -> Record {
        self.scene.overrides.extend(overrides.iter().map(|change| format!("{}={}", change.key, change.value)));
        self
    }

    /// The scene, with its files as they are now.
    ///
    /// # Errors
    /// As [`Recipe::scene`].
    pub fn scene(&self) -> Result<Scene, SceneError> {
        let told = &self.scene;
        let (text, origin, overrides) = (told.text.clone(), told.origin.clone(), told.overrides.clone());
        Recipe { text, origin, overrides, scaled_to: told.scaled_to, rows: None, files: Vec::new(), from: None }.scene()
    }

    /// Check that the files that decide the results still have the recorded contents.
    ///
    /// # Errors
    /// The first file that has changed, or that cannot be read.
    pub fn check_files(&self) -> Result<(), OutputError> {
        self.scene.files.iter().chain(&self.from).try_for_each(FileRecord::check)
    }

    /// Look for files that are no longer at their paths at the same places relative to the folder `beside`, or one around it.
    fn find_files(&mut self, beside: &Path) {
        let files: Vec<(PathBuf, String)> = match &self.resumed {
            // The checkpoint names the others.
            Some(resumed) => vec![(resumed.file.clone().into(), resumed.hash.clone())],
            None => self
                .scene
                .files
                .iter()
                .chain(&self.from)
                .map(|file| (file.path.clone().into(), file.hash.clone()))
                .collect(),
        };
        let origin = Some(PathBuf::from(&self.scene.origin)).filter(|_| !self.scene.files.is_empty());
        if let Some(moved) = Moved::find(&files, origin.as_deref().filter(|_| self.resumed.is_none()), beside) {
            self.move_files(|path| moved.text(path));
            self.scene.origin = moved.text(&self.scene.origin);
            self.resumed.iter_mut().for_each(|resumed| resumed.file = moved.text(&resumed.file));
        }
    }

    /// Replace the path of each file, also in overrides that name it.
    fn move_files(&mut self, to: impl Fn(&str) -> String) {
        let mut moved = Vec::new();
        for file in self.scene.files.iter_mut().chain(&mut self.from) {
            let path = to(&file.path);
            moved.push((std::mem::replace(&mut file.path, path.clone()), path));
        }
        let path = |text: &str| Some(moved.iter().find(|(old, _)| text == old)?.1.clone());
        for change in &mut self.scene.overrides {
            if let Some((key, value)) = change.split_once('=') {
                *change = format!("{key}={}", renamed(value, &path));
            }
        }
    }
}

/// The JSON text of a record whose last entry is an empty `checksum`, with the checksum filled in.
pub(super) fn sealed(record: &impl Serialize) -> io::Result<String> {
    let text = serde_json::to_string_pretty(record)? + "\n";
    let hash = blake3::hash(text.as_bytes()).to_hex();
    let (before, after) = text.rsplit_once("\"\"").ok_or_else(|| io::Error::other("has no place for its checksum"))?;
    Ok(format!("{before}\"{hash}\"{after}"))
}

/// Read a `run.json`. Files that are no longer at their recorded paths are looked for at the same places relative to its folder.
///
/// # Errors
/// A file that cannot be read, that is no record of a run, or that was changed since it was written.
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
        Some(false) => return Err(fault("was changed after it was written: its checksum does not match".to_owned())),
        None => return Err(fault("is not a run.json of this version, because it has no checksum".to_owned())),
    }
    let record = serde_json::from_str(&text);
    let mut record: Record = record.map_err(|error| fault(format!("is no record of a run: {error}")))?;
    record.find_files(absolute(path).unwrap_or_default().parent().unwrap_or(Path::new("")));
    Ok(record)
}
