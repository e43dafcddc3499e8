//! Centroids: the first pass of the table route, also used for blocks of rows whose scatter matrices would take too much memory.

use clmatch_kernels::simd::{Isa, LANES, Register};

use super::driver::Pass;
use super::panel::{Ahead, PointPanel};

/// Blocks of eight features that one sweep over a panel sums.
const STRIP: usize = 8;

/// Sums of z and of `|z|^2`.
pub(super) struct CentroidPass {
    pub blocks: usize,
}

impl CentroidPass {
    /// Mean of z, and mean `|z|^2`, of a class of `size` points.
    pub(super) fn means(&self, state: &[f64], size: f64) -> (Vec<f64>, f64) {
        (state[LANES..].iter().map(|sum| sum / size).collect(), state[0] / size)
    }
}

impl Pass for CentroidPass {
    type Scratch = ();
    fn scratch(&self) {}

    fn width(&self) -> usize {
        (1 + self.blocks) * LANES
    }

    fn by_class(&self) -> bool {
        false
    }

    #[inline(always)]
    unsafe fn enter<I: Isa<T = f64>>(&self, _: usize, (): &mut ()) {}

    #[inline(always)]
    unsafe fn add<I: Isa<T = f64>>(
        &self,
        _: usize,
        panel: &PointPanel,
        (): &mut (),
        ahead: &mut Ahead,
        state: &mut [f64],
    ) {
        ahead.fetch(panel.rows * self.blocks * LANES * size_of::<f64>());
        for square in &panel.squares[..panel.rows] {
            state[0] += square;
        }
        assert!(state.len() == self.width());
        let mut block = 0;
        while block < self.blocks {
            let blocks = (self.blocks - block).min(STRIP);
            // SAFETY: the caller vouches for the instruction set; the state has room for all blocks.
            unsafe {
                let mut sums = [I::Group::splat(0.0); STRIP];
                for k in 0..panel.rows {
                    for (c, sum) in sums.iter_mut().enumerate().take(blocks) {
                        *sum = sum.add(I::Group::load(panel.block(block + c).add(k * LANES)));
                    }
                }
                for (c, &sum) in sums.iter().enumerate().take(blocks) {
                    let to = state.as_mut_ptr().add((1 + block + c) * LANES);
                    I::Group::load(to).add(sum).store(to);
                }
            }
            block += blocks;
        }
    }
}
