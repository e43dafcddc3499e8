//! `clmatch stability`: how often a ranking holds, in every form, and what is refused.

use insta::assert_snapshot;

use crate::folder::Folder;

const TRUTH: &str = include_str!("../../../../lab/results/truth.csv");

/// Twelve datasets: `a` wins on good ones, `b` and `c` take turns elsewhere.
fn own() -> Folder {
    let mut scores = String::from("dataset,method,score\n");
    let mut ranking = String::from("rank,dataset,clm,db,xb\n");
    for at in 0..12 {
        let (good, turn) = (f64::from(12 - at) / 12.0, f64::from(at % 2) / 10.0);
        scores.push_str(&format!("d{at:02},a,{good:.3}\nd{at:02},b,{:.3}\n", 0.5 + turn));
        scores.push_str(&format!("d{at:02},\"c, tuned\",{:.3}\n", 0.6 - turn));
        ranking.push_str(&format!("{},d{at:02},{good:.3},{:.3},{good:.3}\n", at + 1, 1.0 - good));
    }
    Folder::with("scores.csv", scores).and("ranking.csv", ranking)
}

#[test]
fn a_ranking_is_judged_in_every_form() {
    let folder = own();
    assert_snapshot!("stability_table", folder.out("stability scores.csv --size 4"));
    assert_snapshot!(
        "stability_thirds_markdown",
        folder.out("stability scores.csv --size 2 --scores ranking.csv --format markdown")
    );
    let csv = folder.out("stability scores.csv --size 4 --draws 50 --format csv");
    assert_eq!(csv.lines().next(), Some("set,ahead,behind,kept,stability"));
    assert_eq!((csv.lines().count(), csv.contains("\"c, tuned\"")), (4, true));
    let json: serde_json::Value =
        serde_json::from_str(&folder.out("stability scores.csv --size 4 --format json --techniques a,b"))
            .unwrap();
    assert_eq!(json["sets"][0]["techniques"].as_array().unwrap().len(), 2);
    assert_eq!(json["schema"], "clmatch/stability/1");
}

#[test]
fn thirds_do_not_change_what_is_drawn_from_all() {
    let folder = own();
    let sets = |words: &str| -> Vec<serde_json::Value> {
        let text = folder.out(&format!("stability scores.csv --size 2 --format json {words}"));
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        json["sets"].as_array().unwrap().clone()
    };
    // The bad datasets come first, so that the thirds are cut from an order other than that of the file.
    let (alone, with_thirds) = (sets(""), sets("--scores ranking.csv --by xb"));
    assert_eq!(
        with_thirds.iter().map(|set| &set["set"]).collect::<Vec<_>>(),
        ["top third", "all", "bottom third"]
    );
    assert_eq!(alone[0], with_thirds[1]);
}

#[test]
fn an_order_that_draws_contradict_does_not_hold() {
    // On one of twelve datasets a is far ahead, on all others b is ahead: over all of them a is ahead.
    let mut scores = String::from("dataset,method,score\n");
    for at in 0..12 {
        scores.push_str(&format!("d{at:02},a,{}\nd{at:02},b,0.5\n", if at == 5 { "9" } else { "0.4" }));
    }
    let folder = Folder::with("scores.csv", scores);
    let text = folder.out("stability scores.csv --size 1 --draws 12000");
    for line in ["Two techniques keep their order in ", "The whole ranking holds in ", "  "] {
        let share = text.lines().find_map(|found| found.strip_prefix(line)?.split_once('%')).unwrap().0;
        assert!((share.trim().parse::<f64>().unwrap() - 100.0 / 12.0).abs() < 1.0, "{line}{share}: {text}");
    }
    assert!(text.ends_with("%  a before b\n"), "{text}");
    let json: serde_json::Value =
        serde_json::from_str(&folder.out("stability scores.csv --size 1 --draws 12000 --format json"))
            .unwrap();
    let set = &json["sets"][0];
    assert_eq!(set["whole"], set["pairs_kept"]);
    assert!((set["stability"].as_f64().unwrap() - 11.0 / 12.0).abs() < 0.01, "{set}");
}

#[test]
fn measures_that_are_lower_where_they_are_better_cut_thirds_the_same_way() {
    let folder = own();
    let by = |id: &str| {
        let words = format!("stability scores.csv --size 2 --scores ranking.csv --by {id} --format csv");
        folder.out(&words)
    };
    assert_eq!(by("clm"), by("db"));
}

#[test]
fn what_truth_writes_is_understood() {
    let folder = Folder::with("truth.csv", TRUTH);
    let text = folder.out("stability truth.csv");
    assert!(
        text.starts_with("9 techniques by ami, 1000 draws of 10 of these datasets, with replacement\n"),
        "{text}"
    );
    assert!(!text.contains("singletons"));
    let other = folder.out("stability truth.csv --external vm --seed 1");
    assert!(other.contains("by vm") && other != text);
}

#[test]
fn noise_does_not_hold() {
    // Uninformative scores of three techniques on ten and eleven datasets: the default size of a draw, and one more.
    for datasets in [10_u32, 11] {
        let mut scores = String::from("dataset,technique,score\n");
        for at in 0..datasets {
            for (salt, technique) in ["a", "b", "c"].into_iter().enumerate() {
                let noise = (at + 1).wrapping_mul(2_654_435_761).wrapping_add(salt as u32 * 40_503) >> 7;
                scores.push_str(&format!("d{at:02},{technique},{}\n", f64::from(noise % 1000) / 1000.0));
            }
        }
        let text = Folder::with("scores.csv", scores).out("stability scores.csv --format json");
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let set = &json["sets"][0];
        assert!(set["whole"].as_f64().unwrap() < 0.9 && set["pairs_kept"].as_f64().unwrap() < 0.9, "{set}");
        assert_eq!(json["replacement"], true);
    }
}

#[test]
fn bad_tables_and_sizes_are_refused() {
    let folder = own().and("gap.csv", "dataset,method,score\nx,a,1\nx,b,2\ny,a,1\n").and("empty.csv", "");
    for (words, code, error) in [
        (
            "stability gap.csv --size 1",
            3,
            "error: gap.csv: b has no score on y\nhelp: leave the dataset out, or choose the methods to compare\n",
        ),
        (
            "stability empty.csv",
            3,
            "error: empty.csv: the table is empty\nhelp: it needs a line of titles and rows\n",
        ),
        (
            "stability scores.csv --size 13",
            3,
            "error: all: 13 datasets cannot be drawn from 12\nhelp: give a smaller --size\n",
        ),
        (
            "stability scores.csv --external ami",
            3,
            "error: scores.csv: there is no external measure ami\n\
             help: the file has no column external: leave --external out\n",
        ),
        (
            "stability scores.csv --scores ranking.csv --by ch_a",
            3,
            "error: ranking.csv: there is no column ch_a\nhelp: the columns are: rank, dataset, clm, db, xb\n",
        ),
    ] {
        let ran = folder.run(words);
        assert_eq!((ran.code, ran.err.as_str(), ran.out.as_str()), (code, error, ""), "{words}");
    }
    assert_eq!(folder.run("stability scores.csv --by clm").code, 2, "--by without --scores");
}
