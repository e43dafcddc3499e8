//! Text on a page whose exact width is unknown.

/// The width of a letter at the usual size, overestimated for most text.
const LETTER: f64 = 7.0;
/// From this character on, scripts have letters as wide as they are high.
const WIDE_FROM: char = '\u{1100}';
const WIDE_LETTER: f64 = 13.0;

/// Which part of a text is at its place.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    /// Its name in SVG.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// The approximate width of a text.
pub(crate) fn width(text: &str) -> f64 {
    text.chars().map(letter).sum()
}

/// The width of the widest of some texts, or 0.
pub(crate) fn widest<'a>(texts: impl IntoIterator<Item = &'a str>) -> f64 {
    texts.into_iter().map(width).fold(0.0, f64::max)
}

fn letter(c: char) -> f64 {
    // Dashes, quotes, arrows and the like are not wider than a letter.
    let sign = ('\u{2000}'..'\u{2E80}').contains(&c);
    if c >= WIDE_FROM && !sign { WIDE_LETTER } else { LETTER }
}

/// The text, or as much of its beginning as fits, followed by an ellipsis.
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

/// Lines of whole words; at least one line, and a word that is too wide gets a line of its own.
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

/// The size of subscripts beside letters of size 13, and how far they are lowered.
const SMALL: u32 = 10;
/// See [`SMALL`].
const LOWERED: u32 = 3;

/// Escaped text with subscripts: `CH_A` and `{II, XB}_A` get them, but `a_b` and `A_LONG` do not.
///
/// Size and position are plain numbers: not every program that shows or prints SVG understands percentages and `baseline-shift`.
/// Text after a subscript is raised again.
pub(crate) fn subscripted(escaped: &str) -> String {
    let parts = split_at_subscripts(escaped);
    let mut text = parts[0].to_owned();
    for part in &parts[1..] {
        let (letter, rest) = part.split_at(1);
        text.push_str(&format!(r#"<tspan dy="{LOWERED}" font-size="{SMALL}">{letter}</tspan>"#));
        if !rest.is_empty() {
            text.push_str(&format!(r#"<tspan dy="-{LOWERED}">{rest}</tspan>"#));
        }
    }
    text
}

/// The text before the first subscript, then each subscript, one letter, with the text that follows it.
fn split_at_subscripts(escaped: &str) -> Vec<&str> {
    let is_subscript = |at: usize| {
        let (before, after) = (&escaped[..at], &escaped[at + 1..]);
        let mut next = after.chars();
        let capital = next.next().is_some_and(|letter| letter.is_ascii_uppercase());
        let apart = next.next().is_none_or(|c| !c.is_alphanumeric() && c != '_');
        capital && apart && before.ends_with(|c: char| c.is_ascii_uppercase() || c == '}')
    };
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, _) in escaped.match_indices('_').filter(|(at, _)| is_subscript(*at)) {
        parts.push(&escaped[from..at]);
        from = at + 1;
    }
    parts.push(&escaped[from..]);
    parts
}

/// Text for XML: markup is escaped, and characters that XML forbids are removed.
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
        let lowered = |letter: char| format!(r#"<tspan dy="3" font-size="10">{letter}</tspan>"#);
        let raised = |text: &str| format!(r#"<tspan dy="-3">{text}</tspan>"#);
        assert_eq!(subscripted("CH_A, then"), format!("CH{}{}", lowered('A'), raised(", then")));
        assert_eq!(subscripted("{II, XB}_A"), format!("{{II, XB}}{}", lowered('A')));
        let both = format!("CH{}{}{}", lowered('A'), raised(" by SC"), lowered('C'));
        assert_eq!(subscripted("CH_A by SC_C"), both);
        for plain in ["ch_a", "A_LONG", "a_B", "_A", "A_", "DB_A_x"] {
            assert_eq!(subscripted(plain), plain);
        }
    }

    #[test]
    fn markup_and_control_characters_go() {
        assert_eq!(escape("a<b>&\"\u{0}\u{FFFF}c"), "a&lt;b&gt;&amp;&quot;c");
    }
}
