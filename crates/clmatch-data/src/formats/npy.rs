//! NumPy's NPY: all numeric types, either byte order, C and Fortran order; texts as labels.

pub(crate) mod chunks;
pub(crate) mod file;
mod header;
mod labels;

use std::io::Read;

use half::f16;

use self::header::{ElementKind, header};
pub(crate) use self::labels::{ArrayLabels, labels};
use crate::error::ReadError;
use crate::extent::Extent;
use crate::input::damaged;
use crate::memory::MemoryBudget;
use crate::note::Note;
use crate::real::{FloatMatrix, MatrixElement};

/// A matrix as it is in a file.
#[derive(Debug, PartialEq)]
pub(crate) struct Array {
    pub(crate) matrix: FloatMatrix,
    pub(crate) rows: usize,
    pub(crate) features: usize,
    /// The extent of all numbers, if it was determined while reading.
    pub(crate) extent: Option<Extent>,
    /// The note on rows that are arrays themselves.
    pub(crate) note: Option<Note>,
}

/// What the header says.
#[derive(Debug)]
struct NpyLayout {
    kind: ElementKind,
    size: usize,
    big: bool,
    fortran: bool,
    shape: Vec<u64>,
    /// How many bytes come before the numbers.
    offset: u64,
}

impl NpyLayout {
    fn count(&self) -> Option<u64> {
        self.shape.iter().try_fold(1_u64, |count, &length| count.checked_mul(length))
    }

    /// Refuses texts.
    fn check_numbers(&self) -> Result<(), ReadError> {
        if matches!(self.kind, ElementKind::Unicode | ElementKind::Bytes) {
            return Err(ReadError::new("the array holds text, not numbers").help("points must be numbers"));
        }
        Ok(())
    }

    /// How many rows there are, and how many numbers each has. Rows that are arrays themselves, such as images, are flattened.
    fn rows(&self) -> Result<(u64, u64), ReadError> {
        match self.shape[..] {
            [] => Err(ReadError::new(format!("the array has the shape {}", self.shape_text())).help(
                "a matrix with one row per point is needed: reshape it, array.reshape(len(array), -1)",
            )),
            [rows] => Ok((rows, 1)),
            [rows, ref item @ ..] => {
                let features = item.iter().try_fold(1_u64, |count, &length| count.checked_mul(length));
                Ok((rows, features.ok_or_else(|| impossible(&self.shape_text()))?))
            }
        }
    }

    /// The note on rows that are arrays themselves.
    fn flattened(&self) -> Option<Note> {
        let [_, item @ ..] = &self.shape[..] else { return None };
        (item.len() > 1).then(|| Note::Flattened { shape: item.to_vec() })
    }

    /// Where Fortran order stores the numbers at `feature` of all rows: it counts from the first dimension of a row, not from
    /// the last.
    fn stored_column(&self, feature: usize) -> usize {
        let (mut rest, mut place, mut step) = (feature, 0, 1);
        let item = self.shape.get(1..).unwrap_or_default();
        let mut steps = Vec::with_capacity(item.len());
        for &length in item {
            steps.push(step);
            step *= length as usize;
        }
        for (&length, step) in item.iter().zip(steps).rev() {
            place += rest % length as usize * step;
            rest /= length as usize;
        }
        place
    }

    fn shape_text(&self) -> String {
        shape_text(&self.shape)
    }

    /// `float32`, as NumPy calls it.
    fn type_name(&self) -> String {
        let kind = match self.kind {
            ElementKind::Bool => return "bool".to_owned(),
            ElementKind::Int => "int",
            ElementKind::Uint => "uint",
            ElementKind::Float => "float",
            ElementKind::Unicode | ElementKind::Bytes => return "text".to_owned(),
        };
        format!("{kind}{}", self.size * 8)
    }
}

/// A matrix that a header declares.
struct MatrixShape {
    rows: usize,
    features: usize,
    /// How many numbers there are.
    count: usize,
    /// Whether the matrix is kept in single precision.
    single: bool,
}

