//! Squared Euclidean distances from one point to many, by differences: exact to rounding wherever the points lie.
//!
//! The many are packed in panels of [`LANES`] points, feature after feature, so that a vector register holds one
//! feature of eight points. Compiled for AVX-512, AVX2 and the plain instruction set, chosen at run time; written here
//! because products of matrices (`|x|^2 - 2 x.y + |y|^2`) lose the small distances that density techniques live on.
#![allow(unsafe_code)]

/// Points in a panel.
pub(crate) const LANES: usize = 8;
/// Queries that share panels in [`Panels::squared_distances_of`].
pub(crate) const QUERIES: usize = 16;
/// Bytes of panels that stay in the cache for several queries.
const CACHED: usize = 256 << 10;

/// Points packed for [`Panels::squared_distances`]. Memory: O(n d).
#[derive(Debug, Clone)]
pub(crate) struct Panels {
    /// Panel after panel, feature after feature, lane after lane; missing points of the last panel are 0.
    values: Vec<f64>,
    rows: usize,
    features: usize,
}

impl Panels {
    /// Packs rows of `features` numbers.
    pub(crate) fn new<'a>(rows: impl ExactSizeIterator<Item = &'a [f64]>, features: usize) -> Self {
        let count = rows.len();
        let mut values = vec![0.0; count.div_ceil(LANES) * LANES * features];
        for (at, row) in rows.enumerate() {
            let panel = &mut values[at / LANES * LANES * features..][..LANES * features];
            for (feature, &value) in row.iter().enumerate() {
                panel[feature * LANES + at % LANES] = value;
            }
        }
        Panels { values, rows: count, features }
    }

    /// How many points are packed.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Numbers that [`Panels::squared_distances`] writes: the points, rounded up to whole panels.
    pub(crate) fn padded(&self) -> usize {
        self.rows.next_multiple_of(LANES)
    }

    /// Writes the squared distance of `query` to each point; the numbers after the last point mean nothing.
    ///
    /// Time: O(n d).
    pub(crate) fn squared_distances(&self, query: &[f64], squares: &mut [f64]) {
        self.squared_distances_from(0, query, squares);
    }

    /// The same for the points from panel `first` on.
    pub(crate) fn squared_distances_from(&self, first: usize, query: &[f64], squares: &mut [f64]) {
        let values = &self.values[first * LANES * self.features..];
        assert_eq!(query.len(), self.features);
        squares_to(values, query, &mut squares[..values.len() / self.features]);
    }
}

/// Squared distances of a query to whole panels, by the best instructions there are.
fn squares_to(values: &[f64], query: &[f64], squares: &mut [f64]) {
    #[cfg(target_arch = "x86_64")]
    match instructions() {
        // SAFETY: the processor has these instructions.
        Instructions::Avx512 => return unsafe { squares_avx512(values, query, squares) },
        // SAFETY: the processor has these instructions.
        Instructions::Avx2 => return unsafe { squares_avx2(values, query, squares) },
        Instructions::Plain => {}
    }
    squares_of(values, query, squares, |a, b, c| a * b + c);
}

