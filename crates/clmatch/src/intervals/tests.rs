use super::*;
use crate::kernels::random::SplitMix;
use crate::measure::REGISTRY;
use crate::{Labels, Points, evaluate};

/// Normal numbers from sums of uniform ones.
fn normal(random: &mut SplitMix) -> f64 {
    let uniform = |random: &mut SplitMix| (random.next() >> 11) as f64 / (1_u64 << 53) as f64;
    (0..12).map(|_| uniform(random)).sum::<f64>() - 6.0
}

struct Cloud {
    values: Vec<f64>,
    features: usize,
    labels: Labels,
}

impl Cloud {
    /// Classes along a line, `gap` deviations apart.
    fn new(sizes: &[usize], features: usize, gap: f64, seed: u64) -> Cloud {
        let mut random = SplitMix::new(seed);
        let labels: Vec<usize> =
            sizes.iter().enumerate().flat_map(|(class, &size)| vec![class; size]).collect();
        let mut values = Vec::new();
        for &label in &labels {
            values.extend((0..features).map(|_| normal(&mut random)));
            let first = values.len() - features;
            values[first] += gap * label as f64;
        }
        Cloud { values, features, labels: Labels::encode(labels) }
    }

    fn classes(&self) -> Classes<'_> {
        Classes::new(Points::new(&self.values, self.features).unwrap(), &self.labels).unwrap()
    }
}

#[test]
fn shared_statistics_give_the_scores_of_the_replicates_themselves() {
    for (sizes, features, gap) in [
        (&[40, 60][..], 2, 2.0),
        (&[30, 50, 21, 7], 3, 4.0),
        (&[200, 90, 120], 20, 3.0),
        (&[25, 25, 25], 1, 6.0),
    ] {
        let cloud = Cloud::new(sizes, features, gap, 5);
        let classes = cloud.classes();
        let dealt = Dealt::new(&classes, 3, MOST_POINTS).unwrap();
        let fast = together(&classes, REGISTRY, &dealt, Control::none()).unwrap();
        let slow = one_by_one(&classes, REGISTRY, &dealt, Control::none()).unwrap();
        for (replicate, ((kept, fast), (kept_too, slow))) in fast.into_iter().zip(slow).enumerate() {
            assert_eq!(kept, kept_too);
            for ((id, fast), (_, slow)) in fast.scores.into_iter().zip(slow.scores) {
                // Geometric medians are those of all points.
                let tolerance = if id == "di_a" { 2e-3 } else { 1e-9 };
                let error = (fast.value - slow.value).abs() / (1.0 + slow.value.abs());
                assert!(error < tolerance, "{sizes:?} {id} {replicate}: {} {}", fast.value, slow.value);
            }
        }
    }
}

#[test]
fn parts_that_lists_do_not_reach_are_joined_where_all_points_are() {
    // Class 0 has two parts of 60 points each, 100 apart; class 1 lies far from both.
    let mut cloud = Cloud::new(&[120, 50], 2, 500.0, 8);
    for row in 0..60 {
        cloud.values[2 * row] += 100.0;
    }
    let classes = cloud.classes();
    let dealt = Dealt::new(&classes, 3, MOST_POINTS).unwrap();
    let measures = [crate::measure::find("clm").unwrap()];
    let fast = together(&classes, &measures, &dealt, Control::none()).unwrap();
    let slow = one_by_one(&classes, &measures, &dealt, Control::none()).unwrap();
    for ((_, fast), (_, slow)) in fast.iter().zip(&slow) {
        assert!((fast.scores[0].1.value - slow.scores[0].1.value).abs() < 1e-9);
    }
}

#[test]
fn intervals_hold_the_score_and_stay_in_range() {
    let cloud = Cloud::new(&[40, 60, 30], 2, 2.5, 4);
    let classes = cloud.classes();
    let evaluation = evaluate(&classes, REGISTRY).unwrap();
    let all = replicates(&classes, REGISTRY, 1, Control::none()).unwrap();
    for (replicates, measure) in all.iter().zip(REGISTRY) {
        let score = evaluation.value(measure.id).unwrap();
        let interval = replicates.interval(score);
        assert!(interval.low < score && score < interval.high, "{} {interval:?} {score}", measure.id);
        let (low, high) = measure.range;
        assert!(low <= interval.low && interval.high <= high, "{} {interval:?}", measure.id);
        let width = interval.high - interval.low;
        assert!(width < 1.2 * (score.abs() + 0.5), "{} {interval:?} {score}", measure.id);
    }
}

