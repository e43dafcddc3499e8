//! Spanning trees.

use crate::isa::{Isa, LANES, Work};
use crate::level::Level;

/// One step of Prim's algorithm on points that are not in the tree yet: where `max(squares, cores, core)` is below
/// `best`, it becomes the best and `source` its source. Returns the first place of the smallest best.
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
        let larger = |a: f64, b: f64| if a > b { a } else { b };
        let mut smallest = [f64::INFINITY; LANES];
        let places = squares.iter().zip(cores).zip(best.iter_mut().zip(sources));
        for (at, ((&square, &own), (best, from))) in places.enumerate() {
            let reach = larger(larger(square, own), core);
            let nearer = reach < *best;
            *best = if nearer { reach } else { *best };
            *from = if nearer { source } else { *from };
            let lane = &mut smallest[at % LANES];
            *lane = if *best < *lane { *best } else { *lane };
        }
        let smallest = smallest.into_iter().fold(f64::INFINITY, |a, b| if b < a { b } else { a });
        best.iter().position(|&best| best == smallest).unwrap_or(0)
    }
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
