//! NumPy arrays as points and labels, without a copy.

use clmatch::{Classes, DataError, Labels, Points, Singletons, Values};
use clmatch_analysis::AnalysisError;
use clmatch_data::Dataset;
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// Points in an array of rows, in one of the two precisions that the kernels read.
#[derive(FromPyObject)]
pub(crate) enum PointArray<'py> {
    /// Double precision.
    Double(PyReadonlyArray2<'py, f64>),
    /// Single precision.
    Single(PyReadonlyArray2<'py, f32>),
}

/// A dataset in memory, as a dictionary of its parts.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct DatasetArrays<'py> {
    name: String,
    points: PointArray<'py>,
    features: Vec<String>,
    codes: PyReadonlyArray1<'py, u32>,
    names: Vec<String>,
}

/// A [`DatasetArrays`], borrowed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BorrowedDataset<'a> {
    pub(crate) name: &'a str,
    features: &'a [String],
    pub(crate) input: ArrayInput<'a>,
}

impl DatasetArrays<'_> {
    /// Borrows the parts without anything that belongs to the interpreter.
    pub(crate) fn borrow(&self) -> PyResult<BorrowedDataset<'_>> {
        let input = self.points.with(&self.codes, &self.names)?;
        Ok(BorrowedDataset { name: &self.name, features: &self.features, input })
    }
}

impl BorrowedDataset<'_> {
    /// Copies the numbers into a dataset of its own.
    pub(crate) fn copied(&self) -> Result<Dataset, AnalysisError> {
        let values = self.input.numbers.copied();
        Dataset::new(self.name, self.features.to_vec(), values, self.input.labels())
            .map_err(|error| AnalysisError::data(self.name, self.input.worst(error)))
    }
}

/// The numbers of an array, borrowed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ArrayNumbers<'a> {
    Double(&'a [f64]),
    Single(&'a [f32]),
}

/// Borrowed points and labels, which can be used without the interpreter's lock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ArrayInput<'a> {
    pub(crate) numbers: ArrayNumbers<'a>,
    pub(crate) features: usize,
    pub(crate) codes: &'a [u32],
    pub(crate) names: &'a [String],
}

impl PointArray<'_> {
    fn numbers(&self) -> PyResult<ArrayNumbers<'_>> {
        let refuse = |_| PyTypeError::new_err("the points must be a contiguous array of rows");
        match self {
            PointArray::Double(array) => array.as_slice().map(ArrayNumbers::Double).map_err(refuse),
            PointArray::Single(array) => array.as_slice().map(ArrayNumbers::Single).map_err(refuse),
        }
    }

    fn features(&self) -> usize {
        match self {
            PointArray::Double(array) => array.shape()[1],
            PointArray::Single(array) => array.shape()[1],
        }
    }

    /// Adds labels: `names[codes[row]]` is the label of a row.
    pub(crate) fn with<'a>(
        &'a self,
        codes: &'a PyReadonlyArray1<'_, u32>,
        names: &'a [String],
    ) -> PyResult<ArrayInput<'a>> {
        let codes = slice_of(codes)?;
        if codes.iter().any(|&code| code as usize >= names.len()) {
            return Err(PyValueError::new_err("a code of a label has no name"));
        }
        Ok(ArrayInput { numbers: self.numbers()?, features: self.features(), codes, names })
    }
}

/// The codes of labels, borrowed.
pub(crate) fn slice_of<'a>(codes: &'a PyReadonlyArray1<'_, u32>) -> PyResult<&'a [u32]> {
    codes.as_slice().map_err(|_| PyTypeError::new_err("the codes of labels must be a contiguous array"))
}

impl<'a> ArrayNumbers<'a> {
    /// Whether they are of single precision.
    pub(crate) fn are_single(self) -> bool {
        matches!(self, ArrayNumbers::Single(_))
    }

    /// Where the first NaN is.
    fn first_nan(self) -> Option<usize> {
        match self {
            ArrayNumbers::Double(values) => values.iter().position(|value| value.is_nan()),
            ArrayNumbers::Single(values) => values.iter().position(|value| value.is_nan()),
        }
    }

    /// The numbers themselves.
    pub(crate) fn borrowed(self) -> Values<'a> {
        match self {
            ArrayNumbers::Double(values) => values.into(),
            ArrayNumbers::Single(values) => values.into(),
        }
    }

    /// A copy, for results that need one.
    pub(crate) fn copied(self) -> Values<'static> {
        match self {
            ArrayNumbers::Double(values) => values.to_vec().into(),
            ArrayNumbers::Single(values) => values.to_vec().into(),
        }
    }
}

impl<'a> ArrayInput<'a> {
    /// Copies the labels.
    pub(crate) fn labels(&self) -> Labels {
        Labels::from_codes(self.codes.to_vec(), self.names)
    }

    /// Validated classes of all points.
    pub(crate) fn classes(&self) -> Result<Classes<'a>, DataError> {
        let points =
            Points::new(self.numbers.borrowed(), self.features).map_err(|error| self.worst(error))?;
        Classes::with(points, &self.labels(), None, Singletons::Keep)
    }

    /// As in scikit-learn, NaN is reported before infinity, wherever it occurs.
    pub(crate) fn worst(&self, error: DataError) -> DataError {
        match (&error, self.numbers.first_nan()) {
            (DataError::NotFinite { .. }, Some(at)) => {
                DataError::NotFinite { row: at / self.features, feature: at % self.features, value: f64::NAN }
            }
            _ => error,
        }
    }
}
