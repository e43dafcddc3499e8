//! One pair of classes: its numbers, and its points along the line that separates it.

use crate::charts::page::{PairScatter, PairSide};
use clmatch_analysis::explanation::{ExplainedFeature, ExplainedPair};
use clmatch_analysis::report_data::{PairLine, PairPlane, PlacedClass};

use crate::pages::markup::Markup;
use crate::pages::text::{counted, percent, sentence, thousands, three};

/// How many features are named.
const NAMED: usize = 3;

/// What a page shows of a pair.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PairPanel {
    pub(crate) a: String,
    pub(crate) b: String,
    pub(crate) score: String,
    pub(crate) sentence: String,
    pub(crate) facts: Vec<(&'static str, String)>,
    pub(crate) chart: Markup,
    pub(crate) caption: String,
}

impl PairPanel {
    pub(crate) fn new(pair: &ExplainedPair, plane: &PairPlane) -> Self {
        PairPanel {
            a: pair.a.clone(),
            b: pair.b.clone(),
            score: three(pair.clm),
            sentence: looks(pair),
            facts: facts(pair),
            chart: Markup::chart(chart(pair, plane)),
            caption: caption(plane),
        }
    }
}

fn looks(pair: &ExplainedPair) -> String {
    let verdict = pair.verdict.sentence();
    let fails: Vec<&str> = pair.fails.iter().map(|term| term.failure()).collect();
    let why = match fails.split_last() {
        None => String::new(),
        Some((last, [])) => format!(": {last}"),
        Some((last, first)) => format!(": {} and {last}", first.join(", ")),
    };
    sentence(&format!("{verdict}{why}"))
}

fn facts(pair: &ExplainedPair) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("clm of the two", three(pair.clm)),
        ("apart along a line", three(pair.terms.eta)),
        ("a gap between them", three(pair.terms.kappa)),
        ("neighbours share labels", three(pair.terms.nu)),
        (
            "closer to the other",
            format!("{} and {}", percent(pair.a_closer_to_b), percent(pair.b_closer_to_a)),
        ),
    ];
    facts.extend(pair.clm_if_merged.map(|clm| ("clm of all if merged", three(clm))));
    let features = names(&pair.separated_by);
    if !features.is_empty() {
        facts.push(("separated by", features));
    }
    facts
}

fn names(features: &[ExplainedFeature]) -> String {
    let name = |feature: &ExplainedFeature| format!("{} {}", feature.feature, percent(feature.share_between));
    features.iter().take(NAMED).map(name).collect::<Vec<_>>().join(", ")
}

fn chart(pair: &ExplainedPair, plane: &PairPlane) -> String {
    let side = |class: &PlacedClass, counts: &[usize]| PairSide {
        name: class.class.clone(),
        points: class.points.iter().map(|point| (point.x, point.y)).collect(),
        counts: counts.to_vec(),
    };
    PairScatter {
        sides: [side(&plane.a, &plane.counts[0]), side(&plane.b, &plane.counts[1])],
        bins: plane.bins,
        axis: match plane.line {
            PairLine::Discriminant => "along the line that separates the two (scaled units)".to_owned(),
            PairLine::Centres => "along the line between the two centres (scaled units)".to_owned(),
        },
        label: format!(
            "Points of {} and {} along the line that separates them: {}",
            pair.a,
            pair.b,
            pair.verdict.name()
        ),
    }
    .svg()
}

fn caption(plane: &PairPlane) -> String {
    let shown = plane.a.points.len() + plane.b.points.len();
    let line = match plane.line {
        PairLine::Discriminant => {
            "The line is the regularised discriminant of one half of the points; only points of the other half are shown, \
             so the picture does not overstate the gap"
        }
        PairLine::Centres => "The line joins the centres of the two classes: one has fewer than 20 points",
    };
    let up = if plane.has_second {
        "the direction of largest spread beside the line"
    } else {
        "nothing (there is one feature only)"
    };
    format!(
        "Above, how many of the points lie where along the line; below, the points themselves; vertical: {up}. {line} \
         ({} of {}).",
        thousands(shown),
        counted(plane.of, "point")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use clmatch::ClmTerms;
    use clmatch::diagnose::{PairVerdict, Term};

    #[test]
    fn every_verdict_has_its_own_sentence() {
        let said = |verdict: PairVerdict, fails: &[Term]| {
            looks(&ExplainedPair {
                a: "a".into(),
                b: "b".into(),
                verdict,
                clm: 0.5,
                terms: ClmTerms::new(0.5, 0.5, 0.5),
                a_closer_to_b: 0.1,
                b_closer_to_a: 0.1,
                fails: fails.to_vec(),
                clm_if_merged: None,
                separated_by: Vec::new(),
                scatter_only: Vec::new(),
            })
        };
        assert_eq!(said(PairVerdict::Separate, &[]), "The two are separate.");
        assert_eq!(said(PairVerdict::Touching, &[Term::Tree]), "The two touch: no gap runs between them.");
        assert_eq!(
            said(PairVerdict::Overlapping, &[Term::Line, Term::Neighbours]),
            "The two overlap: they do not lie apart along a line and neighbours have different labels."
        );
        assert_eq!(said(PairVerdict::OneCluster, &[]), "The two look like one cluster.");
    }
}
