//! Files written again with other labels: everything else stays as it is.

mod everything;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Float32Array, Int64Array, RecordBatch, StringArray, TimestampSecondArray,
};
use arrow_schema::{Field, Schema};
use clmatch::{Labels, Values};
use clmatch_data::{
    Dataset, Edits, Original, ReadOptions, Source, Target, WriteError, Written, WrittenLayout, read,
};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use tempfile::TempDir;

use crate::common::{f64s, gzip, npy, put, zip};

/// Writes a file again with classes renamed and rows left out.
struct Rewrite {
    options: ReadOptions,
    column: Option<&'static str>,
    dropped: Vec<usize>,
}

const PLAIN: Rewrite = Rewrite {
    options: ReadOptions {
        label: None,
        labels_file: None,
        layer: None,
        drop: Vec::new(),
        keep: Vec::new(),
        only: Vec::new(),
        drop_text: false,
        one_hot: Vec::new(),
        mixed: false,
        missing: clmatch_data::Missing::Error,
        missing_values: Vec::new(),
        decimal_comma: false,
        header: None,
        skip_rows: 0,
        show: None,
        memory_limit: None,
    },
    column: None,
    dropped: Vec::new(),
};

impl Rewrite {
    fn run(&self, from: &Path, to: &Path, renamed: &[(&str, &str)]) -> Result<Written, WriteError> {
        let source = Source::new(from);
        let original = Original::open(&source, &self.options).unwrap();
        let dataset = original
            .read()
            .or_else(|error| original.read_labels().map(|read| read.ok_or(error).unwrap()))
            .unwrap();
        let new = |label: &str| {
            renamed.iter().find(|(old, _)| *old == label).map_or(label, |(_, new)| new).to_owned()
        };
        let kept: Vec<usize> = (0..dataset.n_points())
            .filter(|&point| !self.dropped.contains(&dataset.row_number(point)))
            .collect();
        let labels: Vec<String> = kept.iter().map(|&point| new(dataset.labels().name_of(point))).collect();
        let features = dataset.n_features();
        let values: Vec<f64> = kept
            .iter()
            .flat_map(|point| point * features..(point + 1) * features)
            .map(|at| match dataset.values() {
                Values::F64(values) => values[at],
                Values::F32(values) => f64::from(values[at]),
            })
            .collect();
        let labels = Labels::encode(labels.iter().map(String::as_str));
        let result = Dataset::new(&dataset.name, dataset.features().to_vec(), values, labels).unwrap();
        let edits = Edits {
            read: &dataset,
            result: &result,
            dropped: &self.dropped,
            unread: &|_, label| Some(new(label)),
            features: None,
            column: self.column,
        };
        original.write(&edits, &Target::new(to, &source).unwrap())
    }

    /// What becomes of a text.
    fn text(&self, name: &str, text: &str, renamed: &[(&str, &str)]) -> String {
        let folder = TempDir::new().unwrap();
        let from = put(folder.path(), name, text);
        let to = folder.path().join(format!("out_{name}"));
        let written = self.run(&from, &to, renamed).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(written.layout, WrittenLayout::SameFile, "{name}");
        fs::read_to_string(to).unwrap()
    }
}

