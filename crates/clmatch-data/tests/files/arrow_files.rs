//! Arrow files that are not compressed are read piece by piece, directly from the places of their rows. The arrow-ipc crate
//! decodes the same batches as a stream: both must give the same dataset.

use std::io::Cursor;
use std::sync::Arc;

use arrow_array::builder::{
    FixedSizeListBuilder, Float32Builder, Float64Builder, Int16Builder, LargeListBuilder, ListBuilder,
    StringDictionaryBuilder, StringViewBuilder,
};
use arrow_array::cast::AsArray;
use arrow_array::types::Int16Type;
use arrow_array::{
    ArrayRef, BooleanArray, Decimal128Array, DictionaryArray, Float32Array, Float64Array, Int8Array,
    Int16Array, Int64Array, LargeStringArray, NullArray, RecordBatch, StringArray, StringViewArray,
    StructArray, TimestampSecondArray,
};
use arrow_ipc::CompressionType;
use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{ArrowError, DataType, Field};
use clmatch_data::blocks::BlockOptions;
use clmatch_data::{Dataset, Missing, ReadError, ReadOptions, Source, read, read_bytes};
use tempfile::TempDir;

use crate::common::in_blocks::{Whole, differs_in_blocks, whole};
use crate::common::put;

/// Not a multiple of eight, nor of the size of a piece.
const ROWS: usize = 1117;

/// The length of the lists in a column: as many features make pieces of some 250 rows.
const WIDE: usize = 521;

fn number(row: usize, column: usize) -> f64 {
    ((row * 31 + column * 17) % 1009) as f64 / 8.0 - 7.0
}

fn some(row: usize, every: usize) -> bool {
    row % every != every - 2
}

fn class(row: usize) -> &'static str {
    ["short", "a class with a longer name", "s", "another class with a long name"][row * 7 / 3 % 4]
}

fn wide_lists() -> ArrayRef {
    let mut lists = FixedSizeListBuilder::new(Float32Builder::new(), WIDE as i32);
    for row in 0..ROWS {
        for column in 0..WIDE {
            lists.values().append_option(some(row + column, 97).then(|| number(row, column) as f32));
        }
        lists.append(some(row, 13));
    }
    Arc::new(lists.finish())
}

fn lists() -> ArrayRef {
    let mut lists = ListBuilder::new(Float64Builder::new());
    for row in 0..ROWS {
        if some(row, 5) {
            lists.values().append_option(some(row, 19).then(|| number(row, 1)));
            lists.values().append_value(number(row, 2));
            lists.values().append_value(number(row, 3));
        }
        lists.append(some(row, 5));
    }
    Arc::new(lists.finish())
}

fn large_lists() -> ArrayRef {
    let mut lists = LargeListBuilder::new(Int16Builder::new());
    for row in 0..ROWS {
        // The first list comes late, in another piece.
        if row >= 700 {
            lists.values().append_value(row as i16);
            lists.values().append_option(some(row, 6).then_some(-(row as i16)));
        }
        lists.append(row >= 700);
    }
    Arc::new(lists.finish())
}

/// A class in each row, except in the last one if there is a `hole`.
fn texts(hole: bool) -> Vec<Option<&'static str>> {
    (0..ROWS).map(|row| (!hole || row + 1 < ROWS).then(|| class(row))).collect()
}

/// Columns of all types that make features.
fn features() -> Vec<(&'static str, ArrayRef)> {
    let singles: Vec<f32> = (0..ROWS).map(|row| number(row, 4) as f32).collect();
    let flags: BooleanArray = (0..ROWS).map(|row| some(row, 9).then_some(row % 3 == 0)).collect();
    let tiny: Int8Array = (0..ROWS).map(|row| some(row, 3).then_some((row % 127) as i8)).collect();
    let money: Decimal128Array =
        (0..ROWS).map(|row| some(row, 4).then_some(row as i128 * 1001 - 5)).collect();
    let doubles: Float64Array = (0..ROWS).map(|row| some(row, 11).then(|| number(row, 5))).collect();
    vec![
        ("wide", wide_lists()),
        ("double", Arc::new(doubles)),
        ("single", Arc::new(Float32Array::from(singles))),
        ("flag", Arc::new(flags)),
        ("tiny", Arc::new(tiny)),
        ("money", Arc::new(money.with_precision_and_scale(20, 3).unwrap())),
        ("lists", lists()),
    ]
}

