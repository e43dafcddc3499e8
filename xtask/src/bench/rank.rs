//! The command on a folder of real datasets, reading included.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use super::contest::Turn;
use super::row::{Amount, Bar, Row};
use super::{Bench, THREADS, thread_variables};
use crate::shell::{cargo, output, root, run, target};

/// The longest that the whole ranking may take.
const SECONDS: f64 = 5.0;
const ROUNDS: usize = 3;

pub fn measure(bench: &mut Bench) {
    let datasets = root().join("..").join("shared").join("datasets");
    let Ok(folder) = std::fs::read_dir(&datasets) else {
        println!("rank: skipped, there is no folder ../shared/datasets");
        return;
    };
    let name = format!("rank of {} datasets, all measures", folder.count());
    println!("{name}");
    let ours = run(cargo().args(["build", "--release", "--quiet", "--workspace", "--bin", "clmatch"]))
        .and_then(|()| best(bench, &datasets));
    bench.rows.push(Row {
        workload: name,
        ours: ours.map(Amount::Seconds),
        against: format!("{SECONDS} s"),
        theirs: Ok(Amount::Seconds(SECONDS)),
        bar: Bar::AtMost(1.0),
    });
}

/// The shortest of a few runs.
fn best(bench: &mut Bench, datasets: &Path) -> Result<f64, String> {
    let mut best = f64::INFINITY;
    for round in 0..bench.settings.rounds().min(ROUNDS) {
        let mut command = Command::new(target().join("release").join("clmatch"));
        command.arg("rank").arg(datasets).args(["--measures", "all", "--format", "csv"]);
        command.envs(thread_variables());
        let start = Instant::now();
        let ended = output(&mut command, false)?;
        let seconds = start.elapsed().as_secs_f64();
        if !ended.success {
            return Err(ended.err.lines().next_back().unwrap_or("clmatch rank failed").to_owned());
        }
        bench.turns.push(Turn { side: "rank".to_owned(), threads: THREADS, round, seconds });
        best = best.min(seconds);
    }
    Ok(best)
}