/// The matrix that a header declares; an error if it does not fit into the file, whose size is `length`, or into memory.
fn shape(layout: &NpyLayout, length: Option<u64>, budget: MemoryBudget) -> Result<MatrixShape, ReadError> {
    let (rows, features) = layout.rows()?;
    let single = layout.kind == ElementKind::Float && layout.size <= 4;
    let count = present(layout, length)?;
    budget.check_shape(rows, features, if single { 4 } else { 8 })?;
    Ok(MatrixShape { rows: rows as usize, features: features as usize, count, single })
}

/// Reads the points; an array of one dimension counts as a single feature. `length` is the size of the file if it is known.
pub(crate) fn matrix(
    reader: &mut dyn Read,
    length: Option<u64>,
    budget: MemoryBudget,
) -> Result<Array, ReadError> {
    let layout = header(reader)?;
    let shape = shape(&layout, length, budget)?;
    let (count, reserve) = (shape.count, length.is_some());
    let matrix = if shape.single {
        FloatMatrix::F32(ordered(numbers(reader, &layout, count, reserve)?, &layout, &shape))
    } else {
        FloatMatrix::F64(ordered(numbers(reader, &layout, count, reserve)?, &layout, &shape))
    };
    nothing_more(reader)?;
    let note = layout.flattened();
    Ok(Array { matrix, rows: shape.rows, features: shape.features, extent: None, note })
}

/// Reads whole numbers that are not negative, in one dimension: indexes and sizes.
pub(crate) fn places(reader: &mut dyn Read, budget: MemoryBudget) -> Result<Vec<usize>, ReadError> {
    let array = matrix(reader, None, budget)?;
    if array.features != 1 {
        return Err(ReadError::new("a list of places is expected, not a matrix").help(SPARSE));
    }
    let FloatMatrix::F64(values) = array.matrix else {
        return Err(ReadError::new("places are whole numbers").help(SPARSE));
    };
    super::sparse::places(&values)
}

/// Reads a single short text.
pub(crate) fn text(reader: &mut dyn Read) -> Result<String, ReadError> {
    let layout = header(reader)?;
    if layout.count() != Some(1) || !matches!(layout.kind, ElementKind::Unicode | ElementKind::Bytes) {
        return Err(ReadError::new("one text is expected").help(SPARSE));
    }
    let mut element = vec![0; layout.size];
    reader.read_exact(&mut element).map_err(|error| damaged(&error))?;
    if layout.big {
        swap(&mut element, layout.kind);
    }
    element_text(&layout, &element)
}

const SPARSE: &str = "write the file again with scipy.sparse.save_npz";

fn shape_text(shape: &[u64]) -> String {
    let lengths: Vec<String> = shape.iter().map(u64::to_string).collect();
    format!("({})", lengths.join(", "))
}

fn impossible(shape: &str) -> ReadError {
    ReadError::new(format!("the header declares the impossible shape {shape}"))
        .help("the file is damaged: fetch or write it again")
}

/// How many elements there are; refuses a header that promises more than the file holds.
fn present(layout: &NpyLayout, length: Option<u64>) -> Result<usize, ReadError> {
    let bytes = layout.count().and_then(|count| count.checked_mul(layout.size as u64));
    let held = length.map(|length| length.saturating_sub(layout.offset));
    let declared = layout.shape_text();
    match (bytes, held) {
        (Some(bytes), Some(held)) if bytes > held => Err(ReadError::new(format!(
            "the header declares the shape {declared} of {}, which takes {bytes} bytes, but {held} are there",
            layout.type_name()
        ))
        .help("the file is incomplete or damaged: fetch or write it again")),
        (Some(_), _) => usize::try_from(layout.count().unwrap_or(0)).map_err(|_| impossible(&declared)),
        (None, _) => Err(impossible(&declared)),
    }
}

/// Reads `count` numbers in the order of the file. Memory is allocated up front only if the bytes are known to be there.
fn numbers<T: MatrixElement>(
    reader: &mut dyn Read,
    layout: &NpyLayout,
    count: usize,
    reserve: bool,
) -> Result<Vec<T>, ReadError> {
    const BLOCK: usize = 1 << 18;
    layout.check_numbers()?;
    let mut values = Vec::new();
    if reserve {
        values.reserve_exact(count);
    }
    let mut block = vec![0; BLOCK];
    let mut left = count * layout.size;
    while left > 0 {
        let bytes = &mut block[..left.min(BLOCK)];
        reader.read_exact(bytes).map_err(|error| damaged(&error))?;
        to_little_endian(bytes, layout);
        let start = values.len();
        values.resize(start + bytes.len() / layout.size, T::ZERO);
        decode(bytes, layout, &mut values[start..]);
        left -= bytes.len();
    }
    Ok(values)
}

