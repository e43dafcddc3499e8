//! Datasets as numbers and texts.

use half::f16;
use hdf5_reader::{Dataset, Datatype, H5Type};

use super::{AnnDataFile, DAMAGED, unreadable};
use crate::error::ReadError;
use crate::memory::human;
use crate::real::FloatMatrix;
use crate::table::number_name;

/// The highest possible compression: deflate reaches 1032, and chunks that were never written are zeros.
const TIGHTEST: u64 = 1 << 12;

impl AnnDataFile {
    /// Refuses a dataset that claims to be far larger than its file, or larger than may be read.
    fn check(&self, dataset: &Dataset, size: u64) -> Result<usize, ReadError> {
        let count = dataset.num_elements().map_err(|error| unreadable(&error))?;
        let bytes = count.saturating_mul(size);
        if bytes > self.stored.saturating_mul(TIGHTEST) {
            let (declared, stored) = (human(bytes), human(self.stored));
            return Err(ReadError::new(format!(
                "'{}' declares {declared} in a file of {stored}",
                dataset.name()
            ))
            .help(DAMAGED));
        }
        self.budget.check(bytes)?;
        usize::try_from(count).map_err(|_| ReadError::new("there are too many numbers").help(DAMAGED))
    }

    fn vector<T: H5Type + Default>(&self, dataset: &Dataset) -> Result<Vec<T>, ReadError> {
        let count = self.check(dataset, size_of::<T>() as u64)?;
        let mut values = Vec::new();
        values.try_reserve_exact(count).map_err(|_| {
            ReadError::new("the system hands out too little memory").help("use fewer columns or rows")
        })?;
        values.resize(count, T::default());
        dataset.read_into(&mut values).map_err(|error| unreadable(&error))?;
        Ok(values)
    }

    fn bytes(&self, dataset: &Dataset) -> Result<Vec<u8>, ReadError> {
        self.check(dataset, dataset.raw_element_size().map_err(|error| unreadable(&error))? as u64)?;
        dataset.read_native_bytes().map_err(|error| unreadable(&error))
    }

    /// Numbers in the order of the file; single precision is kept.
    pub(super) fn numbers(&self, dataset: &Dataset) -> Result<FloatMatrix, ReadError> {
        macro_rules! whole {
            ($type:ty) => {{
                self.check(dataset, 8)?;
                let values: Vec<$type> = self.vector(dataset)?;
                Ok(FloatMatrix::F64(values.into_iter().map(|value| value as f64).collect()))
            }};
        }
        match dataset.dtype() {
            Datatype::FloatingPoint { size: 8, .. } => self.vector(dataset).map(FloatMatrix::F64),
            Datatype::FloatingPoint { size: 4, .. } => self.vector(dataset).map(FloatMatrix::F32),
            Datatype::FloatingPoint { size: 2, .. } => {
                let bytes = self.bytes(dataset)?;
                let (halves, _) = bytes.as_chunks();
                Ok(FloatMatrix::F32(halves.iter().map(|half| f16::from_ne_bytes(*half).to_f32()).collect()))
            }
            Datatype::FixedPoint { size: 8, signed: true, .. } => whole!(i64),
            Datatype::FixedPoint { size: 8, .. } => whole!(u64),
            Datatype::FixedPoint { size: 4, signed: true, .. } => whole!(i32),
            Datatype::FixedPoint { size: 4, .. } => whole!(u32),
            Datatype::FixedPoint { size: 2, signed: true, .. } => whole!(i16),
            Datatype::FixedPoint { size: 2, .. } => whole!(u16),
            Datatype::FixedPoint { size: 1, signed: true, .. } => whole!(i8),
            Datatype::FixedPoint { size: 1, .. } => whole!(u8),
            kind if is_bool(kind) => {
                let bytes = self.bytes(dataset)?;
                Ok(FloatMatrix::F64(bytes.into_iter().map(|byte| f64::from(u8::from(byte != 0))).collect()))
            }
            _ => Err(ReadError::new(format!("'{}' holds no numbers", dataset.name()))
                .help("points are numbers; choose another matrix or write it as floats")),
        }
    }

    /// One text per element, `None` for NaN. Whole numbers print as integers, exactly.
    pub(super) fn texts(&self, dataset: &Dataset) -> Result<Vec<Option<String>>, ReadError> {
        match dataset.dtype() {
            kind if is_text(kind) => {
                self.check(dataset, dataset.raw_element_size().map_err(|error| unreadable(&error))? as u64)?;
                let texts = dataset.read_strings().map_err(|error| unreadable(&error))?;
                Ok(texts.into_iter().map(Some).collect())
            }
            kind if is_bool(kind) => {
                let word = |byte| Some((if byte == 0 { "false" } else { "true" }).to_owned());
                Ok(self.bytes(dataset)?.into_iter().map(word).collect())
            }
            Datatype::FixedPoint { size: 8, signed: true, .. } => {
                Ok(self.vector::<i64>(dataset)?.iter().map(|value| Some(value.to_string())).collect())
            }
            Datatype::FixedPoint { size: 8, .. } => {
                Ok(self.vector::<u64>(dataset)?.iter().map(|value| Some(value.to_string())).collect())
            }
            _ => {
                let name = |value: f64| (!value.is_nan()).then(|| number_name(value));
                Ok(match self.numbers(dataset)? {
                    FloatMatrix::F64(values) => values.into_iter().map(name).collect(),
                    FloatMatrix::F32(values) => {
                        values.into_iter().map(|value| name(f64::from(value))).collect()
                    }
                })
            }
        }
    }
}

/// Whether a type is how AnnData and h5py write booleans.
fn is_bool(kind: &Datatype) -> bool {
    matches!(kind, Datatype::Enum { base, .. } if matches!(**base, Datatype::FixedPoint { size: 1, .. }))
}

/// Whether elements are texts.
pub(super) fn is_text(kind: &Datatype) -> bool {
    match kind {
        Datatype::String { .. } => true,
        Datatype::VarLen { base, kind, .. } => {
            *kind == hdf5_reader::datatype_api::VarLenKind::String && base.is_vlen_string_base()
        }
        _ => false,
    }
}
