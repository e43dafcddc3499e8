//! The five numbers of a box plot, and the values outside.

use clmatch_kernels::quantile;

/// Whiskers reach no further than this many times the distance between the quartiles.
const REACH: f64 = 1.5;

/// The five numbers of a box plot, and the values outside.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Quartiles {
    /// The end of the lower whisker.
    pub(crate) low: f64,
    /// The first quartile: a quarter of the values lie below.
    pub(crate) first: f64,
    /// The median: half of the values lie below.
    pub(crate) median: f64,
    /// The third quartile: three quarters of the values lie below.
    pub(crate) third: f64,
    /// The end of the upper whisker.
    pub(crate) high: f64,
    /// Values beyond the whiskers, in order.
    pub(crate) outliers: Vec<f64>,
}

impl Quartiles {
    /// The quartiles of finite values; `None` if there are no values.
    pub(crate) fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let (first, median) = (quantile(&values, 0.25)?, quantile(&values, 0.5)?);
        let third = quantile(&values, 0.75)?;
        let reach = REACH * (third - first);
        let near = |value: &&f64| (first - reach..=third + reach).contains(*value);
        // Interpolation can put a quartile beyond the last value near it: the whisker then ends at the box.
        let low = values.iter().find(near).map_or(first, |value| value.min(first));
        let high = values.iter().rfind(near).map_or(third, |value| value.max(third));
        let outliers = values.into_iter().filter(|value| !near(&value)).collect();
        Some(Self { low, first, median, third, high, outliers })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_by_hand() {
        // Positions 1.25, 2.5 and 3.75 of 1, 2, 3, 4, 5, 20.
        let found = Quartiles::of(vec![5.0, 1.0, 20.0, 3.0, 2.0, 4.0]).unwrap();
        // 1.5 times 4.75 - 2.25 reaches from -1.5 to 8.5.
        let expected =
            Quartiles { low: 1.0, first: 2.25, median: 3.5, third: 4.75, high: 5.0, outliers: vec![20.0] };
        assert_eq!(found, expected);
    }

    #[test]
    fn one_value_is_everything_and_none_is_nothing() {
        let Quartiles { low, first, median, third, high, outliers } = Quartiles::of(vec![7.0]).unwrap();
        assert_eq!([low, first, median, third, high], [7.0; 5]);
        assert!(outliers.is_empty());
        assert_eq!(Quartiles::of(vec![]), None);
    }

    #[test]
    fn a_whisker_never_ends_inside_the_box() {
        // The first quartile is -24.25, between the outlier and the rest.
        let found = Quartiles::of(vec![-100.0, 1.0, 1.0, 1.0]).unwrap();
        assert_eq!((found.low, found.first, found.outliers), (-24.25, -24.25, vec![-100.0]));
    }
}
