//! One feature that outweighs all others: distances are then hardly more than its differences.

use clmatch::{Classes, Values};
use clmatch_data::Dataset;
use serde::{Deserialize, Serialize};

use crate::scored::Scores;

/// A feature with more than this share of the variance dominates: all others together decide less than a tenth of a
/// squared distance.
const DOMINANT: f64 = 0.9;
/// Up to so many points, all measures are computed in well under a second: the scores with the other scaling are shown
/// beside the ones that were asked for.
pub(crate) const SCORED_TWICE: usize = 20_000;

/// A feature that outweighs all others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dominance {
    /// Its name.
    pub feature: String,
    /// Its share of the variance of all features.
    pub share: f64,
    /// The scores when every feature has the same weight (scaled by standard), if they were computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standard: Option<Scores>,
}

impl Dominance {
    /// The feature that dominates the points that count, if one of several does.
    ///
    /// Time: O(n d). Memory: O(d).
    pub(crate) fn of(dataset: &Dataset, classes: &Classes<'_>) -> Option<Self> {
        let features = dataset.n_features();
        if features < 2 {
            return None;
        }
        let variances = match dataset.values() {
            Values::F64(values) => variances(values, features, classes.order()),
            Values::F32(values) => variances(values, features, classes.order()),
        };
        let total: f64 = variances.iter().sum();
        let (at, largest) =
            variances.iter().enumerate().max_by(|(_, one), (_, other)| one.total_cmp(other))?;
        let share = largest / total;
        (share > DOMINANT).then(|| Dominance {
            feature: dataset.features()[at].clone(),
            share,
            standard: None,
        })
    }

    /// The share as people read it; what is not all of it is never rounded up to that.
    pub fn percent(&self) -> String {
        let most = if self.share < 1.0 { 99.9 } else { 100.0 };
        format!("{:.1}%", (100.0 * self.share).min(most))
    }
}

/// The variance of each feature over some rows, up to a common factor: values are divided by the largest one, so that
/// their squares stay finite.
fn variances<T: Copy + Into<f64>>(values: &[T], features: usize, rows: &[usize]) -> Vec<f64> {
    let row = |at: usize| &values[at * features..][..features];
    let largest = rows.iter().flat_map(|&at| row(at)).map(|&value| value.into().abs()).fold(0.0, f64::max);
    let unit = if largest > 0.0 { largest } else { 1.0 };
    let mut means = vec![0.0; features];
    for &at in rows {
        for (mean, &value) in means.iter_mut().zip(row(at)) {
            *mean += value.into() / unit;
        }
    }
    means.iter_mut().for_each(|mean| *mean /= rows.len() as f64);
    let mut variances = vec![0.0; features];
    for &at in rows {
        for ((variance, mean), &value) in variances.iter_mut().zip(&means).zip(row(at)) {
            let deviation: f64 = value.into() / unit - mean;
            *variance += deviation * deviation;
        }
    }
    variances
}

#[cfg(test)]
mod tests {
    use super::*;
    use clmatch::Labels;

    fn dominance(columns: [[f64; 4]; 2]) -> Option<Dominance> {
        let values: Vec<f64> = (0..4).flat_map(|row| columns.map(|column| column[row])).collect();
        let names = ["small", "large"].map(String::from).to_vec();
        let dataset = Dataset::new("any", names, values, Labels::encode(["a", "a", "b", "b"])).unwrap();
        let classes = Classes::new(dataset.points(), dataset.labels()).unwrap();
        Dominance::of(&dataset, &classes)
    }

    #[test]
    fn the_share_by_hand() {
        // Variances 1 and 16: 16/17 of the total.
        let found = dominance([[1.0, 3.0, 1.0, 3.0], [0.0, 8.0, 8.0, 0.0]]).unwrap();
        assert_eq!((found.feature.as_str(), found.standard.as_ref()), ("large", None));
        assert!((found.share - 16.0 / 17.0).abs() < 1e-15);
        assert_eq!(found.percent(), "94.1%");
        // Variances 1 and 4: 80% is a large share, but leaves something to the other.
        assert_eq!(dominance([[1.0, 3.0, 1.0, 3.0], [0.0, 4.0, 4.0, 0.0]]), None);
    }

    #[test]
    fn numbers_of_any_size_are_compared() {
        for unit in [1e-300, 1e300] {
            let found = dominance([[1.0, 3.0, 1.0, 3.0], [0.0, 8.0, 8.0, 0.0]].map(|c| c.map(|x| x * unit)));
            assert!((found.unwrap().share - 16.0 / 17.0).abs() < 1e-15);
        }
        assert_eq!(dominance([[5.0; 4], [7.0; 4]]), None, "nothing varies");
        // Far from 0, and a share that must not be called all of it.
        let found = dominance([[1e6, 1e6 + 1e2, 1e6, 1e6], [1e6, 2e6, 1e6, 2e6]]).unwrap();
        assert_eq!(found.percent(), "99.9%");
    }
}
