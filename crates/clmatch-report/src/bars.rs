//! Bars in groups.

use crate::canvas::{Canvas, tip};
use crate::colour::colour;
use crate::frame::Frame;
use crate::legend::{Entry, Legend, Sign};
use crate::number::significant;
use crate::scale::{Scale, Span};
use crate::text::{Anchor, widest, width};

/// The share of a group's room that its bars take.
const FILLED: f64 = 0.8;
/// No bar is wider.
const WIDEST: f64 = 48.0;
/// Groups nearer to each other would have names over each other.
const NARROWEST: f64 = 20.0;
/// A bar narrower than this, with what is free beside it, is hardly seen.
const THINNEST: f64 = 6.0;
/// A name gets no longer than this when it slants.
const LONGEST: f64 = 180.0;
/// Degrees that long names slant.
const SLANT: f64 = 50.0;
/// Digits of a value under the pointer.
const DIGITS: usize = 6;

/// Bars of one colour, one for each group.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// What it is called in the legend.
    pub name: String,
    /// The heights, in the order of the groups; none leaves a gap.
    pub values: Vec<Option<f64>>,
}

/// Vertical bars in groups; those of negative values hang below zero.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    /// Above the plot.
    pub title: String,
    /// Beside the y axis.
    pub y: String,
    /// The names of the groups, below them.
    pub names: Vec<String>,
    /// The bars; there is a legend where there are several.
    pub series: Vec<Series>,
}

impl Bars {
    /// The plot as an SVG document.
    pub fn svg(&self) -> String {
        let values = self.series.iter().flat_map(|series| series.values.iter().flatten().copied());
        let up = Span::round(values.chain([0.0]), 5);
        let mut frame = Frame::beside(&up);
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
        self.write_names(&mut canvas, &frame, slants);
        frame.rule(&mut canvas, up.place(0.0).unwrap_or(frame.bottom));
        canvas.finish()
    }

    /// As many as have a name or a bar.
    fn groups(&self) -> usize {
        self.series.iter().map(|series| series.values.len()).fold(self.names.len(), usize::max)
    }

    /// The width of a group's room.
    fn slot(&self, frame: &Frame) -> f64 {
        frame.width() / self.groups().max(1) as f64
    }

    /// The length of the longest name when they slant.
    fn longest(&self) -> f64 {
        widest(self.names.iter().map(String::as_str)).min(LONGEST)
    }

    /// Room at the left that the first names need, which slant out of the plot.
    fn left_of_names(&self, frame: &Frame) -> f64 {
        // No name takes more than this, so groups never stand closer.
        let slot = (frame.right - frame.left.max(LONGEST)) / self.groups().max(1) as f64;
        let names = self.names.iter().enumerate().map(|(at, name)| {
            width(name).min(LONGEST) * SLANT.to_radians().cos() - (at as f64 + 0.5) * slot + 8.0
        });
        names.fold(0.0, f64::max)
    }

    fn entries(&self) -> Vec<Entry<'_>> {
        let several = if self.series.len() > 1 { &self.series[..] } else { &[] };
        several
            .iter()
            .enumerate()
            .map(|(at, series)| Entry { sign: Sign::Area { colour: colour(at) }, name: &series.name })
            .collect()
    }

    fn draw_group(&self, canvas: &mut Canvas, group: usize, frame: &Frame, up: &Scale) {
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
                colour(at),
                tip(&what.join(", "))
            ));
        }
    }

    fn write_names(&self, canvas: &mut Canvas, frame: &Frame, slants: bool) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svg_check::assert_valid_svg;

    fn bars(values: &[&[Option<f64>]]) -> Bars {
        let series = values.iter().enumerate();
        Bars {
            title: "a <b> & c".into(),
            y: "share > 0".into(),
            names: vec!["one & all".into(), "two".into()],
            series: series
                .map(|(at, values)| Series { name: format!("<s{at}>"), values: values.to_vec() })
                .collect(),
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
        let frame = Frame { left: 64.0, right: 1720.0, top: 44.0, bottom: 334.0 };
        let left = many.left_of_names(&frame);
        let moved = Frame { left, ..frame };
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