/// Files with everything that writers do differently, with the labels p and q.
const TEXTS: [(&str, &str); 12] = [
    ("plain.csv", "id,x,label,y\na-1,1,p,0.50\na-2,2.0,p,1e3\na-3,3,q,7\na-4,4,q,+8\n"),
    ("crlf.csv", "id,x,label\r\n\"a, 1\",1,p\r\na-2,2,\"p\"\r\n\r\na-3,3,q\r\na-4,4,q"),
    ("mac.csv", "id,x,label\ra-1,1,p\ra-2,2,p\ra-3,3,q\ra-4,4,q\r"),
    (
        "bom.csv",
        "\u{feff}\"x\",\"say \"\"id\"\"\",\"label\"\n1,\"a\"\"1\",\"p\"\n2,a2,\"p\"\n3,a3, q \n4,\"a\n4\",\"q\"\n",
    ),
    ("semicolon.csv", "# from a scale\nx;label;y\n1;p;5\n2;p;6\n# half\n3;q;7\n4;q;8\n\n"),
    ("tab.tsv", "x\tid\tlabel\n1\ta 1\tp\n2\ta 2\tp\n3\ta 3\tq\n4\ta 4\tq\n"),
    ("blanks.txt", "x  y label\n 1\t2  p\n2 3 \"p\"\n\n  3 4 q  \n# half\n4 5 q\n"),
    ("bare.csv", "1,5,p\n2,6,p\n3,7,q\n4,8.5,q\n"),
    (
        "r.csv",
        "\"x\",\"y\",\"label\"\n\"r1\",1,2,\"p\"\n\"r2\",2,2.5,\"p\"\n\"r3\",3,2,\"q\"\n\"r4\",4,2,\"q\"\n",
    ),
    (
        "rows.json",
        "[\n  {\"x\": 1, \"label\": \"p\", \"tags\": [1, {\"a\": \"}\"}]},\n  {\"label\":\"p\",\"x\":2.0 , \"id\":\"a\\u00e4\"},\n\
         {\"x\": 3e0, \"label\" : \"q\", \"id\": null}, {\"x\": 4, \"label\": \"q\"}\n]\n",
    ),
    (
        "rows.jsonl",
        "{\"x\":1,\"label\":\"p\"}\n{\"x\":2,\"label\":\"p\"}\n\n{\"x\":3,\"label\":\"q\"}\n{\"x\":4,\"label\":\"q\"}",
    ),
    (
        "rows.arff",
        "% made by hand\n@RELATION 'a b'\n@attribute id string\n@attribute x REAL\n@ATTRIBUTE label  { p, q }\n\n@DATA\n\
         'a 1', 1, p\na2,2,'p' \n% half\na3,3,q\na4,4,q\n",
    ),
];

fn with_tags_dropped() -> Rewrite {
    Rewrite { options: ReadOptions { drop_text: true, ..ReadOptions::default() }, ..PLAIN }
}

#[test]
fn texts_keep_every_other_byte() {
    for (name, text) in TEXTS {
        let label = if name == "bare.csv" { "2" } else { "label" };
        let mut rewrite = with_tags_dropped();
        rewrite.options.label = Some(label.to_owned());
        assert_eq!(rewrite.text(name, text, &[]), text, "{name} unchanged");
        let changed = rewrite.text(name, text, &[("p", "new p")]);
        assert_ne!(changed, text, "{name}");
        assert!(changed.matches("new p").count() >= 2, "{name}: {changed}");
        // Back again; the quotes of what was quoted, and the blanks in a list that changed, need not be the same.
        let back = rewrite.text(name, &changed, &[("new p", "p")]);
        let quotes = |text: &str| {
            text.replace("'p'", "p").replace("\"p\"", "p").replace("{ p", "{p").replace("q }", "q}")
        };
        assert_eq!(quotes(&back), quotes(text), "{name}");
    }
}

#[test]
fn only_the_cells_of_the_label_change() {
    let quoted = with_tags_dropped();
    let changed = |name: &str| {
        let text = TEXTS.iter().find(|(known, _)| *known == name).unwrap().1;
        quoted.text(name, text, &[("p", "a;b, \"c\"")])
    };
    assert!(changed("crlf.csv").starts_with("id,x,label\r\n\"a, 1\",1,\"a;b, \"\"c\"\"\"\r\n"));
    assert!(changed("semicolon.csv").starts_with("# from a scale\nx;label;y\n1;\"a;b, \"\"c\"\"\";5\n"));
    assert!(changed("rows.jsonl").starts_with("{\"x\":1,\"label\":\"a;b, \\\"c\\\"\"}\n"));
    assert!(changed("rows.arff").contains("label  {'a;b, \"c\"', q}\n"), "{}", changed("rows.arff"));
    // A number stays one.
    let numbers =
        "{\"x\":1,\"label\":1}\n{\"x\":2,\"label\":1}\n{\"x\":3,\"label\":2}\n{\"x\":4,\"label\":2}\n";
    assert_eq!(PLAIN.text("n.jsonl", numbers, &[("1", "7")]), numbers.replace("l\":1", "l\":7"));
    let light = "+1 qid:3 1:2.5 3:-1 # note\n+1 2:4\n# comment\n-1 1:7\n-1 1:8\n";
    assert_eq!(PLAIN.text("l.svm", light, &[]), light);
    assert_eq!(PLAIN.text("l.svm", light, &[("1", "5")]), light.replace("+1", "5"));
}

