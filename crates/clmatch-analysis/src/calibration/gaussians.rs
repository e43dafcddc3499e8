//! Datasets of two Gaussian clusters in the plane, with any number of noise dimensions beside it.
//!
//! Eight numbers describe such a dataset: the variances along the two main axes and the angle of each cluster, the share of the
//! points that belongs to the first cluster, and the distance between the means. In a noise dimension a cluster has mean 0 and
//! the smaller of its two variances, so noise never spreads a cluster further than the plane does.

use std::f64::consts::PI;

use clmatch::{Classes, DataError, Labels, Points};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// Dimensions of the plane of the clusters.
pub const PLANE: usize = 2;
/// Standard deviations along a main axis, drawn uniformly on a logarithmic scale: axis ratios up to 4 : 1.
pub const SPAN: [f64; 2] = [0.5, 2.0];
/// The share of the first cluster, drawn uniformly. Outside this range CH_A cannot come near 1, however far apart the clusters
/// are, because it rates clusters of unequal size lower.
pub const SHARE: [f64; 2] = [0.2, 0.8];
/// The distance between the means, drawn uniformly: from coinciding means to six times the largest standard deviation.
pub const DISTANCE: [f64; 2] = [0.0, 12.0];

/// A covariance matrix in the plane: three free numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Covariance {
    /// The variances along the two main axes, which are its eigenvalues.
    pub variances: [f64; 2],
    /// The angle of the first main axis to the line between the means.
    pub angle: f64,
}

impl Covariance {
    /// The smaller eigenvalue.
    pub fn least(&self) -> f64 {
        self.variances[0].min(self.variances[1])
    }

    /// Turns two independent standard normal numbers into a point around 0.
    fn place(&self, normal: [f64; 2]) -> [f64; 2] {
        let along = [normal[0] * self.variances[0].sqrt(), normal[1] * self.variances[1].sqrt()];
        let (sin, cos) = self.angle.sin_cos();
        [cos * along[0] - sin * along[1], sin * along[0] + cos * along[1]]
    }

    fn draw(random: &mut ChaCha8Rng) -> Covariance {
        let ratio: f64 = SPAN[1] / SPAN[0];
        let mut variance = || (SPAN[0] * ratio.powf(random.random::<f64>())).powi(2);
        Covariance { variances: [variance(), variance()], angle: PI * random.random::<f64>() }
    }
}

/// Two Gaussian clusters: eight free numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TwoGaussians {
    /// The shape of each.
    pub covariances: [Covariance; 2],
    /// The share of the points that belongs to the first cluster.
    pub share: f64,
    /// The distance between the means.
    pub distance: f64,
}

/// Where the random numbers of one dataset come from. Datasets with the same seed and different numbers are independent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// The seed that all datasets of a bench share.
    pub seed: u64,
    /// The number of the dataset within the bench.
    pub number: u64,
}

/// The uses of random numbers that must not affect each other: the plane stays the same however much noise is added.
#[derive(Clone, Copy)]
enum Stream {
    Shape,
    Plane,
    Noise,
    Choice,
}

impl Source {
    fn random(self, stream: Stream) -> ChaCha8Rng {
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        random.set_stream(4 * self.number + stream as u64);
        random
    }

    /// A generator for choices about the dataset, such as which of its points to use.
    pub fn choices(self) -> ChaCha8Rng {
        self.random(Stream::Choice)
    }
}

impl TwoGaussians {
    /// Draws all eight numbers from the stated ranges.
    pub fn draw(source: Source) -> TwoGaussians {
        let mut random = source.random(Stream::Shape);
        let covariances = [Covariance::draw(&mut random), Covariance::draw(&mut random)];
        let mut between = |[low, high]: [f64; 2]| low + (high - low) * random.random::<f64>();
        TwoGaussians { covariances, share: between(SHARE), distance: between(DISTANCE) }
    }

    /// How many of n points belong to the first cluster; at least two belong to each.
    fn first(&self, n: usize) -> usize {
        ((self.share * n as f64).round() as usize).clamp(2, n.saturating_sub(2).max(2))
    }

    /// Draws n points, at least 4, with noise in all dimensions but the first two.
    pub fn sample(&self, n: usize, dimensions: usize, source: Source) -> Sample {
        let first = self.first(n);
        let (mut plane, mut noise) = (source.random(Stream::Plane), source.random(Stream::Noise));
        let mut values = Vec::with_capacity(n * dimensions);
        let normal = |random: &mut ChaCha8Rng| -> f64 { StandardNormal.sample(random) };
        for point in 0..n {
            let class = usize::from(point >= first);
            let covariance = &self.covariances[class];
            let [x, y] = covariance.place([normal(&mut plane), normal(&mut plane)]);
            values.extend([x + class as f64 * self.distance, y]);
            let deviation = covariance.least().sqrt();
            values.extend((PLANE..dimensions).map(|_| deviation * normal(&mut noise)));
        }
        Sample { values, dimensions, labels: (0..n).map(|point| u32::from(point >= first)).collect() }
    }
}

