//! Representations of the same rows: who wins, who does not, and what is refused.

use std::path::Path;

use clmatch::measure::find;
use clmatch_data::ReadOptions;

use super::*;
use crate::source::only;

fn settings(measures: &[&str]) -> CompareSettings {
    let measures = measures.iter().map(|id| find(id).unwrap()).collect();
    CompareSettings { score: ScoreSettings::new(measures), label_of: None, seed: 0 }
}

/// Numbers that look random but are always the same, approximately normal.
struct Noise(u64);

impl Noise {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

/// Two classes of `each` points whose centres lie `apart`, in three features, each with its own noise.
fn csv(each: usize, apart: f64, shared: &mut Noise, own: &mut Noise, labelled: bool) -> String {
    let mut text = format!("a,b,c{}\n", if labelled { ",label" } else { "" });
    for row in 0..2 * each {
        let (class, base) = (row % 2, shared.normal());
        let place = apart * class as f64 + 0.5 * base + 0.8 * own.normal();
        text.push_str(&format!("{place},{},{}", own.normal(), own.normal()));
        text.push_str(if labelled { [",p\n", ",q\n"][class] } else { "\n" });
    }
    text
}

fn folder(files: &[(&str, String)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, text)| std::fs::write(folder.path().join(name), text).unwrap());
    folder
}

fn compare(
    folder: &Path,
    names: &[&str],
    settings: &CompareSettings,
) -> Result<(Representations, Vec<Remark>), AnalysisError> {
    let options = ReadOptions { labels_file: settings.label_of.clone(), ..settings.score.read.clone() };
    let sources: Vec<Source> = names.iter().map(|name| only(&folder.join(name), &options).unwrap()).collect();
    compare_representations(&sources, settings, Control::none())
}

fn refused(folder: &Path, names: &[&str], settings: &CompareSettings) -> String {
    let error = compare(folder, names, settings).unwrap_err();
    format!("{error}; {}", error.advice().unwrap())
}

#[test]
fn a_clear_winner_is_marked_and_a_close_one_is_not() {
    let apart = |apart, seed| csv(60, apart, &mut Noise(1), &mut Noise(seed), true);
    let folder =
        folder(&[("near.csv", apart(1.5, 2)), ("same.csv", apart(1.5, 3)), ("far.csv", apart(6.0, 4))]);
    let settings = settings(&["clm", "ch_a", "db"]);
    let (found, remarks) = compare(folder.path(), &["near.csv", "same.csv", "far.csv"], &settings).unwrap();
    assert!(remarks.is_empty(), "{remarks:?}");
    assert_eq!((found.points, found.classes, found.representations.len()), (120, 2, 3));
    for one in &found.measures {
        assert_eq!((one.best.as_str(), one.winner.as_deref()), ("far", Some("far")), "{one:?}");
        let [close, ..] = &one.differences[..] else { panic!("{one:?}") };
        assert_eq!((close.a.as_str(), close.b.as_str()), ("near", "same"));
        assert!(!close.significant && close.low < 0.0 && close.high > 0.0, "{close:?}");
    }
    let (found, _) = compare(folder.path(), &["near.csv", "same.csv"], &settings).unwrap();
    assert!(found.measures.iter().all(|one| one.winner.is_none()), "{:?}", found.measures);
    // A representation is not better than its copy.
    let twin = std::fs::read_to_string(folder.path().join("far.csv")).unwrap();
    std::fs::write(folder.path().join("twin.csv"), twin).unwrap();
    let (found, _) = compare(folder.path(), &["far.csv", "near.csv", "twin.csv"], &settings).unwrap();
    for one in &found.measures {
        assert_eq!((one.best.as_str(), &one.winner), ("far", &None));
        assert_eq!((one.differences[1].difference, one.differences[1].p_value), (0.0, 1.0));
    }
}

#[test]
fn pairing_makes_intervals_of_differences_narrow() {
    // The second differs from the first by little noise, so that both scores move together.
    let first = csv(60, 2.0, &mut Noise(5), &mut Noise(6), true);
    let mut noise = Noise(7);
    let second: String = first
        .lines()
        .map(|line| match line.split_once(',').and_then(|(a, rest)| Some((a.parse::<f64>().ok()?, rest))) {
            Some((a, rest)) => format!("{},{rest}\n", a + 0.05 * noise.normal()),
            None => format!("{line}\n"),
        })
        .collect();
    let folder = folder(&[("first.csv", first), ("second.csv", second)]);
    let (found, _) = compare(folder.path(), &["first.csv", "second.csv"], &settings(&["ch_a"])).unwrap();
    let own = found.representations[0].interval("ch_a").unwrap();
    let pair = &found.measures[0].differences[0];
    assert!(pair.high - pair.low < 0.3 * (own.high - own.low), "{pair:?} {own:?}");
}

