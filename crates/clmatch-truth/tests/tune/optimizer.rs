//! The optimiser's ask-and-tell interface: seeds, scales, failures, exhausted spaces, shared evaluations.

use std::collections::HashSet;

use clmatch_truth::tune::{
    Budget, Dimension, Optimizer, SearchError, Setting, SettingError, Space, maximize, random,
};

use crate::functions::{branin, branin_space, integer_space, mixed, mixed_space, real};

const BUDGET: Budget = Budget { random: 5, guided: 10 };

#[test]
fn a_seed_fixes_everything() {
    let space = mixed_space();
    let run = |seed| maximize(&space, BUDGET, seed, mixed).unwrap();
    assert_eq!(run(3), run(3));
    assert_ne!(run(3).evaluations[0], run(4).evaluations[0]);
    let baseline = |seed| random::maximize(&space, 20, seed, mixed).unwrap();
    assert_eq!(baseline(3), baseline(3));
    assert_ne!(baseline(3), baseline(4));
}

#[test]
fn the_first_evaluations_fill_every_slice_of_every_dimension() {
    let space = branin_space();
    let mut optimizer = Optimizer::new(&space, 1, 5);
    let points: Vec<Vec<f64>> = (0..5).map(|_| space.to_unit(&optimizer.ask().unwrap()).unwrap()).collect();
    for d in 0..2 {
        let slices: HashSet<usize> = points.iter().map(|point| (point[d] * 5.0) as usize).collect();
        assert_eq!(slices.len(), 5);
    }
}

#[test]
fn logarithmic_scales_find_what_linear_ones_cannot() {
    // A bell over three powers of ten around 1e-4, from 1e-8 to 1.
    let bell = |setting: &Setting| (-(real(setting, "rate").log10() + 4.0).powi(2)).exp();
    for seed in 0..5 {
        let logarithmic = Space::new([("rate", Dimension::log_real(1e-8, 1.0))]).unwrap();
        let found = maximize(&logarithmic, BUDGET, seed, bell).unwrap().best;
        assert!(found.value > 0.99, "{} {}", found.setting, found.value);
    }
    // The maximum over log-scaled integers, too.
    let space = Space::new([("trees", Dimension::log_integer(1, 100_000))]).unwrap();
    let peak = |setting: &Setting| -((setting.integer("trees").unwrap() as f64 / 300.0).ln().powi(2));
    assert!(maximize(&space, BUDGET, 1, peak).unwrap().best.value > -0.01);
}

#[test]
fn a_constant_objective_is_searched_without_complaint() {
    for value in [0.0, 1.0, -1e300] {
        let outcome = maximize(&branin_space(), BUDGET, 1, |_| value).unwrap();
        assert_eq!(outcome.best, outcome.evaluations[0]);
        let distinct: HashSet<&Setting> = outcome.evaluations.iter().map(|seen| &seen.setting).collect();
        assert_eq!(distinct.len(), 15);
    }
}

#[test]
fn failures_are_worse_than_everything_and_stop_nothing() {
    let half = |setting: &Setting| match real(setting, "x") {
        x if x < 0.0 => f64::NAN,
        x if x > 9.0 => f64::NEG_INFINITY,
        x if x > 8.0 => f64::INFINITY,
        _ => branin(setting),
    };
    for seed in 0..5 {
        let outcome = maximize(&branin_space(), Budget::default(), seed, half).unwrap();
        assert_eq!(outcome.evaluations.len(), 30);
        assert!(outcome.best.value.is_finite() && outcome.best.value > -1.5, "{}", outcome.best.value);
    }
    for nothing in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let failed = maximize(&branin_space(), BUDGET, 1, |_| nothing);
        assert_eq!(failed, Err(SearchError::NothingSucceeded { evaluations: 15 }));
    }
    let none = maximize(&branin_space(), Budget { random: 0, guided: 0 }, 1, branin);
    assert_eq!(none, Err(SearchError::NothingSucceeded { evaluations: 0 }));
}

#[test]
fn a_small_space_is_exhausted_without_repetition() {
    let space =
        Space::new([("n", Dimension::integer(1, 5)), ("kind", Dimension::choice(["a", "b", "c", "d"]))])
            .unwrap();
    let mut optimizer = Optimizer::new(&space, 9, 5);
    let mut seen = HashSet::new();
    while let Some(setting) = optimizer.ask() {
        optimizer.tell(&setting, setting.integer("n").unwrap() as f64).unwrap();
        assert!(seen.insert(setting));
    }
    assert_eq!(seen.len(), 20);
    assert_eq!(optimizer.ask(), None);
    assert_eq!(optimizer.best().unwrap().value, 5.0);
    // The space fits in the budget, so it is evaluated in order.
    let outcome = maximize(&space, Budget::default(), 1, |s| s.integer("n").unwrap() as f64).unwrap();
    let in_order: Vec<Setting> = space.all().unwrap().collect();
    assert!(outcome.evaluations.iter().map(|seen| &seen.setting).eq(&in_order));
}

