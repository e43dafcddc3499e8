//! Registers and instruction sets, as little of them as the kernel needs.
//!
//! Notation: a *register* holds `N` numbers; a *group* is `[R; M]`, with `N * M` logical lanes: 8 for f64 and 16 for
//! f32 whatever the instruction set, so that every instruction set adds in the same order.

use super::real::Real;

/// Rows of a register tile.
pub(super) const ROWS: usize = 8;
/// Groups side by side in a register tile.
pub(super) const GROUPS: usize = 3;
/// Registers in a row of a register tile, at most.
pub(super) const ROW_REGISTERS: usize = 2 * GROUPS;
/// Columns of a register tile, at most.
pub(super) const MOST_COLUMNS: usize = 16 * GROUPS;

/// One register of `N` numbers.
///
/// # Safety
/// Every method needs the processor to have the instruction set of the register; pointers must be valid for `N`
/// numbers (no alignment is asked for).
pub(super) trait Register: Copy {
    type T: Real;
    const N: usize;

    unsafe fn splat(value: Self::T) -> Self;
    unsafe fn load(from: *const Self::T) -> Self;
    unsafe fn store(self, to: *mut Self::T);
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn sub(self, other: Self) -> Self;
    unsafe fn min(self, other: Self) -> Self;
    unsafe fn max(self, other: Self) -> Self;
    /// `self * factor + term`.
    unsafe fn mul_add(self, factor: Self, term: Self) -> Self;
    /// Two factors (g, t) of the square root: sqrt = `ROOT` g t, within two units in the last place; g is 0 for 0.
    /// Factors, because a fused multiply-add then costs no more than an addition.
    unsafe fn root(self) -> [Self; 2];
    /// A power of two.
    const ROOT: f64 = 1.0;
    /// Bit l is set where `self[l] < other[l]`.
    unsafe fn less(self, other: Self) -> u64;
    /// `self[l]` where bit l is set, `fill[l]` elsewhere.
    unsafe fn keep(self, bits: u64, fill: Self) -> Self;
    /// Adds the `N` numbers to `N` doubles.
    unsafe fn add_to(self, to: *mut f64);
}

/// Code to be compiled for an instruction set.
pub(super) trait Work<I: Isa> {
    /// Must be `#[inline(always)]`, like all it calls.
    ///
    /// # Safety
    /// The processor has the instruction set `I`.
    unsafe fn work(self);
}

/// An instruction set for one scalar type.
pub(super) trait Isa: Copy + Send + Sync + 'static {
    type T: Real;
    type R: Register<T = Self::T>;
    /// A register for one number per row of a tile, or for some of the rows.
    type Side: Register<T = Self::T>;
    /// Registers per group.
    const M: usize;
    /// Logical lanes of a group.
    const LANES: usize = Self::M * Self::R::N;
    /// Columns of a register tile.
    const COLUMNS: usize = GROUPS * Self::LANES;

    /// Runs `work` compiled for this instruction set.
    ///
    /// # Safety
    /// The processor has it.
    unsafe fn run(work: impl Work<Self>);

    /// Adds `a'b` to the register tile `c`, or `sum (a - b)^2` if `DIFF`; starts at 0 unless `resume`.
    /// `a` is `depth x ROWS`, `b` is `depth x COLUMNS`, `c` is `ROWS x COLUMNS`.
    ///
    /// # Safety
    /// The processor has the instruction set; the pointers are valid for these sizes.
    unsafe fn multiply<const DIFF: bool>(
        a: *const Self::T,
        b: *const Self::T,
        depth: usize,
        c: *mut Self::T,
        resume: bool,
    );

    /// Asks for the cache line of an address that need not be valid.
    #[inline(always)]
    fn prefetch(_address: *const Self::T) {}

    /// Features that [`Isa::turn`] takes at once.
    const TURNED: usize;

    /// Writes feature k of row l, less `centre[k]`, to `to[k * width + l]`, for `TURNED` features and `ROWS` rows.
    ///
    /// # Safety
    /// The processor has the instruction set; the pointers are valid for these sizes.
    unsafe fn turn(rows: &[*const Self::T; ROWS], centre: *const Self::T, to: *mut Self::T, width: usize);

    /// Adds the sum of the lanes of each row to one double per row.
    ///
    /// # Safety
    /// The processor has the instruction set; `rows` holds `ROWS` groups of numbers, `to` `ROWS` doubles.
    unsafe fn add_row_sums(rows: *const Self::R, to: *mut f64);
}

/// The loop of [`Isa::multiply`] for a part of the tile that fits the registers: `HEIGHT` rows and `WIDTH` registers.
///
/// Time: O(depth HEIGHT WIDTH N). Memory: O(1).
///
/// # Safety
/// As [`Isa::multiply`]; `columns` is the row length of `b` and `c`.
#[inline(always)]
pub(super) unsafe fn multiply_part<R: Register, const HEIGHT: usize, const WIDTH: usize, const DIFF: bool>(
    a: *const R::T,
    b: *const R::T,
    columns: usize,
    depth: usize,
    c: *mut R::T,
    resume: bool,
) {
    // SAFETY: the caller vouches for instruction set and sizes.
    unsafe {
        let mut sums = [[R::splat(R::T::ZERO); WIDTH]; HEIGHT];
        if resume {
            for (i, row) in sums.iter_mut().enumerate() {
                for (j, sum) in row.iter_mut().enumerate() {
                    *sum = R::load(c.add(i * columns + j * R::N));
                }
            }
        }
        for k in 0..depth {
            let mut right = [R::splat(R::T::ZERO); WIDTH];
            for (j, value) in right.iter_mut().enumerate() {
                *value = R::load(b.add(k * columns + j * R::N));
            }
            for (i, row) in sums.iter_mut().enumerate() {
                let left = R::splat(*a.add(k * ROWS + i));
                for (sum, &value) in row.iter_mut().zip(&right) {
                    if DIFF {
                        let gap = left.sub(value);
                        *sum = gap.mul_add(gap, *sum);
                    } else {
                        *sum = left.mul_add(value, *sum);
                    }
                }
            }
        }
        for (i, row) in sums.iter().enumerate() {
            for (j, sum) in row.iter().enumerate() {
                sum.store(c.add(i * columns + j * R::N));
            }
        }
    }
}
