//! Loops over text, compiled for processors that shift and count bits in one instruction.
//!
//! Digits are found and moved by shifts of a computed width. Plain x86-64 needs three operations for each; reading numbers is
//! a fifth faster without.
#![allow(unsafe_code)]

/// Does `work`, compiled for these instructions where the processor has them. The result is the same.
#[inline]
pub(crate) fn with_bit_instructions<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
    {
        #[target_feature(enable = "bmi1,bmi2,lzcnt")]
        fn compiled<R>(work: impl FnOnce() -> R) -> R {
            work()
        }
        // SAFETY: the processor has these instructions.
        return unsafe { compiled(work) };
    }
    work()
}
