//! Continuous non-negative weights.
//!
//! For one pair of classes and `ch_a` or `ch_c`, the optimum is that of a convex quadratic program ([`nonneg_qp`]). Otherwise the
//! mean over pairs is climbed by spectral projected gradients (Birgin, Martinez and Raydan 2000) from several starts: steps of
//! Barzilai and Borwein's length, cut at 0, are halved until the value does not fall below the worst of the last few. Weights are
//! in units in which each feature alone has `s2 = 1` on average, and their vector has length 1, which the score does not depend
//! on.

use super::model::Model;
use super::nonneg_qp;
use super::search_problem::{SearchProblem, WeightCandidate, kept};

/// The largest number of steps of one climb.
const STEPS: usize = 300;
/// How many earlier values a step may fall back to.
const MEMORY: usize = 6;
/// The smallest and the largest length of a step.
const LENGTHS: (f64, f64) = (1e-8, 1e6);
/// The share of the promised gain that a step must keep.
const KEEP: f64 = 1e-4;
/// A climb ends if it gains less than this over this many steps.
const STALL: (f64, usize) = (1e-9, 12);
/// Weights below this share of the largest one are dropped.
const DUST: f64 = 1e-6;
/// The weight of features that are kept only to reach the smallest number of features, as a share of the largest weight.
const TOKEN: f64 = 0.1;
/// If there are no tables, how many features the program starts with, and how many join at a time.
const WORKING: usize = 256;
/// How often features join.
const ROUNDS: usize = 30;

/// The best weights found from the given starts; exact for one pair.
pub(crate) fn search(problem: &SearchProblem<'_>, starts: &[Vec<f64>]) -> WeightCandidate {
    let mut best = problem.candidate(problem.everything());
    let convex = exact(problem).map(|weights| tidy(problem, weights));
    let solved = convex.is_some();
    if let Some(found) = convex.filter(|found| found.value > best.value) {
        best = found;
    }
    if solved {
        return best;
    }
    let pooled = pooled(problem);
    for start in starts.iter().cloned().chain([problem.everything()]).chain(pooled) {
        if problem.clock.expired() {
            break;
        }
        let found = tidy(problem, ascend(problem, start));
        if found.value > best.value {
            best = found;
        }
    }
    best
}

/// The unit of weight of each feature: the root of its mean `s2^2` over pairs.
pub(crate) fn units(model: &Model) -> Vec<f64> {
    let mut units = vec![0.0; model.features()];
    for line in model.diagonal.chunks_exact(model.features()) {
        units.iter_mut().zip(line).for_each(|(unit, k)| *unit += k);
    }
    units.iter().map(|sum| (sum / model.pairs.len() as f64).sqrt()).collect()
}

/// The coefficients of the numerator of z of a pair.
fn numerator(problem: &SearchProblem<'_>, at: usize) -> Option<Vec<f64>> {
    let points = &problem.model.points;
    let (i, j) = problem.model.pairs[at];
    let (gap, own, other) = problem.formula.numerator((points.size(i), points.size(j)))?;
    let of = |f: usize| {
        let second = |class: usize| points.seconds[class * points.features + f];
        gap * points.gap((i, j), f) + own * second(i) + other * second(j)
    };
    Some((0..points.features).map(of).collect())
}

/// The optimum for a single pair, or `None` if there are several pairs or no such program.
fn exact(problem: &SearchProblem<'_>) -> Option<Vec<f64>> {
    let model = problem.model;
    if model.pairs.len() != 1 {
        return None;
    }
    let b = numerator(problem, 0)?;
    let done = || problem.clock.expired();
    match model.table(0) {
        Some(table) => nonneg_qp::maximise(table, &b, &done),
        None => generate(problem, &b),
    }
}

