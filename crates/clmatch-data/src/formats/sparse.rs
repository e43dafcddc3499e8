//! Sparse matrices as SciPy and AnnData store them, with the zeros filled in.

use crate::error::ReadError;
use crate::memory::{MemoryBudget, zeros};
use crate::real::{FloatMatrix, MatrixElement};

/// Where the values of a sparse matrix are.
#[derive(Debug, PartialEq)]
pub(crate) enum Places {
    /// `indptr` says where each row begins among `indices`, the columns (CSR).
    Rows { indptr: Vec<usize>, indices: Vec<usize> },
    /// `indptr` says where each column begins among `indices`, the rows (CSC).
    Columns { indptr: Vec<usize>, indices: Vec<usize> },
    /// The row and the column of each value (COO).
    Each { rows: Vec<usize>, columns: Vec<usize> },
}

/// A sparse matrix may have this many columns (as many as scikit-learn's hashing of words makes), or as many as it has
/// numbers. Every column costs time and memory in addition to its numbers, and a file of a few bytes may claim billions of
/// columns.
const MOST_EMPTY: usize = 1 << 20;

/// Refuses a matrix nearly all of whose columns are empty.
pub(super) fn not_empty(columns: usize, numbers: usize) -> Result<(), ReadError> {
    if columns <= MOST_EMPTY.max(numbers) {
        return Ok(());
    }
    let what = format!(
        "there would be {columns} columns, but {numbers} numbers in all: nearly all columns are empty"
    );
    Err(ReadError::new(what)
        .help("keep the columns in which numbers occur, and number them one after the other"))
}

/// Fills in the zeros; values in the same place are added, as in SciPy. The matrix may be far larger than the file, so its
/// size is checked first.
pub(crate) fn dense(
    values: FloatMatrix,
    places: &Places,
    shape: (usize, usize),
    budget: MemoryBudget,
) -> Result<FloatMatrix, ReadError> {
    match values {
        FloatMatrix::F64(values) => Ok(FloatMatrix::F64(fill(&values, places, shape, budget)?)),
        FloatMatrix::F32(values) => Ok(FloatMatrix::F32(fill(&values, places, shape, budget)?)),
    }
}

fn fill<T: MatrixElement>(
    values: &[T],
    places: &Places,
    (rows, columns): (usize, usize),
    budget: MemoryBudget,
) -> Result<Vec<T>, ReadError> {
    budget.check_shape(rows as u64, columns as u64, size_of::<T>() as u64)?;
    not_empty(columns, values.len())?;
    let mut matrix: Vec<T> = zeros(rows * columns)?;
    let mut add = |row: usize, column: usize, value: T| {
        if row >= rows || column >= columns {
            return Err(broken(&format!(
                "a value stands at ({row}, {column}), beyond the shape ({rows}, {columns})"
            )));
        }
        let place = &mut matrix[row * columns + column];
        *place = T::from_f64(place.to_f64() + value.to_f64());
        Ok(())
    };
    match places {
        Places::Each { rows, columns } => {
            if rows.len() != values.len() || columns.len() != values.len() {
                return Err(lengths(values.len(), rows.len().min(columns.len())));
            }
            for (&value, (&row, &column)) in values.iter().zip(rows.iter().zip(columns)) {
                add(row, column, value)?;
            }
        }
        Places::Rows { indptr, indices } => {
            compressed(values, indptr, indices, rows, &mut add)?;
        }
        Places::Columns { indptr, indices } => {
            compressed(values, indptr, indices, columns, |column, row, value| add(row, column, value))?;
        }
    }
    Ok(matrix)
}

/// Calls `add` with the line (row or column), the index in it and the value.
fn compressed<T: MatrixElement>(
    values: &[T],
    indptr: &[usize],
    indices: &[usize],
    lines: usize,
    mut add: impl FnMut(usize, usize, T) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    if indices.len() != values.len() {
        return Err(lengths(values.len(), indices.len()));
    }
    if indptr.len() != lines + 1 || indptr.last() != Some(&values.len()) {
        return Err(broken(&format!("indptr has {} entries for {lines} rows or columns", indptr.len())));
    }
    for (line, bounds) in indptr.windows(2).enumerate() {
        let own = bounds[0]..bounds[1];
        let (Some(indices), Some(values)) = (indices.get(own.clone()), values.get(own)) else {
            return Err(broken(&format!("indptr goes from {} to {}", bounds[0], bounds[1])));
        };
        for (&index, &value) in indices.iter().zip(values) {
            add(line, index, value)?;
        }
    }
    Ok(())
}

