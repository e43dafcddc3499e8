//! What is said about a dataset, and when nothing is.

use crate::folder::{Folder, THREE, TWO};

/// Classes of so many points on a grid of ten columns, each around its own centre.
fn grid(classes: &[(&str, f64, usize)]) -> String {
    let mut text = String::from("x,y,label\n");
    for &(name, centre, points) in classes {
        for at in 0..points {
            let (x, y) = (centre + (at % 10) as f64 * 0.1, centre + (at / 10) as f64 * 0.1);
            text.push_str(&format!("{x},{y},{name}\n"));
        }
    }
    text
}

/// Five classes far apart, two of which are the same points: the mean of ten pairs is high, one of them fails.
fn hidden_pair(points: usize) -> String {
    grid(&[
        ("lion", 0.0, points),
        ("tiger", 20.0, points),
        ("lynx", 40.0, points),
        ("cheetah", 60.0, points),
        ("leopard", 60.0, points),
    ])
}

fn last_line(out: &str) -> &str {
    out.lines().last().unwrap()
}

#[test]
fn a_dataset_is_told_where_it_stands_and_what_that_means() {
    let folder = Folder::with("good.csv", grid(&[("a", 0.0, 40), ("b", 20.0, 40), ("c", 40.0, 40)]));
    let out = folder.out("score good.csv");
    let place = out.lines().rev().nth(1).unwrap();
    assert!(place.contains(" of the 92 catalogued datasets, in the top third"), "{out}");
    assert_eq!(last_line(&out), "verdict: fit to serve as ground truth");
    let verdict = &folder.json("score good.csv --format json")["verdict"];
    assert_eq!(*verdict, serde_json::json!({ "measure": "clm", "decision": "fit" }));
    assert!(folder.out("rank good.csv").contains("  fit  "));
    assert!(
        folder.out("score good.csv --format markdown").ends_with("verdict: fit to serve as ground truth\n")
    );
}

#[test]
fn a_mean_does_not_hide_a_pair_that_shares_a_cluster() {
    let folder = Folder::with("cats.csv", hidden_pair(40));
    for measure in ["clm", "ch_a", "db_a", "ch_c"] {
        let out = folder.out(&format!("score cats.csv --measures {measure}"));
        let last = last_line(&out);
        assert!(last.starts_with("verdict: fit but for cheetah | leopard ("), "{measure}: {out}");
        assert!(last.ends_with("): the pair shares one cluster"), "{measure}: {out}");
    }
    let verdict = &folder.json("score cats.csv --format json")["verdict"];
    assert_eq!(verdict["decision"], "fit-but-for-pairs");
    assert_eq!(
        (&verdict["pairs"][0]["a"], &verdict["pairs"][0]["b"]),
        (&"cheetah".into(), &"leopard".into())
    );
    assert!(folder.out("rank cats.csv").contains("  fit but 1 pair  "));
}

#[test]
fn few_points_have_no_verdict_and_their_pairs_are_marked() {
    let folder = Folder::with("few.csv", hidden_pair(9)).and("enough.csv", hidden_pair(10));
    let out = folder.out("score few.csv");
    assert_eq!(
        last_line(&out),
        "verdict: none, because 5 of 5 classes have fewer than 10 points: cheetah (9), leopard (9), lion (9), and 2 more"
    );
    assert!(out.contains("  cheetah | leopard (few points)\n"), "{out}");
    let few = folder.json("score few.csv --format json");
    assert_eq!(few["pairs"][0]["few_points"], true);
    assert_eq!(few["verdict"]["reasons"][0]["reason"], "small-classes");
    let enough = folder.json("score enough.csv --format json");
    assert!(enough["pairs"][0].get("few_points").is_none());
    assert_ne!(enough["verdict"]["decision"], "withheld");
    assert!(folder.out("rank few.csv").contains("  none  "));
}

#[test]
fn standard_measures_and_other_scales_have_no_verdict() {
    let folder = Folder::with("good.csv", grid(&[("a", 0.0, 40), ("b", 20.0, 40)]));
    let out = folder.out("score good.csv --measures sc,db");
    assert_eq!(
        last_line(&out),
        "verdict: none, because standard measures cannot be compared between datasets"
    );
    assert!(!out.contains("catalogued"), "{out}");
    // A measure that can be compared is preferred to one that cannot.
    let out = folder.out("score good.csv --measures sc,ch_a");
    assert_eq!(last_line(&out), "verdict: fit to serve as ground truth");
    let scaled = folder.out("score good.csv --scale standard");
    assert_eq!(last_line(&scaled), "verdict: fit to serve as ground truth");
    let out = folder.out("score good.csv --scale robust");
    assert_eq!(
        last_line(&out),
        "verdict: none, because the catalogue holds data scaled by max-abs and standard, and not by robust"
    );
    assert!(!out.contains("catalogued"), "{out}");
}

