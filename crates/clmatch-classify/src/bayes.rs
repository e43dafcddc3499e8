//! Gaussian naive Bayes.

use crate::classifier::Classifier;
use crate::means::group_means;
use crate::split::{Split, largest};
use clmatch_kernels::{Stop, Stopped};

/// Predicts the class with the greatest posterior, where features are normal and independent within each class.
///
/// ```text
/// log p(c | x) = log p(c) - 1/2 sum_j [ log(2 pi v_cj) + (x_j - m_cj)^2 / v_cj ] + const
/// ```
/// where m and v are the mean and the variance of feature j in class c, and every v is increased by `smoothing` times the
/// largest variance of a feature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NaiveBayes {
    /// The part of the largest variance that is added to all variances.
    pub smoothing: f64,
}

impl Default for NaiveBayes {
    fn default() -> Self {
        NaiveBayes { smoothing: 1e-9 }
    }
}

/// The means and variances of the features in each class of a split's training rows: everything that [`NaiveBayes`]
/// learns, whatever the smoothing.
#[derive(Debug, Clone)]
pub struct Moments {
    /// The mean of each feature, class after class.
    means: Vec<f64>,
    variances: Vec<f64>,
    log_priors: Vec<f64>,
    /// The largest variance of a feature over all training rows.
    largest: f64,
}

impl Moments {
    /// Time: O(n d). Memory: O(K d).
    pub fn of(split: &Split<'_>) -> Moments {
        let features = split.data().n_features();
        let sizes = split.sizes();
        let groups = split.targets().iter().map(|&target| target as usize);
        let (means, variances) = spread(split, groups, &sizes);
        let (_, overall) = spread(split, std::iter::repeat(0), &[split.train().len()]);
        let n = split.train().len() as f64;
        let log_priors = sizes.iter().map(|&size| (size as f64 / n).ln()).collect();
        debug_assert_eq!(means.len(), sizes.len() * features);
        Moments { means, variances, log_priors, largest: overall.into_iter().fold(0.0, f64::max) }
    }
}

/// The means and variances of the features in groups of training rows, computed in two passes.
fn spread(
    split: &Split<'_>,
    groups: impl Iterator<Item = usize> + Clone,
    sizes: &[usize],
) -> (Vec<f64>, Vec<f64>) {
    let features = split.data().n_features();
    let rows = split.train().iter().map(|&row| split.data().row(row));
    let means = group_means(groups.clone().zip(rows), sizes, features);
    let mut variances = vec![0.0; means.len()];
    for (&row, group) in split.train().iter().zip(groups) {
        let place = group * features..(group + 1) * features;
        let of_row = variances[place.clone()].iter_mut().zip(&means[place]).zip(split.data().row(row));
        of_row.for_each(|((variance, mean), x)| *variance += (x - mean) * (x - mean) / sizes[group] as f64);
    }
    (means, variances)
}

impl NaiveBayes {
    /// Predicts the test rows from the moments of the same split.
    ///
    /// Time: O(m K d).
    pub fn predict_with(&self, split: &Split<'_>, moments: &Moments) -> Vec<u32> {
        let features = split.data().n_features();
        // Where every feature is constant, only the priors decide; any positive variance keeps the formula finite.
        let raise = (self.smoothing * moments.largest).max(f64::MIN_POSITIVE);
        let inverse: Vec<f64> = moments.variances.iter().map(|variance| 1.0 / (variance + raise)).collect();
        let constants: Vec<f64> = (0..split.classes())
            .map(|class| {
                let logs = moments.variances[class * features..][..features].iter().map(|v| (v + raise).ln());
                moments.log_priors[class] - 0.5 * logs.sum::<f64>()
            })
            .collect();
        let mut scores = vec![0.0; split.classes()];
        let classify = |&row: &usize| {
            let point = split.data().row(row);
            for (class, score) in scores.iter_mut().enumerate() {
                let place = class * features..(class + 1) * features;
                let terms = point.iter().zip(&moments.means[place.clone()]).zip(&inverse[place]);
                let distance: f64 = terms.map(|((x, mean), inverse)| (x - mean) * (x - mean) * inverse).sum();
                *score = constants[class] - 0.5 * distance;
            }
            largest(&scores)
        };
        split.test().iter().map(classify).collect()
    }
}

