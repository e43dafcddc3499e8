//! The features of a result, in one line.

use unicode_width::UnicodeWidthStr;

use crate::{shorten, visible};

/// How many columns the name of a feature may take.
const NAME: usize = 40;

/// One line with the names of the features that were used, as many as fit into `width`, and how many there are; `None` if the
/// names are not known.
pub fn feature_line(names: &[String], width: usize) -> Option<String> {
    let mut line = format!("features: {}", shown(names.first()?));
    let end = |rest: usize| format!("{} ({})", if rest > 0 { ", …" } else { "" }, names.len());
    for (at, name) in names.iter().enumerate().skip(1) {
        let next = format!("{line}, {}", shown(name));
        if next.width() + end(names.len() - at - 1).width() > width {
            return Some(line + &end(names.len() - at));
        }
        line = next;
    }
    Some(line + &end(0))
}

fn shown(name: &str) -> String {
    shorten(&visible(name), NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_names_as_fit_are_shown() {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        assert_eq!(feature_line(&[], 80), None);
        assert_eq!(feature_line(&names(&["x"]), 5).unwrap(), "features: x (1)");
        let four = names(&["sepal length", "sepal width", "petal length", "petal width"]);
        let all = "features: sepal length, sepal width, petal length, petal width (4)";
        assert_eq!(feature_line(&four, all.len()).unwrap(), all);
        let fewer = feature_line(&four, all.len() - 1).unwrap();
        assert_eq!(fewer, "features: sepal length, sepal width, petal length, … (4)");
        assert_eq!(feature_line(&four, 1).unwrap(), "features: sepal length, … (4)");
        let hostile = names(&["a\nb", &"x".repeat(100)]);
        let line = feature_line(&hostile, 80).unwrap();
        assert!(line.starts_with("features: a\\nb, xxx") && line.ends_with("x… (2)"), "{line}");
    }
}
