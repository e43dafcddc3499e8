//! What the name of a column says about it: label, id, time or place.

use crate::error::ColumnRef;

/// Names that say label, the clearest one first.
pub(crate) const LABEL_NAMES: [&str; 5] = ["label", "class", "target", "species", "y"];

/// Names that say label where nothing else does, the clearest one first. A feature may have such a name, too.
pub(crate) const WEAK_LABEL_NAMES: [&str; 10] = [
    "labels",
    "classes",
    "targets",
    "outcome",
    "diagnosis",
    "survived",
    "category",
    "group",
    "cluster",
    "clusters",
];

/// Whether a name says label, clearly or not.
pub(crate) fn may_name_label(name: &str) -> bool {
    names_label(name) || WEAK_LABEL_NAMES.iter().any(|known| name.trim().eq_ignore_ascii_case(known))
}

/// Whether numbers under a name are codes of classes, however many there are.
pub(crate) fn means_classes(name: &str) -> bool {
    const WORDS: [&str; 14] = [
        "class",
        "classes",
        "label",
        "labels",
        "species",
        "category",
        "categories",
        "letter",
        "digit",
        "genre",
        "cluster",
        "group",
        "type",
        "kind",
    ];
    words(name).iter().any(|word| WORDS.contains(&word.as_str()))
}

/// Whether a name says that the values are amounts, which are nearly all different and no ids.
pub(crate) fn is_amount(name: &ColumnRef) -> bool {
    const WORDS: [&str; 24] = [
        "km",
        "mileage",
        "volume",
        "population",
        "pop",
        "amount",
        "total",
        "count",
        "counts",
        "area",
        "price",
        "cost",
        "income",
        "salary",
        "sales",
        "revenue",
        "votes",
        "deaths",
        "cases",
        "passengers",
        "weight",
        "height",
        "length",
        "width",
    ];
    let ColumnRef::Name(name) = name else { return false };
    words(name).iter().any(|word| WORDS.contains(&word.as_str()))
}

/// Whether a name says that the numbers are postal codes.
pub(crate) fn is_postal(name: &ColumnRef) -> bool {
    let ColumnRef::Name(name) = name else { return false };
    let words = words(name);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    matches!(words.as_slice(), ["zip" | "zipcode" | "postcode"] | ["zip" | "postal" | "post", "code"])
}

/// Whether a name says that rows are months or years, as in a time series.
pub(crate) fn is_period(name: &ColumnRef) -> bool {
    let ColumnRef::Name(name) = name else { return false };
    let is = |word: &String| ["year", "quarter", "month", "week", "date"].contains(&word.as_str());
    words(name).iter().any(is)
}

/// Whether a name says that the values are often predicted.
pub(crate) fn is_often_predicted(name: &ColumnRef) -> bool {
    const WORDS: [&str; 12] = [
        "y", "target", "class", "price", "cost", "charges", "salary", "sales", "revenue", "mpg", "medv",
        "debt",
    ];
    let ColumnRef::Name(name) = name else { return false };
    words(name).iter().any(|word| WORDS.contains(&word.as_str()))
}

/// Whether a name says that the column is what the others are to explain, if it is the last one.
pub(crate) fn names_outcome(name: &ColumnRef) -> bool {
    const WORDS: [&str; 31] = [
        "attrition",
        "approved",
        "cancer",
        "churn",
        "churned",
        "default",
        "defaulted",
        "died",
        "diabetes",
        "diabetic",
        "diagnosis",
        "disease",
        "exited",
        "failure",
        "fault",
        "fraud",
        "malignant",
        "mortality",
        "outcome",
        "phishing",
        "purchased",
        "readmitted",
        "response",
        "result",
        "spam",
        "stroke",
        "subscribed",
        "survived",
        "survival",
        "verdict",
        "winner",
    ];
    let ColumnRef::Name(name) = name else { return false };
    let words = words(name);
    let is = words.first().is_some_and(|first| first == "is") && words.len() > 1;
    // A range of prices is a class, and a price is none.
    let range = words == ["price", "range"];
    is || range || words.iter().any(|word| WORDS.contains(&word.as_str())) || may_name_label(name)
}

