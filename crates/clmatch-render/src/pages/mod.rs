//! Turns finished results into HTML pages that stand alone: one file each, without network, for light and dark, screen and paper.
//!
//! A page is a template and finished numbers: [`dataset::page`], [`ranking::page`], [`truth::page`], [`stability::page`] and
//! [`lab::page`] take results of `clmatch-analysis` and return HTML, for a file as well as for a server; [`site`] has the pages
//! that only a server shows. Nothing is computed here; the charts are those of [`crate::charts::page`]. Templates escape
//! everything but [`Markup`], which is made only from charts and this crate's own files.

pub mod command_line;
pub mod dataset;
pub mod lab;
mod markdown;
mod markup;
mod pair_panel;
pub mod plots;
pub mod ranking;
mod shell;
pub mod site;
pub mod stability;
mod table;
mod text;
pub mod truth;

pub use markup::Markup;
pub use shell::{COLUMNS_SCRIPT, Origin, SCRIPT, SITE_SCRIPT, SITE_STYLE, STYLE, Section, SitePlace};
pub use text::sentence;

/// The error if there is no page: a template could not be filled in.
pub type PageError = askama::Error;
