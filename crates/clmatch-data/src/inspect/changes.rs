//! From the advice of an error to other options.

use std::collections::BTreeMap;

use clmatch::Singletons;

use super::columns::{Decided, inspected, rows_seen};
use super::settings::{Reading, changed};
use super::{Classes, InspectedPoints, Inspection, InspectionStep, PointsLeftOut};
use crate::advice::{Advice, ColumnOption};
use crate::classes;
use crate::columns::{Role, find, plan_described};
use crate::dataset::Dataset;
use crate::error::{ColumnRef, ReadError, shorten};
use crate::glimpse::{ColumnKind, Described};
use crate::loss::is_large_loss;
use crate::names::{IdName, LABEL_NAMES, id_name, is_named, may_name_label};
use crate::note::Note;
use crate::options::{Missing, ReadOptions};
use crate::provenance::{Facts, LabelOrigin, LabelSource};
use crate::read::DescribedTable;
use crate::table::{Codes, plain_name};
use crate::text_columns::has_texts_as_values;

/// The part of a message that follows the name of a column: `a copy of the label`.
fn predicate(what: &str) -> &str {
    let rest = what.split_once("' ").map_or(what, |(_, rest)| rest);
    rest.strip_prefix("is ").unwrap_or(rest)
}

/// Adds a name that is not there yet.
fn add(names: &mut Vec<String>, name: String) {
    if !names.contains(&name) {
        names.push(name);
    }
}

/// A search for options that read a file.
pub(super) struct Search {
    /// The columns, if they have names.
    pub(super) table: Option<DescribedTable>,
    /// The current options.
    pub(super) now: Reading,
    /// The options as given.
    asked: Reading,
    /// The label that was chosen without being asked for, with the reason.
    guessed: Option<LabelOrigin>,
    /// The label that is chosen with the options as given.
    asked_label: Option<LabelOrigin>,
    /// Whether that is because another column turned out to be no label.
    replaced: bool,
    /// Why that column is no label, if the one in its place has no name that says label, so that the caller has to choose.
    unclear: Option<String>,
    /// Columns that turned out not to be labels.
    refuted: Vec<String>,
    /// Why columns were left out, by index.
    reasons: BTreeMap<usize, String>,
    /// Texts that were named as missing, with the column in which they stood.
    markers: Vec<(String, String)>,
    refused: Option<ReadError>,
    steps: Vec<InspectionStep>,
}

impl Search {
    pub(super) fn new(asked: Reading, table: Option<DescribedTable>) -> Self {
        let mut search = Search {
            table,
            now: asked.clone(),
            asked,
            guessed: None,
            asked_label: None,
            replaced: false,
            unclear: None,
            refuted: Vec::new(),
            reasons: BTreeMap::new(),
            markers: Vec::new(),
            refused: None,
            steps: Vec::new(),
        };
        search.guessed = search.guess();
        search.asked_label.clone_from(&search.guessed);
        search
    }

    /// The label that would be chosen with the options as given, unless they name it.
    fn guess(&self) -> Option<LabelOrigin> {
        let table = self.table.as_ref().filter(|table| table.holds_label)?;
        if self.now.options.label.is_some() {
            return None;
        }
        plan_described(&table.columns, &self.now.options, true).ok()?.facts.label
    }

    /// Changes the options as the advice of an error says; `false` if that is not possible.
    pub(super) fn change(&mut self, error: &ReadError) -> bool {
        let before = self.now.clone();
        self.refused.get_or_insert_with(|| error.clone());
        let Some(advice) = &error.advice else { return false };
        if !self.follow(advice, error) {
            return false;
        }
        // What is left out must not make another column the label.
        if self.now.options.label.is_none()
            && let Some(column) = self.guessed.as_ref().and_then(|origin| self.column_of(&origin.name))
        {
            self.now.options.label = Some(self.reference(column));
        }
        let mut settings = changed(&before, &self.now);
        let is_about_label = matches!(
            advice,
            Advice::ChooseClasses { .. }
                | Advice::ChooseLabel
                | Advice::ChooseOtherLabel
                | Advice::ChooseLabelByIndex
        );
        settings.retain(|setting| is_about_label || setting.name != "label");
        if self.now == before {
            return false;
        }
        let mut bare = error.clone();
        bare.path.clear();
        self.steps.push(InspectionStep { reason: bare.to_string(), settings });
        true
    }

