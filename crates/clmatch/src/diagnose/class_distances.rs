//! How far every point is from every class, as seen by the other points of the class.
//!
//! ```text
//! m(x, k)^2 = (x - c_k)' S^-1 (x - c_k)        S = .9 C + .1 I
//!
//! c_k   weighted mean of class k without x           C   weighted pooled covariance within classes, without x
//! ```
//!
//! in units in which every feature has variance 1 within classes. The contribution of x itself to c_k and C is removed exactly,
//! by a correction of rank one: with many features a point would otherwise always be near its own class.
//!
//! With more features than points, the points are first rotated into a space of as many dimensions as there are points, which
//! changes no distance. If that is still too many dimensions ([`DIMENSIONS`]), C is replaced by I: each feature counts on its
//! own.

use std::borrow::Cow;

use clmatch_kernels::simd::products::{self, BAND, Packed};
use clmatch_kernels::simd::sums::squared_distance;
use clmatch_kernels::{Cholesky, parallel};

use crate::kernels::frame::Frame;

/// The largest number of dimensions for which a covariance is used.
const DIMENSIONS: usize = 2048;
/// The weight of the identity in S.
const SHRINKAGE: f64 = 0.1;
/// The smallest variance within classes, as a share of the variance of the feature: a feature that is constant in every class
/// separates the classes, but not without limit.
const LEAST_WITHIN: f64 = 1e-4;
/// What is added to the products of points before they are factored, as a share of their mean square.
const GRAM_RIDGE: f64 = 1e-10;
/// The weight that is left, at least, when a point leaves its class, as a share of the point's own weight.
const LEAST_LEFT: f64 = 1e-3;
/// 1 - b u' S^-1 u is positive except for rounding, and at least this.
const LEAST_PIVOT: f64 = 1e-9;
/// Points that one task rotates.
const CHUNK: usize = 256;

/// Points in class order, in the coordinates in which distances from classes are measured.
#[derive(Debug, Clone)]
pub(super) struct Coordinates<'a> {
    rows: Cow<'a, [f64]>,
    dimensions: usize,
    starts: &'a [usize],
    /// Whether a covariance is worth its time.
    covariance: bool,
}

impl<'a> Coordinates<'a> {
    /// The points as they are, for Euclidean distances.
    pub(super) fn plain(frame: &'a Frame) -> Self {
        let rows = Cow::Borrowed(frame.rows.as_slice());
        Coordinates { rows, dimensions: frame.features, starts: &frame.starts, covariance: false }
    }

    /// The points with a variance of 1 within classes in every feature, for Mahalanobis distances.
    ///
    /// Time: O(n d), and O(n^2 d) if there are more features than points. Memory: O(n d).
    pub(super) fn standardised(frame: &'a Frame) -> Self {
        let (n, features) = (frame.len(), frame.features);
        let (means, scales) = scales(frame);
        let mut rows = frame.rows.clone();
        parallel::for_chunks_mut(&mut rows, features, |_, row| {
            row.iter_mut().zip(&means).zip(&scales).for_each(|((x, mean), scale)| *x = (*x - mean) * scale);
        });
        let starts = &frame.starts;
        if !worth_a_covariance(n, features) {
            return Coordinates { rows: Cow::Owned(rows), dimensions: features, starts, covariance: false };
        }
        if features > n {
            return match turned(&rows, n, features) {
                Some(rows) => Coordinates { rows: Cow::Owned(rows), dimensions: n, starts, covariance: true },
                None => {
                    Coordinates { rows: Cow::Owned(rows), dimensions: features, starts, covariance: false }
                }
            };
        }
        Coordinates { rows: Cow::Owned(rows), dimensions: features, starts, covariance: true }
    }

    fn classes(&self) -> usize {
        self.starts.len() - 1
    }
}

/// Whether there are few enough dimensions for a covariance.
fn worth_a_covariance(n: usize, features: usize) -> bool {
    n.min(features) <= DIMENSIONS
}

