//! How long work on a dataset takes: before it is read, for a time that is left; and before exact scores that take long.

use std::fs::File;
use std::io::Read;
use std::time::Duration;

use clmatch::cost::{self, Workload};
use clmatch::{Classes, Control, DataError, Measure};
use clmatch_data::{Advice, Source};

use crate::remark::Remark;
use crate::source::UnreadDataset;

/// Exact scores that take longer are announced.
const LONG: Duration = Duration::from_secs(60);
/// From this much of a text file its shape is estimated.
const HEAD: u64 = 1 << 16;
/// Seconds for a dataset, and for each byte of it.
const OF_READING: (f64, f64) = (2e-3, 5e-9);
/// Up to this many points, other labels and another scaling are tried for the verdict.
const TRIED: usize = 20_000;
/// How many evaluations that takes.
const EVALUATIONS: f64 = 4.0;
/// Up to this many points there is an interval, too.
const FEW_POINTS: usize = 1000;
/// How many evaluations that takes.
const EVALUATIONS_OF_FEW: f64 = 40.0;
/// What separates the values of a row.
const SEPARATORS: [u8; 5] = *b",;\t| ";

/// A remark if exact scores take longer than a minute.
pub(crate) fn remark(
    classes: &Classes<'_>,
    measures: &[&'static Measure],
    control: Control<'_>,
) -> Result<Option<Remark>, DataError> {
    let long = cost::predicted(classes, measures, control)?.filter(|time| *time > LONG);
    let trees = measures.iter().any(|measure| measure.statistics().contains(&"spanning trees"));
    Ok(long.map(|time| {
        let text = format!("exact scores of {} points take about {}", classes.n_points(), in_words(time));
        Remark::info(text).advise(Advice::Estimate { trees })
    }))
}

/// A time of more than a minute, in round numbers.
fn in_words(time: Duration) -> String {
    let minutes = (time.as_secs_f64() / 60.0).round();
    match minutes {
        ..1.5 => "a minute".to_owned(),
        ..90.0 => format!("{minutes} minutes"),
        _ => format!("{} hours", (minutes / 60.0).round()),
    }
}

/// About how many seconds a dataset takes to be read, scored by these measures and judged, relative to others: from the size of
/// its files and, if they are text, the length and width of their first rows.
pub fn of_unread(source: &Source, measures: &[&'static Measure]) -> f64 {
    let bytes = source.bytes();
    let shape = shape(source, bytes);
    let again = if shape.points <= FEW_POINTS {
        EVALUATIONS_OF_FEW
    } else if shape.points <= TRIED {
        EVALUATIONS
    } else {
        1.0
    };
    let scores = shape.seconds(measures, rayon::current_num_threads());
    OF_READING.0 + OF_READING.1 * bytes as f64 + again * scores
}

/// The shape of a dataset that is not read yet.
fn shape(source: &Source, bytes: u64) -> Workload {
    let first = source.files().into_iter().next();
    let head = first.and_then(|path| {
        let mut head = Vec::new();
        File::open(path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
        Some(head)
    });
    shape_of(&head.unwrap_or_default(), bytes)
}

/// The shape of a file from its first bytes. Numbers that are not text take about eight bytes each, of which rows are taken to
/// have 16.
fn shape_of(head: &[u8], bytes: u64) -> Workload {
    const UNKNOWN: u64 = 16;
    let end = head.iter().rposition(|&byte| byte == b'\n').filter(|_| !head.contains(&0));
    let lines: Vec<&[u8]> =
        end.map_or(Vec::new(), |end| head[..=end].split_inclusive(|&byte| byte == b'\n').collect());
    // The first lines may be a title or a header.
    let rows = &lines[lines.len() / 2..];
    let length: usize = rows.iter().map(|row| row.len()).sum();
    if length == 0 {
        return Workload { points: (bytes / 8 / UNKNOWN) as usize, features: UNKNOWN as usize, classes: 2 };
    }
    let count = |separator: &u8| rows[0].iter().filter(|byte| *byte == separator).count();
    let features = SEPARATORS.iter().map(count).max().unwrap_or_default().max(1);
    let points = bytes as usize / (length / rows.len()).max(1);
    Workload { points, features, classes: 2 }
}

/// The time that is left, judging by the share of the work that is done; `None` while that says little.
pub fn left(elapsed: Duration, done: f64, all: f64) -> Option<Duration> {
    const SOON: Duration = Duration::from_secs(2);
    const LITTLE: f64 = 0.1;
    let says = elapsed >= SOON && done > 0.0 && done >= LITTLE * all;
    says.then(|| elapsed.mul_f64((all / done - 1.0).max(0.0)))
}

#[cfg(test)]
mod tests {
    use clmatch::measure::{defaults, find};

    use super::*;

    #[test]
    fn text_shows_its_shape() {
        let row = "1.5,2.5,3.5,a\n";
        let head = format!("x,y,z,label\n{}", row.repeat(200));
        let size = 100_000 * row.len() as u64;
        assert_eq!(shape_of(head.as_bytes(), size), Workload { points: 100_000, features: 3, classes: 2 });
        let half_a_row = &head.as_bytes()[..head.len() - 4];
        assert_eq!(shape_of(half_a_row, size).points, 100_000);
        assert_eq!(shape_of(b"\x1f\x8b\0\n", 1 << 20).points, 8192);
        assert_eq!(shape_of(b"", 0).points, 0);
        assert_eq!(shape_of(b"\n\n\n", 3).points, 3);
    }

    #[test]
    fn large_datasets_take_most_of_the_time() {
        let folder = tempfile::tempdir().unwrap();
        let of_rows = |rows: usize| {
            let path = folder.path().join(format!("{rows}.csv"));
            std::fs::write(&path, "1.5,2.5,3.5,4.5,a\n".repeat(rows)).unwrap();
            of_unread(&Source::new(path), &defaults())
        };
        let [small, large, larger] = [150, 30_000, 60_000].map(of_rows);
        assert!(larger > 3.0 * large && large > 20.0 * small, "{small} {large} {larger}");
        let path = folder.path().join("60000.csv");
        assert!(of_unread(&Source::new(path), &[find("ch_a").unwrap()]) < larger / 10.0);
        let embedded = of_unread(&Source::embedded("iris").unwrap(), &defaults());
        assert!(embedded > 0.0 && embedded <= small, "{embedded}");
    }

    #[test]
    fn no_time_is_shown_before_it_says_something() {
        let seconds = Duration::from_secs;
        assert_eq!(left(seconds(1), 5.0, 10.0), None);
        assert_eq!(left(seconds(60), 0.5, 10.0), None);
        assert_eq!(left(seconds(60), 0.0, 0.0), None);
        assert_eq!(left(seconds(30), 2.5, 10.0), Some(seconds(90)));
        assert_eq!(left(seconds(30), 11.0, 10.0), Some(seconds(0)));
    }

    #[test]
    fn long_times_are_round() {
        let words = [61, 100, 600, 12_000].map(|seconds| in_words(Duration::from_secs(seconds)));
        assert_eq!(words, ["a minute", "2 minutes", "10 minutes", "3 hours"]);
    }
}
