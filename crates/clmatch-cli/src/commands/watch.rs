//! `clmatch watch FILE`: the score of growing data.

use std::process::ExitCode;

use clmatch_analysis::AnalysisError;
use clmatch_analysis::Remark;
use clmatch_analysis::scoring::ScoreSettings;
use clmatch_analysis::uncertainty::UncertaintySettings;
use clmatch_analysis::watching::{GoOn, Heard, WatchSettings, WatchedWindow, watch};
use clmatch_data::Severity;
use clmatch_kernels::Control;

use crate::args::{WatchArgs, WatchFormat};
use crate::commands::use_threads;
use crate::export::{number::counted, watched};
use crate::failure::{Failure, INTERRUPTED, MISSED, emit, emit_remark};
use crate::interrupt;
use crate::output;

pub fn run(args: &WatchArgs) -> Result<ExitCode, Failure> {
    use_threads(args.threads)?;
    let settings = WatchSettings {
        score: ScoreSettings {
            read: args.input.read_options(),
            scale: args.input.scale,
            noise: args.input.noise.clone(),
            singletons: args.input.singletons(),
            uncertainty: UncertaintySettings::default(),
            ..ScoreSettings::new(vec![args.by])
        },
        window: args.window_end(),
        reference: args.chosen_reference(),
        follow: !args.once,
        seed: args.seed,
    };
    interrupt::watch_keeping();
    let mut failed = None;
    let tell = |heard: Heard<'_>| -> Result<GoOn, AnalysisError> {
        match heard {
            Heard::Notes(notes) => {
                let remarks = notes.iter().map(Remark::from);
                let wanted = |remark: &Remark| !args.quiet || remark.severity == Severity::Warning;
                remarks.filter(wanted).for_each(|remark| emit_remark(&remark));
                Ok(GoOn::Yes)
            }
            Heard::Window(window) => {
                failed = show(window, args).err();
                let enough = failed.is_some() || (window.alarm && args.fail_on_alarm);
                Ok(if enough { GoOn::No } else { GoOn::Yes })
            }
        }
    };
    let watched = watch(args.file.clone(), &settings, Control::new(&interrupt::STOP), tell)?;
    if let Some(failure) = failed {
        return Err(failure);
    }
    if watched.rest > 0 && !args.quiet {
        emit("note", &format!("the last {} made no whole window", counted(watched.rest, "row")));
    }
    let uncompared = watched.compared == 0;
    if uncompared && args.fail_on_alarm {
        emit("alarm", "no window could be compared with a reference");
    }
    if (watched.alarms > 0 || uncompared) && args.fail_on_alarm {
        return Ok(ExitCode::from(MISSED));
    }
    Ok(ExitCode::from(if interrupt::pressed() { INTERRUPTED } else { 0 }))
}

/// Prints a window at once, and an alarm with it.
fn show(window: &WatchedWindow, args: &WatchArgs) -> Result<(), Failure> {
    match args.format {
        WatchFormat::Json => output::print_data(&watched::json(window))?,
        WatchFormat::Table => output::print(&watched::line(window, args.by))?,
    }
    if let Some(cause) = &window.cause {
        emit("alarm", &watched::alarm(window, cause, args.by));
    }
    Ok(())
}
