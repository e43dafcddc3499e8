//! A number for every pair of classes.

use std::fmt::Write;

use super::drawing::SvgDrawing;
use crate::charts::canvas::tip;
use crate::charts::colour::colour;
use crate::charts::text::{Anchor, cut, escape, widest};

/// Up to this many classes, rows and columns have names, and every cell shows the names of its pair under the pointer.
pub const NAMED_CLASSES: usize = 40;
/// How many shades a cell can have.
const LEVELS: usize = 10;
/// The side of the whole chart.
const SIDE: f64 = 560.0;
/// The largest side of a cell.
const LARGEST: f64 = 44.0;
/// The largest width of a name.
const LONGEST: f64 = 150.0;
/// The colour of a pair that does not match.
const SHADED: usize = 1;
/// Room below the cells for the key.
const KEY: f64 = 40.0;

/// The scores of pairs of classes, between 0 and 1: the lower the score, the stronger the colour.
#[derive(Debug, Clone, PartialEq)]
pub struct Heatmap {
    /// The names of the classes.
    pub names: Vec<String>,
    /// The scores of the pairs (0, 1), (0, 2), ... (1, 2), ...
    pub scores: Vec<f64>,
    /// The name of the score.
    pub measure: String,
    /// What the chart shows, in a sentence.
    pub label: String,
}

/// The shade of a score, from 0 for a perfect match to 9.
pub fn level(score: f64) -> usize {
    if score.is_nan() {
        return 0;
    }
    (((1.0 - score) * LEVELS as f64) as usize).min(LEVELS - 1)
}

/// The opacity of a shade.
fn opacity(level: usize) -> f64 {
    0.06 + 0.94 * level as f64 / (LEVELS - 1) as f64
}

impl Heatmap {
    /// The chart: the cell of the classes i < j is in column i and row j. The group of the cells states where they lie
    /// (`data-left`, `data-top`, `data-cell`), and if there are names each cell has its pair as `data-pair`.
    pub fn svg(&self) -> String {
        let count = self.names.len();
        let lines = count.saturating_sub(1).max(1) as f64;
        let named = count <= NAMED_CLASSES;
        let room = if named { widest(self.names.iter().map(String::as_str)).min(LONGEST) } else { 0.0 };
        let cell = ((SIDE - room) / lines).min(LARGEST);
        let (left, top) = (room + 10.0, 6.0);
        let side = cell * lines;
        // The names of columns slant by 45 degrees.
        let below = if named { room * 0.72 + 16.0 } else { 12.0 };
        let width = (left + side + 12.0).max(left + 220.0);
        let mut drawing = SvgDrawing::new(width, top + side + below + KEY, "heatmap", &self.label);
        drawing.add(format_args!(
            r#"<g class="cells" data-left="{left:.3}" data-top="{top:.3}" data-cell="{cell:.4}" data-classes="{count}" fill="{}">"#,
            colour(SHADED)
        ));
        if named {
            self.draw_cells(&mut drawing, left, top, cell);
        } else {
            self.draw_shades(&mut drawing, left, top, cell);
        }
        drawing.add("</g>");
        if named {
            self.write_names(&mut drawing, left, top, cell);
        }
        self.draw_key(&mut drawing, left, top + side + below);
        // With few classes the picture is small, and its text must not grow with the page.
        let natural = format!(" width=\"{width:.0}\" role=\"img\"");
        drawing.finish().replacen(" role=\"img\"", &natural, 1)
    }

    fn pairs(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        let count = self.names.len();
        let pairs = (0..count).flat_map(move |i| (i + 1..count).map(move |j| (i, j)));
        pairs.zip(&self.scores).map(|((i, j), &score)| (i, j, score))
    }

    fn draw_cells(&self, drawing: &mut SvgDrawing, left: f64, top: f64, cell: f64) {
        let gap = if cell > 12.0 { 1.5 } else { 0.5 };
        for (i, j, score) in self.pairs() {
            let what = format!("{} | {}: {} {score:.3}", self.names[i], self.names[j], self.measure);
            drawing.add(format_args!(
                r#"<rect data-pair="{i},{j}" x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}" rx="{}" fill-opacity="{:.2}">{}</rect>"#,
                left + i as f64 * cell,
                top + (j - 1) as f64 * cell,
                cell - gap,
                cell - gap,
                if cell > 12.0 { 2 } else { 0 },
                opacity(level(score)),
                tip(&what)
            ));
        }
    }

