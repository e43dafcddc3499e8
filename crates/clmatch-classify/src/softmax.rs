//! Turns scores into probabilities.

/// Turns scores into probabilities in place, and returns the logarithm of the sum of their exponentials.
pub(crate) fn softmax<T: Real>(scores: &mut [T]) -> T {
    let top = scores.iter().copied().fold(T::LOWEST, T::largest);
    let mut sum = T::ZERO;
    for score in scores.iter_mut() {
        *score = (*score - top).exponential();
        sum = sum + *score;
    }
    scores.iter_mut().for_each(|score| *score = *score / sum);
    top + sum.logarithm()
}

/// 1 / (1 + exp(-x)), without overflow.
pub(crate) fn sigmoid<T: Real>(x: T) -> T {
    T::ONE / (T::ONE + (T::ZERO - x).exponential())
}

/// The operations on single and double precision that are needed here.
pub(crate) trait Real:
    Copy + std::ops::Add<Output = Self> + std::ops::Sub<Output = Self> + std::ops::Div<Output = Self>
{
    const ZERO: Self;
    const ONE: Self;
    const LOWEST: Self;
    fn largest(self, other: Self) -> Self;
    fn exponential(self) -> Self;
    fn logarithm(self) -> Self;
}

macro_rules! real {
    ($type:ident) => {
        impl Real for $type {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const LOWEST: Self = $type::NEG_INFINITY;
            fn largest(self, other: Self) -> Self {
                self.max(other)
            }
            fn exponential(self) -> Self {
                self.exp()
            }
            fn logarithm(self) -> Self {
                self.ln()
            }
        }
    };
}

real!(f32);
real!(f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_scores_do_not_overflow() {
        let mut scores = [1000.0, 1000.0 + 3.0_f64.ln()];
        let log_sum = softmax(&mut scores);
        assert!((scores[0] - 0.25).abs() < 1e-12 && (scores[1] - 0.75).abs() < 1e-12);
        assert!((log_sum - (1000.0 + 4.0_f64.ln())).abs() < 1e-9);
        assert_eq!((sigmoid(-1e4_f64), sigmoid(1e4_f64), sigmoid(0.0_f32)), (0.0, 1.0, 0.5));
    }
}
