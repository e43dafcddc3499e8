//! Parts of a dataset: some of its points, with features reweighted.

use crate::classes::Classes;
use crate::error::DataError;
use crate::kernels::random::SplitMix;
use crate::labels::Labels;
use crate::matrix::Scalar;
use crate::points::{Points, Values};

/// The smallest number of points of a class that can be split into two halves that adjusted measures accept.
const LEAST: usize = 4;

/// Row-major values of the features with positive weight, each multiplied by the root of its weight, so that the squared
/// difference in a feature counts with its weight. f32 stays f32 if features are only dropped; products are kept in f64, because
/// far from 0 their rounding to f32 would be as large as the differences between points.
///
/// Time: O(n d). Memory: O(n d).
pub fn reweight(values: &Values<'_>, features: usize, weights: &[f64]) -> Values<'static> {
    let kept: Vec<(usize, f64)> =
        weights.iter().enumerate().filter(|(_, w)| **w > 0.0).map(|(f, w)| (f, w.sqrt())).collect();
    match values {
        Values::F64(values) => times_roots(values, features, &kept).into(),
        Values::F32(values) if kept.iter().all(|&(_, root)| root == 1.0) => {
            let rows = values.chunks_exact(features);
            rows.flat_map(|row| kept.iter().map(|&(f, _)| row[f])).collect::<Vec<f32>>().into()
        }
        Values::F32(values) => times_roots(values, features, &kept).into(),
    }
}

fn times_roots<T: Scalar>(values: &[T], features: usize, kept: &[(usize, f64)]) -> Vec<f64> {
    let rows = values.chunks_exact(features);
    rows.flat_map(|row| kept.iter().map(|&(f, root)| row[f].to_f64() * root)).collect()
}

/// The classes with features reweighted.
pub(crate) fn reweighted(classes: &Classes<'_>, weights: &[f64]) -> Result<Classes<'static>, DataError> {
    let rows: Vec<&[usize]> =
        (0..classes.n_classes()).map(|class| &classes.order()[classes.range(class)]).collect();
    gather(classes, &rows, weights)
}

/// The given rows of each class, in double precision.
pub(crate) fn gather<R: AsRef<[usize]>>(
    classes: &Classes<'_>,
    rows: &[R],
    weights: &[f64],
) -> Result<Classes<'static>, DataError> {
    let features = classes.points().n_features();
    let kept: Vec<(usize, f64)> =
        weights.iter().enumerate().filter(|(_, w)| **w > 0.0).map(|(f, w)| (f, w.sqrt())).collect();
    let order: Vec<usize> = rows.iter().flat_map(|rows| rows.as_ref().iter().copied()).collect();
    let values = match classes.points().values() {
        Values::F64(values) => pick(values, features, &order, &kept),
        Values::F32(values) => pick(values, features, &order, &kept),
    };
    let codes =
        rows.iter().enumerate().flat_map(|(class, rows)| rows.as_ref().iter().map(move |_| class as u32));
    // Names that sort in the order of the classes, whatever the classes are called.
    let names: Vec<String> = (0..rows.len()).map(|class| class.to_string()).collect();
    let points = Points::new(values, kept.len())?.with_unit(classes.points().unit())?;
    Classes::new(points, &Labels::from_codes(codes.collect(), &names))
}

fn pick<T: Scalar>(values: &[T], features: usize, order: &[usize], kept: &[(usize, f64)]) -> Vec<f64> {
    let mut picked = Vec::with_capacity(order.len() * kept.len());
    for &row in order {
        let row = &values[row * features..(row + 1) * features];
        picked.extend(kept.iter().map(|&(f, root)| row[f].to_f64() * root));
    }
    picked
}

/// Rows of two halves, class by class.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ValidationHalves {
    pub(crate) chosen: Vec<Vec<usize>>,
    pub(crate) held_out: Vec<Vec<usize>>,
    /// Classes with too few points to be split.
    pub(crate) left_out: Vec<usize>,
}

