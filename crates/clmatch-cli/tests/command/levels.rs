//! `score --levels`: labels that form a tree, and what accompanies the mean over pairs.

use insta::assert_snapshot;

use crate::folder::{Folder, THREE, TWO};

/// Twelve points for each label: dogs overlap, everything else lies apart; `animal` does not say which animal.
fn tree(labels: &[(&str, f64)]) -> String {
    let mut csv = String::from("x,y,label\n");
    for (label, place) in labels {
        for at in 0..12 {
            let (x, y) = (f64::from(at % 4), f64::from(at / 4));
            csv.push_str(&format!("{},{},{label}\n", place + x + 0.1 * y, 2.0 * y - 0.2 * x));
        }
    }
    csv
}

fn animals() -> String {
    tree(&[
        ("animal/dog/poodle", 0.0),
        ("animal/dog/spaniel", 1.5),
        ("animal/cat", 30.0),
        ("animal", 15.0),
        ("plant/rose", 90.0),
    ])
}

#[test]
fn levels_in_every_format() {
    let folder = Folder::with("zoo.csv", animals());
    let words = "score zoo.csv --levels / --measures clm,ch_a,sc";
    assert_snapshot!("levels_table", folder.out(words));
    assert_snapshot!("levels_csv", folder.out(&format!("{words} --format csv")));
    assert_snapshot!("levels_markdown", folder.out(&format!("{words} --format markdown")));
    let json: serde_json::Value =
        serde_json::from_str(&folder.out(&format!("{words} --format json"))).unwrap();
    assert_eq!((&json["schema"], &json["settings"]["levels"]), (&"clmatch/levels/1".into(), &"/".into()));
    assert_eq!(json["levels"][1]["undecided"], 12);
    assert_eq!(json["nodes"][2]["not_scored"]["class"], "rose");
    assert!(json["path"].as_str().unwrap().ends_with("zoo.csv"));
}

#[test]
fn the_deepest_level_is_the_plain_score() {
    let folder = Folder::with("zoo.csv", tree(&[("a/b/c", 0.0), ("a/b/d", 2.0), ("e/f/g", 9.0)]));
    let scores = |words: &str| -> serde_json::Value {
        serde_json::from_str(&folder.out(&format!("score zoo.csv --measures all --format json {words}")))
            .unwrap()
    };
    let (levels, plain) = (scores("--levels /"), scores(""));
    assert_eq!(levels["levels"][2]["scores"], plain["scores"]);
    assert_eq!(levels["levels"][2]["over_pairs"], plain["over_pairs"]);
    assert_ne!(levels["levels"][0]["scores"], plain["scores"]);
}

#[test]
fn what_is_no_tree_is_refused_with_a_way_out() {
    let empty = tree(&[("a/b", 0.0), ("a//c", 5.0)]);
    let folder = Folder::with("two.csv", TWO)
        .and("empty.csv", empty)
        .and("alone.csv", "x,label\n0,a/b\n1,a/c\n2,a/c\n");
    let refused = |words: &str, code: i32| {
        let ran = folder.run(words);
        assert_eq!((ran.code, ran.out.as_str()), (code, ""), "{words}: {}", ran.err);
        ran.err
    };
    assert_eq!(
        refused("score two.csv --levels /", 3),
        "error: two: no label contains '/' (one of them is 'a')\n\
         help: give another separator: --levels TEXT\n"
    );
    assert_eq!(
        refused("score empty.csv --levels /", 3),
        "error: empty: the label 'a//c' of 12 points has an empty part\n\
         help: correct the label: every part needs a name\n"
    );
    let alone = refused("score alone.csv --levels /", 3);
    assert!(alone.starts_with("error: alone.csv: only one class has more than one point\n"), "{alone}");
    for other in ["--fail-under clm=0.5", "--ci", "--null 9"] {
        assert!(
            refused(&format!("score two.csv --levels / {other}"), 2).contains("cannot be used with"),
            "{other}"
        );
    }
    let empty = folder.command().args(["score", "two.csv", "--levels", ""]).output().unwrap();
    assert_eq!(empty.status.code(), Some(2));
    // Another separator makes a plain name of the double one.
    assert!(folder.out("score empty.csv --levels //").contains("2 labels in 2 levels, separated by //"));
}

#[test]
fn classes_of_one_point_are_named_and_can_be_left_out() {
    let folder = Folder::with("zoo.csv", tree(&[("a/b", 0.0), ("a/c", 20.0), ("d/e", 50.0)]) + "7,7,d/f\n");
    let ran = folder.run("score zoo.csv --levels / --measures clm");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.starts_with("warning: 2 of 4 levels and nodes have no scores"), "{}", ran.err);
    assert!(ran.out.contains("the class 'd/f' has a single point"), "{}", ran.out);
    let dropped = folder.out("score zoo.csv --levels / --measures clm --singletons drop");
    assert!(dropped.contains("1 class of one point left out"), "{dropped}");
}

#[test]
fn the_weakest_class_stands_beside_the_mean() {
    let folder = Folder::with("three.csv", THREE).and("two.csv", TWO);
    let json: serde_json::Value =
        serde_json::from_str(&folder.out("score three.csv --measures ch_a,sc --format json")).unwrap();
    let summary = &json["over_pairs"][0];
    let pair = |at: usize| json["pairs"][at]["scores"]["ch_a"].as_f64().unwrap();
    assert_eq!(json["over_pairs"].as_array().unwrap().len(), 1, "sc has no pairs");
    assert_eq!((&summary["worst_pair"]["a"], &summary["worst_pair"]["b"]), (&"p".into(), &"q".into()));
    // Classes of the same size: the weighted mean is the mean. p and q overlap; one of them is the weakest class.
    let close = |a: &serde_json::Value, b: f64| (a.as_f64().unwrap() - b).abs() < 1e-12;
    assert!(close(&summary["weighted_mean"], json["scores"]["ch_a"].as_f64().unwrap()));
    let weakest = ((pair(0) + pair(1)) / 2.0).min((pair(0) + pair(2)) / 2.0);
    assert!(close(&summary["weakest_class"]["score"], weakest), "{summary}");
    assert!(folder.out("score three.csv --measures clm").contains("clm of pairs, weighted by size: 0.4"));
    assert!(!folder.out("score two.csv").contains("weakest"), "two classes have the same");
}
