//! Pairwise stabilities as box plots, ranks as lines, and the raw numbers.

use clmatch_render::number::significant;
use clmatch_render::{Boxes, Bump, Ranks, Row as BoxRow, csv};
use clmatch_truth::stability::MethodPair;

use super::{Case, Cases, SETS, cut_by};
use crate::findings::File;
use crate::names;

pub(super) fn files(cases: &Cases) -> Vec<File> {
    let stem = cases.reading.mark("stability");
    let mut files = vec![
        File { name: format!("{stem}.csv"), text: pairs_csv(&cases.cases) },
        File { name: format!("{stem}.svg"), text: boxes(cases).svg() },
    ];
    for by in cut_by(cases.reading) {
        files.push(File { name: ranks_file(&stem, by), text: bump(&cases.shown(), by).svg() });
    }
    files
}

/// The name of the file with the ranks in thirds by a measure.
pub(super) fn ranks_file(stem: &str, by: &str) -> String {
    format!("{stem}-ranks-{by}.svg")
}

fn pairs_csv(cases: &[Case]) -> String {
    let mut lines = Vec::new();
    for case in cases {
        for pair in &case.found.pairs {
            lines.push(vec![
                case.by.to_owned(),
                case.external.clone(),
                case.set.to_owned(),
                case.methods[pair.a].clone(),
                case.methods[pair.b].clone(),
                significant(pair.share, 6),
                significant(pair.kept, 6),
                significant(pair.stability(), 6),
            ]);
        }
    }
    csv::table(&["by", "external", "set", "a", "b", "a_ahead", "kept", "stability"], &lines)
}

/// The colours are those of the sets.
fn boxes(cases: &Cases) -> Boxes {
    let row = |case: &&Case| BoxRow {
        name: format!("{}, {}", names::name(case.by), case.set),
        kind: SETS.iter().rev().position(|set| *set == case.set).unwrap_or(0),
        values: case.found.pairs.iter().map(MethodPair::stability).collect(),
        note: format!("mean {:.3}", case.found.mean_stability()),
    };
    Boxes {
        x: "share of draws with the more frequent order of a pair".into(),
        kinds: SETS.iter().rev().map(|&set| set.to_owned()).collect(),
        rows: cases.shown().iter().map(row).collect(),
        points: true,
        ..Boxes::default()
    }
}

fn bump(shown: &[&Case], by: &str) -> Bump {
    let cases: Vec<&&Case> = shown.iter().filter(|case| case.by == by).collect();
    let mean = |case: Option<&&&Case>, method: usize| {
        case.map_or_else(String::new, |case| format!("{:.3}", case.found.means[method]))
    };
    let methods = cases.first().map_or(&[][..], |case| &case.methods);
    let line = |(method, name): (usize, &String)| Ranks {
        name: names::name(name).to_owned(),
        ranks: cases.iter().map(|case| case.found.ranks[method]).collect(),
        notes: [mean(cases.first(), method), mean(cases.last(), method)],
    };
    Bump {
        title: String::new(),
        stages: cases.iter().map(|case| case.set.to_owned()).collect(),
        lines: methods.iter().enumerate().map(line).collect(),
    }
}
