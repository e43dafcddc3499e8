//! The page of a search for better features.

use crate::charts::page::inlined;
use crate::number::significant;
use askama::Template;
use clmatch_analysis::improvement::{BeforeAfter, Improved};

use crate::pages::PageError;
use crate::pages::markup::Markup;
use crate::pages::plots;
use crate::pages::shell::{Origin, Shell};
use crate::pages::table::{HtmlCell, HtmlColumn, HtmlRow, HtmlTable};
use crate::pages::text::{counted, sentence, thousands, three};
use crate::pages::truth::{FiguresPage, PagePart};

/// The page of a search for features or for weights on them.
///
/// # Errors
/// [`PageError`] if the template cannot be filled in.
pub fn page(improved: &Improved, origin: &Origin) -> Result<String, PageError> {
    let all = improved.scores.all;
    let title = format!(
        "{}: {} rises from {} to {}",
        improved.dataset,
        improved.objective,
        three(all.before),
        three(all.after)
    );
    let title = if all.after > all.before {
        title
    } else {
        format!("{}: no choice of features raises {}", improved.dataset, improved.objective)
    };
    let page = FiguresPage {
        shell: Shell::new(title.clone(), origin),
        eyebrow: "Which features separate the classes?",
        title,
        lead: lead(improved),
        parts: vec![scores(improved), features(improved)],
    };
    page.render()
}

fn lead(improved: &Improved) -> Vec<String> {
    let weights = if improved.weighted { ", with weights" } else { "" };
    let mut lines = vec![format!(
        "{} of {} are kept{weights}, found by {}.",
        thousands(improved.kept),
        counted(improved.features, "feature"),
        match improved.found_by.as_str() {
            "random" => "drawing random subsets",
            "greedy" => "adding, dropping and swapping features",
            "weights" => "weighting the features",
            other => other,
        }
    )];
    if let Some(null) = &improved.null {
        let verdict = if null.significant { "It is more than chance" } else { "Chance may gain as much" };
        lines.push(format!(
            "{verdict}: {} with shuffled labels gain {} on the held-out points on average, p = {:.3}.",
            counted(null.shuffles, "search"),
            three(null.mean_gain_held_out),
            null.p_value
        ));
    }
    lines.extend(improved.warnings.iter().map(|warning| sentence(warning)));
    lines
}

fn scores(improved: &Improved) -> PagePart {
    let columns = vec![
        HtmlColumn::text("points", ""),
        HtmlColumn::number("count", ""),
        HtmlColumn::number("before", "With all features"),
        HtmlColumn::number("after", "With the chosen ones"),
        HtmlColumn::number("gain", ""),
    ];
    let row = |name: &str, scores: BeforeAfter| HtmlRow {
        cells: vec![
            HtmlCell::text(name),
            HtmlCell::count(scores.points),
            HtmlCell::number(scores.before, three(scores.before)),
            HtmlCell::score(scores.after),
            HtmlCell::number(scores.after - scores.before, format!("{:+.3}", scores.after - scores.before)),
        ],
    };
    let halves = [("used to choose", improved.scores.chosen), ("held out", improved.scores.held_out)];
    let halves = halves.into_iter().filter_map(|(name, scores)| Some(row(name, scores?)));
    let rows = halves.chain(std::iter::once(row("all", improved.scores.all))).collect();
    PagePart {
        id: "scores".to_owned(),
        title: "What was gained".to_owned(),
        text: "The points that were held out tell what the choice is worth: it was made without them."
            .to_owned(),
        chart: Some(Markup::chart(inlined(&plots::improvement(improved)))),
        caption: format!("{} (no unit) against the number of features that are kept.", improved.objective),
        table: Some(HtmlTable { id: "", caption: "Scores before and after".to_owned(), columns, rows }),
        ..PagePart::default()
    }
}

fn features(improved: &Improved) -> PagePart {
    let columns = vec![
        HtmlColumn::text("feature", ""),
        HtmlColumn::number("weight", "The largest one is 1"),
        HtmlColumn::number("contribution", "What the objective loses without it"),
    ];
    let rows = improved.kept_features.iter().map(|kept| HtmlRow {
        cells: vec![
            HtmlCell::text(&kept.feature),
            HtmlCell { text: significant(kept.weight, 3), ..HtmlCell::score(kept.weight) },
            HtmlCell::number(kept.contribution, format!("{:+.3}", kept.contribution)),
        ],
    });
    PagePart {
        id: "features".to_owned(),
        title: "Features that are kept".to_owned(),
        table: Some(HtmlTable {
            id: "",
            caption: "Features that are kept".to_owned(),
            columns,
            rows: rows.collect(),
        }),
        ..PagePart::default()
    }
}
