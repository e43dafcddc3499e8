//! What class labels can be compared with: the ground truth from tuned clustering techniques, the accuracy of tuned
//! classifiers, and how stable rankings of techniques are under the choice of datasets.
//!
//! * [`techniques`]: nine clustering techniques, each at its best setting by four external measures.
//! * [`classifiers`]: eight classifiers under cross-validation.
//! * [`results`]: tables of such scores, written by this project or by others.
//! * [`stability`]: whether a ranking of techniques would be found again on other datasets.
//! * [`picking`]: datasets for a benchmark whose ranking of techniques holds.
//! * [`rank`]: ranks, rank correlation and quantiles.
//! * [`tune`]: hyperparameter search.

pub mod classifiers;
pub mod picking;
pub mod rank;
pub mod results;
pub mod stability;
pub mod techniques;
pub mod tune;
