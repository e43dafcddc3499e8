//! Trees of labels, worked out by hand and compared with plain scores of the same points.

use clmatch::measure::find;
use clmatch::{Control, Labels, Singletons};
use clmatch_data::Dataset;

use super::*;
use crate::scoring::score;

fn settings() -> ScoreSettings {
    ScoreSettings::new(vec![find("clm").unwrap(), find("ch_a").unwrap(), find("sc").unwrap()])
}

/// Four points for each label; the labels lie at some distance from each other.
fn dataset(labels: &[&str]) -> Dataset {
    let places = [(0.0, 0.0), (1.0, 0.2), (0.1, 1.1), (1.2, 0.9)];
    let values: Vec<f64> = (0..labels.len())
        .flat_map(|at| places.map(|(x, y)| [x + 2.5 * at as f64, y + 0.7 * ((at * at) % 5) as f64]))
        .flatten()
        .collect();
    let labels = Labels::encode(labels.iter().flat_map(|label| [*label; 4]));
    Dataset::new("tree", vec!["x".into(), "y".into()], values, labels).unwrap()
}

fn levels(labels: &[&str]) -> Levels {
    score_levels(dataset(labels), "/", &settings(), Control::none()).unwrap().0
}

fn refused(labels: &[&str], settings: &ScoreSettings) -> String {
    let error = score_levels(dataset(labels), "/", settings, Control::none()).unwrap_err();
    format!("{error}; {}", error.advice().unwrap())
}

/// The scores of the same points under other labels; points with an empty label are left out.
fn plain(labels: &[&str], renamed: &[&str]) -> Scores {
    let data = dataset(labels);
    let new = Labels::encode(renamed.iter().flat_map(|label| [*label; 4]));
    let data = Dataset::new("tree", data.features().to_vec(), data.values().clone(), new).unwrap();
    score(data, &ScoreSettings { noise: Some(String::new()), ..settings() }).unwrap().scored.scores
}

const EVEN: [&str; 5] = ["animal/cat", "animal/dog/poodle", "animal/dog/spaniel", "plant/oak", "plant/rose"];

#[test]
fn every_level_and_node_is_a_plain_score_of_its_points() {
    let found = levels(&EVEN);
    assert_eq!((found.levels.len(), found.labels, found.points), (3, 5, 20));
    let expected = [
        plain(&EVEN, &["animal", "animal", "animal", "plant", "plant"]),
        plain(&EVEN, &["animal/cat", "animal/dog", "animal/dog", "plant/oak", "plant/rose"]),
        plain(&EVEN, &EVEN),
    ];
    for (level, expected) in found.levels.iter().zip(expected) {
        assert_eq!(level.classes.scores, Some(expected), "{}", level.level);
        assert_eq!((level.classes.points, level.classes.undecided), (20, 0));
    }
    let nodes: Vec<&str> = found.nodes.iter().map(|node| node.node.as_str()).collect();
    assert_eq!(nodes, ["animal", "animal/dog", "plant"]);
    let expected = [
        plain(&EVEN, &["cat", "dog", "dog", "", ""]),
        plain(&EVEN, &["", "poodle", "spaniel", "", ""]),
        plain(&EVEN, &["", "", "", "oak", "rose"]),
    ];
    for (node, expected) in found.nodes.iter().zip(expected) {
        assert_eq!(node.classes.scores, Some(expected), "{}", node.node);
    }
    assert_eq!((found.nodes[0].classes.classes, found.nodes[0].classes.points), (2, 12));
    let weakest = found.levels[1].classes.over_pairs[0].weakest_class.as_ref().unwrap();
    assert!(weakest.class.contains('/'), "{weakest:?}");
}

#[test]
fn labels_that_end_early() {
    // cat ends early, and nothing continues it: it is a class of its own at every level. animal ends early, and others continue
    // it.
    let labels = ["animal", "animal/dog/poodle", "animal/dog/spaniel", "cat"];
    let found = levels(&labels);
    let [one, two, three] = [0, 1, 2].map(|at| &found.levels[at].classes);
    assert_eq!((one.classes, one.points, one.undecided), (2, 16, 0));
    assert_eq!((two.classes, two.points, two.undecided), (2, 12, 4));
    assert_eq!(two.scores, Some(plain(&labels, &["", "dog", "dog", "cat"])));
    assert_eq!((three.classes, three.points, three.undecided), (3, 12, 4));
    let [animal, dog] = [0, 1].map(|at| &found.nodes[at].classes);
    assert_eq!((animal.classes, animal.points, animal.undecided), (1, 8, 4));
    assert_eq!(animal.not_scored, Some(NotScored::OneClass { class: "dog".into() }));
    assert_eq!((dog.classes, dog.points, dog.undecided), (2, 8, 0));
    assert!(dog.scores.is_some() && animal.scores.is_none());
}

