use super::*;
use crate::kernels::random::SplitMix;
use crate::measure::REGISTRY;
use crate::{Labels, Points, evaluate};

/// A normal number, as a sum of uniform ones.
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
        let groups = Groups::new(&classes, 3).unwrap();
        let fast = together(&classes, REGISTRY, &groups, Control::none()).unwrap();
        let slow = one_by_one(&classes, REGISTRY, &groups, Control::none()).unwrap();
        for (replicate, ((kept, fast), (kept_too, slow))) in fast.into_iter().zip(slow).enumerate() {
            assert_eq!(kept, kept_too);
            for ((id, fast), (_, slow)) in fast.scores.into_iter().zip(slow.scores) {
                // The geometric medians are those of all points.
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
    let groups = Groups::new(&classes, 3).unwrap();
    let measures = [crate::measure::find("clm").unwrap()];
    let fast = together(&classes, &measures, &groups, Control::none()).unwrap();
    let slow = one_by_one(&classes, &measures, &groups, Control::none()).unwrap();
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
fn a_perfect_score_has_an_interval_by_the_rule_of_three() {
    let cloud = Cloud::new(&[30, 30], 2, 1e6, 4);
    let classes = cloud.classes();
    let evaluation = evaluate(&classes, REGISTRY).unwrap();
    let all = replicates(&classes, REGISTRY, 1, Control::none()).unwrap();
    for (replicates, measure) in all.iter().zip(REGISTRY).filter(|(_, measure)| measure.range.1 == 1.0) {
        let score = evaluation.value(replicates.id).unwrap();
        let interval = replicates.interval(score);
        assert!(interval.high > 0.99999 && interval.low <= 60.0 / 63.0 + 1e-6, "{} {interval:?}", measure.id);
        assert!(interval.low > 0.88, "{} {interval:?}", measure.id);
    }
}

/// Rows without a random generator: sums of four numbers of `x <- (1103515245 x + 12345) mod 2^31`, each divided by 2^31; class c
/// lies `gap c` along the first feature.
fn counted_rows(sizes: &[usize], features: usize, gap: f64, start: u64, copies: bool, coarse: bool) -> Cloud {
    let (mut state, mut values, mut labels) = (start, Vec::new(), Vec::new());
    for (class, &size) in sizes.iter().enumerate() {
        for row in 0..size {
            labels.push(class);
            if copies && row % 2 == 1 {
                let last = values.len() - features;
                values.extend_from_within(last..);
                continue;
            }
            for feature in 0..features {
                let mut sum = 0.0;
                for _ in 0..4 {
                    state = (1_103_515_245 * state + 12_345) % (1 << 31);
                    sum += state as f64 / (1_u64 << 31) as f64;
                }
                let shift = if feature == 0 { gap * class as f64 } else { 0.0 };
                let value = (sum - 2.0) * 3.0_f64.sqrt() + shift;
                values.push(if coarse { (2.0 * value + 0.5).floor() } else { value });
            }
        }
    }
    Cloud { values, features, labels: Labels::encode(labels) }
}

/// Compares the spread of the replicates on the scale of the measure, before any adjustment at the ends of the range, and the
/// interval where the method is that of the reference. The expected numbers come from an independent program in plain Python with
/// its own deal, scores and scales.
#[test]
fn spreads_and_intervals_are_those_of_an_independent_program() {
    let apart = counted_rows(&[20, 20], 2, 3.0, 1, false, false);
    let separate = counted_rows(&[12, 12], 2, 12.0, 2, false, false);
    let one_place = counted_rows(&[30, 30], 2, 0.0, 3, false, false);
    let unequal = counted_rows(&[5, 15, 40], 3, 2.0, 4, false, false);
    let copies = counted_rows(&[24, 24], 2, 2.0, 5, true, false);
    let coarse = counted_rows(&[25, 25], 2, 2.0, 6, false, true);
    let known = [
        (&apart, "clm", 40.0, 20.0, 0.137_913, None),
        (&apart, "ch_a", 40.0, 20.0, 0.151_575, Some([0.394_823, 0.996_451])),
        (&apart, "sc_a", 40.0, 20.0, 0.165_130, Some([0.310_004, 0.812_437])),
        (&apart, "db_a", 40.0, 20.0, 0.138_610, Some([0.346_474, 0.981_030])),
        (&apart, "di_a", 40.0, 20.0, 0.369_096, None),
        (&separate, "ch_a", 24.0, 20.0, 0.028_199, Some([0.888_889, 1.0])),
        (&one_place, "ch_a", 60.0, 20.0, 0.164_000, Some([0.0, 0.275_166])),
        (&unequal, "clm", 30.857_1, 8.232_4, 0.070_296, None),
        (&copies, "sc_a", 24.0, 20.0, 0.171_682, Some([0.265_714, 0.793_412])),
        (&coarse, "clm", 50.0, 20.0, 0.176_976, None),
    ];
    for (cloud, id, effective, freedom, spread, interval) in known {
        let classes = cloud.classes();
        let measures = [crate::measure::find(id).unwrap()];
        let score = evaluate(&classes, &measures).unwrap().scores[0].1.value;
        let found = &replicates(&classes, &measures, 0, Control::none()).unwrap()[0];
        assert!((found.sizes.effective - effective).abs() < 1e-4, "{id} {:?}", found.sizes);
        assert!((found.sizes.freedom - freedom).abs() < 1e-4, "{id} {:?}", found.sizes);
        let places = found.scores.map(|replicate| found.scale.place(replicate));
        assert!((standard_error(&places) - spread).abs() < 1e-6, "{id} {}", standard_error(&places));
        if let Some([low, high]) = interval {
            let found = found.interval(score);
            assert!((found.low - low).abs() < 1e-6 && (found.high - high).abs() < 1e-6, "{id} {found:?}");
        }
    }
}

#[test]
fn a_score_that_is_not_known_has_the_whole_range() {
    let cloud = Cloud::new(&[30, 30], 2, 2.0, 4);
    let all = replicates(&cloud.classes(), REGISTRY, 1, Control::none()).unwrap();
    for (replicates, measure) in all.into_iter().zip(REGISTRY) {
        let Interval { low, high } = replicates.interval(f64::NAN);
        assert_eq!((low, high), measure.range);
        let mut unknown = replicates;
        unknown.scores[3] = f64::NAN;
        let Interval { low, high } = unknown.interval(0.5);
        assert_eq!((low, high), measure.range);
    }
}

#[test]
fn datasets_of_the_same_kind_do_not_differ_and_others_do() {
    let measures = crate::measure::defaults();
    let scored = |gap: f64, seed: u64| {
        let cloud = Cloud::new(&[60, 60], 2, gap, seed);
        let classes = cloud.classes();
        let evaluation = evaluate(&classes, &measures).unwrap();
        let all = replicates(&classes, &measures, 1, Control::none()).unwrap();
        all.into_iter().map(|one| (evaluation.value(one.id).unwrap(), one)).collect::<Vec<_>>()
    };
    for gap in [0.0, 2.0, 6.0, 7.0] {
        let reference = [scored(gap, 1), scored(gap, 2)];
        for seed in 3..8 {
            for (at, (score, one)) in scored(gap, seed).iter().enumerate() {
                let others: Vec<(&Replicates, f64)> =
                    reference.iter().map(|scored| (&scored[at].1, scored[at].0)).collect();
                assert!(!one.differs(*score, &others), "{} {gap} {seed}", one.id);
            }
        }
    }
    for (from, to) in [(6.0, 0.0), (0.0, 6.0), (5.0, 1.5)] {
        for ((score, one), (of_other, other)) in scored(from, 1).iter().zip(&scored(to, 2)) {
            assert!(one.differs(*score, &[(other, *of_other)]), "{} {from} {to}", one.id);
        }
    }
}

#[test]
fn quantiles_of_student() {
    // scipy.stats.t.ppf
    for (freedom, expected) in [(20.0, 2.085_963), (8.0, 2.306_004), (5.0, 2.570_582)] {
        assert!((student(Z_95, freedom) - expected).abs() < 0.01, "{freedom}: {}", student(Z_95, freedom));
    }
    assert!((student(Z_ALARM, 20.0) - 3.153_401).abs() < 0.01);
}

#[test]
fn the_same_rows_in_the_same_coordinates_do_not_differ() {
    let cloud = Cloud::new(&[40, 60], 2, 2.5, 4);
    let shifted =
        Cloud { values: cloud.values.iter().map(|x| 2.0 * x + 1.0).collect(), ..cloud.clone_labels() };
    let measures = crate::measure::defaults();
    let groups = Groups::new(&cloud.classes(), 7).unwrap();
    let [a, b] = [&cloud, &shifted]
        .map(|cloud| replicates_of(&cloud.classes(), &measures, &groups, Control::none()).unwrap());
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
        let groups = Groups::of_at_most(&classes, 3, most).unwrap();
        let all = together(&classes, &measures, &groups, Control::none()).unwrap();
        [0, 1].map(|at| {
            let mut scores = [0.0; GROUPS];
            scores.iter_mut().zip(&all).for_each(|(to, (_, evaluation))| *to = evaluation.scores[at].1.value);
            groups.shrink() * standard_error(&scores)
        })
    };
    let (whole, sample) = (error(usize::MAX), error(1000));
    for at in 0..2 {
        let ratio = sample[at] / whole[at];
        assert!((0.5..2.0).contains(&ratio), "{ratio}");
    }
}

/// Sums read the data in two tasks from 512 KiB on: this tests sizes below and above that, with the rows of all classes in turn.
#[test]
fn replicates_score_as_copies_of_their_rows_on_both_sides_of_the_second_task() {
    fn check(classes: &Classes<'_>, case: &str) {
        let groups = Groups::new(classes, 3).unwrap();
        let fast = together(classes, REGISTRY, &groups, Control::none()).unwrap();
        for (replicate, (_, fast)) in fast.iter().enumerate().step_by(7) {
            let (places, starts) = groups.kept(replicate);
            let rows = places.iter().map(|&place| groups.order[place]).collect();
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
