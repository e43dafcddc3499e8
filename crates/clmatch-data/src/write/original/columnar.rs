//! Parquet and Arrow files with some columns replaced. All other columns, their types and what is noted about them stay.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::builder::PrimitiveBuilder;
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, LargeStringArray, PrimitiveArray, RecordBatch,
    StringArray, StringViewArray, make_array,
};
use arrow_data::transform::MutableArrayData;
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema};
use clmatch::Values;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use super::pandas;
use super::plan::{ColumnPlan, RowPlan, WritePlan};
use super::sheet::{CellKind, Sheet};
use crate::formats::arrow::whole::{ParquetStyle, WholeFile, listed};
use crate::formats::detect::FileFormat;

/// A column to write: each batch has a part of it.
struct NewColumn {
    field: FieldRef,
    parts: Vec<ArrayRef>,
}

/// Writes the file with the changes made, as Parquet or Arrow.
pub(super) fn write(
    file: &WholeFile,
    plan: &WritePlan<'_>,
    format: FileFormat,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut columns = Vec::new();
    for column in 0..file.schema.fields().len() {
        if plan.label == Some(column) {
            let field = file.schema.field(column);
            let kept = plan.column.is_some() || plan.kept().all(|row| row.old == row.new);
            columns.push(if kept {
                stored(file, plan, column)?
            } else {
                labels(file, plan, field, Some(column))
            });
            columns.extend(
                plan.column.iter().map(|name| labels(file, plan, &field.clone().with_name(name), None)),
            );
            continue;
        }
        match &plan.columns[column] {
            ColumnPlan::Remove => {}
            ColumnPlan::Keep => columns.push(stored(file, plan, column)?),
            ColumnPlan::Features(features) => {
                for &feature in features {
                    let own = plan.feature(feature) == file.schema.field(column).name();
                    let kept = own && is_same(file, plan, column, feature);
                    columns.push(if kept {
                        stored(file, plan, column)?
                    } else {
                        numbers(file, plan, feature)
                    });
                }
            }
        }
    }
    if plan.label.is_none() {
        let field = |name: &String| Field::new(name, DataType::Utf8, false);
        columns.extend(plan.column.iter().map(|name| labels(file, plan, &field(name), None)));
    }
    if format != FileFormat::Parquet && file.parquet.is_some() {
        // Every batch of a Parquet file may have its own dictionary, those of an Arrow file share one.
        columns.iter_mut().for_each(share_dictionary);
    }
    let fields: Vec<FieldRef> = columns.iter().map(|column| column.field.clone()).collect();
    let mut schema = Schema::new(fields);
    let renoted = |note: &str| pandas::renoted(note, &file.schema, &schema);
    let mut style = file.parquet.clone();
    for noted in style.iter_mut().flat_map(|style| &mut style.noted).filter(|noted| noted.key == pandas::KEY)
    {
        if let Some(note) = noted.value.as_deref().and_then(renoted) {
            noted.value = Some(note);
        }
    }
    let mut metadata = file.schema.metadata().clone();
    if let Some(note) = metadata.get_mut(pandas::KEY)
        && let Some(new) = renoted(note)
    {
        *note = new;
    }
    schema.metadata = metadata;
    let schema = Arc::new(schema);
    let batch = |part: usize| {
        RecordBatch::try_new(
            schema.clone(),
            columns.iter().map(|column| column.parts[part].clone()).collect(),
        )
    };
    let batches = (0..file.batches.len()).map(batch).collect::<Result<_, _>>().map_err(io::Error::other)?;
    write_batches(&WholeFile { schema: schema.clone(), batches, parquet: None }, style.as_ref(), format, out)
}

