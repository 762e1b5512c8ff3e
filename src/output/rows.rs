//! CSV tables of a run, to which rows are appended.

use super::table::whole_rows;
use super::{OutputError, write_whole};
use crate::files::{self, FaultInjected};
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

/// A CSV table to which rows are appended.
#[derive(Debug)]
pub struct Rows {
    pub path: PathBuf,
    writer: csv::Writer<FaultInjected<File>>,
}

impl Rows {
    /// Begin a table.
    pub fn begin(path: PathBuf, columns: &[String]) -> Result<Rows, OutputError> {
        let file = files::create_new(&path).map_err(|error| OutputError::write(&path, error))?;
        let mut rows = Rows { path, writer: csv::Writer::from_writer(FaultInjected(file)) };
        // At once, so that the table has its columns even if the run is killed soon.
        rows.add([columns])?;
        Ok(rows)
    }

    /// Go on with a table, keeping its rows before this step. Its last row may be incomplete.
    pub fn reopen(path: PathBuf, columns: &[String], step: u64) -> Result<Rows, OutputError> {
        let before = |row: &csv::StringRecord, _| row[0].parse::<u64>().is_ok_and(|found| found < step).then_some(true);
        let whole = whole_rows(&path, columns, before)?.ok_or_else(|| OutputError::data(&path, "has no columns"))?;
        // As a new file, so that a run that still writes to the old one notices that another goes on.
        write_whole(&path, true, true, |file| io::copy(&mut File::open(&path)?.take(whole), file).map(drop))?;
        let file = files::append(&path).map_err(|error| OutputError::write(&path, error))?;
        Ok(Rows { path, writer: csv::Writer::from_writer(FaultInjected(file)) })
    }

    /// Append rows and flush them.
    pub fn add<R>(&mut self, rows: impl IntoIterator<Item = R>) -> Result<(), OutputError>
    where
        R: IntoIterator<Item: AsRef<[u8]>>,
    {
        let written = rows.into_iter().try_for_each(|row| self.writer.write_record(row)).map_err(io::Error::from);
        let flushed = written.and_then(|()| self.writer.flush());
        flushed.map_err(|error| OutputError::write(&self.path, error))
    }

    /// Make the rows so far durable: they survive a loss of power.
    pub fn sync(&self) -> Result<(), OutputError> {
        self.file().sync_data().map_err(|error| OutputError::write(&self.path, error))
    }

    pub fn file(&self) -> &File {
        &self.writer.get_ref().0
    }
}
