//! Where a dataset stands among the catalogued ones.

use clmatch::Measure;
use clmatch_data::catalogue::Catalogue;

use crate::scored::{CatalogueStanding, Scored};

/// Places a dataset by one measure among catalogued ones that are scaled in the same way. There is no catalogue of some scales.
pub fn attach_standing(scored: &mut Scored, by: &Measure) {
    let Some(catalogue) = Catalogue::scaled(scored.scale) else {
        scored.standing = None;
        return;
    };
    let standing = scored.scores.get(by.id).and_then(|value| catalogue.standing(by, value));
    scored.standing = standing.map(|standing| CatalogueStanding {
        measure: by.id.to_owned(),
        above: standing.above,
        of: standing.of,
        third: standing.third,
        catalogued_as: catalogue.find(&scored.checksum).map(|entry| entry.name.clone()),
    });
}
