//! Turns a dataset that was read into finished numbers.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use clmatch::{
    Approximation, Classes, Control, DataError, Estimate, Evaluation, Measure, Singletons, estimate_with,
    evaluate_with, memory,
};
use clmatch_data::catalogue::Catalogue;
use clmatch_data::{Advice, Dataset, ReadOptions, Scale, Source};

use crate::class_pairs::ClassPairs;
use crate::clm_halves::ClmHalves;
use crate::dominance::{Dominance, SCORED_TWICE};
use crate::error::AnalysisError;
use crate::evidence::{self, AsRead};
use crate::expected_time;
use crate::noise;
use crate::pair_summary::{self, PairSummary};
use crate::remark::Remark;
use crate::resume::{Identity, Settings, VERSION, read_options};
use crate::scored::{SCHEMA, Scored};
use crate::scores::{Approximate, ClassSize, DroppedPoints, Scores};
use crate::uncertainty::{Uncertainty, UncertaintySettings};

/// Everything besides the data that determines a result.
#[derive(Debug, Clone)]
pub struct ScoreSettings {
    /// How the dataset is read.
    pub read: ReadOptions,
    /// How its features are scaled.
    pub scale: Scale,
    /// Points with this label are left out.
    pub noise: Option<String>,
    /// How classes of a single point are treated.
    pub singletons: Singletons,
    /// What to compute.
    pub measures: Vec<&'static Measure>,
    /// How to estimate the scores; `None` for exact ones.
    pub approximation: Option<Approximation>,
    /// What to compute besides scores.
    pub uncertainty: UncertaintySettings,
    /// Bytes that tables of classes and their pairs may take; if not given, three quarters of the available memory.
    pub memory_limit: Option<u64>,
    /// If one feature outweighs all others, whether to also score with every feature at the same weight.
    pub try_standard: bool,
    /// Whether the result holds the checksum of the data, which takes a pass over them. If not, only data as large as a
    /// catalogued dataset get one, because it is what such a dataset is recognised by.
    pub checksum: bool,
    /// Told the name of a dataset whose exact scores take longer than a minute, and what would be faster, before they begin.
    pub announce: Option<fn(&str, &Remark)>,
}

impl ScoreSettings {
    /// Exact scores of data that is read as it is, and scaled as in the paper.
    pub fn new(measures: Vec<&'static Measure>) -> Self {
        ScoreSettings {
            read: ReadOptions::default(),
            scale: Scale::default(),
            noise: None,
            singletons: Singletons::Keep,
            measures,
            approximation: None,
            uncertainty: UncertaintySettings::default(),
            memory_limit: None,
            try_standard: false,
            checksum: true,
            announce: None,
        }
    }

    /// How long the scores of a dataset may take, once it has been read.
    pub(crate) fn limit(&self) -> Option<Duration> {
        self.approximation.as_ref().and_then(|how| how.limit)
    }

    /// The settings for a dataset, which may have options of its own.
    pub(crate) fn with_own(&self, source: Option<&Source>) -> Cow<'_, ScoreSettings> {
        let Some(own) = source.and_then(Source::options) else { return Cow::Borrowed(self) };
        let mut settings = self.clone();
        own.set_all(&mut settings.read, &mut settings.scale, &mut settings.noise, &mut settings.singletons);
        Cow::Owned(settings)
    }

    /// What a resumed run must have in common with this one.
    pub fn identity(&self) -> Identity {
        let measures: Vec<&str> = self.measures.iter().map(|measure| measure.id).collect();
        let approximation = self.approximation.as_ref();
        let UncertaintySettings { intervals, permutations, seed } = self.uncertainty;
        read_options(Identity::new("score"), &self.read)
            .with("schema", SCHEMA)
            .with("scale", self.scale)
            .with_option("noise", self.noise.as_ref())
            .with("singletons", if self.singletons == Singletons::Drop { "drop" } else { "keep" })
            .with("measures", measures.join(","))
            .with_option("approx", approximation.and_then(|how| how.error))
            .with_option("limit_seconds", self.limit().map(|limit| limit.as_secs_f64()))
            .with_option("intervals", intervals.then_some("95%"))
            .with_option("permutations", (permutations > 0).then_some(permutations))
            .with_option(
                "seed",
                approximation.map(|how| how.seed).or(self.uncertainty.is_wanted().then_some(seed)),
            )
            .with_probe(&self.measures)
    }
}

