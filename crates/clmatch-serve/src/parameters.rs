//! Query parameters, defined by tables. A parameter that is not in a table is refused, and the API description is generated from
//! the same tables.

use std::borrow::Cow;
use std::str::FromStr;

use clmatch::measure::{REGISTRY, defaults, find};
use clmatch::{Measure, Singletons};
use clmatch_data::{DatasetOptions, Missing, ReadOptions, Scale, Setting, SettingValue};

use crate::problem::ApiProblem;

/// A parameter. Its name is that of the command's option, with `_` for `-`.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) kind: ParameterKind,
    pub(crate) about: &'static str,
}

/// The values that a parameter accepts.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ParameterKind {
    Text,
    /// Texts separated by commas, or one text for each time that the parameter is given.
    List,
    /// `true` or `false`; without a value it is `true`.
    Flag,
    /// A whole number in a range, both ends included.
    Whole(u64, u64),
    /// A number in a range, both ends included.
    Number(f64, f64),
    OneOf(&'static [&'static str]),
    /// The id of a measure.
    Measure,
    /// Ids of measures, or `all`.
    Measures,
}

const fn parameter(name: &'static str, kind: ParameterKind, about: &'static str) -> Parameter {
    Parameter { name, kind, about }
}

/// How a dataset is read and prepared.
pub(crate) const READING: &[Parameter] = &[
    parameter(
        "label",
        ParameterKind::Text,
        "The label column, by name or by index (0 is the first, -1 the last).",
    ),
    parameter("layer", ParameterKind::Text, "The matrix of an AnnData file that holds the points."),
    parameter("drop", ParameterKind::List, "Columns to leave out."),
    parameter("drop_text", ParameterKind::Flag, "Leave out all columns of text."),
    parameter("keep", ParameterKind::List, "Columns to use as features even if they look like ids."),
    parameter("only", ParameterKind::List, "The only columns to use as features."),
    parameter("one_hot", ParameterKind::List, "Columns of text to turn into indicators; * for all of them."),
    parameter(
        "mixed",
        ParameterKind::Flag,
        "Turn columns of text with few values into indicators, and leave out all other text.",
    ),
    parameter(
        "missing",
        ParameterKind::OneOf(&["error", "drop", "drop-any", "mean"]),
        "What to do with missing values.",
    ),
    parameter("na", ParameterKind::List, "Texts that stand for missing values, in all columns."),
    parameter("decimal_comma", ParameterKind::Flag, "Read numbers that are written with a decimal comma."),
    parameter(
        "header",
        ParameterKind::Flag,
        "Whether the first line of a text table holds the names of columns.",
    ),
    parameter(
        "skip_rows",
        ParameterKind::Whole(0, 1_000_000),
        "Lines at the start of a text table to pass over.",
    ),
    parameter(
        "scale",
        ParameterKind::OneOf(&["none", "max-abs", "standard", "min-max", "robust"]),
        "How to scale the features.",
    ),
    parameter("noise", ParameterKind::Text, "Leave out the points with this label."),
    parameter(
        "singletons",
        ParameterKind::OneOf(&["error", "drop"]),
        "What to do with classes of one point.",
    ),
];
/// What is shown of suspicious points.
pub(crate) const SHOW: &[Parameter] =
    &[parameter("show", ParameterKind::List, "Columns of the file to show beside suspicious points.")];
/// Which measures to compute.
pub(crate) const MEASURES: &[Parameter] =
    &[parameter("measures", ParameterKind::Measures, "Ids of measures with commas between them, or all.")];
/// Which measure decides.
pub(crate) const BY: &[Parameter] =
    &[parameter("by", ParameterKind::Measure, "The measure that decides about the order.")];
/// The seed of everything random.
pub(crate) const SEED: &[Parameter] =
    &[parameter("seed", ParameterKind::Whole(0, u64::MAX), "The seed of everything random.")];
/// How certain a score is.
pub(crate) const UNCERTAINTY: &[Parameter] = &[
    parameter("ci", ParameterKind::Flag, "Find the 95% interval of every score."),
    parameter("null", ParameterKind::Whole(1, 10_000), "How many random labellings are scored, too."),
];
/// A known dataset, or the name of the one in the body.
pub(crate) const DATASET: &[Parameter] = &[
    parameter(
        "dataset",
        ParameterKind::Text,
        "The id of a dataset that the server has; or send a file as the body.",
    ),
    parameter(
        "name",
        ParameterKind::Text,
        "The name of the file in the body: it tells the format, and is shown.",
    ),
];
/// Several known datasets.
pub(crate) const DATASETS: &[Parameter] =
    &[parameter("datasets", ParameterKind::List, "The ids of datasets that the server has.")];
