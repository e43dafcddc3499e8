//! Two measures against each other.

use super::drawing::SvgDrawing;
use crate::charts::canvas::tip;
use crate::charts::colour::colour;
use crate::charts::scale::AxisSpan;
use crate::charts::text::Anchor;

const SIDE: f64 = 190.0;
const LEFT: f64 = 46.0;
const TOP: f64 = 8.0;

/// A thing with two values.
#[derive(Debug, Clone, PartialEq)]
pub struct RelationPoint {
    /// The text shown under the pointer.
    pub name: String,
    /// Across.
    pub x: f64,
    /// Up.
    pub y: f64,
}

/// A small scatter plot of named things.
#[derive(Debug, Clone, PartialEq)]
pub struct Relation {
    /// The name of the axis across.
    pub x: String,
    /// The name of the axis up.
    pub y: String,
    /// The things.
    pub points: Vec<RelationPoint>,
    /// What the chart shows, in a sentence.
    pub label: String,
}

impl Relation {
    /// The chart.
    pub fn svg(&self) -> String {
        let (right, base) = (LEFT + SIDE, TOP + SIDE);
        let across =
            AxisSpan::round(self.points.iter().map(|point| point.x), 4).laid(LEFT + 4.0, right - 4.0);
        let up = AxisSpan::round(self.points.iter().map(|point| point.y), 4).laid(base - 4.0, TOP + 4.0);
        let mut drawing = SvgDrawing::new(right + 10.0, base + 42.0, "relation", &self.label);
        drawing.axis_left(&up, LEFT, right);
        drawing.axis_below(&across, base, LEFT, right);
        for (at, point) in self.points.iter().enumerate() {
            let (Some(x), Some(y)) = (across.place(point.x), up.place(point.y)) else { continue };
            let what = format!("{}: {} {:.3}, {} {:.3}", point.name, self.x, point.x, self.y, point.y);
            drawing.add(format_args!(
                r#"<circle class="dot" data-at="{at}" cx="{x:.1}" cy="{y:.1}" r="3.2" fill="{}" fill-opacity=".7">{}</circle>"#,
                colour(0),
                tip(&what)
            ));
        }
        drawing.text((LEFT + right) / 2.0, base + 35.0, Anchor::Middle, &self.x);
        drawing.name_left((TOP + base) / 2.0, &self.y);
        drawing.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::svg_check::assert_valid_svg;

    #[test]
    fn things_lie_where_the_axes_say() {
        let point = |x, y| RelationPoint { name: "a&b".into(), x, y };
        let relation = |points| Relation { x: "clm".into(), y: "sc_a".into(), points, label: "both".into() };
        let svg = relation(vec![point(0.0, 0.0), point(1.0, 1.0), point(0.5, 0.25)]).svg();
        assert_valid_svg(&svg);
        assert!(svg.contains(r#"data-at="2" cx="141.0" cy="148.5""#), "{svg}");
        assert!(svg.contains("<title>a&amp;b: clm 0.500, sc_a 0.250</title>"), "{svg}");
        for points in [vec![], vec![point(f64::NAN, 1.0), point(f64::INFINITY, 1e308)]] {
            assert_valid_svg(&relation(points).svg());
        }
    }
}
