//! Points and labels in files of their own, several labellings, and names.

use clmatch_data::{Dataset, ReadOptions, Source, Target, find, read};

use crate::common::{f64s, gzip, npy, put};

const DATA: &str = "a,b\n1.5,2.5\n3.5,2.5\n5.5,6.5\n";

/// Three rows with the labels u, v, v, as Parquet or Arrow.
fn table(name: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let labels = clmatch::Labels::encode(["u", "v", "v"]);
    let dataset = Dataset::new("y", vec!["row".into()], vec![1.5, 2.5, 3.5], labels).unwrap();
    clmatch_data::write(&dataset, &Target::new(&path, &Source::new("-")).unwrap()).unwrap();
    std::fs::read(path).unwrap()
}

#[test]
fn labels_in_a_file_of_their_own_are_found() {
    let array = npy("<f8", false, "(3, 2)", &f64s(&[1.5, 2.5, 3.5, 2.5, 5.5, 6.5]));
    let labels = npy("|S1", false, "(3,)", b"uvv");
    for (points, bytes, beside, own) in [
        ("data.csv", DATA.as_bytes(), "labels.csv", &b"u\nv\nv\n"[..]),
        ("data.csv", DATA.as_bytes(), "y.csv", b"class\nu\nv\nv\n"),
        ("data.csv.gz", &gzip(DATA.as_bytes()), "target.txt", b"u\nv\nv\n"),
        ("X.csv", DATA.as_bytes(), "y.npy", &labels),
        ("X.npy", &array, "y.npy", &labels),
        ("X.npy", &array, "target.csv", b"u\nv\nv\n"),
        ("data.csv", DATA.as_bytes(), "labels.jsonl", b"{\"c\":\"u\"}\n{\"c\":\"v\"}\n{\"c\":\"v\"}\n"),
        (
            "data.csv",
            DATA.as_bytes(),
            "labels.json",
            b"[{\"id\":7,\"class\":\"u\"},{\"class\":\"v\"},{\"class\":\"v\"}]",
        ),
        ("X.csv", DATA.as_bytes(), "y.parquet", &table("y.parquet")),
        ("X.csv", DATA.as_bytes(), "y.feather", &table("y.feather")),
        (
            "data.json",
            b"[{\"a\":1.5,\"b\":2.5},{\"a\":3.5,\"b\":2.5},{\"a\":5.5,\"b\":6.5}]",
            "labels.json",
            b"[\"u\",\"v\",\"v\"]",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("thing");
        let path = put(&root, points, bytes);
        put(&root, beside, own);
        let found = find(std::slice::from_ref(&root)).unwrap();
        assert_eq!(
            found.iter().map(|source| source.name.as_str()).collect::<Vec<_>>(),
            ["thing"],
            "{points}, {beside}"
        );
        // The folder and the file are the same dataset.
        for source in [found[0].clone(), Source::new(path)] {
            let dataset =
                read(&source, &ReadOptions::default()).unwrap_or_else(|e| panic!("{points}, {beside}: {e}"));
            assert_eq!((dataset.n_points(), dataset.n_features()), (3, 2), "{points}, {beside}");
            assert_eq!(dataset.labels().codes(), [0, 1, 1], "{points}, {beside}");
            let notes: Vec<String> = dataset.notes.iter().map(ToString::to_string).collect();
            assert!(notes.iter().any(|note| note.contains("the labels were read from")), "{notes:?}");
        }
    }
}

#[test]
fn other_files_of_the_folder_stay() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("all");
    put(&root, "data.csv", DATA);
    put(&root, "labels.csv", "u\nv\nv\n");
    put(&root, "iris.csv", "a,species\n1.5,x\n2.5,z\n");
    put(&root, "wine.csv", "a,b\n1.5,2.5\n");
    put(&root, "wine_labels.csv", "x\n");
    put(&root, "deeper/more.csv", "a,y\n1.5,x\n");
    put(&root, "scores.json", "[{\"schema\":\"clmatch/score/1\",\"dataset\":\"iris\"}]");
    put(&root, "run.jsonl", "{\"version\":\"0.1.0\",\"result\":{\"schema\":\"clmatch/score/1\"}}\n");
    put(&root, "package.json", "{\"name\": \"something\"}");
    let found = find(std::slice::from_ref(&root)).unwrap();
    let names: Vec<&str> = found.iter().map(|source| source.name.as_str()).collect();
    assert_eq!(names, ["all", "more", "iris", "wine"]);
    let wine = read(&found[3], &ReadOptions::default()).unwrap();
    assert_eq!((wine.n_features(), wine.labels().names()), (2, &["x".to_owned()][..]));
    // A column that is named in the options is in the table.
    let asked = ReadOptions { label: Some("b".into()), ..ReadOptions::default() };
    assert_eq!(read(&found[3], &asked).unwrap().n_features(), 1);
}

/// Gagolewski's clustering-data-v1: one file of points, several labellings, 0 for noise.
#[test]
fn every_labelling_is_a_dataset() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let points = put(root, "atom.data.gz", gzip(b"1.5 2.5\n3.5 2.5\n5.5 6.5\n7.5 6.5\n"));
    put(root, "atom.labels0.gz", gzip(b"1\n1\n2\n2\n"));
    let second = put(root, "atom.labels1.gz", gzip(b"1\n0\n2\n3\n"));
    put(root, "atom.labels10.gz", gzip(b"1\n2\n2\n2\n"));
    put(root, "atom.txt", "A description.\n");
    for given in [root.to_owned(), points.clone()] {
        let found = find(&[given]).unwrap();
        let names: Vec<&str> = found.iter().map(|source| source.name.as_str()).collect();
        assert_eq!(names, ["atom.labels0", "atom.labels1", "atom.labels10"]);
        let read = |at: usize| read(&found[at], &ReadOptions::default()).unwrap();
        assert_eq!((read(0).n_points(), read(0).n_features(), read(0).noise()), (4, 2, None));
        assert_eq!((read(1).labels().names().len(), read(1).noise()), (4, Some("0")));
        assert_eq!(found[1].files(), [points.clone(), second.clone()]);
    }
    // A labelling may be named itself, or be given for the points.
    let one = find(std::slice::from_ref(&second)).unwrap();
    assert_eq!((one.len(), one[0].name.as_str()), (1, "atom.labels1"));
    let own = ReadOptions { labels_file: Some(second), ..ReadOptions::default() };
    let dataset = read(&Source::new(points), &own).unwrap();
    assert_eq!((dataset.labels().names().len(), dataset.noise()), (4, None), "the user decides about noise");
}

#[test]
fn embedded_datasets_have_names() {
    let found = find(&["iris".into(), "moons".into()]).unwrap();
    assert!(found[0].is_embedded() && found[0].files().is_empty());
    assert_eq!(read(&found[0], &ReadOptions::default()).unwrap().n_points(), 150);
    let error = find(&["irys".into()]).unwrap_err();
    let help = error.advice.unwrap().to_string();
    assert!(help.contains("no such file, and the embedded datasets are iris, wine"), "{help}");
    let error = find(&["irys.csv".into()]).unwrap_err();
    assert!(error.advice.unwrap().to_string().contains("check the path"));
}
