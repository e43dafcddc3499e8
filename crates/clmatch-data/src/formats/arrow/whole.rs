//! All columns of a file as they are stored, for writing it again.

use ::parquet::basic::Compression;
use ::parquet::file::metadata::{ColumnChunkMetaData, KeyValue};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, SchemaRef};

use super::column::{texts, write};
use super::describe;
use super::parquet::{self, ParquetFile};
use super::{ipc, is_number};
use crate::error::ReadError;
use crate::formats::detect::FileFormat;
use crate::glimpse::Described;
use crate::input::ByteSource;
use crate::memory::MemoryBudget;

/// How many rows are decoded at once.
const BATCH: usize = 1 << 16;

/// A file with typed columns in memory.
#[derive(Debug)]
pub(crate) struct WholeFile {
    pub(crate) schema: SchemaRef,
    pub(crate) batches: Vec<RecordBatch>,
    /// How a Parquet file is written.
    pub(crate) parquet: Option<ParquetStyle>,
}

/// How a Parquet file is written.
#[derive(Debug, Clone)]
pub(crate) struct ParquetStyle {
    pub(crate) compression: Option<Compression>,
    /// How many rows a group has.
    pub(crate) group: Option<usize>,
    /// What others have noted in it, pandas for instance.
    pub(crate) noted: Vec<KeyValue>,
}

impl WholeFile {
    /// Reads all columns of a Parquet or Arrow file.
    pub(crate) fn read(input: &ByteSource, format: FileFormat) -> Result<WholeFile, ReadError> {
        if format == FileFormat::Parquet {
            let file = ParquetFile::open(input)?;
            let schema = file.metadata.schema().clone();
            let roots: Vec<usize> = (0..schema.fields().len()).collect();
            let batches = file.batches(file.all(), &roots, BATCH)?.collect::<Result<_, ArrowError>>();
            let batches = batches.map_err(|error| parquet::arrow_error(&error))?;
            let metadata = file.metadata.metadata();
            let group = metadata.row_groups().first();
            // The schema is written anew.
            let noted = metadata.file_metadata().key_value_metadata().into_iter().flatten();
            let noted = noted.filter(|noted| noted.key != "ARROW:schema").cloned().collect();
            let compression =
                group.and_then(|group| group.columns().first()).map(ColumnChunkMetaData::compression);
            let group =
                group.and_then(|group| usize::try_from(group.num_rows()).ok()).filter(|&rows| rows > 0);
            return Ok(WholeFile {
                schema,
                batches,
                parquet: Some(ParquetStyle { compression, group, noted }),
            });
        }
        let budget = MemoryBudget::new(&crate::ReadOptions::default());
        let (schema, batches) = ipc::open(input, format == FileFormat::ArrowStream, None, budget)?;
        let batches = batches.collect::<Result<_, ArrowError>>().map_err(|error| ipc::arrow_error(&error))?;
        Ok(WholeFile { schema: schema.into(), batches, parquet: None })
    }

    /// Columns, with what the first rows show about them.
    pub(crate) fn describe(&self) -> Vec<Described> {
        describe(&self.schema, self.batches.first())
    }

    /// The texts of a column, `None` for a missing one.
    pub(crate) fn texts(&self, column: usize) -> Result<Vec<Option<String>>, ReadError> {
        let mut found = Vec::new();
        for batch in &self.batches {
            texts(batch.column(column), &mut |text| {
                found.push(text.map(|text| text.trim().to_owned()));
                Ok(())
            })?;
        }
        Ok(found)
    }

    /// Whether a column holds numbers.
    pub(crate) fn is_number(&self, column: usize) -> bool {
        is_number(self.schema.field(column).data_type())
    }

    /// The numbers of a column, NaN for a missing one; `None` if it holds anything else.
    pub(crate) fn numbers(&self, column: usize) -> Option<Vec<f64>> {
        if !self.is_number(column) {
            return None;
        }
        let mut found = Vec::new();
        for batch in &self.batches {
            let mut values = vec![f64::NAN; batch.num_rows()];
            write(batch.column(column), values.iter_mut()).ok()?;
            found.extend(values);
        }
        Some(found)
    }
}

/// The texts that a dictionary lists, in its order; nothing for other columns.
pub(crate) fn listed(array: &ArrayRef) -> Vec<String> {
    use arrow_array::cast::AsArray;
    let mut found = Vec::new();
    if let Some(dictionary) = array.as_any_dictionary_opt() {
        // Lists of other things than texts and numbers are left to the reader.
        let _ = texts(dictionary.values(), &mut |text| {
            found.extend(text.map(str::to_owned));
            Ok(())
        });
    }
    found
}

/// Calls `each` with the text of every row; `None` if the type has no texts.
pub(crate) fn each_text(array: &ArrayRef, each: &mut dyn FnMut(Option<&str>)) -> Option<()> {
    let each = &mut |text: Option<&str>| {
        each(text);
        Ok(())
    };
    texts(array, each).ok()
}
