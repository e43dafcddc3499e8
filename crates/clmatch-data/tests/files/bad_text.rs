//! Malformed and awkward text files: each is read, or refused with the place and what to do.

use clmatch_data::Missing;

use crate::common::{Read, Refused, case, check, gzip};

#[test]
fn tables_that_are_no_tables() {
    check(&[
        case("empty", "a.csv", "", Refused(&["the file is empty"])),
        case("blank", "a.csv", " \n\n\n", Refused(&["the file is empty"])),
        case("only comments", "a.csv", "# a\n# b\n", Refused(&["only comments", "start with #"])),
        case("only a header", "a.csv", "a,b,class\n", Refused(&["there are no rows", "only a header"])),
        case("one row", "a.csv", "a,class\n1,x\n", Read(1, 1, 1, &[])),
        case("one column", "a.csv", "a\n1\n2\n", Refused(&["no feature besides the label, column 'a'"])),
        case("lone delimiter", "a.csv", ",\n", Refused(&["there are no rows"])),
        case(
            "delimiters only",
            "a.csv",
            "a,b,y\n,,\n",
            Refused(&["line 2, column 'a': the value is missing"]),
        ),
        case(
            "short row",
            "a.csv",
            "a,b,y\n1,2,x\n1,x\n",
            Refused(&["line 3: the row has 2 values where 3", "quotes"]),
        ),
        case(
            "long row",
            "a.csv",
            "a,b,y\n1,2,x\n1,2,3,x\n",
            Refused(&["line 3: the row has 4 values where 3"]),
        ),
        case("short row late", "a.csv", late("7\n"), Refused(&["line 5002: the row has 1 value where 3"])),
        case(
            "unclosed quote",
            "a.csv",
            "a,y\n1,x\n2,\"x\n3,x\n",
            Refused(&["line 3: a quote is opened", "close the quote"]),
        ),
        case("unclosed quote early", "a.csv", "a,y\n\"1,x\n2,x\n", Refused(&["line 2: a quote is opened"])),
        case(
            "nul byte",
            "a.csv",
            b"a,y\n1,x\n2,\0\n",
            Refused(&["line 3: there is a NUL byte", "known are CSV"]),
        ),
        case("utf-16", "a.csv", b"\xff\xfea\0,\0y\0\n\0", Refused(&["there are no rows"])),
        case("cut utf-16", "a.csv", b"\xff\xfea\0,\0y\0\n\0x", Refused(&["begins like UTF-16", "damaged"])),
        case(
            "binary rubbish",
            "a.csv",
            [7, 0, 255, 3, 10, 0],
            Refused(&["a binary file of a format that is not known"]),
        ),
        case(
            "truncated gz",
            "a.csv.gz",
            cut(gzip(late("").as_bytes())),
            Refused(&["the data ends early", "damaged"]),
        ),
        case("damaged gz", "a.csv.gz", b"\x1f\x8b\x08\x00garbage garbage", Refused(&["damaged"])),
        case(
            "truncated zst",
            "a.csv.zst",
            cut(zst(late("").as_bytes())),
            Refused(&["incomplete or damaged"]),
        ),
    ]);
}

