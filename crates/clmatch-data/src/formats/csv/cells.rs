//! How a line is cut into cells.

/// A reader for one delimiter; rows of different lengths are for [`Rows`](crate::rows::Rows) to refuse.
pub(crate) fn builder(delimiter: u8) -> csv::ReaderBuilder {
    let mut builder = csv::ReaderBuilder::new();
    builder
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .comment(Some(b'#'))
        .buffer_capacity(1 << 18);
    builder
}

/// The cells of a line that is cut at blanks and tabs.
pub(crate) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}
