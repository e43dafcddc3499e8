//! Datasets read in blocks: they have the same points, labels and decisions as when everything is read at once, and give an error
//! where later rows contradict the first.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, ListBuilder};
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use clmatch_data::blocks::{BlockOptions, Blocks, Growth};
use clmatch_data::{Missing, ReadError, ReadOptions, Source, Target, embedded, read, write};
use tempfile::TempDir;

use crate::common::in_blocks::{SIZES, Whole, differs, differs_in_blocks, gather, whole};
use crate::common::{f64s, gzip, npy, put};

fn blocks_of(rows: usize) -> BlockOptions {
    BlockOptions { rows: Some(rows), ..BlockOptions::within(1 << 28) }
}

/// Options that let the first few rows decide.
fn decided_by(rows: usize) -> BlockOptions {
    BlockOptions { first_rows: rows, ..blocks_of(7) }
}

fn with(change: impl FnOnce(&mut ReadOptions)) -> ReadOptions {
    let mut options = ReadOptions::default();
    change(&mut options);
    options
}

/// Reads a file at once and in blocks, and compares.
#[track_caller]
fn same(path: &Path, options: &ReadOptions) {
    let expected = read(&Source::new(path), options);
    assert_eq!(differs_in_blocks(path, options, &expected), None, "{}", path.display());
    assert!(expected.is_ok(), "{}", expected.unwrap_err());
}

#[track_caller]
fn refused(paths: &[PathBuf], options: &ReadOptions, how: &BlockOptions) -> String {
    let error: ReadError = whole(paths, options, how).unwrap_err();
    format!("{error} ({})", error.advice.as_ref().map(ToString::to_string).unwrap_or_default())
}

/// Numbers that look measured.
fn number(row: usize, column: usize) -> f64 {
    ((row * 7919 + column * 104_729 + 13) % 10_007) as f64 / 16.0
}

/// A table that is longer than the part that is examined first.
fn long_csv(rows: usize) -> String {
    let mut text = "a,b,c,d,class\n".to_owned();
    for row in 0..rows {
        let [a, b, c, d] = [0, 1, 2, 3].map(|column| number(row, column));
        let _ = writeln!(text, "{a},{b},{c},{d},k{}", row % 3);
    }
    text
}

#[test]
fn embedded_datasets_are_the_same_in_every_format() {
    let folder = TempDir::new().unwrap();
    for name in embedded::names() {
        let dataset = embedded::load(name).unwrap();
        for rows in SIZES {
            let found = whole(&[PathBuf::from(name)], &ReadOptions::default(), &blocks_of(rows));
            assert_eq!(differs(&Ok(Whole::of(&dataset)), &found), None, "{name} in blocks of {rows}");
        }
        for end in ["csv", "tsv", "csv.gz", "parquet", "arrow", "npy"] {
            let own = folder.path().join(name).join(end);
            std::fs::create_dir_all(&own).unwrap();
            let path = own.join(format!("points.{end}"));
            write(&dataset, &Target::new(&path, &Source::embedded(name).unwrap()).unwrap()).unwrap();
            same(&path, &ReadOptions::default());
        }
    }
}

#[test]
fn long_tables_are_the_same() {
    let folder = TempDir::new().unwrap();
    let text = long_csv(12_000);
    let plain = put(folder.path(), "plain.csv", &text);
    same(&plain, &ReadOptions::default());
    // The unusual part comes late, after the fast path has read much.
    let quoted = text.clone() + "1,2,3,4,\"k\n9\"\n# a comment\n\n5,6,7,8,k1\n";
    same(&put(folder.path(), "quoted.csv", &quoted), &ReadOptions::default());
    same(&put(folder.path(), "lines.csv", text.replace('\n', "\r\n")), &ReadOptions::default());
    let missing = text.clone() + "1,NA,3,4,k1\n1,2,3,4,\n1,2,3,4,k0\n";
    let path = put(folder.path(), "missing.csv", &missing);
    same(&path, &with(|options| options.missing = Missing::Drop));
    assert!(
        refused(std::slice::from_ref(&path), &ReadOptions::default(), &blocks_of(7))
            .contains("missing.csv, line 12002, column 'b': the value is missing")
    );
    let commas = text.replace(',', ";").replace('.', ",");
    same(&put(folder.path(), "commas.csv", commas), &with(|options| options.decimal_comma = true));
    same(&put(folder.path(), "blanks.data", text.replace(',', "  ")), &ReadOptions::default());
}

