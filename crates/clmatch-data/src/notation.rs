//! How the numbers of a column of text are written: with a percent sign, a currency, or separators between thousands.
//!
//! One cell proves little: `1,234` is a thousand or one and a bit. So the first rows decide for the whole column, and a later
//! cell that is written in another way is an error.

use crate::cell::{self, ParsedCell};

/// How the numbers of a column are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Notation {
    /// The percent sign, or the sign of a currency.
    pub(crate) sign: Option<char>,
    /// What stands between groups of three digits.
    pub(crate) groups: Option<char>,
}

const CURRENCIES: [char; 5] = ['$', '€', '£', '¥', '₹'];

impl Notation {
    /// Numbers that need no notation.
    pub(crate) const PLAIN: Notation = Notation { sign: None, groups: None };

    /// The notation of a number that is not written plainly, with its value; `None` for plain numbers and all other texts.
    pub(crate) fn of(text: &[u8], decimal_comma: bool) -> Option<(Notation, f64)> {
        let (point, separator) = if decimal_comma { (b',', '.') } else { (b'.', ',') };
        if text.iter().all(|byte| byte.is_ascii_digit() || *byte == point || b"+-eE".contains(byte)) {
            return None;
        }
        let text = std::str::from_utf8(text).ok()?;
        // Accountants write (1,200) for -1,200.
        let (mut negative, text) = match text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
            Some(text) if !text.starts_with(['-', '+', '\u{2212}']) => (true, text),
            Some(_) => return None,
            None => without_minus(text),
        };
        let (sign, mut text) = without_sign(text);
        if sign.is_some() && !negative {
            (negative, text) = without_minus(text);
        }
        let (whole, fraction) = match text.split_once(char::from(point)) {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (text, None),
        };
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if fraction.is_some_and(|fraction| fraction.is_empty() || !digits(fraction)) {
            return None;
        }
        let is_separator = |c: char| c == separator || is_blank(c) || c == '\'';
        let groups = whole.chars().find(|&c| is_separator(c));
        let valid = match groups {
            None => digits(whole) && !(whole.is_empty() && fraction.is_none()),
            Some(groups) => are_thousands(whole, groups),
        };
        let notation = Notation { sign, groups: groups.map(|c| if is_blank(c) { ' ' } else { c }) };
        if !valid || notation == Notation::PLAIN {
            return None;
        }
        let mut plain: String = whole.chars().filter(char::is_ascii_digit).collect();
        plain.push('.');
        plain.push_str(fraction.unwrap_or("0"));
        let value = fast_float2::parse::<f64, _>(&plain).ok().filter(|value| value.is_finite())?;
        Some((notation, if negative { -value } else { value }))
    }

    /// Reads a number of a column that is written like this. Only 0 may lack the sign, and small numbers have no groups.
    pub(crate) fn read(self, text: &[u8], decimal_comma: bool) -> Option<f64> {
        let (own, value) = match Notation::of(text, decimal_comma) {
            Some(found) => found,
            None => match cell::read(text, decimal_comma) {
                ParsedCell::Text if self.groups.is_some() && small_negative(text).is_some() => {
                    (Notation::PLAIN, small_negative(text)?)
                }
                // In a column with points between thousands, 1.5 is no number, although it is one elsewhere.
                ParsedCell::Number(_) if self.groups == Some('.') && text.contains(&b'.') => return None,
                ParsedCell::Number(value) => (Notation::PLAIN, value),
                _ => return None,
            },
        };
        let sign = own.sign == self.sign || (own.sign.is_none() && value == 0.0);
        (sign && (own.groups.is_none() || own.groups == self.groups)).then_some(value)
    }

    /// How numbers are read that are written like this, to follow "is read as numbers".
    pub(crate) fn read_as(self) -> String {
        let groups = match self.groups {
            Some(',') => Some("with commas between thousands"),
            Some('.') => Some("with points between thousands"),
            Some(' ') => Some("with blanks between thousands"),
            Some(_) => Some("with apostrophes between thousands"),
            None => None,
        };
        let sign = self.sign.map(|sign| format!("without the sign {sign}"));
        let parts: Vec<String> = sign.into_iter().chain(groups.map(str::to_owned)).collect();
        parts.join(", ")
    }
}

/// The value of a text that is a number if commas are decimal: `1,5`, `4,65 %`, `1.234,50`.
pub(crate) fn with_decimal_comma(text: &[u8]) -> Option<f64> {
    if !text.contains(&b',') {
        return None;
    }
    match cell::read(text, true) {
        ParsedCell::Number(value) => Some(value),
        _ => Notation::of(text, true).map(|(_, value)| value),
    }
}

/// The notation that all of these have in common, if they do not contradict each other.
pub(crate) fn common(found: &[Notation]) -> Option<Notation> {
    let mut common = *found.first()?;
    for other in found {
        if other.sign != common.sign {
            return None;
        }
        match (common.groups, other.groups) {
            (None, groups) => common.groups = groups,
            (Some(known), Some(own)) if known != own => return None,
            _ => {}
        }
    }
    Some(common)
}

