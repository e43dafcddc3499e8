//! A copy of the checkout with all changes woven in, and its test programs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::list::{Mutant, Place};
use super::weave::{Woven, weave};
use crate::shell::{cargo, output, root};

/// Rounds of leaving out changes that do not compile: types are checked before borrows, and one crate after another.
const ROUNDS: usize = 12;
/// Rounds with errors in a function after which more than the change at hand is left out.
const PATIENCE: usize = 2;

/// Where the names of changes that were left out are kept.
const UNVIABLE: &str = "unviable.txt";
const UNTRIED: &str = "untried.txt";

/// The functions with changes, and which changes were left out.
pub struct Tree {
    pub folder: PathBuf,
    build: PathBuf,
    /// Which changes a function has.
    pub functions: BTreeMap<u32, Vec<usize>>,
    /// Changes that do not compile.
    pub unviable: BTreeSet<usize>,
    /// Changes in functions that cannot choose between bodies (constant ones, those that return a type without a name), or
    /// that the compiler complains about one by one.
    pub untried: BTreeSet<usize>,
}

/// A program of tests, and the folder that it runs in.
pub struct Program {
    pub path: PathBuf,
    pub folder: PathBuf,
    pub package: String,
}

/// Copies what git knows, weaves the changes in, and leaves out those that do not compile.
pub fn plant(work: &Path, mutants: &[Mutant]) -> Result<Tree, String> {
    let mut tree = Tree {
        folder: work.join("tree"),
        build: work.join("build"),
        functions: BTreeMap::new(),
        unviable: BTreeSet::new(),
        untried: BTreeSet::new(),
    };
    let mut files: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, mutant) in mutants.iter().enumerate() {
        files.entry(&mutant.file).or_default().push(index);
    }
    let libraries = crates(&files).into_iter().map(|name| format!("{name}/src/lib.rs"));
    let written: BTreeSet<String> =
        files.keys().map(|&file| file.to_owned()).chain(libraries).chain(["Cargo.toml".to_owned()]).collect();
    copy(&tree.folder, &written)?;
    tree.build_quickly()?;
    let texts: BTreeMap<&str, String> =
        files.keys().map(|&file| Ok((file, read(&root().join(file))?))).collect::<Result<_, String>>()?;
    tree.remember(work, mutants);
    let mut failing: BTreeMap<(String, (Place, Place)), BTreeSet<usize>> = BTreeMap::new();
    for round in 1..=ROUNDS {
        let woven = tree.write(mutants, &files, &texts)?;
        let errors = tree.errors()?;
        if errors.is_empty() {
            return tree.keep(work, mutants).map(|()| tree);
        }
        let before = tree.left_out();
        for (file, line) in &errors {
            let Some(woven) = woven.get(file.as_str()) else { continue };
            let Some((_, mutant, function)) = woven.lines.iter().find(|(lines, ..)| lines.contains(line))
            else {
                continue;
            };
            let of_function = tree.functions[function].clone();
            let first = of_function.iter().copied().min().unwrap_or_default();
            let function = (file.clone(), mutants[first].function);
            let rounds = failing.entry(function).or_default();
            rounds.insert(round);
            match mutant {
                Some(mutant) if rounds.len() <= PATIENCE => {
                    tree.unviable.insert(*mutant);
                }
                // The compiler names one replaced body at a time; some of the others might compile.
                Some(_) if of_function.iter().any(|&one| mutants[one].whole_body) => {
                    tree.untried.extend(of_function.iter().filter(|&&one| mutants[one].whole_body));
                }
                _ => tree.untried.extend(of_function),
            }
        }
        println!("round {round}: {} errors, {} changes left out so far", errors.len(), tree.left_out());
        if tree.left_out() == before {
            let (file, line) = errors.first().cloned().unwrap_or_default();
            return Err(format!("the copy does not compile, and no change is to blame: {file}:{line}"));
        }
    }
    Err(format!("the copy does not compile after {ROUNDS} rounds"))
}

impl Tree {
    /// What was left out the last time: it will not compile today.
    fn remember(&mut self, work: &Path, mutants: &[Mutant]) {
        for (name, set) in [(UNVIABLE, &mut self.unviable), (UNTRIED, &mut self.untried)] {
            let kept = fs::read_to_string(work.join(name)).unwrap_or_default();
            let kept: BTreeSet<&str> = kept.lines().collect();
            set.extend((0..mutants.len()).filter(|&index| kept.contains(mutants[index].name.as_str())));
        }
    }

    fn keep(&self, work: &Path, mutants: &[Mutant]) -> Result<(), String> {
        for (name, set) in [(UNVIABLE, &self.unviable), (UNTRIED, &self.untried)] {
            let names: Vec<&str> = set.iter().map(|&index| mutants[index].name.as_str()).collect();
            write(&work.join(name), &names.join("\n"))?;
        }
        Ok(())
    }

