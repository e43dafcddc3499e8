//! Files as users have them: embedded names, pairs, labellings, formats that are only named, and where results go.

use crate::folder::{Folder, Ran, THREE, TWO};

/// Two clusters that no column of numbers tells the order of.
const POINTS: &str = "0.5 0.25\n0.5 1.5\n1.5 0.25\n1.5 1.5\n9.5 9.25\n9.5 8.5\n8.5 9.25\n8.5 8.5\n";

fn refused(ran: &Ran, code: i32, parts: &[&str]) {
    assert_eq!((ran.code, ran.out.as_str()), (code, ""), "{}", ran.err);
    for part in parts {
        assert!(ran.err.contains(part), "'{part}' is not in\n{}", ran.err);
    }
    assert!(!ran.err.contains("NUL"), "{}", ran.err);
}

#[test]
fn embedded_datasets_are_scored_by_name() {
    let folder = Folder::new();
    let iris = folder.run("score iris --format json -q");
    assert!(iris.code == 0 && iris.out.contains("\"points\": 150"), "{}", iris.err);
    let ranked = folder.run("rank iris moons --measures ch --format csv -q");
    assert_eq!(ranked.out.lines().count(), 3, "{}", ranked.err);
    let dropped = folder.run("score iris --format json -q --only 0,1");
    assert!(dropped.out.contains("\"features\": 2"), "{}", dropped.err);
    refused(
        &folder.run("score irys"),
        3,
        &["irys: cannot be opened", "the embedded datasets are iris, wine, well-matched"],
    );
    refused(
        &folder.run("score iris.csv"),
        3,
        &["iris.csv: not found", "help: clmatch score iris scores the embedded dataset"],
    );
    // A file with that name takes precedence.
    let folder = Folder::with("iris", TWO);
    assert!(folder.run("score iris --format json -q").out.contains("\"points\": 8"));
}

#[test]
fn a_run_with_embedded_datasets_is_resumed() {
    let folder = Folder::new();
    let first = folder.run("rank iris wine --measures ch --format csv --resume run.jsonl -q");
    let again = folder.run("rank iris wine --measures ch --format csv --resume run.jsonl");
    assert_eq!(first.out, again.out);
    assert!(again.err.contains("2 of 2 datasets were finished before"), "{}", again.err);
}

#[test]
fn labels_in_files_of_their_own_are_paired() {
    let folder = Folder::with("two/data.csv", format!("a b\n{POINTS}"))
        .and("two/labels.csv", "p\np\np\np\nq\nq\nq\nq\n")
        .and("three.csv", THREE);
    let ranked = folder.run("rank . --measures clm --format csv -q");
    let names: Vec<&str> = ranked.out.lines().skip(1).filter_map(|line| line.split(',').nth(1)).collect();
    assert_eq!(names, ["two", "three"], "{}", ranked.err);
    let scored = folder.run("score two");
    assert!(scored.out.contains("8 points, 2 features, 2 classes"), "{}{}", scored.out, scored.err);
    assert!(scored.err.contains("the labels were read from"), "{}", scored.err);
}

/// The layout of clustering-data-v1: one row per labelling, and 0 is noise unless the user chooses otherwise.
#[test]
fn labellings_are_rows_and_their_zero_is_noise() {
    let folder = Folder::with("wut/x.data", POINTS)
        .and("wut/x.labels0", "1\n1\n1\n1\n2\n2\n2\n2\n")
        .and("wut/x.labels1", "1\n1\n1\n0\n2\n2\n2\n0\n");
    let ranked = folder.run("rank wut --measures clm --format csv -q");
    let mut names: Vec<&str> = ranked.out.lines().skip(1).filter_map(|line| line.split(',').nth(1)).collect();
    names.sort_unstable();
    assert_eq!(names, ["x.labels0", "x.labels1"], "{}", ranked.err);
    let scored = folder.run("score wut/x.labels1");
    assert!(
        scored.out.contains("x.labels1: 6 points, 2 features, 2 classes"),
        "{}{}",
        scored.out,
        scored.err
    );
    assert!(
        scored.err.contains("2 points with the label 0 are left out: in this collection it marks noise"),
        "{}",
        scored.err
    );
    let json = folder.run("score wut/x.labels1 --format json -q").out;
    assert!(json.contains("\"noise\": 2"), "{json}");
    let own = folder.run("score wut/x.labels1 --noise 1 --format json -q").out;
    assert!(own.contains("\"noise\": 3") && own.contains("\"class\": \"0\""), "{own}");
    refused(
        &folder.run("score wut/x.data"),
        3,
        &["holds 2 datasets: x.labels0, x.labels1", "name one of them"],
    );
    let chosen = folder.run("score wut/x.data --labels wut/x.labels0 --format json -q");
    assert!(chosen.out.contains("\"points\": 8"), "{}", chosen.err);
    // Ground truth and improvements leave out the same points.
    let improved = folder.run("improve wut/x.labels1 -o out.csv --shuffles 0 --split none --format json");
    assert!(
        improved.out.contains("\"noise\": \"0\"") && improved.out.contains("\"points\": 6"),
        "{}",
        improved.err
    );
    let truth = folder.run("truth wut/x.labels1 --techniques agglo_single --format json");
    assert!(
        truth.out.contains("\"points\": 6") && truth.err.contains("marks noise"),
        "{}{}",
        truth.out,
        truth.err
    );
}

