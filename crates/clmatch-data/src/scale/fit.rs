//! How one column is shifted and divided: `(x - centre) / spread`.
//!
//! Centres and spreads are those of scikit-learn's `StandardScaler`, `MinMaxScaler` and `RobustScaler`. As there, a column
//! without spread is centred and divided by 1. What counts as no spread:
//!
//! ```text
//! standard          s^2 <= n e s^2 + (n e mean)^2     as scikit-learn: what rounding does to a sum of n numbers
//! min-max, robust   spread <= 10 e size               e = 2^-52, size = the larger end of the spread
//! ```
//!
//! The second rule differs from scikit-learn's `spread < 10 e`, which takes columns of numbers near 1e-20 as constant and
//! the rounding of numbers near 1e8 as spread.

use clmatch_kernels::quantile_by;

/// How a column is shifted and divided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ColumnFit {
    /// A power of two that keeps the following steps inside the range of f64, without rounding.
    factor: f64,
    /// The centre of the numbers times the factor.
    centre: f64,
    spread: ColumnSpread,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum ColumnSpread {
    /// The spread of the numbers times the factor.
    Of(f64),
    /// The column varies, but there is nothing to divide by.
    None,
    /// Every row has the same number.
    Constant,
}

impl ColumnFit {
    /// Scales a number. Results beyond the range of f64 become the largest number.
    pub(super) fn apply(&self, value: f64) -> f64 {
        let centred = value * self.factor - self.centre;
        let scaled = match self.spread {
            ColumnSpread::Of(spread) => centred / spread,
            ColumnSpread::None | ColumnSpread::Constant => centred / self.factor,
        };
        scaled.clamp(f64::MIN, f64::MAX)
    }

    /// Whether the column varies but is not divided.
    pub(super) fn is_unscaled(&self) -> bool {
        self.spread == ColumnSpread::None
    }

    /// Columns with the same number in every row become 0, without the rounding of a mean.
    fn constant(value: f64) -> ColumnFit {
        ColumnFit { factor: 1.0, centre: value, spread: ColumnSpread::Constant }
    }
}

/// The smallest and the largest number of a column.
struct Ends {
    low: f64,
    high: f64,
}

impl Ends {
    fn of(column: &[f64]) -> Ends {
        let start = Ends { low: f64::INFINITY, high: f64::NEG_INFINITY };
        column.iter().fold(start, |ends, &x| Ends { low: ends.low.min(x), high: ends.high.max(x) })
    }

    fn largest(&self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// A factor with which differences of the numbers are finite and keep all their digits; it is 1 except at the ends of the
    /// range of f64.
    fn finite_differences(&self) -> f64 {
        match self.largest().log2() {
            size if size > 1000.0 => 2.0_f64.powi(-30),
            size if size < -900.0 => 2.0_f64.powi(100),
            _ => 1.0,
        }
    }

    /// A factor with which the largest number is near 1, so that squares neither overflow nor underflow.
    fn finite_squares(&self) -> f64 {
        2.0_f64.powi((-self.largest().log2().floor() as i32).clamp(-1000, 1000))
    }
}

/// Fits a column to mean 0 and standard deviation 1.
pub(super) fn standard(column: &mut [f64]) -> ColumnFit {
    let ends = Ends::of(column);
    if ends.low == ends.high {
        return ColumnFit::constant(ends.low);
    }
    let factor = ends.finite_squares();
    let count = column.len() as f64;
    let mean = column.iter().map(|x| x * factor).sum::<f64>() / count;
    // The second pass removes the rounding of the first.
    let mean = mean + column.iter().map(|x| x * factor - mean).sum::<f64>() / count;
    let variance = column.iter().map(|x| (x * factor - mean).powi(2)).sum::<f64>() / count;
    let rounding = count * f64::EPSILON;
    let spread = if variance <= rounding * variance + (rounding * mean).powi(2) {
        ColumnSpread::None
    } else {
        ColumnSpread::Of(variance.sqrt())
    };
    ColumnFit { factor, centre: mean, spread }
}

/// Fits a column to the range from 0 to 1.
pub(super) fn min_max(column: &mut [f64]) -> ColumnFit {
    between_ends(&Ends::of(column))
}

fn between_ends(ends: &Ends) -> ColumnFit {
    if ends.low == ends.high {
        return ColumnFit::constant(ends.low);
    }
    let factor = ends.finite_differences();
    let (low, high) = (ends.low * factor, ends.high * factor);
    ColumnFit { factor, centre: low, spread: between(low, high) }
}

/// What a pass over the rows of a column finds: its ends, and its moments about the mean (Chan, Golub and LeVeque 1979).
#[derive(Debug, Clone, Copy)]
pub(super) struct ColumnMoments {
    count: f64,
    low: f64,
    high: f64,
    mean: f64,
    /// The sum of squared deviations from the mean.
    squares: f64,
}

impl Default for ColumnMoments {
    fn default() -> Self {
        ColumnMoments { count: 0.0, low: f64::INFINITY, high: f64::NEG_INFINITY, mean: 0.0, squares: 0.0 }
    }
}

impl ColumnMoments {
    /// Adds the rows of a block.
    pub(super) fn add(&mut self, column: impl Iterator<Item = f64> + Clone) {
        let (mut count, mut sum) = (0.0, 0.0);
        for x in column.clone() {
            count += 1.0;
            sum += x;
            self.low = self.low.min(x);
            self.high = self.high.max(x);
        }
        if count == 0.0 {
            return;
        }
        let mean = sum / count;
        let squares: f64 = column.map(|x| (x - mean).powi(2)).sum();
        let (all, apart) = (self.count + count, mean - self.mean);
        self.mean += apart * count / all;
        self.squares += squares + apart * apart * self.count * count / all;
        self.count = all;
    }

    /// Fits the column to mean 0 and standard deviation 1.
    pub(super) fn standard(&self) -> ColumnFit {
        if self.low == self.high {
            return ColumnFit::constant(self.low);
        }
        let variance = self.squares / self.count;
        let rounding = self.count * f64::EPSILON;
        let spread = if variance <= rounding * variance + (rounding * self.mean).powi(2) {
            ColumnSpread::None
        } else {
            ColumnSpread::Of(variance.sqrt())
        };
        ColumnFit { factor: 1.0, centre: self.mean, spread }
    }

    /// Fits the column to the range from 0 to 1.
    pub(super) fn min_max(&self) -> ColumnFit {
        between_ends(&Ends { low: self.low, high: self.high })
    }
}

/// Fits a column to median 0 and interquartile range 1. Sorts the column.
pub(super) fn robust(column: &mut [f64]) -> ColumnFit {
    let ends = Ends::of(column);
    if ends.low == ends.high {
        return ColumnFit::constant(ends.low);
    }
    column.sort_unstable_by(f64::total_cmp);
    let factor = ends.finite_differences();
    let of = |fraction: f64| quantile_by(column.len(), fraction, |at| column[at] * factor);
    let quartile = |fraction: f64| of(fraction).unwrap_or(ends.low);
    ColumnFit { factor, centre: quartile(0.5), spread: between(quartile(0.25), quartile(0.75)) }
}

/// The spread `high - low`, unless it is no more than the rounding of these two.
fn between(low: f64, high: f64) -> ColumnSpread {
    const ROUNDINGS: f64 = 10.0;
    let rounding = ROUNDINGS * f64::EPSILON * low.abs().max(high.abs());
    if high - low > rounding { ColumnSpread::Of(high - low) } else { ColumnSpread::None }
}
