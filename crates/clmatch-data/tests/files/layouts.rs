//! How people keep their tables: titles, headers of several lines, footers, lists in cells, archives, workbooks, old encodings.

use clmatch_data::{ReadOptions, Source, read};

use crate::common::{Case, Read, Refused, case, check, npy, put, zip};

/// Twelve rows with two measured numbers and two classes.
const ROWS: &str = "1.5,2.25,red\n1.25,2.5,red\n1.75,2.125,red\n1.5,2.75,red\n1.125,2.5,red\n1.25,2.25,red\n\
    7.5,8.25,blue\n7.25,8.5,blue\n7.75,8.125,blue\n7.5,8.75,blue\n7.125,8.5,blue\n7.25,8.25,blue\n";

fn table(before: &str, after: &str) -> String {
    format!("{before}{ROWS}{after}")
}

/// The same rows with another end.
fn ended(before: &str, end: &str) -> String {
    format!("{before}{}", ROWS.replace('\n', end))
}

#[test]
fn what_stands_before_a_table_is_skipped() {
    let semicolons = |before: &str| format!("{before}{}", ROWS.replace(',', ";"));
    let read = |notes| Read(12, 2, 2, notes);
    check(&[
        case(
            "titles",
            "a.csv",
            table("Report of the lab\nDate: May, 2024\n\na,b,kind\n", ""),
            read(&["the first 3 lines were skipped as titles: 'Report of the lab'"]),
        ),
        case(
            "no header",
            "a.csv",
            table("Report of the lab\n", ""),
            read(&["the first line was skipped as a title"]),
        ),
        case(
            "padded",
            "a.csv",
            table("Report,,\n,,\na,b,kind\n", ""),
            read(&["were skipped as titles: 'Report'"]),
        ),
        case(
            "semicolons",
            "a.csv",
            semicolons("Report, by A. B.\na;b;kind\n"),
            read(&["skipped as a title"]),
        ),
        case("asked", "a.csv", table("one\ntwo\na,b,kind\n", ""), read(&[]))
            .with(|options| options.skip_rows = 2),
        case("excel", "a.csv", semicolons("sep=;\na;b;kind\n"), read(&[])),
        case(
            "units",
            "a.csv",
            table("length,width,kind\ncm,mm,\n", ""),
            read(&["the header takes 2 lines; their names were joined"]),
        ),
        case("levels", "a.csv", table("x,x,kind\na,b,\n,,\n", ""), read(&["the header takes 2 lines"])),
        // A row with a class is no header.
        case("bad row", "a.csv", table("a,b,kind\nlow,low,red\n", ""), Refused(&["line 2, column 'a'"])),
    ]);
}

#[test]
fn joined_names_are_unique_and_the_label_keeps_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let merged = "sepal,,petal,,\nlength,width,length,width,class\n";
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        format!("{},{},{},{},{}\n", cells[0], cells[1], cells[1], cells[0], cells[2])
    };
    let rows: String = ROWS.lines().map(row).collect();
    let path = put(folder.path(), "a.csv", format!("{merged}{rows}"));
    let dataset = read(&Source::new(path), &ReadOptions::default()).unwrap();
    assert_eq!(dataset.features(), ["sepal length", "sepal width", "petal length", "petal width"]);
    assert_eq!(dataset.label_origin().unwrap().name, "class");
}

#[test]
fn a_delimiter_after_the_last_cell_makes_no_column() {
    let read = || Read(12, 2, 2, &[]);
    // A file of more than 4 MB, of which only the first rows are examined.
    let long = format!("1.5{},2.5,red,\n", "0".repeat(2000)).repeat(2500);
    check(&[
        case("both", "a.csv", ended("a,b,kind,\n", ",\n"), read()),
        case("rows", "a.csv", ended("a,b,kind\n", ",\n"), read()),
        case("header", "a.csv", ended("a,b,kind,\n", "\n"), read()),
        case("no header", "a.csv", ended("", ",\n"), read()),
        case(
            "not empty",
            "a.csv",
            ended("a,b,kind,\n", ",\n") + &long + "1.5,2.5,red,lost\n",
            Refused(&["line 2514", "'lost' stands in the last column, which has no name"]),
        ),
    ]);
}

