//! Comma-separated values with RFC 4180 quotes.

/// Titles and rows as text.
pub fn table(titles: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let cells: Vec<String> = cells.map(quoted).collect();
        cells.join(",") + "\n"
    };
    let mut text = line(&mut titles.iter().copied());
    rows.iter().for_each(|row| text.push_str(&line(&mut row.iter().map(String::as_str))));
    text
}

/// A field, in quotes where it needs them.
pub fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        let rows = [vec!["a,b".to_owned(), "1".to_owned()], vec!["say \"x\"".to_owned(), String::new()]];
        assert_eq!(table(&["name", "value"], &rows), "name,value\n\"a,b\",1\n\"say \"\"x\"\"\",\n");
    }
}
