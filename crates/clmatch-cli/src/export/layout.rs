//! Text in columns that fits a given width: columns that matter least give way first, then the widest is shortened.
//!
//! Written here because table crates wrap or cut cells where we want whole columns to go.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

const GAP: &str = "  ";
/// No text column is shortened below this.
const NARROWEST: usize = 8;

/// Which side a column is flush with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Left,
    Right,
}

#[derive(Debug, Clone)]
struct Column {
    title: String,
    side: Side,
    /// The higher, the sooner the column gives way; 0 never does.
    spare: u8,
}

/// A table under construction.
#[derive(Debug, Clone, Default)]
pub struct Layout {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

impl Layout {
    /// Adds a column that always stays.
    #[must_use]
    pub fn column(self, title: &str, side: Side) -> Self {
        self.spare_column(title, side, 0)
    }

    /// Adds a column that may give way.
    #[must_use]
    pub fn spare_column(mut self, title: &str, side: Side, spare: u8) -> Self {
        self.columns.push(Column { title: title.to_owned(), side, spare });
        self
    }

    /// Adds a row with one cell per column.
    pub fn row(&mut self, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.columns.len());
        self.rows.push(cells);
    }

    /// The table with a bold header line, at most `width` columns wide where that is possible.
    pub fn render(&self, width: Option<usize>) -> String {
        let mut shown: Vec<usize> = (0..self.columns.len()).collect();
        let mut widths: Vec<usize> = shown.iter().map(|&column| self.width_of(column)).collect();
        if let Some(width) = width {
            while total(&shown, &widths) > width {
                let Some(&goes) = shown.iter().max_by_key(|&&c| (self.columns[c].spare, c)) else { break };
                if self.columns[goes].spare == 0 {
                    break;
                }
                shown.retain(|&column| column != goes);
            }
            let over = total(&shown, &widths).saturating_sub(width);
            let left = |column: &&usize| self.columns[**column].side == Side::Left;
            if let Some(&widest) = shown.iter().filter(left).max_by_key(|&&column| widths[column]) {
                widths[widest] = widths[widest].saturating_sub(over).max(NARROWEST.min(widths[widest]));
            }
        }
        let bold = anstyle::Style::new().bold();
        let titles: Vec<&str> = self.columns.iter().map(|column| column.title.as_str()).collect();
        let mut text = format!("{bold}{}{bold:#}\n", self.line(&titles, &shown, &widths));
        for row in &self.rows {
            let cells: Vec<&str> = row.iter().map(String::as_str).collect();
            text.push_str(&self.line(&cells, &shown, &widths));
            text.push('\n');
        }
        text
    }

    fn width_of(&self, column: usize) -> usize {
        let cells = self.rows.iter().map(|row| row[column].width());
        cells.chain([self.columns[column].title.width()]).max().unwrap_or(0)
    }

    fn line(&self, cells: &[&str], shown: &[usize], widths: &[usize]) -> String {
        let padded: Vec<String> = shown
            .iter()
            .map(|&column| {
                let cell = shorten(cells[column], widths[column]);
                let space = " ".repeat(widths[column] - cell.width());
                match self.columns[column].side {
                    Side::Left => cell + &space,
                    Side::Right => space + &cell,
                }
            })
            .collect();
        padded.join(GAP).trim_end().to_owned()
    }
}

fn total(shown: &[usize], widths: &[usize]) -> usize {
    shown.iter().map(|&column| widths[column]).sum::<usize>() + GAP.len() * shown.len().saturating_sub(1)
}

/// The beginning of a text, with an ellipsis where something is missing.
fn shorten(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut short = String::new();
    for character in text.chars() {
        if short.width() + character.width().unwrap_or(0) + 1 > width {
            break;
        }
        short.push(character);
    }
    short + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout() -> Layout {
        let mut layout = Layout::default()
            .column("name", Side::Left)
            .spare_column("points", Side::Right, 1)
            .spare_column("features", Side::Right, 2)
            .column("clm", Side::Right);
        layout.row(vec!["a long name of a dataset".into(), "150".into(), "4".into(), "0.9".into()]);
        layout.row(vec!["日本".into(), "3".into(), "5".into(), "1".into()]);
        layout
    }

    fn plain(width: Option<usize>) -> Vec<String> {
        let text = layout().render(width);
        anstream::adapter::strip_str(&text).to_string().lines().map(str::to_owned).collect()
    }

    #[test]
    fn everything_is_shown_where_there_is_room() {
        assert_eq!(
            plain(None),
            [
                "name                      points  features  clm",
                "a long name of a dataset     150         4  0.9",
                "日本                           3         5    1",
            ]
        );
    }

    #[test]
    fn columns_give_way_then_names_are_cut() {
        assert_eq!(plain(Some(40))[1], "a long name of a dataset     150  0.9");
        assert_eq!(plain(Some(30))[1], "a long name of a dataset  0.9");
        assert_eq!(plain(Some(20))[1], "a long name of…  0.9");
        assert!(plain(Some(20)).iter().all(|line| line.width() <= 20));
    }
}
