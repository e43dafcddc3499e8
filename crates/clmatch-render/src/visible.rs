//! Shows names from files so that they can neither act on a terminal nor pass for lines of this program.

use std::borrow::Cow;

/// One line of text for people. Characters that act rather than being visible are written as escapes: control characters (`\x1b`,
/// `\n`), marks of writing direction and invisible characters (`\u202e`, `\u200b`). Programs get names unchanged.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            hidden if is_hidden(hidden) => shown.push_str(&code(u32::from(hidden))),
            seen => shown.push(seen),
        }
    }
    Cow::Owned(shown)
}

/// Writes a code point as a shell's `$'...'` and Python do.
fn code(point: u32) -> String {
    match point {
        0..0x80 => format!("\\x{point:02x}"),
        0x80..0x1_0000 => format!("\\u{point:04x}"),
        _ => format!("\\U{point:08x}"),
    }
}

/// Whether a character moves the cursor, changes the direction of writing or is invisible.
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'                       // soft hyphen
            | '\u{61c}'                    // Arabic letter mark
            | '\u{180e}'                   // Mongolian vowel separator
            | '\u{200b}'..='\u{200f}'      // zero width, left-to-right and right-to-left marks
            | '\u{2028}'..='\u{202e}'      // line and paragraph separators, embeddings and overrides of direction
            | '\u{2060}'..='\u{206f}'      // word joiner, invisible operators, isolates of direction
            | '\u{feff}'                   // byte order mark
            | '\u{fff9}'..='\u{fffb}'      // interlinear annotation
            | '\u{e0000}'..='\u{e007f}'    // tags
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_is_written_as_an_escape() {
        let cases = [
            ("setosa, sœur 日本 \\n", "setosa, sœur 日本 \\n"),
            ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
            ("\x1b]0;title\x07\u{9b}2J\x7f", "\\x1b]0;title\\x07\\u009b2J\\x7f"),
            ("a\nverdict: fit\r\tb", "a\\nverdict: fit\\r\\tb"),
            ("\u{202e}tif\u{2066}\u{200f}", "\\u202etif\\u2066\\u200f"),
            ("a\u{200b}b\u{feff}c\u{2028}d\u{e0041}", "a\\u200bb\\ufeffc\\u2028d\\U000e0041"),
        ];
        for (text, shown) in cases {
            assert_eq!(visible(text), shown);
        }
        assert!(matches!(visible("plain"), Cow::Borrowed(_)));
    }
}
