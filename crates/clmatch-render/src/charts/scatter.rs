//! Points in groups.

use crate::charts::canvas::{Canvas, MARGIN, TOP};
use crate::charts::frame::{BELOW, PlotFrame, left_of};
use crate::charts::legend::{Legend, LegendEntry, Sign};
use crate::charts::scale::{AxisSpan, Scale};
use crate::charts::shape::point;

/// The side of a plot whose axes have the same range.
const SIDE: f64 = 420.0;

/// Points of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Its name in the legend.
    pub name: String,
    /// Pairs of x and y; a pair is left out unless both numbers are finite.
    pub points: Vec<(f64, f64)>,
}

/// Points in groups, each with its own colour and, for up to eight groups, its own shape.
#[derive(Debug, Clone, PartialEq)]
pub struct Scatter {
    /// The title above the plot.
    pub title: String,
    /// The name of the x axis, below it.
    pub x: String,
    /// The name of the y axis, beside it.
    pub y: String,
    /// The points.
    pub groups: Vec<Group>,
    /// Whether to draw the line y = x, as far as it is visible.
    pub diagonal: bool,
    /// Whether both axes have the same range and the same length.
    pub square: bool,
}

impl Scatter {
    /// The plot as an SVG document.
    pub fn svg(&self) -> String {
        let (across, up) = self.spans();
        let mut frame = PlotFrame::beside(&up);
        if self.square {
            let left = left_of(&up);
            frame = PlotFrame { left, right: left + SIDE, top: TOP, bottom: TOP + SIDE };
        }
        let (across, up) = (across.laid(frame.left, frame.right), up.laid(frame.bottom, frame.top));
        let legend = Legend::new(&[self.entries()], frame.width() + MARGIN);
        let mut canvas = frame.page(&self.title, BELOW, &legend);
        frame.x_grid(&mut canvas, &across);
        frame.y_axis(&mut canvas, &up, &self.y);
        frame.x_axis(&mut canvas, &across, &self.x);
        if self.diagonal {
            draw_diagonal(&mut canvas, &across, &up);
        }
        for (at, group) in self.groups.iter().enumerate() {
            for &(x, y) in &group.points {
                if let (Some(x), Some(y)) = (across.place(x), up.place(y)) {
                    point(&mut canvas, (x, y), at);
                }
            }
        }
        canvas.finish()
    }

    fn spans(&self) -> (AxisSpan, AxisSpan) {
        let points = || self.groups.iter().flat_map(|group| group.points.iter());
        let (x, y) = (points().map(|point| point.0), points().map(|point| point.1));
        if self.square {
            // Not rounded to ticks: a value slightly below zero would leave a third of the plot empty.
            let both = AxisSpan::tight(x.chain(y), 5);
            (both.clone(), both)
        } else {
            (AxisSpan::round(x, 8), AxisSpan::round(y, 5))
        }
    }

    fn entries(&self) -> Vec<LegendEntry<'_>> {
        let groups = self.groups.iter().enumerate();
        groups.map(|(group, Group { name, .. })| LegendEntry { sign: Sign::Point { group }, name }).collect()
    }
}

/// Draws the part of y = x that both axes show, if there is one.
fn draw_diagonal(canvas: &mut Canvas, across: &Scale, up: &Scale) {
    let ((left, right), (bottom, top)) = (across.ends(), up.ends());
    let (from, to) = (left.max(bottom), right.min(top));
    let ends = [(across.place(from), up.place(from)), (across.place(to), up.place(to))];
    if let ([(Some(x), Some(y)), (Some(to_x), Some(to_y))], true) = (ends, from < to) {
        canvas.add(format_args!(
            r#"<path class="axis" stroke-dasharray="5 4" d="M{x:.1} {y:.1}L{to_x:.1} {to_y:.1}"/>"#
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::svg_check::assert_valid_svg;

    fn scatter(points: Vec<(f64, f64)>) -> Scatter {
        let group = |name: &str, points| Group { name: name.into(), points };
        Scatter {
            title: "a <b> & c".into(),
            x: "x > 0".into(),
            y: "<y>".into(),
            groups: vec![group("first & best", points), group("second", vec![(0.0, 0.5)])],
            diagonal: true,
            square: false,
        }
    }

    #[test]
    fn points_lie_where_the_axes_say() {
        let svg = scatter(vec![(4.0, 1.0), (2.0, 0.0)]).svg();
        assert_valid_svg(&svg);
        // x from 0 to 4 between 64 and 700, y from 0 to 1 between 334 and 44.
        for place in ["translate(700.0 44.0)", "translate(382.0 334.0)", "translate(64.0 189.0)"] {
            assert!(svg.contains(place), "{place} in {svg}");
        }
        // y = x leaves at the top, where x is 1: a quarter of the way.
        assert!(svg.contains(r#"d="M64.0 334.0L223.0 44.0""#), "{svg}");
        assert!(svg.contains("first &amp; best") && svg.contains("&lt;y&gt;") && svg.contains("x &gt; 0"));
    }

    #[test]
    fn a_square_has_one_range() {
        let svg = Scatter { square: true, ..scatter(vec![(4.0, -4.0)]) }.svg();
        // Both from -4, which only y reaches, to 4, which only x reaches: 420 in length from 64, and from 464 up.
        assert!(svg.contains("translate(484.0 464.0)"), "{svg}");
        assert!(svg.contains("translate(274.0 227.8)"), "{svg}");
        assert!(svg.contains(r#"d="M64.0 464.0L484.0 44.0""#), "{svg}");
    }

    #[test]
    fn a_square_starts_at_its_data() {
        let group = Group { name: "one".into(), points: vec![(-0.01, 0.0), (1.0, 1.0)] };
        let svg = Scatter { square: true, groups: vec![group], ..scatter(vec![]) }.svg();
        assert!(!svg.contains("−0.5"), "a little below zero has no tick of its own: {svg}");
    }

    #[test]
    fn the_diagonal_is_left_out_where_it_is_not_wanted_or_not_seen() {
        let dashed = |scatter: Scatter| scatter.svg().contains("stroke-dasharray=\"5 4\"");
        assert!(!dashed(Scatter { diagonal: false, ..scatter(vec![(1.0, 1.0)]) }));
        let apart = Group { name: String::new(), points: vec![(10.0, 1.0), (11.0, 2.0)] };
        assert!(!dashed(Scatter { groups: vec![apart], ..scatter(vec![]) }));
    }

    #[test]
    fn odd_data_give_a_picture_all_the_same() {
        for points in [
            vec![],
            vec![(f64::NAN, 1.0), (1.0, f64::INFINITY)],
            vec![(3.0, 3.0)],
            vec![(-1e308, 1e308), (1e299, -1e299)],
        ] {
            for square in [false, true] {
                assert_valid_svg(&Scatter { square, ..scatter(points.clone()) }.svg());
            }
        }
        assert_valid_svg(&Scatter { groups: vec![], ..scatter(vec![]) }.svg());
    }
}
