//! Lines over a common axis, with marks for single results.

use crate::charts::canvas::{Canvas, path};
use crate::charts::colour::{colour, dash};
use crate::charts::frame::{BELOW, PlotFrame};
use crate::charts::legend::{Legend, LegendEntry, Sign};
use crate::charts::scale::{AxisSpan, Scale};
use crate::charts::shape::diamond;

/// If x spans more than this factor, the axis is logarithmic.
const WIDE: f64 = 30.0;
/// Room at both ends of the x axis, so that no point lies on the edge.
const INSET: f64 = 12.0;
/// Up to this many points, a line has dots, which can then be told apart.
const DOTS: usize = 40;

/// A line through points, from left to right.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its name in the legend.
    pub name: String,
    /// Pairs of x and y.
    pub points: Vec<(f64, f64)>,
}

/// A single result.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Its name in the legend.
    pub name: String,
    /// x and y.
    pub at: (f64, f64),
    /// The line whose colour it has.
    pub like: usize,
}

/// Lines and marks with axes, legend and title.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LinePlot {
    /// The title above the plot.
    pub title: String,
    /// The name of the x axis, below it.
    pub x: String,
    /// The name of the y axis, beside it.
    pub y: String,
    /// The lines.
    pub lines: Vec<Line>,
    /// The marks.
    pub marks: Vec<Mark>,
    /// Whether both axes are logarithmic; a wide x axis is in any case.
    pub log: bool,
}

impl LinePlot {
    /// The plot as an SVG document.
    pub fn svg(&self) -> String {
        let values = self.places().map(|point| point.1);
        let up = if self.log { AxisSpan::log(values).by_powers() } else { AxisSpan::round(values, 5) };
        let frame = PlotFrame::beside(&up);
        let up = up.laid(frame.bottom, frame.top);
        let across = self.across().laid(frame.left + INSET, frame.right - INSET);
        let legend = Legend::new(&self.entries(), frame.width());
        let mut canvas = frame.page(&self.title, BELOW, &legend);
        frame.y_axis(&mut canvas, &up, &self.y);
        frame.x_axis(&mut canvas, &across, &self.x);
        for (at, line) in self.lines.iter().enumerate() {
            draw_line(&mut canvas, line, at, &across, &up);
        }
        for mark in &self.marks {
            if let (Some(x), Some(y)) = (across.place(mark.at.0), up.place(mark.at.1)) {
                diamond(&mut canvas, (x, y), colour(mark.like));
            }
        }
        canvas.finish()
    }

    fn places(&self) -> impl Iterator<Item = (f64, f64)> {
        let marks = self.marks.iter().map(|mark| mark.at);
        self.lines.iter().flat_map(|line| line.points.iter().copied()).chain(marks)
    }

    /// The x axis, logarithmic if it is wide.
    fn across(&self) -> AxisSpan {
        let values = || self.places().map(|point| point.0);
        let plain = AxisSpan::tight(values(), 8);
        let (low, high) = plain.ends();
        if self.log || (low > 0.0 && high / low > WIDE) { AxisSpan::log(values()) } else { plain }
    }

    /// The legend: the lines, and the marks below them.
    fn entries(&self) -> [Vec<LegendEntry<'_>>; 2] {
        let lines = self.lines.iter().enumerate().map(|(at, line)| LegendEntry {
            sign: Sign::Line { colour: colour(at), dash: dash(at) },
            name: &line.name,
        });
        let marks = self
            .marks
            .iter()
            .map(|mark| LegendEntry { sign: Sign::Diamond { colour: colour(mark.like) }, name: &mark.name });
        [lines.collect(), marks.collect()]
    }
}

fn draw_line(canvas: &mut Canvas, line: &Line, at: usize, across: &Scale, up: &Scale) {
    let places: Vec<(f64, f64)> =
        line.points.iter().filter_map(|&(x, y)| Some((across.place(x)?, up.place(y)?))).collect();
    canvas.line(&path(places.iter().copied().map(Some)), colour(at), dash(at));
    if places.len() <= DOTS {
        places.into_iter().for_each(|place| canvas.dot(place, 2.5, colour(at)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::svg_check::assert_valid_svg;

    fn plot(points: Vec<(f64, f64)>) -> LinePlot {
        LinePlot {
            title: "a <b> & c".into(),
            x: "features".into(),
            y: "ch_a".into(),
            lines: vec![Line { name: "chosen half".into(), points }],
            marks: vec![Mark { name: "found".into(), at: (2.0, 0.5), like: 1 }],
            log: false,
        }
    }

    #[test]
    fn points_lie_where_the_axes_say() {
        let svg = plot(vec![(1.0, 0.0), (3.0, 1.0)]).svg();
        // The first point at the left end of the lowest grid line, the last at the right end of the highest.
        assert!(svg.contains(r#"d="M76.0 334.0L688.0 44.0""#), "{svg}");
        // The mark in the middle of both axes: a diamond in the second colour that begins 7 above it.
        assert!(svg.contains(r##"d="M382.0 182.0l7 7l-7 7l-7 -7z" fill="#d97b29""##), "{svg}");
        assert!(svg.contains("a &lt;b&gt; &amp; c") && !svg.contains("<b>"));
        for tick in [">0<", ">0.2<", ">1<", ">chosen half<", ">found<"] {
            assert!(svg.contains(tick), "{tick}");
        }
    }

    #[test]
    fn logarithms_on_both_axes() {
        let plot = LinePlot { log: true, marks: vec![], ..plot(vec![(1.0, 0.01), (4.0, 0.1), (16.0, 1.0)]) };
        let svg = plot.svg();
        // Ten times as high for four times as wide: a straight line through the middle.
        assert!(svg.contains("L382.0 189.0L"), "{svg}");
    }

    #[test]
    fn odd_data_give_a_picture_all_the_same() {
        for points in [vec![], vec![(1.0, 0.3)], vec![(1.0, f64::NAN), (5000.0, 0.2)], vec![(4.0, 0.1); 3]] {
            let svg = plot(points).svg();
            assert_valid_svg(&svg);
        }
        let mut odd = plot(vec![(1.0, 0.5)]);
        odd.marks[0].at = (f64::NAN, f64::INFINITY);
        assert_valid_svg(&odd.svg());
    }
}
