//! The verdict on a dataset, and when there is none.

use crate::folder::{Folder, THREE, TWO};

/// Classes with given numbers of points on a grid of ten columns, each around its own centre.
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

/// Five classes far apart, except that two of them are the same points: the mean of ten pairs is high, but one of them fails.
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
    assert!(out.contains(" of the 92 catalogued datasets, in the top third\n"), "{out}");
    assert!(
        out.contains("\nthe best clustering can be expected to reach an ami of 1.00 (± 0.12)\n"),
        "{out}"
    );
    assert_eq!(last_line(&out), "verdict: fit to serve as ground truth");
    let verdict = &folder.json("score good.csv --format json")["verdict"];
    assert_eq!((&verdict["measure"], &verdict["decision"]), (&"clm".into(), &"fit".into()));
    assert_eq!(verdict["expected"]["error"], 0.12);
    assert!(folder.out("rank good.csv").contains("  fit  "));
    assert!(
        folder.out("score good.csv --format markdown").ends_with("verdict: fit to serve as ground truth\n")
    );
}

#[test]
fn a_mean_does_not_hide_a_pair_that_shares_a_cluster() {
    let folder = Folder::with("cats.csv", hidden_pair(40));
    let merge = "verdict: fit to serve as ground truth after a change: merge 'cheetah' and 'leopard'";
    assert_eq!(last_line(&folder.out("score cats.csv")), merge);
    let verdict = &folder.json("score cats.csv --format json")["verdict"];
    assert_eq!(verdict["decision"], "fit-after-change");
    let change = serde_json::json!([{ "change": "merge", "classes": ["cheetah", "leopard"] }]);
    assert_eq!(verdict["changes"], change);
    assert!(folder.out("rank cats.csv").contains("  fit if merged  "));
}

/// Two classes of two runs each, at the corners of a square.
#[test]
fn a_class_that_is_several_clusters_is_not_fit() {
    let folder = Folder::with("xor.csv", {
        let corners = [("a", 0.0, 0.0), ("b", 0.0, 20.0), ("b", 20.0, 0.0), ("a", 20.0, 20.0)];
        let mut text = String::from("x,y,label\n");
        for (name, left, low) in corners {
            for at in 0..60 {
                let (x, y) = (left + f64::from(at % 10) * 0.11, low + f64::from(at / 10) * 0.13);
                text.push_str(&format!("{x},{y},{name}\n"));
            }
        }
        text
    });
    let out = folder.out("score xor.csv");
    assert!(
        last_line(&out).starts_with(
            "verdict: not fit to serve as ground truth: 'a' looks like 2 clusters (50%, 50%); 'b' looks"
        ),
        "{out}"
    );
    let found = folder.json("score xor.csv --format json");
    assert_eq!(found["verdict"]["findings"][0]["finding"], "split-class");
    assert!(found["verdict"]["expected"]["ami"].as_f64().unwrap() < 0.67, "{found}");
    let ran = folder.run("score xor.csv --fail-unless fit-after-change");
    assert_eq!(ran.code, 1);
    assert!(
        ran.err.starts_with("missed: xor: the verdict is: not fit to serve as ground truth: "),
        "{}",
        ran.err
    );
    assert!(ran.err.ends_with("; the bar is fit-after-change\n"), "{}", ran.err);
}

/// Data that are read in blocks are judged by a sample of the rows.
#[test]
fn streams_are_searched_for_split_classes_and_copies_of_the_label() {
    let runs = grid(&[("a", 0.0, 300), ("b", 200.0, 600), ("a", 400.0, 300)]);
    let code = |line: &str| if line.ends_with('a') { "3" } else { "8" };
    let copy: String = runs
        .lines()
        .map(|line| format!("{},{line}\n", if line == "x,y,label" { "code" } else { code(line) }))
        .collect();
    let folder = Folder::with("runs.csv", &runs).and("copy.csv", &copy);
    let split = folder.json("score runs.csv --stream --format json");
    assert_eq!(split["verdict"]["decision"], "not-fit", "{split}");
    assert_eq!(split["verdict"]["findings"][0]["class"], "a");
    let told = folder.json("score copy.csv --stream --format json");
    assert_eq!(told["verdict"]["decision"], "cannot-be-said", "{told}");
    assert_eq!(told["verdict"]["reasons"][0]["columns"][0]["column"], "code");
}