    fn follow(&mut self, advice: &Advice, error: &ReadError) -> bool {
        let place = error.place.as_ref().and_then(|place| place.column.as_ref()).map(plain_name);
        match advice {
            Advice::HandleText { .. } => self.handle_text(),
            Advice::DropOrOneHot(column) => self.handle_text_in(column),
            Advice::DropNamedColumn(column) => self.leave_out(column, predicate(&error.what)),
            Advice::DropOrKeep(columns) => {
                columns.iter().all(|column| self.leave_out(column, predicate(&error.what)))
            }
            Advice::DropColumn | Advice::MendRowOrDropColumn => match place {
                Some(column) => self.leave_out(&column, predicate(&error.what)),
                None => false,
            },
            Advice::HandleMissing => self.leave_out_empty() || self.drop_rows(),
            Advice::DropRowsWithoutLabel => self.drop_rows(),
            Advice::DropColumnsOrImpute | Advice::KeepRows(_) => self.impute(),
            Advice::NameMissing(text) => {
                add(&mut self.now.options.missing_values, text.clone());
                true
            }
            Advice::DecimalComma => !std::mem::replace(&mut self.now.options.decimal_comma, true),
            Advice::FirstLineIsHeader => self.set_header(true),
            Advice::FirstLineIsData => self.set_header(false),
            Advice::KeepColumns(columns) => self.keep(columns),
            Advice::ChooseClasses { column, instead } => {
                // Another column is a guess at best, unless its name says what it is.
                let named: Vec<String> =
                    instead.iter().filter(|name| may_name_label(name)).cloned().collect();
                self.choose_label(column, &named, error)
            }
            Advice::ChooseLabel | Advice::ChooseOtherLabel | Advice::DropAnyRows => {
                match self.guessed.clone() {
                    Some(origin) => self.choose_label(&origin.name, &origin.alternatives, error),
                    None => false,
                }
            }
            Advice::ChooseLabelByIndex => self.choose_among_equal_names(),
            Advice::DropSingletons => {
                self.now.singletons = Singletons::Drop;
                true
            }
            _ => false,
        }
    }

    /// Turns columns of text with few values into indicators, and leaves out the others.
    fn handle_text(&mut self) -> bool {
        !std::mem::replace(&mut self.now.options.mixed, true)
    }

    /// Handles a column in which some cell is text. Among numbers, few such cells stand for missing values.
    fn handle_text_in(&mut self, name: &str) -> bool {
        const MARKERS: usize = 3;
        let column = self.column_of(name).and_then(|column| self.table.as_ref()?.columns.get(column));
        let Some(column) = column else { return false };
        let glimpse = &column.glimpse;
        let is_text = column.nominal
            || matches!(glimpse.kind(), ColumnKind::Text | ColumnKind::Word)
            || has_texts_as_values(&column.name, glimpse);
        let has_few_texts = glimpse.has_few_texts();
        let marker = String::from_utf8_lossy(glimpse.example()).trim().to_owned();
        if is_text && self.handle_text() {
            return true;
        }
        let is_marker = has_few_texts
            && !marker.is_empty()
            && !marker.contains([',', '"'])
            && self.now.options.missing_values.len() < self.asked.options.missing_values.len() + MARKERS
            && !self.now.options.missing_values.contains(&marker);
        if is_marker {
            self.now.options.missing_values.push(marker.clone());
            self.markers.push((name.to_owned(), marker));
            return true;
        }
        self.leave_out(name, "some cells hold text")
    }

    /// Leaves out a column, unless the caller asked for it.
    fn leave_out(&mut self, name: &str, why: &str) -> bool {
        let Some(column) = self.column_of(name) else { return false };
        let reference = self.reference(column);
        let names = self.names();
        let is_it = |chosen: &String| find(&names, chosen, ColumnOption::Drop) == Ok(column);
        let options = &self.asked.options;
        if options.keep.iter().chain(&options.only).chain(&options.one_hot).any(is_it) {
            return false;
        }
        self.now.options.one_hot.retain(|chosen| !is_it(chosen));
        // What stands for missing values in this column only need not be named.
        let (own, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.markers).into_iter().partition(|(column, _)| column == name);
        self.now.options.missing_values.retain(|marker| own.iter().all(|(_, own)| own != marker));
        self.markers = others;
        add(&mut self.now.options.drop, reference);
        self.reasons.insert(column, why.to_owned());
        true
    }

