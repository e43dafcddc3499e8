//! The two tests: which parts of a base dataset are compared with each other.

use std::ops::RangeInclusive;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// How many conditions each test compares.
pub const CONDITIONS: usize = 11;
/// Dimensions of a base dataset.
pub const DIMENSIONS: usize = 100;
/// What the dimension is drawn from where it is not controlled.
const ANY_DIMENSION: RangeInclusive<usize> = 2..=DIMENSIONS;
/// What the number of points is drawn from where it is not controlled.
const ANY_CARDINALITY: RangeInclusive<usize> = 500..=1000;

/// What a test changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Test {
    /// The number of points.
    Cardinality,
    /// The number of dimensions.
    Dimensionality,
}

/// How the factor that a test does not control is drawn. The paper's text can be read either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Other {
    /// Once for each base dataset, so that nothing changes between conditions but the controlled factor.
    Kept,
    /// Anew for every condition.
    Redrawn,
}

/// A test in one reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Setup {
    /// What is controlled.
    pub test: Test,
    /// What happens to the other factor.
    pub other: Other,
}

impl Test {
    /// Both.
    pub const ALL: [Test; 2] = [Test::Cardinality, Test::Dimensionality];

    /// The word that files use.
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
}

impl Other {
    /// Both readings.
    pub const ALL: [Other; 2] = [Other::Kept, Other::Redrawn];

    /// The word that files use.
    pub const fn id(self) -> &'static str {
        match self {
            Other::Redrawn => "redrawn",
            Other::Kept => "kept",
        }
    }
}

/// The size of a part of a base dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Points.
    pub points: usize,
    /// Dimensions.
    pub dimensions: usize,
}

impl Setup {
    /// Both tests in both readings.
    pub fn all() -> Vec<Setup> {
        let of = |test| Other::ALL.into_iter().map(move |other| Setup { test, other });
        Test::ALL.into_iter().flat_map(of).collect()
    }

    /// The parts that are compared, one for each condition.
    pub fn sizes(self, random: &mut ChaCha8Rng) -> [Size; CONDITIONS] {
        let any = match self.test {
            Test::Cardinality => ANY_DIMENSION,
            Test::Dimensionality => ANY_CARDINALITY,
        };
        let kept = random.random_range(any.clone());
        std::array::from_fn(|condition| {
            let controlled = self.test.controlled(condition);
            let other = match self.other {
                Other::Redrawn => random.random_range(any.clone()),
                Other::Kept => kept,
            };
            match self.test {
                Test::Cardinality => Size { points: controlled, dimensions: other },
                Test::Dimensionality => Size { points: other, dimensions: controlled },
            }
        })
    }
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
    fn the_other_factor_is_kept_or_redrawn() {
        let mut random = ChaCha8Rng::seed_from_u64(4);
        for setup in Setup::all() {
            let sizes = setup.sizes(&mut random);
            let other = |size: &Size| match setup.test {
                Test::Cardinality => size.dimensions,
                Test::Dimensionality => size.points,
            };
            assert!(sizes.iter().all(|size| (500..=1000).contains(&size.points) && size.dimensions <= 100));
            let same = sizes.iter().all(|size| other(size) == other(&sizes[0]));
            assert_eq!(same, setup.other == Other::Kept, "{setup:?}");
        }
    }
}
