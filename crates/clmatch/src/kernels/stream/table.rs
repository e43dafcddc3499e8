//! The table route: a pass for the centroids, then one that describes each point from every centre of its class, with d K
//! multiply-adds per point. It costs a second read of the data, and can take square roots.
//!
//! With z centred on its own class, nothing large cancels in `p = z.v`, one small matrix product per panel. If
//!
//! ```text
//! r = r_i + 2 p + |v|^2
//! ```
//!
//! is small compared with its terms (a point near the centre), it is computed again as `|z + v|^2`.

use clmatch_kernels::simd::{Aligned, Isa, LANES, Register, accumulate};

use super::driver::{Pass, States};
use super::panel::{Ahead, PointPanel, ROWS};
use super::profile::{CentreColumns, Profile, not_below_zero};

/// A squared distance below this share of its terms is computed again from differences.
const NEAR: f64 = 1e-4;
/// From this many classes on, each task takes a single class: the arithmetic outweighs scattered reads.
const MANY: usize = 64;
/// The number of quantities per column: `sum p^2`, `sum g p` ...
const PLAIN: usize = 2;
/// ... and with roots `sum t`, `sum t^2`, where `t = sqrt(r) - rho` ...
const ROOTS: usize = 2;
/// ... and if the data cannot be read once more, deviations that also follow from the sums above, unless their terms cancel:
/// `sum (r - mean r)^2`, `sum (u - mean u)^2`, where u is that of [`Profile::eta`].
const DEVIATIONS: usize = 2;

/// Sums over the points of a class, described from its columns.
pub(super) struct TablePass<'a> {
    pub features: usize,
    pub columns: &'a CentreColumns<'a>,
    /// Approximately `V_i`: `g = |z|^2 - V_i`.
    pub levels: &'a [f64],
    pub roots: bool,
    /// Whether to sum deviations point by point, so that nothing is lost where the terms of a variance cancel.
    pub deviations: bool,
}

/// The columns of the current class.
pub(super) struct PackedColumns {
    /// `v`: number f of column `8 b + l` lies at `(b * features + f) * 8 + l`.
    v: Aligned<f64>,
    /// `|v|^2` of each column.
    squares: Aligned<f64>,
    /// `rho = sqrt(V_i + |v|^2)` of each column.
    levels: Aligned<f64>,
    /// `alpha - beta` of each column, see [`Profile::eta`].
    factors: Aligned<f64>,
    /// `2 beta / w` of each column.
    slopes: Aligned<f64>,
    /// One column.
    row: Aligned<f64>,
}

