//! Builds an SVG document step by step.

use std::fmt::{Display, Write};

use crate::charts::text::{Anchor, cut, escape, subscripted, wrapped};

/// Room above the plot, with one line of title in it.
pub(crate) const TOP: f64 = 44.0;
/// Where the title begins, and the margin at the right.
pub(crate) const MARGIN: f64 = 20.0;
/// The base line of the title.
const TITLE: f64 = 24.0;
/// The distance from one line of the title to the next.
const TITLE_STEP: f64 = 20.0;
/// The width of a letter in the title relative to one in other text.
const TITLE_SIZE: f64 = 1.3;

/// The style rules of a standalone picture.
pub(crate) const STYLE: &str = "<style>
text { fill: #222 }
@media (prefers-color-scheme: dark) { text { fill: #ddd } }
.title { font-size: 16px; font-weight: 600 }
.axis { stroke: #888; fill: none }
.grid { stroke: #888; stroke-opacity: .25; fill: none }
.interval { stroke: #222; fill: none }
@media (prefers-color-scheme: dark) { .interval { stroke: #ddd } }
.line { fill: none; stroke-width: 2; stroke-linejoin: round }
</style>
";

/// A place on the page: across and down.
pub(crate) type Place = (f64, f64);

/// An SVG document under construction.
pub(crate) struct Canvas {
    svg: String,
}

impl Canvas {
    /// A page with its title, if it has one. Text is dark, or light if the reader prefers a dark background; the background
    /// itself is left unchanged.
    ///
    /// A long title grows upwards, so that nothing below it moves; without a title its room is cut off.
    pub(crate) fn new(width: f64, height: f64, title: &str) -> Self {
        let lines =
            if title.is_empty() { Vec::new() } else { wrapped(title, (width - 2.0 * MARGIN) / TITLE_SIZE) };
        let above = TITLE_STEP * (lines.len().max(1) - 1) as f64 - if title.is_empty() { TITLE } else { 0.0 };
        let named =
            if title.is_empty() { String::new() } else { format!("<title>{}</title>\n", escape(title)) };
        let mut svg = format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 {:.1} {width:.1} {:.1}" role="img" font-family="system-ui, sans-serif" font-size="13">
{named}{STYLE}"##,
            0.0 - above,
            height + above
        );
        for (at, line) in lines.iter().enumerate() {
            let y = TITLE - above + TITLE_STEP * at as f64;
            let line = escape(line);
            let _ = writeln!(svg, r#"<text class="title" x="{MARGIN}" y="{y:.1}">{line}</text>"#);
        }
        Self { svg }
    }

    /// Adds an element, or the opening or end of one.
    pub(crate) fn add(&mut self, element: impl Display) {
        let _ = writeln!(self.svg, "{element}");
    }

    /// Adds text that is short, or has enough room.
    pub(crate) fn text(&mut self, at: Place, anchor: Anchor, content: &str) {
        self.text_within(at, anchor, f64::INFINITY, content);
    }

    /// Adds text that is cut if it is wider than its room; the whole text is shown under the pointer.
    pub(crate) fn text_within(&mut self, at: Place, anchor: Anchor, width: f64, content: &str) {
        self.turned(at, anchor, 0.0, width, content);
    }

    /// Adds text that is turned clockwise around its place by some degrees.
    pub(crate) fn turned(&mut self, (x, y): Place, anchor: Anchor, degrees: f64, width: f64, content: &str) {
        let shown = cut(content, width);
        let tip = if shown == content { String::new() } else { tip(content) };
        let turn = match degrees {
            0.0 => String::new(),
            _ => format!(r#" transform="rotate({degrees} {x:.1} {y:.1})""#),
        };
        let (anchor, shown) = (anchor.name(), subscripted(&escape(&shown)));
        self.add(format_args!(
            r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}"{turn}>{tip}{shown}</text>"#
        ));
    }

    /// Adds a dot.
    pub(crate) fn dot(&mut self, (x, y): Place, radius: f64, colour: &str) {
        self.add(format_args!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius}" fill="{colour}"/>"#));
    }

    /// Adds a line of a plot, in its colour and dashes.
    pub(crate) fn line(&mut self, path: &str, colour: &str, dash: &str) {
        self.add(format_args!(
            r#"<path class="line" stroke="{colour}" stroke-dasharray="{dash}" d="{path}"/>"#
        ));
    }

    /// The document.
    pub(crate) fn finish(mut self) -> String {
        self.svg.push_str("</svg>\n");
        self.svg
    }
}

/// Text to be shown under the pointer, placed inside an element.
pub(crate) fn tip(text: &str) -> String {
    format!("<title>{}</title>", escape(text))
}

/// The path through places, interrupted where one is missing.
pub(crate) fn path(places: impl IntoIterator<Item = Option<Place>>) -> String {
    let mut path = String::new();
    let mut next = 'M';
    for place in places {
        match place {
            Some((x, y)) => {
                let _ = write!(path, "{next}{x:.1} {y:.1}");
                next = 'L';
            }
            None => next = 'M',
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_title_grows_upwards() {
        let short = Canvas::new(720.0, 440.0, "short").finish();
        assert!(short.contains(r#"viewBox="0 0.0 720.0 440.0""#), "{short}");
        let long = Canvas::new(720.0, 440.0, &"many words ".repeat(12)).finish();
        assert!(long.contains(r#"viewBox="0 -20.0 720.0 460.0""#), "{long}");
        assert!(long.contains(r#"y="4.0">many words"#) && long.contains(r#"y="24.0">"#), "{long}");
    }

    #[test]
    fn without_a_title_its_room_is_cut_off() {
        let bare = Canvas::new(720.0, 440.0, "").finish();
        assert!(bare.contains(r#"viewBox="0 24.0 720.0 416.0""#) && !bare.contains("<title>"), "{bare}");
    }

    #[test]
    fn a_gap_breaks_a_path() {
        let places = [Some((0.0, 1.0)), Some((2.0, 3.0)), None, Some((4.0, 5.0))];
        assert_eq!(path(places), "M0.0 1.0L2.0 3.0M4.0 5.0");
        assert_eq!(path([None]), "");
    }

    #[test]
    fn cut_text_is_whole_under_the_pointer() {
        let mut canvas = Canvas::new(100.0, 100.0, "");
        canvas.text_within((1.0, 2.0), Anchor::Start, 35.0, "a <long> name");
        let svg = canvas.finish();
        assert!(svg.contains("<title>a &lt;long&gt; name</title>a &lt;l…</text>"), "{svg}");
    }
}
