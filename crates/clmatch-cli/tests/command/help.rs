//! The help that people see.

use insta::assert_snapshot;

use crate::folder::Folder;

#[test]
fn help_of_every_command() {
    let folder = Folder::new();
    assert_snapshot!("help", folder.out("--help"));
    for command in [
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
        "relabel",
        "watch",
        "measures",
        "catalogue",
        "completions",
        "man",
    ] {
        assert_snapshot!(format!("help_{command}"), folder.out(&format!("{command} --help")));
    }
    assert_eq!(folder.out("--version"), format!("clmatch {}\n", env!("CARGO_PKG_VERSION")));
}
