//! Parquet and Arrow.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::{ArrayRef, Float32Array, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use clmatch::Values;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use super::integers;
use crate::dataset::Dataset;

/// The features in their own precision, then the label: integers if all labels are integers, or else texts.
fn batch(dataset: &Dataset, label: &str) -> Result<RecordBatch, ArrowError> {
    let features = dataset.features.len();
    let mut fields = Vec::with_capacity(features + 1);
    let mut columns: Vec<ArrayRef> = Vec::with_capacity(features + 1);
    for (f, name) in dataset.features.iter().enumerate() {
        let column: ArrayRef = match &dataset.values {
            Values::F64(values) => {
                Arc::new(values.iter().skip(f).step_by(features).copied().collect::<Float64Array>())
            }
            Values::F32(values) => {
                Arc::new(values.iter().skip(f).step_by(features).copied().collect::<Float32Array>())
            }
        };
        fields.push(Field::new(name, column.data_type().clone(), false));
        columns.push(column);
    }
    let labels: ArrayRef = match integers(dataset) {
        Some(numbers) => Arc::new(Int64Array::from(numbers)),
        None => Arc::new(StringArray::from_iter_values(
            (0..dataset.n_points()).map(|at| dataset.labels.name_of(at)),
        )),
    };
    debug_assert!(matches!(labels.data_type(), DataType::Int64 | DataType::Utf8));
    fields.push(Field::new(label, labels.data_type().clone(), false));
    columns.push(labels);
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
}

/// A Parquet file, compressed with zstd.
pub(super) fn parquet(dataset: &Dataset, label: &str, out: &mut dyn Write) -> io::Result<()> {
    let batch = batch(dataset, label).map_err(io::Error::other)?;
    let properties =
        WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default())).build();
    let mut bytes = Vec::new();
    let mut writer =
        ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).map_err(io::Error::other)?;
    writer.write(&batch).map_err(io::Error::other)?;
    writer.close().map_err(io::Error::other)?;
    out.write_all(&bytes)
}

/// An Arrow IPC file.
pub(super) fn arrow(dataset: &Dataset, label: &str, out: &mut dyn Write) -> io::Result<()> {
    let batch = batch(dataset, label).map_err(io::Error::other)?;
    let mut writer =
        arrow_ipc::writer::FileWriter::try_new(out, &batch.schema()).map_err(io::Error::other)?;
    writer.write(&batch).map_err(io::Error::other)?;
    writer.finish().map_err(io::Error::other)
}
