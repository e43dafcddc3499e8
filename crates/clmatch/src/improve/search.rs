//! From validated classes to weights: screens features if there are too many, then runs the chosen method.

use super::centred_points::CentredPoints;
use super::model::{Model, TABLES};
use super::objective::MomentFormula;
use super::options::{Method, Objective, Options};
use super::part::reweighted;
use super::search_problem::{SearchClock, SearchProblem, WeightCandidate, better};
use super::{greedy, path, random, weights};
use crate::classes::Classes;
use crate::error::DataError;
use crate::evaluate::{checked_plan, evaluate};
use crate::kernels::random::SplitMix;

/// How many numbers a table of features and pairs may hold: 256 MB. Beyond that, features are screened by their own score.
const TABLE: usize = 1 << 25;
/// The smallest number of features that screening leaves; if that is still too many, some pairs of classes represent all of them.
const SCREENED: usize = 64;
/// Multiplications that random starts of `auto` may cost.
const RANDOM_WORK: usize = 1 << 32;
/// The limits of what one climb may cost, in multiplications: a fraction of a second, and several seconds.
const CLIMB: (usize, usize) = (1 << 25, 1 << 33);
/// Between these limits, a climb costs at most as much as scoring 1,000 subsets from the data, n d K each, divided by this.
const CLIMB_SHARE: usize = 8;
/// A reduced search may cost as much as a full one, divided by this.
const REDUCED: usize = 4;
/// Random starts of `auto` in a reduced search.
const FEW: usize = 100;
/// How many finalists of `clm` and `sc_a` are evaluated besides the best of each formula: subsets on the greedy path.
const FINALISTS: usize = 8;

/// How thoroughly to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    Full,
    /// A single start for each method, as for the searches under shuffled labels.
    Reduced,
}

/// Weights that a search ended with.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Selection {
    /// One per feature; features with weight 0 are dropped, and the largest weight is 1.
    pub weights: Vec<f64>,
    /// The method that found them.
    pub method: Method,
    /// Random subsets that were scored.
    pub draws: usize,
    /// Features that were left out by their own score before the search.
    pub screened: usize,
    /// Whether time ran out, or the search was stopped.
    pub stopped: bool,
}

impl Selection {
    /// How many features are kept.
    pub fn kept(&self) -> usize {
        super::search_problem::kept(&self.weights)
    }

    /// Whether all features are kept with the same weight, because nothing better was found.
    pub fn is_everything(&self) -> bool {
        self.weights.iter().all(|&weight| weight == 1.0)
    }

    /// Whether all kept features have the same weight.
    pub fn is_subset(&self) -> bool {
        self.weights.iter().all(|&weight| weight == 0.0 || weight == 1.0)
    }
}

/// A dataset as searches see it: all features, or the screened ones.
pub(crate) struct PreparedModel {
    pub(crate) model: Model,
    /// Which features of the dataset the model has.
    pub(crate) columns: Vec<usize>,
    /// How many features the dataset has.
    pub(crate) features: usize,
}

impl PreparedModel {
    /// Time: O(n d K), and that of [`Model::new`].
    pub(crate) fn new(
        classes: &Classes<'_>,
        options: &Options,
        effort: Effort,
    ) -> Result<PreparedModel, DataError> {
        // Several reduced searches run in parallel, and each makes few moves.
        let room = if effort == Effort::Full { TABLES } else { TABLES / 16 };
        PreparedModel::with_limit(classes, options, TABLE, room)
    }