#[test]
fn rows_are_left_out_and_labels_added() {
    let drop = Rewrite { dropped: vec![1, 4], ..with_tags_dropped() };
    let text = |name: &str| TEXTS.iter().find(|(known, _)| *known == name).unwrap().1;
    assert_eq!(
        drop.text("semicolon.csv", text("semicolon.csv"), &[]),
        "# from a scale\nx;label;y\n2;p;6\n# half\n3;q;7\n\n"
    );
    assert_eq!(
        drop.text("rows.jsonl", text("rows.jsonl"), &[]),
        "{\"x\":2,\"label\":\"p\"}\n\n{\"x\":3,\"label\":\"q\"}"
    );
    let array = drop.text("rows.json", text("rows.json"), &[]);
    assert!(
        array.starts_with("[\n  {\"label\":\"p\",\"x\":2.0 ,") && array.ends_with("\"id\": null}\n]\n"),
        "{array}"
    );
    let beside = Rewrite { column: Some("new, too"), ..with_tags_dropped() };
    assert!(
        beside
            .text("plain.csv", text("plain.csv"), &[("p", "P")])
            .starts_with("id,x,label,\"new, too\",y\na-1,1,p,P,0.50\n")
    );
    assert!(
        beside
            .text("rows.json", text("rows.json"), &[("p", "P")])
            .starts_with("[\n  {\"x\": 1, \"label\": \"p\", \"new, too\": \"P\", \"tags\"")
    );
    let arff = beside.text("rows.arff", text("rows.arff"), &[("p", "P")]);
    assert!(arff.contains("@ATTRIBUTE label  { p, q }\n@attribute 'new, too' {P,q}\n"), "{arff}");
    assert!(arff.contains("'a 1', 1, p,P\n"), "{arff}");
    // A row without a label has none in either column.
    let gap = "x,label\n1,p\n2,\n3,q\n4,q\n";
    let beside = Rewrite { column: Some("new"), ..PLAIN };
    assert_eq!(beside.text("gap.csv", gap, &[("p", "P")]), "x,label,new\n1,p,P\n2,,\n3,q,q\n4,q,q\n");
}

/// A sparse row that leaves out its label has the first declared one, which may become another.
#[test]
fn sparse_rows_keep_the_class_they_leave_out() {
    let text = "@relation r\n@attribute x real\n@attribute label {p,q}\n@attribute y real\n@data\n\
        {0 1}\n{1 q, 2 5}\n{0 3, 2 2}\n{1 q}\n";
    assert_eq!(PLAIN.text("s.arff", text, &[]), text);
    let swapped = PLAIN.text("s.arff", text, &[("p", "q"), ("q", "p")]);
    let folder = TempDir::new().unwrap();
    let back = read(&Source::new(put(folder.path(), "s.arff", &swapped)), &ReadOptions::default()).unwrap();
    let labels: Vec<&str> = (0..4).map(|row| back.labels().name_of(row)).collect();
    assert_eq!(labels, ["q", "p", "q", "p"], "{swapped}");
}

#[test]
fn packed_files_are_packed_again() {
    let text = "x,id,label\n1,a1,p\n2,a2,p\n3,a3,q\n4,a4,q\n";
    let folder = TempDir::new().unwrap();
    let from = put(folder.path(), "in.csv.gz", gzip(text.as_bytes()));
    let to = folder.path().join("out.csv.gz");
    PLAIN.run(&from, &to, &[("p", "P")]).unwrap();
    let mut back = String::new();
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(fs::File::open(to).unwrap()), &mut back)
        .unwrap();
    assert_eq!(back, text.replace(",p", ",P"));
}

const PANDAS: &str = r#"{"index_columns": ["__index_level_0__"], "columns": []}"#;

