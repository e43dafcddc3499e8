//! From a dataset that was read to finished numbers.

use clmatch::{Approximation, Classes, Estimate, Evaluation, Measure, Singletons, estimate, evaluate};
use clmatch_data::{Dataset, ReadOptions, Scale, Severity, Source};

use crate::args::{ApproxArgs, InputArgs};
use crate::failure::Failure;
use crate::result::{Approximate, ClassSize, DroppedPoints, Pair, SCHEMA, Scored, Scores};

/// Everything that decides about a result besides the data.
#[derive(Debug, Clone)]
pub struct Recipe {
    pub read: ReadOptions,
    pub scale: Scale,
    pub noise: Option<String>,
    pub singletons: Singletons,
    pub measures: Vec<&'static Measure>,
    pub approximation: Option<Approximation>,
}

impl Recipe {
    pub fn new(input: &InputArgs, approx: &ApproxArgs, measures: Vec<&'static Measure>) -> Self {
        Recipe {
            read: input.read_options(),
            scale: input.scale,
            noise: input.noise.clone(),
            singletons: input.singletons(),
            measures,
            approximation: approx.chosen(),
        }
    }

    /// The recipe for data that needs no reading.
    pub fn embedded(measures: Vec<&'static Measure>) -> Self {
        let (read, scale) = (ReadOptions::default(), Scale::MaxAbs);
        Recipe { read, scale, noise: None, singletons: Singletons::Keep, measures, approximation: None }
    }
}

/// A scored dataset with what should be said about it.
#[derive(Debug, Clone)]
pub struct Finished {
    pub scored: Scored,
    pub warnings: Vec<String>,
}

/// Reads and scores a dataset.
pub fn read_and_score(source: &Source, recipe: &Recipe) -> Result<Finished, Failure> {
    score(clmatch_data::read(source, &recipe.read)?, recipe)
}

/// Scores a dataset.
pub fn score(mut dataset: Dataset, recipe: &Recipe) -> Result<Finished, Failure> {
    let checksum = dataset.checksum();
    dataset.scale(recipe.scale);
    let refuse = |error| Failure::data(&dataset.name, &error);
    let points = dataset.points().map_err(refuse)?;
    let classes =
        Classes::with(points, &dataset.labels, recipe.noise.as_deref(), recipe.singletons).map_err(refuse)?;
    let (evaluation, approximate) = match &recipe.approximation {
        None => (evaluate(&classes, &recipe.measures).map_err(refuse)?, None),
        Some(how) => {
            let estimate = estimate(&classes, &recipe.measures, how).map_err(refuse)?;
            let approximate = approximate(&estimate);
            (estimate.evaluation, approximate)
        }
    };
    let warnings = warnings(&dataset, &classes, recipe);
    let notes = dataset.notes.iter().filter(|note| note.severity() == Severity::Info);
    let scored = Scored {
        schema: SCHEMA.to_owned(),
        dataset: dataset.name.clone(),
        points: classes.len(),
        features: dataset.features.len(),
        classes: classes.count(),
        sizes: sizes(&classes),
        scale: recipe.scale.to_string(),
        checksum,
        dropped: dropped(&classes),
        notes: notes.map(ToString::to_string).chain(warnings.iter().cloned()).collect(),
        standing: None,
        approximate,
        scores: Scores(evaluation.scores.iter().map(|(id, score)| ((*id).to_owned(), score.value)).collect()),
        pairs: pairs(&classes, &evaluation),
    };
    Ok(Finished { scored, warnings })
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

fn warnings(dataset: &Dataset, classes: &Classes<'_>, recipe: &Recipe) -> Vec<String> {
    let of_reading = dataset.notes.iter().filter(|note| note.severity() == Severity::Warning);
    let mut warnings: Vec<String> = of_reading.map(ToString::to_string).collect();
    match &recipe.noise {
        Some(noise) if classes.dropped().noise == 0 => {
            warnings.push(format!("no point is labelled '{noise}'"));
        }
        None if classes.names().iter().any(|name| name == "-1") => {
            warnings.push("the class '-1' counts as a class; if it is noise, drop it with --noise -1".into());
        }
        _ => {}
    }
    warnings
}

fn sizes(classes: &Classes<'_>) -> Vec<ClassSize> {
    let of = |(class, name): (usize, &String)| ClassSize { class: name.clone(), points: classes.size(class) };
    classes.names().iter().enumerate().map(of).collect()
}

fn dropped(classes: &Classes<'_>) -> Option<DroppedPoints> {
    let all = classes.points().len();
    let left_out = all - classes.len();
    (left_out > 0).then(|| DroppedPoints {
        noise: classes.dropped().noise,
        singletons: classes.dropped().singletons.clone(),
        fraction: left_out as f64 / all as f64,
    })
}

fn pairs(classes: &Classes<'_>, evaluation: &Evaluation) -> Vec<Pair> {
    let on_pairs: Vec<_> = evaluation.scores.iter().filter(|(_, score)| !score.pairs.is_empty()).collect();
    if on_pairs.is_empty() {
        return Vec::new();
    }
    let pair = |(at, (i, j)): (usize, (usize, usize))| Pair {
        a: classes.names()[i].clone(),
        b: classes.names()[j].clone(),
        points: classes.size(i) + classes.size(j),
        scores: Scores(on_pairs.iter().map(|(id, score)| ((*id).to_owned(), score.pairs[at])).collect()),
    };
    classes.pairs().enumerate().map(pair).collect()
}
