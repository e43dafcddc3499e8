//! `clmatch report PATH... -o FILE.html`: one self-contained page.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::slice;

use clmatch_analysis::catalogued::CatalogueFilter;
use clmatch_analysis::expected_time::{NEIGHBOURS, SCORES};
use clmatch_analysis::rank::RankSettings;
use clmatch_analysis::ranking::{FailedDataset, Ranking};
use clmatch_analysis::report_data::{DatasetReport, ReportSettings, ViewSettings, read_and_report};
use clmatch_analysis::result_files::{ResultFile, read_result};
use clmatch_analysis::scoring::ScoreSettings;
use clmatch_analysis::{AnalysisError, Scored};
use clmatch_data::{ReadOptions, Severity, Source};
use clmatch_kernels::{Control, Step};
use clmatch_render::pages::command_line::{self, ActionPlace};
use clmatch_render::pages::{Origin, PageError, dataset, lab, ranking, stability, truth};

use crate::advice::in_words;
use crate::args::ReportArgs;
use crate::commands::batch::{self, BatchEnd};
use crate::commands::improve::check_place;
use crate::commands::{SCORES_ALONE, announce_long, headline, rank, use_threads};
use crate::failure::{Failure, USAGE, emit_remark};
use crate::interrupt;
use crate::output;
use crate::progress::Phases;

pub fn run(args: &ReportArgs) -> Result<ExitCode, Failure> {
    use_threads(args.measures.threads)?;
    check_name(&args.output)?;
    if args.catalogue {
        let measures = args.measures.chosen(args.by);
        let by = args.by.unwrap_or_else(|| headline(&measures));
        let ranking = Ranking::new(by, measures, CatalogueFilter::default().datasets(by), Vec::new());
        write_ranking(&ranking, true, &args.words(), &args.output, args.quiet)?;
        return Ok(ExitCode::SUCCESS);
    }
    let results = results(args)?;
    if !results.is_empty() {
        return from_results(args, results);
    }
    let sources = batch::find(&args.paths, args.quiet, args.verbose)?;
    match &sources[..] {
        // The commands of its page would lack the options of its own: it is shown as a list of one.
        [source] if source.options().is_none() => one(args, source),
        _ => many(args, sources),
    }
}

/// Refuses a file name that suggests something other than a page.
pub fn check_name(path: &Path) -> Result<(), Failure> {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        None | Some("html" | "htm" | "xhtml") => Ok(()),
        Some(_) => Err(Failure {
            what: format!("a report is written as HTML, and {} does not end in .html", path.display()),
            help: Some(
                "clmatch score, rank and explain write Markdown with --format markdown -o FILE.md".into(),
            ),
            code: USAGE,
        }),
    }
}

/// The results that the paths hold; empty if they are datasets.
fn results(args: &ReportArgs) -> Result<Vec<ResultFile>, Failure> {
    let mut results = Vec::new();
    for path in args.paths.iter().filter(|path| path.exists()) {
        results.extend(read_result(path)?);
    }
    if !results.is_empty() && results.len() < args.paths.len() {
        return Err(usage("some of these are datasets and some are results"));
    }
    Ok(results)
}

fn usage(what: &str) -> Failure {
    let help = "write one report for each kind of input".to_owned();
    Failure { what: what.to_owned(), help: Some(help), code: USAGE }
}

fn from_results(args: &ReportArgs, mut results: Vec<ResultFile>) -> Result<ExitCode, Failure> {
    let all_scores = results.iter().all(|result| matches!(result, ResultFile::Scores(_)));
    if all_scores {
        let datasets = results.into_iter().flat_map(|result| match result {
            ResultFile::Scores(datasets) => datasets,
            _ => Vec::new(),
        });
        return scores(args, datasets.collect());
    }
    let origin = origin(&args.words());
    let page = match (results.pop(), results.is_empty()) {
        (Some(ResultFile::Truth(found)), true) => truth::page(&found, &origin),
        (Some(ResultFile::Stability(found)), true) => stability::page(&found, &origin),
        (Some(ResultFile::Experiments(found)), true) => lab::page(&found, &origin),
        _ => return Err(usage("several results that are not all rankings do not fit on one page")),
    };
    deliver(page, &args.output, args.quiet)?;
    Ok(ExitCode::SUCCESS)
}

