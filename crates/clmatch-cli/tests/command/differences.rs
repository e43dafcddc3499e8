//! What changed between two results: scores, data, settings.

use insta::assert_snapshot;

use crate::folder::{Folder, THREE, TWO};
use crate::ranking::folder;

#[test]
fn differences_between_two_rankings() {
    let other = THREE.replacen("class", "label", 1);
    let folder = folder().and("e/two.csv", other).and("e/three.csv", THREE).and("e/new.csv", TWO);
    folder.run("rank d --measures ch_a -q --format json -o before.json");
    folder.run("rank e --measures ch_a -q --format json -o after.json");
    assert_snapshot!("diff_table", folder.out("diff before.json after.json"));
    assert_snapshot!("diff_csv", folder.out("diff before.json after.json --format csv"));
    assert_snapshot!("diff_markdown", folder.out("diff before.json after.json --format markdown"));
    let json: serde_json::Value =
        serde_json::from_str(&folder.out("diff before.json after.json --format json")).unwrap();
    assert_eq!(json[0]["dataset"], "new");
    let ran = folder.run("diff before.json after.json --by sc");
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("sc"), "{}", ran.err);
}

#[test]
fn differences_are_by_the_measure_of_the_rankings() {
    let folder = folder();
    for by in ["ch_a", "sc_a"] {
        folder.run(&format!("rank d --by {by} -q --format json -o {by}.json"));
    }
    let json = |name: &str| serde_json::from_str::<serde_json::Value>(&folder.text(name)).unwrap();
    assert_eq!(json("ch_a.json")[2]["by"], "ch_a");
    let same = folder.run("diff ch_a.json ch_a.json");
    assert!(same.out.starts_with("by ch_a\n") && same.err.is_empty(), "{}{}", same.out, same.err);
    let shown: serde_json::Value =
        serde_json::from_str(&folder.out("diff ch_a.json ch_a.json --format json")).unwrap();
    assert_eq!(shown[0]["by"], "ch_a");

    // Of two measures, that of the later ranking is used; if another one is requested, there is no doubt.
    let other = folder.run("diff ch_a.json sc_a.json");
    assert!(other.out.starts_with("by sc_a\n"), "{}", other.out);
    assert_eq!(
        other.err,
        "warning: ch_a.json is ranked by ch_a, sc_a.json is ranked by sc_a; compared by sc_a; choose another measure \
         with --by\n"
    );
    let asked = folder.run("diff ch_a.json sc_a.json --by db_a");
    assert!(asked.out.starts_with("by db_a\n") && asked.err.is_empty(), "{}", asked.err);

    // A measure that the other file lacks cannot be used for the comparison.
    folder.run("rank d --measures sc_a,clm --by sc_a -q --format json -o few.json");
    let lacking = folder.run("diff few.json ch_a.json --quiet");
    assert!(lacking.out.starts_with("by sc_a\n") && lacking.err.contains("ch_a.json is ranked by ch_a"));
}

#[test]
fn rankings_of_earlier_versions_can_be_compared() {
    let folder = folder();
    folder.run("rank d --by sc_a -q --format json -o new.json");
    let mut json: serde_json::Value = serde_json::from_str(&folder.text("new.json")).unwrap();
    let without = |json: &mut serde_json::Value, key: &str| {
        json.as_array_mut().unwrap().iter_mut().for_each(|entry| {
            entry.as_object_mut().unwrap().remove(key);
        });
        json.to_string()
    };
    // The place in the catalogue names the measure; without it, the first measure that both files have is used.
    let folder = folder.and("old.json", without(&mut json, "by"));
    assert!(folder.out("diff old.json old.json").starts_with("by sc_a\n"));
    let folder = folder.and("old.json", without(&mut json, "standing"));
    assert!(folder.out("diff old.json old.json").starts_with("by clm\n"));
    let mixed = folder.run("diff old.json new.json");
    assert!(mixed.out.starts_with("by sc_a\n") && mixed.err.is_empty(), "{}", mixed.err);
}

