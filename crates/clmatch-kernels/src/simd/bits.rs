//! Loops over bits and bytes, compiled for processors that shift and count bits in one instruction.
//!
//! Digits in a text are found and moved by shifts of a computed width. Plain x86-64 needs three operations for each such shift.

/// Runs `work`, compiled for these instructions if the processor has them and
/// [`Level::VARIABLE`](crate::simd::Level::VARIABLE) does not rule them out. The result is the same either way. Functions that
/// `work` calls should be `#[inline(always)]`.
#[inline]
pub fn with_bit_instructions<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if crate::simd::Level::best() > crate::simd::Level::Portable
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
    {
        // SAFETY: the processor has these instructions.
        return unsafe { compiled(work) };
    }
    work()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,lzcnt")]
fn compiled<R>(work: impl FnOnce() -> R) -> R {
    work()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_is_that_of_plain_code() {
        let numbers: Vec<u64> = (0..1000_u64).map(|at| at.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        let work = || {
            let shifted = |&number: &u64| (number << (number % 64)).leading_zeros() + number.trailing_zeros();
            numbers.iter().map(shifted).collect::<Vec<u32>>()
        };
        assert_eq!(with_bit_instructions(work), work());
    }
}
