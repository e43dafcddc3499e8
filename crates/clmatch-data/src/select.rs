//! Chooses columns of a matrix that was read as a whole.

use crate::columns::{Plan, Role};
use crate::dictionary::Dictionary;
use crate::error::ReadError;
use crate::real::{Matrix, Real};
use crate::table::{Codes, Column, LabelBuilder, Table};

/// Keeps the columns that are features and takes the label out.
pub(crate) fn select(matrix: Matrix, rows: usize, plan: Plan) -> Result<Table, ReadError> {
    let labels = match (&matrix, plan.label()) {
        (_, None) => None,
        (Matrix::F64(values), Some(label)) => Some(column_labels(values, plan.names.len(), label)?),
        (Matrix::F32(values), Some(label)) => Some(column_labels(values, plan.names.len(), label)?),
    };
    let mut columns = Vec::with_capacity(plan.features());
    let mut categories: Vec<Option<Dictionary>> = Vec::with_capacity(plan.features());
    let mut kept = Vec::with_capacity(plan.features());
    for (place, (name, role)) in plan.names.into_iter().zip(&plan.roles).enumerate() {
        if !matches!(role, Role::Skip | Role::Label) {
            columns.push(Column::number(name));
            categories.push((*role == Role::Category).then(Dictionary::default));
            kept.push(place);
        }
    }
    let matrix = match matrix {
        Matrix::F64(values) => Matrix::F64(compact(values, plan.roles.len(), &kept, &mut categories)?),
        Matrix::F32(values) => Matrix::F32(compact(values, plan.roles.len(), &kept, &mut categories)?),
    };
    for (column, dictionary) in columns.iter_mut().zip(categories) {
        column.categories = dictionary.map(Dictionary::into_names);
    }
    let (notes, facts) = (plan.notes, plan.facts);
    Ok(Table { columns, matrix, rows, labels, complete: false, extent: None, notes, facts })
}

/// Takes a column of numbers as labels.
fn column_labels<T: Real>(values: &[T], features: usize, label: usize) -> Result<Codes, ReadError> {
    let mut labels = LabelBuilder::default();
    for value in values.iter().skip(label).step_by(features) {
        labels.push_number(value.to_f64())?;
    }
    Ok(labels.finish())
}

/// Moves the kept columns together, in place; numbers that are categories become their codes.
fn compact<T: Real>(
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
