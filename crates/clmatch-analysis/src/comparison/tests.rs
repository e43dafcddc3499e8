use super::*;
use crate::resume::{Settings, VERSION};
use clmatch_data::{LabelOrigin, LabelSource, Scale};

fn scored(value: f64, checksum: &str, settings: &[(&str, &str)]) -> Scored {
    let settings = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Scored {
        version: VERSION.to_owned(),
        checksum: checksum.to_owned(),
        settings: Settings(settings.collect()),
        ..Scored::example("data", &[("clm", value), ("db", value)])
    }
}

fn change(before: Scored, after: Scored, by: &str) -> Change {
    changes(vec![before], vec![after], measure::find(by).unwrap()).remove(0)
}

#[test]
fn what_differs_is_named_and_not_taken_for_the_data() {
    let plain = || scored(0.5, "one", &[("scale", "max-abs")]);
    let texts = |change: &Change| change.settings.iter().map(ToString::to_string).collect::<Vec<_>>();

    let changed = change(plain(), scored(0.4, "two", &[("scale", "max-abs")]), "clm");
    assert_eq!((changed.same_data, texts(&changed).len()), (Some(false), 0));

    // Scaling happens after reading, so it can still be determined whether the data are the same.
    let scaled = change(plain(), scored(0.4, "one", &[("scale", "standard")]), "clm");
    assert_eq!(scaled.same_data, Some(true));
    assert_eq!(texts(&scaled), ["scale: max-abs -> standard"]);
    let both = change(plain(), scored(0.4, "two", &[("scale", "standard")]), "clm");
    assert_eq!(both.same_data, Some(false));

    // Another label column makes the data different, whatever the file holds.
    let labelled = change(plain(), scored(0.4, "two", &[("scale", "max-abs"), ("label", "kind")]), "clm");
    assert_eq!((labelled.same_data, texts(&labelled)), (None, vec!["label: not given -> kind".to_owned()]));
    let guessed = |name: &str| {
        let label =
            LabelOrigin { name: name.into(), source: LabelSource::LastColumn, alternatives: Vec::new() };
        Scored { label: Some(label), ..plain() }
    };
    let other = change(guessed("y"), Scored { checksum: "two".into(), ..guessed("kind") }, "clm");
    assert_eq!((other.same_data, texts(&other)), (None, vec!["label: y -> kind".to_owned()]));

    let upgraded = change(plain(), Scored { version: "9.9".into(), ..plain() }, "clm");
    assert_eq!(texts(&upgraded), [format!("version: {VERSION} -> 9.9")]);
}

#[test]
fn files_of_earlier_versions_tell_their_scaling() {
    let old = |scale| Scored { version: String::new(), scale, ..scored(0.5, "one", &[]) };
    let found = change(old(Scale::MaxAbs), old(Scale::Robust), "clm");
    assert_eq!(found.settings[0].to_string(), "scale: max-abs -> robust");
    assert!(change(old(Scale::MaxAbs), old(Scale::MaxAbs), "clm").settings.is_empty());
}

#[test]
fn a_fall_is_a_change_for_the_worse() {
    let fall =
        |from, to, by, bar| change(scored(from, "", &[]), scored(to, "", &[]), by).fell_by_more_than(bar);
    assert!((fall(0.5, 0.4, "clm", 0.02).unwrap() - 0.1).abs() < 1e-12);
    assert_eq!(fall(0.5, 0.6, "clm", 0.02), None);
    assert_eq!(fall(0.82, 0.80, "clm", 0.02), None, "as much is not more");
    // Lower is better for db.
    assert!(fall(0.5, 0.6, "db", 0.02).is_some() && fall(0.6, 0.5, "db", 0.02).is_none());
    assert!(fall(0.5, f64::NAN, "clm", 0.02).is_some());
}

#[test]
fn infinite_scores_are_written_as_in_results() {
    let stored = |scores: &[(&str, f64)]| {
        let scored = scores.iter().map(|&(name, db)| Scored::example(name, &[("db", db)])).collect();
        StoredScores { path: PathBuf::from("any.json"), scored, by: None }
    };
    let before = stored(&[("stays", f64::INFINITY), ("falls", f64::INFINITY), ("rises", 2.0)]);
    let after = stored(&[("stays", f64::INFINITY), ("falls", 1.0), ("rises", f64::INFINITY)]);
    let changes = compare(before, after, measure::find("db")).unwrap().changes;
    let json = serde_json::to_value(&changes).unwrap();
    let of = |name: &str| {
        let change = json.as_array().unwrap().iter().find(|change| change["dataset"] == name).unwrap();
        [&change["before"]["value"], &change["after"]["value"], &change["change"]].map(ToString::to_string)
    };
    assert_eq!(of("stays"), ["\"inf\"", "\"inf\"", "0.0"]);
    assert_eq!(of("falls"), ["\"inf\"", "1.0", "\"-inf\""]);
    assert_eq!(of("rises"), ["2.0", "\"inf\"", "\"inf\""]);
}
