//! What pandas notes about the types of columns. It opens no file whose columns have other types than the note says.

use arrow_schema::{DataType, Field, Schema};
use serde_json::Value;

/// The key of the note.
pub(super) const KEY: &str = "pandas";

/// The note of a file some of whose columns have another type than `before`; `None` if it need not change.
pub(super) fn renoted(note: &str, before: &Schema, after: &Schema) -> Option<String> {
    let mut note: Value = serde_json::from_str(note).ok()?;
    let mut changed = false;
    for column in note.get_mut("columns")?.as_array_mut()? {
        let name = column.get("field_name").and_then(Value::as_str).unwrap_or_default();
        let (Ok(old), Ok(new)) = (before.field_with_name(name), after.field_with_name(name)) else {
            continue;
        };
        if old.data_type() == new.data_type() {
            continue;
        }
        let nullable = column
            .get("numpy_type")
            .and_then(Value::as_str)
            .is_some_and(|kind| kind == "boolean" || kind.starts_with(|c: char| c.is_ascii_uppercase()));
        let (kind, stored) = kinds(new, nullable);
        let Some(column) = column.as_object_mut() else { continue };
        column.insert("pandas_type".to_owned(), kind.into());
        column.insert("numpy_type".to_owned(), stored.into());
        column.insert("metadata".to_owned(), Value::Null);
        changed = true;
    }
    changed.then(|| note.to_string())
}

/// How pandas calls the type of a column, and how it stores it; `nullable` columns have types of pandas itself.
fn kinds(field: &Field, nullable: bool) -> (String, String) {
    match field.data_type() {
        kind if kind.is_numeric() => {
            // `Int64` of Arrow is `Int64` of pandas, and `int64` of NumPy.
            let own = format!("{kind:?}");
            let plain = own.to_ascii_lowercase();
            (plain.clone(), if nullable { own } else { plain })
        }
        DataType::Boolean => ("bool".to_owned(), if nullable { "boolean" } else { "bool" }.to_owned()),
        _ => ("unicode".to_owned(), "object".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_columns_with_another_type_are_noted_anew() {
        let schema = |kind: DataType| {
            Schema::new(vec![Field::new("x", DataType::Float64, true), Field::new("y", kind, true)])
        };
        let note = |kind: &str, stored: &str| {
            format!(
                r#"{{"columns":[{{"field_name":"x","metadata":null,"numpy_type":"float64","pandas_type":"float64"}},{{"field_name":"y","metadata":null,"numpy_type":"{stored}","pandas_type":"{kind}"}}]}}"#
            )
        };
        let old = schema(DataType::Int8);
        let renoted = |new: DataType, stored: &str| {
            let found = renoted(&note("int8", stored), &old, &schema(new))?;
            serde_json::from_str::<Value>(&found).ok()
        };
        let expected = |kind, stored| serde_json::from_str::<Value>(&note(kind, stored)).ok();
        assert_eq!(renoted(DataType::Int8, "Int8"), None);
        assert_eq!(renoted(DataType::Utf8, "Int8"), expected("unicode", "object"));
        assert_eq!(renoted(DataType::Int64, "Int8"), expected("int64", "Int64"));
        assert_eq!(renoted(DataType::Int64, "int8"), expected("int64", "int64"));
    }
}