/// The name of an upload.
pub(crate) const NAME: &[Parameter] =
    &[parameter("name", ParameterKind::Text, "The name of the file: it tells the format, and is shown.")];
/// How long to wait for a result.
pub(crate) const WAIT: &[Parameter] = &[parameter(
    "wait",
    ParameterKind::Number(0.0, 120.0),
    "Wait so many seconds for the result instead of returning the job at once.",
)];

/// The parameters of a request, checked against tables.
#[derive(Debug, Default, Clone)]
pub(crate) struct Given {
    values: Vec<(&'static Parameter, Vec<String>)>,
}

impl Given {
    /// Checks a query against tables.
    pub(crate) fn parse(query: &str, tables: &[&'static [Parameter]]) -> Result<Given, ApiProblem> {
        let mut given = Given::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let known = || tables.iter().flat_map(|table| table.iter());
            let Some(parameter) = known().find(|parameter| parameter.name == name) else {
                let names: Vec<&str> = known().map(|parameter| parameter.name).collect();
                return Err(ApiProblem::bad_request(format!("there is no parameter '{name}'"))
                    .help(format!("there are: {}", names.join(", "))));
            };
            parameter.check(&value)?;
            given.add(parameter, value)?;
        }
        Ok(given)
    }

    fn add(&mut self, parameter: &'static Parameter, value: Cow<'_, str>) -> Result<(), ApiProblem> {
        match self.values.iter_mut().find(|(known, _)| known.name == parameter.name) {
            Some((_, values)) if matches!(parameter.kind, ParameterKind::List) => {
                values.push(value.into_owned());
            }
            Some(_) => return Err(ApiProblem::bad_request(format!("'{}' is given twice", parameter.name))),
            None => self.values.push((parameter, vec![value.into_owned()])),
        }
        Ok(())
    }

    fn values(&self, name: &str) -> &[String] {
        let found = self.values.iter().find(|(parameter, _)| parameter.name == name);
        found.map_or(&[], |(_, values)| values)
    }

    /// Whether the parameter was given at all, even if it is empty.
    pub(crate) fn has(&self, name: &str) -> bool {
        !self.values(name).is_empty()
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.values(name).first().map(String::as_str).filter(|text| !text.is_empty())
    }

    pub(crate) fn list(&self, name: &str) -> Vec<String> {
        match self.values(name) {
            [one] => one.split(',').filter(|part| !part.is_empty()).map(str::to_owned).collect(),
            several => several.to_vec(),
        }
    }

    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        self.values(name).first().map(|text| text != "false")
    }

