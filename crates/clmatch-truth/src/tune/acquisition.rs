//! Chooses where to look next: the setting with the greatest expected improvement.
//!
//! ```text
//! EI(x) = E max(f(x) - f*, 0) = s h((m - f*) / s)        h(z) = phi(z) + z Phi(z)
//! ```
//!
//! where m and s are the posterior mean and standard deviation at x, and f* is the greatest posterior mean at a point
//! seen so far: with noise, the greatest observation would be luck rather than a bar. Candidates are ranked by ln EI,
//! which does not underflow. All settings of a small finite space are ranked; otherwise candidates are drawn over the
//! whole space and around the best points seen, and the most promising are improved by small random moves.

use std::collections::HashSet;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::tune::dimension::{Axis, Dimension};
use crate::tune::gaussian_process::GaussianProcess;
use crate::tune::normal::log_improvement;
use crate::tune::setting::Setting;
use crate::tune::space::Space;

/// All settings of finite spaces up to this size are ranked.
const RANKED_SIZE: u64 = 2000;
/// The number of candidates drawn over the whole space.
const SCATTERED: usize = 600;
/// The number of points seen around which candidates are drawn, best first.
const CENTRES: usize = 4;
/// The number of candidates drawn around each of these points.
const AROUND: usize = 50;
/// The distances of these candidates: powers of ten between these exponents.
const DISTANCES: std::ops::Range<f64> = -3.0..-0.5;
/// The number of candidates that are improved.
const IMPROVED: usize = 4;
/// The number of moves tried to improve each of them.
const MOVES: usize = 60;
/// The length of the first move; success and failure multiply it by the factors below, which balance at one success in
/// five.
const FIRST_MOVE: f64 = 0.08;
/// See [`FIRST_MOVE`].
const AFTER_SUCCESS: f64 = 1.8;
/// See [`FIRST_MOVE`].
const AFTER_FAILURE: f64 = 0.87;
/// The share of moves in which a name is drawn anew.
const RENAMED: f64 = 0.2;
/// The draws of a setting that was not taken yet, after which a finite space is searched for one in order.
const REDRAWS: usize = 200;

/// A point of the unit cube and its ln EI.
#[derive(Debug, Clone)]
struct AcquisitionCandidate {
    point: Vec<f64>,
    score: f64,
}

/// Chooses the next setting.
pub(crate) struct Chooser<'a> {
    pub(crate) space: &'a Space,
    pub(crate) model: &'a GaussianProcess,
    /// Settings that may not be proposed again.
    pub(crate) taken: &'a HashSet<Setting>,
    /// The points seen, in the unit cube.
    pub(crate) seen: &'a [Vec<f64>],
}

