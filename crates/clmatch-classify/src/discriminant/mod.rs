//! Linear discriminant analysis.

mod whitening;

use crate::classifier::Classifier;
use crate::kernels::squared_distance;
use crate::means::group_means;
use crate::split::{Split, largest};
use clmatch_kernels::{Stop, Stopped};

use self::whitening::Whitening;

/// Values of a feature that differ by no more than this part of its size (its largest absolute value) are equal: such a
/// difference affects only the last few bits of numbers that were computed in different ways.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Predicts the class with the greatest posterior, where classes are normal and share their covariance. It has no
/// settings.
///
/// ```text
/// log p(c | x) = log p(c) - 1/2 |W (x - m_c)|^2 + const
/// ```
/// where m_c is the mean of class c, and W makes the covariance within classes (the maximum-likelihood estimate, as in
/// all solvers of scikit-learn 1.9) the identity, on the directions in which there is any spread.
///
/// Where there is no spread:
///
/// * A feature spreads within classes if it differs from the means of its classes by more than rounding, relative to the
///   size of this feature alone. The scales of features do not matter, however different they are.
/// * A feature that is constant is ignored, whatever value a point to predict has.
/// * A feature that is constant within every class, but not the same in all of them, separates perfectly and decides
///   first: only the classes with the nearest values remain, and the formula decides among them. This is the limit of the
///   formula as the spread of such features goes to 0; several of them count by their total spread. scikit-learn ignores
///   such features.
/// * Directions without spread, such as the difference of two equal features, are left out, as in scikit-learn. These are
///   the directions in which the features, divided by their spread, have a spread of less than 1e-4. If there are more
///   features than points, some directions always separate the classes of the training rows perfectly, which says nothing
///   about other points.
/// * If nothing is left, only the priors decide.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LinearDiscriminant;

impl Classifier for LinearDiscriminant {
    /// Time: O(n d min(n, d) + min(n, d)^3). Memory: O(n d + min(n, d)^2).
    fn predict(&self, split: &Split<'_>, stop: &Stop) -> Result<Vec<u32>, Stopped> {
        stop.check()?;
        let fit = DiscriminantFit::of(split);
        let rows = scaled(split, split.test(), &fit.sizes);
        Ok(fit.classify(&rows, split.test().len()))
    }
}

/// What is learnt from the training rows, in units of the size of each feature.
struct DiscriminantFit {
    sizes: Vec<f64>,
    centre: Vec<f64>,
    whitening: Whitening,
    /// The whitened means of the classes, class after class.
    means: Vec<f64>,
    log_priors: Vec<f64>,
    decisive: Decisive,
}

impl DiscriminantFit {
    fn of(split: &Split<'_>) -> DiscriminantFit {
        let (d, n) = (split.data().n_features(), split.train().len());
        let sizes = sizes(split);
        let counts = split.sizes();
        let mut rows = scaled(split, split.train(), &sizes);
        let targets = || split.targets().iter().map(|&target| target as usize);
        let means = group_means(targets().zip(rows.chunks_exact(d)), &counts, d);
        let centre = group_means(rows.chunks_exact(d).map(|row| (0, row)), &[n], d);
        for (class, row) in targets().zip(rows.chunks_exact_mut(d)) {
            row.iter_mut().zip(&means[class * d..][..d]).for_each(|(x, mean)| *x -= mean);
        }
        let whitening = Whitening::new(rows, n, d);
        let shares: Vec<f64> = counts.iter().map(|&count| count as f64 / n as f64).collect();
        let decisive = Decisive::of(&whitening.flat, &means, &centre, &shares);
        let apart: Vec<f64> = means.iter().enumerate().map(|(at, mean)| mean - centre[at % d]).collect();
        let means = whitening.apply(&apart);
        let log_priors = shares.iter().map(|share| share.ln()).collect();
        DiscriminantFit { sizes, centre, whitening, means, log_priors, decisive }
    }

    /// Predicts the classes of n rows.
    fn classify(&self, rows: &[f64], n: usize) -> Vec<u32> {
        let (d, r) = (self.centre.len(), self.whitening.rank);
        let centred: Vec<f64> = rows.iter().enumerate().map(|(at, x)| x - self.centre[at % d]).collect();
        let placed = self.whitening.apply(&centred);
        let classify = |at: usize| {
            let mut scores = self.log_priors.clone();
            for (class, score) in scores.iter_mut().enumerate() {
                // The square is not expanded: where one class is far away, the products would drown the differences
                // between the others.
                let distance = squared_distance(&placed[at * r..][..r], &self.means[class * r..][..r]);
                *score -= 0.5 * distance;
            }
            self.decisive.exclude(&rows[at * d..][..d], &mut scores);
            largest(&scores)
        };
        (0..n).map(classify).collect()
    }
}

