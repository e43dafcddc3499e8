use std::fmt::Write;

use super::*;
use crate::advice::Advice;
use crate::options::Missing;

fn inspected(text: &str) -> Inspection {
    inspected_with(text, &ReadOptions::default())
}

fn inspected_with(text: &str, options: &ReadOptions) -> Inspection {
    inspect_bytes("t.csv", &Bytes::from(text.to_owned()), options, &PointsLeftOut::default())
}

/// Settings as words.
fn words(settings: &[Setting]) -> Vec<String> {
    let value = |value: &SettingValue| match value {
        SettingValue::Flag(flag) => flag.to_string(),
        SettingValue::Text(text) => text.clone(),
        SettingValue::Columns(columns) => columns.join(","),
    };
    settings.iter().map(|setting| format!("{}={}", setting.name, value(&setting.value))).collect()
}

fn roles(inspection: &Inspection) -> Vec<(&str, ColumnRole)> {
    inspection.columns.iter().map(|column| (column.name.as_str(), column.role)).collect()
}

/// A table with a line for each of `rows` rows.
fn table(header: &str, rows: usize, line: impl Fn(usize) -> String) -> String {
    let mut text = format!("{header}\n");
    for row in 0..rows {
        let _ = writeln!(text, "{}", line(row));
    }
    text
}

fn number(row: usize) -> f64 {
    (row * 7919 % 101) as f64 / 8.0
}

#[test]
fn a_file_that_is_read_at_once_needs_nothing() {
    let text = table("a,b,class", 40, |row| format!("{},{},c{}", number(row), number(row + 3), row % 2));
    let found = inspected(&text);
    assert_eq!((&found.refused, &found.settings, found.rows_seen), (&None, &Vec::new(), 40));
    assert_eq!(
        roles(&found),
        [("a", ColumnRole::Feature), ("b", ColumnRole::Feature), ("class", ColumnRole::Label)]
    );
    assert_eq!(found.points, Some(InspectedPoints { rows: 40, points: 40, features: 2, classes: 2 }));
    assert_eq!(found.columns[2].why.as_deref(), Some("by its name"));
    assert_eq!((found.columns[0].kind, found.columns[2].kind), (ColumnType::Number, ColumnType::Text));
    assert_eq!(found.columns[2].examples, ["c0", "c1"]);
}

#[test]
fn the_label_is_named_where_its_place_or_content_told() {
    let text = table("a,b,kind", 40, |row| format!("{},{},{}", number(row), number(row + 3), row % 2));
    assert_eq!(words(&inspected(&text).settings), ["label=kind"]);
    let asked = ReadOptions { label: Some("2".into()), ..ReadOptions::default() };
    assert_eq!(words(&inspected_with(&text, &asked).settings), Vec::<String>::new());
}

#[test]
fn nothing_is_left_out_or_imputed_in_vain() {
    let empty =
        table("a,b,none,class", 40, |row| format!("{},{},,{}", number(row), number(row + 3), row % 2));
    assert_eq!(words(&inspected(&empty).settings), ["drop=none"]);
    // A text among digits is a value if it has digits as well.
    let more = table("a,children,sex,class", 40, |row| {
        let (children, sex) = (["0", "1", "2", "3+"][row / 2 % 4], ["f", "m"][row / 3 % 2]);
        format!("{},{children},{sex},{}", number(row), row % 2)
    });
    let found = inspected(&more);
    assert_eq!(words(&found.settings), ["mixed=true"]);
    assert_eq!(found.points.map(|points| points.features), Some(1 + 4 + 2));
}

