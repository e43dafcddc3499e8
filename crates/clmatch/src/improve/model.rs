//! Weighted moments of all pairs of classes: they give the score of a choice of features without another read of the data.
//!
//! ```text
//! D = w.D_S        V_i = w.V_i        s2^2 = w' K_S w        K_S: covariance of the squared deviations from c_S
//! ```
//!
//! `K_S` is either a table of d x d numbers per pair, or never formed: `K_S w = A' (A w)/N`, where row x of A holds the
//! centred squared deviations of a point. With `u = x - c_i` and `v = c_i - c_S` these are `u^2 + 2 u v + v^2`, so that
//! both products are products of matrices over the points of a class and all its partners.
//!
//! | | tables | matrix-free |
//! |---|---|---|
//! | memory | P d^2 | n d + P d |
//! | `K_S w` of all pairs | P d^2 | 3 n d K |
//! | one feature changed | P d | as above |

use clmatch_kernels::parallel;
use clmatch_kernels::simd::LANES;
use clmatch_kernels::simd::products::{self, BAND};

use super::centred_points::CentredPoints;
use super::objective::{MomentFormula, WeightedMoments};
use super::tables;

/// How many numbers the tables of `K_S` may hold: 256 MB.
pub(crate) const TABLES: usize = 1 << 25;
/// How many numbers a cache holds, and how many times as much a product with larger tables costs, because it waits for memory.
const CACHED: (usize, usize) = (1 << 19, 4);
/// Work of fewer multiplications than this is not worth waking threads for.
const SMALL: usize = 1 << 15;

/// How covariances of features are drawn towards 0 if few points say little about them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Shrinkage {
    /// Not at all.
    #[default]
    None,
    /// By `max(0, d - N/4) / (d + N)` for a pair with N points: not at all for d below N/4, completely for d far above N.
    Auto,
    /// By a fixed share.
    Fixed(f64),
}

impl Shrinkage {
    fn of(self, features: f64, points: f64) -> f64 {
        match self {
            Shrinkage::None => 0.0,
            Shrinkage::Auto => (features - points / 4.0).max(0.0) / (features + points),
            Shrinkage::Fixed(share) => share,
        }
    }
}

/// The moments of a dataset, ready for any weights.
pub(crate) struct Model {
    pub(crate) points: CentredPoints,
    pub(crate) pairs: Vec<(usize, usize)>,
    /// P x d: the diagonals of `K_S`.
    pub(crate) diagonal: Vec<f64>,
    /// P: the shares by which covariances shrink.
    shrink: Vec<f64>,
    /// P x d x d: `K_S` with covariances shrunk, if the tables fit and are worth their cost.
    tables: Option<Vec<f64>>,
}

/// The moments of all pairs under some weights.
#[derive(Clone)]
pub(crate) struct StandingMoments {
    /// P: `D`.
    pub(crate) gaps: Vec<f64>,
    /// K: `V_i`.
    pub(crate) variances: Vec<f64>,
    /// P: `s2^2`.
    pub(crate) squares: Vec<f64>,
}

impl Model {
    /// Time: O(n K d^2) with tables, O(n d + P d) without. Memory: see the module.
    ///
    /// Tables are made if they hold at most `room` numbers and there are enough points: otherwise the few moves that they make
    /// cheap are not worth their cost.
    pub(crate) fn new(
        points: CentredPoints,
        pairs: Vec<(usize, usize)>,
        shrinkage: Shrinkage,
        room: usize,
    ) -> Model {
        let pays = 16 * points.rows.len() / points.features >= points.features * points.classes();
        let fits = pairs.len().saturating_mul(points.features * points.features) <= room;
        Model::with_tables(points, pairs, shrinkage, pays && fits)
    }

    /// Whether computing `K_S w` without the tables is faster, although they exist.
    fn passes_by(&self, tables: &[f64]) -> bool {
        let (cached, factor) = CACHED;
        let product = if tables.len() > cached { factor * tables.len() } else { tables.len() };
        3 * self.points.rows.len() * self.points.classes() < product
    }

