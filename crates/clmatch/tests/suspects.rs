//! Planted mislabelled points and outliers, and what is reported about data that says nothing.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use clmatch::diagnose::{LEFT_OUT, OUTLIER, OUTVOTED, Suspects, suspects};
use clmatch::{Classes, Control, DataError, Labels, Points, Singletons, Stop};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// The average precision that is promised for planted swaps where clusters are separable.
const AVERAGE_PRECISION: f64 = 0.9;

/// Points with the labels that they should have, and rows that do not belong to any class.
struct Planted {
    values: Vec<f64>,
    features: usize,
    truth: Vec<usize>,
    rng: ChaCha8Rng,
}

impl Planted {
    /// Normal clusters of various shapes whose centres are at least `gap` deviations apart, in random order.
    fn clusters(sizes: &[usize], features: usize, gap: f64, seed: u64) -> Planted {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut centres: Vec<Vec<f64>> = Vec::new();
        let mut wide = gap;
        while centres.len() < sizes.len() {
            let centre: Vec<f64> = (0..features).map(|_| rng.random_range(-wide..wide)).collect();
            let far = |other: &Vec<f64>| {
                other.iter().zip(&centre).map(|(a, b)| (a - b) * (a - b)).sum::<f64>() >= gap * gap
            };
            if centres.iter().all(far) {
                centres.push(centre);
            }
            wide *= 1.05;
        }
        let mut truth: Vec<usize> =
            sizes.iter().enumerate().flat_map(|(class, &size)| vec![class; size]).collect();
        truth.shuffle(&mut rng);
        let mut values = Vec::with_capacity(truth.len() * features);
        for &class in &truth {
            for (f, centre) in centres[class].iter().enumerate() {
                let x: f64 = StandardNormal.sample(&mut rng);
                values.push(centre + x * [1.0, 0.5, 0.8][(f + class) % 3]);
            }
        }
        Planted { values, features, truth, rng }
    }

    /// Labels of which this share is replaced by other ones, and which labels were replaced.
    fn swapped(&mut self, share: f64) -> (Vec<usize>, Vec<bool>) {
        let (n, classes) = (self.truth.len(), self.truth.iter().max().unwrap() + 1);
        let mut rows: Vec<usize> = (0..n).collect();
        rows.shuffle(&mut self.rng);
        rows.truncate((share * n as f64).round() as usize);
        let (mut labels, mut wrong) = (self.truth.clone(), vec![false; n]);
        for row in rows {
            labels[row] = (labels[row] + self.rng.random_range(1..classes)) % classes;
            wrong[row] = true;
        }
        (labels, wrong)
    }

    fn suspects(&self, labels: &[usize]) -> Suspects {
        let points = Points::new(&self.values, self.features).unwrap();
        suspects(&Classes::new(points, &Labels::encode(labels)).unwrap(), Control::none()).unwrap()
    }
}

/// The mean precision at the planted rows, in descending order of scores; among equal scores the planted ones come last.
fn average_precision(scores: &[f64], planted: &[bool]) -> f64 {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(planted[a].cmp(&planted[b])));
    let (mut found, mut sum) = (0.0, 0.0);
    for (rank, &row) in order.iter().enumerate() {
        if planted[row] {
            found += 1.0;
            sum += found / (rank + 1) as f64;
        }
    }
    sum / found
}

fn assert_finite(suspects: &Suspects) {
    assert!(suspects.mislabelled.iter().all(|p| (0.0..=1.0).contains(p)), "{:?}", suspects.mislabelled);
    assert!(suspects.outlier.iter().all(|z| z.is_finite()), "{:?}", suspects.outlier);
}