/// The features that are constant within classes, but not the same in all classes.
struct Decisive {
    features: Vec<usize>,
    /// The root mean square, over all training rows, of each feature's deviation from its mean.
    spreads: Vec<f64>,
    /// The values of the features in each class, class after class.
    values: Vec<f64>,
    /// Distances that differ by less than this are equal.
    slack: f64,
}

impl Decisive {
    /// Takes the features that do not spread within classes, and the mean and share of each class.
    fn of(flat: &[usize], means: &[f64], centre: &[f64], shares: &[f64]) -> Decisive {
        let d = centre.len();
        let spread = |feature: usize| {
            let apart = shares.iter().enumerate().map(|(class, share)| {
                let apart = means[class * d + feature] - centre[feature];
                share * apart * apart
            });
            apart.sum::<f64>().sqrt()
        };
        let (features, spreads): (Vec<usize>, Vec<f64>) =
            flat.iter().map(|&feature| (feature, spread(feature))).filter(|(_, s)| *s > ROUNDING).unzip();
        let values = means.chunks_exact(d).flat_map(|mean| features.iter().map(|&feature| mean[feature]));
        let slack = spreads.iter().map(|spread| 2.0 * ROUNDING / spread).sum();
        Decisive { values: values.collect(), features, spreads, slack }
    }

    /// Sets the score of every class whose values are not the nearest ones to NaN.
    fn exclude(&self, row: &[f64], scores: &mut [f64]) {
        if self.features.is_empty() {
            return;
        }
        let distance = |values: &[f64]| {
            let apart = self.features.iter().zip(values).zip(&self.spreads);
            apart
                .map(|((&feature, value), spread)| ((row[feature] - value) / spread).powi(2))
                .sum::<f64>()
                .sqrt()
        };
        let distances: Vec<f64> = self.values.chunks_exact(self.features.len()).map(distance).collect();
        let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
        let most = least + self.slack * (1.0 + least);
        // NaN loses to every number.
        let excluded = scores.iter_mut().zip(&distances).filter(|(_, distance)| **distance > most);
        excluded.for_each(|(score, _)| *score = f64::NAN);
    }
}

/// The size of each feature in the training rows: the power of two at or below its largest absolute value, so that
/// division by it is exact, or 1 if all values are zero.
fn sizes(split: &Split<'_>) -> Vec<f64> {
    let mut sizes = vec![0.0; split.data().n_features()];
    for &row in split.train() {
        let row = split.data().row(row).iter();
        sizes.iter_mut().zip(row).for_each(|(size, x)| *size = f64::max(*size, x.abs()));
    }
    sizes.iter().map(|size| if *size > 0.0 { power_of_two(*size) } else { 1.0 }).collect()
}

/// The power of two at or below a positive number.
fn power_of_two(x: f64) -> f64 {
    /// The bits of the exponent.
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    f64::from_bits(x.to_bits() & EXPONENT).max(f64::MIN_POSITIVE)
}

