//! The best setting of a technique that depends on chance: the one with the best mean over seeds.
//!
//! All settings run with a few seeds. Then those that may still be the best by some external measure run with more seeds,
//! at most twice as many, again and again, until the mean of each is known well enough. Few settings get far, so that
//! their many seeds cost little; and since the mean of a setting is taken over all its seeds, the best setting is not
//! merely the luckiest.
//!
//! A technique may have several starts, of which the one with the least cost counts. It need not be run as a whole: of M
//! single starts, ordered by cost, start i is the best of g with probability C(M-i, g-1) / C(M, g), so that
//! ```text
//! mean over all choices of g starts = sum_i C(M-i, g-1) / C(M, g) score_i
//! ```
//!
//! This uses each start many times (a U-statistic). Its standard error is that of the jackknife.

use clmatch_cluster::Stopped;
use clmatch_cluster::external::{Agreement, External};

use super::best_per_measure::BestPerMeasure;

/// A standard error that is small enough: ten results then differ by about .005, and hardly ever by .01.
const QUIET: f64 = 0.0017;
/// A mean of M runs is off by at least this over M: what did not occur in M runs may occur in the next, whether or not
/// those runs differ from each other.
const UNSEEN: f64 = 0.02;
/// For the same reason, the variance of a setting is pooled with this many runs of the mean variance of all settings.
const BORROWED: f64 = 8.0;
/// The number of standard errors by which a setting may be better than it looks.
const DOUBT: f64 = 2.5;
/// A setting must promise this much over the best one to be worth more runs.
const WORTH: f64 = 1e-3;
/// One run of a setting.
#[derive(Debug, Clone, Copy)]
pub(super) struct RaceRun {
    /// The cost that the technique itself minimises.
    pub cost: f64,
    /// The agreement of the result with the classes.
    pub agreement: Agreement,
}

/// How to race.
#[derive(Debug, Clone, Copy)]
pub(super) struct RaceRules<'a> {
    /// The number of runs of which the one with the least cost counts.
    pub starts: usize,
    /// The number of first runs of each setting.
    pub first_runs: usize,
    /// The most runs of a setting.
    pub most_runs: usize,
    pub externals: &'a [External],
}

/// The settings with the best means. `sample` runs the settings at the given places with the seeds of the given numbers,
/// and returns one list of runs for each setting, with one run for each seed.
pub(super) fn race<S: Clone>(
    settings: &[S],
    rules: RaceRules<'_>,
    sample: impl Fn(&[usize], std::ops::Range<usize>) -> Result<Vec<Vec<RaceRun>>, Stopped>,
) -> Result<BestPerMeasure<S>, Stopped> {
    let mut entrants: Vec<Entrant> = (0..settings.len()).map(Entrant::new).collect();
    // There must be at least two disjoint choices of starts.
    let mut runs = rules.first_runs.max(2 * rules.starts);
    let mut done = 0;
    loop {
        let places: Vec<usize> = entrants.iter().map(|entrant| entrant.place).collect();
        for (entrant, fresh) in entrants.iter_mut().zip(sample(&places, done..runs)?) {
            entrant.runs.extend(fresh);
            entrant.judge(rules);
        }
        entrants = contenders(entrants, rules.externals);
        let worst =
            rules.externals.iter().map(|&external| largest_error(&entrants, external)).fold(0.0, f64::max);
        if worst <= QUIET || runs >= rules.most_runs {
            return Ok(bests(settings, &entrants, rules.externals));
        }
        // A standard error falls with the root of the number of runs. At most double it, because settings that are about
        // to drop out would waste the runs.
        let needed = (runs as f64 * (worst / QUIET).powi(2)).ceil() as usize;
        (done, runs) = (runs, needed.clamp(runs + runs / 4, 2 * runs).min(rules.most_runs));
    }
}

/// A setting in the race.
struct Entrant {
    place: usize,
    runs: Vec<RaceRun>,
    /// For each external measure, one number per run; their mean is the estimate.
    values: [Vec<f64>; External::ALL.len()],
}

impl Entrant {
    fn new(place: usize) -> Entrant {
        Entrant { place, runs: Vec::new(), values: Default::default() }
    }

    /// Updates the estimates.
    fn judge(&mut self, rules: RaceRules<'_>) {
        let mut order: Vec<usize> = (0..self.runs.len()).collect();
        order.sort_by(|&a, &b| self.runs[a].cost.total_cmp(&self.runs[b].cost));
        for &external in rules.externals {
            let scores: Vec<f64> = order.iter().map(|&run| self.runs[run].agreement.get(external)).collect();
            let ordered = pseudo_values(&scores, rules.starts);
            let values = &mut self.values[external as usize];
            values.resize(order.len(), 0.0);
            order.iter().zip(ordered).for_each(|(&run, value)| values[run] = value);
        }
    }

    fn of(&self, external: External) -> &[f64] {
        &self.values[external as usize]
    }

    fn mean(&self, external: External) -> f64 {
        mean(self.of(external))
    }
}