    /// As [`Model::new`], with the route given.
    pub(crate) fn with_tables(
        points: CentredPoints,
        pairs: Vec<(usize, usize)>,
        shrinkage: Shrinkage,
        tables: bool,
    ) -> Model {
        let features = points.features;
        let shrink: Vec<f64> = pairs
            .iter()
            .map(|&(i, j)| shrinkage.of(features as f64, points.size(i) + points.size(j)))
            .collect();
        let tables = tables.then(|| tables::of(&points, &pairs, &shrink));
        let diagonal = match &tables {
            Some(tables) => tables
                .chunks_exact(features * features)
                .flat_map(|k| k.iter().step_by(features + 1))
                .copied()
                .collect(),
            None => {
                let mut diagonal = vec![0.0; pairs.len() * features];
                parallel::for_chunks_mut(&mut diagonal, features, |at, line| {
                    line.iter_mut().enumerate().for_each(|(f, value)| *value = points.spread(pairs[at], f));
                });
                diagonal
            }
        };
        Model { points, pairs, diagonal, shrink, tables }
    }

    pub(crate) fn features(&self) -> usize {
        self.points.features
    }

    /// Whether the tables of `K_S` are in memory.
    pub(crate) fn has_tables(&self) -> bool {
        self.tables.is_some()
    }

    /// How much the covariances of a pair were shrunk.
    pub(crate) fn shrinkage_of(&self, pair: usize) -> Shrinkage {
        Shrinkage::Fixed(self.shrink[pair])
    }

    /// `K_S` of a pair, if there are tables.
    pub(crate) fn table(&self, pair: usize) -> Option<&[f64]> {
        let size = self.features() * self.features();
        self.tables.as_ref().map(|tables| &tables[pair * size..(pair + 1) * size])
    }

    /// The cost of evaluating one choice, in multiplications.
    pub(crate) fn cost(&self) -> usize {
        match &self.tables {
            Some(tables) if !self.passes_by(tables) => tables.len(),
            _ => 3 * self.points.rows.len() * self.points.classes(),
        }
    }

    /// `K_S w` of all pairs: P x d.
    pub(crate) fn curvature(&self, w: &[f64]) -> Vec<f64> {
        let features = self.features();
        let mut out = vec![0.0; self.pairs.len() * features];
        match self.tables.as_ref().filter(|tables| !self.passes_by(tables)) {
            Some(tables) if tables.len() < SMALL => {
                let lines = out.chunks_exact_mut(features);
                lines
                    .zip(tables.chunks_exact(features * features))
                    .for_each(|(out, k)| products::matvec(k, w, out));
            }
            Some(tables) => {
                // Works on a few rows of a matrix at a time, so that even a single pair keeps all threads busy.
                parallel::for_chunks_mut(&mut out, features, |pair, out| {
                    let k = &tables[pair * features * features..][..features * features];
                    parallel::for_chunks_mut(out, BAND, |band, out| {
                        let k = &k[band * BAND * features..][..out.len() * features];
                        products::matvec(k, w, out);
                    });
                });
            }
            None => {
                super::matrix_free::curvature(&self.points, &self.pairs, w, &mut out);
                self.shrunk(w, &mut out);
            }
        }
        out
    }

    /// Draws `K_S w` towards its diagonal part.
    fn shrunk(&self, w: &[f64], out: &mut [f64]) {
        let lines = out.chunks_exact_mut(self.features()).zip(self.diagonal.chunks_exact(self.features()));
        for ((line, diagonal), &share) in lines.zip(&self.shrink).filter(|(_, share)| **share > 0.0) {
            for ((g, k), w) in line.iter_mut().zip(diagonal).zip(w) {
                *g = (1.0 - share) * *g + share * k * w;
            }
        }
    }

    /// The moments of all pairs under weights whose `K_S w` is known.
    pub(crate) fn standing(&self, w: &[f64], curvature: &[f64]) -> StandingMoments {
        let features = self.features();
        let squares = curvature.chunks_exact(features).map(|line| dot(line, w).max(0.0)).collect();
        self.linear(w, squares)
    }