fn to_little_endian(bytes: &mut [u8], layout: &NpyLayout) {
    if layout.big {
        bytes.chunks_exact_mut(layout.size).for_each(<[u8]>::reverse);
    }
}

/// Decodes little-endian bytes into numbers.
fn decode<T: MatrixElement>(bytes: &[u8], layout: &NpyLayout, values: &mut [T]) {
    macro_rules! each {
        ($type:ty, $convert:expr) => {{
            let convert: fn($type) -> f64 = $convert;
            let (elements, _) = bytes.as_chunks();
            for (value, element) in values.iter_mut().zip(elements) {
                *value = T::from_f64(convert(<$type>::from_le_bytes(*element)));
            }
        }};
    }
    match (layout.kind, layout.size) {
        (ElementKind::Float, 8) => each!(f64, |value| value),
        (ElementKind::Float, 4) => each!(f32, f64::from),
        (ElementKind::Float, _) => each!(f16, f16::to_f64),
        (ElementKind::Int, 8) => each!(i64, |value| value as f64),
        (ElementKind::Int, 4) => each!(i32, f64::from),
        (ElementKind::Int, 2) => each!(i16, f64::from),
        (ElementKind::Int, _) => each!(i8, f64::from),
        (ElementKind::Uint, 8) => each!(u64, |value| value as f64),
        (ElementKind::Uint, 4) => each!(u32, f64::from),
        (ElementKind::Uint, 2) => each!(u16, f64::from),
        _ => each!(u8, f64::from),
    }
}

/// Puts numbers into row-major order.
fn ordered<T: MatrixElement>(values: Vec<T>, layout: &NpyLayout, shape: &MatrixShape) -> Vec<T> {
    if !layout.fortran || shape.rows <= 1 || shape.features <= 1 {
        return values;
    }
    let stored: Vec<usize> = (0..shape.features).map(|feature| layout.stored_column(feature)).collect();
    transpose(&values, shape.rows, &stored)
}

/// Transposes columns, of which feature `f` is number `stored[f]`, to rows, in tiles that stay in the cache.
fn transpose<T: MatrixElement>(columns: &[T], rows: usize, stored: &[usize]) -> Vec<T> {
    const TILE: usize = 32;
    let features = stored.len();
    let mut values = vec![T::NAN; columns.len()];
    for top in (0..rows).step_by(TILE) {
        for left in (0..features).step_by(TILE) {
            for row in top..(top + TILE).min(rows) {
                for feature in left..(left + TILE).min(features) {
                    values[row * features + feature] = columns[stored[feature] * rows + row];
                }
            }
        }
    }
    values
}

fn swap(element: &mut [u8], kind: ElementKind) {
    match kind {
        ElementKind::Unicode => element.chunks_exact_mut(4).for_each(<[u8]>::reverse),
        ElementKind::Bytes => {}
        _ => element.reverse(),
    }
}

/// Little-endian bytes as a text, without the zeros that pad it.
fn element_text(layout: &NpyLayout, element: &[u8]) -> Result<String, ReadError> {
    if layout.kind == ElementKind::Unicode {
        let (chars, _) = element.as_chunks();
        let chars = chars.iter().map(|char| u32::from_le_bytes(*char)).take_while(|&char| char != 0);
        return Ok(chars.map(|char| char::from_u32(char).unwrap_or('\u{fffd}')).collect());
    }
    let end = element.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    String::from_utf8(element[..end].to_vec()).map_err(|_| crate::table::not_utf8(element))
}

fn nothing_more(reader: &mut dyn Read) -> Result<(), ReadError> {
    let mut byte = [0];
    match reader.read(&mut byte) {
        Ok(0) => Ok(()),
        Ok(_) => Err(more_than_declared()),
        Err(error) => Err(damaged(&error)),
    }
}

fn more_than_declared() -> ReadError {
    ReadError::new("there are more bytes than the header declares")
        .help("the file is damaged, or holds several arrays: save one array per file")
}