#[test]
fn verdicts_can_be_barred_in_rankings() {
    let folder =
        Folder::with("cats.csv", hidden_pair(40)).and("two.csv", grid(&[("a", 0.0, 40), ("b", 20.0, 40)]));
    assert_eq!(folder.run("rank cats.csv two.csv --fail-unless fit-after-change").code, 0);
    // The measure of the verdict is computed even if another one was requested.
    let ran = folder.run("rank cats.csv two.csv --measures ch_a --fail-unless fit");
    assert_eq!((ran.code, ran.err.lines().count()), (1, 1), "{}", ran.err);
    assert!(
        ran.err
            .starts_with("missed: cats: the verdict is: fit to serve as ground truth after a change: merge"),
        "{}",
        ran.err
    );
}

#[test]
fn few_points_are_said_and_their_pairs_are_marked() {
    let folder = Folder::with("few.csv", hidden_pair(9)).and("enough.csv", hidden_pair(10));
    let out = folder.out("score few.csv");
    let few = "5 of 5 classes have fewer than 10 points: cheetah (9), leopard (9), lion (9), and 2 more\n";
    assert!(out.contains(few), "{out}");
    assert!(out.contains("  cheetah | leopard (few points)\n"), "{out}");
    let few = folder.json("score few.csv --format json");
    assert_eq!(few["pairs"][0]["few_points"], true);
    assert_eq!(few["verdict"]["caveats"][0]["caveat"], "small-classes");
    let enough = folder.json("score enough.csv --format json");
    assert!(enough["pairs"][0].get("few_points").is_none());
    assert_ne!(enough["verdict"]["caveats"][0]["caveat"], "small-classes");
}

#[test]
fn a_verdict_needs_clm_and_no_catalogue() {
    let folder = Folder::with("good.csv", grid(&[("a", 0.0, 40), ("b", 20.0, 40)]));
    let out = folder.out("score good.csv --measures sc,db");
    assert_eq!(last_line(&out), "verdict: cannot be said, because a verdict needs the measure clm");
    assert!(!out.contains("catalogued"), "{out}");
    let scaled = folder.out("score good.csv --scale standard");
    assert_eq!(last_line(&scaled), "verdict: fit to serve as ground truth");
    let out = folder.out("score good.csv --scale robust");
    assert_eq!(last_line(&out), "verdict: fit to serve as ground truth");
    assert!(!out.contains("catalogued"), "{out}");
}

#[test]
fn guesses_of_the_reader_have_no_verdict() {
    let rows: String =
        (0..40).map(|at| format!("{},{},{}\n", at * 7919 % 1009, at % 2 * 5000 + at % 7, at % 2)).collect();
    let folder = Folder::with("ids.csv", format!("code,x,label\n{rows}"));
    let ran = folder.run("score ids.csv");
    assert!(ran.out.ends_with("there is a feature that may be an id: 'code'\n"), "{}", ran.out);
    assert!(!folder.run("score ids.csv --drop code").out.contains("may be an id"));
}

#[test]
fn copies_of_the_label_are_refused_unless_they_are_kept() {
    let rows: String = (0..40)
        .map(|at| format!("{},{},{},{}\n", at * 31 % 17, at * 13 % 11, at % 2, ["no", "yes"][at % 2]))
        .collect();
    let folder = Folder::with("leak.csv", format!("x,y,target,target_name\n{rows}"));
    let ran = folder.run("score leak.csv --label target_name");
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("the feature 'target' is a copy of the label"), "{}", ran.err);
    assert!(ran.err.contains("--drop target"), "{}", ran.err);
    assert_eq!(folder.run("score leak.csv --label target_name --drop target").code, 0);
    let kept = folder.out("score leak.csv --label target_name --keep target");
    assert_eq!(
        last_line(&kept),
        "verdict: cannot be said, because the feature 'target' is a copy of the label"
    );
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
    // The measure of the bar is computed, the only pair of two classes is the worst one, and bars apply to rankings, too.
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

/// Two classes that differ in a small feature, beside a large one that does not separate them.
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

    // Rankings name the datasets, but do not score them twice.
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
