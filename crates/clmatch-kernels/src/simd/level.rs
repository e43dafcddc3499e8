//! Which instructions to use: the processor is queried once, and the choice is made in one place.

use std::mem::ManuallyDrop;
use std::sync::OnceLock;

use crate::simd::float::Float;
use crate::simd::isa::{Isa, Work};
use crate::simd::portable::Portable;
#[cfg(target_arch = "x86_64")]
use crate::simd::{avx2::Avx2, avx512::Avx512};

/// Instruction sets to choose from, slowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Plain code, compiled for what every processor of the target has: SSE2 on x86-64, NEON on AArch64.
    Portable,
    /// AVX2 with fused multiply-add.
    Avx2,
    /// AVX-512 (F, DQ, VL, BW) with an instruction that counts bits, and all of [`Level::Avx2`].
    Avx512,
}

impl Level {
    /// All levels, slowest first.
    pub const ALL: [Level; 3] = [Level::Portable, Level::Avx2, Level::Avx512];

    /// The environment variable that lowers [`Level::best`] for a whole process, read once: `portable`, `avx2` or
    /// `avx512`. With it, every test and every program can be run as on another processor. Other values change nothing.
    pub const VARIABLE: &str = "CLMATCH_SIMD";

    /// The best level that this processor has and [`Level::VARIABLE`] allows.
    #[must_use]
    #[inline]
    pub fn best() -> Self {
        static BEST: OnceLock<Level> = OnceLock::new();
        *BEST.get_or_init(|| detect().lowered(std::env::var(Level::VARIABLE).ok().as_deref()))
    }

    /// This level, or the one called `name` if that is lower.
    fn lowered(self, name: Option<&str>) -> Self {
        let asked = Level::ALL.into_iter().find(|level| name == Some(level.name()));
        asked.map_or(self, |asked| asked.min(self))
    }

    /// The name of the level in [`Level::VARIABLE`].
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Level::Portable => "portable",
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
        }
    }

    /// Whether the level can be used; see [`Level::best`].
    #[must_use]
    pub fn available(self) -> bool {
        self <= Level::best()
    }

    /// Runs `work` compiled for this level or, if the processor does not have it, for the best lower one.
    #[inline]
    pub fn run<T: Dispatch, W: Work<T>>(self, work: W) -> W::Output {
        let work = ManuallyDrop::new(work);
        let work = InPlace(&raw const work);
        // SAFETY: the processor has the best level and all lower ones; the work is there, and is done once.
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

/// Work that is read directly from its place in memory. Code for an instruction set is a separate call, and each call would get a
/// copy of the work, made in larger pieces than the work was written in: the copy would wait for these writes for as long as it
/// takes to compute a short distance.
struct InPlace<W>(*const ManuallyDrop<W>);

impl<T: Float, W: Work<T>> Work<T> for InPlace<W> {
    type Output = W::Output;

    #[inline(always)]
    unsafe fn work<I: Isa<T = T>>(self) -> W::Output {
        // SAFETY: the caller guarantees the instruction set, and that nothing else takes the work.
        unsafe { ManuallyDrop::into_inner(self.0.read()).work::<I>() }
    }
}

/// Finds the best level that the processor has.
#[cold]
fn detect() -> Level {
    #[cfg(target_arch = "x86_64")]
    {
        let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        let avx512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("popcnt");
        if avx2 && avx512 {
            return Level::Avx512;
        }
        if avx2 {
            return Level::Avx2;
        }
    }
    Level::Portable
}

/// A scalar type with its code for every instruction set.
pub trait Dispatch: Float {
    /// Plain code for this type.
    type Portable: Isa<T = Self>;
    /// AVX2 for this type.
    #[cfg(target_arch = "x86_64")]
    type Avx2: Isa<T = Self>;
    /// AVX-512 for this type.
    #[cfg(target_arch = "x86_64")]
    type Avx512: Isa<T = Self>;
}

macro_rules! dispatch {
    ($float:ident) => {
        impl Dispatch for $float {
            type Portable = Portable<$float>;
            #[cfg(target_arch = "x86_64")]
            type Avx2 = Avx2<$float>;
            #[cfg(target_arch = "x86_64")]
            type Avx512 = Avx512<$float>;
        }
    };
}

dispatch!(f64);
dispatch!(f32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_can_be_lowered_and_not_raised() {
        for level in Level::ALL {
            assert_eq!(level.lowered(None), level);
            assert_eq!(level.lowered(Some("AVX")), level);
            for asked in Level::ALL {
                assert_eq!(level.lowered(Some(asked.name())), level.min(asked));
            }
        }
    }

    /// Runs itself again in separate processes, each with a forced level.
    #[test]
    fn the_variable_lowers_the_whole_process() {
        const EXPECTED: &str = "CLMATCH_SIMD_EXPECTED";
        if let Ok(expected) = std::env::var(EXPECTED) {
            assert_eq!(Level::best().name(), expected);
            return;
        }
        for level in Level::ALL {
            let child = std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "level::tests::the_variable_lowers_the_whole_process"])
                .env(Level::VARIABLE, level.name())
                .env(EXPECTED, level.min(detect()).name())
                .output()
                .unwrap();
            assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
        }
    }
}
