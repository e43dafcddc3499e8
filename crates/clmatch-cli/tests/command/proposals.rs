//! What a refusal proposes: a command that works, or what is really in the way; and nothing in the user's name.

use crate::folder::{Folder, Ran};

fn score(content: &str, options: &str) -> Ran {
    Folder::with("f.csv", content).run(&format!("score f.csv --measures ch_a {options}"))
}

/// A table with a line for each row.
fn table(header: &str, rows: usize, line: impl Fn(usize) -> String) -> String {
    format!("{header}\n{}", (0..rows).map(|row| line(row) + "\n").collect::<String>())
}

fn number(row: usize) -> f64 {
    (row * 7919 % 101) as f64 / 8.0
}

fn named(row: usize, by: usize) -> &'static str {
    ["north", "south", "east"][row / by % 3]
}

#[test]
fn a_guessed_label_is_not_chosen_in_the_users_name() {
    let patients = table("age,sex,bmi,days", 60, |row| {
        let days = if row % 10 == 0 { (800 + row).to_string() } else { String::new() };
        format!("{},{},{},{days}", ["young", "old"][row / 3 % 2], ["F", "M"][row % 2], number(row))
    });
    let ran = score(&patients, "");
    assert_eq!(ran.code, 3);
    assert!(
        ran.err.starts_with("error: f.csv: 'days', taken for the label (the last column), holds no classes"),
        "{}",
        ran.err
    );
    let said = "\nhelp: choose the label first: --label age or --label sex, and add --mixed --missing mean\n";
    assert!(ran.err.ends_with(said), "{}", ran.err);
    assert_eq!(score(&patients, "--label sex --mixed --missing mean").code, 0);
}

#[test]
fn the_last_obstacle_is_named_where_no_command_works() {
    let wind = table("speed,gust", 60, |row| {
        format!("{},{}.5", if row == 7 { String::new() } else { number(row).to_string() }, row * row)
    });
    let ran = score(&wind, "");
    assert!(
        ran.err
            .starts_with("error: f.csv: 'gust', taken for the label (the last column), looks like a number"),
        "{}",
        ran.err
    );
    let single = score("x,label\n1,0\n2,0\n3,1\n4,0\n", "");
    assert!(single.err.contains("only one class has more than one point"), "{}", single.err);
    assert!(!single.err.contains("--singletons"), "{}", single.err);
}

#[test]
fn texts_that_are_all_different_are_no_features() {
    let tweets =
        table("id,label,tweet", 600, |row| format!("{},{},words {} more", row + 1, row % 2, row % 400));
    let ran = score(&tweets, "");
    assert_eq!(ran.code, 3);
    assert!(
        ran.err
            .contains("there is no feature besides the label, 'label', and what was left out: 'tweet', 'id'"),
        "{}",
        ran.err
    );
    assert!(!ran.err.contains("--keep") && !ran.err.contains("clmatch score"), "{}", ran.err);
}

#[test]
fn all_rows_decide_whether_a_text_gives_the_label_away() {
    let mushrooms = |exceptions: usize| {
        table("class,odor,a,b", 4000, |row| {
            let odor = if row >= 2500 && row % 10 < exceptions { "n" } else { ["n", "f"][row % 2] };
            format!("{},{odor},{},{}", ["e", "p"][row % 2], number(row), number(row + 7))
        })
    };
    let kept = score(&mushrooms(4), "--mixed");
    assert!(kept.out.starts_with("f: 4000 points, 4 features"), "{}{}", kept.out, kept.err);
    let refused = score(&mushrooms(4), "");
    assert!(
        refused.err.contains("the column 'odor' holds text: 2 different values such as 'n'"),
        "{}",
        refused.err
    );
    for options in ["", "--mixed", "--stream"] {
        let copy = score(&mushrooms(0), options);
        assert!(copy.out.starts_with("f: 4000 points, 2 features"), "{options}: {}{}", copy.out, copy.err);
        assert!(copy.err.contains("'odor' was left out: it gives the label away"), "{}", copy.err);
    }
}

#[test]
fn ids_with_missing_values_are_ids() {
    let orders = table("CustomerID,price,class", 300, |row| {
        let id = if row % 60 == 0 { String::new() } else { format!("{}.0", 13_000 + row * 7 % 250) };
        format!("{id},{},{}", number(row), ["FR", "UK", "DE"][row % 3])
    });
    for missing in ["mean", "drop"] {
        let ran = score(&orders, &format!("--missing {missing}"));
        assert!(
            ran.err.contains("'CustomerID' serves as a feature but may be an id"),
            "{missing}: {}",
            ran.err
        );
    }
}

#[test]
fn a_table_of_texts_without_a_header_keeps_its_first_row() {
    let mushrooms: String = (0..40)
        .map(|row| {
            format!("{},{},{}\n", ["e", "p"][row % 2], ["x", "b"][row / 2 % 2], ["s", "y"][row / 5 % 2])
        })
        .collect();
    let ran = score(&mushrooms, "--mixed --label 0");
    assert!(ran.out.starts_with("f: 40 points, 4 features"), "{}{}", ran.out, ran.err);
}

