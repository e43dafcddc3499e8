//! Eight doubles at a time, whatever the instruction set, so that all of them add in the same order.
//!
//! Kernels are generic over [`Lanes`] and `#[inline(always)]`; [`Level::run`] compiles them for the best instruction
//! set of the processor. AVX-512 holds the 8 lanes in one register, AVX2 in two, the portable form in an array.

/// Logical lanes.
pub(super) const LANES: usize = 8;

/// Eight doubles.
///
/// # Safety
/// Every method needs the processor to have the instruction set of the type; pointers must be valid for 8 numbers
/// (no alignment is asked for).
pub(super) trait Lanes: Copy {
    unsafe fn splat(value: f64) -> Self;
    unsafe fn load(from: *const f64) -> Self;
    /// Widens 8 floats.
    unsafe fn load_single(from: *const f32) -> Self;
    unsafe fn store(self, to: *mut f64);
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn sub(self, other: Self) -> Self;
    unsafe fn mul(self, other: Self) -> Self;
    /// `self * factor + term`.
    unsafe fn mul_add(self, factor: Self, term: Self) -> Self;
    unsafe fn sqrt(self) -> Self;
    /// The first `count` lanes, and 0 in the others.
    unsafe fn first(self, count: usize) -> Self;
    /// Whether `self < other` in any lane.
    unsafe fn any_below(self, other: Self) -> bool;
}

/// An instruction set.
pub(super) trait Isa {
    /// Its eight doubles.
    type V: Lanes;
    /// Whether 16 accumulators of eight doubles fit its registers; 4 do otherwise.
    const WIDE: bool;
}

/// Code to be compiled for an instruction set.
pub(super) trait Work {
    type Output;
    /// Must be `#[inline(always)]`, like all it calls.
    ///
    /// # Safety
    /// The processor has the instruction set `I`.
    unsafe fn work<I: Isa>(self) -> Self::Output;
}

/// The instruction sets to choose from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Portable,
}

impl Level {
    /// All that this processor has, best first.
    pub(super) fn available() -> Vec<Level> {
        let mut levels = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            if avx2 && is_x86_feature_detected!("avx512f") {
                levels.push(Level::Avx512);
            }
            if avx2 {
                levels.push(Level::Avx2);
            }
        }
        levels.push(Level::Portable);
        levels
    }

    /// The best that this processor has.
    pub(super) fn best() -> Level {
        Level::available()[0]
    }

    /// Runs `work` compiled for this level.
    pub(super) fn run<W: Work>(self, work: W) -> W::Output {
        // SAFETY: a level is only made by `available`, which asked the processor.
        unsafe {
            match self {
                #[cfg(target_arch = "x86_64")]
                Level::Avx512 => x86::run_avx512(work),
                #[cfg(target_arch = "x86_64")]
                Level::Avx2 => x86::run_avx2(work),
                Level::Portable => work.work::<Portable>(),
            }
        }
    }
}

/// No instruction set in particular.
struct Portable;

impl Isa for Portable {
    type V = [f64; LANES];
    const WIDE: bool = false;
}

#[inline(always)]
fn each(a: [f64; LANES], b: [f64; LANES], f: impl Fn(f64, f64) -> f64) -> [f64; LANES] {
    std::array::from_fn(|lane| f(a[lane], b[lane]))
}

