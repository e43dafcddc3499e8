//! Compares the search with its definitions: every score with `evaluate` on the data, every optimum with other candidates.

use super::centred_points::CentredPoints;
use super::model::{Model, Shrinkage};
use super::objective::MomentFormula;
use super::part::reweighted;
use super::search::PreparedModel;
use super::search_problem::{SearchClock, SearchProblem, kept};
use super::*;
use crate::kernels::random::SplitMix;
use crate::{Labels, Points, Stop, evaluate};

/// Allows for sums in another order than those of `evaluate`.
const ROUNDING: f64 = 1e-9;
const FORMULAS: [(MomentFormula, Objective); 3] = [
    (MomentFormula::ChA, Objective::ChA),
    (MomentFormula::ChC, Objective::ChC),
    (MomentFormula::DbC, Objective::DbC),
];

struct Numbers(SplitMix);

impl Numbers {
    fn new(seed: u64) -> Self {
        Numbers(SplitMix::new(seed))
    }

    /// Between 0 and 1.
    fn uniform(&mut self) -> f64 {
        self.0.below(1 << 30) as f64 / (1 << 30) as f64
    }

    /// Nearly normal: skewed, so that third moments matter.
    fn bell(&mut self) -> f64 {
        let sum: f64 = (0..4).map(|_| self.uniform()).sum::<f64>() - 2.0;
        sum + 0.3 * sum * sum
    }
}

/// Classes of different sizes: the first features separate them, less and less; the last are noise on other scales.
fn dataset(seed: u64, sizes: &[usize], features: usize, gap: f64) -> Classes<'static> {
    let mut numbers = Numbers::new(seed);
    let mut values = Vec::new();
    let mut labels = Vec::new();
    let centres: Vec<f64> = (0..sizes.len() * features).map(|_| numbers.bell()).collect();
    for (class, &size) in sizes.iter().enumerate() {
        for _ in 0..size {
            labels.push(class);
            let common = numbers.bell();
            for f in 0..features {
                let signal = gap / (1 + f) as f64 * centres[class * features + f];
                let scale = [1.0, 10.0, 0.1][f % 3];
                values.push(scale * (signal + numbers.bell() + 0.5 * common) + 100.0);
            }
        }
    }
    Classes::new(Points::new(values, features).unwrap(), &Labels::encode(labels)).unwrap()
}

fn model(classes: &Classes<'_>, shrinkage: Shrinkage, tables: bool) -> Model {
    Model::with_tables(CentredPoints::new(classes), classes.pairs().collect(), shrinkage, tables)
}

fn cases() -> Vec<Classes<'static>> {
    vec![
        dataset(1, &[30, 45], 7, 2.0),
        dataset(2, &[12, 20, 31], 18, 1.0),
        dataset(3, &[6, 9, 8, 7, 10, 11, 6, 5, 8, 9, 7], 40, 3.0),
        dataset(4, &[200, 150], 3, 0.3),
    ]
}

fn choices(features: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut numbers = Numbers::new(seed);
    let mut choices = vec![vec![1.0; features]];
    choices.extend((0..4).map(|_| (0..features).map(|_| f64::from(numbers.uniform() < 0.5)).collect()));
    choices.extend((0..4).map(|_| {
        (0..features).map(|_| if numbers.uniform() < 0.3 { 0.0 } else { numbers.uniform() }).collect()
    }));
    choices.retain(|w: &Vec<f64>| kept(w) > 0);
    choices
}

fn problem(model: &Model, formula: MomentFormula) -> SearchProblem<'_> {
    let clock = SearchClock { deadline: None, control: Control::none() };
    SearchProblem { model, formula, penalty: 0.0, min_features: 1, work: usize::MAX, clock }
}

#[test]
fn scores_from_moments_are_those_of_the_data() {
    for (at, classes) in cases().iter().enumerate() {
        for tables in [true, false] {
            let model = model(classes, Shrinkage::None, tables);
            for weights in choices(model.features(), at as u64) {
                let part = reweighted(classes, &weights).unwrap();
                for (formula, objective) in FORMULAS {
                    let direct = evaluate(&part, &[objective.measure()]).unwrap();
                    let direct = direct.value(objective.id()).unwrap();
                    let found = model.score_of(formula, &weights);
                    assert!((found - direct).abs() < ROUNDING, "{at} {tables} {formula:?}: {found} {direct}");
                }
            }
        }
    }
}