#[test]
fn a_larger_finite_space_is_exhausted_too() {
    // The space is larger than those that are ranked as a whole, and is explored by the random part, whose draws collide.
    let space = Space::new([("a", Dimension::integer(1, 50)), ("b", Dimension::integer(1, 50))]).unwrap();
    let mut optimizer = Optimizer::new(&space, 9, 2500);
    let proposed: HashSet<Setting> = (0..2500).map(|_| optimizer.ask().unwrap()).collect();
    assert_eq!(proposed.len(), 2500);
    assert_eq!(optimizer.ask(), None);
}

#[test]
fn integers_are_not_proposed_twice() {
    let space = integer_space();
    let mut optimizer = Optimizer::new(&space, 2, 5);
    let mut seen = HashSet::new();
    for _ in 0..40 {
        let setting = optimizer.ask().unwrap();
        // A single maximum attracts all proposals.
        let gap = (setting.integer("kmax").unwrap() - 20).abs()
            + (setting.integer("branching").unwrap() - 50).abs();
        optimizer.tell(&setting, -(gap as f64)).unwrap();
        assert!(seen.insert(setting));
    }
    assert!(optimizer.best().unwrap().value >= -1.0);
}

#[test]
fn evaluations_from_elsewhere_replace_the_random_ones_and_are_learnt_from() {
    let space = branin_space();
    let mut first = Optimizer::new(&space, 1, 5);
    for _ in 0..30 {
        let setting = first.ask().unwrap();
        first.tell(&setting, branin(&setting)).unwrap();
    }
    // Another measure of the same clusterings: twice the first one, plus 7.
    let mut second = Optimizer::new(&space, 1, 5);
    for seen in first.evaluations() {
        second.tell(&seen.setting, 2.0 * seen.value + 7.0).unwrap();
    }
    assert_eq!(second.best().unwrap().setting, first.best().unwrap().setting);
    let best_before = second.best().unwrap().value;
    for _ in 0..5 {
        let setting = second.ask().unwrap();
        assert!(first.evaluations().iter().all(|seen| seen.setting != setting));
        second.tell(&setting, 2.0 * branin(&setting) + 7.0).unwrap();
    }
    let guided = &second.evaluations()[30..];
    assert!(guided.iter().any(|seen| seen.value > best_before - 2.0), "the model knows where to look");
}

#[test]
fn settings_of_other_spaces_are_refused_or_adopted() {
    let space = branin_space();
    let mut optimizer = Optimizer::new(&space, 1, 5);
    let foreign = integer_space().get(0).unwrap();
    assert!(matches!(optimizer.tell(&foreign, 1.0), Err(SettingError::Unknown { .. })));
    assert!(optimizer.evaluations().is_empty());
    // The same dimensions in another order.
    let turned = Space::new([("y", Dimension::real(0.0, 20.0)), ("x", Dimension::real(-5.0, 10.0))]).unwrap();
    optimizer.tell(&turned.parse("x=1 y=2").unwrap(), 1.0).unwrap();
    assert_eq!(optimizer.best().unwrap().setting, space.parse("x=1 y=2").unwrap());
    let outside = turned.parse("x=1 y=17").unwrap();
    assert!(matches!(optimizer.tell(&outside, 1.0), Err(SettingError::OutOfRange { .. })));
}

#[test]
fn proposals_that_are_still_out_repel_the_next_ones() {
    let space = branin_space();
    let mut optimizer = Optimizer::new(&space, 1, 5);
    for _ in 0..20 {
        let setting = optimizer.ask().unwrap();
        optimizer.tell(&setting, branin(&setting)).unwrap();
    }
    let out: Vec<Vec<f64>> = (0..4).map(|_| space.to_unit(&optimizer.ask().unwrap()).unwrap()).collect();
    for (i, a) in out.iter().enumerate() {
        for b in &out[..i] {
            assert!((a[0] - b[0]).abs() + (a[1] - b[1]).abs() > 1e-3, "{out:?}");
        }
    }
}

#[test]
fn the_model_is_not_fooled_by_a_lucky_observation() {
    let space = Space::new([("x", Dimension::real(0.0, 1.0))]).unwrap();
    let mut optimizer = Optimizer::new(&space, 1, 5);
    for i in 0..40 {
        let x = f64::from(i) / 39.0;
        let noise = 0.05 * f64::from(i * 17 % 7 - 3);
        let luck = if i == 2 { 1.6 } else { 0.0 };
        let setting = space.setting([("x", x.into())]).unwrap();
        optimizer.tell(&setting, 1.0 - 4.0 * (x - 0.6) * (x - 0.6) + noise + luck).unwrap();
    }
    assert!(real(&optimizer.best().unwrap().setting, "x") < 0.1);
    assert!((real(&optimizer.best_by_model().unwrap().setting, "x") - 0.6).abs() < 0.15);
    assert!(Optimizer::new(&space, 1, 5).best_by_model().is_none());
}
