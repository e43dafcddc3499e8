//! How long exact scores take, before they are computed.
//!
//! Measures that compare all points with each other take time in proportion to n^2. A model with constants of a fast machine
//! tells whether it could be long at all; if so, samples of the points are scored, which shows how long it takes here, with
//! these data and on these threads:
//!
//! ```text
//! time of n points = time of m points * (n / m)^p        p = log2(time of m / time of m/2), between 1.5 and 2
//! ```
//!
//! where p is below 2 because points that are far apart are never compared in spanning trees of few features.

use std::time::{Duration, Instant};

use clmatch_kernels::Control;

use crate::classes::Classes;
use crate::error::DataError;
use crate::evaluate::evaluate_with;
use crate::kernels::random::SplitMix;
use crate::measure::Measure;
use crate::needs::{Needs, Plan};

/// Seconds of one thread for a number of a point and a class.
const OF_MOMENTS: f64 = 0.5e-9;
/// Seconds of one thread for the distances of a pair of points, and for each of its features.
const OF_DISTANCES: (f64, f64) = (0.6e-9, 0.025e-9);
/// The same for the spanning trees.
const OF_TREES: (f64, f64) = (1.2e-9, 0.035e-9);
/// If the model says less than this, no samples are scored.
const SHORT: Duration = Duration::from_secs(10);
/// Points of the larger sample. Scoring it takes a tenth of a second, where all points take more than [`SHORT`].
const SAMPLE: usize = 8192;

/// The size of a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Workload {
    /// How many points there are.
    pub points: usize,
    /// How many numbers describe a point.
    pub features: usize,
    /// How many classes there are.
    pub classes: usize,
}

impl Workload {
    /// The size of classes in memory.
    pub fn of(classes: &Classes<'_>) -> Workload {
        let features = classes.points().n_features();
        Workload { points: classes.n_points(), features, classes: classes.n_classes() }
    }

