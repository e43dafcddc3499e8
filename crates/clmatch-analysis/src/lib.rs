//! From a dataset and settings to a finished, serialisable result. Every front end (the command, a Python package, a page) is
//! built on this crate, and adds only its own way of asking and showing.
//!
//! | module | question | result |
//! |---|---|---|
//! | [`inspection`] | how is a file understood, and what command scores it? | [`InspectedDataset`](inspection::InspectedDataset) |
//! | [`scoring`] | how well do the labels match the clusters? | [`Scored`] |
//! | [`streamed`] | the same for data that do not fit into memory | [`Scored`] with [`Streamed`](scored::Streamed) |
//! | [`watching`] | does the score of growing data stay where it was? | [`WatchedWindow`](watching::WatchedWindow) |
//! | [`levels`] | at which level of a tree of labels do they match? | [`Levels`](levels::Levels) |
//! | [`rank`](mod@rank) | which datasets match best? | [`Ranking`](ranking::Ranking) |
//! | [`verdict`] | may a dataset serve as ground truth? | [`Verdict`](verdict::Verdict) |
//! | [`bars`] | does a dataset reach the bar of a pipeline? | [`MissedBar`](bars::MissedBar) |
//! | [`judging`] | where does a dataset stand among well-known ones? | [`CatalogueStanding`](scored::CatalogueStanding) |
//! | [`catalogued`] | which well-known datasets are fit for a purpose? | [`Scored`] |
//! | [`comparison`] | what changed between two rankings? | [`Change`](comparison::Change) |
//! | [`ground_truth`] | what do tuned clustering techniques reach? | [`GroundTruth`](ground_truth::GroundTruth) |
//! | [`accuracies`] | what do tuned classifiers reach? | [`Accuracies`](accuracies::Accuracies) |
//! | [`ranking_stability`] | would a ranking of techniques be found again? | [`RankingStability`](ranking_stability::RankingStability) |
//! | [`representations`] | which representation separates the classes best? | [`Representations`](representations::Representations) |
//! | [`picking`] | which datasets make a benchmark? | [`Benchmark`](picking::Benchmark) |
//! | [`explanation`] | what is wrong with the labels, and what would help? | [`ExplainedDataset`](explanation::ExplainedDataset) |
//! | [`improvement`] | which features separate the classes? | [`Improved`](improvement::Improved) |
//! | [`relabelling`] | what becomes of a dataset whose labels are repaired? | [`Relabelled`](relabelling::Relabelled) |
//! | [`report_data`] | what does a page show of a dataset? | [`DatasetReport`](report_data::DatasetReport) |
//! | [`calibration`] | which growth rates match judgements? | [`GrowthRates`](calibration::GrowthRates) |
//!
//! [`deciding`] determines which of several measures datasets are judged by.
//!
//! Results carry a `schema` that names their shape; JSON Schemas of all of them are in the folder `schemas` of `clmatch-serve`.
//! Errors are an [`AnalysisError`], with [`Advice`](clmatch_data::Advice) that a front end puts in its own words.
//! [`result_files`] reads results that were written, [`batch`] works on many datasets, [`resume`] keeps the finished ones of a
//! long run.

pub mod accuracies;
pub mod bars;
pub mod batch;
pub mod calibration;
pub mod catalogued;
pub mod class_pairs;
pub mod clm_halves;
pub mod comparison;
pub mod deciding;
pub mod dominance;
pub mod error;
pub mod evidence;
pub mod expected_time;
pub mod explanation;
pub mod failure_kinds;
pub mod ground_truth;
pub mod improvement;
pub mod inspection;
pub mod judging;
pub mod levels;
pub mod manifest;
pub mod measure_info;
mod noise;
pub mod number;
pub mod pair_summary;
pub mod picking;
pub mod rank;
pub mod ranking;
pub mod ranking_stability;
pub mod relabelling;
pub mod remark;
pub mod report_data;
pub mod representations;
pub mod result_files;
pub mod resume;
pub mod scored;
pub mod scores;
pub mod scoring;
pub mod source;
pub mod streamed;
pub mod subsample;
pub mod uncertainty;
pub mod verdict;
pub mod watching;

pub use error::AnalysisError;
pub use remark::Remark;
pub use scored::Scored;
