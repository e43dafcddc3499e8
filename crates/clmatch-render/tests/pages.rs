//! The pages from outside: what they contain, what they must not contain, and how large they get.
// A failed unwrap is a failed test.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use clmatch::measure::{defaults, find};
use clmatch::{Control, Labels};
use clmatch_analysis::Scored;
use clmatch_analysis::catalogued::CatalogueFilter;
use clmatch_analysis::ranking::Ranking;
use clmatch_analysis::ranking_stability::{DatasetSet, RankedTechnique, RankingStability, TechniquePair};
use clmatch_analysis::report_data::{
    ClassMatch, ClassSilhouette, DatasetReport, PairLine, PairPlane, PlacedClass, PlacedPoint,
    ReportSettings, ViewSettings, report_with,
};
use clmatch_analysis::result_files::{ExperimentPage, TruthOverview};
use clmatch_analysis::scoring::ScoreSettings;
use clmatch_analysis::uncertainty::UncertaintySettings;
use clmatch_data::{Dataset, embedded};
use clmatch_render::pages::{Origin, dataset, lab, ranking, stability, truth};

/// The largest size of a page, in bytes.
const LARGEST: usize = 2_000_000;
/// Text that would do harm if it were not escaped.
const HOSTILE: &str =
    "</script><script>alert('x')</script><img src=x onerror=\"alert(1)\">&amp;{{7*7}}\u{2028}<!--";

fn origin() -> Origin {
    Origin {
        command: "clmatch report x.csv -o report.html".to_owned(),
        version: "0.0.0".to_owned(),
        site: None,
    }
}

fn reported(dataset: Dataset) -> DatasetReport {
    let uncertainty = UncertaintySettings { intervals: true, permutations: 19, seed: 0 };
    let settings = ReportSettings {
        score: ScoreSettings { uncertainty, ..ScoreSettings::new(defaults()) },
        seed: 0,
        views: ViewSettings::default(),
    };
    report_with(dataset, &settings, Control::none()).unwrap()
}

fn dataset_page(report: &DatasetReport) -> String {
    let commands = vec!["clmatch relabel x.csv".to_owned(); report.explained.actions.len()];
    dataset::page(&dataset::DatasetView {
        report,
        commands: &commands,
        suggested: "clmatch relabel",
        origin: &origin(),
    })
    .unwrap()
}

fn ranking_page(ranking: &Ranking, catalogue: bool) -> String {
    let failed = [(HOSTILE.to_owned(), HOSTILE.to_owned())];
    let links = BTreeMap::new();
    let view = ranking::RankingView { ranking, catalogue, failed: &failed, links: &links, origin: &origin() };
    ranking::page(&view).unwrap()
}

fn catalogue() -> Ranking {
    let by = find("clm").unwrap();
    Ranking::new(by, defaults(), CatalogueFilter::default().datasets(by), Vec::new())
}

/// Points in classes with hostile names, under a hostile name, with hostile features.
fn hostile() -> Dataset {
    let values: Vec<f64> =
        (0..120).map(|at| f64::from(at / 40 * 10) + f64::from(at * 7919 % 40) / 10.0).collect();
    let labels = Labels::encode((0..60).map(|row| format!("{HOSTILE}{}", row / 20)));
    Dataset::new(HOSTILE, vec![HOSTILE.to_owned(), "y".to_owned()], values, labels).unwrap()
}

fn stable() -> RankingStability {
    let technique =
        |name: &str, rank| RankedTechnique { technique: name.into(), rank, mean: 0.5, first: 0.7, kept: 0.6 };
    let pair =
        TechniquePair { ahead: HOSTILE.into(), behind: "b".into(), tied: false, kept: 0.7, stability: 0.7 };
    RankingStability {
        schema: String::new(),
        external: Some("ami".into()),
        thirds_by: None,
        size: 10,
        draws: 1000,
        seed: 0,
        replacement: true,
        sets: vec![DatasetSet {
            set: "all".into(),
            datasets: 92,
            whole: 0.1,
            pairs_kept: 0.7,
            stability: 0.7,
            techniques: vec![technique(HOSTILE, 1.0), technique("b", 2.0)],
            pairs: vec![pair],
        }],
    }
}

fn tuned() -> TruthOverview {
    let text = "dataset,technique,external,score\na,kmeans,ami,0.5\na,birch,ami,0.7\nb,kmeans,ami,0.9\nb,birch,ami,0.1\n";
    TruthOverview::of(&clmatch_truth_rows(text))
}

fn clmatch_truth_rows(text: &str) -> Vec<clmatch_truth::results::MethodScore> {
    clmatch_truth::results::read(text).unwrap()
}

