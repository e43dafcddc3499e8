//! Hostile names: whatever a class, a feature or a file is called, text for people shows it within its line and with escapes, and
//! data keep its bytes.

use crate::folder::{Folder, Ran};

/// Colours, the window title, the clipboard, C1, a bell; a forged verdict; another writing direction; invisible characters.
const CLASSES: [&str; 4] = [
    "\x1b[35mRED\x1b[39m\x1b]0;title\x07\x1b]52;c;aGk=\x07\u{9b}2J",
    "b\nverdict: forged\r\nclm forged: above 91 of the 92",
    "\u{202e}tif\u{2066}x\u{200f}",
    "b\u{200b}\u{feff}<!-- | ](x)",
];
const FEATURES: [&str; 3] = ["x\x1b[2J", "y\u{202d}", "z\nerror: forged"];

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Overlapping classes with such names, a few of whose points are mislabelled; the same data again in a file with such a name.
fn folder() -> Folder {
    let mut text = FEATURES.map(quoted).join(",") + ",label\n";
    for at in 0..120_u32 {
        let noise = |salt: u32| f64::from((at * 7919 + salt * 104_729) % 1009) / 1009.0;
        let class = if at % 30 == 0 { (at / 30 + 1) % 4 } else { at % 4 };
        let x = f64::from(at % 4) * 1.5 + noise(1);
        text += &format!("{x},{},{},{}\n", noise(2), noise(3), quoted(CLASSES[class as usize]));
    }
    Folder::with("data.csv", &text).and("d/e\u{1b}[2J\u{202e}.csv", &text).and("d/f.csv", text)
}

/// The output without our own styles.
fn plain(ran: &Ran) -> String {
    let mut text = ran.out.clone() + &ran.err;
    for style in ["\x1b[1m", "\x1b[0m", "\x1b[31m", "\x1b[33m"] {
        text = text.replace(style, "");
    }
    text
}

#[test]
fn no_name_acts_on_a_terminal_or_forges_a_line() {
    let folder = folder();
    let mut shown = 0;
    for words in [
        "score data.csv",
        "score data.csv --ci --null 9",
        "score data.csv --stream",
        "score data.csv --noise nothing",
        "score data.csv --label nothing",
        "score data.csv --levels /",
        "explain data.csv",
        "rank d",
        "rank d --label nothing",
        "compare data.csv d/f.csv",
        "truth data.csv --techniques kmeans --external ami",
        "watch data.csv --window 60 --once --by ch_a",
        "relabel data.csv -o out.csv --drop-rows 1",
        "relabel data.csv -o out.csv --merge a,b",
        "improve data.csv -o out.csv --budget 0.2 --shuffles 0",
        "report data.csv -o out.html --null 0 --no-ci",
        "diff missing\u{1b}[2J.json data.csv",
    ] {
        for format in ["table", "markdown"] {
            let takes_format = !["watch", "report"].iter().any(|command| words.starts_with(command));
            let options = if takes_format { format!("--format {format}") } else { String::new() };
            let ran = folder.run(&format!("{words} {options} --color always"));
            let text = plain(&ran);
            let acts = |c: char| {
                (c.is_control() && c != '\n')
                    || "\u{202e}\u{202d}\u{2066}\u{200f}\u{200b}\u{feff}".contains(c)
            };
            assert!(!text.contains(acts), "{words} {format}: {text:?}");
            let forged = ["verdict: forged", "clm forged", "error: forged"];
            let forges = |line: &str| forged.iter().any(|forged| line.trim_start().starts_with(forged));
            assert!(!text.lines().any(forges), "{words} {format}: {text}");
            if format == "markdown" {
                assert!(!ran.out.contains("<!--") && !ran.out.contains("](x)"), "{words}: {text}");
            }
            shown += usize::from(text.contains("\\x1b[35mRED") || text.contains("\\u202etif"));
        }
    }
    assert!(shown >= 10, "names were shown {shown} times");
}

#[test]
fn data_keep_every_byte_of_a_name() {
    let folder = folder();
    for colour in ["always", "never"] {
        let points = format!("explain data.csv -q --points points.csv -o explained.txt --color {colour}");
        assert_eq!(folder.run(&points).code, 0);
        let ran = folder.run(&format!("explain data.csv -q --format csv --color {colour}"));
        let saved = folder.run(&format!("explain data.csv -q --format csv -o pairs.csv --color {colour}"));
        assert_eq!((saved.code, folder.text("pairs.csv")), (0, ran.out.clone()));
        for class in CLASSES {
            let as_csv = class.replace('"', "\"\"");
            assert!(folder.text("points.csv").contains(&as_csv), "{class:?}");
            assert!(ran.out.contains(&as_csv), "{class:?}: {}", ran.out);
        }
        let json = folder.run(&format!("score data.csv -q --format json --color {colour}")).out;
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let mut names: Vec<&str> =
            json["sizes"].as_array().unwrap().iter().map(|size| size["class"].as_str().unwrap()).collect();
        let mut expected = CLASSES;
        names.sort_unstable();
        expected.sort_unstable();
        assert_eq!(names, expected);
        assert!(!folder.text("explained.txt").contains('\x1b'));
    }
    // The output of explain can be read back, and a repaired dataset has the same names.
    let ran = folder.run("relabel data.csv -o repaired.csv --suggested points.csv");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(CLASSES.iter().all(|class| folder.text("repaired.csv").contains(class)));
    let ran = folder.run("relabel data.csv -o - --suggested points.csv");
    assert!(CLASSES.iter().all(|class| ran.out.contains(class)), "{}", ran.out);
}

#[test]
fn formulas_are_escaped_on_request() {
    let text: String =
        (0..40_usize).map(|at| format!("{},{}\n", at * at % 23, ["=1+1", "-x"][at % 2])).collect();
    let folder = Folder::with("data.csv", format!("x,label\n{text}"));
    let pairs = |options: &str| folder.out(&format!("explain data.csv -q --format csv {options}"));
    assert!(pairs("").lines().nth(1).unwrap().starts_with("-x,=1+1,"), "{}", pairs(""));
    assert!(pairs("--escape-formulas").lines().nth(1).unwrap().starts_with("'-x,'=1+1,"));
    folder.out("explain data.csv -q --points points.csv --escape-formulas");
    assert!(folder.text("points.csv").contains("\n1,'=1+1,"), "{}", folder.text("points.csv"));
}
