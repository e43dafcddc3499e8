//! Colours and dashes that distinguish things.

/// The colour of things that need not be told apart, and of the lines of the axes.
pub(crate) const GREY: &str = "#888";

/// Blue, orange, green, violet, crimson, teal, pink, ochre, brown: legible on light and dark backgrounds.
///
/// Colour-blind readers can tell the first four apart; shapes, dashes and names help with the others.
const COLOURS: [&str; 9] =
    ["#3b82c4", "#d97b29", "#3c9a6b", "#9b6bc4", "#cf4f5f", "#2298a6", "#cc6aa2", "#9c8420", "#8a6d5b"];

const DASHES: [&str; 4] = ["", "7 4", "2 3", "9 3 2 3"];

/// The colour of the thing at a position; colours repeat after nine.
pub(crate) fn colour(at: usize) -> &'static str {
    COLOURS[at % COLOURS.len()]
}

/// The dashes at a position, the first without gaps; they repeat after four.
pub(crate) fn dash(at: usize) -> &'static str {
    DASHES[at % DASHES.len()]
}

/// Dashes for many lines: they change when the colours start to repeat.
pub(crate) fn late_dash(at: usize) -> &'static str {
    dash(at / COLOURS.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance as the Web Content Accessibility Guidelines define it.
    fn luminance(colour: &str) -> f64 {
        let part = |from: usize| {
            let share = f64::from(u8::from_str_radix(&colour[from..from + 2], 16).unwrap()) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    }

    #[test]
    fn every_colour_is_seen_on_light_and_on_dark_ground() {
        for colour in COLOURS {
            for ground in ["#ffffff", "#1b1f24"] {
                let (one, other) = (luminance(colour), luminance(ground));
                let contrast = (one.max(other) + 0.05) / (one.min(other) + 0.05);
                // The guidelines require 3 for things that are not text.
                assert!(contrast >= 3.0, "{colour} on {ground}: {contrast:.2}");
            }
        }
    }

    #[test]
    fn nine_lines_are_whole_and_the_tenth_is_dashed() {
        assert_eq!((late_dash(8), late_dash(9)), ("", "7 4"));
        assert_eq!(colour(9), colour(0));
    }
}