#[test]
fn swapped_labels_are_found() {
    let unbalanced =
        |classes: usize| (0..classes).map(|class| 40 + 260 / (1 + class)).collect::<Vec<usize>>();
    for (sizes, features) in [
        (vec![200; 3], 2),
        (vec![60; 10], 10),
        (vec![50; 20], 50),
        (vec![80; 5], 30),
        (unbalanced(3), 2),
        (unbalanced(8), 5),
        (unbalanced(20), 20),
    ] {
        for share in [0.01, 0.05, 0.1] {
            let mut planted = Planted::clusters(&sizes, features, 6.0, 1);
            let (labels, wrong) = planted.swapped(share);
            let found = planted.suspects(&labels);
            let precision = average_precision(&found.mislabelled, &wrong);
            println!("{} classes, {features} features, {share}: {precision:.3}", sizes.len());
            assert!(precision >= AVERAGE_PRECISION, "{sizes:?} x {features}, {share}: {precision}");
            for row in (0..labels.len()).filter(|&row| found.mislabelled[row] > 0.5) {
                assert_ne!(found.suggested[row], labels[row], "a wrong label has another class instead");
            }
            let mended =
                (0..labels.len()).filter(|&row| wrong[row] && found.suggested[row] == planted.truth[row]);
            let planted_rows = wrong.iter().filter(|&&wrong| wrong).count();
            assert!(mended.count() * 10 >= planted_rows * 9, "{sizes:?} x {features}, {share}");
        }
    }
}

/// Labels are seldom wrong at random: points of one class are taken for another one. Even many labels of another class among its
/// points do not make those labels right.
#[test]
fn wrong_labels_of_one_kind_are_found() {
    for (sizes, features, both_ways) in [
        (vec![60; 3], 2, false),
        (vec![60; 3], 2, true),
        (vec![300; 3], 5, false),
        (vec![100, 80, 60, 120], 10, true),
    ] {
        for share in [0.03, 0.1, 0.2] {
            let planted = Planted::clusters(&sizes, features, 8.0, 8);
            let last = sizes.len() - 1;
            let mut labels = planted.truth.clone();
            for (from, to) in [(0, last), (last, 0)].into_iter().take(if both_ways { 2 } else { 1 }) {
                let rows = (0..labels.len()).filter(|&row| planted.truth[row] == from);
                let count = (share * sizes[from] as f64).round() as usize;
                rows.take(count.max(2)).for_each(|row| labels[row] = to);
            }
            let found = planted.suspects(&labels);
            for (row, (&p, &label)) in found.mislabelled.iter().zip(&labels).enumerate() {
                let wrong = label != planted.truth[row];
                let told = if wrong { p > 0.9 } else { p < 0.1 };
                assert!(told, "{sizes:?} {share} {both_ways} row {row}: {wrong} {p}");
            }
        }
    }
}

/// Points on concentric rings, which do not differ in any shape that Mahalanobis' distance could tell apart.
fn rings(seed: u64) -> Planted {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut values, mut truth) = (Vec::new(), Vec::new());
    for class in 0..3 {
        for _ in 0..200 {
            let noise: f64 = StandardNormal.sample(&mut rng);
            let (angle, radius) =
                (rng.random_range(0.0..std::f64::consts::TAU), 1.0 + f64::from(class) + 0.08 * noise);
            values.extend([radius * angle.cos(), radius * angle.sin()]);
            truth.push(class as usize);
        }
    }
    Planted { values, features: 2, truth, rng }
}

#[test]
fn one_ring_that_is_taken_for_another_is_found() {
    for (count, recall) in [(5, 1.0), (10, 1.0), (20, 1.0), (40, 0.95), (60, 0.5)] {
        for seed in 0..5 {
            let planted = rings(seed);
            let mut labels = planted.truth.clone();
            labels[..count].fill(1);
            let found = planted.suspects(&labels).mislabelled;
            let hits = found[..count].iter().filter(|&&p| p > 0.5).count();
            assert!(hits as f64 >= recall * count as f64, "{count} wrong labels, seed {seed}: {hits}");
            assert!(found[count..].iter().all(|&p| p < 0.5), "{count} wrong labels, seed {seed}");
        }
    }
}

/// Half of the points that face another ring carry its label: they are mislabelled, because there is a gap between the rings.
#[test]
fn wrong_labels_near_a_gap_are_found() {
    for seed in 0..5 {
        let planted = rings(seed);
        let radius = |row: usize| planted.values[2 * row].hypot(planted.values[2 * row + 1]);
        let mut rows: Vec<usize> = (0..200).collect();
        rows.sort_by(|&a, &b| radius(b).total_cmp(&radius(a)));
        let mut labels = planted.truth.clone();
        rows[..40].iter().step_by(2).for_each(|&row| labels[row] = 1);
        let found = planted.suspects(&labels).mislabelled;
        for (row, &p) in found.iter().enumerate() {
            assert_eq!(p > 0.5, labels[row] != planted.truth[row], "{seed}, row {row}: {p}");
        }
    }
}

