//! What the output formats look like.

use insta::assert_snapshot;

use crate::folder::{Folder, Ran, THREE, TWO};

#[test]
fn demo_fits_eighty_columns_and_explains_itself() {
    let out = Folder::new().out("demo");
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
    assert_snapshot!(out);
}

#[test]
fn piped_output_has_no_colour_and_no_progress() {
    let folder = Folder::with("two.csv", TWO);
    for words in ["demo", "score two.csv", "rank two.csv", "measures", "measures --axioms", "catalogue"] {
        let ran = folder.run(words);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{words}");
        assert!(!ran.out.contains('\x1b'), "{words}");
    }
}

#[test]
fn score_as_table() {
    assert_snapshot!(Folder::with("three.csv", THREE).out("score three.csv --measures all"));
}

#[test]
fn score_as_json() {
    let out = Folder::with("three.csv", THREE).out("score three.csv --format json --measures ch_a,sc,xb");
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(json["schema"], "clmatch/score/5");
    assert_eq!(json["dataset"], "three");
    assert_eq!((&json["points"], &json["features"], &json["classes"]), (&9.into(), &2.into(), &3.into()));
    assert_eq!(json["pairs"][0]["a"], "p");
    assert_eq!(json["pairs"][0]["b"], "q");
    assert_eq!(json["pairs"][0]["points"], 6);
    assert!(json["pairs"][0]["scores"]["ch_a"].as_f64().unwrap() < 0.2);
    assert!(json["pairs"][2]["scores"]["ch_a"].as_f64().unwrap() > 0.9);
    let ids: Vec<&String> = json["scores"].as_object().unwrap().keys().collect();
    assert_eq!(ids, ["ch_a", "sc", "xb"]);
    let on_pairs: Vec<&String> = json["pairs"][0]["scores"].as_object().unwrap().keys().collect();
    assert_eq!(on_pairs, ["ch_a"]);
}

#[test]
fn score_as_csv_and_markdown() {
    let folder = Folder::with("three.csv", THREE);
    assert_snapshot!("score_csv", folder.out("score three.csv --format csv"));
    assert_snapshot!("score_markdown", folder.out("score three.csv --format markdown"));
}

#[test]
fn infinite_values_are_written_as_text() {
    let folder = Folder::with("flat.csv", "x,label\n0,a\n0,a\n1,b\n1,b\n");
    let json: serde_json::Value =
        serde_json::from_str(&folder.out("score flat.csv --measures di,ch --format json")).unwrap();
    assert_eq!(json["scores"]["di"], "inf");
    assert_eq!(json["scores"]["ch"], 1.0);
    assert!(folder.out("score flat.csv --measures di --format csv").ends_with(",inf\n"));
}

#[test]
fn names_are_quoted_where_they_must_be() {
    let folder = Folder::with("a,b \"c\".csv", TWO);
    let ran = folder.command().args(["score", "a,b \"c\".csv", "--format", "csv"]).output().unwrap();
    let out = String::from_utf8(ran.stdout).unwrap();
    assert!(out.lines().nth(1).unwrap().starts_with("1,\"a,b \"\"c\"\"\",8,2,2,"), "{out}");
}

#[test]
fn measures_and_axioms_are_listed() {
    let folder = Folder::new();
    assert_snapshot!("measures", folder.out("measures"));
    assert_snapshot!("axioms", folder.out("measures --axioms"));
    assert_snapshot!("measures_csv", folder.out("measures --axioms --format csv"));
    assert_snapshot!("measures_markdown", folder.out("measures --format markdown"));
    let json: serde_json::Value = serde_json::from_str(&folder.out("measures --format json")).unwrap();
    assert_eq!(json[2]["id"], "xb_a");
    assert_eq!(json[2]["aliases"][0], "ii_a");
    assert_eq!(json[0]["needs"][0], "moments");
}

#[test]
fn output_goes_to_a_file_that_is_whole() {
    let folder = Folder::with("two.csv", TWO).and("scores.json", "old");
    let ran = folder.run("score two.csv --format json -o scores.json");
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "", "written: scores.json\n"));
    assert!(folder.text("scores.json").starts_with("{\n"));
    let left: Vec<_> = std::fs::read_dir(folder.path(".")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
    assert_eq!(folder.run("score two.csv -q -o table.txt").err, "");
    assert!(!folder.text("table.txt").contains('\x1b'));
}

