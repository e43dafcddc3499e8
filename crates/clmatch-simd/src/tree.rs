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