/// The value of `(900)` in a column that has `1,200`.
fn small_negative(text: &[u8]) -> Option<f64> {
    let inner = text.strip_prefix(b"(")?.strip_suffix(b")")?;
    let digits = inner.first().is_some_and(u8::is_ascii_digit);
    match cell::plain(inner) {
        ParsedCell::Number(value) if digits => Some(-value),
        _ => None,
    }
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\u{a0}' | '\u{202f}')
}

fn without_minus(text: &str) -> (bool, &str) {
    match text.strip_prefix(['-', '\u{2212}']) {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// Takes a currency off either end, or a percent sign off the end.
fn without_sign(text: &str) -> (Option<char>, &str) {
    let first = text.chars().next().filter(|c| CURRENCIES.contains(c));
    let last = text.chars().next_back().filter(|c| *c == '%' || CURRENCIES.contains(c));
    match (first, last) {
        (Some(sign), _) => (Some(sign), text[sign.len_utf8()..].trim_start_matches(is_blank)),
        (None, Some(sign)) => (Some(sign), text[..text.len() - sign.len_utf8()].trim_end_matches(is_blank)),
        (None, None) => (None, text),
    }
}

/// Whether digits are grouped by three: `1,234,567`. A number does not start with 0.
fn are_thousands(whole: &str, separator: char) -> bool {
    let mut groups = whole.split(separator);
    let first = groups.next().unwrap_or_default();
    let is_group = |group: &str| group.len() == 3 && group.bytes().all(|byte| byte.is_ascii_digit());
    (1..=3).contains(&first.len())
        && first.bytes().all(|byte| byte.is_ascii_digit())
        && !first.starts_with('0')
        && groups.all(is_group)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn notation(sign: Option<char>, groups: Option<char>) -> Notation {
        Notation { sign, groups }
    }

    #[test]
    fn signs_and_groups_are_found() {
        for (text, sign, groups, value) in [
            ("4.65%", Some('%'), None, 4.65),
            ("-12 %", Some('%'), None, -12.0),
            ("$1,200", Some('$'), Some(','), 1200.0),
            ("-$5.50", Some('$'), None, -5.5),
            ("$-5.50", Some('$'), None, -5.5),
            ("3 \u{20ac}", Some('€'), None, 3.0),
            ("€.5", Some('€'), None, 0.5),
            ("25,649", None, Some(','), 25_649.0),
            ("1,234,567.25", None, Some(','), 1_234_567.25),
            ("1 234", None, Some(' '), 1234.0),
            ("(5,100)", None, Some(','), -5100.0),
            ("($1,200.50)", Some('$'), Some(','), -1200.5),
            ("1\u{202f}234", None, Some(' '), 1234.0),
            ("1'234", None, Some('\''), 1234.0),
        ] {
            assert_eq!(Notation::of(text.as_bytes(), false), Some((notation(sign, groups), value)), "{text}");
        }
        assert_eq!(Notation::of(b"1.234,5", true), Some((notation(None, Some('.')), 1234.5)));
        assert_eq!(Notation::of("4,65 %".as_bytes(), true), Some((notation(Some('%'), None), 4.65)));
    }

    #[test]
    fn other_texts_are_left_alone() {
        for text in [
            "",
            "12",
            "-1.5e3",
            "1,5",
            "0,123",
            "1,2345",
            "1,23,456",
            ",123",
            "1,234,",
            "12,34",
            "1 2",
            "3 kg",
            "%",
            "$",
            "$x",
            "(900)",
            "(-1,200)",
            "(1,200",
            "1..5%",
            "--5%",
            "5%%",
            "$5%",
            "2024-01-31",
            "1,234 567",
            "1.5.",
            "5.%",
        ] {
            assert_eq!(Notation::of(text.as_bytes(), false), None, "{text}");
        }
        assert_eq!(Notation::of(b"\xff%", false), None);
        assert_eq!(Notation::of(format!("{}%", "9".repeat(400)).as_bytes(), false), None, "too large");
    }

    #[test]
    fn a_column_has_one_notation() {
        let money = notation(Some('$'), Some(','));
        assert_eq!(money.read(b"$1,200", false), Some(1200.0));
        assert_eq!(money.read(b"$12", false), Some(12.0));
        assert_eq!(money.read(b"0", false), Some(0.0));
        assert_eq!(notation(None, Some(',')).read(b"(900)", false), Some(-900.0));
        assert_eq!(notation(Some('%'), None).read(b"(900)", false), None);
        for other in ["12", "€12", "$1 200", "12%", "x"] {
            assert_eq!(money.read(other.as_bytes(), false), None, "{other}");
        }
        let points = notation(None, Some('.'));
        assert_eq!(points.read(b"12,5", true), Some(12.5));
        assert_eq!(points.read(b"1.5", true), None, "no thousands");
        assert_eq!(
            common(&[notation(None, None), notation(None, Some(','))]),
            Some(notation(None, Some(',')))
        );
        assert_eq!(common(&[notation(None, Some(' ')), notation(None, Some(','))]), None);
        assert_eq!(common(&[notation(Some('%'), None), notation(None, Some(','))]), None);
    }
}
