//! Which column is the label, which ones give it away, and files of labels that are a line too long or too short.

use crate::folder::{Folder, Ran};

/// Three classes of fifty flowers: two measurements that look random, and what `more` adds to a row.
fn flowers(header: &str, rows: usize, more: impl Fn(usize) -> String) -> String {
    let row = |at: usize| {
        let measured = |by: usize| 10 * (at % 3) + at * by % 17;
        format!("{}.5,{}.25,{}\n", measured(7), measured(5), more(at))
    };
    format!("a,b,{header}\n{}", (0..rows).map(row).collect::<String>())
}

const KINDS: [&str; 3] = ["setosa", "versicolor", "virginica"];

fn score(content: &str, options: &str) -> Ran {
    Folder::with("f.csv", content).run(&format!("score f.csv --measures ch_a {options}"))
}

fn features(ran: &Ran) -> &str {
    ran.out.lines().next().unwrap_or_default()
}

#[test]
fn a_text_that_copies_the_label_is_left_out() {
    let named = flowers("target,target_name", 150, |at| format!("{},{}", at % 3, KINDS[at % 3]));
    for options in ["", "--one-hot", "--drop-text"] {
        let ran = score(&named, options);
        assert_eq!(features(&ran), "f: 150 points, 2 features, 3 classes", "{}", ran.err);
        let said = "note: the column 'target_name' was left out: it gives the label away, because each of its values is in one \
                    class only\n";
        assert!(ran.err.contains(said), "{}", ran.err);
    }
    let asked = score(&named, "--one-hot=target_name");
    assert_eq!(asked.code, 3);
    assert!(
        asked.err.contains("each value of the column 'target_name' is in one class only"),
        "{}",
        asked.err
    );
    let kept = score(&named, "--one-hot=target_name --keep target_name");
    assert_eq!(features(&kept), "f: 150 points, 5 features, 3 classes", "{}", kept.err);
    // The help for another text does not make indicators of it.
    let two = flowers("target,target_name,colour", 150, |at| {
        format!("{},{},{}", at % 3, KINDS[at % 3], ["red", "blue"][at % 7 % 2])
    });
    let ran = score(&two, "");
    assert!(ran.err.contains("colour (few values), target_name (left out)"), "{}", ran.err);
    assert_eq!(features(&score(&two, "--one-hot=colour")), "f: 150 points, 4 features, 3 classes");
}

#[test]
fn parts_folds_and_predictions_are_no_features() {
    let split = flowers("class,Train or Test", 150, |at| {
        format!("{},{}", KINDS[at % 3], ["Train", "Test"][at % 5 / 4])
    });
    for options in ["", "--one-hot", "--stream"] {
        let ran = score(&split, options);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(
            ran.err.contains("the column 'Train or Test' was left out: its name or values are"),
            "{}",
            ran.err
        );
    }
    for (name, value) in [("fold", "at % 5"), ("y_pred", "at % 3"), ("species_id", "at * at % 3")] {
        let numbers = flowers(&format!("{name},species"), 150, |at| {
            let number = match value {
                "at % 5" => at % 5,
                "at % 3" => at % 3,
                _ => at * at % 3,
            };
            format!("{number},{}", KINDS[at % 3])
        });
        for options in ["", "--stream"] {
            let ran = score(&numbers, options);
            assert_eq!(ran.code, 3, "{name} {options}: {}", ran.out);
            assert!(ran.err.contains(&format!("--drop {name}")), "{}", ran.err);
            assert_eq!(score(&numbers, &format!("{options} --drop {name}")).code, 0);
            assert_eq!(score(&numbers, &format!("{options} --keep {name}")).code, 0);
        }
    }
}

#[test]
fn codes_with_leading_zeros_are_no_numbers() {
    let zip = flowers("zip,class", 150, |at| format!("{:05},{}", 501 + at * 7919 % 97_000, KINDS[at % 3]));
    let ran = score(&zip, "");
    assert_eq!(features(&ran), "f: 150 points, 2 features, 3 classes");
    let said =
        "note: the column 'zip' was left out: it holds codes, not numbers; --keep zip uses it as a feature\n";
    assert!(ran.err.contains(said), "{}", ran.err);
    let kept = score(&zip, "--keep zip");
    assert_eq!(features(&kept), "f: 150 points, 3 features, 3 classes");
    assert!(!kept.err.contains("zip' would not"), "{}", kept.err);
    // Three columns of digits of one length are a table of fixed width.
    let digits = |at: usize| format!("{:03}", at * 7 % 200);
    let fixed = flowers("p,q,r,class", 150, |at| {
        format!("{},{},{},{}", digits(at), digits(at + 5), digits(at * 3), KINDS[at % 3])
    });
    assert_eq!(features(&score(&fixed, "")), "f: 150 points, 5 features, 3 classes");
}

