//! `clmatch relabel`.

use insta::assert_snapshot;

use crate::folder::{Folder, THREE, TWO, json};

const IRIS: &str = include_str!("../../../clmatch-data/data/iris.csv");

/// `clm` of a file, as the command computes it.
fn clm(folder: &Folder, file: &str) -> f64 {
    let scored = json(&folder.out(&format!("score {file} --measures clm --format json --quiet")));
    scored["scores"]["clm"].as_f64().unwrap()
}

/// Four clusters in a plane: three of class `a`, one of class `b`. Row 1 is labelled `b`, but lies in the first cluster of `a`.
fn parts() -> String {
    let spread = |row: u64, at: u64| ((row * 7919 + at * 104_729 + row * row * 31) % 1009) as f64 / 400.0;
    let place = [(0.0, 0.0), (30.0, 0.0), (0.0, 30.0), (80.0, 80.0)];
    let point = |row: u64| {
        let (x, y) = place[(row % 4) as usize];
        let label = if row == 0 || row % 4 == 3 { "b" } else { "a" };
        format!("{},{},{label}\n", x + spread(row, 1), y + spread(row, 2))
    };
    "x,y,label\n".to_owned() + &(0..240).map(point).collect::<String>()
}

#[test]
fn classes_are_merged_and_renamed_and_rows_left_out() {
    let folder = Folder::with("iris.csv", IRIS);
    let words =
        "relabel iris.csv --merge versicolor,virginica --rename setosa=s --drop-rows 1,3,149-150 -o out.csv";
    let ran = folder.run(words);
    assert_eq!((ran.code, ran.err.as_str()), (0, "written: out.csv\n"), "{}", ran.out);
    assert_snapshot!("relabel_table", ran.out);
    let text = folder.text("out.csv");
    let lines: Vec<&str> = text.lines().collect();
    let input: Vec<&str> = IRIS.lines().collect();
    assert_eq!(lines.len(), 147);
    let features = |line: &str| line.rsplit_once(',').unwrap().0.to_owned();
    assert_eq!(features(lines[0]), features(input[0]), "all features keep their names");
    // Row 2 of the data is the third line of the file; the rows keep their order.
    assert_eq!(lines[1], features(input[2]) + ",s");
    assert_eq!(lines[2], features(input[4]) + ",s");
    assert_eq!(lines[146], features(input[148]) + ",versicolor+virginica");
    assert_snapshot!("relabel_markdown", folder.out(&format!("{words} --quiet --format markdown")));
    assert_snapshot!("relabel_csv", folder.out(&format!("{words} --quiet --format csv")));
    let report = json(&folder.out(&format!("{words} --quiet --format json --report report.json")));
    assert_eq!(json(&folder.text("report.json")), report);
    assert_eq!(report["schema"], "clmatch/relabel/1");
    assert_eq!(report["dropped_rows"], serde_json::json!([1, 3, 149, 150]));
    for (file, which) in [("iris.csv", "before"), ("out.csv", "after")] {
        let stated = report["clm"][which].as_f64().unwrap();
        assert!((stated - clm(&folder, file)).abs() < 1e-12, "{which}");
    }
}

#[test]
fn a_class_is_split_into_its_clusters() {
    let folder = Folder::with("parts.csv", parts());
    let ran = folder.run("relabel parts.csv --split a -o out.csv --format json --quiet");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let report = json(&ran.out);
    let into = report["split"][0]["into"].as_array().unwrap();
    let names: Vec<&str> = into.iter().map(|part| part["class"].as_str().unwrap()).collect();
    assert_eq!(names, ["a 1", "a 2", "a 3"]);
    assert_eq!(into.iter().map(|part| part["points"].as_u64().unwrap()).sum::<u64>(), 179);
    assert!(report["clm"]["after"].as_f64() > report["clm"]["before"].as_f64());
    // Each cluster has one name, whatever its number.
    let text = folder.text("out.csv");
    let labels: Vec<&str> = text.lines().skip(1).map(|line| line.rsplit_once(',').unwrap().1).collect();
    for cluster in 0..3 {
        let first = labels[4 + cluster];
        assert!((4 + cluster..240).step_by(4).all(|row| labels[row] == first), "{cluster}");
    }
}

