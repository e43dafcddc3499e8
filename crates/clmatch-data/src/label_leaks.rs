//! Columns that give the label away, as far as their names and their first rows show it: known before a column is read, so that
//! a text that copies the label is never offered as a feature.

use std::collections::HashMap;

use crate::glimpse::{ColumnKind, Described};
use crate::label_copies::{FEWEST_ROWS, ROWS_PER_CLASS};
use crate::table::plain_name;

/// A value for each class may be a coincidence where each has few rows, and several values for a class all the more.
const ROWS_PER_VALUE: usize = 10;
/// At most this many values for each class give the label away.
pub(crate) const VALUES_PER_CLASS: usize = 3;

/// Whether a column of text copies the label: each of its few values is in one class only, in all rows seen.
pub(crate) fn copies(column: &Described, label: &Described) -> bool {
    is_text(column) && gives_away(column.glimpse.rows(), label.glimpse.rows())
}

/// Whether a column of text with few values has a name that features do not have.
pub(crate) fn is_named_so(column: &Described) -> bool {
    const MOST: usize = 20;
    let (name, distinct) = (plain_name(&column.name), column.glimpse.distinct());
    is_text(column)
        && (is_name_of_parts(&name) || is_name_of_labels(&name))
        && distinct <= MOST
        && 2 * distinct <= column.glimpse.seen()
}

fn is_text(column: &Described) -> bool {
    matches!(column.glimpse.kind(), ColumnKind::Text | ColumnKind::Time)
}

/// Whether each value occurs with one class only, where both are hashes by row and 0 is missing.
fn gives_away(values: &[u64], classes: &[u64]) -> bool {
    let mut class_of: HashMap<u64, u64> = HashMap::new();
    let mut pairs = 0;
    for (&value, &class) in values.iter().zip(classes).filter(|(value, class)| **value != 0 && **class != 0) {
        pairs += 1;
        if *class_of.entry(value).or_insert(class) != class {
            return false;
        }
    }
    let mut classes: Vec<u64> = class_of.values().copied().collect();
    classes.sort_unstable();
    classes.dedup();
    classes.len() > 1 && pairs >= FEWEST_ROWS && few_enough(class_of.len(), classes.len(), pairs)
}

/// Whether so many values in these rows can stand for so many classes, and not by chance.
pub(crate) fn few_enough(values: usize, classes: usize, rows: usize) -> bool {
    if values == classes {
        return rows >= ROWS_PER_CLASS * classes;
    }
    values <= VALUES_PER_CLASS * classes && rows >= ROWS_PER_VALUE * values
}

/// Letters and digits of a name, in lower case.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase()
}

/// Whether a column has a name that labels, clusters and predictions have, and features do not.
pub(crate) fn is_name_of_labels(name: &str) -> bool {
    const NAMES: [&str; 20] = [
        "classid",
        "classlabel",
        "cluster",
        "clusterid",
        "clusterlabel",
        "clusters",
        "groundtruth",
        "kmeans",
        "label",
        "labelid",
        "labels",
        "predictedclass",
        "predictedlabel",
        "target",
        "targetid",
        "targetname",
        "targetnames",
        "truelabel",
        "truth",
        "ytrue",
    ];
    NAMES.contains(&plain(name).as_str())
}

/// Whether a column has the name of a prediction, or of parts to train and to test on: neither a feature nor the label.
pub(crate) fn is_name_of_parts(name: &str) -> bool {
    const NAMES: [&str; 24] = [
        "cvfold",
        "fold",
        "foldid",
        "foldnumber",
        "folds",
        "istest",
        "istrain",
        "isval",
        "kfold",
        "partition",
        "pred",
        "predicted",
        "prediction",
        "predictions",
        "set",
        "split",
        "subset",
        "testtrain",
        "trainortest",
        "trainset",
        "traintest",
        "trainvaltest",
        "yhat",
        "ypred",
    ];
    NAMES.contains(&plain(name).as_str())
}

/// Whether a name is that of the label with a word that stands for a code: `species_id` beside `species`.
pub(crate) fn is_code_of(name: &str, label: &str) -> bool {
    const CODES: [&str; 12] =
        ["id", "ids", "code", "codes", "int", "num", "number", "idx", "index", "enc", "encoded", "name"];
    let (name, label) = (plain(name), plain(label));
    let is_code = |rest: Option<&str>| rest.is_some_and(|rest| CODES.contains(&rest));
    !label.is_empty()
        && !name.is_empty()
        && (is_code(name.strip_prefix(&label)) || is_code(label.strip_prefix(&name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ColumnRef;

    fn column(name: &str, cells: impl Iterator<Item = &'static str>) -> Described {
        let mut column = Described::unseen(ColumnRef::Name(name.into()));
        cells.for_each(|cell| column.glimpse.push(cell.as_bytes(), false));
        column.glimpse.close();
        column
    }

    #[test]
    fn texts_that_determine_the_label_are_found() {
        let label = column("target", (0..60).map(|row| ["0", "1", "2"][row % 3]));
        let text = |of: fn(usize) -> &'static str| column("name", (0..60).map(of));
        assert!(copies(&text(|row| ["setosa", "versicolor", "virginica"][row % 3]), &label));
        assert!(copies(&text(|row| ["a", "b", "c", "d", "e", "f"][row % 6]), &label), "six kinds of three");
        assert!(
            copies(&text(|row| if row == 7 { "" } else { ["a", "b", "c"][row % 3] }), &label),
            "one is missing"
        );
        assert!(!copies(&text(|row| if row == 7 { "a" } else { ["a", "b", "c"][row % 3] }), &label));
        assert!(!copies(&text(|row| ["a", "b"][row % 3 / 2]), &label), "two classes have one value");
        assert!(!copies(&text(|row| ["1", "2", "3"][row % 3]), &label), "numbers are judged by all rows");
        let few = column("name", (0..18).map(|row| ["a", "b", "c"][row % 3]));
        assert!(!copies(&few, &label), "too few rows");
    }

    #[test]
    fn names_tell_what_is_no_feature() {
        let part = |name: &str, cell: fn(usize) -> &'static str| column(name, (0..40).map(cell));
        let train = |row: usize| ["train", "test"][row % 5 / 4];
        assert!(is_named_so(&part("Train or Test", train)) && is_named_so(&part("split", train)));
        assert!(!is_named_so(&part("city", train)));
        assert!(!is_named_so(&part("split", |row| ["1", "2"][row % 2])), "numbers are judged by all rows");
        for (name, label) in [("species_id", "species"), ("result_int", "result"), ("VicRace", "VicRaceCode")]
        {
            assert!(is_code_of(name, label), "{name}");
        }
        assert!(!is_code_of("species_width", "species") && !is_code_of("species", "species"));
        assert!(!is_code_of("id", ""));
    }
}