#[test]
fn labels_are_given_once_for_all() {
    let labelled = csv(20, 4.0, &mut Noise(1), &mut Noise(2), true);
    let bare = csv(20, 4.0, &mut Noise(1), &mut Noise(3), false);
    let folder = folder(&[("raw.csv", labelled.clone()), ("pca.csv", bare), ("copy.csv", labelled.clone())]);
    let label_of = Some(folder.path().join("raw.csv"));
    let settings = CompareSettings { label_of, ..settings(&["ch_a"]) };
    let (found, _) = compare(folder.path(), &["raw.csv", "pca.csv"], &settings).unwrap();
    assert_eq!(found.representations.iter().map(|one| one.features).collect::<Vec<_>>(), [3, 3]);
    // A file that is not compared may hold the labels, too.
    let labels: String =
        labelled.lines().skip(1).map(|line| format!("{}\n", &line[line.len() - 1..])).collect();
    std::fs::write(folder.path().join("y.txt"), labels).unwrap();
    std::fs::write(folder.path().join("more.csv"), csv(20, 4.0, &mut Noise(1), &mut Noise(9), false))
        .unwrap();
    let settings = CompareSettings { label_of: Some(folder.path().join("y.txt")), ..settings };
    let (found, _) = compare(folder.path(), &["pca.csv", "more.csv"], &settings).unwrap();
    assert_eq!(found.points, 40);
}

#[test]
fn names_are_different() {
    let folder = folder(&[("a.csv", csv(5, 3.0, &mut Noise(1), &mut Noise(2), true))]);
    std::fs::create_dir(folder.path().join("d")).unwrap();
    std::fs::copy(folder.path().join("a.csv"), folder.path().join("d/a.csv")).unwrap();
    std::fs::copy(folder.path().join("a.csv"), folder.path().join("b.csv")).unwrap();
    let files = ["a.csv", "b.csv", "d/a.csv", "a.csv"];
    let sources: Vec<Source> =
        files.iter().map(|name| only(&folder.path().join(name), &ReadOptions::default()).unwrap()).collect();
    let path = |name: &str| folder.path().join(name).display().to_string();
    assert_eq!(names(&sources), [path("a.csv"), "b".into(), path("d/a.csv"), path("a.csv") + " (2)"]);
}

#[test]
fn other_rows_are_refused_with_their_place() {
    let first = csv(10, 3.0, &mut Noise(1), &mut Noise(2), true);
    let short: String = first.lines().take(20).map(|line| format!("{line}\n")).collect();
    let swapped = first.replacen(",q\n", ",p\n", 2);
    let folder = folder(&[("first.csv", first), ("short.csv", short), ("swapped.csv", swapped)]);
    let plain = settings(&["ch_a"]);
    let advice = "every representation must have the same rows with the same labels, in the same order";
    assert_eq!(
        refused(folder.path(), &["first.csv", "short.csv"], &plain),
        format!("short has 19 rows, and first has 20; {advice}")
    );
    assert_eq!(
        refused(folder.path(), &["first.csv", "swapped.csv"], &plain),
        format!("row 2 is labelled 'q' in first and 'p' in swapped, and 1 more rows differ; {advice}")
    );
    assert!(refused(folder.path(), &["first.csv"], &plain).starts_with("there is nothing to compare with"));
}

#[test]
fn small_classes_have_scores_but_no_intervals() {
    let text = |shift: f64| {
        let rows = [(0.0, "p"), (0.5, "p"), (1.0, "p"), (5.0, "q"), (5.5, "q"), (6.0, "q")];
        let rows = rows.map(|(x, label)| format!("{},{label}\n", x * shift));
        format!("x,label\n{}", rows.concat())
    };
    let folder = folder(&[("one.csv", text(1.0)), ("two.csv", text(1.5))]);
    let (found, remarks) = compare(folder.path(), &["one.csv", "two.csv"], &settings(&["ch_a"])).unwrap();
    assert_eq!(remarks.len(), 1, "said once for all: {remarks:?}");
    assert!(found.representations.iter().all(|one| one.intervals.is_empty()));
    assert!(found.measures[0].winner.is_none() && found.measures[0].differences.is_empty());
}

/// Two representations with noise of their own are equally good: any winner is an error, expected in 5% of the draws.
#[test]
fn representations_that_are_equally_good_seldom_have_a_winner() {
    const DRAWS: u64 = 60;
    let mut winners = 0;
    for draw in 0..DRAWS {
        let text = |seed| csv(40, 2.5, &mut Noise(draw * 3), &mut Noise(seed), true);
        let folder = folder(&[("one.csv", text(1000 + draw)), ("two.csv", text(2000 + draw))]);
        let (found, _) = compare(folder.path(), &["one.csv", "two.csv"], &settings(&["ch_a"])).unwrap();
        winners += u64::from(found.measures[0].winner.is_some());
    }
    // At a rate of 5%, 8 or more of 60 have a probability of 1%.
    assert!(winners < 8, "{winners} of {DRAWS}");
}
