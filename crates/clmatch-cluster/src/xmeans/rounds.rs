//! Rounds of improving and splitting. Settings with the same seed share a round as long as `kmax` prevents no split and
//! their tolerances end K-Means at the same iteration; fits that follow each other reuse the shared rounds.

use super::{ClusterHalves, FIRST_DRAWS, XMeans, XMeansFit, XMeansValid};
use crate::packed::{PackedPoints, means, signed};
use crate::{Stop, Stopped};
use clmatch::Matrix;

/// The result of a round: the centres of all clusters, two for each cluster that was halved.
struct Splits {
    centres: Vec<f64>,
    valid: XMeansValid,
}

/// A round: the improved clusters, and the result of trying to halve each of them. Every `kmax` that got this far shares
/// it.
struct Round {
    number: usize,
    /// The centres that the round starts with.
    start: Vec<f64>,
    /// The centres of the improved clusters.
    centres: Vec<f64>,
    halves: Vec<ClusterHalves>,
    /// The tolerances for which the round is the same.
    valid: XMeansValid,
}

/// X-Means with one setting after the other on the same points. Rounds that settings share are computed once.
///
/// Memory: O(n d), plus a few times k d for each distinct round.
pub struct XMeansFits<'a> {
    packed: PackedPoints<'a>,
    rounds: Vec<Round>,
    /// The seed of the stored rounds, which also share `repeats`.
    seed: u64,
    repeats: usize,
}

impl std::fmt::Debug for XMeansFits<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("XMeansFits").field("rounds", &self.rounds.len()).finish_non_exhaustive()
    }
}

impl<'a> XMeansFits<'a> {
    /// Starts without any stored rounds.
    pub fn new(points: &'a Matrix<'a>) -> Self {
        XMeansFits { packed: PackedPoints::new(points), rounds: vec![], seed: 0, repeats: 0 }
    }

    /// Like [`XMeans::fit`], but reuses earlier rounds. If the seed or `repeats` differs from the previous call, nothing
    /// is reused.
    ///
    /// # Errors
    /// [`Stopped`] if `stop` was raised.
    pub fn fit(&mut self, settings: &XMeans, stop: &Stop) -> Result<XMeansFit, Stopped> {
        if (self.seed, self.repeats) != (settings.seed, settings.repeats) {
            self.rounds.clear();
            (self.seed, self.repeats) = (settings.seed, settings.repeats);
        }
        let points = self.packed.points;
        let mut centres = match settings.two_seeds(points, FIRST_DRAWS, 0) {
            Some(centres) if settings.kmax > 1 => centres,
            _ => means(points, &vec![0; points.n_points()], 1).0,
        };
        let mut iterations = 0;
        let mut valid = XMeansValid { kmax_from: Some(2), ..XMeansValid::ANY };
        loop {
            iterations += 1;
            let count = centres.len();
            let (improved, more) = self.round(settings, iterations, centres, stop)?;
            valid.and(&more.valid);
            // Improving may have dropped as many clusters as were split: such rounds would go on for ever.
            if more.centres.len() <= count {
                centres = improved;
                break;
            }
            centres = more.centres;
        }
        // The tolerance ends K-Means early: the labels belong to the last centres only after one more run.
        let best = settings.improve(&self.packed, centres, stop)?;
        valid.and(&best.valid);
        Ok(XMeansFit {
            labels: signed(&best.labels),
            centroids: best.centres,
            inertia: best.inertia,
            iterations,
            valid: if settings.kmax > 1 { valid } else { XMeansValid { kmax_from: None, ..valid } },
        })
    }

    /// The improved centres, and the centres after halving each cluster where that pays, up to `kmax` clusters.
    fn round(
        &mut self,
        settings: &XMeans,
        number: usize,
        start: Vec<f64>,
        stop: &Stop,
    ) -> Result<(Vec<f64>, Splits), Stopped> {
        let features = self.packed.points.n_features();
        let same = |round: &&Round| {
            round.number == number && round.valid.tolerates(settings.tolerance) && round.start == start
        };
        if let Some(known) = self.rounds.iter().find(same) {
            return Ok((known.centres.clone(), known.split(settings.kmax, features)));
        }
        let found = settings.improve(&self.packed, start.clone(), stop)?;
        if settings.kmax <= found.counts.len() {
            // What another `kmax` would split is unknown.
            let valid = XMeansValid { kmax_from: None, ..found.valid };
            return Ok((found.centres.clone(), Splits { centres: found.centres, valid }));
        }
        let halves = settings.halves(self.packed.points, &found, number as u64, stop)?;
        let mut valid = found.valid;
        halves.iter().for_each(|half| valid.and(&half.valid));
        let round = Round { number, start, centres: found.centres, halves, valid };
        let split = round.split(settings.kmax, features);
        let improved = round.centres.clone();
        self.rounds.push(round);
        Ok((improved, split))
    }
}

impl Round {
    /// The centres after halving each cluster where that pays, up to `kmax` clusters.
    fn split(&self, kmax: usize, features: usize) -> Splits {
        let clusters = self.halves.len();
        let mut free = kmax.saturating_sub(clusters);
        if free == 0 {
            let valid = XMeansValid { kmax_from: None, ..self.valid.clone() };
            return Splits { centres: self.centres.clone(), valid };
        }
        let wanted = self.halves.iter().filter(|half| half.centres.is_some()).count();
        let valid =
            XMeansValid { kmax_from: (wanted <= free).then_some(clusters + wanted), ..self.valid.clone() };
        let mut centres = vec![];
        for (half, centre) in self.halves.iter().zip(self.centres.chunks_exact(features)) {
            match &half.centres {
                Some(two) if free > 0 => {
                    free -= 1;
                    centres.extend_from_slice(two);
                }
                _ => centres.extend_from_slice(centre),
            }
        }
        Splits { centres, valid }
    }
}