fn write_batches(
    file: &WholeFile,
    style: Option<&ParquetStyle>,
    format: FileFormat,
    out: &mut dyn Write,
) -> io::Result<()> {
    let failed = |error: ArrowError| io::Error::other(error);
    if format == FileFormat::ArrowStream {
        let mut writer = arrow_ipc::writer::StreamWriter::try_new(out, &file.schema).map_err(failed)?;
        file.batches.iter().try_for_each(|batch| writer.write(batch)).map_err(failed)?;
        return writer.finish().map_err(failed);
    }
    if format != FileFormat::Parquet {
        let mut writer = arrow_ipc::writer::FileWriter::try_new(out, &file.schema).map_err(failed)?;
        file.batches.iter().try_for_each(|batch| writer.write(batch)).map_err(failed)?;
        return writer.finish().map_err(failed);
    }
    let written = |compression: &Compression| {
        matches!(
            compression,
            Compression::UNCOMPRESSED
                | Compression::SNAPPY
                | Compression::GZIP(_)
                | Compression::ZSTD(_)
                | Compression::LZ4_RAW
        )
    };
    let compression = style.and_then(|style| style.compression).filter(written);
    let mut properties = WriterProperties::builder()
        .set_compression(compression.unwrap_or(Compression::ZSTD(ZstdLevel::default())));
    if let Some(style) = style {
        properties = properties.set_key_value_metadata(Some(style.noted.clone()));
        if let Some(group) = style.group {
            properties = properties.set_max_row_group_row_count(Some(group));
        }
    }
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, file.schema.clone(), Some(properties.build()))?;
    file.batches.iter().try_for_each(|batch| writer.write(batch))?;
    writer.close()?;
    out.write_all(&bytes)
}

/// The rows of each batch.
fn rows_of<'a>(file: &WholeFile, plan: &'a WritePlan<'_>) -> Vec<&'a [RowPlan]> {
    let mut rest = &plan.rows[..];
    let own = file.batches.iter().map(|batch| {
        let (own, others) = rest.split_at(batch.num_rows().min(rest.len()));
        rest = others;
        own
    });
    own.collect()
}

/// A column as it is stored, without the rows that are left out.
fn stored(file: &WholeFile, plan: &WritePlan<'_>, column: usize) -> io::Result<NewColumn> {
    let part = |(batch, rows): (&RecordBatch, &[RowPlan])| {
        let array = batch.column(column);
        if rows.iter().all(|row| row.stays) { Ok(array.clone()) } else { without(array, rows) }
    };
    let parts = file.batches.iter().zip(rows_of(file, plan)).map(part).collect::<Result<_, _>>();
    Ok(NewColumn { field: file.schema.fields()[column].clone(), parts: parts.map_err(io::Error::other)? })
}

fn without(array: &ArrayRef, rows: &[RowPlan]) -> Result<ArrayRef, ArrowError> {
    let data = array.to_data();
    let mut kept = MutableArrayData::new(vec![&data], false, rows.len());
    for (at, _) in rows.iter().enumerate().filter(|(_, row)| row.stays) {
        kept.try_extend(0, at, at + 1)?;
    }
    Ok(make_array(kept.freeze()))
}

/// The labels, as values of the type that the column has, if they fit into it; otherwise as texts.
fn labels(file: &WholeFile, plan: &WritePlan<'_>, like: &Field, column: Option<usize>) -> NewColumn {
    let declared: Vec<Vec<u8>> = match (column, plan.label, file.batches.first()) {
        (Some(column), _, Some(first)) | (None, Some(column), Some(first)) => {
            listed(first.column(column)).into_iter().map(String::into_bytes).collect()
        }
        _ => Vec::new(),
    };
    let values = plan.declared(&declared);
    let names: Vec<Option<&str>> = plan.kept().map(|row| plan.label_of(row)).collect();
    // A number that is too large for a narrow type is a number all the same.
    let wide = like.data_type().is_integer().then_some(DataType::Int64);
    let mut kinds = std::iter::once(like.data_type().clone()).chain(wide);
    let kind = kinds.find(|kind| typed(kind, &names, &values).is_some()).unwrap_or(DataType::Utf8);
    let part = |rows: &[RowPlan]| {
        let names: Vec<Option<&str>> =
            rows.iter().filter(|row| row.stays).map(|row| plan.label_of(row)).collect();
        typed(&kind, &names, &values).unwrap_or_else(|| Arc::new(StringArray::from(names)))
    };
    let parts = rows_of(file, plan).into_iter().map(part).collect();
    let nullable = like.is_nullable() || names.contains(&None);
    let field = Field::clone(like).with_data_type(kind).with_nullable(nullable);
    NewColumn { field: Arc::new(field), parts }
}

