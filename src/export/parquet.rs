//! A table as a Parquet file, for what reads columns: DuckDB, Spark, Polars.
//!
//! The schema is that of the table whatever a file holds, and a table without rows is a file without rows, so
//! that thousands of ranks read as one. Rows are gathered by column and written as a group as soon as there are
//! enough of them, so a long table needs no more memory than a short one.

use super::tables::{Column, Source, Table, Type, Value};
use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type as Schema};
use std::io::{Error, Result, Write};
use std::sync::Arc;

/// When a group is written.
#[derive(Clone, Copy)]
struct Full {
    rows: usize,
    /// Bytes of text in a column.
    text: usize,
}

const FULL: Full = Full { rows: 1 << 18, text: 32 << 20 };

/// Writes a table; gives back what took it.
pub fn write_table<W: Write + Send>(source: &Source<'_>, table: &Table, out: W) -> Result<W> {
    write_groups(source, table, out, FULL)
}

fn write_groups<W: Write + Send>(source: &Source<'_>, table: &Table, out: W, full: Full) -> Result<W> {
    let mut columns = vec![Gathered::new("id", Type::Integer, true)];
    columns.extend(table.columns.iter().map(|c| Gathered::new(c.name, c.holds, is_required(c))));
    let schema = Arc::new(schema(table, &columns).map_err(failed)?);
    let properties = Arc::new(properties(&columns));
    let mut writer = SerializedFileWriter::new(out, schema, properties).map_err(failed)?;
    let (mut id, mut rows) = (0, 0);
    source.rows(table.id, &mut |cells| {
        (id, rows) = (id + 1, rows + 1);
        let mut is_full = rows >= full.rows;
        for (column, &cell) in columns.iter_mut().zip(std::iter::once(&Value::Int(id)).chain(cells)) {
            column.push(cell)?;
            is_full |= column.text.len() >= full.text;
        }
        if is_full {
            rows = 0;
            write_group(&mut writer, &mut columns)?;
        }
        Ok(())
    })?;
    if rows > 0 {
        write_group(&mut writer, &mut columns)?;
    }
    writer.into_inner().map_err(failed)
}

/// The cells of a column that wait to be written: those of its type are in use.
struct Gathered {
    name: &'static str,
    holds: Type,
    is_required: bool,
    integers: Vec<i64>,
    reals: Vec<f64>,
    /// Texts, one after the other, and where each ends.
    text: Vec<u8>,
    ends: Vec<usize>,
    /// 1 where there is a cell, 0 where it is null; not for what is required.
    levels: Vec<i16>,
}

impl Gathered {
    fn new(name: &'static str, holds: Type, is_required: bool) -> Gathered {
        Gathered {
            name,
            holds,
            is_required,
            integers: Vec::new(),
            reals: Vec::new(),
            text: Vec::new(),
            ends: Vec::new(),
            levels: Vec::new(),
        }
    }

    #[inline]
    fn push(&mut self, value: Value<'_>) -> Result<()> {
        match (self.holds, value) {
            (_, Value::Null) if !self.is_required => {
                self.levels.push(0);
                return Ok(());
            }
            (Type::Integer, Value::Int(value)) => self.integers.push(value),
            (Type::Real, Value::Real(value)) => self.reals.push(value),
            (Type::Text, Value::Text(text)) => {
                self.text.extend_from_slice(text.as_bytes());
                self.ends.push(self.text.len());
            }
            (holds, value) => {
                return Err(Error::other(format!("{} holds {holds:?}, not {value:?}", self.name)));
            }
        }
        if !self.is_required {
            self.levels.push(1);
        }
        Ok(())
    }

    /// The texts, as parts of one buffer.
    fn texts(&mut self) -> Vec<ByteArray> {
        let all = ByteArray::from(std::mem::take(&mut self.text));
        let mut start = 0;
        let part = |end: usize| {
            let text = all.slice(start, end - start);
            start = end;
            text
        };
        self.ends.drain(..).map(part).collect()
    }
}

