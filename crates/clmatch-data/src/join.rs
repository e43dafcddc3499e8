//! Joins parts of one dataset, such as rows to train and to test on, into one table.

use crate::error::ReadError;
use crate::note::Note;
use crate::real::{FloatMatrix, MatrixElement};
use crate::table::{Codes, FeatureColumn, LabelBuilder, RawTable, plain_name};

/// A part with its name.
pub(crate) type Named = (String, RawTable);

/// Joins parts in the given order and adds a note.
///
/// # Errors
/// Parts with different columns, or labels for only some of the parts.
pub(crate) fn join(parts: Vec<Named>) -> Result<RawTable, ReadError> {
    let names: Vec<String> = parts.iter().map(|(name, _)| name.clone()).collect();
    let rows: Vec<usize> = parts.iter().map(|(_, table)| table.rows).collect();
    let mut parts = parts.into_iter();
    let (first, mut all) = parts.next().ok_or_else(|| ReadError::new("there are no parts to join"))?;
    for (name, part) in parts {
        append(&mut all, part).map_err(|what| {
            ReadError::new(format!("{first} and {name} cannot be joined: {what}"))
                .help("give the parts the same columns and labels, or give one of the files alone")
        })?;
    }
    if names.len() > 1 {
        all.notes.push(Note::Joined { parts: names, rows });
    }
    Ok(all)
}

fn append(all: &mut RawTable, part: RawTable) -> Result<(), String> {
    if all.columns.len() != part.columns.len() {
        return Err(format!("they have {} and {} features", all.columns.len(), part.columns.len()));
    }
    let other = all.columns.iter().zip(&part.columns).find(|(a, b)| a.name != b.name);
    if let Some((a, b)) = other {
        return Err(format!("the feature '{}' is called '{}'", plain_name(&a.name), plain_name(&b.name)));
    }
    let mut matrix = part.matrix;
    for (place, (own, other)) in all.columns.iter_mut().zip(&part.columns).enumerate() {
        recode(own, other, place, part.columns.len(), &mut matrix)?;
    }
    all.labels = match (all.labels.take(), part.labels) {
        (Some(labels), Some(more)) => Some(labels_together(&labels, &more).map_err(|error| error.what)?),
        (None, None) => None,
        _ => return Err("one has labels and the other has none".to_owned()),
    };
    all.matrix.append(matrix);
    all.rows += part.rows;
    all.complete &= part.complete;
    all.extent = all.extent.zip(part.extent).map(|(own, more)| own.and(more));
    let new: Vec<Note> = part.notes.into_iter().filter(|note| !all.notes.contains(note)).collect();
    all.notes.extend(new);
    Ok(())
}

/// Renumbers the categories of a part's column to those of the whole, adding the new ones.
fn recode(
    own: &mut FeatureColumn,
    other: &FeatureColumn,
    place: usize,
    features: usize,
    matrix: &mut FloatMatrix,
) -> Result<(), String> {
    let (known, new) = match (&mut own.categories, &other.categories) {
        (None, None) => return Ok(()),
        (Some(known), Some(new)) => (known, new),
        _ => return Err(format!("'{}' holds text in one of them only", plain_name(&own.name))),
    };
    let codes: Vec<f64> = new
        .iter()
        .map(|name| {
            let at = known.iter().position(|known| known == name).unwrap_or_else(|| {
                known.push(name.clone());
                known.len() - 1
            });
            at as f64
        })
        .collect();
    match matrix {
        FloatMatrix::F64(values) => replace(values, place, features, &codes),
        FloatMatrix::F32(values) => replace(values, place, features, &codes),
    }
    Ok(())
}

fn replace<T: MatrixElement>(values: &mut [T], place: usize, features: usize, codes: &[f64]) {
    for value in values.iter_mut().skip(place).step_by(features) {
        if let Some(&code) = codes.get(value.to_f64() as usize).filter(|_| !value.to_f64().is_nan()) {
            *value = T::from_f64(code);
        }
    }
}

fn labels_together(first: &Codes, more: &Codes) -> Result<Codes, ReadError> {
    let mut labels = LabelBuilder::default();
    labels.append(first)?;
    labels.append(more)?;
    Ok(labels.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ColumnRef;
    use crate::provenance::Facts;

    fn part(
        values: FloatMatrix,
        names: &[&str],
        categories: Option<&[&str]>,
        labels: Option<&[&str]>,
    ) -> RawTable {
        let rows = values.len() / names.len();
        let mut columns: Vec<FeatureColumn> =
            names.iter().map(|name| FeatureColumn::number(ColumnRef::Name((*name).to_owned()))).collect();
        columns[0].categories = categories.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
        let labels = labels.map(|labels| {
            let mut builder = LabelBuilder::default();
            labels.iter().for_each(|label| builder.push(label.as_bytes()).unwrap());
            builder.finish()
        });
        RawTable {
            columns,
            matrix: values,
            rows,
            labels,
            complete: true,
            extent: None,
            notes: Vec::new(),
            facts: Facts::default(),
        }
    }

    #[test]
    fn parts_keep_their_order_and_share_codes() {
        let one = part(
            FloatMatrix::F64(vec![0.0, 5.0, 1.0, 6.0]),
            &["c", "a"],
            Some(&["r", "g"]),
            Some(&["x", "y"]),
        );
        let two = part(
            FloatMatrix::F32(vec![0.0, 7.0, 1.0, 8.5]),
            &["c", "a"],
            Some(&["g", "b"]),
            Some(&["y", "z"]),
        );
        let all = join(vec![("x_train".into(), one), ("x_test".into(), two)]).unwrap();
        assert_eq!(all.matrix, FloatMatrix::F64(vec![0.0, 5.0, 1.0, 6.0, 1.0, 7.0, 2.0, 8.5]));
        assert_eq!(all.columns[0].categories.as_deref().unwrap(), ["r", "g", "b"]);
        let labels = all.labels.unwrap();
        assert_eq!((labels.codes.as_slice(), labels.names.len(), all.rows), (&[0, 1, 1, 2][..], 3, 4));
        assert_eq!(all.notes[0].to_string(), "x_train (2 rows) and x_test (2 rows) were joined");
    }

    #[test]
    fn parts_that_differ_are_refused() {
        let make =
            |names: &[&str], labels| part(FloatMatrix::F64(vec![1.0; names.len()]), names, None, labels);
        let refused = |other| {
            join(vec![("a".into(), make(&["p"], Some(&["x"][..]))), ("b".into(), other)]).unwrap_err().what
        };
        assert!(refused(make(&["p", "q"], Some(&["x"]))).contains("they have 1 and 2 features"));
        assert!(refused(make(&["q"], Some(&["x"]))).contains("the feature 'p' is called 'q'"));
        assert!(refused(make(&["p"], None)).contains("the other has none"));
    }
}
