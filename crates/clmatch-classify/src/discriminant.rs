//! Linear discriminant analysis.

use crate::classifier::Classifier;
use crate::eigen::symmetric;
use crate::kernels::{Number, View, dot};
use crate::split::{Split, largest};
use clmatch_stop::{Stop, Stopped};

/// Directions whose spread is smaller carry no information: within classes absolutely, after dividing features by
/// their spread; between classes relative to the largest.
const TOLERANCE: f64 = 1e-4;

/// The class with the greatest posterior, where classes are normal and share their covariance. Nothing to set.
///
/// ```text
/// log p(c | x) = log p(c) - 1/2 |W (x - m_c)|^2 + const
/// ```
/// where W makes the covariance within classes the identity, on the directions in which there is any spread.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LinearDiscriminant;

/// A map to few coordinates, in which the distance to class means decides.
struct Fit {
    centre: Vec<f64>,
    /// Feature after feature, each with one number per coordinate.
    map: Vec<f64>,
    coordinates: usize,
    /// Class after class.
    means: Vec<f64>,
    constants: Vec<f64>,
}

impl Classifier for LinearDiscriminant {
    /// Time: O(n d min(n, d) + min(n, d)^3). Memory: O(n d + min(n, d)^2).
    fn predict(&self, split: &Split<'_>, stop: &Stop) -> Result<Vec<u32>, Stopped> {
        stop.check()?;
        let fit = Fit::of(split);
        let features = split.data().features();
        let mut centred = Vec::with_capacity(split.test().len() * features);
        for &row in split.test() {
            centred.extend(split.data().row(row).iter().zip(&fit.centre).map(|(x, centre)| x - centre));
        }
        let k = fit.coordinates;
        let placed = product(&centred, split.test().len(), features, &fit.map, k);
        let classify = |at: usize| {
            let score = |class: usize| {
                dot(&placed[at * k..][..k], &fit.means[class * k..][..k]) + fit.constants[class]
            };
            largest(&(0..split.classes()).map(score).collect::<Vec<f64>>())
        };
        Ok((0..split.test().len()).map(classify).collect())
    }
}

/// The product of an m x k and a k x n matrix.
fn product(a: &[f64], m: usize, k: usize, b: &[f64], n: usize) -> Vec<f64> {
    let mut out = vec![0.0; m * n];
    if n > 0 && k > 0 {
        f64::product(1.0, View::new(a, m, k), View::new(b, k, n), 0.0, &mut out);
    }
    out
}

impl Fit {
    fn of(split: &Split<'_>) -> Fit {
        let (d, n, classes) = (split.data().features(), split.train().len(), split.classes());
        let sizes = split.sizes();
        let means = class_means(split, &sizes);
        let share = |class: usize| sizes[class] as f64 / n as f64;
        let mut centre = vec![0.0; d];
        for (class, mean) in means.chunks_exact(d).enumerate() {
            centre.iter_mut().zip(mean).for_each(|(centre, mean)| *centre += share(class) * mean);
        }
        let (whitening, rank) = whitening(split, &means);
        let apart: Vec<f64> = means.iter().enumerate().map(|(at, mean)| mean - centre[at % d]).collect();
        let placed = product(&apart, classes, d, &whitening, rank);
        let weighted: Vec<f64> =
            placed.iter().enumerate().map(|(at, x)| x * (sizes[at / rank.max(1)] as f64).sqrt()).collect();
        let (directions, coordinates) = main_directions(&weighted, classes, rank, |top| TOLERANCE * top);
        let means = product(&placed, classes, rank, &directions, coordinates);
        let constant = |class: usize| {
            let mean = &means[class * coordinates..][..coordinates];
            share(class).ln() - 0.5 * dot(mean, mean)
        };
        let constants = (0..classes).map(constant).collect();
        let map = product(&whitening, d, rank, &directions, coordinates);
        Fit { centre, map, coordinates, means, constants }
    }
}

fn class_means(split: &Split<'_>, sizes: &[usize]) -> Vec<f64> {
    let d = split.data().features();
    let mut means = vec![0.0; sizes.len() * d];
    for (&row, &target) in split.train().iter().zip(split.targets()) {
        let mean = &mut means[target as usize * d..][..d];
        let size = sizes[target as usize] as f64;
        mean.iter_mut().zip(split.data().row(row)).for_each(|(mean, x)| *mean += x / size);
    }
    means
}

