//! Benchmarks from the catalogue and from files: what is valid, what is far apart, what is refused.

use clmatch::measure::find;
use clmatch_data::catalogue_truth::CatalogueTruth;
use clmatch_truth::results;

use super::*;
use crate::verdict::Decision;

const TRUTH: &str = include_str!("../../../../lab/results/truth.csv");

fn settings(count: usize) -> BenchmarkSettings {
    BenchmarkSettings {
        ranking: None,
        truth: None,
        by: None,
        external: None,
        techniques: Vec::new(),
        accept: AcceptedVerdict::FitAfterChange,
        pick: PickSettings { count, diversity: 1.0, seed: 0 },
    }
}

fn chosen(settings: &BenchmarkSettings) -> Benchmark {
    choose_benchmark(settings, Control::none()).unwrap().0
}

fn refused(settings: &BenchmarkSettings) -> String {
    let error = choose_benchmark(settings, Control::none()).unwrap_err();
    format!("{error}; {}", error.advice().unwrap())
}

fn document(text: impl Into<String>) -> Document {
    Document { name: "table.csv".into(), text: text.into() }
}

/// A ranking as CSV with 12 datasets, of which the first nine are fit, and the truth of four techniques on them.
fn tables() -> [Document; 2] {
    let mut ranking = String::from("rank,dataset,points,features,classes,clm,sc\n");
    let mut truth = String::from("dataset,technique,external,score\n");
    for at in 0..12_u32 {
        let score = if at < 9 { 0.99 - 0.01 * f64::from(at) } else { 0.05 };
        let (points, features, classes) = (100 * (1 + at % 4), 2 + 3 * (at % 5), 2 + at % 3);
        ranking.push_str(&format!("{},d{at:02},{points},{features},{classes},{score},0.5\n", at + 1));
        for (technique, best_at) in [("w", 0), ("x", 1), ("y", 2), ("z", 3)] {
            let score = 0.3 + 0.05 * f64::from(best_at) + 0.2 * f64::from((at * 7 + best_at * 5) % 4) / 3.0;
            truth.push_str(&format!(
                "d{at:02},{technique},ami,{score:.3}\nd{at:02},{technique},vm,{:.3}\n",
                1.0 - score
            ));
        }
    }
    ranking.push_str(",broken,,,,,\n");
    [ranking, truth].map(document)
}

#[test]
fn the_catalogue_gives_ten_valid_and_diverse_datasets() {
    let found = chosen(&settings(10));
    assert_eq!((found.picked.len(), found.datasets, found.by.as_str()), (10, 92, "clm"));
    assert_eq!(found.external.as_deref(), Some("ami"));
    // Datasets with classes of fewer than 10 points get no verdict.
    let names: Vec<&str> = found.picked.iter().map(|one| one.dataset.as_str()).collect();
    for small in ["zoo", "ecoli", "glass_identification", "yeast"] {
        assert!(!names.contains(&small), "{names:?}");
    }
    let [pick, top, stable, random] = [0, 1, 2, 3].map(|at| &found.choices[at]);
    assert!(pick.diversity >= 1.0 && pick.stability <= stable.stability + 1e-9, "{:?}", found.choices);
    assert!(pick.stability > random.stability && pick.stability > top.stability, "{:?}", found.choices);
    assert_eq!(top.datasets[0], "weather");
    assert!(found.picked.windows(2).all(|pair| pair[0].score >= pair[1].score));
    assert_eq!(found.techniques.len(), 9);
    assert_eq!(found, chosen(&settings(10)));
}

#[test]
fn the_embedded_truth_is_that_of_the_lab() {
    let rows = results::read(TRUTH).unwrap();
    let embedded = CatalogueTruth::embedded();
    assert_eq!(rows.len(), embedded.rows.len() * embedded.techniques.len());
    for row in &rows {
        let known = embedded
            .rows
            .iter()
            .find(|known| known.dataset == row.dataset && Some(&known.external) == row.external.as_ref());
        let at = embedded.techniques.iter().position(|technique| *technique == row.method).unwrap();
        let known = known.unwrap().scores[at];
        assert!((known - row.score).abs() <= 5.1e-7, "{row:?} {known}");
    }
}

#[test]
fn tables_are_read_and_judged() {
    let [ranking, truth] = tables();
    let settings = BenchmarkSettings {
        ranking: Some(ranking),
        truth: Some(truth),
        external: Some("vm".into()),
        techniques: ["z", "w", "x"].map(str::to_owned).to_vec(),
        ..settings(4)
    };
    let (found, remarks) = choose_benchmark(&settings, Control::none()).unwrap();
    assert_eq!((found.datasets, found.valid, found.candidates), (12, 9, 9));
    assert!(found.exact, "126 choices");
    assert_eq!(found.techniques.len(), 3);
    assert!(remarks[0].text.contains("verdicts follow from the scores"), "{remarks:?}");
    // The numbers of the pick are those of its rows.
    let first = &found.picked[0];
    assert_eq!(first.points, 100 * (1 + first.dataset[1..].parse::<usize>().unwrap() % 4));
    let mean: f64 = found.picked.iter().map(|one| one.score).sum::<f64>() / 4.0;
    assert!((found.choices[0].mean_score - mean).abs() < 1e-12);
}

