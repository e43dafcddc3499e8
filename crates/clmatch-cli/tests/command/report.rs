//! `clmatch report`: which page a path becomes, and what is refused.

use crate::folder::{Folder, THREE, TWO};

/// The title of a page.
fn title(html: &str) -> &str {
    html.split("<h1>").nth(1).and_then(|rest| rest.split("</h1>").next()).unwrap_or("no page")
}

#[test]
fn one_dataset_has_a_page_of_its_own() {
    let folder = Folder::with("two.csv", TWO);
    let ran = folder.run("report two.csv --null 9 --scale min-max -o report.html");
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
    assert!(ran.err.contains("written: report.html"), "{}", ran.err);
    let html = folder.text("report.html");
    assert_eq!(title(&html), "two");
    // The page says how to make it again, and with which options its actions are done.
    assert!(html.contains("clmatch report two.csv --scale=min-max --null=9 -o report.html"), "{html}");
    // The same page goes to standard output.
    let printed = folder.out("report two.csv --null 9 --scale min-max -q -o -");
    assert_eq!(title(&printed), "two");
}

#[test]
fn several_datasets_are_ranked() {
    let folder = Folder::with("two.csv", TWO).and("three.csv", THREE).and("broken.csv", "x,label\n1,a\n");
    let ran = folder.run("report two.csv three.csv broken.csv -o all.html");
    assert_eq!(ran.code, 3, "{}", ran.err);
    let html = folder.text("all.html");
    assert_eq!(title(&html), "2 datasets ranked");
    assert!(html.contains("Not scored") && html.contains("broken"), "{html}");
    let html = folder.out("report two.csv three.csv --by sc_a -q -o -");
    assert!(html.contains("ranked by sc_a"), "{html}");
}

#[test]
fn the_catalogue_and_the_demonstration_are_pages() {
    let folder = Folder::new();
    assert_eq!(title(&folder.out("report --catalogue -q -o -")), "92 well-known labelled datasets");
    let ran = folder.run("demo --report demo.html");
    assert!(ran.code == 0 && ran.out.contains("well-matched"), "{}", ran.err);
    assert_eq!(title(&folder.text("demo.html")), "8 datasets ranked");
}

#[test]
fn results_are_pages_too() {
    let folder = Folder::with("two.csv", TWO).and("three.csv", THREE);
    folder.out("rank two.csv three.csv --format json -q -o ranking.json");
    assert_eq!(title(&folder.out("report ranking.json -q -o -")), "2 datasets ranked");
    let truth = "dataset,technique,external,score\na,kmeans,ami,0.5\na,birch,ami,0.7\nb,kmeans,ami,0.9\nb,birch,ami,0.1\n";
    let folder = folder.and("truth.csv", truth);
    assert_eq!(title(&folder.out("report truth.csv -q -o -")), "2 techniques on 2 datasets");
    folder.out("stability truth.csv --size 1 --format json -q -o stability.json");
    assert_eq!(title(&folder.out("report stability.json -q -o -")), "Would the ranking of techniques hold?");
    let page = "# An experiment\n\nText.\n\n`clmatch lab x`\n";
    let folder = folder.and("x.md", page);
    assert_eq!(title(&folder.out("report x.md -q -o -")), "An experiment");
}

#[test]
fn what_does_not_go_together_is_refused() {
    let folder = Folder::with("two.csv", TWO).and("diff.json", r#"{"schema":"clmatch/diff/1"}"#);
    folder.out("rank two.csv --format json -q -o ranking.json");
    for (words, code, text) in [
        ("report two.csv", 2, "--output <FILE.html>"),
        ("report -o x.html", 2, "<PATHS>..."),
        ("report two.csv --catalogue -o x.html", 2, "cannot be used with"),
        (
            "report two.csv ranking.json -o x.html",
            2,
            "error: some of these are datasets and some are results",
        ),
        ("report missing.csv -o x.html", 3, "missing.csv"),
        ("report diff.json -o x.html", 3, "clmatch/diff/1 have no report"),
        ("report ranking.json --by sc -o x.html", 3, "not all of these datasets have a score by sc"),
        ("report two.csv -o two.csv", 2, "two.csv does not end in .html"),
        ("report two.csv -o nowhere/x.html", 4, "there is no such folder"),
    ] {
        let ran = folder.run(words);
        assert_eq!(ran.code, code, "{words}: {}", ran.err);
        assert!(ran.err.contains(text), "{words}: {}", ran.err);
        assert!(!folder.path("x.html").exists(), "{words}");
    }
}

#[test]
fn a_report_is_named_like_a_page() {
    let folder = Folder::with("two.csv", TWO);
    for words in ["report two.csv -o x.md", "report --catalogue -o x.pdf", "demo --report x.md"] {
        let ran = folder.run(words);
        assert_eq!(ran.code, 2, "{words}: {}", ran.err);
        assert!(ran.err.starts_with("error: a report is written as HTML, and x."), "{}", ran.err);
    }
    assert_eq!(folder.run("report --catalogue -o x.HTM").code, 0);
    assert_eq!(folder.run("report --catalogue -o -").code, 0);
}