#[test]
fn guesses_of_the_reader_have_no_verdict() {
    let rows: String =
        (0..40).map(|at| format!("{},{},{}\n", at * 7919 % 1009, at % 2 * 5000 + at % 7, at % 2)).collect();
    let folder = Folder::with("ids.csv", format!("code,x,label\n{rows}"));
    let ran = folder.run("score ids.csv");
    assert!(ran.out.ends_with("there is a feature that may be an id: 'code'\n"), "{}", ran.out);
    assert!(folder.run("score ids.csv --drop code").out.ends_with("verdict: fit to serve as ground truth\n"));
}

#[test]
fn the_worst_pair_can_be_barred() {
    let folder = Folder::with("cats.csv", hidden_pair(40)).and("two.csv", TWO);
    assert_eq!(folder.run("score cats.csv --fail-under clm=0.3").code, 0);
    let ran = folder.run("score cats.csv --fail-under worst:clm=0.3");
    assert_eq!(ran.code, 1);
    assert!(
        ran.err.starts_with("missed: cats: clm of the worst pair, cheetah | leopard, is 0.")
            && ran.err.ends_with("; the bar is 0.3\n"),
        "{}",
        ran.err
    );
    // The measure of the bar is computed, of two classes the only pair is the worst, and rankings are barred too.
    let ran = folder.run("rank two.csv cats.csv --measures ch_a --fail-under worst:sc_a=0.3");
    assert_eq!((ran.code, ran.err.lines().count()), (1, 1), "{}", ran.err);
    assert_eq!(folder.run("score two.csv --fail-under worst:clm=0.3").code, 0);
    let refused = folder.run("score two.csv --fail-under worst:sc=0.3");
    assert_eq!(refused.code, 2);
    assert!(
        refused.err.contains("sc has no scores of pairs: it looks at all classes at once"),
        "{}",
        refused.err
    );
}

/// Two classes that differ in a small feature, beside a large one that says nothing.
fn dominated() -> String {
    let row = |at: usize| format!("{},{}.5,{}\n", at % 2 * 4 + at % 3, at * 7919 % 1009, ["a", "b"][at % 2]);
    format!("small,large,label\n{}", (0..60).map(row).collect::<String>())
}

#[test]
fn a_feature_that_dominates_is_named_with_the_other_score() {
    let folder = Folder::with("wide.csv", dominated()).and("three.csv", THREE);
    let ran = folder.run("score wide.csv --measures clm,ch_a");
    assert_eq!(
        ran.err,
        "note: the feature 'large' carries 99.9% of the variance; --scale standard gives each feature the same weight\n"
    );
    let scaled = folder.json("score wide.csv --measures clm,ch_a --scale standard --format json");
    assert!(scaled.get("dominant").is_none(), "with equal weights nothing dominates");
    let found = folder.json("score wide.csv --measures clm,ch_a --format json");
    assert_eq!(found["dominant"]["feature"], "large");
    assert!(found["dominant"]["share"].as_f64().unwrap() > 0.999);
    for id in ["clm", "ch_a"] {
        let [beside, alone] =
            [&found["dominant"]["standard"][id], &scaled["scores"][id]].map(|value| value.as_f64().unwrap());
        assert!((beside - alone).abs() < 1e-12, "{id}: {beside} {alone}");
        let line = ran.out.lines().find(|line| line.starts_with(id)).unwrap();
        assert!(line.contains(&format!(" {alone:.3} ")), "{}", ran.out);
    }
    assert!(ran.out.contains("measure  score  --scale standard  better"), "{}", ran.out);
    assert!(!folder.out("score three.csv").contains("--scale standard"));

    // Rankings name the datasets, and do not score them twice.
    let ran = folder.run("rank wide.csv three.csv");
    assert_eq!(
        ran.err,
        "note: one feature carries nearly all of the variance of wide ('large'); --scale standard gives each feature \
         the same weight\n"
    );
    assert_eq!(folder.run("rank wide.csv three.csv --quiet").err, "");
    let ranked = folder.json("rank wide.csv --format json --quiet");
    assert!(ranked[0]["dominant"].get("standard").is_none());
}
