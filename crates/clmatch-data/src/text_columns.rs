//! One error for all columns of text that no option handles.

use crate::advice::Advice;
use crate::error::{ColumnRef, ReadError, shorten, shorten_bytes};
use crate::glimpse::{ColumnKind, Glimpse};
use crate::names::{IdName, id_name};
use crate::table::plain_name;

/// A column of text among the features.
#[derive(Debug)]
pub(crate) struct TextColumn<'a> {
    pub(crate) name: &'a ColumnRef,
    pub(crate) glimpse: &'a Glimpse,
}

/// Whether each text of a column may become an indicator column.
pub(crate) fn may_be_indicators(name: &ColumnRef, glimpse: &Glimpse) -> bool {
    id_name(name) == IdName::No && glimpse.has_few_values()
}

/// Whether a column has few values, most of them numbers, and the others are values as well: `0`, `1`, `2`, `3+`.
pub(crate) fn has_texts_as_values(name: &ColumnRef, glimpse: &Glimpse) -> bool {
    glimpse.kind() == ColumnKind::Number
        && glimpse.has_texts()
        && glimpse.example().iter().any(u8::is_ascii_digit)
        && !glimpse.is_fractional()
        && may_be_indicators(name, glimpse)
}

/// The error that names all of the columns, or `None` if there are none.
pub(crate) fn refuse(columns: &[TextColumn<'_>]) -> Option<ReadError> {
    let values = |column: &TextColumn<'_>| match column.glimpse.distinct() {
        1 => format!("1 value, '{}'", shorten_bytes(column.glimpse.example())),
        many => format!("{many} different values such as '{}'", shorten_bytes(column.glimpse.example())),
    };
    let name = |column: &TextColumn<'_>| shorten(&plain_name(column.name));
    let what = match columns {
        [] => return None,
        [one] => format!("the column '{}' holds text: {}", name(one), values(one)),
        many => {
            let each = many.iter().map(|column| format!("'{}' ({})", name(column), values(column)));
            format!("{} columns hold text: {}", many.len(), each.collect::<Vec<_>>().join(", "))
        }
    };
    let named = |few: bool| -> Vec<String> {
        let those = columns.iter().filter(|column| may_be_indicators(column.name, column.glimpse) == few);
        those.map(name).collect()
    };
    Some(ReadError::new(what).help(Advice::HandleText { few: named(true), many: named(false) }))
}
