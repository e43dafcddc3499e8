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
    "crates/clmatch-truth/src/tune/**",
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
        mutants = with_bodies(mutants, &last(&work));
    }
    println!("{} changes", mutants.len());
    let tree = tree::plant(&work, &mutants)?;
    let programs = tree.programs()?;
    let tests = hunt::survey(&tree, &programs, &work)?;
    let page = fs::read_to_string(root().join(REASONS)).unwrap_or_default();
    let reasons = Reasons::read(&page);
    let fates = hunt::hunt(&tree, &programs, &tests, &mutants, |mutant| reasons.cover(mutant));
    report(&work, &mutants, [tree.unviable.len(), tree.untried.len()], &fates, &reasons)
}

/// The changes that survived, and those of the whole bodies of their functions: these tell where a body begins and ends.
fn with_bodies(mutants: Vec<Mutant>, survived: &BTreeSet<String>) -> Vec<Mutant> {
    let functions: BTreeSet<_> = mutants
        .iter()
        .filter(|mutant| survived.contains(&line(mutant)))
        .map(|mutant| (mutant.file.clone(), mutant.function))
        .collect();
    let holds = |mutant: &Mutant| {
        let (start, end) = mutant.function;
        functions.iter().any(|(file, inner)| *file == mutant.file && start <= inner.0 && inner.1 <= end)
    };
    let wanted = |mutant: &Mutant| survived.contains(&line(mutant)) || (mutant.whole_body && holds(mutant));
    mutants.into_iter().filter(wanted).collect()
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
    reasons: &Reasons,
) -> Result<(), String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn survivors_come_with_the_bodies_around_them() {
        let mutant = |change: &str, function, whole_body| Mutant {
            name: String::new(),
            file: "a.rs".into(),
            change: change.into(),
            line: 1,
            span: ((1, 1), (1, 1)),
            replacement: String::new(),
            function,
            whole_body,
        };
        let (outer, inner, other) = (((1, 1), (9, 2)), ((3, 5), (4, 6)), ((11, 1), (12, 2)));
        let mutants = vec![
            mutant("replace outer with ()", outer, true),
            mutant("replace + with - in outer", outer, false),
            mutant("replace < with <= in inner", inner, false),
            mutant("replace other with ()", other, true),
        ];
        let kept = with_bodies(mutants, &BTreeSet::from(["a.rs: replace < with <= in inner".to_owned()]));
        let kept: Vec<&str> = kept.iter().map(|mutant| mutant.change.as_str()).collect();
        assert_eq!(kept, ["replace outer with ()", "replace < with <= in inner"]);
    }
}
