//! `clmatch classify` from outside.

use crate::folder::Folder;

/// Two groups of ten points far apart, and a constant column.
fn apart() -> String {
    let mut text = String::from("x,y,z,label\n");
    for point in 0..20 {
        let (group, label) = if point % 2 == 0 { (0.0, "a") } else { (3.0, "b") };
        let (x, y) = (group + f64::from(point % 5) / 10.0, group + f64::from(point % 3) / 10.0);
        text.push_str(&format!("{x},{y},1,{label}\n"));
    }
    text
}

/// Like [`apart`], but labels change at random places.
fn mixed() -> String {
    let lines: Vec<String> = apart().lines().map(str::to_owned).collect();
    let swap = |(at, line): (usize, &String)| {
        if at > 0 && at * at % 7 == 2 {
            line.replace(",a", ",c").replace(",b", ",a").replace(",c", ",b")
        } else {
            line.clone()
        }
    };
    lines.iter().enumerate().map(swap).map(|line| line + "\n").collect()
}

const FAST: &str = "--classifiers knn,nb,lda --quick";

#[test]
fn accuracies_best_first_with_what_was_used() {
    let folder = Folder::with("d/mixed.csv", mixed()).and("d/apart.csv", apart());
    let ran = folder.run(&format!("classify d {FAST} -o rows.csv --format csv"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("note: apart: 1 feature is constant"), "{}", ran.err);
    let rows: Vec<Vec<String>> =
        ran.out.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect();
    assert_eq!(rows[0], ["dataset", "classifier", "accuracy", "settings", "seconds"]);
    let column = |at: usize| rows[1..].iter().map(|row| row[at].as_str()).collect::<Vec<_>>();
    assert_eq!(column(0), ["apart", "apart", "apart", "apart", "mixed", "mixed", "mixed", "mixed"]);
    assert_eq!(column(1)[..4], ["knn", "nb", "lda", "ensemble"]);
    assert_eq!(column(2)[..4], ["1", "1", "1", "1"]);
    assert_eq!(column(3)[3], "by=knn");
    let best = column(2)[4..7].iter().map(|text| text.parse::<f64>().unwrap()).fold(0.0, f64::max);
    assert_eq!(column(2)[7].parse::<f64>().unwrap(), best);
    assert_eq!(folder.text("rows.csv"), ran.out);

    let table = folder.out(&format!("classify d/apart.csv {FAST} --quiet"));
    assert!(table.ends_with("quick: at most 500 points of each dataset, 10 settings a search\n"), "{table}");
    let text = folder.out(&format!("classify d/apart.csv {FAST} --quiet --format json"));
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&json[0]["mode"], &json[0]["evaluations"]), (&"quick".into(), &10.into()));
    assert_eq!(json[0]["remarks"][0], "1 feature is constant");
}

#[test]
fn a_finished_dataset_is_not_computed_again() {
    let folder = Folder::with("d/apart.csv", apart());
    let words = format!("classify d {FAST} --resume done.jsonl --format csv");
    let first = folder.run(&words);
    let second = folder.run(&words);
    assert_eq!((first.code, second.code), (0, 0));
    // Recomputed results would have other seconds.
    assert_eq!(first.out, second.out);
    assert!(second.err.contains("1 of 1 datasets were finished before"), "{}", second.err);
    assert_eq!(folder.text("done.jsonl").lines().count(), 1);
    // Other settings start anew.
    assert!(!folder.run(&format!("{words} --seed 1")).err.contains("finished before"));
}

#[test]
fn wrong_words_are_refused() {
    let folder = Folder::with("apart.csv", apart());
    let ran = folder.run("classify apart.csv --classifiers tree");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("no such classifier; choose from svm, knn"), "{}", ran.err);
    assert_eq!(folder.run("classify apart.csv --quick --full").code, 2);
    assert_eq!(folder.run("classify nowhere").code, 3);
}