impl ValidationHalves {
    /// Splits every class at random; `None` if fewer than two classes can be split.
    pub(crate) fn new(classes: &Classes<'_>, seed: u64) -> Option<ValidationHalves> {
        let mut random = SplitMix::new(seed ^ 0x5EED_5917);
        let mut halves = ValidationHalves { chosen: Vec::new(), held_out: Vec::new(), left_out: Vec::new() };
        for class in 0..classes.n_classes() {
            if classes.size(class) < LEAST {
                halves.left_out.push(class);
                continue;
            }
            let mut rows = classes.order()[classes.range(class)].to_vec();
            random.shuffle(&mut rows);
            // The odd point goes to the half that is chosen on: alternating between the halves would depend on the order of
            // classes.
            let held_out = rows.split_off(rows.len().div_ceil(2));
            halves.chosen.push(rows);
            halves.held_out.push(held_out);
        }
        (halves.chosen.len() >= 2).then_some(halves)
    }

    /// Halves of the same sizes with the points dealt at random: labels without information.
    pub(crate) fn shuffled(&self, seed: u64) -> ValidationHalves {
        let mut rows: Vec<usize> = self.chosen.iter().chain(&self.held_out).flatten().copied().collect();
        SplitMix::new(seed).shuffle(&mut rows);
        let mut rest = rows.into_iter();
        let mut deal = |like: &[Vec<usize>]| -> Vec<Vec<usize>> {
            like.iter().map(|class| rest.by_ref().take(class.len()).collect()).collect()
        };
        let chosen = deal(&self.chosen);
        ValidationHalves { chosen, held_out: deal(&self.held_out), left_out: self.left_out.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes() -> Classes<'static> {
        let values: Vec<f64> = (0..60).map(f64::from).collect();
        let labels = Labels::encode((0..30).map(|row| if row < 3 { "few" } else { ["a", "b"][row % 2] }));
        Classes::new(Points::new(values, 2).unwrap(), &labels).unwrap()
    }

    #[test]
    fn halves_are_disjoint_stratified_and_complete() {
        let classes = classes();
        let halves = ValidationHalves::new(&classes, 1).unwrap();
        assert_eq!(halves.left_out, [2]);
        for class in 0..2 {
            let mut rows = [halves.chosen[class].clone(), halves.held_out[class].clone()].concat();
            assert!(halves.chosen[class].len().abs_diff(halves.held_out[class].len()) <= 1);
            rows.sort_unstable();
            assert_eq!(rows, classes.order()[classes.range(class)]);
        }
        assert_ne!(halves, ValidationHalves::new(&classes, 2).unwrap());
        let shuffled = halves.shuffled(3);
        assert_eq!(
            shuffled.chosen.iter().map(Vec::len).collect::<Vec<_>>(),
            halves.chosen.iter().map(Vec::len).collect::<Vec<_>>()
        );
        let mut all: Vec<usize> =
            shuffled.chosen.iter().chain(&shuffled.held_out).flatten().copied().collect();
        all.sort_unstable();
        assert_eq!(all, (3..30).collect::<Vec<_>>());
        assert_ne!(shuffled.chosen, halves.chosen);
    }

    #[test]
    fn features_are_kept_and_multiplied_by_roots() {
        let values = Values::from(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(reweight(&values, 3, &[1.0, 0.0, 4.0]), Values::from(vec![1.0, 6.0, 4.0, 12.0]));
        let single = Values::from(vec![1.5_f32, 2.0, 3.0, 4.0]);
        assert_eq!(reweight(&single, 2, &[0.0, 1.0]), Values::from(vec![2.0_f32, 4.0]));
        // 1e6 + 1/16 is exact in f32; times sqrt(1/2) it would be rounded to 1/32.
        let far = Values::from(vec![1e6_f32, 1e6 + 1.0 / 16.0]);
        let root = 0.5_f64.sqrt();
        assert_eq!(reweight(&far, 1, &[0.5]), Values::from(vec![1e6 * root, (1e6 + 0.0625) * root]));
    }
}
