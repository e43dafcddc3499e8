//! `clmatch explain`.

use std::fmt::Write;

use insta::assert_snapshot;
use serde_json::Value;

use crate::folder::{Folder, TWO, json};

const IRIS: &str = include_str!("../../../clmatch-data/data/iris.csv");
const WINE: &str = include_str!("../../../clmatch-data/data/wine.csv");

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// A pseudo-random number between 0 and 1.
fn noise(seed: u64) -> f64 {
    let mut x = seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((x ^ (x >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// `left` and `right` are one cluster, `two` is two clusters, `far` is fine, and the last row is far from everything. The feature
/// `static` is noise.
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
        let (label, x, y) = clusters[(row % 5) as usize];
        let around = |at: u64| (0..4).map(|part| noise(row * 100 + at * 10 + part)).sum::<f64>() - 2.0;
        writeln!(text, "{:.3},{:.3},{:.3},{label}", x + around(1), y + around(2), 9.0 * around(3)).unwrap();
    }
    text + "400,400,0,far\n"
}

/// Iris with three wrong labels: rows 3, 20 and 39 are setosa, but labelled virginica.
fn swapped() -> String {
    let swap = |(line, text): (usize, &str)| match line {
        3 | 20 | 39 => text.replace("setosa", "virginica") + "\n",
        _ => text.to_owned() + "\n",
    };
    IRIS.lines().enumerate().map(swap).collect()
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
    assert_eq!(explained["schema"], "clmatch/explain/2");
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
    assert_eq!(explained["outliers"][0]["row"], 301);
    assert_eq!(explained["mislabelled"], serde_json::json!([]), "an outlier is listed once");
    let kinds: Vec<&str> = ["merge", "split", "drop_rows"]
        .into_iter()
        .filter(|kind| {
            explained["actions"].as_array().unwrap().iter().any(|action| action.get(kind).is_some())
        })
        .collect();
    assert_eq!(kinds, ["merge", "split", "drop_rows"]);
    assert!(explained["outvoted"].as_u64().unwrap() > 20, "left and right overlap");
    assert_eq!(explained["summary"].as_array().unwrap().len(), 4);
}

#[test]
fn swapped_labels_are_found_and_blamed() {
    let folder = Folder::with("swapped.csv", swapped()).and("iris.csv", IRIS);
    let explained = json(&folder.out("explain swapped.csv --format json --quiet"));
    let wrong = explained["mislabelled"].as_array().unwrap();
    let mut rows: Vec<u64> = wrong.iter().map(|point| point["row"].as_u64().unwrap()).collect();
    rows.sort_unstable();
    assert_eq!(rows, [3, 20, 39]);
    assert!(wrong.iter().all(|point| point["label"] == "virginica" && point["suggested"] == "setosa"));
    // The rest is iris without three rows, and its verdict.
    let best = &explained["actions"][0];
    assert_eq!(best["drop_rows"], serde_json::json!([3, 20, 39]));
    let plain = json(&folder.out("explain iris.csv --format json --quiet"));
    assert!((number(&best["clm"]) - number(&plain["clm"])).abs() < 0.02, "{best}");
    let verdicts = |explained: &Value| -> Vec<String> {
        let pairs = explained["pairs"].as_array().unwrap().iter();
        pairs.map(|pair| format!("{} {} {}", pair["a"], pair["b"], pair["verdict"])).collect()
    };
    assert_eq!(verdicts(&explained)[0], verdicts(&plain)[0]);
    let text = folder.out("explain swapped.csv --quiet");
    assert!(text.contains("clmatch relabel swapped.csv --drop-rows 3,20,39 -o OUT\n"), "{text}");
}

#[test]
fn what_is_suggested_does_what_it_says() {
    let folder = Folder::with("planted.csv", planted()).and("swapped.csv", swapped());
    for file in ["planted.csv", "swapped.csv"] {
        let explained = json(&folder.out(&format!("explain {file} --format json --quiet")));
        let text = folder.out(&format!("explain {file} --quiet"));
        let commands: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("  clmatch ")).collect();
        assert!(!commands.is_empty(), "{text}");
        for (command, action) in commands.iter().zip(explained["actions"].as_array().unwrap()) {
            let ran = folder.run(&command.replace(" OUT", " out.csv --quiet"));
            assert_eq!(ran.code, 0, "{command}: {}", ran.err);
            let scored = json(&folder.run("score out.csv --measures clm --format json --quiet").out);
            let (found, expected) = (number(&scored["scores"]["clm"]), number(&action["clm"]));
            assert!((found - expected).abs() < 1e-9, "{command}: {found} {expected}");
        }
    }
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
    assert_eq!(lines[0], "row,label,suggested,probability,outlier,part,outvoted");
    assert_eq!(lines.len(), 302);
    assert!(lines[13].starts_with("13,two,two,"), "{}", lines[13]);
    let parts: std::collections::BTreeSet<&str> = lines[1..]
        .iter()
        .filter(|line| line.split(',').nth(1) == Some("two"))
        .map(|line| line.split(',').nth(5).unwrap())
        .collect();
    assert_eq!(parts.into_iter().collect::<Vec<_>>(), ["1", "2"]);
}

#[test]
fn rows_keep_their_numbers_where_others_are_left_out() {
    let gaps = planted().replacen('\n', "\n,1,1,left\n1,,1,left\n", 1);
    let folder = Folder::with("gaps.csv", gaps);
    let words = "explain gaps.csv --scale none --label kind --missing drop --quiet";
    let explained = json(&folder.out(&format!("{words} --format json")));
    assert_eq!(explained["outliers"][0]["row"], 303);
    let text = folder.out(words);
    assert!(text.contains(" --label=kind --missing=drop --scale=none -o OUT\n"), "{text}");
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
    // Two labels on one cluster, and a third class far away.
    let mut rows = "x,y,class\n".to_owned();
    for row in 0..180_u64 {
        let number = |salt: u64| (row.wrapping_mul(7919 + 104_729 * salt) % 10_007) as f64 / 1000.0;
        let (shift, class) = [(0.0, "p's own"), (0.0, "q 2"), (100.0, "r")][row as usize % 3];
        rows += &format!("{},{},{class}\n", number(1) + shift, number(2));
    }
    let folder = Folder::with("my data.csv", rows);
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
    assert_eq!(ran.code, 130, "{}", ran.err);
    assert!(!folder.path("points.csv").exists());
}