/// The mean of every feature, and the factor that makes its variance within classes 1 (0 for a constant feature).
fn scales(frame: &Frame) -> (Vec<f64>, Vec<f64>) {
    let (n, classes, features) = (frame.len(), frame.classes(), frame.features);
    let of_class = |class: usize| {
        let size = frame.size(class) as f64;
        let mut mean = vec![0.0; features];
        for row in frame.class(class) {
            mean.iter_mut().zip(row).for_each(|(sum, x)| *sum += x / size);
        }
        let mut squares = vec![0.0; features];
        for row in frame.class(class) {
            squares
                .iter_mut()
                .zip(row)
                .zip(&mean)
                .for_each(|((sum, x), mean)| *sum += (x - mean) * (x - mean));
        }
        (mean, squares)
    };
    let of_classes: Vec<(Vec<f64>, Vec<f64>)> = parallel::map_range(classes, of_class);
    let share = |class: usize| frame.size(class) as f64 / n as f64;
    let mut means = vec![0.0; features];
    for (class, (mean, _)) in of_classes.iter().enumerate() {
        means.iter_mut().zip(mean).for_each(|(sum, mean)| *sum += share(class) * mean);
    }
    let scale = |f: usize| {
        let within: f64 = of_classes.iter().map(|(_, squares)| squares[f]).sum();
        let between: f64 = of_classes
            .iter()
            .enumerate()
            .map(|(class, (mean, _))| share(class) * (mean[f] - means[f]) * (mean[f] - means[f]))
            .sum();
        let total = within / n as f64 + between;
        let variance = (within / (n - classes) as f64).max(LEAST_WITHIN * total);
        if variance >= f64::MIN_POSITIVE { 1.0 / variance.sqrt() } else { 0.0 }
    };
    let scales = (0..features).map(scale).collect();
    (means, scales)
}

/// The same points in n dimensions: rows of the Cholesky factor of their products. `None` if all points coincide.
fn turned(rows: &[f64], n: usize, features: usize) -> Option<Vec<f64>> {
    let by_feature = Packed::new(features, n, |f, column| {
        column.iter_mut().enumerate().for_each(|(row, x)| *x = rows[row * features + f]);
    });
    let mut products = second_moments(&by_feature, n, features as f64);
    let ridge = GRAM_RIDGE * (0..n).map(|i| products[i * n + i]).sum::<f64>() / n as f64;
    (0..n).for_each(|i| products[i * n + i] += ridge);
    Some(Cholesky::factor(products, n)?.into_lower())
}

/// `scale` times the mean of y y' over packed rows y: only the lower triangle is meaningful.
fn second_moments(packed: &Packed, width: usize, scale: f64) -> Vec<f64> {
    let mut moments = vec![0.0; width * width];
    parallel::for_chunks_mut(&mut moments, BAND * width, |band, out| products::covariance(packed, band, out));
    for i in 0..width {
        for j in i..width {
            moments[j * width + i] = moments[i * width + j] * scale;
        }
    }
    moments
}

/// Squared distances from points to classes.
#[derive(Debug, Clone)]
pub(super) struct ClassDistances<'a> {
    /// n x D: the points, in coordinates in which S = I.
    rows: Cow<'a, [f64]>,
    /// K x D: the means of the classes.
    means: Vec<f64>,
    dimensions: usize,
    /// K x K squared distances between means; empty where distances are not corrected.
    between: Vec<f64>,
    own: Vec<OwnClass>,
}

/// The contribution of a point to its own class.
#[derive(Debug, Clone, Copy)]
struct OwnClass {
    class: usize,
    /// u' S^-1 u of u = x - c, with x in c and S.
    square: f64,
    /// The factor by which u grows when x leaves its class.
    grows: f64,
    /// b / (1 - b u' S^-1 u), where S loses b u u' when x leaves the class.
    correction: f64,
}

