//! Text: delimited, ARFF, svmlight, JSON.

use std::io::{self, Write};

use super::{integers, push_number, row};
use crate::cell::{self, ParsedCell};
use crate::dataset::Dataset;

/// Writes a header, then a line for each row; the label comes last.
pub(super) fn delimited(
    dataset: &Dataset,
    label: &str,
    delimiter: u8,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(out);
    writer.write_record(dataset.features.iter().map(String::as_str).chain([label]))?;
    let mut number = String::new();
    for at in 0..dataset.n_points() {
        for value in row(dataset, at) {
            number.clear();
            push_number(&mut number, value);
            writer.write_field(&number)?;
        }
        writer.write_field(dataset.labels.name_of(at))?;
        writer.write_record(None::<&[u8]>)?;
    }
    writer.flush()
}

/// Writes numeric attributes and a nominal class.
pub(super) fn arff(dataset: &Dataset, label: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "@relation {}", quoted(&dataset.name))?;
    for name in &dataset.features {
        writeln!(out, "@attribute {} numeric", quoted(name))?;
    }
    let names: Vec<String> = dataset.labels.names().iter().map(|name| quoted(name)).collect();
    writeln!(out, "@attribute {} {{{}}}\n@data", quoted(label), names.join(","))?;
    let mut line = String::new();
    for at in 0..dataset.n_points() {
        line.clear();
        for value in row(dataset, at) {
            push_number(&mut line, value);
            line.push(',');
        }
        line.push_str(&names[dataset.labels.codes()[at] as usize]);
        line.push('\n');
        out.write_all(line.as_bytes())?;
    }
    Ok(())
}

/// A name in quotes, unless it is a plain word.
pub(super) fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-' || c == '.';
    if !name.is_empty() && name.chars().all(plain) {
        return name.to_owned();
    }
    // Each attribute is one line, so a name cannot contain a line break.
    let name = name.replace(['\n', '\r'], " ");
    format!("'{}'", name.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// Whether a label can be the first word of a line.
pub(super) fn fits_svmlight(name: &str) -> bool {
    let special = |c: char| c.is_whitespace() || c == ':' || c == '#';
    let same = match cell::plain(name.as_bytes()) {
        ParsedCell::Number(number) => {
            let mut text = String::new();
            push_number(&mut text, number);
            text == name
        }
        ParsedCell::Missing => false,
        _ => true,
    };
    !name.is_empty() && !name.contains(special) && same
}

/// Writes values that are not 0; the last value of a row is always written, so that no feature is lost.
pub(super) fn svmlight(dataset: &Dataset, out: &mut dyn Write) -> io::Result<()> {
    let features = dataset.features.len();
    let mut line = String::new();
    for at in 0..dataset.n_points() {
        line.clear();
        line.push_str(dataset.labels.name_of(at));
        for (f, value) in row(dataset, at).enumerate() {
            if value != 0.0 || value.is_sign_negative() || f + 1 == features {
                line.push_str(&format!(" {}:", f + 1));
                push_number(&mut line, value);
            }
        }
        line.push('\n');
        out.write_all(line.as_bytes())?;
    }
    Ok(())
}

/// Writes an array of rows.
pub(super) fn json_points(dataset: &Dataset, out: &mut dyn Write) -> io::Result<()> {
    let mut line = String::new();
    for at in 0..dataset.n_points() {
        line.clear();
        line.push_str(if at == 0 { "[[" } else { ",\n[" });
        for (f, value) in row(dataset, at).enumerate() {
            if f > 0 {
                line.push(',');
            }
            push_number(&mut line, value);
        }
        line.push(']');
        out.write_all(line.as_bytes())?;
    }
    out.write_all(b"]")
}

/// Writes one object per row, each on a line; the label comes last.
pub(super) fn json_lines(dataset: &Dataset, label: &str, out: &mut dyn Write) -> io::Result<()> {
    let quoted = |text: &str| serde_json::to_string(text).map_err(io::Error::from);
    let names: Vec<String> = dataset.features.iter().map(|name| quoted(name)).collect::<Result<_, _>>()?;
    let label = quoted(label)?;
    let numbers = integers(dataset);
    let mut line = String::new();
    for at in 0..dataset.n_points() {
        line.clear();
        line.push('{');
        for (name, value) in names.iter().zip(row(dataset, at)) {
            line.push_str(name);
            line.push(':');
            push_number(&mut line, value);
            line.push(',');
        }
        line.push_str(&label);
        line.push(':');
        match &numbers {
            Some(numbers) => line.push_str(&numbers[at].to_string()),
            None => line.push_str(&quoted(dataset.labels.name_of(at))?),
        }
        line.push_str("}\n");
        out.write_all(line.as_bytes())?;
    }
    Ok(())
}

/// Writes an array of numbers, or of texts.
pub(super) fn json_labels(dataset: &Dataset, out: &mut dyn Write) -> io::Result<()> {
    match integers(dataset) {
        Some(numbers) => serde_json::to_writer(out, &numbers)?,
        None => {
            let names: Vec<&str> = (0..dataset.n_points()).map(|at| dataset.labels.name_of(at)).collect();
            serde_json::to_writer(out, &names)?;
        }
    }
    Ok(())
}
