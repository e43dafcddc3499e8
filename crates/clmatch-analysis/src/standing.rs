//! Where a dataset stands among the catalogued ones.

use clmatch::Measure;
use clmatch_data::Scale;
use clmatch_data::catalogue::{Catalogue, Standing, Third};
use serde::{Deserialize, Serialize};

use crate::scored::Scored;

/// A place in the catalogue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CatalogueStanding {
    /// The measure that it is by.
    pub measure: String,
    /// Catalogued datasets that score worse.
    pub above: usize,
    /// Catalogued datasets.
    pub of: usize,
    /// The third of the catalogue.
    pub third: Third,
    /// The catalogued dataset that has the same points and labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catalogued_as: Option<String>,
}

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
