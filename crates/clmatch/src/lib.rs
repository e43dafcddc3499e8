//! Cluster-label matching: how well the class labels of a dataset match the clusters that its points form.
//!
//! Validate once, then evaluate any list of measures:
//!
//! ```
//! use clmatch::{Classes, Labels, Points, evaluate, measure};
//!
//! let points = Points::new(&[1.0, 1.0, 1.2, 0.9, 0.8, 1.1, 4.0, 4.2, 4.1, 3.9, 3.8, 4.0], 2)?;
//! let labels = Labels::encode(["low", "low", "low", "high", "high", "high"]);
//! let classes = Classes::new(points, &labels)?;
//!
//! let evaluation = evaluate(&classes, &measure::defaults())?;
//! for (id, score) in &evaluation.scores {
//!     println!("{id} {:.3}", score.value);
//! }
//! assert!(evaluation.value("ch_a").unwrap() > 0.99);
//! # Ok::<(), clmatch::DataError>(())
//! ```
//!
//! To build a measure of your own from the paper's protocols:
//!
//! ```
//! # use clmatch::{Classes, Labels, Points};
//! use clmatch::calibration::GrowthRate;
//! use clmatch::measure::CalinskiHarabasz;
//! use clmatch::protocol::{Min, TakesT1};
//!
//! # let points = Points::new(&[0.0, 0.1, 5.0, 5.1, 9.0, 9.1], 1)?;
//! # let classes = Classes::new(points, &Labels::encode([0, 0, 1, 1, 2, 2]))?;
//! let worst_pair = CalinskiHarabasz.t1().t2().t4(GrowthRate::CH).t3(Min);
//! let score = worst_pair.evaluate(&classes)?;
//! assert_eq!(score.pairs.len(), 3);
//! # Ok::<(), clmatch::DataError>(())
//! ```
//!
//! The parts, each using only those before it: [`matrix`] (the only validator of numbers), [`points`], [`labels`] and
//! [`classes`] (the only validator of labels), the loops over
//! points and the statistics that they compute once (private; measures see a [`View`] of them), [`protocol`] and
//! [`calibration`] (T1 to T4), [`measure`] (the definitions and their registry), [`evaluate()`], [`approximate`],
//! [`diagnose`], which reports what is wrong with a dataset, [`improve`], which looks for the features that make labels
//! true, and [`summary`], which scores data that are not in memory.

pub mod approximate;
pub mod calibration;
pub mod chance;
pub mod classes;
pub mod cost;
pub mod diagnose;
pub mod error;
pub mod evaluate;
mod feature_variances;
pub mod improve;
pub mod intervals;
#[allow(unreachable_pub, reason = "the benches and tests reach some of it through `internals`")]
mod kernels;
pub mod labels;
pub mod matrix;
pub mod measure;
pub mod memory;
mod needs;
pub mod points;
pub mod protocol;
mod statistics;
pub mod summary;

pub use approximate::{Approximation, Estimate, estimate, estimate_with};
pub use chance::Chance;
pub use classes::{Classes, Dropped, Singletons};
pub use clmatch_kernels::{Control, Step, Stop};
pub use error::DataError;
pub use evaluate::{Evaluation, PointScores, Score, Terms, evaluate, evaluate_points, evaluate_with, score};
pub use intervals::Interval;
pub use labels::Labels;
pub use matrix::{Matrix, Scalar};
pub use measure::Measure;
pub use measure::clm::{AllTerms, ClmTerms};
pub use points::{Points, Values};
pub use statistics::View;

/// Items that the benches, the tests and the experiments of this workspace need from behind the interface. They are not part of
/// the interface and may change in any release.
#[doc(hidden)]
pub mod internals {
    pub use crate::feature_variances::feature_variances;
    pub use crate::kernels::median::mean_distance_to_median;
    pub use crate::kernels::pairs::{DistanceTables, NEAREST, PairwiseRequest, Rows, all_pairs};
    pub use crate::kernels::stream::{MomentRequest, moments};
    pub use crate::needs::{Needs, Plan};
    pub use crate::statistics::Statistics;

    /// Takes points that were checked before and have since changed only in ways that keep them finite.
    pub fn trusted_points(values: crate::Values<'_>, features: usize, unit: f64) -> crate::Points<'_> {
        crate::Points::trusted(values, features, unit)
    }
}

/// The README's examples, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// The examples of the guide, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/rust.md")]
struct Guide;
