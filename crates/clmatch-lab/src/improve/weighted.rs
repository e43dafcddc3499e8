//! The search of the paper's authors: of 1,000 vectors of weights, each weight drawn from 0 to 1, the one with the best
//! `ch_a` is kept. The text speaks of subsets.

use std::time::Instant;

use clmatch::Matrix;
use clmatch_kernels::Control;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::{ImproveSettings, Labelled, Rescale, Technique, ch_a, techniques};
use crate::failure::Failure;
use clmatch_truth::techniques::stratified;

/// The number of weight vectors that are tried.
pub(super) const DRAWS: usize = 1000;

/// The results for one dataset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Weighted {
    /// The name of the dataset.
    pub dataset: String,
    /// The number of points n.
    pub points: usize,
    /// The number of features d.
    pub features: usize,
    /// The number of classes K.
    pub classes: usize,
    /// `ch_a` of all points with equal weights.
    pub before: f64,
    /// `ch_a` of all points with the weights that were found.
    pub after: f64,
    /// The time that the search took, in seconds.
    pub seconds: f64,
    /// The scores of the techniques with equal weights.
    pub initial: Vec<Technique>,
    /// The scores with the weights that were found, on the data as the authors leave them.
    pub as_it_is: Vec<Technique>,
    /// The scores with the weights that were found, after dividing the data by their largest absolute value.
    pub rescaled: Vec<Technique>,
}

impl Weighted {
    /// Searches for weights on at most as many points as the techniques see, and tunes the techniques.
    ///
    /// # Errors
    /// If a class has a single point, or the flag was raised.
    pub fn of(data: Labelled<'_>, plan: &ImproveSettings, control: Control<'_>) -> Result<Weighted, Failure> {
        let step = |what: &str| control.report(what, 0, 0);
        let features = data.points.n_features();
        let everything = vec![1.0; features];
        step("random weights");
        let start = Instant::now();
        let weights = search(data, plan, control)?;
        let seconds = start.elapsed().as_secs_f64();
        step("techniques");
        let labels = data.labels();
        let tuned =
            |weights: &[f64], rescale: Rescale| techniques(data, weights, rescale, plan, control.stop());
        Ok(Weighted {
            dataset: data.dataset.to_owned(),
            points: data.points.n_points(),
            features,
            classes: labels.names().len(),
            before: ch_a(data, &labels, &everything)?,
            after: ch_a(data, &labels, &weights)?,
            seconds,
            initial: tuned(&everything, Rescale::Yes)?,
            as_it_is: tuned(&weights, Rescale::No)?,
            rescaled: tuned(&weights, Rescale::Yes)?,
        })
    }
}

/// The best of the drawn weights, squared, because our weights apply to squared differences.
fn search(data: Labelled<'_>, plan: &ImproveSettings, control: Control<'_>) -> Result<Vec<f64>, Failure> {
    let rows = scored_sample(data.classes, plan.max_points, plan.seed);
    let values: Vec<f64> = rows.iter().flat_map(|&row| data.points.row(row)).copied().collect();
    let classes: Vec<u32> = rows.iter().map(|&row| data.classes[row]).collect();
    let points = Matrix::new(values, data.points.n_features())?;
    let sample = Labelled { dataset: data.dataset, points: &points, classes: &classes };
    let labels = sample.labels();
    let mut random = ChaCha8Rng::seed_from_u64(plan.seed);
    let mut best: Option<(f64, Vec<f64>)> = None;
    for _ in 0..DRAWS {
        control.stop().check()?;
        let drawn = (0..points.n_features()).map(|_| random.random::<f64>().powi(2));
        // A weight of 0 would remove the feature.
        let weights: Vec<f64> = drawn.map(|weight: f64| weight.max(f64::MIN_POSITIVE)).collect();
        let score = ch_a(sample, &labels, &weights)?;
        if best.as_ref().is_none_or(|(before, _)| score > *before) {
            best = Some((score, weights));
        }
    }
    Ok(best.map_or_else(|| vec![1.0; points.n_features()], |(_, weights)| weights))
}

/// Rows drawn class by class. A class with only one drawn row cannot be scored, and is left out.
fn scored_sample(classes: &[u32], limit: usize, seed: u64) -> Vec<usize> {
    let mut rows = stratified(classes, limit, seed);
    let mut sizes = vec![0_usize; classes.iter().max().map_or(0, |&class| class as usize + 1)];
    rows.iter().for_each(|&row| sizes[classes[row] as usize] += 1);
    rows.retain(|&row| sizes[classes[row] as usize] > 1);
    rows
}

#[cfg(test)]
mod tests {
    use clmatch_kernels::Stop;

    use super::super::tests::noisy;
    use super::*;
    use crate::reading::Reading;
    use clmatch_truth::techniques::{Technique as Clustering, TruthSettings};

    #[test]
    fn a_class_of_which_one_point_is_drawn_has_no_say() {
        let classes: Vec<u32> = (0..1000).map(|row| if row < 4 { 2 } else { row % 2 }).collect();
        let rows = scored_sample(&classes, 100, 0);
        assert!(rows.len() >= 99 && rows.iter().all(|&row| classes[row] < 2), "{rows:?}");
        assert_eq!(scored_sample(&classes, 1000, 0).len(), 1000);
    }

    #[test]
    fn weights_raise_the_score_and_the_largest_is_that_of_the_feature_that_tells() {
        let (points, classes) = noisy();
        let data = Labelled { dataset: "noisy", points: &points, classes: &classes };
        let plan = ImproveSettings::new(Reading::Authors, 0);
        let truth =
            TruthSettings { techniques: vec![Clustering::KMeans, Clustering::Dbscan], ..plan.truth.clone() };
        let plan = ImproveSettings { max_points: 80, truth, ..plan };
        let found = Weighted::of(data, &plan, Control::new(&Stop::new())).unwrap();
        assert!(found.after > found.before + 0.1, "{found:?}");
        let weights = search(data, &plan, Control::new(&Stop::new())).unwrap();
        assert!(weights[0] > weights[1] && weights[0] > weights[2], "{weights:?}");
        let score = |list: &[Technique]| list.iter().find(|one| one.id == "kmeans").unwrap().score;
        // K-Means does not depend on units.
        assert_eq!(score(&found.as_it_is), score(&found.rescaled));
        assert!(score(&found.rescaled) > score(&found.initial));
    }
}