    /// How many seconds exact scores take on a fast machine with this many threads; elsewhere it may be several times as long.
    ///
    /// ```
    /// use clmatch::{cost::Workload, measure::find};
    /// let small = Workload { points: 20_000, features: 64, classes: 10 };
    /// let large = Workload { points: 200_000, ..small };
    /// let (clm, ch_a) = ([find("clm").unwrap()], [find("ch_a").unwrap()]);
    /// assert!(large.seconds(&clm, 2) > 90.0 * small.seconds(&clm, 2));
    /// assert!(large.seconds(&ch_a, 2) < 1.0);
    /// ```
    pub fn seconds(&self, measures: &[&'static Measure], threads: usize) -> f64 {
        let [n, d, classes] = [self.points, self.features, self.classes].map(|count| count as f64);
        let phases: f64 = self.phases(measures, threads).iter().map(|(_, seconds)| seconds).sum();
        n * d * classes * OF_MOMENTS / threads.max(1) as f64 + phases
    }

    /// The part of [`Workload::seconds`] that each phase takes in which all pairs of points are compared, by the name and in the
    /// order in which progress is reported.
    pub fn phases(&self, measures: &[&'static Measure], threads: usize) -> [(&'static str, f64); 2] {
        let needs = measures.iter().fold(Plan::default(), |plan, measure| plan.union(measure.plan())).any();
        let (n, d) = (self.points as f64, self.features as f64);
        let pairs = n * n / 2.0 / threads.max(1) as f64;
        let of = |wanted: bool, (pair, feature): (f64, f64)| {
            if wanted { pairs * (pair + feature * d) } else { 0.0 }
        };
        [
            ("spanning trees", of(needs.has(Needs::KAPPA), OF_TREES)),
            ("distances", of(needs.any_distance(), OF_DISTANCES)),
        ]
    }
}

/// How long exact scores take here; `None` if it is a few seconds at most. Where it is long, this takes a fraction of a second.
///
/// # Errors
/// [`DataError::Stopped`] if `control` says so.
pub fn predicted(
    classes: &Classes<'_>,
    measures: &[&'static Measure],
    control: Control<'_>,
) -> Result<Option<Duration>, DataError> {
    let on_fast = Workload::of(classes).seconds(measures, rayon::current_num_threads());
    if on_fast < SHORT.as_secs_f64() || classes.n_points() < 4 * SAMPLE {
        return Ok(None);
    }
    let time = |points: usize| {
        let sample = sample(classes, points);
        let start = Instant::now();
        evaluate_with(&sample, measures, false, control.quiet())?;
        Ok(start.elapsed())
    };
    match [time(SAMPLE / 2), time(SAMPLE)] {
        [Err(DataError::Stopped), _] | [_, Err(DataError::Stopped)] => Err(DataError::Stopped),
        [Ok(half), Ok(whole)] => Ok(Some(extrapolated(half, whole, classes.n_points()))),
        // What cannot be scored is refused where all points are.
        _ => Ok(None),
    }
}

/// The time of all points from that of half a sample, and of a sample.
fn extrapolated(half: Duration, whole: Duration, points: usize) -> Duration {
    let power = (whole.as_secs_f64() / half.as_secs_f64()).log2().clamp(1.5, 2.0);
    let factor = (points as f64 / SAMPLE as f64).powf(power);
    Duration::try_from_secs_f64(whole.as_secs_f64() * factor).unwrap_or(Duration::MAX)
}

/// About this many of the points, at least two of every class.
fn sample<'a>(classes: &'a Classes<'_>, wanted: usize) -> Classes<'a> {
    let mut random = SplitMix::new(0);
    let (mut order, mut starts) = (Vec::new(), vec![0]);
    for class in 0..classes.n_classes() {
        let mut members = classes.order()[classes.range(class)].to_vec();
        random.shuffle(&mut members);
        let share = members.len() as f64 * wanted as f64 / classes.n_points() as f64;
        members.truncate((share.ceil() as usize).max(2));
        members.sort_unstable();
        order.extend(members);
        starts.push(order.len());
    }
    classes.regrouped(order, starts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::find;
    use crate::{Labels, Points};

    #[test]
    fn what_takes_minutes_is_told_from_what_takes_seconds() {
        let clm = [find("clm").unwrap()];
        let audited = Workload { points: 300_000, features: 10, classes: 5 };
        // 104 seconds of one thread.
        assert!((60.0..200.0).contains(&audited.seconds(&clm, 1)), "{}", audited.seconds(&clm, 1));
        assert!(audited.seconds(&clm, 2) < audited.seconds(&clm, 1));
        // 626 ms on two threads.
        let usual = Workload { points: 20_000, features: 64, classes: 10 };
        assert!((0.3..1.3).contains(&usual.seconds(&clm, 2)), "{}", usual.seconds(&clm, 2));
        assert!(usual.seconds(&[find("sc_a").unwrap()], 2) < usual.seconds(&clm, 2));
    }

    #[test]
    fn the_time_grows_with_the_square_at_most() {
        let ms = Duration::from_millis;
        assert_eq!(extrapolated(ms(10), ms(40), 10 * SAMPLE), ms(4000));
        assert_eq!(extrapolated(ms(1), ms(40), 10 * SAMPLE), ms(4000));
        let least = extrapolated(ms(40), ms(40), 4 * SAMPLE);
        assert!((ms(319)..ms(321)).contains(&least), "{least:?}");
    }

    #[test]
    fn a_sample_has_all_classes_in_proportion() {
        let labels = Labels::encode((0..40_000).map(|at| if at < 3 { 0 } else { 1 + at % 2 }));
        let points = Points::new((0..40_000).map(f64::from).collect::<Vec<_>>(), 1).unwrap();
        let classes = Classes::new(points, &labels).unwrap();
        let sample = sample(&classes, 1000);
        let sizes: Vec<usize> = (0..3).map(|class| sample.size(class)).collect();
        assert_eq!(sizes, [2, 500, 500], "{sizes:?}");
        assert_eq!(predicted(&classes, &[find("ch_a").unwrap()], Control::none()), Ok(None));
    }
}
