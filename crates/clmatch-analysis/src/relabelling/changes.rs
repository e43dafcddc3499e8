//! The changes to make to the labels of a dataset, checked against its classes and rows.

use clmatch_data::{Advice, Dataset};

use super::points_table::PointVerdict;
use super::{MergedClasses, RelabelledRow, RenamedClass};
use crate::error::AnalysisError;

/// How many classes an error names.
const NAMED: usize = 8;
/// A name that differs by at most this many letters may be the one that was meant.
const TYPOS: usize = 2;

/// Classes that become one.
pub type Merge = Vec<String>;

/// Another name for a class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rename {
    /// The name of a class as it was read, or as merging or splitting names it.
    pub from: String,
    /// Its new name.
    pub to: String,
}

/// A range of rows, both ends included, counted from 1 in the order of the file, not counting a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowRange {
    /// The first row.
    pub first: usize,
    /// The last row.
    pub last: usize,
}

/// What to change.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Changes {
    /// Classes that become one. Merges that share a class are one merge.
    pub merge: Vec<Merge>,
    /// Classes whose clusters become classes.
    pub split: Vec<String>,
    /// Other names, which are assigned last.
    pub rename: Vec<Rename>,
    /// Rows that are left out.
    pub drop_rows: Vec<RowRange>,
    /// Rows that get the class suggested for them.
    pub relabel: Vec<PointVerdict>,
    /// Rows that are left out because of their verdicts.
    pub drop_points: Vec<PointVerdict>,
}

/// The name of a part of a class, counted from 0.
pub fn split_name(class: &str, part: usize) -> String {
    format!("{class} {}", part + 1)
}

/// Parses a list of class names separated by commas. Names may stand in double quotes, as [`class_list`] writes those with
/// commas. Without quotes, the list is cut so that every part is the name of a class, if possible.
pub fn listed_classes(list: &str, names: &[String]) -> Vec<String> {
    if let Some(found) = quoted(list).filter(|found| found.iter().all(|name| names.contains(name))) {
        return found;
    }
    let pieces: Vec<&str> = list.split(',').collect();
    let found = cut(&pieces, names);
    found.unwrap_or_else(|| pieces.iter().map(|piece| piece.trim().to_owned()).collect())
}

