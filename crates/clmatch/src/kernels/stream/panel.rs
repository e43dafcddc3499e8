//! Rows of one class, centred, scaled and packed for the kernels.
//!
//! Row x of class i becomes `z = (x / unit - a_i) - e_i`, where `a_i` is a reference near the class, and `e_i` corrects
//! it. With `a_i` near x the first difference is exact, so offsets of the input cost no digits. A panel keeps
//! its features in blocks of eight: block b of row k lies at `(b * stride + k) * 8`, one cache line each.

use clmatch_simd::sums::total;
use clmatch_simd::{Aligned, Isa, LANES, LINE, Register, prefetch_far};

use crate::classes::Classes;
use crate::matrix::Scalar;

/// Rows of a panel, at most.
pub(super) const ROWS: usize = 64;
/// Bytes of a panel, unless it then has fewer than 8 rows.
const BYTES: usize = 256 << 10;
/// How many rows a prefetch runs ahead of scattered rows.
const AHEAD: usize = 8;

/// The two types of coordinates, loaded eight at a time.
pub(super) trait Source: Scalar {
    /// # Safety
    /// Eight numbers can be read, and the processor has the instruction set of `V`.
    unsafe fn load<V: Register<T = f64>>(from: *const Self) -> V;
}

impl Source for f64 {
    #[inline(always)]
    unsafe fn load<V: Register<T = f64>>(from: *const f64) -> V {
        // SAFETY: as the caller vouches.
        unsafe { V::load(from) }
    }
}

impl Source for f32 {
    #[inline(always)]
    unsafe fn load<V: Register<T = f64>>(from: *const f32) -> V {
        // SAFETY: as the caller vouches.
        unsafe { V::load_single(from) }
    }
}

/// The data, and how each class is centred.
pub(super) struct Input<'a, T> {
    pub values: &'a [T],
    pub features: usize,
    /// Blocks of eight features.
    pub blocks: usize,
    pub order: &'a [usize],
    pub starts: &'a [usize],
    /// `1 / unit`.
    pub scale: f64,
    /// K x (8 blocks): the references `-a_i`, in units.
    pub minus: Aligned<f64>,
    /// K x (8 blocks): the corrections `e_i`, in units.
    pub shift: Aligned<f64>,
}

impl<'a, T: Source> Input<'a, T> {
    /// All references 0.
    pub(super) fn new(classes: &'a Classes<'_>, values: &'a [T], scale: f64) -> Self {
        let features = classes.points().n_features();
        let blocks = features.div_ceil(LANES);
        let zeros = Aligned::zeros(classes.n_classes() * blocks * LANES);
        let (order, starts) = (classes.order(), classes.starts());
        Input { values, features, blocks, order, starts, scale, minus: zeros.clone(), shift: zeros }
    }

    /// Features with their padding.
    pub(super) fn padded(&self) -> usize {
        self.blocks * LANES
    }

    pub(super) fn classes(&self) -> usize {
        self.starts.len() - 1
    }

    /// Rows of the input that belong to a class, ascending.
    pub(super) fn members(&self, class: usize) -> &'a [usize] {
        &self.order[self.starts[class]..self.starts[class + 1]]
    }

    /// How many points a class has.
    pub(super) fn size(&self, class: usize) -> f64 {
        (self.starts[class + 1] - self.starts[class]) as f64
    }

    /// One row of the input.
    pub(super) fn row(&self, row: usize) -> &'a [T] {
        &self.values[row * self.features..(row + 1) * self.features]
    }

    /// The place of a class in `minus` and `shift`.
    pub(super) fn place(&self, class: usize) -> std::ops::Range<usize> {
        class * self.padded()..(class + 1) * self.padded()
    }
}

/// What to bring into the cache while the arithmetic goes on.
pub(super) enum Ahead {
    /// These bytes, bit by bit.
    Next { from: usize, to: usize },
    /// Rows further down the list, as rows are packed.
    Listed,
}