/// Rows, in units of the size of each feature.
fn scaled(split: &Split<'_>, rows: &[usize], sizes: &[f64]) -> Vec<f64> {
    let row = |&row: &usize| split.data().row(row).iter().zip(sizes).map(|(x, size)| x / size);
    rows.iter().flat_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Data;
    use clmatch::Matrix;

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
        let points = Matrix::new(&values, 3).unwrap();
        let data = Data::new(&points, &classes).unwrap();
        let split = Split::new(data, (0..8).collect(), vec![8, 9, 10, 11]);
        assert_eq!(LinearDiscriminant.predict(&split, &Stop::new()).unwrap(), [0, 1, 1, 0]);
    }

    #[test]
    fn priors_move_the_boundary() {
        // One feature, maximum-likelihood variance 1 around 0 and 2, three times as many points of class 0: the boundary
        // lies at 1 + ln(3) / 2 = 1.549.
        let mut values: Vec<f64> = [1.0, -1.0].repeat(3);
        values.extend([3.0, 1.0, 1.54, 1.56]);
        let points = Matrix::new(&values, 1).unwrap();
        let data = Data::new(&points, &[0, 0, 0, 0, 0, 0, 1, 1, 0, 1]).unwrap();
        let split = Split::new(data, (0..8).collect(), vec![8, 9]);
        assert_eq!(LinearDiscriminant.predict(&split, &Stop::new()).unwrap(), [0, 1]);
        assert_eq!(DiscriminantFit::of(&split).log_priors, [0.75_f64.ln(), 0.25_f64.ln()]);
    }

    #[test]
    fn decisive_features_differ_by_more_than_rounding() {
        // Two classes of equal shares at -1, -2 and -8 roundings and at 1, 2 and 8 of them.
        let means = [-1.0, -2.0, -8.0, 1.0, 2.0, 8.0].map(|mean| mean * ROUNDING);
        let decisive = Decisive::of(&[0, 1, 2], &means, &[0.0; 3], &[0.5, 0.5]);
        assert_eq!(decisive.features, [1, 2]);
        assert_eq!(decisive.spreads, [2.0 * ROUNDING, 8.0 * ROUNDING]);
        assert_eq!(decisive.values, [-2.0, -8.0, 2.0, 8.0].map(|mean| mean * ROUNDING));
        // Each of two values may be a rounding away from the mean of its class.
        assert_eq!(decisive.slack, 2.0 / 2.0 + 2.0 / 8.0);
    }

    #[test]
    fn classes_within_the_slack_of_the_nearest_are_kept() {
        // In units of the spread the classes are 2, 2.375 and 2.5 away, and the slack is an eighth of 1 + 2.
        let decisive =
            Decisive { features: vec![1], spreads: vec![0.5], values: vec![1.0, 1.1875, 1.25], slack: 0.125 };
        let mut scores = [7.0, 8.0, 9.0];
        decisive.exclude(&[100.0, 0.0], &mut scores);
        assert_eq!(scores[..2], [7.0, 8.0]);
        assert!(scores[2].is_nan());
    }

    #[test]
    fn what_was_always_zero_is_ignored() {
        let values = [1.0, 0.0, -1.0, 0.0, 3.0, 0.0, 5.0, 0.0, 0.5, 1e6, 3.5, -1e6];
        let points = Matrix::new(&values, 2).unwrap();
        let data = Data::new(&points, &[0, 0, 1, 1, 0, 1]).unwrap();
        let split = Split::new(data, vec![0, 1, 2, 3], vec![4, 5]);
        assert_eq!(sizes(&split), [4.0, 1.0]);
        assert_eq!(LinearDiscriminant.predict(&split, &Stop::new()).unwrap(), [0, 1]);
    }

    #[test]
    fn more_features_than_points() {
        // The same points with every feature repeated with other weights: the rank and the predictions do not change.
        let wide: Vec<f64> = VALUES
            .chunks_exact(3)
            .flat_map(|row| (1..=4).flat_map(move |w| row.iter().map(move |x| x * f64::from(w))))
            .collect();
        let classes = [0, 0, 0, 0, 1, 1, 1, 1];
        let (train, test) = (vec![0, 1, 2, 4, 5, 6], vec![3, 7]);
        let [narrow, wide] = [Matrix::new(&VALUES, 3), Matrix::new(wide, 12)].map(|points| points.unwrap());
        let narrow = Split::new(Data::new(&narrow, &classes).unwrap(), train.clone(), test.clone());
        let wide = Split::new(Data::new(&wide, &classes).unwrap(), train, test);
        let predict = |split: &Split<'_>| LinearDiscriminant.predict(split, &Stop::new()).unwrap();
        assert_eq!(predict(&narrow), predict(&wide));
        let fit = DiscriminantFit::of(&wide);
        assert_eq!((fit.whitening.rank, fit.whitening.flat), (2, vec![2, 5, 8, 11]));
        assert!(fit.decisive.features.is_empty());
    }

    #[test]
    fn sizes_are_powers_of_two() {
        let found = [0.1, 1.0, 1.9, 1e9, f64::MAX, 5e-324].map(power_of_two);
        assert_eq!(found, [0.0625, 1.0, 1.0, 536_870_912.0, 2.0_f64.powi(1023), f64::MIN_POSITIVE]);
    }
}
