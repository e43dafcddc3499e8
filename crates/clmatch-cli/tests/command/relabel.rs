//! `clmatch relabel`.

use insta::assert_snapshot;

use crate::folder::{Folder, THREE, TWO, json};

const IRIS: &str = include_str!("../../../clmatch-data/data/iris.csv");

/// `clm` of a file, as the command computes it.
fn clm(folder: &Folder, file: &str) -> f64 {
    let scored = json(&folder.out(&format!("score {file} --measures clm --format json --quiet")));
    scored["scores"]["clm"].as_f64().unwrap()
}

/// Four clusters in a plane: three of class `a`, one of class `b`. Row 1 is labelled `b`, but lies in the first cluster of `a`.
fn parts() -> String {
    let spread = |row: u64, at: u64| ((row * 7919 + at * 104_729 + row * row * 31) % 1009) as f64 / 400.0;
    let place = [(0.0, 0.0), (30.0, 0.0), (0.0, 30.0), (80.0, 80.0)];
    let point = |row: u64| {
        let (x, y) = place[(row % 4) as usize];
        let label = if row == 0 || row % 4 == 3 { "b" } else { "a" };
        format!("{},{},{label}\n", x + spread(row, 1), y + spread(row, 2))
    };
    "x,y,label\n".to_owned() + &(0..240).map(point).collect::<String>()
}

#[test]
fn classes_are_merged_and_renamed_and_rows_left_out() {
    let folder = Folder::with("iris.csv", IRIS);
    let words =
        "relabel iris.csv --merge versicolor,virginica --rename setosa=s --drop-rows 1,3,149-150 -o out.csv";
    let ran = folder.run(words);
    assert_eq!((ran.code, ran.err.as_str()), (0, "written: out.csv\n"), "{}", ran.out);
    assert_snapshot!("relabel_table", ran.out);
    let text = folder.text("out.csv");
    let lines: Vec<&str> = text.lines().collect();
    let input: Vec<&str> = IRIS.lines().collect();
    assert_eq!(lines.len(), 147);
    let features = |line: &str| line.rsplit_once(',').unwrap().0.to_owned();
    assert_eq!(features(lines[0]), features(input[0]), "all features keep their names");
    // Row 2 of the data is the third line of the file; the rows keep their order.
    assert_eq!(lines[1], features(input[2]) + ",s");
    assert_eq!(lines[2], features(input[4]) + ",s");
    assert_eq!(lines[146], features(input[148]) + ",versicolor+virginica");
    assert_snapshot!("relabel_markdown", folder.out(&format!("{words} --quiet --format markdown")));
    assert_snapshot!("relabel_csv", folder.out(&format!("{words} --quiet --format csv")));
    let report = json(&folder.out(&format!("{words} --quiet --format json --report report.json")));
    assert_eq!(json(&folder.text("report.json")), report);
    assert_eq!(report["schema"], "clmatch/relabel/1");
    assert_eq!(report["dropped_rows"], serde_json::json!([1, 3, 149, 150]));
    for (file, which) in [("iris.csv", "before"), ("out.csv", "after")] {
        let stated = report["clm"][which].as_f64().unwrap();
        assert!((stated - clm(&folder, file)).abs() < 1e-12, "{which}");
    }
}

#[test]
fn a_class_is_split_into_its_clusters() {
    let folder = Folder::with("parts.csv", parts());
    let ran = folder.run("relabel parts.csv --split a -o out.csv --format json --quiet");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let report = json(&ran.out);
    let into = report["split"][0]["into"].as_array().unwrap();
    let names: Vec<&str> = into.iter().map(|part| part["class"].as_str().unwrap()).collect();
    assert_eq!(names, ["a 1", "a 2", "a 3"]);
    assert_eq!(into.iter().map(|part| part["points"].as_u64().unwrap()).sum::<u64>(), 179);
    assert!(report["clm"]["after"].as_f64() > report["clm"]["before"].as_f64());
    // Each cluster has one name, whatever its number.
    let text = folder.text("out.csv");
    let labels: Vec<&str> = text.lines().skip(1).map(|line| line.rsplit_once(',').unwrap().1).collect();
    for cluster in 0..3 {
        let first = labels[4 + cluster];
        assert!((4 + cluster..240).step_by(4).all(|row| labels[row] == first), "{cluster}");
    }
}

#[test]
fn suggested_classes_are_taken_and_suspects_left_out() {
    let points = "row,label,suggested,probability,outlier,part\n\
        1,b,a,0.95,0.2,1\n2,a,b,0.4,0.1,1\n3,a,a,0.001,3.5,1\n";
    let folder = Folder::with("parts.csv", parts()).and("points.csv", points);
    let labels = |words: &str| {
        let ran = folder.run(&format!("relabel parts.csv -o out.csv --quiet {words}"));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{words}");
        let text = folder.text("out.csv");
        text.lines().skip(1).map(|line| line.rsplit_once(',').unwrap().1.to_owned()).collect::<Vec<_>>()
    };
    let relabelled = labels("--suggested points.csv");
    assert_eq!((relabelled.len(), &relabelled[..4]), (240, &["a", "a", "a", "b"].map(String::from)[..]));
    let bold = labels("--suggested points.csv --above 0.3");
    assert_eq!(bold[..4], ["a", "b", "a", "b"]);
    // Row 1 is probably mislabelled, row 3 is an outlier.
    let dropped = labels("--drop-suspects points.csv");
    assert_eq!((dropped.len(), &dropped[..2]), (238, &["a", "b"].map(String::from)[..]));
    let unchanged = folder.run("relabel parts.csv --suggested points.csv --above 0.99 -o out.csv");
    assert!(unchanged.out.contains("nothing was changed"), "{}", unchanged.out);
}

