//! One score on its axis.

use super::drawing::SvgDrawing;
use crate::charts::canvas::tip;
use crate::charts::colour::{GREY, colour};
use crate::charts::scale::AxisSpan;
use crate::charts::text::Anchor;

const WIDTH: f64 = 680.0;
const HEIGHT: f64 = 104.0;
/// The height of the axis.
const AXIS: f64 = 66.0;
/// Room at both ends.
const INSET: f64 = 28.0;

/// A score with its interval and with what random labels score.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreLine {
    /// The name of the measure.
    pub measure: String,
    /// The lowest and the highest value of the measure.
    pub range: (f64, f64),
    /// The score.
    pub score: f64,
    /// Its 95% interval.
    pub interval: Option<(f64, f64)>,
    /// The mean score of random labels, and the middle 95% of them.
    pub random: Option<(f64, (f64, f64))>,
    /// What the chart shows, in a sentence.
    pub label: String,
}

impl ScoreLine {
    /// The chart.
    pub fn svg(&self) -> String {
        let ends = [self.range.0, self.range.1, self.score];
        let more = self.interval.iter().chain(self.random.iter().map(|(_, range)| range));
        let values = ends.into_iter().chain(more.flat_map(|range| [range.0, range.1]));
        let across = AxisSpan::round(values, 10).laid(INSET, WIDTH - INSET);
        let mut drawing = SvgDrawing::new(WIDTH, HEIGHT, "score-line", &self.label);
        drawing.axis_below(&across, AXIS, INSET, WIDTH - INSET);
        let segment = |(low, high): (f64, f64)| Some((across.place(low)?, across.place(high)?));
        if let Some((mean, range)) = self.random
            && let (Some((low, high)), Some(x)) = (segment(range), across.place(mean))
        {
            let what = tip(&format!(
                "random labels: {mean:.3}, 95% of them between {:.3} and {:.3}",
                range.0, range.1
            ));
            let width = (high - low).max(2.0);
            drawing.add(format_args!(
                r#"<rect x="{low:.1}" y="{:.1}" width="{width:.1}" height="8" rx="4" fill="{GREY}" fill-opacity=".55">{what}</rect>"#,
                AXIS - 9.0
            ));
            let anchor = if x < 90.0 { Anchor::Start } else { Anchor::Middle };
            drawing.text(
                if x < 90.0 { low } else { x },
                AXIS + 34.0,
                anchor,
                &format!("random labels {mean:.3}"),
            );
        }
        if let Some((low, high)) = self.interval.and_then(segment) {
            let width = (high - low).max(2.0);
            drawing.add(format_args!(
                r#"<rect x="{low:.1}" y="{:.1}" width="{width:.1}" height="12" rx="6" fill="{}" fill-opacity=".35"/>"#,
                AXIS - 24.0,
                colour(0)
            ));
        }
        if let Some(x) = across.place(self.score) {
            let y = AXIS - 18.0;
            drawing.add(format_args!(r#"<path class="axis" d="M{x:.1} {y:.1}V{AXIS:.1}"/>"#));
            drawing.add(format_args!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="7" fill="{}"/>"#, colour(0)));
            let near_end = WIDTH - x < 120.0;
            let anchor = if near_end {
                Anchor::End
            } else if x < 120.0 {
                Anchor::Start
            } else {
                Anchor::Middle
            };
            let interval = self.interval.map(|(low, high)| format!(", 95% interval {low:.3} to {high:.3}"));
            let x = match anchor {
                Anchor::End => WIDTH - INSET,
                Anchor::Start => INSET,
                Anchor::Middle => x,
            };
            let text = format!("{} {:.3}{}", self.measure, self.score, interval.unwrap_or_default());
            drawing.text(x, AXIS - 36.0, anchor, &text);
        }
        drawing.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::svg_check::assert_valid_svg;

    fn line(score: f64) -> ScoreLine {
        ScoreLine {
            measure: "<clm>".into(),
            range: (0.0, 1.0),
            score,
            interval: Some((score - 0.1, score + 0.05)),
            random: Some((0.01, (0.0, 0.03))),
            label: "a \"b\"".into(),
        }
    }

    #[test]
    fn the_score_lies_where_the_axis_says() {
        let svg = line(0.5).svg();
        assert_valid_svg(&svg);
        // 0 to 1 between 28 and 652.
        assert!(svg.contains(r#"<circle cx="340.0" cy="48.0""#), "{svg}");
        assert!(svg.contains(r#"<rect x="277.6" y="42.0" width="93.6""#), "{svg}");
        assert!(svg.contains("&lt;clm&gt; 0.500") && svg.contains("a &quot;b&quot;"), "{svg}");
    }

    #[test]
    fn odd_numbers_give_a_picture_all_the_same() {
        for score in [f64::NAN, f64::INFINITY, -3.0, 1.0, 0.0] {
            assert_valid_svg(&line(score).svg());
            assert_valid_svg(&ScoreLine { interval: None, random: None, ..line(score) }.svg());
        }
        assert_valid_svg(&ScoreLine { range: (0.0, f64::INFINITY), ..line(300.0) }.svg());
    }
}
