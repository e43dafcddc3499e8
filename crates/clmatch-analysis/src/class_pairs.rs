//! The scores of all pairs of classes of a dataset, stored by column: there may be millions of pairs, and names are looked up
//! when a pair is read.

use std::collections::HashMap;

use clmatch::ClmTerms;
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::number::JsonNumber;
use crate::pair_summary::pairs_of;
use crate::scores::{ClassSize, FEWEST_POINTS, Scores};

/// All pairs of classes. In JSON, a list of [`ClassPair`]s.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClassPairs {
    names: Vec<String>,
    pairs: Vec<NumberedPair>,
    /// The scores of all pairs by each measure.
    scores: Vec<(String, Vec<f64>)>,
    /// The terms of `clm` of all pairs; empty if they are not known.
    terms: Vec<ClmTerms>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct NumberedPair {
    a: u32,
    b: u32,
    few_points: bool,
    points: usize,
}

/// The scores of two classes of a dataset.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassPair<'a> {
    /// One class.
    pub a: &'a str,
    /// The other class.
    pub b: &'a str,
    /// The number of points of both classes.
    pub points: usize,
    /// Whether one of them has fewer than [`FEWEST_POINTS`] points, which makes the scores unreliable.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub few_points: bool,
    /// The value of each measure on these two.
    pub scores: PairScores<'a>,
    /// The terms of `clm` on these two, if `clm` was requested and is exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terms: Option<ClmTerms>,
}

/// The values of all measures on a pair of classes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairScores<'a> {
    columns: &'a [(String, Vec<f64>)],
    at: usize,
}

impl PairScores<'_> {
    /// The value of a measure.
    pub fn get(&self, id: &str) -> Option<f64> {
        self.columns.iter().find(|(known, _)| known == id).map(|(_, scores)| scores[self.at])
    }
}

impl Serialize for PairScores<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.columns.iter().map(|(id, scores)| (id, JsonNumber(scores[self.at]))))
    }
}

impl ClassPairs {
    /// All pairs of some classes, in the order of [`Classes::pairs`](clmatch::Classes::pairs). Measures without scores of pairs
    /// are left out; if no measure is left, the result is empty.
    pub(crate) fn new<'i>(
        classes: &[ClassSize],
        scores: impl Iterator<Item = (&'i str, Vec<f64>)>,
        terms: Option<Vec<ClmTerms>>,
    ) -> Self {
        let scores = scores.filter(|(_, scores)| !scores.is_empty());
        let scores: Vec<(String, Vec<f64>)> = scores.map(|(id, scores)| (id.to_owned(), scores)).collect();
        if scores.is_empty() {
            return ClassPairs::default();
        }
        let pair = |(a, b): (usize, usize)| NumberedPair {
            a: a as u32,
            b: b as u32,
            few_points: classes[a].points.min(classes[b].points) < FEWEST_POINTS,
            points: classes[a].points + classes[b].points,
        };
        ClassPairs {
            names: classes.iter().map(|class| class.class.clone()).collect(),
            pairs: pairs_of(classes.len()).map(pair).collect(),
            scores,
            terms: terms.unwrap_or_default(),
        }
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there are no pairs.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// A pair by its number, below [`ClassPairs::len`].
    pub fn pair(&self, at: usize) -> ClassPair<'_> {
        let NumberedPair { a, b, few_points, points } = self.pairs[at];
        ClassPair {
            a: &self.names[a as usize],
            b: &self.names[b as usize],
            points,
            few_points,
            scores: PairScores { columns: &self.scores, at },
            terms: self.terms.get(at).copied(),
        }
    }

    /// Iterates over the pairs in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = ClassPair<'_>> {
        (0..self.len()).map(|at| self.pair(at))
    }

    /// The scores of all pairs by a measure, in their order.
    pub fn scores(&self, id: &str) -> Option<&[f64]> {
        self.scores.iter().find(|(known, _)| known == id).map(|(_, scores)| scores.as_slice())
    }

    /// Adds a pair that was written earlier.
    fn push(&mut self, numbers: &mut HashMap<String, u32>, pair: WrittenPair) -> Result<(), &'static str> {
        let mut number = |name: String| {
            let next = self.names.len() as u32;
            *numbers.entry(name).or_insert_with_key(|name| {
                self.names.push(name.clone());
                next
            })
        };
        let (a, b) = (number(pair.a), number(pair.b));
        if self.pairs.is_empty() {
            self.scores = pair.scores.0.iter().map(|(id, _)| (id.clone(), Vec::new())).collect();
        }
        if self.scores.len() != pair.scores.0.len()
            || pair.terms.is_some() != (self.terms.len() == self.len()) && !self.is_empty()
        {
            return Err("all pairs of classes must have the same measures");
        }
        for (column, (id, score)) in self.scores.iter_mut().zip(pair.scores.0) {
            if column.0 != id {
                return Err("all pairs of classes must have the same measures");
            }
            column.1.push(score);
        }
        self.terms.extend(pair.terms);
        self.pairs.push(NumberedPair { a, b, few_points: pair.few_points, points: pair.points });
        Ok(())
    }
}