/// Points of two clusters, labelled 0 and 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    values: Vec<f64>,
    dimensions: usize,
    labels: Vec<u32>,
}

impl Sample {
    /// The class of each point.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// The coordinates of a point.
    pub fn point(&self, at: usize) -> &[f64] {
        &self.values[at * self.dimensions..(at + 1) * self.dimensions]
    }

    /// Some of the points, in the first dimensions only.
    pub fn part(&self, points: &[usize], dimensions: usize) -> Sample {
        Sample {
            values: points.iter().flat_map(|&at| &self.point(at)[..dimensions]).copied().collect(),
            dimensions,
            labels: points.iter().map(|&at| self.labels[at]).collect(),
        }
    }

    /// The sample as data that measures accept.
    ///
    /// # Errors
    /// None for samples that were drawn here; see [`Classes::new`].
    pub fn classes(&self) -> Result<Classes<'_>, DataError> {
        let names = ["0", "1"].map(String::from);
        let labels = Labels::from_codes(self.labels.clone(), &names);
        Classes::new(Points::new(&self.values, self.dimensions)?, &labels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: Source = Source { seed: 3, number: 5 };
    const N: usize = 20_000;
    /// Four standard errors of a variance from 10,000 points: 4 sqrt(2/10,000).
    const FOUR_ERRORS: f64 = 0.057;

    fn example() -> TwoGaussians {
        let long = Covariance { variances: [4.0, 0.25], angle: PI / 6.0 };
        let round = Covariance { variances: [1.0, 1.0], angle: 0.0 };
        TwoGaussians { covariances: [long, round], share: 0.5, distance: 7.0 }
    }

    fn mean(values: impl Iterator<Item = f64>) -> f64 {
        let values: Vec<f64> = values.collect();
        values.iter().sum::<f64>() / values.len() as f64
    }

    #[test]
    fn moments_are_those_that_were_asked_for() {
        let sample = example().sample(N, 4, SOURCE);
        let labels = sample.labels();
        let class = |class: u32| (0..N).filter(move |&at| labels[at] == class);
        let near = |found: f64, expected: f64, what: &str| {
            assert!((found - expected).abs() < FOUR_ERRORS * expected.abs().max(1.0), "{what}: {found}");
        };
        assert_eq!(class(0).count(), N / 2);
        near(mean(class(1).map(|at| sample.point(at)[0])), 7.0, "mean of the second");
        // Rotated by 30 degrees: 4 cos^2 + 0.25 sin^2 along x, (4 - 0.25) sin cos across.
        near(mean(class(0).map(|at| sample.point(at)[0].powi(2))), 3.0625, "xx");
        near(mean(class(0).map(|at| sample.point(at)[0] * sample.point(at)[1])), 1.623_797_6, "xy");
        near(mean(class(0).map(|at| sample.point(at)[1].powi(2))), 1.1875, "yy");
        let noise = |of: u32| mean(class(of).map(|at| sample.point(at)[3].powi(2)));
        assert!((noise(0) / 0.25 - 1.0).abs() < FOUR_ERRORS, "{}", noise(0));
        assert!((noise(1) - 1.0).abs() < FOUR_ERRORS, "{}", noise(1));
        // Noise is independent of the plane, and the noise dimensions of each other.
        for (i, j) in [(0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
            near(mean(class(0).map(|at| sample.point(at)[i] * sample.point(at)[j])), 0.0, "across");
        }
    }

    #[test]
    fn noise_leaves_the_plane_alone_and_parts_are_parts() {
        let (flat, deep) = (example().sample(50, 2, SOURCE), example().sample(50, 9, SOURCE));
        let everyone: Vec<usize> = (0..50).collect();
        assert_eq!(deep.part(&everyone, 2), flat);
        let part = deep.part(&[3, 40], 5);
        assert_eq!((part.labels(), part.point(1)), (&[0, 1][..], &deep.point(40)[..5]));
        assert_ne!(example().sample(50, 2, Source { number: 6, ..SOURCE }), flat);
        assert_eq!(TwoGaussians::draw(SOURCE), TwoGaussians::draw(SOURCE));
    }

    #[test]
    fn shares_are_kept_and_no_class_is_too_small() {
        let shared = |share: f64, n: usize| TwoGaussians { share, ..example() }.first(n);
        assert_eq!([shared(0.2, 1000), shared(0.25, 10), shared(0.0, 10), shared(1.0, 10)], [200, 3, 2, 8]);
    }

    #[test]
    fn drawn_numbers_stay_in_their_ranges() {
        for number in 0..500 {
            let drawn = TwoGaussians::draw(Source { seed: 0, number });
            for variance in drawn.covariances.iter().flat_map(|covariance| covariance.variances) {
                assert!((SPAN[0]..=SPAN[1]).contains(&variance.sqrt()), "{variance}");
            }
            assert!((SHARE[0]..=SHARE[1]).contains(&drawn.share));
            assert!((DISTANCE[0]..=DISTANCE[1]).contains(&drawn.distance));
        }
    }
}
