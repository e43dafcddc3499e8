//! The main findings about a dataset, in two or three sentences that claim no more than the numbers do.

use clmatch::diagnose::PairVerdict;

use crate::evidence::Rescaled;

use super::{ExplainedClass, ExplainedDataset, ExplainedPair, LabelChange};

/// At most this many pairs or classes are named.
const NAMED: usize = 3;
/// The share of all points whose neighbours disagree above which a sentence says so.
const WORTH_SAYING: f64 = 0.01;

/// A sentence on classes, one on single points and one on the neighbours of other points, each if there is something to say, and
/// one on what would help.
pub(super) fn sentences(explained: &ExplainedDataset) -> Vec<String> {
    let classes = format!("{} {}", pairs(explained), clusters(&explained.class_clusters));
    let points = points(explained).into_iter().chain(outvoted(explained));
    std::iter::once(classes).chain(points).chain([help(explained)]).chain(scaling(explained)).collect()
}

/// What another scaling achieves.
fn scaling(explained: &ExplainedDataset) -> Option<String> {
    let Rescaled { scale, clm, .. } = explained.better_scaled.as_ref()?;
    Some(format!("With --scale {scale}, clm rises from {:.3} to {clm:.3}.", explained.clm))
}

fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// `a, b and c`, or `a, b, c and 4 more`.
fn listed(names: &[String]) -> String {
    let hidden = names.len().saturating_sub(NAMED);
    let mut shown: Vec<String> = names.iter().take(NAMED).cloned().collect();
    if hidden > 0 {
        shown.push(format!("{hidden} more"));
    }
    enumerated(&shown)
}

fn names(pairs: &[&ExplainedPair]) -> String {
    let both = |pair: &&ExplainedPair| format!("{} | {}", pair.a, pair.b);
    listed(&pairs.iter().map(both).collect::<Vec<_>>())
}

/// Which pairs are not two clusters.
fn pairs(explained: &ExplainedDataset) -> String {
    let of = |verdict: PairVerdict| -> Vec<&ExplainedPair> {
        explained.pairs.iter().filter(|pair| pair.verdict == verdict).collect()
    };
    let all = explained.pairs.len();
    let worst = [
        (PairVerdict::OneCluster, ["looks like a single cluster", "look like a single cluster"]),
        (PairVerdict::Overlapping, ["overlaps", "overlap"]),
        (PairVerdict::Touching, ["touches", "touch"]),
    ];
    let found: Vec<(Vec<&ExplainedPair>, [&str; 2])> = worst
        .into_iter()
        .map(|(verdict, words)| (of(verdict), words))
        .filter(|(pairs, _)| !pairs.is_empty())
        .collect();
    let Some(((first, verb), others)) = found.split_first() else {
        return match all {
            1 => "The two classes are separate.".to_owned(),
            _ => format!("All {all} pairs of classes are separate."),
        };
    };
    let how_many = |pairs: &[&ExplainedPair], [one, many]: [&str; 2]| match pairs.len() {
        1 => format!("one {one}"),
        count => format!("{count} {many}"),
    };
    if all == 1 {
        return format!("The two classes {}.", verb[1]);
    }
    let named = format!("{} ({})", how_many(first, *verb), names(first));
    let found = std::iter::once(named).chain(others.iter().map(|(pairs, verb)| how_many(pairs, *verb)));
    format!("Of the {all} pairs of classes, {}.", enumerated(&found.collect::<Vec<_>>()))
}

/// `a`, `a and b`, `a, b and c`.
fn enumerated(items: &[String]) -> String {
    match items.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, first)) => format!("{} and {last}", first.join(", ")),
        None => String::new(),
    }
}

/// Which classes are several clusters.
fn clusters(classes: &[ExplainedClass]) -> String {
    let several: Vec<String> = classes
        .iter()
        .filter(|class| class.clusters.len() > 1)
        .map(|class| format!("{} ({})", class.class, class.clusters.len()))
        .collect();
    match several.len() {
        0 => "Every class looks like one cluster.".to_owned(),
        1 => format!("One class looks like several clusters: {}.", several[0]),
        count => format!("{count} classes look like several clusters each: {}.", listed(&several)),
    }
}

