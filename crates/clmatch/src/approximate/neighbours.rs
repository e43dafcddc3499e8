//! Estimates `clm` and `clm_pairs` from a sample: the agreement of neighbours depends on how often neighbours belong to another
//! class.
//!
//! For each ordered pair of classes, the share of such neighbours is a mean over the points of one class. So is, for each class,
//! the share of its neighbours among all points that belong to each class. These shares are estimated from three strata: points
//! chosen with certainty, points near a completed class, and the others, which have no neighbour in any completed class (see
//! [`sample`](super::sample)).
//!
//! The agreement is a curved function of the shares. The delete-a-group jackknife, with the correction for finite populations,
//! corrects its bias and gives the error. A share of 0 in the sample does not prove that the share is 0. Therefore the error
//! includes, in quadrature, how much the score would change with one and a half more drawn points of each stratum whose
//! neighbours are all in the other class; among all points, that is the class which has most of the neighbours besides their own.

use std::sync::Arc;

use super::Estimated;
use super::sample::{ClassSample, PointSample};
use crate::kernels::pairs::{DistanceTables, NEAREST};
use crate::measure::Measure;
use crate::measure::clm;
use crate::statistics::{BaseStatistics, Statistics, View};

/// The number of groups of the jackknife.
const GROUPS: usize = 20;
/// The 97.5% point of Student's t with one degree of freedom fewer than there are groups.
const STUDENT: f64 = 2.093;
/// How many points of a stratum may have all neighbours in the other class without any of them being drawn.
const UNSEEN: f64 = 1.5;

/// Rows of distances of one class, with the strata that they stand for.
struct ClassRows {
    certain: usize,
    /// Points near completed classes, then the others.
    strata: Vec<Stratum>,
    size: f64,
    complete: bool,
}

/// A part of a class of which some points were drawn.
struct Stratum {
    /// How many points it has.
    size: f64,
    /// How many were drawn; their rows follow those of the previous strata.
    drawn: usize,
    /// Whether none of its points has a neighbour in a completed class.
    clear: bool,
}

impl Stratum {
    /// The share of points that were not examined.
    fn unseen(&self) -> f64 {
        1.0 - self.drawn as f64 / self.size
    }
}

/// The share of neighbours in the other class: in the sample, and without each group.
struct Share {
    all: f64,
    without: [f64; GROUPS],
    /// How much the share would change by what may have been missed.
    missed: f64,
}

/// A score: of the sample, and without each group.
struct Jackknife {
    all: f64,
    without: [f64; GROUPS],
}

impl Jackknife {
    /// The score, corrected for its bias and kept in the range of the measure.
    fn value(&self) -> f64 {
        let mean = self.without.iter().sum::<f64>() / GROUPS as f64;
        self.all + (GROUPS - 1) as f64 * (self.all - mean)
    }

    /// Half the width of a 95% interval.
    fn error(&self) -> f64 {
        let mean = self.without.iter().sum::<f64>() / GROUPS as f64;
        let squares: f64 = self.without.iter().map(|without| (without - mean).powi(2)).sum();
        STUDENT * (squares * (GROUPS - 1) as f64 / GROUPS as f64).sqrt()
    }

    fn add(&mut self, other: &Jackknife, weight: f64) {
        self.all += weight * other.all;
        self.without.iter_mut().zip(other.without).for_each(|(sum, without)| *sum += weight * without);
    }
}

