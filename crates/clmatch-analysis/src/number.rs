//! Numbers in JSON, which has no infinity: values that are not finite are written as the texts `inf`, `-inf` and `NaN`.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A number that may be infinite, as it is written to JSON.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JsonNumber(pub f64);

impl Serialize for JsonNumber {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() { serializer.serialize_f64(self.0) } else { serializer.collect_str(&self.0) }
    }
}

impl<'de> Deserialize<'de> for JsonNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum WrittenNumber {
            Finite(f64),
            Text(String),
        }
        match WrittenNumber::deserialize(deserializer)? {
            WrittenNumber::Finite(value) => Ok(JsonNumber(value)),
            WrittenNumber::Text(text) => text.parse().map(JsonNumber).map_err(de::Error::custom),
        }
    }
}

/// Writes a plain number as a [`JsonNumber`]: `#[serde(serialize_with = "number::serialize")]`.
pub(crate) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    JsonNumber(*value).serialize(serializer)
}

/// Reads what [`serialize`] writes.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    JsonNumber::deserialize(deserializer).map(|JsonNumber(value)| value)
}

/// Like [`serialize`], for a number that may be missing.
pub(crate) fn serialize_option<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    value.map(JsonNumber).serialize(serializer)
}

/// Like [`serialize_option`], but also reads: `#[serde(with = "number::option")]`.
pub(crate) mod option {
    use super::{Deserialize, Deserializer, JsonNumber};

    pub(crate) use super::serialize_option as serialize;

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
        Ok(Option::<JsonNumber>::deserialize(deserializer)?.map(|JsonNumber(value)| value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_survives_json() {
        for (value, text) in [
            (0.1 + 0.2, "0.30000000000000004"),
            (-0.0, "-0.0"),
            (f64::INFINITY, "\"inf\""),
            (f64::NEG_INFINITY, "\"-inf\""),
        ] {
            assert_eq!(serde_json::to_string(&JsonNumber(value)).unwrap(), text);
            assert_eq!(serde_json::from_str::<JsonNumber>(text).unwrap(), JsonNumber(value));
        }
        assert_eq!(serde_json::to_string(&JsonNumber(f64::NAN)).unwrap(), "\"NaN\"");
        assert!(serde_json::from_str::<JsonNumber>("\"much\"").is_err());
    }
}
