//! The table of a sweep: the rows of its points, one point after another. The last row of a point says what ended it. So after the program
//! was killed, the table shows which points are complete, and the rest is cut off.

use super::OutputError;
use crate::files::{self, FaultInjected};
use crate::input;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Largest table that is read, bytes.
const LARGEST_TABLE: u64 = 1 << 36;

/// A table that points are added to.
#[derive(Debug)]
pub struct Table {
    path: PathBuf,
    file: File,
    /// The number of complete points.
    pub points: usize,
    /// The number of complete points that failed.
    pub failed: usize,
    /// The rows of all complete points.
    pub rows: usize,
}

impl Table {
    /// Begin a table of the points from number `first` on, or go on with an existing one, keeping its complete points. The last two columns
    /// are `ended`, which is empty except in the last row of a point, and `error`.
    ///
    /// # Errors
    /// A file that cannot be read or written, that has other columns, or that another program is writing.
    pub fn open(path: &Path, columns: &[String], first: usize) -> Result<Table, OutputError> {
        let fault = |error: std::io::Error| OutputError::write(path, error);
        // Before it is opened for appending: `input::open` refuses a pipe, where that would block.
        match path.exists() {
            true => drop(input::open(path, LARGEST_TABLE).map_err(|reason| OutputError::data(path, reason))?),
            false => drop(files::create_new(path).map_err(fault)?),
        }
        let file = files::append(path).map_err(fault)?;
        if file.try_lock().is_err() {
            return Err(OutputError::write(path, "is being written by another sweep"));
        }
        let mut table = Table { path: path.to_owned(), file, points: 0, failed: 0, rows: 0 };
        let mut rows = 0;
        let found = whole_rows(path, columns, |record| {
            // A row that does not belong to the current point is spoiled. It and all that follows is computed again.
            if record.get(0) != Some(&(first + table.points).to_string()) {
                return None;
            }
            rows += 1;
            let ended = record.get(columns.len().wrapping_sub(2)).filter(|ended| !ended.is_empty());
            if let Some(ended) = ended {
                table.points += 1;
                table.failed += usize::from(ended == "error");
                table.rows = rows;
            }
            Some(ended.is_some())
        })?;
        let whole = found.unwrap_or(0);
        table.file.set_len(whole).map_err(fault)?;
        if found.is_none() {
            table.write(&[columns.to_vec()])?;
        }
        Ok(table)
    }

    /// Add a point: all its rows, the last of which says what ended it.
    ///
    /// # Errors
    /// A file that cannot be written. What is written of the point is cut off when the table is opened next.
    pub fn add(&mut self, rows: &[Vec<String>], failed: bool) -> Result<(), OutputError> {
        self.write(rows)?;
        self.points += 1;
        self.failed += usize::from(failed);
        self.rows += rows.len();
        Ok(())
    }

    fn write(&mut self, rows: &[Vec<String>]) -> Result<(), OutputError> {
        let fault = |error: std::io::Error| OutputError::write(&self.path, error);
        FaultInjected(&self.file).write_all(lines(rows).as_bytes()).and_then(|()| self.file.sync_data()).map_err(fault)
    }
}

/// The length of a table up to the last row after which it may be cut, bytes; `None` if not even the columns are complete. `end` is called
/// for each row in turn and says whether the table may end after it, or `None` for a row that it does not accept. Such a row, an incomplete
/// one, and all that follow do not count.
///
/// # Errors
/// A file that cannot be read, or that has other columns.
pub(super) fn whole_rows(
    path: &Path,
    columns: &[String],
    mut end: impl FnMut(&csv::StringRecord) -> Option<bool>,
) -> Result<Option<u64>, OutputError> {
    let data = |reason: String| OutputError::data(path, reason);
    let unreadable = |error: std::io::Error| data(format!("cannot be read: {error}"));
    let (mut file, length) = input::open(path, LARGEST_TABLE).map_err(data)?;
    let mut last = [b'\n'];
    if length > 0 {
        file.seek(SeekFrom::End(-1)).and_then(|_| file.read_exact(&mut last)).map_err(unreadable)?;
        file.rewind().map_err(unreadable)?;
    }
    // The reader stands behind a row when it has taken its line feed. A carriage return before that is trimmed with the last field.
    let (feed, trim) = (csv::Terminator::Any(b'\n'), csv::Trim::Fields);
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader.flexible(true).has_headers(false).terminator(feed).trim(trim).from_reader(file);
    let (mut record, mut whole) = (csv::StringRecord::new(), None);
    while reader.read_record(&mut record).is_ok_and(|more| more) {
        let position = reader.position().byte();
        // The last row is incomplete: writing it was interrupted.
        if position >= length && last != [b'\n'] {
            break;
        }
        let may_end = match whole {
            None if record.iter().eq(columns.iter().map(|column| column.trim())) => Some(true),
            None => return Err(data("has other columns than this run writes".to_owned())),
            Some(_) if record.len() == columns.len() => end(&record),
            Some(_) => None,
        };
        match may_end {
            Some(true) => whole = Some(position),
            Some(false) => {}
            None => break,
        }
    }
    Ok(whole)
}

/// Rows as CSV text.
pub fn lines(rows: &[Vec<String>]) -> String {
    let mut text = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    rows.iter().try_for_each(|row| text.write_record(row)).expect("memory takes all of it");
    String::from_utf8(text.into_inner().expect("as above")).expect("texts")
}
