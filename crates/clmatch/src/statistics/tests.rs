use super::*;
use crate::{Labels, Points};

fn three_classes(plan: Plan) -> Statistics {
    let points = Points::new(&[0.0, 0.1, 5.0, 5.3, 9.0, 9.7], 1).unwrap();
    let classes = Classes::new(points, &Labels::encode([0, 0, 1, 1, 2, 2])).unwrap();
    Statistics::compute(&classes, plan, Control::none()).unwrap()
}

#[test]
fn pairs_have_places_in_order() {
    let classes = 5;
    let pairs = (0..classes).flat_map(|i| (i + 1..classes).map(move |j| (i, j)));
    assert!(pairs.enumerate().all(|(place, (i, j))| pair_index(classes, i, j) == place));
}

#[test]
#[should_panic(expected = "are no pair")]
fn a_class_is_no_pair_with_itself() {
    three_classes(Plan::pairs(Needs::MOMENTS)).pair(1, 1);
}

#[test]
#[should_panic(expected = "are no pair")]
fn pairs_are_given_in_order() {
    three_classes(Plan::pairs(Needs::MOMENTS)).pair(2, 0);
}

#[test]
#[should_panic(expected = "radii")]
fn statistics_that_were_not_computed_are_not_offered() {
    three_classes(Plan::pairs(Needs::MOMENTS)).pair(0, 1).s1();
}

#[test]
#[should_panic(expected = "eta")]
fn statistics_that_were_not_declared_are_not_offered() {
    let statistics = three_classes(Plan::pairs(Needs::ETA.union(Needs::ROOTS)));
    assert!(statistics.pair(0, 1).eta() > 0.0);
    statistics.pair_with(0, 1, Needs::ROOTS).eta();
}

#[test]
#[should_panic(expected = "not in the plan")]
fn no_view_has_more_than_the_plan() {
    three_classes(Plan::whole(Needs::ROOTS)).whole_with(Needs::SUMS);
}

#[test]
#[should_panic(expected = "two classes")]
fn three_classes_are_no_two() {
    three_classes(Plan::whole(Needs::MOMENTS)).whole().two_classes();
}

/// Statistics of points on a line, in a unit of length.
fn on_a_line(values: &[f64], labels: &[u32], unit: f64, plan: Plan) -> Statistics {
    let points = Points::new(values, 1).unwrap().with_unit(unit).unwrap();
    let classes = Classes::new(points, &Labels::encode(labels)).unwrap();
    Statistics::compute(&classes, plan, Control::none()).unwrap()
}

#[test]
fn a_sample_stands_for_all_points() {
    let plan = Plan::pairs(Needs::SUMS.union(Needs::NEAREST).union(Needs::EXTREMES).union(Needs::MEDIAN));
    let all =
        on_a_line(&[0.0, 0.1, 0.2, 5.0, 5.3, 9.0, 9.7, 9.8, 9.9], &[0, 0, 0, 1, 1, 2, 2, 2, 2], 1.0, plan);
    let sample = on_a_line(&[0.0, 0.1, 5.0, 5.3, 9.0, 9.7], &[0, 0, 1, 1, 2, 2], 4.0, plan);
    let base = Arc::try_unwrap(all.base).unwrap_or_else(|_| panic!("nobody else has it"));
    let length = sample.base.unit / base.unit;
    assert!((length - 1.0).abs() > 0.1, "{length}");
    let before = sample.distances.clone();
    let medians: Vec<f64> = sample.base.pairs.iter().map(|pair| pair.median.unwrap()).collect();
    let after = sample.stand_for(base);
    // Of classes of 3, 2 and 4 points, two points each were seen; a point does not count as another point of its own class.
    let factors = [[2.0, 1.0, 2.0], [1.5, 1.0, 2.0], [1.5, 1.0, 3.0]];
    let near = |found: f64, expected: f64| {
        assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{found} {expected}");
    };
    let mut totals = [[0.0; 3]; 3];
    for point in 0..6 {
        for to in 0..3 {
            let expected = before.sums[point * 3 + to] * length * factors[point / 2][to];
            near(after.distances.sums[point * 3 + to], expected);
            totals[point / 2][to] += expected;
        }
    }
    for (class, size) in [3.0, 2.0, 4.0].into_iter().enumerate() {
        (0..3).for_each(|to| near(after.total(class, to), totals[class][to] * size / 2.0));
    }
    let scaled = |found: &[f64], before: &[f64]| {
        let finite = found.iter().zip(before).filter(|(_, before)| before.is_finite());
        finite.for_each(|(&found, &before)| near(found, before * length * length));
    };
    scaled(&after.distances.nearest, &before.nearest);
    scaled(&after.distances.separation, &before.separation);
    scaled(&after.distances.diameter, &before.diameter);
    for (pair, median) in after.base.pairs.iter().zip(medians) {
        near(pair.median.unwrap(), median * length);
    }
}