#[test]
fn what_becomes_indicators_is_never_the_label() {
    let kinds = flowers("kind", 150, |at| KINDS[at % 3].to_owned());
    let ran = score(&kinds, "--one-hot=kind");
    assert_eq!(ran.code, 3);
    assert!(
        ran.err.contains("'b', taken for the label (the last column left for the label), looks like"),
        "{}",
        ran.err
    );
    let both = score(&kinds, "--one-hot=kind --label kind");
    assert!(both.err.contains("the label, column 'kind', is to be turned into indicators"), "{}", both.err);
}

#[test]
fn whole_numbers_are_to_be_predicted_in_however_many_rows() {
    let ages = flowers("age", 5000, |at| (20 + at * 7919 % 45).to_string());
    for options in ["", "--stream"] {
        let ran = score(&ages, options);
        let said = "'age', taken for the label (the last column), looks like a number to predict: 45 different values in";
        assert!(ran.err.contains(said) && ran.code == 3, "{options}: {}", ran.err);
        assert!(ran.err.contains("--label age makes every value a class"), "{}", ran.err);
    }
    assert_eq!(score(&ages, "--label age").code, 0);
    let letters = flowers("letter", 2600, |at| (at * 7 % 26).to_string());
    assert_eq!(features(&score(&letters, "")), "f: 2600 points, 2 features, 26 classes");
    // Before anything is said about classes of a single point.
    let geyser = flowers("waiting", 272, |at| (43 + at * at % 53).to_string());
    assert!(score(&geyser, "").err.contains("looks like a number to predict"));
}

#[test]
fn the_text_of_a_regression_is_a_doubtful_label() {
    let row = |at: usize| {
        format!("{},{},{}\n", 1949 + at / 12, ["May", "June", "July", "August"][at % 4], 104 + at * 37 % 131)
    };
    let flights = format!("year,month,passengers\n{}", (0..144).map(row).collect::<String>());
    let ran = score(&flights, "");
    assert!(
        ran.err.contains(
            "warning: the only column of text, 'month', serves as the label; 'passengers' is just as plausible"
        ),
        "{}",
        ran.err
    );
    let ran = score(&flowers("group,c", 90, |at| format!("{},{}", at % 3, at % 7)), "");
    assert!(ran.out.contains("\nlabel: group (by its name)\n"), "{}", ran.out);
    assert!(
        ran.err.contains("note: the column 'group' serves as the label because of its name; --label"),
        "{}",
        ran.err
    );
}

