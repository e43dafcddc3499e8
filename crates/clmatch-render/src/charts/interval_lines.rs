//! Values at named stages in order, with intervals around them.

use crate::charts::canvas::{Canvas, path};
use crate::charts::colour::{colour, late_dash};
use crate::charts::frame::{BELOW, PlotFrame};
use crate::charts::legend::{Legend, LegendEntry, Sign};
use crate::charts::scale::{AxisSpan, Scale};
use crate::charts::text::{Anchor, widest};

/// Room at both ends of the stages.
const INSET: f64 = 30.0;
/// Lines lie this far apart at a stage if there is room, so that their intervals can be told apart.
const BESIDE: f64 = 7.0;
/// Half the width of the ends of an interval.
const END: f64 = 3.0;
/// Names of stages that are wider than their room are turned, and are at most this long.
const LONGEST: f64 = 150.0;
/// The angle by which they are turned.
const TURN: f64 = -35.0;
/// The share of its length by which a turned name reaches downwards.
const DOWN: f64 = 0.58;

/// A value with an interval around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntervalPoint {
    /// The value.
    pub value: f64,
    /// Both ends of its interval, if it has one.
    pub interval: Option<(f64, f64)>,
}

/// One line through the stages.
#[derive(Debug, Clone, PartialEq)]
pub struct IntervalLine {
    /// Its name in the legend.
    pub name: String,
    /// One point for each stage; `None`, or a value that is not finite, leaves a gap.
    pub points: Vec<Option<IntervalPoint>>,
}

/// Lines through stages from left to right, with axes, legend and title.
#[derive(Debug, Clone, PartialEq)]
pub struct IntervalLines {
    /// The title above the plot.
    pub title: String,
    /// The name of the y axis, beside it.
    pub y: String,
    /// The names of the stages.
    pub stages: Vec<String>,
    /// The lines.
    pub lines: Vec<IntervalLine>,
}

impl IntervalLines {
    /// The plot as an SVG document.
    pub fn svg(&self) -> String {
        let up = AxisSpan::round(self.values(), 5);
        let frame = PlotFrame::beside(&up);
        let up = up.laid(frame.bottom, frame.top);
        let entries = self.lines.iter().enumerate().map(|(at, line)| LegendEntry {
            sign: Sign::Line { colour: colour(at), dash: late_dash(at) },
            name: &line.name,
        });
        let legend = Legend::new(&[entries.collect()], frame.width());
        let below =
            if self.turned(&frame) { BELOW + DOWN * self.longest_name() - 19.0 } else { BELOW - 19.0 };
        let mut canvas = frame.page(&self.title, below, &legend);
        frame.y_axis(&mut canvas, &up, &self.y);
        self.write_stages(&mut canvas, &frame);
        for (at, line) in self.lines.iter().enumerate() {
            self.draw(&mut canvas, line, at, &frame, &up);
        }
        canvas.finish()
    }

    /// Everything that must fit on the y axis.
    fn values(&self) -> impl Iterator<Item = f64> {
        let points = self.lines.iter().flat_map(|line| line.points.iter().flatten());
        points.flat_map(|point| {
            let (low, high) = point.interval.unwrap_or((point.value, point.value));
            [point.value, low, high]
        })
    }

    fn count(&self) -> usize {
        let longest = self.lines.iter().map(|line| line.points.len()).fold(0, usize::max);
        longest.max(self.stages.len()).max(1)
    }

    /// The distance from one stage to the next.
    fn step(&self, frame: &PlotFrame) -> f64 {
        (frame.width() - 2.0 * INSET) / (self.count().max(2) - 1) as f64
    }

    fn stage_x(&self, stage: usize, frame: &PlotFrame) -> f64 {
        match self.count() {
            1 => (frame.left + frame.right) / 2.0,
            _ => frame.left + INSET + stage as f64 * self.step(frame),
        }
    }

    fn longest_name(&self) -> f64 {
        widest(self.stages.iter().map(String::as_str)).min(LONGEST)
    }

    /// Whether names are too wide to stand side by side.
    fn turned(&self, frame: &PlotFrame) -> bool {
        widest(self.stages.iter().map(String::as_str)) > self.step(frame) - 8.0
    }