    /// As [`PreparedModel::new`], with tables of features and pairs of at most `table` numbers, and tables of `K_S` of at most
    /// `room` numbers.
    pub(crate) fn with_limit(
        classes: &Classes<'_>,
        options: &Options,
        table: usize,
        room: usize,
    ) -> Result<PreparedModel, DataError> {
        checked_plan(classes, &[options.objective.measure()])?;
        let points = CentredPoints::new(classes);
        let features = points.features;
        let pairs = sampled(classes.pairs().collect(), table / SCREENED, options.seed);
        let most = (table / pairs.len()).max(options.min_features);
        let columns: Vec<usize> = if features > most {
            let single = points.single_scores(&pairs, options.objective.formulas()[0]);
            let mut order: Vec<usize> = (0..features).collect();
            order.sort_by(|&a, &b| single[b].total_cmp(&single[a]).then(a.cmp(&b)));
            order.truncate(most);
            order.sort_unstable();
            order
        } else {
            (0..features).collect()
        };
        let points = if columns.len() < features { points.columns(&columns) } else { points };
        Ok(PreparedModel { model: Model::new(points, pairs, options.shrinkage, room), columns, features })
    }

    pub(crate) fn problem<'a>(
        &'a self,
        formula: MomentFormula,
        options: &Options,
        clock: SearchClock<'a>,
        effort: Effort,
    ) -> SearchProblem<'a> {
        let min_features = options.min_features.clamp(1, self.model.features());
        let work = self.affordable() / if effort == Effort::Full { 1 } else { REDUCED };
        SearchProblem { model: &self.model, formula, penalty: options.penalty, min_features, work, clock }
    }

    /// How many multiplications one climb may cost.
    fn affordable(&self) -> usize {
        let reading = self.model.points.rows.len().saturating_mul(1000 * self.model.points.classes());
        (reading / CLIMB_SHARE).clamp(CLIMB.0, CLIMB.1)
    }

    /// Weights of the model as weights of the dataset.
    pub(crate) fn expand(&self, weights: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; self.features];
        self.columns.iter().zip(weights).for_each(|(&f, &weight)| all[f] = weight);
        all
    }

    /// Weights of the dataset as weights of the model.
    pub(crate) fn restrict(&self, weights: &[f64]) -> Vec<f64> {
        self.columns.iter().map(|&f| weights[f]).collect()
    }
}

/// A random sample of at most `most` pairs.
fn sampled(mut pairs: Vec<(usize, usize)>, most: usize, seed: u64) -> Vec<(usize, usize)> {
    if pairs.len() > most {
        SplitMix::new(seed).shuffle(&mut pairs);
        pairs.truncate(most);
        pairs.sort_unstable();
    }
    pairs
}

/// Searches on all points of the classes.
pub(crate) fn run(
    classes: &Classes<'_>,
    prepared: &PreparedModel,
    options: &Options,
    clock: SearchClock<'_>,
    effort: Effort,
) -> Result<Selection, DataError> {
    let formulas = options.objective.formulas();
    let mut finalists = Vec::new();
    let mut draws = 0;
    for (at, &formula) in formulas.iter().enumerate() {
        let share = clock.left().map(|left| left / (formulas.len() - at) as u32);
        let problem = prepared.problem(formula, options, clock.within(share), effort);
        let found = method(&problem, options, effort);
        draws += found.draws;
        finalists.push((found.candidate, found.method));
    }
    if !options.objective.from_moments() && effort == Effort::Full {
        let problem = prepared.problem(formulas[0], options, clock, effort);
        let sizes = path::sizes(prepared.model.features(), FINALISTS);
        let nested = path::forward(&problem, &sizes).into_iter();
        let enough = nested.filter(|weights| super::search_problem::kept(weights) >= problem.min_features);
        finalists.extend(enough.map(|weights| (problem.candidate(weights), Method::Greedy)));
        finalists.push((problem.candidate(problem.everything()), Method::Greedy));
    }
    let (weights, method) = winner(classes, prepared, options, clock, finalists)?;
    let screened = prepared.features - prepared.columns.len();
    Ok(Selection { weights, method, draws, screened, stopped: clock.expired() })
}

