//! Features that give away the label: copies of it, predictions of it, and numbers of clusters or folds. With one of them, every
//! dataset scores well.

use std::collections::HashMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::advice::Advice;
use crate::dataset::Dataset;
use crate::error::{ReadError, shorten};
use crate::label_leaks;
use crate::note::Note;
use crate::options::ReadOptions;
use crate::provenance::LabelOrigin;

/// With at least this many rows, and [`ROWS_PER_CLASS`] for each class on average, a feature with one value for each class is a
/// copy of the label and not a coincidence.
pub(crate) const FEWEST_ROWS: usize = 20;
/// See [`FEWEST_ROWS`].
pub(crate) const ROWS_PER_CLASS: usize = 5;

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
    /// It has a few codes for each class, in no order of the classes, and each code is in one class only.
    FewValuesPerClass,
    /// Its name is that of a label, a cluster or a fold, and it has few values.
    Name,
    /// It has one value for each class, and a class has its name.
    ClassName,
    /// It has one value in each class, but not another one in every class: it may be an indicator of a class, or a property.
    ConstantInClasses,
    /// It has a few whole numbers for each class, in the order of the classes, and each is in one class only.
    FewOrderedValues,
}

impl CopySign {
    /// Whether no feature looks like this: otherwise the file is read, with a warning.
    pub(crate) fn is_certain(self) -> bool {
        !matches!(self, CopySign::ConstantInClasses | CopySign::FewOrderedValues)
    }
}

/// Displayed as one clause.
impl fmt::Display for LabelCopy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.by {
            CopySign::OneValuePerClass => write!(f, "the feature '{}' is a copy of the label", self.column),
            CopySign::FewValuesPerClass | CopySign::FewOrderedValues => {
                write!(f, "each value of the feature '{}' is in one class only", self.column)
            }
            CopySign::ClassName => {
                write!(f, "the feature '{}' is an indicator of the class of its name", self.column)
            }
            CopySign::ConstantInClasses => {
                write!(f, "the feature '{}' has one value in each class", self.column)
            }
            CopySign::Name => {
                write!(f, "the name of the feature '{}' suggests a label, a cluster or a fold", self.column)
            }
        }
    }
}

impl Dataset {
    /// Features that give away the label, or may do so: they have one value in each class, or a few values each of which is in one
    /// class, or they have few values and the name of a label, a cluster or a fold. Nothing is concluded from a single feature,
    /// fewer than 20 rows, or fewer than 5 rows per class.
    ///
    /// Time: O(n d) at worst, O(d) where no feature gives away the label.
    pub fn label_copies(&self) -> Vec<LabelCopy> {
        copies(&LabelledRows::of(self, &|row, feature| self.values().get(row * self.n_features() + feature)))
    }
}

/// Rows with features and labels, wherever they are stored.
pub(crate) struct LabelledRows<'a> {
    /// The names of the features.
    pub(crate) names: Vec<&'a str>,
    pub(crate) rows: usize,
    /// The value of a feature in a row.
    pub(crate) value: &'a dyn Fn(usize, usize) -> f64,
    /// The class of each row; one beyond the classes is none.
    pub(crate) codes: &'a [u32],
    /// The names of the classes.
    pub(crate) classes: &'a [String],
    pub(crate) label: Option<&'a LabelOrigin>,
}

impl<'a> LabelledRows<'a> {
    /// All rows of a dataset; `value` finds its values.
    fn of(dataset: &'a Dataset, value: &'a dyn Fn(usize, usize) -> f64) -> Self {
        LabelledRows {
            names: dataset.features().iter().map(String::as_str).collect(),
            rows: dataset.n_points(),
            value,
            codes: dataset.labels().codes(),
            classes: dataset.labels().names(),
            label: dataset.label_origin(),
        }
    }

    /// Rows and their classes, without rows that have none.
    fn classes(&self) -> impl Iterator<Item = (usize, usize)> {
        let codes = self.codes.iter().enumerate().map(|(row, &code)| (row, code as usize));
        codes.filter(|(_, class)| *class < self.classes.len())
    }
}