    pub(crate) fn whole(&self, name: &str) -> Option<u64> {
        self.parsed(name)
    }

    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        self.parsed(name)
    }

    /// Parses a value; all values that [`Parameter::check`] accepts can be parsed.
    fn parsed<T: FromStr>(&self, name: &str) -> Option<T> {
        self.text(name).and_then(|text| text.parse().ok())
    }

    pub(crate) fn measure(&self, name: &str) -> Option<&'static Measure> {
        self.text(name).and_then(find)
    }

    /// The requested measures, and those that others need, each once.
    pub(crate) fn measures(&self, also: Option<&'static Measure>) -> Vec<&'static Measure> {
        let asked = match self.text("measures") {
            None => defaults(),
            Some("all") => REGISTRY.to_vec(),
            Some(_) => self.list("measures").iter().filter_map(|id| find(id)).collect(),
        };
        let mut chosen: Vec<&'static Measure> = Vec::new();
        for measure in asked.into_iter().chain(also) {
            if !chosen.iter().any(|known| known.id == measure.id) {
                chosen.push(measure);
            }
        }
        chosen
    }

    pub(crate) fn scale(&self) -> Scale {
        self.parsed("scale").unwrap_or_default()
    }

    pub(crate) fn noise(&self) -> Option<String> {
        self.text("noise").map(str::to_owned)
    }

    pub(crate) fn singletons(&self) -> Singletons {
        if self.text("singletons") == Some("drop") { Singletons::Drop } else { Singletons::Keep }
    }

    pub(crate) fn seed(&self) -> u64 {
        self.whole("seed").unwrap_or(0)
    }

    /// How a dataset is read, with a limit for its matrix. Parameters cannot name files.
    pub(crate) fn read_options(&self, memory_limit: u64) -> ReadOptions {
        ReadOptions {
            label: self.text("label").map(str::to_owned),
            labels_file: None,
            layer: self.text("layer").map(str::to_owned),
            drop: self.list("drop"),
            keep: self.list("keep"),
            only: self.list("only"),
            drop_text: self.flag("drop_text").unwrap_or(false),
            one_hot: self.list("one_hot"),
            mixed: self.flag("mixed").unwrap_or(false),
            missing: self.parsed::<Missing>("missing").unwrap_or_default(),
            missing_values: self.list("na"),
            decimal_comma: self.flag("decimal_comma").unwrap_or(false),
            header: self.flag("header"),
            skip_rows: self.whole("skip_rows").unwrap_or(0) as usize,
            show: None,
            memory_limit: Some(memory_limit),
        }
    }

    /// Puts options of a dataset in the place of those that were given.
    pub(crate) fn set_own(&mut self, own: &DatasetOptions) {
        fn one<T: ToString>(value: Option<T>) -> Option<Vec<String>> {
            value.map(|value| vec![value.to_string()])
        }
        let singletons = own.singletons.map(|way| if way == Singletons::Drop { "drop" } else { "error" });
        let options = [
            ("label", one(own.label.as_ref())),
            ("layer", one(own.layer.as_ref())),
            ("drop", own.drop.clone()),
            ("drop_text", one(own.drop_text)),
            ("keep", own.keep.clone()),
            ("only", own.only.clone()),
            ("one_hot", own.one_hot.clone()),
            ("mixed", one(own.mixed)),
            ("missing", one(own.missing)),
            ("na", own.missing_values.clone()),
            ("decimal_comma", one(own.decimal_comma)),
            ("header", one(own.header)),
            ("skip_rows", one(own.skip_rows)),
            ("scale", one(own.scale)),
            ("noise", one(own.noise.as_ref())),
            ("singletons", one(singletons)),
        ];
        for (name, values) in options {
            values.into_iter().for_each(|values| self.set(name, values));
        }
    }

    /// Puts settings that an inspection proposes in the place of those that were given.
    pub(crate) fn set_proposed(&mut self, settings: &[Setting]) {
        for Setting { name, value } in settings {
            let values = match value {
                SettingValue::Flag(set) => vec![set.to_string()],
                SettingValue::Text(text) => vec![text.clone()],
                SettingValue::Columns(columns) => columns.clone(),
            };
            self.set(name, values);
        }
    }

    /// Sets a parameter of reading; without values it is not given.
    fn set(&mut self, name: &str, values: Vec<String>) {
        self.values.retain(|(known, _)| known.name != name);
        let parameter = READING.iter().find(|known| known.name == name);
        self.values.extend(parameter.filter(|_| !values.is_empty()).map(|known| (known, values)));
    }

    /// The parameters as a query again.
    pub(crate) fn query(&self) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        for (parameter, values) in &self.values {
            query.extend_pairs(values.iter().map(|value| (parameter.name, value)));
        }
        query.finish()
    }

    /// The parameters of some tables as options of the command, which have the same names.
    pub(crate) fn words(&self, tables: &[&[Parameter]]) -> Vec<String> {
        let of = |(parameter, values): &(&'static Parameter, Vec<String>)| {
            let option = format!("--{}", parameter.name.replace('_', "-"));
            let value = values.join(",");
            match (parameter.name, parameter.kind, value.as_str()) {
                ("header", _, "false") => Some("--no-header".to_owned()),
                (_, ParameterKind::Flag, "false") => None,
                // A flag that is given without a value is set.
                (_, ParameterKind::Flag, _) => Some(option),
                (_, _, "") => None,
                _ => Some(format!("{option}={value}")),
            }
        };
        let listed = |name: &str| tables.iter().any(|table| table.iter().any(|known| known.name == name));
        self.values.iter().filter(|(parameter, _)| listed(parameter.name)).filter_map(of).collect()
    }
}

