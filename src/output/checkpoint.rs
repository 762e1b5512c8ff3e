//! A checkpoint, from which a run can go on: the scene and a snapshot in one file.
//!
//! The file is: `STEERING`, a version, the BLAKE3 hash of the rest, and the rest: the length of a head, the head as JSON with the scene as
//! it was asked for, then the words of the snapshot's columns. Numbers of four bytes are little-endian. Files that the scene names, and
//! shaders that replace built-in ones, are not in it, only their hashes; a checkpoint is refused if they have changed. Relative paths are
//! made absolute, so that a run can be resumed from any folder.

use super::inputs::{Moved, hash_up_to, lost};
use super::{FileRecord, OutputError, write_whole};
use crate::embedded::EMBEDDED;
use crate::engine::Backend;
use crate::gpu::{Gpu, Options};
use crate::model::Snapshot;
use crate::scene::{MOST_FIELD_BYTES, Override, PRESETS, Scene, SceneError};
use crate::{input, memory};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::{Path, PathBuf, absolute};
use toml_edit::Value;

const MAGIC: [u8; 8] = *b"STEERING";
/// Version of a checkpoint. Rises with every change of its layout or of what a column means; others are refused.
pub const CHECKPOINT_VERSION: u32 = 7;
/// Largest file, bytes.
const LARGEST_FILE: u64 = 1 << 37;
/// Bytes before the contents: magic, version and hash.
const HEADER: usize = MAGIC.len() + 4 + blake3::OUT_LEN;

/// Files by their paths, and their BLAKE3 hashes.
pub type Files = Vec<(PathBuf, [u8; blake3::OUT_LEN])>;

/// What decides the results of a run in addition to its scene.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Computed {
    /// The BLAKE3 hash of all built-in shaders. It identifies what the program computes, whatever its version number.
    pub built_in: [u8; blake3::OUT_LEN],
    /// The path and the BLAKE3 hash of each shader that replaces the built-in one of that path.
    pub shaders: Files,
    /// Are floats computed as written?
    pub exact: bool,
    /// Are the agents of a cell in the order of their ids?
    pub ordered: bool,
}

impl Computed {
    /// What a backend computes with.
    pub fn on(backend: &Backend) -> Computed {
        match backend {
            Backend::Gpu(gpu, options) => Computed::on_gpu(gpu, options),
            Backend::Cpu => Computed { built_in: built_in(), shaders: Vec::new(), exact: true, ordered: true },
        }
    }

    /// What a GPU computes with.
    pub fn on_gpu(gpu: &Gpu, options: &Options) -> Computed {
        let changed = options.shaders.changed();
        let shaders = changed.map(|(path, text)| (path.into(), blake3::hash(text.as_bytes()).into())).collect();
        Computed { built_in: built_in(), shaders, exact: gpu.exact && options.exact, ordered: options.id_order }
    }

    /// The path of a shader that differs between the two, if there is one.
    pub fn other_shader<'a>(&'a self, other: &'a Computed) -> Option<&'a Path> {
        let in_one = |(a, b): (&'a Files, &'a Files)| a.iter().find(|file| !b.contains(file));
        let found = [(&self.shaders, &other.shaders), (&other.shaders, &self.shaders)].into_iter().find_map(in_one);
        found.map(|(path, _)| path.as_path())
    }
}

/// The hash of all built-in shaders but those of pictures. Twins follow the shaders, so it stands for both.
fn built_in() -> [u8; blake3::OUT_LEN] {
    let mut hasher = blake3::Hasher::new();
    for (path, text) in EMBEDDED.iter().filter(|(path, _)| !path.starts_with("render/")) {
        hasher.update(path.as_bytes()).update(text.as_bytes());
    }
    hasher.finalize().into()
}

/// The recipe of a scene, from which the same scene can be read again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipe {
    /// The TOML as it was written.
    pub text: String,
    /// The preset, or the absolute path of the file.
    pub origin: String,
    /// Each `KEY=VALUE`, the seed among them.
    pub overrides: Vec<String>,
    /// The number of agents that the world was scaled to, if it was.
    pub scaled_to: Option<u32>,
    /// The number of agents of the state that the run started from, if it replaced the count of the only species.
    pub rows: Option<u32>,
    /// The BLAKE3 hash of each file that the scene names: own behaviors, and an image or a wind as its flow field.
    pub files: Files,
    /// The state of a file that the run began with.
    #[serde(default)]
    pub from: Option<FileRecord>,
}

/// The value of an override, with each text replaced for which `path` gives another path, also within lists and tables.
pub(super) fn renamed(value: &str, path: &dyn Fn(&str) -> Option<String>) -> String {
    fn rename(value: &mut Value, path: &dyn Fn(&str) -> Option<String>) -> bool {
        if let Some(path) = value.as_str().and_then(path) {
            *value = path.into();
            return true;
        }
        match value {
            Value::Array(all) => all.iter_mut().fold(false, |any, value| rename(value, path) | any),
            Value::InlineTable(all) => all.iter_mut().fold(false, |any, (_, value)| rename(value, path) | any),
            _ => false,
        }
    }
    let mut read: Value = value.parse().unwrap_or_else(|_| value.into());
    match rename(&mut read, path) {
        true => read.as_str().map_or_else(|| read.to_string(), str::to_owned),
        false => value.to_owned(),
    }
}

