use super::*;

#[test]
fn verdicts_are_sentences_and_survive_json() {
    let pair = |a: &str| [a.to_owned(), "z".to_owned()];
    let shared = Finding::SharedCluster { pairs: ["p", "q", "r", "s"].map(pair).to_vec() };
    let split = SplitClass { class: "v".into(), shares: vec![0.5, 0.3, 0.2], certain: true };
    let decision = Decision::NotFit { findings: vec![Finding::SplitClass { class: split.clone() }, shared] };
    assert_eq!(
        decision.to_string(),
        "not fit to serve as ground truth: 'v' looks like 3 clusters (50%, 30%, 20%); \
         pairs of classes share a cluster: 'p' and 'z', 'q' and 'z', 'r' and 'z', and 1 more"
    );
    let expected = Some(ExpectedAmi { ami: 0.25, error: 0.12 });
    let verdict = Verdict { measure: "clm".into(), decision, expected, caveats: Vec::new() };
    let text = serde_json::to_string(&verdict).unwrap();
    let start = r#"{"measure":"clm","decision":"not-fit","findings":[{"finding":"split-class","class":"v","shares":["#;
    assert!(text.starts_with(start), "{text}");
    assert_eq!(serde_json::from_str::<Verdict>(&text).unwrap(), verdict);

    let merge = Change::Merge { classes: ["a", "b", "c"].map(String::from).to_vec() };
    let scale = Change::Scale { scale: Scale::Standard, clm: 0.75 };
    let changes = Decision::FitAfterChange { changes: vec![merge, Change::Split { class: split }, scale] };
    assert_eq!(
        changes.to_string(),
        "fit to serve as ground truth after changes: merge 'a', 'b' and 'c', split 'v' into 3 clusters, use --scale standard (clm 0.750)"
    );
    assert_eq!(changes.brief(), "fit if changed");
    let withheld = Decision::CannotBeSaid { reasons: vec![Reason::NoClm, Reason::Between] };
    assert_eq!(
        serde_json::from_str::<Decision>(&serde_json::to_string(&withheld).unwrap()).unwrap(),
        withheld
    );
}

#[test]
fn verdicts_of_earlier_versions_are_left_out() {
    #[derive(Deserialize)]
    struct Holder {
        #[serde(default, deserialize_with = "Verdict::read")]
        verdict: Option<Verdict>,
    }
    let read = |text: &str| serde_json::from_str::<Holder>(text).unwrap().verdict;
    assert_eq!(read(r#"{"verdict":{"measure":"clm","decision":"fit-but-for-pairs","pairs":[]}}"#), None);
    assert_eq!(read("{}"), None);
    assert_eq!(read(r#"{"verdict":{"measure":"clm","decision":"fit"}}"#).unwrap().decision, Decision::Fit);
}