#[test]
fn rows_are_those_of_the_file() {
    // Row 2 has a missing value, and is counted as a row all the same.
    let folder = Folder::with("gaps.csv", "x,y,label\n0,0,a\n,1,a\n1,0,a\n1,1,a\n9,9,b\n9,8,b\n8,9,b\n");
    let ran = folder.run("relabel gaps.csv --missing drop --drop-rows 3 -o out.csv --quiet --format json");
    assert_eq!(json(&ran.out)["dropped_rows"], serde_json::json!([3]), "{}", ran.err);
    assert_eq!(folder.text("out.csv"), "x,y,label\n0,0,a\n1,1,a\n9,9,b\n9,8,b\n8,9,b\n");
}

#[test]
fn every_format_keeps_the_points() {
    let folder = Folder::with("three.csv", THREE);
    for out in ["out.csv", "out.parquet", "out.npz", "out.arff", "out.ndjson"] {
        let ran = folder.run(&format!("relabel three.csv --merge p,q -o {out} --format json --quiet"));
        assert_eq!(ran.code, 0, "{}", ran.err);
        let after = json(&ran.out)["clm"]["after"].as_f64().unwrap();
        assert!((clm(&folder, out) - after).abs() < 1e-12, "{out}");
    }
    let piped = folder.run("relabel three.csv --rename p=first -o -");
    assert!(piped.out.starts_with("x,y,label\n0,0,first\n"), "{}", piped.out);
    assert!(piped.err.contains("renamed: p to first"), "{}", piped.err);
}

#[test]
fn a_score_that_is_not_there_is_said_to_be_missing() {
    let folder = Folder::with("single.csv", "x,label\n1,a\n2,a\n9,b\n8,b\n5,c\n");
    let ran = folder.run("relabel single.csv --merge b,c -o out.csv --quiet");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("warning: there is no score before: single: the class 'c' has a single point"));
    let row = ran.out.lines().find(|line| line.starts_with("clm")).unwrap();
    assert!(row.split_whitespace().nth(1) == Some("-"), "{row}");
}

#[test]
fn wrong_usage_and_bad_input() {
    let folder = Folder::with("two.csv", TWO)
        .and("iris.csv", IRIS)
        .and("other.csv", "row,label,suggested,probability,outlier,part\n1,b,a,0.95,0.2,1\n")
        .and("beyond.csv", "row,label,suggested,probability,outlier,part\n99,b,a,0.95,0.2,1\n")
        .and("nobody.csv", "row,label,suggested,probability,outlier,part\n1,a,z,0.95,0.2,1\n")
        .and("scores.csv", "dataset,score\niris,1\n");
    let mut texts = String::new();
    for (words, code) in [
        ("relabel two.csv --merge a,b", 2),
        ("relabel two.csv -o x.csv", 2),
        ("relabel two.csv -o x.csv --drop-rows 0", 2),
        ("relabel two.csv -o x.csv --drop-rows 5-3", 2),
        ("relabel two.csv -o x.csv --rename a", 2),
        ("relabel two.csv -o x.csv --above 2 --split a", 2),
        ("relabel two.csv -o x.csv --merge a,z", 3),
        ("relabel iris.csv -o x.csv --merge setosa,Versicolour", 3),
        ("relabel two.csv -o x.csv --merge a", 3),
        ("relabel two.csv -o x.csv --merge a,b", 3),
        ("relabel two.csv -o x.csv --split a", 3),
        ("relabel iris.csv -o x.csv --split setosa --merge setosa,virginica", 3),
        ("relabel two.csv -o x.csv --rename a=b", 3),
        ("relabel two.csv -o x.csv --rename a=c --rename a=d", 3),
        ("relabel two.csv -o x.csv --drop-rows 9", 3),
        ("relabel two.csv -o x.csv --drop-rows 7-12", 3),
        ("relabel two.csv -o x.csv --drop-rows 1-8", 3),
        ("relabel two.csv -o x.csv --drop-rows 1-4", 3),
        ("relabel two.csv -o x.csv --suggested other.csv", 3),
        ("relabel two.csv -o x.csv --drop-suspects beyond.csv", 3),
        ("relabel two.csv -o x.csv --suggested nobody.csv", 3),
        ("relabel two.csv -o x.csv --suggested scores.csv", 3),
        ("relabel two.csv -o x.csv --suggested missing.csv", 3),
        ("relabel missing.csv -o x.csv --split a", 3),
        ("relabel two.csv -o two.csv --rename a=c", 4),
        ("relabel two.csv -o no/such/x.csv --rename a=c", 4),
    ] {
        let ran = folder.run(words);
        assert_eq!((ran.code, ran.out.as_str()), (code, ""), "{words}: {}", ran.err);
        texts.push_str(&format!("$ clmatch {words}\n{}\n", ran.err));
    }
    assert_snapshot!(texts);
    assert!(!folder.path("x.csv").exists());
}
