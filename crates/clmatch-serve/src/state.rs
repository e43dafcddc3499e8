//! What all requests share.

use std::sync::Arc;

use clmatch_analysis::catalogued::CatalogueFilter;
use clmatch_analysis::ranking::Ranking;
use clmatch_render::pages::{Origin, Section, SitePlace};

use crate::datasets::DatasetStore;
use crate::jobs::Jobs;
use crate::memory::MemoryAccount;
use crate::settings::ServeSettings;

/// What all requests share.
#[derive(Clone)]
pub(crate) struct App {
    pub(crate) settings: Arc<ServeSettings>,
    pub(crate) datasets: Arc<DatasetStore>,
    pub(crate) jobs: Arc<Jobs>,
    pub(crate) memory: Arc<MemoryAccount>,
}

impl App {
    pub(crate) fn new(mut settings: ServeSettings) -> Self {
        let datasets = DatasetStore::new(std::mem::take(&mut settings.sources));
        App {
            datasets: Arc::new(datasets),
            jobs: Jobs::new(settings.queue, settings.time_limit),
            memory: MemoryAccount::new(settings.memory),
            settings: Arc::new(settings),
        }
    }

    /// The origin that a page of the site states.
    pub(crate) fn origin(&self, section: Section, dataset: Option<String>, command: String) -> Origin {
        site_origin(&self.settings.version, section, dataset, command)
    }
}

/// The origin that a page of the site states.
pub(crate) fn site_origin(
    version: &str,
    section: Section,
    dataset: Option<String>,
    command: String,
) -> Origin {
    Origin { command, version: version.to_owned(), site: Some(SitePlace { section, dataset }) }
}

/// All catalogued datasets by a measure.
pub(crate) fn catalogue(by: &'static clmatch::Measure, measures: Vec<&'static clmatch::Measure>) -> Ranking {
    Ranking::new(by, measures, CatalogueFilter::default().datasets(by), Vec::new())
}
