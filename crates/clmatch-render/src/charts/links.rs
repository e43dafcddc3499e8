//! Values before and after, linked by lines.

use crate::charts::canvas::{Canvas, tip};
use crate::charts::colour::{GREY, colour};
use crate::charts::frame::{BELOW, PlotFrame};
use crate::charts::legend::{Legend, LegendEntry, Sign};
use crate::charts::scale::{AxisSpan, Scale};
use crate::number::significant;

/// Room at both ends of the x axis, so that no dot lies on the edge.
const INSET: f64 = 8.0;
/// The size of a dot.
const DOT: f64 = 3.0;
/// Significant digits of a value shown under the pointer.
const DIGITS: usize = 3;

/// One thing at all stages.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// The text shown under the pointer.
    pub name: String,
    /// A value for each stage; one that is not finite is left out.
    pub values: Vec<f64>,
}

/// Columns in which the values of one thing at several stages are linked by a line.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Links {
    /// The title above the plot.
    pub title: String,
    /// Below the x axis, whose positions count from 1.
    pub x: String,
    /// The name of the y axis, beside it.
    pub y: String,
    /// What the colours mean.
    pub stages: Vec<String>,
    /// From left to right.
    pub links: Vec<Link>,
}

impl Links {
    /// The plot as an SVG document.
    pub fn svg(&self) -> String {
        let up = AxisSpan::round(self.links.iter().flat_map(|link| link.values.iter().copied()), 5);
        let frame = PlotFrame::beside(&up);
        let up = up.laid(frame.bottom, frame.top);
        let across = AxisSpan::count(self.links.len()).laid(frame.left + INSET, frame.right - INSET);
        let entries = self.stages.iter().enumerate();
        let entries = entries
            .map(|(at, name)| LegendEntry { sign: Sign::Dot { colour: colour(at), radius: DOT }, name });
        let legend = Legend::new(&[entries.collect()], frame.width());
        let mut canvas = frame.page(&self.title, BELOW, &legend);
        frame.y_axis(&mut canvas, &up, &self.y);
        frame.x_axis(&mut canvas, &across, &self.x);
        for (at, link) in self.links.iter().enumerate() {
            if let Some(x) = across.place(at as f64 + 1.0) {
                draw(&mut canvas, link, x, &up);
            }
        }
        canvas.finish()
    }
}

fn draw(canvas: &mut Canvas, link: &Link, x: f64, up: &Scale) {
    let places: Vec<Option<f64>> = link.values.iter().map(|value| up.place(*value)).collect();
    let (low, high) = places
        .iter()
        .flatten()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &y| (low.min(y), high.max(y)));
    let values: Vec<String> = link.values.iter().map(|value| significant(*value, DIGITS)).collect();
    canvas.add(format_args!("<g>{}", tip(&format!("{}: {}", link.name, values.join(" to ")))));
    if low < high {
        canvas.add(format_args!(
            r#"<path stroke="{GREY}" stroke-opacity=".6" d="M{x:.1} {low:.1}V{high:.1}"/>"#
        ));
    }
    for (at, y) in places.into_iter().enumerate().filter_map(|(at, y)| Some((at, y?))) {
        canvas.dot((x, y), DOT, colour(at));
    }
    canvas.add("</g>");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::svg_check::assert_valid_svg;

    fn links(values: &[&[f64]]) -> Links {
        let link = |values: &&[f64]| Link { name: "<d>".into(), values: values.to_vec() };
        Links {
            x: "rank".into(),
            y: "score".into(),
            stages: vec!["before".into(), "after".into()],
            links: values.iter().map(link).collect(),
            ..Links::default()
        }
    }

    #[test]
    fn before_and_after_are_linked() {
        let svg = links(&[&[0.0, 1.0], &[0.5, 0.5]]).svg();
        assert_valid_svg(&svg);
        // 0 to 1 between 334 and 44, columns at 72 and 692.
        assert!(svg.contains("M72.0 44.0V334.0"), "{svg}");
        assert!(svg.contains(r#"cx="692.0" cy="189.0""#), "{svg}");
        assert!(svg.contains("<title>&lt;d&gt;: 0 to 1</title>") && svg.contains(">after<"), "{svg}");
    }

    #[test]
    fn odd_data_give_a_picture_all_the_same() {
        for values in [&[][..], &[&[][..]], &[&[f64::NAN, 1.0][..], &[f64::INFINITY][..]]] {
            assert_valid_svg(&links(values).svg());
        }
    }
}
