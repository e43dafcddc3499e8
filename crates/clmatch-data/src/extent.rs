//! One pass over all numbers: whether they are finite, and how large the largest is.

use clmatch::Values;
use rayon::prelude::*;

use crate::real::MatrixElement;

/// How many numbers a thread examines together: as many as the cache holds.
const PART: usize = 1 << 15;

/// What a pass over some numbers found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Extent {
    /// The largest absolute value, or 0 if there are no numbers; NaN does not count.
    pub(crate) largest: f64,
    /// Whether no number is NaN or infinite.
    pub(crate) finite: bool,
}

impl Extent {
    /// The extent of no numbers.
    pub(crate) const EMPTY: Extent = Extent { largest: 0.0, finite: true };

    /// Examines numbers with all threads. The result does not depend on their order.
    ///
    /// Time: O(n), one read of the numbers.
    pub(crate) fn of<T: MatrixElement>(values: &[T]) -> Extent {
        values.par_chunks(PART).map(Extent::of_part).reduce(|| Extent::EMPTY, Extent::and)
    }

    /// Examines numbers of either precision with all threads.
    pub(crate) fn of_values(values: &Values<'_>) -> Extent {
        match values {
            Values::F64(values) => Extent::of(values),
            Values::F32(values) => Extent::of(values),
        }
    }

    /// Examines a few numbers on this thread.
    pub(crate) fn of_part<T: MatrixElement>(values: &[T]) -> Extent {
        let mut look = Look::default();
        look.see(values);
        look.found()
    }

    /// The extent of two sets of numbers together.
    pub(crate) fn and(self, other: Extent) -> Extent {
        Extent { largest: self.largest.max(other.largest), finite: self.finite && other.finite }
    }
}

/// How many numbers are compared at a time.
const LANES: usize = 8;

/// An extent of numbers that come a few at a time, kept in lanes without branches so that several are compared at once.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Look {
    largest: [f64; LANES],
    /// 0 as long as all numbers are finite, NaN from then on.
    doubt: [f64; LANES],
}

impl Look {
    /// Examines more numbers.
    pub(crate) fn see<T: MatrixElement>(&mut self, values: &[T]) {
        // A copy stays in registers.
        let mut look = *self;
        let (chunks, rest) = values.as_chunks::<LANES>();
        for chunk in chunks {
            look.see_some(chunk);
        }
        look.see_some(rest);
        *self = look;
    }

    /// Examines at most as many numbers as there are lanes.
    #[inline(always)]
    fn see_some<T: MatrixElement>(&mut self, values: &[T]) {
        for ((largest, doubt), value) in self.largest.iter_mut().zip(&mut self.doubt).zip(values) {
            let value = value.to_f64().abs();
            *largest = if value > *largest { value } else { *largest };
            *doubt += value * 0.0;
        }
    }

    /// The extent of all numbers seen.
    pub(crate) fn found(self) -> Extent {
        let lanes = self.largest.into_iter().zip(self.doubt);
        let lanes = lanes.map(|(largest, doubt)| Extent { largest, finite: !doubt.is_nan() });
        lanes.fold(Extent::EMPTY, Extent::and)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_looked_at() {
        for count in (1..=2 * LANES + 1).chain([PART, 2 * PART + 5]) {
            for at in (0..count.min(2 * LANES + 1)).chain([count / 2, count - 1]) {
                let mut values = vec![-1.0; count];
                assert_eq!(Extent::of(&values), Extent { largest: 1.0, finite: true });
                values[at] = -7.5;
                assert_eq!(Extent::of(&values), Extent { largest: 7.5, finite: true });
                let single: Vec<f32> = values.iter().map(|&value| value as f32).collect();
                assert_eq!(Extent::of(&single), Extent { largest: 7.5, finite: true });
                let mut look = Look::default();
                values.chunks(3).for_each(|some| look.see(some));
                assert_eq!(look.found(), Extent { largest: 7.5, finite: true });
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
