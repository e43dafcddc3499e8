//! Groups of competitors, each of which has the same colour in all figures.

use clmatch::measure::Kind;

/// All groups, in the order of their colours.
pub(crate) const GROUPS: [&str; 6] =
    ["standard", "adjusted", "corrected", "headline", "classifiers", "clustering ensemble"];
/// The index of the classifiers.
pub(crate) const CLASSIFIERS: usize = 4;
/// The index of the clustering techniques taken together.
pub(crate) const CLUSTERING: usize = 5;

/// The group of a kind of measure.
pub(crate) const fn group(kind: Kind) -> usize {
    match kind {
        Kind::Standard => 0,
        Kind::Adjusted => 1,
        Kind::Corrected => 2,
        Kind::Own => 3,
    }
}

/// The names of the groups of measures, for a legend.
pub(crate) fn measures() -> Vec<String> {
    GROUPS[..CLASSIFIERS].iter().map(|&name| name.to_owned()).collect()
}
