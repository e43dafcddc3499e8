//! Values of single points, and points that are left out.

use clmatch::measure::{REGISTRY, Scope, find};
use clmatch::{Classes, DataError, Labels, Measure, Points, Singletons, evaluate, evaluate_points};

use crate::datasets::{Dataset, measures};

/// Allows for sums in another order.
const REORDERED: f64 = 1e-12;

#[test]
fn silhouettes_of_points_average_to_the_score() {
    let dataset = Dataset::blobs(1, &[12, 30, 7], 3, 2.0);
    let evaluation = dataset.with_classes(|classes| evaluate_points(classes, REGISTRY).unwrap());
    let ids: Vec<&str> = evaluation.points.iter().map(|points| points.id).collect();
    let expected: Vec<&str> = measures(Measure::has_point_scores).iter().map(|m| m.id).collect();
    assert_eq!(ids, expected);
    let of = |id| -> Vec<f64> {
        let points = evaluation.points.iter().find(|points| points.id == id).unwrap();
        points.values.iter().map(|value| value.unwrap()).collect()
    };
    let sc = of("sc");
    assert_eq!(sc.len(), dataset.len());
    let mean = sc.iter().sum::<f64>() / sc.len() as f64;
    assert!((mean - evaluation.value("sc").unwrap()).abs() < REORDERED);

    // Each class counts the same in every pair, and each class is in equally many pairs: the score is the mean of class means.
    let sc_a = of("sc_a");
    let class_mean = |class: usize| {
        let own = (0..sc_a.len()).filter(|&row| dataset.labels[row] == class);
        own.map(|row| sc_a[row]).sum::<f64>() / dataset.sizes()[class] as f64
    };
    let mean = (0..3).map(class_mean).sum::<f64>() / 3.0;
    assert!((mean - evaluation.value("sc_a").unwrap()).abs() < REORDERED);
}

#[test]
fn values_stand_in_the_rows_of_the_input() {
    let dataset = Dataset::blobs(2, &[6, 8], 2, 2.0);
    let order: Vec<usize> = (0..14).map(|row| row * 5 % 14).collect();
    let points = |dataset: &Dataset| dataset.with_classes(|c| evaluate_points(c, REGISTRY).unwrap().points);
    for (plain, moved) in points(&dataset).iter().zip(points(&dataset.in_order(&order))) {
        for (place, &row) in order.iter().enumerate() {
            let (a, b) = (plain.values[row].unwrap(), moved.values[place].unwrap());
            assert!((a - b).abs() < REORDERED, "{}", plain.id);
        }
    }
}

#[test]
fn values_are_given_only_on_request() {
    let dataset = Dataset::blobs(2, &[6, 8], 2, 2.0);
    assert!(dataset.evaluate_all().points.is_empty());
}

/// Two classes, three points of noise and a single point, on a line.
fn with_noise() -> (Vec<f64>, Vec<&'static str>) {
    let values = vec![0.0, 50.0, 1.0, 9.0, 60.0, 2.5, 11.0, 70.0, 30.0];
    (values, vec!["a", "-1", "a", "b", "-1", "a", "b", "-1", "lone"])
}

#[test]
fn dropped_rows_count_for_nothing() {
    let (values, labels) = with_noise();
    let points = Points::new(&values, 1).unwrap();
    let classes = Classes::with(points, &Labels::encode(&labels), Some("-1"), Singletons::Drop).unwrap();
    assert_eq!(classes.dropped().noise, 3);
    assert_eq!(classes.dropped().singletons, ["lone"]);
    let found = evaluate_points(&classes, REGISTRY).unwrap();
    let alone = Dataset::line(&[&[0.0, 1.0, 2.5], &[9.0, 11.0]]);
    assert_eq!(found.scores, alone.evaluate_all().scores);
    for points in &found.points {
        let dropped: Vec<bool> = points.values.iter().map(Option::is_none).collect();
        let expected: Vec<bool> = labels.iter().map(|label| !["a", "b"].contains(label)).collect();
        assert_eq!(dropped, expected, "{}", points.id);
    }
}

#[test]
fn noise_is_an_ordinary_class_unless_asked_otherwise() {
    let (values, labels) = with_noise();
    let points = Points::new(&values, 1).unwrap();
    let classes = Classes::with(points, &Labels::encode(&labels), None, Singletons::Drop).unwrap();
    assert_eq!(classes.names(), ["-1", "a", "b"]);
    assert_eq!(classes.dropped().noise, 0);
}

#[test]
fn a_single_point_stops_measures_on_pairs_and_no_other() {
    let dataset = Dataset::line(&[&[0.0, 1.0, 2.5], &[9.0], &[20.0, 22.0]]);
    let labels = Labels::encode(dataset.labels.iter().map(|&label| ["a", "lone wolf", "c"][label]));
    let classes = Classes::new(Points::from_rows(&dataset.rows).unwrap(), &labels).unwrap();
    for measure in measures(|m| m.scope() == Scope::Pairs) {
        let error = evaluate(&classes, &[measure]).unwrap_err();
        assert_eq!(error, DataError::Singleton { class: "lone wolf".into(), measure: measure.id });
        assert!(error.to_string().contains("'lone wolf'") && error.to_string().contains(measure.id));
    }
    for measure in measures(|m| m.scope() == Scope::Dataset) {
        let value = evaluate(&classes, &[measure]).unwrap().scores[0].1.value;
        assert!(value.is_finite(), "{} {value}", measure.id);
    }
    assert!(evaluate(&classes, REGISTRY).is_err());
    let silhouettes = evaluate_points(&classes, &[find("sc").unwrap()]).unwrap().points.remove(0);
    assert_eq!(silhouettes.values[3], Some(0.0));
}
