//! Remarks about a result.

use std::fmt;

use clmatch_data::{Advice, Note, Severity};

/// A sentence about a dataset or a result, with what can be done about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// How important it is.
    pub severity: Severity,
    /// The sentence, without a full stop.
    pub text: String,
    /// What can be done about it.
    pub advice: Option<Advice>,
}

impl Remark {
    /// Something that probably spoils the scores.
    pub fn warning(text: impl Into<String>) -> Self {
        Remark { severity: Severity::Warning, text: text.into(), advice: None }
    }

    /// Something that is good to know.
    pub fn info(text: impl Into<String>) -> Self {
        Remark { severity: Severity::Info, text: text.into(), advice: None }
    }

    /// Whether it probably spoils the scores.
    pub fn is_warning(&self) -> bool {
        self.severity == Severity::Warning
    }

    /// The remark with advice on what can be done about it.
    #[must_use]
    pub fn advise(self, advice: Advice) -> Self {
        Remark { advice: Some(advice), ..self }
    }
}

impl From<&Note> for Remark {
    fn from(note: &Note) -> Self {
        Remark { severity: note.severity(), text: note.to_string(), advice: note.advice() }
    }
}

/// Displayed as the sentence without its advice.
impl fmt::Display for Remark {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}
