//! Every numeric type of the binary formats, by value.

use std::sync::Arc;

use arrow_array::builder::{
    FixedSizeListBuilder, Float32Builder, Float64Builder, ListBuilder, StringDictionaryBuilder,
};
use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BooleanArray, Decimal128Array, Float32Array, Float64Array, Int8Array, Int64Array, RecordBatch,
    StringViewArray, UInt16Array, UInt64Array,
};
use clmatch::Values;
use clmatch_data::{Dataset, Missing, ReadOptions, Source, read};
use tempfile::TempDir;

use crate::common::{npy, put};

/// The matrix of an NPY file with two labels beside it.
fn matrix(descr: &str, fortran: bool, shape: &str, bytes: &[u8]) -> Dataset {
    let folder = TempDir::new().unwrap();
    put(
        folder.path(),
        "label.npy",
        npy("<i8", false, "(2,)", &[1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]),
    );
    let path = put(folder.path(), "a.npy", npy(descr, fortran, shape, bytes));
    read(&Source::new(path), &ReadOptions::default()).unwrap()
}

fn numbers(dataset: &Dataset) -> Vec<f64> {
    (0..dataset.values().len()).map(|place| dataset.values().get(place)).collect()
}

#[test]
fn arrays_of_all_types() {
    let both = |little: &str, bytes: &[u8], size: usize, expected: [f64; 2]| {
        assert_eq!(numbers(&matrix(&format!("<{little}"), false, "(2, 1)", bytes)), expected, "<{little}");
        let swapped: Vec<u8> = bytes.chunks(size).flat_map(|element| element.iter().rev().copied()).collect();
        assert_eq!(numbers(&matrix(&format!(">{little}"), false, "(2, 1)", &swapped)), expected, ">{little}");
    };
    both("f8", &[1e300_f64, -0.1].map(f64::to_le_bytes).concat(), 8, [1e300, -0.1]);
    both("f4", &[1.5_f32, -0.25].map(f32::to_le_bytes).concat(), 4, [1.5, -0.25]);
    both("f2", &[0x00, 0x3e, 0x01, 0x00], 2, [1.5, 2_f64.powi(-24)]);
    both("i8", &[i64::MIN, 7].map(i64::to_le_bytes).concat(), 8, [-(2_f64.powi(63)), 7.0]);
    both("u8", &[u64::MAX, 7].map(u64::to_le_bytes).concat(), 8, [2_f64.powi(64), 7.0]);
    both("i4", &[i32::MIN, 7].map(i32::to_le_bytes).concat(), 4, [-2_147_483_648.0, 7.0]);
    both("u4", &[u32::MAX, 7].map(u32::to_le_bytes).concat(), 4, [4_294_967_295.0, 7.0]);
    both("i2", &[i16::MIN, 7].map(i16::to_le_bytes).concat(), 2, [-32_768.0, 7.0]);
    both("u2", &[u16::MAX, 7].map(u16::to_le_bytes).concat(), 2, [65_535.0, 7.0]);
    assert_eq!(numbers(&matrix("|i1", false, "(2, 1)", &[0x80, 7])), [-128.0, 7.0]);
    assert_eq!(numbers(&matrix("|u1", false, "(2, 1)", &[255, 7])), [255.0, 7.0]);
    assert_eq!(numbers(&matrix("|b1", false, "(2, 1)", &[1, 0])), [1.0, 0.0]);
    assert_eq!(numbers(&matrix("|u1", false, "(2,)", &[3, 4])), [3.0, 4.0], "one dimension is one feature");
}

