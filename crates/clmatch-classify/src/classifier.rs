//! What all classifiers share.

use crate::split::Split;
use clmatch_kernels::{Stop, Stopped};

/// Learns from the training rows of a split and predicts the test rows.
pub trait Classifier {
    /// Predicts a class number of the split for each test row.
    ///
    /// # Errors
    /// [`Stopped`] if `stop` was raised.
    fn predict(&self, split: &Split<'_>, stop: &Stop) -> Result<Vec<u32>, Stopped>;
}

/// The mean accuracy over the folds.
///
/// # Errors
/// [`Stopped`] if `stop` was raised.
pub fn cross_validate(
    classifier: &dyn Classifier,
    splits: &[Split<'_>],
    stop: &Stop,
) -> Result<f64, Stopped> {
    let hits: Result<Vec<usize>, Stopped> =
        splits.iter().map(|split| Ok(split.hits(&classifier.predict(split, stop)?))).collect();
    Ok(mean_accuracy(splits, &hits?))
}

/// The mean accuracy over the folds, given the number of correct predictions in each.
pub fn mean_accuracy(splits: &[Split<'_>], hits: &[usize]) -> f64 {
    let shares = splits.iter().zip(hits).map(|(split, &hits)| split.share(hits));
    shares.sum::<f64>() / splits.len() as f64
}
