//! The points of an AnnData file.

use hdf5_reader::group::Group;

use super::{AnnDataFile, DAMAGED, attribute, unreadable};
use crate::advice::Advice;
use crate::error::{ColumnRef, ReadError, shorten};
use crate::formats::sparse::{self, Places};
use crate::note::Note;
use crate::real::{FloatMatrix, MatrixElement};

/// A matrix of a file, by its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AnnDataLayer {
    /// The group it is in; empty for the root.
    group: &'static str,
    name: String,
}

impl AnnDataLayer {
    fn path(&self) -> String {
        if self.group.is_empty() { self.name.clone() } else { format!("{}/{}", self.group, self.name) }
    }
}

/// Points with names of their features.
pub(super) struct NamedPoints {
    pub(super) matrix: FloatMatrix,
    pub(super) rows: usize,
    pub(super) names: Vec<ColumnRef>,
}

/// The named matrix, or else `X`, or else the only one. A note lists the others if no option chose between them.
pub(super) fn choose(
    file: &AnnDataFile,
    asked: Option<&str>,
) -> Result<(AnnDataLayer, Option<Note>), ReadError> {
    let all = layers(file)?;
    let paths: Vec<String> = all.iter().map(AnnDataLayer::path).collect();
    if let Some(asked) = asked {
        let asked = asked.trim_matches('/');
        let exact = all.iter().find(|layer| layer.path() == asked);
        let mut named = all.iter().filter(|layer| layer.name == asked);
        let found = exact.or_else(|| named.next().filter(|_| named.next().is_none()));
        return found.map(|layer| (layer.clone(), None)).ok_or_else(|| {
            ReadError::new(format!("there is no matrix '{}'", shorten(asked)))
                .help(format!("the file has {}", paths.join(", ")))
        });
    }
    let taken = all.iter().find(|layer| layer.path() == "X").or(if let [only] = &all[..] {
        Some(only)
    } else {
        None
    });
    let Some(taken) = taken else {
        return Err(if all.is_empty() {
            ReadError::new("the file holds no matrix of points")
                .help("points are in X, raw/X, layers or obsm of an AnnData file")
        } else {
            ReadError::new(format!("there is no X, but {}", paths.join(", "))).help(Advice::ChooseLayer)
        });
    };
    let others: Vec<String> = paths.into_iter().filter(|path| *path != taken.path()).collect();
    let note = (!others.is_empty()).then(|| Note::Layer { taken: taken.path(), others });
    Ok((taken.clone(), note))
}

/// All matrices with one row per observation.
fn layers(file: &AnnDataFile) -> Result<Vec<AnnDataLayer>, ReadError> {
    let mut all = Vec::new();
    let (groups, datasets) = file.root.member_names().map_err(|error| unreadable(&error))?;
    if groups.iter().any(|name| name == "X") || (datasets.iter().any(|name| name == "X") && !is_null(file)) {
        all.push(AnnDataLayer { group: "", name: "X".to_owned() });
    }
    for group in ["layers", "obsm", "raw"].into_iter().filter(|group| groups.iter().any(|name| name == group))
    {
        let own = file.root.group(group).map_err(|error| unreadable(&error))?;
        let (groups, datasets) = own.member_names().map_err(|error| unreadable(&error))?;
        let named = groups.into_iter().chain(datasets).filter(|name| group != "raw" || name == "X");
        let mut names: Vec<String> = named.collect();
        names.sort();
        all.extend(names.into_iter().map(|name| AnnDataLayer { group, name }));
    }
    Ok(all)
}

/// Whether `X` says that it has no values.
fn is_null(file: &AnnDataFile) -> bool {
    file.root.dataset("X").is_ok_and(|dataset| dataset.shape().is_empty())
}

/// Reads a matrix.
pub(super) fn read(file: &AnnDataFile, layer: &AnnDataLayer) -> Result<NamedPoints, ReadError> {
    let own;
    let group = if layer.group.is_empty() {
        &file.root
    } else {
        own = file.root.group(layer.group).map_err(|error| unreadable(&error))?;
        &own
    };
    let named = |mut error: ReadError| {
        error.what = format!("in {}: {}", layer.path(), error.what);
        error
    };
    let (groups, _) = group.member_names().map_err(|error| unreadable(&error))?;
    if groups.contains(&layer.name) {
        let own = group.group(&layer.name).map_err(|error| unreadable(&error))?;
        if attribute(&own, "encoding-type").as_deref() == Some("dataframe") {
            return table(file, &own, layer).map_err(named);
        }
        let (matrix, rows, features) = sparse_matrix(file, &own).map_err(named)?;
        return Ok(NamedPoints { matrix, rows, names: names(file, layer, features)? });
    }
    let (matrix, rows, features) = dense(file, group, &layer.name).map_err(named)?;
    Ok(NamedPoints { matrix, rows, names: names(file, layer, features)? })
}

fn dense(file: &AnnDataFile, group: &Group, name: &str) -> Result<(FloatMatrix, usize, usize), ReadError> {
    let dataset = group.dataset(name).map_err(|error| unreadable(&error))?;
    let (rows, features) = match *dataset.shape() {
        [rows] => (rows, 1),
        [rows, features] => (rows, features),
        ref shape => {
            return Err(ReadError::new(format!("the matrix has {} dimensions", shape.len()))
                .help("a matrix with one row per observation is needed"));
        }
    };
    let matrix = file.numbers(&dataset)?;
    Ok((matrix, rows as usize, features as usize))
}

