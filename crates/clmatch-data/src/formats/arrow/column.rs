//! One column of a record batch: written as numbers into the rows of a matrix, or read as labels.

use std::fmt::{Display, Write};
use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal128Type, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType};
use arrow_schema::DataType;

use super::target::MatrixTarget;
use crate::advice::Advice;
use crate::error::ReadError;
use crate::real::MatrixElement;
use crate::table::number_name;

/// Runs `$body` with `$array` of the concrete type, and `$convert` from its numbers to f64.
macro_rules! with_numbers {
    ($array:expr, |$typed:ident, $convert:ident| $body:expr, else $other:expr) => {{
        macro_rules! case {
            ($kind:ty, $conversion:expr) => {{
                let $typed = $array.as_primitive::<$kind>();
                let $convert = $conversion;
                $body
            }};
        }
        match $array.data_type() {
            DataType::Float64 => case!(Float64Type, |value: f64| value),
            DataType::Float32 => case!(Float32Type, f64::from),
            DataType::Float16 => case!(Float16Type, |value: half::f16| value.to_f64()),
            DataType::Int64 => case!(Int64Type, |value: i64| value as f64),
            DataType::Int32 => case!(Int32Type, f64::from),
            DataType::Int16 => case!(Int16Type, f64::from),
            DataType::Int8 => case!(Int8Type, f64::from),
            DataType::UInt64 => case!(UInt64Type, |value: u64| value as f64),
            DataType::UInt32 => case!(UInt32Type, f64::from),
            DataType::UInt16 => case!(UInt16Type, f64::from),
            DataType::UInt8 => case!(UInt8Type, f64::from),
            DataType::Decimal128(_, scale) => {
                let scale = 10_f64.powi(i32::from(*scale));
                case!(Decimal128Type, move |value: i128| value as f64 / scale)
            }
            _ => $other,
        }
    }};
}

/// Writes a column of numbers; nulls become NaN.
pub(super) fn write<'a, T: MatrixElement + 'a>(
    array: &ArrayRef,
    places: impl Iterator<Item = &'a mut T>,
) -> Result<(), ReadError> {
    with_numbers!(
        array,
        |typed, convert| {
            if typed.null_count() == 0 {
                for (place, &value) in places.zip(typed.values().iter()) {
                    *place = T::from_f64(convert(value));
                }
            } else {
                for (place, value) in places.zip(typed.iter()) {
                    *place = value.map_or(T::NAN, |value| T::from_f64(convert(value)));
                }
            }
            Ok(())
        },
        else match array.as_boolean_opt() {
            Some(typed) => {
                for (place, value) in places.zip(typed.iter()) {
                    *place = value.map_or(T::NAN, |value| T::from_f64(f64::from(u8::from(value))));
                }
                Ok(())
            }
            None => Err(unknown(array)),
        }
    )
}

/// At most this many columns are written together: as many numbers as fill a cache line.
pub(super) const TOGETHER: usize = 8;

/// Writes neighbouring columns of one type without nulls row by row, from column `first` on. Returns false if the columns are not
/// like this.
pub(super) fn write_together<T: MatrixElement, const N: usize>(
    arrays: &[ArrayRef; N],
    first: usize,
    target: &mut MatrixTarget<'_, T>,
) -> bool {
    if let Some(numbers) = all_numbers::<Float64Type, N>(arrays) {
        write_rows(numbers, |number| number, first, target);
    } else if let Some(numbers) = all_numbers::<Float32Type, N>(arrays) {
        write_rows(numbers, f64::from, first, target);
    } else {
        return false;
    }
    true
}

fn all_numbers<K: ArrowPrimitiveType, const N: usize>(arrays: &[ArrayRef; N]) -> Option<[&[K::Native]; N]> {
    let mut all: [&[K::Native]; N] = [&[]; N];
    for (numbers, array) in all.iter_mut().zip(arrays) {
        *numbers = array.as_primitive_opt::<K>().filter(|array| array.null_count() == 0)?.values();
    }
    Some(all)
}

/// How many rows are written without bounds checks in between.
const BLOCK: usize = 8;

