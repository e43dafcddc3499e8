//! The best split of a node, exactly.
//!
//! ```text
//! gain(L, R) = G_L^2 / (H_L + 1) + G_R^2 / (H_R + 1) - G^2 / (H + 1)
//! ```
//! where G and H sum the first and second derivatives of a node, and 1 is the weight of the l2 penalty.
//!
//! Sums are made one after the other, from the highest value down. Nearly all splits are worse than the best one so far,
//! which is seen of many at a time: a block of sums is written down first, and only where one of them may be better the
//! block is gone through one by one.

use super::loss::Gradient;
use crate::columns::Entry;

/// The weight of the l2 penalty on leaf values.
pub(super) const LAMBDA: f64 = 1.0;
/// Splits that gain no more are none.
const LEAST_GAIN: f64 = 1e-6;
/// Sums that are written down before they are looked at.
const BLOCK: usize = 64;
/// Sums that are looked at together: a register or two.
const LANES: usize = 8;
/// In place of the second derivatives of a split between equal values, which is none.
const NO_SPLIT: f64 = -1.0;

/// Sums of derivatives.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    pub(super) first: f64,
    pub(super) second: f64,
}

impl Sums {
    pub(super) fn of(gradient: Gradient) -> Sums {
        Sums { first: f64::from(gradient.first), second: f64::from(gradient.second) }
    }

    #[inline(always)]
    pub(super) fn add(&mut self, other: Sums) {
        self.first += other.first;
        self.second += other.second;
    }

    #[inline(always)]
    pub(super) fn without(self, other: Sums) -> Sums {
        Sums { first: self.first - other.first, second: self.second - other.second }
    }

    fn score(self) -> f64 {
        self.first * self.first / (self.second + LAMBDA)
    }
}

/// A split of a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cut {
    /// Among those that the tree sees.
    pub(super) feature: usize,
    pub(super) threshold: f32,
    pub(super) gain: f64,
    pub(super) left: Sums,
    pub(super) left_rows: usize,
}

/// Looks for the cut with the greatest gain. In the first round all points of a class have the same derivatives, and equal
/// gains abound: as in XGBoost gains are compared in single precision, the first feature wins, and within it the highest
/// threshold.
pub(super) struct Search<'a> {
    derivatives: &'a [Sums],
    whole: Sums,
    /// Second derivatives that a child has at least, in sum.
    least: f64,
    best: Option<Cut>,
    best_score: f64,
    block: Block,
}

impl<'a> Search<'a> {
    /// Of a node with these sums, which are of some of the derivatives.
    pub(super) fn new(derivatives: &'a [Sums], whole: Sums, least: f64) -> Self {
        let block = Block { first: [0.0; BLOCK], second: [NO_SPLIT; BLOCK], len: 0 };
        Search { derivatives, whole, least, best: None, best_score: whole.score() + LEAST_GAIN, block }
    }

    pub(super) fn best(&self) -> Option<Cut> {
        self.best
    }

    /// Tries the cuts of a feature: rows of the node in its order. Time: O(n).
    #[inline(always)]
    pub(super) fn feature(&mut self, feature: usize, entries: &[Entry]) {
        let lowest = entries[0].value;
        let mut right = Sums::default();
        let mut end = entries.len();
        // No cut is left among equal values: where most values are 0 this is soon.
        while entries[end - 1].value > lowest {
            let mut start = end.saturating_sub(BLOCK).max(1);
            if entries[start].value == lowest {
                start += entries[start..end].partition_point(|entry| entry.value == lowest);
            }
            self.block.fill(&entries[start - 1..end], self.derivatives, &mut right);
            // The first best score may be rounded down from the one that it surpassed.
            if self.block.any_above(self.best_score * (1.0 - 1e-12), self.whole, self.least) {
                self.one_by_one(feature, entries, start);
            }
            if self.whole.second - right.second < self.least {
                break;
            }
            end = start;
        }
    }

    /// Goes through the block, whose lowest cut is before the entry `start`.
    #[cold]
    fn one_by_one(&mut self, feature: usize, entries: &[Entry], start: usize) {
        for at in (0..self.block.len).rev() {
            let right = Sums { first: self.block.first[at], second: self.block.second[at] };
            let left = self.whole.without(right);
            if right.second < self.least || left.second < self.least || !above(self.best_score, left, right) {
                continue;
            }
            let score = left.score() + right.score();
            let gain = f64::from(score as f32 - self.whole.score() as f32);
            if self.best.is_none_or(|best| gain > best.gain) {
                self.best_score = score;
                let left_rows = start + at;
                let (below, value) = (entries[left_rows - 1].value, entries[left_rows].value);
                let middle = f32::midpoint(below, value);
                // Rounding must not move the lower value to the right.
                let threshold = if middle <= below { value } else { middle };
                self.best = Some(Cut { feature, threshold, gain, left, left_rows });
            }
        }
    }
}

