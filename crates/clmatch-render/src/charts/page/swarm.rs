//! Many scores on one axis, each with its name.

use super::drawing::SvgDrawing;
use crate::charts::canvas::tip;
use crate::charts::colour::{GREY, colour};
use crate::charts::scale::{AxisSpan, Scale};
use crate::charts::text::Anchor;

const WIDTH: f64 = 680.0;
/// Room at both ends.
const INSET: f64 = 28.0;
/// The size of a dot.
const RADIUS: f64 = 4.0;
/// The distance from one dot to the next.
const STEP: f64 = 8.6;
/// A pile is at most this many dots high: beyond that, the dots overlap.
const HIGHEST: f64 = 15.0;
/// Room above for the names of the zones.
const ABOVE: f64 = 26.0;
/// Room below for the axis and its name.
const BELOW: f64 = 42.0;

/// A score with its name.
#[derive(Debug, Clone, PartialEq)]
pub struct SwarmDot {
    /// The text shown under the pointer.
    pub name: String,
    /// The score.
    pub value: f64,
}

/// Scores as dots along an axis, piled up where they are close.
#[derive(Debug, Clone, PartialEq)]
pub struct Swarm {
    /// What the axis shows.
    pub axis: String,
    /// The lowest and the highest value that the axis must include.
    pub range: (f64, f64),
    /// The scores.
    pub dots: Vec<SwarmDot>,
    /// Where one zone ends and the next begins, ascending.
    pub borders: Vec<f64>,
    /// The names of the zones, one more than there are borders.
    pub zones: Vec<String>,
    /// One score that stands out.
    pub marked: Option<SwarmDot>,
    /// What the chart shows, in a sentence.
    pub label: String,
}

impl Swarm {
    /// The chart. Each dot has its place among `dots` as `data-at`. The chart states where its axis lies (`data-from` and
    /// `data-to` on the page, `data-low` and `data-high` as values), so that a script can derive a choice from it.
    pub fn svg(&self) -> String {
        let values = self.dots.iter().chain(&self.marked).map(|dot| dot.value);
        let span = AxisSpan::round(values.chain([self.range.0, self.range.1]), 10);
        let (low, high) = span.ends();
        let (from, to) = (INSET, WIDTH - INSET);
        let across = span.laid(from, to);
        let places = piled(&self.dots, &across);
        let most = places.iter().map(|place| place.2 + 1).max().unwrap_or(1);
        let step = STEP.min(STEP * HIGHEST / most as f64);
        let body = (step * most as f64).max(40.0) + 2.0 * RADIUS;
        let base = ABOVE + body;
        let mut drawing = SvgDrawing::new(WIDTH, base + BELOW, "swarm", &self.label);
        drawing.add(format_args!(
            r#"<g data-from="{from}" data-to="{to}" data-low="{low}" data-high="{high}" data-top="{ABOVE}" data-base="{base:.1}">"#
        ));
        self.draw_zones(&mut drawing, &across, base);
        drawing.axis_below(&across, base, from, to);
        drawing.text(WIDTH / 2.0, base + 35.0, Anchor::Middle, &self.axis);
        for &(at, x, height) in &places {
            let y = base - RADIUS - 2.0 - step * height as f64;
            let what = format!("{}: {:.3}", self.dots[at].name, self.dots[at].value);
            drawing.add(format_args!(
                r#"<circle class="dot" data-at="{at}" cx="{x:.1}" cy="{y:.1}" r="{RADIUS}" fill="{GREY}">{}</circle>"#,
                tip(&what)
            ));
        }
        self.draw_marked(&mut drawing, &across, base);
        drawing.add("</g>");
        drawing.finish()
    }