#[test]
fn precision_and_order_are_kept() {
    let single = matrix("<f4", false, "(2, 1)", &[0; 8]);
    assert!(matches!(single.values(), Values::F32(_)));
    let half = matrix("<f2", false, "(2, 1)", &[0; 4]);
    assert!(matches!(half.values(), Values::F32(_)));
    let whole = matrix("|u1", false, "(2, 1)", &[0; 2]);
    assert!(matches!(whole.values(), Values::F64(_)));
    let columns = matrix("|u1", true, "(2, 3)", &[1, 4, 2, 5, 3, 6]);
    assert_eq!(numbers(&columns), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let large: Vec<u8> = (0..2 * 70_u8).collect();
    let columns = matrix("|u1", true, "(2, 70)", &large);
    assert_eq!(columns.values().get(69), 138.0);
    assert_eq!(columns.values().get(70), 1.0);
}

#[test]
fn labels_of_all_types() {
    let labels = |descr: &str, shape: &str, bytes: &[u8]| {
        let folder = TempDir::new().unwrap();
        let path = put(folder.path(), "a.npy", npy("|u1", false, "(2, 1)", &[1, 2]));
        put(folder.path(), "a_label.npy", npy(descr, false, shape, bytes));
        let dataset = read(&Source::new(path), &ReadOptions::default()).unwrap();
        [dataset.labels().name_of(0).to_owned(), dataset.labels().name_of(1).to_owned()]
    };
    assert_eq!(
        labels("<i8", "(2,)", &[i64::MAX, -1].map(i64::to_le_bytes).concat()),
        ["9223372036854775807", "-1"]
    );
    assert_eq!(labels(">u2", "(2,)", &[1, 0, 0, 1]), ["256", "1"]);
    assert_eq!(labels("<f8", "(2, 1)", &[2.0_f64, 2.5].map(f64::to_le_bytes).concat()), ["2", "2.5"]);
    assert_eq!(labels("|b1", "(1, 2)", &[1, 0]), ["true", "false"]);
    assert_eq!(labels("|S2", "(2,)", b"ab\xc3\xa4"), ["ab", "ä"]);
    assert_eq!(
        labels(">U2", "(2,)", &[0, 0, 0, 228, 0, 0, 0, 0, 0, 1, 0xf6, 0, 0, 0, 0, 98]),
        ["ä", "\u{1f600}b"]
    );
}

fn parquet(columns: Vec<(&str, ArrayRef)>) -> Dataset {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let folder = TempDir::new().unwrap();
    read(&in_groups(&folder, &batch, batch.num_rows()), &ReadOptions::default()).unwrap()
}

/// A Parquet file with row groups of `rows` rows.
fn in_groups(folder: &TempDir, batch: &RecordBatch, rows: usize) -> Source {
    let properties = parquet::file::properties::WriterProperties::builder();
    let properties = properties.set_max_row_group_row_count(Some(rows)).build();
    let mut writer =
        parquet::arrow::ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    Source::new(put(folder.path(), "a.parquet", writer.into_inner().unwrap()))
}

/// Reads with the given number of threads.
fn read_with(threads: usize, source: &Source, options: &ReadOptions) -> Dataset {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| read(source, options)).unwrap()
}

fn label() -> (&'static str, ArrayRef) {
    ("class", Arc::new(StringViewArray::from(vec!["b", "a"])))
}