#[test]
fn rows_in_an_order_do_not_hide_the_label() {
    // More than a sample holds, and the first rows are all alike in 'left'.
    let staff = table("level,left,hours,salary", 30_000, |row| {
        format!(
            "0.{},{},{}.5,{}",
            row % 90 + 10,
            usize::from(row < 20_000),
            row % 97,
            ["low", "medium", "high"][row / 7 % 3]
        )
    });
    let ran = score(&staff, "");
    assert!(ran.err.contains("'left'") || ran.out.contains("left"), "{}{}", ran.out, ran.err);
    let numbers = staff.replace("low", "1").replace("medium", "2").replace("high", "3");
    let ran = score(&numbers, "");
    assert!(
        ran.err.contains("the last column, 'salary', serves as the label; 'left' is just as plausible"),
        "{}",
        ran.err
    );
}

#[test]
fn an_outcome_in_the_last_column_is_the_label() {
    let customers = |last: &'static str| {
        table(&format!("plan,calls,minutes,{last}"), 120, |row| {
            format!("{},{},{},{}", row % 2, row / 3 % 18, number(row), row / 7 % 2)
        })
    };
    for name in ["Churn", "HeartDisease", "is_phishing", "default"] {
        let ran = score(&customers(name), "");
        assert!(
            ran.err.contains(&format!("note: the last column, '{name}', serves as the label; --label")),
            "{}",
            ran.err
        );
    }
    // Counts of calls are no classes beside two codes, and other codes may be.
    let doubtful = score(&customers("more"), "");
    assert!(
        doubtful.err.contains("'more', serves as the label; 'plan' is just as plausible"),
        "{}",
        doubtful.err
    );
}

#[test]
fn parts_to_train_and_to_test_on_are_no_labels() {
    let parts = table("a,b,train,val,test,kind", 60, |row| {
        let part = |at: usize| if row % 3 == at { "True" } else { "False" };
        format!("{},{},{},{},{},{}", number(row), number(row + 3), part(0), part(1), part(2), row / 4 % 2)
    });
    let ran = score(&parts, "");
    assert!(!ran.err.contains("'test', serves") && !ran.err.contains("'train', serves"), "{}", ran.err);
    let dates = table("date,price,rooms", 40, |row| {
        format!("201405{:02}T000000,{},{}", row / 4 + 1, number(row), row % 3)
    });
    assert!(!score(&dates, "").err.contains("'date', serves as the label"));
}

#[test]
fn notes_above_a_table_of_two_columns_are_no_rows() {
    let notes: String = (0..14).map(|line| format!("note {line}: words,\n")).collect();
    let sites = (0..60).map(|row| format!("{},{}\n", named(row, 1), ["sun", "shade"][row / 7 % 2]));
    let ran = score(&format!("{notes}site,light\n{}", sites.collect::<String>()), "--mixed");
    assert!(ran.out.starts_with("f: 60 points, 3 features, 2 classes"), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("the first 14 lines were skipped as titles"), "{}", ran.err);
}

#[test]
fn small_things_are_true() {
    let signs = table("a,b,y", 40, |row| format!("{},{},{}", number(row), number(row + 5), [-1, 1][row % 2]));
    assert!(!score(&signs, "").err.contains("--noise"));
    let null = table("name,x,kind", 40, |row| {
        format!("{},{},{}", if row % 20 == 3 { r"\N" } else { named(row, 2) }, number(row), row % 2)
    });
    assert!(!score(&null, "--mixed --label kind --missing drop").out.contains(r"name=\N"));
    let versions =
        table("version,x,class", 60, |row| format!("{}.{}.0,{},{}", row % 4, row % 30, number(row), row % 2));
    assert!(!score(&versions, "--mixed").err.contains("dates or times"));
    let lists: String =
        (0..30).map(|row| format!("{} 1:{}.5 2:1\n", ["0,1", "2"][row % 2], row % 7)).collect();
    let ran = Folder::with("f.svm", lists).run("score f.svm --measures ch_a");
    assert!(ran.err.contains("warning: labels such as '0,1' list several classes"), "{}", ran.err);
    let several = Folder::with("d.data", "1 2\n3 4\n5 6\n7 9\n")
        .and("d.labels0", "1\n1\n2\n2\n")
        .and("d.labels1", "1\n2\n1\n2\n");
    assert!(several.run("score d.data").err.contains("d.labels0, d.labels1"));
    let quoted = table("['a', 'b']\tkind", 40, |row| format!("{}\t{}", number(row), row % 2));
    assert!(Folder::with("f.tab", quoted).run("score f.tab --label kind --measures ch_a").err.is_empty());
}