impl Chooser<'_> {
    /// The most promising setting that is not taken; `None` if all are taken.
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
            let promising: Vec<AcquisitionCandidate> = candidates.iter().take(IMPROVED).cloned().collect();
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
    fn best_seen(&self) -> Vec<AcquisitionCandidate> {
        let mut seen = ranked(self.seen.to_vec(), &|point| self.model.mean(point));
        seen.truncate(CENTRES);
        seen
    }

    /// All settings that are not taken.
    fn all_points(&self) -> Vec<Vec<f64>> {
        let all = self.space.all().into_iter().flatten();
        all.filter(|setting| !self.taken.contains(setting)).map(|s| self.space.coordinates(&s)).collect()
    }

    fn drawn_points(&self, centres: &[AcquisitionCandidate], random: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
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

    /// A point about `distance` away, in a random direction; integers move by at least one, or not at all.
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

    /// Climbs by random moves, whose length adapts to their success.
    fn improve(
        &self,
        start: AcquisitionCandidate,
        score: &impl Fn(&[f64]) -> f64,
        random: &mut ChaCha8Rng,
    ) -> AcquisitionCandidate {
        let (mut best, mut length) = (start, FIRST_MOVE);
        for _ in 0..MOVES {
            let point = self.moved(&best.point, length, random);
            let next = score(&point);
            if next > best.score {
                best = AcquisitionCandidate { point, score: next };
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

/// The points with their scores, in descending order of score.
fn ranked(points: Vec<Vec<f64>>, score: &impl Fn(&[f64]) -> f64) -> Vec<AcquisitionCandidate> {
    let scored = points.into_iter().map(|point| AcquisitionCandidate { score: score(&point), point });
    let mut candidates: Vec<AcquisitionCandidate> = scored.collect();
    sort(&mut candidates);
    candidates
}

/// The sort is stable, so that equal scores keep their order.
fn sort(candidates: &mut [AcquisitionCandidate]) {
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
        // The range is so narrow that all its rounded values are taken: repeat one.
        (None, None) => Some(space.draw(random)),
        (None, Some(size)) => {
            let start = random.random_range(0..size);
            let from_start = (start..size).chain(0..start).map(|index| space.nth(index));
            from_start.into_iter().find(|setting| !taken.contains(setting))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use rand::SeedableRng;

    use super::*;
    use crate::tune::gaussian_process::Hyperparameters;
    use crate::tune::normal::{cdf, pdf};

    /// What a chooser knows: some settings of a space, with the values of a wave at them.
    struct Known {
        space: Space,
        model: GaussianProcess,
        taken: HashSet<Setting>,
        seen: Vec<Vec<f64>>,
    }

    impl Known {
        fn draw(space: &Space, random: &mut ChaCha8Rng) -> Known {
            let taken: Vec<Setting> = (0..6).map(|_| space.draw(random)).collect();
            let seen: Vec<Vec<f64>> = taken.iter().map(|setting| space.coordinates(setting)).collect();
            let wave = |(d, x): (usize, &f64)| (5.0 * x + d as f64).sin();
            let values: Vec<f64> =
                seen.iter().map(|point| point.iter().enumerate().map(wave).sum()).collect();
            let lengths = vec![0.3; space.dimensions().len()];
            let hyper = Hyperparameters { lengths, signal: 1.0, noise: 1e-4 };
            let model = GaussianProcess::new(&space.axes(), &seen, &values, hyper).unwrap();
            Known { space: space.clone(), model, taken: taken.into_iter().collect(), seen }
        }

        fn chooser(&self) -> Chooser<'_> {
            Chooser { space: &self.space, model: &self.model, taken: &self.taken, seen: &self.seen }
        }

        /// s phi(z) + s z Phi(z).
        fn improvement(&self, setting: &Setting) -> f64 {
            let bar = self.seen.iter().map(|point| self.model.mean(point)).fold(f64::MIN, f64::max);
            let found = self.model.predict(&self.space.coordinates(setting));
            let z = (found.mean - bar) / found.deviation;
            found.deviation * (pdf(z) + z * cdf(z))
        }

        /// The most promising of all settings that are not taken.
        fn best(&self) -> Setting {
            let free = self.space.all().unwrap().filter(|setting| !self.taken.contains(setting));
            free.max_by(|a, b| self.improvement(a).total_cmp(&self.improvement(b))).unwrap()
        }
    }

    #[test]
    fn a_small_space_is_ranked_as_a_whole_and_without_chance() {
        let grid = Space::new([("a", Dimension::integer(1, 40)), ("b", Dimension::integer(1, 50))]).unwrap();
        assert_eq!(grid.size(), Some(RANKED_SIZE));
        let kinds = ("kind", Dimension::choice(["a", "b", "c", "d"]));
        let small = Space::new([("n", Dimension::integer(1, 5)), kinds]).unwrap();
        for space in [&grid, &small] {
            let mut random = ChaCha8Rng::seed_from_u64(1);
            let mut known = Known::draw(space, &mut random);
            let before = random.clone();
            for _ in 0..3 {
                let found = known.chooser().choose(&mut random).unwrap();
                assert_eq!(found, known.best());
                assert!(random == before);
                known.taken.insert(found);
            }
        }
    }

    #[test]
    fn a_larger_space_is_sampled() {
        let space = Space::new([("n", Dimension::integer(0, 2000))]).unwrap();
        assert_eq!(space.size(), Some(RANKED_SIZE + 1));
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let known = Known::draw(&space, &mut random);
        let before = random.get_word_pos();
        let found = known.chooser().choose(&mut random).unwrap();
        // A real number uses two words of the generator.
        assert!(random.get_word_pos() - before >= 2 * SCATTERED as u128);
        assert!(known.improvement(&found) > 0.99 * known.improvement(&known.best()));
    }

    #[test]
    fn cells_by_hand() {
        assert_eq!(cell(&Dimension::integer(2, 5)), 0.25);
        assert_eq!(cell(&Dimension::integer(3, 3)), 1.0);
        assert_eq!(cell(&Dimension::real(0.0, 4.0)), 0.0);
    }

    #[test]
    fn moves_go_both_ways_and_no_farther_than_told() {
        let space = Space::new([
            ("x", Dimension::real(0.0, 1.0)),
            ("n", Dimension::integer(1, 10)),
            ("kind", Dimension::choice(["a", "b", "c", "d"])),
        ])
        .unwrap();
        let mut random = ChaCha8Rng::seed_from_u64(2);
        let known = Known::draw(&space, &mut random);
        // n = 5 and the first name.
        let from = [0.5, 0.45, 0.125];
        let moves: Vec<Vec<f64>> =
            (0..2000).map(|_| known.chooser().moved(&from, 0.02, &mut random)).collect();
        assert!(moves.iter().all(|to| to.len() == 3 && (to[0] - 0.5).abs() <= 0.02));
        // Within six standard deviations of a binomial share.
        let share = |name: &str, expected: f64, holds: &dyn Fn(&[f64]) -> bool| {
            let n = moves.len() as f64;
            let found = moves.iter().filter(|to| holds(to)).count() as f64 / n;
            let deviation = (expected * (1.0 - expected) / n).sqrt();
            assert!((found - expected).abs() < 6.0 * deviation, "{name}: {found}, not {expected}");
        };
        share("down", 0.5, &|to| to[0] < 0.5);
        share("far down", 0.25, &|to| to[0] < 0.49);
        share("far up", 0.25, &|to| to[0] > 0.51);
        // A cell is a tenth wide: half of the moves that are shorter stay within it.
        let value = |to: &[f64]| space.at_unit(to).integer("n").unwrap();
        share("4", 0.25, &|to| value(to) == 4);
        share("5", 0.5, &|to| value(to) == 5);
        share("6", 0.25, &|to| value(to) == 6);
        // Of the names that are drawn anew, one in four is the same as before.
        share("renamed", 0.75 * RENAMED, &|to| to[2] != 0.125);
    }

    /// The place of an improvement, the length of its next move, and its moves in units of the lengths they should have
    /// had.
    struct Walk {
        at: f64,
        score: f64,
        length: f64,
        moves: Vec<f64>,
    }

    #[test]
    fn moves_grow_with_success_and_shrink_with_failure() {
        let space = Space::new([("x", Dimension::real(0.0, 1.0))]).unwrap();
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let known = Known::draw(&space, &mut random);
        let walk = RefCell::new(Walk { at: 0.5, score: 0.0, length: FIRST_MOVE, moves: Vec::new() });
        // Every fifth point is better, the others are as good as the best.
        let score = |point: &[f64]| {
            let mut walk = walk.borrow_mut();
            let gap = (point[0] - walk.at) / walk.length;
            walk.moves.push(gap.abs());
            if walk.moves.len().is_multiple_of(5) {
                (walk.at, walk.score) = (point[0], walk.score + 1.0);
                walk.length *= AFTER_SUCCESS;
            } else {
                walk.length *= AFTER_FAILURE;
            }
            walk.score
        };
        let start = AcquisitionCandidate { point: vec![0.5], score: 0.0 };
        let end = known.chooser().improve(start, &score, &mut random);
        let walk = walk.borrow();
        assert_eq!((end.point[0], end.score), (walk.at, walk.score));
        assert_eq!(walk.moves.len(), MOVES);
        assert!(walk.moves.iter().all(|&share| share < 1.0 + 1e-9), "{:?}", walk.moves);
        // Uniform from 0 to 1, so that the mean of 20 is 1/2 with a deviation of .065.
        for moves in walk.moves.chunks(20) {
            let mean = moves.iter().sum::<f64>() / 20.0;
            assert!((0.3..0.7).contains(&mean), "{moves:?}");
        }
    }
}
