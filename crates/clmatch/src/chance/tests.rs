use super::*;
use crate::measure::REGISTRY;
use crate::{Labels, Points, evaluate};

/// Classes along a line.
fn cloud(sizes: &[usize], features: usize, gap: f64, seed: u64) -> (Vec<f64>, Labels) {
    let mut random = SplitMix::new(seed);
    let mut uniform = || (random.next() >> 11) as f64 / (1_u64 << 53) as f64;
    let labels: Vec<usize> = sizes.iter().enumerate().flat_map(|(class, &size)| vec![class; size]).collect();
    let mut values = Vec::new();
    for &label in &labels {
        values.extend((0..features).map(|_| (0..6).map(|_| uniform()).sum::<f64>() - 3.0));
        let first = values.len() - features;
        values[first] += gap * label as f64;
    }
    (values, Labels::encode(labels))
}

/// The largest difference between the scores of permutations computed from what they share and those computed from their own
/// points.
fn largest_errors(sizes: &[usize], features: usize, gap: f64) -> Vec<(&'static str, f64)> {
    let (values, labels) = cloud(sizes, features, gap, 11);
    let classes = Classes::new(Points::new(&values, features).unwrap(), &labels).unwrap();
    let permutations = Permutations::new(&classes, 5, 3, Control::none()).unwrap();
    let fast = together(&classes, REGISTRY, &permutations, Control::none()).unwrap();
    let slow = one_by_one(&classes, REGISTRY, &permutations, Control::none()).unwrap();
    let mut errors: Vec<(&str, f64)> = REGISTRY.iter().map(|measure| (measure.id, 0.0)).collect();
    for (fast, slow) in fast.iter().zip(&slow) {
        for (at, ((_, fast), (_, slow))) in fast.scores.iter().zip(&slow.scores).enumerate() {
            let error = (fast.value - slow.value).abs() / (1.0 + slow.value.abs());
            errors[at].1 = errors[at].1.max(error);
        }
    }
    errors
}

#[test]
fn shared_statistics_give_the_scores_of_the_permutations_themselves() {
    for (sizes, features, gap) in [(&[30, 20][..], 2, 3.0), (&[25, 25, 12], 4, 9.0), (&[20, 40], 1, 2.0)] {
        for (id, error) in largest_errors(sizes, features, gap) {
            // Geometric medians take one step, sums are in single precision.
            let tolerance = match id {
                "di_a" => 4e-3,
                "sc" | "sc_a" => 1e-6,
                _ => 1e-9,
            };
            assert!(error < tolerance, "{sizes:?} {id}: {error}");
        }
    }
}

/// Lists that are shorter than the dataset, clusters that the lists do not leave, and a class that is rare in them.
#[test]
fn lists_of_neighbours_are_long_enough() {
    for (sizes, gap) in [(&[200, 200, 200][..], 40.0), (&[500, 300, 12], 3.0), (&[300, 300], 2.0)] {
        for (id, error) in largest_errors(sizes, 3, gap) {
            let tolerance = match id {
                "di_a" => 1e-3,
                "clm" | "clm_pairs" => 2e-3,
                "sc" | "sc_a" => 1e-6,
                _ => 1e-9,
            };
            assert!(error < tolerance, "{sizes:?} {id}: {error}");
        }
    }
}

#[test]
fn labels_that_mean_something_beat_chance_and_others_do_not() {
    let (values, labels) = cloud(&[30, 30], 2, 3.0, 1);
    let classes = Classes::new(Points::new(&values, 2).unwrap(), &labels).unwrap();
    let evaluation = evaluate(&classes, REGISTRY).unwrap();
    let found = random_labels(&classes, REGISTRY, &evaluation, 99, 1, Control::none()).unwrap();
    for (measure, chance) in REGISTRY.iter().zip(&found) {
        if measure.id != "di" {
            assert_eq!(chance.p, 0.01, "{}", measure.id);
        }
        assert!(chance.range.low <= chance.mean && chance.mean <= chance.range.high, "{}", measure.id);
    }
    let meaningless = Labels::encode((0..60).map(|row| row % 2));
    let classes = Classes::new(Points::new(&values, 2).unwrap(), &meaningless).unwrap();
    let evaluation = evaluate(&classes, REGISTRY).unwrap();
    let found = random_labels(&classes, REGISTRY, &evaluation, 99, 1, Control::none()).unwrap();
    assert!(found.iter().all(|chance| chance.p > 0.02), "{found:?}");
}