impl Recipe {
    /// The recipe of a scene.
    ///
    /// # Errors
    /// A file of a flow field that cannot be read, or a scene made by a program that no file can express.
    pub fn new(scene: &Scene, scaled_to: Option<u32>, rows: Option<u32>) -> Result<Recipe, OutputError> {
        let recipe = Recipe::from_source(scene, scaled_to, rows)?;
        match recipe.scene() {
            Ok(made) if !made.changed_since(scene).is_empty() => recipe.with_changes(scene),
            Err(_) if recipe.text.is_empty() => recipe.with_changes(scene),
            // Also if reading the scene again fails, such as for lack of memory.
            _ => Ok(recipe),
        }
    }

    /// The recipe with the text and overrides that the scene was read from. They lack what a program changed afterwards.
    pub(super) fn from_source(scene: &Scene, scaled_to: Option<u32>, rows: Option<u32>) -> Result<Recipe, OutputError> {
        let files = Recipe::files_of(scene)?;
        let whole = |text: &str| Some(absolute(text).ok()?.to_str()?.to_owned());
        // The absolute path, if the text names a file that the scene has read.
        let path = |text: &str| whole(text).filter(|path| files.iter().any(|(file, _)| file == Path::new(path)));
        let value = |change: &Override| renamed(&change.value, &path);
        let overrides = scene.source.overrides.iter().map(|o| format!("{}={}", o.key, value(o))).collect();
        let (text, origin) = (scene.source.text.clone(), scene.source.origin.clone());
        let is_preset = PRESETS.iter().any(|preset| preset.name == origin);
        let origin = if is_preset { origin } else { whole(&origin).unwrap_or(origin) };
        Ok(Recipe { text, origin, overrides, scaled_to, rows, files, from: None })
    }

    /// The recipe with overrides for everything in which the scene differs from its text, whatever the cause.
    pub(super) fn with_changes(self, scene: &Scene) -> Result<Recipe, OutputError> {
        let changes = scene.changes().map_err(|error| OutputError::data(Path::new(&self.origin), error))?;
        let overrides = changes.iter().map(|change| format!("{}={}", change.key, change.value)).collect();
        Ok(Recipe { text: scene.own_text(), overrides, scaled_to: None, rows: None, ..self })
    }

    /// The BLAKE3 hash of each file that a scene names, by its absolute path.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn files_of(scene: &Scene) -> Result<Files, OutputError> {
        let whole = |path: &Path| {
            let path = absolute(path).unwrap_or_else(|_| path.to_owned());
            PathBuf::from(path.to_string_lossy().into_owned())
        };
        let own = scene.own_behaviors.iter().filter_map(|own| Some((own.path(), own.spec()?)));
        let mut files: Files =
            own.map(|(path, spec)| (whole(path), blake3::hash(spec.text.as_bytes()).into())).collect();
        // Behaviors were hashed above, as they were read: their files may have changed since.
        for (_, path) in scene.files().into_iter().filter(|(key, _)| !key.starts_with("behavior.")) {
            files.push((whole(path), hash_up_to(path, MOST_FIELD_BYTES)?.into()));
        }
        Ok(files)
    }

    /// Look for files that are no longer at their paths at the same places relative to the folder of the checkpoint, or one around it.
    ///
    /// # Errors
    /// The first file that is not found.
    pub fn find_files(&mut self, beside: &Path) -> Result<(), OutputError> {
        let hex = |hash: &[u8; blake3::OUT_LEN]| blake3::Hash::from(*hash).to_hex().to_string();
        let files: Vec<_> = self.files.iter().map(|(path, hash)| (path.clone(), hex(hash))).collect();
        if let Some(moved) = Moved::find(&files, Some(Path::new(&self.origin)), beside) {
            let path = |text: &str| {
                let file = files.iter().find(|(path, _)| path == Path::new(text));
                file.map(|_| moved.text(text))
            };
            let change = |text: &String| match text.split_once('=') {
                Some((key, value)) => format!("{key}={}", renamed(value, &path)),
                None => text.clone(),
            };
            self.overrides = self.overrides.iter().map(change).collect();
            self.files.iter_mut().for_each(|(path, _)| *path = moved.text(&path.to_string_lossy()).into());
            self.origin = moved.text(&self.origin);
        }
        let missing = self.files.iter().find(|(path, _)| !path.exists());
        missing.map_or(Ok(()), |(path, _)| Err(lost(path)))
    }

    /// Check that every file that this scene names is the same as when the recipe was made.
    ///
    /// # Errors
    /// The first file that has changed, or one that cannot be read.
    pub fn check_files(&self, scene: &Scene) -> Result<(), OutputError> {
        let now = Recipe::files_of(scene)?;
        if now == self.files {
            return Ok(());
        }
        let changed = now.into_iter().find(|file| !self.files.contains(file));
        let path = changed.map_or_else(|| PathBuf::from(&self.origin), |(path, _)| path);
        Err(OutputError::data(&path, "has changed since the checkpoint was written"))
    }

    /// Make the scene again.
    ///
    /// # Errors
    /// What [`Scene::parse`] and [`Scene::with_agents`] refuse, such as a file of a flow field that is gone.
    pub fn scene(&self) -> Result<Scene, SceneError> {
        let overrides = self.overrides.iter().map(|text| text.parse()).collect::<Result<Vec<Override>, _>>()?;
        let mut scene = Scene::parse(&self.text, &self.origin, &overrides)?;
        if let Some(agents) = self.scaled_to {
            scene = scene.with_agents(agents)?;
        }
        if let Some(rows) = self.rows.filter(|_| scene.species.len() == 1) {
            scene = scene.with(|draft| draft.species[0].count = rows)?;
        }
        Ok(scene)
    }
}

