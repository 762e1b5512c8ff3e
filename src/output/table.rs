//! The table of a sweep: the rows of its points, one point after another. The last row of a point says what ended it. So after the program
//! was killed, the table shows which points are complete, and the rest is cut off. If the experiment has got more values since, its points
//! have other numbers: a point of the table is known by its values. Rows are put in the order of the points when the table is complete.

use super::{OutputError, write_whole};
use crate::files::{self, FaultInjected};
use crate::input;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Largest table that is read, bytes.
const LARGEST_TABLE: u64 = 1 << 36;

/// A table that points are added to.
#[derive(Debug)]
pub struct Table {
    path: PathBuf,
    file: File,
    columns: Vec<String>,
    /// The points that the table is to have.
    asked: Range<usize>,
    /// The complete points, and the bytes of their rows.
    places: BTreeMap<usize, Range<u64>>,
    /// Are the points in order, with their present numbers?
    in_order: bool,
    /// The number of complete points that failed.
    pub failed: usize,
    /// The rows of all complete points.
    pub rows: usize,
}

impl Table {
    /// Begin a table of the points `asked`, or go on with an existing one, keeping its complete points. The last two columns are `ended`,
    /// which is empty except in the last row of a point, and `error`. `point` gives the point that a row belongs to, if there is one.
    ///
    /// # Errors
    /// A file that cannot be read or written, that has other columns or points, or that another program is writing.
    pub fn open(
        path: &Path,
        columns: &[String],
        asked: Range<usize>,
        point: impl Fn(&csv::StringRecord) -> Option<usize>,
    ) -> Result<Table, OutputError> {
        let fault = |error: io::Error| OutputError::write(path, error);
        // Before it is opened for appending: `input::open` refuses a pipe, where that would block.
        match path.exists() {
            true => drop(input::open(path, LARGEST_TABLE).map_err(|reason| OutputError::data(path, reason))?),
            false => drop(files::create_new(path).map_err(fault)?),
        }
        let file = files::append(path).map_err(fault)?;
        if file.try_lock().is_err() {
            return Err(OutputError::write(path, "is being written by another sweep"));
        }
        let (path, columns) = (path.to_owned(), columns.to_vec());
        let (places, in_order) = (BTreeMap::new(), true);
        let mut table = Table { path, file, columns, asked, places, in_order, failed: 0, rows: 0 };
        let (mut rows, mut begun, mut other) = (0, None, false);
        let found = whole_rows(&table.path, &table.columns, |record, bytes| {
            let found = point(record).filter(|point| table.asked.contains(point));
            other |= found.is_none();
            let point = found?;
            // A row that does not belong to the current point is spoiled. It and all that follows is computed again.
            let (current, start) = *begun.get_or_insert((point, bytes.start));
            if point != current || table.places.contains_key(&point) {
                return None;
            }
            rows += 1;
            table.in_order &= record[0] == *point.to_string();
            let ended = record.get(table.columns.len().wrapping_sub(2)).filter(|ended| !ended.is_empty());
            if let Some(ended) = ended {
                begun = None;
                table.in_order &= table.places.last_key_value().is_none_or(|(last, _)| *last < point);
                table.places.insert(point, start..bytes.end);
                table.failed += usize::from(ended == "error");
                table.rows = rows;
            }
            Some(ended.is_some())
        })?;
        if other {
            let reason = "has points that this experiment, or this part of it, does not have: values may be added, but \
                not taken away, and not while there are parts; give another folder with --out";
            return Err(OutputError::data(&table.path, reason));
        }
        let whole = found.unwrap_or(0);
        table.file.set_len(whole).map_err(fault)?;
        if found.is_none() {
            table.write(&[table.columns.clone()])?;
        }
        table.arrange()?;
        Ok(table)
    }

    /// The number of complete points.
    pub fn points(&self) -> usize {
        self.places.len()
    }

