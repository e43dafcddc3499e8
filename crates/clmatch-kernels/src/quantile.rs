//! Quantiles by linear interpolation between the two nearest values, like NumPy's default.

/// The value below which a share (between 0 and 1) of sorted values lies; `None` if there are no values.
pub fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    quantile_by(sorted.len(), share, |at| sorted[at])
}

/// Like [`quantile`], for `count` values, of which `value` returns the one with a given index in sorted order.
pub fn quantile_by(count: usize, share: f64, value: impl Fn(usize) -> f64) -> Option<f64> {
    let place = share.clamp(0.0, 1.0) * count.checked_sub(1)? as f64;
    let (low, high) = (value(place.floor() as usize), value(place.ceil() as usize));
    Some(low + (high - low) * place.fract())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_neighbours() {
        let sorted = [1.0, 2.0, 4.0, 8.0];
        let of = |share: f64| quantile(&sorted, share).unwrap();
        assert_eq!([0.0, 0.5, 1.0].map(of), [1.0, 3.0, 8.0]);
        // numpy.quantile([1, 2, 4, 8], [.25, .75, .1]).
        assert_eq!([0.25, 0.75].map(of), [1.75, 5.0]);
        assert!((of(0.1) - 1.3).abs() < 1e-15);
        assert_eq!(quantile(&[7.0], 0.3), Some(7.0));
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(quantile_by(4, 0.5, |at| 10.0 * sorted[at]), Some(30.0));
    }
}