/// The best finalist: by its value, or by evaluating the objective if it does not follow from moments.
fn winner(
    classes: &Classes<'_>,
    prepared: &PreparedModel,
    options: &Options,
    clock: SearchClock<'_>,
    finalists: Vec<(WeightCandidate, Method)>,
) -> Result<(Vec<f64>, Method), DataError> {
    let mut best: Option<(f64, Vec<f64>, Method)> = None;
    for (at, (candidate, method)) in finalists.into_iter().enumerate() {
        if at > 0 && !options.objective.from_moments() && clock.expired() {
            break;
        }
        let weights = prepared.expand(&candidate.weights);
        let value = if options.objective.from_moments() {
            candidate.value
        } else {
            let kept = candidate.kept() as f64 / prepared.model.features() as f64;
            score(classes, &weights, options.objective)? - options.penalty * (1.0 - kept)
        };
        if best.as_ref().is_none_or(|(known, ..)| value > *known) {
            best = Some((value, weights, method));
        }
    }
    best.map(|(_, weights, method)| (weights, method)).ok_or(DataError::NoFeatures)
}

/// The objective on the data with these weights.
pub(crate) fn score(classes: &Classes<'_>, weights: &[f64], objective: Objective) -> Result<f64, DataError> {
    let part = reweighted(classes, weights)?;
    let evaluation = evaluate(&part, &[objective.measure()])?;
    Ok(evaluation.value(objective.id()).unwrap_or(f64::NAN))
}

struct SearchOutcome {
    candidate: WeightCandidate,
    method: Method,
    draws: usize,
}

fn method(problem: &SearchProblem<'_>, options: &Options, effort: Effort) -> SearchOutcome {
    match options.method {
        Method::Random => {
            let draws =
                if effort == Effort::Full { options.draws.max(1) } else { options.draws.clamp(1, FEW) };
            let (candidate, draws) = random_best(problem, draws, options.seed);
            SearchOutcome { candidate, method: Method::Random, draws }
        }
        Method::Greedy => {
            let starts = match effort {
                Effort::Full => {
                    let some =
                        random::Draws::new(problem.model.features(), problem.min_features, options.seed);
                    let weight =
                        |subset: Vec<bool>| subset.iter().map(|&kept| f64::from(u8::from(kept))).collect();
                    some.take(2).map(weight).collect()
                }
                Effort::Reduced => Vec::new(),
            };
            SearchOutcome { candidate: climbed(problem, starts, effort), method: Method::Greedy, draws: 0 }
        }
        Method::Weights => {
            let candidate = weights::search(problem, &[]);
            SearchOutcome { candidate, method: Method::Weights, draws: 0 }
        }
        Method::Auto => auto(problem, options, effort),
    }
}

fn climbed(problem: &SearchProblem<'_>, starts: Vec<Vec<f64>>, effort: Effort) -> WeightCandidate {
    match effort {
        Effort::Full => greedy::search(problem, starts),
        Effort::Reduced => greedy::climb(problem, problem.everything()),
    }
}

fn random_best(problem: &SearchProblem<'_>, draws: usize, seed: u64) -> (WeightCandidate, usize) {
    random::search(problem, draws, seed).unwrap_or_else(|| (problem.candidate(problem.everything()), 0))
}

/// Scores random subsets as far as they are cheap, starts a greedy search from the best of them, and finds weights from the best
/// subset.
fn auto(problem: &SearchProblem<'_>, options: &Options, effort: Effort) -> SearchOutcome {
    let affordable = (RANDOM_WORK.min(2 * problem.work) / problem.model.cost().max(1)).max(8);
    let most = if effort == Effort::Full { options.draws } else { options.draws.min(FEW) };
    let (drawn, draws) = random_best(problem, most.min(affordable).max(1), options.seed);
    let subset = climbed(problem, vec![drawn.weights.clone()], effort);
    let weighted = weights::search(problem, std::slice::from_ref(&subset.weights));
    let mut best = None;
    let mut method = Method::Random;
    for (candidate, by) in [(drawn, Method::Random), (subset, Method::Greedy), (weighted, Method::Weights)] {
        let before = best.clone();
        best = better(best, candidate);
        if best != before {
            method = by;
        }
    }
    let candidate = best.unwrap_or_else(|| problem.candidate(problem.everything()));
    SearchOutcome { candidate, method, draws }
}
