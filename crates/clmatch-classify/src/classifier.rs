//! What all classifiers have in common.

use crate::split::Split;
use clmatch_kernels::{Stop, Stopped};

/// Learns from the training rows of a split and predicts the test rows.
pub trait Classifier {
    /// A class number of the split for each test row.
    ///
    /// # Errors
    /// [`Stopped`] if the flag was raised.
    fn predict(&self, split: &Split<'_>, stop: &Stop) -> Result<Vec<u32>, Stopped>;
}

/// The mean over folds of the accuracy.
///
/// # Errors
/// [`Stopped`] if the flag was raised.
pub fn cross_validate(
    classifier: &dyn Classifier,
    splits: &[Split<'_>],
    stop: &Stop,
) -> Result<f64, Stopped> {
    let hits: Result<Vec<usize>, Stopped> =
        splits.iter().map(|split| Ok(split.hits(&classifier.predict(split, stop)?))).collect();
    Ok(mean_accuracy(splits, &hits?))
}

/// The mean over folds of the accuracy, given how many predictions of each fold are right.
pub fn mean_accuracy(splits: &[Split<'_>], hits: &[usize]) -> f64 {
    let shares = splits.iter().zip(hits).map(|(split, &hits)| split.share(hits));
    shares.sum::<f64>() / splits.len() as f64
}
