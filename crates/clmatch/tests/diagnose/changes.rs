//! The score that a diagnosis predicts for a change is the score after that change.

use clmatch::diagnose::{Change, Opinion, PairVerdict, diagnose, explain};
use clmatch::{Classes, Control, Labels, Points, evaluate, measure};

use crate::planted::{Planted, Shape, Source};

/// Five classes in three dimensions; two overlap, and two are two clusters each.
fn dataset() -> Planted {
    let mut source = Source::new(11);
    let mut planted = Planted::default();
    let centres = [[0.0, 0.0, 0.0], [1.5, 0.0, 0.0], [9.0, 9.0, 0.0], [-9.0, 0.0, 9.0], [0.0, -20.0, 0.0]];
    for (class, centre) in centres.iter().enumerate() {
        let points = source.cluster(Shape::Gaussian, 60 + 10 * class, 3);
        planted.add(class, centre, points);
    }
    for (class, centre) in [(2, [9.0, 18.0, 0.0]), (4, [9.0, -20.0, 3.0])] {
        let points = source.cluster(Shape::Gaussian, 50, 3);
        planted.add(class, &centre, points);
    }
    planted
}

/// `clm` of rows in other classes, or in none.
fn clm(planted: &Planted, label: impl Fn(usize) -> Option<String>) -> f64 {
    let (rows, labels): (Vec<Vec<f64>>, Vec<String>) = (0..planted.rows.len())
        .filter_map(|row| label(row).map(|label| (planted.rows[row].clone(), label)))
        .unzip();
    let classes = Classes::new(Points::from_rows(&rows).unwrap(), &Labels::encode(labels)).unwrap();
    evaluate(&classes, &[measure::find("clm").unwrap()]).unwrap().value("clm").unwrap()
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-9
}

#[test]
fn scores_of_changes_are_those_of_the_changed_datasets() {
    // With rows to leave out, both follow from the same cells; without them, splits have their own cells.
    for dubious in [|row: usize| row.is_multiple_of(29), |_| false] {
        compare_with_changed_datasets(dubious);
    }
}

fn compare_with_changed_datasets(dubious: fn(usize) -> bool) {
    let planted = dataset();
    let keep: Vec<bool> = (0..planted.rows.len()).map(|row| !dubious(row)).collect();
    let opinion = Opinion { keep: &keep, predicted: &planted.labels };
    planted.with_classes(|classes| {
        let found = diagnose(classes, opinion, 0, Control::none()).unwrap();
        let label = |row: usize| planted.labels[row].to_string();
        assert!(close(found.score, clm(&planted, |row| Some(label(row)))));
        let merged: Vec<_> = found.pairs.iter().filter(|pair| pair.merged_score.is_some()).collect();
        assert!(!merged.is_empty());
        for pair in merged {
            let (a, b) = pair.classes;
            let renamed = |row: usize| if planted.labels[row] == b { a.to_string() } else { label(row) };
            let expected = clm(&planted, |row| Some(renamed(row)));
            assert!(close(pair.merged_score.unwrap(), expected), "{pair:?}: {expected}");
        }
        let split: Vec<usize> = (0..5).filter(|&class| found.split_scores[class].is_some()).collect();
        assert_eq!(split, [2, 4]);
        for class in split {
            let place = |row: usize| {
                let rows = &classes.order()[classes.range(class)];
                rows.iter().position(|&other| other == row).map(|at| found.classes[class].part_of[at])
            };
            let expected = clm(&planted, |row| {
                Some(place(row).map_or_else(|| label(row), |part| format!("{class}.{part}")))
            });
            assert!(close(found.split_scores[class].unwrap(), expected), "{class}: {expected}");
        }
        let expected = clm(&planted, |row| (!dubious(row)).then(|| label(row)));
        assert_eq!(found.score_without.is_some(), keep.contains(&false));
        assert!(found.score_without.is_none_or(|score| close(score, expected)));
    });
}

#[test]
fn rows_are_left_out_where_no_class_is_several_clusters() {
    let mut source = Source::new(4);
    let mut planted = Planted::default();
    for (class, centre) in [[0.0, 0.0], [5.0, 0.0], [0.0, 5.0]].iter().enumerate() {
        let points = source.cluster(Shape::Gaussian, 50, 2);
        planted.add(class, centre, points);
    }
    let keep: Vec<bool> = (0..planted.rows.len()).map(|row| row % 10 != 3).collect();
    let opinion = Opinion { keep: &keep, predicted: &planted.labels };
    let found = planted.with_classes(|classes| diagnose(classes, opinion, 0, Control::none()).unwrap());
    assert!(found.split_scores.iter().all(Option::is_none));
    let expected = clm(&planted, |row| keep[row].then(|| planted.labels[row].to_string()));
    assert!(close(found.score_without.unwrap(), expected));
    let opinion = Opinion { keep: &vec![false; keep.len()], predicted: &planted.labels };
    let found = planted.with_classes(|classes| diagnose(classes, opinion, 0, Control::none()).unwrap());
    assert_eq!(found.score_without, None, "nothing would be left");
}