/// How many of 200 p-values of meaningless labels are at most .1, if the dataset consists of these rows of a cloud with these
/// labels. 20 are expected, give or take 4.2 (the two measures of a dataset are not independent).
fn small_p_values(rows: &[usize], first_seed: u64) -> usize {
    let mut small = 0;
    for seed in 0..100 {
        let (values, _) = cloud(&[42], 2, 0.0, first_seed + seed);
        let values: Vec<f64> = rows.iter().flat_map(|row| [values[2 * row], values[2 * row + 1]]).collect();
        let labels = Labels::encode(rows.iter().map(|row| row % 3));
        let classes = Classes::new(Points::new(&values, 2).unwrap(), &labels).unwrap();
        let measures = [crate::measure::find("clm").unwrap(), crate::measure::find("sc_a").unwrap()];
        let evaluation = evaluate(&classes, &measures).unwrap();
        let found = random_labels(&classes, &measures, &evaluation, 39, seed, Control::none()).unwrap();
        small += found.iter().filter(|chance| chance.p <= 0.1).count();
    }
    small
}

#[test]
fn p_values_of_meaningless_labels_are_uniform() {
    let small = small_p_values(&(0..40).collect::<Vec<usize>>(), 100);
    assert!((6..=36).contains(&small), "{small} of 200");
}

/// Every row four times, each copy with the label of its row, and two rows without copies: 199 of 200 p-values were small when
/// copies were torn apart.
#[test]
fn p_values_of_meaningless_labels_are_uniform_where_rows_repeat() {
    let rows: Vec<usize> = (0..40).flat_map(|row| [row; 4]).chain([40, 41]).collect();
    let small = small_p_values(&rows, 300);
    assert!((6..=36).contains(&small), "{small} of 200");
}

/// One row in twenty must be a copy before rows are dealt together with their copies.
#[test]
fn few_copies_are_dealt_one_by_one() {
    let most_copies = |copies: usize| {
        let rows: Vec<usize> = (0..100).map(|row| row.max(copies)).collect();
        let values: Vec<f64> = rows.iter().flat_map(|&row| [row as f64, (row * row) as f64]).collect();
        let labels = Labels::encode((0..100).map(|row| row / 50));
        let classes = Classes::new(Points::new(&values, 2).unwrap(), &labels).unwrap();
        repeated_rows(&classes, 1).iter().map(|rows| rows.copies).max()
    };
    assert_eq!((most_copies(4), most_copies(5)), (Some(1), Some(6)));
}

/// Copies stay together, rows without copies change places only with each other, and classes keep their sizes.
#[test]
fn copies_are_dealt_together() {
    let rows: Vec<usize> = (0..30).flat_map(|row| vec![row; row % 3 + 1]).collect();
    let values: Vec<f64> = rows.iter().flat_map(|&row| [row as f64, (row * row) as f64]).collect();
    let labels = Labels::encode(rows.iter().map(|row| row / 10));
    let classes = Classes::new(Points::new(&values, 2).unwrap(), &labels).unwrap();
    let row_at = |place: u32| rows[classes.order()[place as usize]];
    for order in Permutations::new(&classes, 20, 1, Control::none()).unwrap().orders {
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..rows.len() as u32));
        let class_of = |row: usize| {
            let of =
                |class: usize| order[classes.range(class)].iter().filter(|&&at| row_at(at) == row).count();
            (0..3).map(of).collect::<Vec<usize>>()
        };
        assert!((0..30).all(|row| class_of(row).iter().all(|&count| [0, row % 3 + 1].contains(&count))));
    }
}

