//! What holds for every picture, whatever its data.

/// Checks that each opened element is closed in order, and that no number is missing.
pub(crate) fn assert_valid_svg(svg: &str) {
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
    let mut open = Vec::new();
    for piece in svg.split('<').skip(1) {
        let (tag, _) = piece.split_once('>').expect("a tag ends");
        let name = tag.split([' ', '/']).next().unwrap_or_default();
        match tag.strip_prefix('/') {
            Some(end) => assert_eq!(open.pop(), Some(end), "{svg}"),
            None if tag.ends_with('/') => {}
            None => open.push(name),
        }
        for odd in ["NaN", "inf"] {
            assert!(!tag.contains(odd), "{tag}");
        }
    }
    assert!(open.is_empty(), "{open:?} in {svg}");
    assert!(!svg.contains(">NaN") && !svg.contains(">inf"), "{svg}");
}
