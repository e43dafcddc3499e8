//! Text that templates insert without escaping.

use std::fmt;

use serde::Serialize;

/// HTML or SVG that is safe: it consists only of numbers and escaped text. Templates escape everything else.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Markup(String);

impl Markup {
    /// A chart of `clmatch-render`, which escapes all names that it shows.
    pub(crate) fn chart(svg: String) -> Self {
        Markup(svg)
    }

    /// HTML that this crate has put together from escaped text.
    pub(crate) fn escaped(html: String) -> Self {
        Markup(html)
    }

    /// A file of this crate: the style or the script.
    pub(crate) fn own(text: &'static str) -> Self {
        Markup(text.to_owned())
    }

    /// Data for the script, to be placed inside a `script` element: it cannot contain the start of a tag.
    pub(crate) fn json(value: &impl Serialize) -> Self {
        let text = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned());
        Markup(
            text.replace('<', "\\u003c")
                .replace('>', "\\u003e")
                .replace('&', "\\u0026")
                .replace('\u{2028}', "\\u2028")
                .replace('\u{2029}', "\\u2029"),
        )
    }
}

impl fmt::Display for Markup {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl askama::filters::HtmlSafe for Markup {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_tag_can_begin_in_data() {
        let hostile = ["</script><script>alert(1)</script>", "<!--", "\u{2028}", "&lt;"];
        let text = Markup::json(&hostile).to_string();
        assert!(!text.contains(['<', '>', '&', '\u{2028}']), "{text}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&text).unwrap(), hostile);
    }
}
