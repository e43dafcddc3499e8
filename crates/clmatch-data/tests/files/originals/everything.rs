//! Files of all kinds that hold more than points and labels: nothing of it is lost without a word.

use super::*;

/// A table with an id and a text that is no feature.
fn table() -> Vec<[String; 5]> {
    let row = |at: usize| {
        let (x, y) = (at * at % 7, 20 - at);
        let label = if at < 6 { "p" } else { "q" };
        [format!("img_{at}.jpg"), format!("{x}.50"), label.to_owned(), format!("rot, Öl {at}"), y.to_string()]
    };
    (0..12).map(row).collect()
}

const NAMES: [&str; 5] = ["photo", "x", "species", "remark", "y"];

/// The table as text.
fn delimited(end: &str, footer: &str) -> String {
    let row = |[photo, x, label, remark, y]: &[String; 5]| format!("{photo},{x},{label},\"{remark}\",{y}");
    let rows = table();
    let lines = std::iter::once(NAMES.join(",")).chain(rows.iter().map(row));
    lines.map(|line| line + end).collect::<String>() + footer
}

/// The table as pandas writes it as JSON.
fn cell(row: &[String; 5], column: usize) -> String {
    match column {
        1 | 4 => row[column].clone(),
        3 if row[0].ends_with("_4.jpg") => "null".to_owned(),
        3 => format!("\"{}\\/\"", row[3].replace('Ö', "\\u00d6")),
        _ => format!("\"{}\"", row[column]),
    }
}

fn by_column() -> String {
    let rows = table();
    let column = |place: usize| {
        let cells = rows.iter().enumerate().map(|(at, row)| format!("\"{at}\":{}", cell(row, place)));
        format!("\"{}\":{{{}}}", NAMES[place], cells.collect::<Vec<_>>().join(","))
    };
    format!("{{{}}}", (0..5).map(column).collect::<Vec<_>>().join(","))
}

fn by_row() -> String {
    let row = |(at, row): (usize, &[String; 5])| {
        let cells = (0..5).map(|place| format!("\n    \"{}\": {}", NAMES[place], cell(row, place)));
        format!("\n  \"{at}\": {{{}\n  }}", cells.collect::<Vec<_>>().join(","))
    };
    format!("{{{}\n}}\n", table().iter().enumerate().map(row).collect::<Vec<_>>().join(","))
}

fn split() -> String {
    let names = NAMES.map(|name| format!("\"{name}\"")).join(",");
    let row = |row: &[String; 5]| (0..5).map(|place| cell(row, place)).collect::<Vec<_>>().join(",");
    let rows = table().iter().map(row).collect::<Vec<_>>().join("],[");
    let index = (0..12).map(|at| at.to_string()).collect::<Vec<_>>().join(",");
    format!("{{\"columns\":[{names}],\"index\":[{index}],\"data\":[[{rows}]]}}")
}

fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(unit).collect()
}

fn latin(text: &str) -> Vec<u8> {
    text.chars().map(|char| u8::try_from(u32::from(char)).unwrap()).collect()
}

/// Features and labels are found; ids and remarks are no features.
fn options() -> ReadOptions {
    ReadOptions { drop_text: true, label: Some("species".to_owned()), ..ReadOptions::default() }
}

fn rewrite() -> Rewrite {
    Rewrite { options: options(), ..PLAIN }
}

/// What becomes of a file that is written in its own format.
fn again(rewrite: &Rewrite, name: &str, bytes: &[u8], renamed: &[(&str, &str)]) -> Vec<u8> {
    let folder = TempDir::new().unwrap();
    let from = put(folder.path(), name, bytes);
    let to = folder.path().join(format!("out_{name}"));
    let written = rewrite.run(&from, &to, renamed).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!((written.layout, written.lost), (WrittenLayout::SameFile, Vec::<String>::new()), "{name}");
    fs::read(to).unwrap()
}