    /// Keeps what is not named like an id: nothing else is left. Texts and ids say nothing as features.
    fn keep(&mut self, columns: &[String]) -> bool {
        for name in columns {
            let Some(column) = self.column_of(name) else { continue };
            let described = self.table.as_ref().and_then(|table| table.columns.get(column));
            let is_number = |column: &Described| {
                column.glimpse.kind() == ColumnKind::Number && id_name(&column.name) == IdName::No
            };
            if described.is_some_and(is_number) {
                let reference = self.reference(column);
                add(&mut self.now.options.keep, reference);
            }
        }
        self.now.options.keep.len() > self.asked.options.keep.len()
    }

    /// Leaves out columns without any value: neither their rows nor a mean would be left.
    fn leave_out_empty(&mut self) -> bool {
        let roles = self.plan(&self.now.options).map(|plan| plan.roles).unwrap_or_default();
        let columns = self.table.iter().flat_map(|table| &table.columns).zip(roles);
        let is_empty = |(column, role): (&Described, Role)| {
            role == Role::Number && column.glimpse.seen() == 0 && column.glimpse.examined() > 0
        };
        let empty: Vec<String> = columns
            .filter(|(column, role)| is_empty((*column, *role)))
            .map(|(column, _)| plain_name(&column.name))
            .collect();
        !empty.is_empty() && empty.iter().all(|column| self.leave_out(column, "empty"))
    }

    fn drop_rows(&mut self) -> bool {
        let is_open = self.now.options.missing == Missing::Error;
        if is_open {
            self.now.options.missing = Missing::Drop;
        }
        is_open
    }

    /// Replaces missing values by the mean, unless the caller asked for something else.
    fn impute(&mut self) -> bool {
        let is_open =
            self.asked.options.missing == Missing::Error && self.now.options.missing != Missing::Mean;
        if is_open {
            self.now.options.missing = Missing::Mean;
        }
        is_open
    }

    fn set_header(&mut self, header: bool) -> bool {
        let changes = self.asked.options.header.is_none() && self.now.options.header != Some(header);
        self.now.options.header = Some(header);
        changes
    }

    /// Chooses another label than `refuted`, unless the caller asked for that one.
    fn choose_label(&mut self, refuted: &str, instead: &[String], error: &ReadError) -> bool {
        if self.asked.options.label.is_some() {
            return false;
        }
        self.refuted.push(refuted.to_owned());
        let is_new = |name: &&String| !self.refuted.contains(&shorten(name)) && !self.refuted.contains(name);
        let Some(name) = instead.iter().find(is_new).cloned() else { return false };
        if !may_name_label(&name) {
            self.unclear.get_or_insert_with(|| format!("holds no classes: {}", error.what));
        }
        self.take_label(&name, instead)
    }

    fn take_label(&mut self, name: &str, alternatives: &[String]) -> bool {
        let Some(column) = self.column_of(name) else { return false };
        self.now.options.label = Some(self.reference(column));
        let source = LabelSource::LastColumn;
        let alternatives = alternatives.iter().filter(|other| *other != name).cloned().collect();
        self.guessed = Some(LabelOrigin { name: name.to_owned(), source, alternatives });
        self.replaced = true;
        true
    }

    /// Of several columns with the same telling name, the last one.
    fn choose_among_equal_names(&mut self) -> bool {
        let names = self.names();
        let with = |known: &&&str| names.iter().filter(|name| is_named(name, known)).count() > 1;
        let Some(known) = LABEL_NAMES.iter().find(with) else { return false };
        let Some(column) = names.iter().rposition(|name| is_named(name, known)) else { return false };
        self.now.options.label = Some(self.reference(column));
        self.guessed = Some(LabelOrigin::certain(plain_name(&names[column]), LabelSource::LastColumn));
        true
    }

    /// Refuses a label that was chosen here, if it would be refused when it is not chosen.
    pub(super) fn check_label(&self, dataset: &Dataset) -> Result<(), ReadError> {
        if self.now.options.label == self.asked.options.label {
            return Ok(());
        }
        let facts = Facts { label: self.guessed.clone(), ..Facts::default() };
        let labels = dataset.labels();
        let labels = Codes { codes: labels.codes().to_vec(), names: labels.names().to_vec() };
        classes::check(&labels, &facts).map(|_| ())
    }

