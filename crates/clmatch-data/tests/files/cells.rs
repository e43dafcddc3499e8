//! What cells mean: quantities with signs and separators, letters for yes and no, words for missing values, and mixed tables.

use clmatch_data::{Dataset, LeftOutReason, Missing, ReadError, ReadOptions, Severity, read_bytes};

use crate::common::{Case, Read, Refused, case, check};

/// Thirty rows with a measurement, a column `q`, and a label.
fn with_column(cell: impl Fn(usize) -> String) -> String {
    let rows = (0..30).map(|at| {
        let (measured, label) = (at * 7 % 11, ["p", "r", "s"][at % 3]);
        format!("{measured}.5,\"{}\",{label}\n", cell(at))
    });
    format!("a,q,kind\n{}", rows.collect::<String>())
}

fn read_text(text: &str, change: impl FnOnce(&mut ReadOptions)) -> Result<Dataset, ReadError> {
    let mut options = ReadOptions::default();
    change(&mut options);
    read_bytes("a.csv", text.to_owned().into(), &options)
}

/// The values of the last feature.
fn last(dataset: &Dataset) -> Vec<f64> {
    let features = dataset.n_features();
    (0..dataset.n_points()).map(|row| dataset.values().get(row * features + features - 1)).collect()
}

#[test]
fn quantities_are_numbers() {
    type Quantity = (fn(usize) -> String, fn(usize) -> f64, &'static str);
    let cases: [Quantity; 6] = [
        (|at| format!("{at}.25%"), |at| at as f64 + 0.25, "without the sign %"),
        (
            |at| format!("${},{:03}", at + 1, at),
            |at| 1000.0 * (at + 1) as f64 + at as f64,
            "without the sign $",
        ),
        (|at| format!("-{at}.5 €"), |at| -(at as f64) - 0.5, "without the sign €"),
        (|at| format!("{},000", at + 1), |at| 1000.0 * (at + 1) as f64, "with commas between thousands"),
        (|at| format!("{} 000", at + 1), |at| 1000.0 * (at + 1) as f64, "with blanks between thousands"),
        (
            |at| if at < 9 { format!("{at}00") } else { format!("{at},100") },
            |at| if at < 9 { 100.0 * at as f64 } else { 1000.0 * at as f64 + 100.0 },
            "with commas between thousands",
        ),
    ];
    for (cell, value, said) in cases {
        let dataset = read_text(&with_column(cell), |_| {}).unwrap_or_else(|error| panic!("{said}: {error}"));
        assert_eq!(dataset.features(), ["a", "q"], "{said}");
        assert_eq!(last(&dataset), (0..30).map(value).collect::<Vec<_>>(), "{said}");
        let notes: Vec<String> = dataset.notes.iter().map(ToString::to_string).collect();
        assert!(
            notes.iter().any(|note| note.starts_with("'q' is read as numbers") && note.contains(said)),
            "{notes:?}"
        );
    }
}

#[test]
fn decimal_commas_go_with_points_between_thousands() {
    let row = |at: usize| format!("{};{}.{at:03},5;{}\n", at * 7 % 11, at + 1, ["p", "r"][at % 2]);
    let text = format!("a;q;kind\n{}", (0..30).map(row).collect::<String>());
    let dataset = read_text(&text, |options| options.decimal_comma = true).unwrap();
    assert_eq!(last(&dataset)[3], 4003.5);
    let error = read_text(&text, |_| {}).unwrap_err();
    assert!(error.advice.unwrap().to_string().contains("commas stand for decimal points"), "{}", error.what);
}

#[test]
fn doubtful_commas_are_a_warning_or_refused() {
    let semicolons: String =
        (0..30).map(|at| format!("{at};{},250;{}\n", at + 1, ["p", "r"][at % 2])).collect();
    let dataset = read_text(&format!("a;q;kind\n{semicolons}"), |o| o.keep = vec!["a".into()]).unwrap();
    let note = dataset.notes.iter().find(|note| note.to_string().contains("thousands")).unwrap();
    assert_eq!(note.severity(), Severity::Warning);
    assert!(note.advice().unwrap().to_string().contains("decimal points"));
    check(&[
        case(
            "mixed commas",
            "a.csv",
            with_column(|at| format!("{at},{}", if at > 3 { "125" } else { "5" })),
            Refused(&["line 2, column 'q': '0,5' is not a number", "decimal points"]),
        ),
        case(
            "other currency",
            "a.csv",
            with_column(|at| format!("{}{at}", if at > 3 { "€" } else { "$" })),
            Refused(&["'q' holds text"]),
        ),
        case(
            "share and percent",
            "a.csv",
            with_column(|at| if at > 3 { format!("{at}%") } else { "0.04".into() }),
            Refused(&["'q'"]),
        ),
        case("unit", "a.csv", with_column(|at| format!("{at} kg")), Refused(&["column 'q' holds text"])),
    ]);
}

#[test]
fn a_later_cell_in_another_notation_has_its_line() {
    // The first rows decide on a file of more than 4 MB, and all rows on a smaller one.
    let zeros = "0".repeat(2000);
    let padded = |zeros: &str, cell: &'static str, usual: fn(usize) -> String| {
        let rows = (0..2500).map(|at| {
            let cell = if at == 2400 { cell.to_owned() } else { usual(at) };
            format!("{}.5{zeros},\"{cell}\",{}\n", at * 7 % 11, ["p", "r"][at % 2])
        });
        format!("a,q,kind\n{}", rows.collect::<String>())
    };
    let late = |cell, usual| padded(&zeros, cell, usual);
    check(&[
        case(
            "percent",
            "a.csv",
            late("0.5", |at| format!("{}%", at % 90 + 5)),
            Refused(&[
                "line 2402, column 'q': '0.5' is not written like the numbers of the first rows, which are read without the sign %",
            ]),
        ),
        case(
            "thousands in a small file",
            "a.csv",
            padded("", "2,000", |at| (at % 900 + 5).to_string()),
            Read(2500, 2, 2, &["with commas between thousands"]),
        ),
        case(
            "thousands",
            "a.csv",
            late("2,000", |at| (at % 900 + 5).to_string()),
            Refused(&["line 2402, column 'q': '2,000' is not a number", "correct or remove the row"]),
        ),
        case(
            "currency",
            "a.csv",
            late("$2,000", |at| format!("${}", at % 900)),
            Read(2500, 2, 2, &["without the sign $"]),
        ),
    ]);
}

