//! Blocks of rows: the sums of one block, and sets of classes from sums of all blocks.
//!
//! The first pass over the data may keep the scatter matrix of each class ([`block_matrices`], the scatter route) or
//! centroids only ([`block_centroids`]). A second pass, with centroids known, sums what the table route does ([`Centres`]);
//! its sums are plain additions, so that they can be merged in any order.

use clmatch_kernels::parallel;
use clmatch_kernels::simd::{Aligned, LANES, Level};

use super::centroid_sums::CentroidPass;
use super::centroids::Centroids;
use super::class_sums::{ClassSums, ScatterSums, dot, exact_sum};
use super::driver::{self, Pass, States};
use super::origin::Origin;
use super::panel::CentredInput;
use super::profile::{CentreColumns, Profile, not_below_zero};
use super::scatter::ScatterPass;
use super::table::TablePass;
use super::{MomentRequest, Moments, each_pair, move_centre, refer, scatter_states};
use crate::classes::Classes;
use crate::kernels::moments::ClassMoments;

/// Sums of each class of a block, with scatter matrices.
///
/// Time: O(n d^2). Memory: O(K d^2), and at most an eighth of the block.
pub(crate) fn block_matrices(block: &Classes<'_>, unit: f64) -> Vec<ClassSums> {
    let level = Level::best();
    let mut input = CentredInput::new(block, 1.0 / unit);
    let levels = refer(&mut input);
    let (levels, states) = scatter_states(&mut input, levels, level);
    let pass = ScatterPass { features: input.features, blocks: input.blocks, levels: &levels };
    let of_class = |class: usize| {
        let central = pass.central(class, states.of(class, pass.width()), input.size(class));
        let n = input.size(class);
        let (d, padded) = (input.features, input.padded());
        let upper = (0..d).flat_map(|row| &central.matrix[row * padded + row..row * padded + d]);
        let matrix = ScatterSums {
            fourth: n * central.fourth,
            terms: n * central.doubt,
            skew: central.covariance[..d].iter().map(|q| n * q).collect(),
            scatter: upper.map(|s| n * s).collect(),
        };
        (central.mean, n * central.variance, matrix)
    };
    let parts: Vec<_> = parallel::map_range(input.classes(), of_class);
    let mut sums = Vec::with_capacity(parts.len());
    for (class, (mean, squares, matrix)) in parts.into_iter().enumerate() {
        move_centre(&mut input, class, &mean);
        sums.push(class_sums(&input, class, unit, squares, Some(matrix)));
    }
    sums
}

/// Sums of each class of a block, without scatter matrices.
///
/// Time: O(n d). Memory: O(K d), and at most an eighth of the block.
pub(crate) fn block_centroids(block: &Classes<'_>, unit: f64) -> Vec<ClassSums> {
    let level = Level::best();
    let mut input = CentredInput::new(block, 1.0 / unit);
    refer(&mut input);
    let pass = CentroidPass { blocks: input.blocks };
    let states = driver::run(level, &input, &pass);
    let mut sums = Vec::with_capacity(input.classes());
    for class in 0..input.classes() {
        let n = input.size(class);
        let (mean, square) = pass.means(states.of(class, pass.width()), n);
        move_centre(&mut input, class, &mean);
        let squares = n * not_below_zero(square - dot(&mean, &mean));
        sums.push(class_sums(&input, class, unit, squares, None));
    }
    sums
}

/// The centroid of a class in two parts, along with its other sums.
fn class_sums(
    input: &CentredInput<'_>,
    class: usize,
    unit: f64,
    squares: f64,
    matrix: Option<ScatterSums>,
) -> ClassSums {
    let place = input.place(class);
    let parts = input.minus[place.clone()].iter().zip(&input.shift[place]).take(input.features);
    let (high, low) = parts
        .map(|(minus, shift)| {
            let (high, low) = exact_sum(-minus, *shift);
            (high * unit, low * unit)
        })
        .unzip();
    ClassSums { points: input.members(class).len() as u64, high, low, squares, matrix }
}

/// What is known about sets of classes, and where identities cancelled.
#[derive(Debug, Clone)]
pub(crate) struct Sets {
    pub(crate) moments: Moments,
    /// Whether the spread of each pair of classes was lost to cancellation.
    pub(crate) pairs_lost: Vec<bool>,
    /// Whether `eta` of each pair of classes was lost to cancellation.
    pub(crate) eta_lost: Vec<bool>,
}

