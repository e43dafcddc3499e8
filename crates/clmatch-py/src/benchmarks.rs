//! Datasets and techniques for benchmarks: representations, ground truth, a choice of datasets, the stability of rankings.

use std::path::PathBuf;

use clmatch::Control;
use clmatch_analysis::ground_truth::{GroundTruthSettings, tune};
use clmatch_analysis::picking::{BenchmarkSettings, choose_benchmark};
use clmatch_analysis::ranking_stability::{StabilitySettings, ranking_stability};
use clmatch_analysis::representations::{CompareSettings, compare_datasets};
use clmatch_analysis::source::Document;
use clmatch_analysis::subsample::SampleSpec;
use clmatch_analysis::verdict::AcceptedVerdict;
use clmatch_analysis::{AnalysisError, Remark};
use clmatch_cluster::external::External;
use clmatch_data::ReadOptions;
use clmatch_truth::picking::PickSettings;
use clmatch_truth::stability::DrawSettings;
use clmatch_truth::techniques::{Technique, TruthSettings};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::{BorrowedDataset, DatasetArrays};
use crate::errors::{of_analysis, of_data};
use crate::measures::find;
use crate::results::{analysed, as_json, warnings};
use crate::settings::{Preparation, Scoring};
use crate::work::Running;

/// JSON, and warnings.
type Packed = (String, Vec<String>);

fn packed(found: &impl serde::Serialize, remarks: &[Remark]) -> PyResult<Packed> {
    Ok((as_json(found)?, warnings(remarks)))
}

/// Compares representations of the same rows.
#[pyfunction]
pub(crate) fn compare(
    py: Python<'_>,
    datasets: Vec<DatasetArrays<'_>>,
    scoring: Scoring,
    running: Running,
) -> PyResult<Packed> {
    let (score, _) = scoring.settings()?;
    let settings = CompareSettings { score, label_of: None, seed: scoring.preparation.seed };
    let borrowed = datasets.iter().map(DatasetArrays::borrow).collect::<PyResult<Vec<_>>>()?;
    let compared = running.run(py, |control| -> Result<_, AnalysisError> {
        let copied = borrowed.iter().map(BorrowedDataset::copied).collect::<Result<Vec<_>, _>>()?;
        compare_datasets(copied, &settings, control)
    })?;
    match compared {
        Ok((found, remarks)) => packed(&found, &remarks),
        Err(AnalysisError::Data { dataset, error }) => {
            let one = borrowed.iter().find(|one| one.name == dataset).or(borrowed.first());
            Err(one.map_or_else(
                || PyValueError::new_err(error.to_string()),
                |one| of_data(&error, one.input.numbers),
            ))
        }
        Err(error) => Err(of_analysis(&error)),
    }
}

/// What to tune, and how.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Tuning {
    techniques: Vec<String>,
    externals: Vec<String>,
    budget: usize,
    birch_clusters: bool,
    max_points: Option<usize>,
}

/// The things with these ids; all of them if no id is given.
fn named<T: Copy>(
    ids: &[String],
    what: &str,
    all: &[T],
    find: impl Fn(&str) -> Option<T>,
    id: impl Fn(T) -> &'static str,
) -> PyResult<Vec<T>> {
    let known = || all.iter().map(|&one| id(one)).collect::<Vec<_>>().join(", ");
    let one = |name: &String| {
        find(name).ok_or_else(|| {
            PyValueError::new_err(format!("there is no {what} '{name}'; there are {}", known()))
        })
    };
    if ids.is_empty() { Ok(all.to_vec()) } else { ids.iter().map(one).collect() }
}