/// Labels of all types.
fn labels(hole: bool) -> Vec<ArrayRef> {
    let mut keys = StringDictionaryBuilder::<Int16Type>::new();
    texts(hole).into_iter().for_each(|text| keys.append_option(text));
    let numbers = (0..ROWS).map(|row| (!hole || row + 1 < ROWS).then_some((row % 5) as i64));
    vec![
        Arc::new(StringArray::from(texts(hole))),
        Arc::new(LargeStringArray::from(texts(hole))),
        Arc::new(StringViewArray::from(texts(hole))),
        Arc::new(keys.finish()),
        Arc::new(numbers.collect::<Int64Array>()),
    ]
}

/// Columns that can only be left out.
fn others() -> Vec<(&'static str, ArrayRef)> {
    let times = TimestampSecondArray::from_iter((0..ROWS).map(|row| some(row, 8).then_some(row as i64 / 2)));
    let field = Arc::new(Field::new("within", DataType::Float64, true));
    let within: ArrayRef = Arc::new((0..ROWS).map(|row| Some(number(row, 6))).collect::<Float64Array>());
    vec![
        ("nothing", Arc::new(NullArray::new(ROWS))),
        ("struct", Arc::new(StructArray::from(vec![(field, within)]))),
        ("time", Arc::new(times)),
        ("note", Arc::new(StringViewArray::from(texts(true)))),
    ]
}

/// A table with other columns between those that are read, so that these must be skipped correctly.
fn all_columns(label: ArrayRef) -> RecordBatch {
    let mut all = Vec::new();
    let mut others = others().into_iter();
    for column in features() {
        all.push(column);
        all.extend(others.next());
    }
    all.insert(5, ("class", label));
    let all = all.into_iter().map(|(name, array)| (name, array, true));
    RecordBatch::try_from_iter_with_nullable(all).unwrap()
}

/// Batches of `rows` rows each.
fn cut(all: &RecordBatch, rows: usize) -> Vec<RecordBatch> {
    let starts = (0..all.num_rows()).step_by(rows);
    starts.map(|start| all.slice(start, rows.min(all.num_rows() - start))).collect()
}

fn file(batches: &[RecordBatch], compression: Option<CompressionType>) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
    let mut writer = FileWriter::try_new_with_options(Vec::new(), &batches[0].schema(), options).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.into_inner().unwrap()
}

fn stream(batches: &[RecordBatch]) -> Vec<u8> {
    let mut writer = StreamWriter::try_new(Vec::new(), &batches[0].schema()).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.into_inner().unwrap()
}

fn options() -> ReadOptions {
    let drop = others().iter().map(|(name, _)| (*name).into()).collect();
    ReadOptions { missing: Missing::Mean, drop, ..ReadOptions::default() }
}

/// Everything that can be compared, or what is wrong.
fn content(read: Result<Dataset, ReadError>) -> Result<Whole, String> {
    read.map(|dataset| Whole::of(&dataset)).map_err(|error| format!("{} {:?}", error.what, error.place))
}

/// Reads bytes as a file, with the given number of threads.
fn read_file(bytes: &[u8], threads: usize, options: &ReadOptions) -> Result<Dataset, ReadError> {
    let folder = TempDir::new().unwrap();
    let source = Source::new(put(folder.path(), "a.arrow", bytes));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| read(&source, options))
}

