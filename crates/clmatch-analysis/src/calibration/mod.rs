//! Growth rates of T4 that are fitted to judgements: of people, or of another measure.

pub mod bins;
mod fit;
pub mod gaussians;
mod golden;
mod growth_rates;
pub mod judgements;
mod objective;
pub mod variants;

pub use fit::{Fit, FitError, Interval, Judged, Options, fit, r2};
pub use growth_rates::{
    FittedScores, GrowthRateRow, GrowthRateSettings, GrowthRates, SCHEMA, fit_judgements,
};
