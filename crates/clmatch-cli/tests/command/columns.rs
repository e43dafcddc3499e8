//! What the columns of a table mean, in the words of the command.

use crate::folder::Folder;

/// Text columns with few values, with many, and with as many values as rows; and missing cells.
fn titanic() -> String {
    let deck = |row: usize| if row.is_multiple_of(4) { "" } else { ["A", "B", "C"][(row + row / 6) % 3] };
    let rows = (0..40).map(|row| {
        let (sex, age) = (
            ["male", "female"][row % 2],
            if row.is_multiple_of(5) { String::new() } else { format!("{}", 20 + row % 9) },
        );
        format!("{},\"Braund, Mr. {row}\",{sex},{age},t{},{},{}\n", row + 1, row * 3 / 4, deck(row), row % 3)
    });
    format!("PassengerId,Name,Sex,Age,Ticket,Deck,class\n{}", rows.collect::<String>())
}

#[test]
fn all_columns_of_text_are_named_with_what_to_do() {
    let folder = Folder::with("titanic.csv", titanic());
    let ran = folder.run("score titanic.csv --missing mean");
    assert_eq!(
        ran.err,
        "error: titanic.csv: 3 columns hold text: 'Sex' (2 different values such as 'male'), 'Ticket' (30 different values \
         such as 't0'), 'Deck' (3 different values such as 'B')\n\
         \x20 label     class (by its name)\n\
         \x20 features  Age\n\
         \x20 text      Sex, Deck (few values), Name, Ticket (left out)\n\
         \x20 left out  PassengerId (numbers the rows)\n\
         \x20 missing   Age 20%, Deck 25%\n\
         help: clmatch score titanic.csv --missing mean --mixed\n"
    );
    assert_eq!(ran.code, 3);
    let dropped = folder.run("score titanic.csv --missing mean --drop-text");
    assert!(
        dropped.out.starts_with("titanic: 40 points, 1 feature, 3 classes\nlabel: class (by its name)\n"),
        "{}",
        dropped.out
    );
    assert!(
        dropped.err.contains("note: 3 columns of text were dropped: 'Sex', 'Ticket', 'Deck'\n"),
        "{}",
        dropped.err
    );
}

#[test]
fn a_mixed_table_is_read_in_one_go() {
    let folder = Folder::with("titanic.csv", titanic());
    let ran = folder.run("score titanic.csv --missing mean --mixed");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("titanic: 40 points, 6 features, 3 classes\n"), "{}", ran.out);
    for said in [
        "the column 'Ticket' was left out: it holds text with too many values for indicators\n",
        "note: the column 'Deck' became 3 indicator columns\n",
    ] {
        assert!(ran.err.contains(said), "{}", ran.err);
    }
}

#[test]
fn most_rows_are_not_lost_unless_asked_for() {
    let rows = (0..30).map(|row| {
        let cabin = if row % 3 < 2 { "-".to_owned() } else { format!("{row}.5") };
        format!("{}.5,\"${},000\",{cabin},{}\n", row * 7 % 11, row + 1, ["p", "r"][row / 15])
    });
    let folder = Folder::with("a.csv", format!("a,price,cabin,kind\n{}", rows.collect::<String>()));
    let ran = folder.run("score a.csv --missing drop");
    assert_eq!(
        ran.err,
        "error: a.csv: 20 of 30 rows have a missing value, which is more than half of them: most often in 'cabin' (20)\n\
         \x20 label     kind (the only column of text); perhaps price: --label price if that is it\n\
         \x20 features  a, price, cabin\n\
         \x20 missing   cabin 67%\n\
         help: --missing mean keeps the rows, --drop cabin leaves out the column; --missing drop-any leaves the rows out, \
         however many they are\n"
    );
    assert_eq!(ran.code, 3);
    for (words, points) in [
        ("--missing mean", "30 points, 3 features"),
        ("--drop cabin", "30 points, 2 features"),
        ("--missing drop-any", "10 points, 3 features"),
        ("--missing drop-any --stream", "10 points, 3 features"),
    ] {
        let ran = folder.run(&format!("score a.csv {words}"));
        assert_eq!(ran.code, 0, "{words}: {}", ran.err);
        assert!(ran.out.starts_with(&format!("a: {points}")), "{words}: {}", ran.out);
        let said = "note: 'price' is read as numbers without the sign $, with commas between thousands\n";
        assert!(ran.err.contains(said), "{words}: {}", ran.err);
    }
    let streamed = folder.run("score a.csv --missing drop --stream");
    assert!(streamed.err.contains("20 of 30 rows have a missing value"), "{}", streamed.err);
}

