//! What is printed and written at the end.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::row::{Bar, markdown, table};
use super::{Bench, THREADS};
use crate::shell::{output, root};

/// The machine and the versions.
pub struct Facts {
    date: String,
    lines: Vec<(&'static str, String)>,
}

/// Collects the facts before anything is timed: the load average is then that of others.
pub fn facts(bench: &mut Bench) -> Result<Facts, String> {
    let date = said_by(Command::new("date").args(["-u", "+%F"]));
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let revision = said_by(Command::new("git").args(["rev-parse", "--short", "HEAD"]).current_dir(root()));
    let changes = said_by(Command::new("git").args(["status", "--porcelain"]).current_dir(root()));
    let revision = if changes.is_empty() { revision } else { format!("{revision}, with changes") };
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let lines = vec![
        ("date", date.clone()),
        ("processor", processor()),
        ("threads", format!("{THREADS} unless stated, of {cores} cores")),
        ("load average before", load.split_whitespace().take(1).collect()),
        ("revision", revision),
        ("compiler", said_by(Command::new("rustc").arg("--version"))),
        ("peers", bench.peers.ask("versions")?),
        ("turns", format!("the best of at most {}", bench.settings.rounds())),
    ];
    Ok(Facts { date, lines })
}

fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("model name"));
    line.and_then(|line| line.split_once(": "))
        .map_or_else(|| "unknown".to_owned(), |(_, name)| name.to_owned())
}

fn said_by(command: &mut Command) -> String {
    let said = output(command, false).map(|ended| String::from_utf8_lossy(&ended.out).trim().to_owned());
    said.unwrap_or_default()
}

/// Prints the table, writes it with the raw times unless the run was a quick one, and fails if values disagree.
pub fn publish(bench: &Bench, facts: &Facts) -> Result<(), String> {
    let text = document(bench, facts);
    println!("\n{text}");
    if !bench.settings.quick && !bench.settings.small {
        let folder = unused_folder(&facts.date);
        let write = |name: &str, text: &str| {
            fs::write(folder.join(name), text).map_err(|error| format!("{}: {error}", folder.display()))
        };
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        write("table.md", &text)?;
        write("times.csv", &times(bench))?;
        println!("written to {}", folder.display());
    }
    let disagreements = bench.agreements.iter().filter(|agreement| !agreement.holds()).count();
    match disagreements {
        0 => Ok(()),
        count => Err(format!("{count} values disagree or are missing: their times mean nothing")),
    }
}

/// `bench/runs/DATE`, or `DATE-2`, `DATE-3` if that is taken.
fn unused_folder(date: &str) -> PathBuf {
    let runs = root().join("bench").join("runs");
    let names = (2..).map(|number| format!("{date}-{number}"));
    let mut folders = std::iter::once(date.to_owned()).chain(names).map(|name| runs.join(name));
    folders.find(|folder| !folder.exists()).unwrap_or(runs)
}

fn document(bench: &Bench, facts: &Facts) -> String {
    let mut text = format!("# Benchmark of {}\n\n", facts.date);
    for (name, fact) in &facts.lines {
        let _ = writeln!(text, "* {name}: {fact}");
    }
    if bench.settings.small {
        text.push_str("\nA tenth of the points: the bars do not apply.\n");
    }
    text.push_str(
        "\nA bar `≥ x` asks that the other side takes at least x times our time, `≤ x` that we take at most x times \
         what the other side takes; the ratio is read the same way. Rows without a bar are for information.\n\n",
    );
    text.push_str(&table(&bench.rows));
    let met = bench.rows.iter().filter(|row| row.met() == Some(true)).count();
    let bars = bench.rows.iter().filter(|row| row.bar != Bar::None).count();
    if !bench.settings.small {
        let _ = writeln!(text, "\n{met} of {bars} bars met.");
    }
    if !bench.limits.is_empty() {
        text.push_str("\n## Limits of the machine\n\n");
        let lines: Vec<_> = bench.limits.iter().map(|(what, rate)| [what.clone(), rate.clone()]).collect();
        text.push_str(&markdown(&["limit", "measured"].map(String::from), &lines));
    }
    if !bench.agreements.is_empty() {
        text.push_str("\n## Agreement of the values\n\n");
        text.push_str(&agreements(bench));
    }
    text
}

fn agreements(bench: &Bench) -> String {
    let head = ["value", "ours", "other", "relative difference", "allowed", "agrees"].map(String::from);
    let missing = || "missing".to_owned();
    let number = |value: Option<f64>| value.map_or_else(missing, |value| format!("{value:.12}"));
    let lines: Vec<[String; 6]> = bench
        .agreements
        .iter()
        .map(|agreement| {
            let agrees = match (agreement.holds(), agreement.theirs) {
                (true, Some(_)) => "yes",
                (true, None) => "not compared",
                (false, _) => "NO",
            };
            [
                agreement.what.clone(),
                number(agreement.ours),
                number(agreement.theirs),
                agreement.difference().map_or_else(missing, |difference| format!("{difference:.1e}")),
                format!("{:.0e}", agreement.tolerance),
                agrees.to_owned(),
            ]
        })
        .collect();
    markdown(&head, &lines)
}

/// Every single time.
fn times(bench: &Bench) -> String {
    let mut text = String::from("side,threads,round,seconds\n");
    for turn in &bench.turns {
        let _ = writeln!(text, "\"{}\",{},{},{:e}", turn.side, turn.threads, turn.round, turn.seconds);
    }
    text
}