#[test]
fn text_and_missing_values_are_handled_together() {
    // Five of 40 rows have no number: too many to leave out.
    let text = table("class,size,isle,note", 40, |row| {
        let size = if row % 8 == 0 { "NA".to_owned() } else { number(row).to_string() };
        format!("{},{size},{},word {}", row % 2, ["north", "south"][row / 2 % 2], row % 30)
    });
    let found = inspected(&text);
    assert_eq!(words(&found.settings), ["mixed=true", "missing=mean"]);
    assert_eq!(
        roles(&found),
        [
            ("class", ColumnRole::Label),
            ("size", ColumnRole::Feature),
            ("isle", ColumnRole::Indicators),
            ("note", ColumnRole::LeftOut)
        ]
    );
    assert_eq!(found.columns[3].why.as_deref(), Some("text with many values"));
    assert_eq!(found.columns[1].missing, 0.125);
    assert_eq!(found.refused.unwrap().advice, Some(Advice::HandleMissing));
    assert_eq!(found.steps.len(), 3, "{:?}", found.steps);
    // One of 40: its row is left out.
    let text = table("class,size", 40, |row| {
        format!("{},{}", row % 2, if row == 7 { String::new() } else { number(row).to_string() })
    });
    let found = inspected(&text);
    assert_eq!(words(&found.settings), ["missing=drop"]);
    assert_eq!(found.points, Some(InspectedPoints { rows: 40, points: 39, features: 1, classes: 2 }));
}

#[test]
fn what_was_asked_for_is_not_changed() {
    let text = table("class,size", 40, |row| {
        format!("{},{}", row % 2, if row % 8 == 0 { String::new() } else { number(row).to_string() })
    });
    let drop = ReadOptions { missing: Missing::Drop, ..ReadOptions::default() };
    assert_eq!(words(&inspected_with(&text, &drop).settings), Vec::<String>::new());
    // The label that was asked for does not exist: no other one is proposed.
    let label = ReadOptions { label: Some("colour".into()), ..ReadOptions::default() };
    let found = inspected_with(&text, &label);
    assert!(found.points.is_none() && found.settings.is_empty());
    assert_eq!(found.obstacle.unwrap().what, "there is no column 'colour' to serve as the label");
}

#[test]
fn what_is_left_out_makes_no_other_column_the_label() {
    // Without 'note', 'isle' is the only text, but the last column was the label before.
    let text = table("size,isle,note,kind", 90, |row| {
        format!("{},{},word {},{}", number(row), ["north", "south"][row / 3 % 2], row % 25, row % 3)
    });
    let found = inspected(&text);
    // It is doubtful, so that it is not named: the warning stays.
    assert_eq!(words(&found.settings), ["mixed=true"]);
    assert_eq!(found.columns[3].role, ColumnRole::Label);
    assert_eq!(found.points.unwrap().classes, 3);
}

#[test]
fn copies_of_the_label_are_left_out() {
    let text = table("size,width,code,class", 60, |row| {
        let class = row % 3;
        format!("{},{},{},{}", number(row), number(row + 5), [7, 1, 4][class], ["a", "b", "c"][class])
    });
    let found = inspected(&text);
    assert_eq!(words(&found.settings), ["drop=code"]);
    assert_eq!(found.columns[2].role, ColumnRole::LeftOut);
    assert_eq!(found.columns[2].why.as_deref(), Some("a copy of the label"));
    // The caller asked for it: nothing is proposed against that.
    let keep = ReadOptions { keep: vec!["code".into()], ..ReadOptions::default() };
    assert_eq!(inspected_with(&text, &keep).settings, []);
}

#[test]
fn indicators_of_the_label_are_left_out_with_their_column() {
    let text = table("size,width,name,class", 60, |row| {
        let class = row % 3;
        format!("{},{},{},{}", number(row), number(row + 5), ["one", "two", "six"][class], class)
    });
    let found = inspected(&text);
    assert_eq!(words(&found.settings), Vec::<String>::new(), "{:?}", found.steps);
    assert_eq!(found.columns[2].role, ColumnRole::LeftOut);
}

#[test]
fn numbers_to_predict_are_no_labels() {
    let text = table("outcome,size,y", 60, |row| format!("{},{},{}", row % 3, number(row), row * row));
    let found = inspected(&text);
    assert_eq!(words(&found.settings), ["label=outcome"]);
    assert_eq!(found.points.unwrap().classes, 3);
    assert_eq!(found.columns[0].why.as_deref(), Some("its values may be classes"));
    // A column without a telling name is not proposed.
    let text = table("kind,size,price", 60, |row| format!("{},{},{}", row % 3, number(row), row * row));
    assert!(inspected(&text).points.is_none());
    // Nor are they if no other column may be the label.
    let text = table("width,size,price", 60, |row| {
        format!("{},{},{}", number(row) + 0.5, number(row), row as f64 * 1.5)
    });
    let found = inspected(&text);
    assert!(found.points.is_none());
    assert!(found.obstacle.unwrap().what.contains("looks like a number to predict"));
}

