//! Results are those of the library, in the format that the command prints.

use clmatch::Control;
use clmatch::measure::defaults;
use clmatch_analysis::deciding::judge;
use clmatch_analysis::judging::attach_verdict;
use clmatch_analysis::scoring::{ScoreSettings, score_with};
use clmatch_data::embedded;
use serde_json::Value;

use crate::client::{Server, small_table};

#[test]
fn a_score_is_that_of_the_library() {
    let server = Server::start();
    let settings = ScoreSettings { try_standard: true, ..ScoreSettings::new(defaults()) };
    let mut expected =
        score_with(embedded::load("wine").unwrap(), &settings, Control::none()).unwrap().scored;
    attach_verdict(&mut expected, judge(&settings.measures).unwrap());
    let answer = server.post("/api/score?dataset=wine&wait=60", &[]);
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.json(), serde_json::to_value(&expected).unwrap());
}

#[test]
fn a_file_is_sent_and_asked_about_by_its_id() {
    let server = Server::start();
    let kept = server.post("/api/datasets?name=..%2F..%2Ftwo%20classes.csv", small_table().as_bytes());
    assert_eq!((kept.status, kept.header("location")), (201, Some("/api/datasets/upload-1")));
    let kept = kept.json();
    assert_eq!((kept["name"].as_str(), kept["origin"].as_str()), (Some("two classes.csv"), Some("uploaded")));
    let scored = server.post("/api/score?dataset=upload-1&wait=60", &[]).json();
    assert_eq!((scored["dataset"].as_str(), scored["points"].as_u64()), (Some("two classes"), Some(40)));
    // The same result from a single request.
    let direct = server.post("/api/score?name=two%20classes.csv&wait=60", small_table().as_bytes()).json();
    assert_eq!(direct, scored);
    assert_eq!(server.delete("/api/datasets/upload-1").status, 200);
    assert_eq!(server.post("/api/score?dataset=upload-1", &[]).status, 404);
}

#[test]
fn every_kind_of_job_has_its_schema_and_its_page() {
    let server = Server::start();
    let schemas = [
        ("score?dataset=iris", Some("clmatch/score/5")),
        ("explain?dataset=iris", Some("clmatch/explain/")),
        ("improve?dataset=iris&budget=2", Some("clmatch/improve/")),
        ("report?dataset=iris", None),
        ("inspect?dataset=iris", Some("clmatch/inspect/1")),
        ("rank?datasets=iris,wine", Some("clmatch/score/5")),
        ("compare?datasets=well-matched,well-matched", None),
        ("pick?count=3", Some("clmatch/pick/")),
        ("stability?datasets=iris,wine,seeds,har", Some("clmatch/stability/1")),
    ];
    for (asked, schema) in schemas {
        let job = server.post(&format!("/api/{asked}"), &[]);
        assert_eq!(job.status, 202, "{job:?}");
        let ended = server.ended(&job.json());
        let result = server.get(ended["result"].as_str().unwrap());
        let page = server.get(ended["page"].as_str().unwrap());
        if asked.starts_with("compare") {
            // Giving the same representation twice gives the same name twice.
            assert_eq!((result.status, ended["state"].as_str()), (422, Some("failed")), "{result:?}");
            assert!(result.problem().contains("two representations are called"), "{result:?}");
            assert_eq!(page.status, 422);
            continue;
        }
        assert_eq!((result.status, page.status), (200, 200), "{asked}: {ended}");
        assert!(page.body.contains("<nav aria-label=\"Parts of the site\">"), "{asked}");
        match schema {
            Some(schema) => {
                let json = result.json();
                let first: &Value = json.get(0).unwrap_or(&json);
                assert!(first["schema"].as_str().unwrap().starts_with(schema), "{asked}: {first}");
            }
            // A downloaded page stands alone.
            None => assert!(result.body.contains("This file stands alone"), "{asked}"),
        }
    }
}

#[test]
fn what_the_program_knows_is_listed() {
    let server = Server::start();
    let catalogue = server.get("/api/catalogue?by=ch_a&top=3&measures=sc_a").json();
    let names: Vec<&str> =
        catalogue.as_array().unwrap().iter().map(|one| one["dataset"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
    assert_eq!((catalogue[0]["rank"].as_u64(), catalogue[0]["by"].as_str()), (Some(1), Some("ch_a")));
    assert!(server.get("/api/measures").json().as_array().unwrap().len() > 10);
    let datasets = server.get("/api/datasets").json();
    assert!(datasets.as_array().unwrap().iter().any(|one| one["dataset"] == "iris"));
}

#[test]
fn every_address_of_the_description_is_answered_as_described() {
    let server = Server::start();
    let description = server.get("/api/openapi.json").json();
    let paths = description["paths"].as_object().unwrap();
    assert!(paths.len() >= 14, "{}", paths.len());
    for (path, methods) in paths {
        for (method, operation) in methods.as_object().unwrap() {
            let answer = server.ask(&method.to_uppercase(), &path.replace("{id}", "1"), &[], &[]);
            assert_ne!(answer.status, 405, "{method} {path}");
            let known = operation["responses"].as_object().unwrap();
            assert!(known.contains_key("default"));
            if answer.status >= 400 {
                answer.problem();
            }
        }
    }
    for name in ["score", "job", "problem"] {
        assert!(server.get(&format!("/api/schemas/{name}.schema.json")).json()["$id"].is_string());
    }
    assert_eq!(server.ask("PUT", "/api/jobs", &[], &[]).status, 405);
}
