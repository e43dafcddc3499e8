//! `clmatch compare`: the same rows in several representations, in every form, and what is refused.

use insta::assert_snapshot;

use crate::folder::Folder;

const IRIS: &str = include_str!("../../../clmatch-data/data/iris.csv");

/// Iris as it is, with petals only, with sepals only, and without labels.
fn iris() -> Folder {
    let columns = |places: &[usize]| -> String {
        let pick = |line: &str| {
            let cells: Vec<&str> = line.split(',').collect();
            places.iter().map(|&at| cells[at]).collect::<Vec<_>>().join(",")
        };
        IRIS.lines().map(|line| pick(line) + "\n").collect()
    };
    let (petals, sepals) = (columns(&[2, 3, 4]), columns(&[0, 1, 4]));
    Folder::with("all.csv", IRIS)
        .and("petals.csv", petals)
        .and("sepals.csv", sepals)
        .and("bare.csv", columns(&[2, 3]))
        .and("y.csv", columns(&[4]))
}

#[test]
fn representations_in_every_form() {
    let folder = iris();
    let words = "compare all.csv petals.csv sepals.csv --measures ch_a,sc_a";
    assert_snapshot!("compare_table", folder.out(words));
    assert_snapshot!("compare_csv", folder.out(&format!("{words} --format csv")));
    assert_snapshot!("compare_markdown", folder.out(&format!("{words} --format markdown")));
    let json: serde_json::Value =
        serde_json::from_str(&folder.out(&format!("{words} --format json"))).unwrap();
    assert_eq!((&json["schema"], &json["points"]), (&"clmatch/compare/1".into(), &150.into()));
    assert_eq!(json["measures"][0]["winner"], "petals");
    assert_eq!(json["measures"][0]["differences"].as_array().unwrap().len(), 3);
    let score: serde_json::Value =
        serde_json::from_str(&folder.out("score petals.csv --measures ch_a,sc_a --format json")).unwrap();
    assert_eq!(json["representations"][1]["scores"]["ch_a"], score["scores"]["ch_a"]);
}

#[test]
fn a_plot_is_drawn() {
    let folder = iris();
    let ran = folder.run("compare all.csv petals.csv --measures ch_a --plot layers.svg");
    assert_eq!((ran.code, ran.err.as_str()), (0, "written: layers.svg\n"));
    let svg = folder.text("layers.svg");
    for text in [">all<", ">petals<", ">ch_a<", "150 points in 3 classes"] {
        assert!(svg.contains(text), "{text}: {svg}");
    }
    assert_eq!(folder.run("compare all.csv petals.csv --plot layers.png").code, 2);
}

#[test]
fn labels_once_for_all() {
    let folder = iris();
    let features = |words: &str| {
        let ran = folder.run(&format!("compare {words} --measures ch_a --format json"));
        assert_eq!(ran.code, 0, "{words}: {}", ran.err);
        let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        let all = json["representations"].as_array().unwrap();
        all.iter().map(|one| one["features"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(features("all.csv bare.csv --label-of all.csv"), [4, 2]);
    assert_eq!(features("bare.csv all.csv --label-of all.csv --label class"), [2, 4]);
    // If labels are given for all files, a column of labels in a file is not a feature.
    let ran = folder.run("compare all.csv petals.csv --label-of all.csv --measures ch_a");
    assert_eq!((ran.code, ran.out.as_str()), (3, ""), "{}", ran.err);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let folder = iris().and("short.csv", "a,class\n1,x\n2,x\n3,y\n4,y\n");
    let refused = |words: &str, code: i32| {
        let ran = folder.run(words);
        assert_eq!((ran.code, ran.out.as_str()), (code, ""), "{words}: {}", ran.err);
        ran.err
    };
    assert_eq!(
        refused("compare all.csv short.csv", 3),
        "error: short has 4 rows, and all has 150\n\
         help: every representation must have the same rows with the same labels, in the same order\n"
    );
    let swapped = IRIS.replacen("setosa", "virginica", 1);
    let folder = folder.and("swapped.csv", swapped);
    let ran = folder.run("compare all.csv swapped.csv");
    assert!(
        ran.err.contains("row 1 is labelled 'setosa' in all and 'virginica' in swapped\n"),
        "{}",
        ran.err
    );
    let gap = IRIS.replacen("5.1,3.5,1.4,0.2,setosa\n", "5.1,,1.4,0.2,setosa\n", 1);
    let folder = folder.and("gap.csv", gap);
    let ran = folder.run("compare all.csv gap.csv --missing drop");
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("so that its rows are no longer those of the others\n"), "{}", ran.err);
    assert_eq!(folder.run("compare all.csv gap.csv --missing mean --measures ch_a").code, 0);
    assert_eq!(folder.run("compare all.csv").code, 2);
    assert_eq!(folder.run("compare all.csv petals.csv --label-of all.csv --labels y.csv").code, 2);
    assert_eq!(folder.run("compare all.csv missing.csv").code, 3);
}

#[test]
fn the_same_seed_gives_the_same_intervals() {
    let folder = iris();
    let words = "compare all.csv petals.csv --measures ch_a --format json";
    assert_eq!(folder.out(words), folder.out(&format!("{words} --seed 0 --threads 1")));
    assert_ne!(folder.out(words), folder.out(&format!("{words} --seed 5")));
}
