//! Intervals and random labels.

use serde_json::Value;

use crate::folder::{Folder, TWO};

#[test]
fn a_score_has_an_interval_and_is_told_from_chance() {
    let folder = Folder::new();
    let scored = folder.json("score iris --ci --null 200 --format json --measures clm,sc_a,ch");
    let plain = folder.json("score iris --format json --measures clm,sc_a,ch");
    assert_eq!(scored["scores"], plain["scores"]);
    assert!(plain.get("intervals").is_none() && plain.get("random_labels").is_none());
    let intervals = scored["intervals"].as_array().unwrap();
    assert_eq!(intervals.len(), 3);
    for interval in intervals {
        let score = scored["scores"][interval["measure"].as_str().unwrap()].as_f64().unwrap();
        let [low, high] = ["low", "high"].map(|end| interval[end].as_f64().unwrap());
        assert!(low < score && score < high, "{interval}");
    }
    assert_eq!(scored["random_labels"]["permutations"], 200);
    for random in scored["random_labels"]["scores"].as_array().unwrap() {
        assert_eq!(random["p"].as_f64(), Some(1.0 / 201.0), "{random}");
        assert!(random["low"].as_f64() <= random["mean"].as_f64(), "{random}");
        assert!(random["mean"].as_f64() <= random["high"].as_f64(), "{random}");
    }
    let settings = &scored["settings"];
    assert_eq!((&settings["permutations"], &settings["intervals"]), (&"200".into(), &"95%".into()));
}

#[test]
fn every_format_shows_them() {
    let folder = Folder::new();
    let out = folder.out("score iris --ci --null 200 --quiet");
    let quoted = out.lines().find(|line| line.starts_with("clm 0.850 [")).unwrap();
    assert!(quoted.contains("]; random labels 0.0") && quoted.ends_with(", p < 0.005"), "{out}");
    assert!(out.contains("95% interval") && out.contains("random labels"), "{out}");
    let csv = folder.out("score iris --ci --null 20 --measures clm --format csv --quiet");
    assert!(
        csv.lines().next().unwrap().contains(",clm,clm_low,clm_high,clm_random,clm_p,clm_of_pairs,"),
        "{csv}"
    );
    let markdown = folder.out("score iris --ci --measures clm --format markdown --quiet");
    assert!(markdown.contains("95% interval"), "{markdown}");
}

#[test]
fn the_seed_decides_and_threads_do_not() {
    let folder = Folder::new();
    let words = "score iris --ci --null 30 --format json --quiet --seed";
    let first = folder.out(&format!("{words} 1 --threads 1"));
    assert_eq!(first, folder.out(&format!("{words} 1 --threads 2")));
    assert_ne!(first, folder.out(&format!("{words} 2")));
}

#[test]
fn ranks_with_overlapping_intervals_are_not_told_apart() {
    let folder = Folder::new();
    let entries = folder.json("rank iris moons well-matched --ci --format json");
    for entry in entries.as_array().unwrap() {
        let rank = entry["rank"].as_u64().unwrap();
        let [best, worst] = [0, 1].map(|at| entry["not_told_apart"][at].as_u64().unwrap());
        assert!(best <= rank && rank <= worst, "{entry}");
    }
    let table = folder.out("rank iris moons well-matched --ci --measures clm");
    assert!(table.lines().next().unwrap().contains("overlaps"), "{table}");
    let csv = folder.out("rank iris moons --ci --measures clm --format csv");
    assert!(csv.starts_with("rank,dataset,points,features,classes,clm,clm_low,clm_high\n"), "{csv}");
}

/// A dataset with classes of three points keeps its scores; a warning says why there are no intervals.
#[test]
fn classes_that_are_too_small_for_an_interval_keep_their_scores() {
    let folder = Folder::with("small.csv", "x,y,label\n0,0,a\n0,1,a\n1,0,a\n9,9,b\n9,8,b\n8,9,b\n8,8,b\n");
    let ran = folder.run("score small.csv --ci --measures ch_a --format json");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let words = "no intervals: the class 'a' has 3 points, and an interval needs at least 4 in every class";
    assert!(ran.err.contains(words), "{}", ran.err);
    let scored: Value = serde_json::from_str(&ran.out).unwrap();
    assert!(scored["scores"]["ch_a"].as_f64().is_some() && scored.get("intervals").is_none());
}

#[test]
fn a_resumed_run_does_not_take_scores_without_intervals_for_those_with_them() {
    let folder = Folder::with("two.csv", TWO);
    assert_eq!(folder.run("rank two.csv --resume done.jsonl --quiet").code, 0);
    let with = folder.json("rank two.csv --resume done.jsonl --ci --quiet --format json");
    assert_eq!(with[0]["intervals"].as_array().map(Vec::len), Some(6));
    let again = folder.json("rank two.csv --resume done.jsonl --ci --quiet --format json");
    assert_eq!(with, again);
}

#[test]
fn wrong_numbers_of_labellings_are_refused() {
    let folder = Folder::new();
    for wrong in ["0", "-3", "many", "1.5"] {
        let ran = folder.run(&format!("score iris --null={wrong}"));
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert!(ran.err.contains("whole number from 1 to 1000000"), "{}", ran.err);
    }
}

#[test]
fn long_work_on_intervals_can_be_interrupted() {
    let mut rows = String::from("x,y,z,label\n");
    for at in 0..12_000_u64 {
        let number = |salt: u64| (at.wrapping_mul(2_654_435_761 + salt) % 100_003) as f64 / 1000.0;
        rows.push_str(&format!("{},{},{},c{}\n", number(1), number(2), number(3), at % 3));
    }
    let folder = Folder::with("large.csv", rows);
    let start = std::time::Instant::now();
    let ran = folder.interrupted("score large.csv --null 100000 --measures clm,sc_a", || {
        start.elapsed() > std::time::Duration::from_secs(3)
    });
    assert_eq!(ran.code, 130, "{}", ran.err);
    assert!(ran.out.is_empty());
}
