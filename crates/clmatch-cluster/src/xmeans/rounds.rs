//! Rounds of improving and splitting. As long as `kmax` stands in the way of no split, and as far as tolerances end K-Means
//! alike, settings have them in common: those of one seed that come one after the other share them.

use super::{FIRST_DRAWS, Halves, XMeans, XMeansFit, XMeansValid};
use crate::packed::{Packed, means, signed};
use crate::{Stop, Stopped};
use clmatch::Matrix;

/// What became of all clusters in a round: their centres, more of them where clusters were halved.
struct Splits {
    centres: Vec<f64>,
    valid: XMeansValid,
}

/// A round: clusters improved, and what halving each of them brings. All `kmax` that have come so far have it in common.
struct Round {
    number: usize,
    /// The centres that it starts with.
    start: Vec<f64>,
    /// The centres of the clusters improved.
    centres: Vec<f64>,
    halves: Vec<Halves>,
    /// Which tolerances end the same.
    valid: XMeansValid,
}

/// X-Means with one setting after the other on the same points: rounds that settings have in common are computed once.
///
/// Memory: O(n d), and some k d for each round that differs.
pub struct XMeansFits<'a> {
    packed: Packed<'a>,
    rounds: Vec<Round>,
    /// What the rounds were made with, beside `kmax` and the tolerance.
    seed: u64,
    repeats: usize,
}

impl std::fmt::Debug for XMeansFits<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("XMeansFits").field("rounds", &self.rounds.len()).finish_non_exhaustive()
    }
}

impl<'a> XMeansFits<'a> {
    /// Nothing is computed yet.
    pub fn new(points: &'a Matrix<'a>) -> Self {
        XMeansFits { packed: Packed::new(points), rounds: vec![], seed: 0, repeats: 0 }
    }

    /// As [`XMeans::fit`]. With another seed or other repeats than the call before, nothing is shared.
    ///
    /// # Errors
    /// [`Stopped`] if the flag went up.
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
            // Improving may have dropped as many clusters as were split: rounds that do not grow would never end.
            if more.centres.len() <= count {
                centres = improved;
                break;
            }
            centres = more.centres;
        }
        // The tolerance ends a K-Means early: the labels belong to the last centres only after one more.
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

    /// The centres improved, and those with clusters halved where that pays as long as there may be more.
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
            // What another `kmax` would split is not known.
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
    /// The centres, with clusters halved where that pays as long as there may be more.
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
