//! Moments of classes, pairs of classes and the whole dataset, computed from the input without copying it.
//!
//! Notation: `n` points, `d` features, `K` classes; class i has `n_i` points, centroid `c_i`,
//! `r_i(x) = |x - c_i|^2`, `V_i = mean r_i`. For a set S (a pair of classes or everything) with centroid `c_S` and
//! `r(x) = |x - c_S|^2`:
//!
//! ```text
//! T = mean r        s2 = std r        s1 = std sqrt(r)        radius = mean sqrt(r)
//! ```
//!
//! There are two routes to the moments of each class around its own centroid and around those of all its sets. [`profile`]
//! combines these into the moments of the sets:
//!
//! * [`scatter`]: one read of the data and about d^2/2 multiply-adds per point; no square roots.
//! * [`table`]: two reads and d K multiply-adds per point.
//!
//! The cheaper route is taken. Where an identity cancels, [`direct`] computes the set from its definition.
//!
//! Time: O(n d min(d, K)), or O(n d K) with roots. Memory: O(K d + K^2), and states that take at most an eighth of the data.
#![allow(unsafe_code)]

mod block;
mod centroid_sums;
mod centroids;
mod class_sums;
mod direct;
mod driver;
pub mod median;
mod origin;
mod panel;
mod profile;
mod scatter;
mod table;
#[cfg(test)]
mod tests;

use clmatch_kernels::parallel;
use clmatch_kernels::simd::{LANES, Level};

pub(crate) use self::block::{Centres, Sets, block_centroids, block_matrices};
use self::centroid_sums::CentroidPass;
use self::centroids::Centroids;
pub(crate) use self::class_sums::{ClassSums, ScatterSums};
pub use self::origin::Origin;
use self::origin::spaced;
use self::panel::CentredInput;
use self::profile::{CentreColumns, Profile, not_below_zero};
use self::scatter::ScatterPass;
use self::table::TablePass;
use super::moments::{ClassMoments, Spread};
use crate::classes::Classes;

/// How many rows of a class its reference is computed from.
const SAMPLE: usize = 32;
/// A reference whose squared distance from the centroid is more than this many times `V_i` costs digits, so another pass is
/// needed.
const ASTRAY: f64 = 4.0;
/// The cost of reading a number once more, in multiply-adds: from memory and from the cache.
const REREAD: (usize, usize) = (40, 8);
/// How many bytes of data stay in the cache from one pass to the next.
const CACHED: usize = 4 << 20;
/// Full scatter matrices have at most half as many numbers as the data, or at most this many.
const SMALL: usize = 1 << 16;

/// Side of the squares in which tables of pairs are walked.
const SQUARE: usize = 16;

/// Which moments to compute; those of classes are always computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MomentRequest {
    /// The spread of the whole dataset.
    pub whole: bool,
    /// The spread of each pair of classes.
    pub pairs: bool,
    /// `s1` and `radius` of these sets, and the radii of classes.
    pub roots: bool,
    /// `eta` of each pair of classes.
    pub eta: bool,
}

/// The computed moments. Lengths are in units of the origin.
#[derive(Debug, Clone)]
pub struct Moments {
    /// Moments of classes. Centroids are relative to the centre of the origin; radii are empty unless requested.
    pub classes: ClassMoments,
    /// The whole dataset, if requested; `s1` and `radius` are NaN unless requested.
    pub whole: Option<Spread>,
    /// The spreads of pairs in the order of [`Classes::pairs`]; empty unless requested.
    pub pairs: Vec<Spread>,
    /// `eta` of pairs in the order of [`Classes::pairs`]; empty unless requested.
    pub eta: Vec<f64>,
    /// The coordinates that these moments are in.
    pub origin: Origin,
}

/// The routes to the moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Route {
    Scatter,
    Table,
}

/// Computes moments in the coordinates of `origin`, or of an origin that it chooses.
///
/// Time: O(n d min(d, K)), or O(n d K) with roots. Memory: O(K d + K^2), and at most an eighth of the data.
pub fn moments(classes: &Classes<'_>, origin: Option<Origin>, wanted: MomentRequest) -> Moments {
    compute(classes, origin, wanted, Level::best(), None)
}

fn compute(
    classes: &Classes<'_>,
    origin: Option<Origin>,
    wanted: MomentRequest,
    level: Level,
    route: Option<Route>,
) -> Moments {
    let attempt = |origin: Origin| attempt(classes, origin, wanted, level, route);
    let guess = origin.or_else(|| Origin::sampled(classes)).map(&attempt);
    match guess {
        Some(Attempt { moments, overflow: false }) => moments,
        _ => attempt(Origin::exact(classes)).moments,
    }
}

