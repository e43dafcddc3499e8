//! Labels that a gap between classes refutes.
//!
//! Where neighbours carry another label than a point does, two classes overlap there, or the label is wrong; labels that are
//! often wrong near a border look like overlap to a model of labels alone. The points themselves decide: let every point take the
//! class of the majority of its neighbours, three times over. Classes that overlap then meet at a border, along which neighbours
//! belong to both. A class has a gap around it if at most 1.25% of its points have a point of another class among their 8
//! nearest; a point amid such a class that carries another label is mislabelled.
//!
//! For a small class, 1.25% is less than one point, and two rules make up for that:
//!
//! - Wrong labels may be the majority somewhere by chance. They leave an island there, which joins the class around it
//!   (`islands`).
//! - Single points on either side of a gap may be near each other. It still counts as a gap if at most 6 points on both sides of
//!   it, and at most an eighth of the size of the class, have the other side among their 8 nearest, and if at least twice as many
//!   points with a label lie amid the class. In a class that overlaps, such points are at the border instead.
//!
//! Both rules hold only for labels that are spread over the class as if at random (`scatter`), up to z = 2.5. Points whose 8
//! nearest are not certain, because the ninth is no farther than the eighth, count as near the other side.
//!
//! Degenerate cases: a class that loses at least three quarters of its points to the majority lies within another class, and none
//! of its labels is refuted.

mod islands;
mod scatter;

use std::collections::BTreeMap;

use clmatch_kernels::parallel;

use super::evidence::Vote;

/// How often points take the class of the majority.
const TIMES: usize = 3;
/// How many of the nearest of the 15 voting neighbours must all be of the point's class.
const NEAREST: usize = 8;
/// The share of the points of a class with a gap around it that may still lie at a border.
const AT_BORDER: f64 = 0.0125;
/// How many points on both sides of a gap may still be near each other, and their share of the class.
const FACING: (usize, f64) = (6, 0.125);
/// How many times as many points with the label must lie amid the class.
const AMID: usize = 2;
/// The largest z of labels that are spread at random.
const AT_RANDOM: f64 = 2.5;
/// A class must keep more than this share of its points.
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

/// The 8 nearest points.
fn near(votes: &[Vote]) -> impl Iterator<Item = usize> {
    votes.iter().take(NEAREST).map(|vote| vote.point as usize)
}

/// Whether other points are as near as the last of the 8 nearest.
fn tied(votes: &[Vote]) -> bool {
    votes.len() > NEAREST && votes[NEAREST].weight >= votes[NEAREST - 1].weight
}

/// How a class changes when points vote.
#[derive(Debug, Clone, Copy, Default)]
struct Voted {
    /// How many points belong to it after the vote.
    points: usize,
    /// How many of them have a point of another class among their 8 nearest.
    at_border: usize,
    /// These, the points of other classes that have a point of this class among their 8 nearest, and the points of this class
    /// with ties.
    facing: usize,
    /// How many points carry its label.
    labelled: usize,
    /// How many of these still belong to it.
    kept: usize,
}

impl Voted {
    /// Whether there is a gap around the class.
    fn is_apart(&self) -> bool {
        share(self.at_border, self.points) <= AT_BORDER
    }

    /// Whether `amid` points amid the class that carry a label at random make up for the points at the border.
    fn is_nearly_apart(&self, amid: usize) -> bool {
        let (most, of_class) = FACING;
        self.facing <= most && share(self.facing, self.points) <= of_class && amid >= AMID * self.facing
    }

    /// Whether the class has a place of its own, rather than lying amid another class.
    fn is_somewhere(&self) -> bool {
        share(self.kept, self.labelled) > KEPT
    }
}

fn share(some: usize, all: usize) -> f64 {
    some as f64 / all as f64
}