#[test]
fn actions_are_ranked_by_what_they_gain() {
    let found = dataset().diagnosis();
    let gains: Vec<f64> = found.actions.iter().map(|action| action.gain).collect();
    assert!(gains.is_sorted_by(|a, b| a >= b) && gains.iter().all(|&gain| gain > 0.0), "{gains:?}");
    assert_eq!(found.actions[0].change, Change::Merge(0, 1));
    for action in &found.actions {
        assert!(close(action.score - found.score, action.gain));
        assert!(action.held_out.iter().all(|&gain| gain > 0.0), "{action:?}");
    }
    // Both classes of several clusters are found; splitting one of them does not help while two other classes share a cluster.
    assert!([2, 4].iter().all(|&class| found.split_scores[class].is_some()));
    let splits = [2, 4].map(|class| found.actions.iter().any(|action| action.change == Change::Split(class)));
    assert_eq!(splits, [2, 4].map(|class| found.split_scores[class].unwrap() > found.score));
    assert!(splits[1], "what is found in all points is found in either half");
    // If two classes are merged, there is nothing left to score.
    let mut source = Source::new(3);
    let mut two = Planted::default();
    for class in 0..2 {
        let points = source.cluster(Shape::Gaussian, 40, 2);
        two.add(class, &[class as f64, 0.0], points);
    }
    assert!(two.diagnosis().actions.is_empty());
}

#[test]
fn parts_cover_the_class_and_have_typical_points() {
    let planted = dataset();
    let found = planted.diagnosis();
    let again = planted.diagnosis();
    assert_eq!(found, again);
    planted.with_classes(|classes| {
        for (class, parts) in found.classes.iter().enumerate() {
            assert_eq!(parts.part_of.len(), classes.size(class));
            for (at, part) in parts.parts.iter().enumerate() {
                assert_eq!(parts.part_of.iter().filter(|&&other| other == at).count(), part.size);
                assert_eq!(planted.labels[part.typical], class);
            }
            assert!(parts.parts.is_sorted_by(|a, b| a.size >= b.size));
        }
    });
    let sizes: Vec<usize> = found.classes[2].parts.iter().map(|part| part.size).collect();
    assert_eq!(sizes, [80, 50]);
}

#[test]
fn a_class_of_one_point_is_refused() {
    let classes =
        Classes::new(Points::new(&[0.0, 1.0, 5.0], 1).unwrap(), &Labels::encode([0, 0, 1])).unwrap();
    let opinion = Opinion { keep: &[true; 3], predicted: &[0, 0, 1] };
    let error = diagnose(&classes, opinion, 0, Control::none()).unwrap_err();
    assert!(error.to_string().contains("single point"), "{error}");
}

/// Three rings; 40 of the 200 points of the inner one carry the label of the middle one.
#[test]
fn a_few_wrong_labels_do_not_make_two_classes_one() {
    for seed in 0..3 {
        let mut source = Source::new(seed);
        let mut planted = Planted::default();
        for class in 0..3 {
            for _ in 0..200 {
                let angle = source.between(0.0, std::f64::consts::TAU);
                let radius = 1.0 + class as f64 + 0.08 * source.normal();
                planted.rows.push(vec![radius * angle.cos(), radius * angle.sin()]);
                planted.labels.push(class);
            }
        }
        planted.labels[..40].fill(1);
        let found = planted.with_classes(|classes| explain(classes, 0, Control::none()).unwrap());
        let wrong: Vec<usize> = (0..600).filter(|&row| found.suspects.mislabelled[row] > 0.5).collect();
        assert_eq!(wrong, (0..40).collect::<Vec<usize>>(), "{seed}");
        let diagnosis = found.diagnosis;
        let mixed = [PairVerdict::OneCluster, PairVerdict::Overlapping];
        assert!(diagnosis.pairs.iter().all(|pair| !mixed.contains(&pair.verdict)), "{seed}");
        let changes: Vec<&Change> = diagnosis.actions.iter().map(|action| &action.change).collect();
        assert_eq!(changes, [&Change::Drop(wrong)]);
    }
}

