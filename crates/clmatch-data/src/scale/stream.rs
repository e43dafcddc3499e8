//! Scaling columns whose rows are never in memory together: a pass over all rows determines how.

use super::Scale;
use super::fit::{ColumnFit, ColumnMoments};

/// A pass over all rows that determines how to scale their columns.
#[derive(Debug, Clone)]
pub struct ScalingPass {
    scale: Scale,
    columns: Vec<ColumnMoments>,
}

/// How the columns of a stream are scaled.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnScaling {
    fits: Vec<ColumnFit>,
}

impl ScalingPass {
    /// Starts a pass. `None` if `scale` needs no pass, or more than one: [`Scale::Robust`] needs all rows in order.
    pub fn new(scale: Scale, features: usize) -> Option<Self> {
        let known = matches!(scale, Scale::Standard | Scale::MinMax);
        known.then(|| ScalingPass { scale, columns: vec![ColumnMoments::default(); features] })
    }

    /// Adds rows; `values` is row-major.
    pub fn update(&mut self, values: &[f64]) {
        let features = self.columns.len();
        for (column, moments) in self.columns.iter_mut().enumerate() {
            moments.add(values.iter().skip(column).step_by(features).copied());
        }
    }

    /// How the columns are scaled, and which of them vary but cannot be divided.
    pub fn finish(self) -> (ColumnScaling, Vec<usize>) {
        let fit = |moments: &ColumnMoments| match self.scale {
            Scale::Standard => moments.standard(),
            _ => moments.min_max(),
        };
        let fits: Vec<ColumnFit> = self.columns.iter().map(fit).collect();
        let unscaled = (0..).zip(&fits).filter(|(_, fit)| fit.is_unscaled()).map(|(column, _)| column);
        (ColumnScaling { fits: fits.clone() }, unscaled.collect())
    }
}

impl ColumnScaling {
    /// Scales rows.
    pub fn apply(&self, values: &mut [f64]) {
        for row in values.chunks_exact_mut(self.fits.len()) {
            row.iter_mut().zip(&self.fits).for_each(|(value, fit)| *value = fit.apply(*value));
        }
    }
}

#[cfg(test)]
mod tests {
    use clmatch::Labels;

    use super::*;
    use crate::dataset::Dataset;

    /// Blocks of any size are scaled as the columns are in memory.
    #[test]
    fn a_pass_finds_what_memory_finds() {
        let value = |at: usize| ((at * 7919 + 13) % 1009) as f64 / 8.0;
        let rows = 500;
        let values: Vec<f64> = (0..rows)
            .flat_map(|row| [value(row), 1e6 + value(3 * row), 7.25, -1e-20 * value(5 * row)])
            .collect();
        for scale in [Scale::Standard, Scale::MinMax] {
            let names = ["a", "b", "c", "d"].map(String::from).to_vec();
            let labels = Labels::encode((0..rows).map(|row| row % 2));
            let mut whole = Dataset::new("any", names, values.clone(), labels).unwrap();
            whole.scale(scale);
            for block in [1, 7, 1000] {
                let mut pass = ScalingPass::new(scale, 4).unwrap();
                values.chunks(4 * block).for_each(|block| pass.update(block));
                let (scaling, unscaled) = pass.finish();
                assert_eq!(unscaled, [0_usize; 0]);
                let mut scaled = values.clone();
                scaling.apply(&mut scaled);
                for (at, found) in scaled.iter().enumerate() {
                    let expected = whole.values().get(at);
                    assert!((found - expected).abs() <= 1e-9, "{scale} {block} {at}: {found} {expected}");
                }
            }
        }
        assert!(ScalingPass::new(Scale::Robust, 1).is_none());
    }
}