#[test]
fn tables_that_are_only_awkward() {
    let two = [gzip(b"a,y\n1,x\n"), gzip(b"2,y\n")].concat();
    check(&[
        case("byte order mark", "a.csv", "\u{feff}a,class,b\n1,x,2\n", Read(1, 2, 1, &[])),
        case("carriage returns", "a.csv", "a,y\r\n1,x\r\n2,z\r\n", Read(2, 1, 2, &[])),
        case("old mac line ends", "a.csv", "a,y\r1,x\r2,z\r", Read(2, 1, 2, &[])),
        case("no last line end", "a.csv", "a,y\n1,x\n2,z", Read(2, 1, 2, &[])),
        case("blank lines", "a.csv", "a,y\n\n1,x\n\n\n2,z\n\n", Read(2, 1, 2, &[])),
        case("comments between", "a.csv", "# c\na,y\n# c\n1,x\n# c,d,e\n2,z\n", Read(2, 1, 2, &[])),
        case(
            "quoted numbers",
            "a.csv",
            "\"a\",\"y\"\n\"1\",\"x, y\"\n\"2\",\"say \"\"z\"\"\"\n",
            Read(2, 1, 2, &[]),
        ),
        case("semicolons", "a.csv", "a;b;y\n1;2;x\n", Read(1, 2, 1, &[])),
        case("decimal comma", "a.csv", "a;b;y\n1,5;2;x\n", Read(1, 2, 1, &[]))
            .with(|o| o.decimal_comma = true),
        case(
            "decimal comma unasked",
            "a.csv",
            "a;b;y\n1,5;2;x\n",
            Refused(&["line 2, column 'a': '1,5' is not a number", "commas stand for decimal points"]),
        ),
        case("tabs", "a.tsv", "a\tb\ty\n1\t2\tx y\n", Read(1, 2, 1, &[])),
        case("bars", "a.psv", "a|b|y\n1|2|x\n", Read(1, 2, 1, &[])),
        case(
            "blanks",
            "a.data",
            "  1.0   2.0  x\n  3.0   4.0  z\n",
            Read(2, 2, 2, &["the only column of text, '2'"]),
        ),
        case(
            "no header",
            "a.csv",
            "5.1,3.5,setosa\n4.9,3.0,setosa\n",
            Read(2, 2, 1, &["the only column of text, '2', serves"]),
        ),
        case("header denied", "a.csv", "1,2,a\n3,4,b\n", Read(1, 2, 1, &[])).with(|o| o.header = Some(true)),
        case("two gz members", "a.csv.gz", two, Read(2, 1, 2, &[])),
        case("gz without extension", "a", gzip(b"a,y\n1,x\n"), Read(1, 1, 1, &[])),
        case(
            "R row names",
            "a.csv",
            "\"a\",\"y\"\n\"1\",5,\"x\"\n\"2\",6,\"z\"\n",
            Read(2, 1, 2, &["the column '' was left out: it looks like an ID"]),
        ),
        case("text by another name", "a.parquet", "a,y\n1,x\n", Read(1, 1, 1, &["read as delimited text"])),
        case("json by another name", "a.csv", "[[1,2],[3,4]]", Read(2, 1, 2, &["read as JSON"]))
            .with(|o| o.label = Some("-1".into())),
    ]);
}

