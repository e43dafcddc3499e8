//! Finished results to HTML pages that stand alone: one file each, without network, for light and dark, screen and paper.
//!
//! A page is a template and finished numbers: [`dataset::page`], [`ranking::page`], [`truth::page`], [`stability::page`] and
//! [`lab::page`] take results of `clmatch-analysis` and return HTML, for a file as for a server; [`site`] has what only a server
//! shows. Nothing is computed here;
//! charts are those of [`crate::charts::page`]. Templates escape everything but [`Markup`], which only charts and this
//! crate's own files become.

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
pub use shell::{Origin, SCRIPT, SITE_SCRIPT, SITE_STYLE, STYLE, Section, SitePlace};
pub use text::sentence;

/// Why there is no page: a template could not be filled in.
pub type PageError = askama::Error;