#[test]
fn different_settings_are_not_taken_for_a_change_of_the_data() {
    let folder = folder();
    for (name, options) in [("plain", ""), ("scaled", "--scale standard"), ("dropped", "--drop y")] {
        folder.run(&format!("score d/three.csv --measures ch_a -q --format json -o {name}.json {options}"));
    }
    let same = folder.run("diff plain.json plain.json");
    assert!(same.err.is_empty() && same.out.trim_end().ends_with(" same"), "{}{}", same.out, same.err);

    let scaled = folder.run("diff plain.json scaled.json");
    assert_eq!(
        scaled.err,
        "warning: the two runs have different settings (scale: max-abs -> standard): scores may differ on the same data\n"
    );
    assert!(scaled.out.trim_end().ends_with(" same, settings differ"), "{}", scaled.out);
    let json: serde_json::Value =
        serde_json::from_str(&folder.run("diff plain.json scaled.json --format json").out).unwrap();
    let expected = serde_json::json!([{ "setting": "scale", "before": "max-abs", "after": "standard" }]);
    assert_eq!((&json[0]["settings"], &json[0]["same_data"]), (&expected, &true.into()));

    // With another choice of columns, it is unknown whether the file has changed.
    let dropped = folder.run("diff plain.json dropped.json");
    assert!(dropped.err.contains("(drop: not given -> [\"y\"])"), "{}", dropped.err);
    assert!(dropped.out.trim_end().ends_with("  settings differ"), "{}", dropped.out);
    let csv = folder.run("diff plain.json dropped.json --format csv").out;
    assert!(csv.lines().next().unwrap().ends_with(",same_data,settings"), "{csv}");
    assert!(csv.contains(",,\"drop: not given -> [\"\"y\"\"]\""), "{csv}");
}

#[test]
fn a_fall_beyond_the_bar_exits_with_1() {
    let folder = Folder::with("a/data.csv", TWO).and("b/data.csv", THREE.replacen("class", "label", 1));
    for name in ["a", "b"] {
        folder.run(&format!("score {name}/data.csv --measures ch_a,db -q --format json -o {name}.json"));
    }
    let fallen = folder.run("diff a.json b.json --fail-above 0.02");
    assert_eq!(fallen.code, 1);
    assert!(
        fallen.err.starts_with("missed: data: ch_a became worse by 0.")
            && fallen.err.ends_with("the bar is 0.02\n"),
        "{}",
        fallen.err
    );
    for words in ["a.json b.json --fail-above 0.9", "b.json a.json --fail-above 0.02", "a.json b.json"] {
        assert_eq!(folder.run(&format!("diff {words}")).code, 0, "{words}");
    }
    // Lower is better for db: it rises from a to b.
    assert_eq!(folder.run("diff a.json b.json --by db --fail-above 0.02").code, 1);
    assert_eq!(folder.run("diff b.json a.json --by db --fail-above 0.02").code, 0);
    assert_eq!(folder.run("diff a.json b.json --fail-above -1").code, 2);
}

#[test]
fn a_result_tells_what_decided_about_it() {
    let folder = Folder::with("d/three.csv", THREE);
    let words = "score d/three.csv --label class --scale robust --drop y --missing drop --format json";
    let json: serde_json::Value = serde_json::from_str(&folder.run(words).out).unwrap();
    assert_eq!(json["schema"], "clmatch/score/5");
    assert_eq!(json["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!((&json["path"], &json["label"]["name"]), (&"d/three.csv".into(), &"class".into()));
    let settings = &json["settings"];
    assert_eq!(
        [
            &settings["label"],
            &settings["scale"],
            &settings["drop"],
            &settings["missing"],
            &settings["singletons"]
        ],
        ["class", "robust", "[\"y\"]", "drop", "keep"]
    );
}

#[test]
fn a_dataset_that_is_gone_misses_the_bar() {
    let folder = folder();
    folder.run("rank d --measures ch_a -q --format json -o before.json");
    folder.run("score d/two.csv --measures ch_a -q --format json -o after.json");
    let ran = folder.run("diff before.json after.json --fail-above 0.5");
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.err.contains("missed: three: there is no score in the later result\n"), "{}", ran.err);
    assert!(!ran.err.contains("missed: two"), "{}", ran.err);
    assert_eq!(folder.run("diff before.json after.json").code, 0, "there is no bar");
    // A new dataset is not a loss.
    assert_eq!(folder.run("diff after.json before.json --fail-above 0.5").code, 0);
}
