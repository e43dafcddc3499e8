//! Builds an SVG element step by step.

use std::fmt::{Display, Write};

use crate::charts::canvas::tip;
use crate::charts::scale::Scale;
use crate::charts::text::{Anchor, cut, escape};

/// An SVG element under construction. Text and lines have the colour of the page's text.
pub(super) struct SvgDrawing {
    svg: String,
}

impl SvgDrawing {
    /// `label` describes the drawing for those who cannot see it; `kind` is a class for the page's style and script.
    pub(super) fn new(width: f64, height: f64, kind: &str, label: &str) -> Self {
        SvgDrawing {
            svg: format!(
                "<svg class=\"chart {kind}\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
                 role=\"img\" aria-label=\"{}\" font-size=\"12\">\n",
                escape(label)
            ),
        }
    }

    /// Adds an element, or the opening or end of one.
    pub(super) fn add(&mut self, element: impl Display) {
        let _ = writeln!(self.svg, "{element}");
    }

    /// Adds text without cutting it.
    pub(super) fn text(&mut self, x: f64, y: f64, anchor: Anchor, content: &str) {
        self.text_within(x, y, anchor, f64::INFINITY, content);
    }

    /// Adds text that is cut if it is wider than its room; the whole text is shown under the pointer.
    pub(super) fn text_within(&mut self, x: f64, y: f64, anchor: Anchor, room: f64, content: &str) {
        let shown = cut(content, room);
        let whole = if shown == content { String::new() } else { tip(content) };
        let (anchor, shown) = (anchor.name(), escape(&shown));
        self.add(format_args!(r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{whole}{shown}</text>"#));
    }

    /// A horizontal axis: a line with ticks and their labels below.
    pub(super) fn axis_below(&mut self, across: &Scale, y: f64, from: f64, to: f64) {
        self.add(format_args!(r#"<path class="axis" d="M{from:.1} {y:.1}H{to:.1}"/>"#));
        for (x, label) in across.ticks() {
            self.add(format_args!(r#"<path class="axis" d="M{x:.1} {y:.1}v4"/>"#));
            self.text(x, y + 17.0, Anchor::Middle, &label);
        }
    }

    /// Horizontal grid lines with their labels at the left.
    pub(super) fn axis_left(&mut self, up: &Scale, left: f64, right: f64) {
        for (y, label) in up.ticks() {
            self.add(format_args!(r#"<path class="grid" d="M{left:.1} {y:.1}H{right:.1}"/>"#));
            self.text(left - 7.0, y + 4.0, Anchor::End, &label);
        }
    }

    /// The name of a vertical axis, turned, at the left edge.
    pub(super) fn name_left(&mut self, middle: f64, name: &str) {
        let name = escape(name);
        self.add(format_args!(
            r#"<text x="12" y="{middle:.1}" text-anchor="middle" transform="rotate(-90 12 {middle:.1})">{name}</text>"#
        ));
    }

    pub(super) fn finish(mut self) -> String {
        self.svg.push_str("</svg>\n");
        self.svg
    }
}

/// A path of many dots: each is drawn as wide as the line, as a disc with round line ends, as a square with square ones.
pub(super) fn dots(places: impl IntoIterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (x, y) in places {
        let _ = write!(path, "M{} {}h0", short(x), short(y));
    }
    path
}

/// One decimal, or none if it is 0.
fn short(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_short() {
        assert_eq!(dots([(1.0, 2.26), (-0.5, 30.0)]), "M1 2.3h0M-0.5 30h0");
    }
}
