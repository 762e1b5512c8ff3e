//! The files that decide the results of a run.

use super::OutputError;
use crate::input;
use crate::scene::{OwnBehavior, Scene};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

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
    pub(super) fn of_scene(scene: &Scene, files: &[(PathBuf, [u8; blake3::OUT_LEN])]) -> Vec<FileRecord> {
        let text = |hash: &blake3::Hash| {
            let mut own = scene.own_behaviors.iter().filter_map(OwnBehavior::spec);
            own.find(|spec| blake3::hash(spec.text.as_bytes()) == *hash).map(|spec| spec.text.to_owned())
        };
        let record = |(path, hash): &(PathBuf, [u8; blake3::OUT_LEN])| {
            let hash = blake3::Hash::from(*hash);
            FileRecord { path: path.display().to_string(), hash: hash.to_hex().to_string(), text: text(&hash) }
        };
        files.iter().map(record).collect()
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
        if !path.exists() {
            return Err(lost(path));
        }
        match hash_of(path)? == self.hash {
            true => Ok(()),
            false => {
                let reason = "has changed since the run; if it is code, the record holds its old text";
                Err(OutputError::data(path, reason))
            }
        }
    }
}

/// The error for a recorded file that is not found.
pub(super) fn lost(path: &Path) -> OutputError {
    let reason = match path.to_string_lossy().contains(char::REPLACEMENT_CHARACTER) {
        true => {
            "is not there: its path was not UTF-8 when it was recorded, and no record holds such a path; rename the \
            folder or the file, and run the scene again"
        }
        false => {
            "is not there, and the files of the run do not lie at the same places relative to its folder or picture, \
            with the same contents: put them where they were, or beside it as they were"
        }
    };
    OutputError::data(path, reason)
}

/// A folder, and the one that recorded files below it are in now: such as that of a project, which was moved or copied.
pub(super) struct Moved<'a> {
    from: &'a Path,
    to: &'a Path,
}

impl<'a> Moved<'a> {
    /// Where files with these paths and hashes are, if some are no longer at their paths: all of them that lay in one folder at the same
    /// places relative to another, which is `beside` or a folder around it. Paths of the scene are relative to its file, `origin`, so this
    /// one must have lain in that folder too.
    pub fn find(files: &'a [(PathBuf, String)], origin: Option<&Path>, beside: &'a Path) -> Option<Moved<'a>> {
        let (lost, _) = files.iter().find(|(path, _)| !path.exists())?;
        let froms = lost.ancestors().skip(1).filter(|from| origin.is_none_or(|origin| origin.starts_with(from)));
        let mut all = froms.flat_map(|from| beside.ancestors().map(move |to| Moved { from, to }));
        all.find(|moved| {
            files.iter().all(|(path, hash)| match moved.path(path) {
                Some(path) => path.is_file() && hash_of(&path).is_ok_and(|found| found == *hash),
                None => path.exists(),
            })
        })
    }

    fn path(&self, path: &Path) -> Option<PathBuf> {
        Some(self.to.join(path.strip_prefix(self.from).ok()?))
    }

    /// Where the file of this path is now.
    pub fn text(&self, path: &str) -> String {
        self.path(Path::new(path)).map_or_else(|| path.to_owned(), |path| path.display().to_string())
    }
}

/// The BLAKE3 hash of a file of at most `most` bytes.
pub(super) fn hash_up_to(path: &Path, most: u64) -> Result<blake3::Hash, OutputError> {
    let (file, _) = input::open(path, most).map_err(|reason| OutputError::data(path, reason))?;
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(file).map_err(|error| OutputError::data(path, error))?;
    Ok(hasher.finalize())
}

/// The BLAKE3 hash of a file, in hexadecimal.
///
/// # Errors
/// A file that cannot be read.
pub fn hash_of(path: &Path) -> Result<String, OutputError> {
    Ok(hash_up_to(path, u64::MAX)?.to_hex().to_string())
}
