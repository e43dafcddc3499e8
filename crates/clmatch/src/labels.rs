//! Class labels of any kind, stored as small numbers with names.
//!
//! ```
//! use clmatch::Labels;
//!
//! let labels = Labels::encode(["setosa", "virginica", "setosa"]);
//! assert_eq!(labels.codes(), [0, 1, 0]);
//! assert_eq!(labels.name_of(1), "virginica");
//! ```

use std::collections::HashMap;
use std::fmt::Display;
use std::hash::Hash;

/// One label per point. Names are distinct and in natural order: by value if all are numbers, else by text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    codes: Vec<u32>,
    names: Vec<String>,
}

impl Labels {
    /// Reads labels of any hashable type that can be printed: text, integers, booleans.
    ///
    /// ```
    /// let labels = clmatch::Labels::encode([10, 9, 10]);
    /// assert_eq!(labels.names(), ["9", "10"]);
    /// assert_eq!(labels.codes(), [1, 0, 1]);
    /// ```
    pub fn encode<L: Eq + Hash + Display>(labels: impl IntoIterator<Item = L>) -> Self {
        let mut seen: HashMap<L, u32> = HashMap::new();
        let mut names = Vec::new();
        let mut codes = Vec::new();
        for label in labels {
            let code = match seen.get(&label) {
                Some(&code) => code,
                None => {
                    let code = names.len() as u32;
                    names.push(label.to_string());
                    seen.insert(label, code);
                    code
                }
            };
            codes.push(code);
        }
        Labels::from_codes(codes, &names)
    }

    /// Takes labels that were encoded before: `names[codes[row]]` is the label of a row.
    ///
    /// Equal names become one class; names that no row carries are left out.
    ///
    /// # Panics
    /// If a code has no name.
    pub fn from_codes(mut codes: Vec<u32>, names: &[String]) -> Self {
        let mut used = vec![false; names.len()];
        for &code in &codes {
            used[code as usize] = true;
        }
        let mut order: Vec<usize> = (0..names.len()).filter(|&code| used[code]).collect();
        sort_naturally(&mut order, names);
        let mut sorted: Vec<String> = Vec::with_capacity(order.len());
        let mut place = vec![0; names.len()];
        for code in order {
            if sorted.last() != Some(&names[code]) {
                sorted.push(names[code].clone());
            }
            place[code] = sorted.len() as u32 - 1;
        }
        for code in &mut codes {
            *code = place[*code as usize];
        }
        Labels { codes, names: sorted }
    }

    /// How many labels there are: one per point.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether there are no labels.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// For each point, the index of its label in [`Labels::names`].
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The distinct labels in natural order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The label of a point.
    pub fn name_of(&self, point: usize) -> &str {
        &self.names[self.codes[point] as usize]
    }
}

/// Numbers by value when all names are numbers, otherwise by text; equal names end up side by side.
pub(crate) fn sort_naturally(order: &mut [usize], names: &[String]) {
    let numbers: Option<Vec<f64>> =
        names.iter().map(|name| name.parse().ok().filter(|number: &f64| number.is_finite())).collect();
    match numbers {
        Some(numbers) => {
            order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]).then_with(|| names[a].cmp(&names[b])));
        }
        None => order.sort_by(|&a, &b| names[a].cmp(&names[b])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_sorted_as_text_and_numbers_as_numbers() {
        assert_eq!(Labels::encode(["b", "a", "10", "9"]).names(), ["10", "9", "a", "b"]);
        assert_eq!(Labels::encode(["10", "-1", "9"]).names(), ["-1", "9", "10"]);
        assert_eq!(Labels::encode(["2.5", "10", "1e1"]).names(), ["2.5", "10", "1e1"]);
    }

    #[test]
    fn codes_follow_names_after_sorting() {
        let labels = Labels::encode(["z", "a", "z", "m"]);
        assert_eq!(labels.codes(), [2, 0, 2, 1]);
        assert_eq!(labels.name_of(3), "m");
    }

    #[test]
    fn equal_names_merge_and_unused_names_vanish() {
        let names = ["x", "unused", "x", "y"].map(String::from).to_vec();
        let labels = Labels::from_codes(vec![0, 2, 3, 0], &names);
        assert_eq!(labels.names(), ["x", "y"]);
        assert_eq!(labels.codes(), [0, 0, 1, 0]);
    }
}
