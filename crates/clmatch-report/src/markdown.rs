//! Markdown tables.

/// A table with its titles, every cell escaped; the first `left` columns are flush left.
pub fn table(titles: &[&str], left: usize, rows: &[Vec<String>]) -> String {
    let row = |cells: &Vec<String>| line(&cells.iter().map(|cell| escape(cell)).collect::<Vec<_>>());
    header(titles, left) + &rows.iter().map(row).collect::<String>()
}

/// The title line and the rule; the first `left` columns and the dataset's name are flush left.
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

/// A cell that holds no other cell.
pub fn escape(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