/// The head of the contents, before the words of the columns.
#[derive(Serialize, Deserialize)]
struct Head {
    recipe: Recipe,
    computed: Computed,
    steps: u64,
    agents: u32,
    spatial: bool,
    /// Name of each column, and the number of its words.
    columns: Vec<(String, usize)>,
}

/// Write a checkpoint, complete or not at all. An existing file is an error unless `overwrite`.
///
/// # Errors
/// A file that exists, or that cannot be written.
pub fn write_checkpoint(
    path: &Path,
    overwrite: bool,
    recipe: &Recipe,
    computed: &Computed,
    snapshot: &Snapshot,
) -> Result<(), OutputError> {
    let head = serde_json::to_vec(&Head {
        recipe: recipe.clone(),
        computed: computed.clone(),
        steps: snapshot.steps,
        agents: snapshot.agents(),
        spatial: snapshot.spatial(),
        columns: snapshot.columns().map(|(column, words)| (column.to_string(), words.len())).collect(),
    });
    let head = head.map_err(|error| OutputError::write(path, error))?;
    // The contents are generated twice, in parts: their hash comes first in the file, and the state may take most of the memory.
    let body = || {
        let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let parts = snapshot.columns().flat_map(move |(_, words)| words.chunks(1 << 14).map(bytes));
        [(head.len() as u32).to_le_bytes().to_vec(), head.clone()].into_iter().chain(parts)
    };
    let mut hasher = blake3::Hasher::new();
    body().for_each(|part| {
        hasher.update(&part);
    });
    write_whole(path, overwrite, true, |file| -> io::Result<()> {
        file.write_all(&MAGIC)?;
        file.write_all(&CHECKPOINT_VERSION.to_le_bytes())?;
        file.write_all(hasher.finalize().as_bytes())?;
        body().try_for_each(|part| file.write_all(&part))
    })
}

/// Read a checkpoint.
///
/// # Errors
/// A file that cannot be read, that is no checkpoint or one of another version, or that is damaged.
pub fn read_checkpoint(path: &Path) -> Result<(Recipe, Computed, Snapshot), OutputError> {
    let fault = |reason: &str| OutputError::data(path, reason);
    let (_, length) = input::open(path, LARGEST_FILE).map_err(|reason| fault(&reason))?;
    // The contents are in memory twice while they are decoded.
    memory::check_fits(2 * length).map_err(|reason| OutputError::Memory { path: path.to_owned(), reason })?;
    let bytes = input::read(path, LARGEST_FILE).map_err(|reason| fault(&reason))?;
    let (head, body) = bytes.split_at_checked(HEADER).ok_or_else(|| fault("is too short for a checkpoint"))?;
    if head[..8] != MAGIC {
        return Err(fault("is no checkpoint"));
    }
    if head[8..12] != CHECKPOINT_VERSION.to_le_bytes() {
        return Err(fault(&format!("is not of version {CHECKPOINT_VERSION}, the one that this program reads")));
    }
    if head[12..] != *blake3::hash(body).as_bytes() {
        return Err(fault("is damaged: its hash does not match its contents, or its end is missing"));
    }
    contents(body).ok_or_else(|| fault("has contents that make no sense"))
}

fn contents(body: &[u8]) -> Option<(Recipe, Computed, Snapshot)> {
    let (length, rest) = body.split_first_chunk()?;
    let (head, mut rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let Head { recipe, computed, steps, agents, spatial, columns } = serde_json::from_slice(head).ok()?;
    let column = |(name, words): (String, usize)| {
        let (words, after) = rest.split_at_checked(words.checked_mul(4)?)?;
        rest = after;
        Some((
            name,
            words.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect(),
        ))
    };
    let columns = columns.into_iter().map(column).collect::<Option<Vec<_>>>()?;
    let snapshot = Snapshot::from_columns(steps, agents, spatial, columns).ok()?;
    rest.is_empty().then_some((recipe, computed, snapshot))
}
