//! Charts for a page: SVG inside an HTML document that inherits its text colour and fonts, and has a description for those who
//! cannot see it. The meaning of single marks is shown under the pointer.

mod bar;
mod drawing;
mod heatmap;
mod histogram;
mod pair_scatter;
mod point_map;
mod relation;
mod score_line;
mod silhouette_plot;
mod swarm;

pub use bar::bar;
pub use heatmap::{Heatmap, NAMED_CLASSES, level};
pub use histogram::Histogram;
pub use pair_scatter::{PairScatter, PairSide};
pub use point_map::{MapGroup, MapMark, PointMap};
pub use relation::{Relation, RelationPoint};
pub use score_line::ScoreLine;
pub use silhouette_plot::{SilhouetteBlock, SilhouettePlot};
pub use swarm::{Swarm, SwarmDot};

use crate::charts::canvas::STYLE;

/// Prepares a standalone picture of this crate for embedding in a page: removes its style rules, which would affect the whole
/// page. The page has the same rules for `.chart`.
pub fn inlined(document: &str) -> String {
    document.replacen(STYLE, "", 1).replacen("<svg ", r#"<svg class="chart" "#, 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bars, Series};

    #[test]
    fn a_picture_within_a_page_has_no_rules_of_its_own() {
        let series = vec![Series { name: "s".into(), values: vec![Some(1.0)], ..Series::default() }];
        let svg =
            Bars { title: "t".into(), y: "y".into(), names: vec!["n".into()], series, ..Bars::default() }
                .svg();
        assert!(svg.contains("<style>"));
        let inside = inlined(&svg);
        assert!(!inside.contains("<style>") && inside.starts_with(r#"<svg class="chart" xmlns"#), "{inside}");
        crate::charts::svg_check::assert_valid_svg(&inside);
    }
}
