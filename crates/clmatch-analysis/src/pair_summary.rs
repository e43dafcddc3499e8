//! What the mean over pairs of classes hides: the mean that weights every point alike, the worst pair, the weakest class.
//!
//! ```text
//! weighted mean  = sum (n_a + n_b) s(a, b) / sum (n_a + n_b)     over all pairs of classes
//! class score    = mean of s(a, b) over the pairs that hold the class a
//! ```
//!
//! where s is the score of a pair and n the number of points of a class. The weighted mean is the mean over all points of the
//! score of their class: a pair of small classes moves it little, while it moves the plain mean as much as any other pair. The
//! worst pair has the worst s, the weakest class the worst class score; the first one wins a tie.

use clmatch::Measure;
use clmatch::measure::find;
use serde::{Deserialize, Serialize};

use crate::scores::ClassSize;

/// The summary of one measure over the pairs of classes of a dataset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairSummary {
    /// The id of the measure.
    pub measure: String,
    /// The mean over pairs, each weighted by its number of points.
    pub weighted_mean: f64,
    /// The pair with the worst score.
    pub worst_pair: PairScore,
    /// The class with the worst mean over its pairs; `None` for two classes, whose means are equal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weakest_class: Option<ClassScore>,
}

/// Two classes and their score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairScore {
    /// One class.
    pub a: String,
    /// The other class.
    pub b: String,
    /// The score of the two.
    pub score: f64,
}

/// A class and the mean score of its pairs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassScore {
    /// The name of the class.
    pub class: String,
    /// The mean over its pairs with all other classes.
    pub score: f64,
}

/// One summary for each measure that has scores of pairs; the scores are in the order of [`pairs_of`].
///
/// Time: O(pairs x measures).
pub(crate) fn summaries<'a>(
    classes: &[ClassSize],
    scores: impl Iterator<Item = (&'a str, &'a [f64])>,
) -> Vec<PairSummary> {
    let on_pairs = scores.filter(|(_, pairs)| !pairs.is_empty());
    on_pairs.filter_map(|(id, pairs)| summary(classes, find(id)?, pairs)).collect()
}

/// All pairs of `classes` classes, in the order of [`Classes::pairs`](clmatch::Classes::pairs).
pub(crate) fn pairs_of(classes: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..classes).flat_map(move |a| (a + 1..classes).map(move |b| (a, b)))
}

fn summary(classes: &[ClassSize], measure: &Measure, pairs: &[f64]) -> Option<PairSummary> {
    let names: Vec<&String> = classes.iter().map(|size| &size.class).collect();
    let mut sums = vec![0.0; names.len()];
    let (mut weighted, mut weights) = (0.0, 0.0);
    let mut worst: Option<(usize, usize, f64)> = None;
    for ((a, b), &score) in pairs_of(names.len()).zip(pairs) {
        let weight = (classes[a].points + classes[b].points) as f64;
        weighted += weight * score;
        weights += weight;
        sums[a] += score;
        sums[b] += score;
        if worst.is_none_or(|(_, _, worst)| measure.prefers(worst, score)) {
            worst = Some((a, b, score));
        }
    }
    let others = (names.len() - 1) as f64;
    let of_classes = names.iter().zip(&sums).map(|(&name, sum)| (name, sum / others));
    let weakest =
        of_classes.reduce(|weakest, other| if measure.prefers(weakest.1, other.1) { other } else { weakest });
    let (a, b, score) = worst?;
    Some(PairSummary {
        measure: measure.id.to_owned(),
        weighted_mean: weighted / weights,
        worst_pair: PairScore { a: names[a].clone(), b: names[b].clone(), score },
        weakest_class: weakest
            .filter(|_| names.len() > 2)
            .map(|(class, score)| ClassScore { class: class.clone(), score }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clmatch::{Classes, Labels, Points};

    fn classes(sizes: &[(&str, usize)]) -> Vec<ClassSize> {
        sizes.iter().map(|&(name, points)| ClassSize { class: name.to_owned(), points }).collect()
    }

    #[test]
    fn pairs_have_the_order_of_the_library() {
        let points = Points::new((0..8).map(f64::from).collect::<Vec<_>>(), 1).unwrap();
        let classes = Classes::new(points, &Labels::encode([0, 1, 2, 3, 0, 1, 2, 3])).unwrap();
        assert!(classes.pairs().eq(pairs_of(4)));
    }

    #[test]
    fn three_classes_by_hand() {
        let classes = classes(&[("p", 2), ("q", 4), ("r", 10)]);
        // The pairs p | q, p | r, q | r have 6, 12 and 14 points.
        let found = summary(&classes, find("clm").unwrap(), &[0.5, 0.25, 0.75]).unwrap();
        assert_eq!(found.weighted_mean, (6.0 * 0.5 + 12.0 * 0.25 + 14.0 * 0.75) / 32.0);
        assert_eq!(found.worst_pair, PairScore { a: "p".into(), b: "r".into(), score: 0.25 });
        assert_eq!(found.weakest_class, Some(ClassScore { class: "p".into(), score: 0.375 }));
        // The mean over all points of the score of their class.
        let by_points = (2.0 * 0.375 + 4.0 * 0.625 + 10.0 * 0.5) / 16.0;
        assert!((found.weighted_mean - by_points).abs() < 1e-15);
    }

    #[test]
    fn where_lower_is_better_the_largest_is_the_worst() {
        let classes = classes(&[("p", 2), ("q", 4), ("r", 10)]);
        let found = summary(&classes, find("db").unwrap(), &[0.5, 0.25, 0.75]).unwrap();
        assert_eq!((found.worst_pair.score, found.weakest_class.unwrap().class.as_str()), (0.75, "q"));
    }

    #[test]
    fn two_classes_have_no_weakest_one_and_equal_ones_keep_their_order() {
        let two = summary(&classes(&[("p", 2), ("q", 4)]), find("clm").unwrap(), &[0.5]).unwrap();
        assert_eq!((two.weighted_mean, two.worst_pair.score, two.weakest_class), (0.5, 0.5, None));
        let three = classes(&[("p", 2), ("q", 4), ("r", 3)]);
        let equal = summary(&three, find("clm").unwrap(), &[0.5, 0.5, 0.5]).unwrap();
        assert_eq!((equal.worst_pair.b.as_str(), equal.weakest_class.unwrap().class.as_str()), ("q", "p"));
    }
}
