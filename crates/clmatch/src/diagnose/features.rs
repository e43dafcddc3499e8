//! Which features carry the separation of classes, and which carry only scatter.
//!
//! ```text
//! D'_f  = (c_i - c_j)_f^2 - V_if/(n_i - 1) - V_jf/(n_j - 1)
//! B_f   = n_i n_j D'_f / N^2        W_f = (n_i V_if + n_j V_jf) / N
//! eta_f = B_f / (B_f + W_f)
//! ```
//!
//! where V_if is the variance of feature f in class i; the D'_f add up to the unbiased squared distance D' of the centroids. For
//! all classes together, B_f is summed over the pairs of classes, with N points in all. A feature carries only scatter if its
//! share of W is above 2/d and its eta_f is below .05.
//!
//! Degenerate cases: eta_f is 0 where D'_f is not positive, and 1 where only W_f is 0.

use crate::kernels::frame::Frame;

/// The features that carry a separation have this share of it together, or are this many.
const CARRIED: (f64, usize) = (0.8, 5);
/// A feature's share of the scatter within classes must exceed the average share by this factor.
const SCATTER: f64 = 2.0;
/// A feature must separate less than this to count as carrying only scatter.
const SEPARATES: f64 = 0.05;

/// What a feature contributes to the separation of some classes.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct FeatureShare {
    /// Which feature, from 0.
    pub feature: usize,
    /// `eta_f`: the share of its variance that lies between the classes.
    pub eta: f64,
    /// Its share of the squared distances between the centroids, less what chance contributes; 0 if chance contributes all of it.
    pub share_between: f64,
    /// Its share of the scatter within the classes.
    pub share_within: f64,
}

/// The features that matter to a pair of classes.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct PairFeatures {
    /// The few features that carry most of the separation, in descending order; none of them carries only scatter.
    pub carriers: Vec<FeatureShare>,
    /// The features that carry only scatter, in descending order.
    pub scatter: Vec<FeatureShare>,
}

/// Means and variances of the features of each class.
pub(super) struct FeatureMoments {
    sizes: Vec<f64>,
    features: usize,
    means: Vec<f64>,
    variances: Vec<f64>,
}

impl FeatureMoments {
    /// Time: O(n d). Memory: O(K d).
    pub(super) fn of(frame: &Frame) -> FeatureMoments {
        let (count, features) = (frame.classes(), frame.features);
        let (mut means, mut variances) = (vec![0.0; count * features], vec![0.0; count * features]);
        for class in 0..count {
            let share = 1.0 / frame.size(class) as f64;
            let range = class * features..(class + 1) * features;
            let (means, variances) = (&mut means[range.clone()], &mut variances[range]);
            for row in frame.class(class) {
                means.iter_mut().zip(row).for_each(|(sum, x)| *sum += x * share);
            }
            for row in frame.class(class) {
                for ((sum, x), mean) in variances.iter_mut().zip(row).zip(&*means) {
                    *sum += (x - mean) * (x - mean) * share;
                }
            }
        }
        let sizes = (0..count).map(|class| frame.size(class) as f64).collect();
        FeatureMoments { sizes, features, means, variances }
    }

    /// `n_i n_j D'_f`.
    fn between(&self, i: usize, j: usize, feature: usize) -> f64 {
        let [(mean, variance, n), (other, other_variance, m)] = [i, j].map(|class| {
            let at = class * self.features + feature;
            (self.means[at], self.variances[at], self.sizes[class])
        });
        let gap = (mean - other) * (mean - other);
        n * m * (gap - variance / (n - 1.0) - other_variance / (m - 1.0))
    }

    /// The contribution of every feature to the separation of `members`.
    fn shares(&self, members: &[usize]) -> Vec<FeatureShare> {
        let n: f64 = members.iter().map(|&class| self.sizes[class]).sum();
        let between = |feature: usize| {
            let pairs = members
                .iter()
                .enumerate()
                .flat_map(|(at, &i)| members[at + 1..].iter().map(move |&j| self.between(i, j, feature)));
            (pairs.sum::<f64>() / (n * n)).max(0.0)
        };
        let within = |feature: usize| {
            let of = |&class: &usize| self.sizes[class] * self.variances[class * self.features + feature];
            members.iter().map(of).sum::<f64>() / n
        };
        let each: Vec<(f64, f64)> = (0..self.features).map(|f| (between(f), within(f))).collect();
        let total = each.iter().fold((0.0, 0.0), |sum, each| (sum.0 + each.0, sum.1 + each.1));
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let of = |(feature, &(between, within)): (usize, &(f64, f64))| FeatureShare {
            feature,
            eta: share(between, between + within),
            share_between: share(between, total.0),
            share_within: share(within, total.1),
        };
        each.iter().enumerate().map(of).collect()
    }

    /// The contribution of every feature to the separation of all classes together.
    ///
    /// Time: O(K^2 d).
    pub(super) fn of_all(&self) -> Vec<FeatureShare> {
        self.shares(&(0..self.sizes.len()).collect::<Vec<_>>())
    }