impl<'a> ClassDistances<'a> {
    /// Distances where points count with their weights.
    ///
    /// Time: O(n D (D + K)). Memory: O(n D + D^2 + K^2).
    pub(super) fn new(points: &Coordinates<'a>, weights: &[f64]) -> Self {
        let (dimensions, classes) = (points.dimensions, points.classes());
        let (mut means, totals) = weighted_means(points, weights);
        let freedom = (weights.iter().sum::<f64>() - classes as f64).max(1.0);
        let factor = if points.covariance { covariance(points, weights, &means, freedom) } else { None };
        let mut rows = points.rows.clone();
        if let Some(factor) = &factor {
            let whiten =
                |part: &mut [f64]| part.chunks_exact_mut(dimensions).for_each(|row| factor.forward(row));
            parallel::for_chunks_mut(rows.to_mut(), CHUNK * dimensions, |_, part| whiten(part));
            whiten(&mut means);
        }
        let mean = |class: usize| &means[class * dimensions..(class + 1) * dimensions];
        let own = |point: usize| {
            let row = &rows[point * dimensions..(point + 1) * dimensions];
            let class = points.starts.partition_point(|&start| start <= point) - 1;
            let (square, weight, total) = (squared_distance(row, mean(class)), weights[point], totals[class]);
            let grows = total / (total - weight).max(LEAST_LEFT * weight);
            let lost = if factor.is_some() { (1.0 - SHRINKAGE) * weight * grows / freedom } else { 0.0 };
            OwnClass { class, square, grows, correction: lost / (1.0 - lost * square).max(LEAST_PIVOT) }
        };
        let own = parallel::map_range_at_least(CHUNK, weights.len(), own);
        let between = match factor {
            Some(_) => parallel::map_range_at_least(CHUNK, classes * classes, |pair| {
                squared_distance(mean(pair / classes), mean(pair % classes))
            }),
            None => Vec::new(),
        };
        ClassDistances { rows, means, dimensions, between, own }
    }

    /// The squared distance of a point from a class, computed without the point itself.
    ///
    /// Time: O(D).
    pub(super) fn square(&self, point: usize, class: usize) -> f64 {
        let OwnClass { class: own, square, grows, correction } = self.own[point];
        if class == own {
            return grows * grows * (square + correction * square * square);
        }
        let row = &self.rows[point * self.dimensions..(point + 1) * self.dimensions];
        let mean = &self.means[class * self.dimensions..(class + 1) * self.dimensions];
        let other = squared_distance(row, mean);
        if correction == 0.0 {
            return other;
        }
        // (x - c_k)'(x - c_own), from the sides of the triangle.
        let classes = self.means.len() / self.dimensions;
        let product = (other + square - self.between[class * classes + own]) / 2.0;
        other + correction * product * product
    }

    /// The class of a point.
    pub(super) fn class_of(&self, point: usize) -> usize {
        self.own[point].class
    }
}

/// The means of all classes, and the sums of their weights.
fn weighted_means(points: &Coordinates<'_>, weights: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let dimensions = points.dimensions;
    let mut means = vec![0.0; points.classes() * dimensions];
    let totals: Vec<f64> =
        points.starts.windows(2).map(|bounds| weights[bounds[0]..bounds[1]].iter().sum()).collect();
    parallel::for_chunks_mut(&mut means, dimensions, |class, mean| {
        let members = points.starts[class]..points.starts[class + 1];
        let rows = points.rows[members.start * dimensions..members.end * dimensions].chunks_exact(dimensions);
        for (weight, row) in weights[members].iter().zip(rows) {
            let share = weight / totals[class];
            mean.iter_mut().zip(row).for_each(|(sum, x)| *sum += share * x);
        }
    });
    (means, totals)
}

