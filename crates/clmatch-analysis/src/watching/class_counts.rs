//! Classes that vanish from a window, or newly appear in it, against all odds.

use std::collections::{BTreeMap, BTreeSet};

/// An alarm is raised if chance would cause it in fewer windows than this share.
const LEVEL: f64 = 0.01;
/// Only classes with fewer rows than this are examined: they cannot be scored.
const FEW: usize = 4;

/// How many rows each class has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ClassCounts {
    counts: BTreeMap<String, usize>,
    rows: usize,
}

impl ClassCounts {
    /// Counts the rows of each class.
    pub(super) fn of<'a>(labels: impl Iterator<Item = &'a str>) -> ClassCounts {
        let mut counted = ClassCounts::default();
        for label in labels {
            match counted.counts.get_mut(label) {
                Some(count) => *count += 1,
                None => drop(counted.counts.insert(label.to_owned(), 1)),
            }
            counted.rows += 1;
        }
        counted
    }

    /// The classes that have enough rows to be scored.
    pub(super) fn scorable(&self) -> BTreeSet<String> {
        self.counts.iter().filter(|(_, count)| **count >= FEW).map(|(class, _)| class.clone()).collect()
    }

    /// The classes and how many rows each has.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&String, usize)> {
        self.counts.iter().map(|(class, count)| (class, *count))
    }

    /// Adds the rows of another window.
    pub(super) fn add(&mut self, other: &ClassCounts) {
        for (class, count) in &other.counts {
            *self.counts.entry(class.clone()).or_insert(0) += count;
        }
        self.rows += other.rows;
    }

    fn count(&self, class: &str) -> usize {
        self.counts.get(class).copied().unwrap_or(0)
    }

    /// Describes a class that has fewer rows in the window, or in this reference, than chance explains.
    pub(super) fn surprise(&self, window: &ClassCounts) -> Option<String> {
        let mut names: Vec<&String> = self.counts.keys().chain(window.counts.keys()).collect();
        names.sort_unstable();
        names.dedup();
        let level = LEVEL / names.len() as f64;
        names.into_iter().find_map(|class| {
            let (before, now) = (self.count(class), window.count(class));
            let rare = now < FEW && at_most(now, window.rows, before, self.rows) < level;
            let new = before < FEW && at_most(before, self.rows, now, window.rows) < level;
            (rare || new).then(|| {
                format!(
                    "the class '{class}' has {now} of {} rows, and had {before} of {} in the reference",
                    window.rows, self.rows
                )
            })
        })
    }
}

/// The probability that a class has at most `few` of `rows` rows, if its `few + others` rows were dealt at random over these and
/// `other_rows` more: the lower tail of the hypergeometric distribution.
fn at_most(few: usize, rows: usize, others: usize, other_rows: usize) -> f64 {
    let (all, members) = ((rows + other_rows) as f64, few + others);
    // At least this many must be among the rows, because the other rows cannot hold all.
    let least = members.saturating_sub(other_rows);
    let mut term: f64 = if least == 0 {
        (0..members).map(|i| (other_rows - i) as f64 / (all - i as f64)).product()
    } else {
        let choices: f64 = (0..least).map(|i| (rows - i) as f64 / (i + 1) as f64).product();
        choices * (0..rows - least).map(|i| (i + 1) as f64 / (all - i as f64)).product::<f64>()
    };
    let mut sum = term;
    for k in least..few {
        term *= ((members - k) * (rows - k)) as f64 / ((k + 1) * (other_rows + k + 1 - members)) as f64;
        sum += term;
    }
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lower_tail_by_hand() {
        // 3 of 10 rows. The probability that none of them is among 4: 6/10 5/9 4/8. One: 4 choices x (6 choose 2) / (10 choose
        // 3).
        assert!((at_most(0, 4, 3, 6) - 1.0 / 6.0).abs() < 1e-15);
        assert!((at_most(1, 4, 2, 6) - (1.0 / 6.0 + 0.5)).abs() < 1e-15);
        // scipy.stats.hypergeom.cdf(2, 300, 42, 100)
        assert!((at_most(2, 100, 40, 200) - 2.866_627_490e-6).abs() < 1e-14, "{}", at_most(2, 100, 40, 200));
    }

    #[test]
    fn the_lower_tail_where_the_class_fills_the_other_rows() {
        // 5 of 7 rows; the other 4 hold members only. The one member among 3 rows is one of 3 choices of (7 choose 5) = 21.
        assert!((at_most(1, 3, 4, 4) - 3.0 / 21.0).abs() < 1e-15);
        assert!(at_most(2, 100, 100, 100) < 1e-20);
    }

    #[test]
    fn classes_vanish_and_turn_up() {
        let counts = |a: usize, b: usize, c: usize| {
            let rows = [("a", a), ("b", b), ("c", c)];
            ClassCounts::of(rows.into_iter().flat_map(|(name, count)| vec![name; count]))
        };
        let reference = counts(100, 100, 4);
        assert_eq!(reference.surprise(&counts(90, 110, 0)), None, "a rare class may be missing");
        assert_eq!(reference.surprise(&counts(200, 4, 0)), None, "4 rows can be scored");
        let gone = reference.surprise(&counts(198, 2, 3)).unwrap();
        assert_eq!(gone, "the class 'b' has 2 of 203 rows, and had 100 of 204 in the reference");
        let new = counts(100, 100, 0).surprise(&counts(90, 80, 30)).unwrap();
        assert!(new.starts_with("the class 'c' has 30 of 200 rows, and had 0 of 200"), "{new}");
        let mut pooled = reference.clone();
        pooled.add(&counts(0, 0, 60));
        assert!(pooled.surprise(&counts(90, 110, 0)).is_some());
    }
}
