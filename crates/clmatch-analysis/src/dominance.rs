//! One feature that outweighs all others, so that distances are hardly more than its differences.

use clmatch::Classes;
use clmatch::internals::feature_variances;
use clmatch_data::{Advice, Dataset};
use serde::{Deserialize, Serialize};

use crate::remark::Remark;
use crate::scores::Scores;

/// A feature with more than this share of the variance dominates: all others together determine less than a tenth of a squared
/// distance.
const DOMINANT: f64 = 0.9;
/// Up to this many points, all measures are computed in well under a second, so the scores with the other scaling are shown
/// beside the requested ones.
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
    /// The feature that dominates the points that count, if there are several features and one does.
    ///
    /// Time: O(n d), one read of the data. Memory: O(d), and O(n) if some points do not count.
    pub(crate) fn of(dataset: &Dataset, classes: &Classes<'_>) -> Option<Self> {
        if dataset.n_features() < 2 {
            return None;
        }
        let variances = feature_variances(classes, dataset.largest());
        let total: f64 = variances.iter().sum();
        let (at, most) = variances.iter().enumerate().max_by(|(_, one), (_, other)| one.total_cmp(other))?;
        let share = most / total;
        let feature = || dataset.features()[at].clone();
        (share > DOMINANT).then(|| Dominance { feature: feature(), share, standard: None })
    }

    /// The share as a readable percentage; a share below 1 is never rounded up to 100%.
    pub fn percent(&self) -> String {
        let most = if self.share < 1.0 { 99.9 } else { 100.0 };
        format!("{:.1}%", (100.0 * self.share).min(most))
    }

    /// The remark about the dominant feature.
    pub(crate) fn remark(&self) -> Remark {
        let text = format!("the feature '{}' carries {} of the variance", self.feature, self.percent());
        Remark::info(text).advise(Advice::EqualWeights)
    }
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
        // Variances 1 and 4: 80% is a large share, but leaves some to the other feature.
        assert_eq!(dominance([[1.0, 3.0, 1.0, 3.0], [0.0, 4.0, 4.0, 0.0]]), None);
    }

    #[test]
    fn numbers_of_any_size_are_compared() {
        for unit in [1e-300, 1e300] {
            let found = dominance([[1.0, 3.0, 1.0, 3.0], [0.0, 8.0, 8.0, 0.0]].map(|c| c.map(|x| x * unit)));
            assert!((found.unwrap().share - 16.0 / 17.0).abs() < 1e-15);
        }
        assert_eq!(dominance([[5.0; 4], [7.0; 4]]), None, "nothing varies");
        // Values far from 0, and a share that must not be rounded to 100%.
        let found = dominance([[1e6, 1e6 + 1e2, 1e6, 1e6], [1e6, 2e6, 1e6, 2e6]]).unwrap();
        assert_eq!(found.percent(), "99.9%");
    }
}