fn write_group<W: Write + Send>(
    writer: &mut SerializedFileWriter<W>,
    columns: &mut [Gathered],
) -> Result<()> {
    let mut group = writer.next_row_group().map_err(failed)?;
    for cells in columns {
        let Some(mut column) = group.next_column().map_err(failed)? else { break };
        let texts = cells.texts();
        let levels = (!cells.is_required).then_some(cells.levels.as_slice());
        match cells.holds {
            Type::Integer => column.typed::<Int64Type>().write_batch(&cells.integers, levels, None),
            Type::Real => column.typed::<DoubleType>().write_batch(&cells.reals, levels, None),
            Type::Text => column.typed::<ByteArrayType>().write_batch(&texts, levels, None),
        }
        .map_err(failed)?;
        column.close().map_err(failed)?;
        cells.integers.clear();
        cells.reals.clear();
        cells.levels.clear();
    }
    group.close().map_err(failed)?;
    Ok(())
}

fn is_required(column: &Column) -> bool {
    column.constraint.contains("NOT NULL")
}

fn schema(table: &Table, columns: &[Gathered]) -> std::result::Result<Schema, ParquetError> {
    let mut fields = Vec::new();
    for column in columns {
        let (physical, logical) = match column.holds {
            Type::Integer => (Physical::INT64, None),
            Type::Real => (Physical::DOUBLE, None),
            Type::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let need = if column.is_required { Repetition::REQUIRED } else { Repetition::OPTIONAL };
        let field = Schema::primitive_type_builder(column.name, physical)
            .with_repetition(need)
            .with_logical_type(logical);
        fields.push(Arc::new(field.build()?));
    }
    Schema::group_type_builder(table.name).with_fields(fields).build()
}

/// Integers that are too many for a dictionary are mostly numbers of events, addresses and times, which differ
/// little from those before.
fn properties(columns: &[Gathered]) -> WriterProperties {
    let mut properties = WriterProperties::builder().set_compression(Compression::SNAPPY);
    for column in columns.iter().filter(|column| column.holds == Type::Integer) {
        let path = ColumnPath::from(column.name);
        if column.name == "id" {
            properties = properties.set_column_dictionary_enabled(path.clone(), false);
        }
        properties = properties.set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
    }
    properties.build()
}

fn failed(error: ParquetError) -> Error {
    Error::other(error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::tables::table;
    use crate::model::Snapshot;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    #[test]
    fn rows_are_the_same_in_groups_of_any_size() {
        let mut snapshot = Snapshot::default();
        for n in 0..10 {
            snapshot.allocator_settings.push((format!("name {n}"), "x".repeat(n)));
        }
        let source = Source::of_snapshot(&snapshot, &[]);
        let table = table("allocator_settings").unwrap();
        for (rows, text, groups) in [(100, 1 << 20, 1), (10, 1 << 20, 1), (3, 1 << 20, 4), (100, 12, 5)] {
            let path = std::env::temp_dir().join(format!("hbmlens-groups-{}.parquet", std::process::id()));
            let file = std::fs::File::create(&path).unwrap();
            write_groups(&source, table, file, Full { rows, text }).unwrap();
            let reader = SerializedFileReader::new(std::fs::File::open(&path).unwrap()).unwrap();
            std::fs::remove_file(&path).unwrap();
            assert_eq!(reader.num_row_groups(), groups, "{rows} {text}");
            for (n, row) in reader.get_row_iter(None).unwrap().enumerate() {
                let cells: Vec<Field> =
                    row.unwrap().into_columns().into_iter().map(|(_, cell)| cell).collect();
                let expected =
                    [Field::Long(n as i64 + 1), Field::Str(format!("name {n}")), Field::Str("x".repeat(n))];
                assert_eq!(cells, expected);
            }
        }
    }

    #[test]
    fn a_cell_of_another_type_is_an_error_and_no_row() {
        let mut required = Gathered::new("size", Type::Integer, true);
        assert!(required.push(Value::Null).is_err());
        assert!(required.push(Value::Text("x")).is_err());
        assert!(required.push(Value::Int(1)).is_ok() && required.levels.is_empty());
        let mut optional = Gathered::new("stack_id", Type::Integer, false);
        assert!(optional.push(Value::Null).is_ok() && optional.push(Value::Int(1)).is_ok());
        assert_eq!((optional.levels, optional.integers), (vec![0, 1], vec![1]));
    }
}
