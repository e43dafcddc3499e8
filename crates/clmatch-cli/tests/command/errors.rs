//! Wrong usage and invalid input: exit codes and messages.

use insta::assert_snapshot;

use crate::folder::{Folder, TWO};

/// Standard error of a run that must end with this exit code and print nothing else.
fn refused(folder: &Folder, words: &str, code: i32) -> String {
    let ran = folder.run(words);
    assert_eq!((ran.code, ran.out.as_str()), (code, ""), "{words}: {}", ran.err);
    ran.err
}

#[test]
fn wrong_usage_exits_with_2() {
    let folder = Folder::with("two.csv", TWO);
    let mut texts = String::new();
    for words in [
        "score two.csv --measures cha",
        "score two.csv --scale big",
        "score two.csv --missing zero",
        "score two.csv --fail-under clm",
        "score two.csv --fail-under clm=high",
        "score two.csv --threads 0",
        "score two.csv --format xml",
        "score two.csv --approx 2",
        "score two.csv --limit-seconds soon",
        "score",
        "rank",
        "rank two.csv --by nothing",
        "rank two.csv --top 0",
        "catalogue --classes 9..3",
        "frobnicate",
    ] {
        texts.push_str(&format!("$ clmatch {words}\n{}\n", refused(&folder, words, 2)));
    }
    assert_snapshot!(texts);
}

#[test]
fn bad_input_exits_with_3_and_says_what_to_do() {
    let folder = Folder::with("two.csv", TWO)
        .and("empty.csv", "")
        .and("header.csv", "x,y,label\n")
        .and("text.csv", "x,y,label\n1,red,a\n2,blue,a\n3,red,b\n")
        .and("nan.csv", "x,label\n1,a\n,a\n3,b\n4,b\n")
        .and("inf.csv", "x,label\n1,a\ninf,a\n3,b\n4,b\n")
        .and("ragged.csv", "x,y,label\n1,2,a\n1,a\n3,4,b\n")
        .and("one.csv", "x,label\n1,a\n2,a\n3,a\n")
        .and("ids.csv", "x,label\n1,a\n2,b\n3,c\n")
        .and("single.csv", "x,label\n1,a\n2,a\n3,b\n")
        .and("noise.csv", "x,label\n1,-1\n2,-1\n3,0\n4,1\n")
        .and("broken/data.bin", "not zlib")
        .and("broken/label.bin", "not zlib")
        .and("half/data.bin", "not zlib")
        .and("many/a.csv", TWO)
        .and("many/b.csv", TWO)
        .and("nothing/README.txt", "no data here");
    let mut texts = String::new();
    for words in [
        "score missing.csv",
        "score empty.csv",
        "score header.csv",
        "score text.csv",
        "score nan.csv",
        "score inf.csv",
        "score ragged.csv",
        "score one.csv",
        "score ids.csv",
        "score single.csv",
        "score noise.csv --noise -1 --singletons drop",
        "score two.csv --label colour",
        "score two.csv --drop colour",
        "score broken",
        "score half",
        "score many",
        "score nothing",
        "rank nothing",
        "rank missing.csv",
        "diff two.csv two.csv",
    ] {
        texts.push_str(&format!("$ clmatch {words}\n{}\n", refused(&folder, words, 3)));
    }
    assert_snapshot!(texts);
}

#[test]
fn standard_measures_take_classes_of_one_point() {
    let folder = Folder::with("single.csv", "x,label\n1,a\n2,a\n3,b\n");
    assert!(folder.out("score single.csv --measures ch,db,sc,di,ii,xb").contains("sc "));
}

#[test]
fn what_cannot_be_written_exits_with_4() {
    let folder = Folder::with("two.csv", TWO);
    let err = refused(&folder, "score two.csv -o no/such/folder/x.csv", 4);
    assert!(err.starts_with("error: cannot write no/such/folder/x.csv: "), "{err}");
    let err = refused(&folder, "rank two.csv --resume no/such/folder/x.jsonl", 4);
    assert!(err.starts_with("error: cannot resume from no/such/folder/x.jsonl: "), "{err}");
}

#[test]
fn a_missed_bar_exits_with_1() {
    let folder = Folder::with("two.csv", TWO);
    assert_eq!(folder.run("score two.csv --fail-under ch_a=0.9 --fail-under db=0.5").code, 0);
    let ran = folder.run("score two.csv --fail-under ch_a=0.9 --fail-under db=0.01");
    assert_eq!(ran.code, 1);
    assert!(
        ran.err.starts_with("missed: two: db is 0.1") && ran.err.ends_with("the bar is 0.01\n"),
        "{}",
        ran.err
    );
    assert!(ran.out.contains("\ndb "), "the measure of a bar is computed: {}", ran.out);
    assert_eq!(folder.run("rank two.csv --fail-under clm=1.5").code, 1);
}
