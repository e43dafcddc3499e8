//! Whether numbers are a quantity to predict rather than classes.

/// More different whole numbers than this are codes of classes only where something says so.
pub(crate) const MANY: usize = 20;

/// What is known of numbers that may be a quantity to predict rather than classes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NumbersSeen {
    /// How many different numbers there are.
    pub(crate) distinct: usize,
    /// In how many rows.
    pub(crate) rows: usize,
    /// Whether any has a fraction.
    pub(crate) fractional: bool,
    /// The least and the largest one.
    pub(crate) range: Option<(f64, f64)>,
}

impl NumbersSeen {
    /// Whether hardly any number is in several rows: fractions, unless there are at most five with several rows each; more than
    /// 20 whole numbers with fewer than five rows each.
    pub(crate) fn are_scattered(&self) -> bool {
        const FEW: usize = 5;
        if self.fractional {
            self.distinct > FEW || 2 * self.distinct > self.rows
        } else {
            self.distinct > MANY && 5 * self.distinct > self.rows
        }
    }

    /// Whether there are more whole numbers than classes usually have, in however many rows: ages, or prices in thousands.
    pub(crate) fn are_many(&self) -> bool {
        self.distinct > MANY
    }

    /// Whether they are a quantity, where the name may be that of classes: scattered, or many that do not count from 0 or 1
    /// without a gap, as codes of classes do.
    pub(crate) fn are_quantity(&self) -> bool {
        let counts = |(least, most): (f64, f64)| {
            (least == 0.0 || least == 1.0) && most - least + 1.0 == self.distinct as f64
        };
        self.are_scattered() || (self.are_many() && !self.range.is_some_and(counts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_to_predict_have_many_values() {
        let seen = |distinct, rows, fractional, range| NumbersSeen { distinct, rows, fractional, range };
        let target = |distinct, rows, fractional| seen(distinct, rows, fractional, None).are_scattered();
        assert!(target(229, 506, true) && target(214, 442, false) && target(121, 178, false));
        assert!(!target(40, 400, false) && !target(10, 1797, false) && !target(26, 20_000, false));
        assert!(!target(3, 9, true), "half points of a scale");
        assert!(target(5, 8, true) && target(9, 5000, true));
        // Many numbers are codes of classes if they count from 0 or 1, and ages are not.
        let quantity = |distinct, range| seen(distinct, 20_000, false, Some(range)).are_quantity();
        assert!(!quantity(26, (0.0, 25.0)) && !quantity(40, (1.0, 40.0)));
        assert!(quantity(45, (20.0, 64.0)) && quantity(45, (1.0, 90.0)) && !quantity(20, (3.0, 60.0)));
    }
}
