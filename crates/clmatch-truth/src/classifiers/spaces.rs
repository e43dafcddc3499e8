//! The search space of each classifier, and how its settings are evaluated.

use crate::tune::{Dimension, Setting, Space};
use clmatch_classify::{
    Activation, BoostedTrees, Classifier, Columns, Criterion, Distances, Kernel, LinearDiscriminant,
    LogisticRegression, Moments, NaiveBayes, NearestNeighbours, Penalty, Perceptron, RandomForest, Split,
    Stopped, Svm, mean_accuracy,
};
use clmatch_kernels::parallel;

use super::ClassifierJob;
use super::search::{BestSetting, Clock};

/// The trees of a forest, and the rounds of boosting; all smaller numbers are tried as well.
const MOST_TREES: usize = 200;

/// 2^-5 .. 2^5, the price of errors of `svm` and `lr`.
const COST: Dimension = Dimension::log_real(0.03125, 32.0);

/// A space of dimensions that are known to be valid.
fn space<const N: usize>(dimensions: [(&str, Dimension); N]) -> Space {
    match Space::new(dimensions) {
        Ok(space) => space,
        Err(error) => unreachable!("{error}"),
    }
}

fn real(setting: &Setting, name: &str) -> f64 {
    setting.real(name).unwrap_or_default()
}

fn whole(setting: &Setting, name: &str) -> usize {
    setting.integer(name).and_then(|value| usize::try_from(value).ok()).unwrap_or_default()
}

pub(super) fn svm(
    job: &ClassifierJob<'_>,
    distances: &Distances<'_>,
    clock: &Clock,
) -> Result<BestSetting, Stopped> {
    let space = space([("C", COST), ("gamma", Dimension::log_real(1.0 / 32768.0, 8.0))]);
    job.search(&space, clock, |setting| {
        let svm = Svm { cost: real(setting, "C"), gamma: real(setting, "gamma") };
        let kernel = clock.time(|| Kernel::new(distances, svm.gamma, job.stop))?;
        let hits = |split: &Split<'_>| Ok(split.hits(&svm.predict_with(split, &kernel, job.stop)?));
        Ok(BestSetting { accuracy: job.accuracy(clock, hits)?, settings: setting.to_string() })
    })
}

/// Tries every k; the neighbours of a point are ranked once.
pub(super) fn knn(
    job: &ClassifierJob<'_>,
    distances: &Distances<'_>,
    clock: &Clock,
) -> Result<BestSetting, Stopped> {
    let most = 2.0 * (job.data.n_points() as f64).sqrt();
    let neighbours = NearestNeighbours { neighbours: (most as usize).max(1) };
    let best = job.best_stage(clock, |split| neighbours.hits_up_to(split, distances, job.stop))?;
    Ok(BestSetting { accuracy: best.accuracy, settings: format!("k={}", best.number) })
}

pub(super) fn mlp(job: &ClassifierJob<'_>, clock: &Clock) -> Result<BestSetting, Stopped> {
    let space = space([
        ("layers", Dimension::integer(1, 4)),
        ("units", Dimension::log_integer(16, 256)),
        ("activation", Dimension::choice(["identity", "logistic", "tanh", "relu"])),
        ("alpha", Dimension::log_real(1e-7, 1e-1)),
        ("learning_rate", Dimension::log_real(1e-4, 0.5)),
    ]);
    job.search(&space, clock, |setting| {
        let perceptron = Perceptron {
            layers: whole(setting, "layers"),
            units: whole(setting, "units"),
            activation: match setting.choice("activation") {
                Some("identity") => Activation::Identity,
                Some("logistic") => Activation::Logistic,
                Some("tanh") => Activation::Tanh,
                _ => Activation::Relu,
            },
            alpha: real(setting, "alpha"),
            learning_rate: real(setting, "learning_rate"),
            seed: job.plan.seed,
            ..Perceptron::default()
        };
        plain(job, &perceptron, clock, setting.to_string())
    })
}

pub(super) fn nb(job: &ClassifierJob<'_>, clock: &Clock) -> Result<BestSetting, Stopped> {
    let moments: Vec<Moments> = parallel::map(&job.splits, |split| clock.time(|| Moments::of(split)));
    let space = space([("smoothing", Dimension::log_real(1e-12, 1.0))]);
    job.search(&space, clock, |setting| {
        job.stop.check()?;
        let bayes = NaiveBayes { smoothing: real(setting, "smoothing") };
        let hits: Vec<usize> = parallel::map_range(job.splits.len(), |at| {
            let (split, moments) = (&job.splits[at], &moments[at]);
            clock.time(|| split.hits(&bayes.predict_with(split, moments)))
        });
        let accuracy = mean_accuracy(&job.splits, &hits);
        Ok(BestSetting { accuracy, settings: setting.to_string() })
    })
}

