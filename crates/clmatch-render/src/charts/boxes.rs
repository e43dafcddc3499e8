//! Box plots in rows.

use crate::charts::canvas::{Canvas, MARGIN, TOP, tip};
use crate::charts::colour::{GREY, colour};
use crate::charts::frame::{BELOW, PlotFrame, WIDTH};
use crate::charts::legend::{Legend, LegendEntry, Sign};
use crate::charts::quartiles::Quartiles;
use crate::charts::scale::{AxisSpan, Scale, drawable};
use crate::charts::text::{Anchor, widest};
use crate::number::significant;

/// The height of a row.
const ROW: f64 = 26.0;
/// The height of a box.
const BOX: f64 = 14.0;
/// The largest width of a name or a note.
const LONGEST: f64 = 240.0;
/// The gap between a name or a note and the plot.
const GAP: f64 = 10.0;
/// Room at both ends of the axis, so that no dot lies on the edge.
const INSET: f64 = 8.0;
/// The size of a single value, and the largest distance between those of a row.
const POINT: f64 = 1.8;
const JITTER: f64 = 4.0;
/// Significant digits of a value shown under the pointer.
const DIGITS: usize = 4;

/// The values of one row.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The name, at the left.
    pub name: String,
    /// The index of its kind.
    pub kind: usize,
    /// The values; those that are not finite are left out.
    pub values: Vec<f64>,
    /// The note, at the right.
    pub note: String,
}

/// Horizontal box plots, one row each.
///
/// The box goes from the first to the third quartile, by linear interpolation, with the median in it; the whiskers reach the
/// furthest values within 1.5 times the length of the box from it, and values beyond are dots. All of these are computed from the
/// values, even on a logarithmic axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Boxes {
    /// The title above the plot.
    pub title: String,
    /// The name of the axis, below it.
    pub x: String,
    /// Whether the axis is logarithmic; values of 0 and below are then left out.
    pub log: bool,
    /// What the colours mean; if empty, there is no legend.
    pub kinds: Vec<String>,
    /// The rows, from top to bottom.
    pub rows: Vec<Row>,
    /// Whether every value is drawn over its box.
    pub points: bool,
}

impl Boxes {
    /// The plot as an SVG document.
    pub fn svg(&self) -> String {
        let frame = self.frame();
        let values = self.rows.iter().flat_map(|row| row.values.iter().copied());
        let across = if self.log { AxisSpan::log(values) } else { AxisSpan::round(values, 6) };
        let across = across.laid(frame.left + INSET, frame.right - INSET);
        // The legend may use the room below names and notes.
        let page = PlotFrame { left: MARGIN, right: WIDTH - MARGIN, ..frame };
        let mut canvas = page.page(&self.title, BELOW, &Legend::new(&[self.entries()], page.width()));
        frame.x_grid(&mut canvas, &across);
        frame.x_axis(&mut canvas, &across, &self.x);
        for (at, row) in self.rows.iter().enumerate() {
            let y = frame.top + (at as f64 + 0.5) * ROW;
            canvas.text_within((frame.left - GAP, y + 4.0), Anchor::End, LONGEST, &row.name);
            canvas.text_within((frame.right + GAP, y + 4.0), Anchor::Start, LONGEST, &row.note);
            let shown = row.values.iter().copied().filter(|value| drawable(*value, self.log));
            if let Some(quartiles) = Quartiles::of(shown.collect()) {
                draw_box(&mut canvas, row, &quartiles, y, &across);
                if self.points {
                    draw_points(&mut canvas, row, y, &across);
                }
            }
        }
        canvas.finish()
    }

    /// The frame between names and notes, as high as the rows need.
    fn frame(&self) -> PlotFrame {
        let room = |texts: f64| if texts > 0.0 { texts.min(LONGEST) + GAP } else { 0.0 };
        let names = room(widest(self.rows.iter().map(|row| row.name.as_str())));
        let notes = room(widest(self.rows.iter().map(|row| row.note.as_str())));
        PlotFrame {
            left: MARGIN + names,
            right: WIDTH - MARGIN - notes,
            top: TOP,
            bottom: TOP + self.rows.len().max(1) as f64 * ROW,
        }
    }

    fn entries(&self) -> Vec<LegendEntry<'_>> {
        // Kinds without a row would only raise questions in the legend.
        let seen = |kind: usize| self.rows.is_empty() || self.rows.iter().any(|row| row.kind == kind);
        let kinds = self.kinds.iter().enumerate().filter(|(kind, _)| seen(*kind));
        kinds.map(|(at, name)| LegendEntry { sign: Sign::Area { colour: colour(at) }, name }).collect()
    }
}

