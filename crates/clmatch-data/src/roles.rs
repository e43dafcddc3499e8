//! What the name of a file or array says: points or labels, all of them or a part.

/// What is in a file or array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContentKind {
    /// Features.
    Points,
    /// One label per row.
    Labels,
}

/// Which rows are in it; parts are joined in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DatasetSplit {
    /// All rows.
    Whole,
    /// The rows to train on.
    Train,
    /// The rows to choose settings on.
    Validation,
    /// The rows to test on.
    Test,
}

/// Names of points, in the order in which they are looked for.
pub(crate) const POINTS: [&str; 5] = ["data", "x", "points", "features", "values"];
/// Names of labels, in the order in which they are looked for.
pub(crate) const LABELS: [&str; 7] = ["label", "labels", "y", "target", "targets", "class", "classes"];

/// Words for parts; longer ones come first, so that no part of them is left over.
const PARTS: [(&str, DatasetSplit); 7] = [
    ("training", DatasetSplit::Train),
    ("train", DatasetSplit::Train),
    ("validation", DatasetSplit::Validation),
    ("valid", DatasetSplit::Validation),
    ("val", DatasetSplit::Validation),
    ("testing", DatasetSplit::Test),
    ("test", DatasetSplit::Test),
];

/// What a name without extension says: `X` are points, `y_train` and `test_labels` are labels of a part.
pub(crate) fn role(stem: &str) -> Option<(ContentKind, DatasetSplit)> {
    let stem = stem.to_ascii_lowercase();
    if let Some(kind) = kind(&stem) {
        return Some((kind, DatasetSplit::Whole));
    }
    let between = ['_', '-', '.', ' '];
    PARTS.iter().find_map(|&(word, part)| {
        let rest = match (stem.strip_prefix(word), stem.strip_suffix(word)) {
            (Some(rest), _) => rest.trim_start_matches(between),
            (None, Some(rest)) => rest.trim_end_matches(between),
            _ => return None,
        };
        kind(rest).map(|kind| (kind, part))
    })
}

fn kind(name: &str) -> Option<ContentKind> {
    if POINTS.contains(&name) {
        Some(ContentKind::Points)
    } else {
        LABELS.contains(&name).then_some(ContentKind::Labels)
    }
}

/// The rank of a name among those that say the same; the lowest is looked for first.
pub(crate) fn preference(stem: &str) -> usize {
    let stem = stem.to_ascii_lowercase();
    let place = |names: &[&str]| names.iter().position(|name| *name == stem);
    place(&POINTS).or(place(&LABELS)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_they_hold() {
        use {ContentKind::*, DatasetSplit::*};
        for (stem, said) in [
            ("X", Some((Points, Whole))),
            ("labels", Some((Labels, Whole))),
            ("x_train", Some((Points, Train))),
            ("Xtest", Some((Points, Test))),
            ("train-X", Some((Points, Train))),
            ("y_val", Some((Labels, Validation))),
            ("training_labels", Some((Labels, Train))),
            ("test.data", Some((Points, Test))),
            ("train", None),
            ("latest", None),
            ("iris", None),
            ("", None),
        ] {
            assert_eq!(role(stem), said, "{stem}");
        }
        assert!(preference("data") < preference("X") && preference("iris") == usize::MAX);
    }
}
