//! Which points each replicate of the block jackknife leaves out.
//!
//! Points are dealt into groups by a hash of their values, so that neither the order of rows nor the names of classes matters.
//! Points of different classes are dealt together, so that the sizes of classes vary between replicates as they do between
//! samples; only the points of a class with fewer than 42 are spread evenly over the groups, so that no class runs short. Equal
//! rows of a class are copies of one observation and share a group, unless values are so coarse (integers, rating scales, one-hot
//! columns) that rows are equal by chance: then each row is an observation of its own.

use std::collections::HashMap;

use clmatch_kernels::parallel;
use rayon::slice::ParallelSliceMut;

use crate::classes::Classes;
use crate::error::DataError;
use crate::kernels::random::SplitMix;

/// How many groups the points are dealt into, and how many replicates there are.
pub const GROUPS: usize = 21;
/// Replicate r leaves out these groups plus r, modulo [`GROUPS`]: a perfect difference set, so that any two groups are left out
/// together equally often.
const LEFT_OUT: [usize; 5] = [0, 1, 4, 14, 16];
/// The factor that takes the place of one over the number of groups in an ordinary jackknife: `kept / (left out x replicates)`.
pub(crate) const FACTOR: f64 = (GROUPS - LEFT_OUT.len()) as f64 / (LEFT_OUT.len() as f64 * GROUPS as f64);
/// The share of the groups that a replicate keeps.
pub(super) const KEPT: f64 = (GROUPS - LEFT_OUT.len()) as f64 / GROUPS as f64;
/// With 4 units in a class, every replicate keeps at least 2 of them: at most two of four consecutive groups are left out.
pub(crate) const SMALLEST_CLASS: usize = 4;
/// If there are more units than this, replicates are made from a sample of them.
pub(crate) const MOST_POINTS: usize = 20_000;
/// Equal rows count as copies if there are this many times more pairs of them than by chance.
const MORE_THAN_CHANCE: f64 = 10.0;
/// A class is not thinned out below this number of units: two in every group.
const KEPT_OF_CLASS: usize = 2 * GROUPS;
/// Features that are processed together.
const AT_ONCE: usize = 16;

/// For each group, whether a replicate keeps it.
pub(crate) fn kept_groups(replicate: usize) -> [bool; GROUPS] {
    let mut kept = [true; GROUPS];
    LEFT_OUT.iter().for_each(|group| kept[(group + replicate) % GROUPS] = false);
    kept
}

/// The group of every point, which determines the points that the replicates of a dataset leave out.
///
/// To compare several representations of the same rows, use the groups of one of them for all, so that their replicates leave out
/// the same rows.
#[derive(Debug, Clone)]
pub struct Groups {
    /// The rows of the input, class after class; within a class, in the order of the input.
    pub(crate) order: Vec<usize>,
    /// Where each class starts.
    pub(crate) starts: Vec<usize>,
    /// The group of each place in `order`.
    pub(crate) of_place: Vec<u8>,
    /// The numbers of rows and features of the whole dataset.
    rows: usize,
    features: usize,
    /// The number of independent observations in each class of the whole dataset.
    units: Vec<usize>,
    /// The number of independent observations in each class among the points that were dealt.
    dealt_units: Vec<usize>,
}

/// A unit of a class: its hash and its row. Copies are adjacent and have the same hash.
type Unit = (u64, usize);

impl Groups {
    /// Deals the points of a dataset into groups; with more than 20,000 points, those of a sample.
    ///
    /// # Errors
    /// A class with fewer than 4 points.
    pub fn new(classes: &Classes<'_>, seed: u64) -> Result<Groups, DataError> {
        Groups::of_at_most(classes, seed, MOST_POINTS)
    }

