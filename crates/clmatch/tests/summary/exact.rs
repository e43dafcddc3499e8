//! Exact scores are those of all rows in memory, for any order and split.

use clmatch::measure::REGISTRY;
use clmatch::summary::{Certainty, Form, NoError, Reason, Summarised, Summary, SummarySettings};
use clmatch::{Classes, Control, Labels, Points, evaluate};

use super::{Data, FEW, all_measures, is_close};

/// How much rounding in another order may change.
const TOLERANCE: f64 = 1e-9;
/// Exact after one pass with scatter matrices, and after a second pass.
const ONE_PASS: [&str; 6] = ["ch_a", "db_a", "ch_c", "db_c", "ch", "xb"];
const TWO_PASSES: [&str; 3] = ["xb_a", "ii", "db"];

/// Compares all exact scores with those in memory; returns which ones are exact.
fn exact_ids(found: &Summarised, expected: &clmatch::Evaluation, what: &str) -> Vec<&'static str> {
    let exact: Vec<_> = found.scores.iter().filter(|score| score.certainty == Certainty::Exact).collect();
    for score in &exact {
        let expected = expected.score(score.id).unwrap();
        assert!(
            is_close(score.value, expected.value, TOLERANCE),
            "{what}: {} {} {}",
            score.id,
            score.value,
            expected.value
        );
        assert_eq!(score.pairs.len(), expected.pairs.len());
        for (a, b) in score.pairs.iter().zip(&expected.pairs) {
            assert!(is_close(*a, *b, TOLERANCE), "{what}: a pair of {} {a} {b}", score.id);
        }
        assert_eq!(score.error, Some(0.0));
    }
    exact.iter().map(|score| score.id).collect()
}

