//! The figures of the ablation, and its raw numbers.

use clmatch_render::number::significant;
use clmatch_render::{Bars, Panel, PanelPoint, Panels, Series, csv};

use super::conditions::Test;
use super::errors::{Combination, Outcome};
use super::paper::reported;
use crate::findings::File;
use crate::reading::Reading;
use clmatch_analysis::calibration::variants::{Base, Protocols, Variant};

/// The number of digits of a number in a file.
const DIGITS: usize = 12;

/// All files of the experiment.
pub(super) fn files(outcome: &Outcome) -> Vec<File> {
    let stem = stem(outcome.reading);
    let mut files = vec![
        File { name: format!("{stem}-smape.csv"), text: variants_csv(outcome) },
        File { name: format!("{stem}-pairs.csv"), text: pairs_csv(outcome) },
    ];
    for test in Test::ALL {
        files.push(File { name: scatter_name(outcome.reading, test), text: scatter(outcome, test).svg() });
        files.push(File { name: bars_name(outcome.reading, test), text: bars(outcome, test).svg() });
    }
    files
}

fn stem(reading: Reading) -> String {
    reading.mark("ablation")
}

/// The file with the errors before and after.
pub(super) fn scatter_name(reading: Reading, test: Test) -> String {
    format!("{}-{}.svg", stem(reading), test.id())
}

/// The file with the mean reductions.
pub(super) fn bars_name(reading: Reading, test: Test) -> String {
    format!("{}-{}-bars.svg", stem(reading), test.id())
}

fn variants_csv(outcome: &Outcome) -> String {
    let row = |errors: &super::errors::Errors| {
        let (test, variant) = (errors.test, errors.variant);
        let k = variant.protocols.r.then(|| variant.growth()).flatten();
        let number = |value: Option<f64>| value.map(|value| significant(value, DIGITS)).unwrap_or_default();
        vec![
            test.id().to_owned(),
            variant.base.name().to_owned(),
            variant.name(),
            number(k.map(|k| k.value)),
            significant(errors.mean(), DIGITS),
            number(outcome.reduction(test, variant)),
            number(variant.protocols.r.then_some(errors.topmost)),
            significant(errors.concentration, DIGITS),
        ]
    };
    let titles =
        ["test", "measure", "variant", "k", "smape", "reduction", "above_0.99", "change_by_1_percent"];
    csv::table(&titles, &outcome.errors.iter().map(row).collect::<Vec<_>>())
}

fn pairs_csv(outcome: &Outcome) -> String {
    let rows = outcome.errors.iter().flat_map(|errors| {
        errors.pairs.iter().map(|pair| {
            let at = [pair.a, pair.b].map(|condition| errors.test.controlled(condition).to_string());
            let words = [errors.test.id().to_owned(), errors.variant.name()];
            words.into_iter().chain(at).chain([significant(pair.error, DIGITS)]).collect()
        })
    });
    let titles = ["test", "variant", "a", "b", "smape"];
    csv::table(&titles, &rows.collect::<Vec<Vec<String>>>())
}

/// One panel each for one, two and three protocols, and one for all that a measure can take.
fn scatter(outcome: &Outcome, test: Test) -> Panels {
    let combinations: Vec<Protocols> = Protocols::ALL.into_iter().skip(1).collect();
    let point = |variant: Variant| {
        let colour = combinations.iter().position(|one| *one == variant.protocols)?;
        let shape = Base::ALL.iter().position(|base| *base == variant.base)?;
        Some(PanelPoint { at: outcome.means(test, variant)?, colour, shape })
    };
    let counted = |count: usize, name: &str| {
        let these = combinations.iter().filter(|one| one.letters().len() == count);
        let variants = these.flat_map(|&protocols| Combination::Exactly(protocols).variants());
        Panel { name: name.to_owned(), points: variants.filter_map(point).collect() }
    };
    let adjusted = Combination::Adjusted.variants().into_iter().filter_map(point).collect();
    Panels {
        x: "SMAPE without protocols".into(),
        y: "SMAPE with protocols".into(),
        colours: combinations.iter().map(|protocols| protocols.letters()).collect(),
        shapes: Base::ALL.map(|base| base.name().to_owned()).to_vec(),
        panels: vec![
            counted(1, "one protocol"),
            counted(2, "two protocols"),
            counted(3, "all three"),
            Panel { name: "all possible (ADJ)".into(), points: adjusted },
        ],
    }
}

fn bars(outcome: &Outcome, test: Test) -> Bars {
    let combinations = Combination::all();
    let percent = |share: f64| 100.0 * share;
    let of = |test: Test| -> Vec<Option<f64>> {
        combinations.iter().map(|&one| outcome.mean_reduction(test, one).map(percent)).collect()
    };
    let intervals = |test: Test| -> Vec<Option<(f64, f64)>> {
        let ends = |(low, high)| (percent(low), percent(high));
        combinations.iter().map(|&one| outcome.interval(test, one).map(ends)).collect()
    };
    // Both tests have the same range.
    let all = Test::ALL.into_iter().flat_map(|test| {
        let ends = intervals(test).into_iter().flatten().flat_map(|(low, high)| [low, high]);
        of(test).into_iter().flatten().chain(ends).collect::<Vec<f64>>()
    });
    let range = all.fold((0.0_f64, 100.0_f64), |(low, high), value| (low.min(value), high.max(value)));
    let paper = combinations.iter().map(|one| reported(test, &one.name()).map(percent)).collect();
    Bars {
        y: "error reduction in %".into(),
        names: combinations.iter().map(|one| one.name()).collect(),
        series: vec![Series {
            name: "here".into(),
            values: of(test),
            intervals: intervals(test),
            colour: None,
        }],
        marks: Some(Series { name: "paper, about".into(), values: paper, ..Series::default() }),
        range: Some(range),
        ..Bars::default()
    }
}