/// The factor of S.
fn covariance(points: &Coordinates<'_>, weights: &[f64], means: &[f64], freedom: f64) -> Option<Cholesky> {
    let (n, dimensions) = (weights.len(), points.dimensions);
    let mut class = 0;
    let packed = Packed::new(n, dimensions, |point, row| {
        while points.starts[class + 1] <= point {
            class += 1;
        }
        let root = weights[point].sqrt();
        let (x, mean) = (&points.rows[point * dimensions..], &means[class * dimensions..]);
        row.iter_mut().zip(x).zip(mean).for_each(|((to, x), mean)| *to = (x - mean) * root);
    });
    let mut matrix = second_moments(&packed, dimensions, (1.0 - SHRINKAGE) * n as f64 / freedom);
    (0..dimensions).for_each(|f| matrix[f * dimensions + f] += SHRINKAGE);
    Cholesky::factor(matrix, dimensions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::stream::Origin;
    use crate::{Classes, Labels, Points};

    /// A frame with exactly these rows: its own origin would bring them close to 0.
    fn frame(rows: &[f64], features: usize, sizes: [usize; 2]) -> Frame {
        let labels = Labels::encode((0..sizes[0] + sizes[1]).map(|row| row >= sizes[0]));
        let classes = Classes::new(Points::new(rows.to_vec(), features).unwrap(), &labels).unwrap();
        let mut frame = Frame::new(&classes, &Origin::exact(&classes));
        frame.rows = rows.to_vec();
        frame
    }

    fn close(found: f64, expected: f64, tolerance: f64) -> bool {
        (found - expected).abs() <= tolerance * expected.abs()
    }

    #[test]
    fn scales_by_hand() {
        let first = [[1.0, 2.0, 0.0, 0.0], [3.0, 2.0, 0.0, 0.02]].concat();
        let second = [[10.0, 7.0, 0.0, 5.0], [11.0, 7.0, 0.0, 5.0], [15.0, 7.0, 0.0, 5.0]].concat();
        let (means, scales) = scales(&frame(&[first, second].concat(), 4, [2, 3]));
        assert!(means.iter().zip([8.0, 5.0, 0.0, 3.004]).all(|(&found, mean)| close(found, mean, 1e-12)));
        // Squares within: 2 + 14. Constant in either class: .4 3^2 + .6 2^2 between. Nearly constant: 2e-4 / 5 within, and .4 .6
        // 4.99^2 between.
        let variances = [16.0 / 3.0, 1e-4 * 6.0, 1e-4 * (4e-5 + 0.24 * 4.99 * 4.99)];
        for (feature, variance) in [0, 1, 3].into_iter().zip(variances) {
            assert!(close(scales[feature], 1.0 / f64::sqrt(variance), 1e-12), "{feature}: {scales:?}");
        }
        assert_eq!(scales[2], 0.0);
    }

    #[test]
    fn scales_do_not_depend_on_the_origin() {
        let first = [0.0, 2.0, 3.0, 7.0, 9.0, 1.0, 4.0].map(|x| [x, 7.0]);
        let second = [20.0, 21.0, 25.0, 22.0, 20.0, 26.0].map(|x| [x, 3.0]);
        let rows: Vec<f64> = first.into_iter().chain(second).flatten().collect();
        let far: Vec<f64> = rows.iter().map(|x| x + 1e9).collect();
        let ((_, near), (_, far)) = (scales(&frame(&rows, 2, [7, 6])), scales(&frame(&far, 2, [7, 6])));
        assert!(near.iter().zip(&far).all(|(&near, &far)| close(far, near, 1e-5)), "{near:?} {far:?}");
    }

    /// Four points of two classes, with this many features.
    fn four_points(features: usize) -> Frame {
        let rows: Vec<f64> = (0..4 * features).map(|at| (at * at % 13) as f64 + (at % 3) as f64).collect();
        frame(&rows, features, [2, 2])
    }

    #[test]
    fn only_more_features_than_points_are_turned() {
        for features in [3, 4, 5] {
            let frame = four_points(features);
            let (_, scales) = scales(&frame);
            let found = Coordinates::standardised(&frame);
            assert!(found.covariance);
            assert_eq!(found.dimensions, features.min(4));
            let row = |x: usize| &found.rows[x * found.dimensions..(x + 1) * found.dimensions];
            // Points less their mean, in units of deviations, or else rows that are as far from each other as these.
            for x in 0..4 {
                let scaled = |x: usize, f: usize| frame.row(x)[f] * scales[f];
                if features <= 4 {
                    let mean = |f: usize| (0..4).map(|y| scaled(y, f)).sum::<f64>() / 4.0;
                    let expected = (0..features).map(|f| scaled(x, f) - mean(f));
                    assert!(row(x).iter().zip(expected).all(|(found, x)| (found - x).abs() < 1e-12));
                }
                for y in 0..4 {
                    let square: f64 = (0..features).map(|f| (scaled(x, f) - scaled(y, f)).powi(2)).sum();
                    assert!((squared_distance(row(x), row(y)) - square).abs() < 1e-7);
                }
            }
        }
    }

    #[test]
    fn the_smaller_of_points_and_features_decides_about_the_covariance() {
        assert!(worth_a_covariance(2048, 5000) && worth_a_covariance(5000, 2048));
        assert!(!worth_a_covariance(2049, 2049));
    }

    /// Three points at right angles, of square 4: each gets 1e-10 of the mean square.
    #[test]
    fn the_ridge_is_a_share_of_the_mean_square() {
        let rows = [[2.0, 0.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0], [0.0, 0.0, 0.0, 2.0]].concat();
        let lower = turned(&rows, 3, 4).unwrap();
        for i in 0..3 {
            let ridge = lower[i * 3 + i] * lower[i * 3 + i] - 4.0;
            assert!(close(ridge, 4e-10, 1e-4), "{ridge}");
        }
    }
}