    pub(crate) fn of_at_most(classes: &Classes<'_>, seed: u64, most: usize) -> Result<Groups, DataError> {
        let small = (0..classes.n_classes()).find(|&class| classes.size(class) < SMALLEST_CLASS);
        if let Some(class) = small {
            let name = classes.names()[class].clone();
            let (size, needed) = (classes.size(class), SMALLEST_CLASS);
            return Err(DataError::TooFewForInterval { class: name, size, needed });
        }
        let units = units(classes, seed);
        let distinct = |units: &Vec<Unit>| units.chunk_by(|a, b| a.0 == b.0).count();
        let counts: Vec<usize> = units.iter().map(distinct).collect();
        // Classes in the order of their contents, so that one counter can run on across them.
        let mut by_content: Vec<usize> = (0..units.len()).collect();
        by_content
            .sort_by(|&a, &b| units[a].iter().map(|unit| unit.0).cmp(units[b].iter().map(|unit| unit.0)));
        let share = (most as f64 / counts.iter().sum::<usize>() as f64).min(1.0);
        let mut dealt: Vec<Vec<(u8, usize)>> = vec![Vec::new(); units.len()];
        let mut dealt_units = vec![0; units.len()];
        // Small classes come first, one after the other, then all others together, in the order of their hashes.
        let (mut small, mut others) = (Vec::new(), Vec::new());
        for class in by_content {
            // The first units in the order of hashes are a random sample.
            let kept = ((counts[class] as f64 * share).ceil() as usize).max(KEPT_OF_CLASS).min(counts[class]);
            let of_class = units[class].chunk_by(|a, b| a.0 == b.0).take(kept).map(|copies| (class, copies));
            let some = if kept < KEPT_OF_CLASS { &mut small } else { &mut others };
            some.extend(of_class);
            dealt_units[class] = kept;
        }
        others.sort_by_key(|(_, copies)| copies[0].0);
        for (at, (class, copies)) in small.into_iter().chain(others).enumerate() {
            let group = (at % GROUPS) as u8;
            dealt[class].extend(copies.iter().map(|&(_, row)| (group, row)));
        }
        dealt.iter_mut().for_each(|of_class| of_class.sort_unstable_by_key(|&(_, row)| row));
        let (mut order, mut of_place, mut starts) = (Vec::new(), Vec::new(), vec![0]);
        for of_class in dealt {
            of_place.extend(of_class.iter().map(|&(group, _)| group));
            order.extend(of_class.into_iter().map(|(_, row)| row));
            starts.push(order.len());
        }
        let (rows, features) = (classes.n_points(), classes.points().n_features());
        Ok(Groups { order, starts, of_place, rows, features, units: counts, dealt_units })
    }

    /// Whether at least one row in twenty is a copy of another, provided that several features distinguish copies from coarse
    /// values.
    pub fn has_copies(&self) -> bool {
        self.features > 1 && 20 * (self.rows - self.units.iter().sum::<usize>()) >= self.rows
    }

    /// How many points were dealt.
    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    /// How much information the classes of the whole dataset give.
    pub(crate) fn sizes(&self) -> EffectiveSizes {
        EffectiveSizes::of(&self.units)
    }

    /// The factor that turns a spread of these points into that of the whole dataset: below 1 for a sample.
    pub(crate) fn shrink(&self) -> f64 {
        (EffectiveSizes::of(&self.dealt_units).effective / self.sizes().effective).sqrt()
    }

    /// Whether a replicate keeps each place.
    pub(crate) fn mask(&self, replicate: usize) -> Vec<bool> {
        let kept = kept_groups(replicate);
        self.of_place.iter().map(|&group| kept[usize::from(group)]).collect()
    }

    /// The places that a replicate keeps, and where its classes start among them.
    pub(crate) fn kept(&self, replicate: usize) -> (Vec<usize>, Vec<usize>) {
        let kept = kept_groups(replicate);
        let mut places = Vec::with_capacity(self.len());
        let mut starts = vec![0];
        for bounds in self.starts.windows(2) {
            places.extend((bounds[0]..bounds[1]).filter(|&place| kept[usize::from(self.of_place[place])]));
            starts.push(places.len());
        }
        (places, starts)
    }
}