/// Whether the values of a feature are those that the column has.
fn is_same(file: &WholeFile, plan: &WritePlan<'_>, column: usize, feature: usize) -> bool {
    let single = matches!(plan.result.values(), Values::F32(_));
    let same = |(row, number): (&RowPlan, f64)| {
        let value = plan.value(row, feature);
        !row.stays || value == if single { f64::from(number as f32) } else { number }
    };
    file.numbers(column).is_some_and(|numbers| plan.rows.iter().zip(numbers).all(same))
}

fn numbers(file: &WholeFile, plan: &WritePlan<'_>, feature: usize) -> NewColumn {
    let single = matches!(plan.result.values(), Values::F32(_));
    let part = |rows: &[RowPlan]| -> ArrayRef {
        let values = rows.iter().filter(|row| row.stays).map(|row| plan.value(row, feature));
        if single {
            Arc::new(PrimitiveArray::<Float32Type>::from_iter_values(values.map(|value| value as f32)))
        } else {
            Arc::new(PrimitiveArray::<Float64Type>::from_iter_values(values))
        }
    };
    let parts = rows_of(file, plan).into_iter().map(part).collect();
    let kind = if single { DataType::Float32 } else { DataType::Float64 };
    NewColumn { field: Arc::new(Field::new(plan.feature(feature), kind, false)), parts }
}

/// Gives all parts of a column of categories the same list of them.
fn share_dictionary(column: &mut NewColumn) {
    if !matches!(column.field.data_type(), DataType::Dictionary(..)) {
        return;
    }
    let mut values: Vec<String> = Vec::new();
    for text in column.parts.iter().flat_map(listed) {
        if !values.contains(&text) {
            values.push(text);
        }
    }
    let shared = |part: &ArrayRef| {
        let mut names = Vec::new();
        crate::formats::arrow::whole::each_text(part, &mut |text| names.push(text.map(str::to_owned)))?;
        let names: Vec<Option<&str>> = names.iter().map(Option::as_deref).collect();
        typed(column.field.data_type(), &names, &values)
    };
    if let Some(parts) = column.parts.iter().map(shared).collect() {
        column.parts = parts;
    }
}

