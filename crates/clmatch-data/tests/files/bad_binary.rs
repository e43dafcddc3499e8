//! Malformed and awkward binary files: each is read, or refused with the place and what to do.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float32Array, Float64Array, Int64Array, RecordBatch, StringArray, StructArray};
use arrow_schema::{DataType, Field};
use clmatch_data::{Missing, ReadOptions, Source, read};
use tempfile::TempDir;

use crate::common::{Read, Refused, case, check, differs, f64s, npy, npy_raw, put, zip, zip_stored, zlib};

const FOUR: [f64; 4] = [1.0, 2.0, 3.0, 4.0];

/// The label is a column of the matrix.
fn last_column(options: &mut ReadOptions) {
    options.label = Some("-1".into());
}

#[test]
fn arrays() {
    let good = npy("<f8", false, "(2, 2)", &f64s(&FOUR));
    let huge = npy("<f8", false, "(4000000000000, 1000)", &f64s(&FOUR));
    let impossible = npy("<f8", false, "(9000000000000000000, 9000000000000000000)", &[]);
    let dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }";
    let mut long_header = npy_raw(2, dictionary, &f64s(&FOUR));
    long_header[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
    let text = npy("<U1", false, "(2, 2)", &[0; 32]);
    let record = npy_raw(
        1,
        "{'descr': [('a', '<f8'), ('b', '<i4')], 'fortran_order': False, 'shape': (2,), }",
        &[0; 24],
    );
    check(&[
        case("label by index", "a.npy", &good, Read(2, 1, 2, &[])).with(last_column),
        case(
            "no labels",
            "a.npy",
            &good,
            Refused(&["there are no labels", "give a file with one label per row", "NAME_label.npy"]),
        ),
        case("npy called csv", "a.csv", &good, Read(2, 1, 2, &["read as NPY"])).with(last_column),
        case("version 2", "a.npy", npy_raw(2, dictionary, &f64s(&FOUR)), Read(2, 1, 2, &[]))
            .with(last_column),
        case("version 3", "a.npy", npy_raw(3, dictionary, &f64s(&FOUR)), Read(2, 1, 2, &[]))
            .with(last_column),
        case(
            "version 9",
            "a.npy",
            npy_raw(9, dictionary, &f64s(&FOUR)),
            Refused(&["unknown version", "numpy.save"]),
        ),
        case(
            "wrong magic",
            "a.npy",
            b"\x93NUMPX\x01\0\0\0\0",
            Refused(&["this is not NPY", "wrong extension"]),
        ),
        case("only magic", "a.npy", b"\x93NUMPY", Refused(&["the data ends early"])),
        case("cut header", "a.npy", &good[..30], Refused(&["the data ends early", "damaged"])),
        case("long header", "a.npy", long_header, Refused(&["header is damaged"])),
        case("rubbish header", "a.npy", npy_raw(1, "hello", &[]), Refused(&["header cannot be understood"])),
        case(
            "short data",
            "a.npy",
            &good[..good.len() - 1],
            Refused(&["declares the shape (2, 2) of float64, which takes 32 bytes, but 31 are there"]),
        ),
        case(
            "long data",
            "a.npy",
            [&good[..], &[0]].concat(),
            Refused(&["more bytes than the header declares"]),
        )
        .with(last_column),
        case("huge shape", "a.npy", huge, Refused(&["(4000000000000, 1000)", "but 32 are there"])),
        case("impossible shape", "a.npy", impossible, Refused(&["impossible shape"])),
        case(
            "three dimensions",
            "a.npy",
            npy("<f8", false, "(1, 2, 2)", &f64s(&FOUR)),
            Refused(&["there are no labels"]),
        ),
        case("no dimension", "a.npy", npy("<f8", false, "()", &f64s(&[1.0])), Refused(&["the shape ()"])),
        case("no rows", "a.npy", npy("<f8", false, "(0, 3)", &[]), Refused(&["the matrix is empty"]))
            .with(last_column),
        case(
            "objects",
            "a.npy",
            npy("|O", false, "(2, 2)", b"\x80\x04."),
            Refused(&["is not a number", "pickled objects are never loaded"]),
        ),
        case(
            "complex",
            "a.npy",
            npy("<c16", false, "(1, 2)", &[0; 32]),
            Refused(&["is not a number", "astype"]),
        ),
        case("dates", "a.npy", npy("<M8[ns]", false, "(1, 2)", &[0; 16]), Refused(&["is not a number"])),
        case("text points", "a.npy", text, Refused(&["holds text, not numbers"])),
        case("records", "a.npy", record, Refused(&["is a record", "structured_to_unstructured"])),
        case(
            "nan",
            "a.npy",
            npy("<f8", false, "(2, 2)", &f64s(&[1.0, 1.0, f64::NAN, 2.0])),
            Refused(&["row 2, column 0: the value is missing"]),
        )
        .with(last_column),
        case(
            "nan dropped",
            "a.npy",
            npy("<f8", false, "(2, 2)", &f64s(&[1.0, 1.0, f64::NAN, 2.0])),
            Read(1, 1, 1, &["1 of 2 rows"]),
        )
        .with(|o| {
            last_column(o);
            o.missing = Missing::Drop;
        }),
        case(
            "infinite",
            "a.npy",
            npy("<f8", false, "(2, 2)", &f64s(&[f64::INFINITY, 1.0, 1.0, 2.0])),
            Refused(&["row 1, column 0: the value is infinite"]),
        )
        .with(last_column),
        case("memory", "a.npy", &good, Refused(&["the matrix would take about 32 B, but 16 B may be used"]))
            .with(|o| o.memory_limit = Some(16)),
    ]);
}

