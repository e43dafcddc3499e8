//! Files as pandas, AnnData, Weka and OpenML write them.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray,
};
use arrow_schema::{Field, Schema};

use super::sheet::*;

pub fn files() -> Vec<LookAlike> {
    let mut files = pandas();
    files.extend(cells());
    files.extend(binary());
    files.extend(arff());
    files
}

fn pandas() -> Vec<LookAlike> {
    const WINDOWS: Style = Style { end: "\r\n", ..CSV };
    let grp = || label("grp", kinds(["p", "q", "r"]));
    vec![
        sheet("indexed.csv", 150, CSV, with([id("", from(0))], then(measured(&["a", "b"]), [grp()]))),
        sheet("windows.csv", 150, WINDOWS, with([id("", from(0))], then(measured(&["a", "b"]), [grp()]))),
        sheet(
            "reindexed.csv",
            150,
            CSV,
            with(
                [id("Unnamed: 0.1", from(0)), id("Unnamed: 0", from(0))],
                then(measured(&["a", "b"]), [grp()]),
            ),
        ),
        sheet("shuffled.csv", 101, CSV, with([id("", shuffled(101))], then(measured(&["a", "b"]), [grp()]))),
        sheet("split.csv", 75, CSV, with([id("index", shuffled(101))], then(measured(&["a", "b"]), [grp()]))),
        sheet(
            "concat.csv",
            150,
            CSV,
            with([id("n", Box::new(|row| (row % 50).to_string()))], then(measured(&["a", "b"]), [grp()])),
        ),
        // Columns without names get numbers.
        sheet(
            "matrix.csv",
            150,
            CSV,
            vec![
                feature("0", real(1)),
                feature("1", real(2)),
                feature("2", real(3)),
                label("3", kinds(["0", "1", "2"])),
            ],
        ),
        sheet(
            "indexed-matrix.csv",
            150,
            CSV,
            vec![
                id("", from(0)),
                feature("0", real(1)),
                feature("1", real(2)),
                label("2", kinds(["0", "1", "2"])),
            ],
        ),
        sheet(
            "wide.csv",
            150,
            CSV,
            vec![
                feature("2019", real(1)),
                feature("2020", real(2)),
                feature("2021", real(3)),
                label("2022", kinds(["0", "1", "2"])),
            ],
        ),
        sheet(
            "shuffled-bare.data",
            101,
            BARE,
            with([id("", shuffled(101))], then(nameless(3), [label("", kinds(["p", "q", "r"]))])),
        ),
    ]
}

fn cells() -> Vec<LookAlike> {
    let cell_type = || label("cell_type", kinds(["B cell", "T cell", "NK"]));
    vec![
        sheet("umap.csv", 200, CSV, then(measured(&["x", "y"]), [cell_type()])),
        sheet("tsne.csv", 200, CSV, then(measured(&["X", "Y"]), [label("cluster", kinds(["0", "1", "2"]))])),
        sheet(
            "umap-cells.csv",
            200,
            CSV,
            with([id("cell", text("barcode"))], then(measured(&["x", "y"]), [cell_type()])),
        ),
        sheet(
            "obs.csv",
            200,
            CSV,
            with(
                [id("", text("barcode")), feature("n_counts", pixels(1))],
                then(measured(&["percent_mito"]), [label("leiden", kinds(["0", "1", "2"]))]),
            ),
        ),
        sheet(
            "obs-batches.csv",
            200,
            CSV,
            with(
                [id("", text("barcode")), feature("batch", two(["b1", "b2"]))],
                then(measured(&["percent_mito"]), [cell_type()]),
            ),
        )
        .refused("the column 'batch'"),
        // A quantity named y beside the text that determines the classes.
        sheet(
            "outcome.csv",
            200,
            CSV,
            with([cell_type()], then(measured(&["x1", "x2"]), [feature("y", real(9))])),
        ),
    ]
}

