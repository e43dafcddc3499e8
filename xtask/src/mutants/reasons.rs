//! Why changes that no test notices are left alone: the page `docs/mutants.md`.

use std::collections::BTreeSet;

use super::list::Mutant;

/// The entries of the page: a file, and a change in it.
pub struct Reasons(BTreeSet<(String, String)>);

impl Reasons {
    /// Reads the page. A heading of the second level names a file in backquotes, and the entries of the list below it
    /// changes with the same reason: `` - `replace < with <= in f`, `delete ! in g`: the reason ``.
    pub fn read(page: &str) -> Self {
        let mut file = "";
        let mut entries = BTreeSet::new();
        for line in page.lines() {
            if let Some(name) = line.strip_prefix("## `") {
                file = name.trim_end_matches('`');
            } else if let Some((changes, reason)) =
                line.strip_prefix("- `").and_then(|line| line.split_once("`: "))
                && !reason.trim().is_empty()
            {
                entries.extend(changes.split("`, `").map(|change| (file.to_owned(), change.to_owned())));
            }
        }
        Reasons(entries)
    }

    /// Whether a change has a reason.
    pub fn cover(&self, mutant: &Mutant) -> bool {
        self.0.contains(&(mutant.file.clone(), mutant.change.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_needs_a_reason() {
        let page = "# Page\n\n## `a.rs`\n\n- `replace < with <= in f`, `delete ! in f`: equal values are not there\n- `delete - in \
                    f`:\n- `replace A::g -> u8 with 0`: only a hint\n";
        let reasons = Reasons::read(page);
        let mutant = |file: &str, change: &str| Mutant {
            name: String::new(),
            file: file.into(),
            change: change.into(),
            line: 1,
            span: ((1, 1), (1, 1)),
            replacement: String::new(),
            function: ((1, 1), (1, 1)),
            whole_body: false,
        };
        for change in ["replace < with <= in f", "delete ! in f", "replace A::g -> u8 with 0"] {
            assert!(reasons.cover(&mutant("a.rs", change)), "{change}");
            assert!(!reasons.cover(&mutant("b.rs", change)), "{change}");
        }
        for change in ["delete - in f", "replace > with >= in f", "replace + with - in A::g"] {
            assert!(!reasons.cover(&mutant("a.rs", change)), "{change}");
        }
    }
}
