//! The figures of the ablation, and its raw numbers.

use clmatch_report::number::significant;
use clmatch_report::{Bars, Group, Scatter, Series, csv};

use super::conditions::{Other, Setup, Test};
use super::errors::{Combination, Outcome};
use super::paper::reported;
use crate::findings::File;
use crate::variants::{Protocols, Variant};

/// Digits of a number in a file.
const DIGITS: usize = 12;

/// All files of the experiment.
pub(super) fn files(outcome: &Outcome) -> Vec<File> {
    let mut files = vec![
        File { name: "ablation-smape.csv".into(), text: variants_csv(outcome) },
        File { name: "ablation-pairs.csv".into(), text: pairs_csv(outcome) },
    ];
    for test in Test::ALL {
        let setup = Setup { test, other: Other::Kept };
        files.push(File { name: scatter_name(test), text: scatter(outcome, setup).svg() });
        files.push(File { name: bars_name(test), text: bars(outcome, setup).svg() });
    }
    files
}

/// The file with the errors before and after.
pub(super) fn scatter_name(test: Test) -> String {
    format!("ablation-{}.svg", test.id())
}

/// The file with the mean reductions.
pub(super) fn bars_name(test: Test) -> String {
    format!("ablation-{}-bars.svg", test.id())
}

fn variants_csv(outcome: &Outcome) -> String {
    let row = |errors: &super::errors::Errors| {
        let (setup, variant) = (errors.setup, errors.variant);
        let k = variant.protocols.r.then(|| variant.growth()).flatten();
        let number = |value: Option<f64>| value.map(|value| significant(value, DIGITS)).unwrap_or_default();
        vec![
            setup.test.id().to_owned(),
            setup.other.id().to_owned(),
            variant.base.name().to_owned(),
            variant.name(),
            number(k.map(|k| k.value)),
            significant(errors.mean(), DIGITS),
            number(outcome.reduction(setup, variant)),
            number(variant.protocols.r.then_some(errors.topmost)),
            significant(errors.concentration, DIGITS),
        ]
    };
    let titles = [
        "test",
        "other_factor",
        "measure",
        "variant",
        "k",
        "smape",
        "reduction",
        "above_0.99",
        "change_by_1_percent",
    ];
    csv::table(&titles, &outcome.errors.iter().map(row).collect::<Vec<_>>())
}

fn pairs_csv(outcome: &Outcome) -> String {
    let rows = outcome.errors.iter().flat_map(|errors| {
        errors.pairs.iter().map(|pair| {
            let (test, other) = (errors.setup.test, errors.setup.other);
            let words = [test.id().to_owned(), other.id().to_owned(), errors.variant.name()];
            let at = [pair.a, pair.b].map(|condition| test.controlled(condition).to_string());
            words.into_iter().chain(at).chain([significant(pair.error, DIGITS)]).collect()
        })
    });
    let titles = ["test", "other_factor", "variant", "a", "b", "smape"];
    csv::table(&titles, &rows.collect::<Vec<Vec<String>>>())
}

fn scatter(outcome: &Outcome, setup: Setup) -> Scatter {
    let group = |protocols: Protocols| Group {
        name: protocols.letters(),
        points: Combination::Exactly(protocols)
            .variants()
            .into_iter()
            .filter_map(|variant: Variant| outcome.after_and_before(setup, variant))
            .map(|(after, before)| (before, after))
            .collect(),
    };
    Scatter {
        title: format!("Error in the {} test, a point for each measure", setup.test.id()),
        x: "SMAPE without protocols".into(),
        y: "SMAPE with protocols".into(),
        groups: Protocols::ALL.into_iter().skip(1).map(group).collect(),
        diagonal: true,
        square: true,
    }
}

fn bars(outcome: &Outcome, setup: Setup) -> Bars {
    let combinations = Combination::all();
    let series = |name: &str, value: &dyn Fn(Combination) -> Option<f64>| Series {
        name: name.into(),
        values: combinations.iter().map(|&one| value(one).map(|share| 100.0 * share)).collect(),
    };
    Bars {
        title: format!("Mean error reduction in the {} test", setup.test.id()),
        y: "error reduction in %".into(),
        names: combinations.iter().map(|one| one.name()).collect(),
        series: vec![
            series("here", &|one| outcome.mean_reduction(setup, one)),
            series("paper, about", &|one| reported(setup.test, &one.name())),
        ],
    }
}
