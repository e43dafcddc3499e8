//! The numbers of an NPY file that is not packed. All threads read them in pieces that stay in the cache, straight into the
//! matrix, and examine them on the way.
//!
//! The file is read and not mapped into memory: a mapped file that shrinks ends the program with a signal; one that shrinks while
//! it is read causes an ordinary error.

use std::fs::File;
use std::path::Path;

use rayon::prelude::*;

use super::{Array, MatrixShape, NpyLayout, decode, header, more_than_declared, shape, to_little_endian};
use crate::error::ReadError;
use crate::extent::Extent;
use crate::input::{cannot_open, damaged, read_at};
use crate::memory::{MemoryBudget, zeros};
use crate::real::{FloatMatrix, MatrixElement};

/// How many bytes are read at once: they stay in the cache while they are decoded and examined.
const PIECE: usize = 1 << 18;

/// Reads the points; an array of one dimension counts as a single feature.
pub(crate) fn matrix(path: &Path, budget: MemoryBudget) -> Result<Array, ReadError> {
    let file = File::open(path).map_err(|error| cannot_open(&error))?;
    let length = file.metadata().map_err(|error| cannot_open(&error))?.len();
    let layout = header(&mut &file)?;
    let shape = shape(&layout, Some(length), budget)?;
    layout.check_numbers()?;
    if length > layout.offset + (shape.count * layout.size) as u64 {
        return Err(more_than_declared());
    }
    let (matrix, extent) = if shape.single {
        let (values, extent) = numbers(&file, &layout, &shape)?;
        (FloatMatrix::F32(values), extent)
    } else {
        let (values, extent) = numbers(&file, &layout, &shape)?;
        (FloatMatrix::F64(values), extent)
    };
    let note = layout.flattened();
    Ok(Array { matrix, rows: shape.rows, features: shape.features, extent: Some(extent), note })
}

/// All numbers, row by row.
fn numbers<T: MatrixElement>(
    file: &File,
    layout: &NpyLayout,
    shape: &MatrixShape,
) -> Result<(Vec<T>, Extent), ReadError> {
    let mut values = zeros::<T>(shape.count)?;
    if shape.count == 0 {
        return Ok((values, Extent::EMPTY));
    }
    let rows = (PIECE / layout.size / shape.features).max(1);
    let extent = values
        .par_chunks_mut(rows * shape.features)
        .enumerate()
        .map_init(NpyScratch::default, |scratch, (at, piece)| {
            if layout.fortran {
                scratch.read_columns(file, layout, shape, at * rows, piece)?;
            } else {
                scratch.read(file, layout, at * rows * shape.features, piece)?;
            }
            Ok(Extent::of_part(piece))
        })
        .try_reduce(|| Extent::EMPTY, |one, other| Ok(one.and(other)))?;
    Ok((values, extent))
}

/// What a thread needs besides the matrix.
struct NpyScratch<T> {
    bytes: Vec<u8>,
    column: Vec<T>,
}

impl<T> Default for NpyScratch<T> {
    fn default() -> Self {
        NpyScratch { bytes: Vec::new(), column: Vec::new() }
    }
}

impl<T: MatrixElement> NpyScratch<T> {
    /// Reads numbers that are contiguous in the file, starting with the one at `first`.
    fn read(&mut self, file: &File, layout: &NpyLayout, first: usize, to: &mut [T]) -> Result<(), ReadError> {
        self.bytes.resize(to.len() * layout.size, 0);
        let offset = layout.offset + (first * layout.size) as u64;
        read_at(file, &mut self.bytes, offset).map_err(|error| damaged(&error))?;
        to_little_endian(&mut self.bytes, layout);
        decode(&self.bytes, layout, to);
        Ok(())
    }

    /// Reads rows of a file that stores column after column, starting with the row `first`.
    fn read_columns(
        &mut self,
        file: &File,
        layout: &NpyLayout,
        shape: &MatrixShape,
        first: usize,
        to: &mut [T],
    ) -> Result<(), ReadError> {
        let mut column = std::mem::take(&mut self.column);
        column.resize(to.len() / shape.features, T::ZERO);
        for feature in 0..shape.features {
            self.read(file, layout, layout.stored_column(feature) * shape.rows + first, &mut column)?;
            let places = to.iter_mut().skip(feature).step_by(shape.features);
            places.zip(&column).for_each(|(place, &value)| *place = value);
        }
        self.column = column;
        Ok(())
    }
}
