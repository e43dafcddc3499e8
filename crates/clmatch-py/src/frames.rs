//! Data frames as arrays of rows, through the Arrow C stream interface: pandas, polars, pyarrow and anything else that implements
//! it.

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// How many rows are filled column by column, so that they stay in the cache.
const TILE: usize = 512;

/// The points of a data frame, and the names of its columns. If all columns are of single precision, so are the points; a missing
/// value becomes NaN.
#[pyfunction]
pub(crate) fn from_arrow<'py>(
    py: Python<'py>,
    frame: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyAny>, Vec<String>)> {
    let reader = stream_of(frame)?;
    let schema = reader.schema();
    refuse_others(&schema)?;
    let names = schema.fields().iter().map(|field| field.name().clone()).collect();
    let batches: Vec<RecordBatch> = reader.collect::<Result<_, _>>().map_err(unreadable)?;
    let rows = batches.iter().map(RecordBatch::num_rows).sum();
    let shape = [rows, schema.fields().len()];
    let is_single = |kind: &DataType| matches!(kind, DataType::Float32 | DataType::Float16);
    let points = if schema.fields().iter().all(|field| is_single(field.data_type())) {
        let values = py.detach(|| rows_of::<f32>(&batches, shape));
        values.into_pyarray(py).reshape(shape)?.into_any()
    } else {
        let values = py.detach(|| rows_of::<f64>(&batches, shape));
        values.into_pyarray(py).reshape(shape)?.into_any()
    };
    Ok((points, names))
}

/// The batches of a data frame, taken over from it.
#[allow(unsafe_code, reason = "another library hands over a pointer")]
fn stream_of(frame: &Bound<'_, PyAny>) -> PyResult<ArrowArrayStreamReader> {
    let capsule = frame.call_method0("__arrow_c_stream__")?;
    let pointer = capsule.cast::<PyCapsule>()?.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: by Arrow's PyCapsule interface a capsule of this name holds a stream, which may be moved out of it; no other code
    // runs in between.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.cast().as_ptr()) };
    ArrowArrayStreamReader::try_new(stream).map_err(unreadable)
}

fn unreadable(error: ArrowError) -> PyErr {
    PyValueError::new_err(format!("the data frame cannot be read: {error}"))
}

fn refuse_others(schema: &SchemaRef) -> PyResult<()> {
    match schema.fields().iter().find(|field| !is_number(field.data_type())) {
        Some(field) => Err(PyValueError::new_err(format!(
            "the column '{}' holds no numbers (its type is {}): leave it out, or encode it as numbers",
            field.name(),
            field.data_type()
        ))),
        None => Ok(()),
    }
}

fn is_number(kind: &DataType) -> bool {
    kind.is_integer() || kind.is_floating() || matches!(kind, DataType::Boolean | DataType::Null)
}

/// A number of either precision.
trait FrameFloat: Copy + Default + Send {
    const NAN: Self;
    fn of(value: f64) -> Self;
}

impl FrameFloat for f64 {
    const NAN: Self = f64::NAN;
    fn of(value: f64) -> Self {
        value
    }
}

impl FrameFloat for f32 {
    const NAN: Self = f32::NAN;
    #[allow(clippy::cast_possible_truncation, reason = "only columns of single and half precision come here")]
    fn of(value: f64) -> Self {
        value as f32
    }
}

fn rows_of<T: FrameFloat>(batches: &[RecordBatch], [rows, features]: [usize; 2]) -> Vec<T> {
    let mut values = vec![T::default(); rows * features];
    let mut start = 0;
    for batch in batches {
        let part = &mut values[start * features..(start + batch.num_rows()) * features];
        for (tile, out) in part.chunks_mut((TILE * features).max(1)).enumerate() {
            for (column, array) in batch.columns().iter().enumerate() {
                fill(array.as_ref(), tile * TILE, out.iter_mut().skip(column).step_by(features));
            }
        }
        start += batch.num_rows();
    }
    values
}

/// Copies the values of a column from a row on, as many as there is room for.
fn fill<'a, T: FrameFloat + 'a>(array: &dyn Array, from: usize, out: impl Iterator<Item = &'a mut T>) {
    match array.data_type() {
        DataType::Float64 => numbers::<Float64Type, T>(array, from, out, |value| value),
        DataType::Float32 => numbers::<Float32Type, T>(array, from, out, f64::from),
        DataType::Float16 => numbers::<Float16Type, T>(array, from, out, f64::from),
        DataType::Int8 => numbers::<Int8Type, T>(array, from, out, f64::from),
        DataType::Int16 => numbers::<Int16Type, T>(array, from, out, f64::from),
        DataType::Int32 => numbers::<Int32Type, T>(array, from, out, f64::from),
        DataType::Int64 => numbers::<Int64Type, T>(array, from, out, |value| value as f64),
        DataType::UInt8 => numbers::<UInt8Type, T>(array, from, out, f64::from),
        DataType::UInt16 => numbers::<UInt16Type, T>(array, from, out, f64::from),
        DataType::UInt32 => numbers::<UInt32Type, T>(array, from, out, f64::from),
        DataType::UInt64 => numbers::<UInt64Type, T>(array, from, out, |value| value as f64),
        DataType::Boolean => {
            let array = array.as_boolean();
            for (row, out) in (from..).zip(out) {
                *out = if array.is_null(row) { T::NAN } else { T::of(f64::from(u8::from(array.value(row)))) };
            }
        }
        // A column of nulls: all other types were refused.
        _ => out.for_each(|out| *out = T::NAN),
    }
}

fn numbers<'a, A: ArrowPrimitiveType, T: FrameFloat + 'a>(
    array: &dyn Array,
    from: usize,
    out: impl Iterator<Item = &'a mut T>,
    number: impl Fn(A::Native) -> f64,
) {
    let array = array.as_primitive::<A>();
    if array.null_count() == 0 {
        for (&value, out) in array.values()[from..].iter().zip(out) {
            *out = T::of(number(value));
        }
        return;
    }
    for (row, out) in (from..).zip(out) {
        *out = if array.is_null(row) { T::NAN } else { T::of(number(array.value(row))) };
    }
}
