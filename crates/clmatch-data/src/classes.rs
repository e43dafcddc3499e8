//! Whether labels are classes: not numbers to predict, and not two spellings of one class.

use std::collections::BTreeMap;

use crate::advice::Advice;
use crate::cell::{self, ParsedCell};
use crate::error::{ReadError, shorten};
use crate::glimpse::is_target;
use crate::note::Note;
use crate::provenance::{LabelOrigin, LabelSource};
use crate::table::Codes;

/// Checks the labels and returns notes on them.
///
/// # Errors
/// A column that was taken as the label without being named in the options, and that holds numbers to predict.
pub(crate) fn check(labels: &Codes, origin: Option<&LabelOrigin>) -> Result<Vec<Note>, ReadError> {
    let rows = labels.codes.iter().filter(|&&code| code != Codes::MISSING).count();
    check_names(&labels.names, rows, origin)
}

/// Like [`check`], for `rows` rows with labels of these names.
///
/// # Errors
/// Those of [`check`].
pub(crate) fn check_names(
    names: &[String],
    rows: usize,
    origin: Option<&LabelOrigin>,
) -> Result<Vec<Note>, ReadError> {
    let values = names.len();
    let mut notes = Vec::new();
    match origin {
        _ if !holds_target(names, rows) => {}
        Some(LabelOrigin { source: LabelSource::Chosen, .. }) => {}
        // Whole numbers in a column whose name means classes: there may be many classes.
        Some(LabelOrigin { source: LabelSource::Name, name, .. }) if means_classes(name) && whole(names) => {
            notes.push(Note::TargetNumber { values, rows });
        }
        Some(origin @ LabelOrigin { source: LabelSource::Name | LabelSource::LastColumn, .. }) => {
            let name = shorten(&origin.name);
            let reason = origin.source.reason().unwrap_or_default();
            let what = format!(
                "'{name}', taken for the label ({reason}), looks like a number to predict: {values} different values in \
                 {rows} rows"
            );
            let advice = Advice::ChooseClasses { column: name, instead: origin.alternatives.clone() };
            return Err(ReadError::new(what).help(advice));
        }
        _ => notes.push(Note::TargetNumber { values, rows }),
    }
    let groups = similar(names);
    if !groups.is_empty() {
        notes.push(Note::SimilarLabels { groups });
    }
    Ok(notes)
}

/// Whether a name can only mean classes; a target may well be a quantity.
fn means_classes(name: &str) -> bool {
    ["label", "class"].iter().any(|known| name.trim().eq_ignore_ascii_case(known))
}

fn whole(names: &[String]) -> bool {
    names.iter().all(|name| name.parse::<i64>().is_ok())
}

/// Whether the labels are numbers, and too many different ones to be classes.
fn holds_target(names: &[String], rows: usize) -> bool {
    let mut fractional = false;
    for name in names {
        match cell::plain(name.as_bytes()) {
            ParsedCell::Number(number) => fractional |= number.fract() != 0.0,
            _ => return false,
        }
    }
    is_target(names.len(), rows, fractional)
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
        let origin = |source| LabelOrigin::certain("price", source);
        let error = check(&prices, Some(&origin(LabelSource::LastColumn))).unwrap_err();
        assert_eq!(
            error.to_string(),
            "'price', taken for the label (the last column), looks like a number to predict: 40 different values in 80 rows"
        );
        assert!(check(&prices, Some(&origin(LabelSource::Name))).is_err());
        assert_eq!(check(&prices, Some(&origin(LabelSource::Chosen))).unwrap(), []);
        let warned = Note::TargetNumber { values: 40, rows: 80 };
        assert_eq!(check(&prices, Some(&origin(LabelSource::File))).unwrap(), [warned]);
        let names: Vec<String> = (0..40).map(|value| value.to_string()).collect();
        let persons = labels(&names.iter().map(String::as_str).collect::<Vec<_>>(), 2);
        let called = |name: &str| LabelOrigin::certain(name, LabelSource::Name);
        assert!(check(&persons, Some(&called("target"))).is_err());
        assert_eq!(
            check(&persons, Some(&called("Class"))).unwrap(),
            [Note::TargetNumber { values: 40, rows: 80 }]
        );
        assert!(check(&prices, Some(&called("label"))).is_err());
        let digits = labels(&["0", "1", "2"], 2);
        assert_eq!(check(&digits, Some(&origin(LabelSource::LastColumn))).unwrap(), []);
    }
}
