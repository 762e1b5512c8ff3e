//! The table of a sweep: the rows of one point after the other. The last row of a point says what ended it, so after a
//! program that was killed the table shows which points are whole, and the rest is cut off.

use super::OutputError;
use crate::files::{self, Tried};
use crate::input;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Largest table that is read, bytes.
const LARGEST_TABLE: u64 = 1 << 36;

/// A table that points are added to.
#[derive(Debug)]
pub struct Table {
    path: PathBuf,
    file: File,
    /// Points that are whole.
    pub points: usize,
    /// The whole points that failed.
    pub failed: usize,
    /// Their rows.
    pub rows: usize,
}

impl Table {
    /// Begin a table of the points from this number on, or go on with one: with the points that are whole. The last two columns are
    /// `ended`, which is empty but in the last row of a point, and `error`.
    ///
    /// # Errors
    /// A file that cannot be read or written, that has other columns, or that another program is writing.
    pub fn open(path: &Path, columns: &[String], first: usize) -> Result<Table, OutputError> {
        let fault = |error: std::io::Error| OutputError::write(path, error);
        // A pipe would be waited for where it is opened.
        match path.exists() {
            true => drop(input::open(path, LARGEST_TABLE).map_err(|reason| OutputError::data(path, reason))?),
            false => drop(files::create_new(path).map_err(fault)?),
        }
        let file = files::append(path).map_err(fault)?;
        if file.try_lock().is_err() {
            return Err(OutputError::write(path, "is being written by another sweep"));
        }
        let bytes = input::read(path, LARGEST_TABLE).map_err(|reason| OutputError::data(path, reason))?;
        let mut table = Table { path: path.to_owned(), file, points: 0, failed: 0, rows: 0 };
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(&bytes[..]);
        let header = bytes.contains(&b'\n').then(|| reader.headers().is_ok_and(|found| found == columns));
        if header == Some(false) {
            return Err(OutputError::data(path, "has other columns than the experiment has"));
        }
        let mut whole = header.map_or(0, |_| reader.position().byte());
        let (mut record, mut rows) = (csv::StringRecord::new(), 0);
        while header.is_some() && reader.read_record(&mut record).is_ok_and(|more| more) {
            let (end, ended) = (reader.position().byte(), record.get(columns.len().wrapping_sub(2)));
            // What is not a row of this point was spoiled, and whatever follows is computed again.
            if record.len() != columns.len() || record.get(0) != Some(&(first + table.points).to_string()) {
                break;
            }
            rows += 1;
            if ended != Some("") && bytes.get(end as usize - 1) == Some(&b'\n') {
                whole = end;
                table.points += 1;
                table.failed += usize::from(ended == Some("error"));
                table.rows = rows;
            }
        }
        table.file.set_len(whole).map_err(fault)?;
        if header.is_none() {
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
        Tried(&self.file).write_all(lines(rows).as_bytes()).and_then(|()| self.file.sync_data()).map_err(fault)
    }
}

/// Rows as a table has them.
pub fn lines(rows: &[Vec<String>]) -> String {
    let mut text = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    rows.iter().try_for_each(|row| text.write_record(row)).expect("memory takes all of it");
    String::from_utf8(text.into_inner().expect("as above")).expect("texts")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cut anywhere, the table goes on from a whole point, and is the same in the end.
    #[test]
    fn a_table_that_was_cut_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.csv");
        let columns = ["point", "text", "ended", "error"].map(str::to_owned);
        let row = |point: usize, text: &str, ended: &str| {
            [point.to_string().as_str(), text, ended, ""].map(str::to_owned).to_vec()
        };
        let points =
            [vec![row(0, "a", ""), row(0, "b\nc", "steps")], vec![row(1, "d", "error")], vec![row(2, "e", "until")]];
        let fill = |cut: Option<usize>| {
            let mut table = Table::open(&path, &columns, 0).unwrap();
            let first = table.points;
            points[first..].iter().for_each(|rows| table.add(rows, rows[0][2] == "error").unwrap());
            assert_eq!((table.points, table.failed, table.rows), (3, 1, 4), "{cut:?}");
            (first, std::fs::read(&path).unwrap())
        };
        let (_, whole) = fill(None);
        let mut starts = Vec::new();
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let (first, again) = fill(Some(cut));
            assert_eq!(String::from_utf8(again), String::from_utf8(whole.clone()), "cut at {cut}");
            starts.push(first);
        }
        starts.dedup();
        assert_eq!(starts, [0, 1, 2, 3]);
        // Nor does it take rows that somebody has spoiled: of another point, or torn.
        let text = String::from_utf8(whole.clone()).unwrap();
        for (from, to, first) in
            [("\n1,d", "\n7,d", 1), ("\n2,e", "\nx,e", 2), ("0,a,", "0,\r\na,", 0), ("until,", "until", 2)]
        {
            std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
            assert_eq!(fill(None), (first, whole.clone()), "{to}");
        }
        let other = Table::open(&path, &["point", "ended", "error"].map(str::to_owned), 0).unwrap_err();
        assert!(other.to_string().contains("other columns"), "{other}");
        let held = Table::open(&path, &columns, 0).unwrap();
        let error = Table::open(&path, &columns, 0).unwrap_err();
        assert!(error.to_string().contains("another sweep"), "{error}");
        drop(held);
    }
}
