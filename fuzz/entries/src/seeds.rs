//! Bytes that each entry accepts: a few rows, written by our own writers.

use std::fs;

use clmatch::measure;
use clmatch::summary::{Summary, SummarySettings};
use clmatch_data::{ReadOptions, Source, Target, embedded, read, write};

/// A small table with integers and floats, an awkward name, and a text label.
const TABLE: &str = "width,\"a, b\",count,class\n1.5,-2e-3,3,red\n0.25,7,4,\"blue\"\"\"\n-1,0,5,red\n2.125,1e5,6,\"blue\"\"\"\n\
    3,2,7,red\n1,1,8,\"blue\"\"\"\n";

/// The table, written with each of these extensions.
pub(crate) fn written(extensions: &[&str]) -> Vec<Vec<u8>> {
    let Ok(folder) = tempfile::tempdir() else { return Vec::new() };
    let table = folder.path().join("table.csv");
    let mut seeds = Vec::new();
    if fs::write(&table, TABLE).is_err() {
        return seeds;
    }
    let source = Source::new(&table);
    if let Ok(dataset) = read(&source, &ReadOptions::default()) {
        for extension in extensions {
            let path = folder.path().join(format!("written.{extension}"));
            let bytes = Target::new(&path, &source).ok().and_then(|target| {
                write(&dataset, &target).ok()?;
                fs::read(&path).ok()
            });
            seeds.extend(bytes);
        }
    }
    if extensions.contains(&"csv") {
        seeds.push(TABLE.as_bytes().to_vec());
        seeds.push(b"# a comment\n1;2,5;a\n3;4,5;b\n5;6,5;a\n".to_vec());
    }
    seeds
}

/// Headers written by hand: our writer needs a folder for points and labels.
pub(crate) fn npy() -> Vec<Vec<u8>> {
    let header = |kind: &str, order: &str, shape: &str, bytes: usize| {
        let mut text = format!("{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}");
        while (text.len() + 11) % 64 != 0 {
            text.push(' ');
        }
        text.push('\n');
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend((text.len() as u16).to_le_bytes());
        file.extend(text.as_bytes());
        file.extend((0..bytes).map(|at| (at % 3) as u8));
        file
    };
    vec![
        header("<f8", "False", "(6, 2)", 96),
        header("<f4", "True", "(6, 2)", 48),
        header("|i1", "False", "(6, 3)", 18),
        header("<i8", "False", "(6,)", 48),
    ]
}

pub(crate) fn anndata() -> Vec<Vec<u8>> {
    vec![include_bytes!("../../../crates/clmatch-data/tests/fixtures/cells.h5ad.gz").to_vec()]
}

pub(crate) fn labels() -> Vec<Vec<u8>> {
    let letters: String = (0..12).map(|row| if row % 2 == 0 { "a\n" } else { "b\n" }).collect();
    let columns: String = (0..12).map(|row| format!("{row},{}\n", row % 3)).collect();
    vec![letters.into_bytes(), format!("id,class\n{columns}").into_bytes()]
}

pub(crate) fn summaries() -> Vec<Vec<u8>> {
    let Some(iris) = embedded::load("iris") else { return Vec::new() };
    let settings = SummarySettings::new(&measure::defaults());
    let Ok(mut summary) = Summary::new(iris.n_features(), &settings) else { return Vec::new() };
    let _ = summary.update(iris.values().clone(), iris.labels(), 0);
    let second = summary.second_pass().map(|second| second.to_bytes());
    std::iter::once(summary.to_bytes()).chain(second).collect()
}

/// A score as JSON: the result of one dataset.
pub(crate) fn results() -> Vec<Vec<u8>> {
    let scored = r#"[{"schema":"clmatch/score/4","version":"0.1.0","dataset":"a","points":4,"features":1,"classes":2,
"sizes":[{"class":"x","points":2},{"class":"y","points":2}],"scores":{"clm":0.5,"ch_a":null},"checksum":"xxh3:0"}]"#;
    let table = "dataset,technique,measure,score\na,k_means,ami,0.5\n";
    let page = "# A page\n\n![figure](figure.svg)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
    [scored, table, page].map(|text| text.as_bytes().to_vec()).to_vec()
}

pub(crate) fn tables() -> Vec<Vec<u8>> {
    ["dataset,technique,measure,score\na,k_means,ami,0.5\nb,birch,ami,0.25\n", "dataset,score\na,1\nb,0.5\n"]
        .map(|text| text.as_bytes().to_vec())
        .to_vec()
}

pub(crate) fn options() -> Vec<Vec<u8>> {
    [
        "score\niris.csv\n--measures\nclm,ch_a\n--null\n99\n--ci",
        "rank\n*.csv\n--by\nclm\n--fail-under\nworst:clm=0.3\n--format\njson",
        "score\n-\n--stream\n--memory\n1GB\n--scale\nrobust\n--label\n-1",
        "improve\niris\n--seed\n3",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}