#[test]
fn cells_that_are_no_numbers() {
    let cell = |text: &str| format!("a,b,y\n1,2,x\n3,{text},x\n");
    let mut cases = Vec::new();
    for missing in ["", "NaN", "nan", "-nan", "NAN", "NA", "N/A", "null", "None", "?", "<NA>", "#N/A"] {
        let expect = Refused(&[
            "line 3, column 'b': the value is missing",
            "leave out such rows",
            "the column's mean",
        ]);
        cases.push(case("missing", "a.csv", cell(missing), expect));
        let dropped = case("dropped", "a.csv", cell(missing), Read(1, 2, 1, &["1 of 2 rows was dropped"]));
        cases.push(dropped.with(|o| o.missing = Missing::Drop));
        let mean = case(
            "mean",
            "a.csv",
            cell(missing),
            Read(2, 2, 1, &["1 missing value in 1 column was replaced"]),
        );
        cases.push(mean.with(|o| o.missing = Missing::Mean));
    }
    for infinite in ["inf", "-inf", "Infinity", "+INF", "-infinity"] {
        let expect = Refused(&["line 3, column 'b': the value is infinite", "leave out the column"]);
        cases.push(case("infinite", "a.csv", cell(infinite), expect).with(|o| o.missing = Missing::Mean));
    }
    for large in ["1e999", "-1e400", "1e308e1"] {
        let expect =
            if large.ends_with("e1") { &["is not a number"] } else { &["is beyond the range of double"] };
        cases.push(case("large", "a.csv", cell(large), Refused(expect)));
    }
    for text in ["abc", "1.2.3", "1 00", "0x1F", "12:30", "2020-01-01", "--1", "1e", "٣"] {
        let expect = Refused(&[
            "line 3, column 'b': '",
            "' is not a number",
            "leave out the column 'b'",
            "turn it into indicators",
        ]);
        cases.push(case("text", "a.csv", cell(text), expect));
    }
    for dash in ["-", "."] {
        cases.push(case(
            "dash",
            "a.csv",
            cell(dash),
            Refused(&["line 3, column 'b': the value is missing ('"]),
        ));
    }
    let blanks = Read(2, 2, 1, &["'b' is read as numbers with blanks between thousands"]);
    cases.push(case("thousands", "a.csv", cell("1 000"), blanks));
    cases.push(case(
        "number and word",
        "a.csv",
        cell("yes"),
        Refused(&["line 3, column 'b': 'yes' is not a number"]),
    ));
    cases.push(case("words", "a.csv", "a,y\nTrue,1\nno,2\n", Read(2, 1, 2, &[])));
    cases.push(case(
        "long text",
        "a.csv",
        cell(&"x".repeat(5000)),
        Refused(&["'xxxxxxxxxx", "…' is not a number"]),
    ));
    cases.push(case(
        "no utf-8",
        "a.csv",
        b"a,y\n1,\xe4\n",
        Refused(&["line 2, column 'y'", "not valid UTF-8", "iconv"]),
    ));
    cases.push(case("no utf-8 header", "a.csv", b"\xe4,y\n1,2\n", Refused(&["not valid UTF-8", "iconv"])));
    check(&cases);
}

