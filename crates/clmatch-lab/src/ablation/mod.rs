//! The paper's ablation: how much less measures react to the number of points and of dimensions once the protocols D, S
//! and R are switched on.
//!
//! Every base dataset of the [`bench`](crate::bench) is 1,000 points in 2 + 98 dimensions. A test takes eleven parts of
//! it, which differ in the controlled factor, and asks how much the scores of all datasets change between any two
//! of them, by [`smape`]. Growth rates are those of [`clmatch::calibration`].

pub mod conditions;
pub mod errors;
mod figures;
mod page;
pub mod paper;
pub mod smape;

use std::sync::atomic::{AtomicUsize, Ordering};

use clmatch_stop::{Control, Stop};
use rand::RngExt;
use rayon::prelude::*;

use self::conditions::{CONDITIONS, DIMENSIONS, Setup};
use self::errors::{Errors, Outcome};
use crate::bench::{Base, bases};
use crate::bins::weights;
use crate::failure::Failure;
use crate::findings::Findings;
use crate::variants::{Variant, statistics};
use clmatch_truth::techniques::stratified;

/// What to compute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AblationSettings {
    /// How many base datasets.
    pub datasets: usize,
    /// What everything random starts from.
    pub seed: u64,
}

impl Default for AblationSettings {
    /// As many as the paper.
    fn default() -> Self {
        AblationSettings { datasets: 1000, seed: 0 }
    }
}

/// The variants that can be computed: those with R need a growth rate.
fn contenders() -> Vec<(Variant, f64)> {
    let of = |variant: Variant| match (variant.protocols.r, variant.growth()) {
        (false, _) => Some((variant, f64::NAN)),
        (true, k) => k.map(|k| (variant, k.value)),
    };
    Variant::all().into_iter().filter_map(of).collect()
}

/// The values of one dataset: by setup, condition and variant.
type Values = Vec<[Vec<f64>; CONDITIONS]>;

fn values(base: &Base, contenders: &[(Variant, f64)], stop: &Stop) -> Result<Values, Failure> {
    let sample = base.sample(DIMENSIONS);
    let mut random = base.source.choices();
    let variants: Vec<Variant> = contenders.iter().map(|(variant, _)| *variant).collect();
    let mut all = Vec::new();
    for setup in Setup::all() {
        let mut of_setup: [Vec<f64>; CONDITIONS] = Default::default();
        for (values, size) in of_setup.iter_mut().zip(setup.sizes(&mut random)) {
            stop.check()?;
            let points = stratified(sample.labels(), size.points, random.random());
            let part = sample.part(&points, size.dimensions);
            let statistics = statistics(&part.classes()?, &variants)?;
            let view = statistics.whole();
            *values = contenders.iter().map(|(variant, k)| variant.value(&view, *k)).collect();
        }
        all.push(of_setup);
    }
    Ok(all)
}

/// Computes the errors of all variants in all tests. `control` hears how many of how many datasets are done.
///
/// Time: some minutes on two cores with the default plan. The result does not depend on the number of threads.
///
/// # Errors
/// [`Failure::Stopped`] if `stop` was raised.
pub fn run(plan: &AblationSettings, control: Control<'_>) -> Result<Outcome, Failure> {
    let bases = bases(plan.datasets, plan.seed, control.stop())?;
    let contenders = contenders();
    let done = AtomicUsize::new(0);
    let of_base = |base: &Base| {
        let values = values(base, &contenders, control.stop())?;
        control.report("datasets", done.fetch_add(1, Ordering::Relaxed) + 1, bases.len());
        Ok(values)
    };
    let values: Vec<Values> = bases.par_iter().map(of_base).collect::<Result<_, Failure>>()?;
    let weights = weights(&bases.iter().map(|base| base.score).collect::<Vec<_>>());
    let mut errors = Vec::new();
    for (setup_at, setup) in Setup::all().into_iter().enumerate() {
        for (variant_at, (variant, _)) in contenders.iter().enumerate() {
            let at = |condition: usize| values.iter().map(move |of| of[setup_at][condition][variant_at]);
            let by_condition: [Vec<f64>; CONDITIONS] =
                std::array::from_fn(|condition| at(condition).collect());
            errors.push(Errors::new(setup, *variant, &by_condition, &weights));
        }
    }
    Ok(Outcome { datasets: plan.datasets, seed: plan.seed, errors })
}

/// Runs the experiment and sets it beside the paper's.
///
/// # Errors
/// As [`run`].
pub fn findings(plan: &AblationSettings, control: Control<'_>) -> Result<Findings, Failure> {
    Ok(page::findings(&run(plan, control)?))
}

#[cfg(test)]
mod tests {
    use super::conditions::{Other, Test};
    use super::*;

    #[test]
    fn the_seed_fixes_everything_and_data_cardinality_is_what_d_removes() {
        let plan = AblationSettings { datasets: 4, seed: 1 };
        let outcome = run(&plan, Control::new(&Stop::new())).unwrap();
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(outcome, alone.install(|| run(&plan, Control::new(&Stop::new())).unwrap()));
        let kept = Setup { test: Test::Cardinality, other: Other::Kept };
        let reduction = outcome.reduction(kept, Variant::find("CH D").unwrap()).unwrap();
        assert!(reduction > 0.5, "{reduction}");
    }
}
