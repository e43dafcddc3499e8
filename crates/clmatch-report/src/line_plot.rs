//! Lines over a common axis, with marks for single results.

use std::fmt::Write;

use crate::axis::{label, linear_ticks, log_ticks};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 106.0;
/// A span of x beyond this factor is shown by its logarithm.
const WIDE: f64 = 30.0;
/// Blue, orange, green, violet: told apart by colour-blind readers, on light and dark ground.
const COLOURS: [&str; 4] = ["#3b82c4", "#d97b29", "#3c9a6b", "#9b6bc4"];
/// Lines differ by their dashes as well.
const DASHES: [&str; 4] = ["", "7 4", "2 3", "9 3 2 3"];

/// A line through points, from left to right.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// What it is called in the legend.
    pub name: String,
    /// Pairs of x and y.
    pub points: Vec<(f64, f64)>,
}

/// A single result.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// What it is called in the legend.
    pub name: String,
    /// x and y.
    pub at: (f64, f64),
    /// The line whose colour it has.
    pub like: usize,
}

/// Lines and marks with axes, legend and title.
#[derive(Debug, Clone, PartialEq)]
pub struct LinePlot {
    /// Above the plot.
    pub title: String,
    /// Below the x axis.
    pub x: String,
    /// Beside the y axis.
    pub y: String,
    /// The lines.
    pub lines: Vec<Line>,
    /// The marks.
    pub marks: Vec<Mark>,
}

/// From data to places on the page.
struct Scale {
    low: f64,
    high: f64,
    log: bool,
    from: f64,
    to: f64,
}

impl Scale {
    fn place(&self, value: f64) -> f64 {
        let (low, high, value) = match self.log {
            true => (self.low.ln(), self.high.ln(), value.ln()),
            false => (self.low, self.high, value),
        };
        let share = if high > low { (value - low) / (high - low) } else { 0.5 };
        self.from + share * (self.to - self.from)
    }
}

