//! The score of data that keep coming: one score per window of rows, and an alarm where it leaves the interval of the
//! reference.
//!
//! A window is scored as a dataset of its own, with a 95% interval for its score. The reference is the first windows, or given.
//! A window raises an alarm when its interval and that of the reference have no score in common: rarer than 1 window in
//! 100 where nothing has changed, because both intervals would have to miss.

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use clmatch::intervals::replicates;
use clmatch::{Classes, Control, DataError, Interval, Labels, Measure, evaluate_with};
use clmatch_data::blocks::{Block, BlockOptions, Blocks, Growth};
use clmatch_data::{Dataset, Note, ReadError};
use serde::{Deserialize, Serialize};

use crate::error::AnalysisError;
use crate::number;
use crate::scoring::ScoreSettings;
use crate::streamed::DEFAULT_MEMORY;

/// The shape of the JSON of a [`WatchedWindow`].
pub const SCHEMA: &str = "clmatch/watch/1";

/// How often a waiting watcher looks whether it is to stop.
const PATIENCE: Duration = Duration::from_millis(50);
/// Rows that decide what the columns are, where windows do not count rows.
const FIRST_ROWS: usize = 100;

/// When a window ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowEnd {
    /// After so many rows.
    Rows(usize),
    /// After so much time.
    Time(Duration),
}

/// What windows are compared with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reference {
    /// The first so many windows that have a score: from the lowest to the highest score that their intervals hold.
    First(usize),
    /// Scores between these.
    Between(f64, f64),
}

/// How data are watched.
#[derive(Debug, Clone)]
pub struct WatchSettings {
    /// How rows are read and scored; only its first measure counts.
    pub score: ScoreSettings,
    /// When a window ends.
    pub window: WindowEnd,
    /// What windows are compared with.
    pub reference: Reference,
    /// Whether to wait for more rows at the end of a file.
    pub follow: bool,
    /// Decides which points intervals leave out.
    pub seed: u64,
}

/// One window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WatchedWindow {
    /// [`SCHEMA`].
    pub schema: String,
    /// The dataset.
    pub dataset: String,
    /// The id of the measure.
    pub measure: String,
    /// Its number, from 1.
    pub window: usize,
    /// Its first row, counted from 1.
    pub first_row: usize,
    /// Rows of the window.
    pub rows: usize,
    /// Seconds since the watch began.
    pub seconds: f64,
    /// Classes in the window.
    pub classes: usize,
    /// Its score; none where it cannot be scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<WindowScore>,
    /// Why it has no score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The interval of the reference, once it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<ReferenceInterval>,
    /// Whether it is one of the windows that make the reference.
    pub is_reference: bool,
    /// Whether its interval and that of the reference have nothing in common.
    pub alarm: bool,
}

/// The score of a window with its 95% interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WindowScore {
    /// The score.
    #[serde(with = "number")]
    pub value: f64,
    /// The lower end of its interval.
    #[serde(with = "number")]
    pub low: f64,
    /// The upper end.
    #[serde(with = "number")]
    pub high: f64,
}

/// The scores of the reference.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ReferenceInterval {
    /// The lowest one.
    #[serde(with = "number")]
    pub low: f64,
    /// The highest one.
    #[serde(with = "number")]
    pub high: f64,
}

/// What came of a watch that ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Watched {
    /// Windows that were told.
    pub windows: usize,
    /// Those that raised an alarm.
    pub alarms: usize,
    /// Rows at the end that made no whole window.
    pub rest: usize,
}

/// What a watcher wants after a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoOn {
    /// The next window.
    Yes,
    /// Nothing more.
    No,
}

/// What a watcher hears.
#[derive(Debug)]
pub enum Heard<'a> {
    /// What was noticed while the first rows were read.
    Notes(&'a [Note]),
    /// A window.
    Window(&'a WatchedWindow),
}

/// Watches data until they end, `control` stops it, or `tell` has heard enough.
///
/// # Errors
/// Rows that cannot be read; what `tell` refuses. A window that cannot be scored is told as such.
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

/// Reads on a thread of its own, which nobody waits for: reading from a pipe cannot be interrupted.
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
            // Nobody listens after the watch.
            if sender.send(sent).is_err() || failed {
                return;
            }
            next = blocks.next_block().transpose().map(|block| block.map(Sent::Rows));
        }
    });
    receiver
}

/// Rows of the window that is being filled, and all that is known of those before.
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
    alarms: usize,
    reference: Vec<WindowScore>,
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
            alarms: 0,
            reference: Vec::new(),
        }
    }

    fn watched(&self) -> Watched {
        Watched { windows: self.windows, alarms: self.alarms, rest: self.labels.len() }
    }

    /// Hears rows until they end or nobody wants more.
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

    /// How many rows the window has, if it is over.
    fn complete(&self, ended: bool) -> Option<usize> {
        match self.settings.window {
            WindowEnd::Rows(rows) => (self.labels.len() >= rows).then_some(rows),
            WindowEnd::Time(time) => {
                let over = ended || self.window_began.elapsed() >= time;
                (over && !self.labels.is_empty()).then_some(self.labels.len())
            }
        }
    }

    /// Scores the first rows as a window, and takes them out.
    fn close(&mut self, rows: usize, control: Control<'_>) -> Result<WatchedWindow, AnalysisError> {
        let rest = self.values.split_off(rows * self.features.len());
        let values = std::mem::replace(&mut self.values, rest);
        let rest = self.labels.split_off(rows);
        let labels = std::mem::replace(&mut self.labels, rest);
        self.window_began = Instant::now();
        let labels = Labels::encode(labels);
        let classes = labels.names().len();
        let scored = self.score(values, labels, control);
        let (score, problem) = match scored {
            Ok(score) => (Some(score), None),
            Err(DataError::Stopped) => return Err(clmatch_stop::Stopped.into()),
            Err(error) => (None, Some(error.to_string())),
        };
        let is_reference = score.is_some() && self.gathers();
        self.reference.extend(score.filter(|_| is_reference));
        let reference = self.reference();
        let apart = |score: WindowScore, reference: ReferenceInterval| {
            score.high < reference.low || score.low > reference.high
        };
        let alarm =
            !is_reference && score.zip(reference).is_some_and(|(score, reference)| apart(score, reference));
        self.windows += 1;
        self.alarms += usize::from(alarm);
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
            score,
            problem,
            reference,
            is_reference,
            alarm,
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
                let low = self.reference.iter().map(|score| score.low).fold(f64::INFINITY, f64::min);
                let high = self.reference.iter().map(|score| score.high).fold(f64::NEG_INFINITY, f64::max);
                Some(ReferenceInterval { low, high })
            }
        }
    }

    fn score(
        &self,
        values: Vec<f64>,
        labels: Labels,
        control: Control<'_>,
    ) -> Result<WindowScore, DataError> {
        let mut dataset = Dataset::new(self.name.clone(), self.features.clone(), values, labels)?;
        let settings = &self.settings.score;
        dataset.scale(settings.scale);
        let noise = settings.noise.as_deref();
        let classes = Classes::with(dataset.points(), dataset.labels(), noise, settings.singletons)?;
        let value = evaluate_with(&classes, &[self.measure], false, control)?.value(self.measure.id);
        let value = value.unwrap_or(f64::NAN);
        let spread = replicates(&classes, &[self.measure], self.settings.seed, control)?;
        let Interval { low, high } =
            spread.first().map_or(Interval { low: value, high: value }, |spread| spread.interval(value));
        Ok(WindowScore { value, low, high })
    }
}
