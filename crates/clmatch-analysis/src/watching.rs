//! The score of growing data: one score per window of rows, and an alarm where it differs from the reference.
//!
//! A window is scored as a dataset of its own, with a 95% interval for its score. The reference is either the first windows
//! or given. A window raises an alarm
//!
//! * when its score differs from those of the reference by more than chance does in 1 window of 100
//!   ([`Replicates::differs`]), or lies outside the given bounds by as much;
//! * when a class has vanished from it, or has newly appeared, against the same odds. Classes with fewer than four rows are
//!   left out of a score, and windows are compared over the classes that both have;
//! * when it cannot be scored for any other reason.
//!
//! A window is not compared, and says so, if by chance too few classes have enough rows in it and in the reference.
//!
//! `lab/results/interval-coverage.md` counts the alarms on data that did not change.

mod class_counts;
mod comparison;
mod windows;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use clmatch::intervals::{Replicates, replicates};
use clmatch::{Classes, Control, DataError, Interval, Labels, Measure, evaluate_with};
use clmatch_data::blocks::{Block, BlockOptions, Blocks, Growth};
use clmatch_data::{Dataset, Note, ReadError};

use self::class_counts::ClassCounts;
use self::comparison::WindowComparison;
pub use self::windows::{
    AlarmCause, GoOn, Heard, Reference, ReferenceInterval, SCHEMA, WatchSettings, Watched, WatchedWindow,
    WindowEnd, WindowScore,
};
use crate::error::AnalysisError;
use crate::streamed::DEFAULT_MEMORY;

/// How often a waiting watcher checks whether it should stop.
const PATIENCE: Duration = Duration::from_millis(50);
/// How many rows determine the columns, for windows that do not count rows.
const FIRST_ROWS: usize = 100;

/// Watches data until they end, `control` stops it, or `tell` wants nothing more.
///
/// # Errors
/// Rows that cannot be read, and errors of `tell`. A window that cannot be scored is reported as such.
pub fn watch(
    path: PathBuf,
    settings: &WatchSettings,
    control: Control<'_>,
    mut tell: impl FnMut(Heard<'_>) -> Result<GoOn, AnalysisError>,
) -> Result<Watched, AnalysisError> {
    let Some(&measure) = settings.score.measures.first() else {
        return Err(AnalysisError::unfit("no measure is asked for", None));
    };
    let growth = Growth::new();
    let receiver = read_aside(path, settings, &growth);
    let mut watcher = Watcher::new(settings, measure);
    let watched = watcher.run(&receiver, control, &mut tell);
    growth.stop();
    match watched {
        Err(AnalysisError::Stopped(_)) | Ok(()) => Ok(watcher.watched()),
        Err(error) => Err(error),
    }
}

/// What the reader sends.
enum Sent {
    Opened { name: String, features: Vec<String>, notes: Vec<Note> },
    Rows(Block),
}

/// Reads on a thread of its own that is never joined: reading from a pipe cannot be interrupted.
fn read_aside(path: PathBuf, settings: &WatchSettings, growth: &Growth) -> Receiver<Result<Sent, ReadError>> {
    let (sender, receiver) = mpsc::sync_channel(4);
    let live = settings.follow || path.as_os_str() == "-";
    let how = BlockOptions {
        rows: Some(match settings.window {
            WindowEnd::Rows(rows) => rows,
            WindowEnd::Time(_) => 1,
        }),
        first_rows: match settings.window {
            WindowEnd::Rows(rows) => rows,
            WindowEnd::Time(_) => FIRST_ROWS,
        },
        growth: live.then(|| growth.clone()),
        ..BlockOptions::within(settings.score.read.memory_limit.unwrap_or(DEFAULT_MEMORY))
    };
    let read = settings.score.read.clone();
    std::thread::spawn(move || {
        let mut blocks = match Blocks::open(&[path], &read, &how) {
            Ok(blocks) => blocks,
            Err(error) => {
                let _ = sender.send(Err(error));
                return;
            }
        };
        let (name, features) = (blocks.name().to_owned(), blocks.features().to_vec());
        let mut next = Some(Ok(Sent::Opened { name, features, notes: blocks.notes() }));
        while let Some(sent) = next {
            let failed = sent.is_err();
            // The receiver is gone once the watch has ended.
            if sender.send(sent).is_err() || failed {
                return;
            }
            next = blocks.next_block().transpose().map(|block| block.map(Sent::Rows));
        }
    });
    receiver
}

/// The rows of the window that is being filled, and what is known about those before.
struct Watcher<'a> {
    settings: &'a WatchSettings,
    measure: &'static Measure,
    name: String,
    features: Vec<String>,
    values: Vec<f64>,
    labels: Vec<String>,
    began: Instant,
    window_began: Instant,
    windows: usize,
    rows: usize,
    compared: usize,
    alarms: usize,
    /// The windows of the reference, and the rows of their classes.
    reference: Vec<ScoredWindow>,
    reference_classes: ClassCounts,
}

