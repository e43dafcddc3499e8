//! The distribution of values in bins.

use super::drawing::SvgDrawing;
use crate::charts::canvas::tip;
use crate::charts::colour::colour;
use crate::charts::scale::AxisSpan;
use crate::charts::text::Anchor;

const WIDTH: f64 = 680.0;
const LEFT: f64 = 44.0;
const RIGHT: f64 = 668.0;
const TOP: f64 = 12.0;
const BASE: f64 = 182.0;

/// Counts in bins of equal width.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// What the axis shows.
    pub axis: String,
    /// Where the first bin starts, and where the last one ends.
    pub range: (f64, f64),
    /// How many values each bin holds.
    pub counts: Vec<usize>,
    /// What is counted, such as `datasets`.
    pub things: String,
    /// What the chart shows, in a sentence.
    pub label: String,
}

impl Histogram {
    /// The chart.
    pub fn svg(&self) -> String {
        let most = self.counts.iter().copied().max().unwrap_or(0);
        let up = AxisSpan::round([0.0, most.max(1) as f64].into_iter(), 4).laid(BASE, TOP);
        let across = AxisSpan::tight([self.range.0, self.range.1].into_iter(), 10).laid(LEFT, RIGHT);
        let mut drawing = SvgDrawing::new(WIDTH, BASE + 44.0, "histogram", &self.label);
        drawing.axis_left(&up, LEFT, RIGHT);
        let slot = (RIGHT - LEFT) / self.counts.len().max(1) as f64;
        let width = (self.range.1 - self.range.0) / self.counts.len().max(1) as f64;
        for (at, &count) in self.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let Some(y) = up.place(count as f64) else { continue };
            let from = self.range.0 + at as f64 * width;
            let what = format!("{from:.2} to {:.2}: {count} {}", from + width, self.things);
            drawing.add(format_args!(
                r#"<rect x="{:.1}" y="{y:.1}" width="{:.1}" height="{:.1}" fill="{}">{}</rect>"#,
                LEFT + at as f64 * slot + 1.0,
                (slot - 2.0).max(1.0),
                BASE - y,
                colour(0),
                tip(&what)
            ));
        }
        drawing.axis_below(&across, BASE, LEFT, RIGHT);
        drawing.text((LEFT + RIGHT) / 2.0, BASE + 36.0, Anchor::Middle, &self.axis);
        drawing.name_left((TOP + BASE) / 2.0, &self.things);
        drawing.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::svg_check::assert_valid_svg;

    #[test]
    fn bars_are_as_high_as_their_counts() {
        let histogram = Histogram {
            axis: "clm".into(),
            range: (0.0, 1.0),
            counts: vec![0, 4, 2],
            things: "datasets".into(),
            label: "how many".into(),
        };
        let svg = histogram.svg();
        assert_valid_svg(&svg);
        assert!(svg.contains(r#"x="253.0" y="12.0" width="206.0" height="170.0""#), "{svg}");
        assert!(svg.contains("<title>0.67 to 1.00: 2 datasets</title>"), "{svg}");
        for counts in [vec![], vec![0, 0]] {
            assert_valid_svg(&Histogram { counts, ..histogram.clone() }.svg());
        }
    }
}
