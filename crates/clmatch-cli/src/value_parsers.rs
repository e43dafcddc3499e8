//! Parses words of the command line into values: measures, bars, ranges, errors, seconds.

use std::ffi::OsStr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, TypedValueParser};
use clmatch::Measure;
use clmatch::improve::Shrinkage;
use clmatch::measure::{self, REGISTRY, Scope};
use clmatch_analysis::bars::{Bar, BarOf};
use clmatch_analysis::calibration::variants::Variant;
use clmatch_analysis::relabelling::RowRange;
use clmatch_cluster::external::External;
use clmatch_data::catalogue::Catalogue;
use clmatch_data::{Missing, Scale};
use clmatch_lab::calibrate::transfer::ranged;
use clmatch_truth::classifiers::Method;
use clmatch_truth::techniques::Technique;

/// One word of `--measures`: a measure, or all of them.
pub type Ids = &'static [&'static Measure];

/// A range of numbers, both ends included.
pub type Span = RangeInclusive<usize>;

/// The prefix of a bar for the worst pair of classes.
const WORST: &str = "worst:";

/// A parser for values from a list, which shells offer when they complete a command line.
#[derive(Clone)]
pub struct Listed<T: 'static> {
    parse: fn(&str) -> Result<T, String>,
    names: fn() -> Vec<&'static str>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Listed<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        self.parse.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.names)().into_iter().map(PossibleValue::new)))
    }
}

fn measure_ids() -> Vec<&'static str> {
    REGISTRY.iter().map(|measure| measure.id).collect()
}

/// A measure.
pub const MEASURE: Listed<&'static Measure> = Listed { parse: parse_measure, names: measure_ids };
/// One word of `--measures`.
pub const MEASURES: Listed<Ids> =
    Listed { parse: parse_measures, names: || [measure_ids(), vec!["all"]].concat() };
/// A scaling.
pub const SCALE: Listed<Scale> =
    Listed { parse: |text| text.parse(), names: || Scale::ALL.map(|(name, _)| name).to_vec() };
/// A scaling that has a catalogue.
pub const CATALOGUED_SCALE: Listed<Scale> =
    Listed { parse: parse_catalogued_scale, names: || vec!["max-abs", "standard"] };
/// What to do with missing values.
pub const MISSING: Listed<Missing> =
    Listed { parse: parse_missing, names: || Missing::ALL.map(|(name, _)| name).to_vec() };
/// An external measure.
pub const EXTERNAL: Listed<External> =
    Listed { parse: parse_external, names: || External::ALL.map(External::id).to_vec() };
/// A clustering technique.
pub const TECHNIQUE: Listed<Technique> =
    Listed { parse: parse_technique, names: || Technique::ALL.map(Technique::id).to_vec() };
/// A classifier.
pub const CLASSIFIER: Listed<Method> =
    Listed { parse: parse_classifier, names: || Method::ALL.map(Method::id).to_vec() };

/// A whole number from a range, both ends included.
pub fn whole(range: RangeInclusive<u64>) -> impl Fn(&str) -> Result<u64, String> + Clone + Send + Sync {
    move |text| match text.parse() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => Err(match (*range.start(), *range.end()) {
            (0, u64::MAX) => "write a whole number".to_owned(),
            (start, u64::MAX) => format!("write a whole number, at least {start}"),
            (start, end) => format!("write a whole number from {start} to {end}"),
        }),
    }
}

/// A number of bytes: `500MB`, `1GB`, `1.5GiB`, `1000000`.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    const LEAST: f64 = 1e6;
    const UNITS: [(&str, f64); 9] = [
        ("kib", 1024.0),
        ("mib", 1_048_576.0),
        ("gib", 1_073_741_824.0),
        ("tib", 1_099_511_627_776.0),
        ("kb", 1e3),
        ("mb", 1e6),
        ("gb", 1e9),
        ("tb", 1e12),
        ("b", 1.0),
    ];
    let lower = text.trim().to_ascii_lowercase();
    let unit = UNITS.iter().find_map(|&(unit, size)| Some((lower.strip_suffix(unit)?, size)));
    let (number, size) = unit.unwrap_or((&lower, 1.0));
    match number.trim().parse::<f64>() {
        Ok(number) if (LEAST..=1e18).contains(&(number * size)) => Ok((number * size) as u64),
        _ => Err("write a size of at least 1MB, such as 500MB or 1GB".to_owned()),
    }
}

