//! Rows of one class, centred, scaled and packed for the kernels.
//!
//! Row x of class i becomes `z = (x / unit - a_i) - e_i`, where `a_i` is a reference near the class, and `e_i` corrects it. With
//! `a_i` near x the first difference is exact, so offsets of the input cost no digits. A panel keeps its features in blocks of
//! eight: block b of row k lies at `(b * stride + k) * 8`, one cache line each.

use clmatch_kernels::simd::sums::total;
use clmatch_kernels::simd::{Aligned, Isa, LANES, LINE, Register, Work, prefetch_far, prefetch_near};

use crate::classes::Classes;
use crate::matrix::Scalar;
use crate::points::Values;

/// The largest number of rows in a panel.
pub(super) const ROWS: usize = 64;
/// Bytes of a panel, unless it would then have fewer than 8 rows.
const BYTES: usize = 256 << 10;
/// Blocks that are packed without a branch in between.
const UNROLL: usize = 8;
/// How many rows a prefetch runs ahead of scattered rows.
const AHEAD: usize = 8;
/// How many rows a prefetch runs ahead in a window, which is in the second cache already.
const SOON: usize = 3;

/// The two types of coordinates, loaded eight at a time.
trait SourceScalar: Scalar {
    /// # Safety
    /// Eight numbers can be read, and the processor has the instruction set of `V`.
    unsafe fn load<V: Register<T = f64>>(from: *const Self) -> V;
}

impl SourceScalar for f64 {
    #[inline(always)]
    unsafe fn load<V: Register<T = f64>>(from: *const f64) -> V {
        // SAFETY: as the caller vouches.
        unsafe { V::load(from) }
    }
}

impl SourceScalar for f32 {
    #[inline(always)]
    unsafe fn load<V: Register<T = f64>>(from: *const f32) -> V {
        // SAFETY: as the caller vouches.
        unsafe { V::load_single(from) }
    }
}

/// The data, and how each class is centred.
pub(super) struct CentredInput<'a> {
    pub values: &'a Values<'a>,
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

impl<'a> CentredInput<'a> {
    /// The data, with all references at 0.
    pub(super) fn new(classes: &'a Classes<'_>, scale: f64) -> Self {
        let features = classes.points().n_features();
        let blocks = features.div_ceil(LANES);
        let zeros = Aligned::zeros(classes.n_classes() * blocks * LANES);
        let (order, starts) = (classes.order(), classes.starts());
        let values = classes.points().values();
        CentredInput { values, features, blocks, order, starts, scale, minus: zeros.clone(), shift: zeros }
    }

    /// The number of features, with padding.
    pub(super) fn padded(&self) -> usize {
        self.blocks * LANES
    }

    /// The number of rows of the input.
    pub(super) fn rows(&self) -> usize {
        self.values.len() / self.features
    }

    pub(super) fn classes(&self) -> usize {
        self.starts.len() - 1
    }

    /// Rows of the input that belong to a class, in ascending order.
    pub(super) fn members(&self, class: usize) -> &'a [usize] {
        &self.order[self.starts[class]..self.starts[class + 1]]
    }

    /// How many points a class has.
    pub(super) fn size(&self, class: usize) -> f64 {
        (self.starts[class + 1] - self.starts[class]) as f64
    }

    /// One row of the input, in units.
    pub(super) fn row(&self, row: usize) -> impl Iterator<Item = f64> + 'a {
        let (values, scale) = (self.values, self.scale);
        (row * self.features..(row + 1) * self.features).map(move |at| values.get(at) * scale)
    }

    /// Where the numbers begin, and the bytes of each.
    fn memory(&self) -> (usize, usize) {
        match self.values {
            Values::F64(values) => (values.as_ptr() as usize, size_of::<f64>()),
            Values::F32(values) => (values.as_ptr() as usize, size_of::<f32>()),
        }
    }

    /// Bytes of a row.
    pub(super) fn row_bytes(&self) -> usize {
        self.features * self.memory().1
    }

    /// The place of a class in `minus` and `shift`.
    pub(super) fn place(&self, class: usize) -> std::ops::Range<usize> {
        class * self.padded()..(class + 1) * self.padded()
    }
}

