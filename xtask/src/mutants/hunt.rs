//! Tests against changes: which tests reach which functions, and which changes no test notices.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::list::Mutant;
use super::tree::{Program, Tree};
use crate::shell::{output, wait};

/// Tests that run in one process take this together, or are alone.
const BATCH: f64 = 0.4;
/// Seconds that the tests of a change take together, undisturbed, at first: the nearest and quickest ones that fit.
const AT_FIRST: f64 = 2.0;
/// .. and again for what survived without a reason.
const AGAIN: f64 = 60.0;
/// A changed program may take this many times as long, and as many seconds more.
const LIMIT: (f64, f64) = (5.0, 15.0);
/// Kilobytes of addresses of a test: changes to a size take all memory otherwise.
const MEMORY: u64 = 12 << 20;

/// A test, and the functions with changes that it runs through.
pub struct Test {
    program: usize,
    name: String,
    seconds: f64,
    reached: BTreeSet<u32>,
}

/// How a change fared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// A test failed.
    Noticed,
    /// A test took far too long.
    Endless,
    /// The tests that reach the function, and fit into the time, passed.
    Survived,
    /// No test reaches the function.
    Unreached,
}

/// Runs every test alone, and notes what it reaches.
pub fn survey(tree: &Tree, programs: &[Program], work: &Path) -> Result<Vec<Test>, String> {
    let kept = work.join("survey.txt");
    if let Some(tests) = kept_survey(&kept, programs) {
        return Ok(tests);
    }
    let mut names = Vec::new();
    for (program, exe) in programs.iter().enumerate() {
        let listed = output(
            Command::new(&exe.path).current_dir(&exe.folder).args(["--list", "--format", "terse"]),
            false,
        )?;
        let listed = String::from_utf8_lossy(&listed.out).into_owned();
        names.extend(
            listed
                .lines()
                .filter_map(|line| line.strip_suffix(": test"))
                .map(|name| (program, name.to_owned())),
        );
    }
    println!("{} tests in {} programs; {} functions", names.len(), programs.len(), tree.functions.len());
    let tests = in_parallel(names.len(), |index| {
        let (program, name) = &names[index];
        let note = work.join(format!("reached-{index}"));
        let _ = fs::remove_file(&note);
        let start = Instant::now();
        let environment = ("MUTANTS_REACHED", note.display().to_string());
        let passed = run(&programs[*program], &[name], &environment, f64::INFINITY);
        let seconds = start.elapsed().as_secs_f64();
        let reached = fs::read_to_string(&note).unwrap_or_default();
        let _ = fs::remove_file(&note);
        if passed != Some(true) {
            println!("{name} fails without a change, and is left out");
            return None;
        }
        let reached = reached.lines().filter_map(|line| line.parse().ok()).collect();
        Some(Test { program: *program, name: name.clone(), seconds, reached })
    });
    let tests: Vec<Test> = tests.into_iter().flatten().collect();
    let lines: String = tests.iter().map(|test| test.line(programs)).collect();
    fs::write(&kept, lines).map_err(|error| format!("{}: {error}", kept.display()))?;
    Ok(tests)
}

/// The survey of the last run, if no program was built since.
fn kept_survey(kept: &Path, programs: &[Program]) -> Option<Vec<Test>> {
    let time = |path: &Path| fs::metadata(path).and_then(|about| about.modified()).ok();
    let surveyed = time(kept)?;
    let fresh = programs.iter().all(|program| time(&program.path).is_some_and(|built| built < surveyed));
    let lines = fs::read_to_string(kept).ok().filter(|_| fresh)?;
    lines.lines().map(|line| Test::read(line, programs)).collect()
}

impl Test {
    fn line(&self, programs: &[Program]) -> String {
        let program = programs[self.program].path.display();
        let reached: Vec<String> = self.reached.iter().map(u32::to_string).collect();
        format!("{program}\t{}\t{}\t{}\n", self.name, self.seconds, reached.join(" "))
    }

    fn read(line: &str, programs: &[Program]) -> Option<Test> {
        let [program, name, seconds, reached] = line.split('\t').collect::<Vec<_>>().try_into().ok()?;
        let reached = reached.split_whitespace().map(|number| number.parse().ok()).collect::<Option<_>>()?;
        Some(Test {
            program: programs.iter().position(|one| one.path == Path::new(program))?,
            name: name.to_owned(),
            seconds: seconds.parse().ok()?,
            reached,
        })
    }
}

