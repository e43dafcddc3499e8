//! How stable rankings of techniques are on several versions of the same datasets.

use clmatch_render::number::significant;
use clmatch_render::{Boxes, Row as BoxRow, csv, markdown};

use super::Technique;
use clmatch_truth::rank::{mean_and_deviation, quantile};
use clmatch_truth::results::Results;
use clmatch_truth::stability::{DrawSettings, MethodPair, Stability, stability};

/// The scores of the techniques on one version of all datasets.
pub(super) struct Version<'a> {
    pub(super) name: &'static str,
    /// The scores of the techniques, by dataset.
    pub(super) scores: Vec<(&'a str, &'a [Technique])>,
}

/// A version and its rankings.
pub(super) struct RankedVersion {
    pub(super) name: &'static str,
    pub(super) found: Stability,
}

/// Ranks all versions; `None` if there are too few datasets, or a technique has no score somewhere.
pub(super) fn ranked(versions: &[Version<'_>], draws: DrawSettings) -> Option<Vec<RankedVersion>> {
    let of = |version: &Version<'_>| {
        let (_, first) = version.scores.first()?;
        let methods: Vec<String> = first.iter().map(|one| one.id.clone()).collect();
        let score =
            |list: &[Technique], id: &String| list.iter().find(|one| one.id == *id).map(|one| one.score);
        let scores = version
            .scores
            .iter()
            .map(|(_, list)| methods.iter().map(|id| score(list, id)).collect::<Option<Vec<f64>>>())
            .collect::<Option<Vec<_>>>()?;
        let datasets = version.scores.iter().map(|(dataset, _)| (*dataset).to_owned()).collect();
        let results = Results { datasets, methods, scores };
        let everything: Vec<usize> = (0..results.datasets.len()).collect();
        let found = stability(&results, &everything, draws).ok()?;
        Some(RankedVersion { name: version.name, found })
    };
    versions.iter().map(of).collect()
}

/// One row for each version.
pub(super) fn table(ranked: &[RankedVersion]) -> String {
    let row = |one: &RankedVersion| {
        let mut shares: Vec<f64> = one.found.pairs.iter().map(MethodPair::stability).collect();
        shares.sort_by(f64::total_cmp);
        let numbers =
            [mean_and_deviation(&one.found.means).0, one.found.mean_stability(), quantile(&shares, 0.5)];
        std::iter::once(one.name.to_owned()).chain(numbers.map(|number| format!("{number:.3}"))).collect()
    };
    let rows: Vec<Vec<String>> = ranked.iter().map(row).collect();
    markdown::table(&["features", "mean score", "mean pairwise rank stability", "median"], 1, &rows)
}

/// A plot in which every pair of techniques is a point.
pub(super) fn boxes(ranked: &[RankedVersion]) -> Boxes {
    let row = |(kind, one): (usize, &RankedVersion)| BoxRow {
        name: one.name.to_owned(),
        kind,
        values: one.found.pairs.iter().map(MethodPair::stability).collect(),
        note: format!("mean {:.3}", one.found.mean_stability()),
    };
    Boxes {
        x: "share of draws with the more frequent order of a pair".into(),
        kinds: ranked.iter().map(|one| one.name.to_owned()).collect(),
        rows: ranked.iter().enumerate().map(row).collect(),
        points: true,
        ..Boxes::default()
    }
}

/// The scores of all versions as CSV.
pub(super) fn scores_csv(versions: &[Version<'_>]) -> String {
    let mut rows = Vec::new();
    for version in versions {
        for (dataset, list) in &version.scores {
            for technique in *list {
                rows.push(vec![
                    (*dataset).to_owned(),
                    version.name.to_owned(),
                    technique.id.clone(),
                    significant(technique.score, 8),
                ]);
            }
        }
    }
    csv::table(&["dataset", "version", "technique", "score"], &rows)
}
