//! Look-alikes of tables that once were misread in silence, or took several refusals. Each is read correctly at once, or refused
//! with one command that reads it correctly, or refused because it holds no classes.

use std::fmt::Write as _;

use serde_json::Value;

use super::sheet::{Content, chance, kinds, real, text, two, whole};
use crate::folder::{Folder, Ran};

/// How the reading of a file ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// It is scored at once, or after the command that the refusal gives.
    Scored,
    /// It is refused with these words, and no command is given.
    Refused(&'static str),
}

struct Case {
    file: &'static str,
    bytes: Vec<u8>,
    /// The column that must become the label.
    label: &'static str,
    /// Columns that must not become features, nor indicators.
    never: &'static [&'static str],
    /// Columns that must become features, by themselves or as indicators.
    always: &'static [&'static str],
    /// How many rows are points.
    points: usize,
    ends: Ends,
}

impl Case {
    fn never(self, never: &'static [&'static str]) -> Self {
        Case { never, ..self }
    }

    fn always(self, always: &'static [&'static str]) -> Self {
        Case { always, ..self }
    }

    fn refused(self, words: &'static str) -> Self {
        Case { ends: Ends::Refused(words), ..self }
    }
}

const ROWS: usize = 150;

fn case(file: &'static str, bytes: impl Into<Vec<u8>>, label: &'static str) -> Case {
    let bytes = bytes.into();
    Case { file, bytes, label, never: &[], always: &[], points: ROWS, ends: Ends::Scored }
}

/// The rows of a table, with a header.
fn table(separator: &str, rows: usize, columns: &[(&str, Content)]) -> String {
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let mut written = names.join(separator) + "\n";
    for row in 0..rows {
        let cells: Vec<String> = columns.iter().map(|(_, content)| content(row)).collect();
        written += &(cells.join(separator) + "\n");
    }
    written
}

