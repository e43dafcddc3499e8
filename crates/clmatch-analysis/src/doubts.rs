//! What makes it doubtful whether a dataset was read as it was meant.

use clmatch_data::{Dataset, Note};
use serde::{Deserialize, Serialize};

/// Guesses of the reader that a verdict must not rest on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReadingDoubts {
    /// The label column, if it was guessed among several that might be it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guessed_label: Option<String>,
    /// Features that may be ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub id_columns: Vec<String>,
}

impl ReadingDoubts {
    /// The doubts about a dataset that was read, from what its reader noted.
    pub fn of(dataset: &Dataset) -> Self {
        let mut doubts = ReadingDoubts::default();
        for note in &dataset.notes {
            match note {
                Note::LabelGuessed { column } => doubts.guessed_label = Some(column.clone()),
                Note::IdLike { column } => doubts.id_columns.push(column.clone()),
                _ => {}
            }
        }
        doubts
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        *self == ReadingDoubts::default()
    }
}
