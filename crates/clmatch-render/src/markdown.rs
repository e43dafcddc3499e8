//! Markdown tables.

use crate::visible;

/// A table with its titles, every cell escaped; the first `left` columns are left-aligned.
pub fn table(titles: &[&str], left: usize, rows: &[Vec<String>]) -> String {
    let row = |cells: &Vec<String>| line(&cells.iter().map(|cell| escape(cell)).collect::<Vec<_>>());
    header(titles, left) + &rows.iter().map(row).collect::<String>()
}

/// The title line and the rule; the first `left` columns and the dataset's name are left-aligned.
pub fn header(titles: &[&str], left: usize) -> String {
    let titles: Vec<String> = titles.iter().map(|&title| title.to_owned()).collect();
    let rules: Vec<String> =
        (0..titles.len()).map(|at| if at < left { "---" } else { "---:" }.into()).collect();
    line(&titles) + &line(&rules)
}

/// One row of cells.
pub fn line(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

/// Escapes text so that it stays within its line and its cell, whatever it holds: subscripts are the only tags, and it has no
/// comments, links or images.
pub fn escape(text: &str) -> String {
    let text = visible(text).replace('|', "\\|").replace("](", "]&#40;");
    let mut escaped = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        let after = &text[at + character.len_utf8()..];
        let tag =
            character == '<' && after.starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c));
        if tag && !after.starts_with("sub>") && !after.starts_with("/sub>") {
            escaped.push_str("&lt;");
        } else {
            escaped.push(character);
        }
    }
    escaped
}

/// A command that can be copied, whatever it holds.
pub fn code(text: &str) -> String {
    let mut fence = "`".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    let space = if fence.len() > 1 { " " } else { "" };
    format!("{fence}{space}{}{space}{fence}", visible(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_within_their_cell() {
        assert_eq!(escape("a|b < 0.1 [0, 1] CH<sub>A</sub>"), "a\\|b < 0.1 [0, 1] CH<sub>A</sub>");
        assert_eq!(escape("<!-- </td><b> ![x](y)"), "&lt;!-- &lt;/td>&lt;b> ![x]&#40;y)");
        assert_eq!(escape("a\nverdict: fit\x1b[2J"), "a\\nverdict: fit\\x1b[2J");
        assert_eq!([code("a b"), code("a `b`"), code("``")], ["`a b`", "`` a `b` ``", "``` `` ```"]);
    }
}