/// Where the model takes wrong labels for overlap, the neighbours' votes are reported.
#[test]
fn neighbours_votes_are_told() {
    let planted = Planted::clusters(&[200, 200], 2, 1.0, 4);
    let found = planted.suspects(&planted.truth);
    let count = |outvoted: bool| {
        (0..400)
            .filter(|&row| found.mislabelled[row] <= 0.5 && (found.outvoted[row] > OUTVOTED) == outvoted)
            .count()
    };
    assert!(count(true) > 20 && count(false) > 200, "{} and {}", count(true), count(false));
    let apart = Planted::clusters(&[200, 200], 2, 12.0, 4);
    assert!(apart.suspects(&apart.truth).outvoted.iter().all(|&share| share == 0.0));
}

/// Overlapping classes do not count as wrong labels.
#[test]
fn overlap_is_not_taken_for_wrong_labels() {
    for gap in [0.5, 1.0, 2.0] {
        let planted = Planted::clusters(&[150, 150, 150], 3, gap, 9);
        let found = planted.suspects(&planted.truth);
        let alarms = found.mislabelled.iter().filter(|&&p| p > 0.5).count();
        assert!(alarms * 50 <= planted.truth.len(), "{gap}: {alarms} alarms");
    }
}

/// The probabilities are nearly exact where labels are right.
#[test]
fn probabilities_rise_with_errors_and_are_never_too_bold() {
    // Clusters that touch, so that there are probabilities of all sizes.
    let mut bins = [(0.0, 0.0, 0.0); 4];
    for seed in 0..12 {
        let mut planted = Planted::clusters(&[300, 200, 250], 4, 2.5, seed);
        let (labels, wrong) = planted.swapped(0.08);
        for (&p, wrong) in planted.suspects(&labels).mislabelled.iter().zip(wrong) {
            let bin = &mut bins[[0.1, 0.5, 0.9].iter().filter(|&&edge| p > edge).count()];
            *bin = (bin.0 + 1.0, bin.1 + p, bin.2 + f64::from(u8::from(wrong)));
        }
    }
    let shares = bins.map(|(count, predicted, seen)| (count, predicted / count, seen / count));
    for (count, predicted, seen) in shares {
        println!("{count} points: {predicted:.3} predicted, {seen:.3} seen");
    }
    let [low, doubtful, likely, high] = shares;
    assert!(shares.iter().all(|(count, ..)| *count > 60.0));
    assert!((low.1 - low.2).abs() < 0.01 && high.2 > 0.95, "{shares:?}");
    for (_, predicted, seen) in [doubtful, likely, high] {
        assert!(seen > predicted - 0.05, "never too bold: {shares:?}");
    }
    assert!(low.2 < doubtful.2 && doubtful.2 < likely.2 && likely.2 < high.2, "{shares:?}");
}

#[test]
fn clean_labels_raise_no_alarm() {
    for (sizes, features) in [(vec![150; 4], 2), (vec![60; 10], 20), (vec![400, 30, 60], 6)] {
        let planted = Planted::clusters(&sizes, features, 7.0, 3);
        let found = planted.suspects(&planted.truth);
        let alarms = found.mislabelled.iter().filter(|&&p| p > 0.5).count();
        assert!(alarms * 500 <= planted.truth.len(), "{sizes:?}: {alarms} alarms");
    }
}

#[test]
fn outliers_are_found_and_hardly_anything_else() {
    for (sizes, features) in
        [(vec![200; 3], 2), (vec![150; 4], 10), (vec![100; 5], 50), (vec![300, 60, 100], 5)]
    {
        let mut planted = Planted::clusters(&sizes, features, 8.0, 4);
        let far = planted.values.iter().fold(0.0_f64, |far, x| far.max(x.abs()));
        let n = planted.truth.len();
        let rows: Vec<usize> = (0..n).step_by(70).collect();
        for &row in &rows {
            // Twice as far away as everything else, in a random direction.
            let direction: Vec<f64> =
                (0..features).map(|_| StandardNormal.sample(&mut planted.rng)).collect();
            let length = direction.iter().map(|x: &f64| x * x).sum::<f64>().sqrt();
            let radius = 2.0 * far * (features as f64).sqrt();
            for (f, x) in direction.iter().enumerate() {
                planted.values[row * features + f] = x / length * radius;
            }
        }
        let found = planted.suspects(&planted.truth);
        let is_outlier = |row: usize| found.outlier[row] > OUTLIER;
        let hits = rows.iter().filter(|&&row| is_outlier(row)).count();
        let alarms = (0..n).filter(|row| !rows.contains(row) && is_outlier(*row)).count();
        println!("{features} features: {hits} of {} found, {alarms} of {n} false", rows.len());
        assert!(hits * 10 >= rows.len() * 9, "{sizes:?}: {hits} of {}", rows.len());
        assert!(alarms * 200 <= n, "{sizes:?} x {features}: {alarms} false ones");
    }
}

