//! All points in a plane.

use super::drawing::{SvgDrawing, dots};
use crate::charts::canvas::tip;
use crate::charts::colour::colour;
use crate::charts::scale::AxisSpan;
use crate::charts::text::Anchor;

const WIDTH: f64 = 680.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = 668.0;
const TOP: f64 = 10.0;
const BASE: f64 = 430.0;

/// The points of one class.
#[derive(Debug, Clone, PartialEq)]
pub struct MapGroup {
    /// The text shown under the pointer.
    pub name: String,
    /// The coordinates of the points, across and up.
    pub points: Vec<(f64, f64)>,
}

/// A ring around a point that deserves a remark.
#[derive(Debug, Clone, PartialEq)]
pub struct MapMark {
    /// The text shown under the pointer.
    pub text: String,
    /// The place of the point.
    pub place: (f64, f64),
}

/// All points in a plane, class by class.
#[derive(Debug, Clone, PartialEq)]
pub struct PointMap {
    /// The name of the axis across.
    pub x: String,
    /// The name of the axis up.
    pub y: String,
    /// The classes.
    pub groups: Vec<MapGroup>,
    /// Points that stand out.
    pub marks: Vec<MapMark>,
    /// What the chart shows, in a sentence.
    pub label: String,
}

/// How the points of a group are drawn: the colour, and the shape of the stroke ends. They repeat after 16 groups.
pub(super) fn stroke(group: usize) -> (&'static str, &'static str) {
    (colour(group % 8), ["round", "square"][group / 8 % 2])
}

impl PointMap {
    /// The chart; each class is a path with its place as `data-class`.
    pub fn svg(&self) -> String {
        let points = || self.groups.iter().flat_map(|group| group.points.iter());
        let across = AxisSpan::tight(points().map(|point| point.0), 8).laid(LEFT + 8.0, RIGHT - 8.0);
        let up = AxisSpan::tight(points().map(|point| point.1), 6).laid(BASE - 8.0, TOP + 8.0);
        let mut drawing = SvgDrawing::new(WIDTH, BASE + 42.0, "point-map", &self.label);
        drawing.axis_left(&up, LEFT, RIGHT);
        drawing.axis_below(&across, BASE, LEFT, RIGHT);
        let count = points().count();
        let size = if count > 1500 {
            3.6
        } else if count > 300 {
            5.0
        } else {
            7.0
        };
        drawing.add(format_args!(r#"<g class="groups" stroke-width="{size}" stroke-opacity=".65">"#));
        let place = |point: &(f64, f64)| Some((across.place(point.0)?, up.place(point.1)?));
        for (at, group) in self.groups.iter().enumerate().filter(|(_, group)| !group.points.is_empty()) {
            let (colour, cap) = stroke(at);
            drawing.add(format_args!(
                r#"<path data-class="{at}" d="{}" stroke="{colour}" stroke-linecap="{cap}">{}</path>"#,
                dots(group.points.iter().filter_map(place)),
                tip(&group.name)
            ));
        }
        drawing.add("</g>");
        for mark in &self.marks {
            let Some((x, y)) = place(&mark.place) else { continue };
            drawing.add(format_args!(
                r#"<circle class="mark" cx="{x:.1}" cy="{y:.1}" r="7">{}</circle>"#,
                tip(&mark.text)
            ));
        }
        drawing.text((LEFT + RIGHT) / 2.0, BASE + 35.0, Anchor::Middle, &self.x);
        drawing.name_left((TOP + BASE) / 2.0, &self.y);
        drawing.finish()
    }

    /// The symbol of a class, for a legend.
    pub fn sign(group: usize) -> String {
        let (colour, cap) = stroke(group);
        format!(
            "<svg class=\"sign\" viewBox=\"0 0 12 12\" aria-hidden=\"true\"><path d=\"M6 6h0\" stroke=\"{colour}\" \
             stroke-width=\"9\" stroke-linecap=\"{cap}\"/></svg>\n"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::svg_check::assert_valid_svg;

    fn map(points: Vec<(f64, f64)>) -> PointMap {
        let mark = MapMark { text: "row 7: <looks> like b".into(), place: (1.0, 1.0) };
        PointMap {
            x: "first".into(),
            y: "second".into(),
            groups: vec![
                MapGroup { name: "<a>".into(), points },
                MapGroup { name: "b".into(), points: vec![] },
            ],
            marks: vec![mark],
            label: "points".into(),
        }
    }

    #[test]
    fn points_lie_where_the_axes_say() {
        let svg = map(vec![(0.0, 0.0), (1.0, 1.0)]).svg();
        assert_valid_svg(&svg);
        assert!(svg.contains(r#"d="M54 422h0M660 18h0""#), "{svg}");
        assert!(
            svg.contains(r#"<circle class="mark" cx="660.0" cy="18.0" r="7"><title>row 7: &lt;looks&gt;"#),
            "{svg}"
        );
        // An empty class has no path.
        assert_eq!(svg.matches("data-class").count(), 1);
    }

    #[test]
    fn sixteen_classes_are_drawn_in_sixteen_ways() {
        let all: std::collections::BTreeSet<_> = (0..16).map(stroke).collect();
        assert_eq!(all.len(), 16);
        assert_eq!(stroke(16), stroke(0));
        assert_valid_svg(&PointMap::sign(9));
    }

    #[test]
    fn odd_data_give_a_picture_all_the_same() {
        for points in [vec![], vec![(f64::NAN, 1.0)], vec![(2.0, 2.0); 2000]] {
            assert_valid_svg(&map(points).svg());
        }
    }
}