fn write_rows<K: Copy, T: MatrixElement, const N: usize>(
    numbers: [&[K]; N],
    convert: impl Fn(K) -> f64,
    first: usize,
    target: &mut MatrixTarget<'_, T>,
) {
    let numbers = numbers.map(|numbers| numbers[..target.rows()].as_chunks::<BLOCK>());
    let mut rows = target.groups::<N>(first);
    for block in 0..numbers[0].0.len() {
        let own: [&[K; BLOCK]; N] = std::array::from_fn(|column| &numbers[column].0[block]);
        for at in 0..BLOCK {
            let Some(places) = rows.next() else { return };
            for (place, numbers) in places.iter_mut().zip(&own) {
                *place = T::from_f64(convert(numbers[at]));
            }
        }
    }
    for (at, places) in rows.enumerate() {
        for (place, (_, rest)) in places.iter_mut().zip(&numbers) {
            *place = T::from_f64(convert(rest[at]));
        }
    }
}

/// Writes a column of lists, with as many numbers per row as there are columns; a null list is missing in all of them.
pub(super) fn write_list<T: MatrixElement>(
    array: &ArrayRef,
    columns: Range<usize>,
    target: &mut MatrixTarget<'_, T>,
) -> Result<(), ReadError> {
    let width = columns.len();
    for row in 0..array.len() {
        let own = target.row(row, columns.clone());
        match list(array, row)? {
            None => own.fill(T::NAN),
            Some(list) if list.len() == width => write(&list, own.iter_mut())?,
            Some(list) => {
                return Err(ReadError::new(format!(
                    "the list has {} values where the first has {width}",
                    list.len()
                ))
                .row(row)
                .help("lists serve as features only if all have the same length"));
            }
        }
    }
    Ok(())
}

/// The list in a row; `None` if it is null.
pub(super) fn list(array: &ArrayRef, row: usize) -> Result<Option<ArrayRef>, ReadError> {
    if array.is_null(row) {
        return Ok(None);
    }
    Ok(Some(match array.data_type() {
        DataType::FixedSizeList(..) => array.as_fixed_size_list().value(row),
        DataType::List(_) => array.as_list::<i32>().value(row),
        DataType::LargeList(_) => array.as_list::<i64>().value(row),
        _ => return Err(unknown(array)),
    }))
}

/// Calls `each` with the text of every row, `None` for nulls and NaN. Whole numbers print as integers.
pub(super) fn texts(
    array: &ArrayRef,
    each: &mut dyn FnMut(Option<&str>) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().try_for_each(each),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().try_for_each(each),
        DataType::Utf8View => array.as_string_view().iter().try_for_each(each),
        DataType::Boolean => {
            let word = |value| if value { "true" } else { "false" };
            array.as_boolean().iter().try_for_each(|value| each(value.map(word)))
        }
        DataType::Dictionary(..) => dictionary(array, each),
        DataType::Int64 => wholes(array.as_primitive::<Int64Type>().iter(), each),
        DataType::UInt64 => wholes(array.as_primitive::<UInt64Type>().iter(), each),
        _ => with_numbers!(
            array,
            |typed, convert| typed.iter().try_for_each(|value| {
                let number = value.map(convert).filter(|number| !number.is_nan());
                each(number.map(number_name).as_deref())
            }),
            else Err(unknown(array))
        ),
    }
}

/// Passes on 64-bit integers exactly, to the last digit.
fn wholes(
    values: impl Iterator<Item = Option<impl Display>>,
    each: &mut dyn FnMut(Option<&str>) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let mut text = String::new();
    for value in values {
        text.clear();
        match value {
            Some(value) => {
                let _ = write!(text, "{value}");
                each(Some(&text))?;
            }
            None => each(None)?,
        }
    }
    Ok(())
}

fn dictionary(
    array: &ArrayRef,
    each: &mut dyn FnMut(Option<&str>) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let typed = array.as_any_dictionary();
    let mut names = Vec::with_capacity(typed.values().len());
    texts(typed.values(), &mut |name| {
        names.push(name.map(str::to_owned));
        Ok(())
    })?;
    if names.is_empty() {
        // All rows are null.
        return (0..array.len()).try_for_each(|_| each(None));
    }
    let keys = typed.normalized_keys();
    for (row, &key) in keys.iter().enumerate() {
        let name = if array.is_null(row) { None } else { names.get(key).and_then(Option::as_deref) };
        each(name)?;
    }
    Ok(())
}

fn unknown(array: &ArrayRef) -> ReadError {
    ReadError::new(format!("values of the type {} cannot be read", array.data_type()))
        .help(Advice::DropColumn)
}