/// A sixteenth of the memory, but at least 64 KiB, is read of a text at a time. Unusual things may come in any of these blocks,
/// and a line may be longer than all of them.
#[test]
fn text_is_the_same_in_one_block_and_in_many() {
    let folder = TempDir::new().unwrap();
    let text = long_csv(12_000);
    assert!(text.len() > 5 << 16, "more than is looked at first, and several blocks");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let with_line = |at: usize, line: &str| [&lines[..at].concat(), line, &lines[at..].concat()].concat();
    let long = format!("1,2,3,4,{}\n", "k".repeat(70_000));
    for (at, case) in [
        text.clone(),
        text.trim_end().to_owned(),
        text.replace('\n', "\r\n"),
        with_line(5, "1,2,3,4,\"k\n9\"\n"),
        with_line(9_000, "1,2,3,4,\"k\n9\"\n"),
        with_line(11_990, "# a comment\n"),
        with_line(9_000, &long),
    ]
    .into_iter()
    .enumerate()
    {
        let path = put(folder.path(), &format!("{at}.csv"), case);
        let options = ReadOptions::default();
        let expected = read(&Source::new(&path), &options).as_ref().map(Whole::of).map_err(Clone::clone);
        for memory in [1 << 20, 3 << 20, 1 << 28] {
            let how = BlockOptions { rows: Some(1000), ..BlockOptions::within(memory) };
            let mut found = whole(std::slice::from_ref(&path), &options, &how);
            // How many rows decide what columns are depends on the memory, and is reported in a note.
            found.iter_mut().for_each(|found| found.notes.retain(|note| !note.contains("rows decided")));
            assert_eq!(differs(&expected, &found), None, "case {at} within {memory}");
        }
    }
}

#[test]
fn packed_tables_are_the_same() {
    let folder = TempDir::new().unwrap();
    let text = long_csv(3_000);
    same(&put(folder.path(), "a.csv.gz", gzip(text.as_bytes())), &ReadOptions::default());
    let zstd = zstd::encode_all(text.as_bytes(), 1).unwrap();
    same(&put(folder.path(), "b.csv.zst", zstd), &ReadOptions::default());
    let mut bzip = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    std::io::Write::write_all(&mut bzip, text.as_bytes()).unwrap();
    same(&put(folder.path(), "c.csv.bz2", bzip.finish().unwrap()), &ReadOptions::default());
}

/// A table with row numbers, ids, text, and yes and no.
fn mixed_csv(rows: usize) -> String {
    let mut text = "row,patient_id,length,colour,smokes,kind\n".to_owned();
    for row in 0..rows {
        let (length, id) = (number(row, 1), 100_000 + row * row % 99_991);
        let colour = ["red", "green", "blue"][row % 3];
        let smokes = ["yes", "no"][row / 2 % 2];
        let _ = writeln!(text, "{row},{id},{length},{colour},{smokes},{}", ["x", "y"][row % 2]);
    }
    text
}

#[test]
fn columns_are_what_they_are_in_memory() {
    let folder = TempDir::new().unwrap();
    let path = put(folder.path(), "mixed.csv", mixed_csv(400));
    same(&path, &with(|options| (options.one_hot, options.label) = (vec!["*".into()], Some("kind".into()))));
    same(&path, &with(|options| (options.drop_text, options.label) = (true, Some("kind".into()))));
    same(&path, &with(|options| options.only = vec!["length".into(), "smokes".into()]));
    let keep = |options: &mut ReadOptions| {
        (options.keep, options.drop) = (vec!["row".into()], vec!["colour".into()]);
    };
    same(&path, &with(keep));
    let refused_in_both = ReadOptions::default();
    let expected = read(&Source::new(&path), &refused_in_both);
    assert!(expected.as_ref().unwrap_err().to_string().contains("colour"));
    assert_eq!(differs_in_blocks(&path, &refused_in_both, &expected), None);
}

