//! The file that `clmatch improve` writes scores as reported, with the command that it names.

use serde_json::Value;

use crate::folder::{Folder, TWO, json};

const WINE: &str = include_str!("../../../clmatch-data/data/wine.csv");
/// Text keeps every bit of a number, but with another order of columns and weights sums are added up in another order.
const SAME: f64 = 1e-9;
/// The tolerance for files in single precision.
const SINGLE: f64 = 2e-6;

/// The words that a shell splits a command into.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut inside = false;
    for c in command.chars() {
        match c {
            '\'' => inside = !inside,
            ' ' if !inside => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words
}

/// The report of an improvement.
struct Improved {
    report: Value,
    said: String,
}

impl Improved {
    fn after(&self) -> f64 {
        self.report["scores"]["all"]["after"].as_f64().unwrap()
    }

    /// Runs the command that the note names, and returns the score of the file.
    fn score_as_said(&self, folder: &Folder) -> f64 {
        let said = self.said.lines().find_map(|line| line.strip_prefix("note: to score it again: clmatch "));
        let words = words(said.unwrap_or_else(|| panic!("no command in {}", self.said)));
        let named = self.report["score_with"].as_object().unwrap();
        let typed = |value: &Value| {
            let list = value
                .as_array()
                .map(|names| names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","));
            value.as_bool().is_some() || words.iter().any(|word| value == word || list.as_ref() == Some(word))
        };
        assert!(named.values().all(typed), "{named:?} {words:?}");
        let output = folder.command().args(&words).args(["--format", "json", "--quiet"]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        let objective = self.report["objective"].as_str().unwrap();
        json(&text)["scores"][objective].as_f64().unwrap()
    }

    fn kept(&self) -> usize {
        self.report["kept_features"].as_array().unwrap().len()
    }
}

fn improve(folder: &Folder, options: &str) -> Improved {
    let ran = folder.run(&format!("improve {options} --shuffles 0 --format json"));
    assert_eq!(ran.code, 0, "{options}: {}", ran.err);
    Improved { report: json(&ran.out), said: ran.err }
}

fn assert_scores_as_reported(folder: &Folder, options: &str, tolerance: f64) -> Improved {
    let improved = improve(folder, options);
    let (after, found) = (improved.after(), improved.score_as_said(folder));
    assert!((after - found).abs() <= tolerance, "{options}: {found} instead of {after}\n{}", improved.said);
    improved
}

#[test]
fn with_every_scaler_method_and_objective_in_every_format() {
    // svmlight labels cannot contain blanks.
    let folder = Folder::with("wine.csv", WINE.replace("cultivar ", "c"));
    let files = [
        "out.csv",
        "out.tsv.gz",
        "out.parquet",
        "out.npy",
        "out.npz",
        "out.arff",
        "out.svmlight",
        "out.json",
        "out.arrow",
        "out.bin",
        "out_like_input",
    ];
    let mut formats = files.iter().cycle();
    let mut weighted = 0;
    for scale in ["none", "max-abs", "standard", "min-max", "robust"] {
        for method in ["auto", "random", "greedy", "weights"] {
            for objective in ["ch_a", "ch_c", "db_c", "clm", "sc_a"] {
                let file = formats.next().unwrap();
                let options = format!(
                    "wine.csv -o {file} --scale {scale} --method {method} --objective {objective} --draws 200"
                );
                let improved = assert_scores_as_reported(&folder, &options, SAME);
                weighted += usize::from(improved.report["weighted"] == true);
            }
        }
    }
    assert!((20..80).contains(&weighted), "both subsets and weights were written: {weighted}");
}

#[test]
fn it_holds_the_columns_as_scored_whatever_search_found_them() {
    let folder = Folder::with("two.csv", TWO);
    let columns = |scale: &str| {
        improve(&folder, &format!("two.csv -o out.csv --scale {scale} --method greedy --min-features 2"));
        folder.text("out.csv")
    };
    // In the units of the input if all columns are divided by one number, scaled if each has its own.
    assert_eq!(columns("none"), TWO);
    assert_eq!(columns("max-abs"), TWO);
    let ninths = columns("min-max");
    assert_eq!(ninths.lines().nth(2).unwrap(), format!("0,{:?},a", 1.0 / 9.0));
}

#[test]
fn noise_and_single_points_are_left_out_again() {
    let noisy = WINE.to_owned()
        + &"99,-5,40,7,1,2,3,4,5,6,7,8,9,-1\n".repeat(5)
        + "1,2,3,4,5,6,7,8,9,1,2,3,4,alone\n";
    let folder = Folder::with("noisy.csv", noisy);
    for scale in ["max-abs", "standard", "robust"] {
        for method in ["greedy", "weights"] {
            let options = format!(
                "noisy.csv -o out.csv --scale {scale} --method {method} --noise -1 --singletons drop"
            );
            let improved = assert_scores_as_reported(&folder, &options, SAME);
            let named = serde_json::json!({"scale": "none", "noise": "-1", "drop_singletons": true});
            assert_eq!(improved.report["score_with"], named);
            assert!(
                improved.said.contains(" --scale none --noise -1 --singletons drop "),
                "{}",
                improved.said
            );
        }
    }
}

#[test]
fn labels_are_found_again_beside_a_feature_of_that_name() {
    let folder = Folder::with("wine.csv", WINE.replacen("flavanoids", "label", 1).replacen("hue", "y", 1));
    let improved =
        assert_scores_as_reported(&folder, "wine.csv --label class -o out.csv --scale standard", SAME);
    assert!(improved.said.contains("--label class"), "{}", improved.said);
    let all = "wine.csv --label class -o out.csv --method greedy --min-features 13";
    let improved = assert_scores_as_reported(&folder, all, SAME);
    assert_eq!(improved.kept(), 13);
    assert!(improved.said.contains("--label class"), "{}", improved.said);
    // The authors' formats and their kin have no other columns: there the labels make way.
    let nameless = "wine.csv --label class -o out.npz --method greedy --min-features 13";
    assert_scores_as_reported(&folder, nameless, SAME);
}

/// Ids, texts and columns that were left out are in the file, and the command leaves them out again.
#[test]
fn columns_that_are_no_features_stay() {
    let mut lines = WINE.lines();
    let mut text = format!("no;photo;{};place\n", lines.next().unwrap().replace(',', ";"));
    for (at, line) in lines.enumerate() {
        let gap = if at == 7 { "" } else { "1" };
        let line = line.replace(',', ";").replace('.', ",");
        text.push_str(&format!("{at};img_{at}.jpg;{line};{gap}{at},5\n"));
    }
    let folder = Folder::with("wine.csv", text.clone());
    for (scale, method, file) in [
        ("max-abs", "greedy", "out.csv"),
        ("standard", "weights", "out.csv"),
        ("max-abs", "greedy", "out.parquet"),
        ("robust", "random", "out.jsonl"),
        ("max-abs", "greedy", "out.tsv"),
        ("max-abs", "greedy", "out.npy"),
    ] {
        let options =
            format!("wine.csv --decimal-comma --drop place -o {file} --scale {scale} --method {method}");
        let improved = assert_scores_as_reported(&folder, &options, SAME);
        let lost = improved.said.contains("cannot hold it: no, photo, place");
        assert_eq!(lost, file == "out.npy", "{}", improved.said);
    }
    improve(&folder, "wine.csv --decimal-comma --drop place -o out.csv --method greedy");
    let written = folder.text("out.csv");
    let first: Vec<&str> = written.lines().next().unwrap().split(';').collect();
    assert_eq!(
        (&first[..2], first[first.len() - 2..].to_vec()),
        (&["no", "photo"][..], vec!["class", "place"])
    );
    // The cells that stay are those of the input.
    let cells: Vec<&str> = text.lines().collect();
    for (new, old) in written.lines().zip(cells) {
        let old: Vec<&str> = old.split(';').collect();
        assert!(new.split(';').all(|cell| old.contains(&cell)), "{new}");
    }
}

#[test]
fn indicators_and_filled_gaps_are_written_as_scored() {
    // A text column, and a missing value in every tenth row.
    let mut lines = WINE.lines();
    let mut text = format!("colour,{}\n", lines.next().unwrap());
    for (at, line) in lines.enumerate() {
        let (first, rest) = line.split_once(',').unwrap();
        let first = if at % 10 == 0 { "" } else { first };
        let colour = ["red", "white", "\"rosé, dry\""][at * 7 % 11 % 3];
        text.push_str(&format!("{colour},{first},{rest}\n"));
    }
    let folder = Folder::with("mixed.csv", text);
    for scale in ["max-abs", "standard", "min-max", "robust"] {
        for (method, missing) in [("greedy", "mean"), ("weights", "drop"), ("random", "mean")] {
            let options = format!(
                "mixed.csv -o out.csv --one-hot --missing {missing} --scale {scale} --method {method}"
            );
            assert_scores_as_reported(&folder, &options, SAME);
        }
    }
}

/// An NPY file of single precision, with its labels in a file beside it.
fn single(folder: Folder, name: &str, rows: &[[f32; 4]], labels: &[i64]) -> Folder {
    let header = |kind: &str, shape: String| {
        let text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
        let text = format!("{text:<117}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((text.len() as u16).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes
    };
    let mut points = header("<f4", format!("{}, 4", rows.len()));
    points.extend(rows.iter().flatten().flat_map(|value| value.to_le_bytes()));
    let mut codes = header("<i8", format!("{},", labels.len()));
    codes.extend(labels.iter().flat_map(|label| label.to_le_bytes()));
    folder.and(&format!("{name}.npy"), points).and(&format!("{name}_label.npy"), codes)
}

#[test]
fn single_precision_far_from_zero_keeps_its_digits() {
    let noise = |seed: usize| (seed * 7919 % 1013) as f32 / 100.0;
    let row = |at: usize| {
        let side = (at % 3) as f32 * 3.0;
        [1e6 + side + noise(at), 1e6 + noise(at + 17), 1e6 - side + noise(3 * at + 5), noise(5 * at)]
    };
    let rows: Vec<[f32; 4]> = (0..90).map(row).collect();
    let labels: Vec<i64> = (0..90).map(|at| at % 3).collect();
    let folder = single(Folder::new(), "far", &rows, &labels);
    for scale in ["none", "max-abs", "standard", "min-max", "robust"] {
        for method in ["greedy", "weights"] {
            for objective in ["ch_a", "clm", "sc_a"] {
                for file in ["out.npy", "out.parquet", "out.csv"] {
                    let options = format!(
                        "far.npy -o {file} --scale {scale} --method {method} --objective {objective}"
                    );
                    let tolerance = if objective == "sc_a" { SINGLE } else { SAME };
                    assert_scores_as_reported(&folder, &options, tolerance);
                }
            }
        }
    }
}

#[test]
fn a_search_that_finds_nothing_says_so_and_writes_the_file_as_before() {
    let folder = Folder::with("two.csv", TWO);
    for split in ["half", "none"] {
        let options = format!("two.csv -o out.csv --method greedy --min-features 2 --split {split}");
        let improved = assert_scores_as_reported(&folder, &options, 0.0);
        let warning = "warning: nothing better was found: no features or weights that were tried raise the score \
                       enough, so all features are kept as before\n";
        assert!(improved.said.ends_with(warning), "{}", improved.said);
        assert!(!improved.said.contains("chance"), "{}", improved.said);
        assert_eq!(folder.text("out.csv"), TWO);
    }
}
