//! Islands: a few neighbours that all belong to a class whose main part is elsewhere.
//!
//! Links run from every point to its 8 nearest. Points of a class that are connected by links form a part of it. The largest part
//! is its main part; among equally large ones, it is the one with the first point. Any other part that has links with the main
//! parts of other classes is an island.

use std::collections::BTreeMap;

use super::super::evidence::Vote;
use super::{near, tied};

/// The size of an island, at most, as a share of the main part that it joins.
const LARGEST: f64 = 0.5;

/// For each point: its class after every island has joined the class with whose main part it has the most links, or the first of
/// several such classes. Islands with points whose 8 nearest are not certain stay as they are.
///
/// Time: O(n log n). Memory: O(n).
pub(super) fn joined(votes: &[Vec<Vote>], class_of: &[u32], classes: usize) -> Vec<u32> {
    let part = parts(votes, class_of);
    let mut size = vec![0_usize; part.len()];
    let mut certain = vec![true; part.len()];
    for (point, &part) in part.iter().enumerate() {
        size[part] += 1;
        certain[part] &= !tied(&votes[point]);
    }
    let mut main: Vec<Option<usize>> = vec![None; classes];
    for (part, class) in part.iter().zip(class_of) {
        let main = &mut main[*class as usize];
        if main.is_none_or(|main| size[*part] > size[main]) {
            *main = Some(*part);
        }
    }
    let is_main = |point: usize| main[class_of[point] as usize] == Some(part[point]);
    let mut links: BTreeMap<(usize, u32), usize> = BTreeMap::new();
    for point in 0..part.len() {
        for other in near(&votes[point]).filter(|&other| class_of[other] != class_of[point]) {
            for (from, to) in [(point, other), (other, point)] {
                let fits = size[part[from]] as f64 <= LARGEST * size[part[to]] as f64;
                if !is_main(from) && is_main(to) && certain[part[from]] && fits {
                    *links.entry((part[from], class_of[to])).or_default() += 1;
                }
            }
        }
    }
    // The class that each part joins, with the number of links.
    let mut joins: Vec<Option<(u32, usize)>> = vec![None; part.len()];
    for ((part, class), links) in links {
        if joins[part].is_none_or(|(_, most)| links > most) {
            joins[part] = Some((class, links));
        }
    }
    let class = |(&part, &class): (&usize, &u32)| joins[part].map_or(class, |(other, _)| other);
    part.iter().zip(class_of).map(class).collect()
}

/// For each point: the first point of its part.
fn parts(votes: &[Vec<Vote>], class_of: &[u32]) -> Vec<usize> {
    let mut above: Vec<u32> = (0..votes.len() as u32).collect();
    for (point, votes) in votes.iter().enumerate() {
        for other in near(votes).filter(|&other| class_of[other] == class_of[point]) {
            let (a, b) = (top(&mut above, point), top(&mut above, other));
            above[a.max(b)] = a.min(b) as u32;
        }
    }
    (0..votes.len()).map(|point| top(&mut above, point)).collect()
}

/// The first point that this one is known to be connected with.
fn top(above: &mut [u32], mut point: usize) -> usize {
    while above[point] as usize != point {
        above[point] = above[above[point] as usize];
        point = above[point] as usize;
    }
    point
}

#[cfg(test)]
mod tests {
    use super::super::tests::votes_on_a_line;
    use super::*;

    #[test]
    fn small_parts_join_the_class_around_them() {
        let mut places: Vec<f64> =
            (0..120).map(|at| f64::from(at) + f64::from(at) * f64::from(at) * 1e-4).collect();
        let votes = votes_on_a_line(&places);
        let island = |from: usize, to: usize| -> Vec<u32> {
            (0..120).map(|at| u32::from((from..to).contains(&at) || at >= 80)).collect()
        };
        // The main part of class 0 lies behind the island and has 45 points.
        assert_eq!(joined(&votes, &island(20, 35), 2), island(80, 80));
        // Now it has 31, and the island 29.
        assert_eq!(joined(&votes, &island(20, 49), 2), island(20, 49));
        // Where points coincide, it is uncertain which ones are the nearest.
        let place = places[27];
        places[24..30].fill(place);
        assert_eq!(joined(&votes_on_a_line(&places), &island(20, 35), 2), island(20, 35));
    }
}
