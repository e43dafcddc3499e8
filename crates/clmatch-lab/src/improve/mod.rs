//! The paper's second application: datasets with better features, and their effect on rankings of techniques.
//!
//! Text: each dataset is improved twice by `ch_a` on all of its points, by the paper's 1,000 random subsets and by our
//! search. The techniques are tuned on the same points with all features, and again with the features of each search.
//!
//! Authors: [`Weighted`], 1,000 vectors of random weights from 0 to 1 for each feature instead of subsets.

mod page;
mod rankings;
mod weighted;
mod weighted_page;

use std::time::{Duration, Instant};

use clmatch::improve::{Method, Options, improve, reweight, search};
use clmatch::measure::find;
use clmatch::{Classes, DataError, Labels, Matrix, Points, Values, evaluate};
use clmatch_cluster::external::{External, Truth};
use clmatch_kernels::{Control, Stop};
use serde::{Deserialize, Serialize};

pub use self::page::findings;
pub use self::weighted::Weighted;
pub use self::weighted_page::findings as weighted_findings;
use crate::failure::Failure;
use crate::reading::Reading;
use clmatch_truth::techniques::{self, TruthSearch, TruthSettings, stratified};

/// What to compute.
#[derive(Debug, Clone, PartialEq)]
pub struct ImproveSettings {
    /// The most points that the techniques see, drawn class by class.
    pub max_points: usize,
    /// The time limit of our search.
    pub budget: Duration,
    /// How to tune the techniques; the first external measure is the one they are tuned for.
    pub truth: TruthSettings,
    /// The seed of everything random.
    pub seed: u64,
}

impl ImproveSettings {
    /// The paper's experiment in one of its readings, with a single seed for everything random.
    pub fn new(reading: Reading, seed: u64) -> ImproveSettings {
        let search = if reading == Reading::Authors { TruthSearch::Paper } else { TruthSearch::Full };
        let truth =
            TruthSettings { externals: vec![External::Ami], search, seed, ..TruthSettings::default() };
        ImproveSettings { max_points: 1000, budget: Duration::from_secs(10), truth, seed }
    }
}

/// How data with weighted features is rescaled before techniques see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rescale {
    /// Divided by the largest absolute value again, as the search spaces assume.
    Yes,
    /// Not rescaled, so that radii from 0.01 to 1 meet smaller data.
    No,
}

/// Points with their classes.
#[derive(Debug, Clone, Copy)]
pub struct Labelled<'a> {
    /// The name of the dataset.
    pub dataset: &'a str,
    /// The points, divided by the largest absolute value.
    pub points: &'a Matrix<'a>,
    /// The class of each point: 0, 1, ..
    pub classes: &'a [u32],
}

impl Labelled<'_> {
    /// The classes as named labels.
    fn labels(&self) -> Labels {
        let names: Vec<String> =
            (0..=self.classes.iter().copied().max().unwrap_or(0)).map(|class| class.to_string()).collect();
        Labels::from_codes(self.classes.to_vec(), &names)
    }
}

/// The results for one dataset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Improved {
    /// The name of the dataset.
    pub dataset: String,
    /// The number of points n.
    pub points: usize,
    /// The number of features d.
    pub features: usize,
    /// The number of classes K.
    pub classes: usize,
    /// `ch_a` with all features.
    pub before: f64,
    /// The scores of the techniques with all features.
    pub techniques: Vec<Technique>,
    /// The result of the paper's search.
    pub random: Search,
    /// The result of our search.
    pub ours: Search,
    /// Our search, with features chosen on one half of the points and scored on the other; only if the classes are large
    /// enough.
    pub held_out: Option<HeldOut>,
}

/// The score of a technique on one dataset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Technique {
    /// The id of the technique.
    pub id: String,
    /// The best score of the technique.
    pub score: f64,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Search {
    /// `ch_a` with the chosen features, on the points on which they were chosen.
    pub after: f64,
    /// The number of features that were kept.
    pub kept: usize,
    /// The time that the search took, in seconds.
    pub seconds: f64,
    /// The scores of the techniques with the chosen features.
    pub techniques: Vec<Technique>,
}