impl Ahead {
    /// The given rows in the order of the input.
    pub(super) fn rows<T: Source>(input: &Input<'_, T>, rows: std::ops::Range<usize>) -> Self {
        let bytes = input.values[rows.start * input.features..rows.end * input.features].as_ptr_range();
        Ahead::Next { from: bytes.start as usize, to: bytes.end as usize }
    }

    /// Asks for the next so many bytes.
    #[inline(always)]
    pub(super) fn fetch(&mut self, bytes: usize) {
        if let Ahead::Next { from, to } = self {
            let end = (*from + bytes).min(*to);
            while *from < end {
                prefetch_far(*from as *const i8);
                *from += LINE;
            }
        }
    }
}

/// A few packed rows of one class.
pub(super) struct Panel {
    pub values: Aligned<f64>,
    /// `|z|^2` of each row.
    pub squares: Aligned<f64>,
    pub rows: usize,
    pub stride: usize,
}

impl Panel {
    pub(super) fn new(blocks: usize) -> Self {
        let stride = (BYTES / (blocks * LANES * size_of::<f64>()) / LANES * LANES).clamp(LANES, ROWS);
        let values = Aligned::zeros(blocks * stride * LANES);
        Panel { values, squares: Aligned::zeros(stride), rows: 0, stride }
    }

    /// Where block `block` of row 0 starts.
    #[inline(always)]
    pub(super) fn block(&self, block: usize) -> *const f64 {
        self.values[block * self.stride * LANES..].as_ptr()
    }

    /// Packs rows of a class, at most `stride` of them; `later` are the rows that follow them.
    ///
    /// # Safety
    /// The processor has the instruction set `I`.
    #[inline(always)]
    pub(super) unsafe fn pack<I: Isa<T = f64>, T: Source>(
        &mut self,
        input: &Input<'_, T>,
        class: usize,
        rows: &[usize],
        later: &[usize],
        ahead: &Ahead,
    ) {
        assert!(rows.len() <= self.stride && self.values.len() >= input.blocks * self.stride * LANES);
        self.rows = rows.len();
        let place = input.place(class);
        let (minus, shift) = (input.minus[place.clone()].as_ptr(), input.shift[place].as_ptr());
        let (whole, rest) = (input.features / LANES, input.features % LANES);
        let end = input.values.as_ptr_range().end;
        for (k, &row) in rows.iter().enumerate() {
            if let Ahead::Listed = ahead {
                let further =
                    rows.get(k + AHEAD).or_else(|| later.get((k + AHEAD).saturating_sub(rows.len())));
                for line in further.map_or(&[][..], |&row| input.row(row)).chunks(LINE / size_of::<T>()) {
                    prefetch_far(line.as_ptr());
                }
            }
            let from = input.row(row).as_ptr();
            // SAFETY: blocks below `whole` lie inside the row; the place of the class and the panel have room
            // for all blocks; the last block is read beyond the row only where the data go on.
            unsafe {
                let scale = I::Group::splat(input.scale);
                let to = self.values.as_mut_ptr().add(k * LANES);
                let mut sum = I::Group::splat(0.0);
                for block in 0..input.blocks {
                    let at = block * LANES;
                    let x: I::Group = if block < whole || from.wrapping_add(at + LANES) <= end {
                        T::load(from.add(at))
                    } else {
                        let mut last = [0.0; LANES];
                        for (lane, value) in last.iter_mut().enumerate().take(rest) {
                            *value = (*from.add(at + lane)).to_f64();
                        }
                        I::Group::load(last.as_ptr())
                    };
                    let mut z =
                        x.mul_add(scale, I::Group::load(minus.add(at))).sub(I::Group::load(shift.add(at)));
                    if block == whole {
                        z = z.keep((1 << rest) - 1, I::Group::splat(0.0));
                    }
                    z.store(to.add(block * self.stride * LANES));
                    sum = z.mul_add(z, sum);
                }
                self.squares[k] = total(sum);
            }
        }
    }
}