#[test]
fn suggested_classes_are_taken_and_suspects_left_out() {
    let points = "row,label,suggested,probability,outlier,part\n\
        1,b,a,0.95,0.2,1\n2,a,b,0.4,0.1,1\n3,a,a,0.001,3.5,1\n";
    let folder = Folder::with("parts.csv", parts()).and("points.csv", points);
    let labels = |words: &str| {
        let ran = folder.run(&format!("relabel parts.csv -o out.csv --quiet {words}"));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{words}");
        let text = folder.text("out.csv");
        text.lines().skip(1).map(|line| line.rsplit_once(',').unwrap().1.to_owned()).collect::<Vec<_>>()
    };
    let relabelled = labels("--suggested points.csv");
    assert_eq!((relabelled.len(), &relabelled[..4]), (240, &["a", "a", "a", "b"].map(String::from)[..]));
    let bold = labels("--suggested points.csv --above 0.3");
    assert_eq!(bold[..4], ["a", "b", "a", "b"]);
    // Row 1 is probably mislabelled, row 3 is an outlier.
    let dropped = labels("--drop-suspects points.csv");
    assert_eq!((dropped.len(), &dropped[..2]), (238, &["a", "b"].map(String::from)[..]));
    let unchanged = folder.run("relabel parts.csv --suggested points.csv --above 0.99 -o out.csv");
    assert!(unchanged.out.contains("nothing was changed"), "{}", unchanged.out);
}

#[test]
fn rows_are_those_of_the_file() {
    // Row 2 has a missing value, and is counted as a row all the same.
    let folder = Folder::with("gaps.csv", "x,y,label\n0,0,a\n,1,a\n1,0,a\n1,1,a\n9,9,b\n9,8,b\n8,9,b\n");
    let ran = folder.run("relabel gaps.csv --missing drop --drop-rows 3 -o out.csv --quiet --format json");
    assert_eq!(json(&ran.out)["dropped_rows"], serde_json::json!([3]), "{}", ran.err);
    // It is not scored, but belongs to the file; if it is named, it is left out like any other.
    assert_eq!(folder.text("out.csv"), "x,y,label\n0,0,a\n,1,a\n1,1,a\n9,9,b\n9,8,b\n8,9,b\n");
    folder.run("relabel gaps.csv --missing drop --drop-rows 2-3 --rename a=A -o out.csv --quiet");
    assert_eq!(folder.text("out.csv"), "x,y,label\n0,0,A\n1,1,A\n9,9,b\n9,8,b\n8,9,b\n");
    folder.run("relabel gaps.csv --missing drop --rename a=A -o out.csv --quiet");
    assert!(
        folder.text("out.csv").starts_with("x,y,label\n0,0,A\n,1,A\n"),
        "a class has one name in all rows"
    );
}

#[test]
fn every_format_keeps_the_points() {
    let folder = Folder::with("three.csv", THREE);
    for out in ["out.csv", "out.parquet", "out.npz", "out.arff", "out.ndjson"] {
        let ran = folder.run(&format!("relabel three.csv --merge p,q -o {out} --format json --quiet"));
        assert_eq!(ran.code, 0, "{}", ran.err);
        let after = json(&ran.out)["clm"]["after"].as_f64().unwrap();
        assert!((clm(&folder, out) - after).abs() < 1e-12, "{out}");
    }
    let piped = folder.run("relabel three.csv --rename p=first -o -");
    assert!(piped.out.starts_with("x,y,class\n0,0,first\n"), "{}", piped.out);
    assert!(piped.err.contains("renamed: p to first"), "{}", piped.err);
}