    fn linear(&self, w: &[f64], squares: Vec<f64>) -> StandingMoments {
        let features = self.features();
        let variances = self.points.seconds.chunks_exact(features).map(|line| dot(line, w)).collect();
        let gap = |&(i, j): &(usize, usize)| {
            let row = |class: usize| &self.points.centroids[class * features..(class + 1) * features];
            let gaps = row(i).iter().zip(row(j)).zip(w);
            gaps.map(|((a, b), w)| w * ((a - b) * (a - b))).sum()
        };
        let gaps = if self.pairs.len() * features < SMALL {
            self.pairs.iter().map(gap).collect()
        } else {
            parallel::map(&self.pairs, gap)
        };
        StandingMoments { gaps, variances, squares }
    }

    /// The moments of one pair.
    pub(crate) fn moments(&self, standing: &StandingMoments, at: usize) -> WeightedMoments {
        let (i, j) = self.pairs[at];
        WeightedMoments {
            sizes: (self.points.size(i), self.points.size(j)),
            gap: standing.gaps[at],
            variances: (standing.variances[i], standing.variances[j]),
            square: standing.squares[at],
        }
    }

    /// The mean score over pairs.
    pub(crate) fn score(&self, formula: MomentFormula, standing: &StandingMoments) -> f64 {
        let scores = (0..self.pairs.len()).map(|at| formula.score(&self.moments(standing, at)));
        scores.sum::<f64>() / self.pairs.len() as f64
    }

    /// The score of some weights.
    pub(crate) fn score_of(&self, formula: MomentFormula, w: &[f64]) -> f64 {
        self.score(formula, &self.standing(w, &self.curvature(w)))
    }

    /// The slope of the score in each weight.
    pub(crate) fn gradient(
        &self,
        formula: MomentFormula,
        standing: &StandingMoments,
        curvature: &[f64],
    ) -> Vec<f64> {
        let features = self.features();
        let mut gradient = vec![0.0; features];
        let mut per_class = vec![0.0; self.points.classes()];
        for (at, line) in curvature.chunks_exact(features).enumerate() {
            let (i, j) = self.pairs[at];
            let slopes = formula.slopes(&self.moments(standing, at));
            per_class[i] += slopes.variances.0;
            per_class[j] += slopes.variances.1;
            for (f, (sum, g)) in gradient.iter_mut().zip(line).enumerate() {
                *sum += slopes.gap * self.points.gap((i, j), f) + 2.0 * slopes.square * g;
            }
        }
        for (line, slope) in self.points.seconds.chunks_exact(features).zip(&per_class) {
            gradient.iter_mut().zip(line).for_each(|(sum, second)| *sum += slope * second);
        }
        gradient.iter_mut().for_each(|sum| *sum /= self.pairs.len() as f64);
        gradient
    }

    /// The score after adding `change(f)` to the weight of feature f, for each f separately. Time: O(P d).
    pub(crate) fn scan(
        &self,
        formula: MomentFormula,
        standing: &StandingMoments,
        curvature: &[f64],
        change: impl Fn(usize) -> f64 + Sync,
    ) -> Vec<f64> {
        const CHUNK: usize = 64;
        let features = self.features();
        let mut scores = vec![0.0; features];
        let part = |chunk: usize, scores: &mut [f64]| {
            for (at, &(i, j)) in self.pairs.iter().enumerate() {
                let moments = self.moments(standing, at);
                for (f, score) in (chunk * CHUNK..).zip(scores.iter_mut()) {
                    let (by, place) = (change(f), at * features + f);
                    let second = |class: usize| self.points.seconds[class * features + f];
                    let square = moments.square + by * (2.0 * curvature[place] + by * self.diagonal[place]);
                    let changed = WeightedMoments {
                        gap: (moments.gap + by * self.points.gap((i, j), f)).max(0.0),
                        variances: (
                            (moments.variances.0 + by * second(i)).max(0.0),
                            (moments.variances.1 + by * second(j)).max(0.0),
                        ),
                        square: square.max(0.0),
                        ..moments
                    };
                    *score += formula.score(&changed);
                }
            }
        };
        if self.pairs.len() * features < SMALL / 16 {
            scores.chunks_mut(CHUNK).enumerate().for_each(|(chunk, scores)| part(chunk, scores));
        } else {
            parallel::for_chunks_mut(&mut scores, CHUNK, part);
        }
        scores.iter_mut().for_each(|score| *score /= self.pairs.len() as f64);
        scores
    }