/// Six clusters; the points of the first one carry two labels by turns, or each has a near copy with the other label. None of
/// these is an error, but a fifth of class 2 that is taken for class 1 still is.
#[test]
fn two_labels_of_one_cluster_are_one_cluster() {
    let (mut planted_errors, mut errors_found) = (0, 0);
    for (apart, features, size, copies) in
        [(3.0, 30, 100, false), (3.0, 30, 100, true), (4.0, 10, 200, false), (5.0, 2, 200, false)]
    {
        for seed in 0..3 {
            let mut source = Source::new(seed);
            let mut planted = Planted::default();
            for (class, centre) in source.centres(6, features, apart).iter().enumerate() {
                let points = source.cluster(Shape::Gaussian, size, features);
                planted.add(class, centre, points);
            }
            if copies {
                let near: Vec<Vec<f64>> = planted.rows[..size].to_vec();
                planted.add(6, &vec![0.02; features], near);
            } else {
                planted.labels[..size].iter_mut().step_by(2).for_each(|label| *label = 6);
            }
            let wrong = 2 * size..2 * size + size / 5;
            planted.labels[wrong.clone()].fill(1);
            let found = planted.with_classes(|classes| explain(classes, 0, Control::none()).unwrap());
            let case = format!("{apart} apart, {features} features, copies: {copies}, seed {seed}");
            let suspect = |row: &usize| found.suspects.mislabelled[*row] > 0.5;
            let twice = (0..planted.rows.len()).filter(|&row| [0, 6].contains(&planted.labels[row]));
            assert_eq!(twice.filter(suspect).count(), 0, "{case}");
            planted_errors += wrong.len();
            errors_found += wrong.filter(suspect).count();
            let one = found.diagnosis.pairs.iter().filter(|pair| pair.verdict == PairVerdict::OneCluster);
            assert_eq!(one.map(|pair| pair.classes).collect::<Vec<_>>(), [(0, 6)], "{case}");
        }
    }
    assert!(errors_found * 10 >= planted_errors * 9, "{errors_found} of {planted_errors}");
}

/// Three clusters apart; `wrong` points of the largest one carry the label of the smallest, up to more than its own points.
#[test]
fn wrong_labels_that_outnumber_a_class_are_found() {
    for (seed, wrong) in [(0, 30), (1, 45), (2, 60)] {
        let mut source = Source::new(seed);
        let mut planted = Planted::default();
        for (class, (size, centre)) in [(300, 0.0), (40, 12.0), (100, 30.0)].into_iter().enumerate() {
            let points = source.cluster(Shape::Gaussian, size, 4);
            planted.add(class, &[centre; 4], points);
        }
        planted.labels[..wrong].fill(1);
        let found = planted.with_classes(|classes| explain(classes, 0, Control::none()).unwrap());
        let suspects: Vec<usize> = (0..440).filter(|&row| found.suspects.mislabelled[row] > 0.5).collect();
        assert_eq!(suspects, (0..wrong).collect::<Vec<usize>>(), "{wrong} wrong labels");
        let merges = |change: &Change| matches!(change, Change::Merge(..));
        assert!(!found.diagnosis.actions.iter().any(|action| merges(&action.change)), "{wrong} wrong labels");
    }
}

/// One cluster with a rare label at random, which says nothing about single points.
#[test]
fn labels_that_mean_nothing_are_no_errors() {
    for (seed, sizes, features) in
        [(0, [200, 20], 2), (1, [400, 20], 5), (2, [100, 100], 3), (3, [600, 30], 10)]
    {
        let mut source = Source::new(seed);
        let mut planted = Planted::default();
        for (class, size) in sizes.into_iter().enumerate() {
            let points = source.cluster(Shape::Gaussian, size, features);
            planted.add(class, &vec![0.0; features], points);
        }
        let found = planted.with_classes(|classes| explain(classes, 0, Control::none()).unwrap());
        let suspects = found.suspects.mislabelled.iter().filter(|&&wrong| wrong > 0.5).count();
        assert_eq!(suspects, 0, "{sizes:?} in {features} features");
        assert_eq!(found.diagnosis.pairs[0].verdict, PairVerdict::OneCluster, "{sizes:?}");
    }
}

/// Two classes that are one cluster apart from a few points that have no say: merging raises the score of all points, but not
/// that of the other points.
#[test]
fn a_merge_that_only_suspicious_points_call_for_is_withheld() {
    let mut source = Source::new(7);
    let mut planted = Planted::default();
    for (class, centre) in [[0.0, 0.0], [7.0, 0.0], [0.0, 40.0]].iter().enumerate() {
        let points = source.cluster(Shape::Gaussian, 100, 2);
        planted.add(class, centre, points);
    }
    // Every fourth point of the first two classes carries the label of the other one.
    let mut predicted = planted.labels.clone();
    for row in (0..200).step_by(4) {
        planted.labels[row] = 1 - planted.labels[row];
    }
    let merges = |keep: &[bool], predicted: &[usize]| {
        let opinion = Opinion { keep, predicted };
        let found = planted.with_classes(|classes| diagnose(classes, opinion, 0, Control::none()).unwrap());
        found.actions.iter().any(|action| action.change == Change::Merge(0, 1))
    };
    let keep: Vec<bool> = (0..300).map(|row| row >= 200 || row % 4 != 0).collect();
    assert!(!merges(&keep, &predicted));
    predicted.clone_from(&planted.labels);
    assert!(merges(&[true; 300], &predicted), "with a say they make the classes one");
}