#[test]
fn letters_for_yes_and_no_are_numbers() {
    let letters = with_column(|at| ["y", "N"][usize::from(at % 4 > 1)].to_owned());
    let dataset = read_text(&letters, |options| options.label = Some("kind".into())).unwrap();
    assert_eq!(last(&dataset)[..4], [1.0, 1.0, 0.0, 0.0]);
    let as_label = |options: &mut ReadOptions| {
        options.label = Some("q".into());
        options.drop = vec!["kind".into()];
    };
    check(&[
        case("letters", "a.csv", letters.clone(), Read(30, 2, 3, &[]))
            .with(|o| o.label = Some("kind".into())),
        case("label", "a.csv", letters, Read(30, 1, 2, &[])).with(as_label),
        case(
            "other letters",
            "a.csv",
            with_column(|at| ["y", "n", "u"][at * 7 % 5 % 3].to_owned()),
            Refused(&["holds text"]),
        )
        .with(|o| o.label = Some("kind".into())),
    ]);
}

#[test]
fn missing_markers_depend_on_the_column() {
    let every_ninth = |marker: &'static str, other: fn(usize) -> String| {
        with_column(move |at| if at % 9 == 4 { marker.to_owned() } else { other(at) })
    };
    let number: fn(usize) -> String = |at| format!("{}.25", at * 5 % 13);
    let word: fn(usize) -> String = |at| ["airbag", "belt"][at * 5 % 7 % 2].to_owned();
    let mean = |o: &mut ReadOptions| (o.missing, o.label) = (Missing::Mean, Some("kind".into()));
    let indicators = |o: &mut ReadOptions| (o.one_hot, o.label) = (vec!["q".into()], Some("kind".into()));
    let imputed = Read(30, 2, 3, &["3 missing values in 1 column were replaced"]);
    let mut cases: Vec<Case> = vec![
        case("dash", "a.csv", every_ninth("-", number), imputed).with(mean),
        case(
            "point",
            "a.csv",
            every_ninth(".", number),
            Read(30, 2, 3, &["a lone '-' or '.' is read as a missing value"]),
        )
        .with(mean),
        case(
            "dash refused",
            "a.csv",
            every_ninth("-", number),
            Refused(&["line 6, column 'q': the value is missing ('-')"]),
        ),
        case(
            "none among numbers",
            "a.csv",
            every_ninth("None", number),
            Read(30, 2, 3, &["3 missing values"]),
        )
        .with(mean),
        case(
            "none among words",
            "a.csv",
            every_ninth("None", word),
            Read(30, 4, 3, &["'q' 'None' is read as a value"]),
        )
        .with(indicators),
        case(
            "named",
            "a.csv",
            every_ninth("None", word),
            Refused(&["line 6, column 'q': the value is missing"]),
        )
        .with(indicators)
        .with(|o| o.missing_values = vec!["None".into()]),
    ];
    let named = |values: &[&str]| values.iter().map(ToString::to_string).collect::<Vec<_>>();
    for (name, marker) in [("sentinel", "-999"), ("point sentinel", "-999.0"), ("unknown", "unknown")] {
        let values = named(&["-999", "unknown"]);
        cases.push(
            case(name, "a.csv", every_ninth(marker, number), Read(30, 2, 3, &["3 missing values"]))
                .with(mean)
                .with(|o| o.missing_values = values.clone()),
        );
        cases.push(
            case(name, "a.csv", every_ninth(marker, number), Read(27, 2, 3, &["3 of 30 rows were dropped"]))
                .with(|o| (o.missing, o.missing_values) = (Missing::Drop, values)),
        );
    }
    cases.push(
        case("label", "a.csv", with_column(number), Read(20, 2, 2, &["10 of 30 rows were dropped"]))
            .with(|o| (o.missing, o.missing_values) = (Missing::Drop, named(&["s"]))),
    );
    cases.push(
        case(
            "json",
            "a.json",
            "[{\"a\":1,\"q\":-999,\"kind\":\"p\"},{\"a\":2,\"q\":3,\"kind\":\"r\"}]",
            Refused(&["row 1, column 'q': the value is missing"]),
        )
        .with(|o| o.missing_values = named(&["-999"])),
    );
    check(&cases);
}

