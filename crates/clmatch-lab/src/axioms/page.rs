//! The table of axioms, counterexamples and theorems.

use clmatch::Measure;
use clmatch::measure::{Axiom, Kind, REGISTRY, Verdict};
use clmatch_render::number::significant;
use clmatch_render::{csv, markdown};

use super::claimed;
use super::counterexamples::{Counterexample, SHIFT, four_points, of_consistency, of_shift};
use super::theorems::{Shift, shifts};
use crate::claims::Claim;
use crate::failure::Failure;
use crate::findings::{File, Findings};
use crate::names;

/// Checks everything anew.
///
/// # Errors
/// None that data could cause, because the points are fixed.
pub fn findings() -> Result<Findings, Failure> {
    let (consistency, shift) = (of_consistency()?, of_shift()?);
    let theorems = shifts(SHIFT);
    let against = contradictions();
    Ok(Findings {
        name: "axioms",
        reading: None,
        title: "Axioms: what holds, and the smallest counterexamples".into(),
        summary: format!(
            "of {} verdicts that the paper gives, {} are contradicted by a counterexample, and {} hold only as classes grow",
            verdicts().count(),
            against.len(),
            verdicts()
                .filter(|(measure, axiom, says)| *says && measure.axioms.verdict(*axiom) == Verdict::Limit)
                .count()
        ),
        claims: claims(&consistency, &shift, &theorems, &against),
        page: page(&consistency, &shift, &theorems),
        files: vec![File { name: "axioms.csv".into(), text: raw() }],
    })
}

/// All combinations of a measure and an axiom that the paper makes a statement about.
fn verdicts() -> impl Iterator<Item = (&'static Measure, Axiom, bool)> {
    REGISTRY.iter().flat_map(|&measure| {
        let of = move |axiom| claimed(measure.id, axiom).map(|says| (measure, axiom, says));
        Axiom::ALL.into_iter().filter_map(of)
    })
}

/// The axioms that the paper says hold, but that a measure breaks.
fn contradictions() -> Vec<(&'static Measure, Axiom)> {
    verdicts()
        .filter(|(measure, axiom, says)| *says && measure.axioms.verdict(*axiom) == Verdict::Breaks)
        .map(|(measure, axiom, _)| (measure, axiom))
        .collect()
}

