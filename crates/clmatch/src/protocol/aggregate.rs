//! T3: the value of a dataset is the mean, minimum or maximum over its pairs of classes.

/// How pair scores become one score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Aggregate {
    /// The mean, as in the paper.
    #[default]
    Mean,
    /// The smallest score: the worst pair, where higher is better.
    Min,
    /// The largest score: the best pair, where higher is better.
    Max,
}

impl Aggregate {
    /// Applies the aggregate to the scores of all pairs.
    pub fn of(self, scores: &[f64]) -> f64 {
        match self {
            Aggregate::Mean => scores.iter().sum::<f64>() / scores.len() as f64,
            Aggregate::Min => scores.iter().copied().fold(f64::INFINITY, f64::min),
            Aggregate::Max => scores.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Aggregate;

    #[test]
    fn aggregates_by_hand() {
        let scores = [0.5, 0.25, 0.75, 0.1];
        assert_eq!(Aggregate::Mean.of(&scores), 0.4);
        assert_eq!(Aggregate::Min.of(&scores), 0.1);
        assert_eq!(Aggregate::Max.of(&scores), 0.75);
    }
}