impl TablePass<'_> {
    /// Blocks of eight columns.
    fn groups(&self) -> usize {
        self.columns.count().div_ceil(LANES)
    }

    fn quantities(&self) -> usize {
        TablePass::quantities_of(self.roots, self.deviations)
    }

    /// Quantities per column.
    pub(super) fn quantities_of(roots: bool, deviations: bool) -> usize {
        PLAIN + if roots { ROOTS } else { 0 } + if deviations { DEVIATIONS } else { 0 }
    }

    /// The first quantity after those of roots.
    fn quantity_of_deviations(&self) -> usize {
        TablePass::quantities_of(self.roots, false)
    }

    /// Where a quantity of the columns starts in the state.
    #[inline(always)]
    fn place(&self, quantity: usize, group: usize) -> usize {
        (1 + quantity * self.groups() + group) * LANES
    }

    /// Moments of each class. Time: O(K^2). Memory: O(K^2).
    pub(super) fn profile(&self, states: &States) -> Profile {
        self.profile_of(states, self.columns.sizes)
    }

    /// Like [`TablePass::profile`], if `seen` points of each class were seen.
    pub(super) fn profile_of(&self, states: &States, seen: &[f64]) -> Profile {
        let columns = self.columns.count();
        let mut profile = Profile::new(columns);
        for (class, &size) in seen.iter().enumerate() {
            let state = states.of(class, self.width());
            let quantity = |index: usize| &state[self.place(index, 0)..][..columns];
            let level = state[0] / size;
            let fourth = not_below_zero(state[1] / size - level * level);
            profile.variances.push(not_below_zero(self.levels[class] + level));
            profile.fourths.push(fourth);
            profile.doubts.push(fourth);
            profile.along.extend(quantity(0).iter().map(|sum| sum / size));
            profile.skew.extend(quantity(1).iter().map(|sum| sum / size));
            if self.roots {
                for (column, (sum, squares)) in quantity(2).iter().zip(quantity(3)).enumerate() {
                    let mean = sum / size;
                    let level = self.level(class, self.columns.square(class, column));
                    profile.root_means.push(level + mean);
                    profile.root_variances.push(not_below_zero(squares / size - mean * mean));
                }
            }
            if self.deviations {
                let first = self.quantity_of_deviations();
                profile.square_variances.extend(quantity(first).iter().map(|sum| sum / size));
                profile.cost_variances.extend(quantity(first + 1).iter().map(|sum| sum / size));
            }
        }
        profile
    }

    /// `rho`.
    #[inline(always)]
    fn level(&self, class: usize, square: f64) -> f64 {
        (self.levels[class] + square).sqrt()
    }

    /// Adds the tile of `R` points from `point` on and `C` groups of columns from `group` on.
    #[inline(always)]
    unsafe fn tile<V: Register<T = f64>, const R: usize, const C: usize>(
        &self,
        panel: &PointPanel,
        point: usize,
        group: usize,
        packed: &PackedColumns,
        g: &[f64],
        state: &mut [f64],
    ) {
        let features = self.features;
        // SAFETY: the caller vouches for the instruction set and for `C` groups; the capacity of a panel is a
        // multiple of `R`, so rows beyond the last are stale but there, and their products are not used.
        unsafe {
            let mut sums = [[V::splat(0.0); C]; R];
            let left = panel.values.as_ptr().add(point * LANES);
            let right = packed.v.as_ptr().add(group * features * LANES);
            let left = |f: usize, r: usize| {
                left.wrapping_add(f / LANES * panel.stride * LANES + f % LANES + r * LANES)
            };
            let right = |f: usize, c: usize| right.wrapping_add((c * features + f) * LANES);
            accumulate::<V, R, C, false>(&mut sums, features, left, right);
            #[allow(clippy::needless_range_loop, reason = "a column of a tile, not a row")]
            for c in 0..C {
                let products: [V; R] = std::array::from_fn(|r| sums[r][c]);
                self.absorb(
                    &products[..R.min(panel.rows - point)],
                    panel,
                    point,
                    group + c,
                    packed,
                    g,
                    state,
                );
            }
        }
    }

    /// Adds the contribution of the products `p` of some points with one group of columns.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    unsafe fn absorb<V: Register<T = f64>>(
        &self,
        products: &[V],
        panel: &PointPanel,
        point: usize,
        group: usize,
        packed: &PackedColumns,
        g: &[f64],
        state: &mut [f64],
    ) {
        // SAFETY: the caller vouches for the instruction set; state and columns have room for whole groups.
        unsafe {
            let state = state.as_mut_ptr();
            let along_at = state.add(self.place(0, group));
            let skew_at = state.add(self.place(1, group));
            let (mut along, mut skew) = (V::load(along_at), V::load(skew_at));
            for (&p, &g) in products.iter().zip(&g[point..]) {
                along = p.mul_add(p, along);
                skew = p.mul_add(V::splat(g), skew);
            }
            along.store(along_at);
            skew.store(skew_at);
            if self.deviations {
                self.absorb_deviations(products, &g[point..], group, packed, state);
            }
            if !self.roots {
                return;
            }
            let first_at = state.add(self.place(2, group));
            let second_at = state.add(self.place(3, group));
            let (mut first, mut second) = (V::load(first_at), V::load(second_at));
            let square = V::load(packed.squares.as_ptr().add(group * LANES));
            let level = V::load(packed.levels.as_ptr().add(group * LANES));
            for (r, &p) in products.iter().enumerate() {
                let terms = V::splat(panel.squares[point + r]).add(square);
                let mut distance = p.mul_add(V::splat(2.0), terms);
                if distance.less(terms.mul(V::splat(NEAR))) != 0 {
                    distance = near(distance, terms, panel, point + r, packed, group, self.features);
                }
                let t = distance.sqrt().sub(level);
                first = first.add(t);
                second = t.mul_add(t, second);
            }
            first.store(first_at);
            second.store(second_at);
        }
    }

    /// Adds squared deviations from the means over the class, `g + 2 p` and `(alpha - beta) g - 2 beta p / w`.
    #[inline(always)]
    unsafe fn absorb_deviations<V: Register<T = f64>>(
        &self,
        products: &[V],
        g: &[f64],
        group: usize,
        packed: &PackedColumns,
        state: *mut f64,
    ) {
        let first = self.quantity_of_deviations();
        // SAFETY: as the caller vouches; state and columns have room for whole groups.
        unsafe {
            let (squares_at, costs_at) =
                (state.add(self.place(first, group)), state.add(self.place(first + 1, group)));
            let (mut squares, mut costs) = (V::load(squares_at), V::load(costs_at));
            let factor = V::load(packed.factors.as_ptr().add(group * LANES));
            let slope = V::load(packed.slopes.as_ptr().add(group * LANES));
            for (&p, &g) in products.iter().zip(g) {
                let g = V::splat(g);
                let square = p.mul_add(V::splat(2.0), g);
                squares = square.mul_add(square, squares);
                let cost = factor.mul(g).sub(slope.mul(p));
                costs = cost.mul_add(cost, costs);
            }
            squares.store(squares_at);
            costs.store(costs_at);
        }
    }

    #[inline(always)]
    unsafe fn tiles<V: Register<T = f64>, const R: usize, const C: usize>(
        &self,
        panel: &PointPanel,
        packed: &PackedColumns,
        g: &[f64],
        ahead: &mut Ahead,
        state: &mut [f64],
    ) {
        let bytes = panel.rows * self.features * size_of::<f64>();
        let tiles = panel.rows.div_ceil(R) * self.groups().div_ceil(C);
        assert!(panel.capacity.is_multiple_of(R) && state.len() == self.width());
        let groups = self.groups();
        let mut group = 0;
        while group < groups {
            let wide = group + C <= groups;
            let mut point = 0;
            while point < panel.rows {
                ahead.fetch(bytes / tiles);
                // SAFETY: as the caller vouches.
                unsafe {
                    if wide {
                        self.tile::<V, R, C>(panel, point, group, packed, g, state);
                    } else {
                        self.tile::<V, R, 1>(panel, point, group, packed, g, state);
                    }
                }
                point += R;
            }
            group += if wide { C } else { 1 };
        }
    }
}