#[test]
fn a_number_that_stands_for_nothing_is_named_by_the_help() {
    let rows = (0..30).map(|row| {
        let value = if row % 10 == 4 { "-999".to_owned() } else { format!("{}.5", row * 5 % 13) };
        format!("{}.5,{value},{}\n", row * 7 % 11, ["p", "r"][row / 15])
    });
    let folder = Folder::with("a.csv", format!("a,b,kind\n{}", rows.collect::<String>()));
    let ran = folder.run("score a.csv");
    assert!(
        ran.err.contains("in the column 'b', -999 in 3 rows is far outside the other values"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("--na=-999"), "{}", ran.err);
    let named = folder.run("score a.csv --na=-999 --missing mean");
    assert!(named.err.contains("3 missing values in 1 column were replaced"), "{}", named.err);
}

#[test]
fn one_hot_leaves_the_file_alone() {
    let folder = Folder::with("titanic.csv", titanic());
    for words in [
        "score --one-hot titanic.csv --missing mean --drop Ticket",
        "score --one-hot=Sex,Deck titanic.csv --missing mean --drop Ticket",
    ] {
        let ran = folder.run(words);
        assert_eq!(ran.code, 0, "{words}: {}", ran.err);
        assert!(ran.out.starts_with("titanic: 40 points, 6 features"), "{words}: {}", ran.out);
        // Eight ages and ten decks are missing in the file.
        let said = "note: 18 missing values in 2 columns were replaced by the column's mean\n";
        assert!(ran.err.contains(said), "{words}: {}", ran.err);
    }
}

#[test]
fn a_number_to_predict_is_no_label_unless_it_is_named() {
    let rows: String = (0..80).map(|row| format!("{}.5,{}\n", row % 7, 100 + row * 37 % 79)).collect();
    let folder = Folder::with("houses.csv", format!("rooms,price\n{rows}"));
    let ran = folder.run("score houses.csv");
    assert_eq!(
        ran.err,
        "error: houses.csv: 'price', taken for the label (the last column), looks like a number to predict: 79 different \
         values in 80 rows\n  label     price (the last column)\n  features  rooms\nhelp: choose a column with classes with --label; --label price makes every value a class\n"
    );
    assert_eq!(ran.code, 3);
    let named = folder.run("score houses.csv --label price --measures ch --singletons drop");
    assert!(!named.err.contains("to predict"), "{}", named.err);
}

#[test]
fn the_label_may_be_a_column_of_another_file() {
    let folder = Folder::with("points.csv", "a,b\n1,12.5\n2,3.5\n8,2.5\n9,13.5\n")
        .and("meta.csv", "cell,batch,kind\nc1,u,x\nc2,v,x\nc3,u,z\nc4,v,z\n");
    let ran = folder.run("score points.csv --labels meta.csv --label kind --measures ch");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(
        ran.out.contains("\nlabel: kind in meta.csv\nfeatures: a, b (2)\nclasses: x (2), z (2)\n"),
        "{}",
        ran.out
    );
    let other = folder.run("score points.csv --labels meta.csv --label batch --measures ch");
    assert!(other.out.contains("\nclasses: u (2), v (2)\n"), "{}", other.out);
}

#[test]
fn headers_and_titles_are_read_as_told() {
    let folder = Folder::with("years.csv", "2001,2005,2011,9\n1,2,3.5,7\n2,2,4,7\n5,5,5,8\n6,6,5,8\n")
        .and("title.csv", "Table 1\nin cm\na,b,kind\n1,2.5,x\n2,3.5,x\n8,2.5,z\n9,3.5,z\n");
    let points = |words: &str| folder.run(words).out.lines().next().unwrap_or_default().to_owned();
    assert_eq!(points("score years.csv --header --measures ch"), "years: 4 points, 3 features, 2 classes");
    assert_eq!(points("score years.csv --no-header --measures ch"), "years: 5 points, 3 features, 3 classes");
    assert_eq!(
        points("score title.csv --skip-rows 2 --measures ch"),
        "title: 4 points, 2 features, 2 classes"
    );
    assert_eq!(folder.run("score years.csv --header --no-header").code, 2);
}

#[test]
fn other_spellings_of_a_class_are_warned_about() {
    let rows: String =
        (0..24).map(|row| format!("{}.5,{}\n", row % 7, ["Yes", "no", "yes"][row % 3])).collect();
    let ran = Folder::with("survey.csv", format!("a,class\n{rows}")).run("score survey.csv --measures ch");
    assert_eq!(
        ran.err,
        "warning: labels differ in case or blanks only and count as different classes: 'Yes', 'yes'; spell them alike if \
         they are one class\n"
    );
}

/// A file of labels with several columns reports which one was used, whatever its format.
#[test]
fn label_files_of_several_columns_say_which_was_taken() {
    let rows = [("r1", "a"), ("r2", "a"), ("r3", "a"), ("r4", "b"), ("r5", "b"), ("r6", "b")];
    let lines: String =
        rows.iter().map(|(id, kind)| format!("{{\"id\": \"{id}\", \"class\": \"{kind}\"}}\n")).collect();
    let table: String = rows.iter().map(|(id, kind)| format!("{id},{kind}\n")).collect();
    let folder = Folder::with("x.csv", "x,y\n0,0\n0,1\n1,0\n9,9\n9,8\n8,9\n")
        .and("labels.jsonl", lines)
        .and("labels.csv", format!("id,class\n{table}"));
    for labels in ["labels.jsonl", "labels.csv"] {
        let ran = folder.run(&format!("score x.csv --labels {labels} --format json --measures ch_a"));
        assert_eq!(ran.code, 0, "{}", ran.err);
        let scored: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(scored["label"]["name"], format!("class in {labels}"), "{}", scored["label"]);
        assert_eq!(scored["label"]["source"], "name");
        assert_eq!(scored["classes"], 2, "{labels}");
    }
    let chosen = folder.run("score x.csv --labels labels.jsonl --label nothing");
    assert_eq!(chosen.code, 3);
    assert!(chosen.err.contains("no column 'nothing'"), "{}", chosen.err);
}
