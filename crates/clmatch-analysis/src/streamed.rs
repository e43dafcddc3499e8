//! Scores data that need not fit into memory, in one or two passes over blocks of rows.
//!
//! Whatever compares points with centroids is exact; whatever compares points with each other is estimated from a sample that is
//! kept, with a 95% error where one can be known. See [`clmatch::summary`].

use std::path::PathBuf;

use clmatch::summary::{
    Certainty, LengthUnit, Summarised, Summary, SummaryError, SummaryScore, SummarySettings,
};
use clmatch::{Control, DataError, Labels};
use clmatch_data::blocks::{BlockOptions, Blocks};
use clmatch_data::{
    Advice, ColumnScaling, Dataset, Note, ReadError, ReadErrorKind, ReadOptions, Scale, ScalingPass, Source,
};

use crate::class_pairs::ClassPairs;
use crate::clm_halves::ClmHalves;
use crate::error::AnalysisError;
use crate::evidence::{Evidence, few_valued, split_classes_of};
use crate::pair_summary;
use crate::remark::Remark;
use crate::resume::{Settings, VERSION};
use crate::scored::{SCHEMA, Scored, Streamed, StreamedScore};
use crate::scores::{Approximate, ClassSize, DroppedPoints, Scores};
use crate::scoring::{Finished, ScoreSettings, score_read};
use crate::source::UnreadDataset;
use crate::uncertainty::CONFIDENCE;

/// Bytes that a stream may take by default.
pub const DEFAULT_MEMORY: u64 = 1_000_000_000;

/// Reads and scores a dataset as a whole or, if it is in files and does not fit into memory, in blocks, and says so.
///
/// # Errors
/// A dataset that cannot be read or scored, or [`AnalysisError::Stopped`] if `control` says so. If the data do not fit and cannot
/// be read in blocks either, the error is that they do not fit.
pub fn read_and_score<D: UnreadDataset + ?Sized>(
    unread: &D,
    settings: &ScoreSettings,
    control: Control<'_>,
) -> Result<Finished, AnalysisError> {
    control.check()?;
    control.report("reading", 0, 0);
    let settings = &*settings.with_own(unread.source());
    match (unread.read(settings), unread.source()) {
        (Ok(dataset), source) => score_read(source, dataset, settings, control),
        (Err(AnalysisError::Read(error)), Some(source))
            if error.kind() == ReadErrorKind::TooLargeForMemory =>
        {
            stream_instead(source, error, settings, control)
        }
        (Err(error), _) => Err(error),
    }
}

/// Reads a dataset that does not fit into memory in blocks, if that is possible.
fn stream_instead(
    source: &Source,
    too_large: ReadError,
    settings: &ScoreSettings,
    control: Control<'_>,
) -> Result<Finished, AnalysisError> {
    if unfit(settings).is_some() || source.has_several_labellings() {
        return Err(too_large.into());
    }
    let paths = [source.path.clone()];
    match score_stream(&paths, settings, control) {
        Ok(mut finished) => {
            let said = Remark::info(format!("{}: read in blocks instead", too_large.what));
            let note = said.to_string();
            finished.scored.dataset.clone_from(&source.name);
            finished.scored.notes.insert(0, note);
            finished.remarks.insert(0, said);
            Ok(finished)
        }
        // The format cannot be read in blocks, or the mean of a column is wanted: the first error is the more useful one.
        Err(AnalysisError::Read(error)) if error.place.is_none() => Err(too_large.into()),
        Err(error) => Err(error),
    }
}

/// Scores data in blocks: files, folders of parts, or standard input (`-`).
///
/// # Errors
/// Data that cannot be read or scored, settings that need all points in memory, or [`AnalysisError::Stopped`] if `control`
/// says so.
pub fn score_stream(
    paths: &[PathBuf],
    settings: &ScoreSettings,
    control: Control<'_>,
) -> Result<Finished, AnalysisError> {
    if let Some(error) = unfit(settings) {
        return Err(error);
    }
    let memory = settings.read.memory_limit.unwrap_or(DEFAULT_MEMORY);
    let read = ReadOptions { memory_limit: Some(memory / 4), ..settings.read.clone() };
    let mut blocks = Blocks::open(paths, &read, &BlockOptions::within(memory / 4))?;
    let scaling = Scaling::find(&mut blocks, settings.scale, control)?;
    let stream = first_pass(&mut blocks, &scaling, settings, memory, control)?;
    let found = stream.finish(&mut blocks, &scaling, control)?;
    let evidence = stream.evidence(blocks.features(), settings, control)?;
    let mut remarks = remarks(&stream, &found, settings);
    remarks.extend(scaling.note.iter().map(Remark::from));
    remarks.sort_by_key(|remark| remark.severity);
    let path = paths.first().filter(|path| paths.len() == 1 && path.exists());
    let scored = Scored {
        path: path.map(|path| path.display().to_string()),
        notes: remarks.iter().map(ToString::to_string).collect(),
        warnings: remarks.iter().filter(|remark| remark.is_warning()).map(ToString::to_string).collect(),
        evidence,
        ..scored(&blocks, &stream, found, settings, memory)
    };
    Ok(Finished { scored, remarks })
}

