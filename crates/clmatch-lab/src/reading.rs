//! The two ways to read the paper: what its text says, and what its authors' programs do.

use std::fmt;

/// A reading of the paper, which an experiment follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Reading {
    /// What the paper says.
    #[default]
    Text,
    /// What the programs of its authors compute, where they differ from the text.
    Authors,
}

impl Reading {
    /// Both readings.
    pub const ALL: [Reading; 2] = [Reading::Text, Reading::Authors];

    /// The word for the reading in commands.
    pub const fn id(self) -> &'static str {
        match self {
            Reading::Text => "text",
            Reading::Authors => "authors",
        }
    }

    /// The other reading.
    #[must_use]
    pub const fn other(self) -> Reading {
        match self {
            Reading::Text => Reading::Authors,
            Reading::Authors => Reading::Text,
        }
    }

    /// The name of an experiment's files in this reading: those of the text reading have no mark.
    pub fn mark(self, name: &str) -> String {
        match self {
            Reading::Text => name.to_owned(),
            Reading::Authors => format!("{name}-authors"),
        }
    }
}

impl fmt::Display for Reading {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Reading::Text => "text reading",
            Reading::Authors => "authors' reading",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_text_have_no_mark() {
        assert_eq!(Reading::ALL.map(|reading| reading.mark("within")), ["within", "within-authors"]);
        assert_eq!(Reading::ALL.map(Reading::other), [Reading::Authors, Reading::Text]);
        assert_eq!(Reading::Authors.to_string(), "authors' reading");
    }
}