/// The largest standard error by one measure among the settings that may be the best by it.
fn largest_error(entrants: &[Entrant], external: External) -> f64 {
    let best = best_of(entrants, external).map_or(0.0, |best| best.mean(external));
    let values: Vec<&[f64]> = entrants.iter().map(|entrant| entrant.of(external)).collect();
    let errors = entrants.iter().zip(standard_errors(&values));
    let matters = errors.filter(|(entrant, error)| entrant.mean(external) + DOUBT * error > best);
    matters.map(|(_, error)| error).fold(0.0, f64::max)
}

/// The settings that may be better by some measure than the best so far, and the best ones themselves.
fn contenders(entrants: Vec<Entrant>, externals: &[External]) -> Vec<Entrant> {
    let mut stays = vec![false; entrants.len()];
    for &external in externals {
        let Some(best) = best_of(&entrants, external) else { continue };
        // Both have the same seeds, so that the effect of chance on both cancels.
        let gain = |entrant: &Entrant| -> Vec<f64> {
            entrant.of(external).iter().zip(best.of(external)).map(|(one, best)| one - best).collect()
        };
        let gains: Vec<Vec<f64>> = entrants.iter().map(gain).collect();
        let errors = standard_errors(&gains);
        for ((entrant, stays), (gains, error)) in
            entrants.iter().zip(&mut stays).zip(gains.iter().zip(errors))
        {
            *stays |= entrant.place == best.place || mean(gains) + DOUBT * error > WORTH;
        }
    }
    entrants.into_iter().zip(stays).filter_map(|(entrant, stays)| stays.then_some(entrant)).collect()
}

fn best_of(entrants: &[Entrant], external: External) -> Option<&Entrant> {
    entrants.iter().reduce(|best, next| if next.mean(external) > best.mean(external) { next } else { best })
}

fn bests<S: Clone>(settings: &[S], entrants: &[Entrant], externals: &[External]) -> BestPerMeasure<S> {
    let mut bests = BestPerMeasure::default();
    for entrant in entrants {
        for &external in externals {
            bests.offer_one(external, entrant.mean(external), &settings[entrant.place]);
        }
    }
    bests
}

/// For scores in the order of their costs: the jackknife's pseudo-values of the mean score of the best of `starts`. The
/// mean of the pseudo-values is that mean score, and their standard error is its standard error. Time: O(M).
///
/// Without run j there are M - 1 runs, and those after it move up:
///
/// ```text
/// U_j = (sum_{i<j} C(M-1-i, g-1) s_i + sum_{i>j} C(M-i, g-1) s_i) / C(M-1, g)      value_j = M U - (M-1) U_j
/// ```
fn pseudo_values(scores: &[f64], starts: usize) -> Vec<f64> {
    let count = scores.len();
    if starts <= 1 || count <= starts {
        return scores.to_vec();
    }
    // The weights C(M-i, g-1) / C(M, g) for i from 1, of all runs and of all runs but one.
    let all = weights(count, starts);
    let fewer = weights(count - 1, starts);
    // Relative to the first score, so that scores that never vary are not rounded.
    let above: Vec<f64> = scores.iter().map(|score| score - scores[0]).collect();
    let whole: f64 = above.iter().zip(&all).map(|(score, weight)| score * weight).sum();
    let mut without: f64 = above[1..].iter().zip(&fewer).map(|(score, weight)| score * weight).sum();
    let mut values = Vec::with_capacity(count);
    for j in 0..count {
        values.push(scores[0] + count as f64 * whole - (count - 1) as f64 * without);
        if j + 1 < count {
            without += fewer[j] * (above[j] - above[j + 1]);
        }
    }
    values
}

