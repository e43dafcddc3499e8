//! Data that need not fit into memory: `score --stream`, `--memory`, and the messages about it.

use std::fmt::Write;

use crate::folder::{Folder, Ran, TWO, json};

/// Three classes in three dimensions, two of which overlap a little.
pub fn points(rows: usize) -> String {
    let mut text = "a,b,c,kind\n".to_owned();
    for row in 0..rows {
        let class = row % 3;
        let at = |column: usize| {
            let noise = ((row * 7919 + column * 104_729 + 13) % 10_007) as f64 / 10_007.0;
            [0.0, 0.9, 4.0][class] + noise + 0.1 * column as f64
        };
        let _ = writeln!(text, "{},{},{},k{class}", at(0), at(1), at(2));
    }
    text
}

/// The scores of one result.
fn scores(value: &serde_json::Value) -> Vec<(String, f64)> {
    let scores = value["scores"].as_object().unwrap();
    scores.iter().map(|(id, score)| (id.clone(), score.as_f64().unwrap())).collect()
}

#[test]
fn what_one_or_two_passes_tell_is_exact() {
    let folder = Folder::with("points.csv", points(9000));
    let measures = "--measures ch_a,db_a,ch_c,db_c,xb_a,ch,xb,db,ii";
    let whole = folder.json(&format!("score points.csv --format json {measures}"));
    let streamed = folder.json(&format!("score points.csv --stream --format json {measures}"));
    for ((id, expected), (own, found)) in scores(&whole).into_iter().zip(scores(&streamed)) {
        assert_eq!(id, own);
        assert!((expected - found).abs() <= 1e-9 * expected.abs().max(1.0), "{id}: {expected} {found}");
    }
    for name in ["points", "features", "classes", "sizes", "label", "dataset", "path"] {
        assert_eq!(whole[name], streamed[name], "{name}");
    }
    assert_eq!(whole["pairs"].as_array().unwrap().len(), streamed["pairs"].as_array().unwrap().len());
    let how = &streamed["streamed"];
    assert_eq!((&how["passes"], &how["parts"]), (&2.into(), &1.into()));
    assert_eq!(how["bytes"].as_u64().unwrap(), folder.text("points.csv").len() as u64);
    for score in how["scores"].as_array().unwrap() {
        assert_eq!((&score["certainty"], &score["error"]), (&"exact".into(), &0.0.into()), "{score}");
    }
    assert!(streamed.get("approximate").is_none() && whole.get("streamed").is_none());
}

#[test]
fn what_compares_points_is_estimated_with_an_error() {
    let folder = Folder::with("points.csv", points(30_000));
    let whole = folder.json("score points.csv --format json --measures sc_a,sc");
    let streamed = folder.json("score points.csv --stream --format json --measures sc_a,sc");
    for (id, expected) in scores(&whole) {
        let found = streamed["scores"][&id].as_f64().unwrap();
        let sure = streamed["streamed"]["scores"].as_array().unwrap();
        let sure = sure.iter().find(|score| score["measure"] == id.as_str()).unwrap();
        let error = sure["error"].as_f64().unwrap();
        assert_eq!(sure["certainty"], "estimated", "{id}");
        // Twice the 95% error: exceeded by chance about once in ten thousand.
        assert!(error > 0.0 && (expected - found).abs() <= 2.0 * error, "{id}: {expected} {found} {error}");
        assert_eq!(streamed["approximate"]["errors"][&id].as_f64().unwrap(), error);
    }
}

#[test]
fn every_format_says_what_is_exact() {
    let folder = Folder::with("points.csv", points(9000));
    let words = "score points.csv --stream --measures ch_a,sc_a";
    let table = folder.run(words);
    assert_eq!(table.code, 0, "{}", table.err);
    let row = |id: &str| table.out.lines().find(|line| line.starts_with(id)).unwrap().to_owned();
    assert!(row("ch_a").contains("exact") && row("sc_a").contains("± 0."), "{}", table.out);
    assert!(table.out.contains("read in blocks: one pass over 9000 points"), "{}", table.out);
    let csv = folder.run(&format!("{words} --format csv")).out;
    let header = csv.lines().next().unwrap();
    assert!(header.ends_with("ch_a,sc_a,ch_a_certainty,ch_a_error,sc_a_certainty,sc_a_error"), "{header}");
    assert!(csv.lines().nth(1).unwrap().contains(",exact,0,estimated,0."), "{csv}");
    let markdown = folder.run(&format!("{words} --format markdown")).out;
    assert!(markdown.contains("| 95% error") && markdown.contains("| exact"), "{markdown}");
}

