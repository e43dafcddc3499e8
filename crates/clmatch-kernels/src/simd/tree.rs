//! Spanning trees.

use crate::simd::isa::{Isa, LANES, Work};
use crate::simd::level::Level;
use crate::simd::register::Register;

/// One step of Prim's algorithm on points that are not in the tree yet: where `max(squares, cores, core)` is below
/// `best`, it becomes the best, and `source` its source. Returns the first place of the smallest best.
///
/// # Panics
/// If there are fewer `squares`, `cores` or `sources` than `best`.
///
/// Time: O(n). Memory: O(1).
pub fn relax(
    squares: &[f64],
    cores: &[f64],
    core: f64,
    source: u32,
    best: &mut [f64],
    sources: &mut [u32],
) -> usize {
    Level::best().run(Relax { squares, cores, core, source, best, sources })
}

struct Relax<'a> {
    squares: &'a [f64],
    cores: &'a [f64],
    core: f64,
    source: u32,
    best: &'a mut [f64],
    sources: &'a mut [u32],
}

impl Work<f64> for Relax<'_> {
    type Output = usize;

    #[inline(always)]
    unsafe fn work<I: Isa<T = f64>>(self) -> usize {
        let Relax { squares, cores, core, source, best, sources } = self;
        let len = best.len();
        assert!(squares.len() >= len && cores.len() >= len && sources.len() >= len);
        let whole = len - len % LANES;
        let mut lanes = [f64::INFINITY; LANES];
        // SAFETY: the caller guarantees the instruction set; all slices have `whole` numbers, in groups of lanes.
        unsafe {
            let core = I::Group::splat(core);
            let mut smallest = I::Group::splat(f64::INFINITY);
            for at in (0..whole).step_by(LANES) {
                let reach = I::Group::load(squares.as_ptr().add(at));
                let reach = reach.max(I::Group::load(cores.as_ptr().add(at))).max(core);
                let before = I::Group::load(best.as_ptr().add(at));
                let mut nearer = reach.less(before);
                let now = reach.min(before);
                smallest = now.min(smallest);
                if nearer != 0 {
                    now.store(best.as_mut_ptr().add(at));
                }
                while nearer != 0 {
                    sources[at + nearer.trailing_zeros() as usize] = source;
                    nearer &= nearer - 1;
                }
            }
            smallest.store(lanes.as_mut_ptr());
        }
        for at in whole..len {
            let reach = larger(larger(squares[at], cores[at]), core);
            if reach < best[at] {
                best[at] = reach;
                sources[at] = source;
            }
        }
        let rest = best[whole..].iter().copied();
        let smallest = lanes.into_iter().chain(rest).fold(f64::INFINITY, |a, b| if b < a { b } else { a });
        // SAFETY: the caller guarantees the instruction set.
        unsafe { first_not_above::<I>(best, smallest) }
    }
}

#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The first place of `smallest`, the smallest number.
///
/// # Safety
/// The processor has the instruction set.
#[inline(always)]
unsafe fn first_not_above<I: Isa<T = f64>>(numbers: &[f64], smallest: f64) -> usize {
    const ALL_LANES: u64 = (1 << LANES) - 1;
    let (groups, rest) = numbers.as_chunks::<LANES>();
    // SAFETY: the caller guarantees the instruction set; groups have as many numbers as a register group has lanes.
    unsafe {
        let limit = I::Group::splat(smallest);
        for (at, group) in groups.iter().enumerate() {
            let above = limit.less(I::Group::load(group.as_ptr()));
            if above != ALL_LANES {
                return at * LANES + (!above).trailing_zeros() as usize;
            }
        }
    }
    let after = groups.len() * LANES;
    rest.iter().position(|&number| number <= smallest).map_or(0, |place| after + place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_lowers_what_is_reached_and_finds_the_first_smallest() {
        for len in [1, 7, 8, 9, 30] {
            let squares: Vec<f64> = (0..len).map(|i| (i * 7 % 10) as f64 + 1.0).collect();
            let cores: Vec<f64> = (0..len).map(|i| (i * 3 % 5) as f64).collect();
            let before: Vec<f64> = (0..len).map(|i| (i * 5 % 9) as f64 + 2.0).collect();
            let reach: Vec<f64> = squares.iter().zip(&cores).map(|(s, c)| s.max(*c).max(2.0)).collect();
            let expected: Vec<f64> = reach.iter().zip(&before).map(|(r, b)| r.min(*b)).collect();
            let smallest = expected.iter().copied().fold(f64::INFINITY, f64::min);
            for level in Level::ALL {
                let (mut best, mut sources) = (before.clone(), vec![9; len]);
                let (best_now, sources_now) = (&mut best[..], &mut sources[..]);
                let first = level.run(Relax {
                    squares: &squares,
                    cores: &cores,
                    core: 2.0,
                    source: 3,
                    best: best_now,
                    sources: sources_now,
                });
                assert_eq!(best, expected, "{level:?}");
                assert_eq!(Some(first), expected.iter().position(|&best| best == smallest), "{level:?}");
                for (at, source) in sources.into_iter().enumerate() {
                    assert_eq!(source, if reach[at] < before[at] { 3 } else { 9 }, "{level:?}: {at}");
                }
            }
        }
    }
}
