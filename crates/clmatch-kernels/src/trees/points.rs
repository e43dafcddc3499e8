//! The points of a tree.

use crate::simd::sums::squared_distance;

/// Row-major points of finite numbers.
#[derive(Debug, Clone, Copy)]
pub struct Points<'a> {
    values: &'a [f64],
    features: usize,
    cores: Option<&'a [f64]>,
}

impl<'a> Points<'a> {
    /// Creates points from `values`: `features` numbers for each, one point after the other.
    ///
    /// # Panics
    /// If there are no features, or if the last row is short.
    #[must_use]
    pub fn new(values: &'a [f64], features: usize) -> Self {
        assert!(features > 0 && values.len().is_multiple_of(features), "whole rows");
        Points { values, features, cores: None }
    }

    /// Like `self`, but edges are at least as long as the core distances of both ends (squared, one per point).
    ///
    /// # Panics
    /// If the number of core distances is not the number of points.
    #[must_use]
    pub fn with_cores(self, cores: &'a [f64]) -> Self {
        assert_eq!(cores.len() * self.features, self.values.len(), "a core distance per point");
        Points { cores: Some(cores), ..self }
    }

    /// How many points there are.
    #[must_use]
    pub fn n_points(&self) -> usize {
        self.values.len() / self.features
    }

    pub(crate) fn features(&self) -> usize {
        self.features
    }

    pub(crate) fn row(&self, point: u32) -> &'a [f64] {
        &self.values[point as usize * self.features..][..self.features]
    }

    /// The squared length of an edge.
    pub(crate) fn length(&self, a: u32, b: u32) -> f64 {
        self.at_least_cores(squared_distance(self.row(a), self.row(b)), a, b)
    }

    /// The squared length of an edge, given the squared distance of its ends.
    pub(crate) fn at_least_cores(&self, square: f64, a: u32, b: u32) -> f64 {
        match self.cores {
            Some(cores) => square.max(cores[a as usize]).max(cores[b as usize]),
            None => square,
        }
    }
}