#[test]
fn a_score_that_is_not_there_is_said_to_be_missing() {
    let folder = Folder::with("single.csv", "x,label\n1,a\n2,a\n9,b\n8,b\n5,c\n");
    let ran = folder.run("relabel single.csv --merge b,c -o out.csv --quiet");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("warning: there is no score before: single: the class 'c' has a single point"));
    let row = ran.out.lines().find(|line| line.starts_with("clm")).unwrap();
    assert!(row.split_whitespace().nth(1) == Some("-"), "{row}");
}

/// A table as people keep it: a file name, the features, the label under its own name, and a comment that holds the delimiter.
fn photos() -> String {
    let mut rows = IRIS.lines();
    let header = rows.next().unwrap().replace("class", "species");
    let row = |(at, row): (usize, &str)| {
        let (features, label) = row.rsplit_once(',').unwrap();
        format!("img_{at}.jpg,{features},\"{label}\",\"seen, {at}\"\r\n")
    };
    format!("photo,{header},remark\r\n") + &rows.enumerate().map(row).collect::<String>()
}

#[test]
fn every_other_cell_stays() {
    let folder = Folder::with("photo.csv", photos());
    let ran = folder.run("relabel photo.csv --label species --rename setosa=S,1 -o out.csv --quiet");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(folder.text("out.csv"), photos().replace("\"setosa\"", "\"S,1\""));
    assert_eq!(folder.out("relabel out.csv --label species --rename S,1=setosa -o - --quiet"), photos());
    let mut piped = folder.command();
    piped.args(["relabel", "-", "--label", "species", "--rename", "setosa=S,1", "-o", "-", "-q"]);
    let piped = piped.write_stdin(photos()).output().unwrap();
    assert_eq!(String::from_utf8(piped.stdout).unwrap(), photos().replace("\"setosa\"", "\"S,1\""));
    // The new labels beside the old ones, with the command that reads them.
    let ran = folder.run("relabel photo.csv --label species --merge setosa,virginica --as kind -o out.csv");
    assert!(
        ran.err.contains("note: the new labels are beside the old ones: to read them, give --label kind"),
        "{}",
        ran.err
    );
    let second = folder.text("out.csv").lines().nth(1).unwrap().to_owned();
    assert_eq!(second, "img_0.jpg,5.1,3.5,1.4,0.2,\"setosa\",setosa+virginica,\"seen, 0\"");
    let taken = folder.run("relabel photo.csv --label species --rename setosa=S --as photo -o out.csv");
    assert!(taken.code == 4 && taken.err.contains("there is a column 'photo' already"), "{}", taken.err);
    // Formats with names hold all of it, the others say what they do not hold.
    for out in ["out.parquet", "out.jsonl", "out.json", "out.tsv", "out.arff"] {
        folder.run(&format!("relabel photo.csv --label species --rename setosa=S -o {out} --quiet"));
        let back =
            folder.run(&format!("relabel {out} --label species --rename S=setosa -o back.csv --quiet"));
        assert_eq!(back.code, 0, "{out}: {}", back.err);
        assert_eq!(
            folder.text("back.csv"),
            photos()
                .replace('\r', "")
                .replace("a\"", "a")
                .replace("r\"", "r")
                .replace(",\"s", ",s")
                .replace(",\"v", ",v")
                .replace(",seen", ",\"seen"),
            "{out}"
        );
    }
    let ran = folder.run("relabel photo.csv --label species --rename setosa=S -o out.npz");
    assert!(
        ran.err.contains("warning: not written, because the format cannot hold it: photo, remark"),
        "{}",
        ran.err
    );
}

