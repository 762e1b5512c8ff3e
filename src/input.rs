//! Reading input files. A pipe may never begin and a device never end, so inputs have to be regular files of limited size.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Open a regular file of at most `most` bytes, and say how many it has.
///
/// # Errors
/// Why it cannot be read, without its name.
pub fn open(path: &Path, most: u64) -> Result<(File, u64), String> {
    let unreadable = |error| format!("cannot be read: {error}");
    // Before it is opened: opening a pipe waits for a writer.
    let about = std::fs::metadata(path).map_err(unreadable)?;
    if about.is_dir() {
        return Err("is a directory, not a regular file".to_owned());
    }
    if !about.is_file() {
        return Err("is no regular file".to_owned());
    }
    if about.len() > most {
        return Err(format!("has {} bytes; at most {most} are read", about.len()));
    }
    Ok((File::open(path).map_err(unreadable)?, about.len()))
}

/// Read a regular file of at most `most` bytes.
///
/// # Errors
/// As [`open`].
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let (file, length) = open(path, most)?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length as usize).map_err(|error| format!("has {length} bytes: {error}"))?;
    // The file may grow meanwhile.
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| format!("cannot be read: {error}"))?;
    match bytes.len() as u64 > most {
        true => Err(format!("has more than {most} bytes, the most that are read")),
        false => Ok(bytes),
    }
}
