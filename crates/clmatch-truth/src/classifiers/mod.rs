//! The competitors: the accuracy of eight tuned classifiers under cross-validation, as a proxy of CLM.
//!
//! | classifier | space | search |
//! |---|---|---|
//! | `svm` | C 2^-5 .. 2^5, gamma 2^-15 .. 2^3 | Bayesian |
//! | `knn` | k 1 .. 2 sqrt(n) | every k, from one ranking of the neighbours |
//! | `mlp` | 1 .. 4 layers of 16 .. 256 units, four activations, alpha 1e-7 .. 1e-1, learning rate 1e-4 .. .5 | Bayesian |
//! | `nb` | smoothing 1e-12 .. 1 | Bayesian |
//! | `rf` | three criteria, split 2 .. 20, leaf 1 .. 20 | Bayesian; every number of trees 1 .. 200 |
//! | `lr` | l1, l2, elastic net, C 2^-5 .. 2^5 | Bayesian |
//! | `lda` | nothing | - |
//! | `xgb` | depth 1 .. 20, learning rate .01 .. 1, gamma 0 .. 1, child weight 1 .. 20, rows and columns .5 .. 1 | Bayesian; every number of rounds 1 .. 200 |
//!
//! The value of a setting is its mean accuracy over five stratified folds, which are the same for all classifiers. The
//! ensemble is the best classifier of a dataset.

mod remarks;
mod search;
mod spaces;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

pub use crate::tune::Budget;
use clmatch_classify::{Columns, Data, Distances, Folds, Split};
use clmatch_kernels::parallel;
use clmatch_kernels::{Control, Stop, Stopped};

pub use self::remarks::remarks;
use self::search::{BestSetting, Clock};
use crate::techniques::best_of;

/// The number of folds of the cross-validation.
pub const FOLDS: usize = 5;

/// A classifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Method {
    /// Support vector machine with a Gaussian kernel.
    Svm,
    /// k nearest neighbours.
    Knn,
    /// Multilayer perceptron.
    Mlp,
    /// Gaussian naive Bayes.
    Nb,
    /// Random forest.
    Rf,
    /// Logistic regression.
    Lr,
    /// Linear discriminant analysis.
    Lda,
    /// Gradient-boosted trees.
    Xgb,
}

impl Method {
    /// All classifiers, in the order of the paper.
    pub const ALL: [Method; 8] =
        [Method::Svm, Method::Knn, Method::Mlp, Method::Nb, Method::Rf, Method::Lr, Method::Lda, Method::Xgb];

    /// The id that commands and files use.
    pub const fn id(self) -> &'static str {
        match self {
            Method::Svm => "svm",
            Method::Knn => "knn",
            Method::Mlp => "mlp",
            Method::Nb => "nb",
            Method::Rf => "rf",
            Method::Lr => "lr",
            Method::Lda => "lda",
            Method::Xgb => "xgb",
        }
    }

    /// The classifier with this id.
    pub fn find(id: &str) -> Option<Method> {
        Method::ALL.into_iter().find(|method| method.id() == id)
    }
}

/// What to compute.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassifySettings {
    /// The classifiers to tune.
    pub methods: Vec<Method>,
    /// The number of evaluations of each search.
    pub budget: Budget,
    /// The seed of everything random.
    pub seed: u64,
}

impl Default for ClassifySettings {
    /// All classifiers, as in the paper.
    fn default() -> Self {
        ClassifySettings { methods: Method::ALL.to_vec(), budget: Budget::default(), seed: 0 }
    }
}

/// The best accuracy of a classifier.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassifierScore {
    /// The classifier.
    pub method: Method,
    /// The mean accuracy over the folds at the best setting.
    pub accuracy: f64,
    /// The best setting, as `name=value` words; empty if there is nothing to set.
    pub settings: String,
    /// The core seconds that were spent: all folds of all settings, added up.
    pub seconds: f64,
}