/// A range of scores: `0.7..0.9`.
pub fn parse_scores(text: &str) -> Result<(f64, f64), String> {
    let ends = text.split_once("..").and_then(|(low, high)| {
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        Some((number(low)?, number(high)?))
    });
    ends.filter(|(low, high)| low <= high)
        .ok_or_else(|| "write two scores, the lower one first: 0.7..0.9".to_owned())
}

fn parse_measure(id: &str) -> Result<&'static Measure, String> {
    measure::find(id).ok_or_else(|| {
        let known: Vec<&str> = REGISTRY.iter().map(|measure| measure.id).collect();
        format!("there is no such measure; choose from {}", known.join(", "))
    })
}

fn parse_measures(word: &str) -> Result<Ids, String> {
    if word == "all" {
        return Ok(REGISTRY);
    }
    let measure = parse_measure(word)?;
    let at = REGISTRY.iter().position(|known| known.id == measure.id).unwrap_or_default();
    Ok(&REGISTRY[at..=at])
}

fn parse_external(id: &str) -> Result<External, String> {
    let known = External::ALL.map(External::id).join(", ");
    External::find(id).ok_or_else(|| format!("there is no such external measure; choose from {known}"))
}

fn parse_technique(id: &str) -> Result<Technique, String> {
    let known = Technique::ALL.map(Technique::id).join(", ");
    Technique::find(id).ok_or_else(|| format!("there is no such technique; choose from {known}"))
}

fn parse_classifier(id: &str) -> Result<Method, String> {
    let known = Method::ALL.map(Method::id).join(", ");
    Method::find(id).ok_or_else(|| format!("there is no such classifier; choose from {known}"))
}

pub fn parse_variant(name: &str) -> Result<Variant, String> {
    let known = ranged();
    known.iter().copied().find(|variant| variant.name().eq_ignore_ascii_case(name)).ok_or_else(|| {
        let names: Vec<String> = known.iter().map(|variant| format!("'{}'", variant.name())).collect();
        format!("there is no such variant with a growth rate; choose from {}", names.join(", "))
    })
}

pub fn parse_growth(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(k) if k > 0.0 && k.is_finite() => Ok(k),
        _ => Err("write a positive number".into()),
    }
}

/// The separator between the parts of a label.
pub fn parse_separator(text: &str) -> Result<String, String> {
    if text.is_empty() {
        Err("write what separates the parts of a label, for example /".into())
    } else {
        Ok(text.into())
    }
}

pub fn parse_diversity(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(factor) if factor >= 0.0 && factor.is_finite() => Ok(factor),
        _ => Err("write a number, at least 0".into()),
    }
}

pub fn parse_error_bound(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(error) if error > 0.0 && error < 1.0 => Ok(error),
        _ => Err("write a number between 0 and 1, for example 0.01".into()),
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

/// A row, or a range of rows: `7`, `10-12`.
pub fn parse_rows(text: &str) -> Result<RowRange, String> {
    let number = |text: &str| text.trim().parse::<usize>().ok().filter(|&row| row > 0);
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => Ok(RowRange { first, last }),
        _ => Err("write numbers of rows, counted from 1, and ranges such as 10-12".into()),
    }
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

/// A plot is always written as SVG, so its name must not suggest another format.
pub fn parse_svg(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase()) {
        Some(end) if end != "svg" => {
            Err(format!("plots are written as SVG, not as {end}: name the file FILE.svg"))
        }
        _ => Ok(path),
    }
}

fn parse_missing(word: &str) -> Result<Missing, String> {
    word.parse()
}

/// A scaling that has a catalogue.
fn parse_catalogued_scale(text: &str) -> Result<Scale, String> {
    let scale = text.parse().ok().filter(|scale| Catalogue::scaled(*scale).is_some());
    scale.ok_or_else(|| {
        "there is a catalogue of data scaled by max-abs, and of those scaled by standard".to_owned()
    })
}

/// A bar for the score of a dataset: `ID=VALUE`.
pub fn parse_bar(text: &str) -> Result<Bar, String> {
    let (id, value) = text.split_once('=').ok_or("write it as ID=VALUE, for example clm=0.8")?;
    let value: f64 = value.parse().map_err(|_| format!("'{value}' is not a number"))?;
    if value.is_nan() {
        return Err("a bar must be a number".into());
    }
    Ok(Bar { of: BarOf::Dataset, measure: parse_measure(id)?, value })
}

