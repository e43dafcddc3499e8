//! What the score consists of: three questions about pairs of classes, and about all classes at once.

use clmatch_analysis::Scored;

use crate::charts::page::bar;
use crate::pages::markup::Markup;
use crate::pages::text::three;

/// A half of the score.
pub(crate) struct HalfView {
    pub(crate) title: &'static str,
    pub(crate) value: String,
    pub(crate) terms: Vec<TermView>,
}

/// One of the three questions.
pub(crate) struct TermView {
    pub(crate) name: &'static str,
    pub(crate) value: String,
    pub(crate) bar: Markup,
    pub(crate) question: &'static str,
}

fn term(name: &'static str, value: f64, question: &'static str) -> TermView {
    TermView { name, value: three(value), bar: Markup::chart(bar(value)), question }
}

/// The halves that are known.
pub(super) fn views(scored: &Scored) -> Vec<HalfView> {
    let Some(halves) = scored.terms else { return Vec::new() };
    let terms = halves.of_pairs;
    let pairs = HalfView {
        title: "Pairs of classes, on average",
        value: three(halves.pairs),
        terms: vec![
            term("line", terms.eta, "Do the two lie apart along the line between their centres?"),
            term("tree", terms.kappa, "Does a gap run between the two?"),
            term("neighbours", terms.nu, "Do nearest neighbours share their labels?"),
        ],
    };
    let all = halves.all.zip(halves.of_all).map(|(value, terms)| HalfView {
        title: "All classes at once",
        value: three(value),
        terms: vec![
            term("line", terms.lambda, "Would k-means keep the classes?"),
            term("tree", terms.kappa, "Do gaps of the same width part all classes?"),
            term("neighbours", terms.nu, "Do nearest neighbours share their labels?"),
        ],
    });
    std::iter::once(pairs).chain(all).collect()
}
