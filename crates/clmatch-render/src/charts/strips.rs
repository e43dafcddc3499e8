//! Columns of dots, with the best of each highlighted.

use crate::charts::canvas::{Canvas, tip};
use crate::charts::colour::{GREY, colour};
use crate::charts::frame::{BELOW, PlotFrame};
use crate::charts::legend::{Legend, LegendEntry, Sign};
use crate::charts::scale::{AxisSpan, Scale};
use crate::charts::text::{Anchor, width};
use crate::number::significant;

/// Room at both ends of the x axis, so that no dot lies on the edge.
const INSET: f64 = 8.0;
/// The size of a dot among others.
const SMALL: f64 = 2.0;
/// The size of the best dot.
const LARGE: f64 = 3.5;
/// The gap between a dot and its name.
const BESIDE: f64 = 6.0;
/// The height of a name.
const NAME: f64 = 14.0;
/// How many half lines a name may move up or down.
const STEPS: i32 = 12;
/// Significant digits of a value shown under the pointer.
const DIGITS: usize = 4;

/// The dots at one position.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Strip {
    /// The text shown under the pointer.
    pub name: String,
    /// All values.
    pub dots: Vec<f64>,
    /// The value that stands out.
    pub best: f64,
    /// Whether the name is written beside the best dot.
    pub named: bool,
}

/// Where the columns are placed.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Columns {
    /// One after the other, counted from 1.
    #[default]
    InOrder,
    /// At a given number each.
    At {
        /// The numbers, in the order of the columns.
        places: Vec<f64>,
        /// Whether the axis is logarithmic.
        log: bool,
    },
}

/// Columns of grey dots, one after the other, each with its best dot in colour.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Strips {
    /// The title above the plot.
    pub title: String,
    /// The name of the x axis, below it.
    pub x: String,
    /// The name of the y axis, beside it.
    pub y: String,
    /// From left to right.
    pub strips: Vec<Strip>,
    /// Where the columns are placed.
    pub columns: Columns,
    /// Numbers of the columns after which a line is drawn, such as those at the end of each third.
    pub cuts: Vec<usize>,
}

impl Strips {
    /// The plot as an SVG document.
    pub fn svg(&self) -> String {
        let values = self.strips.iter().flat_map(|strip| strip.dots.iter().copied().chain([strip.best]));
        // From the lowest value on: scores a little below 0 need no room down to the next round number.
        let up = AxisSpan::tight(values, 5);
        let frame = PlotFrame::beside(&up);
        let up = up.laid(frame.bottom, frame.top);
        let across = self.across().laid(frame.left + INSET, frame.right - INSET);
        let legend = Legend::new(&[entries()], frame.width());
        let mut canvas = frame.page(&self.title, BELOW, &legend);
        frame.y_axis(&mut canvas, &up, &self.y);
        frame.x_axis(&mut canvas, &across, &self.x);
        for x in self.cuts.iter().filter_map(|&cut| self.cut(cut, &across)) {
            let (top, bottom) = (frame.top, frame.bottom);
            canvas.add(format_args!(
                r#"<path class="axis" stroke-dasharray="4 3" d="M{x:.1} {top:.1}V{bottom:.1}"/>"#
            ));
        }
        for (at, strip) in self.strips.iter().enumerate() {
            if let Some(x) = across.place(self.place(at)) {
                draw_strip(&mut canvas, strip, x, &up);
            }
        }
        self.write_names(&mut canvas, &frame, &across, &up);
        canvas.finish()
    }

    fn across(&self) -> AxisSpan {
        match &self.columns {
            Columns::InOrder => AxisSpan::count(self.strips.len()),
            Columns::At { places, log: true } => AxisSpan::log(places.iter().copied()),
            Columns::At { places, log: false } => AxisSpan::tight(places.iter().copied(), 8),
        }
    }

    fn place(&self, at: usize) -> f64 {
        match &self.columns {
            Columns::InOrder => at as f64 + 1.0,
            Columns::At { places, .. } => places.get(at).copied().unwrap_or(f64::NAN),
        }
    }

    /// The place midway between a column and the next.
    fn cut(&self, after: usize, across: &Scale) -> Option<f64> {
        let before = across.place(self.place(after.checked_sub(1)?))?;
        Some(f64::midpoint(before, across.place(self.place(after))?))
    }