/// The error if a stream cannot satisfy the settings.
fn unfit(settings: &ScoreSettings) -> Option<AnalysisError> {
    let what = if settings.uncertainty.is_wanted() {
        "intervals and random labels need all points in memory"
    } else if settings.approximation.is_some() {
        "a bound on errors or on time is for data in memory: a stream tells the errors that it has"
    } else if settings.scale == Scale::Robust {
        "medians of columns need all rows in memory"
    } else {
        return None;
    };
    Some(AnalysisError::unfit(what, Advice::DoWithoutInStream))
}

/// How the columns of a stream are scaled.
struct Scaling {
    columns: Option<ColumnScaling>,
    note: Option<Note>,
}

impl Scaling {
    /// Makes a pass of its own if columns are scaled one by one. Scaling by the largest value is a unit of length, and needs no
    /// pass.
    fn find(blocks: &mut Blocks, scale: Scale, control: Control<'_>) -> Result<Self, AnalysisError> {
        let Some(mut pass) = ScalingPass::new(scale, blocks.features().len()) else {
            return Ok(Scaling { columns: None, note: None });
        };
        if !blocks.can_rewind() {
            let what = format!(
                "the scaling {scale} takes a pass of its own, and standard input can be read only once"
            );
            return Err(AnalysisError::unfit(what, Advice::DoWithoutInStream));
        }
        blocks.each("scaling", control, |block| -> Result<(), AnalysisError> {
            pass.update(&block.values);
            Ok(())
        })?;
        blocks.rewind()?;
        let (columns, unscaled) = pass.finish();
        let unscaled: Vec<String> = unscaled.iter().map(|&at| blocks.features()[at].clone()).collect();
        let note = (!unscaled.is_empty()).then_some(Note::Unscaled { columns: unscaled, scale });
        Ok(Scaling { columns: Some(columns), note })
    }

    fn apply(&self, values: &mut [f64]) {
        if let Some(columns) = &self.columns {
            columns.apply(values);
        }
    }
}

/// The result of the first pass.
struct FirstPass {
    name: String,
    summary: Summary,
    notes: Vec<Note>,
    points: u64,
    bytes: u64,
    checksum: String,
}

/// Summarises all rows.
fn first_pass(
    blocks: &mut Blocks,
    scaling: &Scaling,
    settings: &ScoreSettings,
    memory: u64,
    control: Control<'_>,
) -> Result<FirstPass, AnalysisError> {
    let name = blocks.name().to_owned();
    let unit = match settings.scale {
        Scale::MaxAbs => LengthUnit::LargestValue,
        _ => LengthUnit::Fixed(1.0),
    };
    let own = SummarySettings::new(&settings.measures)
        .with_memory(usize::try_from(memory / 2).unwrap_or(usize::MAX))
        .with_seed(settings.uncertainty.seed)
        .with_noise(settings.noise.clone())
        .with_singletons(settings.singletons)
        .with_unit(unit);
    let refuse = |error: SummaryError| refused(&name, error);
    let mut summary = Summary::new(blocks.features().len(), &own).map_err(refuse)?;
    blocks.each("first pass", control, |mut block| -> Result<(), AnalysisError> {
        scaling.apply(&mut block.values);
        summary.set_source(block.part as u64);
        summary.update(&block.values[..], &block.labels, block.first_row).map_err(refuse)
    })?;
    Ok(FirstPass {
        summary,
        notes: blocks.notes(),
        points: blocks.points(),
        bytes: blocks.bytes().done,
        checksum: blocks.checksum(),
        name,
    })
}

impl FirstPass {
    /// The evidence for a verdict besides the scores, as far as it can be gathered from the rows that were kept.
    fn evidence(
        &self,
        features: &[String],
        settings: &ScoreSettings,
        control: Control<'_>,
    ) -> Result<Option<Evidence>, AnalysisError> {
        if settings.measures.iter().all(|measure| measure.id != "clm") {
            return Ok(None);
        }
        let refuse = |error: DataError| refused(&self.name, error.into());
        let classes = self.summary.sampled().map_err(|error| refused(&self.name, error))?;
        let seed = settings.uncertainty.seed;
        let label = |class: usize| std::iter::repeat_n(&classes.names()[class], classes.size(class));
        let labels = Labels::encode((0..classes.n_classes()).flat_map(label));
        let rows = classes.order().to_vec();
        let values = classes.points().coordinates(&rows).map_err(refuse)?;
        let sample = Dataset::new(&self.name, features.to_vec(), values.values().to_vec(), labels);
        Ok(Some(Evidence {
            split_classes: split_classes_of(&classes, seed, control).map_err(refuse)?,
            label_copies: sample.map(|sample| sample.label_copies()).unwrap_or_default(),
            few_valued: few_valued(&classes),
            ..Evidence::default()
        }))
    }

