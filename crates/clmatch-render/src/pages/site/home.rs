//! The datasets of the server, and the results so far.

use askama::Template;

use crate::pages::PageError;
use crate::pages::shell::{Origin, Shell};

/// A dataset in the list.
#[derive(Debug, Clone, Default)]
pub struct DatasetRow {
    /// Its name in requests.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// What the dataset shows, if that is known.
    pub about: String,
    /// Where it comes from.
    pub origin: &'static str,
    /// How large it is, in words.
    pub size: String,
    /// The last result about it.
    pub result: Option<ResultLink>,
}

/// A result in a list.
#[derive(Debug, Clone)]
pub struct ResultLink {
    /// Its page.
    pub address: String,
    /// The title of the result.
    pub title: String,
    /// Its state: queued, running, done, failed, cancelled.
    pub state: &'static str,
}

/// The content of the first page.
#[derive(Debug, Clone)]
pub struct HomeView {
    /// All datasets.
    pub datasets: Vec<DatasetRow>,
    /// The results so far, newest first.
    pub results: Vec<ResultLink>,
    /// The largest file, in words.
    pub largest: String,
    /// The largest file, in bytes.
    pub largest_bytes: u64,
}

#[derive(Template)]
#[template(path = "home.html")]
struct HomePage<'a> {
    shell: Shell,
    view: &'a HomeView,
}

/// The first page.
///
/// # Errors
/// [`PageError`] if the template cannot be filled in.
pub fn home_page(view: &HomeView, origin: &Origin) -> Result<String, PageError> {
    HomePage { shell: Shell::new("Datasets: do the labels match the clusters?", origin), view }.render()
}

/// The content of the page of a dataset.
#[derive(Debug, Clone)]
pub struct HeldView {
    /// Its name in requests.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// Where it comes from.
    pub origin: &'static str,
    /// How large it is, in words.
    pub size: String,
    /// Whether to wait until its columns are asked for, since it takes long to read.
    pub is_large: bool,
    /// Whether it is an upload, which can be forgotten.
    pub can_forget: bool,
    /// The results about it, newest first.
    pub results: Vec<ResultLink>,
}

#[derive(Template)]
#[template(path = "held_dataset.html")]
struct HeldPage<'a> {
    shell: Shell,
    view: &'a HeldView,
}

/// The page of a dataset that the server holds.
///
/// # Errors
/// [`PageError`] if the template cannot be filled in.
pub fn held_page(view: &HeldView, origin: &Origin) -> Result<String, PageError> {
    HeldPage { shell: Shell::new(view.name.clone(), origin), view }.render()
}
