//! What is wrong with a pair of classes.
//!
//! ```text
//! c      = mean over the two classes of the share of points whose u(x) lies on the wrong side of 0
//! w      = the same for the vote of the 5 nearest points, each weighted by 1 / size of its class
//! m      = min(c, w)
//! valley = mass of u within .25 of 0 / the smaller mass within .25 of a class median
//! ```
//!
//! where u(x) is the cost of belonging to the first class less the cost of belonging to the second (see
//! [`clm`](crate::measure::clm)); for the valley, u is scaled so that the medians of the classes lie at -1 and 1, and both
//! classes have the same mass. The first rule that holds gives the verdict:
//!
//! | rule | verdict |
//! |---|---|
//! | m >= .25, and at least .1 of either class lie on the wrong side or are outvoted | one cluster |
//! | m >= .25 | overlapping |
//! | kappa >= .8 | separate |
//! | kappa < .5 and valley >= .9 and c <= 2 w + .01 | one cluster |
//! | nu >= .98, or m <= .02 and eta >= .85 | separate |
//! | m <= .06 | touching |
//! | else | overlapping |
//!
//! Points that are probably mislabelled, and outliers, have no say in the verdict: c, w, valley, eta and nu are then those of the
//! other points, and so are the centroids. Only kappa is that of all points.
//!
//! Two round Gaussians are one cluster up to 2 deviations apart, touch at 3.5 to 4 and are separate from 5 on; the two
//! halves of one are one cluster. The rules were tuned on such cases.
//!
//! Degenerate cases: where the medians coincide or lie on the wrong sides, there is no meaningful valley, and it is 1; a mass of
//! 0 at a median makes it infinite, or 0 if the mass in the middle is 0 too.

use super::cells::{Cells, eta};
use super::features::PairFeatures;
use crate::measure::clm::{self, ClmTerms};
use crate::measure::normalised_information;

/// Half the width of the intervals in which the mass of u is measured, where the class medians lie at -1 and 1.
const NEAR: f64 = 0.25;
/// If two classes are one cluster, at least this share of either class lies amid the other.
const MUTUAL: f64 = 0.1;
/// Terms below this count as failed.
const FAILS: f64 = 0.5;

/// What a pair of classes looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum PairVerdict {
    /// The two cannot be told apart.
    OneCluster,
    /// Two clusters that share points.
    Overlapping,
    /// Two clusters with few points in common.
    Touching,
    /// Two clusters.
    Separate,
}

impl PairVerdict {
    /// The verdict in plain words.
    pub const fn name(self) -> &'static str {
        match self {
            PairVerdict::OneCluster => "one cluster",
            PairVerdict::Overlapping => "overlapping",
            PairVerdict::Touching => "touching",
            PairVerdict::Separate => "separate",
        }
    }

    /// The verdict as a sentence about two classes.
    pub const fn sentence(self) -> &'static str {
        match self {
            PairVerdict::OneCluster => "the two look like one cluster",
            PairVerdict::Overlapping => "the two overlap",
            PairVerdict::Touching => "the two touch",
            PairVerdict::Separate => "the two are separate",
        }
    }
}

/// A term of the headline score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Term {
    /// `eta`: the classes do not lie apart along the line between their centres.
    Line,
    /// `kappa`: there is no gap between the classes.
    Tree,
    /// `nu`: neighbours have other labels.
    Neighbours,
}

impl Term {
    /// The term in plain words.
    pub const fn name(self) -> &'static str {
        match self {
            Term::Line => "line",
            Term::Tree => "tree",
            Term::Neighbours => "neighbours",
        }
    }

    /// What its failure says about two classes.
    pub const fn failure(self) -> &'static str {
        match self {
            Term::Line => "they do not lie apart along a line",
            Term::Tree => "no gap runs between them",
            Term::Neighbours => "neighbours have different labels",
        }
    }
}

