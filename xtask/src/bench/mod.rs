//! `cargo xtask bench`: ours against its peers and against the limits of the machine, in one run.
//!
//! Two processes hold the same generated data, ours and one with the peers; they take turns at each job, and the best
//! time of each counts. What both compute is compared first of all: a time of a wrong result is worth nothing.

mod clustering;
mod command;
mod contest;
mod distances;
mod improve;
mod moments;
mod peers;
mod python;
mod rank;
mod reading;
mod report;
mod row;
mod trees;
mod uncertainty;
mod worker;
mod workload;

use std::path::PathBuf;
use std::process::Command;

use crate::python::Environment;
use crate::shell::{cargo, run, target};
use contest::{Best, Bests, Side, THREADS, Turn, Who};
use row::Row;
use worker::Worker;
use workload::Workload;

const GROUPS: [&str; 10] = [
    "moments",
    "distances",
    "trees",
    "uncertainty",
    "python",
    "reading",
    "command",
    "rank",
    "clustering",
    "improve",
];
const USAGE: &str = "\
Usage: cargo xtask bench [GROUP...] [--quick] [--small]

Groups: moments, distances, trees, uncertainty, python, reading, command, rank, clustering, improve (default: all)
  --quick   a single turn each; writes nothing
  --small   a tenth of the points, to try the harness itself; bars mean nothing then; writes nothing";

/// What the command line asks for.
struct Settings {
    groups: Vec<&'static str>,
    quick: bool,
    small: bool,
}

impl Settings {
    fn parse(words: &[&str]) -> Result<Settings, String> {
        let mut settings = Settings { groups: Vec::new(), quick: false, small: false };
        for &word in words {
            match (word, GROUPS.into_iter().find(|&group| group == word)) {
                (_, Some(group)) => settings.groups.push(group),
                ("--quick", _) => settings.quick = true,
                ("--small", _) => settings.small = true,
                _ => return Err(format!("{word} is not known\n\n{USAGE}")),
            }
        }
        if settings.groups.is_empty() {
            settings.groups = GROUPS.to_vec();
        }
        Ok(settings)
    }

    /// Turns of each side.
    fn rounds(&self) -> usize {
        if self.quick { 1 } else { 7 }
    }

    /// Points of a workload.
    fn rows(&self, rows: usize) -> usize {
        if self.small { rows / 10 } else { rows }
    }

    fn has(&self, group: &str) -> bool {
        self.groups.contains(&group)
    }
}

/// Two values that must agree; one that could not be computed is missing.
pub struct Agreement {
    what: String,
    ours: Option<f64>,
    theirs: Option<f64>,
    tolerance: f64,
}

impl Agreement {
    /// Relative difference.
    fn difference(&self) -> Option<f64> {
        let (ours, theirs) = (self.ours?, self.theirs?);
        Some(if ours == theirs { 0.0 } else { (ours - theirs).abs() / ours.abs().max(theirs.abs()) })
    }

    /// A peer that cannot be installed proves nothing; our own value must be there.
    fn holds(&self) -> bool {
        self.ours.is_some() && self.difference().is_none_or(|difference| difference <= self.tolerance)
    }
}

/// A run of the benchmark: the two processes and what was found so far.
pub struct Bench {
    settings: Settings,
    ours: Worker,
    peers: Worker,
    environment: Environment,
    /// Where the generated data lie.
    folder: PathBuf,
    rows: Vec<Row>,
    limits: Vec<(String, String)>,
    agreements: Vec<Agreement>,
    turns: Vec<Turn>,
}

pub fn run_groups(words: &[&str]) -> Result<(), String> {
    let mut bench = Bench::start(Settings::parse(words)?)?;
    let facts = report::facts(&mut bench)?;
    if bench.settings.has("moments") {
        moments::measure(&mut bench)?;
    }
    if bench.settings.has("distances") {
        distances::measure(&mut bench)?;
    }
    if bench.settings.has("uncertainty") {
        uncertainty::measure(&mut bench)?;
    }
    if bench.settings.has("trees") {
        trees::measure(&mut bench)?;
    }
    if bench.settings.has("python") {
        python::measure(&mut bench)?;
    }
    if bench.settings.has("reading") {
        reading::measure(&mut bench)?;
    }
    if bench.settings.has("command") {
        command::measure(&mut bench)?;
    }
    if bench.settings.has("rank") {
        rank::measure(&mut bench);
    }
    if bench.settings.has("clustering") {
        clustering::measure(&mut bench)?;
    }
    if bench.settings.has("improve") {
        improve::measure(&mut bench)?;
    }
    report::publish(&bench, &facts)
}

