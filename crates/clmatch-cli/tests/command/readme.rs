//! Runs the shell sessions of the README and of the guide.

use crate::folder::Folder;

const README: &str = include_str!("../../../../README.md");

/// The pages that show the command at work.
const PAGES: [&str; 8] = [
    README,
    include_str!("../../../../docs/guide/score.md"),
    include_str!("../../../../docs/guide/rank.md"),
    include_str!("../../../../docs/guide/explain.md"),
    include_str!("../../../../docs/guide/report.md"),
    include_str!("../../../../docs/guide/benchmark.md"),
    include_str!("../../../../docs/guide/compare.md"),
    include_str!("../../../../docs/guide/measures.md"),
];

/// Blocks fenced as `console`, each line with a `$` followed by what it prints.
fn sessions() -> Vec<(String, String)> {
    let mut sessions: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in PAGES.iter().flat_map(|page| page.lines()) {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if inside && let Some(command) = line.strip_prefix("$ ") {
            sessions.push((command.to_owned(), String::new()));
        } else if inside && let Some((_, output)) = sessions.last_mut() {
            output.push_str(line);
            output.push('\n');
        }
    }
    sessions
}

/// Some columns of a table.
fn columns(csv: &str, places: &[usize]) -> String {
    let pick = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        places.iter().map(|&at| cells[at]).collect::<Vec<_>>().join(",") + "\n"
    };
    csv.lines().map(pick).collect()
}

#[test]
fn sessions_in_the_documents_print_what_they_say() {
    let iris = include_str!("../../../clmatch-data/data/iris.csv");
    let folder = Folder::with("iris.csv", iris)
        .and("datasets/iris.csv", iris)
        .and("petals.csv", columns(iris, &[2, 3, 4]))
        .and("sepals.csv", columns(iris, &[0, 1, 4]))
        .and("truth.csv", include_str!("../../../../lab/results/truth.csv"))
        .and("datasets/wine.csv", include_str!("../../../clmatch-data/data/wine.csv"));
    let sessions = sessions();
    assert!(sessions.len() >= 12, "the documents show the command at work");
    for (command, expected) in sessions {
        let words = command.strip_prefix("clmatch ").unwrap();
        let ran = folder.run(words);
        let printed: Vec<&str> = ran.out.lines().map(str::trim_end).collect();
        let expected: Vec<&str> = expected.lines().map(str::trim_end).collect();
        assert_eq!(printed, expected, "$ {command}");
    }
}

#[test]
fn links_in_the_readme_lead_somewhere() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let links = README.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let local: Vec<&str> = links.filter(|link| !link.starts_with("http") && !link.starts_with('#')).collect();
    assert!(local.len() > 10);
    for link in local {
        let file = link.split('#').next().unwrap_or(link);
        assert!(root.join(file).exists(), "{link}");
    }
}