impl Serialize for ClassPairs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// A pair of classes as it is stored in JSON.
#[derive(Deserialize)]
struct WrittenPair {
    a: String,
    b: String,
    points: usize,
    #[serde(default)]
    few_points: bool,
    scores: Scores,
    #[serde(default)]
    terms: Option<ClmTerms>,
}

impl<'de> Deserialize<'de> for ClassPairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = ClassPairs;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("a list of pairs of classes")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut written: A) -> Result<ClassPairs, A::Error> {
                let (mut pairs, mut numbers) = (ClassPairs::default(), HashMap::new());
                while let Some(pair) = written.next_element()? {
                    pairs.push(&mut numbers, pair).map_err(A::Error::custom)?;
                }
                Ok(pairs)
            }
        }
        deserializer.deserialize_seq(Pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(name: &str, points: usize) -> ClassSize {
        ClassSize { class: name.into(), points }
    }

    #[test]
    fn pairs_are_written_with_names_and_read_again() {
        let classes = [class("p", 2), class("q", 20), class("r", 30)];
        let scores =
            [("clm", vec![0.5, 0.25, 1.0]), ("ch", Vec::new()), ("db_a", vec![0.0, f64::INFINITY, 1.0])];
        let pairs = ClassPairs::new(&classes, scores.into_iter(), None);
        let text = serde_json::to_string(&pairs).unwrap();
        assert_eq!(
            text,
            r#"[{"a":"p","b":"q","points":22,"few_points":true,"scores":{"clm":0.5,"db_a":0.0}},"#.to_owned()
                + r#"{"a":"p","b":"r","points":32,"few_points":true,"scores":{"clm":0.25,"db_a":"inf"}},"#
                + r#"{"a":"q","b":"r","points":50,"scores":{"clm":1.0,"db_a":1.0}}]"#
        );
        assert_eq!(serde_json::from_str::<ClassPairs>(&text).unwrap(), pairs);
        assert_eq!((pairs.len(), pairs.pair(1).b, pairs.pair(1).scores.get("clm")), (3, "r", Some(0.25)));
        assert_eq!(pairs.scores("clm").unwrap(), [0.5, 0.25, 1.0]);
        assert!(pairs.scores("ch").is_none() && pairs.pair(2).scores.get("ch").is_none());
        assert!(ClassPairs::new(&classes, [("ch", Vec::new())].into_iter(), None).is_empty());
    }

    #[test]
    fn terms_are_written_and_read_again() {
        let terms = vec![ClmTerms::new(0.5, 0.25, 1.0)];
        let pairs =
            ClassPairs::new(&[class("p", 20), class("q", 20)], [("clm", vec![0.5])].into_iter(), Some(terms));
        let text = serde_json::to_string(&pairs).unwrap();
        assert!(text.ends_with(r#""terms":{"eta":0.5,"kappa":0.25,"nu":1.0}}]"#), "{text}");
        assert_eq!(serde_json::from_str::<ClassPairs>(&text).unwrap(), pairs);
    }

    #[test]
    fn pairs_with_other_measures_are_refused() {
        for second in [r#"{"ch_a":0.5}"#, "{}", r#"{"clm":0.5,"ch_a":0.5}"#] {
            let pair =
                |b: &str, scores: &str| format!(r#"{{"a":"p","b":"{b}","points":9,"scores":{scores}}}"#);
            let text = format!("[{},{}]", pair("q", r#"{"clm":0.5}"#), pair("r", second));
            assert!(serde_json::from_str::<ClassPairs>(&text).is_err(), "{text}");
        }
    }

    /// A pair takes 24 bytes, 8 for each measure and 24 for terms.
    #[test]
    fn a_pair_takes_little_memory() {
        assert_eq!(size_of::<NumberedPair>(), 24);
        assert_eq!(size_of::<ClmTerms>(), 24);
    }
}
