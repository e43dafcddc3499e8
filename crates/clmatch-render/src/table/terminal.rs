//! Text in columns that fit a given width: the columns that matter least are dropped first, then the widest is shortened.
//!
//! Written here because table crates wrap or cut cells where we want to drop whole columns.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{ColumnSide, Table};
use crate::{visible, wrap};

const GAP: &str = "  ";
/// Text columns are not shortened below this width.
const NARROWEST: usize = 8;

impl Table {
    /// The table with a bold header line, at most `width` columns wide if possible. A last line names the columns that did not
    /// fit.
    pub fn terminal(&self, width: Option<usize>) -> String {
        let rows = self.texts(|cell| visible(&cell.short).into_owned());
        let mut shown: Vec<usize> = (0..self.columns.len()).collect();
        let mut widths: Vec<usize> = shown.iter().map(|&column| self.width_of(column, &rows)).collect();
        if let Some(width) = width {
            while total(&shown, &widths) > width {
                let Some(&goes) = shown.iter().max_by_key(|&&c| (self.columns[c].spare, c)) else { break };
                if self.columns[goes].spare == 0 {
                    break;
                }
                shown.retain(|&column| column != goes);
            }
            self.narrow(&shown, &mut widths, width);
        }
        let bold = anstyle::Style::new().bold();
        let titles: Vec<&str> = self.columns.iter().map(|column| column.title.as_str()).collect();
        let mut text = format!("{bold}{}{bold:#}\n", self.line(&titles, &shown, &widths));
        for row in &rows {
            let cells: Vec<&str> = row.iter().map(String::as_str).collect();
            text.push_str(&self.line(&cells, &shown, &widths));
            text.push('\n');
        }
        text + &self.left_out(&shown, width)
    }

    /// Shortens the widest text columns until all fit, or until none can be shortened further.
    fn narrow(&self, shown: &[usize], widths: &mut [usize], width: usize) {
        let texts = || shown.iter().copied().filter(|&column| self.columns[column].side == ColumnSide::Left);
        while let over @ 1.. = total(shown, widths).saturating_sub(width) {
            let Some(widest) = texts().max_by_key(|&column| widths[column]) else { return };
            if widths[widest] <= NARROWEST {
                return;
            }
            let next = texts().filter(|&column| column != widest).map(|column| widths[column]).max();
            let least = next.unwrap_or(0).min(widths[widest] - 1).max(NARROWEST);
            widths[widest] = widths[widest].saturating_sub(over).max(least);
        }
    }

    /// Names the columns that are not shown.
    fn left_out(&self, shown: &[usize], width: Option<usize>) -> String {
        let gone = self.columns.iter().enumerate().filter(|(column, _)| !shown.contains(column));
        let titles: Vec<&str> = gone.map(|(_, column)| column.title.as_str()).collect();
        if titles.is_empty() {
            return String::new();
        }
        wrap(&format!("(not shown at this width: {})", titles.join(", ")), width, 1) + "\n"
    }

    fn width_of(&self, column: usize, rows: &[Vec<String>]) -> usize {
        let cells = rows.iter().map(|row| row[column].width());
        cells.chain([self.columns[column].title.width()]).max().unwrap_or(0)
    }

    fn line(&self, cells: &[&str], shown: &[usize], widths: &[usize]) -> String {
        let padded: Vec<String> = shown
            .iter()
            .map(|&column| {
                let cell = shorten(cells[column], widths[column]);
                let space = " ".repeat(widths[column] - cell.width());
                match self.columns[column].side {
                    ColumnSide::Left => cell + &space,
                    ColumnSide::Right => space + &cell,
                }
            })
            .collect();
        padded.join(GAP).trim_end().to_owned()
    }
}

fn total(shown: &[usize], widths: &[usize]) -> usize {
    shown.iter().map(|&column| widths[column]).sum::<usize>() + GAP.len() * shown.len().saturating_sub(1)
}

/// The beginning of a text, with an ellipsis if something is missing. It is cut at whole words, unless that would use less than
/// half of the room.
pub fn shorten(text: &str, width: usize) -> String {
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
    let breaks_word = text[short.len()..].chars().next().is_some_and(|next| !next.is_whitespace());
    if let Some(end) = short.rfind(char::is_whitespace).filter(|_| breaks_word)
        && 2 * short[..end].width() >= width
    {
        short.truncate(end);
    }
    short.trim_end().trim_end_matches(',').to_owned() + "…"
}

#[cfg(test)]
mod tests {
    use super::super::{Cell, Column};
    use super::*;

    fn table() -> Table {
        let mut table = Table::new([
            Column::text("name"),
            Column::number("points").spare(1),
            Column::number("features").spare(2),
            Column::number("clm"),
        ]);
        table.row(["a long name of a dataset", "150", "4", "0.9"].map(Cell::text));
        table.row(["日本", "3", "5", "1"].map(Cell::text));
        table
    }

    /// The lines without the escape codes of the bold header.
    fn plain(width: Option<usize>) -> Vec<String> {
        let bold = anstyle::Style::new().bold();
        let text = table().terminal(width);
        text.replace(&bold.to_string(), "")
            .replace(&format!("{bold:#}"), "")
            .lines()
            .map(str::to_owned)
            .collect()
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
    fn columns_that_gave_way_are_named() {
        assert_eq!(plain(None).len(), 3, "nothing gave way");
        assert_eq!(plain(Some(40))[3], "(not shown at this width: features)");
        assert_eq!(plain(Some(20))[3..], ["(not shown at this", " width: points,", " features)"]);
    }

    #[test]
    fn names_without_blanks_are_cut_anywhere() {
        assert_eq!(shorten("one-label-several-clusters", 12), "one-label-s…");
        assert_eq!(shorten("a one-label-several-clusters", 12), "a one-label…");
    }

    #[test]
    fn columns_give_way_then_names_are_cut() {
        assert_eq!(plain(Some(40))[1], "a long name of a dataset     150  0.9");
        assert_eq!(plain(Some(30))[1], "a long name of a dataset  0.9");
        assert_eq!(plain(Some(20))[1], "a long name of…  0.9");
        assert_eq!(plain(Some(19))[1], "a long name…    0.9", "words are not broken");
        assert!(plain(Some(20)).iter().all(|line| line.width() <= 20));
    }
}