#[test]
fn options_change_what_is_read() {
    let csv = "id,x,y,kind,label\n1,0,5,a,n\n2,1,5,a,n\n3,8,5,b,m\n4,9,5,b,m\n";
    let folder = Folder::with("data.csv", csv);
    let scores = |options: &str| {
        let words = format!("score data.csv --format json --quiet --measures ch_a,ch {options}");
        let ran = folder.run(&words);
        assert_eq!(ran.code, 0, "{words}: {}", ran.err);
        let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        (json["features"].as_u64().unwrap(), json["scores"]["ch"].as_f64().unwrap())
    };
    assert_eq!(scores("--drop id,kind").0, 2);
    assert_eq!(scores("--only x").0, 1);
    assert_eq!(scores("--only x,y --label kind"), scores("--only x,y --label label"));
    assert_eq!(scores("--only x,y --label -2"), scores("--only x,y --label -1"));
    assert_eq!(scores("--one-hot=kind").0, 4);
    assert!(scores("--only id,x --scale standard").1 != scores("--only id,x --scale none").1);
    let close = |a: f64, b: f64| (a - b).abs() < 1e-9 * b;
    assert!(close(scores("--only id,x --scale max-abs").1, scores("--only id,x --scale none").1));
}

#[test]
fn noise_and_single_points() {
    let csv = "x,label\n0,0\n1,0\n8,1\n9,1\n4,-1\n5,-1\n20,2\n";
    let folder = Folder::with("noisy.csv", csv);
    let ran = folder.run("score noisy.csv --noise -1 --singletons drop --format json");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(json["points"], 4);
    assert_eq!(json["dropped"]["noise"], 2);
    assert_eq!(json["dropped"]["singletons"][0], "2");
    assert!((json["dropped"]["fraction"].as_f64().unwrap() - 3.0 / 7.0).abs() < 1e-15);
    let ran = folder.run("score noisy.csv --singletons drop");
    assert_eq!(
        ran.err,
        "warning: '-1' counts as a class of its own; if it is noise, leave it out with --noise -1\n"
    );
    let ran = folder.run("score noisy.csv --noise -9 --singletons drop");
    assert!(ran.err.starts_with("warning: no point is labelled '-9'\n"), "{}", ran.err);
    assert!(
        folder
            .run("score noisy.csv --noise -1 --singletons drop")
            .out
            .contains("dropped: 42.9% of the points")
    );
}

#[test]
fn threads_do_not_change_a_digit() {
    let folder = Folder::with("three.csv", THREE);
    let one = folder.out("score three.csv --measures all --format json --threads 1");
    for threads in [2, 3, 8] {
        assert_eq!(
            one,
            folder.out(&format!("score three.csv --measures all --format json --threads {threads}"))
        );
    }
}

#[test]
fn standard_input_is_read() {
    let folder = Folder::new();
    let output = folder.command().args(["score", "-", "--format", "json"]).write_stdin(TWO).output().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["points"], 8);
}

#[test]
fn a_closed_pipe_is_no_error() {
    let folder = Folder::with("two.csv", TWO);
    let mut child = folder.start("measures --format json");
    drop(child.stdout.take());
    let ran = Ran::once_ended(child);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
}

#[test]
fn estimates_say_so() {
    let rows: String = (0..8000_u64)
        .map(|row| format!("{},{},{}\n", row * 7919 % 1013 + 400 * (row % 3), row * 104_729 % 499, row % 3))
        .collect();
    let folder = Folder::with("large.csv", format!("x,y,label\n{rows}"));
    let ran = folder.run("score large.csv --measures ch_a,sc_a --approx 0.1 --format json");
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let approximate = &json["approximate"];
    assert_eq!(approximate["confidence"], 0.95);
    assert!(approximate["sampled"].as_u64().unwrap() < 800, "{approximate}");
    assert_eq!(approximate["errors"]["ch_a"], 0.0);
    let error = approximate["errors"]["sc_a"].as_f64().unwrap();
    assert!(error > 0.0 && error <= 0.1);
    let exact: serde_json::Value =
        serde_json::from_str(&folder.out("score large.csv --measures sc_a --format json --quiet")).unwrap();
    let miss = json["scores"]["sc_a"].as_f64().unwrap() - exact["scores"]["sc_a"].as_f64().unwrap();
    assert!(exact.get("approximate").is_none() && miss != 0.0 && miss.abs() < 2.0 * error);
    assert!(folder.out("score large.csv --measures sc_a --approx 0.1 --quiet").contains("\nestimated from "));
    let seeded = folder.out("score large.csv --measures sc_a --approx 0.1 --seed 7 --format json --quiet");
    assert_ne!(seeded, folder.out("score large.csv --measures sc_a --approx 0.1 --format json --quiet"));
    let ran = folder.run("rank large.csv --measures sc_a --limit-seconds 0.001");
    assert!(ran.err.starts_with("note: large: estimated from "), "{}", ran.err);
    let refused = folder.run("score large.csv --measures di --approx 0.1");
    assert_eq!(refused.code, 3);
    assert!(
        refused.err.contains("help: leave it out of --measures, or do without --approx"),
        "{}",
        refused.err
    );
}