#[test]
fn texts_in_other_encodings_and_with_footers_keep_every_other_byte() {
    let footer = "Total,12.5,,,170\r\n\r\nSource: the lab\r\n";
    type Encode = fn(&str) -> Vec<u8>;
    let cases: [(&str, String, Encode); 8] = [
        ("bars.csv", delimited("\n", "").replace("rot, ", "rot ").replace(',', "|"), |text| text.into()),
        ("latin.csv", delimited("\n", ""), latin),
        ("utf16.csv", delimited("\r\n", ""), |text| utf16(text, u16::to_le_bytes)),
        ("big.csv", delimited("\n", ""), |text| utf16(text, u16::to_be_bytes)),
        ("footer.csv", delimited("\r\n", footer), |text| text.into()),
        ("columns.json", by_column(), |text| text.into()),
        ("rows.json", by_row(), |text| text.into()),
        ("split.json", split(), |text| text.into()),
    ];
    for (name, text, encode) in cases {
        assert!(again(&rewrite(), name, &encode(&text), &[]) == encode(&text), "{name} unchanged");
        let renamed = again(&rewrite(), name, &encode(&text), &[("p", "Öl")]);
        let expected = text.replace(",p,", ",Öl,").replace("|p|", "|Öl|").replace("\"p\"", "\"Öl\"");
        assert!(renamed == encode(&expected), "{name}: {}", String::from_utf8_lossy(&renamed));
    }
}

#[test]
fn names_that_an_encoding_lacks_are_refused() {
    let folder = TempDir::new().unwrap();
    let from = put(folder.path(), "in.csv", latin(&delimited("\n", "")));
    let error = rewrite().run(&from, &folder.path().join("out.csv"), &[("p", "日本")]).unwrap_err();
    assert!(error.to_string().contains("'日本' cannot be written in Windows-1252"), "{error}");
    let to = folder.path().join("out.json");
    let written = rewrite().run(&from, &to, &[("p", "日本")]).unwrap();
    assert!(written.lost.is_empty());
    assert!(fs::read_to_string(to).unwrap().contains("\"species\":\"日本\",\"remark\":\"rot, Öl 0\""));
}