#[test]
fn labels_are_never_shifted_by_a_header() {
    let points: String = "a,b\n".to_owned()
        + &(0..150)
            .map(|at| format!("{}.5,{}.5\n", at % 3 * 10 + at * 7 % 11, at * 5 % 13))
            .collect::<String>();
    let labels = |count: usize| (0..count).map(|at| format!("{}\n", KINDS[at % 3])).collect::<String>();
    let numbers = |count: usize| (0..count).map(|at| format!("{}\n", at % 3)).collect::<String>();
    let with = |content: String| {
        Folder::with("f.csv", &points)
            .and("l.csv", content)
            .run("score f.csv --labels l.csv --measures ch_a --singletons drop")
    };
    for header in ["class", "kind", "Species"] {
        let ran = with(format!("{header}\n{}", labels(149)));
        let said =
            format!("there are 149 labels for 150 rows: the first line, '{header}', was read as a header");
        assert!(ran.err.contains(&said) && ran.code == 3, "{}", ran.err);
    }
    assert!(with(format!("code\n{}", numbers(149))).err.contains("'code', was read as a header"));
    let series = (0..150).map(|at| format!("{at},{}\n", at % 3)).collect::<String>();
    for right in [
        labels(150),
        numbers(150),
        format!("class\n{}", labels(150)),
        format!("0\n{}", labels(150)),
        format!(",0\n{series}"),
    ] {
        let ran = with(right);
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    // A label that comes first and is one too many; pandas writes the header 0 above numbers, which looks the same.
    for (first, rest) in [("0", numbers(150)), ("7", numbers(150)), ("Setosa", labels(150))] {
        for options in ["", "--no-header"] {
            let ran = Folder::with("f.csv", &points)
                .and("l.csv", format!("{first}\n{rest}"))
                .run(&format!("score f.csv --labels l.csv --measures ch_a {options}"));
            assert_eq!(ran.code, 3, "{}", ran.out);
            assert!(!ran.err.contains("--na"), "{}", ran.err);
        }
        let said = format!(
            "there are 151 labels for 150 rows: the first line, '{first}', does not look like a header"
        );
        assert!(with(format!("{first}\n{rest}")).err.contains(&said));
    }
    let other = with(format!("kind of flower\n{}", labels(150)));
    let said = "note: the first line of the labels, 'kind of flower', was read as a header";
    assert!(other.err.contains(said) && other.code == 0, "{}", other.err);
    let long = with(labels(151));
    assert!(
        long.err.contains("there are 151 labels for 150 rows: the first line, 'setosa', does not look like"),
        "{}",
        long.err
    );
    let long = with(format!("class\n{}", labels(151)));
    assert!(long.err.contains("there are 151 labels for 150 rows\n"), "{}", long.err);
    assert!(!long.err.contains("--no-header"), "{}", long.err);
}

#[test]
fn an_indicator_of_one_class_is_refused_or_doubted() {
    let is = |class: usize, at: usize| usize::from(at % 3 == class);
    let one = flowers("is_virginica,class", 150, |at| format!("{},{}", is(2, at), KINDS[at % 3]));
    for options in ["", "--stream"] {
        let ran = score(&one, options);
        let said = "the feature 'is_virginica' is an indicator of the class of its name";
        assert!(ran.code == 3 && ran.err.contains(said), "{}", ran.err);
    }
    let all = flowers("p,q,r,class", 150, |at| {
        format!("{},{},{},{}", is(0, at), is(1, at), is(2, at), KINDS[at % 3])
    });
    assert!(score(&all, "").err.contains("--drop p,q,r\n"), "{}", score(&all, "").err);
    // Its content alone may be that of a property, such as giving milk.
    let milk = flowers("milk,class", 150, |at| format!("{},{}", is(2, at), KINDS[at % 3]));
    let codes = flowers("code,class", 150, |at| format!("{},{}", 10 * (at % 3) + at / 3 % 4, KINDS[at % 3]));
    for (content, column, why) in [
        (&milk, "milk", "the feature 'milk' has one value in each class"),
        (&codes, "code", "each value of the feature 'code' is in one class only"),
    ] {
        for options in ["", "--stream"] {
            let ran = score(content, &format!("{options} --measures clm"));
            let said = format!("warning: {why}, and may give the label away; --drop {column} leaves it out");
            assert!(ran.code == 0 && ran.err.contains(&said), "{}", ran.err);
        }
        let ran = score(content, "--measures clm");
        assert!(ran.out.contains(&format!("verdict: cannot be said, because {why}")), "{}", ran.out);
    }
}

#[test]
fn clusters_and_parts_are_told_by_their_names_and_values() {
    for name in ["kmeans_cluster", "DBSCAN label", "train"] {
        let part = flowers(&format!("{name},class"), 150, |at| format!("{},{}", at % 2, KINDS[at % 3]));
        let ran = score(&part, "");
        assert!(ran.code == 3 && ran.err.contains("suggests a label, a cluster or a fold"), "{}", ran.err);
    }
    let number = flowers("number of clusters,class", 150, |at| format!("{},{}", at % 2, KINDS[at % 3]));
    assert_eq!(score(&number, "").code, 0);
    let part =
        flowers("phase,class", 150, |at| format!("{},{}", ["train", "val"][at % 5 / 4], KINDS[at % 3]));
    let ran = score(&part, "");
    assert!(ran.code == 0 && ran.err.contains("the column 'phase' was left out"), "{}", ran.err);
    let texts = flowers("tone,class", 150, |at| format!("t{},{}", at % 12, KINDS[at % 3]));
    let ran = score(&texts, "");
    assert!(ran.code == 0 && ran.err.contains("'tone' was left out: it gives the label away"), "{}", ran.err);
}

#[test]
fn percentages_are_numbers_to_predict() {
    let share = flowers("share", 200, |at| format!("{}.{:02}%", at * 7919 % 97, at % 100));
    let ran = score(&share, "");
    assert!(
        ran.err.contains("'share', taken for the label (the last column), looks like a number to predict")
    );
    // Text is not all that is wrong here.
    let money = flowers("city,price", 200, |at| format!("c{},{}", at % 3, at * 7919 % 1009));
    let ran = score(&money.replace(".5,", ".5,x"), "");
    assert!(ran.err.contains("'price', taken for the label"), "{}", ran.err);
}
