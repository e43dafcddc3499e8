//! Labels that are two names for one class.
//!
//! ```text
//! w(y, z) = the share of points with the label y whose neighbours vote for z, each vote weighted by 1 / size of its class
//! c(y, z) = the share of points with the label y that are nearer to z as a whole, by Mahalanobis' distance
//! ```
//!
//! Two labels that are given to the points of one class at random have w(y, z) and w(z, y) near 1/2. Then neither is an error,
//! though a model that has a rate for this pair would find many errors: it takes whatever the neighbours happen to say for the
//! truth. Labels of which a share p is wrong have w near p, as long as that is well below 1/2. Classes that only neighbours mix
//! up, for instance because a feature with large numbers carries no information, have a small c.
//!
//! Degenerate cases: if all labels are names for one class, none of them is wrong.

use std::collections::BTreeMap;

use super::evidence::Vote;
use super::gaps::tally;

/// The smallest mean of w(y, z) and w(z, y) for two names of one class.
const MIXED: f64 = 0.4;

/// The smallest mean of c(y, z) and c(z, y).
const NEARER: f64 = 0.25;

/// For each label: the number of its class, from 0 on, in the order of first labels. `votes` are those at the points, in the
/// order of labels; `nearer` says whether a point with the first label is nearer to the second one.
///
/// Time: O(n log n). Memory: O(n).
pub(super) fn second_names(
    votes: &[Vec<Vote>],
    starts: &[usize],
    nearer: impl Fn(usize, u32, u32) -> bool,
) -> Vec<u32> {
    let labels = starts.len() - 1;
    let size = |label: u32| (starts[label as usize + 1] - starts[label as usize]) as f64;
    let label_of = |point: u32| (starts.partition_point(|&start| start <= point as usize) - 1) as u32;
    let mut outvoted: BTreeMap<(u32, u32), f64> = BTreeMap::new();
    for label in 0..labels as u32 {
        for votes in &votes[starts[label as usize]..starts[label as usize + 1]] {
            let tally = tally(votes, label_of);
            let own = tally.iter().find(|(other, _)| *other == label).map_or(0.0, |(_, sum)| *sum);
            for &(other, sum) in tally.iter().filter(|(other, _)| *other != label) {
                if sum / size(other) > own / size(label) {
                    *outvoted.entry((label, other)).or_default() += 1.0 / size(label);
                }
            }
        }
    }
    let nearer_share = |label: u32, other: u32| {
        let points = starts[label as usize]..starts[label as usize + 1];
        points.filter(|&point| nearer(point, label, other)).count() as f64 / size(label)
    };
    // The first name of every class.
    let mut first: Vec<u32> = (0..labels as u32).collect();
    for (&(a, b), share) in &outvoted {
        let back = outvoted.get(&(b, a)).copied().unwrap_or(0.0);
        if (share + back) / 2.0 >= MIXED - 1e-9 && (nearer_share(a, b) + nearer_share(b, a)) / 2.0 >= NEARER {
            let (a, b) = (first[a as usize], first[b as usize]);
            first.iter_mut().filter(|name| **name == a.max(b)).for_each(|name| *name = a.min(b));
        }
    }
    let mut names = first.clone();
    names.sort_unstable();
    names.dedup();
    first.iter().map(|name| names.partition_point(|other| other < name) as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three labels of 10, 5 and 10 points; `first` of 10 points of the first label and `last` of 10 of the last are outvoted by
    /// the other one.
    fn of(first: u32, last: u32) -> Vec<u32> {
        let vote = |label: u32, weight: f64| Vote { point: [0, 10, 15][label as usize], weight };
        let point = |at: u32| match at {
            0..10 => vec![vote(0, 2.0), vote(2, if at < first { 2.5 } else { 1.5 })],
            // There are more votes for the first label, but it has twice as many points.
            10..15 => vec![vote(1, 2.0), vote(0, 3.0)],
            _ => vec![vote(2, 2.0), vote(0, if at - 15 < last { 2.5 } else { 2.0 })],
        };
        let votes: Vec<Vec<Vote>> = (0..25).map(point).collect();
        let of = |share: usize| second_names(&votes, &[0, 10, 15, 25], |point, _, _| point % 5 < share);
        assert_eq!(of(1), [0, 1, 2], "the classes as a whole are told apart");
        of(2)
    }

    #[test]
    fn two_names_are_those_whose_neighbours_vote_for_each_other() {
        assert_eq!(of(4, 4), [0, 1, 0]);
        assert_eq!(of(0, 8), [0, 1, 0]);
        // The last label in a third of the first class, but not the other way round.
        assert_eq!(of(3, 0), [0, 1, 2]);
        assert_eq!(of(4, 3), [0, 1, 2]);
    }
}