fn share(count: usize, explained: &ExplainedDataset) -> String {
    let share = 100.0 * count as f64 / explained.points as f64;
    if share < 0.1 { "less than 0.1%".to_owned() } else { format!("{share:.1}%") }
}

/// How many points have neighbours that disagree with the model of labels, if that is worth a sentence.
fn outvoted(explained: &ExplainedDataset) -> Option<String> {
    let count = explained.outvoted;
    (count as f64 >= WORTH_SAYING * explained.points as f64 && count > 0).then(|| {
        let more = if explained.mislabelled.is_empty() { "" } else { "more " };
        let (points, have) = if count == 1 { ("point", "has") } else { ("points", "have") };
        format!(
            "{count} {more}{points} ({}) {have} neighbours most of which share another label: classes overlap there, or \
             labels near their border are wrong.",
            share(count, explained)
        )
    })
}

/// What is wrong with single points, if anything.
fn points(explained: &ExplainedDataset) -> Option<String> {
    let share = |count: usize| share(count, explained);
    let (wrong, far) = (explained.mislabelled.len(), explained.outliers.len());
    let verb = |count: usize, one: &'static str, many: &'static str| if count == 1 { one } else { many };
    let mislabelled = (wrong > 0).then(|| {
        format!("{} ({}) {} mislabelled", counted(wrong, "point"), share(wrong), verb(wrong, "looks", "look"))
    });
    let outliers = (far > 0).then(|| {
        let lies = verb(far, "lies", "lie");
        match wrong {
            0 => format!("{} ({}) {lies} far from every class", counted(far, "point"), share(far)),
            _ => format!("{far} {lies} far from every class"),
        }
    });
    let both: Vec<String> = mislabelled.into_iter().chain(outliers).collect();
    (!both.is_empty()).then(|| format!("{}.", both.join(", and ")))
}

