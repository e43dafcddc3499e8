//! The finished numbers of one dataset, which every export shows and a resumed run reads back.

use clmatch::Measure;
use clmatch::summary::Certainty;
use clmatch_data::catalogue::Third;
use clmatch_data::{LabelOrigin, LeftOutColumn, Scale};
use serde::{Deserialize, Serialize};

use crate::class_pairs::{ClassPair, ClassPairs};
use crate::clm_halves::{self, ClmHalves};
use crate::dominance::Dominance;
use crate::evidence::Evidence;
use crate::number;
use crate::pair_summary::PairSummary;
use crate::resume::Settings;
use crate::scores::{Approximate, ClassSize, DroppedPoints, Scores};
use crate::uncertainty::{RandomLabels, RandomScore, ScoreInterval};
use crate::verdict::Verdict;

/// Names the JSON schema of a [`Scored`] dataset, with its version. Version 2 added version, path, label, settings, columns that
/// are not features or may not be, the dominant feature, the verdict, the terms of `clm` and the mark of pairs with few points;
/// version 3 the summaries of pairs, intervals and random labels; version 4 the halves of `clm`; version 5 another verdict with
/// its evidence. Files of earlier versions can still be read, without their verdicts.
pub const SCHEMA: &str = "clmatch/score/5";

/// The scores of one dataset.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Scored {
    /// [`SCHEMA`].
    pub schema: String,
    /// The version of the program; empty if it was an earlier one that did not record it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// The name of the dataset.
    pub dataset: String,
    /// Where it was read from, if that was a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Where its labels come from, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<LabelOrigin>,
    /// Columns that were left out of the features automatically: row numbers and ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutColumn>,
    /// Features that may be ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubtful_ids: Vec<String>,
    /// Points that count.
    pub points: usize,
    /// Features of each point.
    pub features: usize,
    /// The names of the features that were used; empty in results of the catalogue and of earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features_used: Vec<String>,
    /// Classes that count.
    pub classes: usize,
    /// The size of each class.
    pub sizes: Vec<ClassSize>,
    /// How the features were scaled.
    pub scale: Scale,
    /// The other settings that determine the scores, by name.
    #[serde(default, skip_serializing_if = "Settings::is_empty")]
    pub settings: Settings,
    /// Fingerprint of points and labels as read, before scaling; empty if it was not requested.
    pub checksum: String,
    /// Points that do not count, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<DroppedPoints>,
    /// Notes about the dataset.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The notes about problems that probably spoil the scores.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The feature that outweighs all others, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dominant: Option<Dominance>,
    /// Where the dataset stands among the catalogued ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<CatalogueStanding>,
    /// Whether the dataset may serve as ground truth.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "Verdict::read")]
    pub verdict: Option<Verdict>,
    /// What the verdict rests on besides the scores, if `clm` was requested and the data were in memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// How good the scores are, if they are estimates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approximate: Option<Approximate>,
    /// The value of each measure.
    pub scores: Scores,
    /// For each measure, a 95% interval for the mean score of samples of this size, if requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intervals: Vec<ScoreInterval>,
    /// What random labels score, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub random_labels: Option<RandomLabels>,
    /// How the data were read and how sure each score is, if they were read in blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streamed: Option<Streamed>,
    /// The halves of `clm` and their terms, if `clm` was requested and is exact.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "clm_halves::read")]
    pub terms: Option<ClmHalves>,
    /// What accompanies the mean over pairs of classes, for the measures that have one: the mean weighted by size, the worst pair
    /// and the weakest class.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub over_pairs: Vec<PairSummary>,
    /// The values of each pair of classes, for the measures that have them.
    #[serde(default)]
    pub pairs: ClassPairs,
}

/// A place in the catalogue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CatalogueStanding {
    /// The measure that determines the place.
    pub measure: String,
    /// Catalogued datasets that score worse.
    pub above: usize,
    /// Catalogued datasets.
    pub of: usize,
    /// The third of the catalogue.
    pub third: Third,
    /// The catalogued dataset that has the same points and labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catalogued_as: Option<String>,
}

impl Scored {
    /// The interval of a score, if it was requested.
    pub fn interval(&self, measure: &Measure) -> Option<&ScoreInterval> {
        self.intervals.iter().find(|interval| interval.measure == measure.id)
    }

    /// What random labels score by a measure, if it was requested.
    pub fn random_score(&self, measure: &Measure) -> Option<&RandomScore> {
        self.random_labels.as_ref()?.scores.iter().find(|score| score.measure == measure.id)
    }

    /// The pair of classes that matches worst by a measure, with its value.
    pub fn worst_pair(&self, measure: &Measure) -> Option<(ClassPair<'_>, f64)> {
        let values = self.pairs.scores(measure.id)?.iter().copied().enumerate();
        let worst =
            values.reduce(|worst, other| if measure.prefers(worst.1, other.1) { other } else { worst });
        worst.map(|(at, value)| (self.pairs.pair(at), value))
    }
}

/// How data were read in blocks, and how sure each score is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Streamed {
    /// Bytes of the files, as they are stored.
    pub bytes: u64,
    /// How many files there are.
    pub parts: usize,
    /// How many times all rows were read, not counting the pass that determined how to scale them.
    pub passes: u32,
    /// Bytes of memory that were allowed.
    pub memory: u64,
    /// Rows that were kept to compare points with each other.
    pub sampled: u64,
    /// How the scores were obtained, in one sentence.
    pub explanation: String,
    /// How sure each score is.
    pub scores: Vec<StreamedScore>,
}

/// How sure a score is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StreamedScore {
    /// The id of the measure.
    pub measure: String,
    /// Whether it is exact.
    pub certainty: Certainty,
    /// Half the width of a 95% interval: 0 where the score is exact, `None` where no error is stated.
    #[serde(with = "number::option")]
    pub error: Option<f64>,
    /// Where the score comes from.
    pub why: String,
}

impl Streamed {
    /// How sure the score of a measure is.
    pub fn score(&self, id: &str) -> Option<&StreamedScore> {
        self.scores.iter().find(|score| score.measure == id)
    }
}

#[cfg(test)]
impl Scored {
    /// A dataset with given scores.
    pub(crate) fn example(name: &str, scores: &[(&str, f64)]) -> Scored {
        Scored {
            schema: SCHEMA.to_owned(),
            dataset: name.to_owned(),
            label: None,
            left_out: Vec::new(),
            doubtful_ids: Vec::new(),
            points: 4,
            features: 1,
            classes: 2,
            scores: Scores(scores.iter().map(|&(id, value)| (id.to_owned(), value)).collect()),
            ..Scored::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_pair_is_the_worst_by_the_measure() {
        let class = |name: &str| ClassSize { class: name.into(), points: 20 };
        let mut scored = Scored::example("three", &[]);
        let scores = [("clm", vec![0.9, 0.2, 0.5]), ("db", vec![0.1, 3.0, 1.0])];
        scored.pairs = ClassPairs::new(&["p", "q", "r"].map(class), scores.into_iter(), None);
        let [clm, db, ch] = ["clm", "db", "ch"].map(|id| clmatch::measure::find(id).unwrap());
        let worst = |measure| scored.worst_pair(measure).map(|(pair, value)| (pair.a, pair.b, value));
        assert_eq!([clm, db, ch].map(worst), [Some(("p", "r", 0.2)), Some(("p", "r", 3.0)), None]);
    }
}