fn experiments() -> Vec<ExperimentPage> {
    let markdown = format!(
        "# {HOSTILE}\n\nText {HOSTILE}\n\n![figure](a.svg)\n\n| a | b |\n| --- | ---: |\n| {HOSTILE} | 1 |\n"
    );
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"><title>A figure of scores</title><script>alert(1)</script></svg>"
        .to_owned();
    vec![ExperimentPage { name: "x".into(), markdown, figures: vec![("a.svg".into(), svg)] }]
}

fn all_pages() -> Vec<(&'static str, String)> {
    vec![
        ("dataset", dataset_page(&reported(embedded::load("iris").unwrap()))),
        ("hostile", dataset_page(&reported(hostile()))),
        ("catalogue", ranking_page(&catalogue(), true)),
        ("truth", truth::page(&tuned(), &origin()).unwrap()),
        ("stability", stability::page(&stable(), &origin()).unwrap()),
        ("lab", lab::page(&experiments(), &origin()).unwrap()),
    ]
}

/// Checks that each opened element is closed in order, that ids are unique, and that links within the page have a target.
fn assert_well_formed(name: &str, html: &str) {
    const VOID: [&str; 5] = ["meta", "input", "img", "br", "!doctype"];
    let mut open: Vec<&str> = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let end = rest.find('>').unwrap_or_else(|| panic!("{name}: a tag does not end"));
        let tag = &rest[..end];
        assert!(!tag.contains('<'), "{name}: {tag}");
        rest = &rest[end + 1..];
        let word = tag.split([' ', '\n', '/']).next().unwrap_or_default();
        if let Some(closed) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed), "{name}");
        } else if !tag.ends_with('/') && !VOID.contains(&word) {
            open.push(word);
            // The content of these elements is not markup.
            if word == "script" || word == "style" {
                let end = rest.find(&format!("</{word}>")).unwrap();
                rest = &rest[end..];
            }
        }
    }
    assert!(open.is_empty(), "{name}: {open:?}");
    let ids: Vec<&str> = html.split(" id=\"").skip(1).filter_map(|piece| piece.split('"').next()).collect();
    let once: std::collections::BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), once.len(), "{name}: an id is there twice");
    for link in html.split("href=\"#").skip(1).filter_map(|piece| piece.split('"').next()) {
        assert!(once.contains(link), "{name}: #{link} leads nowhere");
    }
}

/// The places that a page may link to, and the namespace of SVG.
const KNOWN: [&str; 3] = [
    "https://crates.io/crates/clmatch-cli",
    "https://github.com/hj-n/labeled-datasets",
    "http://www.w3.org/2000/svg",
];

#[test]
fn pages_stand_alone_and_are_well_formed() {
    for (name, html) in all_pages() {
        assert_well_formed(name, &html);
        assert!(html.len() < LARGEST, "{name}: {}", html.len());
        for place in html.match_indices("http").map(|(at, _)| &html[at..]).filter(|rest| rest.contains("://"))
        {
            let is_url = place.starts_with("http://") || place.starts_with("https://");
            assert!(
                !is_url || KNOWN.iter().any(|known| place.starts_with(known)),
                "{name}: {}",
                &place[..60]
            );
        }
        for loaded in ["src=\"", "href=\"", "url("] {
            for target in html.split(loaded).skip(1) {
                let fine = target.starts_with('#')
                    || target.starts_with("data:")
                    || KNOWN.iter().any(|url| target.starts_with(url));
                assert!(fine, "{name}: {loaded}{}", target.chars().take(60).collect::<String>());
            }
        }
        assert!(
            !html.contains("@import") && !html.contains("fetch(") && !html.contains("XMLHttpRequest"),
            "{name}"
        );
        // Readers would see a NaN.
        assert!(!html.contains(">NaN<") && !html.contains("NaN%"), "{name}");
    }
}

#[test]
fn hostile_names_stay_text() {
    let scored = Scored { dataset: HOSTILE.into(), ..catalogue().ranked[0].scored.clone() };
    let by = find("clm").unwrap();
    let many = Ranking::new(by, defaults(), vec![scored.clone(), scored], Vec::new());
    for (name, html) in all_pages().into_iter().chain([("ranking", ranking_page(&many, false))]) {
        assert_well_formed(name, &html);
        assert!(!html.contains("<script>alert") && !html.contains("<img src=x"), "{name}");
        // The data, the script, and their ends: nothing else opens or closes a script.
        let scripts = html.matches("<script").count();
        assert_eq!(html.matches("</script").count(), scripts, "{name}");
        assert!(scripts <= 2, "{name}: {scripts}");
        assert!(!html.contains("<!--"), "{name}");
    }
}