#[test]
fn many_subsets_at_once_score_as_one_by_one() {
    for classes in cases() {
        for (tables, shrinkage) in
            [(true, Shrinkage::Auto), (false, Shrinkage::Auto), (false, Shrinkage::None)]
        {
            let model = model(&classes, shrinkage, tables);
            let subsets: Vec<Vec<bool>> = Draws::new(model.features(), 1, 3).take(21).collect();
            for (subset, score) in subsets.iter().zip(model.scores(MomentFormula::ChC, &subsets)) {
                let weights: Vec<f64> = subset.iter().map(|&kept| f64::from(u8::from(kept))).collect();
                assert!((score - model.score_of(MomentFormula::ChC, &weights)).abs() < ROUNDING);
            }
        }
    }
}

#[test]
fn both_routes_shrink_alike() {
    for classes in cases() {
        let [with, without] = [true, false].map(|tables| model(&classes, Shrinkage::Fixed(0.3), tables));
        for weights in choices(with.features(), 9) {
            let (a, b) = (with.curvature(&weights), without.curvature(&weights));
            let largest = a.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < ROUNDING * largest));
        }
    }
}

/// Threads share tables from 32,768 numbers on, gaps of pairs from 32,768 and scans from 2048; tables of more than 524,288
/// numbers are bypassed sooner.
#[test]
fn both_routes_agree_on_both_sides_of_every_size() {
    let classes = |sizes: &[usize], features: usize| dataset(5, sizes, features, 1.0);
    let many = [3; 30];
    for classes in [
        classes(&[30, 20], 180),
        classes(&[30, 20], 182),
        classes(&[9, 8], 723),
        classes(&[9, 8], 725),
        classes(&many, 4),
        classes(&many, 5),
        classes(&many, 76),
    ] {
        let [with, without] = [true, false].map(|tables| model(&classes, Shrinkage::Fixed(0.2), tables));
        let features = with.features();
        for w in choices(features, 9).into_iter().step_by(4) {
            let [a, b] = [&with, &without].map(|model| model.curvature(&w));
            let largest = a.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < ROUNDING * largest), "{features}");
            let standing = with.standing(&w, &a);
            let moved = |f: usize| if w[f] > 0.0 { -w[f] } else { 1.0 };
            let scan = with.scan(MomentFormula::ChA, &standing, &a, moved);
            for f in (0..features).step_by(1 + features / 5) {
                let mut other = w.clone();
                other[f] += moved(f);
                let direct = without.score_of(MomentFormula::ChA, &other);
                assert!((scan[f] - direct).abs() < ROUNDING, "{features} {f}: {} {direct}", scan[f]);
            }
        }
    }
}

#[test]
fn gradients_are_those_of_small_changes() {
    const STEP: f64 = 1e-6;
    for classes in cases() {
        let model = model(&classes, Shrinkage::None, true);
        for (formula, _) in FORMULAS {
            let weights: Vec<f64> = (0..model.features()).map(|f| 0.5 + f as f64 * 0.01).collect();
            let curvature = model.curvature(&weights);
            let gradient = model.gradient(formula, &model.standing(&weights, &curvature), &curvature);
            for (f, slope) in gradient.iter().enumerate() {
                let at = |by: f64| {
                    let mut moved = weights.clone();
                    moved[f] += by;
                    model.score_of(formula, &moved)
                };
                let direct = (at(STEP) - at(-STEP)) / (2.0 * STEP);
                assert!((slope - direct).abs() < 1e-7, "{formula:?} {f}: {slope} {direct}");
            }
        }
    }
}

#[test]
fn moves_score_what_they_promise() {
    for classes in cases() {
        for tables in [true, false] {
            let model = model(&classes, Shrinkage::Auto, tables);
            let problem = SearchProblem { penalty: 0.02, ..problem(&model, MomentFormula::ChA) };
            let start: Vec<f64> = (0..model.features()).map(|f| f64::from(u8::from(f % 2 == 0))).collect();
            let mut climb = greedy::Climb::new(&problem, start);
            let moves = climb.moves();
            for (f, promised) in moves.iter().enumerate().filter(|(_, value)| value.is_finite()) {
                climb.flip(&[f]);
                assert!((climb.value - promised).abs() < ROUNDING, "{f}: {} {promised}", climb.value);
                assert!((climb.value - problem.candidate(climb.weights.clone()).value).abs() < ROUNDING);
                climb.flip(&[f]);
            }
        }
    }
}

#[test]
fn greedy_ends_where_no_move_helps_and_near_the_best_subset() {
    for seed in 0..6 {
        let classes = dataset(seed, &[20, 25, 18], 9, 1.5);
        let model = model(&classes, Shrinkage::None, true);
        let problem = problem(&model, MomentFormula::ChA);
        let found = greedy::search(&problem, Vec::new());
        let subsets: Vec<Vec<bool>> =
            (1..512_u32).map(|bits| (0..9).map(|f| bits >> f & 1 == 1).collect()).collect();
        let best = model.scores(MomentFormula::ChA, &subsets).into_iter().fold(0.0, f64::max);
        assert!(found.value > best - 1e-9, "seed {seed}: {} of {best}", found.value);
        let climb = greedy::Climb::new(&problem, found.weights.clone());
        assert!(climb.moves().iter().all(|value| *value <= found.value + 1e-9));
    }
}

