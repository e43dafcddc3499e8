//! What a piece of text in a table means.

/// The meaning of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ParsedCell {
    /// A finite number.
    Number(f64),
    /// No value.
    Missing,
    /// `true`, `false`, `yes` or `no`.
    Bool(bool),
    /// An infinity, spelled out.
    Infinite,
    /// A number that double precision cannot hold.
    TooLarge,
    /// Anything else.
    Text,
}

/// Spellings of a missing number, in lower case; an empty cell is missing, too.
const MISSING: [&str; 9] = ["na", "n/a", "nan", "null", "none", "?", "<na>", "#n/a", r"\n"];

/// Spellings of infinity, in lower case and without sign.
const INFINITE: [&str; 2] = ["inf", "infinity"];

/// Reads a cell that has no blanks around it.
pub(crate) fn read(text: &[u8], decimal_comma: bool) -> ParsedCell {
    if decimal_comma && text.contains(&b',') { with_comma(text) } else { plain(text) }
}

/// Reads a cell whose numbers are written with a point.
#[inline]
pub(crate) fn plain(text: &[u8]) -> ParsedCell {
    match text {
        [b'0'..=b'9', ..] | [b'-' | b'+' | b'.', b'0'..=b'9' | b'.', ..] => number(text),
        _ => word(text),
    }
}

#[inline]
fn number(text: &[u8]) -> ParsedCell {
    match fast_float2::parse::<f64, _>(text) {
        Ok(number) if number.is_finite() => ParsedCell::Number(number),
        Ok(_) => ParsedCell::TooLarge,
        Err(_) => ParsedCell::Text,
    }
}

/// Reads `1,5`, with a comma for the decimal point; a text that has both is not a number.
fn with_comma(text: &[u8]) -> ParsedCell {
    if text.contains(&b'.') {
        return ParsedCell::Text;
    }
    let pointed: Vec<u8> = text.iter().map(|&byte| if byte == b',' { b'.' } else { byte }).collect();
    plain(&pointed)
}

#[cold]
fn word(text: &[u8]) -> ParsedCell {
    let is = |known: &str| text.eq_ignore_ascii_case(known.as_bytes());
    let unsigned = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
    if text.is_empty() || MISSING.iter().any(|known| is(known)) || unsigned.eq_ignore_ascii_case(b"nan") {
        ParsedCell::Missing
    } else if is("true") || is("yes") {
        ParsedCell::Bool(true)
    } else if is("false") || is("no") {
        ParsedCell::Bool(false)
    } else if INFINITE.iter().any(|known| unsigned.eq_ignore_ascii_case(known.as_bytes())) {
        ParsedCell::Infinite
    } else {
        ParsedCell::Text
    }
}

/// Whether a label is missing. The spellings are those of a missing number except `None`, which may well be the name of a class.
pub(crate) fn no_label(text: &[u8]) -> bool {
    text.is_empty()
        || (text.len() <= 4
            && !text.eq_ignore_ascii_case(b"none")
            && MISSING.iter().any(|known| text.eq_ignore_ascii_case(known.as_bytes())))
}

/// Whether a text is a number of any size; decides whether a first line is a header.
pub(crate) fn is_number(text: &[u8], decimal_comma: bool) -> bool {
    matches!(read(text, decimal_comma), ParsedCell::Number(_) | ParsedCell::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_mean_what_they_say() {
        for (text, meaning) in [
            ("1", ParsedCell::Number(1.0)),
            ("-.5", ParsedCell::Number(-0.5)),
            ("+3.e2", ParsedCell::Number(300.0)),
            ("0.1", ParsedCell::Number(0.1)),
            ("1e-400", ParsedCell::Number(0.0)),
            ("1e999", ParsedCell::TooLarge),
            ("-1e999", ParsedCell::TooLarge),
            ("", ParsedCell::Missing),
            ("-nan", ParsedCell::Missing),
            (r"\N", ParsedCell::Missing),
            ("N/A", ParsedCell::Missing),
            ("None", ParsedCell::Missing),
            ("?", ParsedCell::Missing),
            ("Inf", ParsedCell::Infinite),
            ("-infinity", ParsedCell::Infinite),
            ("YES", ParsedCell::Bool(true)),
            ("false", ParsedCell::Bool(false)),
            ("-", ParsedCell::Text),
            (".", ParsedCell::Text),
            ("1,5", ParsedCell::Text),
            ("1_000", ParsedCell::Text),
            ("0x10", ParsedCell::Text),
            ("1 2", ParsedCell::Text),
            ("\u{661}", ParsedCell::Text),
        ] {
            assert_eq!(read(text.as_bytes(), false), meaning, "{text}");
        }
        assert_eq!(read(b"-1,5e3", true), ParsedCell::Number(-1500.0));
        assert_eq!(read(b"1.5", true), ParsedCell::Number(1.5));
        assert_eq!(read(b"1.000,5", true), ParsedCell::Text);
        assert_eq!(read(b"1,000,5", true), ParsedCell::Text);
    }

    #[test]
    fn none_is_a_class_but_nothing_is_not() {
        assert!(no_label(b"") && no_label(b"NaN") && no_label(b"?") && no_label(b"<NA>"));
        assert!(!no_label(b"None") && !no_label(b"-1") && !no_label(b"nab"));
    }
}
