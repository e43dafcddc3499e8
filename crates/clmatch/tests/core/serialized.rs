//! The shapes that the feature `serde` gives to results.

use clmatch::measure::{Axioms, Better, Kind, Scope, find};
use clmatch::{Approximation, Score, estimate, evaluate_points};
use serde_json::{from_value, json, to_value};

use crate::datasets::Dataset;

#[test]
fn results_are_maps_from_ids() {
    let dataset = Dataset::line(&[&[0.0, 1.0], &[5.0, 7.0]]);
    let measures = [find("ch").unwrap(), find("sc").unwrap()];
    let found = dataset.with_classes(|classes| evaluate_points(classes, &measures).unwrap());
    let value = to_value(&found).unwrap();
    let ids: Vec<&String> = value["scores"].as_object().unwrap().keys().collect();
    assert_eq!(ids, ["ch", "sc"], "in the order in which they were asked for");
    assert_eq!(value["scores"]["ch"], json!({ "value": found.value("ch").unwrap(), "pairs": [] }));
    assert_eq!(value["points"][0]["id"], "sc");
    assert_eq!(value["points"][0]["values"].as_array().unwrap().len(), 4);

    let how = Approximation::new(Some(0.1), None);
    let estimated = dataset.with_classes(|classes| estimate(classes, &measures, &how).unwrap());
    let value = to_value(&estimated).unwrap();
    assert_eq!(value["exact"], true);
    assert_eq!(value["errors"], json!([0.0, 0.0]));
    assert_eq!(value["evaluation"]["scores"]["ch"]["value"], found.value("ch").unwrap());
}

#[test]
fn what_describes_a_measure_is_written_as_it_is_displayed_and_read_back() {
    let clm = find("clm").unwrap();
    assert_eq!(to_value(clm.kind).unwrap(), clm.kind.to_string());
    assert_eq!(to_value(Kind::Standard).unwrap(), "standard");
    assert_eq!(
        (to_value(clm.better).unwrap(), to_value(clm.scope()).unwrap()),
        (json!("higher"), json!("pairs"))
    );
    let axioms = to_value(clm.axioms).unwrap();
    assert_eq!((&axioms["W1"], &axioms["W2"], &axioms["A1"]), (&json!("yes"), &json!("no"), &json!("limit")));

    assert_eq!(from_value::<Axioms>(axioms).unwrap(), clm.axioms);
    assert_eq!(from_value::<Kind>(json!("headline")).unwrap(), Kind::Own);
    assert_eq!(from_value::<Better>(json!("lower")).unwrap(), Better::Lower);
    assert_eq!(from_value::<Scope>(json!("dataset")).unwrap(), Scope::Dataset);
    let score = Score::new(0.5, vec![0.25, 0.75]);
    assert_eq!(from_value::<Score>(to_value(&score).unwrap()).unwrap(), score);
}
