//! The page about how well a ranking of techniques holds.

use crate::charts::page::inlined;
use crate::{Bars, Series};
use askama::Template;
use clmatch_analysis::ranking_stability::{DatasetSet, RankingStability, TechniquePair};

use crate::pages::PageError;
use crate::pages::markup::Markup;
use crate::pages::shell::{Origin, Shell};
use crate::pages::table::{HtmlCell, HtmlColumn, HtmlRow, HtmlTable};
use crate::pages::text::{counted, percent, sentence, three};
use crate::pages::truth::{FiguresPage, PagePart};

/// How many pairs of techniques are drawn.
const PAIRS: usize = 12;

/// The page about how well a ranking of techniques holds.
///
/// # Errors
/// [`PageError`] if the template cannot be filled in.
pub fn page(stability: &RankingStability, origin: &Origin) -> Result<String, PageError> {
    let title = "Would the ranking of techniques hold?".to_owned();
    let how = if stability.replacement { ", with replacement" } else { "" };
    let by = stability.external.as_ref().map(|external| format!(" by {external}")).unwrap_or_default();
    let lead = vec![format!(
        "Techniques are ranked{by} on {} draws of {} from these{how}, and each draw is compared with the whole set.",
        crate::pages::text::thousands(stability.draws),
        counted(stability.size, "dataset")
    )];
    let page = FiguresPage {
        shell: Shell::new(title.clone(), origin),
        eyebrow: "Stability of a ranking",
        title,
        lead,
        parts: stability.sets.iter().enumerate().map(|(at, set)| part(at, set)).collect(),
    };
    page.render()
}

fn part(at: usize, set: &DatasetSet) -> PagePart {
    let doubtful: Vec<&TechniquePair> = set.pairs.iter().take(PAIRS).collect();
    let chart = Bars {
        title: "Pairs".to_owned(),
        y: "share of draws".to_owned(),
        names: doubtful.iter().map(|pair| format!("{} before {}", pair.ahead, pair.behind)).collect(),
        series: vec![Series {
            name: "order kept".to_owned(),
            values: doubtful.iter().map(|pair| Some(pair.kept)).collect(),
            ..Series::default()
        }],
        ..Bars::default()
    };
    PagePart {
        id: format!("set-{at}"),
        title: sentence(&set.set).trim_end_matches('.').to_owned(),
        text: format!(
            "{}. The whole ranking holds in {} of the draws; two techniques keep their order in {}, on average over all pairs.",
            counted(set.datasets, "dataset"),
            percent(set.whole),
            percent(set.pairs_kept)
        ),
        chart: Some(Markup::chart(inlined(&chart.svg()))),
        caption: format!(
            "How often two techniques keep their order, as a share of all draws: the {} most in doubt. 0.5 is a coin toss.",
            counted(doubtful.len(), "pair")
        ),
        table: Some(table(set)),
        ..PagePart::default()
    }
}

fn table(set: &DatasetSet) -> HtmlTable {
    let columns = vec![
        HtmlColumn::number("#", "Rank over the whole set"),
        HtmlColumn::text("technique", ""),
        HtmlColumn::number("mean", "The mean score over the set"),
        HtmlColumn::number("first", "The share of draws in which it is first"),
        HtmlColumn::number("rank kept", "The share of draws in which it has this rank"),
    ];
    let rows = set.techniques.iter().map(|technique| HtmlRow {
        cells: vec![
            HtmlCell::number(technique.rank, technique.rank.to_string()),
            HtmlCell::text(&technique.technique),
            HtmlCell::number(technique.mean, three(technique.mean)),
            HtmlCell::share(technique.first),
            HtmlCell::share(technique.kept),
        ],
    });
    HtmlTable { id: "", caption: format!("Techniques over {}", set.set), columns, rows: rows.collect() }
}
