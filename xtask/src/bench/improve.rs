//! The search for features: from moments against reading the data, and `auto` against the paper's search.

use std::process::Command;

use super::contest::Side;
use super::row::{Amount, Bar, Row};
use super::workload::FEATURES;
use super::{Bench, thread_variables};
use crate::shell::{cargo, output, root, run, target};

const DRAWS: usize = 1000;
/// Moments are to be at least n/(2d) times as fast as reading: 100 for 20,000 points and 100 features.
const FASTER: f64 = 100.0;
/// Datasets on which `auto` may end no better than the random search, as a share.
const TIES: f64 = 0.2;
/// All datasets together, in seconds.
const TOGETHER: f64 = 300.0;
/// Values that differ by less are equal.
const EQUAL: f64 = 1e-9;

/// One dataset: two values of ch_a and four times.
struct Line {
    random: f64,
    auto: f64,
    moments: f64,
    reading: f64,
    searching: f64,
    improving: f64,
}

pub fn measure(bench: &mut Bench) -> Result<(), String> {
    moments(bench)?;
    datasets(bench);
    Ok(())
}

/// The same draws, the data read once or for each of them.
fn moments(bench: &mut Bench) -> Result<(), String> {
    let name = FEATURES.name;
    bench.load(&FEATURES)?;
    let sides =
        [Side::job(name, "draws", &DRAWS.to_string()), Side::job(name, "redraws", &DRAWS.to_string())];
    let bests = bench.contest(&sides)?;
    let [once, each] = &bests[..] else { return Err("a side of the contest is missing".into()) };
    let workload = format!("{DRAWS} random subsets, {}", bench.size(&FEATURES));
    bench.rows.push(Row::times(&workload, once, "reading for each", each, Bar::AtLeast(FASTER)));
    bench.agree("random subsets, read for each", "ch_a", (once, each), EQUAL);
    bench.free(name)
}

fn datasets(bench: &mut Bench) {
    let folder = root().join("..").join("shared").join("datasets");
    if !folder.is_dir() {
        println!("improve: skipped on real data, there is no folder ../shared/datasets");
        return;
    }
    println!("improving the datasets");
    let example = ["build", "--release", "--quiet", "-p", "clmatch-data", "--example", "bench_improve"];
    let lines = run(cargo().args(example)).and_then(|()| {
        let mut command = Command::new(target().join("release").join("examples").join("bench_improve"));
        let ended = output(command.arg(&folder).envs(thread_variables()), false)?;
        if !ended.success {
            return Err(ended.err.trim().to_owned());
        }
        parse(&String::from_utf8_lossy(&ended.out))
    });
    bench.rows.extend(rows(lines));
}

fn parse(text: &str) -> Result<Vec<Line>, String> {
    let line = |line: &str| {
        let numbers: Option<Vec<f64>> =
            line.split_whitespace().skip(1).map(|word| word.parse().ok()).collect();
        match numbers.as_deref() {
            Some(&[random, auto, moments, reading, searching, improving]) => {
                Ok(Line { random, auto, moments, reading, searching, improving })
            }
            _ => Err(format!("cannot understand: {line}")),
        }
    };
    text.lines().map(line).collect()
}

fn rows(lines: Result<Vec<Line>, String>) -> Vec<Row> {
    let lines = match lines {
        Ok(lines) => lines,
        Err(why) => {
            let workload = "improve, real datasets".to_owned();
            let theirs = Ok(Amount::Count(0));
            return vec![Row {
                workload,
                ours: Err(why),
                against: "-".into(),
                theirs,
                bar: Bar::AtMost(0.0),
            }];
        }
    };
    let count = |holds: fn(&Line) -> bool| Ok(Amount::Count(lines.iter().filter(|line| holds(line)).count()));
    let sum = |seconds: fn(&Line) -> f64| Ok(Amount::Seconds(lines.iter().map(seconds).sum()));
    let all = lines.len();
    let row = |workload: &str, ours, against: &str, theirs, bar| Row {
        workload: workload.to_owned(),
        ours,
        against: against.to_owned(),
        theirs,
        bar,
    };
    vec![
        row(
            "datasets on which auto ends below the random search",
            count(|line| line.auto < line.random - EQUAL),
            "all",
            Ok(Amount::Count(all)),
            Bar::AtMost(0.0),
        ),
        row(
            "datasets on which auto does not end above it",
            count(|line| line.auto <= line.random + EQUAL),
            "all",
            Ok(Amount::Count(all)),
            Bar::AtMost(TIES),
        ),
        row(
            "datasets on which auto takes longer than reading for each subset",
            count(|line| line.searching > line.reading),
            "all",
            Ok(Amount::Count(all)),
            Bar::AtMost(0.0),
        ),
        row(
            "auto, all datasets",
            sum(|line| line.searching),
            "random search, reading",
            sum(|line| line.reading),
            Bar::AtMost(1.0),
        ),
        row(
            "random search from moments, all datasets",
            sum(|line| line.moments),
            "reading for each subset",
            sum(|line| line.reading),
            Bar::None,
        ),
        row(
            &format!("{all} datasets read and improved, with the check against chance"),
            sum(|line| line.improving),
            &format!("{TOGETHER} s"),
            Ok(Amount::Seconds(TOGETHER)),
            Bar::AtMost(1.0),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_rows_with_bars() {
        let text = "a 0.5 0.6 0.1 2 1 3\nb 0.7 0.7 0.1 2 3 4\n";
        let rows = rows(parse(text));
        assert_eq!(
            rows.iter().map(Row::met).collect::<Vec<_>>(),
            [Some(true), Some(false), Some(false), Some(true), None, Some(true)]
        );
        assert!(parse("a 1 2").is_err());
    }
}