impl Classifier for NaiveBayes {
    fn predict(&self, split: &Split<'_>, stop: &Stop) -> Result<Vec<u32>, Stopped> {
        stop.check()?;
        Ok(self.predict_with(split, &Moments::of(split)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Data;
    use clmatch::Matrix;

    #[test]
    fn a_case_by_hand() {
        // Class 0: mean 1, variance 1; class 1: mean 5, variance 9. Without priors the densities are equal where
        // (x - 1)^2 = ln 9 + (x - 5)^2 / 9, at x = -1.67.. and 2.67..
        let values = [0.0, 2.0, 2.0, 8.0, 2.6, 2.7, -1.6, -1.7];
        let points = Matrix::new(&values, 1).unwrap();
        let data = Data::new(&points, &[0, 0, 1, 1, 0, 1, 0, 1]).unwrap();
        let split = Split::new(data, vec![0, 1, 2, 3], vec![4, 5, 6, 7]);
        let smoothing = 1e-12;
        assert_eq!(NaiveBayes { smoothing }.predict(&split, &Stop::new()).unwrap(), [0, 1, 0, 1]);
    }

    #[test]
    fn moments_by_hand() {
        let values = [0.0, 10.0, 2.0, 10.0, 2.0, 0.0, 8.0, 6.0, 5.0, 3.0, 7.0, 7.0];
        let points = Matrix::new(&values, 2).unwrap();
        let data = Data::new(&points, &[0, 0, 1, 1, 1, 0]).unwrap();
        let moments = Moments::of(&Split::new(data, vec![0, 1, 2, 3, 4], vec![5]));
        let near = |found: &[f64], expected: &[f64]| {
            assert_eq!(found.len(), expected.len());
            found
                .iter()
                .zip(expected)
                .for_each(|(a, b)| assert!((a - b).abs() < 1e-14, "{found:?} {expected:?}"));
        };
        near(&moments.means, &[1.0, 10.0, 5.0, 3.0]);
        near(&moments.variances, &[1.0, 0.0, 6.0, 6.0]);
        near(&moments.log_priors, &[0.4_f64.ln(), 0.6_f64.ln()]);
        near(&[moments.largest], &[76.8 / 5.0]);
    }

    #[test]
    fn an_offset_does_not_drown_the_variance() {
        // 0, 1 and 1 have a variance of 2/9; squares of numbers around 1e9 are only accurate to the hundreds.
        let values = [0.0, 1.0, 1.0, 5.0].map(|x| 1e9 + x);
        let points = Matrix::new(&values, 1).unwrap();
        let data = Data::new(&points, &[0, 0, 0, 1]).unwrap();
        let moments = Moments::of(&Split::new(data, vec![0, 1, 2], vec![3]));
        assert!((moments.variances[0] - 2.0 / 9.0).abs() < 1e-6, "{:?}", moments.variances);
    }

    #[test]
    fn constant_features_leave_the_priors() {
        let points = Matrix::new(&[4.0; 5], 1).unwrap();
        let data = Data::new(&points, &[0, 1, 1, 0, 1]).unwrap();
        let split = Split::new(data, vec![0, 1, 2], vec![3, 4]);
        assert_eq!(NaiveBayes::default().predict(&split, &Stop::new()).unwrap(), [1, 1]);
    }

    #[test]
    fn what_the_means_of_constants_miss_by_rounding_is_no_variance() {
        // 31 times one tenth, with two thirds of the rows in class 1, and a feature that says nothing or everything.
        let classes: Vec<u32> = (0..31).map(|row| u32::from(row % 3 > 0)).collect();
        for (step, expected) in [(0.0, [1, 1]), (1e-20, [0, 1])] {
            let values: Vec<f64> = classes.iter().flat_map(|&class| [0.1, step * f64::from(class)]).collect();
            let points = Matrix::new(&values, 2).unwrap();
            let data = Data::new(&points, &classes).unwrap();
            let split = Split::new(data, (2..31).collect(), vec![0, 1]);
            assert_eq!(NaiveBayes::default().predict(&split, &Stop::new()).unwrap(), expected, "{step}");
        }
    }
}