#[test]
fn parts_and_standard_input_are_one_dataset() {
    let text = points(9000);
    let lines: Vec<&str> = text.lines().collect();
    let half = |rows: &[&str]| format!("{}\n{}\n", lines[0], rows.join("\n"));
    let folder = Folder::with("whole.csv", &text)
        .and("parts/1.csv", half(&lines[1..1200]))
        .and("parts/2.csv", half(&lines[1200..]))
        .and("parts/_SUCCESS", "");
    let words = "--stream --format json --measures ch_a,xb_a,sc_a";
    let whole = folder.json(&format!("score whole.csv {words}"));
    for paths in ["parts", "parts/1.csv parts/2.csv"] {
        let parts = folder.json(&format!("score {paths} {words}"));
        assert_eq!((&parts["dataset"], &parts["streamed"]["parts"]), (&"parts".into(), &2.into()));
        assert_eq!(parts["checksum"], whole["checksum"]);
        for id in ["ch_a", "xb_a"] {
            let (one, other) = (whole["scores"][id].as_f64().unwrap(), parts["scores"][id].as_f64().unwrap());
            assert!((one - other).abs() < 1e-12, "{id}");
        }
    }
    // Scores that a second pass would make exact are estimated, and reported as estimates.
    let mut command = folder.command();
    let piped = Ran::of(
        command
            .args("score - --stream --format json --measures ch_a,xb_a".split(' '))
            .write_stdin(text)
            .output()
            .unwrap(),
    );
    assert_eq!(piped.code, 0, "{}", piped.err);
    assert!(piped.err.contains("note: standard input can be read only once"), "{}", piped.err);
    let piped = json(&piped.out);
    assert_eq!(piped["dataset"], "stdin");
    let sure = |id: usize| piped["streamed"]["scores"][id]["certainty"].clone();
    assert_eq!((sure(0), sure(1)), ("exact".into(), "estimated".into()));
    let exact = whole["scores"]["ch_a"].as_f64().unwrap();
    assert!((piped["scores"]["ch_a"].as_f64().unwrap() - exact).abs() < 1e-9);
}

#[test]
fn what_does_not_fit_is_read_in_blocks_unasked() {
    let folder = Folder::with("large.csv", points(60_000)).and("two.csv", TWO);
    let scored = folder.run("score large.csv --memory 1MB --measures ch_a --format json");
    assert_eq!(scored.code, 0, "{}", scored.err);
    assert!(
        scored.err.contains(
            "note: the matrix would take about 1.4 MB, but 1.0 MB may be used: read in blocks instead"
        ),
        "{}",
        scored.err
    );
    assert_eq!(json(&scored.out)["streamed"]["memory"], 1_000_000);
    let ranked = folder.run("rank large.csv two.csv --memory 1MB --measures ch_a --format json");
    assert_eq!(ranked.code, 0, "{}", ranked.err);
    assert!(ranked.err.contains("note: large: the matrix would take about"), "{}", ranked.err);
    let ranked = json(&ranked.out);
    let large = ranked.as_array().unwrap().iter().find(|entry| entry["dataset"] == "large").unwrap();
    let two = ranked.as_array().unwrap().iter().find(|entry| entry["dataset"] == "two").unwrap();
    assert!(large.get("streamed").is_some() && two.get("streamed").is_none());
    let plain = folder.json("score large.csv --measures ch_a --format json");
    let (one, other) = (&plain["scores"]["ch_a"], &large["scores"]["ch_a"]);
    assert!((one.as_f64().unwrap() - other.as_f64().unwrap()).abs() < 1e-9);
    // Whatever needs all points in memory is refused as before.
    let refused = folder.run("score large.csv --memory 1MB --ci");
    assert_eq!(refused.code, 3);
    assert!(
        refused.err.contains("but 1.0 MB may be used") && refused.err.contains("--stream"),
        "{}",
        refused.err
    );
}

#[test]
fn scaling_takes_a_pass_of_its_own_or_is_refused() {
    let folder = Folder::with("points.csv", points(3000).replace(",0.", ",0.00"));
    for scale in ["none", "max-abs", "standard", "min-max"] {
        let words = format!("score points.csv --scale {scale} --measures ch_a,xb_a,ii --format json");
        let (whole, streamed) = (folder.json(&words), folder.json(&format!("{words} --stream")));
        for ((id, expected), (_, found)) in scores(&whole).into_iter().zip(scores(&streamed)) {
            assert!(
                (expected - found).abs() <= 1e-9 * expected.abs().max(1.0),
                "{scale} {id}: {expected} {found}"
            );
        }
    }
    let robust = folder.run("score points.csv --stream --scale robust");
    assert_eq!(robust.code, 3);
    assert!(
        robust.err.contains("medians of columns need all rows in memory") && robust.err.contains("help: ")
    );
    let piped =
        folder.command().args("score - --stream --scale standard".split(' ')).write_stdin(TWO).output();
    let piped = Ran::of(piped.unwrap());
    assert!(piped.code == 3 && piped.err.contains("takes a pass of its own"), "{}", piped.err);
}

