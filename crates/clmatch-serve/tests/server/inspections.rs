//! How a dataset is understood, and settings that work.

use serde_json::Value;

use crate::client::Server;

/// A table with text, a missing value and a class of one point, which is refused as it is.
fn mixed_table() -> String {
    let row = |at: usize| {
        let x = if at == 7 { String::new() } else { (at % 7).to_string() };
        format!(
            "{x},{},note {at},{},{}\n",
            ["red", "blue"][at % 2],
            (at / 20) * 10 + at % 5,
            ["a", "b"][at / 20]
        )
    };
    let rows: String = (0..40).map(row).collect();
    format!("x,colour,remark,y,class\n{rows}3,red,note 40,4,alone\n")
}

/// Proposed settings as parameters.
fn query(found: &Value) -> String {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let parameter = |setting: &Value| {
        let value = &setting["value"];
        let values = value.as_array().map_or_else(|| vec![text(value)], |all| all.iter().map(text).collect());
        format!("&{}={}", setting["name"].as_str().unwrap(), values.join(","))
    };
    found["settings"].as_array().unwrap().iter().map(parameter).collect()
}

#[test]
fn a_dataset_is_inspected_as_the_command_does() {
    let server = Server::start();
    let found = server.post("/api/inspect?dataset=iris&wait=60", &[]).json();
    assert_eq!(
        (found["schema"].as_str(), found["points"]["points"].as_u64()),
        (Some("clmatch/inspect/1"), Some(150))
    );
    assert!(found["refused"].is_null() && found["settings"].as_array().unwrap().is_empty(), "{found}");
    let dropped = server.post("/api/inspect?dataset=iris&drop=0&wait=60", &[]).json();
    assert_eq!(dropped["columns"][0]["role"], "left-out", "{dropped}");
    assert_eq!(dropped["points"]["features"], 3);
    assert!(dropped["command"].as_str().unwrap().contains("--drop=0"), "{dropped}");
}

#[test]
fn the_settings_that_are_proposed_work_in_one_step() {
    let server = Server::start();
    server.post("/api/datasets?name=mixed.csv", mixed_table().as_bytes());
    let refused = server.post("/api/score?dataset=upload-1&wait=60", &[]);
    assert_eq!(refused.status, 422);
    let refused = refused.json();
    assert_eq!(refused["roles"][0], "label: class (by its name)", "{refused}");
    let found = server.post("/api/inspect?dataset=upload-1&wait=60", &[]).json();
    assert!(found["refused"].is_string(), "{found}");
    let of = |name: &str| {
        found["columns"].as_array().unwrap().iter().find(|column| column["name"] == name).unwrap()
    };
    assert_eq!(
        [&of("class")["role"], &of("colour")["role"], &of("remark")["role"]],
        ["label", "indicators", "left-out"]
    );
    assert_eq!((&refused["settings"], &refused["command"]), (&found["settings"], &found["command"]));
    let asked = format!("/api/score?dataset=upload-1&wait=60{}", query(&found));
    let scored = server.post(&asked, &[]);
    assert_eq!(scored.status, 200, "{asked}: {scored:?}");
    assert_eq!(scored.json()["points"], found["points"]["points"]);
    assert_eq!(scored.json()["dataset"], found["dataset"]);
    let command = found["command"].as_str().unwrap();
    assert!(command.starts_with("clmatch score mixed.csv") && command.contains("--mixed"), "{command}");
    // The same from a body.
    let direct = server.post("/api/inspect?name=mixed.csv&wait=60", mixed_table().as_bytes()).json();
    assert_eq!(direct, found);
}

#[test]
fn what_cannot_be_scored_has_an_inspection_and_no_place_among_results() {
    let server = Server::start();
    let answer = server.post("/api/inspect?name=x.csv&wait=60", b"x,label\n1,a\n2,a\n3,a\n");
    assert_eq!(answer.status, 200, "{answer:?}");
    let found = answer.json();
    assert!(found["obstacle"]["what"].is_string() && found["command"].is_null(), "{found}");
    let empty = server.post("/api/inspect?name=x.csv&wait=60", b"\n").json();
    assert!(empty["obstacle"]["what"].is_string(), "{empty}");
    server.post("/api/inspect?dataset=iris&wait=60", &[]);
    for path in ["/", "/datasets/iris"] {
        assert!(!server.get(path).body.contains("inspect: "), "{path}");
    }
}

#[test]
fn the_page_has_a_control_for_every_option_of_reading() {
    let server = Server::start();
    let description = server.get("/api/openapi.json").json();
    let parameters = description["paths"]["/api/inspect"]["post"]["parameters"].as_array().unwrap();
    let names: Vec<&str> = parameters.iter().map(|parameter| parameter["name"].as_str().unwrap()).collect();
    assert!(names.len() > 15, "{names:?}");
    for path in ["/", "/datasets/iris"] {
        let page = server.get(path).body;
        for name in names.iter().filter(|name| !["dataset", "name", "wait"].contains(name)) {
            assert!(page.contains(&format!(" name=\"{name}\"")), "{path} lacks {name}");
        }
    }
}
