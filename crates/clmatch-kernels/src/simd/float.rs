//! The two scalar types.

/// Numbers to compute with: f64 and f32.
pub trait Float: Copy + PartialOrd + Send + Sync + 'static {
    /// 0.
    const ZERO: Self;
    /// Larger than all numbers.
    const INFINITY: Self;

    /// The same number as f64.
    fn wide(self) -> f64;
    /// Rounds to this type.
    fn narrow(value: f64) -> Self;
    /// `self - other`, rounded.
    fn minus(self, other: Self) -> Self;
}

macro_rules! float {
    ($float:ident, $narrow:expr) => {
        impl Float for $float {
            const ZERO: $float = 0.0;
            const INFINITY: $float = $float::INFINITY;

            #[inline(always)]
            fn wide(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn narrow(value: f64) -> $float {
                $narrow(value)
            }
            #[inline(always)]
            fn minus(self, other: $float) -> $float {
                self - other
            }
        }
    };
}

float!(f64, |value| value);
// The only place where f32 input may lose digits.
float!(f32, |value| value as f32);