#[test]
fn a_lower_value_is_better_where_the_measure_says_so() {
    let db = crate::measure::find("db").unwrap();
    let chance = Chance::of(db, 0.5, vec![2.0, 3.0, 0.4]);
    assert_eq!(chance.p, 0.5);
    assert_eq!(chance.mean, 1.8);
}

/// An infinite score, the best or the worst one, is compared like any other.
#[test]
fn infinite_scores_are_as_good_as_others_that_are_infinite() {
    let [di, db] = ["di", "db"].map(|id| crate::measure::find(id).unwrap());
    assert_eq!(Chance::of(di, f64::INFINITY, vec![f64::INFINITY, 1.0, 2.0]).p, 0.5);
    assert_eq!(Chance::of(db, f64::INFINITY, vec![f64::INFINITY, 1.0, 2.0]).p, 1.0);
}

/// The share of permutations that score at least as well as the labels, with each permutation scored on its own.
fn exact_p(classes: &Classes<'_>, measure: &'static Measure, score: f64, seed: u64) -> f64 {
    let permutations = Permutations::new(classes, 199, seed, Control::none()).unwrap();
    let slow = one_by_one(classes, &[measure], &permutations, Control::none()).unwrap();
    let scores = slow.iter().map(|evaluation| evaluation.scores[0].1.value).collect();
    Chance::of(measure, score, scores).p
}

/// With 3 + 3 points, one permutation in ten is the labels themselves; with 2 + 2 points, one in three.
#[test]
fn permutations_that_equal_the_labels_count_in_tiny_data() {
    for (sizes, features, seeds) in [
        (&[3, 3][..], 2, 12),
        (&[2, 2], 1, 12),
        (&[2, 2, 2], 2, 12),
        (&[3, 2, 2], 3, 6),
        (&[20, 20, 20], 2, 2),
    ] {
        for seed in 0..seeds {
            let (values, labels) = cloud(sizes, features, 2.0, seed);
            let classes = Classes::new(Points::new(&values, features).unwrap(), &labels).unwrap();
            let evaluation = evaluate(&classes, REGISTRY).unwrap();
            let found = random_labels(&classes, REGISTRY, &evaluation, 199, seed, Control::none()).unwrap();
            for (measure, chance) in REGISTRY.iter().zip(&found) {
                let expected = exact_p(&classes, measure, evaluation.value(measure.id).unwrap(), seed);
                assert_eq!(chance.p, expected, "{sizes:?} {seed} {}", measure.id);
            }
        }
    }
}

#[test]
fn a_measure_that_was_not_evaluated_is_refused() {
    let (values, labels) = cloud(&[5, 5], 1, 1.0, 1);
    let classes = Classes::new(Points::new(&values, 1).unwrap(), &labels).unwrap();
    let [clm, sc] = ["clm", "sc"].map(|id| crate::measure::find(id).unwrap());
    let evaluation = evaluate(&classes, &[clm]).unwrap();
    let error = random_labels(&classes, &[clm, sc], &evaluation, 9, 1, Control::none()).unwrap_err();
    assert_eq!(error, DataError::NotEvaluated { measure: "sc" });
    assert_eq!(error.to_string(), "sc is not in the evaluation that random labels are compared with");
}

#[test]
fn no_permutations_are_refused() {
    let (values, labels) = cloud(&[5, 5], 1, 1.0, 1);
    let classes = Classes::new(Points::new(&values, 1).unwrap(), &labels).unwrap();
    let evaluation = evaluate(&classes, REGISTRY).unwrap();
    let error = random_labels(&classes, REGISTRY, &evaluation, 0, 1, Control::none()).unwrap_err();
    assert_eq!(error, DataError::NoPermutations);
}