/// The score of a window over some classes, with the replicates of its jackknife.
struct ScoredWindow {
    rows: WindowRows,
    classes: BTreeSet<String>,
    shown: WindowScore,
    replicates: Replicates,
}

/// The rows of a window, which may be scored again over fewer classes.
#[derive(Clone)]
struct WindowRows {
    values: Vec<f64>,
    labels: Vec<String>,
}

impl WindowRows {
    /// The rows of some classes.
    fn of(&self, classes: &BTreeSet<String>) -> WindowRows {
        let features = self.values.len() / self.labels.len().max(1);
        let mut kept = WindowRows { values: Vec::new(), labels: Vec::new() };
        for (row, label) in self.labels.iter().enumerate().filter(|(_, label)| classes.contains(*label)) {
            kept.values.extend_from_slice(&self.values[row * features..(row + 1) * features]);
            kept.labels.push(label.clone());
        }
        kept
    }
}

impl<'a> Watcher<'a> {
    fn new(settings: &'a WatchSettings, measure: &'static Measure) -> Self {
        let now = Instant::now();
        Watcher {
            settings,
            measure,
            name: String::new(),
            features: Vec::new(),
            values: Vec::new(),
            labels: Vec::new(),
            began: now,
            window_began: now,
            windows: 0,
            rows: 0,
            compared: 0,
            alarms: 0,
            reference: Vec::new(),
            reference_classes: ClassCounts::default(),
        }
    }

    fn watched(&self) -> Watched {
        Watched {
            windows: self.windows,
            compared: self.compared,
            alarms: self.alarms,
            rest: self.labels.len(),
        }
    }

