//! One column of a record batch: as numbers into the rows of a matrix, or as labels.

use std::fmt::{Display, Write};

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal128Type, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

use crate::advice::Advice;
use crate::error::ReadError;
use crate::real::Real;
use crate::table::number_name;

/// Where numbers go: row `r` of the column to `values[r * stride + offset]`.
pub(super) struct Target<'a, T> {
    pub(super) values: &'a mut [T],
    pub(super) stride: usize,
    pub(super) offset: usize,
}

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
pub(super) fn write<T: Real>(array: &ArrayRef, target: Target<'_, T>) -> Result<(), ReadError> {
    let Target { values, stride, offset } = target;
    let places = values.chunks_exact_mut(stride).map(|row| &mut row[offset]);
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

/// Writes a column of lists, `width` numbers to a row; a null list is missing in all of them.
pub(super) fn write_list<T: Real>(
    array: &ArrayRef,
    width: usize,
    target: Target<'_, T>,
) -> Result<(), ReadError> {
    let Target { values, stride, offset } = target;
    for row in 0..array.len() {
        let place = row * stride + offset;
        let own = &mut values[place..place + width];
        match list(array, row)? {
            None => own.fill(T::NAN),
            Some(list) if list.len() == width => write(&list, Target { values: own, stride: 1, offset: 0 })?,
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

/// The list in a row.
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

/// 64-bit integers to the digit.
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
