//! What the columns of a table mean: labels, ids, headers of numbers, text, and where something is wrong.

use std::path::PathBuf;

use clmatch_data::{Dataset, LabelSource, LeftOutReason, Missing, ReadError, ReadOptions, Source, read};
use tempfile::TempDir;

use crate::common::{Read, Refused, case, check, put};

fn read_text(text: &str, change: impl FnOnce(&mut ReadOptions)) -> Result<Dataset, ReadError> {
    let folder = TempDir::new().unwrap();
    let path = put(folder.path(), "a.csv", text);
    let mut options = ReadOptions::default();
    change(&mut options);
    read(&Source::new(path), &options)
}

/// Rows with a number without meaning, and whatever else `row` adds.
fn table(header: &str, rows: usize, row: impl Fn(usize) -> String) -> String {
    let rows: String = (0..rows).map(|at| row(at) + "\n").collect();
    format!("{header}\n{rows}")
}

#[test]
fn the_label_is_told_with_its_reason() {
    let origin = |text: &str| {
        let origin = read_text(text, |_| {}).unwrap().label_origin().unwrap().clone();
        (origin.name, origin.source)
    };
    let kind = |at: usize| ["p", "q", "r"][at % 3];
    let umap = table("x,y,cell_type", 30, |at| format!("{}.5,{}.25,{}", at * 7 % 11, at * 5 % 13, kind(at)));
    assert_eq!(origin(&umap), ("cell_type".into(), LabelSource::OnlyText));
    let first = table("kind,a,b", 30, |at| format!("{},{}.5,{}.25", kind(at), at * 7 % 11, at * 5 % 13));
    assert_eq!(origin(&first), ("kind".into(), LabelSource::OnlyText));
    let named = table("y,a", 30, |at| format!("{},{}.5", at % 3, at * 7 % 11));
    assert_eq!(origin(&named), ("y".into(), LabelSource::Name));
    let last = table("x,y,g", 30, |at| format!("{}.5,{}.25,{}", at * 7 % 11, at * 5 % 13, at % 3));
    assert_eq!(origin(&last), ("g".into(), LabelSource::LastColumn));
}

#[test]
fn numbers_to_predict_are_refused_unless_they_are_chosen() {
    let prices = table("rooms,price", 60, |at| format!("{}.5,{}", at * 7 % 11, 100 + at * 37 % 61));
    let error = read_text(&prices, |_| {}).unwrap_err();
    assert!(
        error.to_string().ends_with(
            "'price', taken for the label (the last column), looks like a number to predict: 60 different values in 60 rows"
        ),
        "{error}"
    );
    let dataset = read_text(&prices, |o| o.label = Some("price".into())).unwrap();
    assert_eq!(dataset.label_origin().unwrap().source, LabelSource::Chosen);
    assert_eq!(dataset.notes, []);
}

#[test]
fn ids_are_left_out_unless_they_are_kept() {
    let text =
        table("rownames,a,kind", 30, |at| format!("{},{}.5,{}", at + 1, at * 7 % 11, ["p", "q"][at % 2]));
    let dataset = read_text(&text, |_| {}).unwrap();
    assert_eq!(dataset.features(), ["a"]);
    assert_eq!(dataset.left_out()[0].reason, LeftOutReason::RowNumbers);
    for keep in ["rownames", "0"] {
        let dataset = read_text(&text, |o| o.keep = vec![keep.into()]).unwrap();
        assert_eq!(dataset.features(), ["rownames", "a"]);
        assert!(dataset.left_out().is_empty() && dataset.doubtful_ids().is_empty());
    }
    let dataset = read_text(&text, |o| o.only = vec!["rownames".into()]).unwrap();
    assert_eq!(dataset.features(), ["rownames"], "features that are listed are features");
    let error = read_text(&text, |o| o.drop = vec!["a".into()]).unwrap_err();
    assert!(
        error.what.contains("no feature besides the label, 'kind', and what looks like ids: 'rownames'"),
        "{error}"
    );
}

#[test]
fn rows_are_judged_as_they_stand_in_the_file() {
    // A row that is dropped for a missing value leaves a gap in the row numbers of the others.
    let value = |at: usize| if at.is_multiple_of(3) { String::new() } else { format!("{}.5", at * 7 % 11) };
    let text = table("n,a,kind", 60, |at| format!("{at},{},{}", value(at), ["p", "q"][at % 2]));
    let dataset = read_text(&text, |o| o.missing = Missing::Drop).unwrap();
    assert_eq!((dataset.n_points(), dataset.features()), (40, &["a".to_owned()][..]));
}

