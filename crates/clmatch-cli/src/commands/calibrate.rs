//! `clmatch calibrate JUDGEMENTS`: the growth rates at which scores match judged separability.

use std::path::Path;
use std::process::ExitCode;

use clmatch::Classes;
use clmatch::protocol::Form;
use clmatch_data::{ReadOptions, Scale};
use clmatch_lab::calibrate::transfer::ranged;
use clmatch_lab::calibrate::{FitError, Interval, Judged, Options, fit};
use clmatch_lab::gaussians::{PLANE, Source};
use clmatch_lab::judgements::{self, Judgement, Subject};
use clmatch_lab::variants::{Variant, forms};
use clmatch_report::{Group, Scatter};

use crate::args::CalibrateArgs;
use crate::calibrated::{Calibrated, Rate};
use crate::commands::{bad_table, only_source, read_text};
use crate::export::calibrated as export;
use crate::failure::{BAD_INPUT, Failure, complain};
use crate::output;
use crate::result::SCHEMA;

/// Variants that a plot can tell apart.
const PLOTTED: usize = 8;

pub fn run(args: &CalibrateArgs) -> Result<ExitCode, Failure> {
    if args.low >= args.high {
        let what = format!("growth rates cannot be looked for between {} and {}", args.low, args.high);
        return Err(Failure { what, help: Some("give a smaller --low or a larger --high".into()), code: 2 });
    }
    let variants = if args.variant.is_empty() { ranged() } else { args.variant.clone() };
    let judgements =
        judgements::read(&read_text(&args.file)?).map_err(|error| bad_table(&args.file, &error))?;
    let forms = judgements.iter().map(|one| forms_of(one, args, &variants)).collect::<Result<Vec<_>, _>>()?;
    let options = Options {
        interval: Interval { low: args.low, high: args.high },
        resamples: args.resamples as usize,
        seed: args.seed,
        ..Options::default()
    };
    let (mut rates, mut groups) = (Vec::new(), Vec::new());
    for (at, &variant) in variants.iter().enumerate() {
        let judge =
            |(one, forms): (&Judgement, &Vec<Form>)| Judged { form: forms[at].clone(), score: one.score };
        let judged: Vec<Judged> = judgements.iter().zip(&forms).map(judge).collect();
        let found = fit(&judged, &options).map_err(|error| refused(&error, variant, &judgements, args))?;
        groups.push(Group {
            name: variant.name(),
            points: judged.iter().map(|one| (one.score, one.form.ranged(found.k))).collect(),
        });
        rates.push(Rate::new(variant, &found));
    }
    let calibrated = Calibrated {
        schema: SCHEMA.to_owned(),
        datasets: judgements.len(),
        seed: args.seed,
        variants: rates,
    };
    if let Some(path) = &args.plot {
        if groups.len() > PLOTTED && !args.output.quiet {
            complain(
                "note",
                &format!("the plot shows the first {PLOTTED} variants; choose others with --variant"),
            );
        }
        groups.truncate(PLOTTED);
        output::save(path, &plot(groups).svg(), args.output.quiet)?;
    }
    let text = export::print(&calibrated, args.output.format, output::width(&args.output));
    output::deliver(&text, &args.output)?;
    Ok(ExitCode::SUCCESS)
}

/// What T4 is applied to, for each variant.
fn forms_of(judgement: &Judgement, args: &CalibrateArgs, variants: &[Variant]) -> Result<Vec<Form>, Failure> {
    let refuse = |error: &dyn std::fmt::Display| Failure {
        what: format!("{}: line {}: {error}", args.file.display(), judgement.line),
        help: None,
        code: BAD_INPUT,
    };
    match &judgement.subject {
        Subject::Gaussians(two) => {
            let source = Source { seed: args.seed, number: judgement.line };
            let sample = two.sample(args.points as usize, PLANE, source);
            let classes = sample.classes().map_err(|error| refuse(&error))?;
            forms(&classes, variants).map_err(|error| refuse(&error))
        }
        Subject::Dataset(name) => {
            let folder = args.file.parent().unwrap_or(Path::new(""));
            let source = only_source(&folder.join(name), "judge them one by one")?;
            let mut dataset = clmatch_data::read(&source, &ReadOptions::default())?;
            dataset.scale(Scale::default());
            let points = dataset.points().map_err(|error| refuse(&error))?;
            let classes = Classes::new(points, &dataset.labels).map_err(|error| refuse(&error))?;
            forms(&classes, variants).map_err(|error| refuse(&error))
        }
    }
}

/// A fit that is not possible, with the line of the file where one is to blame.
fn refused(error: &FitError, variant: Variant, judgements: &[Judgement], args: &CalibrateArgs) -> Failure {
    let line = match error {
        FitError::NotFinite { dataset } | FitError::Judgement { dataset, .. } => {
            judgements.get(*dataset).map(|one| format!("line {}: ", one.line))
        }
        _ => None,
    };
    let what = format!("{}: {}{}: {error}", args.file.display(), line.unwrap_or_default(), variant.name());
    Failure { what, help: None, code: BAD_INPUT }
}

fn plot(groups: Vec<Group>) -> Scatter {
    Scatter {
        title: "Fitted scores against judgements".into(),
        x: "judged separability".into(),
        y: "score".into(),
        groups,
        diagonal: true,
        square: true,
    }
}