#[test]
fn archives() {
    let x = npy("<f8", false, "(2, 2)", &f64s(&FOUR));
    let y = npy("|S1", false, "(2,)", b"ab");
    let good = zip(&[("X.npy", &x), ("y.npy", &y)]);
    let mut wrong_checksum = zip_stored(&[("X.npy", &x), ("y.npy", &y)]);
    let place = wrong_checksum.windows(2).position(|pair| pair == b"ab").unwrap();
    wrong_checksum[place] = b'c';
    // Two hundred million zeros in 200 kB: refused because of what the header declares, or by the budget while unpacking.
    let bomb =
        zip(&[("data.npy", &npy("<f8", false, "(25000000, 1)", &vec![0; 200_000_000])), ("label.npy", &y)]);
    assert!(bomb.len() < 1 << 20);
    let bin = zip(&[("iris/data.bin", &zlib("[[1,2],[3,4]]")), ("iris/label.bin", &zlib("[\"a\",2.0]"))]);
    check(&[
        case("npz", "a.npz", &good, Read(2, 2, 2, &[])),
        case("npz called zip", "a.zip", &good, Read(2, 2, 2, &[])),
        case("npz called csv", "a.csv", &good, Read(2, 2, 2, &["read as a zip archive"])),
        case("authors' bin", "iris_bin.zip", bin, Read(2, 2, 2, &[])),
        case(
            "authors' npy",
            "iris_npy.zip",
            zip(&[("data.npy", &x), ("label.npy", &y), ("__MACOSX/data.npy", b"x")]),
            Read(2, 2, 2, &[]),
        ),
        case("positional", "a.npz", zip(&[("arr_0.npy", &x), ("arr_1.npy", &y)]), Read(2, 2, 2, &[])),
        case(
            "truncated",
            "a.npz",
            &good[..good.len() / 2],
            Refused(&["the archive cannot be read", "damaged"]),
        ),
        case("only magic", "a.zip", b"PK\x03\x04", Refused(&["the archive cannot be read"])),
        case("empty archive", "a.zip", zip(&[]), Refused(&["holds no points", "no .npy or .bin file"])),
        case(
            "no data",
            "a.npz",
            zip(&[("foo.npy", &x), ("bar.npy", &x)]),
            Refused(&["holds no points; it holds bar.npy, foo.npy", "name the array"]),
        ),
        case("no labels", "a.npz", zip(&[("X.npy", &x)]), Refused(&["there are no labels"])),
        case(
            "not an array",
            "a.npz",
            zip(&[("X.npy", b"hello"), ("y.npy", &y)]),
            Refused(&["in X.npy: this is neither NPY nor"]),
        ),
        case("wrong checksum", "a.npz", wrong_checksum, Refused(&["in y.npy", "Invalid checksum"])),
        case(
            "few labels",
            "a.npz",
            zip(&[("X.npy", &x), ("y.npy", &npy("|S1", false, "(1,)", b"a"))]),
            Refused(&["there are 2 rows but 1 labels"]),
        ),
        case(
            "square labels",
            "a.npz",
            zip(&[("X.npy", &x), ("y.npy", &x)]),
            Refused(&["in y.npy: the labels have the shape (2, 2)"]),
        ),
        case("bomb", "a.npz", bomb, Refused(&["the matrix would take about 200.0 MB"]))
            .with(|o| o.memory_limit = Some(1_000_000)),
    ]);
}

