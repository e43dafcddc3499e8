//! The eight classifiers that compete with the measures, under cross-validation.
//!
//! [`Data`] is a [`Matrix`] of points with their classes, [`Folds`] divides them, and a [`Split`] is one fold: rows to
//! learn from and rows to predict. Every classifier takes a split:
//!
//! ```
//! use clmatch_classify::{Classifier, Data, Folds, Matrix, NaiveBayes, Stop, cross_validate};
//! let points = Matrix::new(&[0.0, 0.1, 0.2, 0.1, 0.0, 5.0, 5.1, 4.9, 5.2, 5.0], 1)?;
//! let data = Data::new(&points, &[0, 0, 0, 0, 0, 1, 1, 1, 1, 1])?;
//! let folds = Folds::stratified(data.classes(), 5, 42);
//! let accuracy = cross_validate(&NaiveBayes::default(), &folds.splits(data), &Stop::new())?;
//! assert_eq!(accuracy, 1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What settings and folds share is computed once: [`Distances`] serve every kernel width and number of neighbours,
//! [`Columns`] hold the features in sorted order for the trees, and [`Moments`] serve every smoothing of naive Bayes.
//! Forests and boosted trees report their predictions after each tree, so that the largest number of trees answers for
//! every smaller one.
//!
//! Settings and objectives are those of scikit-learn and XGBoost, against which each classifier is tested. Everything
//! random takes a seed. Nothing here uses threads: folds and settings are independent, and the caller may run them in
//! parallel.

mod bayes;
mod boosting;
mod classifier;
mod columns;
mod data;
mod discriminant;
mod distances;
mod folds;
mod forest;
mod kernels;
mod logistic;
mod means;
mod neighbours;
mod perceptron;
mod softmax;
mod split;
mod svm;

pub use bayes::{Moments, NaiveBayes};
pub use boosting::BoostedTrees;
pub use classifier::{Classifier, cross_validate, mean_accuracy};
pub use clmatch::Matrix;
pub use clmatch_kernels::{Stop, Stopped};
pub use columns::Columns;
pub use data::Data;
pub use discriminant::LinearDiscriminant;
pub use distances::Distances;
pub use folds::{Folds, FoldsError};
pub use forest::{Criterion, RandomForest};
pub use logistic::{LogisticRegression, Penalty};
pub use neighbours::NearestNeighbours;
pub use perceptron::{Activation, Perceptron};
pub use split::Split;
pub use svm::{Kernel, Svm};