#[test]
fn a_common_start_leaves_the_first_level_without_scores() {
    let found = levels(&["all/a", "all/b"]);
    assert_eq!(found.levels[0].classes.not_scored, Some(NotScored::OneClass { class: "all".into() }));
    assert!(found.levels[1].classes.scores.is_some());
}

#[test]
fn single_points_spoil_their_level_and_no_other() {
    let values: Vec<f64> = (0..9).map(f64::from).collect();
    let names = ["a/x", "a/x", "a/y", "a/y", "b/z", "b/z", "b/w", "c/p", "c/q"];
    let data = || Dataset::new("few", vec!["x".into()], values.clone(), Labels::encode(names)).unwrap();
    let (found, remarks) = score_levels(data(), "/", &settings(), Control::none()).unwrap();
    assert!(found.levels[0].classes.scores.is_some());
    let single = |class: &str| Some(NotScored::Singleton { class: class.into() });
    assert_eq!(found.levels[1].classes.not_scored, single("b/w"));
    let reasons: Vec<_> = found.nodes.iter().map(|node| node.classes.not_scored.clone()).collect();
    assert_eq!(reasons, [None, single("w"), Some(NotScored::OnlySingletons)]);
    assert_eq!(
        remarks[0].text,
        "3 of 5 levels and nodes have no scores, because of classes of a single point"
    );
    assert_eq!(remarks[0].advice, Some(Advice::DropSingletons));

    let drop = ScoreSettings { singletons: Singletons::Drop, ..settings() };
    let (found, _) = score_levels(data(), "/", &drop, Control::none()).unwrap();
    let second = &found.levels[1].classes;
    assert!(second.scores.is_some());
    assert_eq!((second.classes, second.points, second.singletons.len()), (3, 6, 3));
    let reasons: Vec<_> = found.nodes.iter().map(|node| node.classes.not_scored.clone()).collect();
    let only = NotScored::OneClass { class: "z".into() };
    assert_eq!(reasons, [None, Some(only), Some(NotScored::OnlySingletons)]);
}

#[test]
fn noise_is_no_label() {
    let noisy = ScoreSettings { noise: Some("-1".into()), ..settings() };
    let labels = ["a/x", "a/y", "b/z", "-1"];
    let (found, remarks) = score_levels(dataset(&labels), "/", &noisy, Control::none()).unwrap();
    assert_eq!((found.points, found.noise, found.labels, remarks.len()), (12, 4, 3, 0));
    assert_eq!((found.levels[0].classes.points, found.levels[0].classes.undecided), (12, 0));
    let (_, remarks) = score_levels(dataset(&EVEN), "/", &noisy, Control::none()).unwrap();
    assert_eq!(remarks[0].text, "no point is labelled '-1'");
}

#[test]
fn what_is_no_tree_is_refused() {
    let plain = settings();
    assert_eq!(
        refused(&["a.x", "a.y"], &plain),
        "tree: no label contains '/' (one of them is 'a.x'); choose what separates the parts of labels"
    );
    for label in ["a//y", "/a", "a/"] {
        assert_eq!(
            refused(&["a/x", label], &plain),
            format!(
                "tree: the label '{label}' of 4 points has an empty part; correct the label: every part needs a name"
            )
        );
    }
    let single = Dataset::new("s", vec!["x".into()], vec![0.0, 1.0], Labels::encode(["a/x", "a/y"])).unwrap();
    let error = score_levels(single, "/", &plain, Control::none()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "s: no level of the labels can be scored (level 1: one class only, 'a'; level 2: every class has a single point)"
    );
    assert_eq!(error.advice(), Some(Advice::ChooseSeparator));
    let values = vec![0.0, 1.0, 2.0];
    let single = Dataset::new("s", vec!["x".into()], values, Labels::encode(["a/x", "a/y", "a/y"])).unwrap();
    let error = score_levels(single, "/", &plain, Control::none()).unwrap_err();
    assert_eq!(error.advice(), Some(Advice::DropSingletons));
}

#[test]
fn results_survive_json() {
    let found = levels(&["animal", "animal/dog/poodle", "animal/dog/spaniel", "cat"]);
    let text = serde_json::to_string(&found).unwrap();
    assert_eq!(serde_json::from_str::<Levels>(&text).unwrap(), found);
    assert!(text.contains(r#""not_scored":{"reason":"one-class","class":"dog"}"#), "{text}");
}
