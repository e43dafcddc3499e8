//! `cargo xtask coverage [--datasets DIR]`: counts how often the stated errors of `--approx` cover the exact scores, and
//! `cargo xtask coverage --intervals` how often those of `--ci` hold the expected ones.

use std::fs;

use crate::shell::{cargo, output, root};

const FILE: &str = "lab/results/approx-coverage.md";
/// Estimates of each dataset to each goal.
const DRAWS: &str = "200";

const HEAD: &str = "\
# How often the stated errors of estimates hold

`clmatch score --approx EPS` and `--limit-seconds S` estimate scores from a sample and state a 95% error. Here each dataset
is estimated 200 times with different seeds, and compared with its exact scores: from the first sample alone (100 points of
each class, and those that are chosen with certainty), until the error is at most .01, and when the time is up at once (20
points of each class). A cell says how often the exact score lay within the stated error, and in brackets the root of the
mean squared miss and the mean stated error. An estimate that goes on until a tenth of the points is looked at becomes an
exact evaluation.

";

const INTERVALS: &str = "lab/results/interval-coverage.md";
/// Intervals of each setting.
const INTERVAL_DRAWS: &str = "500";

const INTERVAL_HEAD: &str = "\
# How often 95% intervals hold

`clmatch score --ci` gives every score a 95% interval by a block jackknife over 21 groups. Here each setting is drawn 500 times;
a number says in how many percent of the draws the interval held the expected score at this number of points, which is the mean
score of 2,000 draws. By chance alone such a number is off by 1 (one standard deviation). Settings marked with * are known to be
hard: few points, heavy tails, and no separation at all, where scores lie at the end of their range.

";

/// Counts how often intervals hold the expected score.
pub fn write_intervals() -> Result<(), String> {
    let mut command = cargo();
    let example = ["--package", "clmatch", "--example", "interval_coverage", "--", INTERVAL_DRAWS];
    command.args(["run", "--release", "--quiet"]).args(example);
    let ended = output(&mut command, true)?;
    if !ended.success {
        return Err("the coverage could not be counted".into());
    }
    let table = String::from_utf8_lossy(&ended.out);
    let text = format!("{INTERVAL_HEAD}{table}\nMade by `cargo xtask coverage --intervals`.\n");
    fs::write(root().join(INTERVALS), text).map_err(|error| format!("{INTERVALS}: {error}"))?;
    println!("{INTERVALS}: written");
    Ok(())
}

pub fn write(datasets: Option<&str>) -> Result<(), String> {
    let mut command = cargo();
    command.args(["run", "--release", "--quiet", "--package", "clmatch-data", "--example", "coverage", "--"]);
    command.arg(DRAWS).args(datasets);
    let ended = output(&mut command, true)?;
    if !ended.success {
        return Err("the coverage could not be counted".into());
    }
    let table = String::from_utf8_lossy(&ended.out);
    let argument = datasets.map_or("", |_| " --datasets DIR");
    let text = format!("{HEAD}{table}\nMade by `cargo xtask coverage{argument}`.\n");
    fs::write(root().join(FILE), text).map_err(|error| format!("{FILE}: {error}"))?;
    println!("{FILE}: written");
    Ok(())
}
