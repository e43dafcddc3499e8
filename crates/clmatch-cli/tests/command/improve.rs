//! `clmatch improve`.

use std::time::{Duration, Instant};

use insta::assert_snapshot;
use serde_json::Value;

use crate::folder::{Folder, Ran, TWO, json};

const IRIS: &str = include_str!("../../../clmatch-data/data/iris.csv");
const WINE: &str = include_str!("../../../clmatch-data/data/wine.csv");

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// `ch_a` of a file, as the command computes it.
fn ch_a(folder: &Folder, file: &str) -> f64 {
    number(
        &json(&folder.out(&format!("score {file} --measures ch_a --format json --quiet")))["scores"]["ch_a"],
    )
}

#[test]
fn iris_as_table_markdown_and_csv() {
    let folder = Folder::with("iris.csv", IRIS);
    let ran = folder.run("improve iris.csv -o better.csv --shuffles 19 --budget 600");
    assert_eq!(ran.code, 0);
    assert_snapshot!(ran.err, @r"
    written: better.csv
    note: the columns are written as they were scored: multiplied by the square roots of their weights
    note: to score it again: clmatch score better.csv --scale none --measures ch_a
    ");
    assert!(ran.out.lines().all(|line| line.chars().count() <= 80), "{}", ran.out);
    assert_snapshot!("improve_table", ran.out);
    let options = "-o better.csv --method greedy --shuffles 19 --budget 600 --quiet";
    assert_snapshot!(
        "improve_markdown",
        folder.out(&format!("improve iris.csv {options} --format markdown"))
    );
    assert_snapshot!("improve_csv", folder.out(&format!("improve iris.csv {options} --format csv")));
    assert_eq!(folder.text("better.csv").lines().next(), Some("petal length,petal width,class"));
}

#[test]
fn the_report_is_that_of_the_file_written() {
    let folder = Folder::with("wine.csv", WINE);
    for method in ["auto", "random", "greedy", "weights"] {
        for out in ["out.csv", "out.parquet", "out.npz"] {
            let words = format!(
                "improve wine.csv -o {out} --method {method} --report report.json --shuffles 0 --quiet --format json"
            );
            let ran = folder.run(&words);
            assert_eq!(ran.code, 0, "{words}: {}", ran.err);
            assert_eq!(ran.out, folder.text("report.json"));
            let report = json(&ran.out);
            let after = number(&report["scores"]["all"]["after"]);
            assert!((after - ch_a(&folder, out)).abs() < 1e-9, "{words}");
            assert!((number(&report["scores"]["all"]["before"]) - ch_a(&folder, "wine.csv")).abs() < 1e-9);
            assert!(after > number(&report["scores"]["all"]["before"]), "{words}");
            assert_eq!(report["kept"], report["kept_features"].as_array().unwrap().len());
            assert_eq!(
                (&report["schema"], &report["dataset"]),
                (&"clmatch/improve/2".into(), &"wine".into())
            );
        }
    }
}

#[test]
fn objectives_rise_on_the_points_chosen_on() {
    let folder = Folder::with("wine.csv", WINE);
    for objective in ["ch_a", "ch_c", "db_c", "clm", "sc_a"] {
        let words =
            format!("improve wine.csv -o out.csv --objective {objective} --shuffles 2 --format json --quiet");
        let report = json(&folder.run(&words).out);
        assert_eq!(report["objective"], objective);
        let chosen = &report["scores"]["chosen"];
        assert!(number(&chosen["after"]) > number(&chosen["before"]), "{objective}: {chosen}");
        let of_file =
            json(&folder.out(&format!("score out.csv --measures {objective} --format json --quiet")));
        let after = number(&report["scores"]["all"]["after"]);
        assert!((number(&of_file["scores"][objective]) - after).abs() < 1e-9, "{objective}");
    }
}

#[test]
fn chance_is_called_chance() {
    // Labels that are unrelated to the points.
    let number = |row: u64, at: u64| (row * 7919 + at * 104_729 + row * row * 31) % 1009;
    let rows: String = (0..120)
        .map(|row| {
            format!(
                "{},{},{},{},{}\n",
                number(row, 1),
                number(row, 2),
                number(row, 3),
                number(row, 4),
                row % 2
            )
        })
        .collect();
    let folder = Folder::with("noise.csv", format!("a,b,c,d,label\n{rows}"));
    let ran = folder.run("improve noise.csv -o out.csv --quiet");
    assert_eq!(ran.code, 0);
    assert!(
        ran.err.contains("is not significant") || ran.err.contains("the gain is no more than chance"),
        "{}",
        ran.err
    );
    let few = folder.run("improve noise.csv -o out.csv --quiet --shuffles 3 --method random --seed 5");
    assert!(few.err.starts_with("warning: "), "{}", few.err);
    let flattering = folder.run("improve noise.csv -o out.csv --quiet --split none");
    assert!(flattering.err.contains("so the score is too optimistic"), "{}", flattering.err);
}

#[test]
fn classes_that_are_too_small_to_split_are_named() {
    let folder = Folder::with("small.csv", TWO.to_owned() + "4,4,c\n4,5,c\n");
    let ran = folder.run("improve small.csv -o out.csv --shuffles 0");
    assert!(
        ran.err.contains("classes with fewer than 4 points took no part in the choice: 'c'"),
        "{}",
        ran.err
    );
    let tiny = Folder::with("tiny.csv", "x,y,label\n0,10,a\n1,90,a\n5,50,b\n6,30,b\n");
    let ran = tiny.run("improve tiny.csv -o out.csv --min-features 1");
    assert_eq!(ran.code, 0);
    assert!(ran.err.contains("no two classes have 4 points"), "{}", ran.err);
}

#[test]
fn a_plot_and_a_report_are_written() {
    let folder = Folder::with("iris.csv", IRIS);
    let ran = folder.run("improve iris.csv -o b.csv --plot plot.svg --report r.json --shuffles 0");
    assert!(ran.err.starts_with("written: b.csv\n"), "{}", ran.err);
    assert!(ran.err.ends_with("written: plot.svg\nwritten: r.json\n"), "{}", ran.err);
    let svg = folder.text("plot.svg");
    assert!(svg.starts_with("<svg ") && svg.contains("greedy path, held out"), "{svg}");
    let left = std::fs::read_dir(folder.path(".")).unwrap().count();
    assert_eq!(left, 4, "no temporary file is left");
}

#[test]
fn wrong_usage_and_bad_input() {
    let folder = Folder::with("two.csv", TWO)
        .and("single.csv", "x,label\n1,a\n2,a\n3,b\n")
        .and("many/a.csv", TWO)
        .and("many/b.csv", TWO);
    let mut texts = String::new();
    for (words, code) in [
        ("improve two.csv", 2),
        ("improve two.csv -o x.csv --method best", 2),
        ("improve two.csv -o x.csv --objective di", 2),
        ("improve two.csv -o x.csv --budget 0", 2),
        ("improve two.csv -o x.csv --min-features 0", 2),
        ("improve two.csv -o x.csv --penalty 2", 2),
        ("improve two.csv -o x.csv --shrinkage much", 2),
        ("improve missing.csv -o x.csv", 3),
        ("improve single.csv -o x.csv", 3),
        ("improve many -o x.csv", 3),
        ("improve two.csv -o two.csv", 4),
        ("improve two.csv -o no/such/x.csv", 4),
        ("improve two.csv -o x.csv --report no/such/r.json", 4),
        ("improve two.csv -o x.csv --report two.csv", 4),
    ] {
        let ran = folder.run(words);
        assert_eq!((ran.code, ran.out.as_str()), (code, ""), "{words}: {}", ran.err);
        texts.push_str(&format!("$ clmatch {words}\n{}\n", ran.err));
    }
    assert_snapshot!(texts);
    assert!(!folder.path("x.csv").exists());
}

#[test]
fn the_same_seed_gives_the_same_report_on_any_number_of_threads() {
    let folder = Folder::with("wine.csv", WINE);
    let run = |more: &str| {
        folder
            .run(&format!(
                "improve wine.csv -o out.csv --shuffles 4 --budget 600 --format json --quiet {more}"
            ))
            .out
    };
    let one = run("--threads 1");
    assert_eq!(one, run("--threads 3"));
    assert_ne!(one, run("--threads 1 --seed 9"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_takes_the_best_so_far() {
    // Long enough that no machine finishes before the signal.
    let rows: String = (0..3000_u64)
        .map(|row| {
            let cells: String =
                (0..60).map(|f| format!("{},", (row * 7919 + f * 104_729 + row * row * f) % 1009)).collect();
            format!("{cells}{}\n", row % 10)
        })
        .collect();
    let head: String = (0..60).map(|f| format!("f{f},")).collect();
    let folder = Folder::with("large.csv", format!("{head}label\n{rows}"));
    let start = Instant::now();
    let Ran { code, err, .. } = folder
        .interrupted("improve large.csv -o out.csv --shuffles 100000 --budget 3000", || {
            start.elapsed() > Duration::from_secs(3)
        });
    assert_eq!(code, 130, "{err}");
    assert!(err.contains("error: interrupted: the best so far was written to out.csv"), "{err}");
    assert!(ch_a(&folder, "out.csv") >= 0.0);
}