    /// The next points from this one on that are not in the table; none if all are.
    pub fn missing(&self, from: usize) -> Range<usize> {
        let end = self.asked.end;
        let first = (from..end).find(|point| !self.places.contains_key(point)).unwrap_or(end);
        first..self.places.range(first..).next().map_or(end, |(point, _)| *point)
    }

    /// If all points are there, put their rows in order, with their present numbers.
    fn arrange(&mut self) -> Result<(), OutputError> {
        if self.in_order || self.points() < self.asked.len() {
            return Ok(());
        }
        let sorted = |file: &mut dyn Write| {
            file.write_all(lines(std::slice::from_ref(&self.columns)).as_bytes())?;
            let mut table = File::open(&self.path)?;
            self.places.iter().try_for_each(|(point, bytes)| {
                table.seek(SeekFrom::Start(bytes.start))?;
                let rows = (&mut table).take(bytes.end - bytes.start);
                let mut rows = csv::ReaderBuilder::new().has_headers(false).from_reader(rows);
                let number = |row: csv::Result<csv::StringRecord>| {
                    Ok(std::iter::once(point.to_string()).chain(row?.iter().skip(1).map(str::to_owned)).collect())
                };
                file.write_all(lines(&rows.records().map(number).collect::<csv::Result<Vec<_>>>()?).as_bytes())
            })
        };
        self.in_order = true;
        write_whole(&self.path, true, true, |file| sorted(file))
    }

    /// Add a point: all its rows, the last of which says what ended it.
    ///
    /// # Errors
    /// A file that cannot be written. What is written of the point is cut off when the table is opened next.
    pub fn add(&mut self, point: usize, rows: &[Vec<String>], failed: bool) -> Result<(), OutputError> {
        let bytes = self.write(rows)?;
        self.in_order &= self.places.last_key_value().is_none_or(|(last, _)| *last < point);
        self.places.insert(point, bytes);
        self.failed += usize::from(failed);
        self.rows += rows.len();
        self.arrange()
    }

    /// Append rows. Returns their bytes in the file.
    fn write(&mut self, rows: &[Vec<String>]) -> Result<Range<u64>, OutputError> {
        let fault = |error: io::Error| OutputError::write(&self.path, error);
        let (start, text) = (self.file.metadata().map_err(fault)?.len(), lines(rows));
        FaultInjected(&self.file).write_all(text.as_bytes()).and_then(|()| self.file.sync_data()).map_err(fault)?;
        Ok(start..start + text.len() as u64)
    }
}

/// The length of a table up to the last row after which it may be cut, bytes; `None` if not even the columns are complete. `end` is called
/// for each row in turn, with its bytes, and says whether the table may end after it, or `None` for a row that it does not accept. Such a
/// row, an incomplete one, and all that follow do not count.
///
/// # Errors
/// A file that cannot be read, or that has other columns.
pub(super) fn whole_rows(
    path: &Path,
    columns: &[String],
    mut end: impl FnMut(&csv::StringRecord, Range<u64>) -> Option<bool>,
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
    let (mut record, mut whole, mut start) = (csv::StringRecord::new(), None, 0);
    while reader.read_record(&mut record).is_ok_and(|more| more) {
        let position = reader.position().byte();
        // The last row is incomplete: writing it was interrupted.
        if position >= length && last != [b'\n'] {
            break;
        }
        let may_end = match whole {
            None if record.iter().eq(columns.iter().map(|column| column.trim())) => Some(true),
            None => return Err(data("has other columns than this run writes".to_owned())),
            Some(_) if record.len() == columns.len() => end(&record, start..position),
            Some(_) => None,
        };
        match may_end {
            Some(true) => whole = Some(position),
            Some(false) => {}
            None => break,
        }
        start = position;
    }
    Ok(whole)
}

/// Rows as CSV text.
pub fn lines(rows: &[Vec<String>]) -> String {
    let mut text = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    rows.iter().try_for_each(|row| text.write_record(row)).expect("memory takes all of it");
    String::from_utf8(text.into_inner().expect("as above")).expect("texts")
}
