//! Lists of datasets with options of their own, and what is said about datasets that are refused.

use serde_json::Value;

use crate::folder::{Folder, THREE, TWO};

/// Two classes, a column of ids and one of text.
const ZOO: &str =
    "id;name;x;y;kind\n1;ant;0;0;a\n2;bee;0;1;a\n3;cat;1;0;a\n4;dog;9;9;b\n5;elk;9;8;b\n6;fox;8;9;b\n";

const MANIFEST: &str = r#"
[[dataset]]
name = "the zoo"
path = "zoo.csv"
label = "kind"
drop = ["id", "name"]
scale = "standard"

[[dataset]]
path = "sub/three.csv"
"#;

fn folder() -> Folder {
    Folder::with("b/zoo.csv", ZOO).and("b/sub/three.csv", THREE).and("b/bench.toml", MANIFEST)
}

fn named<'a>(ranking: &'a Value, name: &str) -> &'a Value {
    ranking.as_array().unwrap().iter().find(|one| one["dataset"] == name).unwrap()
}

#[test]
fn each_dataset_has_its_own_options() {
    let folder = folder();
    let ranking = folder.json("rank b/bench.toml --measures ch_a --scale robust --format json");
    let (zoo, three) = (named(&ranking, "the zoo"), named(&ranking, "three"));
    assert_eq!(
        (&zoo["scale"], &zoo["features"], &zoo["label"]["name"]),
        (&"standard".into(), &2.into(), &"kind".into())
    );
    assert_eq!(zoo["settings"]["drop"], "[\"id\",\"name\"]");
    // Where the manifest is silent, the command line decides.
    assert_eq!((&three["scale"], &three["settings"]["drop"]), (&"robust".into(), &Value::Null));
    let alone = "score b/zoo.csv --label kind --drop id,name --scale standard --measures ch_a --format json";
    assert_eq!(zoo["scores"], folder.json(alone)["scores"]);
}

#[test]
fn the_other_commands_over_many_datasets_take_it() {
    let folder = folder();
    for words in [
        "truth b/bench.toml --techniques agglo_single --format csv",
        "classify b/bench.toml --classifiers lda --quick --format csv",
    ] {
        let ran = folder.run(words);
        assert_eq!(ran.code, 0, "{words}: {}", ran.err);
        assert!(ran.out.contains("\nthe zoo,") && ran.out.contains("\nthree,"), "{}", ran.out);
    }
    let ran = folder.run("report b/bench.toml -o page.html --measures ch_a");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(folder.text("page.html").contains("the zoo"));
    let ran = folder.run("score b/bench.toml");
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("b/bench.toml is a list of datasets"), "{}", ran.err);
}

#[test]
fn a_changed_option_is_computed_anew() {
    let folder = folder();
    let words = "rank b/bench.toml --measures ch_a --resume done.jsonl --format csv";
    folder.out(words);
    assert!(folder.run(words).err.starts_with("resumed: 2 of 2 "));
    let folder = folder.and("b/bench.toml", MANIFEST.replace("standard", "robust"));
    assert!(folder.run(words).err.starts_with("resumed: 1 of 2 "));
}

#[test]
fn wrong_manifests_are_refused_with_the_line() {
    let folder = folder().and("wrong.toml", "[[dataset]]\npath = \"b/zoo.csv\"\ncolour = 1\n");
    let ran = folder.run("rank wrong.toml");
    assert_eq!((ran.code, ran.out.as_str()), (3, ""));
    assert!(
        ran.err.starts_with("error: wrong.toml, line 3: 'colour' is not known\nhelp: a dataset has name, "),
        "{}",
        ran.err
    );
    // A name that another dataset of the run has would be taken for it.
    let folder =
        folder.and("clash.toml", "[[dataset]]\nname = \"two\"\npath = \"b/zoo.csv\"\n").and("two.csv", TWO);
    let ran = folder.run("rank two.csv clash.toml");
    assert!(ran.code == 3 && ran.err.contains("a dataset is called 'two', and so is two.csv"), "{}", ran.err);
}

