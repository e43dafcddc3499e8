//! How a line is split into cells.

/// A reader for one delimiter; [`TableBuilder`](crate::rows::TableBuilder) refuses rows of different lengths.
pub(crate) fn builder(delimiter: u8) -> csv::ReaderBuilder {
    let mut builder = csv::ReaderBuilder::new();
    builder
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .comment(Some(b'#'))
        .buffer_capacity(1 << 18);
    builder
}

/// The cells of a line that is split at blanks and tabs, but not between double quotes, which are removed.
pub(crate) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_ascii_start();
        if rest.is_empty() {
            return None;
        }
        let (word, after) = quoted(rest).unwrap_or_else(|| {
            rest.split_at(rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len()))
        });
        rest = after;
        Some(word)
    })
}

/// A word in quotes, and what follows it; the closing quote must end the word.
fn quoted(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let inner = text.strip_prefix(b"\"")?;
    let end = inner.iter().position(|&byte| byte == b'"')?;
    let after = &inner[end + 1..];
    after.first().is_none_or(u8::is_ascii_whitespace).then_some((&inner[..end], after))
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn words_lose_their_quotes() {
        let found = |line: &str| -> Vec<String> {
            words(line.as_bytes()).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
        };
        assert_eq!(found("  1.5\t2  x "), ["1.5", "2", "x"]);
        assert_eq!(found("\"1\" \"a b\" \"\" 3"), ["1", "a b", "", "3"]);
        assert_eq!(found("5\" \"open \"a\"b"), ["5\"", "\"open", "\"a\"b"]);
        assert!(found(" \t").is_empty());
    }
}
