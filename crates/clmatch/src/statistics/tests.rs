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
