//! `clmatch inspect`, and what is said about a file that is refused: one command, which works.

use std::fmt::Write;

use crate::folder::{Folder, Ran, TWO};

/// A table with a line for each of `rows` rows.
fn table(header: &str, rows: usize, line: impl Fn(usize) -> String) -> String {
    let mut text = format!("{header}\n");
    for row in 0..rows {
        writeln!(text, "{}", line(row)).unwrap();
    }
    text
}

/// A measurement that depends on the class.
fn number(row: usize, class: usize) -> f64 {
    (row * 7919 % 101) as f64 / 16.0 + 10.0 * class as f64
}

/// Runs the command line in the last line of a text.
fn run_last_line(folder: &Folder, text: &str) -> Ran {
    let line = text.trim_end().lines().last().unwrap();
    let (_, words) = line.split_once("clmatch ").unwrap_or_else(|| panic!("no command: {text}"));
    assert!(!words.contains(['\'', '$']), "{words}");
    folder.run(words)
}

/// Text, missing values, an id and a copy of the label.
fn titanic() -> String {
    table("survived,pclass,name,sex,age,fare,embarked,alive", 120, |row| {
        let survived = usize::from(row % 3 == 0);
        let age = if row % 5 == 0 { String::new() } else { format!("{:.1}", number(row, survived)) };
        let (sex, port) = (["male", "female"][row / 2 % 2], ["S", "C", "Q"][row / 4 % 3]);
        let alive = ["no", "yes"][survived];
        format!(
            "{survived},{},\"Doe, Mr. {row}\",{sex},{age},{:.2},{port},{alive}",
            row / 7 % 3 + 1,
            number(row * 3, survived)
        )
    })
}

fn penguins() -> String {
    table("species,island,bill_length_mm,body_mass_g,sex,year", 90, |row| {
        let class = row % 3;
        let mass = if row == 3 || row == 70 {
            "NA".to_owned()
        } else {
            (3000 + 41 * class + row * 37 % 900).to_string()
        };
        let species = ["Adelie", "Chinstrap", "Gentoo"][class];
        let (island, sex) = (["Biscoe", "Dream"][row / 5 % 2], ["male", "female"][row / 3 % 2]);
        format!("{species},{island},{:.1},{mass},{sex},{}", number(row, class), 2007 + row / 11 % 3)
    })
}

fn decimal_commas() -> String {
    table("length;width;class", 60, |row| {
        let class = row % 2;
        format!("{},{};{},5;{}", 10 * class + row % 7, row % 10, row % 5, ["a", "b"][class])
    })
}

fn one_class_of_one_point() -> String {
    table("length,width,class", 61, |row| {
        let class = if row == 60 { "rare" } else { ["a", "b"][row % 2] };
        format!("{},{},{class}", number(row, row % 2), number(row * 5, row % 2))
    })
}

#[test]
fn a_refused_file_comes_with_one_command_that_works() {
    for (name, text, needs) in [
        ("titanic.csv", titanic(), vec!["--missing mean", "sex"]),
        ("penguins.csv", penguins(), vec!["--missing drop", "island", "sex"]),
        ("commas.csv", decimal_commas(), vec!["--decimal-comma"]),
        ("single.csv", one_class_of_one_point(), vec!["--singletons drop"]),
    ] {
        let folder = Folder::with(name, text);
        let refused = folder.run(&format!("score {name}"));
        assert_eq!(refused.code, 3, "{name}");
        assert!(refused.err.starts_with("error: "), "{}", refused.err);
        assert!(refused.err.contains("\n  label     "), "{}", refused.err);
        for need in needs {
            assert!(refused.err.contains(need), "{name}: {need}: {}", refused.err);
        }
        let ran = run_last_line(&folder, &refused.err);
        assert_eq!(ran.code, 0, "{name}: {}{}", refused.err, ran.err);
        // The same command is at the end of the inspection.
        let inspected = folder.run(&format!("inspect {name}"));
        assert_eq!((inspected.code, inspected.err.as_str()), (0, ""), "{name}");
        assert_eq!(
            inspected.out.lines().last(),
            refused.err.lines().last().and_then(|line| line.strip_prefix("help: "))
        );
    }
}

#[test]
fn the_command_is_the_users_own() {
    let folder = Folder::with("penguins.csv", penguins());
    let refused = folder.run("explain penguins.csv --drop year --missing error --seed 3 -q");
    let last = refused.err.lines().last().unwrap();
    assert!(last.starts_with("help: clmatch explain penguins.csv --drop year --seed 3 -q"), "{last}");
    assert!(last.contains("--missing drop") && !last.contains("--missing error"), "{last}");
    assert_eq!(run_last_line(&folder, &refused.err).code, 0);
    // New labels need no features.
    assert_eq!(folder.run("relabel penguins.csv --merge Adelie,Gentoo -o out.csv").code, 0);
}