/// Datasets that were scored earlier.
fn scores(args: &ReportArgs, datasets: Vec<Scored>) -> Result<ExitCode, Failure> {
    let ranking = Ranking::of_scored(datasets, args.by)?;
    write_ranking(&ranking, false, &args.words(), &args.output, args.quiet)?;
    Ok(ExitCode::SUCCESS)
}

fn one(args: &ReportArgs, source: &Source) -> Result<ExitCode, Failure> {
    check_place(&args.output, &source.path)?;
    let score = score_settings(args);
    let read = ReadOptions { show: Some(args.show.clone()), ..score.read };
    let settings = ReportSettings {
        score: ScoreSettings { uncertainty: args.uncertainty(), read, ..score },
        seed: args.seed,
        views: ViewSettings::default(),
    };
    let report = work(source, &settings, args.quiet)?;
    let said = report.remarks.iter().filter(|remark| remark.severity == Severity::Warning || !args.quiet);
    said.for_each(emit_remark);
    let place = ActionPlace {
        file: source.path.display().to_string(),
        options: args.input.words(),
        seed: args.seed,
        points: None,
    };
    let commands = place.commands(&report.explained.actions);
    let origin = origin(&args.words());
    let suggested = place.suggested();
    let view =
        dataset::DatasetView { report: &report, commands: &commands, suggested: &suggested, origin: &origin };
    deliver(dataset::page(&view), &args.output, args.quiet)?;
    Ok(ExitCode::SUCCESS)
}

/// Computes a report, with a bar on a terminal.
fn work(source: &Source, settings: &ReportSettings, quiet: bool) -> Result<DatasetReport, Failure> {
    // Five random labellings take about as long as the scores.
    let random = ("random labels", settings.score.uncertainty.permutations as f64 / 5.0);
    let parts = [SCORES, random, NEIGHBOURS, SCORES];
    announce_long(slice::from_ref(source), &settings.score.measures, &parts, SCORES_ALONE, quiet);
    interrupt::watch();
    let phases = Phases::of(source, &settings.score.measures, &parts, quiet);
    let hear = |step: Step<'_>| phases.hear(step);
    Ok(read_and_report(source, settings, Control::new(&interrupt::STOP).with_progress(&hear))?)
}

fn many(args: &ReportArgs, sources: Vec<Source>) -> Result<ExitCode, Failure> {
    for source in &sources {
        check_place(&args.output, &source.path)?;
    }
    let score = score_settings(args);
    let by = args.by.unwrap_or_else(|| headline(&score.measures));
    let settings = RankSettings { score, by, one_by_one: false };
    let (ranking, unfinished) = rank::ranked(sources, settings, None, args.quiet)?;
    write_ranking(&ranking, false, &args.words(), &args.output, args.quiet)?;
    let end = BatchEnd {
        input: &args.input,
        done: "ranked",
        finished: ranking.ranked.len(),
        failed: &ranking.failed,
        unfinished,
        told: false,
        verbose: args.verbose,
        resumable: false,
    };
    end.conclude()
}

fn score_settings(args: &ReportArgs) -> ScoreSettings {
    let measures = args.measures.chosen(args.by);
    ScoreSettings {
        read: args.input.read_options(),
        scale: args.input.scale,
        noise: args.input.noise.clone(),
        singletons: args.input.singletons(),
        ..ScoreSettings::new(measures)
    }
}

fn origin(words: &[String]) -> Origin {
    Origin {
        command: command_line::command(words),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        site: None,
    }
}

/// Writes the page about a ranking; `words` are the command that makes it again.
pub fn write_ranking(
    ranked: &Ranking,
    catalogue: bool,
    words: &[String],
    path: &Path,
    quiet: bool,
) -> Result<(), Failure> {
    let why = |failed: &FailedDataset| {
        let error: &AnalysisError = &failed.error;
        let help = error.advice().map(|advice| format!("; {}", in_words(&advice))).unwrap_or_default();
        (failed.dataset.clone(), format!("{error}{help}"))
    };
    let failed: Vec<(String, String)> = ranked.failed.iter().map(why).collect();
    let (links, origin) = (BTreeMap::new(), origin(words));
    let view =
        ranking::RankingView { ranking: ranked, catalogue, failed: &failed, links: &links, origin: &origin };
    deliver(ranking::page(&view), path, quiet)
}

fn deliver(page: Result<String, PageError>, path: &Path, quiet: bool) -> Result<(), Failure> {
    let page = page.map_err(|error| Failure::other(format!("cannot make the page: {error}")))?;
    output::save(path, &page, quiet)
}
