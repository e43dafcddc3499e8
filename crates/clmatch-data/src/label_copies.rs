//! Features that give away the label: copies of it, predictions of it, and numbers of clusters or folds. With one of them, every
//! dataset scores well.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::advice::Advice;
use crate::dataset::Dataset;
use crate::error::{ReadError, shorten};
use crate::note::Note;
use crate::options::ReadOptions;

/// With at least this many rows, and [`ROWS_PER_CLASS`] for each class on average, a feature with one value for each class is a
/// copy of the label and not a coincidence.
const FEWEST_ROWS: usize = 20;
const ROWS_PER_CLASS: usize = 5;

/// A feature that gives away the label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelCopy {
    /// The name of the feature.
    pub column: String,
    /// How it was found.
    pub by: CopySign,
}

/// How a copy of the label was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CopySign {
    /// It has one value for each class, and each value is in one class only.
    OneValuePerClass,
    /// Its name is that of a label, a cluster or a fold, and it has few values.
    Name,
}

/// Displayed as one clause.
impl fmt::Display for LabelCopy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.by {
            CopySign::OneValuePerClass => write!(f, "the feature '{}' is a copy of the label", self.column),
            CopySign::Name => {
                write!(f, "the name of the feature '{}' suggests a label, a cluster or a fold", self.column)
            }
        }
    }
}

impl Dataset {
    /// Features that give away the label: they have one value for each class and each value in one class, or they have few
    /// values and the name of a label, a cluster or a fold. Nothing is concluded from a single feature, fewer than 20 rows,
    /// or fewer than 5 rows per class.
    ///
    /// Time: O(n d) at worst, O(d) where no feature gives away the label.
    pub fn label_copies(&self) -> Vec<LabelCopy> {
        if self.n_features() < 2 || self.n_points() < FEWEST_ROWS {
            return Vec::new();
        }
        let telling = features_that_tell(self);
        let sign = |feature: usize| {
            if telling.contains(&feature) {
                return Some(CopySign::OneValuePerClass);
            }
            let named = is_name_of_labels(&self.features()[feature]);
            (named && has_few_values(self, feature)).then_some(CopySign::Name)
        };
        let copy =
            |feature: usize| Some(LabelCopy { column: self.features()[feature].clone(), by: sign(feature)? });
        (0..self.n_features()).filter_map(copy).collect()
    }
}

/// Refuses features that give away the label, unless an option asks for them. Features kept by an option then need no note that
/// they would not have been left out.
///
/// # Errors
/// The first such feature.
pub(crate) fn refuse(dataset: &mut Dataset, options: &ReadOptions) -> Result<(), ReadError> {
    let copies = dataset.label_copies();
    let wanted = |column: &String| options.keep.contains(column) || options.only.contains(column);
    if let Some(copy) = copies.iter().find(|copy| !wanted(&copy.column)) {
        return Err(ReadError::new(copy.to_string()).help(Advice::DropOrKeep(shorten(&copy.column))));
    }
    for note in &mut dataset.notes {
        if let Note::KeptAnyway { columns } = note {
            columns.retain(|column| copies.iter().all(|copy| copy.column != *column));
        }
    }
    dataset.notes.retain(|note| !matches!(note, Note::KeptAnyway { columns } if columns.is_empty()));
    Ok(())
}

fn value(dataset: &Dataset, row: usize, feature: usize) -> f64 {
    dataset.values().get(row * dataset.n_features() + feature)
}

/// Features with one value for each class that distinguish all classes: each by itself, or all together, as indicators of the
/// label do.
fn features_that_tell(dataset: &Dataset) -> Vec<usize> {
    let labels = dataset.labels();
    let mut first_of = vec![None; labels.names().len()];
    let mut features: Vec<usize> = (0..dataset.n_features()).collect();
    for (row, &code) in labels.codes().iter().enumerate() {
        let first = *first_of[code as usize].get_or_insert(row);
        features.retain(|&feature| value(dataset, row, feature) == value(dataset, first, feature));
        if features.is_empty() {
            return features;
        }
    }
    let firsts: Vec<usize> = first_of.into_iter().flatten().collect();
    if dataset.n_points() < ROWS_PER_CLASS * firsts.len() {
        return Vec::new();
    }
    // How many different combinations of values the classes have in some features. Zeros of either sign are equal.
    let kinds = |features: &[usize]| {
        let bits = |&row: &usize| -> Vec<u64> {
            features.iter().map(|&feature| (value(dataset, row, feature) + 0.0).to_bits()).collect()
        };
        let mut kinds: Vec<Vec<u64>> = firsts.iter().map(bits).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds.len()
    };
    features.retain(|&feature| kinds(&[feature]) > 1);
    // There are at most as many indicators as classes. If there are more such features, it is because rows repeat.
    if features.len() > firsts.len() || kinds(&features) < firsts.len() {
        features.retain(|&feature| kinds(&[feature]) == firsts.len());
    }
    features
}

/// Whether a column has a name that features do not have.
fn is_name_of_labels(name: &str) -> bool {
    const NAMES: [&str; 34] = [
        "classid",
        "classlabel",
        "cluster",
        "clusterid",
        "clusterlabel",
        "clusters",
        "cvfold",
        "fold",
        "foldid",
        "foldnumber",
        "groundtruth",
        "istest",
        "istrain",
        "isval",
        "kfold",
        "kmeans",
        "label",
        "labelid",
        "labels",
        "partition",
        "pred",
        "predicted",
        "predictedclass",
        "predictedlabel",
        "prediction",
        "split",
        "target",
        "targetid",
        "targetname",
        "traintest",
        "truelabel",
        "truth",
        "ypred",
        "ytrue",
    ];
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    NAMES.contains(&plain.as_str())
}

