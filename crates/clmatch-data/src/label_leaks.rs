//! Columns that give the label away, as far as their names and their first rows show it: known before a column is read, so that
//! a text that copies the label is never offered as a feature.

use std::collections::HashMap;

use crate::glimpse::{ColumnKind, Described};
use crate::label_copies::{FEWEST_ROWS, ROWS_PER_CLASS};
use crate::names::words;
use crate::table::plain_name;

/// A value for each class may be a coincidence where each has few rows, and several values for a class all the more.
pub(crate) const ROWS_PER_VALUE: usize = 10;

/// Whether a column of text copies the label: each of its few values is in one class only, in all rows seen.
pub(crate) fn copies(column: &Described, label: &Described) -> bool {
    is_text(column) && gives_away(column.glimpse.rows(), label.glimpse.rows())
}

/// Whether a column of text with few values has a name that features do not have, or divides rows to train and to test on.
pub(crate) fn is_named_so(column: &Described) -> bool {
    const MOST: usize = 20;
    let (name, distinct) = (plain_name(&column.name), column.glimpse.distinct());
    is_text(column)
        && (is_name_of_parts(&name) || is_name_of_labels(&name) || holds_parts(column))
        && distinct <= MOST
        && 2 * distinct <= column.glimpse.seen()
}

/// Whether the values are names of parts of a dataset, rows to train on among them.
pub(crate) fn holds_parts(column: &Described) -> bool {
    const TRAIN: [&str; 3] = ["train", "training", "trn"];
    const OTHERS: [&str; 9] =
        ["test", "testing", "tst", "val", "valid", "validation", "dev", "eval", "holdout"];
    let train = column.glimpse.count_words(&TRAIN);
    let others = column.glimpse.count_words(&OTHERS);
    train > 0 && others > 0 && train + others == column.glimpse.distinct()
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
    rows >= ROWS_PER_VALUE * values
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
    NAMES.contains(&plain(name).as_str()) || is_name_of_clusters(name)
}

/// Whether a name is like `kmeans_cluster` or `DBSCAN labels`, and not like `number of clusters`.
fn is_name_of_clusters(name: &str) -> bool {
    const METHODS: [&str; 8] =
        ["kmeans", "kmedoids", "dbscan", "hdbscan", "gmm", "agglomerative", "leiden", "louvain"];
    const RESULTS: [&str; 5] = ["cluster", "clusters", "label", "labels", "id"];
    const OTHERS: [&str; 6] = ["n", "num", "number", "size", "count", "per"];
    let words = words(name);
    let is = |known: &[&str], word: &String| known.contains(&word.as_str());
    let clusters = words.last().is_some_and(|last| is(&RESULTS[..2], last));
    let method = words.iter().any(|word| is(&METHODS, word));
    let result = words.len() == 1 || words.last().is_some_and(|last| is(&RESULTS, last));
    (clusters || method && result) && !words.iter().any(|word| is(&OTHERS, word))
}

/// Whether a column has the name of a prediction, or of parts to train and to test on: neither a feature nor the label.
pub(crate) fn is_name_of_parts(name: &str) -> bool {
    const NAMES: [&str; 29] = [
        "cvfold",
        "fold",
        "foldid",
        "foldnumber",
        "folds",
        "holdout",
        "intrain",
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
        "train",
        "training",
        "trainortest",
        "trainset",
        "traintest",
        "trainvaltest",
        "validation",
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

/// Whether the name of a feature is that of a class, perhaps after a word or the name of the label: `is_virginica`,
/// `species=virginica`. A number alone names no class.
pub(crate) fn is_indicator_of(name: &str, class: &str, label: &str) -> bool {
    const BEFORE: [&str; 5] = ["", "is", "class", "label", "target"];
    let (name, class) = (plain(name), plain(class));
    let before = name.strip_suffix(class.as_str()).filter(|_| !class.is_empty());
    let is_number = class.bytes().all(|byte| byte.is_ascii_digit());
    before.is_some_and(|before| {
        (BEFORE.contains(&before) || before == plain(label)) && !(is_number && before.is_empty())
    })
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
    fn values_tell_parts_and_names_tell_indicators() {
        let part = |cells: [&'static str; 2]| column("phase", (0..40).map(move |row| cells[row % 5 / 4]));
        assert!(is_named_so(&part(["train", "val"])) && is_named_so(&part(["Training", "Test"])));
        assert!(!is_named_so(&part(["train", "bus"])) && !is_named_so(&part(["test", "dev"])));
        for name in ["is_virginica", "virginica", "Species=virginica", "class.Virginica"] {
            assert!(is_indicator_of(name, "virginica", "species"), "{name}");
        }
        assert!(is_indicator_of("is_0", "0", "") && !is_indicator_of("0", "0", ""));
        assert!(!is_indicator_of("virginica_width", "virginica", "") && !is_indicator_of("x", "", ""));
        for name in ["kmeans_cluster", "Leiden", "cluster"] {
            assert!(is_name_of_labels(name), "{name}");
        }
        for name in ["n_clusters", "cluster size", "kmeans_distance"] {
            assert!(!is_name_of_labels(name), "{name}");
        }
    }

    #[test]
    fn names_tell_what_is_no_feature() {
        let part = |name: &str, cell: fn(usize) -> &'static str| column(name, (0..40).map(cell));
        let train = |row: usize| ["train", "test"][row % 5 / 4];
        assert!(is_named_so(&part("Train or Test", train)) && is_named_so(&part("split", train)));
        assert!(!is_named_so(&part("city", |row| ["north", "south"][row % 5 / 4])));
        assert!(!is_named_so(&part("split", |row| ["1", "2"][row % 2])), "numbers are judged by all rows");
        for (name, label) in [("species_id", "species"), ("result_int", "result"), ("VicRace", "VicRaceCode")]
        {
            assert!(is_code_of(name, label), "{name}");
        }
        assert!(!is_code_of("species_width", "species") && !is_code_of("species", "species"));
        assert!(!is_code_of("id", ""));
    }
}