#[test]
fn what_a_stream_cannot_do_is_refused_with_advice() {
    let folder = Folder::with("two.csv", TWO);
    for (words, code, said) in [
        ("score two.csv --stream --ci", 3, "intervals and random labels need all points in memory"),
        ("score two.csv --stream --null 10", 3, "intervals and random labels need all points in memory"),
        ("score two.csv --stream --approx 0.1", 3, "a bound on errors or on time is for data in memory"),
        ("score two.csv --stream --levels /", 2, "the levels of labels are scored with all points in memory"),
        ("score two.csv two.csv", 2, "2 files are given where one dataset is scored"),
        ("score two.csv --stream --missing mean", 3, "known only when all of its rows were read"),
        ("score two.csv --memory 1kB", 2, "write a size of at least 1MB"),
    ] {
        let ran = folder.run(words);
        assert_eq!(ran.code, code, "{words}: {}", ran.err);
        assert!(ran.err.contains(said), "{words}: {}", ran.err);
        assert!(ran.out.is_empty() && (code == 2 || ran.err.contains("help: ")), "{words}: {}", ran.err);
    }
}

#[test]
fn rows_that_cannot_be_read_are_named() {
    let folder = Folder::with("bad.csv", points(20_000) + "1,2,many,k1\n");
    let ran = folder.run("score bad.csv --stream");
    assert_eq!(ran.code, 3);
    assert!(
        ran.err.starts_with("error: bad.csv, line 20002, column 'c': 'many' is not a number"),
        "{}",
        ran.err
    );
    let one = folder.run("score bad.csv --stream --label c");
    assert_eq!(one.code, 3, "{}", one.err);
}

#[test]
fn embedded_datasets_can_be_streamed() {
    let folder = Folder::new();
    let whole = folder.json("score iris --format json --measures all");
    let streamed = folder.json("score iris --stream --format json --measures all");
    for ((id, expected), (_, found)) in scores(&whole).into_iter().zip(scores(&streamed)) {
        assert!((expected - found).abs() <= 1e-9 * expected.abs().max(1.0), "{id}: {expected} {found}");
    }
    // This few points are all kept, and compared as in memory.
    for score in streamed["streamed"]["scores"].as_array().unwrap() {
        assert_eq!(score["certainty"], "exact", "{score}");
    }
}

#[test]
fn a_seed_draws_another_sample() {
    let folder = Folder::with("points.csv", points(9000));
    let words = "score points.csv --stream --format json --measures sc_a";
    let score = |seed: &str| folder.json(&format!("{words} {seed}"))["scores"]["sc_a"].as_f64().unwrap();
    assert_eq!(score(""), score("--seed 0"));
    assert_ne!(score(""), score("--seed 1"));
}

#[test]
fn an_error_that_cannot_be_known_is_not_stated_in_any_format() {
    // Integers: as rows are added, more and more of them coincide.
    let rows: String = (0..9000_usize)
        .map(|row| format!("{},{},k{}\n", row * 7919 % 97 + 60 * (row % 2), row * 104_729 % 89, row % 2))
        .collect();
    let folder = Folder::with("integers.csv", format!("a,b,kind\n{rows}"));
    let words = "score integers.csv --stream --measures clm,sc_a";
    let scored = folder.json(&format!("{words} --format json"));
    let clm = &scored["streamed"]["scores"][0];
    assert_eq!((&clm["certainty"], &clm["error"]), (&"estimated".into(), &serde_json::Value::Null), "{clm}");
    let why = clm["why"].as_str().unwrap();
    assert!(why.ends_with("without a stated error: rows repeat or lie on a grid"), "{why}");
    assert!(scored["approximate"]["errors"].get("clm").is_none(), "{scored}");
    assert_eq!(scored["verdict"]["reasons"][0]["reason"], "unknown-error", "{scored}");
    let table = folder.run(words).out;
    let row = table.lines().find(|line| line.starts_with("clm")).unwrap();
    assert!(row.contains("not stated"), "{table}");
    let csv = folder.run(&format!("{words} --format csv")).out;
    assert!(csv.lines().nth(1).unwrap().contains(",estimated,,estimated,0."), "{csv}");
}

#[test]
fn more_classes_than_fit_into_memory_are_refused_in_words() {
    let rows: String = (0..4000).map(|row| format!("{}.5,k{}\n", row * 7919 % 1009, row / 2)).collect();
    let folder = Folder::with("ids.csv", format!("x,label\n{rows}"));
    for words in ["score ids.csv", "score ids.csv --stream", "rank ids.csv"] {
        let ran = folder.run(&format!("{words} --memory 200MB --measures ch_a"));
        assert_eq!(ran.code, 3, "{words}: {}", ran.err);
        assert!(
            ran.err.contains("2000 classes form 1999000 pairs, and scoring them takes about"),
            "{}",
            ran.err
        );
        assert!(ran.err.contains("help: if the label column holds ids"), "{}", ran.err);
    }
}
