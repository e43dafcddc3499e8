//! The directions in which points spread most, and the one that separates two groups, without a matrix of all pairs of features.

use super::{dot, symmetric};

/// How many vectors are iterated together: more than are wanted, so that the wanted ones converge soon.
const BLOCK: usize = 8;
/// Rounds of the iteration. Directions whose variances differ by less than a few percent are not separated by then, and need not
/// be.
const ROUNDS: usize = 40;
/// Rounds of the conjugate gradients.
const STEPS: usize = 60;
/// What is added to the scatter within groups, as a share of its mean over features, because few points do not determine a
/// direction.
const RIDGE: f64 = 0.1;

/// Rows of numbers around their mean.
#[derive(Debug, Clone)]
pub struct Rows {
    /// How many numbers a row has.
    pub features: usize,
    /// The rows, one after the other.
    pub values: Vec<f64>,
}

/// A direction of length 1 and the variance along it.
#[derive(Debug, Clone, PartialEq)]
pub struct Direction {
    /// The variance along it.
    pub variance: f64,
    /// The coordinates of the vector.
    pub axis: Vec<f64>,
}

impl Rows {
    /// How many rows there are.
    pub fn count(&self) -> usize {
        self.values.len() / self.features
    }

    /// The rows.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.features)
    }

    /// The mean of the rows.
    pub fn mean(&self) -> Vec<f64> {
        let mut mean = vec![0.0; self.features];
        self.rows().for_each(|row| add(&mut mean, 1.0, row));
        mean.iter_mut().for_each(|sum| *sum /= self.count().max(1) as f64);
        mean
    }

    /// Moves the origin of the rows to a point.
    pub fn around(mut self, centre: &[f64]) -> Self {
        self.values.chunks_exact_mut(self.features).for_each(|row| add(row, -1.0, centre));
        self
    }

    /// Removes the component along an axis from the rows.
    pub fn beside(mut self, axis: &[f64]) -> Self {
        for row in self.values.chunks_exact_mut(self.features) {
            let along = dot(row, axis);
            add(row, -along, axis);
        }
        self
    }

    /// The mean squared length of a row.
    pub fn total_variance(&self) -> f64 {
        dot(&self.values, &self.values) / self.count().max(1) as f64
    }

    /// The covariance of the rows times a vector.
    fn spread(&self, vector: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; self.features];
        for row in self.rows() {
            add(&mut sum, dot(row, vector), row);
        }
        sum.iter_mut().for_each(|sum| *sum /= self.count().max(1) as f64);
        sum
    }

    /// The directions of the largest variances of rows around their mean, the largest first; each points towards its largest
    /// coordinate. There are fewer than wanted if the rows spread in fewer directions.
    pub fn widest(&self, wanted: usize) -> Vec<Direction> {
        let size = BLOCK.max(wanted).min(self.features);
        let mut block: Vec<Vec<f64>> = (0..size).map(|at| start(at, self.features)).collect();
        orthonormalise(&mut block);
        for _ in 0..ROUNDS {
            block = block.iter().map(|vector| self.spread(vector)).collect();
            orthonormalise(&mut block);
        }
        let mut found = self.rotated(&block);
        found.truncate(wanted);
        found
    }

    /// The best directions within the space of some orthonormal vectors.
    fn rotated(&self, block: &[Vec<f64>]) -> Vec<Direction> {
        let images: Vec<Vec<f64>> = block.iter().map(|vector| self.spread(vector)).collect();
        let small: Vec<f64> = block.iter().flat_map(|a| images.iter().map(|image| dot(a, image))).collect();
        let eigen = symmetric(small, block.len());
        let mut found: Vec<Direction> = eigen
            .values
            .iter()
            .zip(eigen.vectors.chunks_exact(block.len().max(1)))
            .map(|(&variance, turn)| {
                let mut axis = vec![0.0; self.features];
                block.iter().zip(turn).for_each(|(vector, &share)| add(&mut axis, share, vector));
                Direction { variance: variance.max(0.0), axis: towards_largest(axis) }
            })
            .collect();
        found.sort_by(|a, b| b.variance.total_cmp(&a.variance));
        found
    }
}

/// The direction along which two groups differ most relative to their scatter: `(W + r I) w = m`, where W is the covariance of
/// the rows within groups, m the difference of the means and r a tenth of the mean variance of a feature. `None` if the means
/// coincide.
pub fn discriminant(within: &Rows, difference: &[f64]) -> Option<Vec<f64>> {
    let ridge = RIDGE * within.total_variance() / within.features as f64;
    if ridge <= 0.0 {
        return unit(difference.to_vec());
    }
    let apply = |vector: &[f64]| {
        let mut image = within.spread(vector);
        add(&mut image, ridge, vector);
        image
    };
    let mut solution = vec![0.0; difference.len()];
    let mut residual = difference.to_vec();
    let mut search = residual.clone();
    let mut square = dot(&residual, &residual);
    let enough = square * 1e-16;
    for _ in 0..STEPS {
        if square <= enough {
            break;
        }
        let image = apply(&search);
        let step = square / dot(&search, &image);
        add(&mut solution, step, &search);
        add(&mut residual, -step, &image);
        let next = dot(&residual, &residual);
        search
            .iter_mut()
            .zip(&residual)
            .for_each(|(search, residual)| *search = residual + next / square * *search);
        square = next;
    }
    unit(solution)
}

