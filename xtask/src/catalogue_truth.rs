//! The ground truth of the catalogued datasets in a compact form, from `lab/results/truth.csv`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use serde_json::Value;

use crate::shell::root;

const FROM: &str = "lab/results/truth.csv";
const TO: &str = "crates/clmatch-data/data/truth.csv";
/// The suffix by which `truth` marks partitions that leave nearly every point in a cluster of its own, which do not count.
const NEAR_SINGLETONS: &str = "_singletons";

/// Writes the scores of all techniques on the ranked datasets, and the size of their smallest class.
pub fn write(ranked: &[Value]) -> Result<(), String> {
    let text = fs::read_to_string(root().join(FROM)).map_err(|error| format!("{FROM}: {error}"))?;
    let table =
        table(&text, ranked).ok_or_else(|| format!("{FROM} does not have every dataset and technique"))?;
    fs::write(root().join(TO), table).map_err(|error| format!("{TO}: {error}"))?;
    println!("{TO}: {} datasets", ranked.len());
    Ok(())
}

fn table(text: &str, ranked: &[Value]) -> Option<String> {
    let (mut techniques, mut externals): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    let mut scores: BTreeMap<(&str, &str, &str), f64> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.splitn(5, ',').collect();
        let [dataset, technique, external, score, ..] = cells[..] else { return None };
        if technique.ends_with(NEAR_SINGLETONS) {
            continue;
        }
        if !techniques.contains(&technique) {
            techniques.push(technique);
        }
        if !externals.contains(&external) {
            externals.push(external);
        }
        scores.insert((dataset, external, technique), score.parse().ok()?);
    }
    let mut table = format!("dataset,smallest_class,external,{}\n", techniques.join(","));
    for one in ranked {
        let dataset = one["dataset"].as_str()?;
        let smallest = one["sizes"].as_array()?.iter().filter_map(|size| size["points"].as_u64()).min()?;
        for external in &externals {
            write!(table, "{dataset},{smallest},{external}").ok()?;
            for technique in &techniques {
                write!(table, ",{}", short(*scores.get(&(dataset, external, technique))?)).ok()?;
            }
            table.push('\n');
        }
    }
    Some(table)
}

/// Six decimal places, without trailing zeros.
fn short(score: f64) -> String {
    let text = format!("{score:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_become_a_wide_table() {
        let text = "dataset,technique,external,score,settings,seconds\n\
            a,k,ami,0.5,\"x=1, y=2\",1\na,l,ami,-0.00000001,,1\na,k_singletons,ami,1,,1\na,k,vm,1,,1\na,l,vm,0.1234567,,1\n";
        let ranked: Vec<Value> =
            serde_json::from_str(r#"[{"dataset": "a", "sizes": [{"points": 9}, {"points": 4}]}]"#).unwrap();
        let expected = "dataset,smallest_class,external,k,l\na,4,ami,0.5,0\na,4,vm,1,0.123457\n";
        assert_eq!(table(text, &ranked).as_deref(), Some(expected));
        let missing: Vec<Value> =
            serde_json::from_str(r#"[{"dataset": "b", "sizes": [{"points": 9}]}]"#).unwrap();
        assert_eq!(table(text, &missing), None);
    }
}