/// Estimates a measure that depends on neighbours.
pub(super) fn estimate(base: &Arc<BaseStatistics>, sample: &PointSample, measure: &Measure) -> Estimated {
    let (statistics, classes) = rows(base, sample);
    let count = classes.len();
    let number = (count * (count - 1) / 2) as f64;
    let mut total = Jackknife { all: 0.0, without: [0.0; GROUPS] };
    let mut pairs = Vec::new();
    // The sum of the squared changes by what may have been missed.
    let mut missed = 0.0;
    for i in 0..count {
        for j in i + 1..count {
            let view = statistics.pair_with(i, j, measure.definition.needs());
            let shares = [share(&view, &classes, i, j), share(&view, &classes, j, i)];
            let score = |a: f64, b: f64| clm::with_shares(&view, [a, b]);
            let [a, b] = [&shares[0], &shares[1]];
            let of_pair = Jackknife {
                all: score(a.all, b.all),
                without: std::array::from_fn(|group| score(a.without[group], b.without[group])),
            };
            missed += ((score(a.all + a.missed, b.all) - of_pair.all) / number).powi(2);
            missed += ((score(a.all, b.all + b.missed) - of_pair.all) / number).powi(2);
            total.add(&of_pair, 1.0 / number);
            pairs.push(of_pair.value().clamp(0.0, 1.0));
        }
    }
    if let Some(of_all) = measure.definition.of_all() {
        let (of_all, missed_of_all) = all_classes(&statistics.whole_with(of_all.needs), &classes);
        let of_pairs = std::mem::replace(&mut total, Jackknife { all: 0.0, without: [0.0; GROUPS] });
        [of_pairs, of_all].iter().for_each(|half| total.add(half, 0.5));
        // The same points may have been missed in both halves.
        missed = (missed.sqrt() / 2.0 + missed_of_all.sqrt() / 2.0).powi(2);
    }
    let error = total.error().hypot(missed.sqrt());
    Estimated { value: total.value().clamp(0.0, 1.0), pairs, error }
}

/// The score of all classes at once, and the sum of the squared changes by what may have been missed.
fn all_classes(view: &View<'_>, classes: &[ClassRows]) -> (Jackknife, f64) {
    let count = classes.len();
    let rows: Vec<Votes> = (0..count).map(|class| votes(view, classes, class)).collect();
    let table =
        |of: &dyn Fn(&Votes) -> &[f64]| rows.iter().flat_map(|row| of(row).to_vec()).collect::<Vec<f64>>();
    let all = table(&|row| &row.all);
    let score = |votes: &[f64]| clm::score_with_votes(view, votes);
    let of_sample = score(&all);
    let missed = rows.iter().enumerate().map(|(class, row)| {
        let mut votes = all.clone();
        let own = class * count + class;
        let others = (class * count..(class + 1) * count).filter(|&at| at != own);
        if let Some(most) = others.max_by(|&a, &b| votes[a].total_cmp(&votes[b])) {
            let moved = row.missed.min(votes[own] / 2.0);
            votes[own] -= moved;
            votes[most] += moved;
        }
        (score(&votes) - of_sample).powi(2)
    });
    let missed = missed.sum();
    let without = std::array::from_fn(|group| score(&table(&|row| &row.without[group])));
    (Jackknife { all: of_sample, without }, missed)
}

/// How many of the neighbours of the points of a class belong to each class.
struct Votes {
    all: Vec<f64>,
    without: Vec<Vec<f64>>,
    /// How much the share would change by what may have been missed.
    missed: f64,
}

fn votes(view: &View<'_>, classes: &[ClassRows], of: usize) -> Votes {
    let class = &classes[of];
    let mut points = view.points(of);
    let wanted = (view.n() - 1.0).min(NEAREST as f64);
    let mut add = |weight: f64, votes: &mut [f64]| {
        if let Some(point) = points.next() {
            clm::add_votes(view, point, weight, votes);
        }
    };
    let mut certain = vec![0.0; classes.len()];
    (0..class.certain).for_each(|_| add(1.0, &mut certain));
    let mut found = Votes { without: vec![certain.clone(); GROUPS], all: certain, missed: 0.0 };
    for stratum in &class.strata {
        let mut groups = vec![(vec![0.0; classes.len()], 0.0); GROUPS];
        for drawn in 0..stratum.drawn {
            let group = &mut groups[drawn % GROUPS];
            add(1.0, &mut group.0);
            group.1 += 1.0;
        }
        let count = stratum.drawn as f64;
        for class in 0..classes.len() {
            let sum: f64 = groups.iter().map(|group| group.0[class]).sum();
            let mean = sum / count;
            found.all[class] += stratum.size * mean;
            for (without, group) in found.without.iter_mut().zip(&groups) {
                let left = (sum - group.0[class]) / (count - group.1);
                without[class] += stratum.size * (mean + stratum.unseen().sqrt() * (left - mean));
            }
        }
        let may_be_missed =
            !stratum.clear || classes.iter().enumerate().any(|(other, rows)| other != of && !rows.complete);
        if may_be_missed {
            found.missed += wanted * stratum.size * stratum.unseen() * UNSEEN / count;
        }
    }
    found
}