/// Whether a split has a greater score: both terms over one denominator, compared without a division.
#[inline(always)]
fn above(score: f64, left: Sums, right: Sums) -> bool {
    let (a, b) = (left.second + LAMBDA, right.second + LAMBDA);
    left.first * left.first * b + right.first * right.first * a > score * (a * b)
}

/// Sums of what lies right of neighbouring cuts.
struct Block {
    first: [f64; BLOCK],
    /// [`NO_SPLIT`] between equal values, and after the highest cut.
    second: [f64; BLOCK],
    len: usize,
}

impl Block {
    /// With the cuts below each entry but the first one; `right` has the sums above, and then those of the lowest cut.
    #[inline(always)]
    fn fill(&mut self, entries: &[Entry], derivatives: &[Sums], right: &mut Sums) {
        self.len = entries.len() - 1;
        self.second[self.len..self.len.next_multiple_of(LANES)].fill(NO_SPLIT);
        let sums = self.first[..self.len].iter_mut().zip(&mut self.second[..self.len]);
        for (pair, (first, second)) in entries.windows(2).zip(sums).rev() {
            right.add(derivatives[pair[1].place as usize]);
            *first = right.first;
            *second = if pair[0].value == pair[1].value { NO_SPLIT } else { right.second };
        }
    }

    /// Whether one of the cuts has a greater score than this, and leaves both sides enough.
    #[inline(always)]
    fn any_above(&self, score: f64, whole: Sums, least: f64) -> bool {
        let (first, second) = (self.first.as_chunks::<LANES>().0, self.second.as_chunks::<LANES>().0);
        first.iter().zip(second).take(self.len.div_ceil(LANES)).any(|(first, second)| {
            let mut any = false;
            for lane in 0..LANES {
                let right = Sums { first: first[lane], second: second[lane] };
                let left = whole.without(right);
                any |= above(score, left, right) & (right.second >= least) & (left.second >= least);
            }
            any
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same search without blocks.
    fn one_after_the_other(
        entries: &[Vec<Entry>],
        derivatives: &[Sums],
        whole: Sums,
        least: f64,
    ) -> Option<Cut> {
        let mut best: Option<Cut> = None;
        for (feature, entries) in entries.iter().enumerate() {
            let mut right = Sums::default();
            for left_rows in (1..entries.len()).rev() {
                right.add(derivatives[entries[left_rows].place as usize]);
                let left = whole.without(right);
                let (below, value) = (entries[left_rows - 1].value, entries[left_rows].value);
                let score = left.score() + right.score();
                let gain = f64::from(score as f32 - whole.score() as f32);
                let enough = left.second >= least && right.second >= least;
                let better = best.map_or(score - whole.score() > LEAST_GAIN, |best| gain > best.gain);
                if below < value && enough && better {
                    best = Some(Cut { feature, threshold: (below + value) / 2.0, gain, left, left_rows });
                }
            }
        }
        best
    }

    #[test]
    fn blocks_find_what_a_plain_loop_finds() {
        let mut state = 1_u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let mut found = 0;
        for (rows, kinds, least) in
            (2..150).flat_map(|rows| [(rows, 3, 0.0), (rows, 40, 1.0), (rows, 1 << 20, 5.0)])
        {
            let derivatives: Vec<Sums> = (0..rows)
                .map(|_| Sums { first: next(64) as f64 / 32.0 - 1.0, second: next(16) as f64 / 32.0 })
                .collect();
            let mut whole = Sums::default();
            derivatives.iter().for_each(|&one| whole.add(one));
            let features: Vec<Vec<Entry>> = (0..3)
                .map(|_| {
                    let entry = |place| Entry { value: next(kinds) as f32, place };
                    let mut entries: Vec<Entry> = (0..rows as u32).map(entry).collect();
                    entries.sort_by(|a, b| a.value.total_cmp(&b.value));
                    entries
                })
                .collect();
            let mut search = Search::new(&derivatives, whole, least);
            features.iter().enumerate().for_each(|(at, entries)| search.feature(at, entries));
            let told = |cut: Cut| (cut.feature, cut.left_rows, cut.threshold, cut.gain);
            let expected = one_after_the_other(&features, &derivatives, whole, least).map(told);
            found += usize::from(expected.is_some());
            assert_eq!(search.best().map(told), expected, "{rows} rows, {kinds} values, at least {least}");
        }
        assert!(found > 300, "{found}");
    }
}
