//! `cargo xtask catalogue --datasets DIR`: scores every dataset in a folder and writes the embedded catalogues, one for each of two
//! scalings, and their ground truth.

use std::fmt::Write;
use std::fs;

use serde_json::Value;

use crate::catalogue_truth;
use crate::shell::{cargo, output, root};

/// The catalogues, with the scaling of their data.
const FILES: [(&str, &str); 2] = [
    ("crates/clmatch-data/data/catalogue-standard.csv", "standard"),
    ("crates/clmatch-data/data/catalogue.csv", "max-abs"),
];

pub fn write(datasets: &str) -> Result<(), String> {
    let mut ranked = Vec::new();
    for (file, scale) in FILES {
        ranked = write_scaled(datasets, file, scale)?;
    }
    catalogue_truth::write(&ranked)
}

fn write_scaled(datasets: &str, file: &str, scale: &str) -> Result<Vec<Value>, String> {
    let mut command = cargo();
    command.args(["run", "--release", "--quiet", "--package", "clmatch-cli", "--", "rank"]);
    command.args([datasets, "--measures", "all", "--format", "json", "--scale", scale]);
    let ended = output(&mut command, true)?;
    if !ended.success {
        return Err(format!("not every dataset in {datasets} could be scored"));
    }
    let mut datasets: Vec<Value> = serde_json::from_slice(&ended.out).map_err(|error| error.to_string())?;
    datasets.sort_by_key(|dataset| dataset["dataset"].as_str().unwrap_or_default().to_owned());
    let text = table(&datasets).ok_or("the ranking is not in the expected form")?;
    fs::write(root().join(file), text).map_err(|error| format!("{file}: {error}"))?;
    println!("{file}: {} datasets", datasets.len());
    Ok(datasets)
}

fn table(datasets: &[Value]) -> Option<String> {
    let ids: Vec<&String> = datasets.first()?["scores"].as_object()?.keys().collect();
    let mut text = String::from("dataset,points,features,classes");
    ids.iter().for_each(|id| text.extend([",", id]));
    text.push_str(",checksum\n");
    for dataset in datasets {
        text.push_str(dataset["dataset"].as_str()?);
        for count in ["points", "features", "classes"] {
            write!(text, ",{}", dataset[count].as_u64()?).ok()?;
        }
        for id in &ids {
            // Infinite scores are written as text.
            match &dataset["scores"][id.as_str()] {
                Value::Number(number) => write!(text, ",{}", number.as_f64()?).ok()?,
                other => write!(text, ",{}", other.as_str()?).ok()?,
            }
        }
        writeln!(text, ",{}", dataset["checksum"].as_str()?).ok()?;
    }
    Some(text)
}
