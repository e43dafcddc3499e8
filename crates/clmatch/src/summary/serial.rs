//! Summaries and second passes as bytes.

use std::collections::HashSet;

use xxhash_rust::xxh3::xxh3_64;

use super::block::ValueExtent;
use super::bytes::{Reader, SerialKind, Writer};
use super::error::{SummaryError, corrupt};
use super::second_pass::{MOST_CLASSES, SecondPassStart};
use super::{Form, LengthUnit, SecondPass, Summary, SummarySettings};
use crate::classes::Singletons;
use crate::kernels::stream::{Centres, ClassSums, MomentRequest, ScatterSums};
use crate::measure;

impl Summary {
    /// Serializes to bytes with a version and a checksum: equal statistics give equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = Writer::new(SerialKind::Summary);
        to.number(self.features as u64);
        write_settings(&mut to, &self.settings);
        to.byte(u8::from(self.form == Form::Centroids));
        to.number(self.source);
        to.number(self.noise);
        to.byte(u8::from(!self.reference.is_empty()));
        to.floats(&self.reference);
        to.float(self.extent.largest);
        to.float(self.extent.quarter);
        let mut sample = self.sample.clone();
        sample.thin_out();
        to.number(self.names.len() as u64);
        for ((name, sums), sample) in self.names.iter().zip(&self.sums).zip(&sample.classes) {
            to.text(name);
            write_sums(&mut to, sums);
            to.number(sample.rows.len() as u64);
            for (&key, row) in &sample.rows {
                to.number(key);
                to.number(row.count);
                to.floats(&row.values);
            }
        }
        to.finish()
    }

    /// Reads a summary from bytes.
    ///
    /// # Errors
    /// Bytes of another version, or damaged bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Summary, SummaryError> {
        let mut from = Reader::new(bytes, SerialKind::Summary)?;
        let features = read_features(&mut from)?;
        let settings = read_settings(&mut from)?;
        let mut summary = Summary::new(features, &settings).map_err(|error| corrupt(error.to_string()))?;
        summary.form = if read_flag(&mut from)? { Form::Centroids } else { Form::ScatterMatrices };
        summary.source = from.number()?;
        summary.noise = from.number()?;
        if read_flag(&mut from)? {
            summary.reference = from.floats(features)?;
        }
        let extent = ValueExtent { largest: from.sum()?, quarter: from.sum()? };
        summary.widen(extent);
        let with_matrices = summary.form == Form::ScatterMatrices;
        for _ in 0..from.count(features)? {
            let name = from.text()?;
            if summary.places.contains_key(&name) {
                return Err(corrupt(format!("the class '{name}' is there twice")));
            }
            summary.check_room(std::iter::once(&name))?;
            let place = summary.place(name);
            summary.sums[place] = read_sums(&mut from, features, with_matrices)?;
            for _ in 0..from.count(features * size_of::<f64>())? {
                let (key, count) = (from.number()?, from.number()?.max(1));
                let values = from.floats(features)?;
                summary.sample.add(place, key, count, || values.into());
            }
        }
        from.finish()?;
        if summary.rows() > 0 && summary.reference.is_empty() {
            return Err(corrupt("there are rows but no first one"));
        }
        summary.sample.thin_out();
        Ok(summary)
    }

    /// A number that distinguishes this summary from others.
    pub(super) fn fingerprint(&self) -> u64 {
        xxh3_64(&self.to_bytes())
    }
}

impl SecondPass {
    /// Serializes to bytes with a version and a checksum.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = Writer::new(SerialKind::SecondPass);
        to.number(self.fingerprint);
        to.number(self.features as u64);
        to.number(u64::from(self.exponent.unsigned_abs()));
        to.byte(u8::from(self.exponent < 0));
        let MomentRequest { whole, pairs, roots, eta } = self.wanted;
        [whole, pairs, roots, eta].into_iter().for_each(|flag| to.byte(u8::from(flag)));
        let mut ignored: Vec<&String> = self.ignored.iter().collect();
        ignored.sort();
        to.number(ignored.len() as u64);
        ignored.iter().for_each(|name| to.text(name));
        to.number(self.names.len() as u64);
        let width = Centres::width(self.names.len(), self.wanted);
        for (class, name) in self.names.iter().enumerate() {
            to.text(name);
            write_sums(&mut to, &self.classes[class]);
            to.number(self.seen[class]);
            to.floats(&self.sums[class * width..(class + 1) * width]);
        }
        to.finish()
    }

    /// Reads a second pass from bytes.
    ///
    /// # Errors
    /// Bytes of another version, or damaged bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<SecondPass, SummaryError> {
        let mut from = Reader::new(bytes, SerialKind::SecondPass)?;
        let fingerprint = from.number()?;
        let features = read_features(&mut from)?;
        let size = i32::try_from(from.number()?).map_err(|_| corrupt("a unit is out of range"))?;
        let exponent = if read_flag(&mut from)? { -size } else { size };
        if !(-1000..=1023).contains(&exponent) {
            return Err(corrupt("a unit is out of range"));
        }
        let mut flag = || read_flag(&mut from);
        let wanted = MomentRequest { whole: flag()?, pairs: flag()?, roots: flag()?, eta: flag()? };
        let mut ignored = HashSet::new();
        for _ in 0..from.count(size_of::<u64>())? {
            ignored.insert(from.text()?);
        }
        let count = from.count(features * size_of::<f64>())?;
        if count > MOST_CLASSES {
            return Err(corrupt(format!("they have {count} classes")));
        }
        let width = Centres::width(count, wanted);
        let (mut names, mut classes, mut seen, mut sums) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for _ in 0..count {
            let name = from.text()?;
            if names.contains(&name) {
                return Err(corrupt(format!("the class '{name}' is there twice")));
            }
            names.push(name);
            classes.push(read_sums(&mut from, features, false)?);
            seen.push(from.number()?);
            sums.extend(from.floats(width)?);
        }
        from.finish()?;
        let known = SecondPassStart { fingerprint, features, exponent, wanted, names, ignored, classes };
        Ok(SecondPass { seen, sums, ..SecondPass::new(known) })
    }
}

