//! Within one dataset: the more labels are shuffled, the lower a measure should be.
//!
//! Eleven variants of the labels have a known order: 0%, 10%, .. 100% of the points have their labels shuffled among
//! them. For each dataset, Spearman's correlation is computed of that order with a standard measure, of that order with
//! its adjusted form, and of the two measures with each other. The page shows the mean and standard deviation over
//! datasets, beside the paper's second table.
//!
//! One draw of the shuffles moves the means by a few hundredths, so [`DRAWS`] of them are averaged. The readings share
//! all draws, and differ in three points:
//!
//! | | text | authors |
//! |---|---|---|
//! | labels of a standard measure and its adjusted form | the same | shuffled for each |
//! | DI | over all classes | over the first two |
//! | a measure that has one value at all levels | correlation 0 | left out |

mod correlations;
mod page;
mod paper;

use clmatch::measure::{REGISTRY, find};
use clmatch::{Classes, DataError, Labels, Measure, Points, evaluate};
use rand::SeedableRng;
use rand::seq::{SliceRandom, index};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

pub use self::page::findings;
use clmatch_truth::rank::spearman;

/// The number of shares of shuffled labels: 0, 0.1, .. 1.
pub const LEVELS: usize = 11;
/// The number of draws of the shuffles.
pub const DRAWS: usize = 20;
/// Datasets with more points than this are drawn only twice: they take longest, and chance moves their scores least.
pub const MANY_POINTS: usize = 2000;
const FEWEST: usize = 2;
/// The headline score takes longer than all others together, so it is computed for the first draw only, and not on
/// datasets with more than [`MANY_POINTS`] points.
const HEADLINE: &str = "clm";
/// DI over the first two classes only.
const FIRST_TWO: &str = "di, first two classes";

/// One dataset, with every measure at every level of noise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Noise {
    /// The name of the dataset.
    pub dataset: String,
    /// The ids in the order of the registry, without the headline score, followed by DI of the first two classes.
    pub measures: Vec<String>,
    /// For each draw and level, one value per measure, converted so that higher is better.
    pub draws: Vec<Vec<Vec<f64>>>,
    /// The headline score at every level of the first draw; empty for large datasets.
    pub headline: Vec<f64>,
}

/// How often the labels of `points` points are shuffled.
pub fn draws(points: usize) -> usize {
    if points <= MANY_POINTS { DRAWS } else { FEWEST }
}

impl Noise {
    /// Shuffles the labels and computes the measures.
    ///
    /// # Errors
    /// If a class has a single point.
    pub fn of(dataset: &str, points: &Points<'_>, labels: &Labels, seed: u64) -> Result<Noise, DataError> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let most: Vec<&'static Measure> = REGISTRY.iter().copied().filter(|one| one.id != HEADLINE).collect();
        let measures = most.iter().map(|one| one.id).chain([FIRST_TWO]).map(str::to_owned).collect();
        let mut headline = Vec::with_capacity(LEVELS);
        let mut all = Vec::new();
        for draw in 0..draws(labels.codes().len()) {
            let mut levels = Vec::with_capacity(LEVELS);
            for level in 0..LEVELS {
                let codes = shuffled(labels.codes(), level as f64 / (LEVELS - 1) as f64, &mut random);
                let classes =
                    Classes::new(points.clone(), &Labels::from_codes(codes.clone(), labels.names()))?;
                let mut values = upward(&classes, &most)?;
                values.push(di_of_first_two(points, &codes, labels.names())?);
                levels.push(values);
                if let (0, Some(clm)) = (draw, headline_for(labels.codes().len())) {
                    headline.extend(upward(&classes, &[clm])?);
                }
            }
            all.push(levels);
        }
        Ok(Noise { dataset: dataset.to_owned(), measures, draws: all, headline })
    }

    /// A measure at all levels of a draw; if there are fewer draws, they are repeated.
    fn column(&self, id: &str, draw: usize) -> Option<Vec<f64>> {
        let at = self.measures.iter().position(|known| known == id)?;
        Some(self.draws[draw % self.draws.len()].iter().map(|values| values[at]).collect())
    }

    /// The correlation of a measure with the order of the noise.
    fn with_noise(&self, id: &str, draw: usize) -> Option<f64> {
        let quality: Vec<f64> = (0..LEVELS).map(|level| -(level as f64)).collect();
        let column = if id == HEADLINE { self.headline.clone() } else { self.column(id, draw)? };
        if column.is_empty() { None } else { spearman(&quality, &column) }
    }

    /// The correlation of two measures, each on the labels of its own draw.
    fn between(&self, (a, draw_a): (&str, usize), (b, draw_b): (&str, usize)) -> Option<f64> {
        spearman(&self.column(a, draw_a)?, &self.column(b, draw_b)?)
    }
}

