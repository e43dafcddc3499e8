//! Each class by itself: how well it stands apart from the others, and which class is nearest.

use serde::Serialize;

use crate::explanation::{ExplainedDataset, ExplainedPair};

/// How well one class stands apart from the others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassMatch {
    /// Its name.
    pub class: String,
    /// How many points it has.
    pub points: usize,
    /// The sizes of the clusters it consists of, the largest first.
    pub clusters: Vec<usize>,
    /// The mean of `clm` over its pairs with all other classes.
    pub mean: f64,
    /// The class that it is hardest to tell apart from.
    pub neighbour: String,
    /// `clm` of the two.
    pub neighbour_clm: f64,
}

/// The match of every class, in the order of the dataset.
///
/// Time: O(K^2) for K classes.
pub(super) fn of(explained: &ExplainedDataset) -> Vec<ClassMatch> {
    let names: std::collections::HashMap<&str, usize> =
        explained.class_clusters.iter().enumerate().map(|(at, class)| (class.class.as_str(), at)).collect();
    let mut sums = vec![(0.0, 0_usize); names.len()];
    let mut worst: Vec<Option<(&str, f64)>> = vec![None; names.len()];
    for ExplainedPair { a, b, clm, .. } in &explained.pairs {
        for (own, other) in [(a, b), (b, a)] {
            let Some(&at) = names.get(own.as_str()) else { continue };
            sums[at].0 += clm;
            sums[at].1 += 1;
            if worst[at].is_none_or(|(_, least)| *clm < least) {
                worst[at] = Some((other, *clm));
            }
        }
    }
    let classes = explained.class_clusters.iter().zip(sums).zip(worst);
    classes
        .map(|((class, (sum, count)), worst)| ClassMatch {
            class: class.class.clone(),
            points: class.points,
            clusters: class.clusters.iter().map(|cluster| cluster.points).collect(),
            mean: sum / count.max(1) as f64,
            neighbour: worst.map(|(name, _)| name.to_owned()).unwrap_or_default(),
            neighbour_clm: worst.map_or(f64::NAN, |(_, clm)| clm),
        })
        .collect()
}
