//! Labels that a gap between classes refutes.
//!
//! Where neighbours carry another label than a point does, two classes overlap there, or the label is wrong; labels that are
//! often wrong near a border look like overlap to a model of labels alone. The points themselves tell them apart: let every point
//! take the class of the majority of its neighbours, three times over. Classes that overlap then meet in a border, along which
//! neighbours belong to both. A class has a gap around it if at most 1.25% of its points have one of another class among
//! their 8 nearest; a point amid such a class that carries another label is mislabelled.
//!
//! Degenerate cases: a class that loses three quarters of its points or more to the majority lies within another one, and
//! none of its labels is refuted.

use clmatch_kernels::parallel;

use super::evidence::Vote;

/// How often points take the class of the majority.
const TIMES: usize = 3;
/// The nearest points among which there is none of another class, of the 15 that vote.
const NEAREST: usize = 8;
/// The points of a class with a gap around it that lie at a border all the same.
const AT_BORDER: f64 = 0.0125;
/// A class keeps more than this share of its points.
const KEPT: f64 = 0.25;

/// How many votes each class has at a point, in the order in which they first occur.
pub(super) fn tally(votes: &[Vote], class_of: impl Fn(u32) -> u32) -> Vec<(u32, f64)> {
    let mut tally: Vec<(u32, f64)> = Vec::with_capacity(votes.len());
    for vote in votes {
        let class = class_of(vote.point);
        match tally.iter_mut().find(|(other, _)| *other == class) {
            Some((_, sum)) => *sum += vote.weight,
            None => tally.push((class, vote.weight)),
        }
    }
    tally
}

/// By point: the class that it belongs to, where a gap refutes its label.
///
/// Time: O(n). Memory: O(n).
pub(super) fn refuted(votes: &[Vec<Vote>], labels: &[u32], classes: usize) -> Vec<Option<u32>> {
    let mut voted = labels.to_vec();
    for _ in 0..TIMES {
        let vote = |point: usize| majority(&votes[point], &voted).unwrap_or(voted[point]);
        voted = parallel::map_range(votes.len(), vote);
    }
    let at_border = |(votes, class): (&Vec<Vote>, &u32)| {
        votes.iter().take(NEAREST).any(|vote| voted[vote.point as usize] != *class)
    };
    let at_border: Vec<bool> = votes.iter().zip(&voted).map(at_border).collect();
    let (mut border, mut all) = (vec![0; classes], vec![0; classes]);
    let (mut kept, mut labelled) = (vec![0; classes], vec![0; classes]);
    for (point, (&label, &class)) in labels.iter().zip(&voted).enumerate() {
        all[class as usize] += 1;
        border[class as usize] += usize::from(at_border[point]);
        labelled[label as usize] += 1;
        kept[label as usize] += usize::from(label == class);
    }
    let share = |some: usize, all: usize| some as f64 / all as f64;
    let class = |point: usize| {
        let (label, class) = (labels[point] as usize, voted[point] as usize);
        let apart = share(border[class], all[class]) <= AT_BORDER && !at_border[point];
        (class != label && apart && share(kept[label], labelled[label]) > KEPT).then_some(voted[point])
    };
    (0..labels.len()).map(class).collect()
}

/// The class that has more than half of the votes.
fn majority(votes: &[Vote], class_of: &[u32]) -> Option<u32> {
    let all: f64 = votes.iter().map(|vote| vote.weight).sum();
    let tally = tally(votes, |point| class_of[point as usize]);
    tally.into_iter().find(|(_, sum)| *sum > all / 2.0).map(|(class, _)| class)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points on a line, of which every one is voted for by its nearest 15 others.
    fn refuted_on_a_line(places: &[f64], labels: &[u32]) -> Vec<Option<u32>> {
        let vote = |&x: &f64| {
            let mut others: Vec<(f64, u32)> =
                places.iter().zip(0..).map(|(y, at)| ((x - y).abs(), at)).collect();
            others.sort_by(|a, b| a.0.total_cmp(&b.0));
            others[1..16].iter().map(|&(_, point)| Vote { point, weight: 1.0 }).collect::<Vec<Vote>>()
        };
        refuted(&places.iter().map(vote).collect::<Vec<_>>(), labels, 2)
    }

    /// Two runs of 60 points, and the last 10 of the first one are labelled as the second one by turns.
    #[test]
    fn labels_on_the_other_side_of_a_gap_are_refuted() {
        let place = |gap: f64| move |at: usize| at as f64 + if at < 60 { 0.0 } else { gap };
        let wrong = |at: usize| (50..60).contains(&at) && at.is_multiple_of(2);
        let labels: Vec<u32> = (0..120).map(|at| u32::from(at >= 60 || wrong(at))).collect();
        let apart: Vec<f64> = (0..120).map(place(100.0)).collect();
        let expected: Vec<Option<u32>> = (0..120).map(|at| wrong(at).then_some(0)).collect();
        assert_eq!(refuted_on_a_line(&apart, &labels), expected);
        // Without a gap the two meet, and nothing can be said.
        let together: Vec<f64> = (0..120).map(place(0.0)).collect();
        assert_eq!(refuted_on_a_line(&together, &labels), [None; 120]);
    }

    /// Points of a rare class that are spread over a common one are no errors, unless most of the class is elsewhere.
    #[test]
    fn a_class_within_another_one_is_left_alone() {
        let rare = |at: usize| at % 10 == 3;
        let places: Vec<f64> = (0..120).map(|at| at as f64).collect();
        let labels: Vec<u32> = (0..120).map(|at| u32::from(rare(at))).collect();
        assert_eq!(refuted_on_a_line(&places, &labels), [None; 120]);
        let elsewhere = (0..40).map(|at| 1e4 + f64::from(at));
        let places: Vec<f64> = places.into_iter().chain(elsewhere).collect();
        let labels: Vec<u32> = labels.into_iter().chain([1; 40]).collect();
        let expected: Vec<Option<u32>> = (0..160).map(|at| (at < 120 && rare(at)).then_some(0)).collect();
        assert_eq!(refuted_on_a_line(&places, &labels), expected);
    }
}