/// Converts numbers to indexes; they must be whole and not negative.
pub(crate) fn places(numbers: &[f64]) -> Result<Vec<usize>, ReadError> {
    const LARGEST: f64 = (1_u64 << 53) as f64;
    let place = |&number: &f64| {
        let whole = number.fract() == 0.0 && (0.0..=LARGEST).contains(&number);
        if whole { Ok(number as usize) } else { Err(broken(&format!("{number} is not a place"))) }
    };
    numbers.iter().map(place).collect()
}

fn lengths(values: usize, places: usize) -> ReadError {
    broken(&format!("there are {values} values and {places} places for them"))
}

fn broken(what: &str) -> ReadError {
    ReadError::new(format!("the sparse matrix is damaged: {what}")).help("fetch or write the file again")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::ReadOptions;

    #[test]
    fn columns_that_are_nearly_all_empty_are_refused() {
        let places = Places::Each { rows: vec![0], columns: vec![7] };
        let of = |columns: usize| {
            dense(
                FloatMatrix::F64(vec![1.0]),
                &places,
                (1, columns),
                MemoryBudget::new(&ReadOptions::default()),
            )
        };
        assert!(of(MOST_EMPTY).is_ok());
        let refused = of(MOST_EMPTY + 1).err().map(|error| error.what);
        assert!(refused.is_some_and(|what| what.contains("1048577 columns, but 1 numbers")));
    }

    fn of(values: &[f64], places: &Places, shape: (usize, usize)) -> Result<Vec<f64>, String> {
        let budget =
            MemoryBudget::new(&ReadOptions { memory_limit: Some(1 << 20), ..ReadOptions::default() });
        match dense(FloatMatrix::F64(values.to_vec()), places, shape, budget) {
            Ok(FloatMatrix::F64(values)) => Ok(values),
            Ok(FloatMatrix::F32(_)) => unreachable!(),
            Err(error) => Err(error.what),
        }
    }

    #[test]
    fn all_layouts_say_the_same() {
        let matrix = vec![0.0, 5.0, 0.0, 7.0, 0.0, 8.0];
        let rows = Places::Rows { indptr: vec![0, 1, 3], indices: vec![1, 0, 2] };
        assert_eq!(of(&[5.0, 7.0, 8.0], &rows, (2, 3)).unwrap(), matrix);
        let columns = Places::Columns { indptr: vec![0, 1, 2, 3], indices: vec![1, 0, 1] };
        assert_eq!(of(&[7.0, 5.0, 8.0], &columns, (2, 3)).unwrap(), matrix);
        let each = Places::Each { rows: vec![1, 1, 0, 1], columns: vec![2, 0, 1, 2] };
        assert_eq!(of(&[3.0, 7.0, 5.0, 5.0], &each, (2, 3)).unwrap(), matrix, "duplicates are added");
    }

    #[test]
    fn damage_is_refused_before_memory_is_taken() {
        let rows = |indptr: &[usize], indices: &[usize]| Places::Rows {
            indptr: indptr.to_vec(),
            indices: indices.to_vec(),
        };
        let refused = |places: &Places, shape| of(&[1.0, 2.0], places, shape).unwrap_err();
        assert!(refused(&rows(&[0, 1, 2], &[0, 9]), (2, 2)).contains("(1, 9), beyond the shape (2, 2)"));
        assert!(refused(&rows(&[0, 1], &[0, 1]), (2, 2)).contains("indptr has 2 entries"));
        assert!(refused(&rows(&[0, 9, 2], &[0, 1]), (2, 2)).contains("indptr goes from"));
        assert!(refused(&rows(&[2, 1, 2], &[0, 1]), (2, 2)).contains("indptr goes from"));
        assert!(refused(&rows(&[0, 1, 2], &[0]), (2, 2)).contains("2 values and 1 places"));
        assert!(refused(&rows(&[0, 1, 2], &[0, 1]), (usize::MAX, 4)).contains("the matrix would take"));
        assert!(places(&[1.0, -1.0]).is_err() && places(&[0.5]).is_err() && places(&[f64::NAN]).is_err());
        assert_eq!(places(&[0.0, 7.0]).unwrap(), [0, 7]);
    }
}