#[test]
fn a_label_that_was_chosen_here_is_checked_like_any_other() {
    // Text makes the first change, which names the label; it is a number to predict all the same.
    let text = table("kind,isle,price", 60, |row| {
        format!("{},{},{}", row % 3, ["north", "south", "both sides"][row / 4 % 3], row as f64 * 1.5)
    });
    let asked = ReadOptions { drop: vec!["isle".into()], ..ReadOptions::default() };
    let found = inspected_with(&text, &asked);
    assert!(found.obstacle.unwrap().what.contains("'price', taken for the label"));
}

#[test]
fn decimal_commas_and_single_points_are_found() {
    let text = table("size;width;class", 40, |row| {
        let class = if row == 39 { "odd" } else { ["a", "b"][row % 2] };
        format!("{},5;{},25;{class}", row % 7, row % 5)
    });
    let found = inspected(&text);
    assert_eq!(words(&found.settings), ["decimal_comma=true", "singletons=drop"]);
    assert_eq!(found.points, Some(InspectedPoints { rows: 40, points: 39, features: 2, classes: 2 }));
}

#[test]
fn noise_is_no_class_of_a_single_point() {
    let text = table("size,class", 21, |row| {
        format!("{},{}", number(row), if row == 20 { "-1" } else { ["1", "2"][row % 2] })
    });
    let left_out = PointsLeftOut { noise: Some("-1".into()), ..PointsLeftOut::default() };
    let found = inspect_bytes("t.csv", &Bytes::from(text.clone()), &ReadOptions::default(), &left_out);
    assert_eq!(
        (found.settings, found.points.map(|read| (read.points, read.classes))),
        (vec![], Some((20, 2)))
    );
    assert_eq!(words(&inspected(&text).settings), ["singletons=drop"]);
}

#[test]
fn columns_are_named_so_that_options_find_them() {
    let text = table("size,\"town, big\",isle,isle,class", 60, |row| {
        let isle = ["north", "south"][row / 2 % 2];
        format!("{},\"{}\",{isle},{isle},{}", number(row), ["x y", "z w"][row / 5 % 2], row % 3)
    });
    let found = inspected(&text);
    assert_eq!(words(&found.settings), ["mixed=true"], "{:?} {:?}", found.refused, found.obstacle);
}

#[test]
fn most_rows_are_never_lost() {
    let text = table("class,size,note", 40, |row| {
        let label = if row % 4 == 0 { ["a", "b"][row / 4 % 2] } else { "" };
        format!("{label},{},{}", number(row), number(row + 1))
    });
    let found = inspected(&text);
    assert!(found.points.is_none(), "{:?}", found.settings);
}

#[test]
fn what_is_no_table_has_no_columns() {
    let found = inspected("[[1.5, 2, 0], [2, 3.5, 1], [1, 2.5, 0], [4, 5, 1]]");
    assert_eq!((found.columns.len(), found.rows_seen), (0, 0));
    assert!(found.points.is_none() && found.obstacle.is_some());
    let last = ReadOptions { label: Some("-1".into()), ..ReadOptions::default() };
    let found = inspected_with("[[1.5, 2, 0], [2, 3.5, 1], [1, 2.5, 0], [4, 5, 1]]", &last);
    assert_eq!(found.points.map(|read| (read.points, read.features)), Some((4, 2)));
    assert!(inspected("").obstacle.is_some());
}

#[test]
fn any_bytes_are_inspected_without_a_panic() {
    for text in [
        "\0",
        "a",
        "a,b",
        "a,b\n",
        ",\n,\n",
        "\"",
        "{",
        "[{}]",
        "{\"a\":1}",
        "@relation x",
        "PK\u{3}\u{4}",
        "PAR1",
    ] {
        let found = inspected(text);
        assert!(found.points.is_some() || found.obstacle.is_some(), "{text:?}");
    }
}
