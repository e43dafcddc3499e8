//! Ranks and their correlation.

/// Values that differ by less than this share of themselves are equal for [`spearman`]: one distance that was summed or
/// rounded in two ways must not decide an order.
const ROUNDING: f64 = 1e-9;

/// Ranks from 1 for the smallest value; equal values share the mean of their ranks.
///
/// Time: O(n log n).
pub fn ranks(values: &[f64]) -> Vec<f64> {
    ranks_within(values, 0.0)
}

/// Like [`ranks`], but neighbours that differ by at most a share of themselves are equal.
fn ranks_within(values: &[f64], tolerance: f64) -> Vec<f64> {
    let equal = |a: f64, b: f64| a == b || (a - b).abs() <= tolerance * a.abs().max(b.abs());
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for tied in order.chunk_by(|&a, &b| equal(values[a], values[b])) {
        let rank = before as f64 + (tied.len() as f64 + 1.0) / 2.0;
        tied.iter().for_each(|&at| ranks[at] = rank);
        before += tied.len();
    }
    ranks
}

/// Spearman's rank correlation: Pearson's correlation of the ranks, where values that are equal except for rounding share
/// a rank. `None` if all values of one side are equal.
pub fn spearman(a: &[f64], b: &[f64]) -> Option<f64> {
    pearson(&ranks_within(a, ROUNDING), &ranks_within(b, ROUNDING))
}

/// The two-sided p-value of Spearman's correlation of `pairs` pairs, by Student's t with n - 2 degrees of freedom; NaN if
/// there are too few pairs or no correlation.
pub fn spearman_p_value(rho: f64, pairs: usize) -> f64 {
    if pairs < 3 || !rho.is_finite() {
        return f64::NAN;
    }
    let freedom = (pairs - 2) as f64;
    // The integral of the density of t over the angle a with rho = sin(a): cos(a)^(v - 1), by Simpson's rule.
    let density = |angle: f64| angle.cos().max(0.0).powf(freedom - 1.0);
    let half = std::f64::consts::FRAC_PI_2;
    let tail = simpson(density, rho.abs().min(1.0).asin(), half);
    (tail / simpson(density, 0.0, half)).min(1.0)
}

/// Simpson's rule with many steps.
fn simpson(f: impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    const STEPS: usize = 2000;
    let step = (to - from) / STEPS as f64;
    let inner = (1..STEPS).map(|at| (if at % 2 == 1 { 4.0 } else { 2.0 }) * f(from + at as f64 * step));
    (f(from) + inner.sum::<f64>() + f(to)) * step / 3.0
}

/// Pearson's correlation. `None` if all values of one side are equal.
pub fn pearson(a: &[f64], b: &[f64]) -> Option<f64> {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let product =
        |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(b).map(|(&a, &b)| f(a - mean_a, b - mean_b)).sum::<f64>();
    let (aa, bb) = (product(&|a, _| a * a), product(&|_, b| b * b));
    (aa > 0.0 && bb > 0.0).then(|| product(&|a, b| a * b) / (aa * bb).sqrt())
}

/// The value below which a share of the sorted values lies, interpolated between neighbours; NaN if there are no values.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    clmatch_kernels::quantile(sorted, share).unwrap_or(f64::NAN)
}

/// The mean and the population standard deviation.
pub fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_their_ranks() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0, 3.0]), [4.0, 1.0, 4.0, 2.0, 4.0]);
        assert_eq!(ranks(&[]), [0.0; 0]);
        assert_eq!(ranks(&[f64::INFINITY, -1.0]), [2.0, 1.0]);
    }

    #[test]
    fn correlations_by_hand() {
        // Ranks 1 3 2 4 6 5: squared differences 0 1 1 0 1 1.
        let rho = spearman(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[10.0, 30.0, 20.0, 40.0, 70.0, 50.0]).unwrap();
        assert!((rho - (1.0 - 6.0 * 4.0 / 210.0)).abs() < 1e-12, "{rho}");
        // scipy.stats.spearmanr([1, 2, 2, 3], [1, 3, 2, 2]): ranks 1 2.5 2.5 4 and 1 4 2.5 2.5.
        let rho = spearman(&[1.0, 2.0, 2.0, 3.0], &[1.0, 3.0, 2.0, 2.0]).unwrap();
        assert!((rho - 0.5).abs() < 1e-12, "{rho}");
        assert_eq!(spearman(&[1.0, 1.0], &[1.0, 2.0]), None);
        // Values that differ by rounding are tied, and so are infinities.
        let rho = spearman(&[1.0, 2.0, 2.0 + 1e-15, 3.0], &[1.0, 3.0, 2.0, 2.0]).unwrap();
        assert!((rho - 0.5).abs() < 1e-12, "{rho}");
        assert_eq!(spearman(&[f64::INFINITY, f64::INFINITY], &[1.0, 2.0]), None);
    }

    #[test]
    fn p_values_are_those_of_students_t() {
        // scipy.stats.t.sf, twice, at t = rho sqrt(v / (1 - rho^2)).
        for (rho, pairs, expected) in
            [(0.3, 92, 0.003_667_9), (-0.5, 20, 0.024_769_6), (0.35, 92, 0.000_626_1), (0.0, 10, 1.0)]
        {
            let p = spearman_p_value(rho, pairs);
            assert!((p / expected - 1.0).abs() < 1e-3, "{rho} {pairs}: {p}");
        }
        assert!(spearman_p_value(1.0, 5) < 1e-12 && spearman_p_value(0.5, 2).is_nan());
    }

    #[test]
    fn quantiles_lie_between_neighbours() {
        let sorted = [1.0, 2.0, 4.0, 8.0];
        assert_eq!([0.0, 0.5, 1.0].map(|share| quantile(&sorted, share)), [1.0, 3.0, 8.0]);
        assert_eq!(mean_and_deviation(&[1.0, 3.0]), (2.0, 1.0));
    }
}
