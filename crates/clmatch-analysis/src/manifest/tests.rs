use std::fs;

use clmatch_data::ReadOptions;

use super::*;

/// A folder with a manifest and two tables.
fn folder(manifest: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["wine.csv", "sub/zoo.csv"] {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x,y,label\n0,0,a\n0,1,a\n9,9,b\n9,8,b\n").unwrap();
    }
    fs::write(folder.path().join("bench.toml"), manifest).unwrap();
    folder
}

fn datasets(manifest: &str) -> Vec<Source> {
    let folder = folder(manifest);
    read(&folder.path().join("bench.toml")).unwrap()
}

/// The error, without the folder that the manifest is in, and what helps.
fn refused(manifest: &str) -> (String, String) {
    let folder = folder(manifest);
    let error = read(&folder.path().join("bench.toml")).unwrap_err();
    assert!(error.is_bad_input());
    let plain = |text: String| text.replace(&format!("{}/", folder.path().display()), "");
    (plain(error.to_string()), error.advice().map(|advice| plain(advice.to_string())).unwrap_or_default())
}

#[test]
fn every_option_is_read() {
    let found = datasets(
        r#"
        [[dataset]]
        name = "wine, scaled"
        path = "wine.csv"
        label = -1
        labels = "sub/labels.csv"
        layer = "X"
        drop = ["id", 3]
        keep = []
        only = ["x"]
        drop-text = true
        one-hot = true
        mixed = true
        missing = "drop"
        na = ["?", -999]
        decimal-comma = true
        header = false
        skip-rows = 2
        scale = "standard"
        noise = -1
        singletons = "drop"

        [[dataset]]
        path = "sub/zoo.csv"

        [[dataset]]
        path = "iris"
        one-hot = ["sex"]
        "#,
    );
    let names: Vec<&str> = found.iter().map(|source| source.name.as_str()).collect();
    assert_eq!(names, ["wine, scaled", "zoo", "iris"]);
    assert!(found[2].is_embedded() && found[0].path.ends_with("wine.csv") && found[0].path.is_absolute());
    let list = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
    let options = found[0].options().unwrap();
    let labels = options.labels_file.clone().unwrap();
    assert!(labels.ends_with("sub/labels.csv") && labels.is_absolute());
    let expected = DatasetOptions {
        label: Some("-1".into()),
        labels_file: Some(labels),
        layer: Some("X".into()),
        drop: list(&["id", "3"]),
        keep: list(&[]),
        only: list(&["x"]),
        drop_text: Some(true),
        one_hot: list(&["*"]),
        mixed: Some(true),
        missing: Some(Missing::Drop),
        missing_values: list(&["?", "-999"]),
        decimal_comma: Some(true),
        header: Some(false),
        skip_rows: Some(2),
        scale: Some(Scale::Standard),
        noise: Some("-1".into()),
        singletons: Some(Singletons::Drop),
    };
    assert_eq!(options, &expected);
    assert_eq!(found[1].options(), Some(&DatasetOptions::default()));
    assert_eq!(found[2].options().unwrap().one_hot, list(&["sex"]));
}

#[test]
fn options_of_the_run_apply_where_the_manifest_is_silent() {
    let found =
        datasets("[[dataset]]\npath = \"wine.csv\"\nlabel = \"cultivar\"\nkeep = []\nscale = \"none\"\n");
    let text = |text: &str| Some(text.to_owned());
    let mut read = ReadOptions {
        label: text("class"),
        drop: vec!["id".into()],
        keep: vec!["x".into()],
        ..ReadOptions::default()
    };
    let (mut scale, mut noise, mut singletons) = (Scale::Robust, text("-1"), Singletons::Drop);
    found[0].options().unwrap().set_all(&mut read, &mut scale, &mut noise, &mut singletons);
    assert_eq!((read.label, read.drop, read.keep), (text("cultivar"), vec!["id".to_owned()], vec![]));
    assert_eq!((scale, noise, singletons), (Scale::None, text("-1"), Singletons::Drop));
}

