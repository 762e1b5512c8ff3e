//! CSV tables converted to Parquet, for programs that read millions of rows.

use super::Failure;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use steerling::files;

/// Columns of whole numbers. All other columns of numbers are floats, whatever their values, so that tables of one kind have the
/// same types.
const WHOLE: [&str; 5] = ["point", "step", "id", "direction", "by"];
/// Columns that are text even if every value looks like a number. Other columns are text if they hold anything but numbers.
const TEXTS: [&str; 7] = ["digest", "ended", "error", "species", "from", "to", "line"];
/// Rows that are in memory at once, and form a row group.
const ROWS_AT_ONCE: usize = 1 << 16;

/// Write `TABLE.parquet` beside `TABLE.csv`, in place of an older one, and return where it is. An empty field is a null.
pub fn write_beside(table: &Path) -> Result<PathBuf, Failure> {
    let path = table.with_extension("parquet");
    let written = files::write_whole(&path, true, false, |file| Ok(convert(table, file)?));
    written.map_err(|error| Failure::file(&path, error))?;
    Ok(path)
}

fn convert(table: &Path, file: impl Write + Send) -> Result<()> {
    let open = || csv::Reader::from_path(table).map_err(io::Error::from);
    let mut reader = open()?;
    let names: Vec<String> = reader.headers().map_err(io::Error::from)?.iter().map(str::to_owned).collect();
    let kind = |name: &String| match name.as_str() {
        name if WHOLE.contains(&name) => Physical::INT64,
        name if TEXTS.contains(&name) => Physical::BYTE_ARRAY,
        _ => Physical::DOUBLE,
    };
    let mut kinds: Vec<Physical> = names.iter().map(kind).collect();
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(io::Error::from)? {
        for (kind, field) in kinds.iter_mut().zip(&record) {
            if *kind == Physical::DOUBLE && !field.is_empty() && field.parse::<f64>().is_err() {
                *kind = Physical::BYTE_ARRAY;
            }
        }
    }
    let columns = names.iter().zip(&kinds).map(|(name, kind)| {
        let is_text = (*kind == Physical::BYTE_ARRAY).then_some(LogicalType::String);
        let column = Type::primitive_type_builder(name, *kind).with_repetition(Repetition::OPTIONAL);
        column.with_logical_type(is_text).build().map(Arc::new)
    });
    let schema = Type::group_type_builder("table").with_fields(columns.collect::<Result<_>>()?).build()?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))?;
    let mut records = open()?.into_records();
    loop {
        let rows: Vec<_> = records.by_ref().take(ROWS_AT_ONCE).collect::<Result<_, _>>().map_err(io::Error::from)?;
        if rows.is_empty() {
            return writer.close().map(drop);
        }
        let mut group = writer.next_row_group()?;
        for (index, kind) in kinds.iter().enumerate() {
            let fields = rows.iter().map(|row| row.get(index).unwrap_or_default());
            let Some(column) = group.next_column()? else { break };
            match kind {
                Physical::INT64 => write::<Int64Type>(column, fields, |field| field.parse().map_err(bad(field)))?,
                Physical::DOUBLE => write::<DoubleType>(column, fields, |field| field.parse().map_err(bad(field)))?,
                _ => write::<ByteArrayType>(column, fields, |field| Ok(ByteArray::from(field)))?,
            }
        }
        group.close()?;
    }
}

/// The error for a field that does not parse as its column's type.
fn bad<E>(field: &str) -> impl Fn(E) -> ParquetError {
    move |_| ParquetError::General(format!("`{field}` is no number"))
}

/// Write one column of a row group.
fn write<'a, T: DataType>(
    mut column: SerializedColumnWriter<'_>,
    fields: impl Iterator<Item = &'a str>,
    read: impl Fn(&str) -> Result<T::T>,
) -> Result<()> {
    let value = |field: &str| (!field.is_empty()).then(|| read(field)).transpose();
    let values: Vec<Option<T::T>> = fields.map(value).collect::<Result<_>>()?;
    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    let values: Vec<T::T> = values.into_iter().flatten().collect();
    column.typed::<T>().write_batch(&values, Some(&levels), None)?;
    column.close()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    /// More rows than are held at once, with nulls, texts that look like numbers, and numbers that become texts late.
    #[test]
    fn a_table_is_the_same_again() {
        let folder = tempfile::tempdir().unwrap();
        let table = folder.path().join("table.csv");
        let rows = ROWS_AT_ONCE + 3;
        let mixed = |row: usize| if row + 1 == rows { "[1, 2]".to_owned() } else { row.to_string() };
        let share = |row: usize| if row.is_multiple_of(3) { String::new() } else { (row as f64 / 7.0).to_string() };
        let line = |row: usize| format!("{row},{},\"{}\",{row}e5,\n", share(row), mixed(row));
        let text: String = (0..rows).map(line).collect();
        std::fs::write(&table, format!("step,a \"share\",species.x.size[0],digest,error\n{text}")).unwrap();
        let path = write_beside(&table).unwrap();
        let found = SerializedFileReader::new(std::fs::File::open(&path).unwrap()).unwrap();
        let mut count = 0;
        for (row, found) in found.get_row_iter(None).unwrap().enumerate() {
            let found: Vec<_> = found.unwrap().into_columns();
            let text = |text: String| Field::Str(text);
            let share = share(row).parse().map_or(Field::Null, Field::Double);
            let fields = [Field::Long(row as i64), share, text(mixed(row)), text(format!("{row}e5")), Field::Null];
            let names = ["step", "a \"share\"", "species.x.size[0]", "digest", "error"].map(str::to_owned);
            assert_eq!(found, names.into_iter().zip(fields).collect::<Vec<_>>());
            count += 1;
        }
        assert_eq!(count, rows);
        // A second call replaces the file, unless the table is torn: then the old file stays.
        std::fs::write(&table, "step,a\n1,2\n").unwrap();
        let whole = std::fs::read(write_beside(&table).unwrap()).unwrap();
        for torn in ["step,a\n1,2,3\n", "step,a\n1.5,2\n"] {
            std::fs::write(&table, torn).unwrap();
            let said = write_beside(&table).unwrap_err().to_string();
            assert!(said.contains("table.parquet") && std::fs::read(&path).unwrap() == whole, "{said}");
        }
    }
}