/// The bytes to bring into the cache while the arithmetic goes on.
pub(super) enum Ahead {
    /// These bytes, piece by piece.
    Next { from: usize, to: usize },
    /// Rows further down the list, as rows are packed.
    Listed,
}

impl Ahead {
    /// The given rows in the order of the input.
    pub(super) fn rows(input: &CentredInput<'_>, rows: std::ops::Range<usize>) -> Self {
        let (start, bytes) = (input.memory().0, input.row_bytes());
        Ahead::Next { from: start + rows.start * bytes, to: start + rows.end * bytes }
    }

    /// Fetches the next `bytes` bytes.
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

    /// Fetches the next cache line.
    #[inline(always)]
    pub(super) fn fetch_line(&mut self) {
        if let Ahead::Next { from, to } = self
            && *from < *to
        {
            prefetch_far(*from as *const i8);
            *from += LINE;
        }
    }
}

/// Fetches all cache lines of a row, if there is one.
#[inline(always)]
fn fetch_row<T>(values: &[T], features: usize, row: Option<&usize>, prefetch: impl Fn(*const i8)) {
    if let Some(&row) = row {
        let bytes = features * size_of::<T>();
        let start = values.as_ptr() as usize + row * bytes;
        for line in (start / LINE * LINE..start + bytes).step_by(LINE) {
            prefetch(line as *const i8);
        }
    }
}

/// Centres eight numbers of a row, keeps the first `lanes` of them, stores them, and adds their squares to `sum`.
#[inline(always)]
unsafe fn pack_block<V: Register<T = f64>, const SHIFTED: bool>(
    x: V,
    scale: V,
    (minus, shift): (*const f64, *const f64),
    lanes: usize,
    to: *mut f64,
    sum: V,
) -> V {
    // SAFETY: the caller vouches for the instruction set, and for eight numbers at the pointers.
    unsafe {
        let mut z = x.mul_add(scale, V::load(minus));
        if SHIFTED {
            z = z.sub(V::load(shift));
        }
        if lanes < LANES {
            z = z.keep((1 << lanes) - 1, V::splat(0.0));
        }
        z.store(to);
        z.mul_add(z, sum)
    }
}

/// A few packed rows of one class.
pub(super) struct PointPanel {
    pub values: Aligned<f64>,
    /// `|z|^2` of each row.
    pub squares: Aligned<f64>,
    pub rows: usize,
    /// The number of rows that it has room for, a multiple of eight.
    pub capacity: usize,
    /// The number of rows from one block to the next. It is odd: with a power of two, all blocks of a row would fall into the
    /// same few places of the first cache.
    pub stride: usize,
}

impl PointPanel {
    pub(super) fn new(blocks: usize) -> Self {
        let capacity = (BYTES / (blocks * LANES * size_of::<f64>()) / LANES * LANES).clamp(LANES, ROWS);
        let stride = capacity + 1;
        let values = Aligned::zeros(blocks * stride * LANES);
        PointPanel { values, squares: Aligned::zeros(capacity), rows: 0, capacity, stride }
    }

    /// Where block `block` of row 0 starts.
    #[inline(always)]
    pub(super) fn block(&self, block: usize) -> *const f64 {
        self.values[block * self.stride * LANES..].as_ptr()
    }

    /// Packs rows of a class, at most `capacity` of them; `later` are the rows that follow them.
    ///
    /// # Safety
    /// The processor has the instruction set `I`.
    #[inline(always)]
    pub(super) unsafe fn pack<I: Isa<T = f64>>(
        &mut self,
        input: &CentredInput<'_>,
        class: usize,
        rows: &[usize],
        later: &[usize],
        ahead: &Ahead,
    ) {
        // SAFETY: as the caller vouches.
        unsafe { I::run(PanelPacking { panel: self, input, class, rows, later, ahead }) }
    }
}

