//! Noise, classes of one point, wrong rows, summaries that do not belong together.

use clmatch::measure::{self, REGISTRY};
use clmatch::summary::{LengthUnit, Summary, SummaryError, SummarySettings};
use clmatch::{Control, DataError, Labels, Singletons};

use super::{Data, all_measures, is_close};

fn one(id: &str) -> SummarySettings {
    SummarySettings::new(&[measure::find(id).unwrap()])
}

fn of(values: &[f64], labels: &[&str], settings: &SummarySettings) -> Summary {
    let mut summary = Summary::new(1, settings).unwrap();
    summary.update(values, &Labels::encode(labels), 0).unwrap();
    summary
}

fn refused(labels: &[&str], settings: &SummarySettings) -> SummaryError {
    let values: Vec<f64> = (0..labels.len()).map(|x| x as f64).collect();
    of(&values, labels, settings).finish(None, Control::none()).unwrap_err()
}

#[test]
fn impossible_datasets_are_refused_as_in_memory() {
    let all = one("ch_a");
    let error = |labels: &[&str]| refused(labels, &all);
    assert_eq!(error(&["a", "a"]), DataError::OneClass { class: "a".into() }.into());
    assert_eq!(error(&["a", "b"]), DataError::TooManyClasses { classes: 2, points: 2 }.into());
    let single = DataError::Singleton { class: "b".into(), measure: "ch_a" };
    assert_eq!(error(&["a", "b", "a"]), single.into());
    let nothing = Summary::new(1, &all).unwrap().finish(None, Control::none());
    assert_eq!(nothing.unwrap_err(), DataError::NoRows.into());
    let noise = one("ch").with_noise(Some("a".into()));
    assert_eq!(refused(&["a", "a"], &noise), DataError::NothingLeft.into());
    assert!(matches!(Summary::new(0, &all), Err(SummaryError::Data(DataError::NoFeatures))));
    assert!(matches!(Summary::new(1, &SummarySettings::new(&[])), Err(SummaryError::NoMeasures)));
    assert!(matches!(Summary::new(1, &all.clone().with_sample(5)), Err(SummaryError::Setting { .. })));
}

#[test]
fn noise_and_single_points_are_left_out_on_request() {
    let data = Data::normal(&[600, 700, 300], 2, 2.0, 1);
    let expected = data.in_memory();
    let mut more = data.clone();
    for (row, label) in [(0, "noise"), (9, "alone"), (17, "noise"), (1500, "another")] {
        let at = row * 2;
        more.values.splice(at..at, [1.0, -3.0]);
        more.labels.insert(row, label.into());
    }
    let settings = all_measures().with_noise(Some("noise".into())).with_singletons(Singletons::Drop);
    for found in more.finish(&settings, 6, 4) {
        assert_eq!((found.points, found.noise), (1600, 2));
        assert_eq!(found.singletons, ["alone", "another"]);
        assert_eq!(found.classes.iter().map(|class| class.points).collect::<Vec<_>>(), [600, 700, 300]);
        for id in ["ch_a", "xb", "db_c"] {
            assert!(is_close(found.value(id).unwrap(), expected.value(id).unwrap(), 1e-9), "{id}");
        }
    }
}

#[test]
fn classes_are_named_in_natural_order_whatever_the_blocks_know() {
    let mut summary = Summary::new(1, &one("ch")).unwrap();
    summary.update(&[1.0, 2.0, 3.0], &Labels::encode(["10", "9", "10"]), 0).unwrap();
    summary.update(&[0.0; 0], &Labels::encode([""; 0]), 3).unwrap();
    summary.update(&[1.5, 2.5], &Labels::encode(["100", "9"]), 3).unwrap();
    let found = summary.finish(None, Control::none()).unwrap();
    let names: Vec<(&str, u64)> = found.classes.iter().map(|c| (c.name.as_str(), c.points)).collect();
    assert_eq!(names, [("9", 2), ("10", 2), ("100", 1)]);
}