    /// Updates `K_S w` after a change of one weight; without tables there is no short way, and it returns false.
    pub(crate) fn change(&self, curvature: &mut [f64], f: usize, by: f64) -> bool {
        let features = self.features();
        let Some(tables) = &self.tables else { return false };
        for (line, k) in curvature.chunks_exact_mut(features).zip(tables.chunks_exact(features * features)) {
            let column = &k[f * features..(f + 1) * features];
            line.iter_mut().zip(column).for_each(|(g, k)| *g += by * k);
        }
        true
    }

    /// The scores of many subsets. Time: O(P d^2 / 2) each with tables.
    pub(crate) fn scores(&self, formula: MomentFormula, subsets: &[Vec<bool>]) -> Vec<f64> {
        let Some(tables) = &self.tables else {
            let weights = |subset: &Vec<bool>| subset.iter().map(|&kept| f64::from(u8::from(kept))).collect();
            return parallel::map(subsets, |subset| self.free_score(formula, &weights(subset)));
        };
        parallel::map_chunks(subsets, LANES, |block| self.block(formula, tables, block)).concat()
    }

    /// The score of some weights, which costs less than `K_S w` if there are no tables.
    fn free_score(&self, formula: MomentFormula, w: &Vec<f64>) -> f64 {
        let mut squares = super::matrix_free::squares(&self.points, &self.pairs, w);
        let lines = self.diagonal.chunks_exact(self.features()).zip(&self.shrink);
        for (square, (diagonal, &share)) in
            squares.iter_mut().zip(lines).filter(|(_, (_, share))| **share > 0.0)
        {
            let own: f64 = diagonal.iter().zip(w).map(|(k, w)| k * w * w).sum();
            *square = (1.0 - share) * *square + share * own;
        }
        self.score(formula, &self.linear(w, squares))
    }

    fn block(&self, formula: MomentFormula, tables: &[f64], subsets: &[Vec<bool>]) -> Vec<f64> {
        let features = self.features();
        let lane = |f: usize, lane: usize| subsets.get(lane).is_some_and(|subset| subset[f]);
        let w: Vec<[f64; LANES]> =
            (0..features).map(|f| std::array::from_fn(|at| f64::from(u8::from(lane(f, at))))).collect();
        let sums = |line: &mut dyn Iterator<Item = f64>| {
            let mut sums = [0.0; LANES];
            for (value, w) in line.zip(&w) {
                sums.iter_mut().zip(w).for_each(|(sum, w)| *sum += value * w);
            }
            sums
        };
        let variances: Vec<[f64; LANES]> =
            self.points.seconds.chunks_exact(features).map(|line| sums(&mut line.iter().copied())).collect();
        let mut scores = [0.0; LANES];
        for (&(i, j), k) in self.pairs.iter().zip(tables.chunks_exact(features * features)) {
            let mut squares = [0.0; LANES];
            products::quadratic_forms(k, &w, &mut squares);
            let gaps = sums(&mut (0..features).map(|f| self.points.gap((i, j), f)));
            for (at, score) in scores.iter_mut().enumerate().take(subsets.len()) {
                *score += formula.score(&WeightedMoments {
                    sizes: (self.points.size(i), self.points.size(j)),
                    gap: gaps[at],
                    variances: (variances[i][at], variances[j][at]),
                    square: squares[at].max(0.0),
                });
            }
        }
        scores[..subsets.len()].iter().map(|score| score / self.pairs.len() as f64).collect()
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
