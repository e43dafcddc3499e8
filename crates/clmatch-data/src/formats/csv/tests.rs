//! The fast path against its slow twin.

use proptest::prelude::*;

use super::{fast, general, sniff};
use crate::columns;
use crate::input::ByteSource;
use crate::options::{Missing, ReadOptions};
use crate::real::FloatMatrix;
use crate::table::RawTable;

/// The table by the fast path (if it does not give up) and by the general one.
fn both(text: &str, options: &ReadOptions) -> (Option<RawTable>, Result<RawTable, crate::ReadError>) {
    let input = ByteSource::Memory(text.as_bytes().to_vec().into());
    let sample =
        super::sample::sample(&input, 0, crate::memory::MemoryBudget::new(&crate::ReadOptions::default()))
            .unwrap();
    let dialect = sniff::dialect(&sample, options).unwrap();
    let plan = || columns::plan(dialect.names.clone(), options, true).unwrap();
    let fast = fast::read(&input, &sample, &dialect, &plan(), options, 3).unwrap();
    (fast, general::read(&input, &dialect, plan(), options))
}

fn bits(table: &RawTable) -> Vec<u64> {
    match &table.matrix {
        FloatMatrix::F64(values) => values.iter().map(|value| value.to_bits()).collect(),
        FloatMatrix::F32(_) => panic!("text is read in double precision"),
    }
}

fn same(fast: &RawTable, general: &RawTable) {
    assert_eq!(bits(fast), bits(general));
    assert_eq!(fast.labels, general.labels);
    assert_eq!(fast.rows, general.rows);
    assert_eq!(fast.columns, general.columns);
}

/// A cell that both paths must read in the same way, unless one leaves it to the other.
fn cell() -> impl Strategy<Value = String> {
    prop_oneof![
        10 => any::<f64>().prop_filter("finite", |value| value.is_finite()).prop_map(|value| format!("{value}")),
        10 => any::<f64>().prop_filter("finite", |value| value.is_finite()).prop_map(|value| format!("{value:e}")),
        10 => "-?[0-9]{1,3}(\\.[0-9]{0,20})?",
        3 => "[ \t]{0,2}[+-]?[0-9]{1,20}[ \t]{0,2}",
        1 => prop::sample::select(vec!["", "NA", "?", "nan", "-", ".", "true", "x", "1e999", "inf", "1\r", "#3", "\"1\""])
            .prop_map(String::from),
    ]
}

/// Rows of three numbers and a label in one of the columns; one row in fifty has another length.
fn table() -> impl Strategy<Value = String> {
    let numbers = prop_oneof![3 => cell(), 2 => "-?[0-9]{1,4}\\.[0-9]{1,6}"];
    let row = (
        prop::collection::vec(numbers, 6),
        prop_oneof![49 => Just(3), 1 => 2..6_usize],
        "[a-c ]{0,2}",
        prop_oneof![20 => Just("\n"), 10 => Just("\r\n"), 1 => Just("\n\n")],
    );
    (0..4_usize, prop::collection::vec(row, 1..12)).prop_map(|(place, rows)| {
        let line = |mut cells: Vec<String>, label: String, end: &str| {
            cells.insert(place.min(cells.len()), label);
            cells.join(",") + end
        };
        let head = line(["p", "q", "r"].map(String::from).to_vec(), "label".to_owned(), "\n");
        let lines =
            rows.into_iter().map(|(cells, count, label, end)| line(cells[..count].to_vec(), label, end));
        head + &lines.collect::<String>()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn the_fast_path_agrees_with_the_careful_one(text in table(), how in 0..3_usize) {
        let missing = [Missing::Error, Missing::Drop, Missing::Mean][how];
        let (fast, general) = both(&text, &ReadOptions { missing, ..ReadOptions::default() });
        if let Some(fast) = fast {
            same(&fast, &general.unwrap());
        }
    }
}

#[test]
fn plain_tables_take_the_fast_path() {
    for text in [
        "a,b,y\n1,2,x\n3,4,z",
        "1;2;x\r\n3;4;y\r\n\r\n",
        "y\ta\n# no\nx\t1\n",
        "y\ta\nx\t1\n# between\nx\t2",
        "# c\n\na|y\n1|2\n",
    ] {
        let options = ReadOptions::default();
        let (fast, general) = both(text, &options);
        if text.contains("between") {
            assert!(fast.is_none(), "a comment between rows");
        } else {
            same(&fast.unwrap_or_else(|| panic!("{text:?}")), &general.unwrap());
        }
    }
    let (fast, general) =
        both("a,y\n,x\n2,y\n", &ReadOptions { missing: Missing::Mean, ..ReadOptions::default() });
    same(&fast.unwrap(), &general.unwrap());
    for text in [
        "a,y\n\"1\",x\n",
        "a,y\n1\n",
        "a,y\n1,x,2\n",
        "a,y\nb,x\n",
        "a,y\n1,\n",
        "a,y\n,x\n",
        "a,y\n1,x\ry\n2,x\n",
    ] {
        assert!(both(text, &ReadOptions::default()).0.is_none(), "{text:?}");
    }
}

#[test]
fn blocks_and_pieces_are_put_together_in_order() {
    let rows = 700_000;
    let lines: Vec<String> =
        (0..rows).map(|row| format!("{row},{},{}\n", row as f64 / 7.0, row % 11)).collect();
    let text = format!("a,b,y\n{}", lines.concat());
    assert!(text.len() > 1 << 24, "several blocks, each of several pieces");
    // Blocks have 4 MiB for each thread.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let (fast, general) = pool.install(|| both(&text, &ReadOptions::default()));
    let fast = fast.unwrap();
    same(&fast, &general.unwrap());
    assert_eq!(fast.rows, rows);
}