    /// Writes names beside the best dots that have one, on the side with more room, without overlaps.
    fn write_names(&self, canvas: &mut Canvas, frame: &PlotFrame, across: &Scale, up: &Scale) {
        let mut taken: Vec<(f64, f64, f64)> = Vec::new();
        for (at, strip) in self.strips.iter().enumerate().filter(|(_, strip)| strip.named) {
            let (Some(x), Some(best)) = (across.place(self.place(at)), up.place(strip.best)) else {
                continue;
            };
            let right = x < f64::midpoint(frame.left, frame.right);
            let length = width(&strip.name);
            let (from, anchor) =
                if right { (x + BESIDE, Anchor::Start) } else { (x - BESIDE - length, Anchor::End) };
            let free = |y: f64| {
                taken.iter().all(|&(left, other_right, line)| {
                    from > other_right || from + length < left || (y - line).abs() >= NAME
                })
            };
            let steps = (0..STEPS).flat_map(|step| [f64::from(step), -f64::from(step)]);
            let y = steps.map(|step| best + step * NAME / 2.0).find(|&y| free(y)).unwrap_or(best);
            taken.push((from, from + length, y));
            let start = if right { x + BESIDE } else { x - BESIDE };
            canvas.text((start, y + 4.0), anchor, &strip.name);
        }
    }
}

fn entries() -> Vec<LegendEntry<'static>> {
    vec![
        LegendEntry { sign: Sign::Dot { colour: colour(0), radius: LARGE }, name: "best" },
        LegendEntry { sign: Sign::Dot { colour: GREY, radius: SMALL }, name: "all" },
    ]
}

/// Draws a column. Every dot shows the name, and the best one its value as well.
fn draw_strip(canvas: &mut Canvas, strip: &Strip, x: f64, up: &Scale) {
    canvas.add(format_args!(r#"<g fill-opacity=".5">{}"#, tip(&strip.name)));
    for y in strip.dots.iter().filter_map(|value| up.place(*value)) {
        canvas.dot((x, y), SMALL, GREY);
    }
    canvas.add("</g>");
    if let Some(y) = up.place(strip.best) {
        let what = format!("{}: {}", strip.name, significant(strip.best, DIGITS));
        canvas.add(format_args!("<g>{}", tip(&what)));
        canvas.dot((x, y), LARGE, colour(0));
        canvas.add("</g>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::svg_check::assert_valid_svg;

    fn strips(strips: &[(&[f64], f64)]) -> Strips {
        let strip = |&(dots, best): &(&[f64], f64)| Strip {
            name: "d<1> & co".into(),
            dots: dots.to_vec(),
            best,
            named: false,
        };
        Strips {
            title: "a <b> & c".into(),
            x: "rank".into(),
            y: "ari".into(),
            strips: strips.iter().map(strip).collect(),
            ..Strips::default()
        }
    }

    #[test]
    fn dots_lie_where_the_axes_say() {
        let svg = strips(&[(&[0.0, 0.5], 1.0), (&[0.25], 0.5), (&[], 0.0)]).svg();
        assert_valid_svg(&svg);
        // Positions 1 to 3 between 72 and 692, values 0 to 1 between 334 and 44.
        for dot in [
            r##"cx="72.0" cy="334.0" r="2" fill="#888""##,
            r##"cx="72.0" cy="189.0" r="2" fill="#888""##,
            r##"cx="72.0" cy="44.0" r="3.5" fill="#3b82c4""##,
            r##"cx="382.0" cy="261.5" r="2" fill="#888""##,
            r##"cx="692.0" cy="334.0" r="3.5" fill="#3b82c4""##,
        ] {
            assert!(svg.contains(dot), "{dot} in {svg}");
        }
        assert!(svg.contains("<title>d&lt;1&gt; &amp; co: 0.5</title>"), "{svg}");
    }

    #[test]
    fn odd_data_give_a_picture_all_the_same() {
        let odd = [f64::NAN, f64::INFINITY, 1e308, 0.3];
        for data in [&[][..], &[(&[][..], f64::NAN)], &[(&odd[..], 0.5), (&[1.0][..], f64::NAN)]] {
            assert_valid_svg(&strips(data).svg());
        }
    }

    #[test]
    fn columns_may_stand_at_numbers_with_cuts_and_names() {
        let mut plot = strips(&[(&[0.0], 1.0), (&[0.25], 0.5), (&[], 0.5)]);
        plot.columns = Columns::At { places: vec![1.0, 10.0, 100.0], log: true };
        plot.cuts = vec![1, 0, 3];
        plot.strips[1].named = true;
        plot.strips[2].named = true;
        let svg = plot.svg();
        assert_valid_svg(&svg);
        // Powers of ten between 72 and 692; one cut has columns on both sides.
        assert!(svg.contains(r#"d="M227.0 44.0V334.0"/>"#), "{svg}");
        assert_eq!(svg.matches("stroke-dasharray=\"4 3\"").count(), 1);
        // Both names stand to the left of their dots.
        assert!(svg.contains(r#"x="376.0" y="193.0" text-anchor="end">d&lt;1&gt;"#), "{svg}");
        assert!(svg.contains(r#"x="686.0" y="193.0" text-anchor="end">d&lt;1&gt;"#), "{svg}");
    }

    #[test]
    fn a_best_that_is_no_number_has_no_dot() {
        let svg = strips(&[(&[1.0], f64::NAN)]).svg();
        // Only the one of the legend.
        assert_eq!(svg.matches(r#"r="3.5""#).count(), 1);
    }
}