#[test]
fn errors_say_the_line() {
    let one = |lines: &str| refused(&format!("[[dataset]]\npath = \"wine.csv\"\n{lines}"));
    let (what, help) = one("labl = \"x\"");
    assert_eq!(what, "bench.toml, line 3: 'labl' is not known");
    assert!(help.starts_with("a dataset has name, path, label, labels,"), "{help}");
    for (lines, expected) in [
        ("label = true", "line 3: true is not the name of a column in quotes, or its index"),
        ("label = 1.5", "line 3: 1.5 is not the name of a column in quotes, or its index"),
        ("\ndrop = \"id\"", "line 4: \"id\" is not a list of columns, as in [\"id\", \"name\"]"),
        ("drop = [\n\"id\",\n[]]", "line 5: [] is not the name of a column in quotes, or its index"),
        ("decimal-comma = 1", "line 3: 1 is not true or false"),
        ("skip-rows = -1", "line 3: -1 is not a whole number, at least 0"),
        (
            "skip-rows = 99999999999999999999",
            "line 3: 99999999999999999999 is not a whole number, at least 0",
        ),
        ("missing = \"skip\"", "line 3: \"skip\" is not one of \"error\", \"drop\", \"drop-any\", \"mean\""),
        ("name = \"\"", "line 3: \"\" is not a name in quotes"),
        ("noise = 1979-05-27", "line 3: 1979-05-27 is not a label in quotes"),
        ("[[dataset]]\nlabel = \"x\"", "line 3: this dataset has no path"),
        ("[[dataset]]\npath = \"nowhere.csv\"", "line 4: there is no file nowhere.csv"),
        ("[[dataset]]\npath = \"-\"", "line 4: there is no file -"),
        ("[[dataset]]\npath = \"wine.csv\"", "line 4: a dataset is called 'wine' already, in line 2"),
        (
            "[[dataset]]\nname = \"wine\"\npath = \"sub/zoo.csv\"",
            "line 4: a dataset is called 'wine' already, in line 2",
        ),
        ("[[dataset]]\npath = \".\"", "line 4: . holds 2 datasets"),
        ("[datasets]\nx = 1", "line 3: 'datasets' stands outside of the list of datasets"),
        ("label = \"a\"\nlabel = \"b\"", "line 4: duplicate key"),
        ("label = ", "line 3: string values must be quoted, expected literal string"),
    ] {
        assert_eq!(one(lines).0, format!("bench.toml, {expected}"), "{lines}");
    }
    assert_eq!(refused("").0, "bench.toml: it lists no dataset");
    assert_eq!(refused("dataset = []").0, "bench.toml: it lists no dataset");
    assert_eq!(refused("dataset = [1]").0, "bench.toml, line 1: this is not a dataset");
    assert_eq!(
        refused("[dataset]\npath = \"x\"").0,
        "bench.toml, line 1: 'dataset' stands outside of the list of datasets"
    );
    // Hostile texts are refused, and nothing else.
    for text in [
        "\u{0}",
        "[[dataset]]\npath = \"\u{1b}[2J\"",
        &"[".repeat(100_000),
        "\u{feff}x = ",
        "[[dataset",
        "é = é",
    ] {
        let (what, _) = refused(text);
        assert!(what.starts_with("bench.toml") && what.len() < 1000, "{what}");
    }
}

#[test]
fn what_is_written_is_read_again() {
    let folder = folder("");
    let base = folder.path();
    let odd = ReadOptions {
        label: Some("a \"b\" \\ \u{7f}\n\u{1f600}".into()),
        labels_file: Some(base.join("sub/labels.csv")),
        layer: Some("obsm/X".into()),
        drop: vec!["id, or not".into()],
        keep: vec!["-1".into()],
        only: vec!["x".into(), "y".into()],
        drop_text: true,
        one_hot: vec!["*".into()],
        mixed: true,
        missing: Missing::Mean,
        missing_values: vec!["-".into(), "-999".into()],
        decimal_comma: true,
        header: Some(false),
        skip_rows: 3,
        show: None,
        memory_limit: None,
    };
    let file = |name: &str, read| ListedFile {
        source: Source::new(base.join(name)),
        read,
        singletons: Singletons::Keep,
    };
    let files = [
        file("wine.csv", Ok(odd.clone())),
        file("broken.csv", Err("line 3:\nnot a number".to_owned())),
        file("sub/zoo.csv", Ok(ReadOptions::default())),
    ];
    let text = to_toml(base, &files);
    assert!(text.contains("\n# left out: broken.csv: line 3: not a number\n"), "{text}");
    assert!(text.ends_with("[[dataset]]\nname = \"zoo\"\npath = \"sub/zoo.csv\"\n"), "{text}");
    fs::write(base.join("bench.toml"), text).unwrap();
    let found = read(&base.join("bench.toml")).unwrap();
    assert_eq!(found.iter().map(|source| source.name.as_str()).collect::<Vec<_>>(), ["wine", "zoo"]);
    let read = |source: &Source| {
        let mut read = ReadOptions::default();
        source.options().unwrap().set_read(&mut read);
        read
    };
    assert_eq!(read(&found[0]), odd);
    assert_eq!(read(&found[1]), ReadOptions::default());
}