/// Whether a name says label.
pub(crate) fn names_label(name: &str) -> bool {
    LABEL_NAMES.iter().any(|known| name.trim().eq_ignore_ascii_case(known))
}

/// Whether a column has the name `known`, in upper or lower case.
pub(crate) fn is_named(name: &ColumnRef, known: &str) -> bool {
    matches!(name, ColumnRef::Name(name) if name.trim().eq_ignore_ascii_case(known))
}

/// Whether columns of these names are coordinates, so that `y` is not the label.
pub(crate) fn has_x(names: &[ColumnRef]) -> bool {
    names.iter().any(|name| is_named(name, "x"))
}

/// How clearly a name says id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum IdName {
    /// Not at all.
    No,
    /// `number`, `index`, `row`: if the values are those of an id, it is one.
    Maybe,
    /// `patient_id`: not a measurement, whatever the values are.
    Clearly,
}

/// How clearly the name of a column says id.
pub(crate) fn id_name(name: &ColumnRef) -> IdName {
    let ColumnRef::Name(name) = name else { return IdName::No };
    let name = name.trim();
    let words = words(name);
    let ends = [words.first(), words.last()];
    if ends
        .iter()
        .flatten()
        .any(|word| matches!(word.as_str(), "id" | "ids" | "identifier" | "uuid" | "guid") || is_id_of(word))
    {
        return IdName::Clearly;
    }
    let joined = words.concat();
    let unnamed = name.is_empty() || joined.starts_with("unnamed") || name.starts_with("...");
    let known = ALONE.contains(&joined.as_str()) || matches!(name, "#" | "n°" | "№");
    let (counted, what) = match words.as_slice() {
        [.., what, last] => (COUNTS.contains(&last.as_str()), what.as_str()),
        _ => (false, ""),
    };
    let index = matches!(words.as_slice(), [first, second, ..] if first == "index" && second == "level");
    if known || unnamed || index || (counted && COUNTED.contains(&what)) { IdName::Maybe } else { IdName::No }
}

/// Whether a word is that for a thing, or for who is counted, and "id": `bikeid`. Many other words end in "id", too.
fn is_id_of(word: &str) -> bool {
    const THINGS: [&str; 32] = [
        "album", "animal", "artist", "bike", "book", "business", "car", "city", "company", "country",
        "device", "event", "film", "game", "host", "house", "image", "listing", "match", "movie", "player",
        "post", "product", "sensor", "session", "song", "station", "store", "team", "track", "trip", "user",
    ];
    let thing = word.strip_suffix("id").filter(|thing| thing.len() > 1);
    thing.is_some_and(|thing| THINGS.contains(&thing) || COUNTED.contains(&thing))
}

/// Names that columns of row numbers have.
const ALONE: [&str; 30] = [
    "row",
    "rows",
    "rowid",
    "rowname",
    "rownames",
    "rownum",
    "obs",
    "observation",
    "observations",
    "index",
    "idx",
    "ix",
    "key",
    "serial",
    "sn",
    "sno",
    "srno",
    "slno",
    "seqno",
    "case",
    "record",
    "rn",
    "rec",
    "barcode",
    "accession",
    "level0",
    "number",
    "no",
    "nr",
    "num",
];
/// Words that come after the name of what is counted.
const COUNTS: [&str; 6] = ["number", "no", "nr", "num", "index", "idx"];
/// Things that are counted one by one; a Reynolds number and a price index, by contrast, are measured.
const COUNTED: [&str; 37] = [
    "s",
    "id",
    "row",
    "line",
    "sample",
    "specimen",
    "code",
    "case",
    "patient",
    "subject",
    "speaker",
    "person",
    "record",
    "obs",
    "observation",
    "serial",
    "sequence",
    "employee",
    "customer",
    "client",
    "member",
    "student",
    "passenger",
    "account",
    "order",
    "invoice",
    "item",
    "part",
    "ticket",
    "card",
    "policy",
    "loan",
    "lot",
    "phone",
    "reference",
    "accession",
    "cell",
];

