//! What a choice is worth: scores on points that had no part in it, compared with the same search under shuffled labels.

use clmatch_kernels::parallel;

use super::options::Options;
use super::part::{ValidationHalves, gather};
use super::search::{Effort, PreparedModel, run, score};
use super::search_problem::SearchClock;
use crate::classes::Classes;
use crate::error::DataError;

/// A gain is significant at this level.
pub const LEVEL: f64 = 0.05;

/// Scores with all features and with the chosen ones.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Change {
    /// How many points are scored.
    pub points: usize,
    /// The score with all features.
    pub before: f64,
    /// The score with the chosen features.
    pub after: f64,
}

impl Change {
    /// How much the score rises.
    pub fn gain(&self) -> f64 {
        self.after - self.before
    }

    pub(crate) fn of(classes: &Classes<'_>, weights: &[f64], options: &Options) -> Result<Change, DataError> {
        let all = vec![1.0; weights.len()];
        Ok(Change {
            points: classes.n_points(),
            before: score(classes, &all, options.objective)?,
            after: score(classes, weights, options.objective)?,
        })
    }
}

/// The same search under shuffled labels.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Null {
    /// For each shuffle, the gain on the points that the choice was made on.
    pub chosen: Vec<f64>,
    /// For each shuffle, the gain on the held-out points.
    pub held_out: Vec<f64>,
    /// The share of searches, including the real one, that gain at least as much on held-out points.
    pub p_value: f64,
}

impl Null {
    /// Whether the held-out gain exceeds chance.
    pub fn significant(&self) -> bool {
        self.p_value <= LEVEL
    }

    /// Whether there are enough shuffles to call anything significant.
    pub fn conclusive(&self) -> bool {
        1.0 / (self.held_out.len() + 1) as f64 <= LEVEL
    }
}

/// Repeats the search under shuffled labels, with one start each, until the clock stops it.
///
/// Shuffles are searched in blocks: the clock determines how many blocks there are, not what they find.
pub(crate) fn null(
    classes: &Classes<'_>,
    halves: &ValidationHalves,
    gain: f64,
    options: &Options,
    clock: SearchClock<'_>,
) -> Result<Null, DataError> {
    const BLOCK: usize = 4;
    let all = vec![1.0; classes.points().n_features()];
    // A shuffle that was cut short would be too easy to beat, so its search has no time limit.
    let whole = SearchClock { deadline: None, control: clock.control };
    let one = |at: usize| -> Result<(f64, f64), DataError> {
        let shuffled = halves.shuffled(options.seed.wrapping_add(1 + at as u64));
        let chosen = gather(classes, &shuffled.chosen, &all)?;
        let held_out = gather(classes, &shuffled.held_out, &all)?;
        let prepared = PreparedModel::new(&chosen, options, Effort::Reduced)?;
        let selection = run(&chosen, &prepared, options, whole, Effort::Reduced)?;
        let gain =
            |part: &Classes<'_>| Change::of(part, &selection.weights, options).map(|change| change.gain());
        Ok((gain(&chosen)?, gain(&held_out)?))
    };
    let mut null = Null { chosen: Vec::new(), held_out: Vec::new(), p_value: 1.0 };
    while null.held_out.len() < options.shuffles && !clock.expired() {
        let first = null.held_out.len();
        let count = BLOCK.min(options.shuffles - first);
        let gains: Vec<(f64, f64)> = parallel::try_map_range(count, |at| one(first + at))?;
        if clock.stopped() {
            break;
        }
        null.chosen.extend(gains.iter().map(|(chosen, _)| chosen));
        null.held_out.extend(gains.iter().map(|(_, held_out)| held_out));
    }
    let as_good = null.held_out.iter().filter(|chance| **chance >= gain).count();
    null.p_value = (1 + as_good) as f64 / (1 + null.held_out.len()) as f64;
    Ok(null)
}

#[cfg(test)]
mod tests {
    use super::super::{Options, improve};
    use clmatch_kernels::Control;

    use crate::kernels::random::SplitMix;
    use crate::{Classes, Labels, Points};

    #[test]
    fn chance_is_drawn_anew_for_each_shuffle_and_counts_the_search_itself() {
        let mut random = SplitMix::new(7);
        let values: Vec<f64> = (0..80 * 5).map(|_| random.below(1000) as f64).collect();
        let labels = Labels::encode((0..80).map(|at| at % 2));
        let classes = Classes::new(Points::new(values, 5).unwrap(), &labels).unwrap();
        let options = Options { shuffles: 19, budget: None, ..Options::default() };
        let found = improve(&classes, &options, Control::none()).unwrap();
        let (null, gain) = (found.null.unwrap(), found.held_out.unwrap().gain());
        let as_good = null.held_out.iter().filter(|chance| **chance >= gain).count();
        assert_eq!(null.p_value, (1 + as_good) as f64 / 20.0);
        let mut gains = null.chosen.clone();
        gains.sort_by(f64::total_cmp);
        gains.dedup();
        assert!(gains.len() > 10, "shuffles differ: {:?}", null.chosen);
    }
}
