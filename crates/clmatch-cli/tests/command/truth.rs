//! `clmatch truth`: tables, files, resuming, limits and errors.

use insta::assert_snapshot;

use crate::folder::Folder;

/// Three round classes of 20 points each, the last two close to each other.
fn rings() -> String {
    let mut text = String::from("x,y,label\n");
    for (name, (x, y)) in [("a", (0.0, 0.0)), ("b", (8.0, 0.0)), ("c", (9.5, 3.0))] {
        for at in 0..20 {
            let (angle, radius) = (f64::from(at) * 2.4, 0.3 * f64::from(at).sqrt());
            text.push_str(&format!(
                "{:.4},{:.4},{name}\n",
                x + radius * angle.cos(),
                y + radius * angle.sin()
            ));
        }
    }
    text
}

fn folder() -> Folder {
    Folder::with("d/rings.csv", rings())
        .and("d/iris.csv", include_str!("../../../clmatch-data/data/iris.csv"))
}

#[test]
fn the_best_techniques_are_ranked() {
    let folder = folder();
    let techniques = "--techniques hdbscan,dbscan,kmedoids,agglo_single,agglo_average,agglo_complete";
    assert_snapshot!("truth_table", folder.out(&format!("truth d {techniques}")));
    assert_snapshot!(
        "truth_markdown",
        folder.out(&format!("truth d {techniques} --format markdown --external arand,ami"))
    );
}

#[test]
fn every_technique_has_a_row_for_every_measure() {
    let folder = folder();
    let ran = folder.run("truth d/iris.csv --budget 3 -o truth.csv");
    assert_eq!((ran.code, ran.err.as_str()), (0, "written: truth.csv\n"));
    let csv = folder.text("truth.csv");
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("dataset,technique,external,score,settings,seconds"));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    for technique in [
        "hdbscan",
        "dbscan",
        "kmeans",
        "kmedoids",
        "xmeans",
        "birch",
        "agglo_single",
        "agglo_average",
        "agglo_complete",
    ] {
        for external in ["ami", "arand", "vm", "nmi"] {
            let row = rows
                .iter()
                .find(|row| row[0] == "iris" && row[1] == technique && row[2] == external)
                .unwrap();
            let (score, seconds): (f64, f64) = (row[3].parse().unwrap(), row[5].parse().unwrap());
            assert!(row.len() == 6 && (0.3..=1.0).contains(&score) && seconds >= 0.0, "{row:?}");
            assert!(row[4].split(' ').all(|word| word.contains('=')), "{row:?}");
        }
    }
    let json: serde_json::Value =
        serde_json::from_str(&folder.out("truth d/iris.csv --techniques birch --budget 0 --format json"))
            .unwrap();
    assert_eq!(json[0]["dataset"], "iris");
    assert_eq!(json[0]["techniques"].as_array().unwrap().len(), 4);
    let twice = "truth d/iris.csv --techniques agglo_single,agglo_single --external vm,ami,vm --format csv";
    let twice = folder.out(twice);
    let measures: Vec<&str> = twice.lines().skip(1).map(|line| line.split(',').nth(2).unwrap()).collect();
    assert_eq!(measures, ["ami", "vm"]);
}

#[test]
fn the_authors_search_is_another_run() {
    let folder = folder();
    let words = "truth d/iris.csv --techniques dbscan,hdbscan --format csv --resume done.jsonl";
    let full = folder.out(words);
    let ran = folder.run(&format!("{words} --search paper"));
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "nothing of the full search counts");
    assert_eq!(ran.out.lines().count(), 1 + 2 * 4, "{}", ran.out);
    assert_ne!(ran.out, full);
    let ran = folder.run("truth d --search bayes");
    assert!(ran.code == 2 && ran.err.contains("[possible values: full, paper]"), "{}", ran.err);
}

#[test]
fn finished_datasets_are_not_tuned_again() {
    let folder = folder();
    let words = "truth d --techniques agglo_single --resume done.jsonl";
    let first = folder.run(words);
    assert_eq!((first.code, first.err.as_str()), (0, ""));
    let again = folder.run(words);
    assert_eq!(again.err, "resumed: 2 of 2 datasets were finished before\n");
    assert_eq!(again.out, first.out);
    let other = folder.run(&format!("{words} --seed 1"));
    assert_eq!(other.err, "");
}

#[test]
fn points_are_limited_class_by_class() {
    let ran = folder().run("truth d/iris.csv --techniques kmeans --max-points 31");
    assert_eq!(ran.err, "note: iris: 31 of 150 points are used, drawn class by class\n");
    assert!(ran.out.contains("  31  "), "{}", ran.out);
}

#[test]
fn wrong_words_and_files_are_refused() {
    let folder = folder().and("d/bad.csv", "x,label\n1,a\nnan,b\n");
    let ran = folder.run("truth d --techniques spectral");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("no such technique; choose from hdbscan, dbscan"), "{}", ran.err);
    let ran = folder.run("truth d --external rand");
    assert!(ran.code == 2 && ran.err.contains("choose from ami, arand, vm, nmi"), "{}", ran.err);
    let ran = folder.run("truth d --techniques agglo_single");
    assert_eq!(ran.code, 3);
    assert!(
        ran.out.contains("iris") && ran.out.contains("rings") && ran.err.contains("bad.csv"),
        "{}",
        ran.err
    );
}
