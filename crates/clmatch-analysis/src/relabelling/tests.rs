//! The changes by themselves, without files.

use super::*;

fn dataset() -> Dataset {
    let labels = Labels::encode(["a", "b", "c", "a", "b", "c"]);
    let values: Vec<f32> = (0..12).map(|at| at as f32 / 10.0).collect();
    Dataset::new("six", vec!["x".to_owned(), "y".to_owned()], values, labels).unwrap()
}

fn labels(repaired: &Repaired) -> Vec<&str> {
    let labels = repaired.dataset.labels();
    (0..labels.len()).map(|row| labels.name_of(row)).collect()
}

fn verdict(row: usize, label: &str, suggested: &str) -> PointVerdict {
    let (label, suggested) = (label.to_owned(), suggested.to_owned());
    PointVerdict { row, label, suggested, probability: 0.9, is_outlier: false }
}

#[test]
fn all_changes_are_made_at_once() {
    let changes = Changes {
        merge: vec![vec!["b".to_owned(), "c".to_owned()]],
        split: vec!["a".to_owned()],
        rename: vec![
            Rename { from: "b+c".to_owned(), to: "a".to_owned() },
            Rename { from: "a 2".to_owned(), to: "second".to_owned() },
        ],
        drop_rows: vec![RowRange { first: 6, last: 6 }],
        relabel: vec![verdict(3, "c", "b")],
        drop_points: Vec::new(),
    };
    let clusters = [ClassClusters { class: "a".to_owned(), clusters: vec![vec![0], vec![3]] }];
    let repaired = repair(&dataset(), &changes, &clusters).unwrap();
    assert_eq!(labels(&repaired), ["a 1", "a", "a", "second", "a"]);
    assert_eq!(repaired.dropped_rows, [6]);
    assert_eq!(repaired.relabelled_rows, [RelabelledRow { row: 3, from: "c".into(), to: "b".into() }]);
    assert_eq!(repaired.dataset.features(), ["x", "y"]);
    // The numbers keep their precision.
    let Values::F32(values) = repaired.dataset.values() else { panic!("not f32") };
    assert_eq!(values[..], (0..10).map(|at| at as f32 / 10.0).collect::<Vec<f32>>());
}

#[test]
fn names_can_be_exchanged_but_not_shared() {
    let rename = |pairs: &[(&str, &str)]| {
        let rename = |(from, to): &(&str, &str)| Rename { from: (*from).to_owned(), to: (*to).to_owned() };
        let changes = Changes { rename: pairs.iter().map(rename).collect(), ..Changes::default() };
        repair(&dataset(), &changes, &[])
    };
    assert_eq!(labels(&rename(&[("a", "b"), ("b", "a")]).unwrap())[..3], ["b", "a", "c"]);
    let shared = rename(&[("a", "z"), ("b", "z")]).unwrap_err();
    assert_eq!(shared.to_string(), "two classes would be called 'z'");
}

#[test]
fn rows_keep_their_class_unless_they_are_named() {
    let changes = Changes { relabel: vec![verdict(2, "b", "b")], ..Changes::default() };
    let repaired = repair(&dataset(), &changes, &[]).unwrap();
    assert_eq!(repaired.dataset.labels(), dataset().labels());
    assert!(repaired.relabelled_rows.is_empty() && repaired.dropped_rows.is_empty());
    let wrong = Changes { relabel: vec![verdict(2, "c", "a")], ..Changes::default() };
    let error = repair(&dataset(), &wrong, &[]).unwrap_err().to_string();
    assert_eq!(error, "row 2 is labelled 'c' in the table of points, but is labelled 'b' in 'six'");
}
