//! The legend: what the colours, dashes and shapes of a plot mean.

use crate::charts::canvas::Canvas;
use crate::charts::colour::GREY;
use crate::charts::shape::{coloured, diamond, point};
use crate::charts::text::{Anchor, widest};

/// The distance from one row to the next.
const ROW: f64 = 22.0;
/// The distance from an entry's symbol to its name.
const INDENT: f64 = 32.0;
/// The gap between the name of an entry and the next entry.
const GAP: f64 = 16.0;

/// The symbol of an entry.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sign {
    /// A piece of line.
    Line { colour: &'static str, dash: &'static str },
    /// A single result.
    Diamond { colour: &'static str },
    /// A point of a group.
    Point { group: usize },
    /// A shape without a colour of its own.
    Shape { shape: usize },
    /// A filled area.
    Area { colour: &'static str },
    /// A dot.
    Dot { colour: &'static str, radius: f64 },
}

/// One entry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LegendEntry<'a> {
    /// The symbol used in the plot.
    pub(crate) sign: Sign,
    /// The meaning of the symbol.
    pub(crate) name: &'a str,
}

/// Entries in rows, in common columns.
pub(crate) struct Legend<'a> {
    rows: Vec<Vec<LegendEntry<'a>>>,
    step: f64,
}

impl<'a> Legend<'a> {
    /// Lays out blocks: each starts a new row, and takes as many rows as it needs within the width.
    pub(crate) fn new(blocks: &[Vec<LegendEntry<'a>>], width: f64) -> Self {
        let names = blocks.iter().flatten().map(|entry| entry.name);
        let step = (INDENT + widest(names) + GAP).min(width);
        let columns = ((width / step) as usize).max(1);
        let rows = blocks.iter().flat_map(|block| block.chunks(columns)).map(<[_]>::to_vec).collect();
        Self { rows, step }
    }

    /// The height that the legend needs.
    pub(crate) fn height(&self) -> f64 {
        self.rows.len() as f64 * ROW
    }

    /// Draws the legend below and to the right of a corner.
    pub(crate) fn draw(&self, canvas: &mut Canvas, left: f64, top: f64) {
        for (row, entries) in self.rows.iter().enumerate() {
            for (column, entry) in entries.iter().enumerate() {
                let (x, y) = (left + column as f64 * self.step, top + row as f64 * ROW + ROW / 2.0);
                draw_sign(canvas, entry.sign, x, y);
                let room = self.step - INDENT - GAP;
                canvas.text_within((x + INDENT, y + 4.0), Anchor::Start, room, entry.name);
            }
        }
    }
}

fn draw_sign(canvas: &mut Canvas, sign: Sign, x: f64, y: f64) {
    let middle = (x + 12.0, y);
    match sign {
        Sign::Line { colour, dash } => canvas.line(&format!("M{x:.1} {y:.1}h24"), colour, dash),
        Sign::Diamond { colour } => diamond(canvas, middle, colour),
        Sign::Shape { shape } => coloured(canvas, middle, shape, GREY),
        Sign::Point { group } => point(canvas, middle, group),
        Sign::Dot { colour, radius } => canvas.dot(middle, radius, colour),
        Sign::Area { colour } => canvas.add(format_args!(
            r#"<rect x="{:.1}" y="{:.1}" width="16" height="12" fill="{colour}" fill-opacity=".8"/>"#,
            x + 4.0,
            y - 6.0
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries<'a>(names: &[&'a str]) -> Vec<LegendEntry<'a>> {
        names.iter().map(|&name| LegendEntry { sign: Sign::Area { colour: "red" }, name }).collect()
    }

    #[test]
    fn entries_stand_in_common_columns() {
        // 32 + 2 * 7 + 16 = 62 for each column: two columns in 130.
        let legend = Legend::new(&[entries(&["a", "bb", "c"]), entries(&["d"])], 130.0);
        assert_eq!(legend.height(), 3.0 * 22.0);
        let mut canvas = Canvas::new(200.0, 200.0, "");
        legend.draw(&mut canvas, 10.0, 100.0);
        let svg = canvas.finish();
        for (x, y, name) in [(42, 115, "a"), (104, 115, "bb"), (42, 137, "c"), (42, 159, "d")] {
            let text = format!(r#"<text x="{x}.0" y="{y}.0" text-anchor="start">{name}<"#);
            assert!(svg.contains(&text), "{text} in {svg}");
        }
    }

    #[test]
    fn nothing_needs_no_room() {
        assert_eq!(Legend::new(&[], 100.0).height(), 0.0);
        assert_eq!(Legend::new(&[vec![], vec![]], 100.0).height(), 0.0);
        let wide = "w".repeat(100);
        assert_eq!(Legend::new(&[entries(&[&wide, "b"])], 100.0).height(), 44.0);
    }
}
