//! Many datasets: order, ties, failures, interrupts, resumed runs, differences.

use insta::assert_snapshot;

use crate::folder::{Folder, Ran, THREE, TWO};
use crate::stream;

/// Labels that are unrelated to the points.
const MIXED: &str = "x,label\n0,a\n1,b\n2,a\n3,b\n4,a\n5,b\n6,b\n7,a\n";

pub fn folder() -> Folder {
    Folder::with("d/three.csv", THREE).and("d/two.csv", TWO).and("d/sub/mixed.csv", MIXED)
}

#[test]
fn best_first_in_every_format() {
    let folder = folder();
    assert_snapshot!("rank_table", folder.out("rank d --measures ch_a,sc,db"));
    assert_snapshot!("rank_csv", folder.out("rank d --measures ch_a,sc,db --format csv"));
    assert_snapshot!("rank_markdown", folder.out("rank d --measures ch_a,sc,db --format markdown"));
    let json: serde_json::Value = serde_json::from_str(&folder.out("rank d --format json")).unwrap();
    let names: Vec<&str> = json.as_array().unwrap().iter().map(|d| d["dataset"].as_str().unwrap()).collect();
    assert_eq!(names, ["two", "three", "mixed"]);
    assert_eq!(json[2]["rank"], 3);
    assert_eq!(json[0]["standing"]["measure"], "clm");
}

#[test]
fn neither_order_nor_numbers_depend_on_threads() {
    // Files larger than a megabyte are scored one at a time.
    let folder =
        folder().and("d/large.csv", stream::points(30_000)).and("d/larger.csv", stream::points(40_000));
    let ranked = |threads: &str| folder.run(&format!("rank d --format json --threads {threads}"));
    let alone = ranked("1");
    assert_eq!((alone.code, alone.out.matches("\"decision\"").count()), (0, 5), "{}", alone.err);
    for threads in ["2", "5"] {
        assert_eq!(ranked(threads).out, alone.out, "{threads}");
    }
}

#[test]
fn by_another_measure_and_only_the_top() {
    let folder = folder();
    let lower_is_better = folder.out("rank d --by xb --format csv");
    assert!(lower_is_better.lines().nth(1).unwrap().starts_with("1,two,"), "{lower_is_better}");
    assert!(lower_is_better.lines().next().unwrap().ends_with(",xb"));
    assert!(folder.out("rank d --top 1").ends_with("(2 more)\n"));
}

#[test]
fn ties_are_shown_as_ties() {
    let folder = Folder::with("a.csv", TWO).and("b.csv", TWO).and("c.csv", THREE);
    let out = folder.out("rank c.csv b.csv a.csv --measures ch_a");
    let starts: Vec<&str> = out.lines().skip(1).map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(starts, ["1=", "1=", "3"]);
    let csv = folder.out("rank c.csv b.csv a.csv --measures ch_a --format csv");
    let starts: Vec<&str> = csv.lines().skip(1).map(|line| &line[..3]).collect();
    assert_eq!(starts, ["1,a", "1,b", "3,c"]);
}

#[test]
fn a_dataset_that_fails_does_not_stop_the_others_and_is_said_once() {
    let folder = folder().and("d/bad.csv", "x,label\n1,a\nred,a\n2,b\n3,b\n");
    let why = "d/bad.csv, line 3, column 'x': 'red' is not a number";
    for format in ["table", "json", "csv", "markdown"] {
        let ran = folder.run(&format!("rank d --measures ch_a --format {format}"));
        assert_eq!(ran.code, 3);
        assert!(ran.out.contains("two"), "{}", ran.out);
        let plain = ran.out.replace("\\_", "_");
        let said = [plain.contains(why), ran.err.contains(why)];
        assert_eq!(said.iter().filter(|said| **said).count(), 1, "{format}: {}{}", ran.out, ran.err);
        assert!(ran.err.starts_with("error: "), "{}", ran.err);
    }
    // Output in a file is not seen: the reason is still shown on the screen.
    let ran = folder.run("rank d --measures ch_a --format json -o out.json");
    assert!(ran.err.contains(why) && folder.text("out.json").contains("is not a number"), "{}", ran.err);
    let ran = folder.run("rank d --measures ch_a --format csv");
    assert!(ran.out.ends_with(",bad,,,,,\n"), "{}", ran.out);
    let columns: Vec<usize> = ran.out.lines().map(|line| line.matches(',').count()).collect();
    assert!(columns.iter().all(|&count| count == columns[0]), "{}", ran.out);
}