    /// The features that matter to a pair.
    pub(super) fn of_pair(&self, i: usize, j: usize) -> PairFeatures {
        let mut shares = self.shares(&[i, j]);
        let mut scatter: Vec<FeatureShare> =
            shares.iter().copied().filter(|share| share.scatter_only(self.features)).collect();
        scatter.sort_by(|a, b| b.share_within.total_cmp(&a.share_within));
        shares.retain(|share| !share.scatter_only(self.features));
        shares.sort_by(|a, b| b.share_between.total_cmp(&a.share_between));
        let mut carried = 0.0;
        let needed = shares.iter().take(CARRIED.1).take_while(|share| {
            let more = carried < CARRIED.0 && share.share_between > 0.0;
            carried += share.share_between;
            more
        });
        PairFeatures { carriers: needed.copied().collect(), scatter }
    }
}

impl FeatureShare {
    /// Whether the feature, one of `features`, blurs the classes and separates nothing.
    pub fn scatter_only(&self, features: usize) -> bool {
        self.share_within > SCATTER / features as f64 && self.eta < SEPARATES
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::stream::Origin;
    use crate::{Classes, Labels, Points};

    #[test]
    fn shares_by_hand() {
        // Feature 0 separates the classes, 1 is noise, 2 and 3 are constant.
        let rows = [
            [0.0, 8.0, 1.0, 0.0],
            [1.0, -8.0, 1.0, 0.0],
            [0.0, 8.0, 1.0, 0.0],
            [1.0, -8.0, 1.0, 0.0],
            [4.0, 8.0, 1.0, 0.0],
            [5.0, -8.0, 1.0, 0.0],
            [4.0, 8.0, 1.0, 0.0],
            [5.0, -8.0, 1.0, 0.0],
        ];
        let classes =
            Classes::new(Points::from_rows(&rows).unwrap(), &Labels::encode([0, 0, 0, 0, 1, 1, 1, 1]))
                .unwrap();
        let frame = Frame::new(&classes, &Origin::exact(&classes));
        let found = FeatureMoments::of(&frame).of_pair(0, 1);
        let [carrier] = found.carriers[..] else { panic!("{found:?}") };
        // D = 16, V = .25 in both classes of 4: D' = 16 - 2/12; B = D'/4, W = .25.
        let between = (16.0 - 2.0 / 12.0) / 4.0;
        assert_eq!((carrier.feature, carrier.share_between), (0, 1.0));
        assert!((carrier.eta - between / (between + 0.25)).abs() < 1e-12);
        let [scatter] = found.scatter[..] else { panic!("{found:?}") };
        assert_eq!((scatter.feature, scatter.eta), (1, 0.0));
        assert!((scatter.share_within - 64.0 / 64.25).abs() < 1e-12);
    }

    #[test]
    fn every_class_counts_with_its_own_size_and_variance() {
        let moments = FeatureMoments {
            sizes: vec![4.0, 12.0],
            features: 2,
            means: vec![0.0, 0.0, 3.0, 0.0],
            variances: vec![1.0, 2.0, 5.0, 6.0],
        };
        // W = (4 + 12 * 5) / 16 = 4 and (4 * 2 + 12 * 6) / 16 = 5.
        let within: Vec<f64> = moments.shares(&[0, 1]).iter().map(|share| share.share_within).collect();
        assert!((within[0] - 4.0 / 9.0).abs() < 1e-15 && (within[1] - 5.0 / 9.0).abs() < 1e-15, "{within:?}");
    }

    #[test]
    fn scatter_lies_beyond_both_bounds() {
        let scatter_only = |share_within: f64, eta: f64| {
            FeatureShare { feature: 0, eta, share_between: 0.0, share_within }.scatter_only(4)
        };
        assert!(scatter_only(0.51, 0.04));
        assert!(!scatter_only(0.5, 0.04), "no more than twice the average");
        assert!(!scatter_only(0.51, 0.05), "separates enough");
    }

    /// Two classes of two points, each class at a single place, so that the shares are those of the squared gaps.
    fn places(gaps: &[f64]) -> FeatureMoments {
        FeatureMoments {
            sizes: vec![2.0; 2],
            features: gaps.len(),
            means: [vec![0.0; gaps.len()], gaps.to_vec()].concat(),
            variances: vec![0.0; 2 * gaps.len()],
        }
    }

    #[test]
    fn carriers_end_where_they_have_enough() {
        let carriers = |gaps: &[f64]| -> Vec<(usize, f64)> {
            let found = places(gaps).of_pair(0, 1);
            assert!(found.scatter.is_empty());
            found.carriers.iter().map(|share| (share.feature, share.share_between)).collect()
        };
        // 4 and 16 of 20: the second feature alone has .8.
        assert_eq!(carriers(&[2.0, 4.0, 0.0]), [(1, 0.8)]);
        // 1, 9 and 6 of 16.
        assert_eq!(carriers(&[1.0, -3.0, 6.0_f64.sqrt()]).iter().map(|of| of.0).collect::<Vec<_>>(), [1, 2]);
        assert!(carriers(&[0.0, 0.0]).is_empty());
    }

    #[test]
    fn nothing_has_no_shares() {
        let none = |feature: usize| FeatureShare { feature, eta: 0.0, share_between: 0.0, share_within: 0.0 };
        assert_eq!(places(&[0.0, 0.0]).of_all(), [none(0), none(1)]);
        let all = FeatureShare { eta: 1.0, share_between: 1.0, ..none(1) };
        assert_eq!(places(&[0.0, 3.0]).of_all(), [none(0), all]);
    }
}
