//! What every command has: colours, strictness, completions, manual pages; and words that people can read.

use crate::folder::{Folder, THREE, TWO};

const COMMANDS: [&str; 22] = [
    "demo",
    "inspect",
    "score",
    "rank",
    "compare",
    "explain",
    "truth",
    "classify",
    "stability",
    "pick",
    "calibrate",
    "lab",
    "diff",
    "improve",
    "report",
    "serve",
    "relabel",
    "watch",
    "measures",
    "catalogue",
    "completions",
    "man",
];

#[test]
fn colours_can_be_forced_and_forbidden() {
    let folder = Folder::with("two.csv", TWO);
    for words in ["score two.csv", "--help", "score --help", "catalogue --classes 100.."] {
        let coloured = folder.run(&format!("{words} --color always"));
        assert!((coloured.out + &coloured.err).contains("\u{1b}["), "{words}");
        for options in ["", "--color auto", "--color never", "--color=never"] {
            let plain = folder.run(&format!("{words} {options}"));
            assert!(!(plain.out + &plain.err).contains('\u{1b}'), "{words} {options}");
        }
    }
    // Output for programs has no colours, whatever is requested, and neither do files.
    assert!(!folder.run("score two.csv --format json --color always").out.contains('\u{1b}'));
    folder.run("score two.csv --color always -o table.txt");
    assert!(!folder.text("table.txt").contains('\u{1b}'));
    let forced =
        folder.command().args(["demo", "--color", "never"]).env("CLICOLOR_FORCE", "1").output().unwrap();
    assert!(!String::from_utf8(forced.stdout).unwrap().contains('\u{1b}'));
}

#[test]
fn strict_makes_warnings_errors() {
    let noisy = "x,label\n0,0\n1,0\n8,1\n9,1\n4,-1\n5,-1\n";
    let folder = Folder::with("noisy.csv", noisy).and("two.csv", TWO);
    let warned = folder.run("score noisy.csv");
    assert_eq!(warned.code, 0);
    assert!(warned.err.starts_with("warning: '-1' counts as a class"), "{}", warned.err);
    for words in ["score noisy.csv --strict", "rank noisy.csv two.csv --strict", "--strict score noisy.csv"] {
        let strict = folder.run(words);
        assert_eq!(strict.code, 3, "{words}: {}", strict.err);
        assert!(strict.err.starts_with("error: "), "{words}: {}", strict.err);
        assert!(strict.err.contains("'-1' counts as a class") && strict.out.contains("noisy"), "{words}");
    }
    // This also holds if an earlier run has finished the dataset.
    for _ in 0..2 {
        let resumed = folder.run("rank noisy.csv --strict --resume done.jsonl");
        assert!(
            resumed.code == 3 && resumed.err.contains("error: noisy: '-1' counts as a class"),
            "{}",
            resumed.err
        );
    }
    // Invalid input takes precedence over a missed bar.
    assert_eq!(folder.run("score noisy.csv --strict --fail-under clm=2").code, 3);
    assert_eq!(folder.run("catalogue --classes 100.. --strict").code, 3);
    assert_eq!(folder.run("score two.csv --strict").code, 0);
    assert_eq!(folder.run("score two.csv --strict --fail-under clm=2").code, 1);
}

#[test]
fn completions_know_every_command_and_option() {
    let folder = Folder::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = folder.out(&format!("completions {shell}"));
        for word in COMMANDS.into_iter().chain(["fail-under", "fail-above", "strict", "singletons"]) {
            assert!(script.contains(word), "{shell} does not know {word}");
        }
    }
    assert_eq!(folder.run("completions cmd").code, 2);
}

#[test]
fn bash_takes_the_completions() {
    let folder = Folder::new();
    let script = folder.out("completions bash")
        + "\nCOMP_WORDS=(clmatch sc)\nCOMP_CWORD=1\n_clmatch clmatch sc clmatch\n\
        echo \"${COMPREPLY[*]}\"\n";
    let Ok(ran) = std::process::Command::new("bash").arg("-c").arg(script).output() else { return };
    assert_eq!(String::from_utf8(ran.stdout).unwrap(), "score\n");
}

#[test]
fn there_is_a_manual_page_of_every_command() {
    let folder = Folder::new();
    let page = folder.out("man");
    assert!(page.contains(".TH clmatch 1"), "{page}");
    for command in COMMANDS {
        let name = command.replace('-', "\\-");
        assert!(page.contains(&format!("clmatch\\-{name}(1)")), "{command}");
        let page = folder.out(&format!("man {command}"));
        assert!(page.contains(&format!(".TH clmatch-{command} 1")), "{page}");
    }
    assert!(folder.out("man diff").contains("\\-\\-fail\\-above"));
    let refused = folder.run("man frobnicate");
    assert_eq!((refused.code, refused.out.as_str()), (2, ""));
    assert!(refused.err.starts_with("error: there is no command 'frobnicate'\n"), "{}", refused.err);
    folder.out("man --dir pages/man1");
    for command in COMMANDS {
        assert!(folder.text(&format!("pages/man1/clmatch-{command}.1")).contains(".TH"), "{command}");
    }
    assert!(folder.text("pages/man1/clmatch.1").contains("Exit codes"));
    assert_eq!(std::fs::read_dir(folder.path("pages/man1")).unwrap().count(), COMMANDS.len() + 1);
    assert!(page.contains(&format!("clmatch {}", env!("CARGO_PKG_VERSION"))), "{page}");
}

#[test]
fn one_is_singular() {
    let folder = Folder::with("line.csv", "x,label\n0,a\n1,a\n8,b\n9,b\n");
    assert!(folder.out("score line.csv").starts_with("line: 4 points, 1 feature, 2 classes\n"));
    let markdown = folder.out("score line.csv --format markdown");
    assert!(markdown.starts_with("line: 4 points, 1 feature, 2 classes; label: label"), "{markdown}");
}

#[test]
fn no_text_comes_from_a_parser() {
    let folder = Folder::with("three.csv", THREE);
    for words in [
        "score three.csv --threads many",
        "score three.csv --threads 0",
        "score three.csv --seed -1",
        "rank three.csv --top 1.5",
        "catalogue --top x",
        "truth three.csv --budget x",
        "truth three.csv --max-points few",
        "improve three.csv -o x.csv --draws none",
        "improve three.csv -o x.csv --shuffles -3",
        "stability t.csv --size 0",
        "calibrate j.csv --points 3",
        "lab ablation --seed x",
        "explain three.csv --seed x",
        "classify three.csv --threads 5000",
    ] {
        let ran = folder.run(words);
        assert_eq!(ran.code, 2, "{words}: {}", ran.err);
        let plain = ran.err.contains(": write a whole number") || ran.err.contains("unexpected argument");
        assert!(plain && !ran.err.contains("digit") && !ran.err.contains("1844"), "{words}: {}", ran.err);
    }
}