fn write_settings(to: &mut Writer, settings: &SummarySettings) {
    to.number(settings.measures.len() as u64);
    settings.measures.iter().for_each(|measure| to.text(measure.id));
    to.number(settings.memory as u64);
    to.number(settings.sample as u64);
    to.number(settings.seed);
    to.byte(u8::from(settings.noise.is_some()));
    to.text(settings.noise.as_deref().unwrap_or_default());
    to.byte(u8::from(settings.singletons == Singletons::Drop));
    match settings.unit {
        LengthUnit::Fixed(unit) => {
            to.byte(0);
            to.float(unit);
        }
        LengthUnit::LargestValue => to.byte(1),
    }
}

fn read_settings(from: &mut Reader<'_>) -> Result<SummarySettings, SummaryError> {
    let mut measures = Vec::new();
    for _ in 0..from.count(size_of::<u64>())? {
        let id = from.text()?;
        measures.push(measure::find(&id).ok_or_else(|| corrupt(format!("there is no measure '{id}'")))?);
    }
    let size = |number: u64| usize::try_from(number).map_err(|_| corrupt("a size is too large"));
    let (memory, sample, seed) = (size(from.number()?)?, size(from.number()?)?, from.number()?);
    let has_noise = read_flag(from)?;
    let noise = Some(from.text()?).filter(|_| has_noise);
    let singletons = if read_flag(from)? { Singletons::Drop } else { Singletons::Keep };
    let unit = if read_flag(from)? { LengthUnit::LargestValue } else { LengthUnit::Fixed(from.float()?) };
    Ok(SummarySettings { measures, memory, sample, seed, noise, singletons, unit })
}

fn write_sums(to: &mut Writer, sums: &ClassSums) {
    to.number(sums.points);
    to.floats(&sums.high);
    to.floats(&sums.low);
    to.float(sums.squares);
    if let Some(matrix) = &sums.matrix {
        to.float(matrix.fourth);
        to.float(matrix.terms);
        to.floats(&matrix.skew);
        to.floats(&matrix.scatter);
    }
}

fn read_sums(from: &mut Reader<'_>, features: usize, with_matrix: bool) -> Result<ClassSums, SummaryError> {
    let points = from.number()?;
    // Beyond 2^53, numbers of points are not exact, and sums of them overflow.
    if points == 0 || points > 1 << 53 {
        return Err(corrupt(format!("a class has {points} points")));
    }
    let (high, low, squares) = (from.floats(features)?, from.floats(features)?, from.sum()?);
    let matrix = if with_matrix {
        let size = features.checked_add(1).and_then(|next| features.checked_mul(next));
        let size = size.ok_or_else(|| corrupt("there are too many features"))? / 2;
        Some(ScatterSums {
            fourth: from.sum()?,
            terms: from.sum()?,
            skew: from.floats(features)?,
            scatter: from.floats(size)?,
        })
    } else {
        None
    };
    Ok(ClassSums { points, high, low, squares, matrix })
}

fn read_flag(from: &mut Reader<'_>) -> Result<bool, SummaryError> {
    match from.byte()? {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(corrupt(format!("{other} is neither yes nor no"))),
    }
}

/// The number of features, which is at least 1 and small enough that products of it do not overflow.
fn read_features(from: &mut Reader<'_>) -> Result<usize, SummaryError> {
    match usize::try_from(from.number()?) {
        Ok(features) if features > 0 && features <= 1 << 28 => Ok(features),
        _ => Err(corrupt("the number of features is out of range")),
    }
}
