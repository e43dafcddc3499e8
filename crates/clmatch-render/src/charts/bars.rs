//! Bars in groups.

use crate::charts::canvas::{Canvas, tip};
use crate::charts::colour::colour;
use crate::charts::frame::PlotFrame;
use crate::charts::legend::{Legend, LegendEntry, Sign};
use crate::charts::scale::{AxisSpan, Scale};
use crate::charts::shape::diamond;
use crate::charts::text::{Anchor, widest, width};
use crate::number::significant;

/// The share of a group's room that its bars take.
const FILLED: f64 = 0.8;
/// The largest width of a bar.
const WIDEST: f64 = 48.0;
/// If groups were closer than this, their names would overlap.
const NARROWEST: f64 = 20.0;
/// A bar narrower than this, including the gap beside it, is hardly visible.
const THINNEST: f64 = 6.0;
/// The longest a slanting name can be.
const LONGEST: f64 = 180.0;
/// Degrees that long names slant.
const SLANT: f64 = 50.0;
/// Half the width of the ends of an interval.
const END: f64 = 3.0;
/// The colour of marks, which no series has.
const MARK: &str = "#cf4f5f";
/// Significant digits of a value shown under the pointer.
const DIGITS: usize = 6;

/// Bars of one colour, one for each group.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// The heights, in the order of the groups; `None` leaves a gap.
    pub values: Vec<Option<f64>>,
    /// The intervals around them, in the same order; bars without one get none.
    pub intervals: Vec<Option<(f64, f64)>>,
    /// Its colour, if it is not that of its place.
    pub colour: Option<usize>,
}

impl Series {
    fn colour(&self, place: usize) -> &'static str {
        colour(self.colour.unwrap_or(place))
    }
}

/// Vertical bars in groups; those of negative values hang below zero.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bars {
    /// The title above the plot.
    pub title: String,
    /// The name of the y axis, beside it.
    pub y: String,
    /// The names of the groups, below them.
    pub names: Vec<String>,
    /// The bars; there is a legend if there are several series.
    pub series: Vec<Series>,
    /// Values to compare the bars with, as a diamond in the middle of each group.
    pub marks: Option<Series>,
    /// The range that the y axis includes at least, so that several plots can be compared.
    pub range: Option<(f64, f64)>,
}

impl Bars {
    /// The plot as an SVG document.
    pub fn svg(&self) -> String {
        let up = AxisSpan::round(self.values().chain([0.0]), 5);
        let mut frame = PlotFrame::beside(&up);
        let narrowest = NARROWEST.max(self.series.len() as f64 * THINNEST);
        frame.right = frame.right.max(frame.left + self.groups() as f64 * narrowest);
        let slants = widest(self.names.iter().map(String::as_str)) + 8.0 > self.slot(&frame);
        let below = if slants { 24.0 + self.longest() * SLANT.to_radians().sin() } else { 32.0 };
        if slants {
            frame.left = frame.left.max(self.left_of_names(&frame));
        }
        let up = up.laid(frame.bottom, frame.top);
        let legend = Legend::new(&[self.entries()], frame.width());
        let mut canvas = frame.page(&self.title, below, &legend);
        frame.y_axis(&mut canvas, &up, &self.y);
        for group in 0..self.groups() {
            self.draw_group(&mut canvas, group, &frame, &up);
        }
        self.draw_marks(&mut canvas, &frame, &up);
        self.write_names(&mut canvas, &frame, slants);
        frame.rule(&mut canvas, up.place(0.0).unwrap_or(frame.bottom));
        canvas.finish()
    }

    /// Everything that must fit on the y axis.
    fn values(&self) -> impl Iterator<Item = f64> {
        let all = self.series.iter().chain(&self.marks);
        let drawn = all.flat_map(|series| {
            let ends = series.intervals.iter().flatten().flat_map(|&(low, high)| [low, high]);
            series.values.iter().flatten().copied().chain(ends)
        });
        drawn.chain(self.range.into_iter().flat_map(|(low, high)| [low, high]))
    }

    /// The number of groups: as many as have a name or a bar.
    fn groups(&self) -> usize {
        self.series.iter().map(|series| series.values.len()).fold(self.names.len(), usize::max)
    }

    /// The width of a group's room.
    fn slot(&self, frame: &PlotFrame) -> f64 {
        frame.width() / self.groups().max(1) as f64
    }