/// Texts as values of a type; `None` if they do not fit into it. `listed` are the categories of a dictionary.
fn typed(kind: &DataType, names: &[Option<&str>], listed: &[String]) -> Option<ArrayRef> {
    fn parsed<T: ArrowPrimitiveType>(names: &[Option<&str>]) -> Option<ArrayRef>
    where
        T::Native: std::str::FromStr + std::fmt::Display,
    {
        let mut values = PrimitiveBuilder::<T>::with_capacity(names.len());
        for name in names {
            match name {
                // A name such as 007 is no number.
                Some(name) => {
                    values.append_value(name.parse::<T::Native>().ok().filter(|v| v.to_string() == *name)?);
                }
                None => values.append_null(),
            }
        }
        Some(Arc::new(values.finish()))
    }
    fn coded<K: ArrowDictionaryKeyType>(
        names: &[Option<&str>],
        values: ArrayRef,
        listed: &[String],
    ) -> Option<ArrayRef>
    where
        K::Native: TryFrom<usize>,
    {
        let mut keys = PrimitiveBuilder::<K>::with_capacity(names.len());
        for name in names {
            match name {
                Some(name) => {
                    let place = listed.iter().position(|listed| listed == name)?;
                    keys.append_value(K::Native::try_from(place).ok()?);
                }
                None => keys.append_null(),
            }
        }
        Some(Arc::new(DictionaryArray::<K>::try_new(keys.finish(), values).ok()?))
    }
    match kind {
        DataType::Utf8 => Some(Arc::new(StringArray::from(names.to_vec()))),
        DataType::LargeUtf8 => Some(Arc::new(LargeStringArray::from(names.to_vec()))),
        DataType::Utf8View => Some(Arc::new(StringViewArray::from(names.to_vec()))),
        DataType::Boolean => {
            let word = |name: &Option<&str>| match name {
                Some("true") => Some(Some(true)),
                Some("false") => Some(Some(false)),
                Some(_) => None,
                None => Some(None),
            };
            Some(Arc::new(names.iter().map(word).collect::<Option<BooleanArray>>()?))
        }
        DataType::Int8 => parsed::<Int8Type>(names),
        DataType::Int16 => parsed::<Int16Type>(names),
        DataType::Int32 => parsed::<Int32Type>(names),
        DataType::Int64 => parsed::<Int64Type>(names),
        DataType::UInt8 => parsed::<UInt8Type>(names),
        DataType::UInt16 => parsed::<UInt16Type>(names),
        DataType::UInt32 => parsed::<UInt32Type>(names),
        DataType::UInt64 => parsed::<UInt64Type>(names),
        DataType::Float32 => parsed::<Float32Type>(names),
        DataType::Float64 => parsed::<Float64Type>(names),
        DataType::Dictionary(key, value) => {
            let values =
                typed(value, &listed.iter().map(|name| Some(name.as_str())).collect::<Vec<_>>(), &[])?;
            match **key {
                DataType::Int8 => coded::<Int8Type>(names, values, listed),
                DataType::Int16 => coded::<Int16Type>(names, values, listed),
                DataType::Int32 => coded::<Int32Type>(names, values, listed),
                DataType::Int64 => coded::<Int64Type>(names, values, listed),
                DataType::UInt8 => coded::<UInt8Type>(names, values, listed),
                DataType::UInt16 => coded::<UInt16Type>(names, values, listed),
                DataType::UInt32 => coded::<UInt32Type>(names, values, listed),
                DataType::UInt64 => coded::<UInt64Type>(names, values, listed),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Writes a sheet as Parquet or Arrow.
pub(super) fn write_sheet(sheet: &Sheet, format: FileFormat, out: &mut dyn Write) -> io::Result<()> {
    let columns = sheet.columns.iter().map(|column| {
        let names: Vec<Option<&str>> = column.cells.iter().map(Option::as_deref).collect();
        let kinds: &[DataType] = match column.kind {
            CellKind::Number => &[DataType::Int64, DataType::Float64],
            CellKind::Bool => &[DataType::Boolean],
            CellKind::Text | CellKind::Json => &[],
        };
        let array = kinds.iter().find_map(|kind| match kind {
            // A number such as 1e3 need not print as it is written.
            DataType::Float64 => Some(floats(&names)),
            kind => typed(kind, &names, &[]),
        });
        let array = array.unwrap_or_else(|| Arc::new(StringArray::from(names.clone())));
        (Field::new(&column.name, array.data_type().clone(), names.contains(&None)), array)
    });
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns.unzip();
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(schema.clone(), arrays).map_err(io::Error::other)?;
    write_batches(&WholeFile { schema, batches: vec![batch], parquet: None }, None, format, out)
}

fn floats(names: &[Option<&str>]) -> ArrayRef {
    let number = |name: &Option<&str>| name.and_then(|name| fast_float2::parse::<f64, _>(name).ok());
    Arc::new(names.iter().map(number).collect::<PrimitiveArray<Float64Type>>())
}
