//! What each column of a file holds and what it is used as.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::columns::{ColumnPlan, Role};
use crate::dataset::Dataset;
use crate::error::shorten_bytes;
use crate::glimpse::{ColumnKind, Described};
use crate::options::ReadOptions;
use crate::provenance::{LeftOutColumn, LeftOutReason, SuspectedCopy};
use crate::table::plain_name;

/// What a column holds, as far as its first rows show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ColumnType {
    /// Numbers with fractions.
    Number,
    /// Whole numbers.
    WholeNumber,
    /// `yes` and `no`, `true` and `false`.
    YesNo,
    /// Any other text.
    Text,
    /// Dates and times of day.
    Date,
    /// Lists of numbers.
    List,
    /// Nothing.
    Empty,
}

impl ColumnType {
    /// The type in words.
    pub fn name(self) -> &'static str {
        match self {
            ColumnType::Number => "number",
            ColumnType::WholeNumber => "whole number",
            ColumnType::YesNo => "yes or no",
            ColumnType::Text => "text",
            ColumnType::Date => "date",
            ColumnType::List => "list",
            ColumnType::Empty => "empty",
        }
    }

    fn of(column: &Described) -> Self {
        match column.glimpse.kind() {
            _ if column.list => ColumnType::List,
            ColumnKind::Number if column.glimpse.is_fractional() => ColumnType::Number,
            ColumnKind::Number => ColumnType::WholeNumber,
            ColumnKind::Word => ColumnType::YesNo,
            ColumnKind::Text => ColumnType::Text,
            ColumnKind::Time => ColumnType::Date,
            ColumnKind::Unknown => ColumnType::Empty,
        }
    }
}

/// What a column is used as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ColumnRole {
    /// The label.
    Label,
    /// A feature.
    Feature,
    /// Each of its values becomes a feature.
    Indicators,
    /// It is not used.
    LeftOut,
    /// It can be none of these as it is.
    Undecided,
}

impl ColumnRole {
    /// The role in words.
    pub fn name(self) -> &'static str {
        match self {
            ColumnRole::Label => "label",
            ColumnRole::Feature => "feature",
            ColumnRole::Indicators => "indicators",
            ColumnRole::LeftOut => "left out",
            ColumnRole::Undecided => "undecided",
        }
    }
}

/// A column of a file: what its first rows hold, and what it is used as.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InspectedColumn {
    /// Its name, or its index where it has none.
    pub name: String,
    /// Its index in the file, counted from 0.
    pub index: usize,
    /// What it holds.
    #[serde(rename = "type")]
    pub kind: ColumnType,
    /// Up to three different values.
    pub examples: Vec<String>,
    /// The cells of the first rows, empty where a value is missing; none where rows were not read in their order.
    #[serde(default)]
    pub first: Vec<String>,
    /// How many different values there are.
    pub distinct: usize,
    /// The share of rows without a value.
    pub missing: f64,
    /// What it is used as.
    pub role: ColumnRole,
    /// Why, unless that is obvious.
    pub why: Option<String>,
}

impl InspectedColumn {
    /// A column whose use is not known yet; `rows` is how many rows were examined.
    fn new(index: usize, column: &Described, rows: usize) -> Self {
        let glimpse = &column.glimpse;
        InspectedColumn {
            name: plain_name(&column.name),
            index,
            kind: ColumnType::of(column),
            examples: glimpse.examples().map(shorten_bytes).collect(),
            first: glimpse.first().map(shorten_bytes).collect(),
            distinct: glimpse.distinct(),
            missing: if rows == 0 { 0.0 } else { (rows - glimpse.seen()) as f64 / rows as f64 },
            role: ColumnRole::Undecided,
            why: None,
        }
    }
}

/// How many rows were examined.
pub(super) fn rows_seen(columns: &[Described]) -> usize {
    columns.iter().map(|column| column.glimpse.examined()).max().unwrap_or(0)
}

/// What decides about the roles of columns.
pub(super) struct Decided<'a> {
    /// What the options and the first rows say; `None` if they contradict each other.
    pub(super) plan: Option<&'a ColumnPlan>,
    /// Why the label is the label.
    pub(super) label_reason: &'a str,
    /// Why the inspection left columns out, by index.
    pub(super) reasons: &'a BTreeMap<usize, String>,
    /// The options that the caller gave.
    pub(super) asked: &'a ReadOptions,
    /// The dataset, if it could be read.
    pub(super) dataset: Option<&'a Dataset>,
}

/// The columns with their roles.
pub(super) fn inspected(columns: &[Described], decided: &Decided<'_>) -> Vec<InspectedColumn> {
    let rows = rows_seen(columns);
    let column = |(index, column): (usize, &Described)| {
        let mut inspected = InspectedColumn::new(index, column, rows);
        if let Some(plan) = decided.plan {
            (inspected.role, inspected.why) = role(index, &inspected, plan, decided);
            // All rows decide, but where they cannot be read, the first ones show it as well.
            let kept = plan.facts.features_chosen || plan.facts.kept.contains(&column.name);
            if decided.dataset.is_none()
                && plan.roles[index] == Role::Number
                && column.is_number_id()
                && !kept
            {
                let why = Some(LeftOutReason::Id.short().to_owned());
                (inspected.role, inspected.why) = (ColumnRole::LeftOut, why);
            }
        }
        inspected
    };
    columns.iter().enumerate().map(column).collect()
}

fn role(
    index: usize,
    column: &InspectedColumn,
    plan: &ColumnPlan,
    decided: &Decided<'_>,
) -> (ColumnRole, Option<String>) {
    let is_text = matches!(column.kind, ColumnType::Text | ColumnType::Date);
    let id = |all: &[LeftOutColumn]| {
        all.iter().find(|one| one.column == column.name).map(|one| one.reason.short().to_owned())
    };
    match plan.roles[index] {
        Role::Label => (ColumnRole::Label, Some(decided.label_reason.to_owned())),
        Role::Category => {
            let suspect = |suspect: &SuspectedCopy| plain_name(&suspect.column) == column.name;
            let found = match decided.dataset {
                Some(dataset) => id(dataset.left_out()),
                None if plan.facts.suspects.iter().any(suspect) => {
                    Some(LeftOutReason::LabelCopy.short().to_owned())
                }
                None => None,
            };
            match found {
                Some(why) => (ColumnRole::LeftOut, Some(why)),
                None => (ColumnRole::Indicators, None),
            }
        }
        Role::Either if is_text => (ColumnRole::Indicators, None),
        Role::Skip => {
            let asked = || {
                let given = !decided.asked.drop.is_empty() || !decided.asked.only.is_empty();
                (given || decided.asked.drop_text).then(|| "as asked".to_owned())
            };
            let why =
                decided.reasons.get(&index).cloned().or_else(|| id(&plan.facts.left_out)).or_else(asked);
            (ColumnRole::LeftOut, why)
        }
        Role::Number if is_text && decided.dataset.is_none() => {
            (ColumnRole::Undecided, Some("not a number".to_owned()))
        }
        Role::Blank => (ColumnRole::LeftOut, Some("empty, without a name".to_owned())),
        Role::Number | Role::Either | Role::List(_) => {
            let found = decided.dataset.and_then(|dataset| id(dataset.left_out()));
            let doubtful =
                decided.dataset.is_some_and(|dataset| dataset.doubtful_ids().contains(&column.name));
            match found {
                Some(why) => (ColumnRole::LeftOut, Some(why)),
                None => (ColumnRole::Feature, doubtful.then(|| "may be an id".to_owned())),
            }
        }
    }
}
