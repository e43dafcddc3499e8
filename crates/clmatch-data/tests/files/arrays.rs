//! SciPy's sparse matrices, and arrays for training and testing.

use clmatch::Values;
use clmatch_data::{ReadOptions, Source, read};

use crate::common::{Read, Refused, case, check, f64s, gzip, npy, put, zip};

fn ints(values: &[i32]) -> Vec<u8> {
    npy(
        "<i4",
        false,
        &format!("({},)", values.len()),
        &values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>(),
    )
}

/// A matrix as `scipy.sparse.save_npz` writes it; `first` and `second` are indptr and indices, or rows and columns.
fn sparse(format: &str, first: &[i32], second: &[i32], shape: &[i32], values: &[f64]) -> Vec<u8> {
    let names = if format == "coo" { ["row.npy", "col.npy"] } else { ["indptr.npy", "indices.npy"] };
    let data = npy("<f8", false, &format!("({},)", values.len()), &f64s(values));
    let format = npy(&format!("|S{}", format.len()), false, "()", format.as_bytes());
    zip(&[
        (names[0], &ints(first)),
        (names[1], &ints(second)),
        ("format.npy", &format),
        ("shape.npy", &ints(shape)),
        ("data.npy", &data),
    ])
}

/// A plain file is read by all threads in pieces, a packed one from start to end.
#[test]
fn arrays_of_several_pieces_are_read_as_one() {
    const ROWS: usize = 9000;
    const FEATURES: usize = 13;
    type ToBytes = fn(i16) -> Vec<u8>;
    let types: [(&str, ToBytes); 5] = [
        ("<f8", |value| f64::from(value).to_le_bytes().to_vec()),
        (">f8", |value| f64::from(value).to_be_bytes().to_vec()),
        ("<f4", |value| f32::from(value).to_le_bytes().to_vec()),
        (">i2", |value| value.to_be_bytes().to_vec()),
        ("<i2", |value| value.to_le_bytes().to_vec()),
    ];
    let value = |row: usize, feature: usize| (row * 7 + feature * 1001) as i16;
    let folder = tempfile::tempdir().unwrap();
    let labels: Vec<u8> = (0..ROWS).flat_map(|row| (row as i64 * 5 % 3000 - 1).to_be_bytes()).collect();
    put(folder.path(), "y.npy", npy(">i8", false, &format!("({ROWS},)"), &labels));
    for ((kind, to_bytes), fortran) in types.into_iter().flat_map(|kind| [(kind, false), (kind, true)]) {
        let place = |at: usize| match fortran {
            false => (at / FEATURES, at % FEATURES),
            true => (at % ROWS, at / ROWS),
        };
        let numbers =
            (0..ROWS * FEATURES).map(place).flat_map(|(row, feature)| to_bytes(value(row, feature)));
        let bytes = npy(kind, fortran, &format!("({ROWS}, {FEATURES})"), &numbers.collect::<Vec<u8>>());
        let read = |name: &str, bytes: &[u8]| {
            let path = put(folder.path(), name, bytes);
            let mut dataset = read(&Source::new(&path), &ReadOptions::default()).unwrap();
            // If another file had the same name, it would not be clear whose labels they are.
            std::fs::remove_file(path).unwrap();
            dataset.notes.clear();
            dataset
        };
        let plain = read("X.npy", &bytes);
        assert_eq!(plain, read("X.npy.gz", &gzip(&bytes)), "{kind} {fortran}");
        let expected = (0..ROWS * FEATURES).map(|at| value(at / FEATURES, at % FEATURES));
        assert!(expected.enumerate().all(|(at, value)| plain.values().get(at) == f64::from(value)));
        assert_eq!(plain.largest(), 32767.0);
        assert_eq!(plain.labels().name_of(4321), (4321 * 5 % 3000 - 1).to_string());
        for cut in [1, bytes.len() / 2] {
            let path = put(folder.path(), "cut.npy", &bytes[..bytes.len() - cut]);
            let error = clmatch_data::read(&Source::new(path), &ReadOptions::default()).unwrap_err();
            assert!(error.to_string().contains("incomplete") || error.what.contains("are there"), "{error}");
        }
    }
}