    /// The scores, after a second pass if one makes more of them exact and the rows can be read again.
    fn finish(
        &self,
        blocks: &mut Blocks,
        scaling: &Scaling,
        control: Control<'_>,
    ) -> Result<Summarised, AnalysisError> {
        let refuse = |error: SummaryError| refused(&self.name, error);
        if !self.summary.needs_second_pass() || !blocks.can_rewind() {
            return self.summary.finish(None, control).map_err(refuse);
        }
        blocks.rewind()?;
        let mut second = self.summary.second_pass().map_err(refuse)?;
        blocks.each("second pass", control, |mut block| -> Result<(), AnalysisError> {
            scaling.apply(&mut block.values);
            second.update(&block.values[..], &block.labels, block.first_row).map_err(refuse)
        })?;
        self.summary.finish(Some(&second), control).map_err(refuse)
    }
}

fn refused(name: &str, error: SummaryError) -> AnalysisError {
    match error {
        SummaryError::Data(error) => AnalysisError::data(name, error),
        error => AnalysisError::input(name, error),
    }
}

fn scored(
    blocks: &Blocks,
    stream: &FirstPass,
    mut found: Summarised,
    settings: &ScoreSettings,
    memory: u64,
) -> Scored {
    let found = &mut found;
    let sizes: Vec<ClassSize> = found.classes.iter().map(size).collect();
    let on_pairs = found.scores.iter().map(|score| (score.id, score.pairs.as_slice()));
    let exact = |score: &SummaryScore| score.certainty == Certainty::Exact;
    let clm_is_exact = ["clm", "clm_pairs"].iter().filter_map(|id| found.score(id)).all(exact);
    Scored {
        schema: SCHEMA.to_owned(),
        version: VERSION.to_owned(),
        dataset: stream.name.clone(),
        label: blocks.label_origin().cloned(),
        left_out: blocks.left_out().to_vec(),
        doubtful_ids: blocks.doubtful_ids().to_vec(),
        points: found.points as usize,
        features: found.features,
        features_used: blocks.features().to_vec(),
        classes: sizes.len(),
        scale: settings.scale,
        settings: Settings::from(
            settings.identity().with("stream", true).with("seed", settings.uncertainty.seed),
        ),
        checksum: stream.checksum.clone(),
        dropped: dropped(found, stream.points),
        approximate: (!found.scores.iter().all(exact)).then(|| approximate(found)),
        scores: Scores(found.scores.iter().map(|score| (score.id.to_owned(), score.value)).collect()),
        streamed: Some(Streamed {
            bytes: stream.bytes,
            parts: blocks.n_parts(),
            passes: found.passes,
            memory,
            sampled: found.sampled,
            explanation: found.explanation(),
            scores: found.scores.iter().map(certainty).collect(),
        }),
        terms: found.terms.as_ref().filter(|_| clm_is_exact).map(ClmHalves::from),
        over_pairs: pair_summary::summaries(&sizes, on_pairs),
        pairs: pairs(found, &sizes, clm_is_exact),
        sizes,
        ..Scored::default()
    }
}

fn size(class: &clmatch::summary::ClassSize) -> ClassSize {
    ClassSize { class: class.name.clone(), points: class.points as usize }
}

fn certainty(score: &SummaryScore) -> StreamedScore {
    StreamedScore {
        measure: score.id.to_owned(),
        certainty: score.certainty,
        error: score.error,
        why: score.why.to_string(),
    }
}

fn approximate(found: &Summarised) -> Approximate {
    let errors = found.scores.iter().filter_map(|score| Some((score.id.to_owned(), score.error?)));
    Approximate { sampled: found.sampled as usize, confidence: CONFIDENCE, errors: Scores(errors.collect()) }
}

fn dropped(found: &Summarised, all: u64) -> Option<DroppedPoints> {
    (found.points < all).then(|| DroppedPoints {
        noise: found.noise as usize,
        singletons: found.singletons.clone(),
        fraction: (all - found.points) as f64 / all as f64,
    })
}

fn pairs(found: &mut Summarised, sizes: &[ClassSize], clm_is_exact: bool) -> ClassPairs {
    let scores = found.scores.iter_mut().map(|score| (score.id, std::mem::take(&mut score.pairs)));
    let terms = found.terms.take().filter(|_| clm_is_exact).map(|terms| terms.pairs);
    ClassPairs::new(sizes, scores, terms)
}

/// Remarks about the stream and its scores.
fn remarks(stream: &FirstPass, found: &Summarised, settings: &ScoreSettings) -> Vec<Remark> {
    let mut remarks: Vec<Remark> = stream.notes.iter().map(Remark::from).collect();
    match &settings.noise {
        Some(noise) if found.noise == 0 => {
            remarks.push(Remark::warning(format!("no point is labelled '{noise}'")));
        }
        None if found.classes.iter().any(|class| class.name == "-1") => {
            let text = "'-1' counts as a class of its own";
            remarks.push(Remark::warning(text).advise(Advice::DropNoise("-1".into())));
        }
        _ => {}
    }
    if stream.summary.needs_second_pass() && found.passes == 1 {
        remarks.push(Remark::info(
            "standard input can be read only once: what a second pass would make exact is estimated",
        ));
    }
    remarks
}
