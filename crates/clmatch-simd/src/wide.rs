//! Plain loops, compiled for the widest registers.

use crate::isa::{Isa, Work};
use crate::level::Level;

/// Does `work`, compiled for the best instruction set. Plain code never fuses a multiplication and an addition, so that
/// the result has the same bits as without. What `work` calls should be `#[inline(always)]`.
#[inline]
pub fn with_wide_registers<R>(work: impl FnOnce() -> R) -> R {
    Level::best().run::<f64, _>(Plain(work))
}

struct Plain<F>(F);

impl<R, F: FnOnce() -> R> Work<f64> for Plain<F> {
    type Output = R;

    #[inline(always)]
    unsafe fn work<I: Isa<T = f64>>(self) -> R {
        (self.0)()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_has_the_bits_of_plain_code() {
        let numbers: Vec<f64> = (1..1000).map(|at| 1.0 / f64::from(at)).collect();
        let work = || numbers.iter().map(|x| (x * x + x / 3.0).sqrt().to_bits()).collect::<Vec<u64>>();
        assert_eq!(with_wide_registers(work), work());
    }
}