impl LinePlot {
    /// The plot as an SVG document.
    pub fn svg(&self) -> String {
        let all = || {
            self.lines
                .iter()
                .flat_map(|line| line.points.iter().copied())
                .chain(self.marks.iter().map(|mark| mark.at))
        };
        let range = |values: &mut dyn Iterator<Item = f64>| {
            let finite = values.filter(|value| value.is_finite());
            finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            })
        };
        let (low, high) = range(&mut all().map(|point| point.0));
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        let log = low > 0.0 && high / low > WIDE;
        let across = Scale { low, high, log, from: LEFT + 12.0, to: WIDTH - RIGHT - 12.0 };
        let x_ticks = if log { log_ticks(low, high) } else { linear_ticks(low, high, 8) };
        let x_ticks: Vec<f64> = x_ticks.into_iter().filter(|tick| (low..=high).contains(tick)).collect();
        let (low, high) = range(&mut all().map(|point| point.1));
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        let y_ticks = linear_ticks(low, high, 5);
        let (low, high) = (y_ticks[0], y_ticks[y_ticks.len() - 1]);
        let up = Scale { low, high, log: false, from: HEIGHT - BOTTOM, to: TOP };
        let mut svg = head(&self.title);
        self.axes(&mut svg, &across, &up, (&x_ticks, &y_ticks));
        for (at, line) in self.lines.iter().enumerate() {
            draw_line(&mut svg, line, at, &across, &up);
        }
        for mark in &self.marks {
            let (x, y) = (across.place(mark.at.0), up.place(mark.at.1));
            diamond(&mut svg, x, y, mark.like);
        }
        self.legend(&mut svg);
        svg.push_str("</svg>\n");
        svg
    }

    fn axes(&self, svg: &mut String, across: &Scale, up: &Scale, (x_ticks, y_ticks): (&[f64], &[f64])) {
        let (left, right, bottom) = (LEFT, WIDTH - RIGHT, HEIGHT - BOTTOM);
        for &tick in y_ticks {
            let y = up.place(tick);
            let _ = writeln!(svg, r#"<path class="grid" d="M{left:.1} {y:.1}H{right:.1}"/>"#);
            text(svg, (left - 8.0, y + 4.0), "end", "", &label(tick));
        }
        for &tick in x_ticks {
            let x = across.place(tick);
            let _ = writeln!(svg, r#"<path class="axis" d="M{x:.1} {bottom:.1}v5"/>"#);
            text(svg, (x, bottom + 19.0), "middle", "", &label(tick));
        }
        let _ = writeln!(svg, r#"<path class="axis" d="M{left:.1} {bottom:.1}H{right:.1}"/>"#);
        text(svg, ((left + right) / 2.0, bottom + 40.0), "middle", "", &self.x);
        let middle = (TOP + bottom) / 2.0;
        let turn = format!(r#" transform="rotate(-90 16 {middle:.1})""#);
        text(svg, (16.0, middle), "middle", &turn, &self.y);
    }

    /// Lines in one row and marks below them, in common columns.
    fn legend(&self, svg: &mut String) {
        let names =
            || self.lines.iter().map(|line| &line.name).chain(self.marks.iter().map(|mark| &mark.name));
        // Some width for each letter: there is nobody to measure the text.
        let longest = names().map(|name| name.chars().count()).max().unwrap_or(0);
        let step = 48.0 + 7.0 * longest as f64;
        for (at, line) in self.lines.iter().enumerate() {
            let (x, y) = (LEFT + at as f64 * step, HEIGHT - 36.0);
            let (colour, dash) = (COLOURS[at % COLOURS.len()], DASHES[at % DASHES.len()]);
            let _ = writeln!(
                svg,
                r#"<path class="line" stroke="{colour}" stroke-dasharray="{dash}" d="M{x:.1} {:.1}h24"/>"#,
                y - 4.0
            );
            text(svg, (x + 32.0, y), "start", "", &line.name);
        }
        for (at, mark) in self.marks.iter().enumerate() {
            let (x, y) = (LEFT + at as f64 * step, HEIGHT - 14.0);
            diamond(svg, x + 12.0, y - 4.0, mark.like);
            text(svg, (x + 32.0, y), "start", "", &mark.name);
        }
    }
}

/// The opening: a neutral grey is read on light and on dark ground, and the ground itself is left alone.
fn head(title: &str) -> String {
    let title = escape(title);
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" font-family="system-ui, sans-serif" font-size="13">
<title>{title}</title>
<style>
text {{ fill: #777 }}
.title {{ font-size: 16px; font-weight: 600 }}
.axis {{ stroke: #888; fill: none }}
.grid {{ stroke: #888; stroke-opacity: .25; fill: none }}
.line {{ fill: none; stroke-width: 2; stroke-linejoin: round }}
</style>
<text class="title" x="{LEFT}" y="24">{title}</text>
"##
    )
}

fn draw_line(svg: &mut String, line: &Line, at: usize, across: &Scale, up: &Scale) {
    let (colour, dash) = (COLOURS[at % COLOURS.len()], DASHES[at % DASHES.len()]);
    let places: Vec<(f64, f64)> = line
        .points
        .iter()
        .filter(|(x, y)| x.is_finite() && y.is_finite())
        .map(|&(x, y)| (across.place(x), up.place(y)))
        .collect();
    let joined: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
    let _ = writeln!(
        svg,
        r#"<path class="line" stroke="{colour}" stroke-dasharray="{dash}" d="M{}"/>"#,
        joined.join("L")
    );
    // Dots while they can be told apart.
    if places.len() <= 40 {
        for (x, y) in places {
            let _ = writeln!(svg, r#"<circle cx="{x:.1}" cy="{y:.1}" r="2.5" fill="{colour}"/>"#);
        }
    }
}

fn diamond(svg: &mut String, x: f64, y: f64, like: usize) {
    let colour = COLOURS[like % COLOURS.len()];
    let _ = writeln!(
        svg,
        r#"<path d="M{x:.1} {:.1}l7 7l-7 7l-7 -7z" fill="{colour}" stroke="{colour}"/>"#,
        y - 7.0
    );
}

fn text(svg: &mut String, (x, y): (f64, f64), anchor: &str, more: &str, content: &str) {
    let content = escape(content);
    let _ = writeln!(svg, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}"{more}>{content}</text>"#);
}

/// Text for XML: markup is escaped, control characters go.
fn escape(text: &str) -> String {
    let plain: String = text.chars().filter(|c| !c.is_control()).collect();
    plain.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(points: Vec<(f64, f64)>) -> LinePlot {
        LinePlot {
            title: "a <b> & c".into(),
            x: "features".into(),
            y: "ch_a".into(),
            lines: vec![Line { name: "chosen half".into(), points }],
            marks: vec![Mark { name: "found".into(), at: (2.0, 0.5), like: 0 }],
        }
    }

    #[test]
    fn points_lie_where_the_axes_say() {
        let svg = plot(vec![(1.0, 0.0), (3.0, 1.0)]).svg();
        // The first point at the left end of the lowest grid line, the last at the right end of the highest.
        assert!(svg.contains(&format!(
            "M{:.1} {:.1}L{:.1} {:.1}",
            LEFT + 12.0,
            HEIGHT - BOTTOM,
            WIDTH - RIGHT - 12.0,
            TOP
        )));
        assert!(svg.contains("a &lt;b&gt; &amp; c") && !svg.contains("<b>"));
        for tick in [">0<", ">0.2<", ">1<", ">chosen half<", ">found<"] {
            assert!(svg.contains(tick), "{tick}");
        }
    }

    #[test]
    fn odd_data_give_a_picture_all_the_same() {
        for points in [vec![], vec![(1.0, 0.3)], vec![(1.0, f64::NAN), (5000.0, 0.2)], vec![(4.0, 0.1); 3]] {
            let svg = plot(points).svg();
            assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
