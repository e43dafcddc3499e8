//! Growth rates of T4 (T4-c): known ones are recovered from simulated judgements, and that of CH_A is transferred to all
//! variants.

pub mod constants;
mod page;
pub mod round_trip;
pub mod transfer;

use clmatch_analysis::calibration::Options;
use clmatch_kernels::Control;

use crate::bench::bases;
use crate::failure::Failure;
use crate::findings::Findings;

/// What to compute for the page.
#[derive(Debug, Clone, PartialEq)]
pub struct CalibrationSettings {
    /// The number of datasets of the two-Gaussian bench.
    pub datasets: usize,
    /// The number of people whose votes make up a simulated judgement.
    pub participants: u64,
    /// How to fit; the seed is also used for the bench and the simulated judges.
    pub options: Options,
}

impl Default for CalibrationSettings {
    /// The same numbers of datasets and participants as in the paper.
    fn default() -> Self {
        CalibrationSettings { datasets: 1000, participants: 34, options: Options::default() }
    }
}

/// Recovers known growth rates, and transfers that of CH_A to all variants. Reports to `control` how many steps are done,
/// and out of how many.
///
/// # Errors
/// [`Failure::Stopped`] if `stop` was raised, and [`Failure::Fit`] if the bench is too small to fit anything to.
pub fn findings(plan: &CalibrationSettings, control: Control<'_>) -> Result<Findings, Failure> {
    let stop = control.stop();
    let bases = bases(plan.datasets, plan.options.seed, stop)?;
    let variants = transfer::ranged();
    let steps = 2 * variants.len() + 1;
    let forms = transfer::forms_by_variant(&bases, &variants, stop)?;
    control.report("raw scores", 1, steps);
    let (mut transferred, mut round_trips) = (Vec::new(), Vec::new());
    for (at, (&variant, forms)) in variants.iter().zip(&forms).enumerate() {
        stop.check()?;
        transferred.push(transfer::to(variant, &bases, forms, &plan.options)?);
        control.report("transfer", 2 * at + 2, steps);
        if let Some(k) = variant.growth() {
            stop.check()?;
            round_trips.push(round_trip::recover(variant, k.value, forms, plan, at as u64)?);
        }
        control.report("recovery", 2 * at + 3, steps);
    }
    let results = page::CalibrationResults {
        plan,
        bases: &bases,
        forms: &forms,
        transferred: &transferred,
        round_trips: &round_trips,
    };
    Ok(results.findings())
}
