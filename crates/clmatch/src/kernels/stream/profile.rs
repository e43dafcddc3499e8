//! From moments of classes to moments of sets.
//!
//! A *column* of class i is a centre c around which its points are described, with `v = c_i - c`: the centroid `c_S` of a pair
//! {i, j}, where `v = w_j (c_i - c_j)` and `w_j = n_j / N`, or that of the whole dataset. For x in class i, with `z = x - c_i`,
//! `r_i = |z|^2` and `p = z.v`:
//!
//! ```text
//! r(x) = |x - c|^2 = r_i + 2 p + |v|^2
//! mean r = V_i + |v|^2            var r = F_i + 4 along + 4 skew
//! ```
//!
//! where `F_i = var r_i`, `along = var p`, `skew = cov(r_i, p)`. Sets combine by the law of total variance, which subtracts only
//! means:
//!
//! ```text
//! T = sum w_i mean_i              s2^2 = sum w_i var_i + sum w_i (mean_i - T)^2
//! ```

use super::centroids::Centroids;
use crate::kernels::moments::Spread;
use crate::kernels::squared_distance;

/// Below this share of its terms a variance was lost to cancellation, and is computed directly.
const CANCELLED: f64 = 1e-5;

/// The centres around which each class is described.
pub(super) struct CentreColumns<'a> {
    pub sizes: &'a [f64],
    pub centroids: &'a Centroids<'a>,
    pub padded: usize,
    /// Whether column j is the centre of the pair with class j; if not, column 0 is the class's own centroid.
    pub pairs: bool,
    /// K x K squared distances between centroids.
    pub gaps: &'a [f64],
    /// The last column, if there is one for the whole dataset.
    pub whole: Option<Whole>,
}

/// The centroid of the whole dataset.
pub(super) struct Whole {
    centre: Vec<f64>,
    /// `|v|^2` of each class.
    squares: Vec<f64>,
}

impl<'a> CentreColumns<'a> {
    pub(super) fn new(
        sizes: &'a [f64],
        centroids: &'a Centroids<'a>,
        gaps: &'a [f64],
        pairs: bool,
        whole: bool,
    ) -> Self {
        let padded = centroids.padded;
        let count: f64 = sizes.iter().sum();
        let whole = whole.then(|| {
            let mut centre = vec![0.0; padded];
            for (centroid, size) in centroids.rows().zip(sizes) {
                for (sum, c) in centre.iter_mut().zip(centroid) {
                    *sum += size / count * c;
                }
            }
            let squares = centroids.rows().map(|c| squared_distance(c, &centre)).collect();
            Whole { centre, squares }
        });
        CentreColumns { sizes, centroids, padded, gaps, pairs, whole }
    }

    pub(super) fn classes(&self) -> usize {
        self.sizes.len()
    }

    /// Columns per class.
    pub(super) fn count(&self) -> usize {
        (if self.pairs { self.classes() } else { 1 }) + usize::from(self.whole.is_some())
    }

    /// The column whose centre is the class's own centroid.
    pub(super) fn own(&self, class: usize) -> usize {
        if self.pairs { class } else { 0 }
    }

    /// `w_j` of another class.
    #[inline(always)]
    fn weight(&self, class: usize, other: usize) -> f64 {
        self.sizes[other] / (self.sizes[class] + self.sizes[other])
    }

    /// The cost of the points of a class compared with the class of a column; 0 for other columns.
    pub(super) fn cost(&self, class: usize, column: usize) -> Cost {
        if !self.pairs || column == class || column >= self.classes() {
            return Cost::default();
        }
        let (n, m) = (self.sizes[class], self.sizes[column]);
        let (alpha, beta) = (n / (n - 1.0), m / (m + 1.0));
        // In a class of one point, staying costs nothing.
        let factor = if n > 1.0 { alpha - beta } else { -beta };
        Cost { factor, slope: 2.0 * beta / self.weight(class, column) }
    }

