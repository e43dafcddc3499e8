//! A bar beside a number in a table.

/// A bar that fills a share of its width. It is hidden from screen readers, because the number beside it says the same.
pub fn bar(share: f64) -> String {
    let width = if share.is_finite() { 100.0 * share.clamp(0.0, 1.0) } else { 0.0 };
    format!(
        "<svg class=\"bar\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
         <rect class=\"ground\" width=\"100\" height=\"8\"/><rect class=\"fill\" width=\"{width:.1}\" height=\"8\"/></svg>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::bar;

    #[test]
    fn a_bar_stays_within_its_ground() {
        for (share, width) in [(0.25, "25.0"), (-1.0, "0.0"), (7.0, "100.0"), (f64::NAN, "0.0")] {
            assert!(bar(share).contains(&format!(r#"class="fill" width="{width}""#)), "{share}");
        }
    }
}