#[test]
fn footers_are_left_out_and_said() {
    let read = |notes| Read(12, 2, 2, notes);
    let ids: String = ROWS.lines().enumerate().map(|(at, line)| format!("item {at},{line}\n")).collect();
    check(&[
        case(
            "total",
            "a.csv",
            table("a,b,kind\n", "TOTAL,64.5,\n"),
            read(&["the last line looks like a footer and was left out: 'TOTAL,64.5,'"]),
        ),
        case(
            "remarks",
            "a.csv",
            table("a,b,kind\n", "Mean,4.4,\n\nSource: the lab\n"),
            read(&["the last 2 lines look like a footer and were left out: 'Mean,4.4,'"]),
        ),
        // The total would be one more point: its name is left out.
        case(
            "beside ids",
            "a.csv",
            format!("name,a,b,kind\n{ids}Total,54.5,64.5,blue\n"),
            Read(12, 2, 2, &["looks like a footer", "'name' was left out"]),
        ),
        case("last", "a.csv", table("a,b,kind\n", "54.5,64.5,Total\n"), read(&["looks like a footer"])),
        // An incomplete file, a class of that name, and a remark that may be a row.
        case("cut off", "a.csv", table("a,b,kind\n", "7.5,8"), Refused(&["line 14: the row has 2 values"])),
        case(
            "class",
            "a.csv",
            format!("kind,a,b\n{}", "total,1.5,2.5\ntotal,1.25,2.5\nmean,7.5,8.5\nmean,7.25,8.5\n".repeat(3)),
            read(&[]),
        ),
        case("wrong row", "a.csv", table("a,b,kind\n", "low,2.5,red\n"), Refused(&["line 14, column 'a'"])),
    ]);
}

#[test]
fn encodings_are_read_where_they_are_certain() {
    let western: Vec<u8> = table("a,b,kind\n", "")
        .replace("red", "M#ller")
        .bytes()
        .map(|byte| if byte == b'#' { 0xfc } else { byte })
        .collect();
    let two_letters: Vec<u8> = table("a,b,kind\n", "")
        .replace("red", "gr##e")
        .bytes()
        .map(|byte| if byte == b'#' { 0xf6 } else { byte })
        .collect();
    let utf16: Vec<u8> = table("\u{feff}a,b,kind\n", "").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let korean: Vec<u8> = ROWS
        .bytes()
        .flat_map(|byte| match byte {
            b'r' => vec![0xb3, 0xb2],
            b'e' | b'd' => Vec::new(),
            _ => vec![byte],
        })
        .collect();
    let one = |name, bytes: &[u8], expect| -> Case { case(name, "a.csv", bytes, expect) };
    check(&[
        one("western", &western, Read(12, 2, 2, &["was read as Windows-1252"])),
        one("utf-16", &utf16, Read(12, 2, 2, &[])),
        one(
            "korean",
            &korean,
            Refused(&["not valid UTF-8", "perhaps EUC-KR or GB18030", "iconv -f ENCODING"]),
        ),
        one("two letters", &two_letters, Refused(&["Windows-1252 (Latin-1)"])),
        one("utf-16 without a mark", &utf16[2..], Refused(&["UTF-16 without", "iconv -f UTF-16LE"])),
    ]);
    let folder = tempfile::tempdir().unwrap();
    let path = put(folder.path(), "a.csv", &western);
    let dataset = read(&Source::new(path), &ReadOptions::default()).unwrap();
    let mut names = dataset.labels().names().to_vec();
    names.sort();
    assert_eq!(names, ["Müller", "blue"]);
}