/// For each point: the class that it belongs to, if a gap refutes its label.
///
/// Time: O(n log n). Memory: O(n).
pub(super) fn refuted(votes: &[Vec<Vote>], labels: &[u32], classes: usize) -> Vec<Option<u32>> {
    let mut voted = labels.to_vec();
    for _ in 0..TIMES {
        let vote = |point: usize| majority(&votes[point], &voted).unwrap_or(voted[point]);
        voted = parallel::map_range(votes.len(), vote);
    }
    let joined = islands::joined(votes, &voted, classes);
    let clumping = scatter::clumping(votes, labels, &joined, classes);
    let at_random = |label: u32, class: u32| clumping.get(&(label, class)).is_none_or(|z| *z <= AT_RANDOM);
    for (class, joined) in voted.iter_mut().zip(joined) {
        if at_random(*class, joined) {
            *class = joined;
        }
    }
    let mut of_class = vec![Voted::default(); classes];
    let mut at_border = vec![false; votes.len()];
    // By label and class: how many points are not at the border.
    let mut amid: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    for (point, (&label, &class)) in labels.iter().zip(&voted).enumerate() {
        let mut others: Vec<u32> =
            near(&votes[point]).map(|other| voted[other]).filter(|other| *other != class).collect();
        others.sort_unstable();
        others.dedup();
        others.iter().for_each(|&other| of_class[other as usize].facing += 1);
        at_border[point] = !others.is_empty();
        let own = &mut of_class[class as usize];
        own.points += 1;
        own.at_border += usize::from(at_border[point]);
        own.facing += usize::from(at_border[point]) + usize::from(tied(&votes[point]));
        of_class[label as usize].labelled += 1;
        of_class[label as usize].kept += usize::from(label == class);
        if label != class && !at_border[point] {
            *amid.entry((label, class)).or_default() += 1;
        }
    }
    let is_refuted = |(label, class, amid): (u32, u32, usize)| {
        let around = &of_class[class as usize];
        let apart = around.is_apart() || (at_random(label, class) && around.is_nearly_apart(amid));
        apart && of_class[label as usize].is_somewhere()
    };
    amid.retain(|&(label, class), amid| is_refuted((label, class, *amid)));
    let class = |point: usize| {
        let (label, class) = (labels[point], voted[point]);
        (!at_border[point] && amid.contains_key(&(label, class))).then_some(class)
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

    /// Points on a line, each with votes from its 15 nearest points.
    pub(super) fn votes_on_a_line(places: &[f64]) -> Vec<Vec<Vote>> {
        let vote = |&x: &f64| {
            let mut others: Vec<(f64, u32)> =
                places.iter().zip(0..).map(|(y, at)| ((x - y).abs(), at)).collect();
            others.sort_by(|a, b| a.0.total_cmp(&b.0));
            let nearest = others[1..].iter().take(15);
            nearest.map(|&(far, point)| Vote { point, weight: 1.0 / (1.0 + 1e-6 * far) }).collect()
        };
        places.iter().map(vote).collect()
    }

    fn refuted_on_a_line(places: &[f64], labels: &[u32]) -> Vec<Option<u32>> {
        refuted(&votes_on_a_line(places), labels, 2)
    }

    /// Two runs of 60 points; of the last 10 points of the first run, every other one has the label of the second.
    #[test]
    fn labels_on_the_other_side_of_a_gap_are_refuted() {
        let place = |gap: f64| move |at: usize| at as f64 + if at < 60 { 0.0 } else { gap };
        let wrong = |at: usize| (50..60).contains(&at) && at.is_multiple_of(2);
        let labels: Vec<u32> = (0..120).map(|at| u32::from(at >= 60 || wrong(at))).collect();
        let apart: Vec<f64> = (0..120).map(place(100.0)).collect();
        let expected: Vec<Option<u32>> = (0..120).map(|at| wrong(at).then_some(0)).collect();
        assert_eq!(refuted_on_a_line(&apart, &labels), expected);
        // Without a gap the two runs meet, and nothing can be said.
        let together: Vec<f64> = (0..120).map(place(0.0)).collect();
        assert_eq!(refuted_on_a_line(&together, &labels), [None; 120]);
    }

    /// Two runs of 60 points, a point in the middle of the gap; every tenth point of the first run has the label of the second.
    #[test]
    fn a_point_in_a_gap_does_not_close_it() {
        let place = |at: usize| match at {
            0..60 => at as f64,
            60 => 68.25,
            _ => at as f64 + 19.0,
        };
        let places: Vec<f64> = (0..121).map(place).collect();
        let refuted = |wrong: fn(usize) -> bool| {
            let labels: Vec<u32> = (0..121).map(|at| u32::from(at > 60 || wrong(at))).collect();
            let expected: Vec<Option<u32>> = (0..121).map(|at| wrong(at).then_some(0)).collect();
            (refuted_on_a_line(&places, &labels), expected)
        };
        let (found, expected) = refuted(|at| at < 60 && at % 10 == 3);
        assert_eq!(found, expected);
        // A single point may belong to a class that overlaps, and so may points that lie side by side.
        assert_eq!(refuted(|at| at == 33).0, [None; 121]);
        assert_eq!(refuted(|at| (30..36).contains(&at)).0, [None; 121]);
    }

    /// Points of a rare class that are spread over a common one are not errors, unless most of the class is elsewhere.
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