#[test]
fn totals_between_classes_are_symmetric() {
    let mut statistics = three_classes(Plan::pairs(Needs::SUMS));
    let before: Vec<f64> = statistics.totals.clone();
    statistics.set_total(1, 2, 77.0);
    let expected: Vec<f64> =
        before.iter().enumerate().map(|(at, &total)| if at == 5 || at == 7 { 77.0 } else { total }).collect();
    assert_eq!(statistics.totals, expected);
    assert_eq!((statistics.total(1, 2), statistics.total(2, 1)), (77.0, 77.0));
}

#[test]
fn a_sample_stands_for_all_points_as_one_set() {
    let plan = Plan::whole(Needs::SUMS.union(Needs::MEDIAN));
    let all = on_a_line(&[0.0, 0.1, 0.2, 5.0, 7.0, 7.5, 9.5], &[0, 0, 0, 1, 2, 2, 2], 1.0, plan);
    // Without the largest value, lengths are in another unit.
    let sample = on_a_line(&[0.0, 0.1, 5.0, 7.0, 7.5], &[0, 0, 1, 2, 2], 1.0, plan);
    assert_ne!(sample.base.unit, all.base.unit);
    let base = Arc::try_unwrap(all.base).unwrap_or_else(|_| panic!("nobody else has it"));
    let after = sample.stand_for(base);
    let unit = after.base.unit;
    let near = |found: f64, expected: f64| {
        assert!((found * unit - expected).abs() <= 1e-6 * expected, "{} {expected}", found * unit);
    };
    // Around the median, which is 5: (5 + 4.9 + 0 + 2 + 2.5)/5.
    near(after.whole().median_radius(), 2.88);
    // Of three points two were seen, 0.1 apart; three points have six ordered pairs.
    near(after.total(0, 0), 6.0 * 0.1);
    // From three points, two of which were seen, to one point, and back.
    near(after.total(0, 1), 1.5 * (5.0 + 4.9));
    near(after.total(1, 0), 1.5 * (5.0 + 4.9));
    // A class of one point has no distances.
    assert_eq!(after.total(1, 1), 0.0);
}

#[test]
fn moments_in_given_coordinates_are_in_the_unit_of_the_points() {
    let points = Points::new(&[0.0, 2.0, 10.0, 12.0, 14.0], 1).unwrap().with_unit(4.0).unwrap();
    let classes = Classes::new(points, &Labels::encode([0, 0, 1, 1, 1])).unwrap();
    let plan = Plan::pairs(Needs::MOMENTS);
    let origin = crate::kernels::stream::Origin::exact(&classes);
    let base = BaseStatistics::of_moments(&classes, plan, &origin, &KnownOfSets::default(), Control::none())
        .unwrap();
    let statistics = Statistics::with_totals(Arc::new(base), Vec::new());
    let pair = statistics.pair(0, 1);
    // The centroids are 1 and 12.
    assert!((pair.gap(0, 1).sqrt() * pair.unit() - 11.0 / 4.0).abs() < 1e-12, "{}", pair.unit());
}
