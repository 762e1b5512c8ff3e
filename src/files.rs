//! Files that are written as a whole: each has a temporary name, in the same folder, until it is complete, so that no reader
//! finds half of one, and no file is overwritten unless that was asked for. Then a link to a file is replaced, and the file it leads to
//! stays.

use crate::fault;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use tempfile::NamedTempFile;

/// A file that is being written under a temporary name. It is deleted unless it is kept.
#[derive(Debug)]
pub struct Part(NamedTempFile);

impl Part {
    /// Begin a file that will be kept as `path`.
    ///
    /// # Errors
    /// A file that exists (unless it is to be overwritten), a path of something that is no file, or a folder that does
    /// not exist.
    pub fn begin(path: &Path, overwrite: bool) -> io::Result<Part> {
        match fs::metadata(path) {
            Ok(about) if !about.is_file() => return Err(io::Error::other("exists, and is no regular file")),
            Ok(_) if !overwrite => return Err(exists()),
            _ => {}
        }
        fault::file("create", path)?;
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        builder.prefix(".steerling-").tempfile_in(folder).map(Part).map_err(bare)
    }

    /// The temporary path.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Make it durable: it survives a loss of power.
    ///
    /// # Errors
    /// A disk that fails.
    pub fn sync(&self) -> io::Result<()> {
        fault::file("sync", self.path())?;
        self.0.as_file().sync_all()
    }

    /// Rename it to its final path.
    ///
    /// # Errors
    /// As [`Part::begin`]; then the temporary file is deleted.
    pub fn keep(self, path: &Path, overwrite: bool) -> io::Result<()> {
        fault::file("rename", path)?;
        // Only the temporary name is needed: a program that writes the file may have put another file there.
        let file = self.0.into_temp_path();
        let kept = if overwrite { file.persist(path) } else { file.persist_noclobber(path) };
        kept.map_err(|failed| if failed.error.kind() == ErrorKind::AlreadyExists { exists() } else { failed.error })
    }
}

impl Write for Part {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        FaultInjected(self.0.as_file()).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.as_file().flush()
    }
}

/// A file whose writes tests can make fail.
#[derive(Debug)]
pub struct FaultInjected<W>(pub W);

impl<W: Write> Write for FaultInjected<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        fault::file("write", Path::new(""))?;
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Write a file as a whole, through a buffer.
///
/// # Errors
/// As [`Part::begin`], and what writing gives.
pub fn write_whole(
    path: &Path,
    overwrite: bool,
    durable: bool,
    write: impl FnOnce(&mut io::BufWriter<Part>) -> io::Result<()>,
) -> io::Result<()> {
    let mut writer = io::BufWriter::new(Part::begin(path, overwrite)?);
    write(&mut writer)?;
    let part = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
    if durable {
        part.sync()?;
    }
    part.keep(path, overwrite)
}

/// Check that a file could be written there, before the work whose result it will hold.
///
/// # Errors
/// As [`Part::begin`].
#[cfg(feature = "render")]
pub fn check(path: &Path, overwrite: bool) -> io::Result<()> {
    Part::begin(path, overwrite).map(drop)
}

/// Make a new file.
#[cfg(feature = "output")]
pub fn create_new(path: &Path) -> io::Result<File> {
    fault::file("create", path)?;
    File::create_new(path)
}

/// Open a file to append to it.
#[cfg(feature = "output")]
pub fn append(path: &Path) -> io::Result<File> {
    fault::file("open", path)?;
    // To be locked, a file has to be open for reading or writing; on some systems, appending is neither.
    File::options().read(true).append(true).open(path)
}

/// Make a new folder in one that exists.
#[cfg(feature = "output")]
pub fn create_folder(path: &Path) -> io::Result<()> {
    fault::file("folder", path)?;
    fs::create_dir(path)
}

/// Make a folder and its parents, where they do not exist.
pub fn create_folders(path: &Path) -> io::Result<()> {
    fault::file("folders", path)?;
    fs::create_dir_all(path)
}

fn exists() -> io::Error {
    io::Error::new(ErrorKind::AlreadyExists, "exists already, and is not overwritten")
}

/// The error in the system's own words, without the temporary path.
fn bare(error: io::Error) -> io::Error {
    let text = error.to_string();
    match text.split_once(" at path ") {
        Some((words, _)) => io::Error::new(error.kind(), words.to_owned()),
        None => error,
    }
}
