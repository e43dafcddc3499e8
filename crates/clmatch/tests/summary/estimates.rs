//! What a sample tells, and how often its error covers the score of all rows.

use clmatch::measure;
use clmatch::summary::{Certainty, Reason, Summarised, Summary, SummarySettings};
use clmatch::{Control, Labels};

use super::{Data, FEW, all_measures, is_close};

#[test]
fn the_sample_does_not_depend_on_blocks_or_their_order() {
    let data = Data::normal(&[900, 1400, 60], 3, 2.0, 1);
    let settings = all_measures();
    let estimates =
        |blocks, seed| data.summary(&settings, blocks, seed).finish(None, Control::none()).unwrap();
    let first = estimates(1, 1);
    for (blocks, seed) in [(3, 2), (50, 3), (400, 4)] {
        let found = estimates(blocks, seed);
        assert_eq!(found.sampled, first.sampled);
        for (a, b) in found.scores.iter().zip(&first.scores) {
            assert!(is_close(a.value, b.value, 1e-9) && is_close(a.error, b.error, 1e-6), "{a:?} {b:?}");
        }
    }
}

#[test]
fn a_repeated_block_changes_counts_but_not_the_sample() {
    let data = Data::normal(&[900, 1400], 3, 2.0, 2);
    let settings = all_measures();
    let add = |summary: &mut Summary, rows: std::ops::Range<usize>| {
        let (values, labels) = data.block(rows.clone());
        summary.update(values, &labels, rows.start as u64).unwrap();
    };
    let (mut once, mut twice) = (Summary::new(3, &settings).unwrap(), Summary::new(3, &settings).unwrap());
    for start in (0..2300).step_by(100) {
        add(&mut once, start..start + 100);
        add(&mut twice, start..start + 100);
    }
    for start in (0..2300).step_by(230) {
        add(&mut twice, start..start + 230);
    }
    let [once, twice] = [once, twice].map(|summary| summary.finish(None, Control::none()).unwrap());
    assert_eq!((once.points, twice.points), (2300, 4600), "rows are counted as often as they come");
    assert_eq!(once.sampled, twice.sampled);
    let value = |found: &Summarised| found.value("sc_a").unwrap();
    assert!((value(&once) - value(&twice)).abs() < 0.01, "{} {}", value(&once), value(&twice));
}

#[test]
fn equal_rows_are_drawn_as_often_as_others() {
    // Half of class a is one place, the other half lies around it: mean distances see both.
    let mut data = Data::normal(&[4000, 4000], 2, 3.0, 3);
    for row in (0..data.rows()).step_by(2).filter(|&row| data.labels[row] == "class 0").collect::<Vec<_>>() {
        data.values[2 * row] = 0.0;
        data.values[2 * row + 1] = 0.0;
    }
    let expected = data.in_memory();
    let settings = all_measures().with_sample(800);
    let [_, found] = data.finish(&settings, 9, 1);
    for id in ["sc_a", "di_a", "sc"] {
        let (score, expected) = (found.score(id).unwrap(), expected.value(id).unwrap());
        assert!((score.value - expected).abs() < 2.0 * score.error, "{score:?} {expected}");
        assert!(score.error < 0.1, "{score:?}");
    }
}

/// How often the stated error covers the score of all rows, over seeds of the sample.
fn covered(data: &Data, id: &str, with_second: bool) -> (usize, usize) {
    let expected = data.in_memory().value(id).unwrap();
    let settings = SummarySettings::new(&[measure::find(id).unwrap()]).with_sample(300);
    let seeds = 30;
    let covers = |seed: u64| {
        let summary = data.summary(&settings.clone().with_seed(seed), 3, 1);
        let second = with_second.then(|| data.second(&summary, 2, 1));
        let found = summary.finish(second.as_ref(), Control::none()).unwrap();
        let score = &found.scores[0];
        assert_eq!(score.certainty, Certainty::Estimated);
        (score.value - expected).abs() <= score.error
    };
    ((0..seeds).filter(|&seed| covers(seed)).count(), seeds as usize)
}

#[test]
fn errors_cover_the_score_of_all_rows() {
    let datasets = [
        ("overlapping", Data::normal(&[1500, 1500], 2, 1.5, 21)),
        ("apart", Data::normal(&[2000, 600, 400], 3, 5.0, 22)),
        ("many features", Data::normal(&[1200, 1300], 12, 2.0, 23)),
    ];
    let (mut all, mut hits) = (0, 0);
    for (what, data) in &datasets {
        for (id, second) in [("sc_a", true), ("sc_a", false), ("di_a", true), ("sc", false), ("xb_a", false)]
        {
            let (covered, seeds) = covered(data, id, second);
            assert!(covered * 100 >= seeds * 80, "{what} {id}: {covered} of {seeds}");
            (hits, all) = (hits + covered, all + seeds);
        }
    }
    assert!(hits * 100 >= all * 92, "{hits} of {all}");
}

#[test]
fn the_headline_score_says_how_much_it_depends_on_density() {
    for (sizes, features, gap) in
        [(&[1500, 1500][..], 2, 2.0), (&[1500, 900, 600], 3, 6.0), (&[1000, 1500], 8, 2.5)]
    {
        let data = Data::normal(sizes, features, gap, 31);
        let (covered, seeds) = covered(&data, "clm", false);
        assert!(covered * 100 >= seeds * 90, "{features}: {covered} of {seeds}");
    }
    let data = Data::normal(&[1500, 1500], 2, 2.0, 31);
    let found = data.finish(&all_measures(), 2, 1)[0].clone();
    assert!(matches!(found.score("clm").unwrap().why, Reason::DensityOfSample { .. }));
    assert!(found.score("clm").unwrap().error < 0.5);
}

#[test]
fn the_dunn_index_of_a_sample_is_an_upper_bound() {
    let data = Data::normal(&[900, 800], 2, 9.0, 4);
    let expected = data.in_memory().value("di").unwrap();
    for found in data.finish(&all_measures(), 4, 1) {
        let score = found.score("di").unwrap();
        assert_eq!((score.certainty, score.error), (Certainty::AtMost, score.value));
        assert!(matches!(score.why, Reason::ExtremesOfSample { .. }));
        assert!(0.0 <= expected && expected <= score.value);
    }
}

#[test]
fn rows_of_other_sources_are_told_apart() {
    // The same block as two sources: twice as many rows that are drawn on their own.
    let data = Data::normal(&[60, 70], 2, 2.0, 5);
    let settings = all_measures().with_sample(FEW);
    let mut summary = Summary::new(2, &settings).unwrap();
    for source in 0..2 {
        summary.set_source(source);
        summary.update(&data.values, &Labels::encode(&data.labels), 0).unwrap();
    }
    let apart = summary.finish(None, Control::none()).unwrap();
    summary.update(&data.values, &Labels::encode(&data.labels), 0).unwrap();
    let again = summary.finish(None, Control::none()).unwrap();
    assert_eq!((apart.points, again.points), (260, 390));
    assert_eq!(apart.sampled, again.sampled);
}
