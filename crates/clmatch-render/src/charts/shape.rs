//! Shapes that distinguish points where colours do not.

use crate::charts::canvas::{Canvas, Place};
use crate::charts::colour::colour;

/// Approximately half the width of a shape.
const SIZE: f64 = 5.0;

/// A diamond, larger than a point, for a single result.
pub(crate) fn diamond(canvas: &mut Canvas, (x, y): Place, colour: &str) {
    canvas.add(format_args!(
        r#"<path d="M{x:.1} {:.1}l7 7l-7 7l-7 -7z" fill="{colour}" stroke="{colour}"/>"#,
        y - 7.0
    ));
}

/// A point of the group at a position: each of eight groups has its own shape and colour.
///
/// Crowded points show through each other.
pub(crate) fn point(canvas: &mut Canvas, place: Place, group: usize) {
    coloured(canvas, place, group, colour(group));
}

/// A shape in a given colour, which may differ from its own.
pub(crate) fn coloured(canvas: &mut Canvas, (x, y): Place, shape: usize, colour: &str) {
    let (path, open) = outline(shape);
    let fill = if open { "none" } else { colour };
    let width = if open { 2 } else { 1 };
    canvas.add(format_args!(
        r#"<path transform="translate({x:.1} {y:.1})" d="{path}" fill="{fill}" fill-opacity=".6" stroke="{colour}" stroke-width="{width}"/>"#
    ));
}

/// The outline around the origin, and whether it consists of strokes only.
fn outline(group: usize) -> (String, bool) {
    let s = SIZE;
    match group % 8 {
        // A disc in two arcs.
        0 => (
            format!("M-{r} 0a{r} {r} 0 1 1 {s} 0a{r} {r} 0 1 1 -{s} 0z", r = s - 1.0, s = 2.0 * (s - 1.0)),
            false,
        ),
        1 => (format!("M0 -{s}L{s} 0L0 {s}L-{s} 0z"), false),
        2 => (format!("M0 -{s}L{s} {h}L-{s} {h}z", h = s - 1.0), false),
        3 => (format!("M-{h} -{h}H{h}V{h}H-{h}z", h = s - 1.5), false),
        4 => (format!("M-{h} -{h}L{h} {h}M-{h} {h}L{h} -{h}", h = s - 1.0), true),
        5 => (format!("M0 {s}L{s} -{h}L-{s} -{h}z", h = s - 1.0), false),
        6 => (format!("M0 -{s}V{s}M-{s} 0H{s}"), true),
        // A square outline.
        _ => (format!("M-{h} -{h}H{h}V{h}H-{h}z", h = s - 1.0), true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_groups_have_eight_shapes() {
        let shapes: std::collections::BTreeSet<String> = (0..8).map(|group| outline(group).0).collect();
        assert_eq!(shapes.len(), 8);
        assert_eq!(outline(8), outline(0));
    }
}