/// The rows of all classes, in the order of their strata.
fn rows(base: &Arc<BaseStatistics>, sample: &PointSample) -> (Statistics, Vec<ClassRows>) {
    let mut nearest = Vec::new();
    let mut seen = vec![0];
    let mut classes = Vec::new();
    for (class, of_class) in sample.classes.iter().enumerate() {
        let before = nearest.len();
        classes.push(rows_of_class(sample, class, of_class, &mut nearest));
        let added = (nearest.len() - before) / (NEAREST * sample.classes.len());
        seen.push(seen[seen.len() - 1] + added);
    }
    let distances = DistanceTables { nearest, ..DistanceTables::default() };
    (Statistics::with_distances(base.clone(), distances, seen), classes)
}

fn rows_of_class(sample: &PointSample, class: usize, own: &ClassSample, nearest: &mut Vec<f64>) -> ClassRows {
    let complete = own.is_complete();
    let certain = if complete { own.rows.len() } else { own.certain };
    own.rows[..certain].iter().for_each(|row| nearest.extend(&row.nearest));
    let mut rows = ClassRows { certain, strata: Vec::new(), size: own.size() as f64, complete };
    if complete {
        return rows;
    }
    let is_near = |place: usize| sample.is_near(class, own.order[place]);
    let places: Vec<usize> = (certain..own.size()).collect();
    let (near, clear): (Vec<usize>, Vec<usize>) = places.into_iter().partition(|&place| is_near(place));
    let drawn = |places: &[usize]| places.iter().filter(|&&place| place < own.rows.len()).count();
    // A stratum needs two drawn points to show how they differ; otherwise the class is one stratum.
    let (near_drawn, clear_drawn) = (drawn(&near), drawn(&clear));
    let looked_at = near.iter().filter(|&&place| own.near.contains_key(&own.order[place])).count();
    if (near.is_empty() || near_drawn + looked_at >= 2) && (clear.is_empty() || clear_drawn >= 2) {
        let mut add = |places: &[usize], with_near: bool, clear: bool| {
            let before = nearest.len();
            for &place in places {
                let extra = if with_near { own.near.get(&own.order[place]) } else { None };
                if let Some(row) = own.rows.get(place).or(extra) {
                    nearest.extend(&row.nearest);
                }
            }
            let drawn = (nearest.len() - before) / (NEAREST * sample.classes.len());
            if drawn > 0 {
                rows.strata.push(Stratum { size: places.len() as f64, drawn, clear });
            }
        };
        add(&near, true, false);
        add(&clear, false, true);
    } else {
        own.rows[certain..].iter().for_each(|row| nearest.extend(&row.nearest));
        rows.strata.push(Stratum { size: own.rest() as f64, drawn: own.drawn(), clear: false });
    }
    rows
}

/// The share of the neighbours of class `from` that belong to class `to`, within their pair.
fn share(view: &View<'_>, classes: &[ClassRows], from: usize, to: usize) -> Share {
    let class = &classes[from];
    let other = usize::from(from < to);
    let mut points = view.points(from);
    let mut next = || points.next().map_or(0.0, |point| clm::neighbour_shares(view, point)[other]);
    let certain: f64 = (0..class.certain).map(|_| next()).sum();
    let mut share = Share { all: certain, without: [certain; GROUPS], missed: 0.0 };
    for stratum in &class.strata {
        let mut groups = [(0.0, 0.0); GROUPS];
        for drawn in 0..stratum.drawn {
            let group = &mut groups[drawn % GROUPS];
            *group = (group.0 + next(), group.1 + 1.0);
        }
        let (sum, count) = groups.iter().fold((0.0, 0.0), |all, group| (all.0 + group.0, all.1 + group.1));
        let mean = sum / count;
        share.all += stratum.size * mean;
        for (without, group) in share.without.iter_mut().zip(groups) {
            let left = (sum - group.0) / (count - group.1);
            *without += stratum.size * (mean + stratum.unseen().sqrt() * (left - mean));
        }
        if !(stratum.clear && classes[to].complete) {
            share.missed += stratum.size * stratum.unseen() * UNSEEN / count;
        }
    }
    share.all /= class.size;
    share.missed = (share.missed / class.size).min((1.0 - share.all) / 2.0);
    share.without.iter_mut().for_each(|without| *without /= class.size);
    share
}