impl Bench {
    fn start(settings: Settings) -> Result<Bench, String> {
        let folder = target().join("bench");
        std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        run(cargo().args(["build", "--release", "--quiet", "-p", "clmatch", "--example", "bench_worker"]))?;
        let program = target().join("release").join("examples").join("bench_worker");
        let ours = Worker::start("our side", &mut Command::new(program))?;
        let environment = peers::prepare()?;
        if settings.has("python") {
            environment.install_package("release")?;
        }
        let peers = peers::start(&environment)?;
        Ok(Bench {
            settings,
            ours,
            peers,
            environment,
            folder,
            rows: Vec::new(),
            limits: Vec::new(),
            agreements: Vec::new(),
            turns: Vec::new(),
        })
    }

    /// Lets sides take turns.
    fn contest(&mut self, sides: &[Side]) -> Result<Bests, String> {
        let (ours, peers) = (&mut self.ours, &mut self.peers);
        contest::contest(sides, self.settings.rounds(), &mut self.turns, |who, request| match who {
            Who::Ours => ours.ask(request),
            Who::Peer => peers.ask(request),
        })
    }

    /// The size of a workload, for people.
    fn size(&self, workload: &Workload) -> String {
        let rows = self.settings.rows(workload.rows);
        let rows = match (rows / 1_000_000, rows / 1000 % 1000, rows % 1000) {
            (0, 0, ones) => ones.to_string(),
            (0, thousands, ones) => format!("{thousands},{ones:03}"),
            (millions, thousands, ones) => format!("{millions},{thousands:03},{ones:03}"),
        };
        format!("n = {rows}, d = {}, K = {}", workload.features, workload.classes)
    }

    /// Generates a workload and loads it on both sides.
    fn load(&mut self, workload: &Workload) -> Result<(), String> {
        let Workload { name, rows, features, classes, seed } = *workload;
        println!("{name}: {}", self.size(workload));
        let rows = self.settings.rows(rows);
        let stem = self.folder.join(format!("{name}-{rows}"));
        let stem = stem.display();
        self.peers.ask(&format!("make {rows} {features} {classes} {seed} {stem}"))?;
        self.peers.ask(&format!("load {name} {features} {stem}"))?;
        self.ours.ask(&format!("load {name} f64 {features} {stem}"))?;
        Ok(())
    }

    /// Loads a workload once more on our side, in single precision, as `NAME_f32`.
    fn load_single(&mut self, workload: &Workload) -> Result<(), String> {
        let Workload { name, rows, features, .. } = *workload;
        let stem = self.folder.join(format!("{name}-{}", self.settings.rows(rows)));
        self.ours.ask(&format!("load {name}_f32 f32 {features} {}", stem.display()))?;
        Ok(())
    }

    /// Forgets a dataset on both sides.
    fn free(&mut self, name: &str) -> Result<(), String> {
        self.peers.ask(&format!("free {name}"))?;
        self.ours.ask(&format!("free {name}"))?;
        Ok(())
    }

    /// Requires that two sides found the same value of a measure.
    fn agree(
        &mut self,
        what: &str,
        id: &str,
        (ours, theirs): (&Result<Best, String>, &Result<Best, String>),
        tolerance: f64,
    ) {
        let value = |side: &Result<Best, String>| side.as_ref().ok().and_then(|best| best.value(id));
        let (ours, theirs) = (value(ours), value(theirs));
        self.agreements.push(Agreement { what: format!("{id}, {what}"), ours, theirs, tolerance });
    }

    /// Notes a limit of the machine: `amount` of something at a cost of `best` seconds.
    fn limit(&mut self, what: &str, amount: f64, unit: &str, best: &Result<Best, String>) {
        let text = match best {
            Ok(best) => format!("{} {unit}", row::short(amount / best.seconds)),
            Err(why) => format!("none: {why}"),
        };
        self.limits.push((what.to_owned(), text));
    }
}

/// Environment variables that hold every library to the same number of threads.
fn thread_variables() -> impl Iterator<Item = (&'static str, String)> {
    let names = [
        "RAYON_NUM_THREADS",
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "POLARS_MAX_THREADS",
    ];
    names.into_iter().map(|name| (name, THREADS.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_understood() {
        let settings = Settings::parse(&["rank", "--quick"]).unwrap();
        assert_eq!((settings.groups, settings.quick, settings.small), (vec!["rank"], true, false));
        assert_eq!(Settings::parse(&[]).unwrap().groups, GROUPS);
        assert!(Settings::parse(&["fast"]).is_err_and(|message| message.contains("fast is not known")));
    }

    #[test]
    fn agreement_is_relative() {
        let agree = |ours, theirs| Agreement { what: String::new(), ours, theirs, tolerance: 1e-9 }.holds();
        assert!(agree(Some(1e6), Some(1e6 + 1e-5)) && agree(Some(0.0), Some(0.0)));
        assert!(!agree(Some(1e-6), Some(2e-6)) && !agree(Some(f64::NAN), Some(1.0)));
        assert!(agree(Some(1.0), None) && !agree(None, Some(1.0)) && !agree(None, None));
    }
}