#[test]
fn a_wrong_number_is_named_by_row_and_feature_and_changes_nothing() {
    let mut summary = Summary::new(2, &one("ch")).unwrap();
    summary.update(&[1.0, 2.0, 3.0, 4.0], &Labels::encode(["a", "b"]), 0).unwrap();
    let before = summary.to_bytes();
    let error = summary.update(&[1.0, 2.0, 3.0, f64::NAN], &Labels::encode(["c", "b"]), 70).unwrap_err();
    assert_eq!(error.to_string(), "row 72, feature 2 is NaN: every feature must be a finite number");
    let error = summary.update(&[f32::INFINITY, 2.0][..], &Labels::encode(["c"]), 0).unwrap_err();
    assert!(matches!(error, SummaryError::NotFinite { row: 0, feature: 0, .. }));
    let error = summary.update(&[1.0, 2.0, 3.0], &Labels::encode(["c"]), 0).unwrap_err();
    assert_eq!(error, DataError::Incomplete { values: 3, features: 2 }.into());
    let error = summary.update(&[1.0, 2.0], &Labels::encode(["c", "a"]), 0).unwrap_err();
    assert_eq!(error, DataError::LengthMismatch { points: 1, labels: 2 }.into());
    assert_eq!(summary.to_bytes(), before);
    assert_eq!(summary.rows(), 2);
}

#[test]
fn summaries_that_do_not_belong_together_are_refused() {
    let settings = one("ch");
    let mut summary = of(&[1.0, 2.0, 5.0], &["a", "a", "b"], &settings);
    let before = summary.to_bytes();
    let other = Summary::new(2, &settings).unwrap();
    let text = |error: SummaryError| error.to_string();
    let mut merge = |other: &Summary| text(summary.merge(other).unwrap_err());
    let refusal = "these summaries do not belong together: ";
    assert_eq!(merge(&other), format!("{refusal}one has 1 features, the other 2"));
    for (settings, what) in [
        (one("xb"), "measures"),
        (settings.clone().with_seed(1), "seeds"),
        (settings.clone().with_sample(200), "sizes of the sample"),
        (settings.clone().with_noise(Some("b".into())), "noise labels"),
    ] {
        assert_eq!(merge(&Summary::new(1, &settings).unwrap()), format!("{refusal}their {what} differ"));
    }
    assert_eq!(summary.to_bytes(), before);
}

#[test]
fn a_second_pass_over_other_rows_is_refused() {
    let data = Data::normal(&[800, 700], 2, 2.0, 3);
    let summary = data.summary(&all_measures(), 3, 1);
    assert!(summary.needs_second_pass());
    let fewer = Data { values: data.values[2..].to_vec(), labels: data.labels[1..].to_vec(), features: 2 };
    let error = summary.finish(Some(&fewer.second(&summary, 2, 1)), Control::none()).unwrap_err();
    assert!(matches!(error, SummaryError::OtherRows { .. }), "{error}");
    let another = data.clone().map(|x| 2.0 * x).summary(&all_measures(), 3, 1);
    let mut second = data.second(&summary, 3, 1);
    let error = another.finish(Some(&second), Control::none()).unwrap_err();
    assert!(error.to_string().contains("another first pass"), "{error}");
    let error = second.merge(&another.second_pass().unwrap()).unwrap_err();
    assert!(error.to_string().contains("different first passes"), "{error}");
    let error = second.update(&[1.0, 2.0], &Labels::encode(["new"]), 0).unwrap_err();
    assert!(error.to_string().contains("no class 'new'"), "{error}");
}

#[test]
fn labels_that_are_ids_do_not_take_all_memory() {
    let mut summary = Summary::new(1, &one("ch").with_memory(1 << 16)).unwrap();
    let mut refused = None;
    for start in (0..10_000).step_by(100) {
        let labels = Labels::encode(start..start + 100);
        if let Err(error) = summary.update(vec![1.0; 100], &labels, start) {
            refused = Some(error);
            break;
        }
    }
    let error = refused.unwrap().to_string();
    assert!(error.contains("is the label column an id?"), "{error}");
}

#[test]
fn every_measure_has_a_value_whatever_is_known() {
    let data = Data::normal(&[300, 400], 2, 1.0, 9);
    for found in data.finish(&all_measures().with_memory(1 << 14), 4, 2) {
        assert_eq!(found.scores.len(), REGISTRY.len());
        for (score, measure) in found.scores.iter().zip(REGISTRY) {
            assert_eq!(score.id, measure.id);
            assert!(
                score.value.is_finite() && score.error.is_none_or(f64::is_finite),
                "{} {score:?}",
                score.id
            );
        }
    }
}