#[test]
fn files_are_read_as_their_batches_are_decoded() {
    for hole in [false, true] {
        for (label, rows) in
            labels(hole).into_iter().flat_map(|label| [ROWS, 400, 7].map(|rows| (label.clone(), rows)))
        {
            let case = format!("{} in batches of {rows}", label.data_type());
            let batches = cut(&all_columns(label), rows);
            let expected = content(read_file(&stream(&batches), 2, &options()));
            // Rows without a label are left out where means are used.
            assert!(expected.is_ok(), "{case}: {:?}", expected.err());
            let plain = file(&batches, None);
            for threads in [1, 2, 16] {
                let found = content(read_file(&plain, threads, &options()));
                assert!(found == expected, "{case}, {threads} threads: {:?}", found.err());
            }
            assert!(content(read_bytes("a.arrow", plain.into(), &options())) == expected, "{case} in memory");
            let compressed = file(&batches, Some(CompressionType::LZ4_FRAME));
            assert!(content(read_file(&compressed, 2, &options())) == expected, "{case} compressed");
        }
    }
}

#[test]
fn files_are_streamed_as_they_are_read() {
    let mut pairs = FixedSizeListBuilder::new(Float64Builder::new(), 2);
    let mut lists = ListBuilder::new(Float64Builder::new());
    for row in 0..ROWS {
        pairs.values().append_slice(&[number(row, 1), number(row, 2)]);
        pairs.append(true);
        lists.values().append_slice(&[number(row, 3), number(row, 4), number(row, 5)]);
        lists.append(true);
    }
    let [pairs, lists]: [ArrayRef; 2] = [Arc::new(pairs.finish()), Arc::new(lists.finish())];
    let flags: ArrayRef = Arc::new((0..ROWS).map(|row| Some(row % 3 == 0)).collect::<BooleanArray>());
    let folder = TempDir::new().unwrap();
    for label in labels(false) {
        let case = label.data_type().to_string();
        let mut columns = vec![
            ("pair", pairs.clone()),
            ("flag", flags.clone()),
            ("class", label),
            ("lists", lists.clone()),
        ];
        columns.splice(1..1, others());
        let columns = columns.into_iter().map(|(name, array)| (name, array, true));
        let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
        let path = put(folder.path(), "a.arrow", file(&cut(&batch, 400), None));
        let options = ReadOptions { missing: Missing::Error, ..options() };
        let whole = read(&Source::new(&path), &options);
        assert!(whole.is_ok(), "{case}: {:?}", whole.err());
        assert_eq!(differs_in_blocks(&path, &options, &whole), None, "{case}");
    }
}

/// Texts whose order in their buffer differs from that of their rows.
fn shuffled_views() -> ArrayRef {
    let mut views = StringViewBuilder::new();
    let long: String = (0..ROWS).map(|row| format!("a class of a long name {:04}", row % 37)).collect();
    let block = views.append_block(long.into_bytes().into());
    for row in 0..ROWS {
        views.try_append_view(block, (row * 613 % ROWS * 27) as u32, 27).unwrap();
    }
    Arc::new(views.finish())
}

/// A dictionary with more values than are examined for every piece, most of them not used by any row.
fn long_dictionary() -> ArrayRef {
    let names: StringArray = (0..3000).map(|number| Some(format!("class {number}"))).collect();
    let keys: Int16Array = (0..ROWS).map(|row| Some((row % 5 * 700) as i16)).collect();
    Arc::new(DictionaryArray::new(keys, Arc::new(names)))
}

#[test]
fn unusual_labels() {
    let column =
        ("number", Arc::new((0..ROWS).map(|row| Some(number(row, 1))).collect::<Float64Array>()) as ArrayRef);
    for label in [shuffled_views(), long_dictionary()] {
        let case = label.data_type().to_string();
        let batch = RecordBatch::try_from_iter([column.clone(), ("class", label)]).unwrap();
        let batches = cut(&batch, 500);
        let expected = content(read_file(&stream(&batches), 2, &ReadOptions::default()));
        assert!(expected.is_ok(), "{case}: {:?}", expected.err());
        let found = content(read_file(&file(&batches, None), 2, &ReadOptions::default()));
        assert!(found == expected, "{case}: {:?}", found.err());
    }
    // Without any value, there is no dictionary to read.
    let mut empty = StringDictionaryBuilder::<Int16Type>::new();
    empty.append_nulls(ROWS);
    let columns = [column, ("nothing", Arc::new(empty.finish())), ("class", labels(false).remove(0))];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let options = ReadOptions { drop: vec!["nothing".into()], ..ReadOptions::default() };
    assert_eq!(read_file(&file(&[batch], None), 2, &options).unwrap().n_features(), 1);
}