/// A bar for the score of a dataset, or of its worst pair of classes: `worst:ID=VALUE`.
pub fn parse_any_bar(text: &str) -> Result<Bar, String> {
    let Some(text) = text.strip_prefix(WORST) else { return parse_bar(text) };
    let bar = parse_bar(text)?;
    match bar.measure.scope() {
        Scope::Pairs => Ok(Bar { of: BarOf::WorstPair, ..bar }),
        Scope::Dataset => {
            Err(format!("{} has no scores of pairs: it looks at all classes at once", bar.measure.id))
        }
    }
}

/// How far a score may fall.
pub fn parse_fall(text: &str) -> Result<f64, String> {
    let fall = text.parse::<f64>().ok().filter(|fall| *fall >= 0.0 && fall.is_finite());
    fall.ok_or_else(|| "write a number that is not negative, for example 0.02".into())
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
    if from > to { Err("the range is empty: its end is below its start".into()) } else { Ok(from..=to) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_scores_are_read() {
        assert_eq!(parse_bytes("1GB"), Ok(1_000_000_000));
        assert_eq!(parse_bytes("1.5 GiB"), Ok(1_610_612_736));
        assert_eq!(parse_bytes("500mb"), Ok(500_000_000));
        assert_eq!(parse_bytes("2000000"), Ok(2_000_000));
        for wrong in ["", "GB", "-1GB", "1kB", "1 XB", "nan", "1e30"] {
            assert!(parse_bytes(wrong).is_err(), "{wrong}");
        }
        assert_eq!(parse_scores("0.7..0.9"), Ok((0.7, 0.9)));
        for wrong in ["0.9..0.7", "0.7", "a..b", "..", "0.7..inf"] {
            assert!(parse_scores(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn rows_are_numbers_and_ranges() {
        let rows = |text: &str| parse_rows(text).ok().map(|rows| (rows.first, rows.last));
        assert_eq!((rows("7"), rows("10-12"), rows(" 3 - 4")), (Some((7, 7)), Some((10, 12)), Some((3, 4))));
        assert!(["0", "", "a", "5-4", "-3", "3-", "1.5"].iter().all(|text| rows(text).is_none()));
    }

    #[test]
    fn whole_numbers_say_what_they_may_be() {
        let threads = whole(1..=4096);
        assert_eq!(threads("8"), Ok(8));
        for text in ["0", "4097", "-1", "many", "1.5", ""] {
            assert_eq!(threads(text), Err("write a whole number from 1 to 4096".to_owned()), "{text}");
        }
        assert_eq!(whole(1..=u64::MAX)("0"), Err("write a whole number, at least 1".to_owned()));
        assert_eq!(whole(0..=u64::MAX)("x"), Err("write a whole number".to_owned()));
    }

    #[test]
    fn bars_are_for_datasets_or_worst_pairs() {
        let bar = parse_any_bar("clm=0.8").unwrap();
        assert_eq!((bar.of, bar.measure.id, bar.value), (BarOf::Dataset, "clm", 0.8));
        let bar = parse_any_bar("worst:ch_a=0.3").unwrap();
        assert_eq!((bar.of, bar.measure.id, bar.value), (BarOf::WorstPair, "ch_a", 0.3));
        assert!(parse_any_bar("worst:sc=0.3").unwrap_err().starts_with("sc has no scores of pairs"));
        assert!(parse_bar("worst:clm=0.3").is_err(), "the catalogue has no pairs");
        assert_eq!(parse_fall("0.02"), Ok(0.02));
        assert!(parse_fall("-1").is_err() && parse_fall("NaN").is_err() && parse_fall("inf").is_err());
    }

    #[test]
    fn ranges_include_both_ends() {
        let span = |text| parse_range(text).unwrap();
        assert!(span("3..10").contains(&3) && span("3..10").contains(&10) && !span("3..10").contains(&11));
        assert!(span("3").contains(&3) && !span("3").contains(&4));
        assert!(span("..4").contains(&0) && span("7..").contains(&usize::MAX));
        assert!(parse_range("5..3").is_err() && parse_range("a..3").is_err());
    }
}
