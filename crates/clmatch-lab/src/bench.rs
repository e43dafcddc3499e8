//! The two-Gaussian bench: datasets from one visible cluster to two far apart, evenly distributed in judged separability.
//!
//! The judge is CH_A on the plane, whose growth rate comes from people's judgements of such datasets; the judgements
//! themselves are not available. Datasets are drawn from the ranges in
//! [`gaussians`](clmatch_analysis::calibration::gaussians), and accepted as long as the bin of their score has room.

use clmatch::calibration::GrowthRate;
use clmatch::measure::CalinskiHarabasz;
use clmatch::protocol::{TakesT1, Variant};
use clmatch_kernels::Stop;
use rayon::prelude::*;

use crate::failure::Failure;
use clmatch_analysis::calibration::bins::{BINS, bin};
use clmatch_analysis::calibration::gaussians::{PLANE, Sample, Source, TwoGaussians};

/// The number of points of a base dataset.
pub const POINTS: usize = 1000;
/// The number of draws that are judged in parallel before any is accepted.
const BATCH: u64 = 512;

/// A dataset of the bench: not its points, but everything needed to draw them again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Base {
    /// The two clusters.
    pub gaussians: TwoGaussians,
    /// The source of the random numbers.
    pub source: Source,
    /// The separability by the judge, in [0, 1].
    pub score: f64,
}

impl Base {
    /// Draws the points, which are the same every time; noise fills all dimensions but the first two.
    pub fn sample(&self, dimensions: usize) -> Sample {
        self.gaussians.sample(POINTS, dimensions, self.source)
    }

    fn draw(source: Source) -> Result<Base, Failure> {
        let gaussians = TwoGaussians::draw(source);
        let sample = gaussians.sample(POINTS, PLANE, source);
        Ok(Base { gaussians, source, score: judge().evaluate(&sample.classes()?)?.value })
    }
}

/// CH_A for two classes.
pub fn judge() -> Variant<CalinskiHarabasz> {
    CalinskiHarabasz.t1().t2().t4(GrowthRate::CH)
}

/// Draws `count` datasets whose scores fill all bins evenly, in the order in which they were drawn. The result does not
/// depend on the number of threads.
///
/// Time: about ten draws of 1,000 points for each dataset.
///
/// # Errors
/// [`Failure::Stopped`] if `stop` was raised.
pub fn bases(count: usize, seed: u64, stop: &Stop) -> Result<Vec<Base>, Failure> {
    let mut room: [usize; BINS] = std::array::from_fn(|at| count / BINS + usize::from(at < count % BINS));
    let mut taken = Vec::with_capacity(count);
    let mut next = 0;
    while taken.len() < count {
        stop.check()?;
        let numbers = (next..next + BATCH).into_par_iter();
        let batch: Vec<Base> =
            numbers.map(|number| Base::draw(Source { seed, number })).collect::<Result<_, Failure>>()?;
        next += BATCH;
        for base in batch {
            let room = &mut room[bin(base.score)];
            if *room > 0 {
                *room -= 1;
                taken.push(base);
            }
        }
    }
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clmatch_analysis::calibration::bins::sizes;

    #[test]
    fn all_bins_are_filled_evenly() {
        let scores: Vec<f64> = bases(53, 1, &Stop::new()).unwrap().iter().map(|base| base.score).collect();
        assert_eq!(sizes(&scores), [6, 6, 6, 5, 5, 5, 5, 5, 5, 5]);
        // They range from one visible cluster to two far apart.
        assert!(scores.iter().any(|&score| score < 0.02) && scores.iter().any(|&score| score > 0.98));
    }

    #[test]
    fn the_seed_fixes_the_bench_whatever_the_number_of_threads() {
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let one = alone.install(|| bases(20, 1, &Stop::new()).unwrap());
        assert_eq!(one, bases(20, 1, &Stop::new()).unwrap());
        let others = bases(20, 2, &Stop::new()).unwrap();
        assert!(one.iter().all(|base| others.iter().all(|other| base.gaussians != other.gaussians)));
        // A smaller set of datasets is not a prefix of a larger one: every bin has its share.
        let again = judge().evaluate(&one[7].sample(PLANE).classes().unwrap()).unwrap().value;
        assert_eq!(again.to_bits(), one[7].score.to_bits());
    }

    #[test]
    fn a_raised_flag_ends_the_work() {
        let stop = Stop::new();
        stop.raise();
        assert!(matches!(bases(20, 1, &stop), Err(Failure::Stopped(_))));
    }
}