#[test]
fn distances_by_hand() {
    let candidate = |points: usize, classes: usize, techniques: [f64; 2]| Candidate {
        scored: Scored { points, features: 3, classes, ..Scored::default() },
        score: 0.5,
        techniques: techniques.to_vec(),
    };
    // Points 10, 100, 100: squared differences 1, 1, 0 in decades, with mean 2/3. The number of features is the same throughout.
    // Classes 2, 2, 4 give the same squared differences. The ranks of the techniques are swapped for the second dataset only.
    let three = [candidate(10, 2, [0.1, 0.2]), candidate(100, 2, [0.2, 0.1]), candidate(100, 4, [0.5, 0.9])];
    let found = distances(&three);
    let expected = |traits: f64| (traits * 1.5 / 4.0).sqrt();
    for (a, b, traits) in [(0, 1, 2.0), (0, 2, 2.0), (1, 2, 2.0), (0, 0, 0.0)] {
        assert!((found[a][b] - expected(traits)).abs() < 1e-12, "{a} {b}: {}", found[a][b]);
        assert_eq!(found[a][b], found[b][a]);
    }
}

#[test]
fn the_same_points_have_the_truth_of_the_catalogue_whatever_their_name() {
    let entries = &clmatch_data::catalogue::Catalogue::embedded().entries;
    let clm = |one: &clmatch_data::catalogue::Entry| one.scores[0];
    let mut order: Vec<_> = entries.iter().collect();
    order.sort_by(|a, b| clm(b).total_cmp(&clm(a)));
    let scored: Vec<Scored> = order[..6]
        .iter()
        .enumerate()
        .map(|(at, entry)| Scored {
            checksum: entry.checksum.clone(),
            points: entry.points,
            features: entry.features,
            classes: entry.classes,
            ..Scored::example(&format!("mine{at}"), &[("clm", clm(entry))])
        })
        .collect();
    let ranking = document(serde_json::to_string(&scored).unwrap());
    let settings = BenchmarkSettings { ranking: Some(ranking), ..settings(3) };
    let (found, remarks) = choose_benchmark(&settings, Control::none()).unwrap();
    assert_eq!((found.candidates, remarks.len()), (6, 0));
    assert!(found.picked.iter().all(|one| one.dataset.starts_with("mine")));
}

#[test]
fn what_cannot_be_chosen_is_refused_with_a_way_out() {
    assert_eq!(
        refused(&settings(60)),
        "18 of the 92 datasets are fit, or fit after a change, by clm, and 60 are wanted; choose fewer datasets, or accept weaker verdicts"
    );
    let standard = BenchmarkSettings { by: find("sc"), ..settings(3) };
    assert!(refused(&standard).starts_with("sc is a standard measure, which cannot be compared"));
    let far = BenchmarkSettings { pick: PickSettings { count: 5, diversity: 9.0, seed: 0 }, ..settings(5) };
    assert!(refused(&far).ends_with("; ask for less diversity"), "{}", refused(&far));
    let unknown = BenchmarkSettings { external: Some("acc".into()), ..settings(5) };
    assert!(refused(&unknown).contains("there is no external measure acc; there are: ami, arand, vm, nmi"));

    let [ranking, truth] = tables();
    let few: String = truth
        .text
        .lines()
        .filter(|line| line.starts_with("dataset") || line < &"d04")
        .map(|line| format!("{line}\n"))
        .collect();
    let few = document(few);
    let own = |count| BenchmarkSettings {
        ranking: Some(ranking.clone()),
        truth: Some(few.clone()),
        ..settings(count)
    };
    assert_eq!(
        refused(&own(5)),
        "4 of the 9 valid datasets have scores of techniques, and 5 are wanted; there are none of d04, d05, d06, d07, d08; \
         compute the scores of techniques on these datasets"
    );
    let (found, remarks) = choose_benchmark(&own(4), Control::none()).unwrap();
    assert_eq!((found.valid, found.candidates, remarks.len()), (9, 4, 3));
    assert!(remarks[1].text.starts_with("5 of the 9 valid datasets cannot be chosen"), "{remarks:?}");
    assert!(remarks[2].text.contains("all of them are taken"));

    let row = "1,d00,10,2,2,0.9\n";
    let twice = document(format!("rank,dataset,points,features,classes,clm\n{row}{row}"));
    let twice = BenchmarkSettings { ranking: Some(twice), ..settings(2) };
    assert_eq!(refused(&twice), "d00 is in the ranking twice; keep one of each name");
}

#[test]
fn verdicts_that_are_accepted() {
    let changed = Decision::FitAfterChange { changes: Vec::new() };
    let unclear = Decision::CannotBeSaid { reasons: Vec::new() };
    let unfit = Decision::NotFit { findings: Vec::new() };
    for (accept, expected) in [
        (AcceptedVerdict::Fit, [true, false, false, false]),
        (AcceptedVerdict::FitAfterChange, [true, true, false, false]),
        (AcceptedVerdict::CannotBeSaid, [true, true, true, false]),
    ] {
        let found = [&Decision::Fit, &changed, &unclear, &unfit].map(|one| accept.accepts(one));
        assert_eq!(found, expected, "{accept:?}");
    }
}