#[test]
fn a_perfect_score_has_an_interval_that_holds_it() {
    let cloud = Cloud::new(&[30, 30], 2, 1e6, 4);
    let classes = cloud.classes();
    let evaluation = evaluate(&classes, REGISTRY).unwrap();
    let all = replicates(&classes, REGISTRY, 1, Control::none()).unwrap();
    for replicates in all.iter().filter(|replicates| replicates.scale != Scale::Log) {
        let score = evaluation.value(replicates.id).unwrap();
        let interval = replicates.interval(score);
        assert!(interval.contains(score) && interval.low > 0.99, "{} {interval:?} {score}", replicates.id);
    }
}

#[test]
fn the_same_rows_in_the_same_coordinates_do_not_differ() {
    let cloud = Cloud::new(&[40, 60], 2, 2.5, 4);
    let shifted =
        Cloud { values: cloud.values.iter().map(|x| 2.0 * x + 1.0).collect(), ..cloud.clone_labels() };
    let measures = crate::measure::defaults();
    let [a, b] =
        [&cloud, &shifted].map(|cloud| replicates(&cloud.classes(), &measures, 7, Control::none()).unwrap());
    for (a, b) in a.iter().zip(&b) {
        let difference = a.difference(0.5, b, 0.5);
        assert!(difference.high - difference.low < 1e-9, "{} {difference:?}", a.id);
        assert!(difference.contains(0.0));
    }
}

impl Cloud {
    fn clone_labels(&self) -> Cloud {
        Cloud { values: Vec::new(), features: self.features, labels: self.labels.clone() }
    }
}

#[test]
fn a_sample_tells_the_spread_of_all_points() {
    let cloud = Cloud::new(&[3000, 2000], 2, 2.0, 6);
    let classes = cloud.classes();
    let measures = [crate::measure::find("ch_a").unwrap(), crate::measure::find("sc_a").unwrap()];
    let error = |most: usize| {
        let dealt = Dealt::new(&classes, 3, most).unwrap();
        let shrink = (dealt.len() as f64 / 5000.0).sqrt();
        let all = together(&classes, &measures, &dealt, Control::none()).unwrap();
        [0, 1].map(|at| {
            let mut scores = [0.0; GROUPS];
            scores.iter_mut().zip(&all).for_each(|(to, (_, evaluation))| *to = evaluation.scores[at].1.value);
            shrink * standard_error(&scores)
        })
    };
    let (whole, sample) = (error(usize::MAX), error(1000));
    for at in 0..2 {
        let ratio = sample[at] / whole[at];
        assert!((0.5..2.0).contains(&ratio), "{ratio}");
    }
}

/// Sums read the data in two tasks from 512 KiB on: below and above, rows of all classes in turn.
#[test]
fn replicates_score_as_copies_of_their_rows_on_both_sides_of_the_second_task() {
    fn check(classes: &Classes<'_>, case: &str) {
        let dealt = Dealt::new(classes, 3, MOST_POINTS).unwrap();
        let fast = together(classes, REGISTRY, &dealt, Control::none()).unwrap();
        for (replicate, (_, fast)) in fast.iter().enumerate().step_by(7) {
            let (places, starts) = dealt.kept(replicate);
            let rows = places.iter().map(|&place| dealt.order[place]).collect();
            let slow = evaluate(&classes.regrouped(rows, starts).copied(), REGISTRY).unwrap();
            for ((id, fast), (_, slow)) in fast.scores.iter().zip(&slow.scores) {
                let tolerance = if *id == "di_a" { 2e-3 } else { 1e-6 };
                let error = (fast.value - slow.value).abs() / (1.0 + slow.value.abs());
                assert!(error < tolerance, "{case}, {id} {replicate}: {} {}", fast.value, slow.value);
            }
        }
    }
    let features = 100;
    for (rows, double) in [(655, true), (656, true), (1310, false), (1311, false)] {
        let cloud = Cloud::new(&[rows], features, 0.0, 5);
        let labels = Labels::encode((0..rows).map(|row| row * row / 3 % 7 % 3));
        let moved = cloud.values.iter().enumerate();
        let class = |at: usize| f64::from(labels.codes()[at / features]);
        let values: Vec<f64> =
            moved.map(|(at, x)| if at % features < 9 { x + class(at) } else { *x }).collect();
        let narrow: Vec<f32> = values.iter().map(|&x| x as f32).collect();
        let points = if double { Points::new(&values, features) } else { Points::new(&narrow, features) };
        check(&Classes::new(points.unwrap(), &labels).unwrap(), &format!("{rows} x {features}"));
    }
}