/// Which change raises the score most.
fn help(explained: &ExplainedDataset) -> String {
    let Some(best) = explained.actions.first() else {
        return format!(
            "No change to the labels is suggested: none raises clm ({:.3}) on both halves of the points.",
            explained.clm
        );
    };
    let what = match &best.change {
        LabelChange::Merge([a, b]) => format!("merge {a} and {b}"),
        LabelChange::Split(class) => format!("split {class} into its clusters"),
        LabelChange::DropRows(rows) => format!("leave out the {}", counted(rows.len(), "suspicious row")),
    };
    format!(
        "Best change found: {what}. It raises clm from {:.3} to {:.3}, and holds on both halves of the points.",
        explained.clm, best.clm
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explanation::{MislabelledPoint, OutlierPoint, SCHEMA, ShownCells};
    use clmatch::ClmTerms;
    use clmatch_data::Scale;

    #[test]
    fn lists_are_short() {
        let names = |count: usize| (0..count).map(|at| format!("c{at}")).collect::<Vec<_>>();
        assert_eq!(listed(&names(1)), "c0");
        assert_eq!(listed(&names(2)), "c0 and c1");
        assert_eq!(listed(&names(3)), "c0, c1 and c2");
        assert_eq!(listed(&names(6)), "c0, c1, c2 and 3 more");
    }

    /// A dataset with pairs of these verdicts and these numbers of points, mislabelled ones and outliers.
    fn explained(verdicts: &[PairVerdict], [points, mislabelled, outliers]: [usize; 3]) -> ExplainedDataset {
        let pair = |(at, &verdict): (usize, &PairVerdict)| ExplainedPair {
            a: format!("a{at}"),
            b: format!("b{at}"),
            verdict,
            clm: 0.5,
            terms: ClmTerms::new(0.5, 0.5, 0.5),
            a_closer_to_b: 0.0,
            b_closer_to_a: 0.0,
            fails: Vec::new(),
            clm_if_merged: None,
            separated_by: Vec::new(),
            scatter_only: Vec::new(),
        };
        let shown = ShownCells::default;
        let wrong = MislabelledPoint {
            row: 1,
            label: "a".into(),
            suggested: "b".into(),
            probability: 0.9,
            shown: shown(),
        };
        let far = OutlierPoint { row: 1, label: "a".into(), distance: 4.0, shown: shown() };
        ExplainedDataset {
            schema: SCHEMA.to_owned(),
            version: String::new(),
            dataset: String::new(),
            label: None,
            points,
            features: 2,
            features_used: Vec::new(),
            classes: 2,
            scale: Scale::default(),
            seed: 0,
            clm: 0.5,
            summary: Vec::new(),
            pairs: verdicts.iter().enumerate().map(pair).collect(),
            class_clusters: Vec::new(),
            mislabelled: vec![wrong; mislabelled],
            outvoted: 0,
            outliers: vec![far; outliers],
            feature_shares: Vec::new(),
            actions: Vec::new(),
            better_scaled: None,
            notes: Vec::new(),
        }
    }

    #[test]
    fn pairs_that_are_no_two_clusters_are_named() {
        use PairVerdict::{OneCluster, Overlapping, Separate, Touching};
        let said = |verdicts: &[PairVerdict]| pairs(&explained(verdicts, [100, 0, 0]));
        assert_eq!(said(&[Separate]), "The two classes are separate.");
        assert_eq!(said(&[Separate; 3]), "All 3 pairs of classes are separate.");
        assert_eq!(said(&[OneCluster]), "The two classes look like a single cluster.");
        assert_eq!(said(&[Overlapping]), "The two classes overlap.");
        assert_eq!(said(&[Touching]), "The two classes touch.");
        assert_eq!(
            said(&[Touching, Separate, Separate]),
            "Of the 3 pairs of classes, one touches (a0 | b0)."
        );
        assert_eq!(
            said(&[Overlapping, Overlapping, Touching]),
            "Of the 3 pairs of classes, 2 overlap (a0 | b0 and a1 | b1) and one touches."
        );
        assert_eq!(
            said(&[OneCluster, Touching, Touching]),
            "Of the 3 pairs of classes, one looks like a single cluster (a0 | b0) and 2 touch."
        );
    }

    #[test]
    fn single_points_are_counted() {
        let said = |counts: [usize; 3]| points(&explained(&[], counts));
        assert_eq!(said([100, 0, 0]), None);
        assert_eq!(said([1000, 1, 0]).as_deref(), Some("1 point (0.1%) looks mislabelled."));
        assert_eq!(said([1001, 1, 0]).as_deref(), Some("1 point (less than 0.1%) looks mislabelled."));
        assert_eq!(said([200, 0, 1]).as_deref(), Some("1 point (0.5%) lies far from every class."));
        let both = "3 points (1.5%) look mislabelled, and 2 lie far from every class.";
        assert_eq!(said([200, 3, 2]).as_deref(), Some(both));
    }

    #[test]
    fn neighbours_that_disagree_are_mentioned() {
        let said = |count: usize, mislabelled: usize| {
            outvoted(&ExplainedDataset { outvoted: count, ..explained(&[], [200, mislabelled, 0]) })
        };
        assert_eq!(said(1, 0), None, "less than 1%");
        let expected = "2 points (1.0%) have neighbours most of which share another label: classes overlap there, or \
                        labels near their border are wrong.";
        assert_eq!(said(2, 0).as_deref(), Some(expected));
        assert!(said(2, 3).unwrap().starts_with("2 more points (1.0%) have"));
    }

    #[test]
    fn classes_of_several_clusters_are_named() {
        let class = |name: &str, count: usize| ExplainedClass {
            class: name.to_owned(),
            points: 50,
            clusters: vec![super::super::ExplainedCluster { points: 25, typical_row: 1 }; count],
            clm_if_split: None,
        };
        assert_eq!(clusters(&[class("a", 1)]), "Every class looks like one cluster.");
        assert_eq!(
            clusters(&[class("a", 1), class("b", 2)]),
            "One class looks like several clusters: b (2)."
        );
        let both = clusters(&[class("a", 3), class("b", 2)]);
        assert_eq!(both, "2 classes look like several clusters each: a (3) and b (2).");
    }
}
