//! What results say about rows and columns: the features that were used, and suspicious rows with their ids.

use crate::folder::{Folder, TWO};

const IRIS: &str = include_str!("../../../clmatch-data/data/iris.csv");

/// Iris as people keep it: with a photo and a place, both text, and three wrong labels in the rows 3, 20 and 39.
fn photos() -> String {
    let row = |(line, text): (usize, &str)| match line {
        0 => format!("photo,place,{}\n", text.replace("class", "species")),
        3 | 20 | 39 => format!("img_{line}.jpg,\"Ulm, east\",{}\n", text.replace("setosa", "virginica")),
        _ => format!("img_{line}.jpg,Bonn,{text}\n"),
    };
    IRIS.lines().enumerate().map(row).collect()
}

#[test]
fn suspicious_rows_come_with_their_id_and_the_columns_that_are_asked_for() {
    let folder = Folder::with("photos.csv", photos());
    let words = "explain photos.csv --drop place --quiet";
    let found = folder.json(&format!("{words} --format json"));
    assert_eq!(found["mislabelled"][0]["shown"].as_object().unwrap().len(), 1);
    let found = folder.json(&format!("{words} --show place,species --points points.csv --format json"));
    assert_eq!(
        found["features_used"],
        serde_json::json!(["sepal length", "sepal width", "petal length", "petal width"])
    );
    let wrong = found["mislabelled"].as_array().unwrap();
    assert_eq!(wrong.len(), 3);
    for point in wrong {
        let expected = serde_json::json!({
            "photo": format!("img_{}.jpg", point["row"]), "place": "Ulm, east", "species": "virginica"
        });
        assert_eq!(point["shown"], expected);
    }
    let points = folder.text("points.csv");
    let lines: Vec<&str> = points.lines().collect();
    assert_eq!(lines[0], "row,label,suggested,probability,outlier,part,outvoted,photo,place,species");
    assert!(
        lines[3].starts_with("3,virginica,setosa,")
            && lines[3].ends_with(",img_3.jpg,\"Ulm, east\",virginica")
    );
    // The table, and what is refused.
    let text = folder.out(&format!("{words} --show place"));
    let title = text.lines().find(|line| line.starts_with("row ")).unwrap();
    assert_eq!(
        title.split_whitespace().collect::<Vec<_>>(),
        ["row", "photo", "place", "label", "looks", "like", "probability"]
    );
    assert!(text.contains("img_20.jpg  Ulm, east  virginica  setosa"), "{text}");
    let ran = folder.run(&format!("{words} --show town"));
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("there is no column 'town' to show"), "{}", ran.err);
    let ran = folder.command().args(["explain", "-", "--drop=place", "-q"]).write_stdin(photos()).output();
    assert!(String::from_utf8(ran.unwrap().stdout).unwrap().contains("img_20.jpg"));
}

#[test]
fn the_command_that_applies_the_suggested_labels_does_so() {
    let folder = Folder::with("photos.csv", photos());
    let words = "explain photos.csv --drop=place --quiet";
    let command = |text: &str| {
        let line = text.lines().find(|line| line.contains("--suggested")).unwrap();
        line.trim().to_owned()
    };
    let with_points = folder.out(&format!("{words} --points p.csv"));
    assert_eq!(command(&with_points), "clmatch relabel photos.csv --suggested p.csv --drop=place -o OUT");
    let both = command(&folder.out(words));
    let expected = "clmatch explain photos.csv --drop=place --points photos.points.csv --quiet && \
                    clmatch relabel photos.csv --suggested photos.points.csv --drop=place -o OUT";
    assert_eq!(both, expected);
    for command in both.split(" && ") {
        let words = command.strip_prefix("clmatch ").unwrap().replace(" OUT", " out.csv --quiet");
        assert_eq!(folder.run(&words).code, 0, "{words}");
    }
    let repaired = folder.json("score out.csv --drop=place --format json --quiet");
    assert_eq!(repaired["sizes"][0]["points"], 50);
    assert!(folder.out(&format!("{words} --format markdown")).contains(&format!("* `{expected}`\n")));
    // Nothing is suggested where no label looks wrong.
    let folder = Folder::with("two.csv", TWO);
    assert!(!folder.out("explain two.csv --quiet").contains("--suggested"));
}

#[test]
fn every_suspicious_row_can_be_had_from_the_report() {
    // Two classes of one cluster, labelled at random: many rows look wrong. And 60 rows of one class in the place of the other.
    let mut text = "key,x,y,class\n".to_owned();
    for row in 0..1200_u64 {
        let number = |salt: u64| (row.wrapping_mul(7919 + 104_729 * salt) % 10_007) as f64 / 10_007.0;
        let (place, class) = [(0, "a"), (9, "b")][row as usize % 2];
        let class = if row % 20 == 0 { "b" } else { class };
        text += &format!("k{row:04},{},{},{class}\n", number(1) + f64::from(place), number(2));
    }
    let folder = Folder::with("many.csv", text);
    let count =
        folder.json("explain many.csv --format json --quiet")["mislabelled"].as_array().unwrap().len();
    assert_eq!(count, 60);
    let page = folder.out("report many.csv --no-ci --null 0 --show class -q -o -");
    assert!(page.contains("<summary>Show 10 more</summary>"));
    for row in (0..1200).step_by(20) {
        assert!(page.contains(&format!("<td>k{row:04}</td><td>b</td><td>b</td><td>a</td>")), "{row}");
    }
    assert!(
        page.contains(
            "All 60 rows: <a download=\"mislabelled.csv\" href=\"data:text/csv;charset=utf-8;base64,"
        )
    );
    assert!(page.contains("features: x, y (2)"));
    assert!(page.contains("clmatch relabel many.csv --suggested many.points.csv -o OUT"));
    assert!(page.contains("clmatch report many.csv --show=class"));
}

#[test]
fn results_list_the_features_that_were_used() {
    let folder = Folder::with("photos.csv", photos()).and("two.csv", TWO);
    let words = "score photos.csv --drop place,3 --quiet --measures clm";
    let used = serde_json::json!(["sepal length", "petal length", "petal width"]);
    assert_eq!(folder.json(&format!("{words} --format json"))["features_used"], used);
    let line = "features: sepal length, petal length, petal width (3)";
    assert!(folder.out(words).lines().any(|found| found == line));
    let markdown = folder.out(&format!("{words} --format markdown"));
    assert!(markdown.contains(&format!("\n{line}\n")), "{markdown}");
    let ranked = folder.json("rank two.csv --format json --quiet");
    assert_eq!(ranked[0]["features_used"], serde_json::json!(["x", "y"]));
    let truth = folder.json("truth two.csv --techniques kmeans --format json --quiet");
    assert_eq!(truth[0]["features_used"], serde_json::json!(["x", "y"]));
    // Files of earlier versions do not have the list.
    let mut old = ranked.clone();
    old[0].as_object_mut().unwrap().remove("features_used");
    let folder = folder.and("old.json", old.to_string());
    assert!(folder.out("report old.json -q -o -").contains("two"));
}