#[test]
fn as_many_classes_as_fit_are_kept() {
    // Two features: 32 bytes of sums and 256 more for each class, in a quarter of the memory.
    let memory = 4 * 288 * 10 + 3;
    let settings = one("ch").with_memory(memory);
    let labels = |names: std::ops::Range<usize>| Labels::encode(names);
    let mut summary = Summary::new(2, &settings).unwrap();
    summary.update(vec![1.0; 14], &labels(0..7), 0).unwrap();
    // Classes that are known already need no room.
    summary.update(vec![2.0; 20], &labels(0..10), 7).unwrap();
    let error = summary.update(vec![3.0; 2], &labels(10..11), 17).unwrap_err();
    assert_eq!(error, SummaryError::TooManyClasses { classes: 10, memory });
    summary.update(vec![3.0; 20], &labels(0..10), 17).unwrap();
    // There is always room for two classes.
    let mut small = Summary::new(2, &one("ch").with_memory(1)).unwrap();
    small.update(vec![1.0; 4], &labels(0..2), 0).unwrap();
    assert!(small.update(vec![1.0; 2], &labels(2..3), 2).is_err());
}

#[test]
fn rows_that_lie_far_apart_are_merged_without_overflow() {
    // Squares of these differences overflow a double; each summary by itself sees only smaller differences.
    let rows =
        |centre: f64| -> Vec<f64> { (0..300).map(|row| centre + 1e155 * f64::from(row % 7)).collect() };
    let labels: Vec<&str> = (0..300).map(|row| if row % 3 == 0 { "a" } else { "b" }).collect();
    let blocks = [1e170, -1e170, 0.0].map(rows);
    let settings = all_measures().with_sample(100);
    let mut merged = Summary::new(1, &settings).unwrap();
    for values in &blocks {
        merged.merge(&of(values, &labels, &settings)).unwrap();
    }
    let names: Vec<String> = labels.iter().map(|&name| name.to_owned()).collect();
    let data = Data { values: blocks.concat(), features: 1, labels: vec![names; 3].concat() };
    let second = data.second(&merged, 2, 1);
    let expected = data.in_memory();
    for second in [None, Some(&second)] {
        let found = merged.finish(second, Control::none()).unwrap();
        for id in ["ch", "ch_a", "db", "xb", "xb_a"] {
            let (found, expected) = (found.value(id).unwrap(), expected.value(id).unwrap());
            assert!(is_close(found, expected, 1e-9), "{id}: {found} {expected}");
        }
    }
}

#[test]
fn summaries_tell_their_size_and_how_scores_were_come_by() {
    let data = Data::normal(&[900, 700], 2, 2.0, 3);
    let summary = data.summary(&all_measures(), 3, 1);
    assert_eq!((summary.features(), summary.rows()), (2, 1600));
    let second = data.second(&summary, 2, 1);
    assert_eq!((second.features(), second.rows()), (2, 1600));
    let [one, two] = [None, Some(&second)].map(|second| summary.finish(second, Control::none()).unwrap());
    assert!(one.explanation().starts_with("one pass over 1600 points with scatter matrices (80 of "));
    assert!(two.explanation().starts_with("two passes over 1600 points with scatter matrices (80 of "));
    assert!(one.score("sc_a").unwrap().why.to_string().starts_with("compares points with each other: "));
    assert!(one.score("xb_a").unwrap().why.to_string().starts_with("a second pass would make it exact: "));
}

#[test]
fn zeros_have_no_largest_value_and_are_scored_as_in_memory() {
    let settings = one("ch").with_unit(LengthUnit::LargestValue);
    let found = of(&[0.0; 5], &["a", "a", "b", "b", "b"], &settings).finish(None, Control::none()).unwrap();
    let data = Data {
        values: vec![0.0; 5],
        features: 1,
        labels: ["a", "a", "b", "b", "b"].map(String::from).to_vec(),
    };
    assert_eq!(found.value("ch"), data.in_memory().value("ch"));
}

/// Tables of pairs of 2,000 classes take more than the summary may.
#[test]
fn tables_of_many_classes_count_as_memory() {
    let labels = Labels::encode((0..4000).map(|row| row / 2));
    let settings = SummarySettings::new(&[measure::find("ch_a").unwrap()]).with_memory(100_000_000);
    let mut summary = Summary::new(1, &settings).unwrap();
    summary.update((0..4000).map(f64::from).collect::<Vec<_>>(), &labels, 0).unwrap();
    let error = summary.finish(None, Control::none()).unwrap_err();
    let SummaryError::Data(DataError::TooMuchMemory { classes, needed, limit }) = error else {
        panic!("{error}")
    };
    assert_eq!((classes, limit), (2000, 100_000_000));
    assert!(needed > limit);
}
