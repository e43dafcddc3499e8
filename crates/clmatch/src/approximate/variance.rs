//! Sums of estimated variances, and the width of the resulting interval.

/// A sum of independent variances, with what the formula of Welch and Satterthwaite needs for its degrees of freedom.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Variance {
    value: f64,
    by_freedom: f64,
}

impl Variance {
    /// A variance that was estimated with this many degrees of freedom.
    pub(super) fn new(value: f64, freedom: f64) -> Variance {
        Variance { value, by_freedom: value * value / freedom.max(1.0) }
    }

    pub(super) fn value(self) -> f64 {
        self.value
    }

    pub(super) fn plus(self, other: Variance) -> Variance {
        Variance { value: self.value + other.value, by_freedom: self.by_freedom + other.by_freedom }
    }

    /// Half the width of a 95% interval.
    pub(super) fn half_width(self) -> f64 {
        self.half_width_with(f64::INFINITY)
    }

    /// Like [`Variance::half_width`], if the parts are less independent than their sum supposes: with at most `most_freedom`
    /// degrees of freedom.
    pub(super) fn half_width_with(self, most_freedom: f64) -> f64 {
        if self.by_freedom > 0.0 {
            let freedom = self.value * self.value / self.by_freedom;
            student(freedom.min(most_freedom.max(1.0))) * self.value.sqrt()
        } else {
            // There is no variance, or it is so small that its square is 0.
            student(1.0) * self.value.sqrt()
        }
    }
}

/// The 97.5% point of Student's t, by the first terms of its expansion in the reciprocal of the degrees of freedom.
fn student(freedom: f64) -> f64 {
    const Z: f64 = 1.959_964;
    let first = (Z.powi(3) + Z) / 4.0;
    let second = (5.0 * Z.powi(5) + 16.0 * Z.powi(3) + 3.0 * Z) / 96.0;
    let third = (3.0 * Z.powi(7) + 19.0 * Z.powi(5) + 17.0 * Z.powi(3) - 15.0 * Z) / 384.0;
    Z + first / freedom + second / freedom.powi(2) + third / freedom.powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with tables of Student's t.
    #[test]
    fn quantiles_of_student() {
        for (freedom, quantile, within) in
            [(4.0, 2.776, 0.02), (9.0, 2.262, 0.002), (19.0, 2.093, 0.001), (1e9, 1.960, 0.001)]
        {
            assert!((student(freedom) - quantile).abs() < within, "{freedom}: {}", student(freedom));
        }
    }

    #[test]
    fn freedom_of_a_sum_lies_between_those_of_its_parts_and_their_sum() {
        let sum = Variance::new(1.0, 10.0).plus(Variance::new(1.0, 10.0));
        assert!((sum.half_width() - student(20.0) * 2.0_f64.sqrt()).abs() < 1e-12);
        assert!((sum.half_width_with(12.0) - student(12.0) * 2.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(sum.half_width_with(30.0), sum.half_width());
        assert_eq!(Variance::default().half_width(), 0.0);
    }
}