#[test]
fn rows_and_columns_of_json_tables_change_in_place() {
    let small = |text: &str, rewrite: &Rewrite, renamed: &[(&str, &str)]| {
        String::from_utf8(again(rewrite, "t.json", text.as_bytes(), renamed)).unwrap()
    };
    let columns = r#"{"x":{"0":1,"1":2,"2":3},"label":{"0":"p","1":"p","2":"q"}}"#;
    let rows = r#"{"0":{"x":1,"label":"p"},"1":{"x":2,"label":"p"},"2":{"x":3,"label":"q"}}"#;
    let split = r#"{"columns":["x","label"],"index":[0,1,2],"data":[[1,"p"],[2,"p"],[3,"q"]]}"#;
    let drop = Rewrite { dropped: vec![1], ..PLAIN };
    assert_eq!(small(columns, &drop, &[]), r#"{"x":{"1":2,"2":3},"label":{"1":"p","2":"q"}}"#);
    assert_eq!(small(rows, &drop, &[]), r#"{"1":{"x":2,"label":"p"},"2":{"x":3,"label":"q"}}"#);
    assert_eq!(
        small(split, &drop, &[]),
        r#"{"columns":["x","label"],"index":[1,2],"data":[[2,"p"],[3,"q"]]}"#
    );
    let beside = Rewrite { column: Some("new"), ..PLAIN };
    assert_eq!(
        small(columns, &beside, &[("p", "P")]),
        columns.replace("}}", r#"},"new":{"0":"P","1":"P","2":"q"}}"#)
    );
    assert_eq!(
        small(split, &beside, &[("p", "P")]),
        r#"{"columns":["x","label","new"],"index":[0,1,2],"data":[[1,"p","P"],[2,"p","P"],[3,"q","q"]]}"#
    );
    assert!(small(rows, &beside, &[("p", "P")]).starts_with(r#"{"0":{"x":1,"label":"p","new":"P"},"1""#));
}

/// A new column has no cell in a footer, and another format has no footer.
#[test]
fn footers_follow_the_columns() {
    let text = delimited("\n", "Total,12.5,,,170\n");
    let beside = Rewrite { column: Some("new"), ..rewrite() };
    let found = String::from_utf8(again(&beside, "t.csv", text.as_bytes(), &[])).unwrap();
    assert!(
        found.starts_with("photo,x,species,new,remark,y\n") && found.ends_with("\nTotal,12.5,,,,170\n"),
        "{found}"
    );
    let folder = TempDir::new().unwrap();
    let from = put(folder.path(), "in.csv", text);
    let written = rewrite().run(&from, &folder.path().join("out.json"), &[]).unwrap();
    assert_eq!(written.lost, ["the footer 'Total,12.5,,,170'"]);
}

#[test]
fn the_table_of_an_archive_is_archived_again() {
    let folder = TempDir::new().unwrap();
    let text = delimited("\n", "");
    let bytes = zip(&[("a/table.csv", text.as_bytes()), ("README.md", b"about")]);
    let from = put(folder.path(), "in.zip", bytes);
    let to = folder.path().join("out.zip");
    let written = rewrite().run(&from, &to, &[("p", "P")]).unwrap();
    assert_eq!((written.layout, written.lost), (WrittenLayout::SameFile, Vec::<String>::new()));
    let mut archive = zip::ZipArchive::new(fs::File::open(&to).unwrap()).unwrap();
    let mut member = |name: &str| {
        let mut stored = String::new();
        std::io::Read::read_to_string(&mut archive.by_name(name).unwrap(), &mut stored).unwrap();
        stored
    };
    assert_eq!(member("README.md"), "about");
    assert_eq!(member("a/table.csv"), text.replace(",p,", ",P,"));
    // Unpacked, it is the table itself.
    let to = folder.path().join("out.csv");
    rewrite().run(&from, &to, &[]).unwrap();
    assert_eq!(fs::read_to_string(to).unwrap(), text);
}

#[test]
fn labels_of_their_own_file_keep_their_name() {
    let folder = TempDir::new().unwrap();
    let without = |columns: &[usize]| {
        let header = columns.iter().map(|&place| NAMES[place].to_owned()).collect::<Vec<_>>().join(",");
        let line =
            |row: &[String; 5]| columns.iter().map(|&place| row[place].clone()).collect::<Vec<_>>().join(",");
        let rows = table();
        let lines = std::iter::once(header).chain(rows.iter().map(line));
        lines.map(|line| line + "\n").collect::<String>()
    };
    put(folder.path(), "set/data.csv", without(&[0, 1, 4]));
    put(folder.path(), "set/labels.csv", without(&[0, 2]));
    let to = folder.path().join("out.csv");
    let beside = Rewrite { options: ReadOptions { label: None, ..options() }, ..PLAIN };
    let written = beside.run(&folder.path().join("set"), &to, &[]).unwrap();
    assert_eq!((written.label.as_deref(), written.lost.is_empty()), (Some("species"), true));
    let expected = "photo,x,y,species\nimg_0.jpg,0.50,20,p\n";
    assert!(fs::read_to_string(&to).unwrap().starts_with(expected));
    // The header of the only column is a name, too.
    put(folder.path(), "set/labels.csv", without(&[2]));
    beside.run(&folder.path().join("set"), &to, &[]).unwrap();
    assert!(fs::read_to_string(&to).unwrap().starts_with(expected));
}

#[test]
fn archives_of_arrays_keep_their_names() {
    let folder = TempDir::new().unwrap();
    let from = put(
        folder.path(),
        "in.npz",
        zip(&[
            ("X.npy", &npy("<f8", false, "(4, 1)", &f64s(&[1.0, 2.0, 3.0, 4.0]))),
            ("ids.npy", &npy("|S2", false, "(4,)", b"a1a2a3a4")),
            ("y.npy", &npy("|S1", false, "(4,)", b"ppqq")),
        ]),
    );
    let to = folder.path().join("out.npz");
    let dropped = Rewrite { dropped: vec![1], ..PLAIN };
    assert_eq!(dropped.run(&from, &to, &[]).unwrap().lost, ["ids"]);
    let archive = zip::ZipArchive::new(fs::File::open(&to).unwrap()).unwrap();
    let mut names: Vec<String> = archive.file_names().map(|name| name.unwrap().into_owned()).collect();
    names.sort();
    assert_eq!(names, ["X.npy", "y.npy"]);
    assert_eq!(read(&Source::new(&to), &ReadOptions::default()).unwrap().n_points(), 3);
}

#[test]
fn what_cannot_be_written_is_said() {
    let folder = TempDir::new().unwrap();
    let from = put(folder.path(), "in.csv", delimited("\n", ""));
    let written = rewrite().run(&from, &folder.path().join("out.npy"), &[]).unwrap();
    assert_eq!(written.lost, ["photo", "remark"]);
    let error = Target::new(folder.path().join("o.xlsx"), &Source::new(&from)).unwrap_err();
    assert!(error.to_string().contains("workbooks such as .xlsx are read, not written"), "{error}");
}

/// Writes a file with some of its features, each multiplied by 2.
fn with_features(name: &str, text: &str, kept: &[bool]) -> String {
    let folder = TempDir::new().unwrap();
    let from = put(folder.path(), name, text);
    let source = Source::new(&from);
    let original = Original::open(&source, &ReadOptions::default()).unwrap();
    let read = original.read().unwrap();
    let Values::F64(values) = read.values() else { panic!("{name} is in single precision") };
    let row = |row: &[f64]| {
        row.iter().zip(kept).filter(|(_, kept)| **kept).map(|(value, _)| 2.0 * value).collect::<Vec<_>>()
    };
    let doubled: Vec<f64> = values.chunks(kept.len()).flat_map(row).collect();
    let names = read.features().iter().zip(kept).filter(|(_, kept)| **kept).map(|(name, _)| name.clone());
    let result = Dataset::new("any", names.collect(), doubled, read.labels().clone()).unwrap();
    let (unread, features) = (&|_: usize, _: &str| None, Some(kept));
    let edits = Edits { read: &read, result: &result, dropped: &[], unread, features, column: None };
    let to = folder.path().join(format!("out_{name}"));
    let written = original.write(&edits, &Target::new(&to, &source).unwrap()).unwrap();
    assert_eq!((written.layout, written.lost), (WrittenLayout::SameFile, Vec::<String>::new()), "{name}");
    fs::read_to_string(to).unwrap()
}

#[test]
fn features_are_taken_out_of_every_layout() {
    let columns = r#"{"x":{"0":1,"1":2},"y":{"0":5,"1":7},"label":{"0":"p","1":"q"}}"#;
    assert_eq!(
        with_features("t.json", columns, &[false, true]),
        r#"{"y":{"0":10,"1":14},"label":{"0":"p","1":"q"}}"#
    );
    let split = r#"{"columns":["x","y","label"],"index":[0,1],"data":[[1,5,"p"],[2,7,"q"]]}"#;
    assert_eq!(
        with_features("t.json", split, &[true, false]),
        r#"{"columns":["x","label"],"index":[0,1],"data":[[2,"p"],[4,"q"]]}"#
    );
    let rows = r#"{"0":{"x":1,"y":5,"label":"p"},"1":{"x":2,"y":7,"label":"q"}}"#;
    assert_eq!(
        with_features("t.json", rows, &[true, false]),
        r#"{"0":{"x":2,"label":"p"},"1":{"x":4,"label":"q"}}"#
    );
    let rows: String = (0..12).map(|at| format!("{},{}.5,{}\n", at * at % 7, at % 5, at % 2)).collect();
    let found = with_features("t.csv", &format!("x,y,label\n{rows}Total,27.5,\nnote: all\n"), &[true, false]);
    assert!(found.starts_with("x,label\n0,0\n2,1\n") && found.ends_with("\nTotal,\nnote: all\n"), "{found}");
}
