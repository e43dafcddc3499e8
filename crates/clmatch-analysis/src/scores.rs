//! The elements of results: scores by measure, how precise they are, and the classes that count.

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::number::JsonNumber;

/// Scores of classes with fewer points are unreliable: a single point is then more than a tenth of its class.
pub const FEWEST_POINTS: usize = 10;

/// The quality of an estimate from a sample of the points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Approximate {
    /// How many points were compared with all others.
    pub sampled: usize,
    /// The confidence level of the errors.
    pub confidence: f64,
    /// The error of each score at that confidence, 0 where it is exact; scores without a stated error are left out.
    pub errors: Scores,
}

impl Approximate {
    /// The largest error of all scores.
    pub fn largest_error(&self) -> f64 {
        self.errors.0.iter().map(|(_, error)| *error).fold(0.0, f64::max)
    }
}

/// How many points a class has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassSize {
    /// The name of the class.
    pub class: String,
    /// How many points it has.
    pub points: usize,
}

/// Points that do not count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DroppedPoints {
    /// Points that are noise.
    pub noise: usize,
    /// Classes of a single point.
    pub singletons: Vec<String>,
    /// The share of all points that was dropped.
    pub fraction: f64,
}

/// Values by measure id, in the order in which the measures were requested.
///
/// JSON has no infinity: infinite values are written as the text "inf".
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scores(pub Vec<(String, f64)>);

impl Scores {
    /// The value of a measure.
    pub fn get(&self, id: &str) -> Option<f64> {
        self.0.iter().find(|(known, _)| known == id).map(|(_, value)| *value)
    }
}

impl Serialize for Scores {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (id, value) in &self.0 {
            map.serialize_entry(id, &JsonNumber(*value))?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Scores {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Scores;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("an object of measure ids and numbers")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scores, A::Error> {
                let mut scores = Vec::new();
                while let Some((id, JsonNumber(value))) = map.next_entry()? {
                    scores.push((id, value));
                }
                Ok(Scores(scores))
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_survive_json() {
        let scores =
            Scores(vec![("ch_a".into(), 0.1 + 0.2), ("db".into(), f64::INFINITY), ("a".into(), -0.0)]);
        let text = serde_json::to_string(&scores).unwrap();
        assert_eq!(text, r#"{"ch_a":0.30000000000000004,"db":"inf","a":-0.0}"#);
        assert_eq!(serde_json::from_str::<Scores>(&text).unwrap(), scores);
    }
}