/// Words for times and places: there, numbers in order are no surprise.
const ORDERED: [&str; 32] = [
    "year",
    "years",
    "yr",
    "quarter",
    "month",
    "week",
    "day",
    "days",
    "date",
    "datetime",
    "time",
    "timestamp",
    "epoch",
    "hour",
    "hours",
    "minute",
    "minutes",
    "second",
    "seconds",
    "sec",
    "t",
    "age",
    "period",
    "depth",
    "position",
    "distance",
    "dose",
    "temperature",
    "rank",
    "lat",
    "lon",
    "frequency",
];

/// Whether a name says that the values are times, places or ranks, which may count up and still be measured.
pub(crate) fn is_ordered(name: &ColumnRef) -> bool {
    let ColumnRef::Name(name) = name else { return false };
    words(name).iter().any(|word| ORDERED.contains(&word.as_str()))
}

/// The words of a name in lower case, split at punctuation and before capitals: `IDNumber` becomes `id`, `number`.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let characters: Vec<char> = name.chars().collect();
    let mut open = false;
    for (at, &character) in characters.iter().enumerate() {
        if !character.is_alphanumeric() {
            open = false;
            continue;
        }
        let before = at.checked_sub(1).map(|at| characters[at]);
        let next = characters.get(at + 1);
        let capital = character.is_uppercase()
            && (before.is_some_and(char::is_lowercase)
                || (before.is_some_and(char::is_uppercase) && next.is_some_and(|next| next.is_lowercase())));
        match words.last_mut() {
            Some(word) if open && !capital => word.extend(character.to_lowercase()),
            _ => words.push(character.to_lowercase().collect()),
        }
        open = true;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> ColumnRef {
        ColumnRef::Name(text.to_owned())
    }

    #[test]
    fn names_are_cut_into_words() {
        for (text, expected) in [
            ("IDNumber", vec!["id", "number"]),
            ("PatientID", vec!["patient", "id"]),
            ("Sample code number", vec!["sample", "code", "number"]),
            ("row.names", vec!["row", "names"]),
            ("__index_level_0__", vec!["index", "level", "0"]),
            ("Unnamed: 0", vec!["unnamed", "0"]),
            ("", vec![]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }

    #[test]
    fn ids_are_told_by_their_names() {
        for text in [
            "id",
            "ID",
            "IDNumber",
            "bikeid",
            "USERID",
            "customer_id",
            "CustomerId",
            "id_client",
            "identifier",
            "uuid",
        ] {
            assert_eq!(id_name(&name(text)), IdName::Clearly, "{text}");
        }
        for text in [
            "",
            "rownames",
            "row.names",
            "Unnamed: 0",
            "Obs",
            "index",
            "Sample code number",
            "EmployeeNumber",
            "row index",
            "__index_level_0__",
            "Nr.",
            "...1",
            "#",
            "S.No",
        ] {
            assert_eq!(id_name(&name(text)), IdName::Maybe, "{text}");
        }
        for text in [
            "width",
            "idea",
            "humidity",
            "acidity",
            "acid",
            "grid",
            "thyroid",
            "centroid",
            "Na",
            "number of rings",
            "body mass index",
            "Reynolds number",
            "AtomicNumber",
            "price_index",
            "index of refraction",
            "rowing",
            "x",
        ] {
            assert_eq!(id_name(&name(text)), IdName::No, "{text}");
        }
        assert_eq!(id_name(&ColumnRef::Index(0)), IdName::No);
    }

    #[test]
    fn times_and_places_may_count_up() {
        assert!(is_ordered(&name("Year")) && is_ordered(&name("depth_cm")) && is_ordered(&name("dayOfYear")));
        assert!(!is_ordered(&name("rownames")) && !is_ordered(&name("update")) && !is_ordered(&name("x")));
    }
}
