//! `cargo xtask mutants`: changes the source a little, thousands of times, and asks whether a test notices.
//!
//! The changes are those of cargo-mutants. It builds once for every change, which takes days here; this task builds one
//! copy of the checkout that holds all of them ([`weave`]), notes which tests reach which functions, and runs for each
//! change only those, the nearest first. What survives needs a test, or a reason on the page `docs/mutants.md`.

mod hunt;
mod list;
mod reasons;
mod tree;
mod weave;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use hunt::Fate;
use list::Mutant;
use reasons::Reasons;

use crate::shell::{root, target};

/// What decides about numbers.
const FILES: [&str; 15] = [
    "crates/clmatch/src/measure/**",
    "crates/clmatch/src/protocol/**",
    "crates/clmatch/src/statistics/**",
    "crates/clmatch/src/kernels/*.rs",
    "crates/clmatch/src/diagnose/**",
    "crates/clmatch/src/summary/**",
    "crates/clmatch-analysis/src/explanation/**",
    "crates/clmatch-cluster/src/external/**",
    "crates/clmatch-classify/src/svm/**",
    "crates/clmatch-classify/src/discriminant/**",
    "crates/clmatch-classify/src/forest/**",
    "crates/clmatch-classify/src/logistic/**",
    "crates/clmatch-classify/src/perceptron/**",
    "crates/clmatch-classify/src/*.rs",
    "crates/clmatch-tune/src/**",
];
/// The page with the reasons.
const REASONS: &str = "docs/mutants.md";

/// Hunts the changes of some files; of those that survived last time with `--survivors`.
pub fn all(words: &[&str]) -> Result<(), String> {
    let (flags, globs): (Vec<&str>, Vec<&str>) =
        words.iter().copied().partition(|word| word.starts_with("--"));
    let survivors = match flags[..] {
        [] => false,
        ["--survivors"] => true,
        _ => return Err("cargo xtask mutants [--survivors] [GLOB...]".into()),
    };
    let globs = if globs.is_empty() { FILES.to_vec() } else { globs };
    let work = target().join("mutants");
    fs::create_dir_all(&work).map_err(|error| format!("{}: {error}", work.display()))?;
    let mut mutants = list::mutants(&root(), &globs)?;
    if survivors {
        let last = last(&work);
        mutants.retain(|mutant| last.contains(&line(mutant)));
    }
    println!("{} changes", mutants.len());
    let tree = tree::plant(&work, &mutants)?;
    let programs = tree.programs()?;
    let tests = hunt::survey(&tree, &programs, &work)?;
    let fates = hunt::hunt(&tree, &programs, &tests, &mutants);
    report(&work, &mutants, [tree.unviable.len(), tree.untried.len()], &fates)
}

/// What survived in the last run.
fn last(work: &Path) -> BTreeSet<String> {
    fs::read_to_string(survived(work)).unwrap_or_default().lines().map(str::to_owned).collect()
}

fn survived(work: &Path) -> PathBuf {
    work.join("survived.txt")
}

fn line(mutant: &Mutant) -> String {
    format!("{}: {}", mutant.file, mutant.change)
}

/// Counts, keeps what survived, and fails where one has no reason.
fn report(
    work: &Path,
    mutants: &[Mutant],
    [unviable, untried]: [usize; 2],
    fates: &[(usize, Fate)],
) -> Result<(), String> {
    let page = fs::read_to_string(root().join(REASONS)).unwrap_or_default();
    let reasons = Reasons::read(&page);
    let count = |fate: Fate| fates.iter().filter(|(_, other)| *other == fate).count();
    let alive: Vec<&Mutant> = fates
        .iter()
        .filter(|(_, fate)| matches!(fate, Fate::Survived | Fate::Unreached))
        .map(|(index, _)| &mutants[*index])
        .collect();
    let text: String = alive.iter().map(|mutant| line(mutant) + "\n").collect();
    fs::write(survived(work), text).map_err(|error| error.to_string())?;
    let unexplained: Vec<&&Mutant> = alive.iter().filter(|mutant| !reasons.cover(mutant)).collect();
    for mutant in &unexplained {
        println!("{}:{}: {}", mutant.file, mutant.line, mutant.change);
    }
    println!(
        "{} changes: {} do not compile, {} cannot be tried, {} noticed, {} endless, {} survived, {} unreached; {} without a reason in {REASONS}",
        fates.len() + unviable + untried,
        unviable,
        untried,
        count(Fate::Noticed),
        count(Fate::Endless),
        count(Fate::Survived),
        count(Fate::Unreached),
        unexplained.len()
    );
    if unexplained.is_empty() { Ok(()) } else { Err("changes survived: a test, or a reason".into()) }
}