impl Parameter {
    /// Refuses a value that is not of the kind. An empty value counts as not given.
    fn check(&self, value: &str) -> Result<(), ApiProblem> {
        let refuse = |what: String| {
            Err(ApiProblem::bad_request(format!(
                "{} is '{}', which is not {what}",
                self.name,
                shortened(value)
            )))
        };
        if value.is_empty() {
            return Ok(());
        }
        let parsed = |least: f64, most: f64| {
            value.parse::<f64>().ok().filter(|number| (least..=most).contains(number)).is_some()
        };
        match self.kind {
            ParameterKind::Text | ParameterKind::List => Ok(()),
            ParameterKind::Flag if ["true", "false"].contains(&value) => Ok(()),
            ParameterKind::Flag => refuse("true or false".to_owned()),
            ParameterKind::Whole(least, most) => {
                match value.parse::<u64>().ok().filter(|number| (least..=most).contains(number)) {
                    Some(_) => Ok(()),
                    None => refuse(format!("a whole number from {least} to {most}")),
                }
            }
            ParameterKind::Number(least, most) if parsed(least, most) => Ok(()),
            ParameterKind::Number(least, most) => refuse(format!("a number from {least} to {most}")),
            ParameterKind::OneOf(known) if known.contains(&value) => Ok(()),
            ParameterKind::OneOf(known) => refuse(format!("one of {}", known.join(", "))),
            ParameterKind::Measure if find(value).is_some() => Ok(()),
            ParameterKind::Measures if value == "all" || value.split(',').all(|id| find(id).is_some()) => {
                Ok(())
            }
            ParameterKind::Measure | ParameterKind::Measures => {
                let ids: Vec<&str> = REGISTRY.iter().map(|measure| measure.id).collect();
                refuse(format!("made of the ids of measures, which are {}", ids.join(", ")))
            }
        }
    }
}

/// The start of a text, which a client may have made very long.
fn shortened(text: &str) -> String {
    const SHOWN: usize = 60;
    let start: String = text.chars().take(SHOWN).collect();
    if start.len() < text.len() { start + "…" } else { start }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(query: &str) -> Result<Given, ApiProblem> {
        Given::parse(query, &[READING, MEASURES, SEED, WAIT])
    }

    #[test]
    fn what_is_not_in_a_table_is_refused() {
        for (query, error) in [
            ("labels_file=/etc/passwd", "there is no parameter 'labels_file'"),
            ("scale=big", "scale is 'big', which is not one of none, max-abs, standard, min-max, robust"),
            ("seed=-1", "seed is '-1', which is not a whole number from 0 to 18446744073709551615"),
            ("wait=NaN", "wait is 'NaN', which is not a number from 0 to 120"),
            ("wait=1e9", "wait is '1e9', which is not a number from 0 to 120"),
            ("drop_text=yes", "drop_text is 'yes', which is not true or false"),
            ("seed=1&seed=2", "'seed' is given twice"),
        ] {
            assert_eq!(parse(query).unwrap_err().error, error);
        }
        let problem = parse("measures=clm,nope").unwrap_err();
        assert!(problem.error.contains("sc_a") && problem.error.contains("'clm,nope'"), "{}", problem.error);
    }

    #[test]
    fn options_of_a_dataset_take_the_place_of_parameters() {
        let mut given = parse("label=a&drop=x&header&scale=robust&seed=3").unwrap();
        given.set_own(&DatasetOptions {
            label: Some("b".into()),
            drop: Some(Vec::new()),
            header: Some(false),
            scale: Some(Scale::Standard),
            singletons: Some(Singletons::Drop),
            ..DatasetOptions::default()
        });
        let read = given.read_options(7);
        assert_eq!((read.label.as_deref(), read.drop.len(), read.header), (Some("b"), 0, Some(false)));
        assert_eq!((given.scale(), given.singletons(), given.seed()), (Scale::Standard, Singletons::Drop, 3));
        assert!(given.words(&[READING]).contains(&"--label=b".to_owned()));
    }

    #[test]
    fn parameters_are_options_of_the_command() {
        let given = parse("label=a%20b&drop=x,y&drop_text&measures=sc,clm,sc&header=false&noise=").unwrap();
        let options = given.read_options(7);
        assert_eq!(options.label.as_deref(), Some("a b"));
        assert_eq!((options.drop.len(), options.drop_text, options.header), (2, true, Some(false)));
        assert_eq!((options.memory_limit, given.noise()), (Some(7), None));
        let ids: Vec<&str> = given.measures(find("clm")).iter().map(|measure| measure.id).collect();
        assert_eq!(ids, ["sc", "clm"]);
        let words = given.words(&[READING]);
        assert_eq!(words, ["--label=a b", "--drop=x,y", "--drop-text", "--no-header"]);
        assert_eq!(parse("drop=a,b&drop=c").unwrap().list("drop"), ["a,b", "c"]);
    }
}