fn claims(
    consistency: &[Counterexample],
    shift: &[Counterexample],
    theorems: &[Shift],
    against: &[(&'static Measure, Axiom)],
) -> Vec<Claim> {
    let of_axiom = |axiom: Axiom| {
        let broken: Vec<String> = against
            .iter()
            .filter(|(measure, other)| *other == axiom && measure.kind == Kind::Adjusted)
            .map(|(measure, _)| names::markdown(measure.id))
            .collect();
        let found = match (axiom, broken.is_empty()) {
            (Axiom::W2, false) => format!("on four to six points: {}", adjusted_scores(consistency)),
            (Axiom::A2, false) => {
                format!("breaks for {}; on four points: {}", broken.join(", "), adjusted_scores(shift))
            }
            (_, false) => format!("breaks for {}", broken.join(", ")),
            (_, true) => "holds, or holds as classes grow".into(),
        };
        let what = format!("Every adjusted measure satisfies {axiom:?} ({})", axiom.summary());
        Claim::sentence(what, "yes", found, broken.is_empty())
    };
    Axiom::ALL
        .into_iter()
        .map(of_axiom)
        .chain(theorem_claims(theorems))
        .chain([all_axioms_at_once()])
        .collect()
}

/// The scores of the adjusted measures before and after the change of each counterexample.
fn adjusted_scores(list: &[Counterexample]) -> String {
    let shown = list.iter().filter(|one| one.measure.kind == Kind::Adjusted);
    shown
        .map(|one| format!("{} {:.3} to {:.3}", names::markdown(one.measure.id), one.before, one.after))
        .collect::<Vec<_>>()
        .join(", ")
        .replace('-', "−")
}

fn theorem_claims(theorems: &[Shift]) -> [Claim; 2] {
    let describe = |of: fn(&Shift) -> f64| {
        let shown = [theorems.first(), theorems.last()].into_iter().flatten();
        shown
            .map(|one| format!("{} for {} points", significant(of(one), 4), one.points))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let printed = SHIFT / 2.0;
    [
        Claim::sentence(
            "Theorem 1: the sum of squared distances to the centroid grows by β/2",
            format!("{printed} for β = {SHIFT}"),
            format!("{}: β (n − 1)/2", describe(|one| one.scatter)),
            theorems.iter().all(|one| (one.scatter - printed).abs() < 1e-6),
        ),
        Claim::sentence(
            "Theorem 2: the squared distance of two centroids does not grow",
            "0",
            format!("{}: β/2 (1/n' + 1/n'')", describe(|one| one.gap)),
            theorems.iter().all(|one| one.gap.abs() < 1e-6),
        ),
    ]
}

fn all_axioms_at_once() -> Claim {
    let satisfies =
        |measure: &&Measure| Axiom::ALL.iter().all(|&axiom| measure.axioms.verdict(axiom) == Verdict::Holds);
    Claim::sentence(
        "The axioms are consistent, because five measures satisfy all of them",
        "yes",
        "no measure here satisfies all of them".into(),
        REGISTRY.iter().any(satisfies),
    )
}

fn page(consistency: &[Counterexample], shift: &[Counterexample], theorems: &[Shift]) -> String {
    format!(
        "W1 to W4 are the axioms of Ackerman and Ben-David within a dataset, A1 to A4 those of the paper across datasets. *limit*: \
         only as the classes grow. Where the paper says otherwise, its word stands in brackets. Every verdict is asserted in the \
         tests of this project, in both directions.\n\n{}\n## W2, consistency\n\nThe paper proves W2 with the normalisers \
         s1 and s2 held fixed. They react to the change. In each row no distance within a class grows and none between the \
         classes shrinks, and the score falls; `|` parts the classes.\n\n{}\n## A2, shift invariance\n\nTo add β = {SHIFT} to \
         every squared distance, every point gets a private coordinate of size √(β/2). On the four points {}:\n\n{}\nMeasures \
         that take roots (XB<sub>A</sub>, DI<sub>A</sub>, SC<sub>A</sub>) move on large classes, too, as does \
         DB<sub>A</sub>, whose total scatter is not exponentiated; CH<sub>A</sub> moves less and less as classes grow.\n\n\
         ## Theorems 1 and 2\n\nTwo classes of n points, β = {SHIFT}.\n\n{}\nAs printed, neither theorem holds for a sum over \
         finitely many points. What the protocols use does, as classes grow: the mean squared distance to the centroid shifts \
         by β/2, and that of two centroids does not.\n",
        verdict_table(),
        consistency_table(consistency),
        four_points().shown(),
        shift_table(shift),
        theorem_table(theorems)
    )
}

fn consistency_table(examples: &[Counterexample]) -> String {
    let row = |one: &Counterexample| {
        vec![
            names::markdown(one.measure.id),
            one.points.shown(),
            one.change.clone(),
            number(one.before),
            number(one.after),
        ]
    };
    let titles = ["measure", "points", "after the change", "score", "score after"];
    markdown::table(&titles, 3, &examples.iter().map(row).collect::<Vec<_>>())
}

fn shift_table(examples: &[Counterexample]) -> String {
    let row =
        |one: &Counterexample| vec![names::markdown(one.measure.id), number(one.before), number(one.after)];
    markdown::table(&["measure", "score", "score after"], 1, &examples.iter().map(row).collect::<Vec<_>>())
}

fn theorem_table(theorems: &[Shift]) -> String {
    let row = |one: &Shift| {
        vec![
            one.points.to_string(),
            significant(one.scatter, 4),
            significant(SHIFT / 2.0, 4),
            significant(one.scatter / one.points as f64, 4),
            significant(one.gap, 3),
            "0".into(),
        ]
    };
    let titles = [
        "n",
        "sum of squared distances to the centroid grows by",
        "Theorem 1",
        "their mean grows by",
        "squared distance of the centroids grows by",
        "Theorem 2",
    ];
    markdown::table(&titles, 1, &theorems.iter().map(row).collect::<Vec<_>>())
}

fn number(value: f64) -> String {
    format!("{value:.4}").replace('-', "−")
}

fn verdict_table() -> String {
    let row = |measure: &&Measure| {
        let cell = |axiom: Axiom| {
            let found = measure.axioms.verdict(axiom);
            let says = claimed(measure.id, axiom);
            match says {
                Some(says) if says != (found != Verdict::Breaks) => {
                    format!("{found} ({})", if says { "yes" } else { "no" })
                }
                _ => found.to_string(),
            }
        };
        std::iter::once(names::markdown(measure.id)).chain(Axiom::ALL.map(cell)).collect()
    };
    let titles: Vec<String> =
        std::iter::once("measure".to_owned()).chain(Axiom::ALL.map(|axiom| format!("{axiom:?}"))).collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    markdown::table(&titles, titles.len(), &REGISTRY.iter().map(row).collect::<Vec<Vec<String>>>())
}

fn raw() -> String {
    let row = |(measure, axiom, says): (&'static Measure, Axiom, bool)| {
        vec![
            measure.id.to_owned(),
            format!("{axiom:?}"),
            measure.axioms.verdict(axiom).to_string(),
            if says { "yes" } else { "no" }.to_owned(),
        ]
    };
    csv::table(&["measure", "axiom", "verdict", "paper"], &verdicts().map(row).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contradiction_is_told() {
        let found = findings().unwrap();
        for id in ["ch_a", "xb_a", "db_a", "di_a", "sc_a"] {
            assert!(
                contradictions().iter().any(|(measure, axiom)| (measure.id, *axiom) == (id, Axiom::W2)),
                "{id}"
            );
            assert!(found.page.contains(&format!("| {} | (", names::markdown(id))), "{}", found.page);
        }
        let holds = |what: &str| found.claims.iter().find(|claim| claim.what.contains(what)).unwrap().holds;
        assert!(!holds("W2") && !holds("A2") && !holds("Theorem 1") && !holds("Theorem 2") && holds("W1"));
        assert_eq!(found.files[0].text.lines().count(), 1 + 11 * 8);
    }
}
