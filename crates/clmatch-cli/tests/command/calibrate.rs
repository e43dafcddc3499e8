//! `clmatch calibrate`: growth rates from judgements of datasets and of Gaussians, and what is refused.

use insta::assert_snapshot;

use crate::folder::Folder;

/// Judgements of Gaussians that lie further and further apart.
fn gaussians() -> String {
    let mut text = String::from(
        "variance_a1,variance_a2,angle_a,variance_b1,variance_b2,angle_b,share,distance,score\n",
    );
    for at in 0..=12 {
        let distance = f64::from(at) / 2.0;
        let score = 1.0 / (1.0 + (2.0 * (3.0 - distance)).exp());
        text.push_str(&format!("1,1,0,1,0.5,0.7,0.5,{distance},{score:.2}\n"));
    }
    text
}

/// Two squares of four points, `gap` apart.
fn squares(gap: f64) -> String {
    let mut text = String::from("x,y,label\n");
    for (label, offset) in [("a", 0.0), ("b", gap)] {
        for (x, y) in [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.1)] {
            text.push_str(&format!("{},{y},{label}\n", x + offset));
        }
    }
    text
}

#[test]
fn gaussians_are_drawn_and_variants_fitted() {
    let folder = Folder::with("judged.csv", gaussians());
    let table = folder.out("calibrate judged.csv");
    assert_snapshot!("calibrate_table", table);
    let ran = folder.run("calibrate judged.csv --plot fit.svg --format csv");
    let note = "note: the plot shows the first 8 variants; choose others with --variant\n";
    assert_eq!(ran.err, format!("{note}written: fit.svg\n"));
    assert!(folder.text("fit.svg").contains("CH DSR"));
    let cells: Vec<&str> =
        ran.out.lines().find(|line| line.starts_with("CH DSR,")).unwrap().split(',').collect();
    let (k, r2): (f64, f64) = (cells[1].parse().unwrap(), cells[3].parse().unwrap());
    assert!(k > 0.0 && r2 > 0.9 && cells[4] == "false", "{cells:?}");
    let other = folder.out("calibrate judged.csv --seed 1 --format csv");
    assert_ne!(other, ran.out, "other points are drawn");
}

#[test]
fn datasets_are_found_beside_the_file() {
    let mut judged = String::from("dataset,score\n");
    let mut folder = Folder::new();
    for (at, score) in [0.0, 0.1, 0.4, 0.8, 1.0].into_iter().enumerate() {
        folder = folder.and(&format!("study/d{at}.csv"), squares(0.5 * at as f64));
        judged.push_str(&format!("d{at}.csv,{score}\n"));
    }
    let folder = folder.and("study/judged.csv", judged);
    let words = ["calibrate", "study/judged.csv", "--variant", "ch dsr", "--format", "json"];
    let output = folder.command().args(words).output().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&json["datasets"], &json["variants"][0]["variant"]), (&5.into(), &"CH DSR".into()));
    assert_eq!(json["variants"][0]["built_in"], 2.2160052679191475);
}

#[test]
fn judgements_that_tell_nothing_are_refused() {
    let equal = "dataset,score\na.csv,0.5\na.csv,0.5\na.csv,0.5\n";
    let folder = Folder::with("equal.csv", equal)
        .and("a.csv", squares(1.0))
        .and("high.csv", "dataset,score\na.csv,7\n")
        .and("few.csv", "dataset,score\na.csv,0.5\n")
        .and("gone.csv", "dataset,score\nnix.csv,0.5\n")
        .and("alone.csv", "dataset,score\none.csv,0.5\n")
        .and("one.csv", "x,label\n1,a\n2,a\n3,b\n")
        .and("three.csv", "dataset,score\nabc.csv,0.5\n")
        .and("abc.csv", "x,label\n1,a\n2,a\n1,b\n3,b\n7,c\n8,c\n");
    for (file, error) in [
        ("equal.csv", "all datasets are judged 0.5"),
        ("high.csv", "error: high.csv: line 2: score is 7, not from 0 to 1"),
        ("few.csv", "1 judged datasets are too few: at least 3 are needed"),
        ("gone.csv", "nix.csv"),
        ("alone.csv", "line 2: the class 'b' has a single point"),
        ("three.csv", "line 2: the dataset has 3 classes"),
    ] {
        let ran = folder.run(&format!("calibrate {file}"));
        assert!(ran.code == 3 && ran.err.contains(error), "{file}: {}", ran.err);
    }
    let ran = folder.run("calibrate equal.csv --low 2 --high 1");
    assert!(ran.code == 2 && ran.err.contains("between 2 and 1"), "{}", ran.err);
    assert_eq!(folder.run("calibrate equal.csv --resamples 1").code, 2);
    let ran = folder.run("calibrate equal.csv --variant CH");
    assert!(ran.code == 2 && ran.err.contains("'CH DSR'"), "{}", ran.err);
}
