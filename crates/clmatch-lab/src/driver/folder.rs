//! The folder of results: pages that show the claims of both readings, and the first page that leads to all of them.

use std::fs;
use std::path::{Path, PathBuf};

use clmatch_analysis::AnalysisError;

use super::{LabError, save};
use crate::claims::{self, Claim, Claims};
use crate::findings::{Findings, claims_file, with_claims};
use crate::first_page::{BESIDE, Entry, Page, SECTIONS, first_page};
use crate::reading::Reading;

/// Writes the files first, then the claims and the page that shows them.
pub(super) fn write(findings: &Findings, folder: &Path, provenance: &str) -> Result<PathBuf, LabError> {
    for file in &findings.files {
        save(&folder.join(&file.name), &file.text)?;
    }
    if !findings.claims.is_empty() {
        let name = claims_file(findings.name, findings.reading.unwrap_or_default());
        save(&folder.join(name), &claims::table(&findings.claims))?;
    }
    let page = folder.join(format!("{}.md", findings.stem()));
    save(&page, &format!("{}\n{provenance}", findings.markdown()))?;
    Ok(page)
}

/// Updates all pages and the first page with the claims in the folder.
pub(super) fn refresh(folder: &Path, classifiers: &str) -> Result<(), LabError> {
    let names = SECTIONS.iter().map(|section| section.experiment).chain(BESIDE);
    let entries = names.map(|name| entry(folder, name)).collect::<Result<Vec<Entry>, LabError>>()?;
    save(&folder.join("index.md"), &first_page(&entries, classifiers))
}

/// Rewrites the pages of one experiment with the claims of both readings.
fn entry(folder: &Path, name: &str) -> Result<Entry, LabError> {
    let text = read_claims(folder, name, Reading::Text)?;
    let authors = read_claims(folder, name, Reading::Authors)?;
    let claims = Claims { text: text.unwrap_or_default(), authors };
    let file = |reading: Reading| format!("{}.md", reading.mark(name));
    let mut pages = Vec::new();
    for reading in Reading::ALL {
        let Ok(page) = fs::read_to_string(folder.join(file(reading))) else { continue };
        let other = file(reading.other());
        let other = folder.join(&other).exists().then_some(other);
        let page = with_claims(&page, &claims, other.as_deref());
        save(&folder.join(file(reading)), &page)?;
        pages.push(Page::of(file(reading), &page));
    }
    Ok(Entry { name: name.to_owned(), pages, claims })
}

/// The claims of one reading, if they have been written.
fn read_claims(folder: &Path, name: &str, reading: Reading) -> Result<Option<Vec<Claim>>, LabError> {
    let path = folder.join(claims_file(name, reading));
    let Ok(text) = fs::read_to_string(&path) else { return Ok(None) };
    let claims = claims::read(&text).map_err(|error| AnalysisError::table(&path, error))?;
    Ok(Some(claims))
}