/// Columns of a table with names and batches of 100 rows.
fn batches(rows: usize) -> Vec<RecordBatch> {
    let batch = |from: usize| {
        let own = || from..(from + 100).min(rows);
        let numbers = |column: usize| {
            Arc::new(own().map(|row| number(row, column)).collect::<Float64Array>()) as ArrayRef
        };
        let whole = Arc::new(own().map(|row| row as i64).collect::<Int64Array>()) as ArrayRef;
        let text = |names: &'static [&'static str]| {
            let texts = own().map(|row| Some(names[row % names.len()]));
            Arc::new(texts.collect::<StringArray>()) as ArrayRef
        };
        RecordBatch::try_from_iter([
            ("row", whole),
            ("a", numbers(1)),
            ("b", numbers(2)),
            ("colour", text(&["red", "green"])),
            ("label", text(&["x", "y", "z"])),
        ])
        .unwrap()
    };
    (0..rows).step_by(100).map(batch).collect()
}

fn parquet_file(folder: &Path, name: &str, batches: &[RecordBatch]) -> PathBuf {
    let properties =
        parquet::file::properties::WriterProperties::builder().set_max_row_group_row_count(Some(250));
    let path = folder.join(name);
    let file = std::fs::File::create(&path).unwrap();
    let schema = batches[0].schema();
    let mut writer = parquet::arrow::ArrowWriter::try_new(file, schema, Some(properties.build())).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.close().unwrap();
    path
}

fn arrow_file(folder: &Path, name: &str, batches: &[RecordBatch], stream: bool) -> PathBuf {
    let path = folder.join(name);
    let file = std::fs::File::create(&path).unwrap();
    let schema = batches[0].schema();
    if stream {
        let mut writer = arrow_ipc::writer::StreamWriter::try_new(file, &schema).unwrap();
        batches.iter().for_each(|batch| writer.write(batch).unwrap());
        writer.finish().unwrap();
    } else {
        let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &schema).unwrap();
        batches.iter().for_each(|batch| writer.write(batch).unwrap());
        writer.finish().unwrap();
    }
    path
}

#[test]
fn columnar_files_are_the_same() {
    let folder = TempDir::new().unwrap();
    let all = batches(730);
    let paths = [
        parquet_file(folder.path(), "a.parquet", &all),
        arrow_file(folder.path(), "b.arrow", &all, false),
        arrow_file(folder.path(), "c.arrows", &all, true),
    ];
    for path in &paths {
        same(path, &with(|options| options.one_hot = vec!["colour".into()]));
        same(path, &with(|options| options.drop = vec!["colour".into()]));
        same(path, &with(|options| options.only = vec!["b".into()]));
    }
    // A new text after the first rows is reported with its row.
    let mut later = all.clone();
    let mut columns = later[3].columns().to_vec();
    columns[3] =
        Arc::new((0..100).map(|row| Some(if row == 42 { "grey" } else { "red" })).collect::<StringArray>());
    later[3] = RecordBatch::try_new(later[3].schema(), columns).unwrap();
    let path = parquet_file(folder.path(), "later.parquet", &later);
    let one_hot = with(|options| options.one_hot = vec!["colour".into()]);
    same(&path, &one_hot);
    let text = refused(&[path], &one_hot, &decided_by(20));
    assert!(text.contains("later.parquet, row 343, column 'colour': 'grey' is none of the texts"), "{text}");
}

#[test]
fn arrays_are_the_same() {
    let folder = TempDir::new().unwrap();
    let values: Vec<f64> = (0..600).map(|at| number(at, 5)).collect();
    put(folder.path(), "points.npy", npy("<f8", false, "(200, 3)", &f64s(&values)));
    let labels: Vec<u8> = (0..200_i64).flat_map(|row| (row % 4).to_le_bytes()).collect();
    put(folder.path(), "points_label.npy", npy("<i8", false, "(200,)", &labels));
    same(&folder.path().join("points.npy"), &ReadOptions::default());
    same(&folder.path().join("points.npy"), &with(|options| options.drop = vec!["1".into()]));
    let few = npy("<i8", false, "(199,)", &labels[..199 * 8]);
    put(folder.path(), "points_label.npy", few);
    let text = refused(&[folder.path().join("points.npy")], &ReadOptions::default(), &blocks_of(7));
    assert!(text.contains("points_label.npy: there are 199 labels for 200 rows"), "{text}");
}

