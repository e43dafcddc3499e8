//! What is wrong with the labels of a dataset: the points that look mislabelled, and those that lie far from all classes.

mod class_distances;
mod evidence;
mod label_noise;
mod outliers;
mod suspects;
#[cfg(test)]
mod tests;

pub use outliers::OUTLIER;
pub use suspects::{LEFT_OUT, Suspects, suspects};
