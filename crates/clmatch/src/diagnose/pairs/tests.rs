//! Each number of a pair computed by hand, and the table of verdicts.

use clmatch_kernels::Control;

use super::*;
use crate::{Classes, Labels, Points};

#[test]
fn valleys_by_hand() {
    // Medians at -4 and 4: nothing within 1 of 0.
    assert_eq!(valley([vec![-5.0, -4.0, -3.0], vec![3.0, 4.0, 5.0]]), 0.0);
    // Medians at -2 and 2, measured within .5: two of three of the first class, and none of the second, at its median ...
    let costs = [vec![-2.25, -2.0, 0.25], vec![0.0, 2.0, 2.25]];
    // ... so 2/3 at either median, and 1/3 + 1/3 in the middle.
    assert_eq!(valley(costs), 1.0);
    assert_eq!(valley([vec![1.0, 2.0, 3.0], vec![-1.0, 0.0, 1.0]]), 1.0);
}

#[test]
fn sides_by_hand() {
    let costs = [vec![-2.0, -1.0, 0.0, 3.0], vec![1.0, -1.0]];
    assert_eq!(wrong_sides(&costs), [1.5 / 4.0, 0.5]);
}

#[test]
fn terms_fail_from_the_lowest() {
    assert_eq!(failing(&ClmTerms::new(0.4, 0.1, 0.6)), [Term::Tree, Term::Line]);
    assert_eq!(failing(&ClmTerms::new(0.9, 0.8, 0.6)), [Term::Neighbours]);
}

#[test]
fn classes_weigh_the_same_in_a_valley() {
    // Medians at -2 and 2, measured within .5: 2/5 and 2/3 there, 2/5 + 1/3 in the middle. -2.5, -.5, .5 and 2.5 are inside.
    let costs = [vec![-3.0, -2.5, -2.0, -0.5, 0.0], vec![0.5, 2.0, 2.5]];
    assert!((valley(costs) - (2.0 / 5.0 + 1.0 / 3.0) / (2.0 / 5.0)).abs() < 1e-12);
}

#[test]
fn votes_by_hand() {
    let votes = NeighbourVotes {
        sizes: [100.0, 10.0],
        of: [vec![[4.0, 1.0], [5.0, 0.0]], vec![[0.0, 5.0], [1.0, 4.0], [5.0, 0.0]]],
    };
    // 4/100 is less than 1/10; in the second class, the last point has no vote of its own class.
    assert_eq!(outvoted(&votes), [0.5, 1.0 / 3.0]);
    // Rows 9 and 1, 6 and 9 of 25: shares .36 and .04, .24 and .36, of rows .4 and .6, of columns .6 and .4.
    let information = 0.36 * (0.36_f64 / 0.24).ln()
        + 0.04 * (0.04_f64 / 0.16).ln()
        + 0.24 * (0.24_f64 / 0.36).ln()
        + 0.36 * (0.36_f64 / 0.24).ln();
    let entropy = -0.4 * 0.4_f64.ln() - 0.6 * 0.6_f64.ln();
    assert!((nu(&votes) - information / entropy).abs() < 1e-12);
}

#[test]
fn a_term_at_the_bar_does_not_fail() {
    assert_eq!(failing(&ClmTerms::new(0.5, 0.1, 0.6)), [Term::Tree]);
}

/// The table of rules, at every bound and next to it.
#[test]
fn verdicts_by_the_table() {
    use PairVerdict::{OneCluster, Overlapping, Separate, Touching};
    let verdict = |[c, w, valley]: [f64; 3], [eta, kappa, nu]: [f64; 3]| {
        VerdictInputs { c, w, mutual: true, valley, terms: ClmTerms::new(eta, kappa, nu) }.verdict()
    };
    let deep = |m: f64, terms: [f64; 3]| verdict([m, m, 0.0], terms);
    let shallow = |c: f64, w: f64, valley: f64, kappa: f64| verdict([c, w, valley], [0.0, kappa, 0.0]);
    for (found, expected) in [
        (deep(0.25, [1.0, 1.0, 1.0]), OneCluster),
        (verdict([0.25, 0.24, 0.0], [0.0, 0.8, 0.0]), Separate),
        (deep(0.24, [0.0, 0.79, 0.0]), Overlapping),
        (shallow(0.21, 0.1, 0.9, 0.49), OneCluster),
        (shallow(0.22, 0.1, 0.9, 0.49), Overlapping),
        (shallow(0.21, 0.1, 0.89, 0.49), Overlapping),
        (shallow(0.21, 0.1, 0.9, 0.5), Overlapping),
        (deep(0.1, [0.0, 0.0, 0.98]), Separate),
        (deep(0.1, [1.0, 0.0, 0.97]), Overlapping),
        (deep(0.02, [0.85, 0.0, 0.0]), Separate),
        (deep(0.02, [0.84, 0.0, 0.0]), Touching),
        (deep(0.03, [0.85, 0.0, 0.0]), Touching),
        (deep(0.06, [0.0, 0.0, 0.0]), Touching),
        (deep(0.07, [0.0, 0.0, 0.0]), Overlapping),
    ] {
        assert_eq!(found, expected);
    }
    let one_sided =
        VerdictInputs { c: 0.3, w: 0.3, mutual: false, valley: 1.0, terms: ClmTerms::new(0.0, 0.0, 0.0) };
    assert_eq!(one_sided.verdict(), Overlapping);
}

/// The cost of a class is the scatter that it gains from the point: sums of squares with and without it.
#[test]
fn costs_are_gains_of_scatter() {
    let rows = [[0.0, 3.0], [1.0, 0.0], [3.0, 1.0], [4.0, 4.0], [10.0, 0.0], [12.0, 5.0], [13.0, 2.0]];
    let rows = [&rows[..], &[[17.0, 1.0], [18.0, 6.0], [90.0, 9.0]]].concat();
    let labels = Labels::encode((0..10).map(|row| usize::from(row >= 4)));
    let classes = Classes::new(Points::from_rows(&rows).unwrap(), &labels).unwrap();
    let cells = Cells::compute(&classes, Control::none()).unwrap();
    // The last point has no say.
    let members: [Vec<usize>; 2] = [(0..4).collect(), (4..9).collect()];
    let scatter = |rows: &[usize]| {
        let of = |feature: usize| {
            let values: Vec<f64> = rows.iter().map(|&row| cells.frame().row(row)[feature]).collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>()
        };
        of(0) + of(1)
    };
    let gain = |class: &[usize], x: usize| {
        let others: Vec<usize> = class.iter().copied().filter(|&row| row != x).collect();
        scatter(&[&others[..], &[x]].concat()) - scatter(&others)
    };
    let costs = Jury::new(&cells, |row| row != 9).costs(0, 1);
    for (costs, rows) in costs.iter().zip(&members) {
        assert_eq!(costs.len(), rows.len());
        for (cost, &x) in costs.iter().zip(rows) {
            let expected = gain(&members[0], x) - gain(&members[1], x);
            assert!((cost - expected).abs() < 1e-12, "{cost} instead of {expected}");
        }
    }
}
