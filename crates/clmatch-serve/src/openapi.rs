//! The description of the API, generated from the tables that requests are checked against.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use crate::api::{CATALOGUE, which};
use crate::kinds::{JobKind, KINDS, Takes};
use crate::parameters::{BY, MEASURES, NAME, Parameter, ParameterKind, WAIT};

/// The JSON Schemas of results, by name.
pub(crate) const SCHEMAS: &[(&str, &str)] = &[
    ("compare", include_str!("../schemas/compare.schema.json")),
    ("dataset", include_str!("../schemas/dataset.schema.json")),
    ("explain", include_str!("../schemas/explain.schema.json")),
    ("failure", include_str!("../schemas/failure.schema.json")),
    ("improve", include_str!("../schemas/improve.schema.json")),
    ("inspect", include_str!("../schemas/inspect.schema.json")),
    ("job", include_str!("../schemas/job.schema.json")),
    ("measure", include_str!("../schemas/measure.schema.json")),
    ("pick", include_str!("../schemas/pick.schema.json")),
    ("problem", include_str!("../schemas/problem.schema.json")),
    ("score", include_str!("../schemas/score.schema.json")),
    ("stability", include_str!("../schemas/stability.schema.json")),
];

/// The description.
pub(crate) static DESCRIPTION: LazyLock<Value> = LazyLock::new(describe);

/// An address that does not belong to a kind of job.
struct Address {
    method: &'static str,
    path: &'static str,
    about: &'static str,
    parameters: &'static [&'static [Parameter]],
    /// The status code of success, and the schema of the body.
    success: (u16, Option<&'static str>),
    array: bool,
    /// Whether the request contains a file.
    body: bool,
}

const fn read(path: &'static str, about: &'static str, schema: &'static str, array: bool) -> Address {
    let success = (200, Some(schema));
    Address { method: "get", path, about, parameters: &[], success, array, body: false }
}

const ADDRESSES: &[Address] = &[
    read("/api/measures", "The measures.", "measure", true),
    Address {
        parameters: &[BY, MEASURES, CATALOGUE],
        ..read("/api/catalogue", "Well-known datasets with their scores, best first.", "score", true)
    },
    read("/api/datasets", "The datasets that the server has.", "dataset", true),
    Address {
        method: "post",
        parameters: &[NAME],
        success: (201, Some("dataset")),
        body: true,
        ..read("/api/datasets", "Sends a dataset, to ask about it later.", "dataset", false)
    },
    read("/api/datasets/{id}", "One dataset.", "dataset", false),
    Address {
        method: "delete",
        success: (200, None),
        ..read("/api/datasets/{id}", "Forgets an upload.", "dataset", false)
    },
    read("/api/jobs", "The jobs, newest first.", "job", true),
    read("/api/jobs/{id}", "How a job stands.", "job", false),
    Address { method: "delete", ..read("/api/jobs/{id}", "Cancels a job.", "job", false) },
    Address {
        success: (200, None),
        ..read("/api/jobs/{id}/result", "The result of a job that is done.", "job", false)
    },
];

fn describe() -> Value {
    let mut paths = Map::new();
    let mut add = |path: &str, method: &str, operation: Value| {
        let entry = paths.entry(path.to_owned()).or_insert_with(|| json!({}));
        entry[method] = operation;
    };
    for address in ADDRESSES {
        add(address.path, address.method, address.operation());
    }
    for kind in KINDS {
        add(&format!("/api/{}", kind.id), "post", job_operation(kind));
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "clmatch",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "How well do the class labels of a dataset match the clusters that its points form?",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "paths": paths,
    })
}

/// The addresses and what they answer, for people.
pub(crate) fn addresses() -> Vec<(String, String)> {
    let jobs = KINDS.iter().map(|kind| (format!("POST /api/{}", kind.id), kind.about.to_owned()));
    let others = ADDRESSES.iter().map(|address| {
        (format!("{} {}", address.method.to_uppercase(), address.path), address.about.to_owned())
    });
    jobs.chain(others).collect()
}