fn sorted(mut ids: Vec<&'static str>) -> Vec<&'static str> {
    ids.sort_unstable();
    ids
}

#[test]
fn by_hand() {
    // Class a lies at 0 and 2, class b at 2 and 6, half of the points each: c_a = 1, c_b = 4, D = 9, V = 1 and 4, B = 9/4, W =
    // 5/2. Around 5/2 the squared distances are 6.25, 0.25, 0.25 and 12.25, with mean 4.75 and variance 24.75.
    let values: Vec<f64> = (0..4000).map(|row| [0.0, 2.0, 2.0, 6.0][row % 4]).collect();
    let labels: Vec<String> = (0..4000).map(|row| ["a", "a", "b", "b"][row % 4].to_owned()).collect();
    let data = Data { values, features: 1, labels };
    let [one, two] = data.finish(&all_measures(), 7, 3);
    let z = 2.25 / 24.75_f64.sqrt();
    let close = |found: f64, expected: f64| assert!(is_close(found, expected, 1e-12), "{found} {expected}");
    close(one.value("ch_a").unwrap(), (2.216_005_267_919_147_5 * z * z.exp() / 2.0).tanh());
    close(one.value("ch").unwrap(), 3998.0 * 2.25 / 2.5);
    close(one.value("xb").unwrap(), 2.5 / 9.0);
    // The mean distances are 1 and 2 to the class centroids, and 7/4 to the common one.
    close(two.value("db").unwrap(), 1.0);
    close(two.value("ii").unwrap(), (0.5 * 7.0 / 6.0 * 3.0_f64).powi(2));
    assert_eq!(one.points, 4000);
    assert_eq!(one.classes.iter().map(|class| class.points).collect::<Vec<_>>(), [2000, 2000]);
}

#[test]
fn any_order_and_split_gives_the_scores_in_memory() {
    let cases = [
        ("two classes", Data::normal(&[900, 600], 2, 2.0, 1)),
        ("one feature", Data::normal(&[500, 700, 400], 1, 3.0, 2)),
        ("classes of unequal size", Data::normal(&[1500, 3, 300, 40], 5, 1.0, 3)),
        ("more features than a register", Data::normal(&[400, 500, 300], 21, 1.5, 4)),
        ("far from the origin", Data::normal(&[900, 600, 200], 3, 2.0, 5).map(|x| x + 1e8)),
        ("far from the origin, far below 0", Data::normal(&[900, 600], 3, 0.5, 6).map(|x| 1e-3 * x - 1e7)),
        ("tiny", Data::normal(&[900, 600], 3, 2.0, 7).map(|x| x * 1e-150)),
        ("huge", Data::normal(&[900, 600], 3, 2.0, 8).map(|x| x * 1e150)),
    ];
    for (what, data) in cases {
        let expected = data.in_memory();
        for (blocks, seed) in [(1, 1), (2, 2), (7, 3), (40, 4)] {
            let [one, two] = data.finish(&all_measures(), blocks, seed);
            assert_eq!((one.passes, two.passes), (1, 2));
            assert_eq!(one.form, Form::ScatterMatrices);
            assert_eq!(sorted(exact_ids(&one, &expected, what)), sorted(ONE_PASS.to_vec()), "{what}");
            let both = [&ONE_PASS[..], &TWO_PASSES].concat();
            assert_eq!(sorted(exact_ids(&two, &expected, what)), sorted(both), "{what}");
            let eta = |terms: &Option<clmatch::Terms>| terms.as_ref().unwrap().mean.eta;
            for found in [&one, &two] {
                assert!(is_close(eta(&found.terms), eta(&expected.terms), TOLERANCE), "{what}");
            }
        }
    }
}

#[test]
fn blocks_of_one_row_are_blocks() {
    let data = Data::normal(&[300, 400, 200], 4, 1.0, 11);
    let settings = all_measures();
    let mut summary = Summary::new(4, &settings).unwrap();
    for row in 0..data.rows() {
        let (values, labels) = data.block(row..row + 1);
        summary.update(values, &labels, row as u64).unwrap();
    }
    let found = summary.finish(None, Control::none()).unwrap();
    assert_eq!(exact_ids(&found, &data.in_memory(), "one by one").len(), ONE_PASS.len());
}

#[test]
fn single_precision_is_summed_in_double_precision() {
    let data = Data::normal(&[700, 600], 3, 1.0, 12).map(|x| f64::from(x as f32));
    let narrow: Vec<f32> = data.values.iter().map(|&x| x as f32).collect();
    let mut summary = Summary::new(3, &all_measures()).unwrap();
    for start in (0..1300).step_by(100) {
        let labels = Labels::encode(&data.labels[start..start + 100]);
        summary.update(&narrow[3 * start..3 * (start + 100)], &labels, start as u64).unwrap();
    }
    let found = summary.finish(None, Control::none()).unwrap();
    exact_ids(&found, &data.in_memory(), "f32");
    // The sample is the same as that of the same numbers in double precision.
    let wide = data.summary(&all_measures(), 5, 1).finish(None, Control::none()).unwrap();
    assert!(is_close(found.value("sc_a").unwrap(), wide.value("sc_a").unwrap(), TOLERANCE));
}

#[test]
fn without_memory_for_matrices_a_second_pass_tells_the_same() {
    let data = Data::normal(&[500, 400, 600], 30, 1.0, 13);
    let expected = data.in_memory();
    // Matrices of three classes take 11,880 bytes: slightly less than half of this limit is allowed for them.
    let settings = all_measures().with_memory(20_000);
    for blocks in [1, 9] {
        let [one, two] = data.finish(&settings, blocks, 5);
        assert_eq!((one.form, two.form), (Form::Centroids, Form::Centroids));
        assert_eq!(one.matrices, (11_880, 10_000));
        assert!(one.explanation().contains("centroids only"), "{}", one.explanation());
        assert_eq!(sorted(exact_ids(&one, &expected, "centroids")), ["ch", "xb"]);
        assert_eq!(exact_ids(&two, &expected, "centroids").len(), 9);
        assert!(one.scores.iter().all(|score| !score.value.is_nan()));
        let estimated = one.score("ch_a").unwrap();
        // Memory has room for four rows of a class, too few to estimate an error.
        assert!(matches!(estimated.why, Reason::UnknownError { cause: NoError::FewRows, .. }));
        assert_eq!(estimated.error, None);
    }
    let enough = data.summary(&all_measures().with_memory(1 << 20), 9, 5).finish(None, Control::none());
    assert_eq!(enough.unwrap().form, Form::ScatterMatrices);
}

#[test]
fn variances_that_cancel_are_found_by_the_second_pass() {
    // All points lie almost on a circle around the middle of both classes: s2 is 1e-6 of T.
    let values: Vec<f64> = (0..3000)
        .flat_map(|row| {
            let angle = f64::from(row) * 2.399_963;
            let radius = 1.0 + 1e-6 * f64::from(row % 7);
            [radius * angle.cos(), radius * angle.sin()]
        })
        .collect();
    let side = |row: usize| if values[2 * row] > 0.0 { "right" } else { "left" };
    let labels = (0..3000).map(|row| side(row).to_owned()).collect();
    let data = Data { features: 2, labels, values: values.clone() };
    let expected = data.in_memory();
    let [one, two] = data.finish(&all_measures(), 6, 2);
    let exact = exact_ids(&two, &expected, "circle");
    assert!(exact.contains(&"db_a") && exact.contains(&"db_c"));
    assert!(is_close(two.terms.unwrap().mean.eta, expected.terms.unwrap().mean.eta, TOLERANCE));
    assert!(data.summary(&all_measures(), 6, 2).needs_second_pass());
    assert_eq!(one.score("db_c").unwrap().certainty, Certainty::Estimated, "its digits were lost");
}

#[test]
fn so_few_rows_are_kept_whole() {
    let mut data = Data::normal(&[60, 50, 20], 3, 1.5, 14);
    // Equal rows count as separate rows.
    for row in 0..30 {
        data.values.extend_from_within(3 * row..3 * row + 3);
        data.labels.push(data.labels[row].clone());
    }
    let expected = data.in_memory();
    let settings = SummarySettings::new(REGISTRY);
    let summary = data.summary(&settings, 9, 3);
    assert!(!summary.needs_second_pass());
    let found = summary.finish(None, Control::none()).unwrap();
    assert_eq!(found.points, 160);
    assert_eq!(exact_ids(&found, &expected, "few").len(), REGISTRY.len());
    assert!(found.scores.iter().all(|score| score.why == Reason::EveryRow));
    // As rows of one source with the same numbers: only how often they were seen shows that there are two of each.
    let mut twice = Summary::new(3, &settings).unwrap();
    for _ in 0..2 {
        twice.update(&data.values, &Labels::encode(&data.labels), 0).unwrap();
    }
    let doubled = Data {
        values: data.values.repeat(2),
        labels: [&data.labels[..], &data.labels].concat(),
        features: 3,
    };
    let found = twice.finish(None, Control::none()).unwrap();
    assert_eq!(found.points, 320);
    assert_eq!(exact_ids(&found, &doubled.in_memory(), "twice").len(), REGISTRY.len());
}

#[test]
fn classes_without_extent_have_their_stated_values() {
    let labels: Vec<String> = (0..3000).map(|row| format!("{}", row % 3)).collect();
    let values: Vec<f64> = (0..3000).flat_map(|row| [[1e6, 0.1], [3.0, 5.0], [3.0, 5.0]][row % 3]).collect();
    let data = Data { values, features: 2, labels };
    let expected = data.in_memory();
    let [one, two] = data.finish(&all_measures(), 8, 3);
    exact_ids(&one, &expected, "point-like");
    exact_ids(&two, &expected, "point-like");
    for score in two.scores.iter().chain(&one.scores) {
        assert!(!score.value.is_nan() && !score.error.is_some_and(f64::is_nan), "{}", score.id);
    }
}

#[test]
fn the_length_that_counts_as_1_may_be_the_largest_value() {
    let data = Data::normal(&[900, 800], 2, 3.0, 15);
    let largest = data.values.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    let points = Points::new(&data.values, 2).unwrap().with_unit(largest).unwrap();
    let ii = clmatch::measure::find("ii").unwrap();
    let classes = Classes::new(points, &Labels::encode(&data.labels)).unwrap();
    let expected = evaluate(&classes, &[ii]).unwrap().value("ii").unwrap();
    let settings =
        SummarySettings::new(&[ii]).with_sample(FEW).with_unit(clmatch::summary::LengthUnit::LargestValue);
    let [_, two] = data.finish(&settings, 5, 1);
    assert!(is_close(two.value("ii").unwrap(), expected, TOLERANCE));
}
