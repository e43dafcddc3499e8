//! Turns a table, as it is in a file, into a dataset: missing values, indicator columns, and notes.

use clmatch::Labels;

use crate::advice::Advice;
use crate::classes;
use crate::dataset::Dataset;
use crate::error::{ColumnRef, ReadError, shorten};
use crate::extent::Extent;
use crate::ids;
use crate::label_copies;
use crate::label_leaks;
use crate::loss;
use crate::memory::MemoryBudget;
use crate::missing::{self, Handled};
use crate::named_missing::{NamedMissing, mark_labels};
use crate::note::Note;
use crate::options::ReadOptions;
use crate::provenance::{Facts, LeftOutColumn, LeftOutReason};
use crate::real::{FloatMatrix, MatrixElement};
use crate::sentinel;
use crate::table::{FeatureColumn, RawTable, plain_name};

/// Makes a dataset from a table.
///
/// # Errors
/// No rows, no labels, labels that are numbers to predict, no feature besides ids, missing values where they are an error,
/// infinities, or indicator columns that do not fit into memory.
pub(crate) fn finish(table: RawTable, name: &str, options: &ReadOptions) -> Result<Dataset, ReadError> {
    let mut labels = table.labels.ok_or_else(no_labels)?;
    if table.rows == 0 {
        return Err(ReadError::new("there are no rows").help("the file has no data, or only a header"));
    }
    if labels.codes.len() != table.rows {
        let (labels, rows) = (labels.codes.len(), table.rows);
        return Err(ReadError::new(format!("there are {rows} rows but {labels} labels"))
            .help("give exactly one label for each row"));
    }
    let (mut columns, mut notes, mut facts) = (table.columns, table.notes, table.facts);
    let mut matrix = table.matrix;
    let marked = NamedMissing::of(&mut columns, &options.missing_values);
    let marked = marked.is_some_and(|named| named.mark_matrix(&mut matrix))
        | mark_labels(&mut labels, &options.missing_values);
    let complete = table.complete && !marked;
    notes.extend(classes::check(&labels, &facts)?);
    let read = matrix.len();
    let copies = label_leaks::confirmed(&matrix, &columns, &labels, &mut facts, options)?;
    ids::without(&mut matrix, &mut columns, &copies);
    let doubtful_ids = ids::take_out(&mut matrix, &mut columns, &mut facts, &mut notes);
    if columns.is_empty() {
        return Err(only_ids(&facts));
    }
    notes.extend(left_out(&facts.left_out));
    let as_read = table.extent.filter(|_| matrix.len() == read);
    notes.extend(sentinels(&matrix, &columns));
    let missing_cells =
        if complete { None } else { loss::count(&matrix, &columns, &labels, options.missing) };
    let names: Vec<String> = columns.iter().map(|column| plain_name(&column.name)).collect();
    let mut matrix = one_hot(matrix, &mut columns, &mut notes, MemoryBudget::new(options))?;
    let handled = match &mut matrix {
        _ if complete => Handled { extent: as_read, ..Handled::default() },
        FloatMatrix::F64(values) => missing::handle_missing(values, &columns, &mut labels, options.missing)?,
        FloatMatrix::F32(values) => missing::handle_missing(values, &columns, &mut labels, options.missing)?,
    };
    for note in handled.notes {
        notes.push(loss::of_the_file(note, missing_cells.as_ref(), &names, options.missing)?);
    }
    notes.extend(constant(&matrix, &columns));
    let features = columns.iter().map(|column| plain_name(&column.name)).collect();
    let labels = Labels::from_codes(labels.codes, &labels.names);
    // Readers report the place of a number that is not finite. If the reader did not check, this does; nothing checks again
    // later.
    let values = matrix.into_values();
    let extent = handled.extent.unwrap_or_else(|| Extent::of_values(&values));
    let dataset = Dataset::seen(name.to_owned(), features, values, labels, extent);
    let dataset =
        dataset.map_err(|error| ReadError::new(error.to_string()).help("correct or remove the row"))?;
    let mut dataset = Dataset {
        notes,
        kept_rows: handled.kept,
        label: facts.label,
        left_out: facts.left_out,
        doubtful_ids,
        ..dataset
    };
    label_copies::refuse_in(&mut dataset, options)?;
    Ok(dataset)
}

/// Warnings of numbers that stand for missing values.
fn sentinels(matrix: &FloatMatrix, columns: &[FeatureColumn]) -> impl Iterator<Item = Note> {
    let found = match matrix {
        FloatMatrix::F64(values) => sentinel::find(values, columns),
        FloatMatrix::F32(values) => sentinel::find(values, columns),
    };
    found.into_iter().map(|(_, note)| note)
}

/// One note for each reason.
pub(crate) fn left_out(columns: &[LeftOutColumn]) -> Vec<Note> {
    let mut reasons: Vec<LeftOutReason> = columns.iter().map(|column| column.reason).collect();
    reasons.sort_unstable();
    reasons.dedup();
    let note = |reason| {
        let those = columns.iter().filter(|column| column.reason == reason);
        Note::LeftOut { columns: those.map(|column| column.column.clone()).collect(), reason }
    };
    reasons.into_iter().map(note).collect()
}