#[test]
fn sparse_matrices_are_written_out() {
    let folder = tempfile::tempdir().unwrap();
    let matrix = [0.0, 5.5, 0.0, 7.5, 0.0, 8.5];
    for (name, bytes) in [
        ("csr.npz", sparse("csr", &[0, 1, 3], &[1, 0, 2], &[2, 3], &[5.5, 7.5, 8.5])),
        ("csc.npz", sparse("csc", &[0, 1, 2, 3], &[1, 0, 1], &[2, 3], &[7.5, 5.5, 8.5])),
        ("coo.npz", sparse("coo", &[1, 0, 1], &[2, 1, 0], &[2, 3], &[8.5, 5.5, 7.5])),
    ] {
        let path = put(folder.path(), name, bytes);
        put(folder.path(), "y.csv", "class\na\nb\n");
        let dataset =
            read(&Source::new(path), &ReadOptions::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(*dataset.values(), Values::from(matrix.to_vec()), "{name}");
        assert_eq!(dataset.labels().names(), ["a", "b"]);
    }
}

#[test]
fn sparse_matrices_that_cannot_be() {
    let good = sparse("csr", &[0, 1, 3], &[1, 0, 2], &[2, 3], &[5.5, 7.5, 8.5]);
    let (last, second) = (Some("-1".to_owned()), "1".to_owned());
    check(&[
        case("label by index", "a.npz", &good, Read(2, 2, 2, &[])).with(|options| options.label = last),
        case("no labels", "a.npz", &good, Refused(&["there are no labels"])),
        case(
            "huge",
            "a.npz",
            sparse("csr", &[0, 1], &[0], &[2_000_000_000, 2_000_000_000], &[1.0]),
            Refused(&["the matrix would take about", "may be used"]),
        ),
        case(
            "negative",
            "a.npz",
            sparse("csr", &[0, -1], &[0], &[1, 1], &[1.0]),
            Refused(&["-1 is not a place"]),
        ),
        case(
            "beyond",
            "a.npz",
            sparse("csr", &[0, 1], &[7], &[1, 3], &[1.0]),
            Refused(&["(0, 7), beyond the shape"]),
        ),
        case(
            "blocks",
            "a.npz",
            sparse("bsr", &[0, 1], &[0], &[1, 1], &[1.0]),
            Refused(&["stored as 'bsr'", "tocsr"]),
        ),
        case("cut", "a.npz", &good[..good.len() / 2], Refused(&["archive cannot be read"])),
        case("memory", "a.npz", &good, Refused(&["but 20 B may be used"])).with(|options| {
            options.memory_limit = Some(20);
            options.label = Some(second);
        }),
    ]);
}

#[test]
fn parts_of_the_rows_are_joined() {
    let part = |rows: usize, from: f64| {
        let values: Vec<f64> = (0..rows * 2).map(|at| from + at as f64 / 2.0).collect();
        npy("<f8", false, &format!("({rows}, 2)"), &f64s(&values))
    };
    let labels = |text: &[u8]| npy("|S1", false, &format!("({},)", text.len()), text);
    let (train, test) = (part(3, 0.25), part(2, 9.25));
    let both = zip(&[
        ("x_test.npy", &test),
        ("x_train.npy", &train),
        ("y_test.npy", &labels(b"bb")),
        ("y_train.npy", &labels(b"aab")),
    ]);
    let images = zip(&[
        ("train_x.npy", &train),
        ("val_x.npy", &part(1, 5.25)),
        ("test_x.npy", &test),
        ("train_y.npy", &labels(b"aab")),
        ("val_y.npy", &labels(b"c")),
        ("test_y.npy", &labels(b"bb")),
    ]);
    let halves = zip(&[("x_train.npy", &train), ("x_test.npy", &test), ("y_train.npy", &labels(b"aab"))]);
    let one = zip(&[("x_train.npy", &train), ("x_test.npy", &test), ("y.npy", &labels(b"aabbb"))]);
    let whole = zip(&[("data.npy", &train), ("label.npy", &labels(b"aab")), ("x_test.npy", &test)]);
    let nameless = zip(&[("arr_0.npy", &train), ("arr_1.npy", &test), ("arr_2.npy", &labels(b"aab"))]);
    let short = zip(&[("x_train.npy", &train), ("y_train.npy", &labels(b"ab"))]);
    check(&[
        case(
            "train and test",
            "a.npz",
            &both,
            Read(5, 2, 2, &["x_train (3 rows) and x_test (2 rows) were joined"]),
        ),
        case("three parts", "a.npz", images, Read(6, 2, 3, &["train_x (3 rows), val_x (1 row) and test_x"])),
        case(
            "labels for one part only",
            "a.npz",
            halves,
            Refused(&["x_test.npy has no labels", "y_train and y_test"]),
        ),
        case("labels in one array", "a.npz", one, Read(5, 2, 2, &["were joined"])),
        case("all and a part", "a.npz", whole, Read(3, 2, 2, &["'x_test' is there, but not used"])),
        case("no names", "a.npz", nameless, Refused(&["the 3 arrays have no names", "numpy.savez"])),
        case("too few labels", "a.npz", short, Refused(&["x_train.npy has 3 rows, but 2 labels"])),
    ]);
    let folder = tempfile::tempdir().unwrap();
    let dataset = read(&Source::new(put(folder.path(), "a.npz", both)), &ReadOptions::default()).unwrap();
    assert_eq!(dataset.values().get(0), 0.25, "train comes first");
    assert_eq!(dataset.values().get(6), 9.25);
    assert_eq!(dataset.labels().codes(), [0, 0, 1, 1, 1]);
}

#[test]
fn parts_in_a_folder_are_joined() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("digits");
    put(&root, "X_train.csv", "a,b\n1.5,2.5\n3.5,4.5\n");
    put(&root, "X_test.csv", "a,b\n5.5,6.5\n");
    put(&root, "y_train.csv", "class\nu\nv\n");
    put(&root, "y_test.csv", "class\nv\n");
    let found = clmatch_data::find(std::slice::from_ref(&root)).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].name.as_str(), found[0].files().len()), ("digits", 4));
    let dataset = read(&found[0], &ReadOptions::default()).unwrap();
    assert_eq!(*dataset.values(), Values::from(vec![1.5, 2.5, 3.5, 4.5, 5.5, 6.5]));
    assert_eq!(
        (dataset.labels().codes(), dataset.features()),
        (&[0, 1, 1][..], &["a".to_owned(), "b".to_owned()][..])
    );
    let notes: Vec<String> = dataset.notes.iter().map(ToString::to_string).collect();
    assert!(
        notes.iter().any(|note| note == "X_train.csv (2 rows) and X_test.csv (1 row) were joined"),
        "{notes:?}"
    );
    // A part that is given alone is read alone, with a note.
    let alone = read(&Source::new(root.join("X_train.csv")), &ReadOptions::default()).unwrap();
    let said: Vec<String> = alone.notes.iter().map(ToString::to_string).collect();
    assert_eq!(alone.n_points(), 2);
    assert!(said.iter().any(|note| note == "'X_test.csv' is there, but not used"), "{said:?}");
    // The user's own file of labels holds those of all rows.
    let labels = put(folder.path(), "mine.txt", "p\nq\nq\n");
    let own = ReadOptions { labels_file: Some(labels), ..ReadOptions::default() };
    assert_eq!(read(&found[0], &own).unwrap().labels().names(), ["p", "q"]);
    // A part without labels is not left out silently.
    std::fs::remove_file(root.join("y_test.csv")).unwrap();
    let error = read(&found[0], &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("X_test.csv: this part has no labels"), "{error}");
    // Nor is a part with other columns.
    put(&root, "y_test.csv", "v\n");
    put(&root, "X_test.csv", "a,c\n5.5,6.5\n");
    let error = read(&found[0], &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("cannot be joined: the feature 'b' is called 'c'"), "{error}");
}

#[test]
fn parts_that_fit_one_by_one_need_not_fit_together() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "X_train.npy", npy("<f8", false, "(2, 2)", &f64s(&[1.5, 2.5, 3.5, 4.5])));
    put(folder.path(), "X_test.npy", npy("<f8", false, "(1, 2)", &f64s(&[5.5, 6.5])));
    put(folder.path(), "y_train.npy", npy("|S1", false, "(2,)", b"ab"));
    put(folder.path(), "y_test.npy", npy("|S1", false, "(1,)", b"b"));
    let with = |limit| {
        let options = ReadOptions { memory_limit: Some(limit), ..ReadOptions::default() };
        read(&Source::new(folder.path()), &options)
    };
    assert_eq!(with(48).unwrap().n_points(), 3);
    let error = with(47).unwrap_err().to_string();
    assert!(error.contains("X_test.npy: the matrix would take about 48 B, but 47 B may be used"), "{error}");
}
