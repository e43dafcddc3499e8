//! Text on a page whose letters nobody has measured.

/// A letter of the common size, on the safe side for most text.
const LETTER: f64 = 7.0;
/// From here on, scripts have letters as wide as they are high.
const WIDE_FROM: char = '\u{1100}';
const WIDE_LETTER: f64 = 13.0;

/// Which part of a text stands at its place.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    /// As SVG calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// About how wide a text will be.
pub(crate) fn width(text: &str) -> f64 {
    text.chars().map(letter).sum()
}

/// The widest of some texts, or 0.
pub(crate) fn widest<'a>(texts: impl IntoIterator<Item = &'a str>) -> f64 {
    texts.into_iter().map(width).fold(0.0, f64::max)
}

fn letter(c: char) -> f64 {
    // Dashes, quotes, arrows and the like are no wider than a letter.
    let sign = ('\u{2000}'..'\u{2E80}').contains(&c);
    if c >= WIDE_FROM && !sign { WIDE_LETTER } else { LETTER }
}

/// The text, or as much of its beginning as fits, with an ellipsis.
pub(crate) fn cut(text: &str, room: f64) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let mut left = room - LETTER;
    let kept = text.chars().take_while(|c| {
        left -= letter(*c);
        left >= 0.0
    });
    kept.chain(['…']).collect()
}

/// Lines of whole words; at least one line, and a word too wide for any stands alone.
pub(crate) fn wrapped(text: &str, room: f64) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        if lines[last].is_empty() {
            lines[last].push_str(word);
        } else if width(&lines[last]) + LETTER + width(word) <= room {
            lines[last].push(' ');
            lines[last].push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// Escaped text with subscripts: `CH_A` and `{II, XB}_A`, but nothing of `a_b` or `A_LONG`.
pub(crate) fn subscripted(escaped: &str) -> String {
    let mut text = String::with_capacity(escaped.len());
    let mut rest = escaped;
    while let Some(at) = rest.find('_') {
        let (before, after) = (&rest[..at], &rest[at + 1..]);
        let mut next = after.chars();
        let lowered = next.next().filter(char::is_ascii_uppercase).filter(|_| {
            let apart = next.next().is_none_or(|c| !c.is_alphanumeric() && c != '_');
            apart && before.ends_with(|c: char| c.is_ascii_uppercase() || c == '}')
        });
        text.push_str(before);
        match lowered {
            Some(letter) => {
                text.push_str(&format!(r#"<tspan font-size="75%" baseline-shift="sub">{letter}</tspan>"#));
                rest = &after[1..];
            }
            None => {
                text.push('_');
                rest = after;
            }
        }
    }
    text + rest
}

/// Text for XML: markup is escaped, and what XML forbids goes.
pub(crate) fn escape(text: &str) -> String {
    let plain: String =
        text.chars().filter(|c| !c.is_control() && !matches!(c, '\u{FFFE}' | '\u{FFFF}')).collect();
    plain.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_to_its_room() {
        assert_eq!(cut("abcdef", 42.0), "abcdef");
        assert_eq!(cut("abcdef", 41.0), "abcd…");
        assert_eq!(cut("abcdef", 0.0), "…");
        assert_eq!(cut("漢字x", 21.0), "漢…");
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrapped("ab cd ef", 35.0), ["ab cd", "ef"]);
        assert_eq!(wrapped("abcdefghi jk", 35.0), ["abcdefghi", "jk"]);
        assert_eq!(wrapped("", 35.0), [""]);
    }

    #[test]
    fn only_single_capitals_are_subscripts() {
        let lowered =
            |letter: char| format!(r#"<tspan font-size="75%" baseline-shift="sub">{letter}</tspan>"#);
        assert_eq!(subscripted("CH_A, then"), format!("CH{}, then", lowered('A')));
        assert_eq!(subscripted("{II, XB}_A"), format!("{{II, XB}}{}", lowered('A')));
        for plain in ["ch_a", "A_LONG", "a_B", "_A", "A_", "DB_A_x"] {
            assert_eq!(subscripted(plain), plain);
        }
    }

    #[test]
    fn markup_and_control_characters_go() {
        assert_eq!(escape("a<b>&\"\u{0}\u{FFFF}c"), "a&lt;b&gt;&amp;&quot;c");
    }
}