impl Address {
    fn operation(&self) -> Value {
        let (status, schema) = self.success;
        let body = match schema {
            Some(name) => content("application/json", &reference(name, self.array)),
            None => json!({"application/json": {}, "text/html": {}}),
        };
        let mut responses = problems();
        responses.insert(status.to_string(), json!({"description": self.about, "content": body}));
        let mut parameters: Vec<Value> =
            self.parameters.iter().flat_map(|table| table.iter()).map(described).collect();
        if self.path.contains("{id}") {
            parameters
                .push(json!({"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}));
        }
        let mut operation = json!({"summary": self.about, "parameters": parameters, "responses": responses});
        if self.body {
            operation["requestBody"] = json!({"required": true, "content": {"application/octet-stream": {}}});
        }
        operation
    }
}

fn job_operation(kind: &JobKind) -> Value {
    let result = match kind.schema {
        Some(name) => content("application/json", &reference(name, kind.array)),
        None => json!({"text/html": {}}),
    };
    let mut responses = problems();
    responses.insert(
        "200".to_owned(),
        json!({"description": "The result, if it was waited for.", "content": result}),
    );
    let job = content("application/json", &reference("job", false));
    responses.insert("202".to_owned(), json!({"description": "The job.", "content": job}));
    let tables = kind.parameters.iter().copied().chain([which(kind.takes), WAIT]);
    let parameters: Vec<Value> = tables.flat_map(|table| table.iter()).map(described).collect();
    let mut operation = json!({"summary": kind.about, "parameters": parameters, "responses": responses});
    if kind.takes == Takes::One {
        operation["requestBody"] = json!({"required": false, "content": {"application/octet-stream": {}}});
    }
    operation
}

fn problems() -> Map<String, Value> {
    let problem = content("application/json", &reference("problem", false));
    let one = json!({"description": "Why there is no result, and what to do.", "content": problem});
    Map::from_iter([("default".to_owned(), one)])
}

fn content(kind: &str, schema: &Value) -> Value {
    json!({kind: {"schema": schema}})
}

/// A reference to a schema; an array of scores may also hold datasets that failed.
fn reference(name: &str, array: bool) -> Value {
    let one = |name: &str| json!({"$ref": format!("/api/schemas/{name}.schema.json")});
    match (name, array) {
        ("score", true) => json!({"type": "array", "items": {"anyOf": [one("score"), one("failure")]}}),
        (_, true) => json!({"type": "array", "items": one(name)}),
        (_, false) => one(name),
    }
}

fn described(parameter: &Parameter) -> Value {
    let schema = match parameter.kind {
        ParameterKind::Text | ParameterKind::Measure => json!({"type": "string"}),
        ParameterKind::List | ParameterKind::Measures => {
            json!({"type": "array", "items": {"type": "string"}})
        }
        ParameterKind::Flag => json!({"type": "boolean"}),
        ParameterKind::Whole(least, most) => json!({"type": "integer", "minimum": least, "maximum": most}),
        ParameterKind::Number(least, most) => json!({"type": "number", "minimum": least, "maximum": most}),
        ParameterKind::OneOf(known) => json!({"type": "string", "enum": known}),
    };
    let mut described =
        json!({"name": parameter.name, "in": "query", "description": parameter.about, "schema": schema});
    if matches!(parameter.kind, ParameterKind::List | ParameterKind::Measures) {
        described["style"] = json!("form");
        described["explode"] = json!(false);
    }
    described
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_that_is_named_is_there() {
        let text = DESCRIPTION.to_string();
        let named = text.split("/api/schemas/").skip(1).filter_map(|rest| rest.split(".schema.json").next());
        for name in named {
            assert!(SCHEMAS.iter().any(|(known, _)| *known == name), "{name}");
        }
        for (name, schema) in SCHEMAS {
            assert!(serde_json::from_str::<Value>(schema).is_ok(), "{name}");
            assert!(text.contains(&format!("/{name}.schema.json")), "{name} is described nowhere");
        }
    }
}
