//! Repairing a dataset: which features, or which weights on features, make its labels true.
//!
//! The paper tries 1,000 random subsets and reads the data for each of them. Here the data are read once: under weights w >= 0 on
//! squared differences, everything that `ch_a`, `ch_c` and `db_c` need of a pair S of classes is linear in w, except
//! `s2^2 = w' K_S w`, where `K_S` is the covariance of the squared deviations from the centroid of the pair.
//!
//! ```
//! use clmatch::improve::{Options, improve};
//! use clmatch::{Classes, Control, Labels, Points};
//!
//! // The first feature tells the classes apart, the others are noise.
//! let noise = |seed: usize| (seed * 7919 % 1013) as f64 / 100.0;
//! let row = |at: usize| [if at % 2 == 0 { 0.0 } else { 8.0 } + noise(at) / 3.0, noise(at + 17), noise(3 * at + 5)];
//! let values: Vec<f64> = (0..80).flat_map(row).collect();
//! let classes = Classes::new(Points::new(values, 3)?, &Labels::encode((0..80).map(|at| at % 2)))?;
//!
//! let improvement = improve(&classes, &Options { min_features: 1, ..Options::default() }, Control::none())?;
//! assert_eq!(improvement.kept[0].feature, 0);
//! let held_out = improvement.held_out.unwrap();
//! assert!(held_out.after > held_out.before);
//! # Ok::<(), clmatch::DataError>(())
//! ```
//!
//! Features that are scored on the points that they were chosen on look better than they are. [`improve()`] therefore chooses on
//! one half of each class, scores the other half too, and repeats the search under shuffled labels; [`search()`] chooses on all
//! points and leaves the judgement to the caller.
//!
//! The parts: the points centred by class, the moments with and without tables of `K_S`, the formulas with their slopes, four
//! search methods, and the validation on points that had no part in the choice.

mod centred_points;
mod greedy;
mod matrix_free;
mod model;
mod nonneg_qp;
mod objective;
mod options;
mod part;
mod path;
mod random;
mod search;
mod search_problem;
mod tables;
#[cfg(test)]
mod tests;
mod validation;
mod weights;

use std::time::Instant;

use clmatch_kernels::Control;

pub use self::model::Shrinkage;
pub use self::options::{Method, Objective, Options, Split};
pub use self::part::reweight;
pub use self::random::Draws;
pub use self::search::Selection;
pub use self::validation::{Change, LEVEL, Null};

use self::part::{ValidationHalves, gather};
use self::search::{Effort, PreparedModel, run, score};
use self::search_problem::SearchClock;
use crate::classes::Classes;
use crate::error::DataError;

/// The share of the budget that the search may take; its null gets the rest.
const SEARCH_SHARE: u32 = 2;
/// The share of the budget that the path may take.
const PATH_SHARE: u32 = 8;

/// A feature that is kept.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct KeptFeature {
    /// Its index among the features of the input.
    pub feature: usize,
    /// Its weight; the largest one is 1.
    pub weight: f64,
    /// How much the objective loses without it, on the points that the choice was made on. If the objective does not follow from
    /// moments, the first formula of the search is used instead.
    pub contribution: f64,
}

/// A subset of the greedy path.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct PathPoint {
    /// How many features it has.
    pub features: usize,
    /// Its score on the points that the choice was made on.
    pub chosen: f64,
    /// Its score on the held-out points.
    pub held_out: Option<f64>,
}

/// An improved dataset, and what the improvement is worth.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Improvement {
    /// The weights, and how they were found.
    pub selection: Selection,
    /// The kept features, in descending order of contribution.
    pub kept: Vec<KeptFeature>,
    /// The scores on all points.
    pub all: Change,
    /// The scores on the points that the choice was made on.
    pub chosen: Change,
    /// The scores on the held-out points, if any.
    pub held_out: Option<Change>,
    /// The same search under shuffled labels, if points were held out.
    pub null: Option<Null>,
    /// Classes that had too few points to be split, and did not take part in the choice.
    pub unsplit: Vec<usize>,
    /// The scores for growing numbers of features, along a greedy path.
    pub path: Vec<PathPoint>,
}

/// Searches for features on all points.
///
/// # Errors
/// A class with a single point.
pub fn search(
    classes: &Classes<'_>,
    options: &Options,
    control: Control<'_>,
) -> Result<Selection, DataError> {
    let clock = SearchClock { deadline: options.budget.map(|budget| Instant::now() + budget), control };
    let prepared = PreparedModel::new(classes, options, Effort::Full)?;
    run(classes, &prepared, options, clock, Effort::Full)
}