    /// Draws one path for all cells of a shade, in units of cells: neighbours in a column are one stroke.
    fn draw_shades(&self, drawing: &mut SvgDrawing, left: f64, top: f64, cell: f64) {
        let mut paths = vec![String::new(); LEVELS];
        let scores: Vec<(usize, usize, f64)> = self.pairs().collect();
        for run in scores.chunk_by(|a, b| a.0 == b.0 && level(a.2) == level(b.2)) {
            let (i, j, score) = run[0];
            let _ = write!(paths[level(score)], "M{i} {}v{}", j - 1, run.len());
        }
        // A stroke as wide as a cell runs along its middle.
        drawing.add(format_args!(
            r#"<g transform="translate({:.3} {top:.3}) scale({cell:.4})" stroke="{}" shape-rendering="crispEdges">"#,
            left + cell / 2.0,
            colour(SHADED)
        ));
        for (level, path) in paths.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
            drawing.add(format_args!(
                r#"<path fill="none" stroke-opacity="{:.2}" d="{path}"/>"#,
                opacity(level)
            ));
        }
        drawing.add("</g>");
    }

    fn write_names(&self, drawing: &mut SvgDrawing, left: f64, top: f64, cell: f64) {
        let count = self.names.len();
        let size = if cell < 13.0 { 9.0 } else { 12.0 };
        drawing.add(format_args!(r#"<g font-size="{size}">"#));
        for (at, name) in self.names.iter().enumerate().skip(1) {
            let y = top + (at as f64 - 0.5) * cell + 4.0;
            drawing.text_within(left - 6.0, y, Anchor::End, LONGEST, name);
        }
        let base = top + cell * count.saturating_sub(1) as f64 + 10.0;
        for (at, name) in self.names.iter().take(count.saturating_sub(1)).enumerate() {
            let x = left + (at as f64 + 0.5) * cell + 4.0;
            let shown = cut(name, LONGEST);
            let whole = if shown == *name { String::new() } else { tip(name) };
            drawing.add(format_args!(
                r#"<text x="{x:.1}" y="{base:.1}" text-anchor="end" transform="rotate(-45 {x:.1} {base:.1})">{whole}{}</text>"#,
                escape(&shown)
            ));
        }
        drawing.add("</g>");
    }

    fn draw_key(&self, drawing: &mut SvgDrawing, left: f64, top: f64) {
        drawing.add(format_args!(r#"<g fill="{}">"#, colour(SHADED)));
        for level in 0..LEVELS {
            drawing.add(format_args!(
                r#"<rect x="{:.1}" y="{top:.1}" width="16" height="10" fill-opacity="{:.2}"/>"#,
                left + 16.0 * level as f64,
                opacity(level)
            ));
        }
        drawing.add("</g>");
        drawing.text(left, top + 25.0, Anchor::Start, "1 separate");
        drawing.text(left + 16.0 * LEVELS as f64, top + 25.0, Anchor::End, "0 one cluster");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::svg_check::assert_valid_svg;

    fn heatmap(count: usize, score: impl Fn(usize) -> f64) -> Heatmap {
        Heatmap {
            names: (0..count).map(|at| format!("<c{at}>")).collect(),
            scores: (0..count * count.saturating_sub(1) / 2).map(score).collect(),
            measure: "clm".into(),
            label: "pairs".into(),
        }
    }

    #[test]
    fn low_scores_have_strong_colours() {
        assert_eq!([1.0, 0.95, 0.5, 0.0, -1.0, f64::NAN, 2.0].map(level), [0, 0, 5, 9, 9, 0, 0]);
        let svg = heatmap(3, |at| [1.0, 0.0, 0.5][at]).svg();
        assert_valid_svg(&svg);
        // Names of 28 wide leave cells of 44: column 0 and row 2 for the second pair.
        assert!(svg.contains(
            r#"data-pair="0,2" x="38.0" y="50.0" width="42.5" height="42.5" rx="2" fill-opacity="1.00""#
        ));
        assert!(svg.contains("<title>&lt;c0&gt; | &lt;c2&gt;: clm 0.000</title>"), "{svg}");
        assert!(svg.contains(
            r#"data-pair="0,1" x="38.0" y="6.0" width="42.5" height="42.5" rx="2" fill-opacity="0.06""#
        ));
    }

    #[test]
    fn many_classes_are_drawn_in_a_few_paths() {
        let svg = heatmap(300, |at| (at * 7919 % 1000) as f64 / 1000.0).svg();
        assert_valid_svg(&svg);
        assert_eq!(svg.matches("<path").count(), LEVELS);
        assert!(svg.len() < 600_000, "{}", svg.len());
        // Every cell is drawn once.
        let length =
            |piece: &str| piece.split(['M', '"']).next().and_then(|length| length.parse::<usize>().ok());
        let cells: usize = svg.split('v').skip(1).filter_map(length).sum();
        assert_eq!(cells, 300 * 299 / 2);
        // Neighbours of the same shade are one stroke.
        assert!(heatmap(300, |_| 1.0).svg().len() < 10_000);
    }

    #[test]
    fn odd_data_give_a_picture_all_the_same() {
        for count in [0, 1, 2, 41] {
            assert_valid_svg(&heatmap(count, |_| f64::NAN).svg());
        }
    }
}
