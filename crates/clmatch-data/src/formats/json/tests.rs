use super::*;
use crate::options::ReadOptions;

fn budget() -> MemoryBudget {
    MemoryBudget::new(&ReadOptions::default())
}

fn refused(text: &str) -> String {
    matrix(text.as_bytes(), budget()).unwrap_err().to_string()
}

#[test]
fn arrays_of_arrays_are_read_exactly() {
    let found =
        matrix(" [[1, -2.5e-3 ,0.1], [true,null , 5.099999904632568]]\n".as_bytes(), budget()).unwrap();
    assert_eq!((found.rows, found.features), (2, 3));
    assert_eq!(found.values[..4], [1.0, -2.5e-3, 0.1, 1.0]);
    assert!(found.values[4].is_nan());
    assert_eq!(found.values[5], 5.099999904632568);
}

#[test]
fn what_is_no_matrix_is_located() {
    assert!(refused("[[1,2],[3]]").starts_with("row 2: the row has 1 value where 2 are expected"));
    assert!(refused("[[1,[2]]]").starts_with("row 1, column 1: a number is expected"));
    assert!(refused("[[1,\"x\"]]").starts_with("row 1, column 1: 'x' is text"));
    assert!(refused("[[1,2").contains("ends where ',' or ']'"));
    assert!(refused("[[1]] 2").contains("'2' stands where the end"));
    assert!(refused("[1]").contains("array of numbers is expected"));
    assert!(refused("[[Infinity]]").contains("infinite"));
    assert!(refused("[[1e999]]").contains("beyond the range"));
    assert!(refused("[[1,]]").contains("'' is not a number"));
    assert!(refused("").contains("ends where '['"));
}

/// Plain numbers are taken many at a time, other values between them one by one; the place of a wrong value is reported in either
/// case.
#[test]
fn plain_numbers_and_others_in_one_row() {
    let row = "[1, 2.25,3 , -0.0, 1e2, 7,null,123456789012345678901, +4, 0.30000000000000004]";
    let found = matrix(format!("[{row},\n{row}]").as_bytes(), budget());
    let found = found.unwrap();
    let expected = [1.0, 2.25, 3.0, -0.0, 100.0, 7.0, f64::NAN, 123456789012345678901.0, 4.0, 0.1 + 0.2];
    for row in found.values.chunks(10) {
        assert_eq!(row.iter().map(|value| value.to_bits()).collect::<Vec<_>>(), expected.map(f64::to_bits));
    }
    assert!(refused("[[1, 2, 3, x, 5, 12345678]]").starts_with("row 1, column 3: 'x' is not a number"));
    assert!(refused("[[1, 2, 3 4, 5, 12345678]]").starts_with("row 1: '4' stands where ',' or ']'"));
    assert!(refused("[[1, 2],[3,4,], 12345678]").starts_with("row 2, column 2: '' is not a number"));
}

#[test]
fn tokens_may_lie_across_blocks() {
    let row = format!("[{}]", vec!["0.123456789"; 1000].join(", "));
    let text = format!("[{}]", vec![row; 100].join(",\n"));
    let found = matrix(text.as_bytes(), budget()).unwrap();
    assert_eq!((found.rows, found.features), (100, 1000));
    assert!(found.values.iter().all(|&value| value == 0.123456789));
}

#[test]
fn labels_of_all_kinds() {
    let text = r#"[2, 2.0, -1.0, 2.5, "a", "\u00e4\"", true, null, 12345678901234567890, "1.0"]"#;
    let found = labels(text.as_bytes(), budget()).unwrap();
    let expected = ["2", "-1", "2.5", "a", "ä\"", "true", "12345678901234567890", "1.0"];
    assert_eq!(found.names, expected);
    assert_eq!(found.codes, [0, 0, 1, 2, 3, 4, 5, Codes::MISSING, 6, 7]);
    assert!(labels("[1, {}]".as_bytes(), budget()).unwrap_err().to_string().starts_with("row 2: a label"));
    assert!(labels("[\"a".as_bytes(), budget()).is_err());
}
