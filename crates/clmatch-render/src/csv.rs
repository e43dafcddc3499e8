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

/// A field, in quotes if it needs them.
pub fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.into()
    }
}

/// A table for a spreadsheet: texts that it would run as formulas start with an apostrophe. Numbers are unchanged.
pub fn without_formulas(table: &str) -> String {
    let mut safe = String::with_capacity(table.len());
    let (mut quoted, mut starts) = (false, true);
    for (at, character) in table.char_indices() {
        if starts && character == '"' {
            (quoted, starts) = (true, false);
            safe.push('"');
            safe.push_str(guard(&table[at + 1..]));
            continue;
        }
        if starts {
            safe.push_str(guard(&table[at..]));
        }
        // A quote within quotes is doubled: it closes the field and opens it again.
        quoted ^= !starts && character == '"';
        starts = !quoted && matches!(character, ',' | '\n');
        safe.push(character);
    }
    safe
}

/// The prefix of a field that a spreadsheet would run.
fn guard(field: &str) -> &'static str {
    let end = field.find([',', '"', '\n']).unwrap_or(field.len());
    let formula = field.starts_with(['=', '+', '-', '@', '\t', '\r']) && field[..end].parse::<f64>().is_err();
    if formula { "'" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        let rows = [vec!["a,b".to_owned(), "1".to_owned()], vec!["say \"x\"".to_owned(), String::new()]];
        assert_eq!(table(&["name", "value"], &rows), "name,value\n\"a,b\",1\n\"say \"\"x\"\"\",\n");
    }

    #[test]
    fn formulas_are_guarded_and_numbers_are_not() {
        let row = |cells: &[&str]| cells.iter().map(|&cell| cell.to_owned()).collect::<Vec<_>>();
        let rows = [
            row(&["=cmd|' /C calc'!A0", "-0.5", "+1e-9", "@SUM(1,2)"]),
            row(&["=A1,\"=B1\"", "-inf", "a=b", "-x"]),
            row(&["\n=a", "", "x\n=b", "\t=c"]),
        ];
        let safe = [
            row(&["'=cmd|' /C calc'!A0", "-0.5", "+1e-9", "'@SUM(1,2)"]),
            row(&["'=A1,\"=B1\"", "-inf", "a=b", "'-x"]),
            row(&["\n=a", "", "x\n=b", "'\t=c"]),
        ];
        let titles = ["a", "=b", "c", "d"];
        assert_eq!(without_formulas(&table(&titles, &rows)), table(&["a", "'=b", "c", "d"], &safe));
    }
}
