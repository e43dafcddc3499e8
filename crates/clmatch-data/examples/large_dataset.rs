//! Writes a large dataset of Gaussian clusters, for measurements: `large_dataset ROWS FEATURES CLASSES FILE`, where the file
//! ends in `.csv` or `.parquet`. The same arguments give the same file.
// A tool for a terminal.
#![allow(clippy::print_stderr)]

use std::fs::File;
use std::io::{BufWriter, Write};
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Normal};
use rayon::prelude::*;

/// How many rows each thread makes at once.
const ROWS: usize = 1 << 14;

type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

#[derive(Clone, Copy)]
struct Shape {
    rows: usize,
    features: usize,
    classes: usize,
}

fn main() -> Outcome<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [rows, features, classes, file] = &words[..] else {
        return Err("usage: large_dataset ROWS FEATURES CLASSES FILE.csv|FILE.parquet".into());
    };
    let shape = Shape { rows: rows.parse()?, features: features.parse()?, classes: classes.parse()? };
    if file.ends_with(".parquet") { parquet(shape, file) } else { csv(shape, file) }
}

/// A block of rows: numbers with four decimals, row by row, and classes. Centres of neighbouring classes are 3 deviations apart.
fn block(shape: Shape, at: usize) -> Outcome<(Vec<f64>, Vec<usize>)> {
    let mut random = ChaCha8Rng::seed_from_u64(at as u64);
    let noise = Normal::new(0.0, 1.0)?;
    let rows = ROWS.min(shape.rows - at * ROWS);
    let mut values = Vec::with_capacity(rows * shape.features);
    let mut labels = Vec::with_capacity(rows);
    for row in 0..rows {
        let class = (at * ROWS + row) * 7919 % shape.classes;
        for feature in 0..shape.features {
            let centre = if feature % shape.classes == class { 3.0 } else { 0.0 };
            values.push(((centre + noise.sample(&mut random)) * 1e4_f64).round() / 1e4);
        }
        labels.push(class);
    }
    Ok((values, labels))
}

fn csv(shape: Shape, file: &str) -> Outcome<()> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(file)?);
    let names: Vec<String> = (0..shape.features).map(|feature| format!("x{feature}")).collect();
    writeln!(out, "{},class", names.join(","))?;
    each_group(shape, |blocks| {
        let texts: Vec<Outcome<Vec<u8>>> = blocks
            .into_par_iter()
            .map(|at| {
                let (values, labels) = block(shape, at)?;
                let mut text = Vec::with_capacity(values.len() * 8);
                for (row, class) in values.chunks_exact(shape.features).zip(labels) {
                    for value in row {
                        write!(text, "{value},")?;
                    }
                    writeln!(text, "class{class}")?;
                }
                Ok(text)
            })
            .collect();
        for text in texts {
            out.write_all(&text?)?;
        }
        Ok(())
    })?;
    Ok(out.flush()?)
}

fn parquet(shape: Shape, file: &str) -> Outcome<()> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_dictionary_enabled(false)
        .set_max_row_group_row_count(Some(1 << 18))
        .build();
    let mut writer = None;
    each_group(shape, |blocks| {
        let made: Vec<Outcome<RecordBatch>> = blocks
            .into_par_iter()
            .map(|at| {
                let (values, labels) = block(shape, at)?;
                let column = |feature: usize| {
                    let own = values.iter().skip(feature).step_by(shape.features).copied();
                    Arc::new(own.collect::<Float64Array>()) as ArrayRef
                };
                let classes =
                    labels.iter().map(|class| Some(format!("class{class}"))).collect::<StringArray>();
                let numbers = (0..shape.features).map(|feature| (format!("x{feature}"), column(feature)));
                let all = numbers.chain([("class".to_owned(), Arc::new(classes) as ArrayRef)]);
                Ok(RecordBatch::try_from_iter(all)?)
            })
            .collect();
        for batch in made {
            let batch = batch?;
            let writer = match &mut writer {
                Some(writer) => writer,
                None => {
                    let new =
                        ArrowWriter::try_new(File::create(file)?, batch.schema(), Some(properties.clone()))?;
                    writer.insert(new)
                }
            };
            writer.write(&batch)?;
        }
        Ok(())
    })?;
    if let Some(writer) = writer {
        writer.close()?;
    }
    Ok(())
}

/// Calls `write` with some blocks at a time, so that memory does not grow.
fn each_group(shape: Shape, mut write: impl FnMut(Vec<usize>) -> Outcome<()>) -> Outcome<()> {
    let blocks = shape.rows.div_ceil(ROWS);
    let together = 4 * rayon::current_num_threads();
    (0..blocks).step_by(together).try_for_each(|from| write((from..(from + together).min(blocks)).collect()))
}