#[test]
fn the_same_stem_has_two_names() {
    let folder = Folder::with("iris.csv", TWO).and("iris.tsv", TWO.replace(',', "\t"));
    let ranked = folder.run("rank . --measures ch --format csv -q").out;
    assert!(ranked.contains(",iris.csv,") && ranked.contains(",iris.tsv,"), "{ranked}");
}

#[test]
fn formats_that_are_not_read_are_named() {
    let folder = Folder::with("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0")
        .and("iris.csv", "<!doctype html><html><title>404</title></html>")
        .and("m.mat", b"MATLAB 5.0 MAT-file, Platform: GLNXA64\0\0\0")
        .and("two.csv", TWO);
    refused(
        &folder.run("score a.xls"),
        3,
        &["this is an Excel workbook", "pandas.read_excel('a.xls').to_csv('a.csv', index=False)"],
    );
    refused(&folder.run("score iris.csv"), 3, &["this is a web page"]);
    refused(&folder.run("score m.mat"), 3, &["this is a MATLAB file", "scipy.io"]);
    refused(&folder.run("score two.csv --layer X"), 3, &["has no layers to choose from"]);
}

#[test]
fn a_hyphen_is_standard_output() {
    let folder = Folder::with("two.csv", TWO);
    let plain = folder.out("score two.csv --format csv");
    assert_eq!(folder.out("score two.csv --format csv -o -"), plain);
    assert!(folder.out("measures -o -").contains("clm"));
    let truth = folder.run("truth two.csv --techniques agglo_single -o - -q");
    assert!(truth.out.starts_with("dataset,") && !truth.out.contains('#'), "{}{}", truth.out, truth.err);
    let classified = folder.run("classify two.csv --classifiers knn --quick -o - -q");
    assert!(classified.out.starts_with("dataset,"), "{}{}", classified.out, classified.err);
    let improved = folder.run("improve two.csv -o - --split none --shuffles 0");
    assert_eq!(improved.code, 0, "{}", improved.err);
    assert!(improved.out.lines().next().is_some_and(|line| line.ends_with(",label")), "{}", improved.out);
    assert_eq!(improved.out.lines().count(), 9);
    assert!(improved.err.contains("two:"), "the report is on standard error: {}", improved.err);
    assert!(!folder.path("-").exists());
}

#[test]
fn a_name_never_promises_what_is_not_written() {
    let folder = Folder::with("two.csv", TWO);
    refused(
        &folder.run("improve two.csv -o x.xlsx"),
        4,
        &["cannot write x.xlsx: workbooks such as .xlsx are read, not written", ".csv, .tsv"],
    );
    refused(
        &folder.run("improve two.csv -o x.h5ad"),
        4,
        &["cannot write x.h5ad: .h5ad is read, not written"],
    );
    refused(&folder.run("improve two.csv -o x.csv.xz"), 4, &["packed with xz are read, not written"]);
    refused(
        &folder.run("improve two.csv -o x.csv --plot x.png"),
        2,
        &["plots are written as SVG, not as png"],
    );
    refused(&folder.run("calibrate two.csv --plot x.pdf"), 2, &["plots are written as SVG, not as pdf"]);
    assert!(!folder.path("x.xlsx").exists() && !folder.path("x.csv").exists());
}
