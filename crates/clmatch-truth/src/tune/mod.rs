//! Hyperparameter search: exhaustive where the space is small, Bayesian otherwise.
//!
//! A [`Space`] names the hyperparameters and their ranges: reals and integers on a linear or a logarithmic scale, and
//! choices between names. A search gives [`Setting`]s to an objective, and looks for the greatest value:
//!
//! ```
//! use clmatch_truth::tune::{Budget, Dimension, Space, maximize};
//!
//! // X-Means: at most kmax clusters, which stop splitting below a tolerance.
//! let space = Space::new([("kmax", Dimension::integer(2, 50)), ("tolerance", Dimension::real(0.01, 1.0))])?;
//! // Stands for: cluster with this setting, compare with the labels. NaN says that it failed.
//! let objective = |kmax: f64, tolerance: f64| 1.0 - ((kmax - 12.0) / 50.0).powi(2) - (tolerance - 0.3).powi(2);
//!
//! let seed = 42;
//! let found = maximize(&space, Budget::default(), seed, |setting| {
//!     match (setting.integer("kmax"), setting.real("tolerance")) {
//!         (Some(kmax), Some(tolerance)) => objective(kmax as f64, tolerance),
//!         _ => f64::NAN,
//!     }
//! })?;
//! assert_eq!(found.evaluations.len(), 30);
//! assert!(found.best.value > 0.999, "{}", found.best.setting);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Optimizer`] is the same search with control inverted: ask it for a setting, then tell it the value. It also learns
//! from settings that were evaluated for another purpose, so that several measures of the same clusterings share their
//! evaluations.
//!
//! | module | what it holds |
//! |---|---|
//! | [`bayesian`] | the guided search, and why it is written here |
//! | [`exhaustive`] | every setting of a finite space, in order or on several threads |
//! | [`random`] | the baseline |
//! | [`gaussian_process`] | the model of the objective |
//! | [`normal`] | the normal distribution and the logarithm of expected improvement |
//!
//! A seed determines every result. Values that are not finite are failed evaluations: worse than everything, but never an
//! error.

mod acquisition;
mod ascent;
pub mod bayesian;
mod design;
mod dimension;
mod evidence;
pub mod exhaustive;
pub mod gaussian_process;
pub mod normal;
mod outcome;
pub mod random;
mod setting;
mod space;
mod space_error;

pub use bayesian::{Budget, Optimizer, maximize};
pub use dimension::{Axis, Dimension};
pub use outcome::{Evaluation, Outcome, SearchError};
pub use setting::{Setting, Value};
pub use space::{SettingError, Space};
pub use space_error::SpaceError;