/// Typed columns with a pandas index, categories, times and numbers in single precision.
fn batch() -> RecordBatch {
    let kinds: DictionaryArray<Int8Type> = ["p", "p", "q", "q", "p"].into_iter().collect();
    let columns: [(&str, ArrayRef); 6] = [
        ("x", Arc::new(Float32Array::from(vec![1.0, 2.0, 3.0, 4.0, 5.0]))),
        ("kind", Arc::new(kinds)),
        ("n", Arc::new(Int64Array::from(vec![7, 7, 9, 9, 7]))),
        ("note", Arc::new(StringArray::from(vec![Some("a"), None, Some("c"), Some("d"), Some("e")]))),
        ("when", Arc::new(TimestampSecondArray::from(vec![1, 2, 3, 4, 5]))),
        ("__index_level_0__", Arc::new(StringArray::from(vec!["r1", "r2", "r3", "r4", "r5"]))),
    ];
    let fields: Vec<Field> =
        columns.iter().map(|(name, column)| Field::new(*name, column.data_type().clone(), true)).collect();
    let schema = Schema::new_with_metadata(fields, [("pandas".to_owned(), PANDAS.to_owned())].into());
    RecordBatch::try_new(Arc::new(schema), columns.into_iter().map(|(_, column)| column).collect()).unwrap()
}