#[test]
fn without_a_command_that_works_the_advice_stays() {
    let folder = Folder::with("two.csv", TWO).and("ragged.csv", "x,y,label\n1,2,a\n1,2\n3,4,b\n");
    let refused = folder.run("score two.csv --label colour");
    assert!(refused.err.contains("there is no column 'colour'"), "{}", refused.err);
    assert!(refused.err.ends_with("help: the columns are 'x', 'y', 'label'\n"), "{}", refused.err);
    let refused = folder.run("score ragged.csv");
    assert!(refused.err.contains("help: ") && !refused.err.contains("help: clmatch"), "{}", refused.err);
    assert_eq!(folder.run("score nothing.csv").code, 3);
}

#[test]
fn an_inspection_shows_every_column_with_its_role() {
    let folder = Folder::with("titanic.csv", titanic());
    let json = folder.json("inspect titanic.csv --format json");
    assert_eq!(json["schema"], "clmatch/inspect/1");
    assert_eq!((&json["rows_seen"], &json["points"]["rows"]), (&120.into(), &120.into()));
    let columns = json["columns"].as_array().unwrap();
    let of = |name: &str| columns.iter().find(|column| column["name"] == name).unwrap();
    assert_eq!((&of("age")["type"], &of("age")["role"]), (&"number".into(), &"feature".into()));
    assert_eq!(of("age")["missing"], 0.2);
    assert_eq!((&of("sex")["role"], &of("sex")["distinct"]), (&"indicators".into(), &2.into()));
    assert_eq!(of("name")["role"], "left-out");
    assert_eq!(of("name")["examples"][1], "Doe, Mr. 1");
    let labels = columns.iter().filter(|column| column["role"] == "label").count();
    assert_eq!(labels, 1);
    let narrow = folder.command().args(["inspect", "titanic.csv"]).env("COLUMNS", "80").output().unwrap();
    let narrow = Ran::of(narrow).out;
    assert!(narrow.contains("titanic: 120 points, each named by 'name', "), "{narrow}");
    assert_eq!(folder.out("inspect titanic.csv --format csv -q").lines().count(), 9);
    assert!(folder.out("inspect titanic.csv --format markdown").contains("| # | column |"), "markdown");
}

#[test]
fn an_inspection_says_what_was_decided_about_the_file() {
    let text = format!("Report of the year\n\n{}TOTAL,900.5,,,,\n", penguins());
    let folder = Folder::with("report.csv", text);
    let shown = folder.out("inspect report.csv");
    let markdown = folder.out("inspect report.csv --format markdown");
    for said in ["'Report of the year'", "footer", "'island'"] {
        assert!(
            shown.lines().any(|line| line.starts_with("note: ") && line.contains(said)),
            "{said}: {shown}"
        );
        assert!(markdown.contains(said), "{said}: {markdown}");
    }
    assert!(markdown.contains("label: species (by its name)"), "{markdown}");
    // A table in CSV has room for columns only.
    let csv = folder.run("inspect report.csv --format csv");
    assert!(!csv.out.contains("note") && csv.err.contains("note: label: species"), "{}", csv.err);
    assert_eq!(run_last_line(&folder, &csv.err).code, 0);
    assert_eq!(folder.run("inspect report.csv --format csv -q").err, "");
    let first = &folder.json("inspect report.csv --format json")["columns"][2]["first"];
    assert_eq!((&first[0], first.as_array().unwrap().len()), (&"0.0".into(), 8), "{first}");
}

#[test]
fn wide_tables_and_matrices_are_short() {
    let names: Vec<String> = (0..50).map(|at| format!("x{at}")).collect();
    let wide = table(&(names.join(",") + ",class"), 20, |row| {
        let cells: Vec<String> = (0..50).map(|at| (row * (at + 3) % 17).to_string() + ".5").collect();
        format!("{},{}", cells.join(","), row % 2)
    });
    let folder = Folder::with("wide.csv", wide).and("rows.json", "[[1.5,2,0],[2,3.5,1],[1,2.5,0],[4,5,1]]");
    let shown = folder.out("inspect wide.csv");
    assert!(shown.contains("x29") && !shown.contains("x30 "), "{shown}");
    assert!(shown.contains("and 20 columns more, which are features"), "{shown}");
    let shown = folder.out("inspect rows.json --label -1");
    assert!(shown.contains("2 numbers per row, without names"), "{shown}");
    assert!(shown.ends_with("clmatch score rows.json --label=-1\n"), "{shown}");
}

#[test]
fn standard_input_is_inspected() {
    let folder = Folder::new();
    let ran = Ran::of(folder.command().args(["inspect", "-"]).write_stdin(penguins()).output().unwrap());
    assert!(ran.code == 0 && ran.out.contains("species"), "{}{}", ran.out, ran.err);
    let ran = Ran::of(folder.command().args(["inspect", "-"]).write_stdin("").output().unwrap());
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.out.contains("the file is empty"), "{}", ran.out);
}
