//! Breaks sentences into lines of whole words.

use unicode_width::UnicodeWidthStr;

use crate::{shorten, visible};

/// How many lines a sentence, or a single word, may take on a terminal: names can be as long as a book.
const LINES: usize = 16;
const LINES_OF_A_WORD: usize = 4;

/// One sentence in lines of at most `width` columns, broken between words; every line but the first starts with `indent` spaces.
/// A word that is wider than a line stands alone and is not broken: it may be a path that someone copies. Text that is much
/// longer is shortened. Without a width the sentence stays whole, in one line. Names in it are [`visible`], so that none of them
/// can start a line of its own.
pub fn wrap(text: &str, width: Option<usize>, indent: usize) -> String {
    let text = visible(text);
    let Some(width) = width else { return text.into_owned() };
    if text.width() <= width {
        return text.into_owned();
    }
    let words: Vec<String> = text.split(' ').map(|word| shorten(word, LINES_OF_A_WORD * width)).collect();
    let text = without_middle(words.join(" "), LINES * width);
    let mut wrapped = String::new();
    let mut column = 0;
    for word in text.split(' ') {
        let starts = wrapped.is_empty();
        if !starts && column + 1 + word.width() > width {
            wrapped.push('\n');
            wrapped.push_str(&" ".repeat(indent));
            column = indent;
        } else if !starts {
            wrapped.push(' ');
            column += 1;
        }
        wrapped.push_str(word);
        column += word.width();
    }
    wrapped
}

/// The beginning and the end of a text that is wider than `room`: they say what is wrong where, and what to do.
fn without_middle(text: String, room: usize) -> String {
    if text.width() <= room {
        return text;
    }
    let beginning = shorten(&text, room / 2);
    let backwards: String = text.chars().rev().collect();
    let end: String = shorten(&backwards, room / 2).chars().rev().collect();
    format!("{beginning} {end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words() {
        let text = "the quick brown fox jumps";
        assert_eq!(wrap(text, Some(25), 2), text);
        assert_eq!(wrap(text, Some(15), 2), "the quick brown\n  fox jumps");
        assert_eq!(wrap(text, None, 2), text);
        assert_eq!(wrap("see /a/very/long/path now", Some(10), 2), "see\n  /a/very/long/path\n  now");
        assert_eq!(wrap("日本 日本", Some(8), 0), "日本\n日本");
    }

    #[test]
    fn a_name_cannot_start_a_line() {
        let text = "classes: a\nverdict: fit, \x1b[2Jb";
        assert_eq!(wrap(text, None, 2), "classes: a\\nverdict: fit, \\x1b[2Jb");
        assert_eq!(wrap(text, Some(24), 2), "classes: a\\nverdict:\n  fit, \\x1b[2Jb");
    }

    #[test]
    fn very_long_names_are_shortened_on_a_terminal() {
        let (word, words) = ("x".repeat(5000), "many words ".repeat(500));
        for name in [word, words] {
            let text = format!("the class '{name}' has a single point");
            assert_eq!(wrap(&text, None, 2), text);
            let shown = wrap(&text, Some(80), 2);
            let (lines, words) =
                (shown.lines().count(), shown.split_whitespace().collect::<Vec<_>>().join(" "));
            assert!(words.starts_with("the class '") && words.ends_with("has a single point"), "{shown}");
            assert!(shown.len() < (LINES + 2) * 80 && lines < LINES + 4 && shown.contains('…'), "{shown}");
        }
    }
}
