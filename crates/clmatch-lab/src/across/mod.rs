//! Across datasets: does a measure rank datasets in the order of their ground truth?
//!
//! Spearman's correlation of every measure and every classifier with the best score that tuned clustering techniques
//! reach, as in the paper's first table, with bootstrap intervals over datasets.
//!
//! The readings differ in the ground truth. That of the text is searched exhaustively (`clmatch truth`). That of the
//! authors is what 30 evaluations of Bayesian optimisation find (`clmatch truth --search paper`), where partitions of
//! DBSCAN count that leave nearly every point alone.

mod figures;
mod page;
mod paper;
mod sentences;

use clmatch::ClmTerms;
use clmatch::measure::REGISTRY;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub use self::page::findings;
use self::paper::{FORMS, Family};
use crate::measured::{HeadlineTerms, Measured, aligned};
use crate::reading::Reading;
use clmatch_truth::rank::{quantile, spearman};
use clmatch_truth::results::{MethodScore, Results, TableError, named_externals};

/// The fewest datasets for which a correlation is computed.
const FEWEST: usize = 3;

/// A number that is computed from the terms of `clm`.
pub(crate) type Part = fn(&HeadlineTerms) -> f64;

/// The terms of `clm`, and its earlier forms.
pub(crate) const TERMS: [(&str, Part); 8] = [
    ("eta", |terms| terms.pairs.eta),
    ("kappa", |terms| terms.pairs.kappa),
    ("nu", |terms| terms.pairs.nu),
    ("lambda", |terms| terms.all.lambda),
    ("kappa of all", |terms| terms.all.kappa),
    ("nu of all", |terms| terms.all.nu),
    (SECOND_FORM, |terms| terms.second_form),
    (FIRST_FORM, |terms| first_form(&terms.pairs)),
];
/// The headline score in its second form.
pub(crate) const SECOND_FORM: &str = "second form";
/// The headline score in its first form.
pub(crate) const FIRST_FORM: &str = "(eta + nu)/2";

/// The headline score in its first form, computed from the terms of pairs.
pub(crate) fn first_form(terms: &ClmTerms) -> f64 {
    (terms.eta + terms.nu) / 2.0
}

/// What to resample, and the notes on the tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcrossSettings {
    /// The reading of the paper, which determines the ground truth.
    pub reading: Reading,
    /// A note on how the classifiers were tuned.
    pub classifiers: String,
    /// A note on the ground truth; may be empty.
    pub truth: String,
    /// The number of bootstrap samples of the datasets.
    pub resamples: usize,
    /// The seed of the bootstrap samples.
    pub seed: u64,
}

impl Default for AcrossSettings {
    fn default() -> Self {
        AcrossSettings {
            reading: Reading::Text,
            classifiers: String::new(),
            truth: String::new(),
            resamples: 2000,
            seed: 0,
        }
    }
}

/// A number per dataset that may reflect its match.
#[derive(Debug, Clone, PartialEq)]
struct Competitor {
    id: String,
    /// The values, higher being better, in the order of the ground truth.
    values: Vec<f64>,
}

/// The ground truth by one external measure, and how the competitors agree with it.
#[derive(Debug, Clone, PartialEq)]
struct ExternalComparison {
    external: String,
    datasets: Vec<String>,
    /// For each dataset, the scores of all techniques.
    scores: Vec<Vec<f64>>,
    /// The best of the paper's five adjusted measures.
    best: String,
    /// The agreements, in the order of the competitors.
    agreements: Vec<CompetitorAgreement>,
}

/// The agreement of one competitor. Numbers are NaN if the competitor or the ground truth has the same value on all
/// datasets.
#[derive(Debug, Clone, Copy, PartialEq)]
struct CompetitorAgreement {
    rho: f64,
    /// The 95% interval of rho.
    interval: (f64, f64),
    /// The 95% interval of rho minus that of the best of the paper's five, on the same resampled datasets.
    difference: (f64, f64),
}