/// See [`Dataset::label_copies`].
fn copies(rows: &LabelledRows<'_>) -> Vec<LabelCopy> {
    if rows.names.len() < 2 || rows.rows < FEWEST_ROWS {
        return Vec::new();
    }
    let constant = ConstantFeatures::of(rows);
    let sign = |feature: usize| {
        let name = rows.names[feature];
        if constant.telling.contains(&feature) {
            return Some(CopySign::OneValuePerClass);
        }
        let is_varied = constant.varied.contains(&feature);
        let label = rows.label.map_or("", |label| &label.name);
        if is_varied && rows.classes.iter().any(|class| label_leaks::is_indicator_of(name, class, label)) {
            return Some(CopySign::ClassName);
        }
        let of_label = label_leaks::is_code_of(name, label);
        let named = of_label
            || label_leaks::is_name_of_parts(name, rows.names.iter().copied())
            || label_leaks::is_name_of_labels(name);
        if named && has_few_values(rows, feature) {
            return Some(CopySign::Name);
        }
        codes_of_classes(rows, feature).or(is_varied.then_some(CopySign::ConstantInClasses))
    };
    let copy =
        |feature: usize| Some(LabelCopy { column: rows.names[feature].to_owned(), by: sign(feature)? });
    (0..rows.names.len()).filter_map(copy).collect()
}

/// Refuses features that give away the label, unless `wanted`, and warns of those that may. Features kept by an option then need
/// no note that they would not have been left out.
///
/// # Errors
/// The first such feature.
pub(crate) fn refuse(
    rows: &LabelledRows<'_>,
    notes: &mut Vec<Note>,
    wanted: impl Fn(&str) -> bool,
) -> Result<(), ReadError> {
    let copies = copies(rows);
    let unwanted = || copies.iter().filter(|copy| !wanted(&copy.column));
    if let Some(copy) = unwanted().find(|copy| copy.by.is_certain()) {
        // Where the label was guessed, it may be the other way round.
        let guessed = rows.label.filter(|label| Note::of_label(label).is_some());
        let label = guessed.map_or(String::new(), |label| {
            let reason = label.source.reason().unwrap_or_default();
            format!("; the label is '{}' ({reason})", shorten(&label.name))
        });
        // One of several indicators may be harmless by itself, but not those that are left.
        let alike = unwanted().filter(|other| other.by == copy.by).map(|other| shorten(&other.column));
        return Err(ReadError::new(format!("{copy}{label}")).help(Advice::DropOrKeep(alike.collect())));
    }
    notes.extend(unwanted().map(|copy| Note::MayTellLabel { copy: copy.clone() }));
    for note in &mut *notes {
        if let Note::KeptAnyway { columns } = note {
            columns.retain(|column| copies.iter().all(|copy| copy.column != *column));
        }
    }
    notes.retain(|note| !matches!(note, Note::KeptAnyway { columns } if columns.is_empty()));
    Ok(())
}

/// Like [`refuse`], for a dataset and the options that it was read with.
///
/// # Errors
/// The first such feature.
pub(crate) fn refuse_in(dataset: &mut Dataset, options: &ReadOptions) -> Result<(), ReadError> {
    // An indicator has the name of its column and a value.
    let is = |name: &str, column: &str| {
        name == column || name.strip_prefix(column).is_some_and(|rest| rest.starts_with('='))
    };
    let mut notes = std::mem::take(&mut dataset.notes);
    let value = |row, feature| dataset.values().get(row * dataset.n_features() + feature);
    let rows = LabelledRows::of(dataset, &value);
    refuse(&rows, &mut notes, |name| {
        options.keep.iter().chain(&options.only).any(|column| is(name, column))
    })?;
    dataset.notes = notes;
    Ok(())
}

/// Features with one value in each class.
#[derive(Debug, Default)]
struct ConstantFeatures {
    /// Those that distinguish some classes.
    varied: Vec<usize>,
    /// Those that distinguish all classes: each by itself, or all together, as indicators of the label do.
    telling: Vec<usize>,
}

