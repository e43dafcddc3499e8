//! Numbers and names as a page shows them.

use crate::number::significant;
use clmatch::Measure;

/// A score with three decimals, or four significant digits if the measure has no bounds.
pub(crate) fn score(value: f64, measure: Option<&Measure>) -> String {
    let bounded = measure.is_none_or(|measure| measure.range.1.is_finite());
    if bounded && value.is_finite() { three(value) } else { significant(value, 4) }
}

/// Three decimals; no negative zero.
pub(crate) fn three(value: f64) -> String {
    let text = format!("{value:.3}");
    if text == "-0.000" { "0.000".to_owned() } else { text }
}

/// A whole percentage.
pub(crate) fn percent(share: f64) -> String {
    if share > 0.0 && share < 0.005 { "< 1%".to_owned() } else { format!("{:.0}%", 100.0 * share) }
}

/// A count with thousands separators: `18,185`.
pub(crate) fn thousands(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 point`, `2,000 points`.
pub(crate) fn counted(count: usize, thing: &str) -> String {
    let many = if thing.ends_with(['s', 'h']) { format!("{thing}es") } else { format!("{thing}s") };
    format!("{} {}", thousands(count), if count == 1 { thing.to_owned() } else { many })
}

/// Adds a capital letter and a full stop. A sentence that begins with the name of a file keeps it.
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let word = text.split_whitespace().next().unwrap_or_default().trim_end_matches([',', ':', '.']);
    if word.contains(['.', '_', '/']) {
        return text.to_owned() + if text.ends_with('.') { "" } else { "." };
    }
    let first: String = letters.next().map(|letter| letter.to_uppercase().collect()).unwrap_or_default();
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([three(0.87865), three(-0.0001)], ["0.879", "0.000"]);
        assert_eq!([percent(0.001), percent(0.0), percent(0.346)], ["< 1%", "0%", "35%"]);
        assert_eq!([thousands(5), thousands(1234), thousands(100_000)], ["5", "1,234", "100,000"]);
        assert_eq!(
            [counted(1, "class"), counted(3, "class"), counted(2000, "point")],
            ["1 class", "3 classes", "2,000 points"]
        );
        assert_eq!([sentence("fit after a"), sentence("É."), sentence("")], ["Fit after a.", "É.", "."]);
        assert_eq!(sentence("iris.csv, line 4: no number"), "iris.csv, line 4: no number.");
        assert_eq!(counted(2, "search"), "2 searches");
    }
}
