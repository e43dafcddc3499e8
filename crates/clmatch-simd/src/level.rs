//! Which instructions to use: asked of the processor once, and chosen in one place.

use std::sync::OnceLock;

use crate::float::Float;
use crate::isa::{Isa, Work};

/// Sets of instructions to choose from, slowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Plain code, compiled for what every processor of the target has: SSE2 on x86-64, NEON on AArch64.
    Portable,
    /// AVX2 with fused multiply-add.
    Avx2,
    /// AVX-512 (F, DQ, VL, BW), and all of [`Level::Avx2`].
    Avx512,
}

impl Level {
    /// All, slowest first.
    pub const ALL: [Level; 3] = [Level::Portable, Level::Avx2, Level::Avx512];

    /// The best that this processor has.
    #[must_use]
    #[inline]
    pub fn best() -> Self {
        static BEST: OnceLock<Level> = OnceLock::new();
        *BEST.get_or_init(detect)
    }

    /// Whether this processor has it.
    #[must_use]
    pub fn available(self) -> bool {
        self <= Level::best()
    }

    /// Runs `work` compiled for this level, or for the best one below that this processor has.
    #[inline]
    pub fn run<T: Float, W: Work<T>>(self, work: W) -> W::Output {
        // SAFETY: the processor has the best level, and with it all below.
        unsafe {
            match self.min(Level::best()) {
                Level::Portable => T::Portable::run(work),
                #[cfg(target_arch = "x86_64")]
                Level::Avx2 => T::Avx2::run(work),
                #[cfg(target_arch = "x86_64")]
                Level::Avx512 => T::Avx512::run(work),
                #[cfg(not(target_arch = "x86_64"))]
                Level::Avx2 | Level::Avx512 => T::Portable::run(work),
            }
        }
    }
}

/// Asks the processor.
#[cold]
fn detect() -> Level {
    #[cfg(target_arch = "x86_64")]
    {
        let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        let avx512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512bw");
        if avx2 && avx512 {
            return Level::Avx512;
        }
        if avx2 {
            return Level::Avx2;
        }
    }
    Level::Portable
}
