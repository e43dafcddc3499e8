//! Chooses columns of a matrix that was read as a whole.

use crate::columns::{ColumnPlan, Role};
use crate::dictionary::Dictionary;
use crate::error::ReadError;
use crate::real::{FloatMatrix, MatrixElement};
use crate::table::{Codes, FeatureColumn, LabelBuilder, RawTable};

/// Keeps the columns that are features and takes the label out.
pub(crate) fn select(matrix: FloatMatrix, rows: usize, plan: ColumnPlan) -> Result<RawTable, ReadError> {
    let labels = match (&matrix, plan.label()) {
        (_, None) => None,
        (FloatMatrix::F64(values), Some(label)) => Some(column_labels(values, plan.names.len(), label)?),
        (FloatMatrix::F32(values), Some(label)) => Some(column_labels(values, plan.names.len(), label)?),
    };
    let mut columns = Vec::with_capacity(plan.features());
    let mut categories: Vec<Option<Dictionary>> = Vec::with_capacity(plan.features());
    let mut kept = Vec::with_capacity(plan.features());
    for (place, (name, role)) in plan.names.into_iter().zip(&plan.roles).enumerate() {
        if !matches!(role, Role::Skip | Role::Label) {
            columns.push(FeatureColumn::number(name));
            categories.push((*role == Role::Category).then(Dictionary::default));
            kept.push(place);
        }
    }
    let matrix = match matrix {
        FloatMatrix::F64(values) => {
            FloatMatrix::F64(compact(values, plan.roles.len(), &kept, &mut categories)?)
        }
        FloatMatrix::F32(values) => {
            FloatMatrix::F32(compact(values, plan.roles.len(), &kept, &mut categories)?)
        }
    };
    for (column, dictionary) in columns.iter_mut().zip(categories) {
        column.categories = dictionary.map(Dictionary::into_names);
    }
    let (notes, facts) = (plan.notes, plan.facts);
    Ok(RawTable { columns, matrix, rows, labels, complete: false, extent: None, notes, facts })
}

/// Takes a column of numbers as labels.
fn column_labels<T: MatrixElement>(values: &[T], features: usize, label: usize) -> Result<Codes, ReadError> {
    let mut labels = LabelBuilder::default();
    for value in values.iter().skip(label).step_by(features) {
        labels.push_number(value.to_f64())?;
    }
    Ok(labels.finish())
}

/// Moves the kept columns together, in place; numbers that are categories become their codes.
fn compact<T: MatrixElement>(
    mut values: Vec<T>,
    features: usize,
    kept: &[usize],
    categories: &mut [Option<Dictionary>],
) -> Result<Vec<T>, ReadError> {
    if kept.len() == features && categories.iter().all(Option::is_none) {
        return Ok(values);
    }
    let rows = values.len() / features.max(1);
    let mut to = 0;
    for row in 0..rows {
        for (&column, dictionary) in kept.iter().zip(categories.iter_mut()) {
            let mut value = values[row * features + column];
            if let Some(dictionary) = dictionary
                && !value.to_f64().is_nan()
            {
                let name = crate::table::number_name(value.to_f64());
                value = T::from_f64(f64::from(dictionary.code(name.as_bytes())?));
            }
            values[to] = value;
            to += 1;
        }
    }
    values.truncate(to);
    Ok(values)
}