/// Tunes clustering techniques to the labels.
#[pyfunction]
pub(crate) fn truth(
    py: Python<'_>,
    dataset: DatasetArrays<'_>,
    tuning: Tuning,
    preparation: Preparation,
    running: Running,
) -> PyResult<Packed> {
    let techniques = named(&tuning.techniques, "technique", &Technique::ALL, Technique::find, Technique::id)?;
    let externals =
        named(&tuning.externals, "external measure", &External::ALL, External::find, External::id)?;
    let settings = GroundTruthSettings {
        read: ReadOptions::default(),
        scale: preparation.scale()?,
        sample: SampleSpec {
            noise: preparation.noise.clone(),
            singletons: preparation.singletons(),
            max_points: tuning.max_points,
            seed: preparation.seed,
        },
        search: TruthSettings {
            techniques,
            externals,
            birch_thresholds: tuning.budget,
            birch_clusters: tuning.birch_clusters,
            seed: preparation.seed,
            ..TruthSettings::default()
        },
    };
    let (found, remarks) = analysed(py, &dataset, &running, |mut dataset, control| {
        dataset.scale(settings.scale);
        tune(&dataset, &settings, control)
    })?;
    packed(&found, &remarks)
}

/// A table or ranking: a file, or a text with the name that errors use for it.
#[derive(FromPyObject)]
pub(crate) enum Text {
    Named((String, String)),
    File(PathBuf),
}

impl Text {
    fn document(self) -> PyResult<Document> {
        match self {
            Text::Named((name, text)) => Ok(Document { name: name.into(), text }),
            Text::File(path) => Document::read(&path).map_err(|error| of_analysis(&error)),
        }
    }
}

/// Which datasets to choose.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Picking {
    ranking: Option<Text>,
    truth: Option<Text>,
    by: Option<String>,
    external: Option<String>,
    techniques: Vec<String>,
    accept: String,
    count: usize,
    diversity: f64,
    seed: u64,
}

/// Chooses datasets for a benchmark.
#[pyfunction]
pub(crate) fn pick(py: Python<'_>, picking: Picking, running: Running) -> PyResult<Packed> {
    let settings = BenchmarkSettings {
        ranking: picking.ranking.map(Text::document).transpose()?,
        truth: picking.truth.map(Text::document).transpose()?,
        by: picking.by.as_deref().map(find).transpose()?,
        external: picking.external,
        techniques: picking.techniques,
        accept: match picking.accept.as_str() {
            "fit" => AcceptedVerdict::Fit,
            "fit-after-change" => AcceptedVerdict::FitAfterChange,
            "cannot-be-said" => AcceptedVerdict::CannotBeSaid,
            other => {
                let text =
                    format!("accept must be 'fit', 'fit-after-change' or 'cannot-be-said', got '{other}'");
                return Err(PyValueError::new_err(text));
            }
        },
        pick: PickSettings { count: picking.count, diversity: picking.diversity, seed: picking.seed },
    };
    let chosen = running.run(py, |control: Control<'_>| choose_benchmark(&settings, control))?;
    let (benchmark, remarks) = chosen.map_err(|error| of_analysis(&error))?;
    packed(&benchmark, &remarks)
}

/// How a ranking of techniques is checked.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Drawing {
    external: Option<String>,
    techniques: Vec<String>,
    /// A table of scores of the datasets, and the measure that cuts them into thirds.
    thirds: Option<(Text, String)>,
    size: usize,
    draws: usize,
    seed: u64,
}

/// How often is a ranking of techniques found again when its datasets are drawn anew?
#[pyfunction]
pub(crate) fn stability(
    py: Python<'_>,
    scores: Text,
    drawing: Drawing,
    running: Running,
) -> PyResult<Packed> {
    let thirds = drawing.thirds.map(|(scores, by)| PyResult::Ok((scores.document()?, find(&by)?)));
    let settings = StabilitySettings {
        external: drawing.external,
        techniques: drawing.techniques,
        thirds: thirds.transpose()?,
        draws: DrawSettings {
            size: drawing.size,
            draws: drawing.draws,
            seed: drawing.seed,
            replacement: true,
        },
    };
    let scores = scores.document()?;
    let found = running.run(py, |_| ranking_stability(&scores, &settings))?;
    packed(&found.map_err(|error| of_analysis(&error))?, &[])
}
