//! Finished numbers of one dataset: what every export shows and what a resumed run reads back.

use serde::de::{self, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The version of the JSON that is written.
pub const SCHEMA: &str = "clmatch/1";

/// The scores of one dataset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scored {
    pub schema: String,
    pub dataset: String,
    pub points: usize,
    pub features: usize,
    pub classes: usize,
    pub sizes: Vec<ClassSize>,
    pub scale: String,
    /// Fingerprint of points and labels as read, before scaling.
    pub checksum: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<DroppedPoints>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Where the dataset stands among the catalogued ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<Place>,
    /// How good the scores are, if they are estimates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approximate: Option<Approximate>,
    pub scores: Scores,
    #[serde(default)]
    pub pairs: Vec<Pair>,
}

/// The quality of an estimate from a sample of the points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Approximate {
    /// How many points were compared with all others.
    pub sampled: usize,
    pub confidence: f64,
    /// The error of each score at that confidence.
    pub errors: Scores,
}

impl Approximate {
    pub fn largest_error(&self) -> f64 {
        self.errors.0.iter().map(|(_, error)| *error).fold(0.0, f64::max)
    }
}

/// A standing in the catalogue, for files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Place {
    pub measure: String,
    pub above: usize,
    pub of: usize,
    pub third: String,
    /// The catalogued dataset that has the same points and labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catalogued_as: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassSize {
    pub class: String,
    pub points: usize,
}

/// Points that do not count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DroppedPoints {
    pub noise: usize,
    pub singletons: Vec<String>,
    /// The share of all points that was dropped.
    pub fraction: f64,
}

/// The scores of two classes of a dataset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    pub a: String,
    pub b: String,
    pub points: usize,
    pub scores: Scores,
}

/// Values by measure id, in the order in which they were asked for.
///
/// JSON has no infinity: infinite values are written as the text "inf".
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scores(pub Vec<(String, f64)>);

impl Scores {
    pub fn get(&self, id: &str) -> Option<f64> {
        self.0.iter().find(|(known, _)| known == id).map(|(_, value)| *value)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Number {
    Finite(f64),
    Text(String),
}

impl Serialize for Scores {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (id, value) in &self.0 {
            let number =
                if value.is_finite() { Number::Finite(*value) } else { Number::Text(value.to_string()) };
            map.serialize_entry(id, &number)?;
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
                while let Some((id, number)) = map.next_entry::<String, Number>()? {
                    let value = match number {
                        Number::Finite(value) => value,
                        Number::Text(text) => text.parse().map_err(de::Error::custom)?,
                    };
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