    /// Refuses to leave out more than a few rows without being asked to.
    pub(super) fn check_lost_rows(&self, dataset: &Dataset) -> Result<(), ReadError> {
        let lost = dataset.notes.iter().find_map(|note| match note {
            Note::RowsDropped { rows, of, .. } => Some((*rows, *of)),
            _ => None,
        });
        match lost {
            Some((rows, of)) if self.asked.options.missing == Missing::Error && is_large_loss(rows, of) => {
                let what = format!("{rows} of {of} rows have a missing value: too many to leave out");
                Err(ReadError::new(what).help(Advice::DropColumnsOrImpute))
            }
            _ => Ok(()),
        }
    }

    /// Whether the columns hold other things with the current options than with the given ones.
    pub(super) fn is_read_otherwise(&self) -> bool {
        let (asked, now) = (&self.asked.options, &self.now.options);
        asked.header != now.header
            || asked.decimal_comma != now.decimal_comma
            || asked.missing_values != now.missing_values
    }

    /// What was found out about a file that can be scored.
    pub(super) fn success(self, dataset: &Dataset, left_out: &PointsLeftOut) -> Inspection {
        let lost = dataset.row_number(dataset.n_points() - 1).max(dataset.n_points());
        let rows = dataset.notes.iter().find_map(|note| match note {
            Note::RowsDropped { of, .. } | Note::UnlabelledDropped { of, .. } => Some(*of),
            _ => None,
        });
        let classes = Classes::of(dataset, left_out);
        let single = if self.now.singletons == Singletons::Drop { classes.single } else { 0 };
        let points = InspectedPoints {
            rows: rows.unwrap_or(lost),
            points: dataset.n_points() - single - if left_out.noise.is_some() { classes.noise } else { 0 },
            features: dataset.n_features(),
            classes: classes.all - single,
        };
        self.inspection(Some(dataset), Some(points), None)
    }

    /// What was found out about a file that cannot be scored.
    pub(super) fn failure(mut self, error: ReadError) -> Inspection {
        let first = self.refused.get_or_insert_with(|| error.clone()).clone();
        // Whoever leaves out the last feature has not found what is wrong.
        let drops = self.now.options.drop.len() > self.asked.options.drop.len();
        let empty = drops && self.plan(&self.now.options).is_none();
        self.inspection(None, None, Some(if empty { first } else { error }))
    }

    /// Whether the column that serves as the label has nothing to say so.
    pub(super) fn is_label_unclear(&self) -> bool {
        self.unclear.is_some()
    }

    /// What was found out about a file whose label has to be chosen first; `is_read` says whether the file can be scored with the
    /// options of a search. A choice that was made here would look like that of the caller.
    pub(super) fn without_label(mut self, is_read: impl Fn(&Search) -> bool) -> Inspection {
        const MOST: usize = 5;
        let (Some(first), Some(why)) = (self.asked_label.clone(), self.unclear.clone()) else {
            return self.failure(ReadError::new("there is no label").help(Advice::ChooseLabel));
        };
        let is_open = |name: &&String| !self.refuted.contains(name) && !self.refuted.contains(&shorten(name));
        let others = std::iter::once(&first.name).chain(&first.alternatives);
        let others: Vec<String> = others.filter(is_open).cloned().collect();
        let mut columns = Vec::new();
        for name in others.iter().take(MOST) {
            let Some(column) = self.column_of(name) else { continue };
            self.now.options.label = Some(self.reference(column));
            if is_read(&self) {
                columns.extend(self.now.options.label.clone());
            }
        }
        let mut settings = changed(&self.asked, &self.now);
        settings.retain(|setting| setting.name != "label");
        let (name, reason) = (shorten(&first.name), first.source.reason().unwrap_or("as asked"));
        let what = format!("'{name}', taken for the label ({reason}), {why}");
        self.failure(ReadError::new(what).help(Advice::ChooseLabelAmong { columns, settings }))
    }