/// A comma-separated table of 150 rows with two measurements before the columns.
fn measured(columns: Vec<(&'static str, Content)>) -> String {
    let mut all: Vec<(&'static str, Content)> = vec![("length", real(1)), ("width", real(2))];
    all.extend(columns);
    table(",", ROWS, &all)
}

fn cells(of: impl Fn(usize) -> String + 'static) -> Content {
    Box::new(of)
}

fn species() -> (&'static str, Content) {
    ("species", kinds(["setosa", "versicolor", "virginica"]))
}

fn copies_of_the_label() -> Vec<Case> {
    let code = || kinds(["0", "1", "2"]);
    let names = || kinds(["setosa", "versicolor", "virginica"]);
    vec![
        case("target_and_name.csv", measured(vec![("target_name", names()), ("target", code())]), "target")
            .never(&["target_name"]),
        case("leak_code.csv", measured(vec![("kind_no", code()), species()]), "species").never(&["kind_no"]),
        case("leak_ypred.csv", measured(vec![("y_pred", code()), species()]), "species").never(&["y_pred"]),
        case("cluster_named.csv", measured(vec![("Cluster", code()), species()]), "species")
            .never(&["Cluster"]),
        case(
            "fold_col.csv",
            measured(vec![("fold", cells(|row| (row * 7 % 5).to_string())), species()]),
            "species",
        )
        .never(&["fold"]),
        case(
            "split_col.csv",
            measured(vec![
                ("split", cells(|row| if row % 4 == 1 { "test" } else { "train" }.to_owned())),
                species(),
            ]),
            "species",
        )
        .never(&["split"]),
        case(
            "zip.csv",
            measured(vec![("zip", cells(|row| format!("{:05}", 2100 + row * 613 % 9000))), species()]),
            "species",
        )
        .never(&["zip"]),
    ]
}

fn text_and_missing_values() -> Vec<Case> {
    let some = |every: usize, content: Content| -> Content {
        cells(move |row| if row % every == 1 { String::new() } else { content(row) })
    };
    vec![
        case(
            "penguins.csv",
            measured(vec![
                ("island", kinds(["Biscoe", "Dream", "Torgersen"])),
                ("mass", some(30, real(3))),
                ("sex", some(25, two(["male", "female"]))),
                species(),
            ]),
            "species",
        )
        .never(&["island"])
        .always(&["length", "width", "mass"]),
        case(
            "titanic.csv",
            measured(vec![
                ("PassengerId", cells(|row| (row + 1).to_string())),
                ("Name", text("name")),
                ("Sex", cells(|row| ["male", "female"][usize::from(chance(4, row) < 0.4)].to_owned())),
                ("Age", some(5, real(5))),
                ("Cabin", cells(|row| if row % 5 == 0 { format!("C{row}") } else { String::new() })),
                ("Survived", two(["0", "1"])),
            ]),
            "Survived",
        )
        .never(&["PassengerId", "Name", "Cabin"])
        .always(&["length", "Age"]),
        case(
            "none.csv",
            measured(vec![
                ("guarantor", cells(|row| if row % 20 == 0 { "co-signer" } else { "none" }.to_owned())),
                species(),
            ]),
            "species",
        ),
        case(
            "mixed_na.csv",
            measured(vec![
                (
                    "height",
                    cells(|row| {
                        ["-", "NA", "."].get(row % 40).map_or_else(|| real(6)(row), |&s| s.to_owned())
                    }),
                ),
                species(),
            ]),
            "species",
        )
        .always(&["height"]),
        case("percent.csv", measured(vec![("share", cells(|row| real(7)(row) + "%")), species()]), "species")
            .always(&["share"]),
        case(
            "money.csv",
            measured(vec![
                ("price", cells(|row| format!("\"$1,{:03}.50\"", row % 3 * 300 + row))),
                species(),
            ]),
            "species",
        )
        .always(&["price"]),
        case(
            "thousands.csv",
            measured(vec![
                ("people", cells(|row| format!("\"{},{:03}\"", 10 + row % 3 * 9, row * 7 % 1000))),
                species(),
            ]),
            "species",
        )
        .always(&["people"]),
    ]
}

fn numbers_to_predict() -> Vec<Case> {
    let no_classes = "looks like a number to predict";
    let age = |rows: usize| {
        let bell = |seed: u64| {
            cells(move |row| {
                format!("{:.1}", 100.0 + 20.0 * chance(seed, row) + 20.0 * chance(seed + 9, row))
            })
        };
        table(",", rows, &[("height", bell(1)), ("weight", bell(2)), ("age", whole(3, 20, 64))])
    };
    vec![
        case("age.csv", age(500), "age").refused(no_classes),
        case("age_last_5000.csv", age(5000), "age").refused(no_classes),
        case(
            "price_k.csv",
            table(",", 5000, &[("rooms", real(1)), ("area", real(2)), ("price", whole(4, 80, 900))]),
            "price",
        )
        .refused(no_classes),
    ]
}

fn layouts() -> Vec<Case> {
    let plain = || measured(vec![species()]);
    let title = format!("Report of the year\nmade by us\n\n{}", plain());
    let semicolons = format!("sep=;\n{}", plain().replace(',', ";"));
    let trailing: String = plain().lines().fold(String::new(), |mut all, line| {
        let _ = writeln!(all, "{line},");
        all
    });
    let total = format!("{}TOTAL,300.5,\n", plain());
    let lists = |open: &str, between: &str, close: &str| -> Content {
        let (open, between, close) = (open.to_owned(), between.to_owned(), close.to_owned());
        cells(move |row| {
            let numbers: Vec<String> = (1..5).map(|seed| real(seed)(row)).collect();
            format!("{open}{}{close}", numbers.join(&between))
        })
    };
    let json_lines: String = (0..ROWS)
        .map(|row| {
            let list = lists("[", ", ", "]")(row);
            format!(
                "{{\"id\": \"item {row}\", \"label\": \"{}\", \"embedding\": {list}}}\n",
                ["a", "b", "c"][row % 3]
            )
        })
        .collect();
    let by_column = |content: &Content, quote: &str| {
        let cells: Vec<String> =
            (0..ROWS).map(|row| format!("\"{row}\":{quote}{}{quote}", content(row))).collect();
        format!("{{{}}}", cells.join(","))
    };
    let to_json = format!(
        "{{\"length\":{},\"width\":{},\"species\":{}}}",
        by_column(&real(1), ""),
        by_column(&real(2), ""),
        by_column(&species().1, "\"")
    );
    vec![
        case("title_rows.csv", title, "species"),
        case("excel_sep.csv", semicolons, "species"),
        case("trailing_comma.csv", trailing, "species"),
        case("trailing_total.csv", total, "species"),
        case(
            "embedding_json.csv",
            table(",", ROWS, &[("vector", lists("\"[", ", ", "]\"")), species()]),
            "species",
        ),
        case(
            "embedding_numpy_str.csv",
            table(",", ROWS, &[("vector", lists("[", " ", "]")), species()]),
            "species",
        ),
        case("embedding_list.jsonl", json_lines, "label"),
        case("to_json.json", to_json, "species"),
    ]
}

fn all() -> Vec<Case> {
    [copies_of_the_label(), text_and_missing_values(), numbers_to_predict(), layouts()]
        .into_iter()
        .flatten()
        .collect()
}

/// The command that a refusal gives, as words.
fn command(err: &str) -> Option<Vec<String>> {
    let line = err.lines().find_map(|line| line.strip_prefix("help: clmatch "))?;
    // The names of the columns here need no quotes.
    Some(line.split_whitespace().map(str::to_owned).collect())
}

/// What is wrong with how a case ends, if anything.
fn wrong(case: &Case) -> Option<String> {
    let folder = Folder::with(case.file, &case.bytes);
    let first = folder.run(&format!("score {} --measures ch_a --format json", case.file));
    let scored = match (first.code, command(&first.err), case.ends) {
        (0, _, Ends::Refused(_)) => return Some(format!("was not refused: {}", first.out)),
        (0, _, Ends::Scored) => first,
        (_, None, Ends::Refused(words)) if first.err.contains(words) => return None,
        (_, _, Ends::Refused(words)) => {
            return Some(format!("expected '{words}' and no command: {}", first.err));
        }
        (_, None, Ends::Scored) => return Some(format!("was refused without a command: {}", first.err)),
        (_, Some(words), Ends::Scored) => {
            let second = folder.run(&words.join(" "));
            if second.code != 0 {
                return Some(format!("{} did not help: {}", words.join(" "), second.err));
            }
            second
        }
    };
    let found: Value = serde_json::from_str(&scored.out).ok()?;
    let features: Vec<&str> =
        found["features_used"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let uses = |column: &&&str| {
        features.iter().any(|feature| {
            *feature == **column || feature.strip_prefix(**column).is_some_and(|rest| rest.starts_with('='))
        })
    };
    if found["label"]["name"] != case.label {
        return Some(format!("the label is {}", found["label"]));
    }
    if let Some(leak) = case.never.iter().find(uses) {
        return Some(format!("'{leak}' is a feature: {features:?}"));
    }
    if let Some(lost) = case.always.iter().find(|column| !uses(column)) {
        return Some(format!("'{lost}' is no feature: {features:?}"));
    }
    (found["points"] != case.points)
        .then(|| format!("{} points of {}: {}", found["points"], case.points, scored.err))
}

#[test]
fn every_refusal_gives_a_command_that_works() {
    let cases = all();
    let found: Vec<String> =
        cases.iter().filter_map(|case| Some(format!("{}: {}", case.file, wrong(case)?))).collect();
    assert!(found.is_empty(), "{} of {} cases:\n{}", found.len(), cases.len(), found.join("\n"));
}

/// Runs a command, and then the one that its refusal gives. What is wrong with that, if anything.
fn refused_once(folder: &Folder, words: &str, input: &[u8]) -> Option<String> {
    let run = |words: &str| {
        Ran::of(folder.command().args(words.split_whitespace()).write_stdin(input).output().unwrap())
    };
    let first = run(words);
    if first.code != 3 || !first.err.contains("\n  label     ") {
        return Some(format!("was not refused with its roles: {}", first.err));
    }
    let Some(command) = command(&first.err) else {
        return Some(format!("was refused without a command: {}", first.err));
    };
    let command = command.join(" ");
    let second = run(&command);
    (second.code != 0).then(|| format!("{command} did not help: {}", second.err))
}

#[test]
fn every_command_that_reads_a_file_gives_a_command_that_works() {
    let files = ["leak_code.csv", "fold_col.csv", "penguins.csv", "titanic.csv"];
    let cases: Vec<Case> = all().into_iter().filter(|case| files.contains(&case.file)).collect();
    assert_eq!(cases.len(), files.len());
    let mut wrong = Vec::new();
    for Case { file, bytes, .. } in &cases {
        let folder = Folder::with(file, bytes);
        let mut commands = vec![
            format!("rank {file} --measures ch_a"),
            format!("explain {file}"),
            format!("improve {file} -o out.csv --budget 1"),
            format!("report {file} --null 0 --no-ci -o report.html"),
            format!("truth {file} --techniques birch --budget 0"),
            format!("classify {file} --classifiers knn"),
            format!("compare {file} {file} --measures ch_a"),
            format!("score {file} --stream --measures ch_a"),
            "score - --measures ch_a".to_owned(),
            "explain -".to_owned(),
        ];
        // The mean of a column is not known before the end of a file that grows.
        let has_gaps = ["titanic.csv", "penguins.csv"].contains(file);
        commands.extend((!has_gaps).then(|| format!("watch {file} --once --window 60")));
        for words in commands {
            wrong.extend(refused_once(&folder, &words, bytes).map(|what| format!("{words}: {what}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn errors_among_many_come_with_their_roles_and_a_command() {
    let mut folder = Folder::new();
    for case in all().into_iter().filter(|case| ["penguins.csv", "leak_code.csv"].contains(&case.file)) {
        folder = folder.and(&format!("d/{}", case.file), &case.bytes);
    }
    let ran = folder.run("rank d --measures ch_a --verbose");
    assert_eq!(ran.err.matches("\n  label     species").count(), 2, "{}", ran.err);
    let commands: Vec<&str> =
        ran.err.lines().filter_map(|line| line.strip_prefix("help: clmatch ")).collect();
    assert_eq!(commands.len(), 2, "{}", ran.err);
    for words in commands {
        assert_eq!(folder.run(words).code, 0, "{words}");
    }
}