/// `|z + v|^2` in the lanes where `r` is small compared with its terms.
#[cold]
#[inline(never)]
fn near_lanes(
    r: &mut [f64; LANES],
    terms: &[f64; LANES],
    panel: &PointPanel,
    row: usize,
    packed: &PackedColumns,
    group: usize,
    features: usize,
) {
    for (lane, (r, terms)) in r.iter_mut().zip(terms).enumerate() {
        if *r < NEAR * terms {
            *r = (0..features)
                .map(|f| {
                    let z = panel.values[(f / LANES * panel.stride + row) * LANES + f % LANES];
                    let v = packed.v[(group * features + f) * LANES + lane];
                    (z + v) * (z + v)
                })
                .sum();
        }
    }
}

#[inline(always)]
unsafe fn near<V: Register<T = f64>>(
    r: V,
    terms: V,
    panel: &PointPanel,
    row: usize,
    packed: &PackedColumns,
    group: usize,
    features: usize,
) -> V {
    let (mut numbers, mut sizes) = ([0.0; LANES], [0.0; LANES]);
    // SAFETY: the caller vouches for the instruction set; the arrays have eight places.
    unsafe {
        r.store(numbers.as_mut_ptr());
        terms.store(sizes.as_mut_ptr());
        near_lanes(&mut numbers, &sizes, panel, row, packed, group, features);
        V::load(numbers.as_ptr())
    }
}

impl Pass for TablePass<'_> {
    type Scratch = PackedColumns;

    fn scratch(&self) -> PackedColumns {
        let lanes = self.groups() * LANES;
        PackedColumns {
            v: Aligned::zeros(lanes * self.features),
            squares: Aligned::zeros(lanes),
            levels: Aligned::zeros(lanes),
            factors: Aligned::zeros(lanes),
            slopes: Aligned::zeros(lanes),
            row: Aligned::zeros(self.columns.padded),
        }
    }

    fn width(&self) -> usize {
        (1 + self.quantities() * self.groups()) * LANES
    }

    fn by_class(&self) -> bool {
        self.columns.count() > MANY
    }

    #[inline(always)]
    unsafe fn enter<I: Isa<T = f64>>(&self, class: usize, packed: &mut PackedColumns) {
        for column in 0..self.columns.count() {
            self.columns.offset(class, column, &mut packed.row);
            let (group, lane) = (column / LANES, column % LANES);
            for (f, v) in packed.row[..self.features].iter().enumerate() {
                packed.v[(group * self.features + f) * LANES + lane] = *v;
            }
            packed.squares[column] = self.columns.square(class, column);
            packed.levels[column] = self.level(class, packed.squares[column]);
            if self.deviations {
                let cost = self.columns.cost(class, column);
                packed.factors[column] = cost.factor;
                packed.slopes[column] = cost.slope;
            }
        }
    }

    #[inline(always)]
    unsafe fn add<I: Isa<T = f64>>(
        &self,
        class: usize,
        panel: &PointPanel,
        packed: &mut PackedColumns,
        ahead: &mut Ahead,
        state: &mut [f64],
    ) {
        let mut g = [0.0; ROWS];
        let g = &mut g[..panel.rows];
        for (g, square) in g.iter_mut().zip(panel.squares.iter()) {
            *g = square - self.levels[class];
            state[0] += *g;
            state[1] += *g * *g;
        }
        // SAFETY: the caller vouches for the instruction set.
        unsafe {
            if I::M == 1 {
                self.tiles::<I::Group, 8, 2>(panel, packed, g, ahead, state);
            } else {
                self.tiles::<I::Group, 4, 1>(panel, packed, g, ahead, state);
            }
        }
    }
}