/// The error for a table without any feature but ids.
pub(crate) fn only_ids(facts: &Facts) -> ReadError {
    let names: Vec<String> = facts.left_out.iter().map(|column| column.column.clone()).collect();
    let is_number = |column: &&LeftOutColumn| {
        matches!(
            column.reason,
            LeftOutReason::RowNumbers | LeftOutReason::Id | LeftOutReason::Code | LeftOutReason::PandasIndex
        )
    };
    let numbers: Vec<String> =
        facts.left_out.iter().filter(is_number).map(|column| column.column.clone()).collect();
    let besides = facts
        .label
        .as_ref()
        .map_or("the labels".to_owned(), |label| format!("the label, '{}'", shorten(&label.name)));
    let shown: Vec<String> = names.iter().map(|name| format!("'{}'", shorten(name))).collect();
    let (are, shown) = match numbers.len() == names.len() {
        true => ("and what looks like ids", shown.join(", ")),
        false => ("and what was left out", shown.join(", ")),
    };
    let error = ReadError::new(format!("there is no feature besides {besides}, {are}: {shown}"));
    match numbers.len() == names.len() {
        false => error.help("a dataset needs a label and at least one column of numbers"),
        true => error.help(Advice::KeepColumns(numbers)),
    }
}

/// The error for points without labels.
pub(crate) fn no_labels() -> ReadError {
    ReadError::new("there are no labels").help(Advice::GiveLabels)
}

/// A note on columns that never change. Few columns survive the first rows, so this costs far less than a pass over the matrix.
fn constant(matrix: &FloatMatrix, columns: &[FeatureColumn]) -> Option<Note> {
    fn unchanged<T: MatrixElement>(values: &[T], features: usize) -> Vec<usize> {
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
        FloatMatrix::F64(values) => unchanged(values, columns.len()),
        FloatMatrix::F32(values) => unchanged(values, columns.len()),
    };
    let names: Vec<String> = found.iter().map(|&column| plain_name(&columns[column].name)).collect();
    (!names.is_empty()).then_some(Note::Constant { columns: names })
}

/// Replaces each column with categories by one indicator column per category, in the order of their names.
fn one_hot(
    matrix: FloatMatrix,
    columns: &mut Vec<FeatureColumn>,
    notes: &mut Vec<Note>,
    budget: MemoryBudget,
) -> Result<FloatMatrix, ReadError> {
    let Some(expansion) = Expansion::of(columns, notes) else { return Ok(matrix) };
    let rows = matrix.len() / expansion.before();
    budget.check_shape(rows as u64, columns.len() as u64, 8)?;
    Ok(match matrix {
        FloatMatrix::F64(values) => FloatMatrix::F64(expansion.expand(&values)),
        FloatMatrix::F32(values) => FloatMatrix::F32(expansion.expand(&values)),
    })
}

/// How columns with categories become indicator columns.
#[derive(Debug)]
pub(crate) struct Expansion {
    /// For each column, the places of its categories among its indicators; `None` for numbers.
    places: Vec<Option<Vec<usize>>>,
    after: usize,
}

impl Expansion {
    /// Replaces the columns and adds notes; `None` if no column has categories.
    pub(crate) fn of(columns: &mut Vec<FeatureColumn>, notes: &mut Vec<Note>) -> Option<Self> {
        if columns.iter().all(|column| column.categories.is_none()) {
            return None;
        }
        let mut places = Vec::with_capacity(columns.len());
        let mut after = Vec::new();
        for column in columns.drain(..) {
            let Some(categories) = &column.categories else {
                places.push(None);
                after.push(column);
                continue;
            };
            let mut order: Vec<usize> = (0..categories.len()).collect();
            order.sort_by(|&a, &b| categories[a].cmp(&categories[b]));
            let mut place = vec![0; categories.len()];
            for (position, &category) in order.iter().enumerate() {
                place[category] = position;
                let name = format!("{}={}", plain_name(&column.name), categories[category]);
                after.push(FeatureColumn::number(ColumnRef::Name(name)));
            }
            notes.push(Note::OneHot { column: plain_name(&column.name), values: categories.len() });
            places.push(Some(place));
        }
        *columns = after;
        Some(Expansion { places, after: columns.len() })
    }

    /// How many columns there were.
    fn before(&self) -> usize {
        self.places.len()
    }

    /// The rows with indicators. A missing category is missing in all of its indicator columns.
    pub(crate) fn expand<T: MatrixElement>(&self, values: &[T]) -> Vec<T> {
        let mut expanded = Vec::with_capacity(values.len() / self.before() * self.after);
        for row in values.chunks_exact(self.before()) {
            for (&value, place) in row.iter().zip(&self.places) {
                let Some(place) = place else {
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
}