    /// `|v|^2` of a column.
    #[inline(always)]
    pub(super) fn square(&self, class: usize, column: usize) -> f64 {
        match &self.whole {
            Some(whole) if column + 1 == self.count() => whole.squares[class],
            _ if column == self.own(class) => 0.0,
            _ => {
                let weight = self.weight(class, column);
                weight * weight * self.gaps[class * self.classes() + column]
            }
        }
    }

    /// `share (c_i - c_j)`.
    #[inline(always)]
    pub(super) fn apart(&self, i: usize, j: usize, share: f64, difference: &mut [f64]) {
        self.centroids.difference(i, j, self.gaps[i * self.classes() + j], share, difference);
    }

    /// `v` of a column.
    #[inline(always)]
    pub(super) fn offset(&self, class: usize, column: usize, v: &mut [f64]) {
        match &self.whole {
            Some(whole) if column + 1 == self.count() => {
                for ((v, a), b) in v.iter_mut().zip(self.centroids.row(class)).zip(&whole.centre) {
                    *v = a - b;
                }
            }
            _ if column == self.own(class) => v.fill(0.0),
            _ => {
                self.apart(class, column, self.weight(class, column), v);
            }
        }
    }
}

/// Moments of each class, around its own centroid and around the centres of its columns.
#[derive(Debug, Default)]
pub(super) struct Profile {
    columns: usize,
    /// `V_i`.
    pub variances: Vec<f64>,
    /// `F_i`.
    pub fourths: Vec<f64>,
    /// The size of the terms that `F_i` was summed from.
    pub doubts: Vec<f64>,
    /// K x columns.
    pub along: Vec<f64>,
    /// K x columns.
    pub skew: Vec<f64>,
    /// K x columns, mean of sqrt(r); empty unless requested.
    pub root_means: Vec<f64>,
    /// K x columns, variance of sqrt(r); empty unless requested.
    pub root_variances: Vec<f64>,
    /// K x columns, variance of r, summed point by point; empty unless requested.
    pub square_variances: Vec<f64>,
    /// K x columns, variance of the cost u of [`Profile::eta`], summed point by point; empty unless requested.
    pub cost_variances: Vec<f64>,
}

/// `u = factor r_i - slope p + constant` over the points of a class, see [`Profile::eta`].
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cost {
    /// `alpha - beta`.
    pub factor: f64,
    /// `2 beta / w`: the column holds `p = z.v` with `v = w (c_i - c_j)`.
    pub slope: f64,
}

/// A number that may have been lost to cancellation.
pub(super) struct Checked<T> {
    pub value: T,
    pub lost: bool,
}

/// One group of numbers: its share of all numbers, mean and variance.
#[derive(Clone, Copy)]
pub(super) struct SubsetMoments {
    pub weight: f64,
    pub mean: f64,
    pub variance: f64,
}

impl SubsetMoments {
    /// B/(B + W) of two groups, or 0 unless the first lies below the second.
    pub(super) fn share_between(low: SubsetMoments, high: SubsetMoments) -> f64 {
        let rise = high.mean - low.mean;
        if rise <= 0.0 {
            return 0.0;
        }
        let between = low.weight * high.weight * rise * rise;
        between / (between + low.weight * low.variance + high.weight * high.variance)
    }
}

/// A variance: negative rounding becomes 0; NaN stays NaN, so that an overflow is noticed.
pub(super) fn not_below_zero(variance: f64) -> f64 {
    if variance < 0.0 { 0.0 } else { variance }
}

/// The mean and variance of several groups together.
fn together(groups: impl Iterator<Item = SubsetMoments> + Clone) -> (f64, f64) {
    let mean: f64 = groups.clone().map(|group| group.weight * group.mean).sum();
    let variance =
        groups.map(|group| group.weight * (group.variance + (group.mean - mean) * (group.mean - mean))).sum();
    (mean, variance)
}