#[test]
fn tables_that_cannot_be_scored_are_relabelled() {
    let folder = Folder::with("t.csv", "name,colour,kind\nann,red,p\nbob,,q\ncid,red,p\ndan,\"a,b\",q\n");
    let ran = folder.run("relabel t.csv --label kind --rename p=P -o out.csv --format json");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(folder.text("out.csv"), "name,colour,kind\nann,red,P\nbob,,q\ncid,red,P\ndan,\"a,b\",q\n");
    assert!(ran.err.contains("warning: there is no score: t.csv"), "{}", ran.err);
    let report = json(&ran.out);
    assert_eq!((&report["clm"]["after"], &report["features"]), (&serde_json::Value::Null, &0.into()));
    let split = folder.run("relabel t.csv --label kind --split p -o x.csv");
    assert!(split.code == 3 && split.err.contains("hold text"), "{}", split.err);
    // What is no table is refused as before.
    let folder = Folder::with("r.csv", "x,label\n1,a\n2\n3,b\n4,b\n");
    let ran = folder.run("relabel r.csv --rename a=A -o x.csv");
    assert!(ran.code == 3 && ran.err.contains("line 3"), "{}", ran.err);
}

#[test]
fn labels_of_another_file_become_a_column() {
    let folder =
        Folder::with("two.csv", "id,x,y\na-1,0,0\na-2,0,1\na-3,9,9\na-4,9,8\n").and("l.csv", "p\np\nq\nq\n");
    let ran = folder.run("relabel two.csv --labels l.csv --rename p=P -o out.csv --quiet");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(folder.text("out.csv"), "id,x,y,label\na-1,0,0,P\na-2,0,1,P\na-3,9,9,q\na-4,9,8,q\n");
}

#[test]
fn wrong_usage_and_bad_input() {
    let folder = Folder::with("two.csv", TWO)
        .and("iris.csv", IRIS)
        .and("other.csv", "row,label,suggested,probability,outlier,part\n1,b,a,0.95,0.2,1\n")
        .and("beyond.csv", "row,label,suggested,probability,outlier,part\n99,b,a,0.95,0.2,1\n")
        .and("nobody.csv", "row,label,suggested,probability,outlier,part\n1,a,z,0.95,0.2,1\n")
        .and("scores.csv", "dataset,score\niris,1\n");
    let mut texts = String::new();
    for (words, code) in [
        ("relabel two.csv --merge a,b", 2),
        ("relabel two.csv -o x.csv", 2),
        ("relabel two.csv -o x.csv --drop-rows 0", 2),
        ("relabel two.csv -o x.csv --drop-rows 5-3", 2),
        ("relabel two.csv -o x.csv --rename a", 2),
        ("relabel two.csv -o x.csv --above 2 --split a", 2),
        ("relabel two.csv -o x.csv --merge a,z", 3),
        ("relabel iris.csv -o x.csv --merge setosa,Versicolour", 3),
        ("relabel two.csv -o x.csv --merge a", 3),
        ("relabel two.csv -o x.csv --merge a,b", 3),
        ("relabel two.csv -o x.csv --split a", 3),
        ("relabel iris.csv -o x.csv --split setosa --merge setosa,virginica", 3),
        ("relabel two.csv -o x.csv --rename a=b", 3),
        ("relabel two.csv -o x.csv --rename a=c --rename a=d", 3),
        ("relabel two.csv -o x.csv --drop-rows 9", 3),
        ("relabel two.csv -o x.csv --drop-rows 7-12", 3),
        ("relabel two.csv -o x.csv --drop-rows 1-8", 3),
        ("relabel two.csv -o x.csv --drop-rows 1-4", 3),
        ("relabel two.csv -o x.csv --suggested other.csv", 3),
        ("relabel two.csv -o x.csv --drop-suspects beyond.csv", 3),
        ("relabel two.csv -o x.csv --suggested nobody.csv", 3),
        ("relabel two.csv -o x.csv --suggested scores.csv", 3),
        ("relabel two.csv -o x.csv --suggested missing.csv", 3),
        ("relabel missing.csv -o x.csv --split a", 3),
        ("relabel two.csv -o two.csv --rename a=c", 4),
        ("relabel two.csv -o no/such/x.csv --rename a=c", 4),
    ] {
        let ran = folder.run(words);
        assert_eq!((ran.code, ran.out.as_str()), (code, ""), "{words}: {}", ran.err);
        texts.push_str(&format!("$ clmatch {words}\n{}\n", ran.err));
    }
    assert_snapshot!(texts);
    assert!(!folder.path("x.csv").exists());
}