    fn write_stages(&self, canvas: &mut Canvas, frame: &PlotFrame) {
        let bottom = frame.bottom;
        frame.rule(canvas, bottom);
        let turned = self.turned(frame);
        for (stage, name) in self.stages.iter().enumerate() {
            let x = self.stage_x(stage, frame);
            canvas.add(format_args!(r#"<path class="axis" d="M{x:.1} {bottom:.1}v5"/>"#));
            if turned {
                canvas.turned((x + 4.0, bottom + 17.0), Anchor::End, TURN, LONGEST, name);
            } else {
                canvas.text_within((x, bottom + 19.0), Anchor::Middle, self.step(frame) - 8.0, name);
            }
        }
    }

    /// How far a line is shifted from its stage.
    fn beside(&self, at: usize, frame: &PlotFrame) -> f64 {
        let step = BESIDE.min(self.step(frame) / (2.0 * self.lines.len().max(1) as f64));
        step * (at as f64 - (self.lines.len() - 1) as f64 / 2.0)
    }

    fn draw(&self, canvas: &mut Canvas, line: &IntervalLine, at: usize, frame: &PlotFrame, up: &Scale) {
        let beside = self.beside(at, frame);
        let place = |(stage, point): (usize, &Option<IntervalPoint>)| {
            let point = (*point)?;
            Some(((self.stage_x(stage, frame) + beside, up.place(point.value)?), point))
        };
        let places: Vec<_> = line.points.iter().enumerate().map(place).collect();
        canvas.line(&path(places.iter().map(|place| place.map(|(at, _)| at))), colour(at), late_dash(at));
        for ((x, y), point) in places.into_iter().flatten() {
            if let Some((low, high)) = point.interval
                && let (Some(low), Some(high)) = (up.place(low), up.place(high))
            {
                let (left, colour, width) = (x - END, colour(at), 2.0 * END);
                canvas.add(format_args!(
                    r#"<path stroke="{colour}" fill="none" d="M{x:.1} {low:.1}V{high:.1}M{left:.1} {low:.1}h{width}M{left:.1} {high:.1}h{width}"/>"#
                ));
            }
            canvas.dot((x, y), 3.0, colour(at));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::svg_check::assert_valid_svg;

    fn point(value: f64, low: f64, high: f64) -> Option<IntervalPoint> {
        Some(IntervalPoint { value, interval: Some((low, high)) })
    }

    fn plot(stages: &[&str], lines: Vec<Vec<Option<IntervalPoint>>>) -> IntervalLines {
        let line = |(at, points)| IntervalLine { name: format!("line {at}"), points };
        IntervalLines {
            title: "a <b>".into(),
            y: "score".into(),
            stages: stages.iter().map(|&stage| stage.to_owned()).collect(),
            lines: lines.into_iter().enumerate().map(line).collect(),
        }
    }

    #[test]
    fn values_and_intervals_lie_where_the_axis_says() {
        let svg = plot(&["raw", "pca"], vec![vec![point(0.5, 0.0, 1.0), point(1.0, 1.0, 1.0)]]).svg();
        assert_valid_svg(&svg);
        // The axis runs from 334 for 0 up to 44 for 1; stages lie 30 within its ends.
        assert!(svg.contains(r#"d="M94.0 189.0L670.0 44.0""#), "{svg}");
        assert!(svg.contains("M94.0 334.0V44.0M91.0 334.0h6M91.0 44.0h6"), "{svg}");
        for text in [">raw<", ">pca<", ">line 0<", ">0.2<"] {
            assert!(svg.contains(text), "{text}");
        }
    }

    #[test]
    fn lines_lie_side_by_side_and_gaps_stay_gaps() {
        let one = vec![point(0.0, 0.0, 0.0), None, point(1.0, 1.0, 1.0)];
        let other = vec![point(0.0, 0.0, 0.0); 3];
        let svg = plot(&["a", "b", "c"], vec![one, other]).svg();
        assert!(svg.contains(r#"d="M90.5 334.0M666.5 44.0""#), "{svg}");
        assert!(svg.contains(r#"d="M97.5 334.0L385.5 334.0L673.5 334.0""#), "{svg}");
    }

    #[test]
    fn long_names_are_turned() {
        let names: Vec<String> = (0..20).map(|at| format!("transformer layer number {at}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let svg = plot(&names, vec![vec![point(0.5, 0.4, 0.6); 20]]).svg();
        assert_valid_svg(&svg);
        assert_eq!(svg.matches("rotate(-35 ").count(), 20);
    }

    #[test]
    fn odd_data_give_a_picture_all_the_same() {
        for lines in [
            vec![],
            vec![vec![]],
            vec![vec![None]],
            vec![vec![point(f64::NAN, 0.0, 1.0)]],
            vec![vec![point(f64::INFINITY, f64::NEG_INFINITY, f64::NAN), point(1.0, f64::NAN, 2.0)]],
        ] {
            assert_valid_svg(&plot(&[], lines.clone()).svg());
            assert_valid_svg(&plot(&["only <one>"], lines).svg());
        }
    }
}
