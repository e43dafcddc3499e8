//! Two classes along the line that separates them.

use std::fmt::Write;

use super::drawing::{SvgDrawing, dots};
use crate::charts::canvas::tip;
use crate::charts::colour::colour;
use crate::charts::scale::{AxisSpan, Scale};
use crate::charts::text::Anchor;

const WIDTH: f64 = 560.0;
const LEFT: f64 = 20.0;
const RIGHT: f64 = 548.0;
/// Where the two histograms meet.
const MIDDLE: f64 = 66.0;
/// How far a histogram reaches from there.
const REACH: f64 = 40.0;
/// The top edge of the points.
const TOP: f64 = 122.0;
const BASE: f64 = 362.0;

/// One class of a pair.
#[derive(Debug, Clone, PartialEq)]
pub struct PairSide {
    /// Its name.
    pub name: String,
    /// Its points, across and up.
    pub points: Vec<(f64, f64)>,
    /// How many of its points lie in each bin along the line.
    pub counts: Vec<usize>,
}

/// The points of two classes, and the distribution of both along the line between them.
#[derive(Debug, Clone, PartialEq)]
pub struct PairScatter {
    /// Both classes.
    pub sides: [PairSide; 2],
    /// Where the first bin starts, and where the last one ends.
    pub bins: [f64; 2],
    /// The name of the axis along the line.
    pub axis: String,
    /// What the chart shows, in a sentence.
    pub label: String,
}

impl PairScatter {
    /// The chart. The first class is drawn as circles, the second as squares.
    pub fn svg(&self) -> String {
        let points = || self.sides.iter().flat_map(|side| side.points.iter());
        let across =
            AxisSpan::tight(points().map(|point| point.0).chain(self.bins), 6).laid(LEFT + 6.0, RIGHT - 6.0);
        let up = AxisSpan::tight(points().map(|point| point.1), 4).laid(BASE - 6.0, TOP + 6.0);
        let mut drawing = SvgDrawing::new(WIDTH, BASE + 44.0, "pair-scatter", &self.label);
        self.draw_legend(&mut drawing);
        let most = self.sides.iter().flat_map(|side| side.counts.iter().copied()).max().unwrap_or(0).max(1);
        for (at, side) in self.sides.iter().enumerate() {
            self.draw_counts(&mut drawing, at, side, &across, most);
        }
        drawing.add(format_args!(r#"<path class="axis" d="M{LEFT} {MIDDLE}H{RIGHT}"/>"#));
        drawing.add(format_args!(
            r#"<rect class="grid" x="{LEFT}" y="{TOP}" width="{:.0}" height="{:.0}"/>"#,
            RIGHT - LEFT,
            BASE - TOP
        ));
        for (at, side) in self.sides.iter().enumerate() {
            let places =
                side.points.iter().filter_map(|point| Some((across.place(point.0)?, up.place(point.1)?)));
            let cap = ["round", "square"][at];
            drawing.add(format_args!(
                r#"<path d="{}" stroke="{}" stroke-width="{}" stroke-linecap="{cap}" stroke-opacity=".6">{}</path>"#,
                dots(places),
                colour(at),
                [6.5, 5.0][at],
                tip(&side.name)
            ));
        }
        drawing.axis_below(&across, BASE, LEFT, RIGHT);
        drawing.text((LEFT + RIGHT) / 2.0, BASE + 36.0, Anchor::Middle, &self.axis);
        drawing.finish()
    }

    fn draw_legend(&self, drawing: &mut SvgDrawing) {
        let half = (RIGHT - LEFT) / 2.0;
        for (at, side) in self.sides.iter().enumerate() {
            let x = LEFT + half * at as f64;
            let cap = ["round", "square"][at];
            drawing.add(format_args!(
                r#"<path d="M{:.1} 10h0" stroke="{}" stroke-width="9" stroke-linecap="{cap}"/>"#,
                x + 5.0,
                colour(at)
            ));
            let name = format!("{}{}", side.name, [" (above)", " (below)"][at]);
            drawing.text_within(x + 16.0, 14.0, Anchor::Start, half - 20.0, &name);
        }
    }

    /// Draws a histogram: that of the first class stands on the line, that of the second hangs from it.
    fn draw_counts(&self, drawing: &mut SvgDrawing, at: usize, side: &PairSide, across: &Scale, most: usize) {
        let [low, high] = self.bins;
        let step = (high - low) / side.counts.len().max(1) as f64;
        let mut path = String::new();
        for (bin, &count) in side.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let from = low + step * bin as f64;
            let (Some(x), Some(end)) = (across.place(from), across.place(from + step)) else { continue };
            let (width, height) = ((end - x - 0.8).max(1.0), REACH * count as f64 / most as f64);
            let height = if at == 0 { -height } else { height };
            let _ = write!(path, "M{x:.1} {MIDDLE}v{height:.1}h{width:.1}v{:.1}z", -height);
        }
        // All bins are one path, and the name occurs once: a page holds many pairs.
        let (colour, name) = (colour(at), tip(&side.name));
        drawing.add(format_args!(r#"<path d="{path}" fill="{colour}" fill-opacity=".75">{name}</path>"#));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::svg_check::assert_valid_svg;

    fn scatter(points: [Vec<(f64, f64)>; 2]) -> PairScatter {
        let mut sides = points.into_iter().map(|points| PairSide {
            name: "<class> & \"co\"".into(),
            counts: vec![points.len(), 0],
            points,
        });
        PairScatter {
            sides: [sides.next().unwrap(), sides.next().unwrap()],
            bins: [0.0, 4.0],
            axis: "line".into(),
            label: "two classes".into(),
        }
    }

    #[test]
    fn points_and_counts_lie_where_the_axis_says() {
        let svg = scatter([vec![(0.0, 0.0), (2.0, 1.0)], vec![(4.0, 0.5)]]).svg();
        assert_valid_svg(&svg);
        // 0 to 4 between 26 and 542, 0 to 1 between 356 and 128.
        assert!(svg.contains(r#"d="M26 356h0M284 128h0""#) && svg.contains(r#"d="M542 242h0""#), "{svg}");
        assert!(svg.contains(r#"d="M26.0 66v-40.0h257.2v40.0z""#), "{svg}");
        assert!(svg.contains(r#"d="M26.0 66v20.0h257.2v-20.0z""#), "{svg}");
        assert!(svg.contains("&lt;class&gt; &amp; &quot;co&quot; (above)"), "{svg}");
    }

    #[test]
    fn odd_data_give_a_picture_all_the_same() {
        let odd = vec![(f64::NAN, 1.0), (1.0, f64::INFINITY), (1.0, 1.0)];
        for points in [[vec![], vec![]], [odd.clone(), odd]] {
            assert_valid_svg(&scatter(points.clone()).svg());
            assert_valid_svg(&PairScatter { bins: [1.0, 1.0], ..scatter(points) }.svg());
        }
    }
}