impl ExternalComparison {
    fn rho(&self, competitors: &[Competitor], id: &str) -> Option<f64> {
        competitors.iter().position(|one| one.id == id).map(|at| self.agreements[at].rho)
    }
}

/// Measures and classifiers, on the datasets in the order of the ground truth.
fn competitors(
    measured: &[&Measured],
    accuracies: &[MethodScore],
    results: &Results,
) -> Result<Vec<Competitor>, TableError> {
    let measures = REGISTRY.iter().map(|measure| Competitor {
        id: measure.id.to_owned(),
        values: measured.iter().map(|one| one.upward(measure)).collect(),
    });
    let mut all: Vec<Competitor> = measures.collect();
    all.extend(TERMS.map(|(id, of)| Competitor {
        id: id.to_owned(),
        values: measured.iter().map(|one| of(&one.terms)).collect(),
    }));
    if accuracies.is_empty() {
        return Ok(all);
    }
    let accuracies = Results::new(accuracies, None, &[])?;
    for (at, method) in accuracies.methods.iter().enumerate() {
        let of = |dataset: &String| {
            accuracies.place(dataset).map(|place| accuracies.scores[place][at]).ok_or_else(|| {
                let what = format!("{dataset} has no accuracy in the table of classifiers");
                TableError::new(None, what, "classify the same datasets")
            })
        };
        let values = results.datasets.iter().map(of).collect::<Result<_, _>>()?;
        all.push(Competitor { id: method.clone(), values });
    }
    Ok(all)
}

/// The correlations with one ground truth. Time: O(resamples competitors n log n).
fn compare(
    results: &Results,
    external: &str,
    competitors: &[Competitor],
    plan: &AcrossSettings,
) -> ExternalComparison {
    let truth = results.best();
    let rhos = |places: &[usize]| -> Vec<f64> {
        let pick = |values: &[f64]| places.iter().map(|&place| values[place]).collect::<Vec<f64>>();
        let truth = pick(&truth);
        competitors.iter().map(|one| spearman(&pick(&one.values), &truth).unwrap_or(f64::NAN)).collect()
    };
    let everything: Vec<usize> = (0..truth.len()).collect();
    let found = rhos(&everything);
    let adjusted =
        |at: &usize| paper::family(&competitors[*at].id) == Some(Family::Adjusted) && found[*at].is_finite();
    let best = (0..competitors.len()).filter(adjusted).max_by(|&a, &b| found[a].total_cmp(&found[b]));
    let best = best.unwrap_or(0);
    let mut random = ChaCha8Rng::seed_from_u64(plan.seed);
    let mut samples: Vec<Vec<f64>> = vec![Vec::with_capacity(plan.resamples); competitors.len()];
    for _ in 0..plan.resamples {
        let places: Vec<usize> = everything.iter().map(|_| random.random_range(0..truth.len())).collect();
        let drawn = rhos(&places);
        samples.iter_mut().zip(drawn).for_each(|(samples, rho)| samples.push(rho));
    }
    let agreements = (0..competitors.len()).map(|at| {
        let differences: Vec<f64> = samples[at].iter().zip(&samples[best]).map(|(a, b)| a - b).collect();
        CompetitorAgreement {
            rho: found[at],
            interval: middle(&samples[at]),
            difference: middle(&differences),
        }
    });
    ExternalComparison {
        external: external.to_owned(),
        datasets: results.datasets.clone(),
        scores: results.scores.clone(),
        best: competitors[best].id.clone(),
        agreements: agreements.collect(),
    }
}

/// The middle 95% of a sample; resamples without a correlation are skipped.
fn middle(sample: &[f64]) -> (f64, f64) {
    let mut defined: Vec<f64> = sample.iter().copied().filter(|rho| rho.is_finite()).collect();
    defined.sort_by(f64::total_cmp);
    (quantile(&defined, 0.025), quantile(&defined, 0.975))
}