/// A list that [`listed_classes`] reads as exactly these names, whatever characters they hold.
pub fn class_list(names: &[String]) -> String {
    let quote = |name: &String| {
        let plain = !name.contains([',', '"']);
        if plain { name.clone() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
    };
    names.iter().map(quote).collect::<Vec<_>>().join(",")
}

/// The names of a list in which some stand in double quotes, with a doubled quote for a quote; `None` if none is quoted.
fn quoted(list: &str) -> Option<Vec<String>> {
    let (mut names, mut rest, mut quotes) = (Vec::new(), list, false);
    loop {
        let name = if let Some(inside) = rest.trim_start().strip_prefix('"') {
            let mut name = String::new();
            rest = inside;
            loop {
                let (part, after) = rest.split_once('"')?;
                name.push_str(part);
                rest = after;
                let Some(more) = rest.strip_prefix('"') else { break };
                name.push('"');
                rest = more;
            }
            quotes = true;
            name
        } else {
            let end = rest.find(',').unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            rest = after;
            name.trim().to_owned()
        };
        names.push(name);
        rest = rest.trim_start();
        if rest.is_empty() {
            return quotes.then_some(names);
        }
        rest = rest.strip_prefix(',')?;
    }
}

fn cut(pieces: &[&str], names: &[String]) -> Option<Vec<String>> {
    if pieces.is_empty() {
        return Some(Vec::new());
    }
    (1..=pieces.len()).find_map(|count| {
        let joined = pieces[..count].join(",");
        let name = names.iter().find(|name| **name == joined || **name == joined.trim())?;
        let mut rest = cut(&pieces[count..], names)?;
        rest.insert(0, name.clone());
        Some(rest)
    })
}

impl Rename {
    /// Parses a text like `old=new`. If names contain equals signs themselves, the text is cut after the name of a class, if
    /// possible.
    pub fn parse(text: &str, names: &[String]) -> Option<Rename> {
        let signs: Vec<usize> = text.match_indices('=').map(|(at, _)| at).collect();
        let is_class = |at: &&usize| names.iter().any(|name| name == text[..**at].trim());
        let at = *signs.iter().find(is_class).or(signs.first())?;
        let (from, to) = (text[..at].trim(), text[at + 1..].trim());
        (!from.is_empty() && !to.is_empty()).then(|| Rename { from: from.to_owned(), to: to.to_owned() })
    }
}

impl Changes {
    /// Whether there is nothing to change.
    pub fn is_empty(&self) -> bool {
        *self == Changes::default()
    }

    /// Refuses changes that name what does not exist or that contradict each other.
    ///
    /// # Errors
    /// [`AnalysisError::Unfit`] with what is wrong.
    pub fn check(&self, dataset: &Dataset) -> Result<(), AnalysisError> {
        let names = dataset.labels().names();
        for merge in &self.merge {
            merge.iter().try_for_each(|class| known(class, names))?;
            if merge.iter().all(|class| class == &merge[0]) {
                let alone = merge.first().map_or("nothing", String::as_str);
                let what = format!("there is nothing to merge '{alone}' with");
                return Err(AnalysisError::unfit(what, Advice::Text("name at least 2 classes".to_owned())));
            }
        }
        for class in &self.split {
            known(class, names)?;
            if self.merge.iter().any(|merge| merge.contains(class)) {
                let what = format!("the class '{class}' cannot be split and merged at once");
                let help = "do one after the other".to_owned();
                return Err(AnalysisError::unfit(what, Advice::Text(help)));
            }
            let part = |name: &&String| name.strip_prefix(class.as_str()).is_some_and(is_number_of_part);
            if let Some(taken) = names.iter().find(part) {
                let what =
                    format!("the parts of '{class}' would have names like '{taken}', which is a class");
                let help = format!("rename '{taken}' first");
                return Err(AnalysisError::unfit(what, Advice::Text(help)));
            }
        }
        self.dropped(dataset).map(|_| ())
    }

    /// The merges, with those that share a class joined.
    pub(super) fn merges(&self) -> Vec<MergedClasses> {
        let mut groups: Vec<Vec<String>> = Vec::new();
        for merge in &self.merge {
            let (sharing, apart): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|group| group.iter().any(|class| merge.contains(class)));
            let mut joined: Vec<String> = Vec::new();
            for class in sharing.iter().flatten().chain(merge) {
                if !joined.contains(class) {
                    joined.push(class.clone());
                }
            }
            groups = apart;
            groups.push(joined);
        }
        let named = |classes: Vec<String>| MergedClasses { into: classes.join("+"), classes };
        groups.into_iter().map(named).collect()
    }

    /// Gives rows the classes suggested for them.
    pub(super) fn relabel_rows(
        &self,
        dataset: &Dataset,
        names: &mut [String],
    ) -> Result<Vec<RelabelledRow>, AnalysisError> {
        let places = places(dataset);
        let mut changed = Vec::new();
        for verdict in &self.relabel {
            let point = verdict.place(&places, dataset)?;
            known(&verdict.suggested, dataset.labels().names())?;
            if self.split.contains(&verdict.suggested) {
                let what = format!(
                    "row {} cannot become '{}', which is split: its part is not known",
                    verdict.row, verdict.suggested
                );
                let help = "relabel rows first, and split the result".to_owned();
                return Err(AnalysisError::unfit(what, Advice::Text(help)));
            }
            if verdict.suggested != verdict.label {
                let (from, to) = (verdict.label.clone(), verdict.suggested.clone());
                names[point].clone_from(&to);
                changed.push(RelabelledRow { row: verdict.row, from, to });
            }
        }
        Ok(changed)
    }

    /// Renames classes as they are after all other changes.
    pub(super) fn rename_classes(&self, names: &mut [String]) -> Result<Vec<RenamedClass>, AnalysisError> {
        let mut there: Vec<String> = names.to_vec();
        there.sort();
        there.dedup();
        let mut renamed: Vec<RenamedClass> = Vec::new();
        for Rename { from, to } in &self.rename {
            known(from, &there)?;
            if renamed.iter().any(|done| done.from == *from) {
                return Err(AnalysisError::unfit(format!("the class '{from}' is renamed twice"), None));
            }
            renamed.push(RenamedClass { from: from.clone(), to: to.clone() });
        }
        let target = |name: &String| {
            let done = renamed.iter().find(|done| done.from == *name);
            done.map_or_else(|| name.clone(), |done| done.to.clone())
        };
        let mut after: Vec<String> = there.iter().map(target).collect();
        after.sort();
        if let Some(twice) = after.windows(2).find(|pair| pair[0] == pair[1]) {
            let what = format!("two classes would be called '{}'", twice[0]);
            let help = "merge them, or choose another name".to_owned();
            return Err(AnalysisError::unfit(what, Advice::Text(help)));
        }
        names.iter_mut().for_each(|name| *name = target(name));
        Ok(renamed)
    }

    /// Which points are left out.
    pub(super) fn dropped(&self, dataset: &Dataset) -> Result<Vec<bool>, AnalysisError> {
        let mut dropped = vec![false; dataset.n_points()];
        let last = dataset.row_number(dataset.n_points() - 1);
        for RowRange { first, last: to } in &self.drop_rows {
            if *first == 0 || to < first || *to > last {
                let rows = if first == to {
                    format!("is no row {first}")
                } else {
                    format!("are no rows {first} to {to}")
                };
                let what = format!("there {rows} in '{}'", dataset.name);
                let help =
                    format!("rows are counted from 1 to {last}; a line of column names does not count");
                return Err(AnalysisError::unfit(what, Advice::Text(help)));
            }
            // A row that was left out on reading because a value is missing is dropped already.
            let is_in = |point: &usize| (*first..=*to).contains(&dataset.row_number(*point));
            (0..dropped.len()).filter(is_in).for_each(|point| dropped[point] = true);
        }
        let places = places(dataset);
        for verdict in &self.drop_points {
            dropped[verdict.place(&places, dataset)?] = true;
        }
        Ok(dropped)
    }
}