/// Packing, compiled separately: once for all passes.
struct PanelPacking<'a> {
    panel: &'a mut PointPanel,
    input: &'a CentredInput<'a>,
    class: usize,
    rows: &'a [usize],
    later: &'a [usize],
    ahead: &'a Ahead,
}

impl Work<f64> for PanelPacking<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn work<I: Isa<T = f64>>(self) {
        // A first pass over the data has no corrections.
        let shifted = self.input.shift[self.input.place(self.class)].iter().any(|&e| e != 0.0);
        // SAFETY: as the caller vouches.
        unsafe {
            match (self.input.values, shifted) {
                (Values::F64(values), true) => self.rows::<I, f64, true>(values),
                (Values::F64(values), false) => self.rows::<I, f64, false>(values),
                (Values::F32(values), true) => self.rows::<I, f32, true>(values),
                (Values::F32(values), false) => self.rows::<I, f32, false>(values),
            }
        }
    }
}

impl PanelPacking<'_> {
    #[inline(always)]
    unsafe fn rows<I: Isa<T = f64>, T: SourceScalar, const SHIFTED: bool>(self, values: &[T]) {
        let PanelPacking { panel, input, class, rows, later, ahead } = self;
        assert!(rows.len() <= panel.capacity && panel.values.len() >= input.blocks * panel.stride * LANES);
        panel.rows = rows.len();
        let place = input.place(class);
        let (minus, shift) = (input.minus[place.clone()].as_ptr(), input.shift[place].as_ptr());
        let centre = |block: usize| (minus.wrapping_add(block * LANES), shift.wrapping_add(block * LANES));
        let (whole, rest) = (input.features / LANES, input.features % LANES);
        let features = input.features;
        let end = values.as_ptr_range().end;
        let (to, step) = (panel.values.as_mut_ptr(), panel.stride * LANES);
        // SAFETY: the caller vouches for the instruction set.
        let scale = unsafe { I::Group::splat(input.scale) };
        for ((k, &row), square) in rows.iter().enumerate().zip(panel.squares.iter_mut()) {
            let further = |rows_ahead: usize| {
                rows.get(k + rows_ahead).or_else(|| later.get((k + rows_ahead).saturating_sub(rows.len())))
            };
            match ahead {
                Ahead::Listed => fetch_row(values, features, further(AHEAD), prefetch_far),
                Ahead::Next { .. } => fetch_row(values, features, further(SOON), prefetch_near),
            }
            assert!((row + 1) * features <= values.len());
            // SAFETY: blocks below `whole` lie inside the row; the place of the class and the panel have room
            // for all blocks; the last block is read beyond the row only where the data go on.
            unsafe {
                let from = values.as_ptr().add(row * features);
                let to = to.add(k * LANES);
                let mut sum = I::Group::splat(0.0);
                let unrolled = whole / UNROLL * UNROLL;
                for first in (0..unrolled).step_by(UNROLL) {
                    for block in first..first + UNROLL {
                        let (x, centre) = (T::load(from.add(block * LANES)), centre(block));
                        sum = pack_block::<_, SHIFTED>(x, scale, centre, LANES, to.add(block * step), sum);
                    }
                }
                for block in unrolled..whole {
                    let (x, centre) = (T::load(from.add(block * LANES)), centre(block));
                    sum = pack_block::<_, SHIFTED>(x, scale, centre, LANES, to.add(block * step), sum);
                }
                if rest > 0 {
                    let last = from.add(whole * LANES);
                    let x = if last.wrapping_add(LANES) <= end {
                        T::load(last)
                    } else {
                        let mut numbers = [0.0; LANES];
                        for (lane, number) in numbers.iter_mut().enumerate().take(rest) {
                            *number = (*last.add(lane)).to_f64();
                        }
                        I::Group::load(numbers.as_ptr())
                    };
                    sum = pack_block::<_, SHIFTED>(x, scale, centre(whole), rest, to.add(whole * step), sum);
                }
                *square = total(sum);
            }
        }
    }
}
