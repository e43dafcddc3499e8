//! Where to look next: the setting with the greatest expected improvement.
//!
//! ```text
//! EI(x) = E max(f(x) - f*, 0) = s h((m - f*) / s)        h(z) = phi(z) + z Phi(z)
//! ```
//!
//! where m and s are the posterior mean and standard deviation at x, and f* is the greatest posterior mean at a point
//! seen so far: with noise, the greatest observation would be luck rather than a bar. Candidates are ranked by ln EI,
//! which does not underflow. A small finite space is ranked as a whole; elsewhere candidates are drawn over the whole
//! space and around the best points seen, and the most promising are improved by small random moves.

use std::collections::HashSet;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::dimension::{Axis, Dimension};
use crate::gaussian_process::GaussianProcess;
use crate::normal::log_improvement;
use crate::setting::Setting;
use crate::space::Space;

/// Finite spaces up to this size are ranked as a whole.
const RANKED_SIZE: u64 = 2000;
/// Candidates over the whole space.
const SCATTERED: usize = 600;
/// Points seen around which candidates are drawn, best first.
const CENTRES: usize = 4;
/// Candidates around each of them.
const AROUND: usize = 50;
/// Their distances: powers of ten between these exponents.
const DISTANCES: std::ops::Range<f64> = -3.0..-0.5;
/// Candidates that are improved.
const IMPROVED: usize = 4;
/// Moves tried to improve each.
const MOVES: usize = 60;
/// The length of the first move, and how success and failure change it: balanced at one success in five.
const FIRST_MOVE: f64 = 0.08;
/// See [`FIRST_MOVE`].
const AFTER_SUCCESS: f64 = 1.8;
/// See [`FIRST_MOVE`].
const AFTER_FAILURE: f64 = 0.87;
/// The share of moves in which a name is drawn anew.
const RENAMED: f64 = 0.2;
/// Draws of a setting that was not taken yet, before a finite space is searched for one in order.
const REDRAWS: usize = 200;

/// A point of the unit cube and its ln EI.
#[derive(Debug, Clone)]
struct Candidate {
    point: Vec<f64>,
    score: f64,
}

/// The choice of the next setting.
pub(crate) struct Chooser<'a> {
    pub(crate) space: &'a Space,
    pub(crate) model: &'a GaussianProcess,
    /// Settings that may not be proposed again.
    pub(crate) taken: &'a HashSet<Setting>,
    /// The points seen, in the unit cube.
    pub(crate) seen: &'a [Vec<f64>],
}

impl Chooser<'_> {
    /// The most promising setting that is not taken; `None` if all are.
    pub(crate) fn choose(&self, random: &mut ChaCha8Rng) -> Option<Setting> {
        let centres = self.best_seen();
        let bar = centres.first().map_or(f64::NEG_INFINITY, |best| best.score);
        let score = |point: &[f64]| {
            let prediction = self.model.predict(point);
            let z = (prediction.mean - bar) / prediction.deviation;
            prediction.deviation.ln() + log_improvement(z)
        };
        let points = match self.space.size() {
            Some(size) if size <= RANKED_SIZE => self.all_points(),
            _ => self.drawn_points(&centres, random),
        };
        let mut candidates = ranked(points, &score);
        if self.space.size().is_none_or(|size| size > RANKED_SIZE) {
            let promising: Vec<Candidate> = candidates.iter().take(IMPROVED).cloned().collect();
            candidates.extend(promising.into_iter().map(|start| self.improve(start, &score, random)));
            sort(&mut candidates);
        }
        let settings = candidates.iter().map(|candidate| self.space.at_unit(&candidate.point));
        settings
            .into_iter()
            .find(|setting| !self.taken.contains(setting))
            .or_else(|| any_setting(self.space, self.taken, random))
    }

    /// The points seen with the greatest posterior mean.
    fn best_seen(&self) -> Vec<Candidate> {
        let mut seen = ranked(self.seen.to_vec(), &|point| self.model.mean(point));
        seen.truncate(CENTRES);
        seen
    }

    /// All settings that are not taken.
    fn all_points(&self) -> Vec<Vec<f64>> {
        let all = self.space.all().into_iter().flatten();
        all.filter(|setting| !self.taken.contains(setting)).map(|s| self.space.coordinates(&s)).collect()
    }

    fn drawn_points(&self, centres: &[Candidate], random: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
        let scattered = |random: &mut ChaCha8Rng| {
            let mut point: Vec<f64> = self.space.dimensions().iter().map(|_| random.random()).collect();
            self.space.snap(&mut point);
            point
        };
        let mut points: Vec<Vec<f64>> = (0..SCATTERED).map(|_| scattered(random)).collect();
        for centre in centres {
            for _ in 0..AROUND {
                let distance = 10_f64.powf(random.random_range(DISTANCES));
                points.push(self.moved(&centre.point, distance, random));
            }
        }
        points
    }

    /// A point about as far away as told, in a random direction; integers move by one at least, or not at all.
    fn moved(&self, from: &[f64], distance: f64, random: &mut ChaCha8Rng) -> Vec<f64> {
        let mut to = from.to_vec();
        for (x, dimension) in to.iter_mut().zip(self.space.dimensions()) {
            match dimension.axis() {
                Axis::Unordered if random.random_bool(RENAMED) => *x = random.random(),
                Axis::Unordered => {}
                Axis::Ordered => {
                    let reach = distance.max(cell(dimension));
                    *x += random.random_range(-reach..=reach);
                }
            }
        }
        self.space.snap(&mut to);
        to
    }

    /// Climbs by random moves whose length adapts to their success.
    fn improve(
        &self,
        start: Candidate,
        score: &impl Fn(&[f64]) -> f64,
        random: &mut ChaCha8Rng,
    ) -> Candidate {
        let (mut best, mut length) = (start, FIRST_MOVE);
        for _ in 0..MOVES {
            let point = self.moved(&best.point, length, random);
            let next = score(&point);
            if next > best.score {
                best = Candidate { point, score: next };
                length *= AFTER_SUCCESS;
            } else {
                length *= AFTER_FAILURE;
            }
        }
        best
    }
}

/// The width of the cell of an integer on the linear scale.
fn cell(dimension: &Dimension) -> f64 {
    dimension.size().map_or(0.0, |size| 1.0 / size as f64)
}

/// Points by falling score.
fn ranked(points: Vec<Vec<f64>>, score: &impl Fn(&[f64]) -> f64) -> Vec<Candidate> {
    let scored = points.into_iter().map(|point| Candidate { score: score(&point), point });
    let mut candidates: Vec<Candidate> = scored.collect();
    sort(&mut candidates);
    candidates
}

/// Stable, so that equals keep their order.
fn sort(candidates: &mut [Candidate]) {
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
}

/// A random setting that is not taken; `None` if a finite space has none left.
pub(crate) fn any_setting(
    space: &Space,
    taken: &HashSet<Setting>,
    random: &mut ChaCha8Rng,
) -> Option<Setting> {
    let drawn = (0..REDRAWS).map(|_| space.draw(random)).find(|setting| !taken.contains(setting));
    match (drawn, space.size()) {
        (Some(setting), _) => Some(setting),
        // So narrow a range that all its rounded values are taken: repeat one.
        (None, None) => Some(space.draw(random)),
        (None, Some(size)) => {
            let start = random.random_range(0..size);
            let from_start = (start..size).chain(0..start).map(|index| space.nth(index));
            from_start.into_iter().find(|setting| !taken.contains(setting))
        }
    }
}