    /// The length of the longest name when names slant.
    fn longest(&self) -> f64 {
        widest(self.names.iter().map(String::as_str)).min(LONGEST)
    }

    /// The room at the left that the first names need, because they slant out of the plot.
    fn left_of_names(&self, frame: &PlotFrame) -> f64 {
        // A name takes no more than this, so groups are never closer.
        let slot = (frame.right - frame.left.max(LONGEST)) / self.groups().max(1) as f64;
        let names = self.names.iter().enumerate().map(|(at, name)| {
            width(name).min(LONGEST) * SLANT.to_radians().cos() - (at as f64 + 0.5) * slot + 8.0
        });
        names.fold(0.0, f64::max)
    }

    fn entries(&self) -> Vec<LegendEntry<'_>> {
        let several = if self.series.len() > 1 || self.marks.is_some() { &self.series[..] } else { &[] };
        let bars = several.iter().enumerate().map(|(at, series)| LegendEntry {
            sign: Sign::Area { colour: series.colour(at) },
            name: &series.name,
        });
        let marks = self
            .marks
            .iter()
            .map(|marks| LegendEntry { sign: Sign::Diamond { colour: MARK }, name: &marks.name });
        bars.chain(marks).collect()
    }

    fn draw_group(&self, canvas: &mut Canvas, group: usize, frame: &PlotFrame, up: &Scale) {
        let slot = self.slot(frame);
        let bar = (slot * FILLED / self.series.len() as f64).min(WIDEST);
        let middle = frame.left + (group as f64 + 0.5) * slot;
        let first = middle - bar * self.series.len() as f64 / 2.0;
        for (at, series) in self.series.iter().enumerate() {
            let value = series.values.get(group).copied().flatten();
            let ends = value.and_then(|value| Some((value, up.place(value)?, up.place(0.0)?)));
            let Some((value, end, zero)) = ends else { continue };
            // Zero is a hairline, unlike a gap.
            let (top, height) = (end.min(zero), (end - zero).abs().max(1.0));
            let name = self.names.get(group).map_or("", String::as_str);
            let what = [name, &series.name, &significant(value, DIGITS)];
            let what: Vec<&str> = what.into_iter().filter(|part| !part.is_empty()).collect();
            canvas.add(format_args!(
                r#"<rect x="{:.1}" y="{top:.1}" width="{bar:.1}" height="{height:.1}" fill="{}" fill-opacity=".8">{}</rect>"#,
                first + at as f64 * bar,
                series.colour(at),
                tip(&what.join(", "))
            ));
            if let Some((low, high)) = series.intervals.get(group).copied().flatten() {
                draw_interval(canvas, first + (at as f64 + 0.5) * bar, (low, high), up);
            }
        }
    }

    fn draw_marks(&self, canvas: &mut Canvas, frame: &PlotFrame, up: &Scale) {
        let slot = self.slot(frame);
        let marks = self.marks.iter().flat_map(|marks| marks.values.iter().enumerate());
        for (group, y) in marks.filter_map(|(group, value)| Some((group, up.place((*value)?)?))) {
            diamond(canvas, (frame.left + (group as f64 + 0.5) * slot, y), MARK);
        }
    }

    fn write_names(&self, canvas: &mut Canvas, frame: &PlotFrame, slants: bool) {
        let slot = self.slot(frame);
        for (at, name) in self.names.iter().enumerate() {
            let x = frame.left + (at as f64 + 0.5) * slot;
            if slants {
                canvas.turned((x + 4.0, frame.bottom + 16.0), Anchor::End, -SLANT, LONGEST, name);
            } else {
                canvas.text((x, frame.bottom + 19.0), Anchor::Middle, name);
            }
        }
    }
}