/// Reads CSR or CSC and fills in the zeros.
fn sparse_matrix(file: &AnnDataFile, group: &Group) -> Result<(FloatMatrix, usize, usize), ReadError> {
    // The second name of each is that used by files before AnnData 0.7.
    let kind = attribute(group, "encoding-type").or_else(|| attribute(group, "h5sparse_format"));
    let shape = group.attribute("shape").or_else(|_| group.attribute("h5sparse_shape"));
    let shape: Vec<i64> = shape.and_then(|shape| shape.read_1d()).map_err(|error| unreadable(&error))?;
    let &[rows, features] = &shape[..] else {
        return Err(ReadError::new(format!("the sparse matrix has {} dimensions", shape.len())).help(DAMAGED));
    };
    let (Ok(rows), Ok(features)) = (usize::try_from(rows), usize::try_from(features)) else {
        return Err(ReadError::new(format!("the shape ({rows}, {features}) is impossible")).help(DAMAGED));
    };
    // Checked before anything is read.
    file.budget.check_shape(rows as u64, features as u64, 4)?;
    let numbers = |name: &str| -> Result<FloatMatrix, ReadError> {
        file.numbers(&group.dataset(name).map_err(|error| unreadable(&error))?)
    };
    let places = |name: &str| match numbers(name)? {
        FloatMatrix::F64(values) => sparse::places(&values),
        FloatMatrix::F32(_) => Err(ReadError::new(format!("{name} are no whole numbers")).help(DAMAGED)),
    };
    let (indptr, indices) = (places("indptr")?, places("indices")?);
    let places = match kind.as_deref() {
        Some("csr_matrix" | "csr") => Places::Rows { indptr, indices },
        Some("csc_matrix" | "csc") => Places::Columns { indptr, indices },
        other => {
            return Err(ReadError::new(format!("it is stored as '{}'", shorten(other.unwrap_or("nothing"))))
                .help("dense matrices, csr_matrix, csc_matrix and tables are read"));
        }
    };
    Ok((sparse::dense(numbers("data")?, &places, (rows, features), file.budget)?, rows, features))
}

/// A table in `obsm`: all its columns, which must be numbers.
fn table(file: &AnnDataFile, group: &Group, layer: &AnnDataLayer) -> Result<NamedPoints, ReadError> {
    let names = super::labels::columns(group)?;
    let mut columns = Vec::with_capacity(names.len());
    for name in &names {
        let dataset = group.dataset(name).map_err(|_| {
            ReadError::new(format!("the column '{}' holds no plain numbers", shorten(name)))
                .help("points are numbers; choose another matrix")
        })?;
        columns.push(file.numbers(&dataset)?);
    }
    let rows = columns.first().map_or(0, FloatMatrix::len);
    if columns.iter().any(|column| column.len() != rows) {
        return Err(ReadError::new("the columns have different lengths").help(DAMAGED));
    }
    file.budget.check_shape(rows as u64, columns.len() as u64, 8)?;
    let single = columns.iter().all(|column| matches!(column, FloatMatrix::F32(_)));
    let matrix = if single {
        FloatMatrix::F32(by_rows(&columns, rows))
    } else {
        FloatMatrix::F64(by_rows(&columns, rows))
    };
    let names = names.into_iter().map(|name| ColumnRef::Name(format!("{}[{name}]", layer.name))).collect();
    Ok(NamedPoints { matrix, rows, names })
}

fn by_rows<T: MatrixElement>(columns: &[FloatMatrix], rows: usize) -> Vec<T> {
    let value = |row: usize, column: &FloatMatrix| match column {
        FloatMatrix::F64(values) => values[row],
        FloatMatrix::F32(values) => f64::from(values[row]),
    };
    (0..rows).flat_map(|row| columns.iter().map(move |column| T::from_f64(value(row, column)))).collect()
}

/// The names of variables if the columns are variables, or else the name of the matrix with a number.
fn names(file: &AnnDataFile, layer: &AnnDataLayer, features: usize) -> Result<Vec<ColumnRef>, ReadError> {
    let variables = match layer.group {
        "" | "layers" => index(file, "var")?,
        "raw" => index(file, "raw/var")?,
        _ => None,
    };
    Ok(match variables.filter(|names| names.len() == features) {
        Some(names) => names.into_iter().map(ColumnRef::Name).collect(),
        None if layer.group == "obsm" => {
            (0..features).map(|place| ColumnRef::Name(format!("{}[{place}]", layer.name))).collect()
        }
        None => (0..features).map(ColumnRef::Index).collect(),
    })
}

/// The names of a table's rows; `None` if it has none.
fn index(file: &AnnDataFile, path: &str) -> Result<Option<Vec<String>>, ReadError> {
    let mut group = None;
    for part in path.split('/') {
        match group.as_ref().unwrap_or(&file.root).group(part) {
            Ok(found) => group = Some(found),
            Err(_) => return Ok(None),
        }
    }
    let Some(group) = group else { return Ok(None) };
    let name = attribute(&group, "_index").unwrap_or_else(|| "_index".to_owned());
    let Ok(dataset) = group.dataset(&name) else { return Ok(None) };
    let texts = file.texts(&dataset)?;
    Ok(Some(texts.into_iter().map(Option::unwrap_or_default).collect()))
}
