//! `clmatch pick`: datasets for a benchmark, in every form, and what is refused.

use insta::assert_snapshot;

use crate::folder::{Folder, THREE, TWO};

/// Twelve datasets, of which nine are fit, and three techniques on them.
fn own() -> Folder {
    let mut ranking = String::from("rank,dataset,points,features,classes,label,clm\n");
    let mut truth = String::from("dataset,technique,external,score\n");
    for at in 0..12_u32 {
        let score = if at < 9 { 0.99 - 0.01 * f64::from(at) } else { 0.05 };
        let (points, features, classes) = (100 * (1 + at % 4), 2 + 3 * (at % 5), 2 + at % 3);
        ranking.push_str(&format!("{},d{at:02},{points},{features},{classes},y,{score}\n", at + 1));
        for technique in 0..3 {
            let score =
                0.3 + 0.05 * f64::from(technique) + 0.1 * f64::from((at * 7 + technique * 5) % 4) / 3.0;
            truth.push_str(&format!("d{at:02},t{technique},ami,{score:.3}\n"));
        }
    }
    Folder::with("ranking.csv", ranking).and("truth.csv", truth)
}

#[test]
fn a_benchmark_in_every_form() {
    let folder = own();
    let words = "pick ranking.csv --truth truth.csv --count 4 -q";
    assert_snapshot!("pick_table", folder.out(words));
    assert_snapshot!("pick_csv", folder.out(&format!("{words} --format csv")));
    assert_snapshot!("pick_markdown", folder.out(&format!("{words} --format markdown")));
    let json: serde_json::Value =
        serde_json::from_str(&folder.out(&format!("{words} --format json"))).unwrap();
    assert_eq!((&json["schema"], &json["exact"]), (&"clmatch/pick/1".into(), &true.into()));
    assert_eq!((&json["datasets"], &json["valid"]), (&12.into(), &9.into()));
    let noted = folder.run("pick ranking.csv --truth truth.csv --count 4");
    assert!(noted.err.starts_with("note: the ranking is a table of scores"), "{}", noted.err);
    assert!(noted.err.contains("clmatch rank --format json"), "{}", noted.err);
}

#[test]
fn what_rank_and_truth_write_is_what_pick_reads() {
    let folder = Folder::with("d/two.csv", TWO).and("d/three.csv", THREE);
    folder.run("rank d moons well-matched iris wine adjacent-classes --format json -q -o ranking.json");
    folder.run("rank d moons well-matched iris wine adjacent-classes --format csv -q -o ranking.csv");
    let truth: String = ["moons", "well-matched", "iris", "wine", "adjacent-classes"]
        .iter()
        .enumerate()
        .map(|(at, name)| format!("{name},a,0.{at}\n{name},b,0.3\n"))
        .collect();
    let folder = folder.and("truth.csv", format!("dataset,technique,score\n{truth}"));
    // Two datasets of few points have no verdict, and one in the middle third is accepted only on request.
    let ran = folder.run("pick ranking.json --truth truth.csv --count 3 --diversity 0 --format json");
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&json["datasets"], &json["valid"]), (&7.into(), &4.into()), "{}", ran.err);
    let ran =
        folder.run("pick ranking.json --truth truth.csv --count 3 --accept cannot-be-said --format json");
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert!(json["valid"].as_u64() > Some(4), "{}", ran.err);
    // A table does not hold the sizes of classes.
    let ran = folder.run("pick ranking.csv --truth truth.csv --count 3 --diversity 0 --format json");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.starts_with("note: "), "{}", ran.err);
}

#[test]
fn the_catalogue_is_the_default() {
    let folder = Folder::new();
    let ran = folder.run("pick --count 5 --format csv");
    assert_eq!((ran.code, ran.out.lines().count()), (0, 6), "{}", ran.err);
    assert!(ran.err.starts_with("note: the catalogue knows no pairs of classes"), "{}", ran.err);
    assert_eq!(ran.out, folder.run("pick --count 5 --format csv --seed 0").out);
}

#[test]
fn what_cannot_be_chosen_is_refused() {
    let folder = own();
    let refused = |words: &str, code: i32| {
        let ran = folder.run(words);
        assert_eq!((ran.code, ran.out.as_str()), (code, ""), "{words}: {}", ran.err);
        ran.err
    };
    assert_eq!(
        refused("pick ranking.csv --truth truth.csv --count 10", 3),
        "error: 9 of the 12 datasets are fit, or fit after a change, by clm, and 10 are wanted\n\
         help: give a smaller --count, or accept weaker verdicts with --accept\n"
    );
    assert!(
        refused("pick ranking.csv --count 4", 3)
            .contains("compute the scores of techniques with clmatch truth")
    );
    assert!(refused("pick ranking.csv --truth truth.csv --count 4 --diversity 7", 3).contains("--diversity"));
    assert!(
        refused("pick ranking.csv --truth truth.csv --count 4 --by ch_a", 3)
            .contains("not every dataset has a score")
    );
    assert!(
        refused("pick ranking.csv --truth truth.csv --count 4 --techniques t9", 3)
            .contains("there is no score of t9")
    );
    assert!(refused("pick missing.csv", 3).contains("cannot read missing.csv"));
    assert!(refused("pick truth.csv --count 4", 3).contains("there is no column points"));
    assert!(refused("pick --count 1", 2).contains("write a whole number from 2 to 1000"));
    assert!(refused("pick --diversity -1", 2).contains("--diversity"));
    assert!(refused("pick --diversity=-1", 2).contains("write a number, at least 0"));
}

#[test]
fn the_datasets_of_a_manifest_are_ranked_first() {
    let names = ["moons", "well-matched", "iris", "wine", "adjacent-classes"];
    let manifest: String = names.iter().map(|name| format!("[[dataset]]\npath = \"{name}\"\n\n")).collect();
    let truth: String =
        names.iter().enumerate().map(|(at, name)| format!("{name},a,0.{at}\n{name},b,0.3\n")).collect();
    let manifest = format!("{manifest}[[dataset]]\npath = \"mixed.csv\"\n");
    let folder = Folder::with("bench.toml", manifest)
        .and("mixed.csv", "x,y,class\n1,red,a\n2,blue,a\n3,red,b\n4,blue,b\n")
        .and("truth.csv", format!("dataset,technique,score\n{truth}"));
    folder.run("rank bench.toml --format json -q -o ranking.json");
    let options = "--truth truth.csv --count 3 --diversity 0 --format csv";
    let ran = folder.run(&format!("pick bench.toml {options}"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.out, folder.out(&format!("pick ranking.json {options}")));
    assert!(ran.err.contains("warning: mixed: left out: "), "{}", ran.err);
}
