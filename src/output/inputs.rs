//! The files that decide the results of a run.

use super::checkpoint::hash_up_to;
use super::{OutputError, Recipe};
use crate::scene::{OwnBehavior, Scene};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A file that decides the results of a run, with the hash of its contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// Its absolute path; for a shader that replaces a built-in one, the path of the built-in one.
    pub path: String,
    /// BLAKE3 hash of its contents, in hexadecimal.
    pub hash: String,
    /// Its contents, if they are code.
    pub text: Option<String>,
}

impl FileRecord {
    /// Records of the files that a scene names.
    pub(super) fn of_scene(scene: &Scene, recipe: &Recipe) -> Vec<FileRecord> {
        let text = |hash: &blake3::Hash| {
            let mut own = scene.own_behaviors.iter().filter_map(OwnBehavior::spec);
            own.find(|spec| blake3::hash(spec.text.as_bytes()) == *hash).map(|spec| spec.text.to_owned())
        };
        let record = |(path, hash): &(std::path::PathBuf, [u8; blake3::OUT_LEN])| {
            let hash = blake3::Hash::from(*hash);
            FileRecord { path: path.display().to_string(), hash: hash.to_hex().to_string(), text: text(&hash) }
        };
        recipe.files.iter().map(record).collect()
    }

    /// The record of a text of code.
    pub fn of_text(path: &str, text: &str) -> FileRecord {
        let hash = blake3::hash(text.as_bytes()).to_hex().to_string();
        FileRecord { path: path.to_owned(), hash, text: Some(text.to_owned()) }
    }

    /// The record of a data file, without its contents.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn of_file(path: &Path) -> Result<FileRecord, OutputError> {
        let hash = hash_of(path)?;
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string();
        Ok(FileRecord { path, hash, text: None })
    }

    /// Check that the file still has the recorded contents.
    ///
    /// # Errors
    /// A file that cannot be read, or that has changed.
    pub fn check(&self) -> Result<(), OutputError> {
        let path = Path::new(&self.path);
        match hash_of(path)? == self.hash {
            true => Ok(()),
            false => {
                let reason = "has changed since the run; if it is code, the record holds its old text";
                Err(OutputError::data(path, reason))
            }
        }
    }
}

/// The BLAKE3 hash of a file, in hexadecimal.
///
/// # Errors
/// A file that cannot be read.
pub fn hash_of(path: &Path) -> Result<String, OutputError> {
    Ok(hash_up_to(path, u64::MAX)?.to_hex().to_string())
}