/// The gain on held-out points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeldOut {
    /// `ch_a` of the held-out points with all features.
    pub before: f64,
    /// `ch_a` of the held-out points with the chosen features.
    pub after: f64,
    /// The share of searches under shuffled labels, this one included, that gain at least as much.
    pub p_value: f64,
    /// Whether there was time for enough such searches to call anything significant.
    pub conclusive: bool,
}

impl Improved {
    /// Improves a dataset and tunes the techniques. Reports each next step to `control`.
    ///
    /// # Errors
    /// If a class has a single point, or the flag was raised.
    pub fn of(data: Labelled<'_>, plan: &ImproveSettings, control: Control<'_>) -> Result<Improved, Failure> {
        let stop = control.stop();
        let step = |what: &str| control.report(what, 0, 0);
        let labels = data.labels();
        let classes = Classes::new(Points::from(data.points), &labels)?;
        let everything = vec![1.0; data.points.n_features()];
        let score = |weights: &[f64]| ch_a(data, &labels, weights);
        let found = |method: Method, budget: Option<Duration>| -> Result<Search, Failure> {
            step(if method == Method::Random { "random search" } else { "our search" });
            let options = Options { method, budget, seed: plan.seed, ..Options::paper() };
            let start = Instant::now();
            let selection = search(&classes, &options, control)?;
            let seconds = start.elapsed().as_secs_f64();
            stop.check()?;
            step(if method == Method::Random {
                "techniques after the random search"
            } else {
                "techniques after ours"
            });
            Ok(Search {
                after: score(&selection.weights)?,
                kept: selection.kept(),
                seconds,
                techniques: techniques(data, &selection.weights, Rescale::Yes, plan, stop)?,
            })
        };
        let random = found(Method::Random, None)?;
        let ours = found(Method::Auto, Some(plan.budget))?;
        step("techniques with all features");
        let techniques = techniques(data, &everything, Rescale::Yes, plan, stop)?;
        step("held-out points");
        let options = Options { budget: Some(plan.budget), seed: plan.seed, ..Options::default() };
        let honest = improve(&classes, &options, control)?;
        stop.check()?;
        let held_out = honest.held_out.zip(honest.null).map(|(change, null)| HeldOut {
            before: change.before,
            after: change.after,
            p_value: null.p_value,
            conclusive: null.conclusive(),
        });
        Ok(Improved {
            dataset: data.dataset.to_owned(),
            points: classes.n_points(),
            features: data.points.n_features(),
            classes: classes.n_classes(),
            before: score(&everything)?,
            techniques,
            random,
            ours,
            held_out,
        })
    }
}

fn ch_a(data: Labelled<'_>, labels: &Labels, weights: &[f64]) -> Result<f64, DataError> {
    let kept = weights.iter().filter(|&&weight| weight > 0.0).count();
    let values = reweight(&Values::from(data.points.values()), data.points.n_features(), weights);
    let classes = Classes::new(Points::new(values, kept)?, labels)?;
    let measure = find("ch_a").into_iter().collect::<Vec<_>>();
    Ok(evaluate(&classes, &measure)?.value("ch_a").unwrap_or(f64::NAN))
}