/// Moments, and whether numbers overflowed f64 along the way.
struct Attempt {
    moments: Moments,
    overflow: bool,
}

fn attempt(
    classes: &Classes<'_>,
    origin: Origin,
    wanted: MomentRequest,
    level: Level,
    route: Option<Route>,
) -> Attempt {
    let sizes: Vec<f64> = (0..classes.n_classes()).map(|class| classes.size(class) as f64).collect();
    let mut input = CentredInput::new(classes, origin.scale());
    let levels = refer(&mut input);
    match route.unwrap_or_else(|| cheaper(&input, wanted)) {
        Route::Scatter => {
            let (levels, states) = scatter_states(&mut input, levels, level);
            let pass = ScatterPass { features: input.features, blocks: input.blocks, levels: &levels };
            for (class, &size) in sizes.iter().enumerate() {
                let mean = pass.mean(states.of(class, driver::Pass::width(&pass)), size);
                move_centre(&mut input, class, &mean);
            }
            finish(&input, &sizes, origin, wanted, level, |columns| {
                scatter::profile(level, &pass, &states, columns)
            })
        }
        Route::Table => {
            let pass = CentroidPass { blocks: input.blocks };
            let states = driver::run(level, &input, &pass);
            let mut levels = Vec::with_capacity(sizes.len());
            for (class, &size) in sizes.iter().enumerate() {
                let (mean, square) = pass.means(states.of(class, driver::Pass::width(&pass)), size);
                levels.push(not_below_zero(square - mean.iter().map(|e| e * e).sum::<f64>()));
                move_centre(&mut input, class, &mean);
            }
            finish(&input, &sizes, origin, wanted, level, |columns| {
                let pass = TablePass {
                    features: input.features,
                    columns,
                    levels: &levels,
                    roots: wanted.roots,
                    deviations: false,
                };
                pass.profile(&driver::run(level, &input, &pass))
            })
        }
    }
}

/// Which route takes less time.
fn cheaper(input: &CentredInput<'_>, wanted: MomentRequest) -> Route {
    let (padded, count) = (input.padded(), input.classes());
    let columns = if wanted.pairs || wanted.eta { count.next_multiple_of(2 * LANES) } else { LANES };
    let reread = if input.rows() * input.row_bytes() > CACHED { REREAD.0 } else { REREAD.1 };
    let matrices = count * padded * padded;
    let slow = padded / 2 + 2 * LANES > columns + reread;
    if wanted.roots || slow || matrices > (input.values.len() / 2).max(SMALL) {
        Route::Table
    } else {
        Route::Scatter
    }
}

/// Sets the reference of each class to the mean of some of its rows, and returns their mean squared distances to it.
fn refer(input: &mut CentredInput<'_>) -> Vec<f64> {
    let padded = input.padded();
    let references: Vec<(Vec<f64>, f64)> = parallel::map_range(input.classes(), |class| {
        let members = input.members(class);
        let rows = || spaced(members.len(), SAMPLE).map(|at| input.row(members[at]));
        let share = 1.0 / rows().count() as f64;
        let first: Vec<f64> = input.row(members[0]).collect();
        // Uses differences from one of the rows, so that the mean of equal rows is exactly equal to them.
        let mut mean = vec![0.0; input.features];
        for row in rows() {
            for ((sum, x), first) in mean.iter_mut().zip(row).zip(&first) {
                *sum += x - first;
            }
        }
        for (mean, first) in mean.iter_mut().zip(&first) {
            *mean = first + *mean * share;
        }
        let squares = rows().map(|row| row.zip(&mean).map(|(x, mean)| (x - mean) * (x - mean)).sum::<f64>());
        let level = squares.sum::<f64>() * share;
        (mean, level)
    });
    let mut levels = Vec::with_capacity(references.len());
    for ((mean, level), minus) in references.into_iter().zip(input.minus.chunks_exact_mut(padded)) {
        minus.iter_mut().zip(mean).for_each(|(minus, mean)| *minus = -mean);
        levels.push(level);
    }
    levels
}

/// Moves the centre of a class by the mean of its centred rows.
fn move_centre(input: &mut CentredInput<'_>, class: usize, mean: &[f64]) {
    let place = input.place(class);
    input.shift[place].iter_mut().zip(mean).for_each(|(shift, mean)| *shift += mean);
}

