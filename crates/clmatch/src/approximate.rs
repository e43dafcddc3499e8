//! Estimates where comparing all points with each other is out of reach.
//!
//! Points are drawn at random, equally many from every class, and compared with *all* points; what a point contributes to
//! a measure is then exact, and only the mean over points is estimated. The error is that of a jackknife over groups of
//! drawn points: leave each group out, see how the score moves.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::classes::Classes;
use crate::error::DataError;
use crate::evaluate::{Evaluation, checked_plan, evaluation_of};
use crate::kernels::outlook::{Outlook, outlook};
use crate::kernels::pairs::DistanceTables;
use crate::kernels::random::SplitMix;
use crate::measure::Measure;
use crate::needs::Needs;
use crate::statistics::{Base, Statistics};

/// Groups of the jackknife.
const GROUPS: usize = 20;
/// The 97.5% point of Student's t with one degree of freedom less than groups.
const STUDENT: f64 = 2.093;
/// Points drawn from each class to begin with.
const FIRST: usize = 100;
/// The exact sweep uses symmetry and wider arithmetic: where more than this share of the points would be drawn, it is
/// the faster way, and has no error.
const WORTHWHILE: f64 = 0.1;

/// How precise an estimate must be, and how long it may take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Approximation {
    /// The largest 95% error of any score; `None` goes on until the time is up.
    pub error: Option<f64>,
    /// The time after which the best estimate so far is taken.
    pub limit: Option<Duration>,
    /// The seed of the draw.
    pub seed: u64,
}

/// An estimate with its error.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// The estimated scores.
    pub evaluation: Evaluation,
    /// 95% error of each score, in the same order; 0 where it is exact.
    pub errors: Vec<f64>,
    /// How many points were compared with all others.
    pub sampled: usize,
    /// Whether the scores are exact after all.
    pub exact: bool,
}

