//! The sliders beside the table of datasets, and the data by which the script filters its rows.

use clmatch::Measure;
use clmatch_analysis::Scored;
use clmatch_analysis::ranking::{Ranked, Ranking};
use serde::Serialize;

use crate::pages::markup::Markup;
use crate::pages::text::{score, thousands};

/// Two handles over the values that occur.
pub(super) struct Slider {
    pub(super) id: &'static str,
    pub(super) title: String,
    /// The number of the last step, counted from 0.
    pub(super) last: usize,
    /// The values of the first and the last step, as text.
    pub(super) ends: [String; 2],
}

/// The data by which the script filters rows, in the order of the table as it is written.
#[derive(Serialize)]
struct RowData<'a> {
    /// Every value of a slider, ascending, and how it is written.
    steps: Vec<Vec<f64>>,
    labels: Vec<Vec<String>>,
    /// For each dataset, its step on each slider.
    places: Vec<Vec<usize>>,
    names: Vec<&'a str>,
}

/// The values of each slider, ascending, without duplicates: score, points, features, classes.
pub(super) fn slider_values(ranking: &Ranking) -> [Vec<f64>; 4] {
    let by = ranking.by.id;
    let of = |value: &dyn Fn(&Scored) -> f64| {
        let mut values: Vec<f64> = ranking.ranked.iter().map(|ranked| value(&ranked.scored)).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    };
    [
        of(&|scored| scored.scores.get(by).unwrap_or(f64::NAN)),
        of(&|scored| scored.points as f64),
        of(&|scored| scored.features as f64),
        of(&|scored| scored.classes as f64),
    ]
}

fn slider_labels(by: &Measure, columns: &[Vec<f64>; 4]) -> Vec<Vec<String>> {
    let write = |(at, values): (usize, &Vec<f64>)| -> Vec<String> {
        values
            .iter()
            .map(|&value| if at == 0 { score(value, Some(by)) } else { thousands(value as usize) })
            .collect()
    };
    columns.iter().enumerate().map(write).collect()
}

pub(super) fn sliders(by: &Measure, columns: &[Vec<f64>; 4]) -> Vec<Slider> {
    let titles = [("score", by.id), ("points", "points"), ("features", "features"), ("classes", "classes")];
    let labels = slider_labels(by, columns);
    let slider = |((id, title), labels): ((&'static str, &str), Vec<String>)| Slider {
        id,
        title: title.to_owned(),
        last: labels.len().saturating_sub(1),
        ends: [labels.first().cloned().unwrap_or_default(), labels.last().cloned().unwrap_or_default()],
    };
    titles.into_iter().zip(labels).map(slider).collect()
}

pub(super) fn row_data(ranking: &Ranking, columns: &[Vec<f64>; 4]) -> Markup {
    let by = ranking.by;
    let place = |values: &[f64], value: f64| {
        values.iter().position(|known| known.total_cmp(&value).is_eq()).unwrap_or_default()
    };
    let places = ranking.ranked.iter().map(|Ranked { scored, .. }| {
        let values = [
            scored.scores.get(by.id).unwrap_or(f64::NAN),
            scored.points as f64,
            scored.features as f64,
            scored.classes as f64,
        ];
        columns.iter().zip(values).map(|(column, value)| place(column, value)).collect()
    });
    Markup::json(&RowData {
        places: places.collect(),
        names: ranking.ranked.iter().map(|ranked| ranked.scored.dataset.as_str()).collect(),
        labels: slider_labels(by, columns),
        steps: columns.to_vec(),
    })
}