    /// Writes all files with changes.
    fn write<'a>(
        &mut self,
        mutants: &[Mutant],
        files: &BTreeMap<&'a str, Vec<usize>>,
        texts: &BTreeMap<&str, String>,
    ) -> Result<BTreeMap<&'a str, Woven>, String> {
        let mut next = 0;
        let without: BTreeSet<usize> = self.unviable.union(&self.untried).copied().collect();
        self.functions.clear();
        let mut all = BTreeMap::new();
        for (&file, of_file) in files {
            let woven = weave(&texts[file], mutants, of_file, &without, &mut next);
            self.functions.extend(woven.functions.iter().cloned());
            self.untried.extend(&woven.left_out);
            write(&self.folder.join(file), &woven.text)?;
            all.insert(file, woven);
        }
        for name in crates(files) {
            let source = Path::new(name).join("src");
            let library = read(&root().join(&source).join("lib.rs"))?;
            write(&self.folder.join(&source).join("lib.rs"), &format!("{library}\nmod mutants_active;\n"))?;
            write(&self.folder.join(&source).join("mutants_active.rs"), &active(next))?;
        }
        Ok(all)
    }

    fn left_out(&self) -> usize {
        self.unviable.len() + self.untried.len()
    }

    /// The functions with changes are many times their size: they are hardly optimised, but the dependencies as before.
    fn build_quickly(&self) -> Result<(), String> {
        let manifest = read(&root().join("Cargo.toml"))?.replace("\nopt-level = 2\n", "\nopt-level = 1\n");
        let dependencies = "\n[profile.dev.package.\"*\"]\nopt-level = 2\n";
        write(&self.folder.join("Cargo.toml"), &(manifest + dependencies))
    }

    fn cargo(&self, words: &[&str]) -> Command {
        let mut command = cargo();
        command.current_dir(&self.folder).env("CARGO_TARGET_DIR", &self.build).args(words);
        command.args(["--workspace", "--message-format", "json", "--quiet"]);
        command
    }

    /// Where the compiler finds errors.
    fn errors(&self) -> Result<BTreeSet<(String, u64)>, String> {
        let ended = output(&mut self.cargo(&["check", "--lib", "--keep-going"]), false)?;
        let messages = messages(&ended.out);
        let mut errors = BTreeSet::new();
        for message in
            messages.iter().map(|line| &line["message"]).filter(|message| message["level"] == "error")
        {
            let spans = message["spans"].as_array().into_iter().flatten();
            for mut span in spans.filter(|span| span["is_primary"] == true) {
                // Out of the macros, to where they are called.
                while span["expansion"]["span"].is_object() {
                    span = &span["expansion"]["span"];
                }
                if let (Some(file), Some(line)) = (span["file_name"].as_str(), span["line_start"].as_u64()) {
                    errors.insert((file.to_owned(), line));
                }
            }
        }
        if ended.success || !errors.is_empty() { Ok(errors) } else { Err(ended.err) }
    }

    /// Builds all programs of tests.
    pub fn programs(&self) -> Result<Vec<Program>, String> {
        let ended = output(&mut self.cargo(&["test", "--no-run"]), false)?;
        if !ended.success {
            return Err(format!("the tests of the copy do not compile: {}", ended.err));
        }
        let program = |line: &Value| {
            let path = PathBuf::from(line["executable"].as_str()?);
            let manifest = Path::new(line["manifest_path"].as_str()?);
            let folder = manifest.parent()?.to_path_buf();
            let package = folder.file_name()?.to_string_lossy().into_owned();
            (line["profile"]["test"] == true).then_some(Program { path, folder, package })
        };
        Ok(messages(&ended.out).iter().filter_map(program).collect())
    }
}

/// The folders of the crates with changes.
fn crates<'a>(files: &BTreeMap<&'a str, Vec<usize>>) -> BTreeSet<&'a str> {
    files.keys().filter_map(|file| file.split_once("/src/")).map(|(folder, _)| folder).collect()
}

fn messages(bytes: &[u8]) -> Vec<Value> {
    bytes.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// Copies the files that git knows, but those that are written later; files that are the same keep their times, so that
/// little is built anew.
fn copy(tree: &Path, written: &BTreeSet<String>) -> Result<(), String> {
    let listed = output(
        Command::new("git").current_dir(root()).args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ]),
        false,
    )?;
    for name in String::from_utf8_lossy(&listed.out)
        .split('\0')
        .filter(|name| !name.is_empty() && !written.contains(*name))
    {
        let (from, to) = (root().join(name), tree.join(name));
        let Ok(bytes) = fs::read(&from) else { continue };
        if fs::read(&to).is_ok_and(|there| there == bytes) {
            continue;
        }
        let parent = to.parent().unwrap_or(tree);
        let copied = fs::create_dir_all(parent).and_then(|()| fs::copy(&from, &to));
        copied.map_err(|error| format!("{}: {error}", to.display()))?;
    }
    // Tests look for datasets beside the checkout.
    let (datasets, beside) = (root().join("../shared"), tree.join("../shared"));
    #[cfg(unix)]
    if datasets.exists() && !beside.exists() {
        std::os::unix::fs::symlink(&datasets, &beside)
            .map_err(|error| format!("{}: {error}", beside.display()))?;
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Writes a file, unless it holds that already.
fn write(path: &Path, text: &str) -> Result<(), String> {
    if fs::read_to_string(path).is_ok_and(|there| there == text) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(path);
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(path, text));
    written.map_err(|error| format!("{}: {error}", path.display()))
}

/// The module that says which change is in force, and notes which functions were reached.
fn active(functions: u32) -> String {
    format!(
        r#"
use std::fs::OpenOptions;
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{{AtomicBool, Ordering}};

static MUTANT: OnceLock<u32> = OnceLock::new();
static REACHED: [AtomicBool; {functions}] = [const {{ AtomicBool::new(false) }}; {functions}];

pub(crate) fn active(function: u32) -> u32 {{
    if !REACHED[function as usize].load(Ordering::Relaxed) && !REACHED[function as usize].swap(true, Ordering::Relaxed) {{
        note(function);
    }}
    *MUTANT.get_or_init(|| std::env::var("MUTANT").ok().and_then(|number| number.parse().ok()).unwrap_or(u32::MAX))
}}

#[cold]
fn note(function: u32) {{
    let Some(path) = std::env::var_os("MUTANTS_REACHED") else {{ return }};
    if let Ok(mut file) = OpenOptions::new().create(true).append(true).open(path) {{
        let _ = file.write_all(format!("{{function}}\n").as_bytes());
    }}
}}
"#
    )
}
