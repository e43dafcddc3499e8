//! Draws how time grows with rows, and what that predicts for a cluster: `scale_plot docs/scale.csv docs/scale.svg`.
//!
//! The table has the measured processor seconds (`format,rows,seconds,peak_mb`), and the seconds of merging two summaries in the
//! line `merge,,SECONDS,`. A worker of the cluster is one core. The projected seconds of W workers are
//!
//! ```text
//! rows / W x seconds per row + merges in a tree of depth log2(W) x seconds per merge
//! ```

use clmatch_render::{Line, LinePlot};

/// Workers of the cluster.
const WORKERS: f64 = 1000.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [table, plot] = &words[..] else { return Err("usage: scale_plot TABLE.csv PLOT.svg".into()) };
    let text = std::fs::read_to_string(table)?;
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let constant = |name: &str| -> Result<f64, Box<dyn std::error::Error>> {
        let row = rows.iter().find(|row| row[0] == name).ok_or(format!("there is no line {name}"))?;
        Ok(row[2].parse()?)
    };
    let merge = constant("merge")?;
    let mut lines = Vec::new();
    for format in ["csv", "parquet"] {
        let own: Vec<(f64, f64)> = rows
            .iter()
            .filter(|row| row[0] == format)
            .map(|row| Ok((row[1].parse()?, row[2].parse()?)))
            .collect::<Result<_, std::num::ParseFloatError>>()?;
        let Some(&(most, seconds)) = own.last() else { continue };
        let each = seconds / most;
        let powers = |from: f64| (from.log10().ceil() as i32..=11).map(|power| 10_f64.powi(power));
        let alone = std::iter::once(most).chain(powers(most * 1.01));
        let cluster = powers(1e8).map(|rows| (rows, rows / WORKERS * each + WORKERS.log2() * merge));
        let log = |(rows, seconds): (f64, f64)| (rows, seconds.log10());
        let line = |name: String, points: Vec<(f64, f64)>| Line { name, points };
        lines.push(line(format!("{format}, measured"), own.into_iter().map(log).collect()));
        lines
            .push(line(format!("{format}, projected"), alone.map(|rows| log((rows, rows * each))).collect()));
        lines.push(line(format!("{format}, projected, 1,000 workers"), cluster.map(log).collect()));
    }
    let drawn = LinePlot {
        title: "Time to score a stream".to_owned(),
        x: "rows".to_owned(),
        y: "log10 of processor seconds of a worker".to_owned(),
        lines,
        ..LinePlot::default()
    };
    std::fs::write(plot, drawn.svg())?;
    Ok(())
}
