use bytes::Bytes;

use super::*;
use crate::{Source, read, read_bytes};

fn asking(columns: &[&str]) -> ReadOptions {
    let show = columns.iter().map(|&column| column.to_owned()).collect();
    ReadOptions { show: Some(show), ..ReadOptions::default() }
}

/// Twelve photos with an id, a city that is left out by an option, two numbers and a label.
fn photos() -> String {
    let row = |at: usize| {
        let (city, label) = [("Ulm, \"old\"", "a"), ("Bonn", "b")][at % 2];
        format!("img_{at:02}.jpg,\"{}\",{}.5,{},{label}\n", city.replace('"', "\"\""), at * at % 7, at % 5)
    };
    let rows: String = (0..12).map(row).collect();
    format!("photo,city,x,y,label\n{rows}")
}

fn shown(dataset: &Dataset) -> Vec<(&str, &str, &str)> {
    let ends = |column: &ShownColumn| (column.cells.first().cloned(), column.cells.last().cloned());
    assert!(dataset.shown().iter().all(|column| column.cells.len() == dataset.n_points()));
    let columns = dataset.shown().iter();
    assert!(columns.clone().all(|column| ends(column).0.is_some()));
    columns
        .map(|column| (column.name.as_str(), column.cells[0].as_str(), column.cells.last().unwrap().as_str()))
        .collect()
}

#[test]
fn ids_and_the_columns_that_are_asked_for_are_kept() {
    let bytes = || Bytes::from(photos());
    let read = |columns: &[&str]| {
        let options = ReadOptions { drop: vec!["city".into()], ..asking(columns) };
        read_bytes("photos.csv", bytes(), &options)
    };
    assert_eq!(shown(&read(&[]).unwrap()), [("photo", "img_00.jpg", "img_11.jpg")]);
    let found = read(&["city", "label", "x", "photo", "city"]).unwrap();
    let expected = [
        ("photo", "img_00.jpg", "img_11.jpg"),
        ("city", "Ulm, \"old\"", "Bonn"),
        ("label", "a", "b"),
        ("x", "0.5", "2.5"),
    ];
    assert_eq!(shown(&found), expected);
    // Nothing is kept unless it is asked for.
    let plain = ReadOptions { drop: vec!["city".into()], ..ReadOptions::default() };
    assert_eq!(read_bytes("photos.csv", bytes(), &plain).unwrap().shown(), []);
    let error = read(&["town"]).unwrap_err();
    assert_eq!(error.what, "there is no column 'town' to show");
}

#[test]
fn rows_that_are_left_out_take_their_cells_along() {
    let text = photos().replacen("img_03.jpg,\"Bonn\",2.5", "img_03.jpg,\"Bonn\",", 1);
    assert_ne!(text, photos());
    let options = ReadOptions { drop_text: true, missing: crate::Missing::Drop, ..asking(&["city"]) };
    let found = read_bytes("photos.csv", Bytes::from(text), &options).unwrap();
    assert_eq!(found.n_points(), 11);
    let photo = &found.shown()[0].cells;
    assert_eq!((photo[2].as_str(), photo[3].as_str()), ("img_02.jpg", "img_04.jpg"));
    assert_eq!(found.row_number(3), 5);
}

#[test]
fn json_rows_show_their_cells() {
    let row = |at: usize| {
        let tags = ["null".to_owned(), format!("[{at}, \"t\"]")][at % 2].clone();
        format!(r#"{{"x": {}, "id": "k{at}ü", "tags": {tags}, "label": "{}"}}"#, at * at % 7, at % 2)
    };
    let rows: Vec<String> = (0..12).map(row).collect();
    let options = ReadOptions { drop: vec!["tags".into()], ..asking(&["tags"]) };
    for (name, text) in
        [("rows.json", format!("[{}]", rows.join(","))), ("rows.jsonl", format!("{}\n", rows.join("\n")))]
    {
        let found = read_bytes(name, Bytes::from(text), &options).unwrap();
        assert_eq!(shown(&found), [("id", "k0ü", "k11ü"), ("tags", "", "[…]")], "{name}");
    }
}

/// A table that pandas wrote by column, and text in Windows-1252.
#[test]
fn tables_in_json_and_in_other_encodings_show_their_cells() {
    let column = |name: &str, cell: &dyn Fn(usize) -> String| {
        let cells: Vec<String> = (0..12).map(|at| format!("\"{at}\":{}", cell(at))).collect();
        format!("\"{name}\":{{{}}}", cells.join(","))
    };
    let json = [
        column("id", &|at| format!("\"k{at}ü\"")),
        column("x", &|at| (at * at % 7).to_string()),
        column("label", &|at| format!("\"{}\"", at % 2)),
    ];
    let found = read_bytes("t.json", Bytes::from(format!("{{{}}}", json.join(","))), &asking(&[])).unwrap();
    assert_eq!(shown(&found), [("id", "k0ü", "k11ü")]);
    let latin: Vec<u8> =
        photos().replace("img_", "Öl_").replace(",a\n", ",grün\n").chars().map(|c| c as u8).collect();
    let options = ReadOptions { drop: vec!["city".into()], ..asking(&[]) };
    let found = read_bytes("t.csv", Bytes::from(latin), &options).unwrap();
    assert_eq!(shown(&found), [("photo", "Öl_00.jpg", "Öl_11.jpg")]);
}

#[cfg(feature = "zip")]
#[test]
fn archives_show_their_tables_and_arrays() {
    use std::io::Write;

    let zipped = |members: &[(&str, &[u8])]| {
        let mut archive = ::zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for (name, bytes) in members {
            archive.start_file(*name, ::zip::write::SimpleFileOptions::default()).unwrap();
            archive.write_all(bytes).unwrap();
        }
        Bytes::from(archive.finish().unwrap().into_inner())
    };
    let options = ReadOptions { drop: vec!["city".into()], ..asking(&["city"]) };
    let found = read_bytes("t.zip", zipped(&[("t.csv", photos().as_bytes())]), &options).unwrap();
    assert_eq!(shown(&found), [("photo", "img_00.jpg", "img_11.jpg"), ("city", "Ulm, \"old\"", "Bonn")]);
    let array = |kind: &str, shape: &str, data: &[u8]| {
        let head = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape})}}\n");
        [b"\x93NUMPY\x01\x00", &(head.len() as u16).to_le_bytes()[..], head.as_bytes(), data].concat()
    };
    let members = [
        ("X.npy", array("|u1", "4, 2", &[1, 2, 2, 4, 9, 1, 8, 0])),
        ("y.npy", array("|S1", "4,", b"aabb")),
        ("ids.npy", array("|S2", "4,", b"r1r2r3r4")),
        ("note.npy", array("|S1", "4,", b"uvwx")),
    ];
    let members: Vec<(&str, &[u8])> = members.iter().map(|(name, bytes)| (*name, &bytes[..])).collect();
    let found = |columns: &[&str]| read_bytes("t.npz", zipped(&members), &asking(columns)).unwrap();
    assert_eq!(shown(&found(&[])), [("ids", "r1", "r4")]);
    assert_eq!(shown(&found(&["note"])), [("ids", "r1", "r4"), ("note", "u", "x")]);
}

