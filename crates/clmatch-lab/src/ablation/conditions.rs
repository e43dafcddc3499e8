//! The two tests, and the parts of a base dataset that they compare.

use std::ops::RangeInclusive;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// The number of conditions that each test compares.
pub const CONDITIONS: usize = 11;
/// The number of dimensions of a base dataset.
pub const DIMENSIONS: usize = 100;
/// The range of the dimension in the test that does not control it.
const ANY_DIMENSION: RangeInclusive<usize> = 2..=DIMENSIONS;
/// The range of the number of points in the test that does not control it.
const ANY_CARDINALITY: RangeInclusive<usize> = 500..=1000;

/// The factor that a test changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Test {
    /// The number of points.
    Cardinality,
    /// The number of dimensions.
    Dimensionality,
}

impl Test {
    /// Both tests.
    pub const ALL: [Test; 2] = [Test::Cardinality, Test::Dimensionality];

    /// The word for the test in files.
    pub const fn id(self) -> &'static str {
        match self {
            Test::Cardinality => "cardinality",
            Test::Dimensionality => "dimensionality",
        }
    }

    /// The controlled factor at a condition: 500, 550, .., 1000 points, or 2, 10, 20, .., 100 dimensions.
    pub const fn controlled(self, condition: usize) -> usize {
        match (self, condition) {
            (Test::Cardinality, _) => 500 + 50 * condition,
            (Test::Dimensionality, 0) => 2,
            (Test::Dimensionality, _) => 10 * condition,
        }
    }

    /// The parts that are compared, one for each condition. The factor that is not controlled is drawn once, so that
    /// nothing else changes between conditions.
    pub fn sizes(self, random: &mut ChaCha8Rng) -> [Size; CONDITIONS] {
        let other = random.random_range(match self {
            Test::Cardinality => ANY_DIMENSION,
            Test::Dimensionality => ANY_CARDINALITY,
        });
        std::array::from_fn(|condition| match self {
            Test::Cardinality => Size { points: self.controlled(condition), dimensions: other },
            Test::Dimensionality => Size { points: other, dimensions: self.controlled(condition) },
        })
    }
}

/// The size of a part of a base dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// The number of points.
    pub points: usize,
    /// The number of dimensions.
    pub dimensions: usize,
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn controlled_factors_are_the_papers() {
        let all = |test: Test| (0..CONDITIONS).map(|t| test.controlled(t)).collect::<Vec<_>>();
        assert_eq!(all(Test::Cardinality), (500..=1000).step_by(50).collect::<Vec<_>>());
        assert_eq!(all(Test::Dimensionality), [2, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
    }

    #[test]
    fn the_other_factor_stays() {
        let mut random = ChaCha8Rng::seed_from_u64(4);
        let points = Test::Cardinality.sizes(&mut random);
        assert!(points.iter().all(|size| size.dimensions == points[0].dimensions && size.dimensions <= 100));
        assert_eq!((points[0].points, points[10].points), (500, 1000));
        let dimensions = Test::Dimensionality.sizes(&mut random);
        assert!(dimensions.iter().all(|size| size.points == dimensions[0].points));
        assert!((500..=1000).contains(&dimensions[0].points));
    }
}
