//! All changes of a file in one text: every function chooses between its bodies when it runs.
//!
//! A build for each change would take days. Here a function with changes becomes
//! `match mutants_active::active(FUNCTION) { 17 => { changed body } .. _ => { body as it is } }`, so that everything is
//! built once and an environment variable says which change is in force.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::list::{Mutant, Place};

/// A function with changes: where it stands, its body, and the numbers of the changes.
struct Function {
    extent: (Place, Place),
    body: Option<Range<usize>>,
    mutants: Vec<usize>,
}

/// A text with changes.
pub struct Woven {
    pub text: String,
    /// Which change and function the lines of the text belong to; `None` stands for what all changes of a function share.
    pub lines: Vec<(Range<u64>, Option<usize>, u32)>,
    /// Which changes a function has.
    pub functions: Vec<(u32, Vec<usize>)>,
    /// Changes that have no place: in a function whose body cannot be told.
    pub left_out: Vec<usize>,
}

/// Puts all changes of one file into its text, but those that are left out; numbers of functions go on from `next`.
pub fn weave(
    text: &str,
    mutants: &[Mutant],
    of_file: &[usize],
    without: &BTreeSet<usize>,
    next: &mut u32,
) -> Woven {
    let starts = line_starts(text);
    let at = |place: Place| offset(text, &starts, place);
    let mut functions: BTreeMap<usize, Function> = BTreeMap::new();
    for extent in outermost(mutants, of_file) {
        functions.insert(at(extent.0), Function { extent, body: None, mutants: Vec::new() });
    }
    for &index in of_file {
        let mutant = &mutants[index];
        let Some((_, function)) = functions.range_mut(..=at(mutant.function.0)).next_back() else { continue };
        function.mutants.push(index);
        if mutant.whole_body && mutant.function == function.extent {
            function.body = Some(at(mutant.span.0)..at(mutant.span.1));
        }
    }
    let mut woven =
        Woven { text: String::new(), lines: Vec::new(), functions: Vec::new(), left_out: Vec::new() };
    let mut done = 0;
    for (_, function) in functions {
        let Some(body) = function.body else {
            woven.left_out.extend(function.mutants);
            continue;
        };
        let viable: Vec<usize> =
            function.mutants.into_iter().filter(|index| !without.contains(index)).collect();
        if viable.is_empty() {
            continue;
        }
        let number = *next;
        *next += 1;
        woven.text.push_str(&text[done..body.start]);
        woven.push(&format!("match crate::mutants_active::active({number}) {{\n"), None, number);
        for &index in &viable {
            let mutant = &mutants[index];
            let (from, to) = (at(mutant.span.0), at(mutant.span.1));
            let changed =
                [&text[body.start..from.max(body.start)], &mutant.replacement, &text[to..body.end]].concat();
            woven.push(&format!("{index} => {{\n{changed}\n}}\n"), Some(index), number);
        }
        woven.push(&format!("_ => {{\n{}\n}}\n", &text[body.clone()]), None, number);
        woven.text.push_str("}\n");
        done = body.end;
        woven.functions.push((number, viable));
    }
    woven.text.push_str(&text[done..]);
    woven
}

impl Woven {
    /// Appends lines of a function, and notes which change they belong to.
    fn push(&mut self, text: &str, mutant: Option<usize>, function: u32) {
        let line = |text: &str| text.matches('\n').count() as u64 + 1;
        let first = line(&self.text);
        self.text.push_str(text);
        self.lines.push((first..line(&self.text), mutant, function));
    }
}

/// The functions of the changes that are in no other function.
fn outermost(mutants: &[Mutant], of_file: &[usize]) -> Vec<(Place, Place)> {
    let extents: BTreeSet<(Place, Place)> = of_file.iter().map(|&index| mutants[index].function).collect();
    let within = |inner: &(Place, Place), outer: &(Place, Place)| {
        inner != outer && outer.0 <= inner.0 && inner.1 <= outer.1
    };
    extents.iter().filter(|inner| !extents.iter().any(|outer| within(inner, outer))).copied().collect()
}

fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

/// Where a place is, in bytes.
fn offset(text: &str, starts: &[usize], (line, column): Place) -> usize {
    let start = starts.get(line as usize - 1).copied().unwrap_or(text.len());
    let rest = &text[start..];
    start + rest.char_indices().nth(column as usize - 1).map_or(rest.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "fn f(a: u8) -> bool {\n    a < 3\n}\n\nfn g() {}\n";

    fn mutant(span: (Place, Place), replacement: &str, whole_body: bool) -> Mutant {
        let function = ((1, 1), (3, 2));
        let replacement = replacement.to_owned();
        Mutant {
            name: String::new(),
            file: "f.rs".into(),
            change: String::new(),
            line: 2,
            span,
            replacement,
            function,
            whole_body,
        }
    }

    #[test]
    fn a_function_chooses_between_its_bodies() {
        let mutants = [
            mutant(((2, 5), (2, 10)), "true", true),
            mutant(((2, 7), (2, 8)), ">", false),
            mutant(((2, 7), (2, 8)), "==", false),
        ];
        let woven = weave(TEXT, &mutants, &[0, 1, 2], &BTreeSet::from([2]), &mut 7);
        let expected = "fn f(a: u8) -> bool {\n    match crate::mutants_active::active(7) {\n0 => {\ntrue\n}\n1 => {\na > \
                        3\n}\n_ => {\na < 3\n}\n}\n\n}\n\nfn g() {}\n";
        assert_eq!(woven.text, expected);
        assert_eq!(woven.functions, [(7, vec![0, 1])]);
        let lines = [(2..3, None, 7), (3..6, Some(0), 7), (6..9, Some(1), 7), (9..12, None, 7)];
        assert_eq!(woven.lines, lines);
        assert!(woven.left_out.is_empty());
    }

    #[test]
    fn a_function_whose_body_is_not_told_is_left_out() {
        let mutants = [mutant(((2, 7), (2, 8)), ">", false)];
        let woven = weave(TEXT, &mutants, &[0], &BTreeSet::new(), &mut 0);
        assert_eq!((woven.text.as_str(), woven.left_out), (TEXT, vec![0]));
    }
}