/// Lets the tests look for every change, and tells how each fared. What survives the nearest tests, and has no reason to, is
/// looked for by all of them.
pub fn hunt(
    tree: &Tree,
    programs: &[Program],
    tests: &[Test],
    mutants: &[Mutant],
    has_reason: impl Fn(&Mutant) -> bool,
) -> Vec<(usize, Fate)> {
    // From the back: the library comes before what stands on it.
    let all: Vec<(u32, usize)> = tree
        .functions
        .iter()
        .rev()
        .flat_map(|(&function, of)| of.iter().map(move |&one| (function, one)))
        .collect();
    let round = |all: &[(u32, usize)], enough: f64| {
        let done = AtomicUsize::new(0);
        in_parallel(all.len(), |index| {
            let (function, at) = all[index];
            let mutant = &mutants[at];
            let fate = look(programs, tests, (function, at), &mutant.file, enough);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if fate != Fate::Noticed {
                println!("{done}/{}: {fate:?}: {}: {}", all.len(), mutant.file, mutant.change);
            }
            (at, fate)
        })
    };
    let mut fates = round(&all, AT_FIRST);
    let (left, places): (Vec<_>, Vec<_>) = (0..all.len())
        .filter(|&at| fates[at].1 == Fate::Survived && !has_reason(&mutants[all[at].1]))
        .map(|at| (all[at], at))
        .unzip();
    println!("{} without a reason are looked for again", left.len());
    for (place, fate) in places.into_iter().zip(round(&left, AGAIN)) {
        fates[place] = fate;
    }
    fates
}

/// Runs the tests that reach a function while a change of it is in force, the nearest first, until one fails.
fn look(
    programs: &[Program],
    tests: &[Test],
    (function, mutant): (u32, usize),
    file: &str,
    enough: f64,
) -> Fate {
    let (package, module) = module_of(file);
    let far = |test: &Test| {
        let same_package = programs[test.program].package == package;
        let same_module = same_package && test.name.starts_with(&module);
        (!same_module, !same_package)
    };
    let mut near: Vec<&Test> = tests.iter().filter(|test| test.reached.contains(&function)).collect();
    near.sort_by(|a, b| far(a).cmp(&far(b)).then(a.seconds.total_cmp(&b.seconds)));
    if near.is_empty() {
        return Fate::Unreached;
    }
    let environment = ("MUTANT", mutant.to_string());
    let mut spent = 0.0;
    for (program, names, seconds) in batches(&near) {
        // One test there is always.
        if spent > 0.0 && spent + seconds > enough {
            continue;
        }
        match run(&programs[program], &names, &environment, LIMIT.0 * seconds + LIMIT.1) {
            Some(true) => spent += seconds,
            Some(false) => return Fate::Noticed,
            None => return Fate::Endless,
        }
    }
    Fate::Survived
}

/// Tests that run together, in order: of one program, and quick.
fn batches<'a>(tests: &[&'a Test]) -> Vec<(usize, Vec<&'a str>, f64)> {
    let mut batches: Vec<(usize, Vec<&str>, f64)> = Vec::new();
    // The program that takes quick tests at the moment, and where its batch is.
    let mut open: BTreeMap<usize, usize> = BTreeMap::new();
    for test in tests {
        match open.get(&test.program).map(|&at| &mut batches[at]) {
            Some((_, names, seconds)) if *seconds + test.seconds <= BATCH => {
                names.push(&test.name);
                *seconds += test.seconds;
            }
            _ => {
                open.insert(test.program, batches.len());
                batches.push((test.program, vec![&test.name], test.seconds));
            }
        }
    }
    batches
}

/// The package of a file, and the start of the names of the tests within its module.
fn module_of(file: &str) -> (&str, String) {
    let (folder, within) = file.split_once("/src/").unwrap_or((file, ""));
    let package = folder.rsplit('/').next().unwrap_or(folder);
    let module = within.trim_end_matches(".rs").trim_end_matches("mod").trim_end_matches('/');
    (package, module.replace('/', "::") + "::")
}

/// Runs some tests of a program: whether all passed, `None` where they took too long.
fn run(program: &Program, names: &[&str], environment: &(&str, String), seconds: f64) -> Option<bool> {
    // A shell that limits memory, and then becomes the test.
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\"")]).arg(&program.path);
    command.args(["--exact", "--test-threads", "1", "--quiet"]).args(names);
    command.current_dir(&program.folder).env(environment.0, &environment.1);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().ok()?;
    let limit = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::from_secs(3600));
    let ended = wait(&mut child, limit).ok();
    if ended.is_none() {
        // What the test started goes on otherwise.
        let _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status();
    }
    ended.map(|status| status.success())
}

/// Does a job for all numbers below `n`, on all cores.
fn in_parallel<T: Send>(n: usize, job: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(n));
    let workers = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= n {
                        break;
                    }
                    let result = job(index);
                    if let Ok(mut done) = done.lock() {
                        done.push((index, result));
                    }
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_near_by_their_module() {
        assert_eq!(module_of("crates/a/src/b/mod.rs"), ("a", "b::".to_owned()));
        assert_eq!(module_of("crates/a/src/b/c.rs"), ("a", "b::c::".to_owned()));
    }

    #[test]
    fn quick_tests_share_a_process() {
        let test = |program, name: &str, seconds| Test {
            program,
            name: name.into(),
            seconds,
            reached: BTreeSet::new(),
        };
        let tests = [("a", 0, 0.4), ("b", 1, 0.1), ("c", 0, 0.4), ("d", 0, 3.0), ("e", 0, 0.2)]
            .map(|(name, program, share)| test(program, name, share * BATCH));
        let near: Vec<&Test> = tests.iter().collect();
        let batches: Vec<_> =
            batches(&near).into_iter().map(|(program, names, _)| (program, names)).collect();
        assert_eq!(batches, [(0, vec!["a", "c"]), (1, vec!["b"]), (0, vec!["d"]), (0, vec!["e"])]);
    }
}