/// Solves the program on a working set of features that grows until no other feature wants to join.
fn generate(problem: &SearchProblem<'_>, b: &[f64]) -> Option<Vec<f64>> {
    let model = problem.model;
    let features = model.features();
    let promise = |f: usize| if b[f] <= 0.0 { 0.0 } else { b[f] / model.diagonal[f].sqrt() };
    let mut order: Vec<usize> = (0..features).collect();
    order.sort_by(|&x, &y| promise(y).total_cmp(&promise(x)).then(x.cmp(&y)));
    let mut working: Vec<usize> = order[..WORKING.min(features)].to_vec();
    let mut best = None;
    for _ in 0..ROUNDS {
        let part = Model::with_tables(
            model.points.columns(&working),
            model.pairs.clone(),
            model.shrinkage_of(0),
            true,
        );
        let own: Vec<f64> = working.iter().map(|&f| b[f]).collect();
        let found = nonneg_qp::maximise(part.table(0)?, &own, &|| problem.clock.expired())?;
        let mut weights = vec![0.0; features];
        working.iter().zip(&found).for_each(|(&f, &w)| weights[f] = w);
        let curvature = model.curvature(&weights);
        let slope = |f: usize| (b[f] - curvature[f]) / model.diagonal[f].sqrt().max(f64::MIN_POSITIVE);
        let largest = order.first().map_or(0.0, |&f| promise(f));
        let mut wanting: Vec<usize> =
            (0..features).filter(|&f| weights[f] == 0.0 && slope(f) > 1e-9 * largest).collect();
        wanting.retain(|f| !working.contains(f));
        best = Some(weights);
        if wanting.is_empty() || problem.clock.expired() {
            break;
        }
        wanting.sort_by(|&x, &y| slope(y).total_cmp(&slope(x)).then(x.cmp(&y)));
        wanting.truncate(WORKING);
        // Features that were of no use make room.
        working.retain(|&f| best.as_ref().is_some_and(|weights| weights[f] > 0.0));
        working.extend(wanting);
    }
    best
}

/// A start from all pairs at once: the program for the sums of `b_S / B_S` and `K_S / B_S^2`, where B_S is the scatter between
/// classes with all features.
fn pooled(problem: &SearchProblem<'_>) -> Option<Vec<f64>> {
    let model = problem.model;
    let features = model.features();
    let mut b = vec![0.0; features];
    let mut k = vec![0.0; features * features];
    for at in 0..model.pairs.len() {
        let own = numerator(problem, at)?;
        let level: f64 = own.iter().map(|b| b.max(0.0)).sum();
        if level <= 0.0 {
            continue;
        }
        b.iter_mut().zip(&own).for_each(|(sum, b)| *sum += b / level);
        k.iter_mut().zip(model.table(at)?).for_each(|(sum, k)| *sum += k / (level * level));
    }
    nonneg_qp::maximise(&k, &b, &|| problem.clock.expired())
}

/// Climbs from a start.
fn ascend(problem: &SearchProblem<'_>, start: Vec<f64>) -> Vec<f64> {
    let model = problem.model;
    let units = units(model);
    let evaluate = |v: &[f64]| {
        let weights: Vec<f64> =
            v.iter().zip(&units).map(|(v, unit)| if *unit > 0.0 { v / unit } else { 0.0 }).collect();
        let curvature = model.curvature(&weights);
        let standing = model.standing(&weights, &curvature);
        let mut gradient = model.gradient(problem.formula, &standing, &curvature);
        for (slope, unit) in gradient.iter_mut().zip(&units) {
            *slope = if *unit > 0.0 { *slope / unit } else { 0.0 };
        }
        (model.score(problem.formula, &standing), gradient, weights)
    };
    let mut v: Vec<f64> = start.iter().zip(&units).map(|(w, unit)| w * unit).collect();
    if !normalise(&mut v) {
        return start;
    }
    let (mut value, mut gradient, weights) = evaluate(&v);
    let mut best = (value, weights);
    let mut recent = vec![value];
    let steepest = gradient.iter().fold(0.0_f64, |most, slope| most.max(slope.abs()));
    let mut length = (1.0 / steepest.max(f64::MIN_POSITIVE)).clamp(LENGTHS.0, LENGTHS.1);
    for _ in 0..STEPS.min(problem.steps(model.cost())) {
        if problem.clock.expired() {
            break;
        }
        let Some(step) = step(&v, &gradient, length, value, &recent, &evaluate) else { break };
        let change: Vec<f64> = step.v.iter().zip(&v).map(|(to, from)| to - from).collect();
        let bend: f64 =
            change.iter().zip(gradient.iter().zip(&step.gradient)).map(|(s, (a, b))| s * (a - b)).sum();
        let square: f64 = change.iter().map(|s| s * s).sum();
        length = if bend > 0.0 { (square / bend).clamp(LENGTHS.0, LENGTHS.1) } else { LENGTHS.1.sqrt() };
        (v, value, gradient) = (step.v, step.value, step.gradient);
        if value > best.0 {
            best = (value, step.weights);
        }
        recent.push(value);
        let (gain, steps) = STALL;
        if recent.len() > steps {
            let (before, after) = recent.split_at(recent.len() - steps);
            let most = |values: &[f64]| values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if most(after) - most(before) < gain {
                break;
            }
        }
    }
    best.1
}