#[test]
fn lists_in_cells_are_features() {
    let lists = |open: &str, between: &str, close: &str| -> String {
        let row = |(at, line): (usize, &str)| {
            let cells: Vec<&str> = line.split(',').collect();
            format!("{at},{},{open}{}{between}{}{between}0.5{close}\n", cells[2], cells[0], cells[1])
        };
        ROWS.lines().enumerate().map(row).collect()
    };
    let json: String = ROWS
        .lines()
        .map(|line| line.split(',').collect::<Vec<_>>())
        .map(|cells| {
            format!("{{\"label\": \"{}\", \"embedding\": [{}, {}]}}\n", cells[2], cells[0], cells[1])
        })
        .collect();
    let columns = |place: usize, quote: &str| -> String {
        let cells = ROWS.lines().map(|line| line.split(',').nth(place).unwrap());
        let cells = cells.enumerate().map(|(row, cell)| format!("\"{row}\":{quote}{cell}{quote}"));
        cells.collect::<Vec<_>>().join(",")
    };
    let object = format!(
        "{{\"a\":{{{}}},\"b\":{{{}}},\"kind\":{{{}}}}}",
        columns(0, ""),
        columns(1, ""),
        columns(2, "\"")
    );
    check(&[
        case("json", "a.csv", format!("id,kind,e\n{}", lists("\"[", ", ", "]\"")), Read(12, 3, 2, &["'id'"])),
        case("numpy", "a.csv", format!("id,kind,e\n{}", lists("[", " ", "]")), Read(12, 3, 2, &["'id'"])),
        case(
            "other length",
            "a.csv",
            format!("id,kind,e\n{}12,red,[1 2]\n", lists("[", " ", "]")),
            Refused(&["line 14, column 'e': the list has 2 numbers where 3 are expected"]),
        ),
        case("json lines", "a.jsonl", &json, Read(12, 2, 2, &[])),
        case("columns", "a.json", object, Read(12, 2, 2, &[])),
    ]);
}

#[test]
fn the_only_table_of_an_archive_is_read() {
    let table = table("a,b,kind\n", "");
    let one = zip(&[
        ("data/iris.csv", table.as_bytes()),
        ("data/README.md", b"read me"),
        ("__MACOSX/._iris.csv", b"x"),
    ]);
    let two = zip(&[("train.csv", table.as_bytes()), ("test.csv", table.as_bytes())]);
    check(&[
        case("one", "kaggle.zip", one, Read(12, 2, 2, &["read data/iris.csv from the archive"])),
        case("two", "kaggle.zip", two, Refused(&["holds 2 tables: train.csv, test.csv", "unzip"])),
        case(
            "none",
            "kaggle.zip",
            zip(&[("README.md", b"read me")]),
            Refused(&["the archive holds no points"]),
        ),
    ]);
}

#[test]
fn images_and_one_hot_labels_are_read() {
    let images = |rows: u8| {
        let bytes: Vec<u8> = (0..rows * 4).map(|at| at * 7 % 31 + at / 12 * 90).collect();
        npy("|u1", false, &format!("({rows}, 2, 2)"), &bytes)
    };
    let classes = npy("<i8", false, "(6,)", &[0_i64, 0, 0, 1, 1, 1].map(i64::to_le_bytes).concat());
    let one_hot = npy(
        "<f4",
        false,
        "(6, 2)",
        &[1.0_f32, 0., 1., 0., 1., 0., 0., 1., 0., 1., 0., 1.].map(f32::to_le_bytes).concat(),
    );
    let twice = npy("|u1", false, "(6, 2)", &[1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0, 1]);
    let keras = zip(&[
        ("x_train.npy", &images(6)),
        ("y_train.npy", &classes),
        ("x_test.npy", &images(6)),
        ("y_test.npy", &classes),
    ]);
    check(&[
        case(
            "keras",
            "keras.npz",
            keras,
            Read(12, 4, 2, &["each row is an array of 2 x 2, read as 4 numbers"]),
        ),
        case("alone", "a.npz", zip(&[("x.npy", &images(6)), ("y.npy", &classes)]), Read(6, 4, 2, &["2 x 2"])),
        case(
            "one hot",
            "a.npz",
            zip(&[("x.npy", &images(6)), ("y.npy", &one_hot)]),
            Read(6, 4, 2, &["the class is the place of the 1"]),
        ),
        case(
            "two ones",
            "a.npz",
            zip(&[("x.npy", &images(6)), ("y.npy", &twice)]),
            Refused(&["row 2", "the labels have the shape (6, 2)"]),
        ),
    ]);
}