/// One forest of 200 trees answers for every smaller number.
pub(super) fn rf(job: &ClassifierJob<'_>, columns: &Columns, clock: &Clock) -> Result<BestSetting, Stopped> {
    let space = space([
        ("criterion", Dimension::choice(["gini", "entropy", "log_loss"])),
        ("min_split", Dimension::integer(2, 20)),
        ("min_leaf", Dimension::integer(1, 20)),
    ]);
    job.search(&space, clock, |setting| {
        let forest = RandomForest {
            trees: MOST_TREES,
            criterion: match setting.choice("criterion") {
                Some("entropy") => Criterion::Entropy,
                Some("log_loss") => Criterion::LogLoss,
                _ => Criterion::Gini,
            },
            min_split: whole(setting, "min_split"),
            min_leaf: whole(setting, "min_leaf"),
            seed: job.plan.seed,
        };
        let best = job.best_stage(clock, |split| forest.hits_up_to(split, columns, job.stop))?;
        Ok(BestSetting { accuracy: best.accuracy, settings: format!("trees={} {setting}", best.number) })
    })
}

pub(super) fn lr(job: &ClassifierJob<'_>, clock: &Clock) -> Result<BestSetting, Stopped> {
    let space = space([
        ("penalty", Dimension::choice(["l1", "l2", "elasticnet"])),
        ("C", COST),
        ("l1_ratio", Dimension::real(0.0, 1.0)),
    ]);
    job.search(&space, clock, |setting| {
        let penalty = match setting.choice("penalty") {
            Some("l1") => Penalty::L1,
            Some("elasticnet") => Penalty::ElasticNet { share: real(setting, "l1_ratio") },
            _ => Penalty::L2,
        };
        let regression =
            LogisticRegression { penalty, cost: real(setting, "C"), ..LogisticRegression::default() };
        // The ratio has no meaning if there is only one penalty.
        let words = setting.to_string();
        let told = words
            .split(' ')
            .filter(|word| matches!(penalty, Penalty::ElasticNet { .. }) || !word.starts_with("l1_ratio"));
        plain(job, &regression, clock, told.collect::<Vec<_>>().join(" "))
    })
}

pub(super) fn lda(job: &ClassifierJob<'_>, clock: &Clock) -> Result<BestSetting, Stopped> {
    plain(job, &LinearDiscriminant, clock, String::new())
}

/// Boosting for 200 rounds answers for every smaller number.
pub(super) fn xgb(job: &ClassifierJob<'_>, columns: &Columns, clock: &Clock) -> Result<BestSetting, Stopped> {
    let space = space([
        ("max_depth", Dimension::integer(1, 20)),
        ("learning_rate", Dimension::log_real(0.01, 1.0)),
        ("gamma", Dimension::real(0.0, 1.0)),
        ("min_child_weight", Dimension::integer(1, 20)),
        ("rows", Dimension::real(0.5, 1.0)),
        ("columns", Dimension::real(0.5, 1.0)),
    ]);
    job.search(&space, clock, |setting| {
        let trees = BoostedTrees {
            rounds: MOST_TREES,
            max_depth: whole(setting, "max_depth"),
            learning_rate: real(setting, "learning_rate"),
            gamma: real(setting, "gamma"),
            min_child_weight: whole(setting, "min_child_weight") as f64,
            rows: real(setting, "rows"),
            columns: real(setting, "columns"),
            seed: job.plan.seed,
        };
        let best = job.best_stage(clock, |split| trees.hits_up_to(split, columns, job.stop))?;
        Ok(BestSetting { accuracy: best.accuracy, settings: format!("trees={} {setting}", best.number) })
    })
}

/// A classifier that shares nothing between settings.
fn plain(
    job: &ClassifierJob<'_>,
    classifier: &(impl Classifier + Sync),
    clock: &Clock,
    settings: String,
) -> Result<BestSetting, Stopped> {
    let accuracy = job.accuracy(clock, |split| Ok(split.hits(&classifier.predict(split, job.stop)?)))?;
    Ok(BestSetting { accuracy, settings })
}
