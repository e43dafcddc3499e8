//! The rectangle of a plot and the axes along it.

use crate::charts::canvas::{Canvas, MARGIN, TOP};
use crate::charts::legend::Legend;
use crate::charts::scale::{AxisSpan, Scale};
use crate::charts::text::{Anchor, width};

/// The width of most pictures.
pub(crate) const WIDTH: f64 = 720.0;
/// The height of most plots, without what surrounds them.
pub(crate) const BODY: f64 = 290.0;
/// Room below a plot for the labels of the ticks and the name of the axis.
pub(crate) const BELOW: f64 = 54.0;
/// Room at the left for the name of the axis and labels of four letters.
const LEFT: f64 = 64.0;
/// The part of this room that the labels leave free.
const BESIDE_LABELS: f64 = 36.0;

/// The rectangle of a plot on its page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PlotFrame {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
}

impl PlotFrame {
    /// The usual rectangle, with as much room at the left as the labels need.
    pub(crate) fn beside(up: &AxisSpan) -> Self {
        Self { left: left_of(up), right: WIDTH - MARGIN, top: TOP, bottom: TOP + BODY }
    }

    /// How wide it is.
    pub(crate) fn width(&self) -> f64 {
        self.right - self.left
    }

    /// The page around the frame, if the axis and its name take `below` underneath, followed by the legend.
    pub(crate) fn page(&self, title: &str, below: f64, legend: &Legend<'_>) -> Canvas {
        let height = self.bottom + below + legend.height() + 6.0;
        let mut canvas = Canvas::new(self.right + MARGIN, height, title);
        legend.draw(&mut canvas, self.left, self.bottom + below);
        canvas
    }

    /// Grid lines with their labels at the left, and the name of the axis beside them.
    pub(crate) fn y_axis(&self, canvas: &mut Canvas, up: &Scale, name: &str) {
        let (left, right) = (self.left, self.right);
        for (y, label) in up.ticks() {
            canvas.add(format_args!(r#"<path class="grid" d="M{left:.1} {y:.1}H{right:.1}"/>"#));
            canvas.text((left - 8.0, y + 4.0), Anchor::End, &label);
        }
        let middle = (self.top + self.bottom) / 2.0;
        canvas.turned((16.0, middle), Anchor::Middle, -90.0, self.bottom - self.top + TOP, name);
    }

    /// The line below the plot, with ticks, labels and the name of the axis.
    pub(crate) fn x_axis(&self, canvas: &mut Canvas, across: &Scale, name: &str) {
        let bottom = self.bottom;
        for (x, label) in across.ticks() {
            canvas.add(format_args!(r#"<path class="axis" d="M{x:.1} {bottom:.1}v5"/>"#));
            canvas.text((x, bottom + 19.0), Anchor::Middle, &label);
        }
        self.rule(canvas, bottom);
        let middle = (self.left + self.right) / 2.0;
        canvas.text_within((middle, bottom + 40.0), Anchor::Middle, self.width(), name);
    }

    /// Grid lines from top to bottom.
    pub(crate) fn x_grid(&self, canvas: &mut Canvas, across: &Scale) {
        let (top, bottom) = (self.top, self.bottom);
        for (x, _) in across.ticks() {
            canvas.add(format_args!(r#"<path class="grid" d="M{x:.1} {top:.1}V{bottom:.1}"/>"#));
        }
    }

    /// A line from left to right.
    pub(crate) fn rule(&self, canvas: &mut Canvas, y: f64) {
        let (left, right) = (self.left, self.right);
        canvas.add(format_args!(r#"<path class="axis" d="M{left:.1} {y:.1}H{right:.1}"/>"#));
    }
}

/// Room at the left for the labels of an axis and its name.
pub(crate) fn left_of(up: &AxisSpan) -> f64 {
    let labels = up.labels().map(|label| width(&label)).fold(0.0, f64::max);
    LEFT.max(BESIDE_LABELS + labels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_labels_get_their_room() {
        assert_eq!(left_of(&AxisSpan::round([0.0, 1.0].into_iter(), 5)), 64.0);
        // The longest label is 200000, of six letters.
        assert_eq!(left_of(&AxisSpan::round([0.0, 200_000.0].into_iter(), 2)), 36.0 + 42.0);
    }
}
