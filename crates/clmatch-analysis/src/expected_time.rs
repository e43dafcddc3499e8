//! How long work on a dataset takes: before it is read, for a time that is left; and before exact scores that take long.

use std::time::Duration;

use clmatch::cost::{self, Workload};
use clmatch::{Classes, Control, DataError, Measure};
use clmatch_data::{Advice, Source};
use clmatch_kernels::Step;

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
/// How many more evaluations that takes.
const EVALUATIONS: f64 = 3.0;
/// Up to this many points there is an interval, too.
const FEW_POINTS: usize = 1000;
/// How many more evaluations that takes.
const EVALUATIONS_OF_FEW: f64 = 39.0;
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

/// A remark if these parts of work on a dataset that is not read yet probably take longer than a minute.
pub fn remark_unread(source: &Source, measures: &[&'static Measure], parts: &[Part]) -> Option<Remark> {
    let points = shape(source, source.bytes()).points;
    // A usual machine is half as fast as the one that the times are from.
    let time =
        Duration::try_from_secs_f64(2.0 * phases(source, measures, parts).all()).unwrap_or(Duration::MAX);
    (time > LONG).then(|| {
        let text = format!("{}: about {points} points take {} or more", source.name, in_words(time));
        Remark::info(text).advise(Advice::from("a tenth of the rows takes a hundredth of the time"))
    })
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

/// A part of some work: the name of its progress, and how long it takes as a multiple of exact scores.
pub type Part = (&'static str, f64);
/// Exact scores, which have phases of their own.
pub const SCORES: Part = ("scores", 1.0);
/// The neighbours of all points.
pub const NEIGHBOURS: Part = ("neighbours", 1.2);

/// Phases of work with about how many seconds each takes, relative to others: reading a dataset, and then these parts.
pub fn phases(source: &Source, measures: &[&'static Measure], parts: &[Part]) -> Phases {
    let bytes = source.bytes();
    let shape = shape(source, bytes);
    let tried = if shape.points <= FEW_POINTS {
        EVALUATIONS_OF_FEW
    } else if shape.points <= TRIED {
        EVALUATIONS
    } else {
        0.0
    };
    let threads = rayon::current_num_threads();
    let compared = shape.phases(measures, threads);
    let of_pairs: f64 = compared.iter().map(|(_, seconds)| seconds).sum();
    let others = shape.seconds(measures, threads) - of_pairs;
    let mut phases = vec![("reading", OF_READING.0 + OF_READING.1 * bytes as f64 + others)];
    for &(name, times) in parts {
        if name == SCORES.0 {
            phases.extend(compared.iter().filter(|(_, seconds)| *seconds > 0.0));
            phases.extend((tried > 0.0).then_some(("evidence for the verdict", tried * of_pairs)));
        } else {
            phases.push((name, times * of_pairs));
        }
    }
    Phases { phases, at: 0, share: 0.0 }
}

/// Phases of work, and how far it has come.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Phases {
    phases: Vec<(&'static str, f64)>,
    at: usize,
    /// The share of the phase that is done.
    share: f64,
}

impl Phases {
    /// How many seconds all phases take, relative to others.
    pub fn all(&self) -> f64 {
        self.phases.iter().map(|(_, seconds)| seconds).sum()
    }

    /// How many of these are done.
    pub fn done(&self) -> f64 {
        let before: f64 = self.phases.iter().take(self.at).map(|(_, seconds)| seconds).sum();
        before + self.phases.get(self.at).map_or(0.0, |(_, seconds)| self.share * seconds)
    }

    /// Notes a step; `false` if it belongs to no phase. Steps may come from several threads, in any order.
    pub fn hear(&mut self, step: Step<'_>) -> bool {
        let share = if step.of == 0 { 0.0 } else { step.done as f64 / step.of as f64 };
        let is_here = self.phases.get(self.at).is_some_and(|(name, _)| *name == step.what);
        // Several evaluations in a row go through the same phases.
        if is_here && !(self.share >= 1.0 && share < 0.5) {
            self.share = self.share.max(share);
            return true;
        }
        let later = self.phases.iter().skip(self.at + 1).position(|(name, _)| *name == step.what);
        match later {
            Some(later) if share < 0.9 => {
                self.at += 1 + later;
                self.share = share;
                true
            }
            // A late step of a phase that is over, or of one that was expected less often.
            _ => is_here || later.is_some(),
        }
    }
}

/// The shape of a dataset that is not read yet.
fn shape(source: &Source, bytes: u64) -> Workload {
    let (head, bytes) = source.head(HEAD).unwrap_or((Vec::new(), bytes));
    shape_of(&head, bytes)
}

/// The shape of a file from its first bytes. Numbers that are not text take about eight bytes each, of which rows are taken to
/// have 16 if their header does not say so.
fn shape_of(head: &[u8], bytes: u64) -> Workload {
    const UNKNOWN: usize = 16;
    let text = !head.contains(&0);
    // The rows of a matrix as JSON end with a bracket, those of a table with their line.
    let end = if text && head.starts_with(b"[[") { b']' } else { b'\n' };
    let last = head.iter().rposition(|&byte| byte == end).filter(|_| text);
    let lines: Vec<&[u8]> =
        last.map_or(Vec::new(), |last| head[..=last].split_inclusive(|&byte| byte == end).collect());
    // The first lines may be a title or a header.
    let rows = &lines[lines.len() / 2..];
    let length: usize = rows.iter().map(|row| row.len()).sum();
    if length == 0 {
        let [points, features] = npy_shape(head).unwrap_or([(bytes / 8) as usize / UNKNOWN, UNKNOWN]);
        return Workload { points, features, classes: 2 };
    }
    let count = |separator: &u8| rows[0].iter().filter(|byte| *byte == separator).count();
    let features = SEPARATORS.iter().map(count).max().unwrap_or_default().max(1);
    let points = (bytes as f64 * rows.len() as f64 / length as f64) as usize;
    Workload { points, features, classes: 2 }
}

/// The rows and columns that the header of a NumPy file states.
fn npy_shape(head: &[u8]) -> Option<[usize; 2]> {
    let header = String::from_utf8_lossy(head.get(..256).unwrap_or(head).strip_prefix(b"\x93NUMPY")?);
    let (_, shape) = header.split_once("'shape': (")?;
    let mut lengths = shape.split(')').next()?.split(',').map_while(|length| length.trim().parse().ok());
    Some([lengths.next()?, lengths.product()])
}

/// What is known of the pace of some work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// How long it took to do what is done.
    pub elapsed: Duration,
    /// How much is done.
    pub done: f64,
    /// How much will be done when there is news again.
    pub next: f64,
    /// How much there is to do.
    pub all: f64,
}

impl Pace {
    /// The time that is left when there was no news `since` long; `None` while little is known. News that are late mean that the
    /// work is slower than it was: the time that is left rises then, and is never 0 before everything is done.
    pub fn left(&self, since: Duration) -> Option<Duration> {
        const SOON: Duration = Duration::from_secs(2);
        const LITTLE: f64 = 0.05;
        let Pace { elapsed, done, next, all } = *self;
        if elapsed < SOON || done <= 0.0 || done < LITTLE * all || done >= all {
            return None;
        }
        let most = (next - done).clamp(0.0, 0.95 * (all - done));
        let as_before = done * since.as_secs_f64() / elapsed.as_secs_f64();
        let meanwhile = if most > 0.0 { most * (1.0 - (-as_before / most).exp()) } else { 0.0 };
        Some((elapsed + since).mul_f64((all / (done + meanwhile) - 1.0).max(0.0)))
    }
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
            phases(&Source::new(path), &defaults(), &[SCORES]).all()
        };
        let [small, large, larger] = [150, 30_000, 60_000].map(of_rows);
        assert!(larger > 3.0 * large && large > 20.0 * small, "{small} {large} {larger}");
        let path = folder.path().join("60000.csv");
        assert!(phases(&Source::new(path), &[find("ch_a").unwrap()], &[SCORES]).all() < larger / 10.0);
        let embedded = phases(&Source::embedded("iris").unwrap(), &defaults(), &[SCORES]).all();
        assert!(embedded > 0.0 && embedded <= small, "{embedded}");
    }

    #[test]
    fn no_time_is_shown_before_it_says_something() {
        let seconds = Duration::from_secs;
        let left = |elapsed, done, all| {
            Pace { elapsed: seconds(elapsed), done, next: all, all }.left(Duration::ZERO)
        };
        assert_eq!(left(1, 5.0, 10.0), None);
        assert_eq!(left(60, 0.4, 10.0), None);
        assert_eq!(left(60, 0.0, 0.0), None);
        assert_eq!(left(30, 2.5, 10.0), Some(seconds(90)));
        assert_eq!(left(30, 11.0, 10.0), None);
    }

    #[test]
    fn the_time_that_is_left_falls_as_expected_and_rises_if_news_are_late() {
        let pace = Pace { elapsed: Duration::from_secs(10), done: 10.0, next: 20.0, all: 100.0 };
        let left = |since: f64| pace.left(Duration::from_secs_f64(since)).unwrap().as_secs_f64();
        assert_eq!(left(0.0), 90.0);
        assert!((89.0..89.6).contains(&left(1.0)), "{}", left(1.0));
        assert!(left(60.0) > left(20.0) && left(20.0) > 90.0, "{} {}", left(20.0), left(60.0));
        let last = Pace { done: 90.0, next: 100.0, ..pace };
        assert!(last.left(Duration::from_secs(3600)).unwrap() > Duration::from_secs(10));
    }

    #[test]
    fn a_bar_goes_over_all_phases() {
        let one_round = vec![("reading", 1.0), ("spanning trees", 6.0), ("distances", 3.0)];
        let mut phases =
            Phases { phases: [one_round.clone(), one_round[1..].to_vec()].concat(), ..Phases::default() };
        let mut done = |what, done| {
            let known = phases.hear(Step { what, done, of: 100 });
            (known, phases.done())
        };
        assert_eq!(done("spanning trees", 50), (true, 4.0));
        assert_eq!(done("neighbours", 50), (false, 4.0));
        assert_eq!(done("spanning trees", 100), (true, 7.0));
        assert_eq!(done("distances", 1), (true, 7.03));
        assert_eq!(done("spanning trees", 99), (true, 7.03), "a late step");
        assert_eq!(done("distances", 100), (true, 10.0));
        assert_eq!(done("spanning trees", 1), (true, 10.06));
        assert_eq!(phases.all(), 19.0);
    }

    #[test]
    fn packed_and_binary_files_show_their_shape() {
        let json = format!("[{}]", vec!["[1.5, 2.5, 3.5]"; 300].join(", "));
        assert_eq!(shape_of(json.as_bytes(), 100 * json.len() as u64).features, 3);
        let points = shape_of(json.as_bytes(), 100 * json.len() as u64).points;
        assert!((29_000..31_000).contains(&points), "{points}");
        let npy =
            b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (60000, 28, 28), }\n";
        assert_eq!(shape_of(npy, 1 << 20), Workload { points: 60_000, features: 784, classes: 2 });
    }

    #[test]
    fn long_times_are_round() {
        let words = [61, 100, 600, 12_000].map(|seconds| in_words(Duration::from_secs(seconds)));
        assert_eq!(words, ["a minute", "2 minutes", "10 minutes", "3 hours"]);
    }
}