/// The vector scaled to length 1; `None` if its length is 0 or not finite.
pub fn unit(mut vector: Vec<f64>) -> Option<Vec<f64>> {
    let length = dot(&vector, &vector).sqrt();
    if !(length > 0.0 && length.is_finite()) {
        return None;
    }
    vector.iter_mut().for_each(|x| *x /= length);
    Some(vector)
}

fn add(to: &mut [f64], factor: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += factor * what);
}

/// Numbers between -1 and 1 that serve as random ones, but are the same in every run.
fn start(seed: usize, length: usize) -> Vec<f64> {
    let mut state = seed as u64 + 1;
    let mut next = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) as f64 / u64::MAX as f64 * 2.0 - 1.0
    };
    (0..length).map(|_| next()).collect()
}

/// Gram-Schmidt, applied to each vector twice; removes vectors that depend on those before them.
fn orthonormalise(block: &mut Vec<Vec<f64>>) {
    let mut done: Vec<Vec<f64>> = Vec::with_capacity(block.len());
    for mut vector in block.drain(..) {
        let before = dot(&vector, &vector).sqrt();
        for _ in 0..2 {
            for other in &done {
                let along = dot(&vector, other);
                add(&mut vector, -along, other);
            }
        }
        let after = dot(&vector, &vector).sqrt();
        if after > before * 1e-12
            && let Some(vector) = unit(vector)
        {
            done.push(vector);
        }
    }
    *block = done;
}

/// Turns an axis so that its largest coordinate is positive.
fn towards_largest(mut axis: Vec<f64>) -> Vec<f64> {
    let largest =
        axis.iter().copied().fold(0.0, |largest: f64, x| if x.abs() > largest.abs() { x } else { largest });
    if largest < 0.0 {
        axis.iter_mut().for_each(|x| *x = -*x);
    }
    axis
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points on a grid, stretched by known factors along turned axes.
    fn turned() -> (Rows, [Vec<f64>; 2]) {
        let axes = [vec![0.6, 0.8, 0.0], vec![-0.8, 0.6, 0.0]];
        let mut values = Vec::new();
        for i in -3..=3 {
            for j in -3..=3 {
                let (a, b) = (5.0 * f64::from(i), 2.0 * f64::from(j));
                values.extend((0..3).map(|f| a * axes[0][f] + b * axes[1][f]));
            }
        }
        (Rows { features: 3, values }, axes)
    }

    #[test]
    fn the_widest_directions_are_found_with_their_variances() {
        let (rows, axes) = turned();
        let found = rows.widest(2);
        // The mean square of -3 to 3 is 4.
        for (direction, (axis, variance)) in found.iter().zip(axes.iter().zip([100.0, 16.0])) {
            assert!((direction.variance - variance).abs() < 1e-9, "{direction:?}");
            assert!(dot(&direction.axis, axis).abs() > 1.0 - 1e-12, "{direction:?}");
            assert!(direction.axis.iter().copied().fold(0.0, f64::max) >= 0.6);
        }
        // The third direction has no variance at all.
        assert_eq!(rows.widest(3).get(2).map_or(0.0, |third| third.variance.round()), 0.0);
        assert!(Rows { features: 2, values: vec![0.0; 8] }.widest(2).iter().all(|one| one.variance == 0.0));
    }

    #[test]
    fn the_discriminant_turns_away_from_scatter() {
        let (rows, axes) = turned();
        // The means differ equally along both axes; the scatter is 25 / 4 times as wide along the first.
        let difference: Vec<f64> = (0..3).map(|f| axes[0][f] + axes[1][f]).collect();
        let line = discriminant(&rows, &difference).unwrap();
        let ridge = 0.1 * 116.0 / 3.0;
        let expected =
            unit((0..3).map(|f| axes[0][f] / (100.0 + ridge) + axes[1][f] / (16.0 + ridge)).collect());
        assert!(dot(&line, &expected.unwrap()) > 1.0 - 1e-12, "{line:?}");
        assert_eq!(discriminant(&rows, &[0.0; 3]), None);
        let points = Rows { features: 2, values: vec![0.0; 4] };
        assert_eq!(discriminant(&points, &[3.0, 4.0]), Some(vec![0.6, 0.8]));
    }
}