/// The numbers of a pair of classes.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Pair {
    /// The two classes, `i < j`.
    pub classes: (usize, usize),
    /// The terms of `clm`.
    pub terms: ClmTerms,
    /// `clm` of the pair.
    pub score: f64,
    /// For either class, the share of its points that lie closer to the other class.
    pub closer_to_other: [f64; 2],
    /// For either class, the share of its points whose neighbours vote for the other class.
    pub voted_for_other: [f64; 2],
    /// How deep the valley between the two is along the line between their centres: 0 if it is empty, 1 if there is none.
    pub valley: f64,
    /// What the pair looks like.
    pub verdict: PairVerdict,
    /// The terms that fail, the lowest first; empty for a separate pair.
    pub fails: Vec<Term>,
    /// The features that matter to the pair; they are not looked for in a separate pair.
    pub features: PairFeatures,
    /// `clm` of the dataset if the two were merged. `None` for a separate pair, for one that is not among the worst
    /// [`MERGES`](super::MERGES), and where merging would leave a single class.
    pub merged_score: Option<f64>,
}

/// The points that have a say about pairs of classes.
pub(super) struct Jury<'a> {
    cells: &'a Cells,
    /// Their rows in the frame, class by class.
    members: Vec<Vec<usize>>,
    /// n x K: squared distances to the centroids of the members.
    squares: Vec<f64>,
}