fn parquet(path: &Path, batch: &RecordBatch) -> PathBuf {
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        // As pandas writes it; arrow has it in its own schema, too.
        .set_key_value_metadata(Some(vec![KeyValue::new("pandas".to_owned(), PANDAS.to_owned())]))
        .build();
    let mut writer =
        ArrowWriter::try_new(fs::File::create(path).unwrap(), batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    path.to_owned()
}

fn batch_of(path: &Path) -> RecordBatch {
    let builder = ParquetRecordBatchReaderBuilder::try_new(fs::File::open(path).unwrap()).unwrap();
    assert_eq!(builder.metadata().row_group(0).column(0).compression(), Compression::SNAPPY);
    let noted = builder.metadata().file_metadata().key_value_metadata().unwrap();
    assert!(noted.iter().any(|noted| noted.key == "pandas"), "{noted:?}");
    builder.build().unwrap().next().unwrap().unwrap()
}

/// Batches of a reader may lack the notes of the schema.
#[track_caller]
fn assert_same(found: &RecordBatch) {
    assert_eq!((found.schema().fields(), found.columns()), (batch().schema().fields(), batch().columns()));
}

#[test]
fn typed_columns_keep_their_types() {
    let folder = TempDir::new().unwrap();
    let from = parquet(&folder.path().join("in.parquet"), &batch());
    let to = folder.path().join("out.parquet");
    let by = |label: &str, column, dropped: &[usize]| {
        let drop = vec!["when".to_owned(), "note".to_owned(), "n".to_owned(), "kind".to_owned()];
        let drop = drop.into_iter().filter(|name| name != label).collect();
        let options = ReadOptions { label: Some(label.to_owned()), drop, ..ReadOptions::default() };
        Rewrite { options, column, dropped: dropped.to_vec() }
    };
    by("kind", None, &[]).run(&from, &to, &[]).unwrap();
    assert_same(&batch_of(&to));
    let renamed = |label, name: &str, column| {
        by(label, column, &[]).run(&from, &to, &[(if label == "n" { "7" } else { "p" }, name)]).unwrap();
        batch_of(&to)
    };
    // Categories stay categories, integers stay integers while they are some.
    let back = renamed("kind", "P", None);
    let expected: DictionaryArray<Int8Type> = ["P", "P", "q", "q", "P"].into_iter().collect();
    assert_eq!(back.column(1).as_ref(), &expected as &dyn arrow_array::Array);
    assert_eq!(back.schema().fields(), batch().schema().fields());
    let back = renamed("n", "8", None);
    assert_eq!(back.column(2).as_ref(), &Int64Array::from(vec![8, 8, 9, 9, 8]) as &dyn arrow_array::Array);
    let back = renamed("n", "low", None);
    let words = StringArray::from(vec!["low", "low", "9", "9", "low"]);
    assert_eq!(back.column(2).as_ref(), &words as &dyn arrow_array::Array);
    let back = renamed("kind", "P", Some("new"));
    assert_eq!((back.num_columns(), back.schema().field(2).name().as_str()), (7, "new"));
    assert_eq!(back.column(1), batch().column(1));
    // Rows that are left out are missing in all columns.
    by("kind", None, &[2, 5]).run(&from, &to, &[]).unwrap();
    let back = batch_of(&to);
    assert_eq!(back.num_rows(), 3);
    let index = StringArray::from(vec!["r1", "r3", "r4"]);
    assert_eq!(back.column(5).as_ref(), &index as &dyn arrow_array::Array);
    // The same columns in the other format, and those with texts in one without types.
    for name in ["out.arrow", "again.arrow", "back.parquet"] {
        let from = if name == "again.arrow" { folder.path().join("out.arrow") } else { from.clone() };
        by("kind", None, &[]).run(&from, &folder.path().join(name), &[]).unwrap();
    }
    assert_same(&batch_of(&folder.path().join("back.parquet")));
    let arrow = folder.path().join("again.arrow");
    let mut arrow = arrow_ipc::reader::FileReader::try_new(fs::File::open(arrow).unwrap(), None).unwrap();
    assert!(arrow.schema().metadata().contains_key("pandas"));
    assert_same(&arrow.next().unwrap().unwrap());
    let csv = folder.path().join("out.csv");
    let written = by("kind", None, &[]).run(&from, &csv, &[]).unwrap();
    assert_eq!((written.layout, written.lost), (WrittenLayout::Columns, vec!["when".to_owned()]));
    assert!(
        fs::read_to_string(csv)
            .unwrap()
            .starts_with("x,kind,n,note,__index_level_0__\n1,p,7,a,r1\n2,p,7,,r2\n")
    );
}

#[test]
fn archives_keep_their_other_arrays() {
    let folder = TempDir::new().unwrap();
    let points = npy("<f8", false, "(4, 1)", &f64s(&[1.0, 2.0, 3.0, 4.0]));
    let ids = npy("|S2", false, "(4,)", b"a1a2a3a4");
    let from = put(
        folder.path(),
        "in.npz",
        zip(&[("X.npy", &points), ("ids.npy", &ids), ("y.npy", &npy("|S1", false, "(4,)", b"ppqq"))]),
    );
    let to = folder.path().join("out.npz");
    let written = PLAIN.run(&from, &to, &[("p", "P")]).unwrap();
    assert!(written.lost.is_empty());
    let mut archive = zip::ZipArchive::new(fs::File::open(&to).unwrap()).unwrap();
    let mut stored = Vec::new();
    std::io::Read::read_to_end(&mut archive.by_name("ids.npy").unwrap(), &mut stored).unwrap();
    assert_eq!(stored, ids);
    let back = read(&Source::new(&to), &ReadOptions::default()).unwrap();
    assert_eq!(back.labels().names(), ["P", "q"]);
    let dropped = Rewrite { dropped: vec![1], ..PLAIN };
    assert_eq!(dropped.run(&from, &to, &[]).unwrap().lost, ["ids"]);
}

#[test]
fn another_format_gets_all_columns() {
    let folder = TempDir::new().unwrap();
    let text =
        "id;code;x;y;label;note\na-1;007;1,5;;p;\"a;b\"\na-2;010;2;3;p;\na-3;011;3;4;q;c\na-4;012;4;5;q;d\n";
    let from = put(folder.path(), "in.csv", text);
    let options = ReadOptions { decimal_comma: true, drop_text: true, ..ReadOptions::default() };
    let rewrite = Rewrite { options, ..PLAIN };
    let written = |name: &str| {
        let to = folder.path().join(name);
        assert_eq!(rewrite.run(&from, &to, &[("p", "P")]).unwrap().layout, WrittenLayout::Columns, "{name}");
        fs::read(to).unwrap()
    };
    let lines = String::from_utf8(written("out.jsonl")).unwrap();
    assert!(
        lines.starts_with(
            "{\"id\":\"a-1\",\"code\":\"007\",\"x\":1.5,\"y\":null,\"label\":\"P\",\"note\":\"a;b\"}\n"
        ),
        "{lines}"
    );
    assert!(
        String::from_utf8(written("out.tsv"))
            .unwrap()
            .starts_with("id\tcode\tx\ty\tlabel\tnote\na-1\t007\t1.5\t\tP\ta;b\n")
    );
    written("out.parquet");
    let typed =
        ParquetRecordBatchReaderBuilder::try_new(fs::File::open(folder.path().join("out.parquet")).unwrap());
    let schema = typed.unwrap().schema().clone();
    let kinds: Vec<String> = schema.fields().iter().map(|field| field.data_type().to_string()).collect();
    assert_eq!(kinds, ["Utf8", "Utf8", "Float64", "Int64", "Utf8", "Utf8"]);
    let refused = Rewrite { column: Some("new"), ..with_tags_dropped() };
    let error = refused.run(&from, &folder.path().join("out.npy"), &[]).unwrap_err();
    assert!(error.to_string().contains("only a table with named columns"), "{error}");
}