/// Sums read the data in two tasks from 512 KiB on: this tests sizes below and above that, with the rows of all classes in turn.
#[test]
fn permutations_score_as_copies_of_their_rows_on_both_sides_of_the_second_task() {
    fn check(classes: &Classes<'_>, case: &str) {
        let permutations = Permutations::new(classes, 3, 3, Control::none()).unwrap();
        let fast = together(classes, REGISTRY, &permutations, Control::none()).unwrap();
        for (order, fast) in permutations.orders.iter().zip(&fast) {
            let slow = evaluate(&Permutations::classes(classes, order).copied(), REGISTRY).unwrap();
            for ((id, fast), (_, slow)) in fast.scores.iter().zip(&slow.scores) {
                let tolerance = if ["di_a", "clm"].contains(id) { 2e-3 } else { 1e-6 };
                let error = (fast.value - slow.value).abs() / (1.0 + slow.value.abs());
                assert!(error < tolerance, "{case}, {id}: {} {}", fast.value, slow.value);
            }
        }
    }
    let features = 100;
    for (rows, double) in [(655, true), (656, true), (1310, false), (1311, false)] {
        let (values, _) = cloud(&[rows], features, 0.0, 11);
        let labels = Labels::encode((0..rows).map(|row| row * row / 3 % 7 % 3));
        let narrow: Vec<f32> = values.iter().map(|&x| x as f32).collect();
        let points = if double { Points::new(&values, features) } else { Points::new(&narrow, features) };
        check(&Classes::new(points.unwrap(), &labels).unwrap(), &format!("{rows} x {features}"));
    }
}

/// Lists contain all other points up to 65 points; they are longest from 52 classes on; above 64 classes each permutation is
/// scored on its own.
#[test]
fn permutations_score_as_copies_of_their_rows_on_both_sides_of_every_size() {
    let measures = ["clm", "ch_a", "sc_a"].map(|id| crate::measure::find(id).unwrap());
    for sizes in [&[32, 33][..], &[33, 33], &[9; 51], &[10; 52], &[4; 64], &[4; 65]] {
        let (values, labels) = cloud(sizes, 2, 1.0, 11);
        let classes = Classes::new(Points::new(&values, 2).unwrap(), &labels).unwrap();
        let permutations = Permutations::new(&classes, 3, 5, Control::none()).unwrap();
        let evaluation = evaluate(&classes, &measures).unwrap();
        let found = random_labels(&classes, &measures, &evaluation, 3, 5, Control::none()).unwrap();
        for (at, (found, measure)) in found.iter().zip(measures).enumerate() {
            let score = |order: &Vec<u32>| {
                let copy = Permutations::classes(&classes, order).copied();
                evaluate(&copy, &measures).unwrap().scores[at].1.value
            };
            let mean = permutations.orders.iter().map(score).sum::<f64>() / 3.0;
            let tolerance = if measure.id == "clm" { 2e-3 } else { 1e-6 };
            assert!(
                (found.mean - mean).abs() < tolerance,
                "{} {}: {found:?} {mean}",
                sizes.len(),
                measure.id
            );
        }
    }
}

/// A batch has as many permutations as fit into memory, and labels are looked up four at a time.
#[test]
fn batches_do_not_change_a_bit() {
    let (values, labels) = cloud(&[30, 40, 15], 3, 1.0, 7);
    let classes = Classes::new(Points::new(&values, 3).unwrap(), &labels).unwrap();
    let measures = [crate::measure::find("sc_a").unwrap()];
    let plan = checked_plan(&classes, &measures).unwrap();
    let shared = SharedStatistics::new(&classes, plan, Control::none()).unwrap();
    let orders = Permutations::new(&classes, 9, 5, Control::none()).unwrap().orders;
    let scores = |batch: usize| -> Vec<f64> {
        let mut scores = Vec::new();
        for orders in orders.chunks(batch) {
            let sums = shared.sums(orders, Control::none()).unwrap();
            scores.extend(orders.iter().enumerate().map(|(at, order)| {
                let (classes, statistics) = shared.permuted(order, at, &sums, Control::none()).unwrap();
                evaluation_of(&statistics, &classes, &measures, Control::none()).unwrap().scores[0].1.value
            }));
        }
        scores
    };
    assert!([1, 3, 4, 5, 8].iter().all(|&batch| scores(batch) == scores(9)));
}