#[test]
fn tight_classes_far_apart_have_near_points_too() {
    let mut planted = Planted::clusters(&[100, 100], 3, 1.0, 9);
    for (row, &class) in planted.values.chunks_exact_mut(3).zip(&planted.truth) {
        row[0] += 1e6 * class as f64;
    }
    // Half of the points of a class are nearer than its median, however small that is compared with the gap.
    let found = planted.suspects(&planted.truth);
    let near = found.outlier.iter().filter(|&&z| z < 0.0).count();
    assert!(near > 50, "{near} of 200");
}

#[test]
fn threads_and_precision_do_not_matter() {
    let mut planted = Planted::clusters(&[150, 90, 60], 7, 5.0, 5);
    let (labels, _) = planted.swapped(0.05);
    planted.values.iter_mut().for_each(|x| *x = f64::from(*x as f32));
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| planted.suspects(&labels))
    };
    let one = with(1);
    for threads in [2, 3, 7] {
        assert!(with(threads) == one, "{threads} threads differ from one");
    }
    let single: Vec<f32> = planted.values.iter().map(|&x| x as f32).collect();
    let points = Points::new(single, planted.features).unwrap();
    let classes = Classes::new(points, &Labels::encode(&labels)).unwrap();
    assert!(suspects(&classes, Control::none()).unwrap() == one);
}

#[test]
fn scale_and_offset_do_not_matter() {
    let mut planted = Planted::clusters(&[80, 70], 3, 5.0, 6);
    let (labels, _) = planted.swapped(0.05);
    let plain = planted.suspects(&labels);
    let values = planted.values.clone();
    for (scale, offset) in [(2.0_f64.powi(-400), 0.0), (2.0_f64.powi(400), 0.0), (1.0, 1e5)] {
        planted.values = values.iter().map(|x| x * scale + offset).collect();
        let moved = planted.suspects(&labels);
        let close =
            |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5 * b.abs().max(1.0));
        assert!(close(&moved.mislabelled, &plain.mislabelled), "{scale:e} {offset}");
        assert!(close(&moved.outlier, &plain.outlier), "{scale:e} {offset}");
    }
}

#[test]
fn rows_are_those_of_the_input() {
    // Noise at the front and in the middle, and a class of one point.
    let mut planted = Planted::clusters(&[40, 40], 2, 9.0, 7);
    let mut names: Vec<String> = planted.truth.iter().map(|class| format!("class {class}")).collect();
    names[0] = "noise".to_owned();
    names[33] = "noise".to_owned();
    names[50] = "alone".to_owned();
    let liar = (60..).find(|&row| planted.truth[row] == 0).unwrap();
    names[liar] = "class 1".to_owned();
    planted.values[101] += 0.01;
    let points = Points::new(&planted.values, 2).unwrap();
    let labels = Labels::encode(&names);
    let classes = Classes::with(points.clone(), &labels, Some("noise"), Singletons::Drop).unwrap();
    let found = suspects(&classes, Control::none()).unwrap();
    assert_eq!(found.mislabelled.len(), 80);
    for row in [0, 33, 50] {
        assert_eq!((found.mislabelled[row], found.suggested[row], found.outlier[row]), (0.0, LEFT_OUT, 0.0));
    }
    assert!(found.mislabelled[liar] > 0.9 && found.suggested[liar] == 0);
    // A class of one point that is kept: its label is not suspected.
    let classes = Classes::with(points, &labels, Some("noise"), Singletons::Keep).unwrap();
    let found = suspects(&classes, Control::none()).unwrap();
    assert_finite(&found);
    assert_eq!((found.mislabelled[50], classes.names()[found.suggested[50]].as_str()), (0.0, "alone"));
    assert!(found.mislabelled[liar] > 0.9);
}

