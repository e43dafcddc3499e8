//! Agreement of neighbours: how much the label of a point says about the labels of the points nearest to it.

use crate::kernels::TIE;
use crate::kernels::pairs::NEAREST;

/// How many of the nearest points of a point, in a set with `n` points, belong to each of some classes, given the point's
/// smallest squared distances to each class, ascending. Points tied at the last place share it in proportion to how many of them
/// each class has, so that the order of rows does not matter. Squares below `touching` count as 0. `add` is called for each class
/// that has any of the nearest points.
pub(crate) fn votes_of<'a>(
    nearest: impl Iterator<Item = &'a [f64]> + Clone,
    n: usize,
    touching: f64,
    mut add: impl FnMut(usize, f64),
) {
    let wanted = (n - 1).min(NEAREST);
    let zero_if_touching = |square: f64| if square < touching { 0.0 } else { square };
    let last = zero_if_touching(nth_of_merged(nearest.clone(), wanted));
    let counts = |squares: &[f64]| {
        let (mut below, mut tied) = (0.0, 0.0);
        for square in squares.iter().map(|&square| zero_if_touching(square)) {
            if square < last * (1.0 - TIE) {
                below += 1.0;
            } else if square <= last * (1.0 + TIE) {
                tied += 1.0;
            } else {
                break;
            }
        }
        (below, tied)
    };
    let mut all = (0.0, 0.0);
    for (below, tied) in nearest.clone().map(counts) {
        all = (all.0 + below, all.1 + tied);
    }
    let left = wanted as f64 - all.0;
    for (class, (below, tied)) in nearest.map(counts).enumerate() {
        if below + tied > 0.0 {
            add(class, below + left * tied / all.1);
        }
    }
}

/// The `rank`-th smallest (from 1, at most [`NEAREST`]) of ascending lists.
fn nth_of_merged<'a>(lists: impl Iterator<Item = &'a [f64]>, rank: usize) -> f64 {
    let mut smallest = [f64::INFINITY; NEAREST];
    for list in lists {
        for &value in list.iter().take(rank) {
            if value >= smallest[rank - 1] {
                break;
            }
            let mut place = rank - 1;
            while place > 0 && smallest[place - 1] > value {
                smallest[place] = smallest[place - 1];
                place -= 1;
            }
            smallest[place] = value;
        }
    }
    smallest[rank - 1]
}

/// The mutual information of the rows and columns of a square table of counts, divided by the mean of their entropies; 0 where
/// the entropies are 0.
pub(crate) fn normalised_information(votes: &[f64], classes: usize) -> f64 {
    let total: f64 = votes.iter().sum();
    let share = |row: usize, column: usize| votes[row * classes + column] / total;
    let rows: Vec<f64> = (0..classes).map(|row| (0..classes).map(|at| share(row, at)).sum()).collect();
    let columns: Vec<f64> =
        (0..classes).map(|column| (0..classes).map(|at| share(at, column)).sum()).collect();
    let entropy = |p: &[f64]| -p.iter().filter(|&&p| p > 0.0).map(|p| p * p.ln()).sum::<f64>();
    let scale = (entropy(&rows) + entropy(&columns)) / 2.0;
    if scale <= 0.0 {
        return 0.0;
    }
    let mut information = 0.0;
    for (row, &p) in rows.iter().enumerate() {
        for (column, &q) in columns.iter().enumerate() {
            let joint = share(row, column);
            if joint > 0.0 {
                information += joint * (joint / (p * q)).ln();
            }
        }
    }
    (information / scale).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn information_by_hand() {
        assert_eq!(normalised_information(&[5.0, 0.0, 0.0, 5.0], 2), 1.0);
        assert!(normalised_information(&[5.0, 5.0, 5.0, 5.0], 2).abs() < 1e-15);
        assert_eq!(normalised_information(&[5.0, 0.0, 5.0, 0.0], 2), 0.0);
        // p = (.4 .1; .1 .4): I = .8 ln 1.6 + .2 ln .4 = .192745, H = ln 2 on both sides.
        let information = 0.8 * 1.6_f64.ln() + 0.2 * 0.4_f64.ln();
        let found = normalised_information(&[4.0, 1.0, 1.0, 4.0], 2);
        assert!((found - information / 2.0_f64.ln()).abs() < 1e-15);
        // Three classes, two of which are mixed evenly: 2/3 ln 3 + 1/3 ln 3 - 2/3 ln 2 of ln 3.
        let found = normalised_information(&[4.0, 0.0, 0.0, 0.0, 2.0, 2.0, 0.0, 2.0, 2.0], 3);
        assert!((found - (1.0 - 2.0 / 3.0 * 2.0_f64.ln() / 3.0_f64.ln())).abs() < 1e-15);
    }

    #[test]
    fn merged_rank_by_hand() {
        let (a, b) = ([1.0, 3.0, f64::INFINITY], [2.0, 2.0, 5.0]);
        let nth = |lists: &[&[f64]], rank: usize| nth_of_merged(lists.iter().copied(), rank);
        let ranks: Vec<f64> = (1..=5).map(|rank| nth(&[&a, &b], rank)).collect();
        assert_eq!(ranks, [1.0, 2.0, 2.0, 3.0, 5.0]);
        // A list that ends before the other, and later a third list.
        assert_eq!(nth(&[&a[..1], &b], 4), 5.0);
        assert_eq!(nth(&[&b, &a[..1]], 4), 5.0);
        assert_eq!(nth(&[&b, &[0.5, 2.5], &a[..1]], 4), 2.0);
        assert_eq!(nth(&[&b, &[0.5, 2.5], &a[..1]], 5), 2.5);
    }

    fn votes(nearest: [&[f64]; 2], n: usize, touching: f64) -> [f64; 2] {
        let mut votes = [0.0; 2];
        votes_of(nearest.into_iter(), n, touching, |class, count| votes[class] = count);
        votes
    }

    #[test]
    fn votes_by_hand() {
        // Five of the seven smallest; those below 1 touch. Three are nearer than 1, and four at 1 share two votes.
        let (a, b) = ([0.25, 1.0, 1.0, 1.0, 6.0], [0.5, 0.75, 1.0, 4.0, 7.0]);
        assert_eq!(votes([&a, &b], 99, 1.0), [1.0 + 2.0 * 0.75, 2.0 + 2.0 * 0.25]);
        // All seven touch, and share five votes.
        let [of_a, of_b] = votes([&a, &b], 99, 1.5);
        assert!((of_a - 20.0 / 7.0).abs() < 1e-15 && (of_b - 15.0 / 7.0).abs() < 1e-15, "{of_a} {of_b}");
        // None touch: the nearest three, and two votes for four at 1.
        assert_eq!(votes([&a, &b], 99, 0.0), [2.5, 2.5]);
        // Three points: two votes, of the two nearest, or of three that touch.
        let none = f64::INFINITY;
        let (a, b) = ([0.25, 0.5, none], [0.75, none, none]);
        assert_eq!(votes([&a, &b], 3, 0.0), [2.0, 0.0]);
        assert_eq!(votes([&a, &b], 3, 1.0), [4.0 / 3.0, 2.0 / 3.0]);
    }
}
