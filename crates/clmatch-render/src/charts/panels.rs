//! Small scatter plots side by side, with common axes.

use crate::charts::canvas::{Canvas, Place, TOP};
use crate::charts::colour::colour;
use crate::charts::frame::{BELOW, PlotFrame, left_of};
use crate::charts::legend::{Legend, LegendEntry, Sign};
use crate::charts::scale::{AxisSpan, Scale};
use crate::charts::shape::coloured;
use crate::charts::text::Anchor;

/// The side of a panel.
const SIDE: f64 = 190.0;
/// The gap between panels.
const GAP: f64 = 34.0;
/// Room for the names of the panels.
const NAMES: f64 = 22.0;

/// A point of a panel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PanelPoint {
    /// x and y; the point is left out unless both are above zero.
    pub at: (f64, f64),
    /// The index of its colour.
    pub colour: usize,
    /// The index of its shape.
    pub shape: usize,
}

/// One of the panels.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// The name, above the panel.
    pub name: String,
    /// Its points.
    pub points: Vec<PanelPoint>,
}

/// Square panels with the same logarithmic range on all axes, and the line y = x in each.
#[derive(Debug, Clone, PartialEq)]
pub struct Panels {
    /// The name of the x axes, below them.
    pub x: String,
    /// The name of the y axes, beside the first one.
    pub y: String,
    /// What the colours mean.
    pub colours: Vec<String>,
    /// What the shapes mean.
    pub shapes: Vec<String>,
    /// The panels, from left to right.
    pub panels: Vec<Panel>,
}

impl Panels {
    /// The plots as an SVG document.
    pub fn svg(&self) -> String {
        let points = || self.panels.iter().flat_map(|panel| panel.points.iter());
        let span = AxisSpan::log(points().flat_map(|point| [point.at.0, point.at.1])).by_powers();
        let left = left_of(&span);
        let count = self.panels.len().max(1) as f64;
        let (top, bottom) = (TOP + NAMES, TOP + NAMES + SIDE);
        let whole = PlotFrame { left, right: left + count * (SIDE + GAP) - GAP, top, bottom };
        let legend = Legend::new(&self.entries(), whole.width());
        let mut canvas = whole.page("", BELOW, &legend);
        for (at, panel) in self.panels.iter().enumerate() {
            let from = left + at as f64 * (SIDE + GAP);
            let frame = PlotFrame { left: from, right: from + SIDE, ..whole };
            let (across, up) = (span.clone().laid(from, from + SIDE), span.clone().laid(bottom, top));
            draw(&mut canvas, panel, &frame, (&across, &up), at == 0);
        }
        let middle = f64::midpoint(whole.left, whole.right);
        canvas.text((middle, bottom + 40.0), Anchor::Middle, &self.x);
        canvas.turned((16.0, f64::midpoint(top, bottom)), Anchor::Middle, -90.0, SIDE + TOP, &self.y);
        canvas.finish()
    }

    fn entries(&self) -> [Vec<LegendEntry<'_>>; 2] {
        let colours = self.colours.iter().enumerate();
        let shapes = self.shapes.iter().enumerate();
        [
            colours.map(|(at, name)| LegendEntry { sign: Sign::Area { colour: colour(at) }, name }).collect(),
            shapes.map(|(shape, name)| LegendEntry { sign: Sign::Shape { shape }, name }).collect(),
        ]
    }
}

fn draw(
    canvas: &mut Canvas,
    panel: &Panel,
    frame: &PlotFrame,
    (across, up): (&Scale, &Scale),
    labelled: bool,
) {
    let PlotFrame { left, right, top, bottom } = *frame;
    for (x, label) in across.ticks() {
        canvas.add(format_args!(r#"<path class="grid" d="M{x:.1} {top:.1}V{bottom:.1}"/>"#));
        canvas.text((x, bottom + 19.0), Anchor::Middle, &label);
    }
    for (y, label) in up.ticks() {
        canvas.add(format_args!(r#"<path class="grid" d="M{left:.1} {y:.1}H{right:.1}"/>"#));
        if labelled {
            canvas.text((left - 8.0, y + 4.0), Anchor::End, &label);
        }
    }
    canvas.add(format_args!(
        r#"<path class="axis" d="M{left:.1} {bottom:.1}V{top:.1}H{right:.1}V{bottom:.1}zL{right:.1} {top:.1}"/>"#
    ));
    canvas.text((f64::midpoint(left, right), top - 8.0), Anchor::Middle, &panel.name);
    for point in &panel.points {
        let place: Option<Place> = across.place(point.at.0).zip(up.place(point.at.1));
        if let Some(place) = place {
            coloured(canvas, place, point.shape, colour(point.colour));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::svg_check::assert_valid_svg;

    fn panels(points: &[(f64, f64)]) -> Panels {
        let point = |&at: &(f64, f64)| PanelPoint { at, colour: 1, shape: 2 };
        let panel = Panel { name: "one <protocol>".into(), points: points.iter().map(point).collect() };
        Panels {
            x: "before".into(),
            y: "after".into(),
            colours: vec!["D".into(), "S".into()],
            shapes: vec!["CH".into(), "DI".into(), "II".into()],
            panels: vec![panel.clone(), panel],
        }
    }

    #[test]
    fn points_lie_on_logarithmic_axes_that_all_panels_share() {
        let svg = panels(&[(0.1, 0.001), (0.01, 0.01)]).svg();
        assert_valid_svg(&svg);
        // 0.001 to 0.1 over 190, from 71 on, because the longest label is 0.001: the second point lies in the middle.
        assert!(svg.contains(r#"translate(166.0 161.0)"#), "{svg}");
        assert!(svg.contains(r#"translate(390.0 161.0)"#), "{svg}");
        assert_eq!(svg.matches("one &lt;protocol&gt;").count(), 2);
    }

    #[test]
    fn odd_data_give_a_picture_all_the_same() {
        for points in [&[][..], &[(f64::NAN, 1.0)], &[(0.0, -1.0), (2.0, 2.0)]] {
            assert_valid_svg(&panels(points).svg());
        }
        assert_valid_svg(&Panels { panels: vec![], ..panels(&[]) }.svg());
    }
}