#[test]
fn weights_of_two_classes_are_optimal_on_both_routes() {
    for seed in 0..4 {
        let classes = dataset(10 + seed, &[40, 30], 12, 1.0);
        for formula in [MomentFormula::ChA, MomentFormula::ChC] {
            let [with, without] = [true, false].map(|tables| {
                let model = model(&classes, Shrinkage::None, tables);
                weights::search(&problem(&model, formula), &[]).value
            });
            assert!((with - without).abs() < 1e-9, "{with} {without}");
            let model = model(&classes, Shrinkage::None, true);
            let subset = greedy::search(&problem(&model, formula), Vec::new());
            assert!(with >= subset.value);
            let mut numbers = Numbers::new(seed);
            for _ in 0..500 {
                let random: Vec<f64> = (0..12).map(|_| numbers.uniform().powi(3)).collect();
                assert!(model.score_of(formula, &random) <= with + 1e-12);
            }
        }
    }
}

#[test]
fn more_features_than_the_working_set_reach_the_same_optimum() {
    let classes = dataset(77, &[160, 170], 300, 4.0);
    let values = [true, false].map(|tables| {
        let model = model(&classes, Shrinkage::Fixed(0.2), tables);
        weights::search(&problem(&model, MomentFormula::ChA), &[]).value
    });
    assert!((values[0] - values[1]).abs() < 1e-7, "{values:?}");
}

#[test]
fn weights_of_more_classes_end_above_subsets_and_at_a_flat_place() {
    for (formula, _) in FORMULAS {
        let classes = dataset(21, &[30, 25, 40, 35], 8, 1.0);
        let model = model(&classes, Shrinkage::None, true);
        let problem = problem(&model, formula);
        let subset = greedy::search(&problem, Vec::new());
        let found = weights::search(&problem, std::slice::from_ref(&subset.weights));
        assert!(found.value >= subset.value, "{formula:?}");
        let mut numbers = Numbers::new(4);
        for _ in 0..300 {
            let near: Vec<f64> =
                found.weights.iter().map(|w| w * (0.98 + 0.04 * numbers.uniform())).collect();
            assert!(model.score_of(formula, &near) <= found.value + 1e-7, "{formula:?}");
        }
    }
}

#[test]
fn every_method_keeps_enough_features_and_is_seeded() {
    let classes = dataset(5, &[25, 30, 28], 10, 1.0);
    for (_, method) in Method::ALL {
        for min_features in [1, 4, 10, 99] {
            let options = Options { method, min_features, draws: 50, ..Options::paper() };
            let selection = search(&classes, &options, Control::none()).unwrap();
            assert!(selection.kept() >= min_features.min(10), "{method}");
            assert_eq!(selection, search(&classes, &options, Control::none()).unwrap());
            assert!(selection.weights.iter().copied().fold(0.0, f64::max) == 1.0);
        }
    }
}

#[test]
fn a_penalty_keeps_features_that_change_little() {
    let classes = dataset(6, &[40, 44], 12, 1.0);
    let count = |penalty: f64| {
        let options = Options { method: Method::Greedy, penalty, ..Options::paper() };
        search(&classes, &options, Control::none()).unwrap().kept()
    };
    assert!(count(0.0) < count(0.5), "{} {}", count(0.0), count(0.5));
    assert_eq!(count(10.0), 12);
}

#[test]
fn distance_measures_are_improved_by_evaluating_finalists() {
    let classes = dataset(7, &[40, 30, 35], 9, 1.5);
    for objective in [Objective::Clm, Objective::ScA] {
        let options = Options { objective, draws: 100, ..Options::paper() };
        let found = search(&classes, &options, Control::none()).unwrap();
        let before = score(&classes, &[1.0; 9], objective).unwrap();
        assert!(score(&classes, &found.weights, objective).unwrap() > before, "{objective}");
    }
}

