//! Wrong labels of one kind: points of one class that often carry the label of a certain other one.
//!
//! Labels are not wrong at random in practice: a 4 is taken for a 9, seldom for a 7. Points that carry one of two labels in
//! the same place may be mislabelled, or two classes that overlap; the votes of neighbours cannot tell these apart, but the shape
//! of classes can. Where Mahalanobis' distance leaves no doubt about the class and the neighbours agree, two classes do not
//! overlap, and the labels that stand there all the same are counted.

use super::evidence::{Candidates, FEATURES};
use super::label_noise::first_largest;

/// The share of a class above which the distance leaves no doubt.
const CERTAIN: f64 = 0.99;
/// So many labels of one kind, at least, are no accident.
const FEWEST: usize = 2;
/// What is added to the number of certain points of a class: the rate of few points is not taken for that of many.
const PRIOR: f64 = 10.0;
/// Rates are kept if they are so many times what they would be if wrong labels were alike in all pairs.
const FACTOR: f64 = 1.5;
/// The labels of a class that may be wrong in this way, at most.
const MOST: f64 = 0.4;

/// How often points of one class carry the label of another one, for the pairs of classes where that is frequent.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct PairRates {
    /// By label, ascending: the class that points belong to, ascending, and the share of its points with that label.
    by_label: Vec<Vec<(u32, f64)>>,
    /// By class: the rates of its labels.
    by_class: Vec<Vec<f64>>,
}

impl PairRates {
    /// Counts the labels of points about whose class there is no doubt. `sizes` are those of all classes.
    ///
    /// Time: O(n C) for C candidates. Memory: O(n + K).
    pub(super) fn new(
        features: &[[f64; FEATURES]],
        candidates: &Candidates,
        labels: &[Option<u32>],
        sizes: &[usize],
    ) -> PairRates {
        let classes = sizes.len();
        let mut certain = vec![0; classes];
        let mut wrong: Vec<(u32, u32)> = Vec::new();
        for (point, features) in features.chunks_exact(candidates.width()).enumerate() {
            let (Some(label), names) = (labels[point], candidates.of(point)) else { continue };
            if let Some(place) = certain_class(features, names, sizes) {
                certain[names[place] as usize] += 1;
                if place != label as usize {
                    wrong.push((names[label as usize], names[place]));
                }
            }
        }
        wrong.sort_unstable();
        let all: usize = certain.iter().sum();
        let alike = wrong.len() as f64 / all.max(1) as f64 / (classes - 1) as f64;
        let mut rates: Vec<(u32, u32, f64)> = wrong
            .chunk_by(|a, b| a == b)
            .filter(|run| run.len() >= FEWEST)
            .map(|run| (run[0].0, run[0].1, run.len() as f64 / (certain[run[0].1 as usize] as f64 + PRIOR)))
            .filter(|&(_, _, rate)| rate >= FACTOR * alike)
            .collect();
        let mut totals = vec![0.0; classes];
        rates.iter().for_each(|&(_, class, rate)| totals[class as usize] += rate);
        let mut found =
            PairRates { by_label: vec![Vec::new(); classes], by_class: vec![Vec::new(); classes] };
        for (label, class, rate) in &mut rates {
            *rate *= (MOST / totals[*class as usize]).min(1.0);
            found.by_label[*label as usize].push((*class, *rate));
            found.by_class[*class as usize].push(*rate);
        }
        found
    }

    /// The classes whose points carry a label more often than any other wrong one, with how often they do.
    pub(super) fn of_label(&self, label: u32) -> &[(u32, f64)] {
        self.by_label.get(label as usize).map_or(&[], Vec::as_slice)
    }

    /// The rates of the wrong labels of a class that are frequent.
    pub(super) fn of_class(&self, class: u32) -> &[f64] {
        self.by_class.get(class as usize).map_or(&[], Vec::as_slice)
    }
}

/// The place of the class that a point certainly belongs to, if there is one.
fn certain_class(features: &[[f64; FEATURES]], names: &[u32], sizes: &[usize]) -> Option<usize> {
    let votes: Vec<f64> = features.iter().map(|of| of[0]).collect();
    let near: Vec<f64> =
        features.iter().zip(names).map(|(of, &class)| of[1] + (sizes[class as usize] as f64).ln()).collect();
    let best = first_largest(&near);
    let total: f64 = near.iter().map(|value| (value - near[best]).exp()).sum();
    (1.0 / total > CERTAIN && first_largest(&votes) == best).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 20 certain points of class 0, four are labelled 2 and one is labelled 1; of 20 of class 1 all are right, the
    /// neighbours of five others disagree, and about five more there is doubt.
    #[test]
    fn frequent_wrong_labels_are_counted_by_hand() {
        let sure = |class: usize| -> [[f64; FEATURES]; 3] {
            std::array::from_fn(|at| if at == class { [0.0; 3] } else { [-3.0, -20.0, -1.0] })
        };
        let mut features = Vec::new();
        let mut labels = Vec::new();
        let mut add = |point: [[f64; FEATURES]; 3], label: u32| {
            features.extend(point);
            labels.push(Some(label));
        };
        (0..20).for_each(|at| add(sure(0), [2, 2, 2, 2, 1].get(at).copied().unwrap_or(0)));
        (0..20).for_each(|_| add(sure(1), 1));
        (0..5).for_each(|_| add([[-1.0, 0.0, 0.0], [0.0, -20.0, 0.0], [-1.0, -20.0, 0.0]], 1));
        (0..5).for_each(|_| add([[0.0, 0.0, 0.0], [-1.0, -2.0, 0.0], [-1.0, -20.0, 0.0]], 1));
        labels[19] = None;
        let rates = PairRates::new(&features, &Candidates::all(50, 3), &labels, &[20, 20, 10]);
        assert_eq!(rates.of_label(2), [(0, 4.0 / 29.0)]);
        assert_eq!(rates.of_class(0), [4.0 / 29.0]);
        assert!(rates.of_label(0).is_empty() && rates.of_label(1).is_empty() && rates.of_class(1).is_empty());
    }

    #[test]
    fn wrong_labels_that_are_alike_in_all_pairs_have_no_rates_of_their_own() {
        let mut features: Vec<[f64; FEATURES]> = Vec::new();
        let mut labels = Vec::new();
        for class in 0..3_usize {
            for at in 0..100 {
                features
                    .extend((0..3).map(|other| if other == class { [0.0; 3] } else { [-3.0, -20.0, 0.0] }));
                let shift = if at < 10 { 1 + at % 2 } else { 0 };
                labels.push(Some(((class + shift) % 3) as u32));
            }
        }
        let rates = PairRates::new(&features, &Candidates::all(300, 3), &labels, &[100; 3]);
        assert!((0..3).all(|class| rates.of_class(class).is_empty()), "{rates:?}");
    }

    #[test]
    fn large_classes_are_certain_sooner() {
        let votes_for_first = |gap: f64| [[0.0, 0.0, 0.0], [-1.0, -gap, 0.0]];
        let certain = |gap: f64, sizes: [usize; 2]| certain_class(&votes_for_first(gap), &[0, 1], &sizes);
        // The second class has 10/1000 e^-3 = .0005 of what the first one has.
        assert_eq!(certain(3.0, [1000, 10]), Some(0));
        // Here it has 5 times as much.
        assert_eq!(certain(3.0, [10, 1000]), None);
        // A share of 99 of 100 leaves doubt, one of 100 of 101 does not.
        assert_eq!(certain(0.0, [99, 1]), None);
        assert_eq!(certain(0.0, [100, 1]), Some(0));
    }
}