#[test]
fn labels_and_columns() {
    let table = "id,a,b,class\n1,5,red,x\n2,6,blue,z\n3,5,red,x\n";
    check(&[
        case(
            "empty label",
            "a.csv",
            "a,y\n1,x\n2,\n",
            Refused(&["line 3, column 'y': the label is missing", "leave out rows without a label"]),
        ),
        case(
            "empty label mean",
            "a.csv",
            "a,y\n1,x\n2,\n",
            Read(1, 1, 1, &["1 of 2 rows was dropped because its label is missing"]),
        )
        .with(|o| o.missing = Missing::Mean),
        case("empty label dropped", "a.csv", "a,y\n1,x\n2,\n", Read(1, 1, 1, &["1 of 2 rows"]))
            .with(|o| o.missing = Missing::Drop),
        case("all dropped", "a.csv", "a,y\n,x\n2,\n", Refused(&["each of the 2 rows has a missing value"]))
            .with(|o| o.missing = Missing::Drop),
        case(
            "nothing to average",
            "a.csv",
            "a,b,y\n1,,x\n2,,x\n",
            Refused(&["column 'b': every value is missing", "leave out the column"]),
        )
        .with(|o| o.missing = Missing::Mean),
        case("none is a class", "a.csv", "a,y\n1,None\n2,x\n", Read(2, 1, 2, &[])),
        case(
            "no such label",
            "a.csv",
            table,
            Refused(&[
                "there is no column 'kind' to serve as the label",
                "the columns are 'id', 'a', 'b', 'class'",
            ]),
        )
        .with(|o| o.label = Some("kind".into())),
        case("no such index", "a.csv", table, Refused(&["there is no column '9' to serve as the label"]))
            .with(|o| o.label = Some("9".into())),
        case("no such drop", "a.csv", table, Refused(&["there is no column 'c' to leave out"]))
            .with(|o| o.drop = vec!["c".into()]),
        case("drop the label", "a.csv", table, Refused(&["the label, column 'class', is to be dropped"]))
            .with(|o| {
                o.label = Some("class".into());
                o.drop = vec!["class".into()];
            }),
        case(
            "text feature",
            "a.csv",
            table,
            Refused(&[
                "the column 'b' holds text: 2 different values such as 'red'",
                "turns 'b' into indicators; or leave out all text",
            ]),
        ),
        case("id", "a.csv", table, Read(3, 1, 2, &["the column 'id' was left out"]))
            .with(|o| o.drop = vec!["b".into()]),
        case("one hot", "a.csv", table, Read(3, 3, 2, &["the column 'b' became 2 indicator columns"])).with(
            |o| {
                o.drop = vec!["id".into()];
                o.one_hot = vec!["b".into()];
            },
        ),
        case("one hot all", "a.csv", table, Read(3, 3, 2, &["became 2 indicator"]))
            .with(|o| o.one_hot = vec!["*".into()]),
        case("only", "a.csv", table, Read(3, 1, 2, &[])).with(|o| o.only = vec!["a".into()]),
        case("keep an id", "a.csv", table, Read(3, 2, 2, &[])).with(|o| {
            o.keep = vec!["id".into()];
            o.drop_text = true;
        }),
        case("keep a feature", "a.csv", table, Read(3, 1, 2, &["'a' would not have been left out"])).with(
            |o| {
                o.keep = vec!["a".into()];
                o.drop_text = true;
            },
        ),
        case("drop text", "a.csv", table, Read(3, 1, 2, &["1 column of text was dropped: 'b'"]))
            .with(|o| o.drop_text = true),
        case("duplicate names", "a.csv", "a,a,y\n1,2,x\n", Read(1, 2, 1, &["2 columns are named 'a'"])),
        case(
            "duplicate chosen",
            "a.csv",
            "a,a,y\n1,2,x\n",
            Refused(&["columns 0 and 1 are both named 'a'", "index"]),
        )
        .with(|o| o.drop = vec!["a".into()]),
        case(
            "duplicate label",
            "a.csv",
            "y,a,y\n1,2,x\n",
            Refused(&["columns 0 and 2 are both named 'y'", "by its index"]),
        ),
        case(
            "constant",
            "a.csv",
            "a,b,y\n1,2,x\n1,3,z\n",
            Read(2, 2, 2, &["1 column has the same value in every row: 'a'"]),
        ),
        case("everything dropped", "a.csv", "a,y\n1,x\n", Refused(&["no feature besides the label"]))
            .with(|o| o.drop = vec!["a".into()]),
        case(
            "too large",
            "a.csv",
            late(""),
            Refused(&["the matrix would take about", "but 1.0 kB may be used", "fewer columns"]),
        )
        .with(|o| o.memory_limit = Some(1000)),
        case(
            "too large packed",
            "a.csv.gz",
            gzip(late("").as_bytes()),
            Refused(&["the matrix would take about"]),
        )
        .with(|o| o.memory_limit = Some(1000)),
    ]);
}

#[test]
fn many_columns() {
    let names: Vec<String> = (0..200_000).map(|column| format!("c{column}")).collect();
    let row = vec!["1"; 200_000].join(",");
    let header = names.join(",");
    check(&[
        case("header only", "a.csv", &header, Refused(&["there are no rows"])),
        case(
            "one short row",
            "b.csv",
            format!("{header}\n1,2\n"),
            Refused(&["line 2: the row has 2 values where 200000"]),
        ),
        case(
            "two rows",
            "c.csv",
            format!("{header}\n{row}\n{row}\n"),
            Read(2, 199_999, 1, &["199999 columns have the same value"]),
        ),
    ]);
}

/// Five thousand good rows, then `end`.
fn late(end: &str) -> String {
    let rows: Vec<String> =
        (0..5000).map(|row| format!("{row},{},{}\n", row as f64 / 3.0, row % 3)).collect();
    format!("a,b,y\n{}{end}", rows.concat())
}

fn zst(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

/// The first two thirds of some bytes.
fn cut(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.truncate(bytes.len() * 2 / 3);
    bytes
}