#[test]
fn what_is_refused_is_counted_and_said_in_one_line_each() {
    let text = "x,y,colour,label\n1,2,red,a\n2,1,green,a\n3,3,red,b\n4,5,green,b\n";
    let missing = "x,y,label\n1,,a\n2,1,a\n3,3,b\n4,5,b\n";
    let folder = Folder::with("d/two.csv", TWO)
        .and("d/three.csv", THREE)
        .and("d/t1.csv", text)
        .and("d/t2.csv", text)
        .and("d/m.csv", missing)
        .and("d/README.md", "read me")
        .and("d/notes.pdf", "notes");
    let ran = folder.run("rank d --measures ch_a");
    assert_eq!((ran.code, ran.out.lines().count()), (3, 3), "{}", ran.out);
    let lines: Vec<&str> = ran.err.lines().collect();
    assert_eq!(
        lines[0],
        "note: passed over 2 files that are no datasets by their names: --verbose names them"
    );
    assert_eq!(lines[1], "error: 2 of 5 ranked, 3 refused: 2 hold text, 1 has missing values");
    assert!(
        lines[2].starts_with("  d/m.csv, line 2, column 'y': ") && lines[3].starts_with("  d/t1.csv"),
        "{}",
        ran.err
    );
    assert_eq!((lines.len(), lines[5]), (6, "help: --verbose shows all of them, with what to do about each"));
    let whole = folder.run("rank d --measures ch_a --verbose").err;
    assert!(whole.contains("d/README.md") && whole.contains("d/notes.pdf"), "{whole}");
    assert_eq!((whole.matches("\nerror: ").count(), whole.matches("\nhelp: ").count()), (4, 3), "{whole}");
    let quiet = folder.run("rank d --measures ch_a --quiet").err;
    assert!(quiet.starts_with("error: 2 of 5 ranked"), "{quiet}");
    // The result says why: it is counted, and not said twice.
    let json = folder.run("rank d --measures ch_a --format json --quiet");
    assert_eq!(
        json.err,
        "error: 2 of 5 ranked, 3 refused: 2 hold text, 1 has missing values; the result says why\n"
    );
    let truth = folder.run("truth d --techniques agglo_single --quiet");
    assert!(truth.err.starts_with("error: 2 of 5 tuned, 3 refused: "), "{}", truth.err);
}

#[test]
fn many_errors_leave_the_table_on_the_screen() {
    let mut folder = Folder::with("d/two.csv", TWO);
    for at in 0..30 {
        folder = folder.and(&format!("d/bad{at}.csv"), "x,label\n1,a\n,b\n2,b\n3,a\n");
    }
    let ran = folder.run("rank d --measures ch_a");
    assert!(ran.err.contains("error: 1 of 31 ranked, 30 refused: 30 have missing values\n"), "{}", ran.err);
    assert!(ran.err.lines().count() < 25 && ran.err.contains("\n  and 10 more\n"), "{}", ran.err);
}

#[test]
fn one_catalogued_dataset_is_shown_whole() {
    let folder = Folder::new();
    let out = folder.out("catalogue iris --measures clm,ch_a");
    assert!(out.starts_with("iris: 150 points, 4 features, 3 classes\n"), "{out}");
    assert!(out.contains("max-abs") && out.contains("standard") && out.contains("\nclm "), "{out}");
    assert!(
        out.contains("labeled-datasets") && out.contains("The best tuned technique reaches ami 0.9"),
        "{out}"
    );
    let json = folder.json("catalogue iris --format json");
    let scales: Vec<&Value> = json.as_array().unwrap().iter().map(|one| &one["scale"]).collect();
    assert_eq!(scales, ["max-abs", "standard"]);
    assert_eq!(
        folder.out("catalogue iris --format csv").lines().next(),
        Some("measure,max-abs,max-abs_third,standard,standard_third")
    );
    let ran = folder.run("catalogue mnist");
    assert!(
        ran.code == 3 && ran.err.contains("help: similar names are fashion_mnist, mnist64"),
        "{}",
        ran.err
    );
    assert_eq!(folder.run("catalogue iris --classes 3").code, 2);
}

#[test]
fn inspect_writes_the_manifest_of_a_folder() {
    let text =
        |row: usize| format!("{}.5,{},{}\n", row * 7 % 11, ["red", "blue"][row / 2 % 2], ["p", "r"][row % 2]);
    let mixed = format!("a,colour,class\n{}", (0..40).map(text).collect::<String>());
    let prices = (0..40).map(|row| format!("{},{}\n", row % 7, row * row)).collect::<String>();
    let folder = Folder::with("data/two.csv", TWO)
        .and("data/mixed.csv", mixed)
        .and("data/prices.csv", format!("rooms,price\n{prices}"));
    let ran = folder.run("inspect --manifest data -o bench.toml");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("note: 2 of 3 datasets can be scored\n"), "{}", ran.err);
    let manifest = folder.text("bench.toml");
    assert!(manifest.contains("path = \"data/mixed.csv\"\nmixed = true\n"), "{manifest}");
    assert!(manifest.contains("# left out: data/prices.csv: 'price', taken for the label"), "{manifest}");
    let ranked = folder.json("rank bench.toml --measures ch_a --format json --quiet");
    assert_eq!(ranked.as_array().unwrap().len(), 2, "{ranked}");
}

#[test]
fn shells_offer_the_values_of_options() {
    let script = Folder::new().out("completions bash");
    let offers = |values: &str| script.contains(&format!("compgen -W \"{values}\""));
    assert!(offers("none max-abs standard min-max robust"), "--scale");
    assert!(offers("max-abs standard"), "--scale of the catalogue");
    assert!(offers("error drop drop-any mean"), "--missing");
    let of_measures = |line: &&str| line.contains("compgen -W \"clm ");
    assert!(
        script.lines().filter(of_measures).any(|line| line.contains(" sc_a ") && line.contains(" all\""))
    );
}