#[test]
fn numbers_that_stand_for_nothing_are_a_warning() {
    let text = with_column(|at| if at % 9 == 4 { "-999".into() } else { format!("{}.25", at * 5 % 13) });
    check(&[
        case("sentinel", "a.csv", text.clone(), Read(30, 2, 3, &["column 'q', -999 in 3 rows"])),
        case("named", "a.csv", text.clone(), Read(27, 2, 3, &[]))
            .with(|o| (o.missing, o.missing_values) = (Missing::Drop, vec!["-999".into()])),
    ]);
    let dataset = read_text(&text, |_| {}).unwrap();
    let note = dataset.notes.iter().find(|note| note.severity() == Severity::Warning).unwrap();
    assert_eq!(note.advice().unwrap().to_string(), "if '-999' stands for a missing value, name it as one");
}

/// A column of few words, one of many, dates, and words for yes and no.
fn mixed() -> String {
    let rows = (0..40).map(|at| {
        let town = format!("town {}", at * 3 / 4);
        let colour = ["red", "green", "none"][at * 7 % 5 % 3];
        format!(
            "{}.5,{colour},{town},2024-01-{:02},{},{}\n",
            at * 7 % 11,
            at % 28 + 1,
            ["yes", "no"][at % 2],
            at % 3
        )
    });
    format!("a,colour,town,day,smoker,class\n{}", rows.collect::<String>())
}

