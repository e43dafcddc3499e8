//! Scores of data that do not fit into memory, or lie on several machines: statistics that can be updated with a block of
//! rows, merged in any order, and sent as bytes.
//!
//! ```
//! use clmatch::summary::{Summary, SummarySettings};
//! use clmatch::{Control, Labels, measure};
//!
//! let settings = SummarySettings::new(&[measure::find("ch_a").unwrap(), measure::find("xb_a").unwrap()]);
//! let blocks = [(vec![0.0, 0.1, 5.0], ["a", "a", "b"]), (vec![5.2, 0.3, 5.1], ["b", "a", "b"])];
//! let mut whole = Summary::new(1, &settings)?;
//! for (at, (rows, labels)) in blocks.iter().enumerate() {
//!     let mut part = Summary::new(1, &settings)?; // on another machine
//!     part.update(rows, &Labels::encode(labels), 3 * at as u64)?;
//!     whole.merge(&Summary::from_bytes(&part.to_bytes())?)?;
//! }
//! let found = whole.finish(None, Control::none())?;
//! assert_eq!(found.points, 6);
//! assert!(found.value("ch_a").unwrap() > 0.99);
//! # Ok::<(), clmatch::summary::SummaryError>(())
//! ```
//!
//! One pass over the data gives exact sizes and centroids and, with a d x d matrix per class (where memory allows it), everything
//! that follows from squared distances to the centroids of pairs of classes, see [`Form`]. Measures that take roots of these
//! distances, such as `xb_a`, need a [`SecondPass`] over the same rows, with the centroids known. Measures that compare points
//! with each other are estimated from a sample that is part of the summary, with a 95% error where one can be known. Each score
//! says whether it is exact or estimated, and why, see [`SummaryScore`].
//!
//! Any order of blocks and merges gives the same exact scores as [`evaluate`](crate::evaluate()) in memory, to 1e-9, and the
//! same sample.

mod block;
mod bytes;
mod error;
mod estimate;
mod finish;
mod result;
mod sample;
mod second_pass;
mod serial;
mod settings;

pub use error::SummaryError;
pub use result::{Certainty, ClassSize, Form, NoError, Reason, Summarised, SummaryScore};
pub use second_pass::SecondPass;
pub use settings::{DEFAULT_MEMORY, DEFAULT_SAMPLE, LengthUnit, SummarySettings};

use std::collections::HashMap;

use crate::classes::Classes;
use crate::error::DataError;
use crate::kernels::stream::{ClassSums, block_centroids, block_matrices};
use crate::labels::Labels;
use crate::needs::Plan;
use crate::points::{Points, Values};

use block::{Keys, ValueExtent};
use error::mismatch;
use sample::RowSample;

/// The smallest sample that may be requested; a smaller one says nothing.
const SMALLEST_SAMPLE: usize = 100;
/// The memory divided by these is what scatter matrices may take, and what centroids may.
const SHARES: (usize, usize) = (2, 4);
/// Bytes that a class takes besides its numbers.
const OVERHEAD: usize = 256;

/// Statistics of the rows seen so far.
///
/// Time of an update with n rows: O(n d^2), or O(n d) with centroids only. Memory: O(K d^2), or O(K d) with centroids only, and
/// the rows of the sample; [`SummarySettings::memory`] bounds it.
#[derive(Debug, Clone)]
pub struct Summary {
    features: usize,
    settings: SummarySettings,
    plan: Plan,
    form: Form,
    source: u64,
    /// Rows with the noise label.
    noise: u64,
    /// The first row that was seen.
    reference: Vec<f64>,
    extent: ValueExtent,
    /// The exponent of the unit of length of all sums.
    exponent: Option<i32>,
    names: Vec<String>,
    places: HashMap<String, usize>,
    /// The sums of each class, in the order of `names`.
    sums: Vec<ClassSums>,
    sample: RowSample,
}

impl Summary {
    /// A summary that has not seen any rows yet.
    ///
    /// # Errors
    /// No features, no measures, or a setting that cannot be used.
    pub fn new(features: usize, settings: &SummarySettings) -> Result<Summary, SummaryError> {
        if features == 0 {
            return Err(DataError::NoFeatures.into());
        }
        if settings.measures.is_empty() {
            return Err(SummaryError::NoMeasures);
        }
        if settings.sample < SMALLEST_SAMPLE {
            let what = format!(
                "a sample of {} rows tells nothing: at least {SMALLEST_SAMPLE} are needed",
                settings.sample
            );
            return Err(SummaryError::Setting { what });
        }
        match settings.unit {
            LengthUnit::Fixed(unit) if !(unit > 0.0 && unit.is_finite()) => {
                return Err(DataError::Unit { unit }.into());
            }
            _ => {}
        }
        Ok(Summary {
            features,
            settings: settings.clone(),
            plan: settings.measures.iter().fold(Plan::default(), |plan, measure| plan.union(measure.plan())),
            form: Form::ScatterMatrices,
            source: 0,
            noise: 0,
            reference: Vec::new(),
            extent: ValueExtent::default(),
            exponent: None,
            names: Vec::new(),
            places: HashMap::new(),
            sums: Vec::new(),
            sample: RowSample::new(features, settings.sample, settings.memory),
        })
    }

