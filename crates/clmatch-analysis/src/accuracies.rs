//! The finished accuracies of one dataset, and the order of many.

use std::borrow::Cow;
use std::fmt;

use clmatch_classify::Data;
use clmatch_data::{Dataset, LabelOrigin, ReadOptions, Scale, Source};
use clmatch_kernels::Control;
use clmatch_truth::classifiers::{self, Budget, ClassifierScore, ClassifySettings, Method, ensemble};
use serde::{Deserialize, Serialize};

use crate::error::AnalysisError;
use crate::ground_truth::{remarks, scaling};
use crate::remark::Remark;
use crate::resume::{Identity, read_options};
use crate::subsample::{SampleSpec, Subsample};

/// Names the JSON schema of [`Accuracies`], with its version.
pub const SCHEMA: &str = "clmatch/classify/2";

/// How much effort is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// At most 500 points of each dataset, 10 settings per search.
    Quick,
    /// At most 2,000 points of each dataset, 30 settings per search.
    #[default]
    Default,
    /// All points, 30 settings per search.
    Full,
}

impl Mode {
    /// The largest number of points that are used.
    pub const fn max_points(self) -> Option<usize> {
        match self {
            Mode::Quick => Some(500),
            Mode::Default => Some(2000),
            Mode::Full => None,
        }
    }

    /// Evaluations of each search.
    pub fn budget(self) -> Budget {
        match self {
            Mode::Quick => Budget { random: 5, guided: 5 },
            Mode::Default | Mode::Full => Budget::default(),
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Mode::Quick => "quick",
            Mode::Default => "default",
            Mode::Full => "full",
        })
    }
}

/// Everything besides the data that determines a result.
#[derive(Debug, Clone)]
pub struct AccuracySettings {
    /// How the dataset is read.
    pub read: ReadOptions,
    /// How its features are scaled; the search spaces are designed for the default.
    pub scale: Scale,
    /// Which points are used.
    pub sample: SampleSpec,
    /// How much effort is made.
    pub mode: Mode,
    /// Which classifiers are tuned, and how.
    pub search: ClassifySettings,
}

impl AccuracySettings {
    /// All classifiers on data that is read as it is, with the effort of `mode`.
    pub fn new(mode: Mode, seed: u64) -> Self {
        AccuracySettings {
            read: ReadOptions::default(),
            scale: Scale::default(),
            sample: SampleSpec { max_points: mode.max_points(), seed, ..SampleSpec::default() },
            mode,
            search: ClassifySettings { methods: Method::ALL.to_vec(), budget: mode.budget(), seed },
        }
    }

    /// The settings for a dataset, which may have options of its own.
    fn with_own(&self, source: &Source) -> Cow<'_, AccuracySettings> {
        let Some(own) = source.options() else { return Cow::Borrowed(self) };
        let mut settings = self.clone();
        let AccuracySettings { read, scale, sample, .. } = &mut settings;
        own.set_all(read, scale, &mut sample.noise, &mut sample.singletons);
        Cow::Owned(settings)
    }

    /// What a resumed run must have in common with this one.
    pub fn identity(&self) -> Identity {
        let ClassifySettings { methods, budget, seed } = &self.search;
        let methods: Vec<&str> = methods.iter().map(|method| method.id()).collect();
        let identity = read_options(Identity::new("classify"), &self.read)
            .with("scale", self.scale)
            .with("classifiers", methods.join(","))
            .with("random", budget.random)
            .with("guided", budget.guided)
            .with("seed", seed);
        self.sample.identify(identity)
    }
}

/// The id used among the classifiers for the best classifier of a dataset.
pub const ENSEMBLE: &str = "ensemble";

/// The accuracies of the classifiers on one dataset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Accuracies {
    /// [`SCHEMA`].
    pub schema: String,
    /// The name of the dataset.
    pub dataset: String,
    /// Where its labels come from, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<LabelOrigin>,
    /// How much effort was made.
    pub mode: Mode,
    /// How many settings each search evaluated.
    pub evaluations: usize,
    /// How many points were used.
    pub points: usize,
    /// How many points the dataset has.
    pub all_points: usize,
    /// Features of each point.
    pub features: usize,
    /// The names of the features that were used; empty in results of earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features_used: Vec<String>,
    /// How many classes the dataset has.
    pub classes: usize,
    /// Oddities of the dataset.
    pub remarks: Vec<String>,
    /// The classifiers; the ensemble comes last.
    pub classifiers: Vec<ClassifierRow>,
}