#[test]
fn mixed_tables_are_read_in_one_go() {
    check(&[
        case(
            "refused",
            "a.csv",
            mixed(),
            Refused(&[
                "3 columns hold text: 'colour'",
                "read it as a mixed table, which turns 'colour' into indicators and leaves out 'town', 'day'",
            ]),
        ),
        case(
            "mixed",
            "a.csv",
            mixed(),
            Read(40, 5, 3, &["'town' was left out", "'day' was left out", "'colour' became 3"]),
        )
        .with(|o| o.mixed = true),
        case("kept", "a.csv", mixed(), Read(40, 35, 3, &["'town' became 30"]))
            .with(|o| (o.mixed, o.keep) = (true, vec!["town".into()])),
        case("label", "a.csv", mixed(), Read(40, 5, 3, &["'town' was left out", "'class' became 3"]))
            .with(|o| (o.mixed, o.label, o.one_hot) = (true, Some("colour".into()), vec!["class".into()])),
    ]);
    let dataset = read_text(&mixed(), |options| options.mixed = true).unwrap();
    assert_eq!(dataset.features(), ["a", "colour=green", "colour=none", "colour=red", "smoker"]);
    let reasons: Vec<LeftOutReason> = dataset.left_out().iter().map(|column| column.reason).collect();
    assert_eq!(reasons, [LeftOutReason::ManyTexts, LeftOutReason::Time]);
}

#[test]
fn more_than_half_of_the_rows_are_not_lost_unless_asked_for() {
    let gaps = |every: usize| {
        with_column(move |at| if at % every == 0 { String::new() } else { format!("{}.25", at * 5 % 13) })
    };
    let mostly_empty = with_column(|at| if at % 3 < 2 { String::new() } else { format!("{at}") });
    let how = |missing| move |o: &mut ReadOptions| o.missing = missing;
    check(&[
        case(
            "few",
            "a.csv",
            gaps(30),
            Read(29, 2, 3, &["1 of 30 rows was dropped because a value is missing"]),
        )
        .with(how(Missing::Drop)),
        case(
            "some",
            "a.csv",
            gaps(10),
            Read(27, 2, 3, &["3 of 30 rows were dropped because a value is missing, most often in 'q' (3)"]),
        )
        .with(how(Missing::Drop)),
        case(
            "most",
            "a.csv",
            mostly_empty.clone(),
            Refused(&[
                "20 of 30 rows have a missing value, which is more than half of them: most often in 'q' (20)",
                "leave out 'q'",
            ]),
        )
        .with(how(Missing::Drop)),
        case("any", "a.csv", mostly_empty.clone(), Read(10, 2, 1, &["20 of 30 rows"]))
            .with(how(Missing::DropAny)),
        case("mean", "a.csv", mostly_empty, Read(30, 2, 3, &["20 missing values"])).with(how(Missing::Mean)),
    ]);
    let unlabelled = with_column(|at| at.to_string()).replacen(",s\n", ",\n", 4);
    let dataset = read_text(&unlabelled, how(Missing::Mean)).unwrap();
    assert_eq!(dataset.n_points(), 26);
    let note = dataset.notes.iter().find(|note| note.severity() == Severity::Warning).unwrap();
    assert_eq!(note.to_string(), "4 of 30 rows were dropped because their label is missing");
    let error =
        read_text(&unlabelled.replace(",r\n", ",\n").replace(",s\n", ",\n"), how(Missing::Mean)).unwrap_err();
    assert!(error.to_string().contains("20 of 30 rows have no label"), "{error}");
}