#[test]
fn parts_are_one_dataset() {
    let folder = TempDir::new().unwrap();
    let text = long_csv(900);
    let whole_file = put(folder.path(), "whole.csv", &text);
    let expected = read(&Source::new(&whole_file), &ReadOptions::default()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let parts = folder.path().join("parts");
    std::fs::create_dir(&parts).unwrap();
    for (at, rows) in lines[1..].chunks(250).enumerate() {
        put(&parts, &format!("part-{at}.csv"), format!("{}\n{}\n", lines[0], rows.join("\n")));
    }
    put(&parts, "part-9.csv", "");
    put(&parts, "part-8.csv", format!("{}\n", lines[0]));
    put(&parts, "_SUCCESS", "");
    put(&parts, ".part-0.csv.crc", "x");
    let files: Vec<PathBuf> = (0..4).map(|at| parts.join(format!("part-{at}.csv"))).collect();
    for rows in SIZES {
        for paths in [vec![parts.clone()], files.clone()] {
            let found = whole(&paths, &ReadOptions::default(), &blocks_of(rows));
            assert_eq!(differs(&Ok(Whole::of(&expected)), &found), None, "in blocks of {rows}");
        }
    }
    let blocks = Blocks::open(&[parts], &ReadOptions::default(), &blocks_of(7)).unwrap();
    assert_eq!((blocks.name(), blocks.n_parts()), ("parts", 6));
}

#[test]
fn parts_with_other_columns_are_refused() {
    let folder = TempDir::new().unwrap();
    let first = put(folder.path(), "1.csv", "a,b,class\n1.5,2.5,x\n2.5,3.5,y\n");
    let check = |content: &str, words: &str| {
        let second = put(folder.path(), "2.csv", content);
        let text = refused(&[first.clone(), second], &ReadOptions::default(), &blocks_of(7));
        assert!(text.contains("2.csv") && text.contains(words), "{text}");
    };
    check("a,c,class\n1.5,2.5,x\n", "there is a column 'c' where");
    check("a,class\n1.5,x\n", "there are 2 columns where");
    check("a,b,class\n1.5,2.5,x\n1.5,red,x\n", "line 3, column 'b': 'red' is not a number");
    check("a,b,class\n1.5,2.5\n", "line 2: the row has 2 values where 3");
    let other = parquet_file(folder.path(), "1.parquet", &batches(100));
    let narrow = batches(100)[0].project(&[0, 1, 4]).unwrap();
    let narrow = parquet_file(folder.path(), "2.parquet", &[narrow]);
    let drop = with(|options| options.only = vec!["a".into()]);
    let text = refused(&[other, narrow], &drop, &blocks_of(7));
    assert!(text.contains("2.parquet: there are 3 columns where"), "{text}");
    // A column of lists in one part and of numbers in the other, and vice versa.
    let mut lists = ListBuilder::new(Float64Builder::new());
    (0..100).for_each(|row| lists.append_value([Some(number(row, 1)), Some(number(row, 2))]));
    let mut columns = batches(100)[0].project(&[1, 4]).unwrap().columns().to_vec();
    let table = |column: ArrayRef, label: &ArrayRef| {
        RecordBatch::try_from_iter([("a", column), ("label", Arc::clone(label))]).unwrap()
    };
    let plain = table(columns.remove(0), &columns[0]);
    let listed = table(Arc::new(lists.finish()), &columns[0]);
    for parts in [[&listed, &plain], [&plain, &listed]] {
        let files = ["1.parquet", "2.parquet"];
        let paths = [0, 1].map(|at| parquet_file(folder.path(), files[at], std::slice::from_ref(parts[at])));
        let text = refused(&paths, &ReadOptions::default(), &blocks_of(7));
        assert!(text.contains("2.parquet, column 'a': the type of the column is"), "{text}");
    }
    let text = refused(&[first, PathBuf::from("-")], &ReadOptions::default(), &blocks_of(7));
    assert!(text.contains("standard input cannot be one of several parts"), "{text}");
}

#[test]
fn rows_that_contradict_the_first_are_refused() {
    let folder = TempDir::new().unwrap();
    let one_hot =
        with(|options| (options.one_hot, options.label) = (vec!["colour".into()], Some("kind".into())));
    let path = put(folder.path(), "new.csv", mixed_csv(60) + "60,7,1.5,grey,yes,x\n");
    same(&path, &with(|options| (options.one_hot, options.label) = (vec!["*".into()], Some("kind".into()))));
    let text = refused(&[path], &one_hot, &decided_by(20));
    assert!(
        text.contains("new.csv, line 62, column 'colour': 'grey' is none of the texts of the first 21 rows"),
        "{text}"
    );

    // Whole rows of numbers, and then a text.
    let path = put(folder.path(), "text.csv", long_csv(3000) + "1,2,many,4,k1\n");
    let text = refused(&[path], &ReadOptions::default(), &decided_by(20));
    assert!(text.contains("text.csv, line 3002, column 'c': 'many' is not a number"), "{text}");

    // A column that numbers the first rows, but holds measurements in later ones.
    let mut rows = "n,a,class\n".to_owned();
    for row in 0..40_000 {
        let n = if row < 20_000 { row } else { row % 5 };
        let _ = writeln!(rows, "{n},{},k{}", number(row, 1), row % 2);
    }
    let path = put(folder.path(), "ids.csv", rows);
    let how = BlockOptions { rows: Some(500), first_rows: 1000, memory: 1 << 20, growth: None };
    let text = refused(&[path], &ReadOptions::default(), &how);
    assert!(
        text.contains("ids.csv, row") && text.contains("column 'n': the column looks like an id"),
        "{text}"
    );
    assert!(text.contains("or keep it if it is a feature"), "{text}");

    // Labels that turn out to be numbers to predict.
    let mut rows = "a,y\n".to_owned();
    (0..40).for_each(|row| {
        let _ = writeln!(rows, "{},{}", number(row, 1), row % 2);
    });
    (0..4000).for_each(|row| {
        let _ = writeln!(rows, "{},{}", number(row, 1), number(row, 2));
    });
    let path = put(folder.path(), "target.csv", rows);
    let text = refused(&[path], &ReadOptions::default(), &BlockOptions { memory: 1 << 20, ..decided_by(20) });
    assert!(text.contains("looks like a number to predict"), "{text}");
}

#[test]
fn a_second_pass_sees_the_same_rows() {
    let folder = TempDir::new().unwrap();
    let path = put(folder.path(), "twice.csv", long_csv(2000));
    let mut blocks =
        Blocks::open(std::slice::from_ref(&path), &ReadOptions::default(), &blocks_of(100)).unwrap();
    let first = gather(&mut blocks, None).unwrap();
    let (points, checksum, bytes) = (blocks.points(), blocks.checksum(), blocks.bytes());
    assert_eq!((points, Some(bytes.done)), (2000, bytes.of));
    assert!(blocks.can_rewind());
    blocks.rewind().unwrap();
    assert_eq!(gather(&mut blocks, None).unwrap(), first);
    assert_eq!((blocks.points(), blocks.checksum()), (points, checksum.clone()));
    // The checksum is the same for blocks of any size, but different for other rows.
    let mut other =
        Blocks::open(std::slice::from_ref(&path), &ReadOptions::default(), &blocks_of(7)).unwrap();
    gather(&mut other, None).unwrap();
    assert_eq!(other.checksum(), checksum);
    std::fs::write(&path, long_csv(1999)).unwrap();
    let error = blocks.rewind().unwrap_err();
    assert!(error.to_string().ends_with("the file has changed since it was read first"), "{error}");
    let mut other = Blocks::open(&[path], &ReadOptions::default(), &blocks_of(7)).unwrap();
    gather(&mut other, None).unwrap();
    assert_ne!(other.checksum(), checksum);
}

#[test]
fn a_thread_reads_ahead_and_stops() {
    use clmatch_kernels::{Control, Step, Stop, Stopped};
    #[derive(Debug)]
    enum Failed {
        Read(ReadError),
        Stopped,
        Enough,
    }
    impl From<ReadError> for Failed {
        fn from(error: ReadError) -> Self {
            Failed::Read(error)
        }
    }
    impl From<Stopped> for Failed {
        fn from(_: Stopped) -> Self {
            Failed::Stopped
        }
    }
    let folder = TempDir::new().unwrap();
    let path = put(folder.path(), "long.csv", long_csv(5000));
    let open = || Blocks::open(std::slice::from_ref(&path), &ReadOptions::default(), &blocks_of(10)).unwrap();
    let stop = Stop::new();
    let last = std::sync::Mutex::new((0, 0));
    let listen = |step: Step<'_>| *last.lock().unwrap() = (step.done, step.of);
    let control = Control::new(&stop).with_progress(&listen);
    let mut rows = 0;
    let count = |rows: &mut usize, most: usize, block: clmatch_data::blocks::Block| {
        *rows += block.labels.len();
        if *rows < most { Ok(()) } else { Err(Failed::Enough) }
    };
    open().each("pass", control, |block| count(&mut rows, usize::MAX, block)).unwrap();
    let (done, of) = *last.lock().unwrap();
    assert!(rows == 5000 && done == of && of > 0, "{rows} {done} {of}");
    rows = 0;
    let ended = open().each("pass", control, |block| count(&mut rows, 100, block));
    assert!(matches!(ended, Err(Failed::Enough)) && rows == 100);
    stop.raise();
    let ended = open().each("pass", control, |block| count(&mut rows, usize::MAX, block));
    assert!(matches!(ended, Err(Failed::Stopped)), "{ended:?}");
    let bad = put(folder.path(), "bad.csv", long_csv(5000) + "1,2,3,x\n");
    let mut bad = Blocks::open(&[bad], &ReadOptions::default(), &decided_by(20)).unwrap();
    let ended = bad.each("pass", Control::none(), |block| count(&mut rows, usize::MAX, block));
    let Err(Failed::Read(error)) = ended else { panic!("{ended:?}") };
    assert!(error.to_string().contains("the row has 4 values where 5"), "{error}");
}

#[test]
fn a_growing_file_is_followed() {
    let folder = TempDir::new().unwrap();
    let path = put(folder.path(), "growing.csv", "a,b,class\n1.5,2.5,x\n2.5,4.5,y\n3.5,1.5,x\n4.");
    let growth = Growth::new();
    let how = BlockOptions { first_rows: 2, growth: Some(growth.clone()), ..blocks_of(2) };
    let mut blocks = Blocks::open(std::slice::from_ref(&path), &ReadOptions::default(), &how).unwrap();
    assert!(!blocks.can_rewind());
    assert_eq!(blocks.next_block().unwrap().unwrap().values, [1.5, 2.5, 2.5, 4.5]);
    let appender = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(200));
        let mut file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
        std::io::Write::write_all(&mut file, b"5,1.5,y\n5.5,6.5,y\n").unwrap();
    });
    // The unfinished line is read once it is finished.
    assert_eq!(blocks.next_block().unwrap().unwrap().values, [3.5, 1.5, 4.5, 1.5]);
    appender.join().unwrap();
    growth.stop();
    assert_eq!(blocks.next_block().unwrap().unwrap().values, [5.5, 6.5]);
    assert!(blocks.next_block().unwrap().is_none());
}