/// Whether all values are whole numbers, with so few different ones that they may number classes: each occurs five times on
/// average.
fn has_few_values(dataset: &Dataset, feature: usize) -> bool {
    let most = (3 * dataset.labels().names().len()).max(20).min(dataset.n_points() / 5);
    let mut seen: Vec<f64> = Vec::new();
    for row in 0..dataset.n_points() {
        let value = value(dataset, row, feature);
        if !seen.contains(&value) {
            seen.push(value);
            if seen.len() > most || value.fract() != 0.0 {
                return false;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use clmatch::Labels;

    fn dataset(columns: &[(&str, Vec<f64>)], labels: &[usize]) -> Dataset {
        let rows = labels.len();
        let values: Vec<f64> =
            (0..rows).flat_map(|row| columns.iter().map(move |(_, column)| column[row])).collect();
        let names = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
        Dataset::new("d", names, values, Labels::encode(labels)).unwrap()
    }

    fn copies(columns: &[(&str, Vec<f64>)], labels: &[usize]) -> Vec<(String, CopySign)> {
        dataset(columns, labels).label_copies().into_iter().map(|copy| (copy.column, copy.by)).collect()
    }

    #[test]
    fn copies_of_the_label_are_found_by_value_and_by_name() {
        let labels: Vec<usize> = (0..60).map(|row| row % 3).collect();
        let measured = || ("x", (0..60).map(|row| f64::from(row * row % 37)).collect::<Vec<f64>>());
        let of = |value: fn(usize) -> f64| (0..60).map(value).collect::<Vec<f64>>();
        let one = |sign| vec![("copy".to_owned(), sign)];
        // 7, 2 and -1 for the three classes, under any name.
        let code = |row: usize| [7.0, 2.0, -1.0][row % 3];
        assert_eq!(copies(&[measured(), ("copy", of(code))], &labels), one(CopySign::OneValuePerClass));
        // A wrong value, or one value for two classes: not a copy.
        assert_eq!(
            copies(&[measured(), ("copy", of(|row| if row == 5 { 9.0 } else { (row % 3) as f64 }))], &labels),
            []
        );
        assert_eq!(copies(&[measured(), ("copy", of(|row| (row % 3 / 2) as f64))], &labels), []);
        // Folds and clusters are recognised by their names, if they have few values.
        for name in ["fold", "Cluster_ID", "y_pred", "is_train"] {
            let found = copies(&[measured(), (name, of(|row| (row / 12) as f64))], &labels);
            assert_eq!(found, [(name.to_owned(), CopySign::Name)]);
        }
        assert_eq!(copies(&[measured(), ("target", of(|row| row as f64))], &labels), []);
        assert_eq!(copies(&[measured(), ("folded", of(|row| (row / 12) as f64))], &labels), []);
        // Indicators of all classes give away the label together; they do not if one indicator covers two of three classes.
        let is = |class: usize| (0..60).map(|row| f64::from(row % 3 == class)).collect::<Vec<f64>>();
        let found = copies(&[measured(), ("is_0", is(0)), ("is_1", is(1))], &labels);
        assert_eq!(found.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["is_0", "is_1"]);
        assert_eq!(copies(&[measured(), ("is_0", is(0))], &labels), []);
        // A constant feature gives nothing away, with or without a copy beside it.
        assert_eq!(
            copies(&[measured(), ("constant", of(|_| 3.0)), ("copy", of(code))], &labels),
            one(CopySign::OneValuePerClass)
        );
        // With fewer than five rows per class it is a coincidence, and with more features than classes, rows repeat.
        let many: Vec<usize> = (0..20).map(|row| row / 4).collect();
        let code_of = |labels: &[usize]| labels.iter().map(|&label| label as f64).collect::<Vec<f64>>();
        let x = |rows: usize| ("x", (0..rows).map(|row| (row * row % 37) as f64).collect::<Vec<f64>>());
        assert_eq!(copies(&[x(20), ("copy", code_of(&many))], &many), []);
        let enough: Vec<usize> = (0..25).map(|row| row / 5).collect();
        assert_eq!(copies(&[x(25), ("copy", code_of(&enough))], &enough), one(CopySign::OneValuePerClass));
        let names = ["a", "b", "c", "d"];
        let repeated: Vec<(&str, Vec<f64>)> =
            names.iter().map(|&name| (name, of(|row| (row % 3 / 2) as f64))).collect();
        assert_eq!(copies(&repeated, &labels), []);
        // A single feature or few rows are not enough.
        assert_eq!(copies(&[("copy", of(code))], &labels), []);
        let some = [("x", vec![1.0; 19]), ("copy", (0..19).map(|row| f64::from(row % 2)).collect())];
        assert_eq!(copies(&some, &(0..19).map(|row| row % 2).collect::<Vec<_>>()), []);
    }

    #[test]
    fn copies_are_refused_unless_they_are_wanted() {
        let labels: Vec<usize> = (0..40).map(|row| row % 2).collect();
        let x = (0..40).map(|row| f64::from(row * row % 17)).collect();
        let mut leak =
            dataset(&[("x", x), ("code", labels.iter().map(|&label| label as f64).collect())], &labels);
        let error = refuse(&mut leak, &ReadOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), "the feature 'code' is a copy of the label");
        assert_eq!(error.advice, Some(Advice::DropOrKeep("code".into())));
        let keep = ReadOptions { keep: vec!["code".into()], ..ReadOptions::default() };
        let only = ReadOptions { only: vec!["code".into()], ..ReadOptions::default() };
        leak.notes = vec![Note::KeptAnyway { columns: vec!["code".into()] }];
        assert!(refuse(&mut leak, &keep).is_ok() && refuse(&mut leak, &only).is_ok());
        assert_eq!(leak.notes, []);
    }
}