/// `C(M-i, g-1) / C(M, g)` for i = 1 .. M.
fn weights(count: usize, starts: usize) -> Vec<f64> {
    let mut weights = Vec::with_capacity(count);
    // The first weight is C(M-1, g-1) / C(M, g) = g / M; each next one is the previous one times (M-i-g+1) / (M-i).
    let mut weight = starts as f64 / count as f64;
    for i in 1..=count {
        weights.push(weight);
        let left = (count - i) as f64;
        weight *= if left > 0.0 { (left + 1.0 - starts as f64).max(0.0) / left } else { 0.0 };
    }
    weights
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The standard errors of means over equally many values each, with what was not seen as a lower bound.
fn standard_errors(all: &[impl AsRef<[f64]>]) -> Vec<f64> {
    let variances: Vec<f64> = all.iter().map(|values| variance(values.as_ref())).collect();
    let shared = mean(&variances);
    let error = |(values, own): (&_, f64)| {
        let count = AsRef::<[f64]>::as_ref(values).len() as f64;
        let variance = (count * own + BORROWED * shared) / (count + BORROWED);
        (variance / count).sqrt().max(UNSEEN / count)
    };
    all.iter().zip(variances).map(error).collect()
}

fn variance(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    squares / (values.len().max(2) - 1) as f64
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    const ALL: RaceRules<'_> = RaceRules {
        starts: 1,
        first_runs: 16,
        most_runs: 1 << 14,
        externals: &[External::Ami, External::Arand],
    };

    fn run(cost: f64, ami: f64, arand: f64) -> RaceRun {
        RaceRun { cost, agreement: Agreement { ami, arand, vm: 0.0, nmi: 0.0 } }
    }

    /// The mean over every choice of `starts` scores, of which the first one counts.
    fn slow(scores: &[f64], starts: usize) -> f64 {
        let choices = (0_u32..1 << scores.len()).filter(|choice| choice.count_ones() as usize == starts);
        let first: Vec<f64> = choices.map(|choice| scores[choice.trailing_zeros() as usize]).collect();
        mean(&first)
    }

    #[test]
    fn the_mean_over_all_choices_and_its_jackknife() {
        let scores = [0.3, 0.9, 0.2, 0.7, 0.7, 0.1, 0.8];
        for starts in [1, 2, 4] {
            let values = pseudo_values(&scores, starts);
            assert!((mean(&values) - slow(&scores, starts)).abs() < 1e-14, "{starts}");
            for (left_out, value) in values.iter().enumerate() {
                let others: Vec<f64> = (0..7).filter(|&at| at != left_out).map(|at| scores[at]).collect();
                let direct = 7.0 * slow(&scores, starts) - 6.0 * slow(&others, starts);
                assert!((value - direct).abs() < 1e-13, "{starts} {left_out}");
            }
        }
        let many: Vec<f64> = (0..20_000).map(|at| f64::from(at % 7) / 7.0).collect();
        assert!((weights(20_000, 4).iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(pseudo_values(&many, 4).iter().all(|value| value.is_finite()));
    }

    /// Setting i scores 1 with probability p_i, and 0 otherwise.
    fn coins(chances: &[f64], seed: u64, rules: RaceRules<'_>) -> (BestPerMeasure<usize>, usize) {
        let places: Vec<usize> = (0..chances.len()).collect();
        let tossed = std::cell::Cell::new(0);
        let bests = race(&places, rules, |places, seeds| {
            tossed.set(tossed.get() + places.len() * seeds.len());
            let toss = |place: usize, number: usize| {
                let mut random = ChaCha8Rng::seed_from_u64(seed);
                random.set_stream((place << 32 | number) as u64);
                let score = f64::from(u8::from(random.random_bool(chances[place])));
                run(0.0, 0.1 * score, 0.1 * (1.0 - score))
            };
            Ok(places
                .iter()
                .map(|&place| seeds.clone().map(|number| toss(place, number)).collect())
                .collect())
        });
        (bests.unwrap(), tossed.get())
    }

    #[test]
    fn the_best_mean_wins_and_hardly_moves() {
        let chances = [0.2, 0.5, 0.3, 0.7, 0.1, 0.4];
        let scores: Vec<[f64; 2]> = (0..20)
            .map(|seed| {
                let (bests, runs) = coins(&chances, seed, ALL);
                let [ami, arand] = [External::Ami, External::Arand].map(|by| bests.get(by).unwrap().clone());
                assert_eq!((ami.setting, arand.setting), (3, 4));
                // Running six settings to the end would take more than 6 * 1024 runs.
                assert!(runs < 4000, "{runs}");
                [ami.score, arand.score]
            })
            .collect();
        for (by, expected) in [(0, 0.07), (1, 0.09)] {
            assert!(scores.iter().all(|score| (score[by] - expected).abs() < 0.005), "{scores:?}");
        }
    }

    #[test]
    fn what_never_varies_ends_soon_and_the_first_of_equals_wins() {
        let (bests, runs) = coins(&[0.0, 1.0, 1.0], 1, ALL);
        assert_eq!(bests.get(External::Ami).unwrap().setting, 1);
        assert_eq!(bests.get(External::Arand).unwrap().setting, 0);
        assert!(runs <= 3 * 32, "{runs}");
    }

    #[test]
    fn runs_are_limited() {
        let rules = RaceRules { most_runs: 64, ..ALL };
        let (_, runs) = coins(&[0.5, 0.5], 1, rules);
        assert!(runs <= 2 * 64, "{runs}");
    }

    #[test]
    fn of_several_starts_the_cheapest_counts() {
        // Good starts are cheap, and half of all starts are good: the best of four is good in 15 of 16 cases.
        let rules = RaceRules { starts: 4, ..ALL };
        let bests = race(&[()], rules, |places, seeds| {
            let of = |number: usize| {
                let good = ChaCha8Rng::seed_from_u64(number as u64).random_bool(0.5);
                run(if good { 1.0 } else { 2.0 }, f64::from(u8::from(good)), 0.0)
            };
            Ok(places.iter().map(|_| seeds.clone().map(of).collect()).collect())
        });
        let score = bests.unwrap().get(External::Ami).unwrap().score;
        assert!((score - 15.0 / 16.0).abs() < 0.006, "{score}");
    }
}
