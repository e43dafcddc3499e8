//! The parts of the headline score: the half of pairs of classes, the half of all classes at once, and the terms of either.

use clmatch::{AllTerms, ClmTerms, Terms};
use serde::{Deserialize, Deserializer, Serialize};

/// The halves of `clm`, and their terms. If `clm_pairs` was requested and `clm` was not, only the half of pairs is known.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ClmHalves {
    /// The mean score of all pairs of classes, which is `clm_pairs`.
    pub pairs: f64,
    /// The score of all classes at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all: Option<f64>,
    /// The means of the terms over pairs of classes.
    pub of_pairs: ClmTerms,
    /// The terms of all classes at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_all: Option<AllTerms>,
}

impl From<&Terms> for ClmHalves {
    fn from(terms: &Terms) -> Self {
        ClmHalves {
            pairs: terms.of_pairs,
            all: terms.all.as_ref().map(AllTerms::score),
            of_pairs: terms.mean,
            of_all: terms.all,
        }
    }
}

/// Reads halves. Files of earlier versions hold the terms of a score with another definition, which are left out.
pub(crate) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<ClmHalves>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum WrittenHalves {
        Halves(ClmHalves),
        Earlier(#[allow(dead_code, reason = "only tells the shape")] ClmTerms),
    }
    Ok(match Option::<WrittenHalves>::deserialize(deserializer)? {
        Some(WrittenHalves::Halves(halves)) => Some(halves),
        Some(WrittenHalves::Earlier(_)) | None => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scored;

    #[test]
    fn halves_are_written_and_read_again() {
        let both = ClmHalves {
            pairs: 0.875,
            all: Some(0.75),
            of_pairs: ClmTerms::new(1.0, 0.5, 1.0),
            of_all: Some(AllTerms::new(0.5, 0.25, 1.0)),
        };
        let scored = Scored { terms: Some(both), ..Scored::example("two", &[]) };
        let text = serde_json::to_string(&scored).unwrap();
        let of_pairs = r#""of_pairs":{"eta":1.0,"kappa":0.5,"nu":1.0}"#;
        let of_all = r#""of_all":{"lambda":0.5,"kappa":0.25,"nu":1.0}"#;
        let written = format!(r#""terms":{{"pairs":0.875,"all":0.75,{of_pairs},{of_all}}}"#);
        assert!(text.contains(&written), "{text}");
        assert_eq!(serde_json::from_str::<Scored>(&text).unwrap(), scored);
        // With the half of pairs only.
        let pairs = Scored { terms: Some(ClmHalves { all: None, of_all: None, ..both }), ..scored };
        let text = serde_json::to_string(&pairs).unwrap();
        assert!(text.contains(&format!(r#""terms":{{"pairs":0.875,{of_pairs}}}"#)), "{text}");
        assert_eq!(serde_json::from_str::<Scored>(&text).unwrap(), pairs);
    }

    #[test]
    fn terms_of_earlier_versions_are_left_out() {
        let text = serde_json::to_string(&Scored::example("two", &[("clm", 0.5)])).unwrap();
        let earlier = text.replacen('{', r#"{"terms":{"eta":1.0,"kappa":0.5,"nu":1.0},"#, 1);
        let read: Scored = serde_json::from_str(&earlier).unwrap();
        assert_eq!((read.terms, read.scores.get("clm")), (None, Some(0.5)));
    }
}