#[test]
fn a_second_run_skips_what_is_finished() {
    let folder = folder();
    let first = folder.run("rank d --resume done.jsonl --format json");
    assert_eq!((first.code, first.err.as_str()), (0, ""));
    assert_eq!(folder.text("done.jsonl").lines().count(), 3);
    let second = folder.run("rank d --resume done.jsonl --format json");
    assert_eq!(second.err, "resumed: 3 of 3 datasets were finished before\n");
    assert_eq!(second.out, first.out);
    assert_eq!(folder.text("done.jsonl").lines().count(), 3);
}

#[test]
fn other_files_options_or_broken_lines_are_not_resumed() {
    let folder = folder();
    folder.run("rank d --resume done.jsonl");
    let folder = folder.and("d/two.csv", THREE);
    let ran = folder.run("rank d --resume done.jsonl");
    assert_eq!(ran.err, "resumed: 2 of 3 datasets were finished before\n");
    assert_eq!(folder.run("rank d --resume done.jsonl --scale standard").err, "");
    let text = folder.text("done.jsonl");
    let cut = &text[..text.len() - 40];
    let folder = folder.and("done.jsonl", cut);
    let ran = folder.run("rank d --resume done.jsonl --scale standard");
    assert_eq!(ran.err, "resumed: 2 of 3 datasets were finished before\n");
    let ran = folder.run("rank d --resume done.jsonl --scale standard");
    assert_eq!(ran.err, "resumed: 3 of 3 datasets were finished before\n");
}

#[test]
fn an_interrupt_keeps_what_is_finished() {
    // One dataset that takes long enough to be interrupted, and a small one that is finished by then.
    let mut slow = String::from("label");
    (0..120).for_each(|feature| slow.push_str(&format!(",f{feature}")));
    slow.push('\n');
    for row in 0..40_000_u64 {
        slow.push_str(if row % 2 == 0 { "a" } else { "b" });
        (0..120).for_each(|feature| slow.push_str(&format!(",{}", (row * 7919 + feature * 104_729) % 1009)));
        slow.push('\n');
    }
    let folder = Folder::with("d/two.csv", TWO).and("d/slow.csv", slow);
    let one_is_done = || folder.path("done.jsonl").exists() && folder.text("done.jsonl").lines().count() > 0;
    let Ran { code, out, err } =
        folder.interrupted("rank d --resume done.jsonl --format csv --threads 1", one_is_done);
    assert_eq!(code, 130, "{err}");
    assert_eq!(
        err,
        "error: interrupted: 1 dataset was not finished\nhelp: continue with the same --resume file\n"
    );
    assert!(out.contains("\n1,two,") && !out.contains("slow"), "{out}");
    assert_eq!(folder.text("done.jsonl").lines().count(), 1);
}

#[test]
fn the_catalogue_is_filtered_and_sorted() {
    let folder = Folder::new();
    let count = |words: &str| folder.out(&format!("catalogue --format csv {words}")).lines().count() - 1;
    let all = count("");
    assert_eq!(count("--top-third"), all.div_ceil(3));
    assert!(count("--min ch_a=0.8") < all && count("--min ch_a=0.8") > 0);
    assert!(count("--classes 3..10") < all);
    assert_eq!(count("--classes 2") + count("--classes 3.."), all);
    assert_eq!(count("--points ..500") + count("--points 501.."), all);
    assert_eq!(count("--features ..16") + count("--features 17.."), all);
    assert_eq!(count("--top 7"), 7);
    let best = |words: &str| folder.out(&format!("catalogue {words} --top 1 --format json"));
    let json: serde_json::Value = serde_json::from_str(&best("--by sc_a")).unwrap();
    assert_eq!(json[0]["standing"]["third"], "top");
    assert_eq!(json[0]["standing"]["above"], all - 1);
    let scaled = folder.json("catalogue --scale standard --by sc_a --format json");
    assert_eq!((scaled.as_array().unwrap().len(), &scaled[0]["scale"]), (all, &"standard".into()));
    assert_eq!(scaled[0]["standing"]["above"], all - 1);
    assert_ne!(scaled[0]["scores"], json[0]["scores"]);
    let refused = folder.run("catalogue --scale robust");
    assert!(
        refused.code == 2 && refused.err.contains("scaled by max-abs, and of those scaled by standard"),
        "{}",
        refused.err
    );
    // An empty result is reported, whatever the format.
    for format in ["table", "csv", "json"] {
        let ran = folder.run(&format!("catalogue --classes 100.. --format {format}"));
        assert_eq!(ran.code, 0);
        assert!(
            ran.err.starts_with(&format!(
                "warning: none of the {all} catalogued datasets matches; they have 2 to "
            )),
            "{}",
            ran.err
        );
    }
}
