//! Words as a shell takes them.

/// A command that can be copied.
pub fn command(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// A word, in quotes where a shell would misread it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./,:=+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_a_shell_would_misread_are_quoted() {
        let words = ["score", "my file.csv", "it's", "a,b", "", "$x"].map(String::from);
        assert_eq!(command(&words), r"score 'my file.csv' 'it'\''s' a,b '' '$x'");
    }
}