/// Whether a text is the suffix of a class in the name of one of its parts.
fn is_number_of_part(rest: &str) -> bool {
    rest.strip_prefix(' ').is_some_and(|number| number.parse::<u32>().is_ok())
}

/// The index of each point by the number of its row.
pub(super) fn places(dataset: &Dataset) -> std::collections::HashMap<usize, usize> {
    (0..dataset.n_points()).map(|point| (dataset.row_number(point), point)).collect()
}

/// Refuses a class that does not exist, and suggests names that exist.
fn known(class: &str, names: &[String]) -> Result<(), AnalysisError> {
    if names.iter().any(|name| name == class) {
        return Ok(());
    }
    let near: Option<&String> = names
        .iter()
        .filter(|name| is_near(name, class))
        .min_by_key(|name| typos(&name.to_lowercase(), &class.to_lowercase()));
    let help = match near {
        Some(name) => format!("did you mean '{name}'?"),
        None => {
            let more = if names.len() > NAMED { ", …" } else { "" };
            let some: Vec<&str> = names.iter().take(NAMED).map(String::as_str).collect();
            format!("the classes are {}{more}", some.join(", "))
        }
    };
    Err(AnalysisError::unfit(format!("there is no class '{class}'"), Advice::Text(help)))
}

/// Whether the names are the same except for case, or differ by a typo or two and are long enough for that.
fn is_near(name: &str, class: &str) -> bool {
    let (name, class) = (name.to_lowercase(), class.to_lowercase());
    let length = name.chars().count().min(class.chars().count());
    name == class || (length > 2 * TYPOS && typos(&name, &class) <= TYPOS)
}

/// How many letters must be inserted, deleted or replaced (Levenshtein).
fn typos(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typos_are_counted() {
        for (a, b, count) in [("", "", 0), ("abc", "abc", 0), ("abc", "axc", 1), ("kitten", "sitting", 3)] {
            assert_eq!((typos(a, b), typos(b, a)), (count, count), "{a} {b}");
        }
        assert!(
            is_near("setosa", "Setsa") && is_near("A", "a") && !is_near("a", "b") && !is_near("12", "13")
        );
    }

    #[test]
    fn names_may_have_commas_and_equals_signs() {
        let names = ["a", "b, c", "c", "x=1", "x"].map(String::from);
        assert_eq!(listed_classes("a,c", &names), ["a", "c"]);
        assert_eq!(listed_classes("a, c", &names), ["a", "c"]);
        assert_eq!(listed_classes("a,b, c", &names), ["a", "b, c"]);
        assert_eq!(listed_classes("a,z,c", &names), ["a", "z", "c"]);
        let names = ["a", "b", "c", "a,b", "say \"b\", c", "\"q\""].map(str::to_owned);
        for some in [vec![0, 3], vec![3, 2], vec![4, 0, 5], vec![0, 1, 2]] {
            let some: Vec<String> = some.into_iter().map(|at: usize| names[at].clone()).collect();
            assert_eq!(listed_classes(&class_list(&some), &names), some, "{}", class_list(&some));
        }
        // Quotes that are part of a name, and quotes that are never closed.
        assert_eq!(listed_classes("\"q\",a", &names), ["\"q\"", "a"]);
        assert_eq!(listed_classes("\"a,b", &names), ["\"a", "b"]);
        let rename = |text: &str| Rename::parse(text, &names).map(|Rename { from, to }| (from, to));
        assert_eq!(rename("a=b"), Some(("a".into(), "b".into())));
        assert_eq!(rename("x=1=one"), Some(("x".into(), "1=one".into())));
        assert_eq!(rename("z=1"), Some(("z".into(), "1".into())));
        assert_eq!((rename("a"), rename("a=")), (None, None));
    }

    #[test]
    fn merges_that_share_a_class_are_one() {
        let merge = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
        let changes = Changes {
            merge: vec![merge(&["a", "b"]), merge(&["c", "d"]), merge(&["b", "e"]), merge(&["e", "a"])],
            ..Changes::default()
        };
        let names: Vec<String> = changes.merges().into_iter().map(|merged| merged.into).collect();
        assert_eq!(names, ["c+d", "a+b+e"]);
    }
}
