use super::*;
use crate::ranking::Ranked;
use clmatch::measure::find;
use clmatch_data::Advice;
use std::fmt::Write;
use std::path::Path;
use tempfile::TempDir;

/// Writes two classes of `points` points each, which overlap by a share of their width, to the file `name`.
fn write_dataset(folder: &Path, name: &str, points: usize, apart: f64) {
    let mut text = "x,y,label\n".to_owned();
    for row in 0..2 * points {
        let noise = |factor: usize| (row * factor % 1009) as f64 / 1009.0;
        let x = noise(7919) + apart * (row % 2) as f64;
        writeln!(text, "{x},{},{}", noise(104_729), ["a", "b"][row % 2]).unwrap();
    }
    std::fs::write(folder.join(name), text).unwrap();
}

/// Datasets of five sizes, some of which have equal scores, and one that cannot be read.
fn folder() -> (TempDir, Vec<Source>) {
    let folder = tempfile::tempdir().unwrap();
    for (name, points, apart) in [
        ("tiny.csv", 20, 2.0),
        ("twin.csv", 20, 2.0),
        ("small.csv", 40, 0.8),
        ("middle.csv", 200, 0.5),
        ("large.csv", 400, 1.1),
        ("larger.csv", 500, 0.1),
        ("largest.csv", 800, 3.0),
    ] {
        write_dataset(folder.path(), name, points, apart);
    }
    std::fs::write(folder.path().join("bad.csv"), "x,label\n1,a\nred,a\n2,b\n3,b\n").unwrap();
    let sources = clmatch_data::find(&[folder.path().to_owned()]).unwrap();
    (folder, sources)
}

fn settings() -> RankSettings {
    let [clm, ch_a] = ["clm", "ch_a"].map(|id| find(id).unwrap());
    RankSettings { score: ScoreSettings::new(vec![clm, ch_a]), by: clm, one_by_one: false }
}

fn json(ranking: &Ranking) -> String {
    serde_json::to_string(&ranking.entries(Advice::to_string)).unwrap()
}

fn ranked(sources: &[Source], settings: &RankSettings) -> String {
    let datasets: Vec<&Source> = sources.iter().collect();
    json(&rank(&datasets, settings, Control::none(), &mut |_| {}).unwrap())
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

#[test]
fn neither_order_nor_numbers_depend_on_threads() {
    let (_folder, sources) = folder();
    let one_by_one = ranked(&sources, &RankSettings { one_by_one: true, ..settings() });
    assert_eq!(one_by_one.matches("\"decision\"").count(), 7, "every dataset has a verdict: {one_by_one}");
    assert!(one_by_one.contains("'red' is not a number"), "{one_by_one}");
    for threads in [1, 2, 5] {
        assert_eq!(on_threads(threads, || ranked(&sources, &settings())), one_by_one, "{threads}");
    }
    let backwards: Vec<Source> = sources.iter().rev().cloned().collect();
    assert_eq!(ranked(&backwards, &settings()), one_by_one);
}

#[test]
fn every_dataset_is_scored_once_however_large_it_is() {
    let (_folder, sources) = folder();
    let datasets: Vec<&Source> = sources.iter().collect();
    let scored = |sizes: &Sizes| {
        let results = Mutex::new(Vec::new());
        score_all(&datasets, &settings(), sizes, Control::none(), &|_, _| {}, &|at, result| {
            let text = match result {
                Ok(finished) => serde_json::to_string(&finished.scored).unwrap(),
                Err(error) => error.to_string(),
            };
            results.lock().unwrap().push((at, text));
        });
        let mut results = results.into_inner().unwrap();
        results.sort();
        assert!(results.iter().map(|(at, _)| *at).eq(0..datasets.len()));
        results
    };
    let small = scored(&Sizes { large: u64::MAX, alone: u64::MAX });
    for sizes in [
        Sizes { large: 0, alone: u64::MAX },
        Sizes { large: 0, alone: 0 },
        Sizes { large: 3000, alone: 20_000 },
        Sizes { large: 3000, alone: 40_000 },
    ] {
        for threads in [1, 2, 5] {
            assert_eq!(on_threads(threads, || scored(&sizes)), small);
        }
    }
}

#[test]
fn what_does_not_fit_is_read_in_blocks() {
    let (_folder, sources) = folder();
    let mut settings = settings();
    settings.score.read.memory_limit = Some(10_000);
    let datasets: Vec<&Source> = sources.iter().filter(|source| source.name != "bad").collect();
    let ranking = rank(&datasets, &settings, Control::none(), &mut |_| {}).unwrap();
    assert_eq!(ranking.failed.len(), 0, "{:?}", ranking.failed);
    for Ranked { scored, .. } in &ranking.ranked {
        let is_large = ["large", "larger", "largest"].contains(&scored.dataset.as_str());
        assert_eq!(scored.streamed.is_some(), is_large, "{}", scored.dataset);
        assert!(scored.verdict.is_some());
    }
}

#[test]
fn the_observer_hears_of_each_dataset_and_may_stop_the_rest() {
    let (_folder, sources) = folder();
    let datasets: Vec<&Source> = sources.iter().collect();
    let mut heard = Vec::new();
    let all = rank(&datasets, &settings(), Control::none(), &mut |step| {
        assert_eq!((step.dataset, step.of), (datasets[step.place], datasets.len()));
        heard.push((step.done, step.place, step.result.is_ok()));
    });
    assert_eq!(all.unwrap().failed[0].dataset, "bad");
    assert!(heard.iter().map(|(done, ..)| *done).eq(1..=datasets.len()));
    heard.sort_by_key(|(_, place, _)| *place);
    let failed: Vec<&str> =
        heard.iter().filter(|(.., ok)| !ok).map(|(_, at, _)| datasets[*at].name.as_str()).collect();
    assert_eq!(failed, ["bad"]);

    let (stop, mut heard) = (Stop::new(), 0);
    let one_by_one = RankSettings { one_by_one: true, ..settings() };
    let stopped = rank(&datasets, &one_by_one, Control::new(&stop), &mut |step| {
        heard = step.done;
        if step.done == 3 {
            stop.raise();
        }
    });
    assert_eq!((stopped.unwrap_err(), heard), (Stopped, 3));
}

#[test]
fn a_stopped_run_has_a_ranking_of_what_is_finished_and_can_be_continued() {
    static STOP: Stop = Stop::new();
    static NEVER: Stop = Stop::new();
    let (folder, sources) = folder();
    let record = || {
        let path = folder.path().join("done.jsonl");
        Some(Record::open(&path, settings().score.identity(), None).unwrap())
    };
    let mut finished = 0;
    let (ranking, unfinished) = rank_resumable(sources.clone(), settings(), record(), &STOP, &mut |event| {
        if let BatchEvent::Finished { found: Ok(_), .. } = event {
            finished += 1;
            STOP.raise();
        }
    })
    .unwrap();
    assert!(finished > 0 && ranking.ranked.len() == finished);
    assert_eq!(ranking.ranked.len() + ranking.failed.len() + unfinished, sources.len());
    assert!(ranking.ranked.iter().all(|ranked| ranked.scored.verdict.is_some()));

    let mut before = 0;
    let (again, unfinished) = rank_resumable(sources.clone(), settings(), record(), &NEVER, &mut |event| {
        if let BatchEvent::Started { resumed, left } = event {
            before = resumed.len();
            assert_eq!(resumed.len() + left.len(), sources.len());
        }
    })
    .unwrap();
    assert_eq!((before, unfinished), (finished, 0));
    assert_eq!(json(&again), ranked(&sources, &settings()));
}