/// A thin line with ends.
fn draw_interval(canvas: &mut Canvas, x: f64, (low, high): (f64, f64), up: &Scale) {
    if let (Some(low), Some(high)) = (up.place(low), up.place(high)) {
        let (left, width) = (x - END, 2.0 * END);
        canvas.add(format_args!(
            r#"<path class="interval" d="M{x:.1} {low:.1}V{high:.1}M{left:.1} {low:.1}h{width}M{left:.1} {high:.1}h{width}"/>"#
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::svg_check::assert_valid_svg;

    fn bars(values: &[&[Option<f64>]]) -> Bars {
        let series = values.iter().enumerate();
        Bars {
            title: "a <b> & c".into(),
            y: "share > 0".into(),
            names: vec!["one & all".into(), "two".into()],
            series: series
                .map(|(at, values)| Series {
                    name: format!("<s{at}>"),
                    values: values.to_vec(),
                    ..Series::default()
                })
                .collect(),
            marks: None,
            range: None,
        }
    }

    #[test]
    fn bars_stand_on_zero_or_hang_below_it() {
        let svg = bars(&[&[Some(1.0), Some(-1.0)]]).svg();
        assert_valid_svg(&svg);
        // -1 to 1 between 334 and 44, so zero at 189; groups 318 wide from 64, their bars 48 wide.
        for rect in [
            r#"x="199.0" y="44.0" width="48.0" height="145.0""#,
            r#"x="517.0" y="189.0" width="48.0" height="145.0""#,
        ] {
            assert!(svg.contains(rect), "{rect} in {svg}");
        }
        assert!(svg.contains("<title>one &amp; all, &lt;s0&gt;, 1</title>"), "{svg}");
        assert!(!svg.contains(">&lt;s0&gt;<"), "one series has no legend");
    }

    #[test]
    fn bars_of_a_group_stand_side_by_side() {
        let svg = bars(&[&[Some(1.0), None], &[Some(0.5), Some(0.0)]]).svg();
        // Two bars of 48 around the middle of the first group, 223.
        assert!(svg.contains(r#"x="175.0" y="44.0" width="48.0" height="290.0""#), "{svg}");
        assert!(svg.contains(r#"x="223.0" y="189.0" width="48.0" height="145.0""#), "{svg}");
        // The gap has no bar, and zero has a hairline.
        assert!(svg.contains(r#"x="541.0" y="334.0" width="48.0" height="1.0""#), "{svg}");
        let bars = svg.matches(r#"width="48.0""#).count();
        assert_eq!(bars, 3);
        assert!(svg.contains(">&lt;s0&gt;<") && svg.contains(">&lt;s1&gt;<"), "{svg}");
    }

    #[test]
    fn intervals_and_marks_lie_over_the_bars() {
        let mut plot = bars(&[&[Some(0.5), Some(-0.5)]]);
        plot.series[0].intervals = vec![Some((0.0, 1.0))];
        plot.marks =
            Some(Series { name: "paper".into(), values: vec![None, Some(-1.0)], ..Series::default() });
        let svg = plot.svg();
        assert_valid_svg(&svg);
        // -1 to 1 between 334 and 44; groups have their middles at 223 and 541.
        assert!(svg.contains("M223.0 189.0V44.0M220.0 189.0h6"), "{svg}");
        assert!(svg.contains("M541.0 327.0l7 7"), "{svg}");
        assert!(svg.contains(">paper<") && svg.contains(">&lt;s0&gt;<"), "{svg}");
        plot.range = Some((-2.0, 3.0));
        assert!(plot.svg().contains(">−2<") && plot.svg().contains(">3<"));
    }

    #[test]
    fn long_names_slant() {
        let short = bars(&[&[Some(1.0)]]);
        assert!(!short.svg().contains("rotate(-50"));
        let names = (0..20).map(|at| format!("a long name {at}")).collect();
        let svg = Bars { names, ..short }.svg();
        assert_eq!(svg.matches("rotate(-50").count(), 20);
    }

    #[test]
    fn no_name_slants_out_of_the_page() {
        let many = Bars { names: vec!["n".repeat(40); 92], ..bars(&[&[Some(1.0); 92]]) };
        let frame = PlotFrame { left: 64.0, right: 1720.0, top: 44.0, bottom: 334.0 };
        let left = many.left_of_names(&frame);
        let moved = PlotFrame { left, ..frame };
        let start = left + 0.5 * many.slot(&moved) - LONGEST * SLANT.to_radians().cos();
        assert!((4.0..20.0).contains(&start), "{start}");
    }

    #[test]
    fn odd_data_give_a_picture_all_the_same() {
        let odd = [Some(f64::NAN), Some(f64::NEG_INFINITY), Some(1e308), None, Some(2.0)];
        for values in [&[][..], &[&[][..]], &[&odd], &[&odd, &[]], &[&[Some(0.0)]]] {
            assert_valid_svg(&bars(values).svg());
            assert_valid_svg(&Bars { names: vec![], ..bars(values) }.svg());
        }
    }
}