/// Runs one pass, or two if a reference turns out to be far from its class.
fn scatter_states(
    input: &mut CentredInput<'_>,
    levels: Vec<f64>,
    level: Level,
) -> (Vec<f64>, driver::States) {
    let pass = ScatterPass { features: input.features, blocks: input.blocks, levels: &levels };
    let width = driver::Pass::width(&pass);
    let states = driver::run(level, input, &pass);
    let centres: Vec<(Vec<f64>, f64)> = (0..input.classes())
        .map(|class| {
            let (state, size) = (states.of(class, width), input.size(class));
            (pass.mean(state, size), pass.variance(class, state, size))
        })
        .collect();
    let astray = centres.iter().any(|(mean, variance)| {
        let square: f64 = mean.iter().map(|e| e * e).sum();
        square > ASTRAY * variance
    });
    if !astray {
        return (levels, states);
    }
    for (class, (mean, _)) in centres.iter().enumerate() {
        move_centre(input, class, mean);
    }
    let levels: Vec<f64> = centres.into_iter().map(|(_, variance)| variance).collect();
    let pass = ScatterPass { features: input.features, blocks: input.blocks, levels: &levels };
    let states = driver::run(level, input, &pass);
    (levels, states)
}

/// Computes the moments of all sets from centred classes; `profile` describes the classes around the centres of the sets.
fn finish(
    input: &CentredInput<'_>,
    sizes: &[f64],
    origin: Origin,
    wanted: MomentRequest,
    level: Level,
    profile: impl FnOnce(&CentreColumns<'_>) -> Profile,
) -> Attempt {
    let count = sizes.len();
    let centre: Vec<f64> = origin.centre.iter().map(|centre| centre * input.scale).collect();
    let centroids = Centroids::new(&input.minus, &input.shift, &centre, input.padded());
    let gaps = centroids.gaps(level);
    let columns = CentreColumns::new(sizes, &centroids, &gaps, wanted.pairs || wanted.eta, wanted.whole);
    let profile = profile(&columns);
    let spread = |members: &[(usize, usize)]| {
        let spread = profile.spread(&columns, members);
        if spread.lost { direct::spread(input, &columns, members, wanted.roots) } else { spread.value }
    };
    let eta = |i: usize, j: usize| {
        let eta = profile.eta(&columns, i, j);
        if eta.lost { direct::eta(input, &columns, i, j) } else { eta.value }
    };
    let overflow = !profile.is_finite();
    let whole: Vec<(usize, usize)> = (0..count).map(|class| (class, columns.count() - 1)).collect();
    let whole = (wanted.whole && !overflow).then(|| spread(&whole));
    let sets = |wanted: bool| if wanted && !overflow { count } else { 0 };
    let pairs = each_pair(sets(wanted.pairs), |i, j| spread(&[(i, j), (j, i)]));
    let eta = each_pair(sets(wanted.eta), eta);
    let radii = if wanted.roots {
        (0..count).map(|i| profile.root_means[i * columns.count() + columns.own(i)]).collect()
    } else {
        Vec::new()
    };
    let centroids = centroids.rows().flat_map(|row| &row[..input.features]).copied().collect();
    let classes = ClassMoments { centroids, variances: profile.variances, radii, gaps };
    Attempt { moments: Moments { classes, whole, pairs, eta, origin }, overflow }
}

/// A value for each pair of `count` classes, in the order of [`Classes::pairs`].
///
/// Tables of ordered pairs are read at (i, j) and (j, i): processing several neighbouring i at a time shares the cache lines of
/// (j, i).
fn each_pair<T: Send>(count: usize, value: impl Fn(usize, usize) -> T + Sync) -> Vec<T> {
    let side = if count > SQUARE * SQUARE { SQUARE } else { 1 };
    let starts: Vec<usize> = (0..count).step_by(side).collect();
    let block = |first: usize| {
        let last = (first + side).min(count);
        let mut rows: Vec<Vec<T>> = (first..last).map(|i| Vec::with_capacity(count - i - 1)).collect();
        for j in first + 1..count {
            for i in first..last.min(j) {
                rows[i - first].push(value(i, j));
            }
        }
        rows
    };
    let mut values = Vec::with_capacity(count * count.saturating_sub(1) / 2);
    parallel::map(&starts, |&first| block(first)).into_iter().flatten().for_each(|row| values.extend(row));
    values
}
