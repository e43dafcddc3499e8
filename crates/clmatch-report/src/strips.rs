//! Columns of dots, with the best of each.

use crate::canvas::{Canvas, tip};
use crate::colour::{GREY, colour};
use crate::frame::{BELOW, Frame};
use crate::legend::{Entry, Legend, Sign};
use crate::number::significant;
use crate::scale::{Scale, Span};

/// Room at both ends of the x axis, so that no dot lies on the edge.
const INSET: f64 = 8.0;
/// The size of a dot among others.
const SMALL: f64 = 2.0;
/// The size of the best dot.
const LARGE: f64 = 3.5;
/// Digits of a value under the pointer.
const DIGITS: usize = 4;

/// The dots at one position.
#[derive(Debug, Clone, PartialEq)]
pub struct Strip {
    /// What is shown under the pointer.
    pub name: String,
    /// All values.
    pub dots: Vec<f64>,
    /// The value that stands out.
    pub best: f64,
}

/// Columns of grey dots, one after the other, each with its best in colour.
#[derive(Debug, Clone, PartialEq)]
pub struct Strips {
    /// Above the plot.
    pub title: String,
    /// Below the x axis, whose positions count from 1.
    pub x: String,
    /// Beside the y axis.
    pub y: String,
    /// From left to right.
    pub strips: Vec<Strip>,
}

impl Strips {
    /// The plot as an SVG document.
    pub fn svg(&self) -> String {
        let values = self.strips.iter().flat_map(|strip| strip.dots.iter().copied().chain([strip.best]));
        let up = Span::round(values, 5);
        let frame = Frame::beside(&up);
        let up = up.laid(frame.bottom, frame.top);
        let across = Span::count(self.strips.len()).laid(frame.left + INSET, frame.right - INSET);
        let legend = Legend::new(&[entries()], frame.width());
        let mut canvas = frame.page(&self.title, BELOW, &legend);
        frame.y_axis(&mut canvas, &up, &self.y);
        frame.x_axis(&mut canvas, &across, &self.x);
        for (at, strip) in self.strips.iter().enumerate() {
            if let Some(x) = across.place(at as f64 + 1.0) {
                draw_strip(&mut canvas, strip, x, &up);
            }
        }
        canvas.finish()
    }
}

fn entries() -> Vec<Entry<'static>> {
    vec![
        Entry { sign: Sign::Dot { colour: colour(0), radius: LARGE }, name: "best" },
        Entry { sign: Sign::Dot { colour: GREY, radius: SMALL }, name: "all" },
    ]
}

/// The name shows over every dot, and over the best its value as well.
fn draw_strip(canvas: &mut Canvas, strip: &Strip, x: f64, up: &Scale) {
    canvas.add(format_args!(r#"<g fill-opacity=".5">{}"#, tip(&strip.name)));
    for y in strip.dots.iter().filter_map(|value| up.place(*value)) {
        canvas.dot((x, y), SMALL, GREY);
    }
    canvas.add("</g>");
    if let Some(y) = up.place(strip.best) {
        let what = format!("{}: {}", strip.name, significant(strip.best, DIGITS));
        canvas.add(format_args!("<g>{}", tip(&what)));
        canvas.dot((x, y), LARGE, colour(0));
        canvas.add("</g>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svg_check::assert_valid_svg;

    fn strips(strips: &[(&[f64], f64)]) -> Strips {
        let strip =
            |&(dots, best): &(&[f64], f64)| Strip { name: "d<1> & co".into(), dots: dots.to_vec(), best };
        Strips {
            title: "a <b> & c".into(),
            x: "rank".into(),
            y: "ari".into(),
            strips: strips.iter().map(strip).collect(),
        }
    }

    #[test]
    fn dots_lie_where_the_axes_say() {
        let svg = strips(&[(&[0.0, 0.5], 1.0), (&[0.25], 0.5), (&[], 0.0)]).svg();
        assert_valid_svg(&svg);
        // Positions 1 to 3 between 72 and 692, values 0 to 1 between 334 and 44.
        for dot in [
            r##"cx="72.0" cy="334.0" r="2" fill="#888""##,
            r##"cx="72.0" cy="189.0" r="2" fill="#888""##,
            r##"cx="72.0" cy="44.0" r="3.5" fill="#3b82c4""##,
            r##"cx="382.0" cy="261.5" r="2" fill="#888""##,
            r##"cx="692.0" cy="334.0" r="3.5" fill="#3b82c4""##,
        ] {
            assert!(svg.contains(dot), "{dot} in {svg}");
        }
        assert!(svg.contains("<title>d&lt;1&gt; &amp; co: 0.5</title>"), "{svg}");
    }

    #[test]
    fn odd_data_give_a_picture_all_the_same() {
        let odd = [f64::NAN, f64::INFINITY, 1e308, 0.3];
        for data in [&[][..], &[(&[][..], f64::NAN)], &[(&odd[..], 0.5), (&[1.0][..], f64::NAN)]] {
            assert_valid_svg(&strips(data).svg());
        }
    }

    #[test]
    fn a_best_that_is_no_number_has_no_dot() {
        let svg = strips(&[(&[1.0], f64::NAN)]).svg();
        // Only the one of the legend.
        assert_eq!(svg.matches(r#"r="3.5""#).count(), 1);
    }
}
