//! The logistic loss and its derivatives.

use crate::softmax::{sigmoid, softmax};
use crate::split::Split;

/// The smallest second derivative.
const LEAST: f32 = 1e-16;

/// The first and second derivatives of the loss at a point.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C)]
pub(super) struct Gradient {
    pub(super) first: f32,
    pub(super) second: f32,
}

/// The initial scores: the logarithms of the class shares.
pub(super) struct Loss {
    /// For two classes, a single number: the logarithm of the odds of the second class.
    base: Vec<f32>,
}

impl Loss {
    pub(super) fn of(split: &Split<'_>) -> Loss {
        let sizes = split.sizes();
        let base = match sizes[..] {
            [first, second] => vec![(second as f64 / first as f64).ln() as f32],
            _ => sizes.iter().map(|&size| (size as f64 / split.train().len() as f64).ln() as f32).collect(),
        };
        Loss { base }
    }

    /// The number of scores of a point, and of trees per round.
    pub(super) fn groups(&self) -> usize {
        self.base.len()
    }

    /// The initial scores of `points` points, point after point.
    pub(super) fn start(&self, points: usize) -> Vec<f32> {
        self.base.repeat(points)
    }

    /// The derivatives by every score, point after point.
    ///
    /// ```text
    /// two classes  p - y,  p (1 - p)
    /// more         p_c - [y = c],  2 p_c (1 - p_c)
    /// ```
    pub(super) fn derivatives(&self, targets: &[u32], scores: &[f32]) -> Vec<Gradient> {
        let groups = self.groups();
        let at = |p: f32, hit: bool, factor: f32| Gradient {
            first: p - f32::from(u8::from(hit)),
            second: (factor * p * (1.0 - p)).max(LEAST),
        };
        if groups == 1 {
            return targets.iter().zip(scores).map(|(&y, &score)| at(sigmoid(score), y == 1, 1.0)).collect();
        }
        let mut shares = vec![0.0; groups];
        let mut derivatives = Vec::with_capacity(scores.len());
        for (&y, scores) in targets.iter().zip(scores.chunks_exact(groups)) {
            shares.copy_from_slice(scores);
            softmax(&mut shares);
            derivatives.extend(shares.iter().zip(0..).map(|(&p, class)| at(p, y == class, 2.0)));
        }
        derivatives
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Data;
    use clmatch::Matrix;

    #[test]
    fn scores_start_from_the_shares_of_the_classes() {
        let points = Matrix::new(&[0.0, 1.0, 2.0, 3.0, 4.0], 1).unwrap();
        let base = |targets: &[u32]| {
            Loss::of(&Split::new(Data::new(&points, targets).unwrap(), (0..5).collect(), vec![])).base
        };
        // Two classes have one score: the logarithm of the odds.
        assert_eq!(base(&[1, 0, 1, 1, 0]), [1.5_f64.ln() as f32]);
        assert_eq!(base(&[2, 0, 1, 2, 2]), [0.2_f64, 0.2, 0.6].map(|share| share.ln() as f32));
    }

    #[test]
    fn derivatives_by_hand() {
        let close = |gradient: Gradient, first: f32, second: f32| {
            (gradient.first - first).abs() < 1e-6 && (gradient.second - second).abs() < 1e-6
        };
        // Two classes at odds 1 : 1: p = 1/2.
        let two = Loss { base: vec![0.0] }.derivatives(&[1, 0], &[0.0, 0.0]);
        assert!(close(two[0], -0.5, 0.25) && close(two[1], 0.5, 0.25), "{two:?}");
        // Three classes with shares 1/2, 1/4, 1/4.
        let scores = [2.0_f32.ln(), 0.0, 0.0];
        let three = Loss { base: vec![0.0; 3] }.derivatives(&[2], &scores);
        assert!(close(three[0], 0.5, 0.5) && close(three[1], 0.25, 0.375), "{three:?}");
        assert!(close(three[2], -0.75, 0.375), "{three:?}");
    }
}
