//! T4: the range becomes worst 0, best 1.
//!
//! ```text
//! R(f) = (L(f) - E[L(w)]) / (1 - E[L(w)])     where L(f) = 1 / (1 + e^(-k f)), and w is the worst case of f
//! ```
//!
//! If the worst case is 0, L(w) = 1/2 and R(f) = 2 L(f) - 1 = tanh(k f / 2), which loses no digits near 0.

/// What T4 is applied to: a value for which higher is better, with its worst case.
#[derive(Debug, Clone, PartialEq)]
pub struct RawScore {
    /// The value with the given labels.
    pub value: f64,
    /// The value with random labels.
    pub worst: Worst,
}

/// The value of a measure under random labels.
#[derive(Debug, Clone, PartialEq)]
pub enum Worst {
    /// Random labels score 0.
    Zero,
    /// Random labels score this value.
    At(f64),
    /// Values under random relabellings (T4-a).
    Sampled(Vec<f64>),
}

impl RawScore {
    /// A value whose worst case is 0.
    pub fn from_zero(value: f64) -> RawScore {
        RawScore { value, worst: Worst::Zero }
    }

    /// R with growth rate k, from 0 (worst) to 1 (best).
    pub fn rescale(&self, k: f64) -> f64 {
        let worst = match &self.worst {
            Worst::Zero => return (k * self.value / 2.0).tanh(),
            Worst::At(worst) => logistic(k * worst),
            Worst::Sampled(sample) => {
                sample.iter().map(|w| logistic(k * w)).sum::<f64>() / sample.len() as f64
            }
        };
        if worst >= 1.0 {
            return 0.0;
        }
        (logistic(k * self.value) - worst) / (1.0 - worst)
    }
}

fn logistic(t: f64) -> f64 {
    1.0 / (1.0 + (-t).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_and_a_known_worst_case_agree() {
        for value in [0.0, 1e-9, 0.3, 2.0] {
            let direct = RawScore::from_zero(value).rescale(1.7);
            let general = RawScore { value, worst: Worst::At(0.0) }.rescale(1.7);
            assert!((direct - general).abs() < 1e-15);
            let sampled = RawScore { value, worst: Worst::Sampled(vec![0.0; 3]) }.rescale(1.7);
            assert!((direct - sampled).abs() < 1e-15);
        }
    }

    #[test]
    fn ends_of_the_range() {
        assert_eq!(RawScore::from_zero(f64::INFINITY).rescale(0.5), 1.0);
        assert_eq!(RawScore { value: 2.0, worst: Worst::At(2.0) }.rescale(3.0), 0.0);
        assert_eq!(RawScore { value: f64::INFINITY, worst: Worst::At(f64::INFINITY) }.rescale(1.0), 0.0);
    }
}
