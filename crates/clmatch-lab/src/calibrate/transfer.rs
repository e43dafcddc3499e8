//! Growth rates by transfer: fitted so that a variant matches the human-calibrated CH_A on the two-Gaussian bench.

use clmatch::calibration::GrowthRate;
use clmatch::protocol::RawScore;
use clmatch_kernels::Stop;
use rayon::prelude::*;

use crate::bench::Base;
use crate::failure::Failure;
use clmatch_analysis::calibration::gaussians::PLANE;
use clmatch_analysis::calibration::variants::{Variant, forms};
use clmatch_analysis::calibration::{Fit, Judged, Options, fit, r2};

/// A transferred growth rate.
#[derive(Debug, Clone, PartialEq)]
pub struct Transferred {
    /// The variant.
    pub variant: Variant,
    /// The fit to CH_A.
    pub fit: Fit,
    /// The growth rate that was known before, with the R2 it reaches here.
    pub known: Option<Known>,
}

/// A growth rate from elsewhere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known {
    /// The growth rate.
    pub k: GrowthRate,
    /// The weighted R2 of the growth rate with CH_A.
    pub r2: f64,
}

/// All variants with R.
pub fn ranged() -> Vec<Variant> {
    Variant::all().into_iter().filter(|variant| variant.protocols.r).collect()
}

/// For each variant, its forms on all datasets of the bench, in the plane.
///
/// # Errors
/// [`Failure::Stopped`] if `stop` was raised.
pub fn forms_by_variant(
    bases: &[Base],
    variants: &[Variant],
    stop: &Stop,
) -> Result<Vec<Vec<RawScore>>, Failure> {
    let of_base = |base: &Base| {
        stop.check()?;
        Ok(forms(&base.sample(PLANE).classes()?, variants)?)
    };
    let by_base: Vec<Vec<RawScore>> = bases.par_iter().map(of_base).collect::<Result<_, Failure>>()?;
    Ok((0..variants.len()).map(|at| by_base.iter().map(|forms| forms[at].clone()).collect()).collect())
}

/// Fits one variant, given its forms on the bench.
///
/// # Errors
/// If a form is not finite.
pub fn to(
    variant: Variant,
    bases: &[Base],
    forms: &[RawScore],
    options: &Options,
) -> Result<Transferred, Failure> {
    let judge = |(base, form): (&Base, &RawScore)| Judged { form: form.clone(), score: base.score };
    let judged: Vec<Judged> = bases.iter().zip(forms).map(judge).collect();
    let known = match variant.growth() {
        Some(k) => Some(Known { k, r2: r2(&judged, k.value)? }),
        None => None,
    };
    Ok(Transferred { variant, fit: fit(&judged, options)?, known })
}
