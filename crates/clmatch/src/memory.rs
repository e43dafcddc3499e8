//! How much memory the work on a dataset takes, estimated before it starts: tables grow with the square of the number of classes.
//!
//! ```
//! use clmatch::{Classes, Labels, Points, measure, memory};
//! let points = Points::new((0..4000).map(f64::from).collect::<Vec<_>>(), 1)?;
//! let classes = Classes::new(points, &Labels::encode((0..4000).map(|row| row / 2)))?;
//! let error = memory::check(&classes, &measure::defaults(), Some(100_000_000)).unwrap_err();
//! assert!(error.to_string().starts_with("2000 classes form 1999000 pairs, and scoring them takes about"));
//! # Ok::<(), clmatch::DataError>(())
//! ```

use crate::classes::Classes;
use crate::error::DataError;
use crate::kernels::pairs::NEAREST;
use crate::measure::Measure;
use crate::needs::{Needs, Plan};

/// This much may always be used, whatever the limit.
const ALWAYS: u64 = 64 << 20;
/// Sums over the rows of one class and the centroids of another, and what is computed from them.
const CLASS_AND_CLASS: u64 = 56;
/// The moments of a pair of classes, both while they are computed and as they are kept, and its names in a result as text.
const PAIR: u64 = 352;
/// A score of a pair of classes, as a number and as text.
const SCORE: u64 = 40;

/// About how many bytes scoring this many points and classes takes, not counting the points.
pub fn needed(points: usize, classes: usize, measures: &[&'static Measure]) -> u64 {
    let plan = measures.iter().fold(Plan::default(), |plan, measure| plan.union(measure.plan()));
    let (points, classes, measures) = (points as u64, classes as u64, measures.len() as u64);
    let needs = plan.any();
    let tables = classes.saturating_mul(classes);
    let pairs = tables.saturating_sub(classes) / 2;
    let of_points = [(Needs::SUMS, 1), (Needs::NEAREST, NEAREST as u64)];
    let of_points: u64 =
        of_points.into_iter().filter(|(need, _)| needs.has(*need)).map(|(_, many)| many).sum();
    let of_pairs = if plan.pairs.is_some() { PAIR + SCORE * measures } else { 0 };
    tables
        .saturating_mul(CLASS_AND_CLASS)
        .saturating_add(pairs.saturating_mul(of_pairs))
        .saturating_add(points.saturating_mul(classes).saturating_mul(of_points * size_of::<f64>() as u64))
}

/// Refuses work that would not fit into `limit` bytes or, without a limit, into the memory that the system has available. 64 MB
/// may always be used.
///
/// # Errors
/// [`DataError::TooMuchMemory`].
pub fn check(
    classes: &Classes<'_>,
    measures: &[&'static Measure],
    limit: Option<u64>,
) -> Result<(), DataError> {
    check_sizes(classes.n_points(), classes.n_classes(), measures, limit)
}

/// Like [`check`], from the numbers of points and classes.
///
/// # Errors
/// As [`check`].
pub fn check_sizes(
    points: usize,
    classes: usize,
    measures: &[&'static Measure],
    limit: Option<u64>,
) -> Result<(), DataError> {
    let needed = needed(points, classes, measures);
    if needed <= ALWAYS {
        return Ok(());
    }
    match limit.or_else(available) {
        Some(limit) if needed > limit => Err(DataError::TooMuchMemory { classes, needed, limit }),
        _ => Ok(()),
    }
}

/// Three quarters of the memory that this process can still get: what Linux can hand out without swapping, or less where the
/// process or its container has a limit. `None` on other systems, which do not report it in a file.
pub fn available() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let kibibytes = |text: &str, name: &str| -> Option<u64> {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
    };
    let used = |name: &str| kibibytes(&read("/proc/self/status")?, name);
    let free = kibibytes(&read("/proc/meminfo")?, "MemAvailable:")?;
    let address_space = || -> Option<u64> {
        let text = read("/proc/self/limits")?;
        let line = text.lines().find_map(|line| line.strip_prefix("Max address space"))?;
        let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
        Some(limit.saturating_sub(used("VmSize:")?))
    };
    let container = || -> Option<u64> {
        let limit: u64 = read("/sys/fs/cgroup/memory.max")?.trim().parse().ok()?;
        Some(limit.saturating_sub(used("VmRSS:")?))
    };
    let least = [address_space(), container()].into_iter().flatten().fold(free, u64::min);
    Some(least / 4 * 3)
}

/// Formats a number of bytes with a unit: `3.2 GB`.
pub fn human(bytes: u64) -> String {
    const UNITS: [&str; 7] = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
    let mut amount = bytes as f64;
    let mut unit = 0;
    while amount >= 999.5 && unit + 1 < UNITS.len() {
        amount /= 1000.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{amount:.1} {}", UNITS[unit]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::find;
    use crate::{Labels, Points};

    fn classes(count: usize) -> Classes<'static> {
        let points = Points::new((0..2 * count).map(|row| row as f64).collect::<Vec<_>>(), 1).unwrap();
        Classes::new(points, &Labels::encode((0..2 * count).map(|row| row / 2))).unwrap()
    }

    #[test]
    fn what_fits_is_accepted_and_a_byte_less_is_refused() {
        let (classes, measures) = (classes(1000), [find("clm").unwrap()]);
        let needed = needed(2000, 1000, &measures);
        assert!(needed > ALWAYS);
        assert!(check(&classes, &measures, Some(needed)).is_ok());
        let error = check(&classes, &measures, Some(needed - 1)).unwrap_err();
        assert_eq!(error, DataError::TooMuchMemory { classes: 1000, needed, limit: needed - 1 });
        assert!(check_sizes(2000, 100, &measures, Some(1)).is_ok(), "a few classes always fit");
    }

    #[test]
    fn every_table_counts() {
        let of = |ids: &[&str]| {
            let measures: Vec<_> = ids.iter().map(|id| find(id).unwrap()).collect();
            needed(1000, 10, &measures)
        };
        assert_eq!(of(&["ch"]), 100 * CLASS_AND_CLASS);
        assert_eq!(of(&["sc"]), of(&["ch"]) + 8 * 10_000);
        assert_eq!(of(&["ch_a"]), of(&["ch"]) + 45 * (PAIR + SCORE));
        assert_eq!(of(&["clm"]), of(&["ch_a"]) + 40 * 10_000);
        assert_eq!(of(&["clm", "ch_a"]), of(&["clm"]) + 45 * SCORE);
        assert_eq!(needed(usize::MAX, 1 << 33, &[find("sc").unwrap()]), u64::MAX, "no overflow");
    }

    /// Pairs of 300,000 classes take 13 TB.
    #[test]
    fn too_many_classes_are_refused_before_the_work() {
        let (classes, measures) = (classes(300_000), [find("ch_a").unwrap()]);
        let error = crate::evaluate(&classes, &measures).unwrap_err();
        assert!(matches!(error, DataError::TooMuchMemory { classes: 300_000, .. }), "{error}");
    }

    #[test]
    fn this_machine_has_memory_left_and_bytes_have_units() {
        assert!(available().is_none_or(|bytes| bytes > 1 << 20));
        assert_eq!([12, 999, 3_200_000_000].map(human), ["12 B", "999 B", "3.2 GB"]);
    }
}
