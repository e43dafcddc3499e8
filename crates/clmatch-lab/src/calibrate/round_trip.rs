//! A round trip: judges who follow a known growth rate, and the growth rate that is recovered from their judgements.

use clmatch::protocol::RawScore;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Binomial, Distribution};

use super::CalibrationSettings;
use crate::failure::Failure;
use clmatch_analysis::calibration::variants::Variant;
use clmatch_analysis::calibration::{Fit, Judged, fit};

/// A growth rate, and the one recovered from judgements.
#[derive(Debug, Clone, PartialEq)]
pub struct RoundTrip {
    /// The variant.
    pub variant: Variant,
    /// The growth rate that the judges followed.
    pub truth: f64,
    /// The fit to the judgements.
    pub fit: Fit,
}

impl RoundTrip {
    /// The error of the fit, as a share of the truth.
    pub fn miss(&self) -> f64 {
        self.fit.k / self.truth - 1.0
    }
}

/// The judgements of simulated participants: the share of them who see two clusters, each with the score as probability.
pub fn judgements(forms: &[RawScore], k: f64, participants: u64, random: &mut ChaCha8Rng) -> Vec<Judged> {
    let judge = |form: &RawScore| {
        let probability = form.rescale(k).clamp(0.0, 1.0);
        // The probability is always valid.
        let seen = Binomial::new(participants, probability).map_or(0, |judges| judges.sample(random));
        Judged { form: form.clone(), score: seen as f64 / participants as f64 }
    };
    forms.iter().map(judge).collect()
}

/// Simulates judges who follow a growth rate, and fits one to their judgements. Trips with different numbers have
/// different judges.
///
/// # Errors
/// If a form is not finite, or the judges all agree on all datasets.
pub fn recover(
    variant: Variant,
    k: f64,
    forms: &[RawScore],
    plan: &CalibrationSettings,
    number: u64,
) -> Result<RoundTrip, Failure> {
    let mut random = ChaCha8Rng::seed_from_u64(plan.options.seed);
    random.set_stream(number);
    let judged = judgements(forms, k, plan.participants, &mut random);
    Ok(RoundTrip { variant, truth: k, fit: fit(&judged, &plan.options)? })
}

#[cfg(test)]
mod tests {
    use clmatch_kernels::Stop;

    use super::super::{Options, transfer::forms_by_variant};
    use super::*;
    use crate::bench::bases;

    /// The largest error that is allowed for a fit to 1,000 datasets with 34 judges each.
    const NEAR: f64 = 0.02;

    #[test]
    fn known_growth_rates_come_back() {
        let bases = bases(1000, 7, &Stop::new()).unwrap();
        let names = ["CH DSR", "XB R", "XB SR", "DB R", "DB SR", "DB SR, unbiased"];
        let variants = names.map(|name| Variant::find(name).unwrap());
        let forms = forms_by_variant(&bases, &variants, &Stop::new()).unwrap();
        let options = Options { resamples: 20, ..Options::default() };
        let plan = CalibrationSettings { options, ..CalibrationSettings::default() };
        for (variant, forms) in variants.iter().zip(&forms) {
            let k = variant.growth().unwrap().value;
            let trip = recover(*variant, k, forms, &plan, 0).unwrap();
            assert!(trip.miss().abs() < NEAR, "{}: {trip:?}", variant.name());
            // The error bar is neither too small nor too large.
            assert!(trip.fit.error < 0.02 * k && trip.fit.error > 0.001 * k, "{trip:?}");
        }
    }
}