impl Panels {
    /// [`Panels::squared_distances_from`] for several queries, each with its own row of `squares`: some panels at a time
    /// serve all queries from the cache.
    ///
    /// Time: O(n d) for each query. Memory traffic: O(n d) for all of them.
    pub(crate) fn squared_distances_of<'q>(
        &self,
        first: usize,
        queries: &(impl Iterator<Item = &'q [f64]> + Clone),
        squares: &mut [f64],
    ) {
        let (count, width) = (self.padded() / LANES, self.padded() - first * LANES);
        let panel = LANES * self.features;
        let step = (CACHED / (panel * size_of::<f64>())).next_multiple_of(4).max(4);
        for start in (first..count).step_by(step) {
            let end = (start + step).min(count);
            let values = &self.values[start * panel..end * panel];
            let place = (start - first) * LANES..(end - first) * LANES;
            for (query, squares) in queries.clone().zip(squares.chunks_exact_mut(width)) {
                assert_eq!(query.len(), self.features);
                squares_to(values, query, &mut squares[place.clone()]);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
enum Instructions {
    Avx512,
    Avx2,
    Plain,
}

/// What this processor has.
#[cfg(target_arch = "x86_64")]
fn instructions() -> Instructions {
    let fused = std::arch::is_x86_feature_detected!("fma");
    if fused && std::arch::is_x86_feature_detected!("avx512f") {
        Instructions::Avx512
    } else if fused && std::arch::is_x86_feature_detected!("avx2") {
        Instructions::Avx2
    } else {
        Instructions::Plain
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,fma")]
fn squares_avx512(values: &[f64], query: &[f64], squares: &mut [f64]) {
    squares_of(values, query, squares, f64::mul_add);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn squares_avx2(values: &[f64], query: &[f64], squares: &mut [f64]) {
    squares_of(values, query, squares, f64::mul_add);
}

/// One step of Prim's algorithm on points that are not in the tree yet: where `max(squares, cores, core)` is below
/// `best`, it becomes the best and `source` its source. Returns the first place of the smallest best.
///
/// Time: O(n).
pub(crate) fn relax(
    squares: &[f64],
    cores: &[f64],
    core: f64,
    source: u32,
    best: &mut [f64],
    sources: &mut [u32],
) -> usize {
    #[cfg(target_arch = "x86_64")]
    match instructions() {
        // SAFETY: the processor has these instructions.
        Instructions::Avx512 => return unsafe { relax_avx512(squares, cores, core, source, best, sources) },
        // SAFETY: the processor has these instructions.
        Instructions::Avx2 => return unsafe { relax_avx2(squares, cores, core, source, best, sources) },
        Instructions::Plain => {}
    }
    relax_any(squares, cores, core, source, best, sources)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,fma")]
fn relax_avx512(
    s: &[f64],
    cores: &[f64],
    core: f64,
    source: u32,
    best: &mut [f64],
    sources: &mut [u32],
) -> usize {
    relax_any(s, cores, core, source, best, sources)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn relax_avx2(
    s: &[f64],
    cores: &[f64],
    core: f64,
    source: u32,
    best: &mut [f64],
    sources: &mut [u32],
) -> usize {
    relax_any(s, cores, core, source, best, sources)
}

#[inline(always)]
fn relax_any(
    squares: &[f64],
    cores: &[f64],
    core: f64,
    source: u32,
    best: &mut [f64],
    sources: &mut [u32],
) -> usize {
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

/// Four panels at a time, so that the sums of one do not wait for each other.
#[inline(always)]
fn squares_of(
    values: &[f64],
    query: &[f64],
    squares: &mut [f64],
    fused: impl Fn(f64, f64, f64) -> f64 + Copy,
) {
    let panel = LANES * query.len();
    let mut groups = values.chunks_exact(4 * panel);
    let mut outs = squares.chunks_exact_mut(4 * LANES);
    for (group, out) in groups.by_ref().zip(outs.by_ref()) {
        let (a, rest) = group.split_at(panel);
        let (b, rest) = rest.split_at(panel);
        let (c, d) = rest.split_at(panel);
        let mut sums = [[0.0_f64; LANES]; 4];
        let columns = a.chunks_exact(LANES).zip(b.chunks_exact(LANES));
        let columns = columns.zip(c.chunks_exact(LANES).zip(d.chunks_exact(LANES)));
        for (&x, ((a, b), (c, d))) in query.iter().zip(columns) {
            for (sums, column) in sums.iter_mut().zip([a, b, c, d]) {
                for (sum, y) in sums.iter_mut().zip(column) {
                    let difference = x - y;
                    *sum = fused(difference, difference, *sum);
                }
            }
        }
        for (out, sums) in out.chunks_exact_mut(LANES).zip(&sums) {
            out.copy_from_slice(sums);
        }
    }
    let out = outs.into_remainder();
    for (panel, out) in groups.remainder().chunks_exact(panel).zip(out.chunks_exact_mut(LANES)) {
        let mut sums = [0.0_f64; LANES];
        for (&x, column) in query.iter().zip(panel.chunks_exact(LANES)) {
            for (sum, y) in sums.iter_mut().zip(column) {
                let difference = x - y;
                *sum = fused(difference, difference, *sum);
            }
        }
        out.copy_from_slice(&sums);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_sizes_agree_with_the_definition() {
        for rows in [1, 7, 8, 9, 31, 32, 33, 70] {
            for features in [1, 2, 5, 17] {
                let values: Vec<f64> =
                    (0..rows * features).map(|i| (i * i % 97) as f64 * 0.37 - 11.0).collect();
                let panels = Panels::new(values.chunks_exact(features), features);
                let query = &values[(rows / 2) * features..][..features];
                let mut squares = vec![f64::NAN; panels.padded() + 3];
                panels.squared_distances(query, &mut squares);
                for (row, square) in values.chunks_exact(features).zip(&squares) {
                    let direct: f64 = row.iter().zip(query).map(|(a, b)| (a - b) * (a - b)).sum();
                    assert!((square - direct).abs() <= 1e-12 * direct, "{rows} x {features}");
                }
                assert_eq!(squares[rows / 2], 0.0);
                assert!(squares[panels.padded()..].iter().all(|square| square.is_nan()));
                let mut later = vec![f64::NAN; panels.padded() + 100];
                panels.squared_distances_from(rows / LANES, query, &mut later);
                assert_eq!(later[..rows % LANES], squares[rows / LANES * LANES..rows]);
                for first in [0, rows / LANES / 2] {
                    let queries = values.chunks_exact(features);
                    let width = panels.padded() - first * LANES;
                    let mut all = vec![f64::NAN; rows * width];
                    panels.squared_distances_of(first, &queries, &mut all);
                    assert_eq!(all[rows / 2 * width..][..rows - first * LANES], squares[first * LANES..rows]);
                }
            }
        }
    }
}
