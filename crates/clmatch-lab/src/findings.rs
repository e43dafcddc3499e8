//! What an experiment leaves behind: raw numbers, figures, and a page that sets them beside the paper's.

/// The finished experiment, ready to be written to a folder.
#[derive(Debug, Clone, PartialEq)]
pub struct Findings {
    /// The name of the experiment, and of its page and files.
    pub name: &'static str,
    /// The title of its page.
    pub title: String,
    /// One sentence for the index.
    pub summary: String,
    /// The page in Markdown, without the title; it shows the figures as `![what](file.svg)`.
    pub page: String,
    /// Raw numbers as CSV and figures as SVG.
    pub files: Vec<File>,
}

/// A file beside the page.
#[derive(Debug, Clone, PartialEq)]
pub struct File {
    /// Its name, which begins with the name of the experiment.
    pub name: String,
    /// What it holds.
    pub text: String,
}

impl Findings {
    /// The whole page: title, text, and the files beside it.
    pub fn markdown(&self) -> String {
        let links: String = self.files.iter().map(|file| format!("* [{0}]({0})\n", file.name)).collect();
        format!("# {}\n\n{}\n\n## Files\n\n{links}", self.title, self.page.trim_end())
    }
}

/// The page that leads to all others.
pub fn index(all: &[Findings]) -> String {
    let lines: String =
        all.iter().map(|one| format!("* [{}]({}.md): {}\n", one.title, one.name, one.summary)).collect();
    format!("# The paper's experiments, computed anew\n\n{lines}")
}