/// Fortran order stores the first dimension of an image before the last one.
#[test]
fn images_in_either_order_are_the_same_numbers() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "label.npy", npy("|u1", false, "(2,)", &[0, 1]));
    let value = |row: u8, a: u8, b: u8| 100 * row + 10 * a + b;
    let mut c = Vec::new();
    let mut fortran = Vec::new();
    for (row, a, b) in (0..2).flat_map(|row| (0..3).flat_map(move |a| (0..4).map(move |b| (row, a, b)))) {
        c.push(value(row, a, b));
    }
    for (b, a, row) in (0..4).flat_map(|b| (0..3).flat_map(move |a| (0..2).map(move |row| (b, a, row)))) {
        fortran.push(value(row, a, b));
    }
    let values = |order: bool, bytes: &[u8]| {
        let path = put(folder.path(), "x.npy", npy("|u1", order, "(2, 3, 4)", bytes));
        let dataset = read(&Source::new(path), &ReadOptions::default()).unwrap();
        (0..24).map(|at| dataset.values().get(at)).collect::<Vec<f64>>()
    };
    assert_eq!(values(false, &c), values(true, &fortran));
}

#[cfg(feature = "excel")]
#[test]
fn the_first_table_of_a_workbook_is_read() {
    let cell = |column: usize, row: usize, text: &str| {
        let place = format!("{}{row}", char::from(b'B' + column as u8));
        match text.parse::<f64>() {
            Ok(_) => format!("<c r=\"{place}\"><v>{text}</v></c>"),
            Err(_) => format!("<c r=\"{place}\" t=\"inlineStr\"><is><t>{text}</t></is></c>"),
        }
    };
    let sheet = |lines: &[&str]| {
        let row = |(at, line): (usize, &&str)| {
            let cells: String =
                line.split(',').enumerate().map(|(column, text)| cell(column, at + 3, text)).collect();
            format!("<row r=\"{}\">{cells}</row>", at + 3)
        };
        let rows: String = lines.iter().enumerate().map(row).collect();
        format!(
            "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData>{rows}</sheetData></worksheet>"
        )
    };
    let kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let relations = |all: &[(&str, &str, &str)]| {
        let one = |(id, end, target): &(&str, &str, &str)| {
            format!("<Relationship Id=\"{id}\" Type=\"{kind}/{end}\" Target=\"{target}\"/>")
        };
        let all: String = all.iter().map(one).collect();
        format!(
            "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">{all}</Relationships>"
        )
    };
    let workbook = format!(
        "<workbook xmlns=\"{main}\" xmlns:r=\"{kind}\"><sheets><sheet name=\"about\" sheetId=\"1\" r:id=\"r1\"/>\
         <sheet name=\"data\" sheetId=\"2\" r:id=\"r2\"/></sheets></workbook>"
    );
    let book = |lines: &[&str]| {
        let root = relations(&[("r0", "officeDocument", "xl/workbook.xml")]);
        let sheets = relations(&[
            ("r1", "worksheet", "worksheets/sheet1.xml"),
            ("r2", "worksheet", "worksheets/sheet2.xml"),
        ]);
        zip(&[
            ("[Content_Types].xml", b"<Types/>"),
            ("_rels/.rels", root.as_bytes()),
            ("xl/workbook.xml", workbook.as_bytes()),
            ("xl/_rels/workbook.xml.rels", sheets.as_bytes()),
            ("xl/worksheets/sheet1.xml", sheet(&["made by the lab"]).as_bytes()),
            ("xl/worksheets/sheet2.xml", sheet(lines).as_bytes()),
        ])
    };
    let rows: Vec<&str> = std::iter::once("a,b,kind").chain(ROWS.lines()).collect();
    let mut wrong = rows.clone();
    wrong[5] = "1.5,low,red";
    check(&[
        case(
            "good",
            "a.xlsx",
            book(&rows),
            Read(12, 2, 2, &["the table is the sheet 'data'; there is 'about' too"]),
        ),
        // Rows are counted as the program shows them.
        case("wrong", "a.xlsx", book(&wrong), Refused(&["row 8, column 'b'"])),
        case("no table", "a.xlsx", book(&["1,2,3"]), Refused(&["the workbook holds no table"])),
    ]);
}