/// A scored dataset, with remarks about it.
#[derive(Debug, Clone)]
pub struct Finished {
    /// The result.
    pub scored: Scored,
    /// Remarks about the dataset: notes first, then warnings.
    pub remarks: Vec<Remark>,
}

/// Scores a dataset that was read from a source; if the source is a file, the result has its path.
pub(crate) fn score_read(
    source: Option<&Source>,
    dataset: Dataset,
    settings: &ScoreSettings,
    control: Control<'_>,
) -> Result<Finished, AnalysisError> {
    let mut finished = score_with(dataset, settings, control)?;
    let file = source.filter(|source| source.path.as_os_str() != "-" && !source.is_embedded());
    finished.scored.path = file.map(|source| source.path.display().to_string());
    Ok(finished)
}

/// Scores a dataset.
///
/// # Errors
/// A dataset that cannot be scored.
pub fn score(dataset: Dataset, settings: &ScoreSettings) -> Result<Finished, AnalysisError> {
    score_with(dataset, settings, Control::none())
}

/// Scores a dataset. This can take long, and can be stopped.
///
/// # Errors
/// The errors of [`score`], and [`AnalysisError::Stopped`] if `control` says so.
pub fn score_with(
    mut dataset: Dataset,
    settings: &ScoreSettings,
    control: Control<'_>,
) -> Result<Finished, AnalysisError> {
    let catalogued = || Catalogue::embedded().has_shape(dataset.n_points(), dataset.n_features());
    let checksum = if settings.checksum || catalogued() { dataset.checksum() } else { String::new() };
    let as_read = AsRead::of(&dataset, settings);
    dataset.scale(settings.scale);
    let noise = noise::label(&dataset, settings.noise.as_deref());
    let classes = classes(&dataset, noise, settings)?;
    announce(&dataset.name, &classes, settings, control)?;
    control.report("scores", 0, 0);
    let start = Instant::now();
    let Evaluated { evaluation, approximate, left_out } =
        evaluated(&dataset.name, &classes, settings, control)?;
    let uncertainty = uncertainty(&classes, &evaluation, settings, start, control)
        .map_err(|error| AnalysisError::data(&dataset.name, error))?;
    // A second evaluation takes as long as the first.
    let is_time = settings.limit().is_none_or(|limit| start.elapsed() <= limit / 2);
    control.report("evidence for the verdict", 0, 0);
    let evidence = match evaluation.value("clm") {
        Some(_) => Some(
            evidence::gather(&dataset, as_read, settings, noise, &classes, &evaluation, control)
                .map_err(|error| AnalysisError::data(&dataset.name, error))?,
        ),
        None => None,
    };
    let dominant = Dominance::of(&dataset, &classes);
    let twice = settings.try_standard && is_time && classes.n_points() <= SCORED_TWICE;
    let wanted = dominant.as_ref().filter(|_| twice);
    let standard = match wanted {
        Some(_) => with_standard_scale(&dataset, noise, settings, control)?,
        None => None,
    };
    let dominant = dominant.map(|dominant| Dominance { standard, ..dominant });
    let mut remarks = remarks(&dataset, &classes, dominant.as_ref(), settings);
    remarks.extend(left_out_in_time(&left_out));
    remarks.extend(uncertainty.density);
    remarks.extend(uncertainty.refused.map(|error| Remark::warning(format!("no intervals: {error}"))));
    remarks.extend(uncertainty.late.then(|| {
        let text = "no intervals and no random labels: the time was over before they were done";
        Remark::warning(text).advise(Advice::AllowMoreTime)
    }));
    let scored = Scored {
        schema: SCHEMA.to_owned(),
        version: VERSION.to_owned(),
        dataset: dataset.name.clone(),
        path: None,
        label: dataset.label_origin().cloned(),
        left_out: dataset.left_out().to_vec(),
        doubtful_ids: dataset.doubtful_ids().to_vec(),
        points: classes.n_points(),
        features: dataset.n_features(),
        features_used: dataset.features().to_vec(),
        classes: classes.n_classes(),
        sizes: sizes(&classes),
        scale: settings.scale,
        settings: Settings::from(settings.identity()),
        checksum,
        dropped: dropped(&classes),
        notes: remarks.iter().map(ToString::to_string).collect(),
        warnings: remarks.iter().filter(|remark| remark.is_warning()).map(ToString::to_string).collect(),
        dominant,
        standing: None,
        verdict: None,
        evidence,
        approximate,
        scores: scores(&evaluation),
        intervals: uncertainty.intervals,
        random_labels: uncertainty.random_labels,
        streamed: None,
        terms: evaluation.terms.as_ref().map(ClmHalves::from),
        over_pairs: over_pairs(&classes, &evaluation),
        pairs: pairs(&classes, evaluation),
    };
    Ok(Finished { scored, remarks })
}