/// One comparison for each external measure of the table.
fn comparisons(
    measured: &[Measured],
    truth: &[MethodScore],
    accuracies: &[MethodScore],
    plan: &AcrossSettings,
) -> Result<(Vec<Competitor>, Vec<ExternalComparison>), TableError> {
    let mut all = Vec::new();
    let mut who = Vec::new();
    if measured.len() < FEWEST {
        let what = format!("{} datasets are too few for a correlation", measured.len());
        return Err(TableError::new(None, what, format!("take at least {FEWEST}")));
    }
    for external in named_externals(truth)? {
        let results = Results::new(truth, Some(external), &[])?;
        let measured = aligned(measured, &results)?;
        who = competitors(&measured, accuracies, &results)?;
        all.push(compare(&results, external, &who, plan));
    }
    Ok((who, all))
}

/// The standard measures that do not fall behind their adjusted form, with the external measure.
fn standard_ahead(competitors: &[Competitor], all: &[ExternalComparison]) -> Vec<(&'static str, String)> {
    let mut ahead = Vec::new();
    for comparison in all {
        for (standard, adjusted) in FORMS {
            let [a, b] = [standard, adjusted].map(|id| comparison.rho(competitors, id));
            if a.zip(b).is_some_and(|(a, b)| a >= b) {
                ahead.push((standard, comparison.external.clone()));
            }
        }
    }
    ahead
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_perfect_competitor_beats_noise_and_the_intervals_say_so() {
        let scores: Vec<Vec<f64>> = (0..60).map(|at| vec![f64::from(at) / 60.0, 0.0]).collect();
        let results = Results {
            datasets: (0..60).map(|at| format!("d{at:02}")).collect(),
            methods: vec!["k".into(), "l".into()],
            scores,
        };
        let perfect = Competitor { id: "clm".into(), values: (0..60).map(f64::from).collect() };
        let noisy = Competitor {
            id: "ch_a".into(),
            values: (0..60).map(|at| f64::from(at) + 4.0 * f64::from(at * 37 % 11)).collect(),
        };
        let unrelated =
            Competitor { id: "ch".into(), values: (0..60).map(|at| f64::from(at * 37 % 61)).collect() };
        let found = compare(&results, "ami", &[perfect, noisy, unrelated], &AcrossSettings::default());
        assert_eq!(found.best, "ch_a", "the best of the paper's five, not of all");
        let [perfect, noisy, unrelated] = found.agreements[..] else { panic!() };
        assert!((perfect.rho - 1.0).abs() < 1e-12 && perfect.difference.0 > 0.0);
        assert!(noisy.interval.0 < noisy.rho && noisy.rho < noisy.interval.1);
        assert_eq!(noisy.difference, (0.0, 0.0));
        assert!(unrelated.difference.1 < 0.0 && unrelated.rho.abs() < 0.3, "{unrelated:?}");
    }

    /// SC_A is first and CH_A second; a classifier is ahead of one standard measure and behind another.
    #[test]
    fn second_places_and_classifiers_are_told() {
        let competitors =
            [("sc_a", 1), ("ch_a", 3), ("db", 9), ("svm", 15), ("ch", 27)].map(|(id, spoilt)| {
                let value = |at: i32| f64::from(at) + f64::from(spoilt) * f64::from(at * 37 % 11);
                Competitor { id: id.into(), values: (0..60).map(value).collect() }
            });
        let results = Results {
            datasets: (0..60).map(|at| format!("d{at:02}")).collect(),
            methods: vec!["k".into()],
            scores: (0..60).map(|at| vec![f64::from(at) / 60.0]).collect(),
        };
        let all = [compare(&results, "ami", &competitors, &AcrossSettings::default())];
        let claims = sentences::sentences(&competitors, &all);
        let holds = |what: &str| claims.iter().find(|claim| claim.what.contains(what)).unwrap().holds;
        assert!(holds("CH<sub>A</sub> is second") && holds("behind every adjusted"));
        assert!(!holds("behind every standard"), "CH is behind the classifier");
    }
}
