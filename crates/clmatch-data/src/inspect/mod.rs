//! How a file is understood, and the settings with which it can be scored.
//!
//! A file that is refused is read again with the options that the advice of the error asks for, until it is read or no advice
//! helps. So the settings that an [`Inspection`] proposes have been tried.

mod changes;
mod columns;
mod settings;
#[cfg(test)]
mod tests;

use bytes::Bytes;
use clmatch::Singletons;
use serde::{Deserialize, Serialize};

pub use self::columns::{ColumnRole, ColumnType, InspectedColumn};
pub use self::settings::{Setting, SettingValue};

use self::changes::Search;
use self::settings::Reading;
use crate::advice::Advice;
use crate::dataset::Dataset;
use crate::error::ReadError;
use crate::note::Note;
use crate::options::ReadOptions;
use crate::provenance::LabelOrigin;
use crate::read::{self, DescribedTable};
use crate::source::Source;

/// How a file is understood.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Inspection {
    /// The columns; empty where they have no names, as in a matrix.
    pub columns: Vec<InspectedColumn>,
    /// How many rows were examined for examples, different values and missing values.
    pub rows_seen: usize,
    /// Where the labels come from.
    pub label: Option<LabelOrigin>,
    /// Why the file is refused with the options as given.
    pub refused: Option<ReadError>,
    /// What was changed about the options, in this order.
    pub steps: Vec<InspectionStep>,
    /// Settings that the given options need besides. With them the file can be scored, if [`Inspection::points`] is there.
    pub settings: Vec<Setting>,
    /// All options of reading, these settings included.
    pub options: ReadOptions,
    /// What becomes of classes of a single point with these settings.
    pub singletons: Singletons,
    /// What is read with these settings; `None` if the file cannot be scored.
    pub points: Option<InspectedPoints>,
    /// What is in the way, if the file cannot be scored.
    pub obstacle: Option<ReadError>,
    /// What was noticed or done while reading.
    pub notes: Vec<Note>,
}

/// A change of options that an error made necessary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InspectionStep {
    /// What was wrong.
    pub reason: String,
    /// What was changed about it.
    pub settings: Vec<Setting>,
}

/// The size of what was read. One row of the file is one point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct InspectedPoints {
    /// How many rows the file has.
    pub rows: usize,
    /// How many of them are points.
    pub points: usize,
    /// How many features a point has.
    pub features: usize,
    /// How many classes there are.
    pub classes: usize,
}

/// Options of scoring that decide whether a dataset can be scored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PointsLeftOut {
    /// The label of points that are left out as noise.
    pub noise: Option<String>,
    /// What becomes of classes of a single point.
    pub singletons: Singletons,
}

/// Inspects a file that [`read`](crate::read()) would read.
pub fn inspect(source: &Source, options: &ReadOptions, left_out: &PointsLeftOut) -> Inspection {
    let read = |options: &ReadOptions| read::read(source, options);
    let mut found =
        Attempts { read: &read, left_out }.run(options, |options| read::describe(source, options));
    found.obstacle = found.obstacle.map(|error| error.in_file(&source.path));
    found
}

/// Inspects bytes that [`read_bytes`](crate::read_bytes) would read, such as standard input.
pub fn inspect_bytes(
    name: &str,
    bytes: &Bytes,
    options: &ReadOptions,
    left_out: &PointsLeftOut,
) -> Inspection {
    let read = |options: &ReadOptions| read::read_bytes(name, bytes.clone(), options);
    let describe = |options: &ReadOptions| read::describe_bytes(name, bytes.clone(), options);
    Attempts { read: &read, left_out }.run(options, describe)
}

/// Attempts to read a file and to score it.
struct Attempts<'a> {
    read: &'a dyn Fn(&ReadOptions) -> Result<Dataset, ReadError>,
    left_out: &'a PointsLeftOut,
}