    fn draw_zones(&self, drawing: &mut SvgDrawing, across: &Scale, base: f64) {
        let (low, high) = across.ends();
        let borders: Vec<f64> = self.borders.iter().filter_map(|border| across.place(*border)).collect();
        for x in &borders {
            drawing.add(format_args!(
                r#"<path class="grid" stroke-dasharray="3 3" d="M{x:.1} {:.1}V{base:.1}"/>"#,
                ABOVE - 18.0
            ));
        }
        let ends = across.place(low).into_iter().chain(borders).chain(across.place(high));
        let ends: Vec<f64> = ends.collect();
        for (zone, end) in self.zones.iter().zip(ends.windows(2)) {
            // The width of letters is overestimated, and nothing beside a zone could be covered by its name.
            let room = 1.2 * (end[1] - end[0]);
            drawing.text_within((end[0] + end[1]) / 2.0, ABOVE - 10.0, Anchor::Middle, room, zone);
        }
    }

    fn draw_marked(&self, drawing: &mut SvgDrawing, across: &Scale, base: f64) {
        let Some(marked) = &self.marked else { return };
        let Some(x) = across.place(marked.value) else { return };
        let what = tip(&format!("{}: {:.3}", marked.name, marked.value));
        let colour = colour(0);
        drawing.add(format_args!(
            r#"<g fill="{colour}" stroke="{colour}">{what}<path stroke-width="2" d="M{x:.1} {:.1}V{base:.1}"/><path d="M{x:.1} {:.1}l6 -9h-12z"/></g>"#,
            ABOVE + 8.0,
            ABOVE + 11.0,
        ));
        let (anchor, at) = if x > WIDTH / 2.0 { (Anchor::End, x - 11.0) } else { (Anchor::Start, x + 11.0) };
        let text = format!("{} {:.3}", marked.name, marked.value);
        let room = if x > WIDTH / 2.0 { x - INSET } else { WIDTH - x - INSET };
        drawing.text_within(at, ABOVE + 11.0, anchor, room, &text);
    }
}

/// The place of each dot, and how many dots lie below it: dots are placed from left to right, each as low as possible.
fn piled(dots: &[SwarmDot], across: &Scale) -> Vec<(usize, f64, usize)> {
    let mut order: Vec<(usize, f64)> =
        dots.iter().enumerate().filter_map(|(at, dot)| Some((at, across.place(dot.value)?))).collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    // Where the last dot of each layer ends.
    let mut ends: Vec<f64> = Vec::new();
    order
        .into_iter()
        .map(|(at, x)| {
            let layer = ends.iter().position(|end| *end <= x).unwrap_or(ends.len());
            if layer == ends.len() {
                ends.push(0.0);
            }
            ends[layer] = x + STEP;
            (at, x, layer)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::svg_check::assert_valid_svg;

    fn swarm(values: &[f64]) -> Swarm {
        let dot = |&value: &f64| SwarmDot { name: "d<1>".into(), value };
        Swarm {
            axis: "clm".into(),
            range: (0.0, 1.0),
            dots: values.iter().map(dot).collect(),
            borders: vec![0.25, 0.5],
            zones: ["bottom", "middle", "top"].map(String::from).to_vec(),
            marked: Some(SwarmDot { name: "own".into(), value: 0.75 }),
            label: "scores".into(),
        }
    }

    #[test]
    fn dots_lie_where_the_axis_says_and_pile_up() {
        let svg = swarm(&[0.5, 0.5, 0.0]).svg();
        assert_valid_svg(&svg);
        // 0 to 1 between 28 and 652; the body is 48 high from 26 on.
        assert!(svg.contains(r#"data-at="2" cx="28.0" cy="68.0""#), "{svg}");
        assert!(svg.contains(r#"data-at="0" cx="340.0" cy="68.0""#), "{svg}");
        assert!(svg.contains(r#"data-at="1" cx="340.0" cy="59.4""#), "{svg}");
        assert!(svg.contains("<title>d&lt;1&gt;: 0.500</title>"), "{svg}");
        assert!(svg.contains(r#"data-low="0" data-high="1""#), "{svg}");
    }

    #[test]
    fn odd_data_give_a_picture_all_the_same() {
        for values in [&[][..], &[f64::NAN, f64::INFINITY], &[0.3; 200]] {
            assert_valid_svg(&swarm(values).svg());
            assert_valid_svg(&Swarm { marked: None, borders: vec![], zones: vec![], ..swarm(values) }.svg());
        }
    }
}