    /// Like [`Summary::new`], without scatter matrices however much memory there is: they take O(n d^2).
    pub(crate) fn of_centroids(features: usize, settings: &SummarySettings) -> Result<Summary, SummaryError> {
        Ok(Summary { form: Form::Centroids, ..Summary::new(features, settings)? })
    }

    /// How many numbers describe a point.
    pub fn features(&self) -> usize {
        self.features
    }

    /// The settings that the summary was made with.
    pub fn settings(&self) -> &SummarySettings {
        &self.settings
    }

    /// How many rows were seen, including those with the noise label.
    pub fn rows(&self) -> u64 {
        self.sums.iter().fold(self.noise, |rows, class| rows.saturating_add(class.points))
    }

    /// Declares that the rows that follow belong to another source: a file, or a partition. Rows of different sources may have
    /// the same numbers. The source is 0 at first.
    pub fn set_source(&mut self, source: u64) {
        self.source = source;
    }

    /// Adds rows in row-major order, with a label for each. Names may differ between blocks; classes are matched by name.
    /// `first_row` is the number of the first row of the block in its source (see [`Summary::set_source`]): errors name it, and
    /// the sample distinguishes rows by it. The block may be empty.
    ///
    /// # Errors
    /// A number that is NaN or infinite, values that do not make whole rows, a number of labels other than that of the rows, or
    /// more classes than fit into memory. The summary is then unchanged.
    pub fn update<'a>(
        &mut self,
        rows: impl Into<Values<'a>>,
        labels: &Labels,
        first_row: u64,
    ) -> Result<(), SummaryError> {
        let values = rows.into();
        if block::check(&values, self.features, labels, first_row)? == 0 {
            return Ok(());
        }
        let noise = self.settings.noise.clone();
        let is_noise = |name: &String| noise.as_ref() == Some(name);
        self.check_room(labels.names().iter().filter(|name| !is_noise(name)))?;
        let noise = labels.names().iter().position(is_noise).map(|code| code as u32);
        let dropped = labels.codes().iter().filter(|&&code| Some(code) == noise).count();
        self.noise = self.noise.saturating_add(dropped as u64);
        if self.reference.is_empty() {
            self.reference = block::row(&values, self.features, 0);
        }
        self.widen(block::extent(&values, &self.reference));
        let mut places = Vec::with_capacity(labels.names().len());
        for name in labels.names() {
            places.push(if is_noise(name) { None } else { Some(self.place(name.clone())) });
        }
        self.choose_form();
        self.add_to_sample(&values, labels, &places, first_row);
        self.add_sums(values, labels, &places);
        Ok(())
    }

    /// Adds the sums of the classes of a block.
    fn add_sums(&mut self, values: Values<'_>, labels: &Labels, places: &[Option<usize>]) {
        let known: Vec<usize> = (0..places.len()).filter(|&code| places[code].is_some()).collect();
        if known.is_empty() {
            return;
        }
        let mut of_code = vec![u32::MAX; places.len()];
        known.iter().enumerate().for_each(|(at, &code)| of_code[code] = at as u32);
        let codes: Vec<u32> = labels.codes().iter().map(|&code| of_code[code as usize]).collect();
        let unit = self.unit();
        let block = Classes::of_block(Points::trusted(values, self.features, 1.0), &codes, known.len());
        let sums = match self.form {
            Form::ScatterMatrices => block_matrices(&block, unit),
            Form::Centroids => block_centroids(&block, unit),
        };
        for (code, sums) in known.into_iter().zip(sums) {
            if let Some(place) = places[code] {
                self.merge_class(place, &sums);
            }
        }
    }

    fn add_to_sample(&mut self, values: &Values<'_>, labels: &Labels, places: &[Option<usize>], first: u64) {
        let mut keys = Keys::new(self.features, self.settings.seed, self.source);
        for (at, &code) in labels.codes().iter().enumerate() {
            let Some(class) = places[code as usize] else { continue };
            let key = keys.of(values, at, first.wrapping_add(at as u64));
            if self.sample.admits(class, key) {
                self.sample.add(class, key, 1, || block::row(values, self.features, at).into());
            }
        }
    }

    /// Adds all rows of another summary with the same features and settings.
    ///
    /// # Errors
    /// Other features or settings, or more classes than fit into memory. The summary is then unchanged.
    pub fn merge(&mut self, other: &Summary) -> Result<(), SummaryError> {
        self.check_same(other)?;
        self.check_room(other.names.iter())?;
        self.noise = self.noise.saturating_add(other.noise);
        if other.reference.is_empty() {
            return Ok(());
        }
        if self.reference.is_empty() {
            self.reference.clone_from(&other.reference);
        }
        let apart = self.reference.iter().zip(&other.reference).map(|(a, b)| (a / 4.0 - b / 4.0).abs());
        let apart = apart.fold(0.0, f64::max);
        self.widen(ValueExtent { quarter: other.extent.quarter + apart, ..other.extent });
        if other.form == Form::Centroids {
            self.use_centroids();
        }
        // Without an exponent all rows were equal, and all sums are 0.
        let factor = other.exponent.map_or(1.0, |_| other.unit() / self.unit());
        for (class, name) in other.names.iter().enumerate() {
            let place = self.place(name.clone());
            let mut sums = other.sums[class].clone();
            sums.rescale(factor);
            if self.form == Form::Centroids {
                sums.matrix = None;
            }
            self.merge_class(place, &sums);
            self.sample.merge_class(place, &other.sample.classes[class]);
        }
        self.sample.finish_merge(&other.sample);
        self.choose_form();
        Ok(())
    }

    fn check_same(&self, other: &Summary) -> Result<(), SummaryError> {
        if self.features != other.features {
            let what = format!("one has {} features, the other {}", self.features, other.features);
            return Err(mismatch(what));
        }
        let ids =
            |summary: &Summary| -> Vec<&str> { summary.settings.measures.iter().map(|m| m.id).collect() };
        let (a, b) = (&self.settings, &other.settings);
        let differs = [
            (ids(self) != ids(other), "measures"),
            (a.memory != b.memory, "memory"),
            (a.sample != b.sample, "sizes of the sample"),
            (a.seed != b.seed, "seeds"),
            (a.noise != b.noise, "noise labels"),
            (a.singletons != b.singletons, "treatments of classes of one point"),
            (a.unit != b.unit, "units of length"),
        ];
        match differs.into_iter().find(|(differs, _)| *differs) {
            Some((_, what)) => Err(mismatch(format!("their {what} differ"))),
            None => Ok(()),
        }
    }

    /// The place of a class, which is added if it is new.
    fn place(&mut self, name: String) -> usize {
        if let Some(&place) = self.places.get(&name) {
            return place;
        }
        let place = self.names.len();
        self.names.push(name.clone());
        self.places.insert(name, place);
        self.sample.add_class();
        let nothing = ClassSums { points: 0, high: Vec::new(), low: Vec::new(), squares: 0.0, matrix: None };
        self.sums.push(nothing);
        place
    }

    fn merge_class(&mut self, place: usize, sums: &ClassSums) {
        let unit = self.unit();
        let class = &mut self.sums[place];
        if class.points == 0 {
            class.clone_from(sums);
        } else {
            class.merge(sums, unit);
        }
    }

    /// The unit of length of all sums: a power of two.
    fn unit(&self) -> f64 {
        2.0_f64.powi(self.exponent.unwrap_or(0))
    }

    /// Records how far rows reach, and takes a larger unit of length if they reach farther than any before.
    fn widen(&mut self, extent: ValueExtent) {
        self.extent = self.extent.union(extent);
        let exponent = self.extent.exponent();
        if exponent == self.exponent {
            return;
        }
        // Without an exponent all rows were equal, and all sums are 0.
        let before = self.exponent.or(exponent).unwrap_or(0);
        let factor = 2.0_f64.powi(before - exponent.unwrap_or(before));
        self.sums.iter_mut().for_each(|class| class.rescale(factor));
        self.exponent = exponent;
    }

    /// How many bytes the scatter matrices of this many classes take.
    fn bytes_of_matrices(&self, classes: usize) -> u64 {
        let (classes, d) = (classes as u64, self.features as u64);
        classes * (d * (d + 1) / 2 + d) * size_of::<f64>() as u64
    }

    /// How many bytes scatter matrices may take.
    fn room_for_matrices(&self) -> u64 {
        (self.settings.memory / SHARES.0) as u64
    }

    /// Gives up scatter matrices where they do not fit.
    fn choose_form(&mut self) {
        if self.bytes_of_matrices(self.names.len()) > self.room_for_matrices() {
            self.use_centroids();
        }
    }

    fn use_centroids(&mut self) {
        self.form = Form::Centroids;
        self.sums.iter_mut().for_each(|class| class.matrix = None);
    }

    /// Refuses more classes than fit into memory.
    fn check_room<'n>(&self, names: impl Iterator<Item = &'n String>) -> Result<(), SummaryError> {
        let new = names.filter(|name| !self.places.contains_key(*name)).count();
        let bytes = 2 * self.features * size_of::<f64>() + OVERHEAD;
        let most = (self.settings.memory / SHARES.1 / bytes).max(2);
        if self.names.len() + new > most {
            return Err(SummaryError::TooManyClasses { classes: most, memory: self.settings.memory });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
