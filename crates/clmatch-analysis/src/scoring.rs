//! From a dataset that was read to finished numbers.

use clmatch::{Approximation, Classes, Estimate, Evaluation, Measure, Singletons, estimate, evaluate};
use clmatch_data::{Advice, Dataset, ReadOptions, Scale, Source};

use crate::error::AnalysisError;
use crate::noise;
use crate::remark::Remark;
use crate::resume::{Identity, read_options};
use crate::scored::{Approximate, ClassPair, ClassSize, DroppedPoints, SCHEMA, Scored, Scores};

/// Everything that decides about a result besides the data.
#[derive(Debug, Clone)]
pub struct ScoreSettings {
    /// How the dataset is read.
    pub read: ReadOptions,
    /// How its features are scaled.
    pub scale: Scale,
    /// Points with this label are left out.
    pub noise: Option<String>,
    /// What becomes of classes of a single point.
    pub singletons: Singletons,
    /// What to compute.
    pub measures: Vec<&'static Measure>,
    /// How to estimate it; `None` for exact scores.
    pub approximation: Option<Approximation>,
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
        }
    }

    /// What a resumed run must have in common with this one.
    pub fn identity(&self) -> Identity {
        let measures: Vec<&str> = self.measures.iter().map(|measure| measure.id).collect();
        let approximation = self.approximation.as_ref();
        read_options(Identity::new("score"), &self.read)
            .with("scale", self.scale)
            .with_option("noise", self.noise.as_ref())
            .with("singletons", format!("{:?}", self.singletons))
            .with("measures", measures.join(","))
            .with_option("error", approximation.and_then(|how| how.error))
            .with_option("seconds", approximation.and_then(|how| how.limit).map(|limit| limit.as_secs_f64()))
            .with_option("seed", approximation.map(|how| how.seed))
            .with_probe(&self.measures)
    }
}

/// A scored dataset with what should be said about it.
#[derive(Debug, Clone)]
pub struct Finished {
    /// The result.
    pub scored: Scored,
    /// What should be said about it: notes first, then warnings.
    pub remarks: Vec<Remark>,
}

/// Reads and scores a dataset.
///
/// # Errors
/// A dataset that cannot be read or scored.
pub fn read_and_score(source: &Source, settings: &ScoreSettings) -> Result<Finished, AnalysisError> {
    score(clmatch_data::read(source, &settings.read)?, settings)
}

/// Scores a dataset.
///
/// # Errors
/// A dataset that cannot be scored.
pub fn score(mut dataset: Dataset, settings: &ScoreSettings) -> Result<Finished, AnalysisError> {
    let checksum = dataset.checksum();
    dataset.scale(settings.scale);
    let refuse = |error| AnalysisError::data(&dataset.name, error);
    let points = dataset.points();
    let noise = noise::label(&dataset, settings.noise.as_deref());
    let classes = Classes::with(points, dataset.labels(), noise, settings.singletons).map_err(refuse)?;
    let (evaluation, approximate) = match &settings.approximation {
        None => (evaluate(&classes, &settings.measures).map_err(refuse)?, None),
        Some(how) => {
            let estimate = estimate(&classes, &settings.measures, how).map_err(refuse)?;
            let approximate = approximate(&estimate);
            (estimate.evaluation, approximate)
        }
    };
    let remarks = remarks(&dataset, &classes, settings);
    let scored = Scored {
        schema: SCHEMA.to_owned(),
        dataset: dataset.name.clone(),
        points: classes.n_points(),
        features: dataset.n_features(),
        classes: classes.n_classes(),
        sizes: sizes(&classes),
        scale: settings.scale,
        checksum,
        dropped: dropped(&classes),
        notes: remarks.iter().map(ToString::to_string).collect(),
        standing: None,
        approximate,
        scores: Scores(evaluation.scores.iter().map(|(id, score)| ((*id).to_owned(), score.value)).collect()),
        pairs: pairs(&classes, &evaluation),
    };
    Ok(Finished { scored, remarks })
}

/// How good an estimate is; `None` if the scores turned out exact.
fn approximate(estimate: &Estimate) -> Option<Approximate> {
    let ids = estimate.evaluation.scores.iter().map(|(id, _)| (*id).to_owned());
    (!estimate.exact).then(|| Approximate {
        sampled: estimate.sampled,
        confidence: 0.95,
        errors: Scores(ids.zip(estimate.errors.iter().copied()).collect()),
    })
}

/// Notes first, then warnings.
fn remarks(dataset: &Dataset, classes: &Classes<'_>, settings: &ScoreSettings) -> Vec<Remark> {
    let mut remarks: Vec<Remark> = dataset.notes.iter().map(Remark::from).collect();
    remarks.extend(noise::remark(dataset, settings.noise.as_deref()));
    match &settings.noise {
        Some(noise) if classes.dropped().noise == 0 => {
            remarks.push(Remark::warning(format!("no point is labelled '{noise}'")));
        }
        None if classes.names().iter().any(|name| name == "-1") => remarks
            .push(Remark::warning("the class '-1' counts as a class").advise(Advice::DropNoise("-1".into()))),
        _ => {}
    }
    remarks.sort_by_key(|remark| remark.severity);
    remarks
}

fn sizes(classes: &Classes<'_>) -> Vec<ClassSize> {
    let of = |(class, name): (usize, &String)| ClassSize { class: name.clone(), points: classes.size(class) };
    classes.names().iter().enumerate().map(of).collect()
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

fn pairs(classes: &Classes<'_>, evaluation: &Evaluation) -> Vec<ClassPair> {
    let on_pairs: Vec<_> = evaluation.scores.iter().filter(|(_, score)| !score.pairs.is_empty()).collect();
    if on_pairs.is_empty() {
        return Vec::new();
    }
    let pair = |(at, (i, j)): (usize, (usize, usize))| ClassPair {
        a: classes.names()[i].clone(),
        b: classes.names()[j].clone(),
        points: classes.size(i) + classes.size(j),
        scores: Scores(on_pairs.iter().map(|(id, score)| ((*id).to_owned(), score.pairs[at])).collect()),
    };
    classes.pairs().enumerate().map(pair).collect()
}
