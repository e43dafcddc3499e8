//! Sentences in lines of whole words.

use unicode_width::UnicodeWidthStr;

/// Breaks a text between words into lines of at most `width` columns; every line but the first starts with `indent`
/// spaces. A word that is wider than a line stands alone and is not broken: it may be a path that someone copies. Without
/// a width the text stays as it is, and so do its own line breaks.
pub fn wrap(text: &str, width: Option<usize>, indent: usize) -> String {
    let Some(width) = width else { return text.to_owned() };
    let lines: Vec<String> = text.split('\n').map(|line| wrap_line(line, width, indent)).collect();
    lines.join("\n")
}

fn wrap_line(line: &str, width: usize, indent: usize) -> String {
    if line.width() <= width {
        return line.to_owned();
    }
    let mut wrapped = String::new();
    let mut column = 0;
    for word in line.split(' ') {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words() {
        let text = "the quick brown fox jumps";
        assert_eq!(wrap(text, Some(25), 2), text);
        assert_eq!(wrap(text, Some(15), 2), "the quick brown\n  fox jumps");
        assert_eq!(wrap(text, None, 2), text);
        assert_eq!(wrap("a\nb c", Some(3), 0), "a\nb c");
        assert_eq!(wrap("see /a/very/long/path now", Some(10), 2), "see\n  /a/very/long/path\n  now");
        assert_eq!(wrap("日本 日本", Some(8), 0), "日本\n日本");
    }
}
