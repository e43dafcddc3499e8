//! How certain scores are: errors of estimates, intervals and random labels beside them.

use clmatch::Measure;
use clmatch::summary::Certainty;
use clmatch_analysis::Scored;
use clmatch_analysis::ranking::Ranked;
use clmatch_render::{Cell, Column};

use super::number::short;

/// Which of these are available.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shown {
    intervals: bool,
    random: bool,
    /// Whether some scores were computed in blocks, and may be estimates.
    certainty: bool,
}

impl Shown {
    /// Everything that any of the datasets has.
    pub fn of<'a>(datasets: impl IntoIterator<Item = &'a Scored>) -> Shown {
        let mut shown = Shown { intervals: false, random: false, certainty: false };
        for scored in datasets {
            shown.intervals |= !scored.intervals.is_empty();
            shown.random |= scored.random_labels.is_some();
            shown.certainty |= scored.streamed.is_some();
        }
        shown
    }

    /// For people: columns beside the score of a measure.
    pub fn columns(self) -> Vec<Column> {
        let mut columns = Vec::new();
        columns.extend(self.certainty.then(|| Column::text("95% error")));
        columns.extend(self.intervals.then(|| Column::text("95% interval")));
        if self.random {
            columns.extend([Column::number("random labels").spare(1), Column::text("p")]);
        }
        columns
    }

    /// The cells of these columns.
    pub fn cells(self, scored: &Scored, measure: &Measure) -> Vec<Cell> {
        let mut cells = Vec::new();
        cells.extend(self.certainty.then(|| Cell::text(certainty(scored, measure))));
        cells.extend(self.intervals.then(|| Cell::text(interval(scored, measure))));
        if self.random {
            let random = scored.random_score(measure);
            cells.push(Cell::or_empty(
                random.map(|random| Cell::number(random.mean, short(random.mean, measure))),
            ));
            cells.push(Cell::text(p(scored, measure)));
        }
        cells
    }

    /// For people: columns of a ranking, for the measure that determines it.
    pub fn ranking_columns(self) -> Vec<Column> {
        let mut columns = self.columns();
        columns.extend(self.intervals.then(|| Column::text("overlaps")));
        columns
    }

    /// The cells of these columns.
    pub fn ranking_cells(self, ranked: &Ranked, by: &Measure) -> Vec<Cell> {
        let mut cells = self.cells(&ranked.scored, by);
        let overlaps = ranked.not_told_apart.filter(|[best, worst]| best < worst);
        let text = overlaps.map_or_else(String::new, |[best, worst]| format!("{best}-{worst}"));
        cells.extend(self.intervals.then(|| Cell::text(text)));
        cells
    }

    /// For programs: one column per number and measure.
    pub fn plain_columns(self, measures: &[&'static Measure]) -> Vec<Column> {
        let named = |measure: &Measure, what: &str| Column::number(format!("{}_{what}", measure.id));
        let mut columns = Vec::new();
        for measure in measures {
            if self.certainty {
                columns.extend([Column::text(format!("{}_certainty", measure.id)), named(measure, "error")]);
            }
            if self.intervals {
                columns.extend(["low", "high"].map(|what| named(measure, what)));
            }
            if self.random {
                columns.extend(["random", "p"].map(|what| named(measure, what)));
            }
        }
        columns
    }

    /// The cells of these columns.
    pub fn plain_cells(self, scored: &Scored, measures: &[&'static Measure]) -> Vec<Cell> {
        let number = |value: Option<f64>, measure: &Measure| {
            Cell::or_empty(value.map(|value| Cell::number(value, short(value, measure))))
        };
        let mut cells = Vec::new();
        for measure in measures {
            if self.certainty {
                let sure = scored.streamed.as_ref().map(|streamed| streamed.score(measure.id));
                // A dataset that was in memory has exact scores.
                let name = sure.flatten().map_or("exact", |score| certainty_name(score.certainty));
                cells.push(Cell::text(name));
                cells.push(number(sure.flatten().map_or(Some(0.0), |score| score.error), measure));
            }
            if self.intervals {
                let interval = scored.interval(measure);
                cells.push(number(interval.map(|interval| interval.low), measure));
                cells.push(number(interval.map(|interval| interval.high), measure));
            }
            if self.random {
                let random = scored.random_score(measure);
                cells.push(number(random.map(|random| random.mean), measure));
                cells.push(number(random.map(|random| random.p), measure));
            }
        }
        cells
    }
}

/// The name of a certainty, as in JSON.
fn certainty_name(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::Exact => "exact",
        Certainty::Estimated => "estimated",
        Certainty::AtMost => "at-most",
    }
}

/// `exact`, or the 95% error of an estimate if one is stated.
fn certainty(scored: &Scored, measure: &Measure) -> String {
    let sure = scored.streamed.as_ref().and_then(|streamed| streamed.score(measure.id));
    match sure.map(|score| (score.certainty, score.error)) {
        None | Some((Certainty::Exact, _)) => "exact".to_owned(),
        Some((Certainty::Estimated, Some(error))) => format!("± {}", short(error, measure)),
        Some((Certainty::Estimated, None)) => "not stated".to_owned(),
        Some((Certainty::AtMost, _)) => "at most".to_owned(),
    }
}

/// The interval of a score.
fn interval(scored: &Scored, measure: &Measure) -> String {
    scored.interval(measure).map_or_else(String::new, |interval| {
        format!("[{}, {}]", short(interval.low, measure), short(interval.high, measure))
    })
}

/// How often random labels score at least as well: `< 0.005` if none of 200 did.
fn p(scored: &Scored, measure: &Measure) -> String {
    let (Some(random), Some(all)) = (scored.random_score(measure), &scored.random_labels) else {
        return String::new();
    };
    let bound = clmatch_render::number::significant(1.0 / all.permutations as f64, 1);
    // No random labelling did: this is the smallest p that the number of labellings can show.
    if bound.parse().is_ok_and(|bound: f64| random.p < bound) {
        return format!("< {bound}");
    }
    clmatch_render::number::significant(random.p, 2)
}

/// One sentence on the score that decides, in a form that can be quoted.
pub fn sentence(scored: &Scored, by: &Measure) -> Option<String> {
    let score = short(scored.scores.get(by.id)?, by);
    let interval = scored.interval(by).map(|_| format!(" {}", interval(scored, by)));
    let random = scored.random_score(by).map(|random| {
        let p = p(scored, by);
        let p = if p.starts_with('<') { p } else { format!("= {p}") };
        format!("; random labels {}, p {p}", short(random.mean, by))
    });
    (interval.is_some() || random.is_some())
        .then(|| format!("{} {score}{}{}", by.id, interval.unwrap_or_default(), random.unwrap_or_default()))
}