#[test]
fn headers_of_numbers_are_read_as_the_caller_says() {
    let rows = "5,6,7,x\n6,5,8,z\n";
    check(&[
        case(
            "counted",
            "a.csv",
            format!("0,1,2,3\n{}", "5,6,7.5,1\n6,5,8.5,2\n"),
            Read(2, 3, 2, &["the first line counts"]),
        ),
        case("denied", "a.csv", "0,1,2,3\n5,6,7.5,1\n6,5,8.5,2\n", Read(3, 3, 3, &[]))
            .with(|o| o.header = Some(false)),
        case("years", "a.csv", "2001,2005,2011,kind\n1,2,3,p\n2,2,4,q\n", Read(3, 3, 3, &[])),
        case("years told", "a.csv", "2001,2005,2011,kind\n1,2,3,p\n2,2,4,q\n", Read(2, 3, 2, &[]))
            .with(|o| o.header = Some(true)),
        case("title", "a.csv", format!("a title\nof two lines\na,b,c,k\n{rows}"), Read(2, 3, 2, &[]))
            .with(|o| o.skip_rows = 2),
        case("title and no header", "a.csv", format!("a title;\n{rows}"), Read(2, 3, 2, &[]))
            .with(|o| o.skip_rows = 1),
        case("nothing left", "a.csv", rows, Refused(&["7 lines are to be skipped, but there are only 2"]))
            .with(|o| o.skip_rows = 7),
        case(
            "line after title",
            "a.csv",
            "one\ntwo\na,k\n1,x\ny,x\n3,z\n",
            Refused(&["line 5, column 'a': 'y'"]),
        )
        .with(|o| o.skip_rows = 2),
        case(
            "blanks after title",
            "a.data",
            "one\ntwo\na k\n1 x\ny x\n3 z\n",
            Refused(&["line 5, column 'a': 'y'"]),
        )
        .with(|o| o.skip_rows = 2),
    ]);
}

#[test]
fn one_row_too_many_is_probably_a_header() {
    let folder = TempDir::new().unwrap();
    let help = |points: &str| {
        let points = put(folder.path(), "points.csv", points);
        let labels_file = Some(put(folder.path(), "labels.json", "[\"x\", \"z\", \"x\"]"));
        let error =
            read(&Source::new(points), &ReadOptions { labels_file, ..ReadOptions::default() }).unwrap_err();
        (error.what, error.advice.unwrap().to_string())
    };
    let (what, advice) = help("1995,2000,2010\n1,2,5\n3,4,5\n5,6,7\n");
    assert_eq!(what, "there are 3 labels for 4 rows");
    assert_eq!(advice, "if the first line is a header, read it so");
    let (what, advice) = help("yes,true\n1,2\n3,4\n");
    assert_eq!(what, "there are 3 labels for 2 rows");
    assert_eq!(advice, "read the first line as data if it is no header");
}

#[test]
fn a_column_of_the_label_file_can_be_chosen() {
    let folder = TempDir::new().unwrap();
    let points = put(folder.path(), "points.csv", "a,b\n1.5,2\n3.5,4\n5.5,6\n");
    let labels = put(folder.path(), "meta.csv", "cell,batch,kind\nc1,b1,x\nc2,b2,z\nc3,b2,x\n");
    let with = |file: &PathBuf, label: Option<&str>| {
        let options = ReadOptions {
            labels_file: Some(file.clone()),
            label: label.map(Into::into),
            ..ReadOptions::default()
        };
        read(&Source::new(&points), &options)
    };
    let dataset = with(&labels, Some("batch")).unwrap();
    assert_eq!(dataset.labels().codes(), [0, 1, 1]);
    assert_eq!(dataset.label_origin().unwrap().to_string(), "batch in meta.csv");
    assert_eq!(with(&labels, Some("-1")).unwrap().labels().codes(), [0, 1, 0]);
    let guessed = with(&labels, None).unwrap();
    assert_eq!(guessed.label_origin().unwrap().to_string(), "kind in meta.csv (the last column)");
    assert!(guessed.label_origin().unwrap().is_doubtful());
    let error = with(&labels, Some("colour")).unwrap_err();
    assert!(
        error.to_string().contains("meta.csv: there is no column 'colour' to serve as the label"),
        "{error}"
    );
}