#[test]
fn compressed_json() {
    let folder = TempDir::new().unwrap();
    let good = zlib("[[1, 2.5], [3, 4]]");
    let labels = zlib("[0, 1]");
    let mut wrong_sum = good.clone();
    *wrong_sum.last_mut().unwrap() ^= 1;
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let cases: Vec<(&str, Vec<u8>, Vec<u8>, crate::common::Expect)> = vec![
        ("good", good.clone(), labels.clone(), Read(2, 2, 2, &[])),
        ("floats", good.clone(), zlib("[1.0, 1]"), Read(2, 2, 1, &[])),
        ("plain", b"[[1,2],[3,4]]".to_vec(), b"[\"a\", \"b\"]".to_vec(), Read(2, 2, 2, &["read as JSON"])),
        ("cut", good[..good.len() / 2].to_vec(), labels.clone(), Refused(&["data.bin: the data", "damaged"])),
        ("wrong sum", wrong_sum, labels.clone(), Refused(&["data.bin", "damaged"])),
        ("rubbish", b"\x78\x9crubbish".to_vec(), labels.clone(), Refused(&["data.bin", "damaged"])),
        (
            "no zlib",
            b"\x01\x02\x00\x04".to_vec(),
            labels.clone(),
            Refused(&["this is not zlib-compressed JSON"]),
        ),
        (
            "trailing",
            [&good[..], b"more"].concat(),
            labels.clone(),
            Refused(&["more after the end of the compressed"]),
        ),
        (
            "trailing json",
            zlib("[[1,2]] x"),
            labels.clone(),
            Refused(&["'x' stands where the end is expected"]),
        ),
        ("ragged", zlib("[[1,2],[3]]"), labels.clone(), Refused(&["row 2: the row has 1 value where 2"])),
        ("text", zlib("[[1,\"b\"],[3,4]]"), labels.clone(), Refused(&["row 1, column 1: 'b' is text"])),
        (
            "null",
            zlib("[[1,2],[null,4]]"),
            labels.clone(),
            Refused(&["row 2, column 0: the value is missing"]),
        ),
        ("nan", zlib("[[1,2],[3,NaN]]"), labels.clone(), Refused(&["row 2, column 1: the value is missing"])),
        (
            "infinite",
            zlib("[[1,2],[3,-Infinity]]"),
            labels.clone(),
            Refused(&["row 2, column 1: the value is infinite"]),
        ),
        (
            "too large",
            zlib("[[1,2],[3,1e999]]"),
            labels.clone(),
            Refused(&["row 2, column 1: '1e999' is beyond"]),
        ),
        ("flat", zlib("[1,2]"), labels.clone(), Refused(&["row 1: an array of numbers is expected"])),
        ("object", zlib("{\"a\":1}"), labels.clone(), Refused(&["'{' stands where '['"])),
        ("deep", zlib(&deep), labels.clone(), Refused(&["row 1, column 0: a number is expected here"])),
        ("no rows", zlib("[]"), labels.clone(), Refused(&["the matrix is empty"])),
        (
            "few labels",
            good.clone(),
            zlib("[0]"),
            Refused(&["label.bin: there are 1 labels for 2 rows", "one label"]),
        ),
        (
            "nested labels",
            good.clone(),
            zlib("[[0],[1]]"),
            Refused(&["label.bin, row 1: a label is expected"]),
        ),
        ("null label", good.clone(), zlib("[0,null]"), Refused(&["row 2: the label is missing"])),
        ("cut labels", good, zlib("[0,"), Refused(&["label.bin, row 2: '' is not a label"])),
    ];
    let mut failures = Vec::new();
    for (name, data, label, expect) in cases {
        let own = folder.path().join(name);
        put(&own, "data.bin", data);
        put(&own, "label.bin", label);
        let found = read(&Source::new(&own), &ReadOptions::default());
        failures.extend(differs(&expect, found, &own).map(|failure| format!("{name}: {failure}")));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn parquet(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut writer = parquet::arrow::ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

fn arrow(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

#[test]
fn columns_with_types() {
    let a: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.0), Some(2.0), None]));
    let b: ArrayRef = Arc::new(Float32Array::from(vec![1.0, f32::INFINITY, 3.0]));
    let n: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    let t: ArrayRef = Arc::new(StringArray::from(vec!["x", "z", "x"]));
    let nulls: ArrayRef = Arc::new(StringArray::from(vec![Some("x"), None, Some("x")]));
    let field = Arc::new(Field::new("f", DataType::Int64, false));
    let nested: ArrayRef = Arc::new(StructArray::from(vec![(field, Arc::clone(&n))]));
    let good = parquet(vec![("n", Arc::clone(&n)), ("y", Arc::clone(&t))]);
    let mut wrong = good.clone();
    let middle = good.len() / 2;
    wrong[middle..middle + 8].fill(0xff);
    let feather = arrow(vec![("n", Arc::clone(&n)), ("y", Arc::clone(&t))]);
    check(&[
        case("parquet", "a.parquet", &good, Read(3, 1, 2, &[])),
        case("parquet called csv", "a.csv", &good, Read(3, 1, 2, &["read as Parquet"])),
        case("packed parquet", "a.parquet.gz", crate::common::gzip(&good), Read(3, 1, 2, &[])),
        case(
            "truncated parquet",
            "a.parquet",
            &good[..good.len() - 20],
            Refused(&["the Parquet data cannot be read", "damaged"]),
        ),
        case("only magic", "a.parquet", b"PAR1", Refused(&["the Parquet data cannot be read"])),
        case("wrong magic", "a.parquet", b"PARX\0\0\0", Refused(&["this is not Parquet", "wrong extension"])),
        case(
            "no numbers",
            "a.parquet",
            parquet(vec![("t", Arc::clone(&t)), ("y", Arc::clone(&t))]),
            Refused(&[
                "the column 't' holds text: 2 different values such as 'x'",
                "read it as a mixed table, which turns 't' into indicators; or leave out all text",
            ]),
        ),
        case(
            "one hot",
            "a.parquet",
            parquet(vec![("t", Arc::clone(&t)), ("y", Arc::clone(&t))]),
            Read(3, 2, 2, &["became 2 indicator"]),
        )
        .with(|o| o.one_hot = vec!["*".into()]),
        case(
            "nested",
            "a.parquet",
            parquet(vec![("s", Arc::clone(&nested)), ("y", Arc::clone(&t))]),
            Refused(&[
                "column 's': the column holds values that are not numbers",
                "leave out the column 's'",
            ]),
        ),
        case(
            "nested dropped",
            "a.parquet",
            parquet(vec![("s", nested), ("n", Arc::clone(&n)), ("y", Arc::clone(&t))]),
            Read(3, 1, 2, &[]),
        )
        .with(|o| o.drop = vec!["s".into()]),
        case(
            "null",
            "a.parquet",
            parquet(vec![("a", Arc::clone(&a)), ("y", Arc::clone(&t))]),
            Refused(&["row 3, column 'a': the value is missing"]),
        ),
        case(
            "null mean",
            "a.parquet",
            parquet(vec![("a", Arc::clone(&a)), ("y", Arc::clone(&t))]),
            Read(3, 1, 2, &["1 missing value"]),
        )
        .with(|o| o.missing = Missing::Mean),
        case(
            "infinite",
            "a.parquet",
            parquet(vec![("b", Arc::clone(&b)), ("y", Arc::clone(&t))]),
            Refused(&["row 2, column 'b': the value is infinite"]),
        ),
        case(
            "null label",
            "a.parquet",
            parquet(vec![("n", Arc::clone(&n)), ("y", nulls)]),
            Refused(&["row 2: the label is missing"]),
        ),
        case("memory", "a.parquet", &good, Refused(&["the matrix would take about 24 B"]))
            .with(|o| o.memory_limit = Some(20)),
        case(
            "id",
            "a.parquet",
            parquet(vec![("n", Arc::clone(&n)), ("user_id", Arc::clone(&n)), ("y", Arc::clone(&t))]),
            Read(3, 1, 2, &["the column 'user_id' was left out: it looks like an ID"]),
        ),
        case("feather", "a.feather", &feather, Read(3, 1, 2, &[])),
        case(
            "truncated feather",
            "a.feather",
            &feather[..feather.len() - 30],
            Refused(&["the Arrow data cannot be read", "damaged"]),
        ),
        case("only arrow magic", "a.arrow", b"ARROW1\0\0", Refused(&["data cannot be read", "damaged"])),
        case("old feather", "a.feather", b"FEA1\0\0\0", Refused(&["Feather file of version 1", "version 2"])),
        case(
            "stream rubbish",
            "a.arrow",
            b"\xff\xff\xff\xff\x10\0\0\0rubbish rubbish!",
            Refused(&["the Arrow data cannot be read"]),
        ),
    ]);
    // The decoder may or may not notice damaged pages, but nothing may panic.
    let folder = TempDir::new().unwrap();
    let path = put(folder.path(), "damaged.parquet", wrong);
    let _ = read(&Source::new(path), &ReadOptions::default());
}
