//! From a table as it stands in a file to a dataset: missing values, indicator columns, and what is worth a note.

use clmatch::Labels;

use crate::advice::Advice;
use crate::dataset::Dataset;
use crate::error::{ColumnRef, ReadError};
use crate::memory::Budget;
use crate::missing;
use crate::note::Note;
use crate::options::ReadOptions;
use crate::real::{Matrix, Real};
use crate::table::{Column, Table, plain_name};

/// Makes a dataset of a table.
///
/// # Errors
/// No rows, no labels, missing values that must not be, infinities, or indicator columns that do not fit into memory.
pub(crate) fn finish(table: Table, name: &str, options: &ReadOptions) -> Result<Dataset, ReadError> {
    let mut labels = table.labels.ok_or_else(no_labels)?;
    if table.rows == 0 {
        return Err(ReadError::new("there are no rows").help("the file has no data, or only a header"));
    }
    if labels.codes.len() != table.rows {
        let (labels, rows) = (labels.codes.len(), table.rows);
        return Err(ReadError::new(format!("there are {rows} rows but {labels} labels"))
            .help("give exactly one label for each row"));
    }
    let mut columns = table.columns;
    let mut notes = table.notes;
    notes.extend(columns.iter().enumerate().filter_map(|(place, column)| {
        let id = is_id_name(&column.name) && id_like(&table.matrix, columns.len(), place);
        id.then(|| Note::IdLike { column: plain_name(&column.name) })
    }));
    let mut matrix = one_hot(table.matrix, &mut columns, &mut notes, Budget::new(options))?;
    let dealt = match &mut matrix {
        _ if table.complete => Vec::new(),
        Matrix::F64(values) => missing::handle_missing(values, &columns, &mut labels, options.missing)?,
        Matrix::F32(values) => missing::handle_missing(values, &columns, &mut labels, options.missing)?,
    };
    notes.extend(dealt);
    notes.extend(constant(&matrix, &columns));
    let features = columns.iter().map(|column| plain_name(&column.name)).collect();
    let labels = Labels::from_codes(labels.codes, &labels.names);
    // Readers refuse what is not finite where it stands; this looks once more, and nobody after it.
    let dataset = Dataset::new(name, features, matrix.into_values(), labels);
    let dataset =
        dataset.map_err(|error| ReadError::new(error.to_string()).help("correct or remove the row"))?;
    Ok(Dataset { notes, ..dataset })
}

/// The error for points without labels.
pub(crate) fn no_labels() -> ReadError {
    ReadError::new("there are no labels").help(Advice::GiveLabels)
}

/// Names that programs give to a column of row numbers.
fn is_id_name(name: &ColumnRef) -> bool {
    let ColumnRef::Name(name) = name else { return false };
    let name = name.trim().to_ascii_lowercase();
    matches!(name.as_str(), "" | "id" | "index" | "unnamed: 0" | "row" | "rowid" | "row_id" | "uuid" | "guid")
        || name.ends_with("_id")
        || name.ends_with(" id")
}

/// Whether a column holds whole numbers (or texts) of which no two are the same.
fn id_like(matrix: &Matrix, features: usize, column: usize) -> bool {
    fn distinct<T: Real>(values: &[T], features: usize, column: usize) -> bool {
        let mut seen: Vec<u64> = Vec::with_capacity(values.len() / features);
        for value in values.iter().skip(column).step_by(features) {
            let value = value.to_f64();
            if value.fract() != 0.0 || value.is_nan() {
                return false;
            }
            seen.push(value.to_bits());
        }
        let rows = seen.len();
        seen.sort_unstable();
        seen.dedup();
        rows > 1 && seen.len() == rows
    }
    match matrix {
        Matrix::F64(values) => distinct(values, features, column),
        Matrix::F32(values) => distinct(values, features, column),
    }
}

/// Columns that never change. Few survive the first rows, so that this is far from a pass over the matrix.
fn constant(matrix: &Matrix, columns: &[Column]) -> Option<Note> {
    fn unchanged<T: Real>(values: &[T], features: usize) -> Vec<usize> {
        let mut left: Vec<usize> = (0..features).collect();
        for row in values.chunks_exact(features).skip(1) {
            left.retain(|&column| row[column] == values[column]);
            if left.is_empty() {
                break;
            }
        }
        left
    }
    if columns.is_empty() || matrix.len() == columns.len() {
        return None;
    }
    let found = match matrix {
        Matrix::F64(values) => unchanged(values, columns.len()),
        Matrix::F32(values) => unchanged(values, columns.len()),
    };
    let names: Vec<String> = found.iter().map(|&column| plain_name(&columns[column].name)).collect();
    (!names.is_empty()).then_some(Note::Constant { columns: names })
}

/// Replaces each column with categories by one indicator column per category, in the order of their names.
fn one_hot(
    matrix: Matrix,
    columns: &mut Vec<Column>,
    notes: &mut Vec<Note>,
    budget: Budget,
) -> Result<Matrix, ReadError> {
    if columns.iter().all(|column| column.categories.is_none()) {
        return Ok(matrix);
    }
    let before = columns.len();
    let mut expansions = Vec::with_capacity(before);
    let mut after = Vec::new();
    for column in columns.drain(..) {
        let Some(categories) = &column.categories else {
            expansions.push(None);
            after.push(column);
            continue;
        };
        let mut order: Vec<usize> = (0..categories.len()).collect();
        order.sort_by(|&a, &b| categories[a].cmp(&categories[b]));
        let mut place = vec![0; categories.len()];
        for (position, &category) in order.iter().enumerate() {
            place[category] = position;
            let name = format!("{}={}", plain_name(&column.name), categories[category]);
            after.push(Column::number(ColumnRef::Name(name)));
        }
        notes.push(Note::OneHot { column: plain_name(&column.name), values: categories.len() });
        expansions.push(Some(place));
    }
    *columns = after;
    let rows = matrix.len() / before;
    budget.check_shape(rows as u64, columns.len() as u64, 8)?;
    Ok(match matrix {
        Matrix::F64(values) => Matrix::F64(expand(&values, before, columns.len(), &expansions)),
        Matrix::F32(values) => Matrix::F32(expand(&values, before, columns.len(), &expansions)),
    })
}

/// A missing category is missing in all its indicator columns.
fn expand<T: Real>(values: &[T], before: usize, after: usize, expansions: &[Option<Vec<usize>>]) -> Vec<T> {
    let mut expanded = Vec::with_capacity(values.len() / before * after);
    for row in values.chunks_exact(before) {
        for (&value, expansion) in row.iter().zip(expansions) {
            let Some(place) = expansion else {
                expanded.push(value);
                continue;
            };
            let code = value.to_f64();
            let start = expanded.len();
            let fill = if code.is_nan() { T::NAN } else { T::from_f64(0.0) };
            expanded.resize(start + place.len(), fill);
            if !code.is_nan() {
                expanded[start + place[code as usize]] = T::from_f64(1.0);
            }
        }
    }
    expanded
}