impl Profile {
    pub(super) fn new(columns: usize) -> Self {
        Profile { columns, ..Profile::default() }
    }

    /// Whether no number overflowed.
    pub(super) fn is_finite(&self) -> bool {
        let of_classes = [&self.variances, &self.fourths, &self.doubts];
        let of_columns = [
            &self.along,
            &self.skew,
            &self.root_means,
            &self.root_variances,
            &self.square_variances,
            &self.cost_variances,
        ];
        of_classes.into_iter().chain(of_columns).flatten().all(|value| value.is_finite())
    }

    /// The spread of a set, given each class with its column for the common centre.
    pub(super) fn spread(&self, columns: &CentreColumns<'_>, members: &[(usize, usize)]) -> Checked<Spread> {
        let count: f64 = members.iter().map(|&(class, _)| columns.sizes[class]).sum();
        let weight = |class: usize| columns.sizes[class] / count;
        let (total, variance) = together(members.iter().map(|&(class, column)| {
            let at = class * self.columns + column;
            let variance = self.square_variances.get(at).copied().unwrap_or_else(|| {
                not_below_zero(self.fourths[class] + 4.0 * self.along[at] + 4.0 * self.skew[at])
            });
            SubsetMoments {
                weight: weight(class),
                mean: self.variances[class] + columns.square(class, column),
                variance,
            }
        }));
        let terms: f64 = members
            .iter()
            .map(|&(class, column)| {
                weight(class) * (self.doubts[class] + 4.0 * self.along[class * self.columns + column])
            })
            .sum();
        let (radius, s1) = if self.root_means.is_empty() {
            (f64::NAN, f64::NAN)
        } else {
            let (mean, variance) = together(members.iter().map(|&(class, column)| {
                let at = class * self.columns + column;
                SubsetMoments {
                    weight: weight(class),
                    mean: self.root_means[at],
                    variance: self.root_variances[at],
                }
            }));
            (mean, variance.sqrt())
        };
        let value = Spread { total, s2: variance.sqrt(), radius, s1 };
        Checked { value, lost: self.square_variances.is_empty() && variance < CANCELLED * terms }
    }

    /// `eta` of classes i and j, see [`View::eta`](crate::View::eta).
    ///
    /// Over class i, with `alpha = n_i/(n_i - 1)` and `beta = n_j/(n_j + 1)`,
    /// `u = (alpha - beta) r_i - 2 beta z.(c_i - c_j) - beta D`; over class j, the same with the opposite sign.
    pub(super) fn eta(&self, columns: &CentreColumns<'_>, i: usize, j: usize) -> Checked<f64> {
        let (sizes, gap) = (columns.sizes, columns.gaps[i * columns.classes() + j]);
        let side = |own: usize, other: usize, sign: f64| {
            let (n, m) = (sizes[own], sizes[other]);
            let (alpha, beta) = (n / (n - 1.0), m / (m + 1.0));
            let (factor, at) = (alpha - beta, own * self.columns + other);
            // The column contains z.v with v = w (c_i - c_j).
            let w = m / (n + m);
            let (along, skew) = (4.0 * self.along[at] / (w * w), 4.0 * self.skew[at] / w);
            let square = factor * factor;
            let variance =
                self.cost_variances.get(at).copied().unwrap_or_else(|| {
                    square * self.fourths[own] + beta * beta * along - beta * factor * skew
                });
            let mean = sign * (factor * self.variances[own] - beta * gap);
            let terms = n / (n + m) * (square * self.doubts[own] + beta * beta * along);
            (SubsetMoments { weight: n / (n + m), mean, variance: not_below_zero(variance) }, terms)
        };
        let ((low, low_terms), (high, high_terms)) = (side(i, j, 1.0), side(j, i, -1.0));
        let (_, variance) = together([low, high].into_iter());
        Checked {
            value: SubsetMoments::share_between(low, high),
            lost: self.cost_variances.is_empty() && variance < CANCELLED * (low_terms + high_terms),
        }
    }
}
