//! Where a dataset stands among the catalogued ones.

use clmatch::Measure;
use clmatch_data::Scale;
use clmatch_data::catalogue::{Catalogue, Standing};

use crate::scored::{CatalogueStanding, Scored};

/// Places a dataset by one measure. The catalogue holds data scaled as in the paper: other scales cannot be compared.
pub fn attach_standing(scored: &mut Scored, by: &Measure) {
    let catalogue = Catalogue::embedded();
    scored.standing = standing(scored, by).map(|standing| CatalogueStanding {
        measure: by.id.to_owned(),
        above: standing.above,
        of: standing.of,
        third: standing.third,
        catalogued_as: catalogue.find(&scored.checksum).map(|entry| entry.name.clone()),
    });
}

fn standing(scored: &Scored, by: &Measure) -> Option<Standing> {
    if scored.scale != Scale::MaxAbs {
        return None;
    }
    Catalogue::embedded().standing(by, scored.scores.get(by.id)?)
}