/// A d x r matrix that makes the covariance within classes the identity, and r.
fn whitening(split: &Split<'_>, means: &[f64]) -> (Vec<f64>, usize) {
    let (d, n) = (split.data().features(), split.train().len());
    let mut residuals = Vec::with_capacity(n * d);
    for (&row, &target) in split.train().iter().zip(split.targets()) {
        let mean = &means[target as usize * d..][..d];
        residuals.extend(split.data().row(row).iter().zip(mean).map(|(x, mean)| x - mean));
    }
    let mut spread = vec![0.0; d];
    for row in residuals.chunks_exact(d) {
        spread.iter_mut().zip(row).for_each(|(spread, x)| *spread += x * x / n as f64);
    }
    // Features that are constant within classes stay as they are.
    let spread: Vec<f64> = spread.iter().map(|s| if *s > 0.0 { s.sqrt() } else { 1.0 }).collect();
    let degrees = n.saturating_sub(split.classes()).max(1) as f64;
    for row in residuals.chunks_exact_mut(d) {
        row.iter_mut().zip(&spread).for_each(|(x, spread)| *x /= spread * degrees.sqrt());
    }
    let (mut directions, rank) = main_directions(&residuals, n, d, |_| TOLERANCE);
    if rank > 0 {
        let lengths = direction_lengths(&residuals, n, d, &directions, rank);
        for (row, spread) in directions.chunks_exact_mut(rank).zip(&spread) {
            row.iter_mut().zip(&lengths).for_each(|(x, length)| *x /= spread * length);
        }
    }
    (directions, rank)
}

/// The singular values that belong to given right singular vectors.
fn direction_lengths(matrix: &[f64], n: usize, d: usize, directions: &[f64], rank: usize) -> Vec<f64> {
    let images = product(matrix, n, d, directions, rank);
    let mut squares = vec![0.0; rank];
    for row in images.chunks_exact(rank) {
        squares.iter_mut().zip(row).for_each(|(square, x)| *square += x * x);
    }
    squares.iter().map(|square| square.sqrt()).collect()
}

/// The right singular vectors of an n x d matrix whose singular values exceed a bound (given the largest one), as columns
/// of a d x r matrix, and r. From the smaller of the two products of the matrix with itself.
fn main_directions(matrix: &[f64], n: usize, d: usize, bound: impl Fn(f64) -> f64) -> (Vec<f64>, usize) {
    if d == 0 {
        return (Vec::new(), 0);
    }
    let view = View::new(matrix, n, d);
    let side = n.min(d);
    let mut square = vec![0.0; side * side];
    match d <= n {
        true => f64::product(1.0, view.transposed(), view, 0.0, &mut square),
        false => f64::product(1.0, view, view.transposed(), 0.0, &mut square),
    }
    let eigen = symmetric(square, side);
    let lengths: Vec<f64> = eigen.values.iter().map(|value| value.max(0.0).sqrt()).collect();
    let bound = bound(lengths.iter().copied().fold(0.0, f64::max));
    let kept: Vec<usize> = (0..side).filter(|&i| lengths[i] > bound).collect();
    let mut columns = vec![0.0; d * kept.len()];
    for (at, &i) in kept.iter().enumerate() {
        let vector = &eigen.vectors[i * side..][..side];
        let direction = match d <= n {
            true => vector.to_vec(),
            // v = A' u / s
            false => product(vector, 1, n, matrix, d).iter().map(|x| x / lengths[i]).collect(),
        };
        direction.iter().enumerate().for_each(|(j, x)| columns[j * kept.len() + at] = *x);
    }
    (columns, kept.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Data;

    /// Two classes with covariance diag(1, 4) around (0, 0) and (2, 2), and a third feature that is constant.
    const VALUES: [f64; 24] = [
        1.0, 2.0, 7.0, -1.0, 2.0, 7.0, 1.0, -2.0, 7.0, -1.0, -2.0, 7.0, //
        3.0, 4.0, 7.0, 1.0, 4.0, 7.0, 3.0, 0.0, 7.0, 1.0, 0.0, 7.0,
    ];

    #[test]
    fn a_boundary_by_hand() {
        // Equal priors: the boundary is 2 (x - 1) / 1 + 2 (y - 1) / 4 = 0, that is 4 x + y = 5.
        let mut values = VALUES.to_vec();
        values.extend([0.0, 4.9, 7.0, 0.0, 5.1, 7.0, 2.0, -2.9, 7.0, 2.0, -3.1, 7.0]);
        let classes = [0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 1, 0];
        let data = Data::new(&values, 3, &classes).unwrap();
        let split = Split::new(data, (0..8).collect(), vec![8, 9, 10, 11]);
        assert_eq!(LinearDiscriminant.predict(&split, &Stop::new()).unwrap(), [0, 1, 1, 0]);
    }

    #[test]
    fn more_features_than_points() {
        // The same points with every feature repeated with other weights: rank and predictions stay.
        let wide: Vec<f64> = VALUES
            .chunks_exact(3)
            .flat_map(|row| (1..=4).flat_map(move |w| row.iter().map(move |x| x * f64::from(w))))
            .collect();
        let classes = [0, 0, 0, 0, 1, 1, 1, 1];
        let (train, test) = (vec![0, 1, 2, 4, 5, 6], vec![3, 7]);
        let narrow = Split::new(Data::new(&VALUES, 3, &classes).unwrap(), train.clone(), test.clone());
        let wide = Split::new(Data::new(&wide, 12, &classes).unwrap(), train, test);
        let predict = |split: &Split<'_>| LinearDiscriminant.predict(split, &Stop::new()).unwrap();
        assert_eq!(predict(&narrow), predict(&wide));
        assert_eq!(whitening(&wide, &class_means(&wide, &[3, 3])).1, 2);
    }
}