/// How much information the classes give, by their numbers of independent observations `m_i`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct EffectiveSizes {
    /// `K^2 / sum 1/m_i`: the number of points of equal classes that give as much information. A score is a mean over pairs in
    /// which each class weighs the same, so that one odd point of class i moves it by about `1/(K m_i)`.
    pub(crate) effective: f64,
    /// Satterthwaite's degrees of freedom, `(sum 1/m_i)^2 / sum 1/(m_i^2 (m_i - 1))`, but at most one less than there are groups:
    /// with 10 and 60 points, the spread is known from ten points, not from 21 groups.
    pub(crate) freedom: f64,
}

impl EffectiveSizes {
    fn of(units: &[usize]) -> EffectiveSizes {
        let inverse: f64 = units.iter().map(|&m| 1.0 / m as f64).sum();
        let squares: f64 = units.iter().map(|&m| 1.0 / ((m * m) as f64 * (m as f64 - 1.0))).sum();
        let most = (GROUPS - 1) as f64;
        EffectiveSizes {
            effective: (units.len() * units.len()) as f64 / inverse,
            freedom: (inverse * inverse / squares).min(most),
        }
    }
}

/// The units of each class, sorted by hash.
fn units(classes: &Classes<'_>, seed: u64) -> Vec<Vec<Unit>> {
    let hash = |&row: &usize| (classes.hash_of_row(row, seed), row);
    let mut units: Vec<Vec<Unit>> = (0..classes.n_classes())
        .map(|class| {
            let mut of_class: Vec<Unit> = parallel::map(&classes.order()[classes.range(class)], hash);
            of_class.par_sort_unstable();
            of_class
        })
        .collect();
    for of_class in &mut units {
        let few = of_class.chunk_by(|a, b| a.0 == b.0).nth(SMALLEST_CLASS - 1).is_none();
        if few || !are_copies(classes, of_class) {
            for copies in of_class.chunk_by_mut(|a, b| a.0 == b.0) {
                for (at, unit) in copies.iter_mut().enumerate() {
                    unit.0 = SplitMix::new(unit.0 ^ at as u64).next();
                }
            }
            of_class.par_sort_unstable();
        }
    }
    units
}

/// Whether equal rows of a class are copies of one observation: they are if there are far more pairs of them than if the features
/// varied independently, as they do in the other rows. Coarse values, such as integers and ratings, make rows equal by chance. A
/// single feature cannot distinguish copies from coarse values; in that case rows count as copies unless each of them occurs more
/// than three times on average.
fn are_copies(classes: &Classes<'_>, units: &[Unit]) -> bool {
    let pairs = |count: usize| (count * (count - 1) / 2) as f64;
    let equal: f64 = units.chunk_by(|a, b| a.0 == b.0).map(|copies| pairs(copies.len())).sum();
    if equal == 0.0 {
        return true;
    }
    let (values, features) = (classes.points().values(), classes.points().n_features());
    if features == 1 {
        return 3 * units.chunk_by(|a, b| a.0 == b.0).count() >= units.len();
    }
    let rows: Vec<&[Unit]> = units.chunk_by(|a, b| a.0 == b.0).collect();
    // For each row: the logarithm of the share of the other rows that agree with it in a feature.
    let agreement = |feature: usize| {
        let value = |row: &[Unit]| (values.get(row[0].1 * features + feature) + 0.0).to_bits();
        let mut of_value: HashMap<u64, usize> = HashMap::new();
        rows.iter().for_each(|row| *of_value.entry(value(row)).or_default() += row.len());
        let share = |row: &&[Unit]| {
            ((of_value[&value(row)] - row.len()) as f64 / (units.len() - row.len()) as f64).ln()
        };
        rows.iter().map(share).collect::<Vec<f64>>()
    };
    let mut by_chance = vec![0.0; rows.len()];
    let all: Vec<usize> = (0..features).collect();
    for some in all.chunks(AT_ONCE) {
        for of_feature in parallel::map(some, |&feature| agreement(feature)) {
            by_chance.iter_mut().zip(of_feature).for_each(|(sum, share)| *sum += share);
        }
    }
    let expected = rows.iter().zip(by_chance).map(|(row, share)| row.len() as f64 * share.exp());
    equal > MORE_THAN_CHANCE * expected.sum::<f64>() * (units.len() - 1) as f64 / 2.0
}

#[cfg(test)]
mod tests;
