//! Where a dataset stands among the catalogued ones.

use clmatch::Measure;
use clmatch_data::Scale;
use clmatch_data::catalogue::{Catalogue, Standing};

use crate::export::number::short;
use crate::result::{Place, Scored};

/// Places a dataset by one measure. The catalogue holds data scaled as in the paper: other scales cannot be compared.
pub fn place(scored: &mut Scored, by: &Measure) {
    let catalogue = Catalogue::embedded();
    scored.standing = standing(scored, by).map(|standing| Place {
        measure: by.id.to_owned(),
        above: standing.above,
        of: standing.of,
        third: standing.third.name().to_owned(),
        catalogued_as: catalogue.find(&scored.checksum).map(|entry| entry.name.clone()),
    });
}

/// One sentence on the standing, for people.
pub fn sentence(scored: &Scored, by: &Measure) -> Option<String> {
    let standing = standing(scored, by)?;
    let value = short(scored.scores.get(by.id)?, by);
    let Standing { above, of, third } = standing;
    let (name, advice) = (third.name(), third.advice());
    Some(format!("{} {value}: above {above} of the {of} catalogued datasets; {name} third: {advice}", by.id))
}

fn standing(scored: &Scored, by: &Measure) -> Option<Standing> {
    if scored.scale != Scale::MaxAbs.to_string() {
        return None;
    }
    Catalogue::embedded().standing(by, scored.scores.get(by.id)?)
}
