//! How data are watched, and what is reported for every window.

use std::time::Duration;

use clmatch_data::Note;
use serde::{Deserialize, Serialize};

use crate::number;
use crate::scoring::ScoreSettings;

/// Names the JSON schema of a [`WatchedWindow`], with its version.
pub const SCHEMA: &str = "clmatch/watch/2";

/// When a window ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowEnd {
    /// After this many rows.
    Rows(usize),
    /// After this much time.
    Time(Duration),
}

/// What windows are compared with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reference {
    /// The first windows that have a score.
    First(usize),
    /// Given bounds of the score.
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
    /// The seed that determines which points the intervals leave out.
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
    /// Classes with too few rows to be scored, which are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Its score; `None` if it cannot be scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<WindowScore>,
    /// Why it has no score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The scores of the reference, once it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<ReferenceInterval>,
    /// Whether it is one of the windows that make up the reference.
    pub is_reference: bool,
    /// Whether it differs from the reference by more than chance, or cannot be scored.
    pub alarm: bool,
    /// Why it raises an alarm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<AlarmCause>,
    /// Why it is not compared with the reference, if by chance too many classes have too few rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_compared: Option<String>,
}

/// Why a window raises an alarm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "what")]
pub enum AlarmCause {
    /// Its score differs from the reference.
    Score,
    /// A class has vanished or turned up: which one, in words.
    Classes(String),
    /// It cannot be scored: why not, in words.
    NoScore(String),
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

/// The scores of the reference: the given bounds, or the range that the 95% intervals of its windows cover.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ReferenceInterval {
    /// The lowest one.
    #[serde(with = "number")]
    pub low: f64,
    /// The highest one.
    #[serde(with = "number")]
    pub high: f64,
}

/// The outcome of a watch that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Watched {
    /// Windows that were reported.
    pub windows: usize,
    /// Windows that were compared with the reference.
    pub compared: usize,
    /// Windows that raised an alarm.
    pub alarms: usize,
    /// Rows at the end that did not fill a window.
    pub rest: usize,
}

/// What the watcher wants after a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoOn {
    /// The next window.
    Yes,
    /// Nothing more.
    No,
}

/// What the watcher is sent.
#[derive(Debug)]
pub enum Heard<'a> {
    /// Notes on the first rows that were read.
    Notes(&'a [Note]),
    /// A window.
    Window(&'a WatchedWindow),
}
