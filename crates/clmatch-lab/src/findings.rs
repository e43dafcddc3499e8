//! The results of an experiment: raw numbers, figures, claims, and a page that compares them with the paper's.

use crate::claims::{Claim, Claims};
use crate::reading::Reading;

/// A finished experiment, ready to be written to a folder.
#[derive(Debug, Clone, PartialEq)]
pub struct Findings {
    /// The name of the experiment; pages and files begin with it.
    pub name: &'static str,
    /// The reading of the paper that it follows; `None` if text and programs agree.
    pub reading: Option<Reading>,
    /// The title of the page.
    pub title: String,
    /// One sentence for the first page.
    pub summary: String,
    /// The paper's claims about it, and whether they hold.
    pub claims: Vec<Claim>,
    /// The page in Markdown, without title, summary and claims; it shows the figures as `![what](file.svg)`.
    pub page: String,
    /// Raw numbers as CSV and figures as SVG.
    pub files: Vec<File>,
}

/// A file that belongs to the page.
#[derive(Debug, Clone, PartialEq)]
pub struct File {
    /// The name of the file, which begins with the name of the experiment.
    pub name: String,
    /// The contents of the file.
    pub text: String,
}

/// The claims of both readings are placed between these lines.
const CLAIMS: [&str; 2] = ["<!-- claims -->", "<!-- end of claims -->"];

impl Findings {
    /// The name of the page without its extension, which is also the name of its claims.
    pub fn stem(&self) -> String {
        self.reading.unwrap_or_default().mark(self.name)
    }

    /// The whole page: title, summary, a place for the claims, text, and links to its files.
    pub fn markdown(&self) -> String {
        let links: String = self.files.iter().map(|file| format!("* [{0}]({0})\n", file.name)).collect();
        let Findings { title, summary, page, .. } = self;
        let reading = self.reading.map_or_else(String::new, |reading| format!(" ({reading})"));
        let [from, to] = CLAIMS;
        format!(
            "# {title}{reading}\n\n{}.\n\n{from}\n{to}\n\n{}\n\n## Files\n\n{links}",
            capitalised(summary),
            page.trim_end()
        )
    }
}

/// The sentence with a capital letter at its beginning.
fn capitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The name of the file with the claims of an experiment in one reading.
pub fn claims_file(name: &str, reading: Reading) -> String {
    format!("{}-claims.csv", reading.mark(name))
}

/// The page with the claims of both readings in the place of its own, and a link to the page of the other reading.
pub fn with_claims(page: &str, claims: &Claims, other: Option<&str>) -> String {
    let [from, to] = CLAIMS;
    let (Some(start), Some(end)) = (page.find(from), page.find(to)) else { return page.to_owned() };
    let link = other.map_or_else(String::new, |page| format!("\n[The other reading]({page})\n"));
    let table = claims.all();
    let heading = if table.is_empty() { "" } else { "\n## The paper, and both readings of it\n\n" };
    format!("{}{from}\n{heading}{table}{link}{}", &page[..start], &page[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(reading: Option<Reading>) -> Findings {
        Findings {
            name: "within",
            reading,
            title: "Within".into(),
            summary: "it holds".into(),
            claims: Vec::new(),
            page: "More.\n".into(),
            files: vec![File { name: "within.csv".into(), text: String::new() }],
        }
    }

    #[test]
    fn claims_are_put_in_their_place_again_and_again() {
        let page = findings(Some(Reading::Authors)).markdown();
        assert!(page.starts_with("# Within (authors' reading)\n\nIt holds.\n\n<!-- claims -->\n"), "{page}");
        let claims =
            Claims { text: vec![Claim::sentence("a", "yes", "b".into(), true)], authors: Some(Vec::new()) };
        let once = with_claims(&page, &claims, Some("within.md"));
        assert!(
            once.contains("| a | yes |  | b | holds |\n\n[The other reading](within.md)\n<!-- end"),
            "{once}"
        );
        assert_eq!(with_claims(&once, &claims, Some("within.md")), once);
        assert_eq!(with_claims(&once, &Claims::default(), None), page);
    }

    #[test]
    fn readings_have_their_own_files() {
        assert_eq!(findings(None).stem(), "within");
        assert_eq!(findings(Some(Reading::Authors)).stem(), "within-authors");
        assert_eq!(claims_file("within", Reading::Authors), "within-authors-claims.csv");
    }
}
