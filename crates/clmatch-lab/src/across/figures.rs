//! The ground truth along each measure, and the accuracies of the classifiers.

use clmatch_render::{Bars, Columns, Series, Strip, Strips};
use clmatch_truth::rank::{mean_and_deviation, ranks};
use clmatch_truth::results::best;
use clmatch_truth::stability::Thirds;

use super::paper::{self, Family};
use super::{Competitor, ExternalComparison};
use crate::findings::File;
use crate::groups;
use crate::names;

/// The measures that are drawn.
pub(super) const DRAWN: [&str; 3] = ["ch", "ch_a", "clm"];
/// The number of datasets that are named: those furthest from the trend.
const NAMED: usize = 5;
/// The number of standard errors on each side of a mean in a 95% interval.
const NORMAL: f64 = 1.96;

/// How datasets are placed along the x axis.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Along {
    Ranks,
    Scores,
}

impl Along {
    pub(super) const ALL: [Along; 2] = [Along::Ranks, Along::Scores];

    /// The name of a figure's file.
    pub(super) fn file(self, stem: &str, id: &str) -> String {
        match self {
            Along::Ranks => format!("{stem}-{id}.svg"),
            Along::Scores => format!("{stem}-{id}-scores.svg"),
        }
    }
}

/// All figures: by rank and by score for each measure, and the classifiers.
pub(super) fn files(who: &[Competitor], first: &ExternalComparison, stem: &str) -> Vec<File> {
    let mut files = Vec::new();
    for id in DRAWN {
        for along in Along::ALL {
            files.push(File { name: along.file(stem, id), text: strips(who, first, id, along).svg() });
        }
    }
    let accuracies = accuracies(who);
    if !accuracies.names.is_empty() {
        files.push(File { name: classifiers_file(stem), text: accuracies.svg() });
    }
    files
}

/// The file with the accuracies.
pub(super) fn classifiers_file(stem: &str) -> String {
    format!("{stem}-classifiers.svg")
}

fn strips(who: &[Competitor], comparison: &ExternalComparison, id: &str, along: Along) -> Strips {
    let empty = Vec::new();
    let values = who.iter().find(|one| one.id == id).map_or(&empty, |one| &one.values);
    let truth: Vec<f64> = comparison.scores.iter().map(|scores| best(scores)).collect();
    // The trend is the line of equal ranks.
    let gaps: Vec<f64> = ranks(values).iter().zip(ranks(&truth)).map(|(a, b)| (a - b).abs()).collect();
    let mut furthest: Vec<usize> = (0..values.len()).collect();
    furthest.sort_by(|&a, &b| gaps[b].total_cmp(&gaps[a]));
    furthest.truncate(NAMED);
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let strip = |at: usize| Strip {
        name: comparison.datasets[at].clone(),
        dots: comparison.scores[at].clone(),
        best: truth[at],
        named: furthest.contains(&at),
    };
    let places: Vec<f64> = order.iter().map(|&at| values[at]).collect();
    // Values over many orders of magnitude, as those of CH, are placed by their logarithms.
    let log = places.first().zip(places.last()).is_some_and(|(low, high)| *low > 0.0 && high / low > 1000.0);
    let third = Thirds::size(order.len());
    let name = names::name(id);
    Strips {
        title: String::new(),
        x: match along {
            Along::Ranks => format!("rank by {name}, from low to high"),
            Along::Scores => name.to_owned(),
        },
        y: comparison.external.clone(),
        strips: order.iter().map(|&at| strip(at)).collect(),
        columns: match along {
            Along::Ranks => Columns::InOrder,
            Along::Scores => Columns::At { places, log },
        },
        cuts: vec![third, order.len() - third],
    }
}

/// Mean accuracies in ascending order, with 95% intervals of the means over datasets.
fn accuracies(who: &[Competitor]) -> Bars {
    let of = |one: &Competitor| {
        let (mean, deviation) = mean_and_deviation(&one.values);
        let half = NORMAL * deviation / (one.values.len() as f64).sqrt();
        (names::name(&one.id).to_owned(), mean, (mean - half, mean + half))
    };
    let classifiers = who.iter().filter(|one| paper::family(&one.id) == Some(Family::Classifier));
    let mut means: Vec<_> = classifiers.map(of).collect();
    means.sort_by(|a, b| a.1.total_cmp(&b.1));
    Bars {
        y: "accuracy".into(),
        names: means.iter().map(|(name, ..)| name.clone()).collect(),
        series: vec![Series {
            name: "mean accuracy".into(),
            values: means.iter().map(|(_, mean, _)| Some(*mean)).collect(),
            intervals: means.iter().map(|(.., interval)| Some(*interval)).collect(),
            colour: Some(groups::CLASSIFIERS),
        }],
        range: Some((0.0, 1.0)),
        ..Bars::default()
    }
}