#[test]
fn parts_of_a_dataset_show_the_cells_of_all() {
    let folder = tempfile::tempdir().unwrap();
    let lines: Vec<String> = photos().lines().map(str::to_owned).collect();
    for (name, rows) in [("x_train.csv", &lines[1..8]), ("x_test.csv", &lines[8..])] {
        std::fs::write(folder.path().join(name), format!("{}\n{}\n", lines[0], rows.join("\n"))).unwrap();
    }
    let options = ReadOptions { drop: vec!["city".into(), "photo".into()], ..asking(&["photo"]) };
    let found = read(&Source::new(folder.path()), &options).unwrap();
    assert_eq!(shown(&found), [("photo", "img_00.jpg", "img_11.jpg")]);
}

#[test]
fn embedded_datasets_and_formats_without_columns() {
    let iris = Source::embedded("iris").unwrap();
    assert_eq!(read(&iris, &asking(&[])).unwrap().shown(), []);
    assert_eq!(shown(&read(&iris, &asking(&["0"])).unwrap())[0].1, "5.1");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("points.arff");
    std::fs::write(&path, "@relation r\n@attribute x real\n@attribute c {a,b}\n@data\n1,a\n2,b\n").unwrap();
    let source = Source::new(&path);
    assert_eq!(read(&source, &asking(&[])).unwrap().shown(), []);
    let error = read(&source, &asking(&["x"])).unwrap_err();
    assert_eq!(error.what, "this is ARFF, of which no columns can be shown");
}

#[cfg(feature = "arrow")]
#[test]
fn typed_columns_are_shown_as_text() {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, TimestampSecondArray};

    let text = |of: fn(i64) -> String| Arc::new((0..12).map(|at| Some(of(at))).collect::<StringArray>());
    let columns: [(&str, ArrayRef); 5] = [
        ("when", Arc::new(TimestampSecondArray::from_iter_values(0..12))),
        ("label", text(|at| ["a", "b"][at as usize % 2].to_owned())),
        ("x", Arc::new((0..12).map(|at| Some(f64::from(at * at % 7))).collect::<Float64Array>())),
        ("code", Arc::new((0..12).map(|at| (at != 0).then_some((1 << 60) + at % 3)).collect::<Int64Array>())),
        ("photo", text(|at| format!("img_{at:02}.jpg"))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut parquet = Vec::new();
    let mut writer = ::parquet::arrow::ArrowWriter::try_new(&mut parquet, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let mut arrow = Vec::new();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(&mut arrow, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    let drop = || vec!["when".to_owned(), "code".to_owned()];
    for (name, bytes) in [("photos.parquet", parquet), ("photos.arrow", arrow)] {
        let read = |columns: &[&str]| {
            let options = ReadOptions { drop: drop(), ..asking(columns) };
            read_bytes(name, Bytes::from(bytes.clone()), &options)
        };
        let found = read(&["label", "code"]).unwrap();
        let expected =
            [("photo", "img_00.jpg", "img_11.jpg"), ("label", "a", "b"), ("code", "", "1152921504606846978")];
        assert_eq!(shown(&found), expected, "{name}");
        let error = read(&["when"]).unwrap_err().to_string();
        assert!(error.contains("column 'when': values of the type Timestamp"), "{error}");
    }
}
