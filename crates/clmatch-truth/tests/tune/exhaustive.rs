//! Every setting of a finite space.

use clmatch_truth::tune::{Dimension, SearchError, Setting, Space, exhaustive};

use crate::functions::{branin, branin_space, integer_space, ripple};

#[test]
fn all_settings_are_evaluated_in_order_on_any_number_of_threads() {
    let space = integer_space();
    let expected = exhaustive::maximize(&space, ripple).unwrap();
    assert_eq!(expected.evaluations.len(), 49 * 91);
    assert_eq!(expected.evaluations[1].setting.to_string(), "kmax=2 branching=11");
    let twin = space.all().unwrap().map(|setting| ripple(&setting)).fold(f64::MIN, f64::max);
    assert_eq!(expected.best.value, twin);
    for threads in [0, 1, 2, 3, 8] {
        assert_eq!(exhaustive::maximize_parallel(&space, threads, ripple).unwrap(), expected);
    }
}

#[test]
fn the_first_of_equals_wins_and_failures_never_do() {
    let space = Space::new([("n", Dimension::integer(1, 6))]).unwrap();
    let values = [f64::NAN, 1.0, 3.0, f64::INFINITY, 3.0, f64::NEG_INFINITY];
    let objective = |setting: &Setting| values[setting.integer("n").unwrap() as usize - 1];
    let outcome = exhaustive::maximize(&space, objective).unwrap();
    assert_eq!(outcome.best.setting.integer("n"), Some(3));
    assert_eq!(outcome.evaluations.len(), 6);
    assert_eq!(exhaustive::maximize_parallel(&space, 3, objective).unwrap().best, outcome.best);
    let failed = exhaustive::maximize(&space, |_| f64::NAN);
    assert_eq!(failed, Err(SearchError::NothingSucceeded { evaluations: 6 }));
}

#[test]
fn spaces_that_are_too_large_are_refused() {
    let infinite = exhaustive::maximize(&branin_space(), branin);
    assert!(matches!(infinite, Err(SearchError::TooManySettings { size: None, .. })));
    let huge = Space::new([("n", Dimension::integer(0, 1 << 30))]).unwrap();
    let refused = exhaustive::maximize_parallel(&huge, 2, |_| 0.0).unwrap_err();
    assert!(refused.to_string().contains("1073741825 settings"), "{refused}");
}
