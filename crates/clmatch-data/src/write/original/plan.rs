//! What becomes of each row and each column of a file.

use clmatch::Values;

use crate::dataset::Dataset;

/// What becomes of a row of the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowPlan {
    /// Whether it is written.
    pub(super) stays: bool,
    /// The class it had; `None` if it had no label.
    pub(super) old: Option<u32>,
    /// The class it gets.
    pub(super) new: Option<u32>,
    /// The point of the result that it is, if features are written.
    pub(super) point: usize,
}

/// What becomes of a column of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ColumnPlan {
    Keep,
    Remove,
    /// These features of the result stand in its place: itself, or its indicators.
    Features(Vec<usize>),
}

/// What becomes of a file.
#[derive(Debug)]
pub(super) struct WritePlan<'a> {
    pub(super) rows: Vec<RowPlan>,
    /// The names of all classes, old and new.
    pub(super) classes: Vec<String>,
    /// The column that holds the labels, if it is in the file.
    pub(super) label: Option<usize>,
    /// The name of a new column for the labels.
    pub(super) column: Option<String>,
    pub(super) columns: Vec<ColumnPlan>,
    /// The points with the features that are written.
    pub(super) result: &'a Dataset,
}

impl WritePlan<'_> {
    /// The name of the class that a row gets.
    pub(super) fn label_of(&self, row: &RowPlan) -> Option<&str> {
        row.new.map(|class| self.classes[class as usize].as_str())
    }

    /// The value of a feature in a row.
    pub(super) fn value(&self, row: &RowPlan, feature: usize) -> f64 {
        let at = row.point * self.result.n_features() + feature;
        match self.result.values() {
            Values::F64(values) => values[at],
            Values::F32(values) => f64::from(values[at]),
        }
    }

    /// The name of a feature.
    pub(super) fn feature(&self, feature: usize) -> &str {
        &self.result.features()[feature]
    }

    /// The rows that are written.
    pub(super) fn kept(&self) -> impl Iterator<Item = &RowPlan> {
        self.rows.iter().filter(|row| row.stays)
    }

    /// The names of the classes of the rows that are written and for which `of` is true, in order of appearance.
    pub(super) fn classes_of(&self, of: impl Fn(&RowPlan) -> bool) -> Vec<&str> {
        let mut seen = vec![false; self.classes.len()];
        let new = self.kept().filter(|row| of(row)).filter_map(|row| row.new);
        new.filter(|&class| !std::mem::replace(&mut seen[class as usize], true))
            .map(|class| self.classes[class as usize].as_str())
            .collect()
    }

    /// The classes to declare: those of `old` that are still used, or never were, in their order; new classes stand where the
    /// ones were from which they came.
    pub(super) fn declared(&self, old: &[Vec<u8>]) -> Vec<String> {
        let used = self.classes_of(|_| true);
        let name = |class: u32| self.classes[class as usize].as_str();
        let mut had: Vec<u32> = self.rows.iter().filter_map(|row| row.old).collect();
        had.sort_unstable();
        had.dedup();
        let mut values: Vec<String> = Vec::new();
        let mut add = |name: &str| {
            if !values.iter().any(|value| value == name) {
                values.push(name.to_owned());
            }
        };
        for old in old.iter().map(|old| String::from_utf8_lossy(old)) {
            match had.iter().find(|&&class| name(class) == old) {
                Some(class) if !used.contains(&&*old) => {
                    self.classes_of(|row| row.old == Some(*class)).into_iter().for_each(&mut add);
                }
                _ => add(&old),
            }
        }
        used.into_iter().for_each(add);
        values
    }
}