impl Lanes for [f64; LANES] {
    #[inline(always)]
    unsafe fn splat(value: f64) -> Self {
        [value; LANES]
    }
    #[inline(always)]
    unsafe fn load(from: *const f64) -> Self {
        // SAFETY: the caller vouches for 8 numbers.
        unsafe { from.cast::<Self>().read_unaligned() }
    }
    #[inline(always)]
    unsafe fn load_single(from: *const f32) -> Self {
        // SAFETY: the caller vouches for 8 numbers.
        unsafe { from.cast::<[f32; LANES]>().read_unaligned() }.map(f64::from)
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f64) {
        // SAFETY: the caller vouches for 8 numbers.
        unsafe { to.cast::<Self>().write_unaligned(self) }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        each(self, other, |a, b| a + b)
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        each(self, other, |a, b| a - b)
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        each(self, other, |a, b| a * b)
    }
    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, term: Self) -> Self {
        // Two roundings: without the instruction a fused one would be a function call.
        each(each(self, factor, |a, b| a * b), term, |a, b| a + b)
    }
    #[inline(always)]
    unsafe fn sqrt(self) -> Self {
        self.map(f64::sqrt)
    }
    #[inline(always)]
    unsafe fn first(self, count: usize) -> Self {
        std::array::from_fn(|lane| if lane < count { self[lane] } else { 0.0 })
    }
    #[inline(always)]
    unsafe fn any_below(self, other: Self) -> bool {
        (0..LANES).any(|lane| self[lane] < other[lane])
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    // Bodies of `unsafe fn` are a few intrinsics; what the caller owes is said at the traits.
    #![allow(unsafe_op_in_unsafe_fn)]

    use std::arch::x86_64::*;

    use super::{Isa, LANES, Lanes, Work};

    struct Avx512;
    struct Avx2;

    impl Isa for Avx512 {
        type V = __m512d;
        const WIDE: bool = true;
    }

    impl Isa for Avx2 {
        type V = [__m256d; 2];
        const WIDE: bool = false;
    }

    #[target_feature(enable = "avx512f,avx2,fma")]
    pub(super) unsafe fn run_avx512<W: Work>(work: W) -> W::Output {
        work.work::<Avx512>()
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) unsafe fn run_avx2<W: Work>(work: W) -> W::Output {
        work.work::<Avx2>()
    }

    impl Lanes for __m512d {
        #[inline(always)]
        unsafe fn splat(value: f64) -> Self {
            _mm512_set1_pd(value)
        }
        #[inline(always)]
        unsafe fn load(from: *const f64) -> Self {
            _mm512_loadu_pd(from)
        }
        #[inline(always)]
        unsafe fn load_single(from: *const f32) -> Self {
            _mm512_cvtps_pd(_mm256_loadu_ps(from))
        }
        #[inline(always)]
        unsafe fn store(self, to: *mut f64) {
            _mm512_storeu_pd(to, self);
        }
        #[inline(always)]
        unsafe fn add(self, other: Self) -> Self {
            _mm512_add_pd(self, other)
        }
        #[inline(always)]
        unsafe fn sub(self, other: Self) -> Self {
            _mm512_sub_pd(self, other)
        }
        #[inline(always)]
        unsafe fn mul(self, other: Self) -> Self {
            _mm512_mul_pd(self, other)
        }
        #[inline(always)]
        unsafe fn mul_add(self, factor: Self, term: Self) -> Self {
            _mm512_fmadd_pd(self, factor, term)
        }
        #[inline(always)]
        unsafe fn sqrt(self) -> Self {
            _mm512_sqrt_pd(self)
        }
        #[inline(always)]
        unsafe fn first(self, count: usize) -> Self {
            _mm512_maskz_mov_pd(((1_u32 << count) - 1) as u8, self)
        }
        #[inline(always)]
        unsafe fn any_below(self, other: Self) -> bool {
            _mm512_cmp_pd_mask::<_CMP_LT_OQ>(self, other) != 0
        }
    }

    /// Eight set masks, then eight empty ones: a window of it keeps the first lanes.
    static KEEP: [i64; 2 * LANES] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];

    impl Lanes for [__m256d; 2] {
        #[inline(always)]
        unsafe fn splat(value: f64) -> Self {
            [_mm256_set1_pd(value); 2]
        }
        #[inline(always)]
        unsafe fn load(from: *const f64) -> Self {
            [_mm256_loadu_pd(from), _mm256_loadu_pd(from.add(4))]
        }
        #[inline(always)]
        unsafe fn load_single(from: *const f32) -> Self {
            [_mm256_cvtps_pd(_mm_loadu_ps(from)), _mm256_cvtps_pd(_mm_loadu_ps(from.add(4)))]
        }
        #[inline(always)]
        unsafe fn store(self, to: *mut f64) {
            _mm256_storeu_pd(to, self[0]);
            _mm256_storeu_pd(to.add(4), self[1]);
        }
        #[inline(always)]
        unsafe fn add(self, other: Self) -> Self {
            [_mm256_add_pd(self[0], other[0]), _mm256_add_pd(self[1], other[1])]
        }
        #[inline(always)]
        unsafe fn sub(self, other: Self) -> Self {
            [_mm256_sub_pd(self[0], other[0]), _mm256_sub_pd(self[1], other[1])]
        }
        #[inline(always)]
        unsafe fn mul(self, other: Self) -> Self {
            [_mm256_mul_pd(self[0], other[0]), _mm256_mul_pd(self[1], other[1])]
        }
        #[inline(always)]
        unsafe fn mul_add(self, factor: Self, term: Self) -> Self {
            [_mm256_fmadd_pd(self[0], factor[0], term[0]), _mm256_fmadd_pd(self[1], factor[1], term[1])]
        }
        #[inline(always)]
        unsafe fn sqrt(self) -> Self {
            [_mm256_sqrt_pd(self[0]), _mm256_sqrt_pd(self[1])]
        }
        #[inline(always)]
        unsafe fn first(self, count: usize) -> Self {
            let keep = KEEP.as_ptr().add(LANES - count).cast::<f64>();
            [
                _mm256_and_pd(self[0], _mm256_loadu_pd(keep)),
                _mm256_and_pd(self[1], _mm256_loadu_pd(keep.add(4))),
            ]
        }
        #[inline(always)]
        unsafe fn any_below(self, other: Self) -> bool {
            let low = _mm256_cmp_pd::<_CMP_LT_OQ>(self[0], other[0]);
            let high = _mm256_cmp_pd::<_CMP_LT_OQ>(self[1], other[1]);
            _mm256_movemask_pd(_mm256_or_pd(low, high)) != 0
        }
    }
}