#[test]
fn columns_that_are_left_out_take_no_memory() {
    let numbers = |column: usize| -> ArrayRef {
        Arc::new((0..ROWS).map(|row| Some(number(row, column))).collect::<Float64Array>())
    };
    let mut columns: Vec<(String, ArrayRef)> =
        (0..50).map(|column| (format!("x{column}"), numbers(column))).collect();
    columns.push(("class".into(), labels(false).remove(0)));
    let bytes = file(&[RecordBatch::try_from_iter(columns).unwrap()], None);
    let memory_limit = Some(2 * 8 * ROWS as u64);
    let drop = (1..50).map(|column| format!("x{column}")).collect();
    let found = read_file(&bytes, 2, &ReadOptions { memory_limit, drop, ..ReadOptions::default() }).unwrap();
    assert_eq!((found.features(), found.labels().names().len()), (&["x0".to_owned()][..], 4));
    let error = read_file(&bytes, 2, &ReadOptions { memory_limit, ..ReadOptions::default() }).unwrap_err();
    assert!(error.what.starts_with("the matrix would take about"), "{}", error.what);
}

#[test]
fn text_columns_become_indicators_in_the_order_of_rows() {
    // Classes that do not follow from the text: otherwise the text would be a copy of them.
    let classes: StringArray = (0..ROWS).map(|row| Some(["a", "b", "c"][row / 7 % 3])).collect();
    let label: (_, ArrayRef) = ("class", Arc::new(classes));
    for text in labels(false) {
        let case = text.data_type().to_string();
        let batch = RecordBatch::try_from_iter([("text", text), label.clone()]).unwrap();
        let batches = cut(&batch, 100);
        let options = ReadOptions { one_hot: vec!["text".into()], ..ReadOptions::default() };
        let expected = content(read_file(&stream(&batches), 2, &options));
        assert!(expected.is_ok(), "{case}");
        assert!(content(read_file(&file(&batches, None), 2, &options)) == expected, "{case}");
    }
}

#[test]
fn the_first_list_may_come_late() {
    let columns = [("lists", large_lists()), ("class", labels(false).remove(0))];
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let options = ReadOptions { missing: Missing::Mean, ..ReadOptions::default() };
    let found = read_file(&file(&cut(&batch, 100), None), 2, &options).unwrap();
    assert_eq!(found.features(), ["lists[0]", "lists[1]"]);
}

#[test]
fn a_file_of_labels() {
    let folder = TempDir::new().unwrap();
    let numbers: String = (0..ROWS).map(|row| format!("{},{}\n", row, number(row, 1))).collect();
    let data = Source::new(put(folder.path(), "data.csv", format!("a,b\n{numbers}")));
    for label in labels(false) {
        let case = label.data_type().to_string();
        let batch = RecordBatch::try_from_iter([("class", label)]).unwrap();
        let [plain, streamed] = [file(&cut(&batch, 100), None), stream(&[batch])].map(|bytes| {
            let labels_file = Some(put(folder.path(), "labels.arrow", bytes));
            content(read(&data, &ReadOptions { labels_file, ..ReadOptions::default() }))
        });
        assert!(plain.is_ok() && plain == streamed, "{case}: {:?}", plain.err());
    }
}

