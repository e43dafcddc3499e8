//! `clmatch explain`.

use std::fmt::Write;

use insta::assert_snapshot;
use serde_json::Value;

use crate::folder::{Folder, THREE, TWO};

const IRIS: &str = include_str!("../../../clmatch-data/data/iris.csv");
const WINE: &str = include_str!("../../../clmatch-data/data/wine.csv");

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// A number between 0 and 1 that follows no pattern.
fn noise(seed: u64) -> f64 {
    let mut x = seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((x ^ (x >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// `left` and `right` are one cluster, `two` is two clusters, `far` is fine; six rows, the first of them
/// 13, lie in `far` but are called `two`, and the last row is nowhere. The feature `static` is noise.
fn planted() -> String {
    let clusters = [
        ("left", 0.0, 0.0),
        ("right", 0.4, 0.0),
        ("two", 0.0, 20.0),
        ("two", 20.0, 20.0),
        ("far", 20.0, 0.0),
    ];
    let mut text = String::from("x,y,static,kind\n");
    for row in 0..300_u64 {
        let (label, x, y) = if row % 50 == 12 { ("two", 20.0, 0.0) } else { clusters[(row % 5) as usize] };
        let around = |at: u64| (0..4).map(|part| noise(row * 100 + at * 10 + part)).sum::<f64>() - 2.0;
        writeln!(text, "{:.3},{:.3},{:.3},{label}", x + around(1), y + around(2), 9.0 * around(3)).unwrap();
    }
    text + "400,400,0,far\n"
}

#[test]
fn iris_and_wine_as_tables() {
    let folder = Folder::with("iris.csv", IRIS).and("wine.csv", WINE);
    for name in ["iris", "wine"] {
        let ran = folder.run(&format!("explain {name}.csv --quiet"));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{name}");
        let wide = ran.out.lines().find(|line| line.chars().count() > 80 && !line.starts_with("  clmatch"));
        assert_eq!(wide, None, "{name}");
        assert_snapshot!(format!("explain_{name}"), ran.out);
    }
    assert_snapshot!("explain_markdown", folder.out("explain iris.csv --quiet --format markdown"));
    assert_snapshot!("explain_csv", folder.out("explain iris.csv --quiet --format csv"));
}

#[test]
fn what_was_planted_is_found() {
    let folder = Folder::with("planted.csv", planted());
    let options = "--scale none --label kind --quiet";
    let ran = folder.run(&format!("explain planted.csv {options} --points points.csv"));
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert_snapshot!("explain_planted", ran.out);
    let explained = json(&folder.out(&format!("explain planted.csv {options} --format json")));
    assert_eq!(explained["schema"], "clmatch/explain/1");
    let worst = &explained["pairs"][0];
    assert_eq!(
        (&worst["a"], &worst["b"], &worst["verdict"]),
        (&"left".into(), &"right".into(), &"one-cluster".into())
    );
    assert_eq!(worst["scatter_only"][0]["feature"], "static");
    let split: Vec<&Value> = explained["class_clusters"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|class| class["clusters"].as_array().unwrap().len() > 1)
        .collect();
    assert_eq!(split.len(), 1, "{split:?}");
    assert_eq!(split[0]["class"], "two");
    let wrong = explained["mislabelled"].as_array().unwrap();
    let mut rows: Vec<u64> = wrong.iter().map(|point| point["row"].as_u64().unwrap()).collect();
    rows.sort_unstable();
    assert_eq!(rows, [13, 63, 113, 163, 213, 263]);
    assert!(wrong.iter().all(|point| point["label"] == "two" && point["suggested"] == "far"), "{wrong:?}");
    assert_eq!(explained["outliers"][0]["row"], 301);
    let kinds: Vec<&str> = ["merge", "split", "drop_rows"]
        .into_iter()
        .filter(|kind| {
            explained["actions"].as_array().unwrap().iter().any(|action| action.get(kind).is_some())
        })
        .collect();
    assert_eq!(kinds, ["merge", "split", "drop_rows"]);
    assert_eq!(explained["summary"].as_array().unwrap().len(), 3);
}

#[test]
fn every_point_is_written() {
    let folder = Folder::with("planted.csv", planted());
    let ran = folder.run("explain planted.csv --scale none --label kind --points points.csv -o table.txt");
    assert_eq!(ran.out, "");
    assert!(
        ran.err.contains("written: points.csv\n") && ran.err.contains("written: table.txt\n"),
        "{}",
        ran.err
    );
    let points = folder.text("points.csv");
    let lines: Vec<&str> = points.lines().collect();
    assert_eq!(lines[0], "row,label,suggested,probability,outlier,part");
    assert_eq!(lines.len(), 302);
    assert!(lines[13].starts_with("13,two,far,"), "{}", lines[13]);
    let clusters: std::collections::BTreeSet<&str> = lines[1..]
        .iter()
        .filter(|line| line.split(',').nth(1) == Some("two"))
        .map(|line| line.rsplit(',').next().unwrap())
        .collect();
    assert_eq!(clusters.into_iter().collect::<Vec<_>>(), ["1", "2"]);
}

#[test]
fn rows_keep_their_numbers_where_others_are_left_out() {
    let gaps = planted().replacen("\n", "\n,1,1,left\n1,,1,left\n", 1);
    let folder = Folder::with("gaps.csv", gaps);
    let words = "explain gaps.csv --scale none --label kind --missing drop --format json --quiet";
    let explained = json(&folder.out(words));
    let rows =
        explained["mislabelled"].as_array().unwrap().iter().map(|point| point["row"].as_u64().unwrap());
    assert_eq!(rows.min(), Some(15));
    assert_eq!(explained["outliers"][0]["row"], 303);
    let command = folder.out("explain gaps.csv --scale none --label kind --missing drop --quiet");
    assert!(command.contains(" --label=kind --missing=drop --scale=none -o OUT\n"), "{command}");
}

#[test]
fn the_score_is_that_of_score() {
    let folder = Folder::with("iris.csv", IRIS);
    for options in ["", "--scale standard", "--noise setosa"] {
        let explained = json(&folder.out(&format!("explain iris.csv --format json --quiet {options}")));
        let scored =
            json(&folder.out(&format!("score iris.csv --measures clm --format json --quiet {options}")));
        assert!((number(&explained["clm"]) - number(&scored["scores"]["clm"])).abs() < 1e-12, "{options}");
        assert_eq!(explained["points"], scored["points"]);
    }
}

#[test]
fn commands_are_quoted_for_a_shell() {
    let spaced = THREE.replace(",p", ",p's own").replace(",q", ",q 2");
    let folder = Folder::with("my data.csv", spaced);
    let ran = folder.command().args(["explain", "my data.csv", "--quiet"]).output().unwrap();
    let out = String::from_utf8(ran.stdout).unwrap();
    assert!(out.contains(r"clmatch relabel 'my data.csv' --merge 'p'\''s own,q 2' -o OUT"), "{out}");
}

#[test]
fn the_same_seed_gives_the_same_result_on_any_number_of_threads() {
    let folder = Folder::with("planted.csv", planted());
    let run = |more: &str| folder.out(&format!("explain planted.csv --format json --quiet {more}"));
    assert_eq!(run("--threads 1"), run("--threads 3"));
    assert_eq!(run("--seed 5"), run("--seed 5"));
}

#[test]
fn wrong_usage_and_bad_input() {
    let folder = Folder::with("two.csv", TWO)
        .and("single.csv", "x,label\n1,a\n2,a\n3,b\n")
        .and("one.csv", "x,label\n1,a\n2,a\n3,a\n")
        .and("many/a.csv", TWO)
        .and("many/b.csv", TWO);
    let mut texts = String::new();
    for (words, code) in [
        ("explain", 2),
        ("explain two.csv --format pdf", 2),
        ("explain two.csv --seed -1", 2),
        ("explain missing.csv", 3),
        ("explain single.csv", 3),
        ("explain one.csv", 3),
        ("explain many", 3),
        ("explain two.csv -o two.csv", 4),
        ("explain two.csv --points two.csv", 4),
        ("explain two.csv --points no/such/points.csv", 4),
    ] {
        let ran = folder.run(words);
        assert_eq!((ran.code, ran.out.as_str()), (code, ""), "{words}: {}", ran.err);
        writeln!(texts, "$ clmatch {words}\n{}", ran.err).unwrap();
    }
    assert_snapshot!(texts);
    assert_eq!(folder.text("two.csv"), TWO);
    assert_eq!(folder.run("explain single.csv --singletons drop --quiet").code, 3);
    assert!(folder.out("explain two.csv --quiet").contains("The two classes are separate."));
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it() {
    let rows: String = (0..40_000_u64)
        .map(|row| {
            let cells: String = (0..12).map(|at| format!("{:.4},", noise(row * 12 + at))).collect();
            format!("{cells}{}\n", row % 10)
        })
        .collect();
    let head: String = (0..12).map(|at| format!("f{at},")).collect();
    let folder = Folder::with("large.csv", format!("{head}label\n{rows}"));
    let start = std::time::Instant::now();
    let ran = folder.interrupted("explain large.csv --points points.csv", || {
        start.elapsed() > std::time::Duration::from_secs(1)
    });
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert!(!folder.path("points.csv").exists());
}