/// Searches for features on one half of the points, and judges them on both.
///
/// ```
/// use clmatch::improve::{Options, improve};
/// use clmatch::{Classes, Control, Labels, Points};
///
/// // The second feature has nothing to do with the labels.
/// let row = |at: usize| [(at % 2 * 5) as f64 + (at * 7 % 11) as f64 / 5.0, (at * 31 % 97) as f64];
/// let values: Vec<f64> = (0..60).flat_map(row).collect();
/// let classes = Classes::new(Points::new(values, 2)?, &Labels::encode((0..60).map(|at| at % 2)))?;
///
/// let options = Options { min_features: 1, ..Options::default() };
/// let improvement = improve(&classes, &options, Control::none())?;
/// assert_eq!(improvement.kept[0].feature, 0, "it contributes most");
/// assert!(improvement.all.after > improvement.all.before);
/// # Ok::<(), clmatch::DataError>(())
/// ```
///
/// The search stops with the best result so far when half of the budget is spent, or when `control` stops it. The results within
/// the budget do not depend on the number of threads.
///
/// # Errors
/// A class with a single point.
pub fn improve(
    classes: &Classes<'_>,
    options: &Options,
    control: Control<'_>,
) -> Result<Improvement, DataError> {
    let start = Instant::now();
    let clock = SearchClock { deadline: options.budget.map(|budget| start + budget), control };
    crate::evaluate::checked_plan(classes, &[options.objective.measure()])?;
    let everything = vec![1.0; classes.points().n_features()];
    let halves = match options.split {
        Split::Half => ValidationHalves::new(classes, options.seed),
        Split::None => None,
    };
    let part = |rows: &[Vec<usize>]| gather(classes, rows, &everything);
    let chosen = halves.as_ref().map(|halves| part(&halves.chosen)).transpose()?;
    let held_out = halves.as_ref().map(|halves| part(&halves.held_out)).transpose()?;
    let chosen = chosen.as_ref().unwrap_or(classes);
    let prepared = PreparedModel::new(chosen, options, Effort::Full)?;
    let spent = clock.within(options.budget.map(|budget| budget / SEARCH_SHARE));
    let selection = run(chosen, &prepared, options, spent, Effort::Full)?;
    let weights = &selection.weights;
    let held_change = held_out.as_ref().map(|part| Change::of(part, weights, options)).transpose()?;
    let in_time = clock.within(options.budget.map(|budget| budget / PATH_SHARE));
    let path = path_points(chosen, held_out.as_ref(), &prepared, options, in_time)?;
    let null = match (&halves, &held_change) {
        (Some(halves), Some(change)) => {
            Some(validation::null(classes, halves, change.gain(), options, clock)?)
        }
        _ => None,
    };
    Ok(Improvement {
        kept: contributions(&prepared, &selection, options),
        all: Change::of(classes, weights, options)?,
        chosen: Change::of(chosen, weights, options)?,
        held_out: held_change,
        null,
        unsplit: halves.map(|halves| halves.left_out).unwrap_or_default(),
        path,
        selection,
    })
}

/// How much the objective loses without each of the kept features.
fn contributions(prepared: &PreparedModel, selection: &Selection, options: &Options) -> Vec<KeptFeature> {
    let model = &prepared.model;
    let formula = options.objective.formulas()[0];
    let weights = prepared.restrict(&selection.weights);
    let curvature = model.curvature(&weights);
    let standing = model.standing(&weights, &curvature);
    let value = model.score(formula, &standing);
    let without = model.scan(formula, &standing, &curvature, |f| -weights[f]);
    let mut kept: Vec<KeptFeature> = (0..weights.len())
        .filter(|&f| weights[f] > 0.0)
        .map(|f| KeptFeature {
            feature: prepared.columns[f],
            weight: weights[f],
            contribution: value - without[f],
        })
        .collect();
    kept.sort_by(|a, b| b.contribution.total_cmp(&a.contribution).then(a.feature.cmp(&b.feature)));
    kept
}

fn path_points(
    chosen: &Classes<'_>,
    held_out: Option<&Classes<'static>>,
    prepared: &PreparedModel,
    options: &Options,
    clock: SearchClock<'_>,
) -> Result<Vec<PathPoint>, DataError> {
    let problem = prepared.problem(options.objective.formulas()[0], options, clock, Effort::Full);
    let sizes = path::sizes(prepared.model.features(), path::POINTS);
    let mut points = Vec::new();
    for weights in path::forward(&problem, &sizes) {
        if !points.is_empty() && clock.expired() {
            break;
        }
        let features = search_problem::kept(&weights);
        let weights = prepared.expand(&weights);
        let of = |part: &Classes<'_>| score(part, &weights, options.objective);
        points.push(PathPoint { features, chosen: of(chosen)?, held_out: held_out.map(of).transpose()? });
    }
    Ok(points)
}
