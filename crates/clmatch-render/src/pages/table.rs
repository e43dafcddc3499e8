//! Tables as a page shows them.

use crate::pages::markup::Markup;

/// A table that can be sorted by its columns.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct HtmlTable {
    pub(crate) id: &'static str,
    /// What the table holds, for screen readers.
    pub(crate) caption: String,
    pub(crate) columns: Vec<HtmlColumn>,
    pub(crate) rows: Vec<HtmlRow>,
}

/// A column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HtmlColumn {
    pub(crate) title: String,
    /// The text shown under the pointer.
    pub(crate) hint: String,
    pub(crate) number: bool,
}

/// A row.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct HtmlRow {
    pub(crate) cells: Vec<HtmlCell>,
}

/// A cell.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct HtmlCell {
    pub(crate) text: String,
    /// The sort key, if it is not the text.
    pub(crate) key: String,
    /// A bar beside the text.
    pub(crate) bar: Option<Markup>,
    pub(crate) number: bool,
    /// Whether it is a command or an id, which is set in another font.
    pub(crate) code: bool,
    /// The target of the link on the text.
    pub(crate) link: Option<String>,
}

impl HtmlColumn {
    pub(crate) fn text(title: &str, hint: &str) -> Self {
        HtmlColumn { title: title.to_owned(), hint: hint.to_owned(), number: false }
    }

    pub(crate) fn number(title: &str, hint: &str) -> Self {
        HtmlColumn { number: true, ..HtmlColumn::text(title, hint) }
    }
}

impl HtmlCell {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        HtmlCell { text: text.into(), ..HtmlCell::default() }
    }

    /// A number as people read it, with all of its digits to sort by.
    pub(crate) fn number(value: f64, text: impl Into<String>) -> Self {
        HtmlCell { text: text.into(), key: value.to_string(), number: true, ..HtmlCell::default() }
    }

    pub(crate) fn count(count: usize) -> Self {
        HtmlCell::number(count as f64, crate::pages::text::thousands(count))
    }

    /// A share with a bar.
    pub(crate) fn share(share: f64) -> Self {
        let bar = Some(Markup::chart(crate::charts::page::bar(share)));
        HtmlCell { bar, ..HtmlCell::number(share, crate::pages::text::percent(share)) }
    }

    /// A score with a bar.
    pub(crate) fn score(value: f64) -> Self {
        let bar = Some(Markup::chart(crate::charts::page::bar(value)));
        HtmlCell { bar, ..HtmlCell::number(value, crate::pages::text::three(value)) }
    }

    pub(crate) fn link(text: impl Into<String>, address: Option<String>) -> Self {
        HtmlCell { link: address, ..HtmlCell::text(text) }
    }

    pub(crate) fn code(text: impl Into<String>) -> Self {
        HtmlCell { code: true, ..HtmlCell::text(text) }
    }
}