impl Attempts<'_> {
    /// Reads until nothing is in the way, or until no change helps.
    fn run(
        &self,
        options: &ReadOptions,
        describe: impl Fn(&ReadOptions) -> Result<Option<DescribedTable>, ReadError>,
    ) -> Inspection {
        const MOST: usize = 20;
        // The error of reading says what is wrong with a file whose columns cannot be described.
        let table = describe(options).ok().flatten();
        let asked = Reading { options: options.clone(), singletons: self.left_out.singletons };
        let mut search = Search::new(asked, table);
        for _ in 0..MOST {
            let found = self.attempt(&search);
            match found {
                Ok(_) if search.is_label_unclear() => {
                    return search.without_label(|search| self.attempt(search).is_ok());
                }
                Ok(dataset) => {
                    // A label that need not be named keeps its reason; but what is proposed must work.
                    let tried = search.now.options.label.clone();
                    search.settle_label();
                    if search.is_label_unclear() {
                        return search.without_label(|search| self.attempt(search).is_ok());
                    }
                    if search.now.options.label != tried && self.attempt(&search).is_err() {
                        search.now.options.label = tried;
                    }
                    return search.success(&dataset, self.left_out);
                }
                Err(error) if search.change(&error) => {
                    // A header or decimal commas change what the columns hold.
                    if search.is_read_otherwise() {
                        search.table = describe(&search.now.options).ok().flatten();
                    }
                }
                Err(_) if search.is_label_unclear() => return search.without_label(|_| false),
                Err(error) => return search.failure(error),
            }
        }
        let error = ReadError::new("too many things are wrong with the file").help("correct some of them");
        search.failure(error)
    }

    /// Reads the file once, and checks whether the dataset can be scored.
    fn attempt(&self, search: &Search) -> Result<Dataset, ReadError> {
        let dataset = (self.read)(&search.now.options)?;
        search.check_label(&dataset)?;
        search.check_lost_rows(&dataset)?;
        let classes = Classes::of(&dataset, self.left_out);
        if classes.left() < 2 || classes.single * 10 > dataset.n_points() {
            let what = match (classes.left(), classes.single) {
                (_, 0) => "there is one class only".to_owned(),
                (0, _) => "each class has a single point".to_owned(),
                (1, _) => "only one class has more than one point".to_owned(),
                (_, 1) => "a class has a single point".to_owned(),
                (_, single) => format!("{single} classes have a single point each"),
            };
            return Err(ReadError::new(what).help(match &search.table {
                Some(table) if table.holds_label => Advice::ChooseLabel,
                // There is no other column.
                _ => "a dataset needs several points in each of two classes or more".into(),
            }));
        }
        match classes.single {
            0 => Ok(dataset),
            _ if search.now.singletons == Singletons::Drop => Ok(dataset),
            1 => Err(ReadError::new("a class has a single point").help(Advice::DropSingletons)),
            many => {
                let what = format!("{many} classes have a single point each");
                Err(ReadError::new(what).help(Advice::DropSingletons))
            }
        }
    }
}

/// How many classes there are without noise.
#[derive(Debug, Clone, Copy)]
struct Classes {
    all: usize,
    /// How many of them have one point.
    single: usize,
    /// How many points are noise.
    noise: usize,
}

impl Classes {
    fn of(dataset: &Dataset, left_out: &PointsLeftOut) -> Self {
        let labels = dataset.labels();
        let mut sizes = vec![0_usize; labels.names().len()];
        labels.codes().iter().for_each(|&code| sizes[code as usize] += 1);
        let noise = left_out.noise.as_deref().or(dataset.noise());
        let is_noise = |name: &String| noise == Some(name.as_str());
        let (mut found, named) = (Classes { all: 0, single: 0, noise: 0 }, labels.names().iter().zip(sizes));
        for (name, size) in named {
            if is_noise(name) {
                found.noise += size;
            } else {
                found.all += usize::from(size > 0);
                found.single += usize::from(size == 1);
            }
        }
        found
    }

    /// How many classes have more than one point.
    fn left(self) -> usize {
        self.all - self.single
    }
}
