//! Missing values that the caller names: texts, and numbers such as -999, in tables of any format.

use crate::real::{FloatMatrix, MatrixElement};
use crate::table::{Codes, FeatureColumn};

/// What stands for a missing value in each column.
#[derive(Debug)]
pub(crate) struct NamedMissing {
    columns: Vec<NamedInColumn>,
}

#[derive(Debug)]
enum NamedInColumn {
    /// Numbers that are missing values.
    Numbers(Vec<f64>),
    /// The new code of each category, NaN for a missing one.
    Codes(Vec<f64>),
}

impl NamedMissing {
    /// Takes the named texts out of the categories; `None` if no text is named.
    pub(crate) fn of(columns: &mut [FeatureColumn], named: &[String]) -> Option<Self> {
        let numbers: Vec<f64> = named.iter().filter_map(|text| text.parse().ok()).collect();
        let mut of_column = |column: &mut FeatureColumn| match &mut column.categories {
            None => NamedInColumn::Numbers(numbers.clone()),
            Some(categories) => {
                let mut kept = 0;
                let mut code = |category: &String| {
                    let code = if named.contains(category) { f64::NAN } else { f64::from(kept) };
                    kept += u32::from(!code.is_nan());
                    code
                };
                let codes = categories.iter().map(&mut code).collect();
                categories.retain(|category| !named.contains(category));
                NamedInColumn::Codes(codes)
            }
        };
        (!named.is_empty())
            .then(|| NamedMissing { columns: columns.iter_mut().map(&mut of_column).collect() })
    }

    /// Puts NaN in place of named values; returns whether there are any.
    pub(crate) fn mark<T: MatrixElement>(&self, values: &mut [T]) -> bool {
        let mut found = false;
        for row in values.chunks_exact_mut(self.columns.len().max(1)) {
            for (value, column) in row.iter_mut().zip(&self.columns) {
                let is = |number: &f64| T::from_f64(*number) == *value;
                match column {
                    NamedInColumn::Numbers(numbers) if numbers.iter().any(is) => *value = T::NAN,
                    NamedInColumn::Codes(codes) if !value.to_f64().is_nan() => {
                        *value = T::from_f64(codes[value.to_f64() as usize]);
                    }
                    _ => continue,
                }
                found |= value.to_f64().is_nan();
            }
        }
        found
    }

    /// Like [`NamedMissing::mark`], for a matrix of either precision.
    pub(crate) fn mark_matrix(&self, matrix: &mut FloatMatrix) -> bool {
        match matrix {
            FloatMatrix::F64(values) => self.mark(values),
            FloatMatrix::F32(values) => self.mark(values),
        }
    }
}

/// Takes labels with the named texts for missing ones; returns whether there are any.
pub(crate) fn mark_labels(labels: &mut Codes, named: &[String]) -> bool {
    let missing: Vec<bool> = labels.names.iter().map(|name| named.contains(name)).collect();
    if !missing.contains(&true) {
        return false;
    }
    let mut kept = 0;
    let places: Vec<u32> = missing
        .iter()
        .map(|&missing| {
            kept += u32::from(!missing);
            if missing { Codes::MISSING } else { kept - 1 }
        })
        .collect();
    for code in &mut labels.codes {
        *code = places.get(*code as usize).copied().unwrap_or(Codes::MISSING);
    }
    labels.names.retain(|name| !named.contains(name));
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ColumnRef;

    #[test]
    fn numbers_categories_and_labels_are_marked() {
        let text = FeatureColumn {
            name: ColumnRef::Name("kind".into()),
            categories: Some(["x", "unknown", "y"].map(String::from).to_vec()),
        };
        let mut columns = [FeatureColumn::number(ColumnRef::Index(0)), text];
        let named = ["-999", "unknown"].map(String::from);
        let missing = NamedMissing::of(&mut columns, &named).unwrap();
        assert_eq!(columns[1].categories.as_ref().unwrap(), &["x", "y"]);
        let mut values = [1.0, 0.0, -999.0, 2.0, -999.5, 1.0];
        assert!(missing.mark(&mut values));
        assert_eq!(format!("{values:?}"), "[1.0, 0.0, NaN, 1.0, -999.5, NaN]");
        assert!(!missing.mark(&mut [1.0, 0.0]));
        assert!(NamedMissing::of(&mut columns, &[]).is_none());
        let names = ["a", "unknown", "b"].map(String::from).to_vec();
        let mut labels = Codes { codes: vec![0, 1, 2, Codes::MISSING], names };
        assert!(mark_labels(&mut labels, &named));
        assert_eq!(labels.codes, [0, Codes::MISSING, 1, Codes::MISSING]);
        assert_eq!(labels.names, ["a", "b"]);
    }
}