/// A table with the metadata that pandas adds.
fn batch(index: &str, columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let metadata =
        HashMap::from([("pandas".to_owned(), format!(r#"{{"index_columns": [{index}], "columns": []}}"#))]);
    let fields: Vec<Field> =
        columns.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), true)).collect();
    let schema = Schema::new_with_metadata(fields, metadata);
    RecordBatch::try_new(Arc::new(schema), columns.into_iter().map(|(_, array)| array).collect()).unwrap()
}

fn parquet(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = parquet::arrow::ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

fn feather(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
    writer.into_inner().unwrap()
}

fn binary() -> Vec<LookAlike> {
    const ROWS: usize = 90;
    let real = |seed: u64| -> ArrayRef {
        let value = |row: usize| 2.0 * (row % 3) as f64 + chance(seed, row);
        Arc::new(Float64Array::from_iter_values((0..ROWS).map(value)))
    };
    let whole = |number: fn(usize) -> i64| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values((0..ROWS).map(number)))
    };
    let texts = |text: fn(usize) -> String| -> ArrayRef {
        Arc::new(StringArray::from_iter_values((0..ROWS).map(text)))
    };
    let kind: fn(usize) -> String = |row| ["p", "q", "r"][row % 3].to_owned();
    let file = |file: &'static str, bytes: Vec<u8>, columns: &[(&str, Truth)]| LookAlike {
        file,
        bytes,
        columns: columns.iter().map(|(name, truth)| ((*name).to_owned(), *truth)).collect(),
        refused: None,
    };
    use Truth::{Feature, Id, Label};
    // Rows that were filtered keep their numbers, which come last.
    let stored = || {
        let index = whole(|row| 3 * row as i64 + i64::from(chance(5, row) > 0.5));
        let columns = vec![
            ("a", real(1)),
            ("b", real(2)),
            ("cluster", whole(|row| row as i64 % 3)),
            ("__index_level_0__", index),
        ];
        batch(r#""__index_level_0__""#, columns)
    };
    let truth = [("a", Feature), ("b", Feature), ("cluster", Label), ("__index_level_0__", Id)];
    // The index is text with few values: only the metadata identify it.
    let named = || {
        let columns =
            vec![("a", real(1)), ("kind", texts(kind)), ("site", texts(|row| format!("s{}", row % 4)))];
        batch(r#""site""#, columns)
    };
    let times: ArrayRef = Arc::new(TimestampMicrosecondArray::from_iter_values(
        (0..ROWS).map(|row| 1_700_000_000 + row as i64),
    ));
    let range = r#"{"kind": "range", "name": null, "start": 0, "stop": 90, "step": 1}"#;
    vec![
        file("stored-index.parquet", parquet(&stored()), &truth),
        file("stored-index-too.feather", feather(&stored()), &truth),
        file("named-index.parquet", parquet(&named()), &[("a", Feature), ("kind", Label), ("site", Id)]),
        file(
            "range-index.parquet",
            parquet(&batch(range, vec![("a", real(1)), ("b", real(2)), ("kind", texts(kind))])),
            &[("a", Feature), ("b", Feature), ("kind", Label)],
        ),
        file(
            "id.parquet",
            parquet(&batch("", vec![("id", whole(|row| row as i64)), ("a", real(1)), ("kind", texts(kind))])),
            &[("id", Id), ("a", Feature), ("kind", Label)],
        ),
        file(
            "times.parquet",
            parquet(&batch(
                range,
                vec![("a", real(1)), ("cluster", whole(|row| row as i64 % 3)), ("when", times)],
            )),
            &[("a", Feature), ("cluster", Label), ("when", Id)],
        ),
        file(
            "names.parquet",
            parquet(&batch(
                "",
                vec![("cell", texts(|row| format!("AACG-{row}"))), ("a", real(1)), ("kind", texts(kind))],
            )),
            &[("cell", Id), ("a", Feature), ("kind", Label)],
        ),
    ]
}

/// An ARFF file of a table that was written without a header.
fn declared(file: &'static str, kinds: &[(&str, &str)], mut table: LookAlike) -> LookAlike {
    let lines: Vec<String> = kinds.iter().map(|(name, kind)| format!("@attribute {name} {kind}\n")).collect();
    table.file = file;
    table.columns.iter_mut().zip(kinds).for_each(|((name, _), (declared, _))| *name = (*declared).to_owned());
    table.after(&format!("% made by Weka\n@relation x\n{}@data\n", lines.concat()))
}

fn arff() -> Vec<LookAlike> {
    const NUMBER: &str = "numeric";
    let rows = |columns| sheet("", 90, BARE, columns);
    vec![
        declared(
            "iris-weka.arff",
            &[("length", NUMBER), ("width", "REAL"), ("class", "{p,q,r}")],
            rows(then(nameless(2), [label("", kinds(["p", "q", "r"]))])),
        ),
        declared(
            "first.arff",
            &[("binaryClass", "{P,N}"), ("a", NUMBER), ("b", NUMBER)],
            rows(with([label("", two(["P", "N"]))], nameless(2))),
        ),
        declared(
            "numbers.arff",
            &[("kind", "{1,2,3}"), ("a", NUMBER), ("count", NUMBER)],
            rows(with(
                [label("", kinds(["1", "2", "3"])), feature("", real(1))],
                vec![feature("", whole(3, 0, 4))],
            )),
        ),
        declared(
            "named.arff",
            &[("sample", "string"), ("a", NUMBER), ("tissue", "{p,q,r}")],
            rows(with([id("", text("S")), feature("", real(1))], vec![label("", kinds(["p", "q", "r"]))])),
        ),
        declared(
            "rows.arff",
            &[("instance", NUMBER), ("a", NUMBER), ("tissue", "{p,q,r}")],
            rows(with([id("", from(1)), feature("", real(1))], vec![label("", kinds(["p", "q", "r"]))])),
        ),
        declared(
            "price.arff",
            &[("a", NUMBER), ("b", NUMBER), ("price", NUMBER)],
            rows(then(nameless(2), [label("", real(9))])),
        )
        .refused("'price', taken for the label (the last column), looks like a number to predict"),
    ]
}