/// The centroids of all classes, around which the moments of sets are taken.
#[derive(Debug, Clone)]
pub(crate) struct Centres {
    features: usize,
    padded: usize,
    pub(crate) sizes: Vec<f64>,
    /// `V_i`, in squared units.
    pub(crate) variances: Vec<f64>,
    /// K x padded: `-high`, in units.
    minus: Vec<f64>,
    /// K x padded: `low`, in units.
    shift: Vec<f64>,
    /// K x K squared distances, in squared units.
    gaps: Vec<f64>,
    origin: Origin,
}

impl Centres {
    /// Takes the sums of each class, whose lengths are in `unit`. Time: O(K^2 d). Memory: O(K d + K^2).
    pub(crate) fn new(classes: &[&ClassSums], unit: f64) -> Centres {
        let features = classes.first().map_or(0, |class| class.high.len());
        let padded = features.next_multiple_of(LANES);
        let scale = 1.0 / unit;
        let mut minus = vec![0.0; classes.len() * padded];
        let mut shift = minus.clone();
        for (at, class) in classes.iter().enumerate() {
            for f in 0..features {
                minus[at * padded + f] = -(class.high[f] * scale);
                shift[at * padded + f] = class.low[f] * scale;
            }
        }
        let origin =
            Origin { centre: classes.first().map_or_else(Vec::new, |class| class.high.clone()), unit };
        let sizes: Vec<f64> = classes.iter().map(|class| class.points as f64).collect();
        let variances = classes.iter().zip(&sizes).map(|(class, size)| class.squares / size).collect();
        let mut centres =
            Centres { features, padded, sizes, variances, minus, shift, gaps: Vec::new(), origin };
        let gaps = centres.with_centroids(|centroids| centroids.gaps(Level::best()));
        centres.gaps = gaps;
        centres
    }

    fn with_centroids<R>(&self, then: impl FnOnce(&Centroids<'_>) -> R) -> R {
        let origin: Vec<f64> = self.origin.centre.iter().map(|c| c * self.origin.scale()).collect();
        then(&Centroids::new(&self.minus, &self.shift, &origin, self.padded))
    }

    fn with_columns<R>(&self, wanted: MomentRequest, then: impl FnOnce(&CentreColumns<'_>) -> R) -> R {
        self.with_centroids(|centroids| {
            let pairs = wanted.pairs || wanted.eta;
            then(&CentreColumns::new(&self.sizes, centroids, &self.gaps, pairs, wanted.whole))
        })
    }

    fn table<'a>(&'a self, columns: &'a CentreColumns<'a>, wanted: MomentRequest) -> TablePass<'a> {
        let levels = &self.variances;
        TablePass { features: self.features, columns, levels, roots: wanted.roots, deviations: true }
    }

    /// How many numbers a second pass keeps per class.
    pub(crate) fn width(classes: usize, wanted: MomentRequest) -> usize {
        let pairs = if wanted.pairs || wanted.eta { classes } else { 1 };
        let groups = (pairs + usize::from(wanted.whole)).div_ceil(LANES);
        (1 + TablePass::quantities_of(wanted.roots, true) * groups) * LANES
    }

    /// Adds a block to the K x width sums of a second pass. The classes of the block are those of the centres; some may be empty.
    ///
    /// Time: O(n d K). Memory: as the sums, and at most an eighth of the block.
    pub(crate) fn add_block(&self, block: &Classes<'_>, wanted: MomentRequest, sums: &mut [f64]) {
        let mut input = CentredInput::new(block, self.origin.scale());
        input.minus.copy_from_slice(&self.minus);
        input.shift.copy_from_slice(&self.shift);
        self.with_columns(wanted, |columns| {
            let table = self.table(columns, wanted);
            let states = driver::run(Level::best(), &input, &table);
            for (class, sums) in sums.chunks_exact_mut(table.width()).enumerate() {
                let state = states.of(class, table.width());
                sums.iter_mut().zip(state).for_each(|(sum, value)| *sum += value);
            }
        });
    }