#[test]
fn arrow_types_that_cannot_be_read_are_those_of_parquet() {
    let points: ArrayRef = Arc::new(Float64Array::from(vec![0.5, 1.5]));
    let batch = RecordBatch::try_from_iter([("x", points), label()]).unwrap();
    let wrong =
        parquet::file::metadata::KeyValue::new("ARROW:schema".to_owned(), "bm90IGEgc2NoZW1h".to_owned());
    let properties = parquet::file::properties::WriterProperties::builder();
    let properties = properties.set_key_value_metadata(Some(vec![wrong])).build();
    let options = parquet::arrow::arrow_writer::ArrowWriterOptions::new().with_properties(properties);
    let options = options.with_skip_arrow_metadata(true);
    let mut writer =
        parquet::arrow::ArrowWriter::try_new_with_options(Vec::new(), batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    let folder = TempDir::new().unwrap();
    let source = Source::new(put(folder.path(), "a.parquet", writer.into_inner().unwrap()));
    let dataset = read(&source, &ReadOptions::default()).unwrap();
    assert_eq!((dataset.n_points(), dataset.n_features()), (2, 1));
}

#[test]
fn columns_of_all_types() {
    let decimal = Decimal128Array::from(vec![125, -250]).with_precision_and_scale(9, 2).unwrap();
    let dataset = parquet(vec![
        ("tiny", Arc::new(Int8Array::from(vec![-128, 7]))),
        ("short", Arc::new(UInt16Array::from(vec![65_535, 7]))),
        label(),
        ("long", Arc::new(UInt64Array::from(vec![u64::MAX, 7]))),
        ("single", Arc::new(Float32Array::from(vec![0.1, 7.0]))),
        ("double", Arc::new(Float64Array::from(vec![0.1, 7.0]))),
        ("flag", Arc::new(BooleanArray::from(vec![true, false]))),
        ("money", Arc::new(decimal)),
    ]);
    assert_eq!(dataset.features(), ["tiny", "short", "long", "single", "double", "flag", "money"]);
    let first = [-128.0, 65_535.0, 2_f64.powi(64), f64::from(0.1_f32), 0.1, 1.0, 1.25];
    assert_eq!(numbers(&dataset), [&first[..], &[7.0, 7.0, 7.0, 7.0, 7.0, 0.0, -2.5]].concat());
    assert_eq!(dataset.labels().names(), ["a", "b"]);
    assert_eq!(dataset.labels().codes(), [1, 0]);
}

#[test]
fn lists_are_features() {
    let mut fixed = FixedSizeListBuilder::new(Float32Builder::new(), 3);
    let mut open = ListBuilder::new(Float64Builder::new());
    for row in [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] {
        fixed.values().append_slice(&row.map(|value| value as f32));
        fixed.append(true);
        open.values().append_slice(&row);
        open.append(true);
    }
    let (fixed, open): (ArrayRef, ArrayRef) = (Arc::new(fixed.finish()), Arc::new(open.finish()));
    let dataset = parquet(vec![("e", fixed), label()]);
    assert!(matches!(dataset.values(), Values::F32(_)));
    assert_eq!(dataset.features(), ["e[0]", "e[1]", "e[2]"]);
    assert_eq!(numbers(&dataset), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let dataset = parquet(vec![("e", open), ("n", Arc::new(Int64Array::from(vec![8, 9]))), label()]);
    assert_eq!(numbers(&dataset), [1.0, 2.0, 3.0, 8.0, 4.0, 5.0, 6.0, 9.0]);
}

#[test]
fn categories_are_labels() {
    let mut codes = StringDictionaryBuilder::<Int8Type>::new();
    for name in ["z", "x", "z"] {
        codes.append_value(name);
    }
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    let dataset = parquet(vec![("n", Arc::clone(&numbers)), ("y", Arc::new(codes.finish()))]);
    assert_eq!(dataset.labels().names(), ["x", "z"]);
    assert_eq!(dataset.labels().codes(), [1, 0, 1]);
    let dataset =
        parquet(vec![("n", Arc::clone(&numbers)), ("y", Arc::new(Float64Array::from(vec![1.0, 2.0, 1.0])))]);
    assert_eq!(dataset.labels().names(), ["1", "2"]);
}

/// More rows than a batch and a tile hold, in one row group and in several; columns that are written together and separately.
#[test]
fn large_tables_keep_their_order() {
    const ROWS: usize = 10_000;
    // Numbers without an order, exact in single precision.
    let number = |row: usize, column: usize| (row * 7919 + column * 104_729) % 65_537;
    let column = |column: usize| -> ArrayRef {
        let numbers = (0..ROWS).map(|row| number(row, column));
        match column {
            9..18 => Arc::new(Float32Array::from_iter_values(numbers.map(|number| number as f32))),
            18 => Arc::new(Int64Array::from_iter_values(numbers.map(|number| number as i64))),
            _ => Arc::new(Float64Array::from_iter_values(numbers.map(|number| number as f64))),
        }
    };
    let labels = StringViewArray::from_iter_values((0..ROWS).map(|row| format!("c{}", row % 7)));
    let folder = TempDir::new().unwrap();
    for (columns, group) in [(4, ROWS), (4, 3000), (21, ROWS), (21, 3000), (21, 700)] {
        let mut all: Vec<(String, ArrayRef)> =
            (0..columns).map(|at| (format!("x{at}"), column(at))).collect();
        all.insert(2, ("class".into(), Arc::new(labels.clone())));
        let batch = RecordBatch::try_from_iter(all).unwrap();
        let source = in_groups(&folder, &batch, group);
        for (threads, dropped) in [(1, 0), (2, 0), (3, 1), (16, 0)] {
            let drop = (0..dropped).map(|at| format!("x{at}")).collect();
            let options = ReadOptions { drop, ..ReadOptions::default() };
            let dataset = read_with(threads, &source, &options);
            let what = format!("{columns} columns, groups of {group}, {threads} threads");
            let width = columns - dropped;
            assert_eq!((dataset.n_points(), dataset.n_features()), (ROWS, width), "{what}");
            for (place, found) in numbers(&dataset).into_iter().enumerate() {
                assert_eq!(
                    found,
                    number(place / width, place % width + dropped) as f64,
                    "{what}, place {place}"
                );
            }
            assert!((0..ROWS).all(|row| dataset.labels().name_of(row) == format!("c{}", row % 7)), "{what}");
        }
    }
}

#[test]
fn nulls_among_many_columns_are_missing() {
    let column = |at: usize| -> ArrayRef {
        let second = if at == 5 { None } else { Some(2.5) };
        Arc::new(Float64Array::from(vec![Some(0.5 + at as f64), second, Some(7.0)]))
    };
    let mut all: Vec<(String, ArrayRef)> = (0..9).map(|at| (format!("x{at}"), column(at))).collect();
    all.push(("class".into(), Arc::new(StringViewArray::from(vec!["b", "a", "b"]))));
    let batch = RecordBatch::try_from_iter(all).unwrap();
    let folder = TempDir::new().unwrap();
    let source = in_groups(&folder, &batch, 3);
    // With one thread all columns are in one piece, and eight without nulls would be written together.
    let options = ReadOptions { missing: Missing::Mean, ..ReadOptions::default() };
    let dataset = read_with(1, &source, &options);
    assert_eq!(numbers(&dataset)[9..18], [2.5, 2.5, 2.5, 2.5, 2.5, 6.25, 2.5, 2.5, 2.5]);
}

/// Columns of one type; one of them has a special number in one row.
fn with_special(
    kind: &str,
    rows: usize,
    columns: usize,
    (row, column, number): (usize, usize, f64),
) -> RecordBatch {
    let column = |own: usize| -> ArrayRef {
        let usual = |row: usize| (row % 17) as f64 + 0.5;
        let numbers = (0..rows).map(|at| if (at, own) == (row, column) { number } else { usual(at) });
        match kind {
            "f32" => Arc::new(Float32Array::from_iter_values(numbers.map(|number| number as f32))),
            "i64" => Arc::new(Int64Array::from_iter_values(numbers.map(|number| number as i64))),
            "mixed" if own % 2 == 1 => {
                Arc::new(Int8Array::from_iter_values((0..rows).map(|row| (row % 17) as i8)))
            }
            "list" => {
                let mut lists = FixedSizeListBuilder::new(Float64Builder::new(), 2);
                for number in numbers {
                    lists.values().append_slice(&[0.25, number]);
                    lists.append(true);
                }
                Arc::new(lists.finish())
            }
            _ => Arc::new(Float64Array::from_iter_values(numbers)),
        }
    };
    let labels = StringViewArray::from_iter_values((0..rows).map(|row| format!("c{}", row % 2)));
    let all = (0..columns).map(|own| (format!("x{own}"), column(own)));
    RecordBatch::try_from_iter(all.chain([("class".to_owned(), Arc::new(labels) as ArrayRef)])).unwrap()
}

/// Tests the largest number, and one that is not finite, wherever they are and of whatever type.
#[test]
fn every_number_of_a_parquet_file_is_looked_at() {
    const ROWS: usize = 6000;
    const COLUMNS: usize = 13;
    let folder = TempDir::new().unwrap();
    for kind in ["f64", "f32", "i64", "mixed", "list"] {
        for (row, column) in [(0, 0), (ROWS - 1, COLUMNS - 1), (4095, 8), (4096, 12), (2500, 4), (5000, 10)] {
            let source = |number: f64| {
                in_groups(&folder, &with_special(kind, ROWS, COLUMNS, (row, column, number)), 5000)
            };
            let large = source(-4096.0);
            for threads in [1, 2, 5] {
                let dataset = read_with(threads, &large, &ReadOptions::default());
                assert_eq!(
                    dataset.largest(),
                    4096.0,
                    "{kind}, row {row}, column {column}, {threads} threads"
                );
            }
            if kind != "i64" {
                for (number, what) in
                    [(f64::INFINITY, "infinite"), (f64::NEG_INFINITY, "infinite"), (f64::NAN, "missing")]
                {
                    let error = read(&source(number), &ReadOptions::default()).unwrap_err();
                    let place = error.place.clone().unwrap();
                    assert_eq!(place.row, Some(row as u64 + 1), "{kind}: {error}");
                    assert!(error.to_string().contains(what), "{kind}: {error}");
                }
            }
        }
    }
}

/// The first rows decide what the columns are, not the first row group, which differs between threads.
#[test]
fn small_row_groups_are_read_as_large_ones() {
    // Sixty texts whose names mean nothing, each once in every sixty rows: a label, but an id if only twelve rows are seen.
    let texts = StringViewArray::from_iter_values((0..240).map(|row| format!("t{}", row % 60)));
    let column = |factor: usize| -> ArrayRef {
        Arc::new(Float64Array::from_iter_values((0..240).map(|row| (row * factor % 101) as f64 / 8.0)))
    };
    let mut all: Vec<(String, ArrayRef)> = (1..5).map(|at| (format!("x{at}"), column(at * 7))).collect();
    all.insert(1, ("what".into(), Arc::new(texts)));
    let batch = RecordBatch::try_from_iter(all).unwrap();
    let folder = TempDir::new().unwrap();
    for group in [12, 240] {
        let source = in_groups(&folder, &batch, group);
        for threads in [1, 2, 8] {
            let dataset = read_with(threads, &source, &ReadOptions::default());
            let what = format!("groups of {group}, {threads} threads");
            assert_eq!(dataset.features(), ["x1", "x2", "x3", "x4"], "{what}");
            assert_eq!((dataset.labels().names().len(), dataset.n_points()), (60, 240), "{what}");
            assert_eq!(numbers(&dataset)[4 * 13 + 1], (13 * 14 % 101) as f64 / 8.0, "{what}");
        }
    }
}

#[test]
fn a_list_of_another_length_is_named_by_its_row() {
    const ROWS: usize = 9000;
    let mut lists = ListBuilder::new(Float64Builder::new());
    for row in 0..ROWS {
        lists.values().append_slice(&[1.0, 2.0, 3.0][..if row == 8500 { 2 } else { 3 }]);
        lists.append(true);
    }
    let labels = StringViewArray::from_iter_values((0..ROWS).map(|row| format!("c{}", row % 7)));
    let all: [(&str, ArrayRef); 2] = [("e", Arc::new(lists.finish())), ("class", Arc::new(labels))];
    let batch = RecordBatch::try_from_iter(all).unwrap();
    let folder = TempDir::new().unwrap();
    for group in [ROWS, 2000] {
        let source = in_groups(&folder, &batch, group);
        let error = read(&source, &ReadOptions::default()).unwrap_err();
        assert!(error.what.contains("the list has 2 values where the first has 3"), "{error}");
        assert_eq!(error.place.unwrap().row, Some(8501), "groups of {group}, rows counted from 1");
    }
}
