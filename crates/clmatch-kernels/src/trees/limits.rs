//! What the tree so far says about edges that have not been examined yet.

use crate::simd::cross::{COLUMNS, PackedSide};

use crate::trees::tree::{Minimax, Tree};

/// How many rows a panel has.
pub(crate) const ROWS: usize = crate::simd::ROWS;

/// Limits on the minimax of rows and columns: the minimax of x and y is at most the largest of the limit of x, the limit of
/// y, and the limit of the first points of their panels.
pub(crate) struct TreeLimits {
    minimax: Minimax,
    /// How many rows there are, which is also the index of the first column's point.
    first_column: u32,
    /// The minimax of each row and the first point of its panel, padded to whole panels.
    pub(crate) rows: Vec<f64>,
    pub(crate) columns: Vec<f64>,
    /// The largest limit in each panel.
    row_panels: Vec<f64>,
    column_panels: Vec<f64>,
}

impl TreeLimits {
    /// The limits by a tree of the rows 0 .. n and the columns n .. n + m.
    pub(crate) fn of(tree: &Tree, first_column: usize, [rows, columns]: [&PackedSide; 2]) -> TreeLimits {
        let minimax = Minimax::of(tree);
        let side = |first: usize, end: usize, padded: usize, width: usize| {
            let mut limits = vec![0.0; padded];
            for (at, limit) in limits[..end - first].iter_mut().enumerate() {
                *limit = minimax.between((first + at) as u32, (first + at - at % width) as u32);
            }
            let largest = |panel: &[f64]| panel.iter().copied().fold(0.0, f64::max);
            let panels = limits.chunks_exact(width).map(largest).collect::<Vec<f64>>();
            (limits, panels)
        };
        let (row_limits, row_panels) = side(0, first_column, rows.padded(), ROWS);
        let (column_limits, column_panels) = side(first_column, tree.n_points(), columns.padded(), COLUMNS);
        TreeLimits {
            minimax,
            first_column: first_column as u32,
            rows: row_limits,
            columns: column_limits,
            row_panels,
            column_panels,
        }
    }

    /// The minimax of a row and a column.
    pub(crate) fn between(&self, row: u32, column: u32) -> f64 {
        self.minimax.between(row, self.first_column + column)
    }

    /// The limit of the first points of two panels.
    pub(crate) fn of_panels(&self, row_panel: usize, column_panel: usize) -> f64 {
        self.between((row_panel * ROWS) as u32, (column_panel * COLUMNS) as u32)
    }

    /// The largest limit in a tile; `first` is the limit of its first points.
    pub(crate) fn of_tile(&self, row_panel: usize, column_panel: usize, first: f64) -> f64 {
        first.max(self.row_panels[row_panel]).max(self.column_panels[column_panel])
    }
}

/// Balls around the points of each panel: points of two panels are at least as far apart as their balls.
pub(crate) struct Balls {
    centres: Vec<f64>,
    radii: Vec<f64>,
    features: usize,
}

impl Balls {
    /// The balls of points that are packed in panels of `width`.
    pub(crate) fn of<'a>(
        points: impl ExactSizeIterator<Item = &'a [f64]> + Clone,
        features: usize,
        width: usize,
    ) -> Balls {
        let panels = points.len().div_ceil(width);
        let (mut centres, mut radii) = (vec![0.0; panels * features], vec![0.0_f64; panels]);
        let mut counts = vec![0.0; panels];
        for (at, point) in points.clone().enumerate() {
            let centre = &mut centres[at / width * features..][..features];
            centre.iter_mut().zip(point).for_each(|(sum, x)| *sum += x);
            counts[at / width] += 1.0;
        }
        for (centre, count) in centres.chunks_exact_mut(features).zip(&counts) {
            centre.iter_mut().for_each(|sum| *sum /= count);
        }
        for (at, point) in points.enumerate() {
            let centre = &centres[at / width * features..][..features];
            let radius = &mut radii[at / width];
            *radius = radius.max(crate::simd::sums::squared_distance(point, centre));
        }
        radii.iter_mut().for_each(|radius| *radius = radius.sqrt());
        Balls { centres, radii, features }
    }

    /// A lower bound on the squared distance between any point of a panel and any point of the other one.
    pub(crate) fn apart(&self, panel: usize, other: &Balls, other_panel: usize) -> f64 {
        /// Far more than the rounding of centres, radii and distances.
        const ROUNDING: f64 = 1e-9;
        let centre = |balls: &Balls, panel: usize| panel * balls.features..(panel + 1) * balls.features;
        let square = crate::simd::sums::squared_distance(
            &self.centres[centre(self, panel)],
            &other.centres[centre(other, other_panel)],
        );
        let distance = square.sqrt();
        let gap = distance - (self.radii[panel] + other.radii[other_panel]) - ROUNDING * distance;
        if gap > 0.0 { gap * gap } else { 0.0 }
    }
}
