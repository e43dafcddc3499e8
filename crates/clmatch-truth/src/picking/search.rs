//! The most stable choice among those that are diverse enough.

use clmatch_kernels::parallel;
use clmatch_kernels::{Control, Stopped};
use rand::seq::index;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::evaluate::{Evaluator, choices, subsets};

/// Differences of no more than this are rounding.
pub(super) const ROUNDING: f64 = 1e-12;
/// Up to this many choices are examined one by one.
const ALL_CHOICES: usize = 20_000;
/// The starts of the exchange: at most, and at least.
const STARTS: (usize, usize) = (64, 8);
/// The operations that a search may take: a few seconds.
const OPERATIONS: usize = 1_500_000_000;
/// The approximate number of exchanges in a climb.
const CLIMB: usize = 10;
/// How often a start is shaken and climbs again.
const SHAKES: usize = 4;
/// The number of datasets that a shake exchanges at random.
const SHAKEN: usize = 3;

/// The worth of a choice: first diversity up to the floor, then stability, then diversity as such.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Worth {
    reached: f64,
    stability: f64,
    diversity: f64,
}

impl Worth {
    fn beats(&self, other: &Worth) -> bool {
        let order = |one: f64, other: f64| {
            if (one - other).abs() <= ROUNDING { std::cmp::Ordering::Equal } else { one.total_cmp(&other) }
        };
        order(self.reached, other.reached)
            .then_with(|| order(self.stability, other.stability))
            .then_with(|| order(self.diversity, other.diversity))
            .is_gt()
    }
}

/// A choice and its worth.
#[derive(Debug, Clone)]
struct FoundChoice {
    members: Vec<usize>,
    worth: Worth,
}

impl FoundChoice {
    /// The better of the two; the first if they are equal.
    fn or_better(self, other: FoundChoice) -> FoundChoice {
        if other.worth.beats(&self.worth) { other } else { self }
    }
}

struct ChoiceSearch<'a> {
    evaluator: &'a Evaluator,
    floor: f64,
    control: Control<'a>,
}

/// The best choice found, and whether all were examined. If no choice reaches the floor, it is the most diverse one.
pub(super) fn best(
    evaluator: &Evaluator,
    floor: f64,
    seed: u64,
    control: Control<'_>,
) -> Result<(Vec<usize>, bool), Stopped> {
    let search = ChoiceSearch { evaluator, floor, control };
    let (candidates, count) = (evaluator.candidates(), evaluator.count());
    if choices(candidates, count).is_some_and(|all| all <= ALL_CHOICES) {
        let found = subsets(candidates, count).map(|members| search.found(members));
        let mut best: Option<FoundChoice> = None;
        for found in found {
            control.check()?;
            best = Some(match best {
                Some(best) => best.or_better(found),
                None => found,
            });
        }
        return Ok((best.map_or_else(Vec::new, |best| best.members), true));
    }
    Ok((by_exchange(evaluator, floor, seed, control)?, false))
}

/// The best choice that exchanges from many starts lead to.
pub(super) fn by_exchange(
    evaluator: &Evaluator,
    floor: f64,
    seed: u64,
    control: Control<'_>,
) -> Result<Vec<usize>, Stopped> {
    let search = ChoiceSearch { evaluator, floor, control };
    let (candidates, count) = (evaluator.candidates(), evaluator.count());
    let climb = CLIMB * count * (candidates - count) * evaluator.cost() * (1 + SHAKES);
    let starts = (OPERATIONS / climb.max(1)).clamp(STARTS.1, STARTS.0);
    let ends: Vec<FoundChoice> = parallel::try_map_range(starts, |start| search.climb_from(start, seed))?;
    let best = ends.into_iter().reduce(FoundChoice::or_better);
    Ok(best.map_or_else(Vec::new, |best| best.members))
}

impl ChoiceSearch<'_> {
    fn found(&self, members: Vec<usize>) -> FoundChoice {
        let diversity = self.evaluator.diversity(&members);
        let stability = self.evaluator.stability(&members);
        FoundChoice { worth: Worth { reached: diversity.min(self.floor), stability, diversity }, members }
    }

    /// Climbs from a start, shakes, and climbs again. The first start is diverse, all others are random.
    fn climb_from(&self, start: usize, seed: u64) -> Result<FoundChoice, Stopped> {
        let (candidates, count) = (self.evaluator.candidates(), self.evaluator.count());
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(1 + start as u64);
        let members = match start {
            0 => self.spread(),
            _ => index::sample(&mut random, candidates, count).into_vec(),
        };
        let mut best = self.climb(sorted(members))?;
        for _ in 0..SHAKES {
            let shaken = shake(&best.members, candidates, &mut random);
            best = best.or_better(self.climb(shaken)?);
        }
        Ok(best)
    }

    /// Starts from the first candidate and repeatedly adds the one farthest from those already chosen.
    fn spread(&self) -> Vec<usize> {
        let mut members = vec![0];
        while members.len() < self.evaluator.count() {
            let others = (0..self.evaluator.candidates()).filter(|one| !members.contains(one));
            let with = |one: usize| members.iter().copied().chain([one]).collect::<Vec<usize>>();
            let next = others.max_by(|&a, &b| {
                self.evaluator.diversity(&with(a)).total_cmp(&self.evaluator.diversity(&with(b)))
            });
            members.extend(next);
        }
        members
    }

    /// Makes the best exchange of one dataset, again and again, until no exchange is better.
    fn climb(&self, members: Vec<usize>) -> Result<FoundChoice, Stopped> {
        let mut here = self.found(members);
        loop {
            self.control.check()?;
            match self.best_exchange(&here) {
                Some(better) => here = better,
                None => return Ok(here),
            }
        }
    }

    fn best_exchange(&self, here: &FoundChoice) -> Option<FoundChoice> {
        let mut best: Option<FoundChoice> = None;
        for place in 0..here.members.len() {
            for newcomer in (0..self.evaluator.candidates()).filter(|one| !here.members.contains(one)) {
                let mut members = here.members.clone();
                members[place] = newcomer;
                let to_beat = best.as_ref().unwrap_or(here);
                // Stability takes long to compute, so skip choices that cannot win.
                let reached = self.evaluator.diversity(&members).min(self.floor);
                if reached < to_beat.worth.reached - ROUNDING {
                    continue;
                }
                let found = self.found(sorted(members));
                if found.worth.beats(&to_beat.worth) {
                    best = Some(found);
                }
            }
        }
        best
    }
}

/// Exchanges a few datasets at random.
fn shake(members: &[usize], candidates: usize, random: &mut ChaCha8Rng) -> Vec<usize> {
    let mut members = members.to_vec();
    let outside: Vec<usize> = (0..candidates).filter(|one| !members.contains(one)).collect();
    let shaken = SHAKEN.min(members.len()).min(outside.len());
    let newcomers = index::sample(random, outside.len(), shaken);
    let mut places: Vec<usize> = (0..members.len()).collect();
    for at in newcomers {
        let place = places.swap_remove(random.random_range(0..places.len()));
        members[place] = outside[at];
    }
    sorted(members)
}

fn sorted(mut members: Vec<usize>) -> Vec<usize> {
    members.sort_unstable();
    members
}