struct GradientStep {
    v: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
    weights: Vec<f64>,
}

/// One projected step whose value does not fall below the worst of the last values; `None` if there is no such step.
fn step(
    v: &[f64],
    gradient: &[f64],
    length: f64,
    value: f64,
    recent: &[f64],
    evaluate: &impl Fn(&[f64]) -> (f64, Vec<f64>, Vec<f64>),
) -> Option<GradientStep> {
    const HALVINGS: usize = 40;
    let direction: Vec<f64> =
        v.iter().zip(gradient).map(|(v, slope)| (v + length * slope).max(0.0) - v).collect();
    let promised: f64 = direction.iter().zip(gradient).map(|(d, slope)| d * slope).sum();
    if promised <= 1e-15 * value.abs().max(1e-300) {
        return None;
    }
    let floor = recent.iter().rev().take(MEMORY).copied().fold(f64::INFINITY, f64::min);
    let mut share = 1.0;
    for _ in 0..HALVINGS {
        let mut to: Vec<f64> = v.iter().zip(&direction).map(|(v, d)| (v + share * d).max(0.0)).collect();
        if normalise(&mut to) {
            let (value, gradient, weights) = evaluate(&to);
            if value >= floor + KEEP * share * promised {
                return Some(GradientStep { v: to, value, gradient, weights });
            }
        }
        share /= 2.0;
    }
    None
}

/// Scales to length 1; returns false if there is nothing to scale.
fn normalise(v: &mut [f64]) -> bool {
    let length = v.iter().map(|v| v * v).sum::<f64>().sqrt();
    let fine = length > 0.0 && length.is_finite();
    if fine {
        v.iter_mut().for_each(|v| *v /= length);
    }
    fine
}

/// Drops negligible weights, keeps the smallest allowed number of features, and makes the largest weight 1.
fn tidy(problem: &SearchProblem<'_>, mut weights: Vec<f64>) -> WeightCandidate {
    let units = units(problem.model);
    let share = |f: usize, w: f64| if units[f] > 0.0 { w * units[f] } else { w };
    let largest = weights.iter().enumerate().map(|(f, &w)| share(f, w)).fold(0.0, f64::max);
    for (f, weight) in weights.iter_mut().enumerate() {
        if share(f, *weight) <= DUST * largest {
            *weight = 0.0;
        }
    }
    let missing = problem.min_features.saturating_sub(kept(&weights));
    if missing > 0 {
        let token = largest.max(f64::MIN_POSITIVE) * TOKEN;
        let single = problem.model.points.single_scores(&problem.model.pairs, problem.formula);
        let mut others: Vec<usize> = (0..weights.len()).filter(|&f| weights[f] == 0.0).collect();
        others.sort_by(|&a, &b| single[b].total_cmp(&single[a]).then(a.cmp(&b)));
        for &f in &others[..missing] {
            weights[f] = if units[f] > 0.0 { token / units[f] } else { token };
        }
    }
    let top = weights.iter().copied().fold(0.0, f64::max);
    if top > 0.0 {
        weights.iter_mut().for_each(|weight| *weight /= top);
    }
    problem.candidate(weights)
}