impl ConstantFeatures {
    fn of(rows: &LabelledRows<'_>) -> Self {
        let value = rows.value;
        let mut first_of = vec![None; rows.classes.len()];
        let mut features: Vec<usize> = (0..rows.names.len()).collect();
        for (row, class) in rows.classes() {
            let first = *first_of[class].get_or_insert(row);
            features.retain(|&feature| value(row, feature) == value(first, feature));
            if features.is_empty() {
                return ConstantFeatures::default();
            }
        }
        let firsts: Vec<usize> = first_of.into_iter().flatten().collect();
        if rows.rows < ROWS_PER_CLASS * firsts.len() {
            return ConstantFeatures::default();
        }
        // How many different combinations of values the classes have in some features. Zeros of either sign are equal.
        let kinds = |features: &[usize]| {
            let bits = |&row: &usize| -> Vec<u64> {
                features.iter().map(|&feature| (value(row, feature) + 0.0).to_bits()).collect()
            };
            let mut kinds: Vec<Vec<u64>> = firsts.iter().map(bits).collect();
            kinds.sort_unstable();
            kinds.dedup();
            kinds.len()
        };
        features.retain(|&feature| kinds(&[feature]) > 1);
        let mut telling = features.clone();
        // There are at most as many indicators as classes. If there are more such features, it is because rows repeat.
        let repeated = features.len() > firsts.len();
        if repeated || kinds(&features) < firsts.len() {
            telling.retain(|&feature| kinds(&[feature]) == firsts.len());
        }
        ConstantFeatures { varied: if repeated { telling.clone() } else { features }, telling }
    }
}

/// Whether a feature has few whole numbers, each in one class only. Codes mix the classes; a measurement that separates them
/// puts them one after the other, as codes may do, too.
fn codes_of_classes(rows: &LabelledRows<'_>, feature: usize) -> Option<CopySign> {
    let mut class_of: HashMap<u64, usize> = HashMap::new();
    let mut numbers: Vec<(f64, usize)> = Vec::new();
    for (row, class) in rows.classes() {
        let value = (rows.value)(row, feature) + 0.0;
        let known = *class_of.entry(value.to_bits()).or_insert_with(|| {
            numbers.push((value, class));
            class
        });
        let few = numbers.len() <= rows.classes.len().max(rows.rows / label_leaks::ROWS_PER_VALUE);
        if known != class || value.fract() != 0.0 || !few {
            return None;
        }
    }
    numbers.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let runs = numbers.chunk_by(|a, b| a.1 == b.1).count();
    let classes = rows.classes.len();
    if classes < 2 || !label_leaks::few_enough(numbers.len(), classes, rows.rows) {
        return None;
    }
    Some(if runs > classes { CopySign::FewValuesPerClass } else { CopySign::FewOrderedValues })
}

/// Whether all values are whole numbers, with so few different ones that they may number classes: each occurs five times on
/// average.
fn has_few_values(rows: &LabelledRows<'_>, feature: usize) -> bool {
    let most = (3 * rows.classes.len()).max(20).min(rows.rows / 5);
    let mut seen: Vec<f64> = Vec::new();
    for row in 0..rows.rows {
        let value = (rows.value)(row, feature);
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
        // A value of another class: not a copy. One that no other class has does not help.
        let wrong = of(|row| if row == 5 { 1.0 } else { (row % 3) as f64 });
        assert_eq!(copies(&[measured(), ("copy", wrong)], &labels), []);
        let odd = of(|row| if row == 5 { 9.0 } else { (row % 3) as f64 });
        assert_eq!(copies(&[measured(), ("copy", odd)], &labels), one(CopySign::FewOrderedValues));
        // An indicator of one class may be a property.
        let of_two = of(|row| (row % 3 / 2) as f64);
        assert_eq!(copies(&[measured(), ("copy", of_two)], &labels), one(CopySign::ConstantInClasses));
        // Two codes for each class in no order, and two measured values, which are in the order of the classes.
        let codes = |row: usize| f64::from([5_u8, 1, 3, 2, 6, 4][row % 6]);
        assert_eq!(copies(&[measured(), ("copy", of(codes))], &labels), one(CopySign::FewValuesPerClass));
        let measure = |row: usize| (2 * (row % 3) + row % 2) as f64;
        assert_eq!(copies(&[measured(), ("copy", of(measure))], &labels), one(CopySign::FewOrderedValues));
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
        assert_eq!(
            copies(&[measured(), ("is_0", is(0))], &labels),
            [("is_0".to_owned(), CopySign::ClassName)]
        );
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
        let error = refuse_in(&mut leak, &ReadOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), "the feature 'code' is a copy of the label");
        assert_eq!(error.advice, Some(Advice::DropOrKeep(vec!["code".into()])));
        let keep = ReadOptions { keep: vec!["code".into()], ..ReadOptions::default() };
        let only = ReadOptions { only: vec!["code".into()], ..ReadOptions::default() };
        leak.notes = vec![Note::KeptAnyway { columns: vec!["code".into()] }];
        assert!(refuse_in(&mut leak, &keep).is_ok() && refuse_in(&mut leak, &only).is_ok());
        assert_eq!(leak.notes, []);
    }
}