#[test]
fn what_cannot_be_streamed_is_refused_in_words() {
    let folder = TempDir::new().unwrap();
    let json = put(folder.path(), "a.json", "[{\"a\":1,\"y\":2}]");
    assert!(refused(&[json], &ReadOptions::default(), &blocks_of(7)).contains("convert it to CSV, Parquet"));
    let packed = std::fs::read(parquet_file(folder.path(), "a.parquet", &batches(100))).unwrap();
    let packed = put(folder.path(), "b.parquet.gz", gzip(&packed));
    assert!(
        refused(&[packed], &ReadOptions::default(), &blocks_of(7))
            .contains("that is packed cannot be streamed")
    );
    let table = put(folder.path(), "c.csv", "a,class\n1.5,x\n2.5,y\n");
    let mean = with(|options| options.missing = Missing::Mean);
    assert!(refused(std::slice::from_ref(&table), &mean, &blocks_of(7)).contains("known only when all"));
    let labels = put(folder.path(), "labels.txt", "x\ny\n");
    let apart = with(|options| options.labels_file = Some(labels));
    assert!(refused(&[table], &apart, &blocks_of(7)).contains("streamed only with files that tell"));
    let fortran = npy("<f8", true, "(2, 2)", &f64s(&[1.0, 2.0, 3.0, 4.0]));
    let fortran = put(folder.path(), "d.npy", fortran);
    let chosen = with(|options| options.label = Some("1".into()));
    assert!(refused(&[fortran], &chosen, &blocks_of(7)).contains("column by column"));
    let quote = format!("a,class\n1.5,x\n2.5,\"y\n{}", "3.5,x\n".repeat(10));
    let quote = put(folder.path(), "e.csv", quote);
    assert!(refused(&[quote], &ReadOptions::default(), &blocks_of(7)).contains("line 3: a quote is opened"));
    let nothing = folder.path().join("nothing");
    std::fs::create_dir(&nothing).unwrap();
    assert!(refused(&[nothing], &ReadOptions::default(), &blocks_of(7)).contains("no part of a dataset"));
}
