//! What all pages share: the style, the script, and the policy that keeps a browser from loading anything.

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::pages::markup::Markup;

/// The style of all pages.
pub const STYLE: &str = include_str!("../../assets/page.css");
/// The script of all pages.
pub const SCRIPT: &str = include_str!("../../assets/page.js");
/// The additional style of the pages of a site.
pub const SITE_STYLE: &str = include_str!("../../assets/site.css");
/// The additional script of the pages of a site.
pub const SITE_SCRIPT: &str = include_str!("../../assets/site.js");
/// The script of the columns of a dataset, which the script of a site needs.
pub const COLUMNS_SCRIPT: &str = include_str!("../../assets/columns.js");

/// Only this script runs, styles and images come from the page itself, and nothing is loaded or sent.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    let digest = STANDARD.encode(Sha256::digest(SCRIPT.as_bytes()));
    format!(
        "default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
         form-action 'none'"
    )
});

/// How a page was made, and where it belongs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origin {
    /// The command that makes the page again.
    pub command: String,
    /// The version of the program.
    pub version: String,
    /// Its place on a site; `None` for a file that stands alone.
    pub site: Option<SitePlace>,
}

/// A place on a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitePlace {
    /// The part of the site.
    pub section: Section,
    /// The id of the dataset that the page is about, if further requests can name it.
    pub dataset: Option<String>,
}

/// The parts of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// The datasets on the server, and the results about them.
    Datasets,
    /// Well-known datasets.
    Catalogue,
    /// A choice of datasets.
    Benchmark,
    /// The description of the API.
    Api,
}

impl Section {
    /// All sections with their addresses and titles.
    pub(crate) const ALL: [(Section, &'static str, &'static str); 4] = [
        (Section::Datasets, "/", "Datasets"),
        (Section::Catalogue, "/catalogue", "Catalogue"),
        (Section::Benchmark, "/benchmark", "Benchmark"),
        (Section::Api, "/api", "API"),
    ];
}

/// The frame of a page.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shell {
    pub(crate) title: String,
    pub(crate) policy: &'static str,
    pub(crate) style: Markup,
    pub(crate) script: Markup,
    pub(crate) origin: Origin,
}

impl Shell {
    /// The parts of the site: address, title, and whether the page belongs to it.
    pub(crate) fn sections(&self) -> Vec<(&'static str, &'static str, bool)> {
        let own = self.origin.site.as_ref().map(|site| site.section);
        Section::ALL.map(|(section, address, title)| (address, title, own == Some(section))).to_vec()
    }

    pub(crate) fn new(title: impl Into<String>, origin: &Origin) -> Self {
        Shell {
            title: title.into(),
            policy: &POLICY,
            style: Markup::own(STYLE),
            script: Markup::own(SCRIPT),
            origin: origin.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn style_and_script_do_not_end_their_elements() {
        assert!(!STYLE.contains("</") && !SCRIPT.contains("</") && !SCRIPT.contains("<!--"));
        assert!(SCRIPT.lines().count() + SITE_SCRIPT.lines().count() < 1000);
        assert!(COLUMNS_SCRIPT.lines().count() < 300);
        for script in [SCRIPT, SITE_SCRIPT, COLUMNS_SCRIPT] {
            assert!(script.starts_with("// @ts-check\n"));
        }
    }

    #[test]
    fn templates_escape_everything() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/templates");
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(!text.contains("safe") && !text.contains("escape"), "{}", path.display());
        }
    }
}