fn draw_box(canvas: &mut Canvas, row: &Row, quartiles: &Quartiles, y: f64, across: &Scale) {
    let Quartiles { low, first, median, third, high, ref outliers } = *quartiles;
    let [Some(from), Some(left), Some(middle), Some(right), Some(to)] =
        [low, first, median, third, high].map(|value| across.place(value))
    else {
        return;
    };
    let colour = colour(row.kind);
    let (top, bottom) = (y - BOX / 2.0, y + BOX / 2.0);
    let [first, median, third] = [first, median, third].map(|value| significant(value, DIGITS));
    canvas.add(format_args!("<g>{}", tip(&format!("{}: {median} ({first} to {third})", row.name))));
    canvas.add(format_args!(
        r#"<path stroke="{colour}" d="M{from:.1} {y:.1}H{left:.1}M{right:.1} {y:.1}H{to:.1}"/>"#
    ));
    canvas.add(format_args!(
        r#"<rect x="{left:.1}" y="{top:.1}" width="{:.1}" height="{BOX:.1}" fill="{colour}" fill-opacity=".3" stroke="{colour}"/>"#,
        right - left
    ));
    canvas.add(format_args!(
        r#"<path stroke="{colour}" stroke-width="3" d="M{middle:.1} {top:.1}V{bottom:.1}"/>"#
    ));
    for x in outliers.iter().filter_map(|value| across.place(*value)) {
        canvas.dot((x, y), 2.5, colour);
    }
    canvas.add("</g>");
}

/// Draws every value, on four levels in turn, so that equal ones can be told apart.
fn draw_points(canvas: &mut Canvas, row: &Row, y: f64, across: &Scale) {
    canvas.add(r#"<g fill-opacity=".6">"#);
    for (at, x) in row.values.iter().filter_map(|value| across.place(*value)).enumerate() {
        let level = (at % 4) as f64 / 1.5 - 1.0;
        canvas.dot((x, y + level * JITTER), POINT, GREY);
    }
    canvas.add("</g>");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::svg_check::assert_valid_svg;

    fn boxes(values: &[f64], log: bool) -> Boxes {
        let row = |kind, values: &[f64]| Row {
            name: "r<1>".into(),
            kind,
            values: values.to_vec(),
            note: "n & 1".into(),
        };
        Boxes {
            title: "a <b> & c".into(),
            x: "x".into(),
            log,
            kinds: vec!["old".into(), "<new>".into()],
            rows: vec![row(1, values), row(10, &[])],
            points: false,
        }
    }

    #[test]
    fn a_box_lies_where_the_axis_says() {
        let svg = boxes(&[5.0, 1.0, 20.0, 3.0, 2.0, 4.0], false).svg();
        assert_valid_svg(&svg);
        // Names of 4 letters, notes of 5: the axis from 0 to 20 lies between 20 + 38 + 8 = 66 and
        // 720 - 20 - 45 - 8 = 647, 29.05 for each unit; the row is 26 high around 57.
        let unit = (647.0 - 66.0) / 20.0;
        let at = |value: f64| 66.0 + value * unit;
        let box_width = unit * 2.5;
        for part in [
            // The second kind has the second colour.
            format!(
                r#"<rect x="{:.1}" y="50.0" width="{box_width:.1}" height="14.0" fill="{}""#,
                at(2.25),
                colour(1)
            ),
            format!(r#"stroke-width="3" d="M{:.1} 50.0V64.0""#, at(3.5)),
            format!("M{:.1} 57.0H{:.1}M{:.1} 57.0H{:.1}", at(1.0), at(2.25), at(4.75), at(5.0)),
            r#"<circle cx="647.0" cy="57.0""#.into(),
            "r&lt;1&gt;: 3.5 (2.25 to 4.75)".into(),
            ">n &amp; 1<".into(),
            ">&lt;new&gt;<".into(),
        ] {
            assert!(svg.contains(&part), "{part} in {svg}");
        }
        assert!(!svg.contains(">old<"), "no row is of the first kind: {svg}");
    }

    #[test]
    fn logarithms_leave_zero_and_below_out() {
        let svg = boxes(&[0.0, -5.0, f64::NAN, 1.0, 10.0, 100.0], true).svg();
        assert_valid_svg(&svg);
        // Quartiles 5.5, 10 and 55 of 1, 10 and 100: the median is in the middle of 66 and 647.
        assert!(svg.contains(r#"stroke-width="3" d="M356.5 50.0V64.0""#), "{svg}");
        assert!(svg.contains(": 10 (5.5 to 55)"), "{svg}");
    }

    #[test]
    fn height_grows_with_the_rows() {
        let few = boxes(&[1.0], false);
        let many = Boxes { rows: vec![few.rows[0].clone(); 30], ..few.clone() };
        // 28 more rows.
        assert!(few.svg().contains(r#"viewBox="0 0.0 720.0 178.0""#), "{}", few.svg());
        assert!(many.svg().contains(&format!(r#"viewBox="0 0.0 720.0 {:.1}""#, 178.0 + 28.0 * ROW)));
    }

    #[test]
    fn odd_data_give_a_picture_all_the_same() {
        for log in [false, true] {
            for values in
                [&[][..], &[3.0], &[f64::NAN, f64::INFINITY], &[0.0, -1.0], &[1e-300, 1e299], &[-1e308]]
            {
                assert_valid_svg(&boxes(values, log).svg());
            }
            let empty = Boxes { rows: vec![], kinds: vec![], ..boxes(&[], log) };
            assert_valid_svg(&empty.svg());
        }
    }
}