#[test]
fn labels_in_a_file_of_their_own_are_streamed() {
    let folder = TempDir::new().unwrap();
    let numbers: ArrayRef = Arc::new((0..ROWS).map(|row| Some(number(row, 1))).collect::<Float64Array>());
    let batch = RecordBatch::try_from_iter([("number", numbers)]).unwrap();
    let data = put(folder.path(), "data.arrow", file(&cut(&batch, 400), None));
    let batch = RecordBatch::try_from_iter([("class", labels(false).remove(0))]).unwrap();
    let labels_file = Some(put(folder.path(), "labels.arrow", file(&[batch], None)));
    let options = ReadOptions { labels_file, ..ReadOptions::default() };
    let expected = content(read(&Source::new(&data), &options));
    let how = BlockOptions { rows: Some(100), ..BlockOptions::within(1 << 28) };
    let found = whole(&[data], &options, &how).map_err(|error| error.what);
    assert!(expected.is_ok() && found == expected, "{:?}", found.err());
}

/// A file small enough to damage each of its bytes.
fn small_file(label: &ArrayRef) -> Vec<u8> {
    let mut lists = FixedSizeListBuilder::new(Float64Builder::new(), 2);
    let mut open = ListBuilder::new(Float64Builder::new());
    for row in 0..11 {
        lists.values().append_slice(&[number(row, 1), number(row, 2)]);
        lists.append(some(row, 3));
        open.values().append_value(number(row, 3));
        open.append(true);
    }
    // Removes the texts of the rows that are cut off.
    let label = label.slice(0, 11);
    let label = label.as_string_view_opt().map_or(Arc::clone(&label), |views| Arc::new(views.gc()));
    let doubles: Float64Array = (0..11).map(|row| some(row, 4).then(|| number(row, 0))).collect();
    let columns: [(&str, ArrayRef); 4] = [
        ("double", Arc::new(doubles)),
        ("pair", Arc::new(lists.finish())),
        ("open", Arc::new(open.finish())),
        ("class", label),
    ];
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    file(&cut(&RecordBatch::try_from_iter_with_nullable(columns).unwrap(), 6), None)
}

/// The content of a file as decoded by the arrow-ipc crate, written as a stream.
fn decoded(bytes: &[u8]) -> Result<Vec<u8>, ArrowError> {
    let reader = FileReader::try_new(Cursor::new(bytes), None)?;
    let schema = reader.schema();
    let batches: Vec<RecordBatch> = reader.collect::<Result<_, _>>()?;
    let mut writer = StreamWriter::try_new(Vec::new(), &schema)?;
    batches.iter().try_for_each(|batch| writer.write(batch))?;
    writer.into_inner()
}

#[test]
fn a_wrong_byte_anywhere_is_an_error_or_read_as_the_decoder_does() {
    let options =
        ReadOptions { missing: Missing::Mean, memory_limit: Some(1 << 20), ..ReadOptions::default() };
    for label in labels(false) {
        let whole = small_file(&label);
        let mut same = 0;
        // Starts after the magic, by which the format is recognised.
        for place in 8..whole.len() {
            for change in [0xff, 0x01, 0x80] {
                let mut bytes = whole.clone();
                bytes[place] ^= change;
                // What is refused is not passed to the decoder, which relies on the sizes in the file.
                let Ok(found) = content(read_bytes("a.arrow", bytes.clone().into(), &options)) else {
                    continue;
                };
                let case = format!("{}, byte {place} of {}, {change:#x}", label.data_type(), whole.len());
                let expected = match std::panic::catch_unwind(|| decoded(&bytes)) {
                    Ok(Ok(expected)) => expected,
                    // The bits say which rows are null; if the null count disagrees, it only matters whether it is 0.
                    Ok(Err(error)) if error.to_string().contains("null_count value") => continue,
                    Ok(Err(error)) => panic!("{case}: {error}"),
                    // The decoder requires buffers whose length is a whole number of values.
                    Err(_) => continue,
                };
                assert!(content(read_bytes("a.arrow", expected.into(), &options)) == Ok(found), "{case}");
                same += 1;
            }
        }
        assert!(same > whole.len() / 4, "{}: {same}", label.data_type());
    }
}