#[test]
fn too_many_features_are_screened_by_their_own_score() {
    let classes = dataset(8, &[15, 15], 200, 5.0);
    let options = Options { draws: 20, ..Options::paper() };
    let prepared = PreparedModel::with_limit(&classes, &options, 70, 1 << 20).unwrap();
    assert_eq!(prepared.columns.len(), 70);
    let single = CentredPoints::new(&classes).single_scores(&[(0, 1)], MomentFormula::ChA);
    let least = prepared.columns.iter().map(|&f| single[f]).fold(f64::INFINITY, f64::min);
    let most = (0..200).filter(|f| !prepared.columns.contains(f)).map(|f| single[f]).fold(0.0, f64::max);
    assert!(least >= most);
    let clock = SearchClock { deadline: None, control: Control::none() };
    let selection = run(&classes, &prepared, &options, clock, Effort::Full).unwrap();
    assert_eq!((selection.weights.len(), selection.screened), (200, 130));
    // Many classes: some pairs represent all of them.
    let many = dataset(9, &[4; 12], 6, 2.0);
    let prepared = PreparedModel::with_limit(&many, &options, 640, 1 << 20).unwrap();
    assert_eq!(prepared.model.pairs.len(), 10);
}

#[test]
fn improvements_are_told_from_chance() {
    let classes = dataset(11, &[60, 70], 6, 3.0);
    let options = Options { budget: None, ..Options::default() };
    let real = improve(&classes, &options, Control::none()).unwrap();
    let held_out = real.held_out.unwrap();
    assert!(held_out.gain() > 0.0 && real.chosen.gain() > 0.0);
    assert!(
        real.null.as_ref().is_some_and(|null| null.significant() && null.held_out.len() == 39),
        "{:?}",
        real.null
    );
    assert_eq!(real.path.len(), 6);
    let whole = score(&classes, &real.selection.weights, Objective::ChA).unwrap();
    assert_eq!(real.all.after, whole);
    // Labels without information.
    let noise = dataset(12, &[60, 70], 6, 0.0);
    let chance = improve(&noise, &options, Control::none()).unwrap();
    assert!(
        chance.null.as_ref().is_some_and(|null| !null.significant() && null.conclusive()),
        "{:?}",
        chance.null
    );
    assert!(
        chance.chosen.gain() > chance.held_out.unwrap().gain(),
        "a choice flatters the points it was made on"
    );
}

#[test]
fn contributions_are_what_is_lost_without_a_feature() {
    let classes = dataset(13, &[30, 30, 40], 5, 2.0);
    let options = Options { method: Method::Greedy, ..Options::paper() };
    let found = improve(&classes, &options, Control::none()).unwrap();
    assert!(found.held_out.is_none() && found.null.is_none());
    assert!(found.kept.len() > 1 && found.kept.is_sorted_by(|a, b| a.contribution >= b.contribution));
    for kept in &found.kept {
        let mut without = found.selection.weights.clone();
        without[kept.feature] = 0.0;
        let lost = found.all.after - score(&classes, &without, Objective::ChA).unwrap();
        assert!((kept.contribution - lost).abs() < ROUNDING);
    }
}

#[test]
fn threads_do_not_change_anything() {
    let classes = dataset(14, &[40, 35, 30, 20], 30, 1.0);
    let options = Options { budget: None, shuffles: 8, ..Options::default() };
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| improve(&classes, &options, Control::none()).unwrap())
    };
    let one = with(1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(5));
}

#[test]
fn a_stopped_search_has_an_answer() {
    let classes = dataset(15, &[40, 35, 30], 30, 1.0);
    let stop = Stop::new();
    stop.raise();
    for (_, method) in Method::ALL {
        for objective in [Objective::ChA, Objective::Clm] {
            let options = Options { method, objective, ..Options::default() };
            let found = improve(&classes, &options, Control::new(&stop)).unwrap();
            assert!(found.selection.stopped && found.selection.kept() >= 2);
            assert!(found.null.is_some_and(|null| null.held_out.is_empty() && !null.conclusive()));
        }
    }
}

#[test]
fn degenerate_features_do_no_harm() {
    // Constant, duplicated and perfectly separating features, and one that is constant within one class.
    let row = |at: usize| {
        let class = (at % 2) as f64;
        let x = (at * 37 % 11) as f64;
        [5.0, x, x, class, class * x]
    };
    for features in [3, 4, 5] {
        let values: Vec<f64> = (0..40).flat_map(|at| row(at)[..features].to_vec()).collect();
        let labels = Labels::encode((0..40).map(|at| at % 2));
        let classes = Classes::new(Points::new(values, features).unwrap(), &labels).unwrap();
        for (_, method) in Method::ALL {
            for objective in Objective::ALL {
                let options = Options {
                    method,
                    objective,
                    draws: 30,
                    shuffles: 2,
                    min_features: 1,
                    ..Options::default()
                };
                let found = improve(&classes, &options, Control::none()).unwrap();
                let fine = |change: &Change| change.after.is_finite() && change.before.is_finite();
                assert!(fine(&found.all) && found.all.gain() >= -0.05, "{method} {objective}");
                if features > 3 && objective == Objective::ChA && method != Method::Random {
                    assert!(found.all.after > 0.999, "{method}: {:?}", found.all);
                }
            }
        }
    }
}