    /// Sets from the sums of a second pass that saw `seen` points of each class, which may be all of them or some.
    pub(crate) fn sets_of_table(&self, wanted: MomentRequest, seen: &[f64], sums: &[f64]) -> Sets {
        self.sets(wanted, |columns| {
            let table = self.table(columns, wanted);
            let mut numbers = Aligned::zeros(sums.len());
            numbers.copy_from_slice(sums);
            table.profile_of(&States::new(numbers), seen)
        })
    }

    /// Sets from scatter matrices. Time: O(K^2 d^2).
    ///
    /// # Panics
    /// If a class has no scatter matrix.
    pub(crate) fn sets_of_matrices(&self, wanted: MomentRequest, classes: &[&ClassSums]) -> Sets {
        self.sets(wanted, |columns| {
            let of_class = |class: usize| {
                let matrix = classes[class].matrix.as_ref().expect("the form has matrices");
                let size = self.sizes[class];
                let mut v = vec![0.0; self.padded];
                let seen_from = |column: usize| {
                    columns.offset(class, column, &mut v);
                    let v = &v[..self.features];
                    let along = not_below_zero(dot(v, &matrix.times(v)) / size);
                    (along, dot(v, &matrix.skew) / size)
                };
                (0..columns.count()).map(seen_from).collect::<Vec<(f64, f64)>>()
            };
            let rows: Vec<Vec<(f64, f64)>> = parallel::map_range(classes.len(), of_class);
            let mut profile = Profile::new(columns.count());
            for ((sums, row), size) in classes.iter().zip(rows).zip(&self.sizes) {
                let matrix = sums.matrix.as_ref().expect("the form has matrices");
                profile.variances.push(sums.squares / size);
                profile.fourths.push(matrix.fourth / size);
                profile.doubts.push(matrix.terms / size);
                profile.along.extend(row.iter().map(|(along, _)| along));
                profile.skew.extend(row.iter().map(|(_, skew)| skew));
            }
            profile
        })
    }

    /// Sets for which only the means of squared distances are known: everything else is NaN.
    pub(crate) fn sets_of_centroids(&self, wanted: MomentRequest) -> Sets {
        let wanted = MomentRequest { roots: false, ..wanted };
        self.sets(wanted, |columns| {
            let mut profile = Profile::new(columns.count());
            let unknown = vec![f64::NAN; self.sizes.len() * columns.count()];
            profile.variances.clone_from(&self.variances);
            profile.fourths = vec![f64::NAN; self.sizes.len()];
            profile.doubts.clone_from(&profile.fourths);
            profile.along.clone_from(&unknown);
            profile.skew = unknown;
            profile
        })
    }

    fn sets(&self, wanted: MomentRequest, profile: impl FnOnce(&CentreColumns<'_>) -> Profile) -> Sets {
        let count = self.sizes.len();
        self.with_columns(wanted, |columns| {
            let profile = profile(columns);
            let whole: Vec<(usize, usize)> = (0..count).map(|class| (class, columns.count() - 1)).collect();
            let whole = wanted.whole.then(|| profile.spread(columns, &whole));
            let sets = |wanted: bool| if wanted { count } else { 0 };
            let pairs = each_pair(sets(wanted.pairs), |i, j| profile.spread(columns, &[(i, j), (j, i)]));
            let eta = each_pair(sets(wanted.eta), |i, j| profile.eta(columns, i, j));
            let radii = if profile.root_means.is_empty() {
                vec![f64::NAN; count]
            } else {
                (0..count).map(|i| profile.root_means[i * columns.count() + columns.own(i)]).collect()
            };
            let rows = columns.centroids.rows().flat_map(|row| &row[..self.features]).copied().collect();
            let classes = ClassMoments {
                centroids: rows,
                variances: self.variances.clone(),
                radii,
                gaps: self.gaps.clone(),
            };
            Sets {
                pairs_lost: pairs.iter().map(|spread| spread.lost).collect(),
                eta_lost: eta.iter().map(|eta| eta.lost).collect(),
                moments: Moments {
                    classes,
                    whole: whole.map(|spread| spread.value),
                    pairs: pairs.into_iter().map(|spread| spread.value).collect(),
                    eta: eta.into_iter().map(|eta| eta.value).collect(),
                    origin: self.origin.clone(),
                },
            }
        })
    }
}
