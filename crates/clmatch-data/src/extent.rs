//! One look at all numbers: whether they are finite, and how large the largest is.

use clmatch::Values;
use rayon::prelude::*;

use crate::real::Real;

/// Numbers that are looked at together: as many as the cache holds.
const PART: usize = 1 << 15;

/// What a look at some numbers found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Extent {
    /// The largest absolute value, 0 if there is none; NaN does not count.
    pub(crate) largest: f64,
    /// Whether no number is NaN or infinite.
    pub(crate) finite: bool,
}

impl Extent {
    /// What is found where there are no numbers.
    pub(crate) const EMPTY: Extent = Extent { largest: 0.0, finite: true };

    /// Looks at numbers with all threads. The result does not depend on their order.
    ///
    /// Time: O(n), one read of the numbers.
    pub(crate) fn of<T: Real>(values: &[T]) -> Extent {
        values.par_chunks(PART).map(Extent::of_part).reduce(|| Extent::EMPTY, Extent::and)
    }

    /// Looks at numbers of either precision with all threads.
    pub(crate) fn of_values(values: &Values<'_>) -> Extent {
        match values {
            Values::F64(values) => Extent::of(values),
            Values::F32(values) => Extent::of(values),
        }
    }

    /// Looks at a few numbers. Lanes without a branch, so that several numbers are compared at a time.
    pub(crate) fn of_part<T: Real>(values: &[T]) -> Extent {
        const LANES: usize = 16;
        let (mut largest, mut doubt) = ([0.0_f64; LANES], [0.0_f64; LANES]);
        let (chunks, rest) = values.as_chunks::<LANES>();
        for chunk in chunks {
            for ((largest, doubt), value) in largest.iter_mut().zip(&mut doubt).zip(chunk) {
                let value = value.to_f64().abs();
                *largest = if value > *largest { value } else { *largest };
                // 0 for finite numbers, NaN for all others.
                *doubt += value * 0.0;
            }
        }
        let seen = |largest: f64, finite: bool| Extent { largest, finite };
        let lanes = largest.into_iter().zip(doubt).map(|(largest, doubt)| seen(largest, !doubt.is_nan()));
        let rest = rest.iter().map(|value| value.to_f64().abs());
        let rest = rest.map(|value| seen(if value.is_nan() { 0.0 } else { value }, value.is_finite()));
        lanes.chain(rest).fold(Extent::EMPTY, Extent::and)
    }

    /// What is found in two sets of numbers together.
    pub(crate) fn and(self, other: Extent) -> Extent {
        Extent { largest: self.largest.max(other.largest), finite: self.finite && other.finite }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_looked_at() {
        for count in [1, 15, 16, 17, PART, 2 * PART + 5] {
            for at in [0, count / 2, count - 1] {
                let mut values = vec![-1.0; count];
                assert_eq!(Extent::of(&values), Extent { largest: 1.0, finite: true });
                values[at] = -7.5;
                assert_eq!(Extent::of(&values), Extent { largest: 7.5, finite: true });
                let single: Vec<f32> = values.iter().map(|&value| value as f32).collect();
                assert_eq!(Extent::of(&single), Extent { largest: 7.5, finite: true });
                for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    values[at] = bad;
                    assert!(!Extent::of(&values).finite, "{bad} at {at} of {count}");
                }
            }
        }
        assert_eq!(Extent::of::<f64>(&[]), Extent::EMPTY);
        assert_eq!(Extent::of(&[f64::MAX, 5e-324]), Extent { largest: f64::MAX, finite: true });
    }
}