impl<'a> Jury<'a> {
    /// `has_a_say` takes a row of the frame. If fewer than two points of a class have a say, all of its points do.
    ///
    /// Time: O(n K d). Memory: O(n K).
    pub(super) fn new(cells: &'a Cells, has_a_say: impl Fn(usize) -> bool) -> Jury<'a> {
        let of = |class: usize| {
            let some: Vec<usize> = cells.points(class).filter(|&row| has_a_say(row)).collect();
            if some.len() < 2 { cells.points(class).collect() } else { some }
        };
        let members: Vec<Vec<usize>> = (0..cells.count()).map(of).collect();
        let squares = cells.squares_to_means_of(&members);
        Jury { cells, members, squares }
    }

    /// Diagnoses the pair of classes `i < j`.
    pub(super) fn diagnose(&self, i: usize, j: usize) -> Pair {
        let terms = self.cells.pair_terms([&[i], &[j]]);
        let [closer_to_other, voted_for_other] = [
            wrong_sides(&self.cells.costs(i, j)),
            outvoted(&self.votes(i, j, [self.cells.points(i).collect(), self.cells.points(j).collect()])),
        ];
        let costs = self.costs(i, j);
        let votes = self.votes(i, j, [self.members[i].clone(), self.members[j].clone()]);
        let (sides, against) = (wrong_sides(&costs), outvoted(&votes));
        let heard = VerdictInputs {
            c: mean(sides),
            w: mean(against),
            mutual: (0..2).all(|class| sides[class].max(against[class]) >= MUTUAL),
            terms: ClmTerms::new(eta(&costs), terms.kappa, nu(&votes)),
            valley: valley(costs),
        };
        let verdict = heard.verdict();
        Pair {
            classes: (i, j),
            terms,
            score: terms.score(),
            closer_to_other,
            voted_for_other,
            valley: heard.valley,
            verdict,
            fails: if verdict == PairVerdict::Separate { Vec::new() } else { failing(&terms) },
            features: PairFeatures::default(),
            merged_score: None,
        }
    }

    /// u(x) of the members of two classes.
    fn costs(&self, i: usize, j: usize) -> [Vec<f64>; 2] {
        let sizes = [i, j].map(|class| self.members[class].len() as f64);
        [0, 1].map(|own| {
            let factor = |label: usize| {
                let n = sizes[label];
                if label == own { n / (n - 1.0) } else { n / (n + 1.0) }
            };
            let square = |x: usize, class: usize| self.squares[x * self.cells.count() + class];
            let cost = |&x: &usize| factor(0) * square(x, i) - factor(1) * square(x, j);
            self.members[[i, j][own]].iter().map(cost).collect()
        })
    }

    /// The votes of the nearest points for the first and the second class, for each of the given points of the two classes.
    fn votes(&self, i: usize, j: usize, points: [Vec<usize>; 2]) -> NeighbourVotes {
        let view = self.cells.pair(i, j);
        let of = |rows: Vec<usize>| rows.into_iter().map(|x| clm::neighbours(&view, x)).collect();
        let [first, second] = points;
        NeighbourVotes { sizes: [view.size(i), view.size(j)], of: [of(first), of(second)] }
    }
}

/// Votes of the nearest points.
struct NeighbourVotes {
    /// The sizes of the two classes.
    sizes: [f64; 2],
    /// For each point of either class, how many of its nearest points belong to the first class and to the second.
    of: [Vec<[f64; 2]>; 2],
}

/// The numbers that decide the verdict.
struct VerdictInputs {
    c: f64,
    w: f64,
    /// Whether either class has points on the side of the other, or among its points.
    mutual: bool,
    valley: f64,
    terms: ClmTerms,
}

fn mean([a, b]: [f64; 2]) -> f64 {
    f64::midpoint(a, b)
}

impl VerdictInputs {
    fn verdict(&self) -> PairVerdict {
        let m = self.c.min(self.w);
        let ClmTerms { eta, kappa, nu, .. } = self.terms;
        if m >= 0.25 {
            // Where only one class has points amid the other, many of its labels are wrong, or it consists of several clusters.
            if self.mutual { PairVerdict::OneCluster } else { PairVerdict::Overlapping }
        } else if kappa >= 0.8 {
            PairVerdict::Separate
        } else if kappa < 0.5 && self.valley >= 0.9 && self.c <= 2.0 * self.w + 0.01 {
            PairVerdict::OneCluster
        } else if nu >= 0.98 || (m <= 0.02 && eta >= 0.85) {
            PairVerdict::Separate
        } else if m <= 0.06 {
            PairVerdict::Touching
        } else {
            PairVerdict::Overlapping
        }
    }
}

/// The terms below the bar in ascending order, or the lowest term if none is below it.
fn failing(terms: &ClmTerms) -> Vec<Term> {
    let mut all = [(Term::Line, terms.eta), (Term::Tree, terms.kappa), (Term::Neighbours, terms.nu)];
    all.sort_by(|a, b| a.1.total_cmp(&b.1));
    let below = all.iter().filter(|(_, value)| *value < FAILS).count();
    all[..below.max(1)].iter().map(|&(term, _)| term).collect()
}

/// The share of either class for which the other one costs less; points in between count half.
fn wrong_sides([first, second]: &[Vec<f64>; 2]) -> [f64; 2] {
    let share = |costs: &[f64], sign: f64| {
        costs.iter().map(|u| wrongness(sign * u, 0.0)).sum::<f64>() / costs.len() as f64
    };
    [share(first, 1.0), share(second, -1.0)]
}

/// How much a point counts as wrong if `other` speaks for the other class and `own` for its own.
fn wrongness(other: f64, own: f64) -> f64 {
    if other > own {
        1.0
    } else if other == own {
        0.5
    } else {
        0.0
    }
}

/// The share of either class whose nearest points vote for the other one, each weighted by 1 / size of its class.
fn outvoted(votes: &NeighbourVotes) -> [f64; 2] {
    [0, 1].map(|own| {
        let against = |counts: &[f64; 2]| {
            let [own, other] = [own, 1 - own].map(|label| counts[label] / votes.sizes[label]);
            wrongness(other, own)
        };
        votes.of[own].iter().map(against).sum::<f64>() / votes.of[own].len() as f64
    })
}

/// The agreement of neighbours that follows from these votes.
fn nu(votes: &NeighbourVotes) -> f64 {
    let total = |points: &Vec<[f64; 2]>| {
        points.iter().fold([0.0; 2], |sum, counts| [sum[0] + counts[0], sum[1] + counts[1]])
    };
    normalised_information([total(&votes.of[0]), total(&votes.of[1])].as_flattened(), 2)
}

/// The mass of u in the middle divided by the smaller of the masses at the class medians.
fn valley(mut costs: [Vec<f64>; 2]) -> f64 {
    let medians = costs.each_mut().map(|costs| {
        costs.sort_by(f64::total_cmp);
        clmatch_kernels::quantile(costs, 0.5).unwrap_or(0.0)
    });
    let (middle, half) = (f64::midpoint(medians[0], medians[1]), (medians[1] - medians[0]) / 2.0);
    if half <= 0.0 {
        return 1.0;
    }
    // Both classes have the same weight.
    let mass = |place: f64| {
        let (low, high) = (middle + (place - NEAR) * half, middle + (place + NEAR) * half);
        let share = |costs: &Vec<f64>| {
            let inside = costs.partition_point(|&u| u <= high) - costs.partition_point(|&u| u < low);
            inside as f64 / costs.len() as f64
        };
        costs.iter().map(share).sum::<f64>()
    };
    let (inside, peak) = (mass(0.0), mass(-1.0).min(mass(1.0)));
    if inside == 0.0 { 0.0 } else { inside / peak }
}

#[cfg(test)]
mod tests;