/// Estimates measures from a stratified sample.
///
/// Time: O(m n d) for m drawn points. Memory: O(m K) beyond the copy of the points.
///
/// # Errors
/// As [`evaluate`](crate::evaluate()), and a measure that depends on single points, such as `di`.
pub fn estimate(
    classes: &Classes<'_>,
    measures: &[&'static Measure],
    how: &Approximation,
) -> Result<Estimate, DataError> {
    if let Some(measure) = measures.iter().find(|measure| measure.needs.has(Needs::EXTREMES)) {
        return Err(DataError::NotEstimable { measure: measure.id });
    }
    let plan = checked_plan(classes, measures)?;
    let start = Instant::now();
    let base = Arc::new(Base::compute(classes, plan));
    let mut sample = Sample::new(&base, how.seed);
    let mut wanted = FIRST;
    loop {
        let left = how.limit.map(|limit| limit.saturating_sub(start.elapsed()));
        let worthwhile = !plan.any().any_distance() || sample.share(&base, wanted) > WORTHWHILE;
        if worthwhile && left.is_none_or(|left| sample.time_for_all(&base) < left) {
            let statistics = Statistics::complete(base, plan);
            return Ok(exact(evaluation_of(&statistics, classes, measures)));
        }
        sample.grow(&base, wanted, left.map(|left| Instant::now() + left));
        let (evaluation, errors) = sample.evaluate(&base, classes, measures);
        let largest = errors.iter().copied().fold(0.0, f64::max);
        let reached = how.error.is_some_and(|bound| largest <= bound);
        let late = how.limit.is_some_and(|limit| start.elapsed() >= limit);
        if reached || late || sample.is_complete(&base) {
            let exact = sample.is_complete(&base);
            return Ok(Estimate { evaluation, errors, sampled: sample.len(), exact });
        }
        // The error falls with the square root of the sample; a little more, so that the next round suffices.
        let factor = how.error.map_or(2.0, |bound| (1.1 * (largest / bound).powi(2)).clamp(1.3, 8.0));
        wanted = (wanted as f64 * factor).ceil() as usize;
    }
}

fn exact(evaluation: Evaluation) -> Estimate {
    let errors = vec![0.0; evaluation.scores.len()];
    Estimate { evaluation, errors, sampled: 0, exact: true }
}

/// Points that were drawn, class by class, with what they see.
struct Sample {
    /// For each class its points in random order.
    order: Vec<Vec<usize>>,
    /// What the first ones of each class see of all points.
    outlooks: Vec<Vec<Outlook>>,
    spent: Duration,
}

impl Sample {
    fn new(base: &Base, seed: u64) -> Self {
        let mut random = SplitMix::new(seed);
        let mut draw = |class: usize| {
            let mut points: Vec<usize> = (base.starts[class]..base.starts[class + 1]).collect();
            random.shuffle(&mut points);
            points
        };
        let order: Vec<Vec<usize>> = (0..base.starts.len() - 1).map(&mut draw).collect();
        Sample { outlooks: vec![Vec::new(); order.len()], order, spent: Duration::ZERO }
    }

    fn len(&self) -> usize {
        self.outlooks.iter().map(Vec::len).sum()
    }

    fn is_complete(&self, base: &Base) -> bool {
        self.len() == base.len()
    }

    /// The share of all points that a sample of so many from each class is.
    fn share(&self, base: &Base, wanted: usize) -> f64 {
        let points: usize = self.order.iter().map(|order| order.len().min(wanted)).sum();
        points as f64 / base.len() as f64
    }

    /// How long the exact sweep would take at most, by what the drawn points took.
    fn time_for_all(&self, base: &Base) -> Duration {
        match self.len() {
            0 => Duration::ZERO,
            points => self.spent.mul_f64(base.len() as f64 / points as f64 / 2.0),
        }
    }

    /// Draws more points until each class has so many, or the time is up. Rounds of equal size keep the classes even.
    fn grow(&mut self, base: &Base, wanted: usize, until: Option<Instant>) {
        const ROUND: usize = 16;
        let start = Instant::now();
        let mut from = self.outlooks.iter().map(Vec::len).max().unwrap_or(0);
        while from < wanted {
            let to = (from + ROUND).min(wanted);
            let next: Vec<(usize, usize)> = self
                .order
                .iter()
                .enumerate()
                .flat_map(|(class, order)| {
                    order.iter().skip(from).take(to - from).map(move |&point| (class, point))
                })
                .collect();
            let seen: Vec<(usize, Outlook)> =
                next.into_par_iter().map(|(class, point)| (class, outlook(base.frame(), point))).collect();
            seen.into_iter().for_each(|(class, outlook)| self.outlooks[class].push(outlook));
            from = to;
            // A jackknife needs every group.
            if from >= GROUPS && until.is_some_and(|until| Instant::now() >= until) {
                break;
            }
        }
        self.spent += start.elapsed();
    }

    /// The scores, and for each the error.
    fn evaluate(
        &self,
        base: &Arc<Base>,
        classes: &Classes<'_>,
        measures: &[&'static Measure],
    ) -> (Evaluation, Vec<f64>) {
        let without = |group| evaluation_of(&self.statistics(base, group), classes, measures);
        let all = without(None);
        let parts: Vec<Evaluation> = (0..GROUPS).into_par_iter().map(|group| without(Some(group))).collect();
        let error = |measure: usize| {
            if !measures[measure].needs.any_distance() {
                return 0.0;
            }
            let values: Vec<f64> = parts.iter().map(|part| part.scores[measure].1.value).collect();
            let mean = values.iter().sum::<f64>() / GROUPS as f64;
            let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
            STUDENT * (squares * (GROUPS - 1) as f64 / GROUPS as f64).sqrt()
        };
        let errors = (0..measures.len()).map(error).collect();
        (all, errors)
    }

    /// Statistics from the drawn points, less one group of every class that was not drawn to the last point.
    fn statistics(&self, base: &Arc<Base>, left_out: Option<usize>) -> Statistics {
        let mut distances = DistanceTables::default();
        let mut seen = vec![0];
        for (outlooks, order) in self.outlooks.iter().zip(&self.order) {
            let whole = outlooks.len() == order.len();
            let kept = |&(at, _): &(usize, &Outlook)| whole || left_out != Some(at % GROUPS);
            for (_, outlook) in outlooks.iter().enumerate().filter(kept) {
                distances.sums.extend(&outlook.sums);
                distances.nearest.extend(&outlook.nearest);
            }
            seen.push(distances.sums.len() / self.order.len());
        }
        Statistics::with_distances(base.clone(), distances, seen)
    }
}