#[test]
fn text_is_handled_column_by_column() {
    let text = table("name,sex,ticket,fare,class", 40, |at| {
        format!("passenger {at},{},t{},{}.5,{}", ["m", "f"][at % 2], at / 2, at * 7 % 11, at % 3)
    });
    let error = read_text(&text, |_| {}).unwrap_err();
    assert_eq!(
        error.what,
        "2 columns hold text: 'sex' (2 different values such as 'm'), 'ticket' (20 different values such as 't0')"
    );
    let advice = error.advice.unwrap().to_string();
    assert_eq!(
        advice,
        "read it as a mixed table, which turns 'sex', 'ticket' into indicators; or leave out all text"
    );
    let dataset = read_text(&text, |o| o.drop_text = true).unwrap();
    assert_eq!(dataset.features(), ["fare"]);
    let notes: Vec<String> = dataset.notes.iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        [
            "2 columns of text were dropped: 'sex', 'ticket'",
            "the column 'name' was left out: almost every row has a different text",
        ]
    );
    let dataset = read_text(&text, |o| o.one_hot = vec!["*".into()]).unwrap();
    assert_eq!(dataset.n_features(), 2 + 20 + 1, "names are no categories");
    let dataset = read_text(&text, |o| {
        o.one_hot = vec!["name".into()];
        o.drop_text = true;
    });
    assert_eq!(dataset.unwrap().n_features(), 40 + 1, "unless they are asked for");
}

#[test]
fn missing_cells_are_those_of_the_file() {
    let deck = |at: usize| if at.is_multiple_of(4) { "" } else { ["a", "b", "c"][(at + at / 6) % 3] };
    let age = |at: usize| if at.is_multiple_of(5) { String::new() } else { format!("{}.5", at % 7) };
    let text = table("deck,age,class", 40, |at| format!("{},{},{}", deck(at), age(at), at % 3));
    let dataset = read_text(&text, |o| {
        o.one_hot = vec!["*".into()];
        o.missing = Missing::Mean;
    });
    let notes: Vec<String> = dataset.unwrap().notes.iter().map(ToString::to_string).collect();
    assert!(
        notes.contains(&"18 missing values in 2 columns were replaced by the column's mean".to_owned()),
        "{notes:?}"
    );
}

#[test]
fn labels_that_differ_in_case_only_are_named() {
    let text = table("a,class", 40, |at| format!("{}.5,{}", at % 7, ["Yes", "no", "yes", "maybe"][at % 4]));
    let dataset = read_text(&text, |_| {}).unwrap();
    let notes: Vec<String> = dataset.notes.iter().map(ToString::to_string).collect();
    assert_eq!(notes, ["labels differ in case or blanks only and count as different classes: 'Yes', 'yes'"]);
}

#[test]
fn lines_are_those_of_the_file_whatever_ends_them() {
    for end in ["\n", "\r\n", "\r"] {
        let file = |lines: &[&str]| lines.join(end);
        let cases = [
            (vec!["a,class", "1,x", "red,x", "3,z", ""], "line 3, column 'a': 'red'"),
            (vec!["a,class", "1,x", "", "# note", "red,x", "3,z", ""], "line 5, column 'a': 'red'"),
            (vec!["# note", "", "a,class", "1,x", "2,x,5", ""], "line 5: the row has 3 values"),
            (vec!["a,class", "1,\"x", "y\"", "red,x", "3,z"], "line 4, column 'a': 'red'"),
            (vec!["a,class", "1,x", "2,\"x", ""], "line 3: a quote is opened"),
            (vec!["a,class", "red,x", "1,x", "2,x"], "line 2, column 'a': 'red'"),
        ];
        // Comments end with a line feed.
        for (lines, place) in cases.into_iter().filter(|(lines, _)| end != "\r" || !lines.contains(&"# note"))
        {
            let error = read_text(&file(&lines), |_| {}).unwrap_err();
            assert!(error.to_string().contains(place), "{place} is not in {error}, with {end:?}");
        }
    }
}
