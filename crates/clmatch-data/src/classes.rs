//! Whether labels are classes: not numbers to predict, and not two spellings of one class.

use std::collections::BTreeMap;

use crate::advice::Advice;
use crate::cell::{self, ParsedCell};
use crate::error::{ReadError, shorten};
use crate::names::means_classes;
use crate::notation::Notation;
use crate::note::Note;
use crate::provenance::{Facts, LabelOrigin, LabelSource};
use crate::quantity::NumbersSeen;
use crate::table::Codes;

/// Checks the labels and returns notes on them.
///
/// # Errors
/// A column that was taken as the label without being named in the options, and that holds numbers to predict.
pub(crate) fn check(labels: &Codes, facts: &Facts) -> Result<Vec<Note>, ReadError> {
    let mut sizes = vec![0_usize; labels.names.len()];
    labels.codes.iter().filter(|&&code| code != Codes::MISSING).for_each(|&code| sizes[code as usize] += 1);
    // Classes of a single point cannot be scored, and where a quarter is alone, the numbers are no classes.
    let alone = 4 * sizes.iter().filter(|&&size| size == 1).count() >= sizes.len();
    checked(&labels.names, sizes.iter().sum(), alone, facts)
}

/// Like [`check`], for `rows` rows with labels of these names.
///
/// # Errors
/// Those of [`check`].
pub(crate) fn check_names(names: &[String], rows: usize, facts: &Facts) -> Result<Vec<Note>, ReadError> {
    checked(names, rows, false, facts)
}

/// `alone` says that many labels are in one row only.
fn checked(names: &[String], rows: usize, alone: bool, facts: &Facts) -> Result<Vec<Note>, ReadError> {
    let values = names.len();
    let mut notes = Vec::new();
    let numbers = numbers(names, rows);
    let scattered = numbers.is_some_and(|numbers| numbers.are_scattered());
    let is_quantity = |origin: &LabelOrigin| {
        numbers.is_some_and(|numbers| match origin.source {
            LabelSource::Name | LabelSource::LastColumn | LabelSource::LastPossible
                if facts.declared_classes =>
            {
                numbers.are_scattered()
            }
            // Whole numbers in a column whose name means classes: there may be many classes.
            LabelSource::Name | LabelSource::LastColumn | LabelSource::LastPossible
                if means_classes(column_of(origin)) && !numbers.fractional =>
            {
                numbers.are_scattered() && alone
            }
            LabelSource::Name => numbers.are_quantity(),
            LabelSource::LastColumn | LabelSource::LastPossible => {
                numbers.are_scattered() || numbers.are_many()
            }
            _ => false,
        })
    };
    match &facts.label {
        Some(LabelOrigin { source: LabelSource::Chosen, .. }) => {}
        Some(origin) if is_quantity(origin) => {
            return Err(to_predict(origin, values, rows));
        }
        _ if scattered => notes.push(Note::TargetNumber { values, rows }),
        _ => {}
    }
    let groups = similar(names);
    if !groups.is_empty() {
        notes.push(Note::SimilarLabels { groups });
    }
    Ok(notes)
}

/// The error for a label that nobody asked for and that holds numbers to predict.
pub(crate) fn to_predict(origin: &LabelOrigin, values: usize, rows: usize) -> ReadError {
    let name = shorten(&origin.name);
    let reason = origin.source.reason().unwrap_or_default();
    let what = format!(
        "'{name}', taken for the label ({reason}), looks like a number to predict: {values} different values in {rows} rows"
    );
    ReadError::new(what)
        .help(Advice::ChooseClasses { column: origin.name.clone(), instead: origin.alternatives.clone() })
}

/// The name of the label's column, without that of a file of labels.
fn column_of(origin: &LabelOrigin) -> &str {
    origin.name.split(" in ").next().unwrap_or_default()
}

/// What is known of labels that are all numbers, percentages and amounts of money included.
fn numbers(names: &[String], rows: usize) -> Option<NumbersSeen> {
    let mut seen = NumbersSeen { distinct: names.len(), rows, fractional: false, range: None };
    for name in names {
        let number = match cell::plain(name.as_bytes()) {
            ParsedCell::Number(number) => number,
            _ => Notation::of(name.as_bytes(), false)?.1,
        };
        seen.fractional |= number.fract() != 0.0;
        let (least, most) = seen.range.unwrap_or((number, number));
        seen.range = Some((least.min(number), most.max(number)));
    }
    Some(seen)
}