/// The ensemble: the most accurate classifier, the first among equals.
pub fn ensemble(outcomes: &[ClassifierScore]) -> Option<&ClassifierScore> {
    best_of(outcomes.iter(), |outcome| outcome.accuracy)
}

/// The dataset being worked on, with what classifiers share.
struct ClassifierJob<'a> {
    data: Data<'a>,
    splits: Vec<Split<'a>>,
    plan: &'a ClassifySettings,
    stop: &'a Stop,
    /// For `svm` and `knn`; with the time that computing them took.
    distances: Option<(Distances<'a>, Duration)>,
    /// For `rf` and `xgb`; with the time that computing them took.
    columns: Option<(Columns, Duration)>,
}

impl<'a> ClassifierJob<'a> {
    fn new(data: Data<'a>, plan: &'a ClassifySettings, stop: &'a Stop) -> Result<Self, Stopped> {
        let splits = Folds::stratified(data.classes(), FOLDS, plan.seed).splits(data);
        let wants = |methods: [Method; 2]| methods.iter().any(|method| plan.methods.contains(method));
        let start = Instant::now();
        let distances = wants([Method::Svm, Method::Knn])
            .then(|| Distances::new(data, stop))
            .transpose()?
            .map(|distances| (distances, start.elapsed()));
        let start = Instant::now();
        let columns = wants([Method::Rf, Method::Xgb])
            .then(|| Columns::new(data))
            .map(|columns| (columns, start.elapsed()));
        Ok(ClassifierJob { data, splits, plan, stop, distances, columns })
    }

    fn tune(&self, method: Method) -> Result<ClassifierScore, Stopped> {
        let clock = Clock::default();
        let BestSetting { accuracy, settings } = match (method, &self.distances, &self.columns) {
            (Method::Svm, Some((distances, before)), _) => {
                clock.add(*before);
                spaces::svm(self, distances, &clock)?
            }
            (Method::Knn, Some((distances, before)), _) => {
                clock.add(*before);
                spaces::knn(self, distances, &clock)?
            }
            (Method::Rf, _, Some((columns, before))) => {
                clock.add(*before);
                spaces::rf(self, columns, &clock)?
            }
            (Method::Xgb, _, Some((columns, before))) => {
                clock.add(*before);
                spaces::xgb(self, columns, &clock)?
            }
            (Method::Mlp, ..) => spaces::mlp(self, &clock)?,
            (Method::Nb, ..) => spaces::nb(self, &clock)?,
            (Method::Lr, ..) => spaces::lr(self, &clock)?,
            (Method::Lda, ..) => spaces::lda(self, &clock)?,
            (Method::Svm | Method::Knn | Method::Rf | Method::Xgb, ..) => {
                unreachable!("what it shares was computed because it is in the plan")
            }
        };
        Ok(ClassifierScore { method, accuracy, settings, seconds: clock.seconds() })
    }
}

/// Tunes all classifiers of a plan on a dataset. Each finished classifier is reported to `control` as a step. The result
/// does not depend on the number of threads.
///
/// Points should be divided by their largest absolute value, as the search spaces assume.
///
/// Time: minutes for 2,000 points. Memory: at most 12 n^2 + 24 n d bytes, plus what each fold needs.
///
/// # Errors
/// [`Stopped`] if `control` stops the work.
pub fn classify(
    data: Data<'_>,
    plan: &ClassifySettings,
    control: Control<'_>,
) -> Result<Vec<ClassifierScore>, Stopped> {
    let job = ClassifierJob::new(data, plan, control.stop())?;
    let done = AtomicUsize::new(0);
    let tune = |&method: &Method| {
        let outcome = job.tune(method)?;
        control.report(method.id(), done.fetch_add(1, Ordering::Relaxed) + 1, plan.methods.len());
        Ok(outcome)
    };
    let mut outcomes: Vec<ClassifierScore> = parallel::try_map(&plan.methods, tune)?;
    outcomes.sort_by_key(|outcome| outcome.method);
    outcomes.dedup_by_key(|outcome| outcome.method);
    Ok(outcomes)
}
