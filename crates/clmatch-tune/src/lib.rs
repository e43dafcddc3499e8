//! Hyperparameter search: exhaustive where the space is small, Bayesian elsewhere.
