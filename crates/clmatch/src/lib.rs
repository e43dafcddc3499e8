//! Cluster-label matching: how well the class labels of a dataset match the clusters that its points form.

pub mod classes;
pub mod error;
pub mod labels;
pub mod points;

pub use classes::{Classes, Dropped, Singletons};
pub use error::DataError;
pub use labels::Labels;
pub use points::{Points, Scalar, Values};