/// Tunes the techniques on a sample with weighted features. Partitions that leave nearly every point alone do not count.
fn techniques(
    data: Labelled<'_>,
    weights: &[f64],
    rescale: Rescale,
    plan: &ImproveSettings,
    stop: &Stop,
) -> Result<Vec<Technique>, Failure> {
    let kept: Vec<(usize, f64)> =
        weights.iter().enumerate().filter(|(_, w)| **w > 0.0).map(|(f, w)| (f, w.sqrt())).collect();
    let rows = stratified(data.classes, plan.max_points, plan.seed);
    let row = |&row: &usize| {
        let values = data.points.row(row);
        kept.iter().map(move |&(f, root)| values[f] * root)
    };
    let mut values: Vec<f64> = rows.iter().flat_map(row).collect();
    // The search spaces assume data that were divided by their largest absolute value.
    let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    if largest > 0.0 && rescale == Rescale::Yes {
        values.iter_mut().for_each(|value| *value /= largest);
    }
    let classes: Vec<u32> = rows.iter().map(|&row| data.classes[row]).collect();
    let points = Matrix::new(values, kept.len())?;
    let outcomes = techniques::ground_truth(&points, &Truth::new(&classes), &plan.truth, Control::new(stop))?;
    let counting = outcomes.iter().filter(|outcome| !outcome.near_singletons);
    Ok(counting
        .map(|outcome| Technique { id: outcome.technique.id().to_owned(), score: outcome.score })
        .collect())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use clmatch_kernels::Stopped;

    /// One feature separates two classes, two features are noise.
    pub(super) fn noisy() -> (Matrix<'static>, Vec<u32>) {
        let noise = |at: u32| f64::from(at.wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 24);
        let values = (0..120)
            .flat_map(|at| [f64::from(at % 2) * 0.5 + noise(at) * 0.2, noise(at + 1000), noise(at + 2000)]);
        (Matrix::new(values.collect::<Vec<f64>>(), 3).unwrap(), (0..120).map(|at| at % 2).collect())
    }

    #[test]
    fn noise_is_dropped_and_the_techniques_gain() {
        let (points, classes) = noisy();
        let data = Labelled { dataset: "noisy", points: &points, classes: &classes };
        let techniques = vec![techniques::Technique::KMeans, techniques::Technique::AggloAverage];
        let truth = TruthSettings { techniques, ..ImproveSettings::new(Reading::Text, 0).truth };
        let plan = ImproveSettings { max_points: 80, truth, ..ImproveSettings::new(Reading::Text, 0) };
        let found = Improved::of(data, &plan, Control::new(&Stop::new())).unwrap();
        assert!(found.ours.after >= found.random.after && found.random.after > found.before);
        assert_eq!(found.random.kept, 1);
        let kmeans = |list: &[Technique]| list.iter().find(|one| one.id == "kmeans").unwrap().score;
        assert!(kmeans(&found.ours.techniques) > kmeans(&found.techniques) + 0.3, "{found:?}");
        assert!(found.held_out.as_ref().unwrap().after > found.held_out.as_ref().unwrap().before);
        let page = findings(&[found], &plan);
        assert!(page.page.contains("too few datasets"), "{}", page.page);
        let minute = page.claims.iter().find(|claim| claim.what.contains("less than a minute")).unwrap();
        assert_eq!((minute.found.as_str(), minute.holds), ("1 of 1", true));
    }

    #[test]
    fn techniques_do_not_depend_on_the_unit() {
        let (points, classes) = noisy();
        let small: Vec<f64> = points.values().iter().map(|value| value / 1024.0).collect();
        let small = Matrix::new(small, 3).unwrap();
        // The radii of DBSCAN are absolute in the paper's search.
        let truth = TruthSettings {
            techniques: vec![techniques::Technique::Dbscan],
            search: TruthSearch::Paper,
            ..ImproveSettings::new(Reading::Text, 0).truth
        };
        let plan = ImproveSettings { truth, ..ImproveSettings::new(Reading::Text, 0) };
        let scores = |points: &Matrix<'_>, rescale: Rescale| {
            let data = Labelled { dataset: "noisy", points, classes: &classes };
            techniques(data, &[1.0, 0.0, 0.0], rescale, &plan, &Stop::new()).unwrap()
        };
        assert_eq!(scores(&small, Rescale::Yes), scores(&points, Rescale::Yes));
        assert!(scores(&small, Rescale::Yes)[0].score > 0.9);
        assert!(scores(&small, Rescale::No)[0].score < 0.1, "all points lie within the smallest radius");
    }

    #[test]
    fn a_raised_flag_ends_it() {
        let (points, classes) = noisy();
        let data = Labelled { dataset: "noisy", points: &points, classes: &classes };
        let stop = Stop::new();
        stop.raise();
        let error =
            Improved::of(data, &ImproveSettings::new(Reading::Text, 0), Control::new(&stop)).unwrap_err();
        assert_eq!(error, Failure::Stopped(Stopped));
    }
}
