//! Which distances count as equal.
//!
//! Data on a grid (whole numbers, indicator columns) has many pairs of points that are equally far apart, but scaling and
//! summing leave their distances with different last digits. Code that compares two such distances would then depend on
//! the order of the columns.

/// Which distances count as equal. This matters to [`Density`](crate::Density), [`Distances`](crate::Distances) and
/// [`Linkage`](crate::Linkage), which compare distances.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ties {
    /// Only distances that are the same to the last bit.
    #[default]
    Exact,
    /// Also distances that differ by rounding alone. Distances then have a relative error of up to 1e-9, and do not
    /// depend on the order of the features.
    Rounded,
}

impl Ties {
    /// Rounds distances, squared or not, if those that differ by rounding alone are to be equal.
    pub(crate) fn round(self, distances: &mut [f64]) {
        if self == Ties::Rounded {
            distances.iter_mut().for_each(|distance| *distance = rounded(*distance));
        }
    }
}

/// Distances whose ratio differs from 1 by less than this count as equal; far above rounding, and far below what any data
/// can resolve.
pub(crate) const TIE: f64 = 1e-9;
/// This many times a distance lies clearly beyond it.
pub(crate) const BEYOND: f64 = 1.1;
/// Bits of a mantissa that [`rounded`] drops: it keeps 29 of 52, so that squares have a relative error of at most 2^-30 =
/// .93e-9, and distances half of that.
const DROPPED: u32 = 52 - 29;

/// Whether a distance is longer than another by more than rounding.
pub(crate) fn clearly_longer(longer: f64, shorter: f64) -> bool {
    longer > shorter * (1.0 + TIE)
}

/// Rounds a squared distance so that distances that differ in their last digits become equal, except for the few in a
/// million that happen to lie on both sides of a rounding boundary. Zero and infinity stay as they are.
#[inline(always)]
pub(crate) fn rounded(square: f64) -> f64 {
    f64::from_bits((square.to_bits() + (1 << (DROPPED - 1))) & !((1 << DROPPED) - 1))
}

/// Splits ascending distances into runs of equal ones; yields the first and the last of each.
pub(crate) fn runs(distances: &[f64]) -> impl Iterator<Item = (f64, f64)> + '_ {
    distances
        .chunk_by(|&shorter, &longer| !clearly_longer(longer, shorter))
        .map(|run| (run[0], run[run.len() - 1]))
}

/// Chooses `limit` of the values, evenly, including the first and the last; all of them if there are no more than that.
pub(crate) fn evenly(values: &[f64], limit: usize) -> Vec<f64> {
    if values.len() <= limit || limit < 2 {
        return values.to_vec();
    }
    (0..limit).map(|at| values[at * (values.len() - 1) / (limit - 1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_in_another_order_round_to_the_same() {
        // .1 + .2 + .3, forwards and backwards, and far larger and smaller.
        for scale in [1.0 / (1_u64 << 60) as f64, 1.0, (1_u64 << 40) as f64] {
            let parts = [0.1, 0.2, 0.3].map(|part| part * scale);
            let (up, down): (f64, f64) = (parts.iter().sum(), parts.iter().rev().sum());
            assert_ne!(up, down);
            assert_eq!(rounded(up), rounded(down));
            assert!((rounded(up) - up).abs() <= 1e-9 * up);
            assert_ne!(rounded(up), rounded(up * (1.0 + 4e-9)));
        }
        assert_eq!([0.0, 3.0, 0.25, f64::INFINITY].map(rounded), [0.0, 3.0, 0.25, f64::INFINITY]);
    }

    #[test]
    fn runs_hold_what_rounding_tells_apart() {
        let close = 1.0 + 1e-12;
        let found: Vec<_> = runs(&[0.0, 0.0, 1.0, close, 1.0 + 2e-8, 2.0]).collect();
        assert_eq!(found, [(0.0, 0.0), (1.0, close), (1.0 + 2e-8, 1.0 + 2e-8), (2.0, 2.0)]);
        assert_eq!(runs(&[]).count(), 0);
    }
}
