//! Which thread works on which blocks when: every pair of blocks once, each block in one pair at a time, always in one order.
//!
//! Notation: blocks 0..m, where m is made even by adding a block that does not exist. Round 0 pairs each block with itself;
//! rounds 1..m are those of a round-robin tournament (the circle method), in which every block plays once. A pair waits until
//! both of its blocks have finished all earlier rounds. Therefore everything is added to the rows of a block in the order of the
//! rounds, for any number of threads. As pairs are handed out in the order of the rounds, the oldest unfinished pair never waits:
//! there is no deadlock, and no barrier between rounds.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The order of the pairs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tournament {
    /// The number of blocks, made even.
    players: usize,
}

/// One pair in its round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Meeting {
    pub(super) round: usize,
    /// The smaller block.
    pub(super) a: usize,
    /// The larger block, or the same one.
    pub(super) b: usize,
}

impl Tournament {
    pub(super) fn new(blocks: usize) -> Self {
        Tournament { players: blocks.next_multiple_of(2) }
    }

    /// How many pairs there are, including those with the block that does not exist.
    pub(super) fn meetings(self) -> usize {
        self.players * (self.players + 1) / 2
    }

    /// The pair at this place in the order.
    pub(super) fn meeting(self, index: usize) -> Meeting {
        let Some(later) = index.checked_sub(self.players) else {
            return Meeting { round: 0, a: index, b: index };
        };
        let circle = self.players - 1;
        let (round, place) = (later / (self.players / 2), later % (self.players / 2));
        let one = (round + place) % circle;
        let other = if place == 0 { circle } else { (round + circle - place) % circle };
        Meeting { round: round + 1, a: one.min(other), b: one.max(other) }
    }
}

/// Moves both blocks to their next round when a pair is done, even if it panicked, so that no thread waits forever.
struct Finish<'a> {
    turns: &'a [AtomicUsize],
    meeting: Meeting,
}

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        self.turns[self.meeting.a].store(self.meeting.round + 1, Ordering::Release);
        self.turns[self.meeting.b].store(self.meeting.round + 1, Ordering::Release);
    }
}

/// Runs `pair(scratch, a, b)` for all `a <= b < blocks` on the threads of the current rayon pool, in the order of the
/// tournament; `scratch` is made once per thread.
///
/// Time: m (m + 1) / 2 calls. Memory: O(m).
pub(super) fn in_turns<S>(
    blocks: usize,
    scratch: impl Fn() -> S + Sync,
    pair: impl Fn(&mut S, usize, usize) + Sync,
) {
    let tournament = Tournament::new(blocks);
    let turns: Vec<AtomicUsize> = (0..tournament.players).map(|_| AtomicUsize::new(0)).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut own = None;
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= tournament.meetings() {
                return;
            }
            let meeting = tournament.meeting(index);
            for block in [meeting.a, meeting.b] {
                wait_for(&turns[block], meeting.round);
            }
            let _finish = Finish { turns: &turns, meeting };
            if meeting.b < blocks {
                pair(own.get_or_insert_with(&scratch), meeting.a, meeting.b);
            }
        }
    };
    rayon::scope(|scope| {
        for _ in 0..rayon::current_num_threads() {
            scope.spawn(|_| work());
        }
    });
}

/// Waits until it is this block's round. The wait is short: the pair that it waits for is already running.
fn wait_for(turn: &AtomicUsize, round: usize) {
    let mut spins = 0_u32;
    while turn.load(Ordering::Acquire) < round {
        spins += 1;
        if spins < 64 {
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
    }
}
