//! Equal bins of scores, and weights that make every bin count the same (T4-c).

/// How many equal bins divide [0, 1].
pub const BINS: usize = 10;

/// The bin of a score in [0, 1]; the last one holds 1.
pub fn bin(score: f64) -> usize {
    ((score * BINS as f64) as usize).min(BINS - 1)
}

/// How many scores each bin holds.
pub fn sizes(scores: &[f64]) -> [usize; BINS] {
    let mut sizes = [0; BINS];
    scores.iter().for_each(|&score| sizes[bin(score)] += 1);
    sizes
}

/// A weight for every score, inversely proportional to the size of its bin; their mean is 1.
pub fn weights(scores: &[f64]) -> Vec<f64> {
    let sizes = sizes(scores);
    let occupied = sizes.iter().filter(|&&size| size > 0).count();
    let total = scores.len() as f64 / occupied.max(1) as f64;
    scores.iter().map(|&score| total / sizes[bin(score)] as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_by_hand() {
        assert_eq!([0.0, 0.0999, 0.1, 0.95, 1.0].map(bin), [0, 0, 1, 9, 9]);
    }

    #[test]
    fn every_bin_weighs_the_same() {
        // Three scores in the first bin, one in the sixth: two bins of weight 2.
        let weights = weights(&[0.0, 0.05, 0.01, 0.55]);
        for (found, expected) in weights.iter().zip([2.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0, 2.0]) {
            assert!((found - expected).abs() < 1e-15, "{weights:?}");
        }
        assert!(super::weights(&[]).is_empty());
    }
}