/// The headline score, if there are few points.
fn headline_for(points: usize) -> Option<&'static Measure> {
    find(HEADLINE).filter(|_| points <= MANY_POINTS)
}

/// The values of the measures, converted so that higher is better.
fn upward(classes: &Classes<'_>, measures: &[&'static Measure]) -> Result<Vec<f64>, DataError> {
    let evaluation = evaluate(classes, measures)?;
    let scores = measures.iter().zip(&evaluation.scores);
    Ok(scores.map(|(measure, (_, score))| measure.upward(score.value)).collect())
}

/// DI as if only the first two classes existed.
fn di_of_first_two(points: &Points<'_>, codes: &[u32], names: &[String]) -> Result<f64, DataError> {
    let rows: Vec<usize> = (0..codes.len()).filter(|&row| codes[row] < 2).collect();
    let codes = rows.iter().map(|&row| codes[row]).collect();
    let labels = Labels::from_codes(codes, &names[..names.len().min(2)]);
    let classes = Classes::new(Points::from(points.coordinates(&rows)?), &labels)?;
    let di: Vec<&'static Measure> = find("di").into_iter().collect();
    Ok(upward(&classes, &di)?[0])
}

/// Shuffles the labels of a share of the points, drawn at random, among these points.
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
    use crate::reading::Reading;

    #[test]
    fn a_share_of_labels_moves_and_classes_keep_their_sizes() {
        let codes: Vec<u32> = (0..1000).map(|at| at % 4).collect();
        let mut random = ChaCha8Rng::seed_from_u64(1);
        assert_eq!(shuffled(&codes, 0.0, &mut random), codes);
        let noisy = shuffled(&codes, 0.4, &mut random);
        let changed = codes.iter().zip(&noisy).filter(|(a, b)| a != b).count();
        // About a quarter of 400 shuffled labels stay the same by chance.
        assert!((250..=350).contains(&changed), "{changed}");
        for class in 0..4 {
            assert_eq!(noisy.iter().filter(|&&code| code == class).count(), 250);
        }
    }

    #[test]
    fn large_datasets_are_drawn_less_often() {
        assert_eq!([10, 2000, 2001, 100_000].map(draws), [20, 20, 2, 2]);
    }

    /// Two classes that are close enough for scores below 1 even with little noise: equal scores have no order.
    fn two() -> Noise {
        let values: Vec<f64> =
            (0..200).map(|at| f64::from(at % 2) * 1.5 + f64::from(at * 37 % 101) / 101.0).collect();
        let points = Points::new(&values, 1).unwrap();
        Noise::of("two", &points, &Labels::encode((0..200).map(|at| at % 2)), 5).unwrap()
    }

    #[test]
    fn clear_clusters_follow_the_noise() {
        let noise = two();
        let followed = ["ch_a", HEADLINE].map(|id| noise.with_noise(id, 0).unwrap());
        assert!(followed.iter().all(|&correlation| correlation > 0.9), "{followed:?}");
        assert!(noise.with_noise("db", 3).unwrap() > 0.9, "lower is better for DB");
        let (same, own) = (noise.between(("ch", 0), ("ch_a", 0)), noise.between(("ch", 0), ("ch_a", 1)));
        assert!(same.unwrap() > 0.9 && own.unwrap() > 0.8 && same != own);
        // If there are only two classes, they are the first two.
        assert_eq!(noise.column("di", 4), noise.column(FIRST_TWO, 4));
        for reading in Reading::ALL {
            let found = findings(std::slice::from_ref(&noise), reading, 5);
            assert_eq!(found.files[0].text.lines().count(), 1 + 3 * 6, "{}", found.files[0].text);
            assert!(found.page.contains("CH and CH<sub>A</sub>"), "{}", found.page);
            // Six measures in three columns, each with a mean and a deviation.
            let numbers = found.claims.iter().filter(|claim| !claim.headline);
            assert_eq!(numbers.clone().count(), 36);
            assert_eq!(numbers.filter(|claim| claim.what.ends_with(", deviation")).count(), 18);
        }
    }

    #[test]
    fn di_of_the_authors_does_not_see_a_third_class() {
        let points = Points::new(&[0.0, 1.0, 5.0, 6.0, 6.1, 7.0], 1).unwrap();
        let names = ["a", "b", "c"].map(str::to_owned);
        // Points from 1 to 5 lie between the classes, and a class is 1 wide.
        assert_eq!(di_of_first_two(&points, &[0, 0, 1, 1, 2, 2], &names).unwrap(), 4.0);
    }
}
