//! `classify_peer CLASSIFIER key=value... < rows.csv > accuracies`: cross-validates on rows of `fold,class,number,...`.
//!
//! Prints one accuracy per line, for each fold. For comparisons with other implementations; settings that are not given
//! take their defaults.
#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{Read, Write};
use std::str::FromStr;

use clmatch_classify::{
    Activation, BoostedTrees, Classifier, Criterion, Data, Folds, LinearDiscriminant, LogisticRegression,
    Matrix, NaiveBayes, NearestNeighbours, Penalty, Perceptron, RandomForest, Stop, Svm,
};

type Fault = Box<dyn Error>;

fn main() -> Result<(), Fault> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().ok_or("which classifier?")?;
    let mut settings = Settings::parse(arguments)?;
    let classifier = classifier(&name, &mut settings)?;
    settings.finish()?;
    let rows = Rows::read()?;
    let points = Matrix::new(rows.values, rows.features)?;
    let data = Data::new(&points, &rows.classes)?;
    let stop = Stop::new();
    let mut lines = String::new();
    for split in Folds::given(rows.folds)?.splits(data) {
        lines.push_str(&format!("{}\n", split.accuracy(&classifier.predict(&split, &stop)?)));
    }
    Ok(std::io::stdout().write_all(lines.as_bytes())?)
}

/// One arm per classifier.
fn classifier(name: &str, settings: &mut Settings) -> Result<Box<dyn Classifier>, Fault> {
    Ok(match name {
        "svm" => Box::new(Svm { cost: settings.take("C", 1.0)?, gamma: settings.take("gamma", 1.0)? }),
        "knn" => Box::new(NearestNeighbours { neighbours: settings.take("k", 5)? }),
        "nb" => Box::new(NaiveBayes { smoothing: settings.take("smoothing", 1e-9)? }),
        "lda" => Box::new(LinearDiscriminant),
        "mlp" => {
            let default = Perceptron::default();
            Box::new(Perceptron {
                layers: settings.take("layers", default.layers)?,
                units: settings.take("units", default.units)?,
                activation: activation(&settings.take("activation", "relu".to_owned())?)?,
                alpha: settings.take("alpha", default.alpha)?,
                learning_rate: settings.take("learning_rate", default.learning_rate)?,
                passes: settings.take("passes", default.passes)?,
                seed: settings.take("seed", default.seed)?,
            })
        }
        "rf" => {
            let default = RandomForest::default();
            Box::new(RandomForest {
                trees: settings.take("trees", default.trees)?,
                criterion: match settings.take("criterion", "gini".to_owned())?.as_str() {
                    "gini" => Criterion::Gini,
                    "entropy" => Criterion::Entropy,
                    "log_loss" => Criterion::LogLoss,
                    other => return Err(format!("no criterion `{other}`").into()),
                },
                min_split: settings.take("min_split", default.min_split)?,
                min_leaf: settings.take("min_leaf", default.min_leaf)?,
                seed: settings.take("seed", default.seed)?,
            })
        }
        "lr" => {
            let default = LogisticRegression::default();
            Box::new(LogisticRegression {
                penalty: match settings.take("penalty", "l2".to_owned())?.as_str() {
                    "l1" => Penalty::L1,
                    "l2" => Penalty::L2,
                    "elasticnet" => Penalty::ElasticNet { share: settings.take("l1_ratio", 0.5)? },
                    other => return Err(format!("no penalty `{other}`").into()),
                },
                cost: settings.take("C", default.cost)?,
                tolerance: settings.take("tolerance", default.tolerance)?,
                steps: settings.take("steps", default.steps)?,
            })
        }
        "xgb" => {
            let default = BoostedTrees::default();
            Box::new(BoostedTrees {
                rounds: settings.take("rounds", default.rounds)?,
                max_depth: settings.take("max_depth", default.max_depth)?,
                learning_rate: settings.take("learning_rate", default.learning_rate)?,
                gamma: settings.take("gamma", default.gamma)?,
                min_child_weight: settings.take("min_child_weight", default.min_child_weight)?,
                rows: settings.take("rows", default.rows)?,
                columns: settings.take("columns", default.columns)?,
                seed: settings.take("seed", default.seed)?,
            })
        }
        other => return Err(format!("no classifier `{other}`").into()),
    })
}

fn activation(name: &str) -> Result<Activation, Fault> {
    match name {
        "identity" => Ok(Activation::Identity),
        "logistic" => Ok(Activation::Logistic),
        "tanh" => Ok(Activation::Tanh),
        "relu" => Ok(Activation::Relu),
        other => Err(format!("no activation `{other}`").into()),
    }
}

/// The rows on the standard input.
struct Rows {
    folds: Vec<u32>,
    classes: Vec<u32>,
    values: Vec<f64>,
    features: usize,
}

impl Rows {
    fn read() -> Result<Rows, Fault> {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text)?;
        let mut rows = Rows { folds: vec![], classes: vec![], values: vec![], features: 0 };
        for line in text.lines() {
            let mut cells = line.split(',');
            let mut code = || cells.next().ok_or("fold,class,number,...").map(str::parse::<u32>);
            rows.folds.push(code()??);
            rows.classes.push(code()??);
            let before = rows.values.len();
            for cell in cells {
                rows.values.push(cell.parse()?);
            }
            rows.features = rows.values.len() - before;
        }
        Ok(rows)
    }
}

/// The `key=value` arguments that have not been taken yet.
struct Settings(BTreeMap<String, String>);

impl Settings {
    fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, Fault> {
        let pair = |argument: String| {
            let (key, value) = argument.split_once('=').ok_or(format!("`{argument}` is not key=value"))?;
            Ok((key.to_owned(), value.to_owned()))
        };
        Ok(Settings(arguments.map(pair).collect::<Result<_, Fault>>()?))
    }

    /// Takes the value of a key, or the default.
    fn take<T: FromStr>(&mut self, key: &str, default: T) -> Result<T, Fault> {
        match self.0.remove(key) {
            Some(value) => value.parse().map_err(|_| format!("`{value}` is no {key}").into()),
            None => Ok(default),
        }
    }

    /// An error if a given key was never taken.
    fn finish(self) -> Result<(), Fault> {
        match self.0.keys().next() {
            Some(key) => Err(format!("the classifier has no setting `{key}`").into()),
            None => Ok(()),
        }
    }
}
