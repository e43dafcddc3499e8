//! What AVX2 and AVX-512 have in common.

/// The methods of a [`Register`](crate::simd::Register) that are one intrinsic each.
macro_rules! arithmetic {
    ($splat:ident, $load:ident, $store:ident, $add:ident, $sub:ident, $mul:ident, $min:ident, $max:ident, $fmadd:ident,
     $sqrt:ident) => {
        #[inline(always)]
        unsafe fn splat(value: Self::T) -> Self {
            $splat(value)
        }
        #[inline(always)]
        unsafe fn load(from: *const Self::T) -> Self {
            $load(from)
        }
        #[inline(always)]
        unsafe fn store(self, to: *mut Self::T) {
            $store(to, self);
        }
        #[inline(always)]
        unsafe fn add(self, other: Self) -> Self {
            $add(self, other)
        }
        #[inline(always)]
        unsafe fn sub(self, other: Self) -> Self {
            $sub(self, other)
        }
        #[inline(always)]
        unsafe fn mul(self, other: Self) -> Self {
            $mul(self, other)
        }
        #[inline(always)]
        unsafe fn min(self, other: Self) -> Self {
            $min(self, other)
        }
        #[inline(always)]
        unsafe fn max(self, other: Self) -> Self {
            $max(self, other)
        }
        #[inline(always)]
        unsafe fn mul_add(self, factor: Self, term: Self) -> Self {
            $fmadd(self, factor, term)
        }
        #[inline(always)]
        unsafe fn sqrt(self) -> Self {
            $sqrt(self)
        }
    };
}

pub(crate) use arithmetic;
