//! Compares a window with the reference.

use std::collections::BTreeSet;

use clmatch::intervals::Replicates;
use clmatch::{Control, DataError, Interval};

use super::class_counts::ClassCounts;
use super::{AlarmCause, Reference, ScoredWindow, Watcher};
use crate::error::AnalysisError;

/// Windows are compared only if the classes they share have at least this share of their rows.
const COMPARED: f64 = 0.5;

/// The outcome of comparing a window with the reference.
pub(super) enum WindowComparison {
    Fine,
    Alarm(AlarmCause),
    /// The window cannot be compared: why not.
    Impossible(String),
}

impl Watcher<'_> {
    /// Compares a window with the reference.
    pub(super) fn compare(
        &self,
        scored: Option<&ScoredWindow>,
        problem: Option<&DataError>,
        counts: &ClassCounts,
        control: Control<'_>,
    ) -> Result<WindowComparison, AnalysisError> {
        let bounds = match self.settings.reference {
            Reference::Between(low, high) => Some(Interval { low, high }),
            Reference::First(_) => None,
        };
        if bounds.is_none() {
            if let Some(what) = self.reference_classes.surprise(counts) {
                return Ok(WindowComparison::Alarm(AlarmCause::Classes(what)));
            }
            // A rare class has too few rows, or none, by chance.
            if let Some(
                error @ (DataError::TooFewForInterval { .. }
                | DataError::Singleton { .. }
                | DataError::OneClass { .. }),
            ) = problem
            {
                return Ok(WindowComparison::Impossible(error.to_string()));
            }
        }
        let Some(window) = scored else {
            let what = problem.map(ToString::to_string).unwrap_or_default();
            return Ok(WindowComparison::Alarm(AlarmCause::NoScore(what)));
        };
        let Some(bounds) = bounds else { return self.compare_scores(window, control) };
        let differs = !window.replicates.alarm_interval(window.shown.value).overlaps(bounds);
        Ok(if differs { WindowComparison::Alarm(AlarmCause::Score) } else { WindowComparison::Fine })
    }

    /// Compares the score of a window with the reference, over the classes that all windows have.
    fn compare_scores(
        &self,
        window: &ScoredWindow,
        control: Control<'_>,
    ) -> Result<WindowComparison, AnalysisError> {
        let all = || std::iter::once(window).chain(&self.reference);
        let common: BTreeSet<String> = window
            .classes
            .iter()
            .filter(|class| all().all(|one| one.classes.contains(*class)))
            .cloned()
            .collect();
        let share_of = |one: &ScoredWindow| {
            let labels = &one.rows.labels;
            labels.iter().filter(|label| common.contains(*label)).count() as f64 / labels.len() as f64
        };
        if common.len() < 2 || all().any(|one| share_of(one) < COMPARED) {
            return Ok(WindowComparison::Impossible(format!(
                "{} of {} classes have 4 rows or more both here and in the reference: windows must be larger",
                common.len(),
                self.reference_classes.iter().count()
            )));
        }
        let mut scores = Vec::new();
        for one in all() {
            if one.classes == common {
                scores.push((one.replicates.clone(), one.shown.value));
                continue;
            }
            match self.score(one.rows.clone(), common.clone(), control) {
                Ok(scored) => scores.push((scored.replicates, scored.shown.value)),
                Err(DataError::Stopped) => return Err(clmatch_kernels::Stopped.into()),
                Err(error) => return Ok(WindowComparison::Impossible(error.to_string())),
            }
        }
        let others: Vec<(&Replicates, f64)> =
            scores[1..].iter().map(|(replicates, score)| (replicates, *score)).collect();
        let differs = scores[0].0.differs(scores[0].1, &others);
        Ok(if differs { WindowComparison::Alarm(AlarmCause::Score) } else { WindowComparison::Fine })
    }
}