    /// Receives rows until they end or no more are wanted.
    fn run(
        &mut self,
        receiver: &Receiver<Result<Sent, ReadError>>,
        control: Control<'_>,
        tell: &mut dyn FnMut(Heard<'_>) -> Result<GoOn, AnalysisError>,
    ) -> Result<(), AnalysisError> {
        loop {
            control.check()?;
            let ended = match receiver.recv_timeout(PATIENCE) {
                Ok(Ok(Sent::Opened { name, features, notes })) => {
                    (self.name, self.features) = (name, features);
                    self.window_began = Instant::now();
                    tell(Heard::Notes(&notes))?;
                    continue;
                }
                Ok(Ok(Sent::Rows(block))) => {
                    self.take(&block);
                    false
                }
                Ok(Err(error)) => return Err(error.into()),
                Err(RecvTimeoutError::Timeout) => false,
                Err(RecvTimeoutError::Disconnected) => true,
            };
            while let Some(rows) = self.complete(ended) {
                let window = self.close(rows, control)?;
                if tell(Heard::Window(&window))? == GoOn::No {
                    return Ok(());
                }
            }
            if ended {
                return Ok(());
            }
        }
    }

    fn take(&mut self, block: &Block) {
        self.values.extend(&block.values);
        self.labels.extend((0..block.labels.len()).map(|row| block.labels.name_of(row).to_owned()));
    }

    /// How many rows the window has, if it is complete.
    fn complete(&self, ended: bool) -> Option<usize> {
        match self.settings.window {
            WindowEnd::Rows(rows) => (self.labels.len() >= rows).then_some(rows),
            WindowEnd::Time(time) => {
                let over = ended || self.window_began.elapsed() >= time;
                (over && !self.labels.is_empty()).then_some(self.labels.len())
            }
        }
    }

    /// Scores the first rows as a window, and removes them.
    fn close(&mut self, rows: usize, control: Control<'_>) -> Result<WatchedWindow, AnalysisError> {
        let rest = self.values.split_off(rows * self.features.len());
        let values = std::mem::replace(&mut self.values, rest);
        let rest = self.labels.split_off(rows);
        let labels = std::mem::replace(&mut self.labels, rest);
        self.window_began = Instant::now();
        let counts = ClassCounts::of(labels.iter().map(String::as_str));
        let classes = counts.iter().count();
        let rows_of_window = WindowRows { values, labels };
        // With fewer than two classes to compare, all of them are scored, so that the error says what is wrong.
        let mut scorable = counts.scorable();
        if scorable.len() < 2 {
            scorable = counts.iter().map(|(class, _)| class.clone()).collect();
        }
        let left_out =
            counts.iter().map(|(class, _)| class.clone()).filter(|class| !scorable.contains(class));
        let left_out: Vec<String> = left_out.collect();
        let (scored, problem) = match self.score(rows_of_window, scorable, control) {
            Ok(scored) => (Some(scored), None),
            Err(DataError::Stopped) => return Err(clmatch_kernels::Stopped.into()),
            Err(error) => (None, Some(error)),
        };
        let gathers = self.gathers();
        let comparison = if gathers {
            WindowComparison::Fine
        } else {
            self.compare(scored.as_ref(), problem.as_ref(), &counts, control)?
        };
        let (cause, not_compared) = match comparison {
            WindowComparison::Fine => (None, None),
            WindowComparison::Alarm(cause) => (Some(cause), None),
            WindowComparison::Impossible(why) => (None, Some(why)),
        };
        let score = scored.as_ref().map(|scored| scored.shown);
        let is_reference = gathers && scored.is_some();
        if let (true, Some(scored)) = (is_reference, scored) {
            self.reference.push(scored);
            self.reference_classes.add(&counts);
        }
        self.windows += 1;
        self.compared += usize::from(!gathers && not_compared.is_none());
        self.alarms += usize::from(cause.is_some());
        let first_row = self.rows + 1;
        self.rows += rows;
        Ok(WatchedWindow {
            schema: SCHEMA.to_owned(),
            dataset: self.name.clone(),
            measure: self.measure.id.to_owned(),
            window: self.windows,
            first_row,
            rows,
            seconds: self.began.elapsed().as_secs_f64(),
            classes,
            left_out,
            score,
            problem: problem.map(|error| error.to_string()),
            reference: self.reference(),
            is_reference,
            alarm: cause.is_some(),
            cause,
            not_compared,
        })
    }

    /// Whether the reference still needs windows.
    fn gathers(&self) -> bool {
        matches!(self.settings.reference, Reference::First(windows) if self.reference.len() < windows)
    }

    /// The reference, once it is complete.
    fn reference(&self) -> Option<ReferenceInterval> {
        match self.settings.reference {
            Reference::Between(low, high) => Some(ReferenceInterval { low, high }),
            Reference::First(_) if self.gathers() => None,
            Reference::First(_) => {
                let scores = || self.reference.iter().map(|window| window.shown);
                let low = scores().map(|score| score.low).fold(f64::INFINITY, f64::min);
                let high = scores().map(|score| score.high).fold(f64::NEG_INFINITY, f64::max);
                Some(ReferenceInterval { low, high })
            }
        }
    }

    fn score(
        &self,
        rows: WindowRows,
        classes: BTreeSet<String>,
        control: Control<'_>,
    ) -> Result<ScoredWindow, DataError> {
        let WindowRows { values, labels } = rows.of(&classes);
        let labels = Labels::encode(labels);
        let mut dataset = Dataset::new(self.name.clone(), self.features.clone(), values, labels)?;
        let settings = &self.settings.score;
        dataset.scale(settings.scale);
        let noise = settings.noise.as_deref();
        let points = Classes::with(dataset.points(), dataset.labels(), noise, settings.singletons)?;
        let value = evaluate_with(&points, &[self.measure], false, control)?.value(self.measure.id);
        let value = value.unwrap_or(f64::NAN);
        let replicates = replicates(&points, &[self.measure], self.settings.seed, control)?.remove(0);
        let Interval { low, high } = replicates.interval(value);
        Ok(ScoredWindow { rows, classes, shown: WindowScore { value, low, high }, replicates })
    }
}