/// One classifier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassifierRow {
    /// The id of the classifier.
    pub classifier: String,
    /// The mean accuracy over folds at the best setting.
    pub accuracy: f64,
    /// The setting, as `name=value` words.
    pub settings: String,
    /// The time taken, in seconds of one core.
    pub seconds: f64,
}

/// One row per classifier, and the ensemble.
fn rows(outcomes: &[ClassifierScore]) -> Vec<ClassifierRow> {
    let row = |outcome: &ClassifierScore| ClassifierRow {
        classifier: outcome.method.id().to_owned(),
        accuracy: outcome.accuracy,
        settings: outcome.settings.clone(),
        seconds: outcome.seconds,
    };
    let best = ensemble(outcomes).map(|best| ClassifierRow {
        classifier: ENSEMBLE.to_owned(),
        accuracy: best.accuracy,
        settings: format!("by={}", best.method.id()),
        seconds: outcomes.iter().map(|outcome| outcome.seconds).sum(),
    });
    outcomes.iter().map(row).chain(best).collect()
}

impl Accuracies {
    /// The accuracy of a classifier or of the ensemble.
    pub fn of(&self, classifier: &str) -> Option<f64> {
        self.classifiers.iter().find(|row| row.classifier == classifier).map(|row| row.accuracy)
    }
}

/// Orders datasets by their ensemble, best first, then by name.
pub fn rank(mut datasets: Vec<Accuracies>) -> Vec<Accuracies> {
    let score = |dataset: &Accuracies| dataset.of(ENSEMBLE).unwrap_or(f64::NEG_INFINITY);
    datasets.sort_by(|a, b| score(b).total_cmp(&score(a)).then_with(|| a.dataset.cmp(&b.dataset)));
    datasets
}

/// Reads a dataset and tunes the classifiers on it. Reports each finished classifier to `control` as a step.
///
/// # Errors
/// A dataset that cannot be read or used, or [`AnalysisError::Stopped`].
pub fn read_and_tune(
    source: &Source,
    settings: &AccuracySettings,
    control: Control<'_>,
) -> Result<(Accuracies, Vec<Remark>), AnalysisError> {
    let settings = &*settings.with_own(source);
    let mut dataset = clmatch_data::read(source, &settings.read)?;
    dataset.scale(settings.scale);
    let (accuracies, mut remarks) = tune(&dataset, settings, control)?;
    remarks.extend(scaling(&dataset, settings.scale, control));
    Ok((accuracies, remarks))
}

/// Tunes the classifiers on a dataset that is already scaled.
///
/// # Errors
/// A dataset that cannot be used, or [`AnalysisError::Stopped`].
pub fn tune(
    dataset: &Dataset,
    settings: &AccuracySettings,
    control: Control<'_>,
) -> Result<(Accuracies, Vec<Remark>), AnalysisError> {
    let sample = Subsample::of(dataset, &settings.sample)?;
    let data = Data::new(&sample.points, &sample.classes)
        .map_err(|error| AnalysisError::data(&dataset.name, error))?;
    let found = classifiers::classify(data, &settings.search, control)?;
    let odd = classifiers::remarks(&data);
    let accuracies = Accuracies {
        schema: SCHEMA.to_owned(),
        dataset: dataset.name.clone(),
        label: dataset.label_origin().cloned(),
        mode: settings.mode,
        evaluations: settings.search.budget.total(),
        points: data.n_points(),
        all_points: sample.all,
        features: data.n_features(),
        features_used: dataset.features().to_vec(),
        classes: sample.classes.iter().max().map_or(0, |&class| class as usize + 1),
        remarks: odd.clone(),
        classifiers: rows(&found),
    };
    Ok((accuracies, remarks(dataset, sample.notes().into_iter().chain(odd))))
}