fn classes<'a>(
    dataset: &'a Dataset,
    noise: Option<&str>,
    settings: &ScoreSettings,
) -> Result<Classes<'a>, AnalysisError> {
    Classes::with(dataset.points(), dataset.labels(), noise, settings.singletons)
        .map_err(|error| AnalysisError::data(&dataset.name, error))
}

/// Scores, and how good they are.
pub(crate) struct Evaluated {
    pub(crate) evaluation: Evaluation,
    /// `None` if the scores are exact.
    pub(crate) approximate: Option<Approximate>,
    /// Measures for which there was no time.
    pub(crate) left_out: Vec<&'static str>,
}

/// Announces exact scores that take long.
fn announce(
    name: &str,
    classes: &Classes<'_>,
    settings: &ScoreSettings,
    control: Control<'_>,
) -> Result<(), AnalysisError> {
    if let (Some(announce), None) = (settings.announce, &settings.approximation) {
        let remark = expected_time::remark(classes, &settings.measures, control)
            .map_err(|error| AnalysisError::data(name, error))?;
        remark.iter().for_each(|remark| announce(name, remark));
    }
    Ok(())
}

/// What was requested besides scores, as far as there is time; `start` is when the scores were begun.
fn uncertainty(
    classes: &Classes<'_>,
    evaluation: &Evaluation,
    settings: &ScoreSettings,
    start: Instant,
    control: Control<'_>,
) -> Result<Uncertainty, DataError> {
    let timed = settings.limit().map_or(control, |limit| control.until(start + limit));
    let scored = |measure: &&'static Measure| evaluation.score(measure.id).is_some();
    let measures: Vec<&'static Measure> = settings.measures.iter().copied().filter(scored).collect();
    match Uncertainty::of(classes, &measures, evaluation, settings.uncertainty, timed) {
        Err(DataError::Stopped) if control.check().is_ok() => {
            Ok(Uncertainty { late: true, ..Uncertainty::default() })
        }
        found => found,
    }
}

/// A remark on measures for which there was no time.
fn left_out_in_time(left_out: &[&str]) -> Option<Remark> {
    let [first, ..] = left_out else { return None };
    let (them, one) = (left_out.join(", "), left_out.len() == 1);
    let verb = if one { "is" } else { "are" };
    let text =
        format!("{them} {verb} left out: only all points determine {first}, and there was no time for these");
    Some(Remark::info(text).advise(Advice::AllowMoreTime))
}

