//! Short pages: a problem, an unfinished job, the addresses of the API.

use askama::Template;

use crate::pages::PageError;
use crate::pages::shell::{Origin, Shell};

/// The content of a short page.
#[derive(Debug, Clone, Default)]
pub struct Notice {
    /// The line above the title.
    pub eyebrow: &'static str,
    /// The title.
    pub title: String,
    /// Sentences below it.
    pub lead: Vec<String>,
    /// The number of the job whose end the page waits for.
    pub follow: Option<u64>,
    /// Commands, each with what it does.
    pub commands: Vec<(String, String)>,
    /// Addresses, each with what it returns.
    pub rows: Vec<(String, String)>,
    /// Links to continue with: addresses and titles.
    pub links: Vec<(String, String)>,
}

#[derive(Template)]
#[template(path = "notice.html")]
struct NoticePage {
    shell: Shell,
    eyebrow: &'static str,
    title: String,
    lead: Vec<String>,
    follow: Option<u64>,
    commands: Vec<(String, String)>,
    rows: Vec<(String, String)>,
    links: Vec<(String, String)>,
}

/// A short page.
///
/// # Errors
/// [`PageError`] if the template cannot be filled in.
pub fn page(notice: Notice, origin: &Origin) -> Result<String, PageError> {
    let Notice { eyebrow, title, lead, follow, commands, rows, links } = notice;
    let shell = Shell::new(title.clone(), origin);
    NoticePage { shell, eyebrow, title, lead, follow, commands, rows, links }.render()
}
