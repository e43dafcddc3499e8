//! Within one dataset: the more labels are shuffled, the lower a measure should be.
//!
//! Eleven variants of the labels, with 0%, 10%, .. 100% of the points' labels shuffled among them, have a known order.
//! Spearman's correlation of that order with a standard measure, with its adjusted form, and of the two with each other,
//! per dataset; mean and standard deviation over datasets, beside the paper's second table.
//!
//! The labels are shuffled twice, independently: where labels are mostly random, measures of the same labels agree in
//! what chance made of them, and measures of different ones do not.

mod page;

use clmatch::measure::REGISTRY;
use clmatch::{Classes, DataError, Labels, Points, evaluate};
use rand::SeedableRng;
use rand::seq::{SliceRandom, index};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

pub use self::page::findings;
use clmatch_truth::rank::spearman;

/// Shares of shuffled labels: 0, 0.1, .. 1.
pub const LEVELS: usize = 11;

/// One dataset: every measure at every level of noise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Noise {
    /// Its name.
    pub dataset: String,
    /// Ids in the order of the registry.
    pub measures: Vec<String>,
    /// Per level, one value per measure, turned so that higher is better.
    pub values: Vec<Vec<f64>>,
    /// The same with labels that were shuffled anew.
    pub again: Vec<Vec<f64>>,
}

impl Noise {
    /// Shuffles and measures, twice.
    ///
    /// # Errors
    /// A class with a single point.
    pub fn of(dataset: &str, points: &Points<'_>, labels: &Labels, seed: u64) -> Result<Noise, DataError> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let measures = REGISTRY.iter().map(|measure| measure.id.to_owned()).collect();
        let values = series(points, labels, &mut random)?;
        let again = series(points, labels, &mut random)?;
        Ok(Noise { dataset: dataset.to_owned(), measures, values, again })
    }

    fn column(&self, id: &str, values: &[Vec<f64>]) -> Option<Vec<f64>> {
        let at = self.measures.iter().position(|known| known == id)?;
        Some(values.iter().map(|values| values[at]).collect())
    }

    /// The correlation of a measure with the order of the noise.
    fn with_noise(&self, id: &str) -> Option<f64> {
        let quality: Vec<f64> = (0..self.values.len()).map(|level| -(level as f64)).collect();
        spearman(&quality, &self.column(id, &self.values)?)
    }

    /// The correlation of two measures on the same labels.
    fn on_same(&self, a: &str, b: &str) -> Option<f64> {
        spearman(&self.column(a, &self.values)?, &self.column(b, &self.values)?)
    }

    /// The correlation of two measures, each on labels that were shuffled for it.
    fn on_own(&self, a: &str, b: &str) -> Option<f64> {
        spearman(&self.column(a, &self.again)?, &self.column(b, &self.values)?)
    }
}

/// Every measure at every level, on labels that are shuffled for each.
fn series(points: &Points<'_>, labels: &Labels, random: &mut ChaCha8Rng) -> Result<Vec<Vec<f64>>, DataError> {
    let mut values = Vec::with_capacity(LEVELS);
    for level in 0..LEVELS {
        let codes = shuffled(labels.codes(), level as f64 / (LEVELS - 1) as f64, random);
        let labels = Labels::from_codes(codes, labels.names());
        let classes = Classes::new(points.clone(), &labels)?;
        let evaluation = evaluate(&classes, REGISTRY)?;
        let scores = REGISTRY.iter().zip(&evaluation.scores);
        values.push(scores.map(|(measure, (_, score))| measure.upward(score.value)).collect());
    }
    Ok(values)
}

/// The labels of a share of the points, drawn at random, are shuffled among them.
fn shuffled(codes: &[u32], share: f64, random: &mut ChaCha8Rng) -> Vec<u32> {
    let count = (share * codes.len() as f64).round() as usize;
    let places = index::sample(random, codes.len(), count).into_vec();
    let mut labels: Vec<u32> = places.iter().map(|&place| codes[place]).collect();
    labels.shuffle(random);
    let mut codes = codes.to_vec();
    places.into_iter().zip(labels).for_each(|(place, label)| codes[place] = label);
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_labels_moves_and_classes_keep_their_sizes() {
        let codes: Vec<u32> = (0..1000).map(|at| at % 4).collect();
        let mut random = ChaCha8Rng::seed_from_u64(1);
        assert_eq!(shuffled(&codes, 0.0, &mut random), codes);
        let noisy = shuffled(&codes, 0.4, &mut random);
        let changed = codes.iter().zip(&noisy).filter(|(a, b)| a != b).count();
        // Of 400 shuffled labels about a quarter stay the same by chance.
        assert!((250..=350).contains(&changed), "{changed}");
        for class in 0..4 {
            assert_eq!(noisy.iter().filter(|&&code| code == class).count(), 250);
        }
    }

    #[test]
    fn clear_clusters_follow_the_noise() {
        let values: Vec<f64> =
            (0..200).map(|at| f64::from(at % 2) * 10.0 + f64::from(at * 37 % 101) / 101.0).collect();
        let points = Points::new(&values, 1).unwrap();
        let labels = Labels::encode((0..200).map(|at| at % 2));
        let noise = Noise::of("two", &points, &labels, 5).unwrap();
        assert!(noise.with_noise("ch_a").unwrap() > 0.9);
        assert!(noise.with_noise("db").unwrap() > 0.9, "lower is better for DB");
        assert!(noise.on_same("ch", "ch_a").unwrap() > 0.9 && noise.on_own("ch", "ch_a").unwrap() > 0.8);
        assert_ne!(noise.on_own("ch", "ch_a"), noise.on_same("ch", "ch_a"));
        let findings = findings(&[noise], 5);
        assert_eq!(findings.files[0].text.lines().count(), 1 + 2 * LEVELS);
        assert_ne!(findings.files[0].text.lines().nth(3), findings.files[0].text.lines().nth(3 + LEVELS));
        assert!(findings.page.contains("ch and ch_a"));
    }
}
