//! The paper's table of the within-dataset analysis.

/// A mean and a standard deviation over datasets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CorrelationSpread {
    pub(super) mean: f64,
    pub(super) deviation: f64,
}

/// A standard measure and its adjusted form in the paper.
pub(super) struct Published {
    pub(super) standard: &'static str,
    pub(super) adjusted: &'static str,
    /// The columns: standard against adjusted, noise against standard, noise against adjusted.
    pub(super) columns: [CorrelationSpread; 3],
}

/// What the columns compare.
pub(super) const COLUMNS: [&str; 3] =
    ["standard against adjusted", "noise against standard", "noise against adjusted"];

/// Jeon et al., TPAMI 2025 (96 datasets).
pub(super) const TABLE: [Published; 6] = [
    published("ch", "ch_a", [(0.848, 0.263), (0.876, 0.296), (0.879, 0.277)]),
    published("di", "di_a", [(0.253, 0.429), (0.451, 0.335), (0.381, 0.727)]),
    published("ii", "xb_a", [(0.825, 0.296), (0.857, 0.284), (0.881, 0.307)]),
    published("xb", "xb_a", [(0.820, 0.308), (0.832, 0.341), (0.881, 0.307)]),
    published("db", "db_a", [(0.855, 0.257), (0.884, 0.268), (0.876, 0.294)]),
    published("sc", "sc_a", [(0.515, 0.574), (0.530, 0.601), (0.878, 0.322)]),
];

const fn published(standard: &'static str, adjusted: &'static str, columns: [(f64, f64); 3]) -> Published {
    let [a, b, c] = columns;
    Published { standard, adjusted, columns: [spread(a), spread(b), spread(c)] }
}

const fn spread((mean, deviation): (f64, f64)) -> CorrelationSpread {
    CorrelationSpread { mean, deviation }
}