#[test]
fn every_chart_has_a_name_and_a_sentence() {
    for (name, html) in all_pages() {
        let charts = html.matches("<svg class=\"chart").count();
        let named = html.matches("role=\"img\"").count();
        assert_eq!(charts, named, "{name}");
        let figures: Vec<&str> = html.split("<figure").skip(1).collect();
        for figure in &figures {
            let caption = figure.split("<figcaption>").nth(1).unwrap_or_default();
            let caption = caption.split("</figcaption>").next().unwrap_or_default();
            assert!(caption.len() > 3, "{name}: {}", figure.chars().take(200).collect::<String>());
        }
        let pictures = charts + html.matches("<img").count();
        assert_eq!(figures.len(), pictures, "{name}");
    }
}

#[test]
fn the_page_of_a_small_dataset_is_this() {
    let values = [0.0, 0.1, 0.3, 0.2, 5.0, 5.2, 5.1, 5.4, 5.3, 9.0, 9.1, 9.3];
    let labels = Labels::encode([
        "low", "low", "low", "low", "mid", "mid", "mid", "mid", "mid", "high", "high", "high",
    ]);
    let dataset = Dataset::new("three", vec!["x".to_owned()], values.to_vec(), labels).unwrap();
    let mut html = dataset_page(&reported(dataset));
    for whole in [clmatch_render::pages::STYLE, clmatch_render::pages::SCRIPT] {
        html = html.replacen(whole, "…", 1);
    }
    // Instruction sets differ in the last digits.
    let filters = vec![
        (r"sha256-[A-Za-z0-9+/=]+", "sha256-…"),
        (r"clmatch \d+\.\d+\.\d+", "clmatch …"),
        (r"(\d\.\d{12})\d+", "$1…"),
    ];
    insta::with_settings!({filters => filters}, { insta::assert_snapshot!(html) });
}

/// A report on `points` points in `classes` classes, as large as one gets, without the time that it takes to compute.
fn large(classes: usize, points: usize) -> DatasetReport {
    let name = |class: usize| format!("a rather long name of the class number {class}");
    let mut report = reported(embedded::load("iris").unwrap());
    let settings = ViewSettings::default();
    let place = |at: usize| PlacedPoint {
        row: at,
        x: (at * 7919 % 10_007) as f64 / 100.0,
        y: (at * 104_729 % 10_007) as f64 / 100.0,
    };
    let placed = |class: usize, count: usize| PlacedClass {
        class: name(class),
        points: (0..count).map(place).collect(),
    };
    let pair = report.explained.pairs[0].clone();
    let all = (0..classes).flat_map(|i| (i + 1..classes).map(move |j| (i, j)));
    report.explained.pairs = all
        .enumerate()
        .map(|(at, (i, j))| {
            let mut pair = pair.clone();
            (pair.a, pair.b) = (name(i), name(j));
            pair.clm = (at * 7919 % 1000) as f64 / 1000.0;
            pair
        })
        .collect();
    let room = settings.pair_points / (2 * settings.pairs);
    report.views.pairs = (0..settings.pairs.min(report.explained.pairs.len()))
        .map(|_| PairPlane {
            a: placed(0, room),
            b: placed(1, room),
            line: PairLine::Discriminant,
            has_second: true,
            bins: [0.0, 100.0],
            counts: [vec![room / 36; 36], vec![room / 36; 36]],
            of: 2 * points / classes,
        })
        .collect();
    let each = settings.plane_points / classes;
    report.views.principal.classes = (0..classes).map(|class| placed(class, each)).collect();
    let values: Vec<f64> = (0..settings.silhouettes / classes).map(|at| 1.0 - at as f64 / 1000.0).collect();
    let silhouette = |class| ClassSilhouette {
        class: name(class),
        points: points / classes,
        mean: 0.5,
        negative: 0.0,
        values: values.clone(),
    };
    report.views.silhouettes.classes = (0..classes).map(silhouette).collect();
    let class = |class| ClassMatch {
        class: name(class),
        points: points / classes,
        clusters: vec![points / classes],
        mean: 0.5,
        neighbour: name(class + 1),
        neighbour_clm: 0.25,
    };
    report.classes = (0..classes).map(class).collect();
    report.scored.points = points;
    report.scored.classes = classes;
    report
}

#[test]
fn three_hundred_classes_and_a_hundred_thousand_points_fit() {
    let html = dataset_page(&large(300, 100_000));
    assert_well_formed("large", &html);
    assert!(html.len() < LARGEST, "{} bytes", html.len());
    assert_eq!(html.matches("<template").count(), ViewSettings::default().pairs);
    let html = dataset_page(&large(40, 20_000));
    assert_well_formed("forty", &html);
    assert!(html.len() < LARGEST, "{} bytes", html.len());
}
