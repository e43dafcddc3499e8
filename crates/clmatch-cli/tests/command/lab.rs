//! `clmatch lab`: what an experiment writes, what it reads back, and what it refuses.

use crate::folder::{Folder, THREE, TWO};

fn folder() -> Folder {
    Folder::with("d/iris.csv", include_str!("../../../clmatch-data/data/iris.csv"))
        .and("d/wine.csv", include_str!("../../../clmatch-data/data/wine.csv"))
        .and("d/two.csv", TWO)
        .and("d/three.csv", THREE)
}

/// Ground truth and accuracies of the four datasets, as the commands write them.
fn tables(folder: &Folder) {
    folder.run("truth d --techniques kmedoids,agglo_average -o truth.csv -q");
    folder.run("classify d --quick --classifiers knn,lda -o accuracies.csv -q");
}

#[test]
fn an_experiment_writes_its_page_figures_and_numbers() {
    let folder = folder();
    tables(&folder);
    let words = "--datasets d --out results --truth truth.csv --accuracies accuracies.csv";
    let ran = folder.run(&format!("lab across {words}"));
    let page = std::path::Path::new("results").join("across.md");
    let notes = "note: the scores in truth.csv are used\nnote: the scores in accuracies.csv are used\n";
    assert_eq!((ran.code, ran.err), (0, format!("{notes}written: {}\n", page.display())));
    assert!(
        ran.out.starts_with("across: Spearman's correlation with the ground truth: clm ami "),
        "{}",
        ran.out
    );
    let page = folder.text("results/across.md");
    for line in
        ["# Across datasets", "| adjusted | CH<sub>A</sub> |", "| classifier | kNN |", "](across.csv)"]
    {
        assert!(page.contains(line), "{line}: {page}");
    }
    for file in page.lines().filter_map(|line| line.strip_prefix("* [")) {
        let name = file.split(']').next().unwrap();
        assert!(!folder.text(&format!("results/{name}")).is_empty(), "{name}");
    }
    let command = format!("`clmatch lab across --reading text {words} --seed 0` of clmatch ");
    assert!(page.contains(&command), "{page}");
    assert!(folder.text("results/across-ch_a.svg").contains("iris"));
    let ran = folder.run(&format!("lab runtime {words} -q"));
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(folder.text("results/runtime.csv").contains("clustering,iris,"));
}

#[test]
fn shuffled_labels_need_datasets_only_and_the_seed_fixes_them() {
    let folder = folder();
    let first = folder.run("lab within --datasets d --out a -q");
    assert_eq!((first.code, first.err.as_str()), (0, ""));
    folder.run("lab within --datasets d --out b -q");
    folder.run("lab within --datasets d --out c --seed 1 -q");
    assert_eq!(folder.text("a/within.csv"), folder.text("b/within.csv"));
    assert_ne!(folder.text("a/within.csv"), folder.text("c/within.csv"));
    assert!(
        folder.text("a/within.md").contains("4 datasets (the paper: 96), 11 variants of the labels each")
    );
}

#[test]
fn what_is_missing_or_wrong_is_said_before_time_is_spent() {
    let folder = folder().and("wrong.csv", "a,b\n1,2\n").and("e/bad.csv", "x,label\nnan,b\n");
    tables(&folder);
    for (words, code, error) in [
        (
            "lab across",
            2,
            "error: this experiment needs datasets\nhelp: name files or folders with --datasets\n",
        ),
        (
            "lab across --datasets d --truth wrong.csv",
            3,
            "error: wrong.csv: there is no column dataset\nhelp: the columns are: a, b\n",
        ),
    ] {
        let ran = folder.run(words);
        assert_eq!((ran.code, ran.err.as_str()), (code, error), "{words}");
    }
    let twice = format!("{}iris,knn,1,,1\n", folder.text("accuracies.csv"));
    std::fs::write(folder.path("twice.csv"), twice).unwrap();
    let ran = folder.run("lab runtime --datasets d --out x --truth truth.csv --accuracies twice.csv");
    assert!(ran.code == 3 && ran.err.contains("twice.csv: iris has two scores of knn"), "{}", ran.err);
    let ran = folder.run("lab within --datasets d e --out x");
    assert_eq!(ran.code, 3);
    assert!(
        ran.err.contains("bad.csv") && ran.err.contains("error: 1 dataset cannot be used"),
        "{}",
        ran.err
    );
    let ran = folder.run("lab stability --datasets d --out x --truth truth.csv");
    assert!(
        ran.code == 0 && folder.text("x/stability.md").contains("1000 times (the paper: 100) 1 datasets")
    );
    let ran =
        folder.run("lab across --datasets d/iris.csv --out x --truth truth.csv --accuracies accuracies.csv");
    assert!(ran.code == 3 && ran.err.contains("truth.csv: three is not among the datasets"), "{}", ran.err);
}

/// Both readings in one folder: either page has the claims of both, whichever was written first.
#[test]
fn readings_stand_side_by_side() {
    let folder = folder();
    let text = folder.run("lab within --datasets d --out r -q");
    assert!(text.code == 0 && text.out.starts_with("within: "), "{}{}", text.out, text.err);
    assert!(folder.text("r/within.md").contains("| what the paper says | paper | here | verdict |"));
    let authors = folder.run("lab within --datasets d --out r --reading authors -q");
    assert!(
        authors.code == 0 && authors.out.starts_with("within-authors: "),
        "{}{}",
        authors.out,
        authors.err
    );
    for page in ["r/within.md", "r/within-authors.md"] {
        let page = folder.text(page);
        assert!(
            page.contains("| what the paper says | paper | authors' reading | text reading | verdict |"),
            "{page}"
        );
        assert!(page.contains("[The other reading](within"), "{page}");
        assert_eq!(page.matches("<!-- claims -->").count(), 1);
    }
    assert_ne!(folder.text("r/within.csv"), folder.text("r/within-authors.csv"));
    let index = folder.text("r/index.md");
    for line in
        ["(within.md)", "(within-authors.md)", "Not computed yet: `clmatch lab ablation`.", "single numbers"]
    {
        assert!(index.contains(line), "{line}: {index}");
    }
    let same = folder.run("lab axioms --reading authors --out r");
    assert_eq!((same.code, same.err.contains("text and programs say the same")), (2, true), "{}", same.err);
    std::fs::write(folder.path("r/within-claims.csv"), "claim,paper\na,b\n").unwrap();
    let broken = folder.run("lab axioms --out r -q");
    assert!(
        broken.code == 3 && broken.err.contains("within-claims.csv: there is no column found"),
        "{}",
        broken.err
    );
}

/// Makes everything from an empty folder in one go, in both readings.
#[test]
fn all_experiments_from_an_empty_folder() {
    let folder = folder();
    for reading in ["text", "authors"] {
        let ran = folder.run(&format!("lab all --datasets d --out all --reading {reading} --quick -q"));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{reading}");
    }
    let index = folder.text("all/index.md");
    assert!(!index.contains("Not computed yet"), "{index}");
    for page in clmatch_lab::first_page::pages() {
        assert!(index.contains(&format!("]({page}.md)")), "{page}: {index}");
        let text = folder.text(&format!("all/{page}.md"));
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for link in links {
            assert!(folder.path(&format!("all/{link}")).exists(), "{page}: {link}");
        }
        assert!(text.contains("## Made by\n\n`clmatch lab "), "{page}");
    }
    assert!(index.contains("`clmatch classify --quick`"), "{index}");
}