#[test]
fn data_that_says_nothing_has_stated_values() {
    let nothing = |values: Vec<f64>, features: usize, labels: &[usize]| {
        let classes = Classes::new(Points::new(values, features).unwrap(), &Labels::encode(labels)).unwrap();
        let found = suspects(&classes, Control::none()).unwrap();
        assert_finite(&found);
        found
    };
    let halves: Vec<usize> = (0..120).map(|row| row % 2).collect();
    // All points coincide: every label is wrong with the same small probability, and nothing is far away.
    let found = nothing(vec![3.0; 240], 2, &halves);
    assert!(found.mislabelled.iter().all(|&p| p < 0.2), "{:?}", found.mislabelled);
    assert!(found.outlier.iter().all(|&z| z == 0.0), "{:?}", found.outlier);
    // Two classes, each at a single place.
    let places: Vec<f64> = halves.iter().map(|&class| class as f64).collect();
    let found = nothing(places, 1, &halves);
    assert!(found.mislabelled.iter().all(|&p| p < 0.01), "{:?}", found.mislabelled);
    assert!(found.outlier.iter().all(|&z| z <= OUTLIER));
    // A constant feature changes nothing.
    let mut planted = Planted::clusters(&[50, 60], 2, 6.0, 8);
    let (labels, _) = planted.swapped(0.05);
    let plain = planted.suspects(&labels);
    planted.values = planted.values.chunks_exact(2).flat_map(|row| [row[0], 7.0, row[1]]).collect();
    planted.features = 3;
    let with = planted.suspects(&labels);
    assert!(plain.mislabelled.iter().zip(&with.mislabelled).all(|(a, b)| (a - b).abs() < 1e-6));
    // As few points as possible, a point far beyond all others, and numbers with few different values.
    nothing(vec![0.0, 1.0, 2.0], 1, &[0, 0, 1]);
    nothing((0..60).map(|row| if row == 7 { 1e30 } else { f64::from(row) }).collect(), 1, &halves[..60]);
    nothing((0..400).map(|row| f64::from(row * row % 3)).collect(), 4, &halves[..100]);
}

#[test]
fn wide_data_and_many_classes_are_within_reach() {
    // More features than points; the clusters are 6 deviations apart in 30 of the features.
    let mut planted = Planted::clusters(&[40, 40, 40], 30, 12.0, 9);
    let values: Vec<f64> = planted
        .values
        .chunks_exact(30)
        .flat_map(|row| row.iter().copied().chain(vec![0.0; 570]).collect::<Vec<f64>>())
        .collect();
    planted.values = values;
    for x in &mut planted.values {
        let noise: f64 = StandardNormal.sample(&mut planted.rng);
        *x += 0.3 * noise;
    }
    planted.features = 600;
    let (labels, wrong) = planted.swapped(0.05);
    let precision = average_precision(&planted.suspects(&labels).mislabelled, &wrong);
    assert!(precision >= AVERAGE_PRECISION, "{precision}");
    // More classes than are considered at a point.
    let mut planted = Planted::clusters(&[8; 300], 12, 8.0, 10);
    let (labels, wrong) = planted.swapped(0.03);
    let precision = average_precision(&planted.suspects(&labels).mislabelled, &wrong);
    assert!(precision >= AVERAGE_PRECISION, "{precision}");
}

#[test]
fn it_can_be_stopped_and_tells_how_far_it_is() {
    let planted = Planted::clusters(&[200, 200], 2, 6.0, 11);
    let points = Points::new(&planted.values, 2).unwrap();
    let classes = Classes::new(points, &Labels::encode(&planted.truth)).unwrap();
    let stop = Stop::new();
    let steps = std::sync::Mutex::new(Vec::new());
    let listen = |step: clmatch::Step<'_>| {
        steps.lock().unwrap().push((step.what.to_owned(), step.done, step.of));
        if step.what == "neighbours" {
            stop.raise();
        }
    };
    let control = Control::new(&stop).with_progress(&listen);
    assert_eq!(suspects(&classes, control), Err(DataError::Stopped));
    let heard = steps.lock().unwrap();
    assert!(!heard.is_empty() && heard.iter().all(|(what, _, of)| what == "neighbours" && *of == 7));
}
