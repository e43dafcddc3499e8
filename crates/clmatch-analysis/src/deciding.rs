//! Which of several measures decides if the user did not choose one.

use clmatch::Measure;
use clmatch::measure::Kind;

/// The measure that datasets are ranked by: `clm` if it is computed, else the first one; `None` if there is none.
pub fn headline(measures: &[&'static Measure]) -> Option<&'static Measure> {
    measures.iter().find(|measure| measure.id == "clm").or(measures.first()).copied()
}

/// The measure that a verdict rests on: `clm`, or the first measure that datasets can be compared by, or the first one; `None` if
/// there is none.
pub fn judge(measures: &[&'static Measure]) -> Option<&'static Measure> {
    let comparable = measures.iter().find(|measure| measure.kind != Kind::Standard);
    let clm = measures.iter().find(|measure| measure.id == "clm");
    clm.or(comparable).or(measures.first()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clmatch::measure::find;

    #[test]
    fn clm_decides_where_it_is_there() {
        let [clm, ch, ch_a] = ["clm", "ch", "ch_a"].map(|id| find(id).unwrap());
        let id = |measure: Option<&'static Measure>| measure.map(|measure| measure.id);
        assert_eq!(id(headline(&[ch, ch_a, clm])), Some("clm"));
        assert_eq!(id(judge(&[ch, ch_a, clm])), Some("clm"));
        assert_eq!(id(headline(&[ch, ch_a])), Some("ch"));
        assert_eq!(id(judge(&[ch, ch_a])), Some("ch_a"));
        assert_eq!(id(judge(&[ch])), Some("ch"));
        assert_eq!((id(judge(&[])), id(headline(&[]))), (None, None));
    }
}
