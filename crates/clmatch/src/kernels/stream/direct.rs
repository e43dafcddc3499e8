//! The moments of one set, computed from their definition, for the few sets where identities cancel.
//!
//! With `z = x - c_i` and `v = c_i - c_S`: `r(x) = |z + v|^2`, and deviations are taken from the mean.

use super::panel::CentredInput;
use super::profile::{CentreColumns, SubsetMoments};
use crate::kernels::moments::{Spread, mean_and_deviation};

/// The spread of classes around the common centre of their columns. Time: O(N d). Memory: O(N).
pub(super) fn spread(
    input: &CentredInput<'_>,
    columns: &CentreColumns<'_>,
    members: &[(usize, usize)],
    roots: bool,
) -> Spread {
    let mut squares = Vec::new();
    let mut v = vec![0.0; columns.padded];
    for &(class, column) in members {
        columns.offset(class, column, &mut v);
        squares.extend(squared_lengths(input, class, &v));
    }
    let (total, s2) = mean_and_deviation(squares.iter().copied());
    if !roots {
        return Spread { total, s2, radius: f64::NAN, s1: f64::NAN };
    }
    let (radius, s1) = mean_and_deviation(squares.iter().map(|r| r.sqrt()));
    Spread { total, s2, radius, s1 }
}

/// `eta` of a pair of classes, see [`View::eta`](crate::View::eta). Time: O(N d). Memory: O(N).
pub(super) fn eta(input: &CentredInput<'_>, columns: &CentreColumns<'_>, i: usize, j: usize) -> f64 {
    let side = |own: usize, other: usize, sign: f64| {
        let (n, m) = (columns.sizes[own], columns.sizes[other]);
        let mut gap = vec![0.0; columns.padded];
        columns.apart(own, other, 1.0, &mut gap);
        let nowhere = vec![0.0; columns.padded];
        let stay = squared_lengths(input, own, &nowhere);
        let leave = squared_lengths(input, own, &gap);
        let cost: Vec<f64> = stay
            .zip(leave)
            .map(|(stay, leave)| sign * (n / (n - 1.0) * stay - m / (m + 1.0) * leave))
            .collect();
        let (mean, deviation) = mean_and_deviation(cost.iter().copied());
        SubsetMoments { weight: n / (n + m), mean, variance: deviation * deviation }
    };
    SubsetMoments::share_between(side(i, j, 1.0), side(j, i, -1.0))
}

/// `|z + v|^2` of the points of a class.
fn squared_lengths<'a>(
    input: &'a CentredInput<'a>,
    class: usize,
    v: &'a [f64],
) -> impl Iterator<Item = f64> + 'a {
    let place = input.place(class);
    let (minus, shift) = (&input.minus[place.clone()], &input.shift[place]);
    input.members(class).iter().map(move |&row| {
        input
            .row(row)
            .zip(minus)
            .zip(shift)
            .zip(v)
            .map(|(((x, minus), e), v)| x + minus - e + v)
            .map(|d| d * d)
            .sum()
    })
}