/// All measures, exact or estimated.
pub(crate) fn evaluated(
    name: &str,
    classes: &Classes<'_>,
    settings: &ScoreSettings,
    control: Control<'_>,
) -> Result<Evaluated, AnalysisError> {
    let refuse = |error| AnalysisError::data(name, error);
    memory::check(classes, &settings.measures, settings.memory_limit).map_err(refuse)?;
    match &settings.approximation {
        None => {
            let evaluation = evaluate_with(classes, &settings.measures, false, control).map_err(refuse)?;
            Ok(Evaluated { evaluation, approximate: None, left_out: Vec::new() })
        }
        Some(how) => {
            let estimate = estimate_with(classes, &settings.measures, how, control).map_err(refuse)?;
            let approximate = approximate(&estimate);
            Ok(Evaluated { evaluation: estimate.evaluation, approximate, left_out: estimate.left_out })
        }
    }
}

/// The scores when every feature has the same weight; `None` if they cannot be computed. Scaling a column twice has the same
/// effect as scaling it once.
fn with_standard_scale(
    dataset: &Dataset,
    noise: Option<&str>,
    settings: &ScoreSettings,
    control: Control<'_>,
) -> Result<Option<Scores>, AnalysisError> {
    let (features, labels) = (dataset.features().to_vec(), dataset.labels().clone());
    let Ok(mut standard) = Dataset::new(&dataset.name, features, dataset.values().clone(), labels) else {
        return Ok(None);
    };
    standard.scale(Scale::Standard);
    let found = classes(&standard, noise, settings)
        .and_then(|classes| evaluated(&dataset.name, &classes, settings, control));
    match found {
        Ok(found) => Ok(Some(scores(&found.evaluation))),
        Err(AnalysisError::Stopped(stopped)) => Err(stopped.into()),
        Err(_) => Ok(None),
    }
}

pub(crate) fn scores(evaluation: &Evaluation) -> Scores {
    Scores(evaluation.scores.iter().map(|(id, score)| ((*id).to_owned(), score.value)).collect())
}

/// How good an estimate is; `None` if the scores turned out exact.
fn approximate(estimate: &Estimate) -> Option<Approximate> {
    let ids = estimate.evaluation.scores.iter().map(|(id, _)| (*id).to_owned());
    let stated = ids.zip(estimate.errors.iter().copied()).filter(|(_, error)| error.is_finite());
    (!estimate.exact).then(|| Approximate {
        sampled: estimate.sampled,
        confidence: 0.95,
        errors: Scores(stated.collect()),
    })
}

/// Notes first, then warnings.
fn remarks(
    dataset: &Dataset,
    classes: &Classes<'_>,
    dominant: Option<&Dominance>,
    settings: &ScoreSettings,
) -> Vec<Remark> {
    let mut remarks: Vec<Remark> = dataset.notes.iter().map(Remark::from).collect();
    remarks.extend(noise::remark(dataset, settings.noise.as_deref()));
    remarks.extend(noise::doubt(classes, settings.noise.as_deref()));
    remarks.extend(dominant.map(Dominance::remark));
    remarks.sort_by_key(|remark| remark.severity);
    remarks
}

fn sizes(classes: &Classes<'_>) -> Vec<ClassSize> {
    let of = |(class, name): (usize, &String)| ClassSize { class: name.clone(), points: classes.size(class) };
    classes.names().iter().enumerate().map(of).collect()
}

pub(crate) fn over_pairs(classes: &Classes<'_>, evaluation: &Evaluation) -> Vec<PairSummary> {
    let scores = evaluation.scores.iter().map(|(id, score)| (*id, score.pairs.as_slice()));
    pair_summary::summaries(&sizes(classes), scores)
}

fn dropped(classes: &Classes<'_>) -> Option<DroppedPoints> {
    let all = classes.points().n_points();
    let left_out = all - classes.n_points();
    (left_out > 0).then(|| DroppedPoints {
        noise: classes.dropped().noise,
        singletons: classes.dropped().singletons.clone(),
        fraction: left_out as f64 / all as f64,
    })
}

fn pairs(classes: &Classes<'_>, evaluation: Evaluation) -> ClassPairs {
    let terms = evaluation.terms.map(|terms| terms.pairs);
    let scores = evaluation.scores.into_iter().map(|(id, score)| (id, score.pairs));
    ClassPairs::new(&sizes(classes), scores, terms)
}
