//! From words of the command line to values: measures, bars, ranges, errors, seconds.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use clmatch::Measure;
use clmatch::improve::Shrinkage;
use clmatch::measure::{self, REGISTRY};
use clmatch_cluster::external::External;
use clmatch_data::Missing;
use clmatch_lab::calibrate::transfer::ranged;
use clmatch_lab::variants::Variant;
use clmatch_truth::classifiers::Method;
use clmatch_truth::techniques::Technique;

/// One word of `--measures`: a measure, or all of them.
pub type Ids = &'static [&'static Measure];

/// A value that a dataset must reach.
#[derive(Debug, Clone, Copy)]
pub struct Bar {
    pub measure: &'static Measure,
    pub value: f64,
}

/// From one number to another, both included.
pub type Span = RangeInclusive<usize>;

pub fn parse_measure(id: &str) -> Result<&'static Measure, String> {
    measure::find(id).ok_or_else(|| {
        let known: Vec<&str> = REGISTRY.iter().map(|measure| measure.id).collect();
        format!("no such measure; there are {}", known.join(", "))
    })
}

pub fn parse_measures(word: &str) -> Result<Ids, String> {
    if word == "all" {
        return Ok(REGISTRY);
    }
    let measure = parse_measure(word)?;
    let at = REGISTRY.iter().position(|known| known.id == measure.id).unwrap_or_default();
    Ok(&REGISTRY[at..=at])
}

pub fn parse_external(id: &str) -> Result<External, String> {
    let known = External::ALL.map(External::id).join(", ");
    External::find(id).ok_or_else(|| format!("no such external measure; there are {known}"))
}

pub fn parse_technique(id: &str) -> Result<Technique, String> {
    let known = Technique::ALL.map(Technique::id).join(", ");
    Technique::find(id).ok_or_else(|| format!("no such technique; there are {known}"))
}

pub fn parse_classifier(id: &str) -> Result<Method, String> {
    let known = Method::ALL.map(Method::id).join(", ");
    Method::find(id).ok_or_else(|| format!("no such classifier; there are {known}"))
}

pub fn parse_variant(name: &str) -> Result<Variant, String> {
    let known = ranged();
    known.iter().copied().find(|variant| variant.name().eq_ignore_ascii_case(name)).ok_or_else(|| {
        let names: Vec<String> = known.iter().map(|variant| format!("'{}'", variant.name())).collect();
        format!("no such variant with a growth rate; there are {}", names.join(", "))
    })
}

pub fn parse_growth(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(k) if k > 0.0 && k.is_finite() => Ok(k),
        _ => Err("a growth rate is a positive number".into()),
    }
}

pub fn parse_error_bound(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(error) if error > 0.0 && error < 1.0 => Ok(error),
        _ => Err("an error lies between 0 and 1, for example 0.01".into()),
    }
}

pub fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
    let limit = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    limit.ok_or_else(|| "write a positive number of seconds".into())
}

/// A number between 0 and 1, both included.
pub fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "write a number between 0 and 1".into())
}

pub fn parse_shrinkage(text: &str) -> Result<Shrinkage, String> {
    match text {
        "auto" => Ok(Shrinkage::Auto),
        "none" => Ok(Shrinkage::None),
        _ => parse_share(text)
            .map(Shrinkage::Fixed)
            .map_err(|_| "write auto, none or a number between 0 and 1".into()),
    }
}

/// A plot is written as SVG, whatever its name says: so the name must not say anything else.
pub fn parse_svg(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase()) {
        Some(end) if end != "svg" => {
            Err(format!("plots are written as SVG, not as {end}: name the file FILE.svg"))
        }
        _ => Ok(path),
    }
}

pub fn parse_missing(word: &str) -> Result<Missing, String> {
    word.parse()
}

pub fn parse_bar(text: &str) -> Result<Bar, String> {
    let (id, value) = text.split_once('=').ok_or("write it as ID=VALUE, for example clm=0.8")?;
    let value: f64 = value.parse().map_err(|_| format!("'{value}' is not a number"))?;
    if value.is_nan() {
        return Err("a bar must be a number".into());
    }
    Ok(Bar { measure: parse_measure(id)?, value })
}

pub fn parse_range(text: &str) -> Result<Span, String> {
    let number = |word: &str, default: usize| match word {
        "" => Ok(default),
        _ => word.parse().map_err(|_| format!("'{word}' is not a whole number; write a range as 3..10")),
    };
    let (from, to) = match text.split_once("..") {
        Some((from, to)) => (number(from, 0)?, number(to.trim_start_matches('='), usize::MAX)?),
        None => (number(text, 0)?, number(text, usize::MAX)?),
    };
    if from > to { Err("the range is empty".into()) } else { Ok(from..=to) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_include_both_ends() {
        let span = |text| parse_range(text).unwrap();
        assert!(span("3..10").contains(&3) && span("3..10").contains(&10) && !span("3..10").contains(&11));
        assert!(span("3").contains(&3) && !span("3").contains(&4));
        assert!(span("..4").contains(&0) && span("7..").contains(&usize::MAX));
        assert!(parse_range("5..3").is_err() && parse_range("a..3").is_err());
    }
}