/// Labels that differ only in case and blanks.
fn similar(names: &[String]) -> Vec<Vec<String>> {
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in names {
        let plain: String =
            name.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
        groups.entry(plain).or_default().push(name.clone());
    }
    groups.into_values().filter(|group| group.len() > 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(names: &[&str], each: usize) -> Codes {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        Codes {
            codes: (0..(names.len() * each) as u32).map(|code| code % names.len() as u32).collect(),
            names,
        }
    }

    #[test]
    fn spellings_of_one_class_are_found() {
        let found = similar(&labels(&["Yes", "no", "yes", "NO ", "n o", "maybe"], 1).names);
        assert_eq!(found, [vec!["no", "NO ", "n o"], vec!["Yes", "yes"]]);
        assert!(similar(&labels(&["a", "b"], 1).names).is_empty());
    }

    #[test]
    fn numbers_to_predict_are_refused_unless_chosen() {
        let names: Vec<String> = (0..40).map(|value| format!("{value}.5")).collect();
        let prices = labels(&names.iter().map(String::as_str).collect::<Vec<_>>(), 2);
        let called = |name: &str, source| Facts {
            label: Some(LabelOrigin::certain(name, source)),
            ..Facts::default()
        };
        let origin = |source| called("price", source);
        let error = check(&prices, &origin(LabelSource::LastColumn)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "'price', taken for the label (the last column), looks like a number to predict: 40 different values in 80 rows"
        );
        assert!(check(&prices, &origin(LabelSource::Name)).is_err());
        assert_eq!(check(&prices, &origin(LabelSource::Chosen)).unwrap(), []);
        let warned = Note::TargetNumber { values: 40, rows: 80 };
        assert_eq!(check(&prices, &origin(LabelSource::File)).unwrap(), [warned]);
        let whole = |numbers: std::ops::Range<usize>, each| {
            let names: Vec<String> = numbers.map(|value| value.to_string()).collect();
            labels(&names.iter().map(String::as_str).collect::<Vec<_>>(), each)
        };
        let persons = whole(0..40, 2);
        assert!(check(&persons, &called("target", LabelSource::Name)).is_err());
        let named = called("Class", LabelSource::Name);
        assert_eq!(check(&persons, &named).unwrap(), [Note::TargetNumber { values: 40, rows: 80 }]);
        assert!(check(&whole(0..40, 1), &named).is_err(), "each class has a single point");
        assert!(check(&prices, &called("label", LabelSource::Name)).is_err());
        let digits = labels(&["0", "1", "2"], 2);
        assert_eq!(check(&digits, &origin(LabelSource::LastColumn)).unwrap(), []);
    }

    #[test]
    fn ages_are_no_classes_in_however_many_rows() {
        let whole = |numbers: std::ops::Range<usize>| {
            let names: Vec<String> = numbers.map(|value| value.to_string()).collect();
            labels(&names.iter().map(String::as_str).collect::<Vec<_>>(), 100)
        };
        let facts = |name: &str, source, declared_classes| Facts {
            label: Some(LabelOrigin::certain(name, source)),
            declared_classes,
            ..Facts::default()
        };
        let (ages, codes) = (whole(20..65), whole(0..40));
        let refused =
            |labels: &Codes, name: &str, source| check(labels, &facts(name, source, false)).is_err();
        assert!(refused(&ages, "age", LabelSource::LastColumn) && refused(&ages, "y", LabelSource::Name));
        assert!(refused(&codes, "v", LabelSource::LastColumn), "nothing says that they are codes");
        assert!(
            !refused(&codes, "target", LabelSource::Name)
                && !refused(&codes, "letter", LabelSource::LastColumn)
        );
        assert!(
            !refused(&ages, "label", LabelSource::Name) && !refused(&ages, "labels.txt", LabelSource::File)
        );
        assert!(check(&ages, &facts("age", LabelSource::LastColumn, true)).is_ok(), "declared as classes");
        let halves: Vec<String> = (0..9).map(|half| format!("{}", 1.0 + f64::from(half) / 2.0)).collect();
        let ratings = labels(&halves.iter().map(String::as_str).collect::<Vec<_>>(), 500);
        assert!(refused(&ratings, "rating", LabelSource::LastColumn));
    }
}