    /// Names the label that was guessed by its place or content; one that is found by its name need not be named.
    pub(super) fn settle_label(&mut self) {
        if self.asked.options.label.is_some() {
            return;
        }
        let Some(origin) = &self.guessed else { return };
        let by_name = matches!(origin.source, LabelSource::Name | LabelSource::Embedded);
        let column = self.column_of(&origin.name);
        self.now.options.label = match column {
            Some(column) if !by_name && !origin.is_doubtful() => Some(self.reference(column)),
            _ => {
                let open = ReadOptions { label: None, ..self.now.options.clone() };
                let same = self.plan(&open).and_then(|plan| plan.label()) == column;
                self.now.options.label.take().filter(|_| !same)
            }
        };
        if self.now.options.label.is_some() && origin.is_doubtful() && !may_name_label(&origin.name) {
            self.unclear.get_or_insert_with(|| "is not the only column that may hold classes".to_owned());
        }
    }

    fn plan(&self, options: &ReadOptions) -> Option<crate::columns::ColumnPlan> {
        let table = self.table.as_ref()?;
        plan_described(&table.columns, options, table.holds_label).ok()
    }

    fn inspection(
        self,
        dataset: Option<&Dataset>,
        points: Option<InspectedPoints>,
        obstacle: Option<ReadError>,
    ) -> Inspection {
        // Changes that did not help say nothing about the columns.
        let shown = if points.is_some() { &self.now } else { &self.asked };
        let plan = self.plan(&shown.options);
        let chosen = || dataset?.label_origin().cloned();
        let first = || self.asked_label.clone();
        let mut label = if points.is_some() { self.guessed.clone().or_else(chosen) } else { first() };
        if let (true, Some(label)) = (self.replaced && points.is_some(), &mut label) {
            label.source = LabelSource::Chosen;
        }
        let unchanged = BTreeMap::new();
        let decided = Decided {
            plan: plan.as_ref(),
            label_reason: match label.as_ref().and_then(|label| label.source.reason()) {
                Some(reason) => reason,
                None if self.replaced && points.is_some() => "its values may be classes",
                None => "as asked",
            },
            reasons: if points.is_some() { &self.reasons } else { &unchanged },
            asked: &self.asked.options,
            dataset,
        };
        let columns: &[Described] = self.table.as_ref().map_or(&[], |table| &table.columns);
        Inspection {
            columns: inspected(columns, &decided),
            rows_seen: rows_seen(columns),
            options: self.now.options.clone(),
            singletons: self.now.singletons,
            settings: if points.is_some() { changed(&self.asked, &self.now) } else { Vec::new() },
            label,
            refused: self.refused,
            steps: self.steps,
            points,
            obstacle,
            notes: dataset.map(|dataset| dataset.notes.clone()).unwrap_or_default(),
        }
    }

    fn names(&self) -> Vec<ColumnRef> {
        let columns = self.table.iter().flat_map(|table| &table.columns);
        columns.map(|column| column.name.clone()).collect()
    }

    /// The column that an error names.
    fn column_of(&self, name: &str) -> Option<usize> {
        self.columns_of(name).first().copied()
    }

    /// The columns that an error may mean by a name, perhaps shortened, or by that of an indicator.
    fn columns_of(&self, name: &str) -> Vec<usize> {
        let names: Vec<String> = self.names().iter().map(plain_name).collect();
        let with = |is_it: &dyn Fn(&String) -> bool| -> Vec<usize> {
            (0..names.len()).filter(|&column| is_it(&names[column])).collect()
        };
        let is_indicator = |plain: &String| {
            name.strip_prefix(plain.as_str()).is_some_and(|value| value.starts_with('=') && !plain.is_empty())
        };
        let found =
            [with(&|plain| plain == name), with(&|plain| shorten(plain) == name), with(&is_indicator)];
        found.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// A text that names a column in options: its name, or its index where the name is not unique or cannot be given in a list.
    fn reference(&self, column: usize) -> String {
        let names = self.names();
        let index = column.to_string();
        let is_taken = names.iter().any(|name| *name == ColumnRef::Name(index.clone()));
        let name = plain_name(&names[column]);
        let awkward = name.trim().is_empty() || name.contains(',') || name == "*" || name.starts_with('-');
        let found = find(&names, &name, ColumnOption::Drop);
        if found == Ok(column) && (!awkward || is_taken) { name } else { index }
    }
}
