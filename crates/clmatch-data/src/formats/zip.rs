//! Archives: NumPy's NPZ, SciPy's sparse matrices, and the authors' `NAME_bin.zip` and `NAME_npy.zip`.

use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek};
use std::path::Path;

use zip::ZipArchive;
use zip::result::ZipError;

use crate::error::{ColumnRef, ReadError, shorten};
use crate::formats::detect::{FileFormat, detect};
use crate::formats::foreign::Foreign;
use crate::formats::npy::ArrayLabels;
use crate::formats::sparse::{self, Places};
use crate::formats::unzipped::{Unzipped, UnzippedTable};
use crate::formats::{bin, foreign, npy};
use crate::input::{ByteSource, damaged, read_all};
use crate::join::join;
use crate::layout::{DOUBTFUL, EXTENSIONS};
use crate::memory::MemoryBudget;
use crate::note::Note;
use crate::packing::without_packing;
use crate::provenance::Facts;
use crate::real::FloatMatrix;
use crate::roles::{ContentKind, DatasetSplit, LABELS, POINTS, preference, role};
use crate::shown::{ShownCells, ShownChoice};
use crate::table::{Codes, FeatureColumn, RawTable};

/// The names that unnamed arrays get, in the order of the call that saved them.
const NAMELESS: [&str; 2] = ["arr_0", "arr_1"];

/// Reads the points and, unless they come from elsewhere, the labels.
pub(crate) fn read(input: &ByteSource, labels: bool, budget: MemoryBudget) -> Result<Unzipped, ReadError> {
    let mut archive = open(input)?;
    let members = members(&archive);
    if let Some(kind) = sparse_parts(&members) {
        return read_sparse(&mut archive, &members, kind, budget);
    }
    if members.iter().filter(|member| member.stem.starts_with("arr_")).count() > NAMELESS.len() {
        return Err(ReadError::new(format!("the {} arrays have no names", members.len())).help(
            "say which is which: numpy.savez(FILE, data=…, label=…), or x_train=…, y_train=…, x_test=…, y_test=…",
        ));
    }
    let label = pick(&members, ContentKind::Labels, NAMELESS[1]);
    let others = || (0..members.len()).filter(|&place| Some(place) != label);
    let whole = pick(&members, ContentKind::Points, NAMELESS[0]).filter(|&place| Some(place) != label);
    if whole.is_none() {
        let parts = split_parts(&members, labels && label.is_none())?;
        if !parts.is_empty() {
            return read_parts(&mut archive, &members, &parts, label.filter(|_| labels), budget);
        }
    }
    let points = whole.or_else(|| others().next().filter(|_| others().count() == 1));
    let points = points.ok_or_else(|| nothing(&archive, input.path(), "points", &POINTS))?;
    let mut unzipped = read_points(&mut archive, &members[points], budget)?;
    if labels && let Some(label) = label {
        let found = read_labels(&mut archive, &members[label], budget)?;
        unzipped.labels = Some(found.codes);
        unzipped.notes.extend(found.note);
    }
    unzipped.notes.extend(unused(&members, |place| place == points || Some(place) == label));
    Ok(unzipped)
}

/// Reads only labels: the member that is named like labels, or the only member.
pub(crate) fn labels(input: &ByteSource, budget: MemoryBudget) -> Result<Codes, ReadError> {
    let mut archive = open(input)?;
    let members = members(&archive);
    let place =
        pick(&members, ContentKind::Labels, NAMELESS[1]).or(if members.len() == 1 { Some(0) } else { None });
    let place = place.ok_or_else(|| nothing(&archive, input.path(), "labels", &LABELS))?;
    read_labels(&mut archive, &members[place], budget).map(|found| found.codes)
}

/// Reads the arrays that are shown beside the points, by their names.
pub(crate) fn shown(input: &ByteSource, choice: &ShownChoice) -> Result<ShownCells, ReadError> {
    let mut archive = open(input)?;
    let members = members(&archive);
    let names: Vec<ColumnRef> = members.iter().map(|member| ColumnRef::Name(member.stem.clone())).collect();
    let mut shown = choice.among(&names, |_| true)?;
    for (at, place) in shown.places().to_vec().into_iter().enumerate() {
        let found = read_labels(&mut archive, &members[place], choice.budget())?.codes;
        for &code in &found.codes {
            // A missing value has no text.
            shown.push(at, found.names.get(code as usize).map_or(&b""[..], |name| name.as_bytes()))?;
        }
    }
    Ok(shown)
}

/// The places of the NumPy arrays in an archive that hold the points and the labels of all rows, if there are any, and of those
/// that have something else for each row.
#[derive(Debug)]
pub(crate) struct ArrayPlaces {
    pub(crate) points: Option<usize>,
    pub(crate) label: Option<usize>,
    pub(crate) by_row: Vec<usize>,
}

/// Finds the arrays; there are as many rows as labels.
pub(crate) fn array_places(input: &ByteSource, budget: MemoryBudget) -> Result<ArrayPlaces, ReadError> {
    let mut archive = open(input)?;
    let members = members(&archive);
    let dense = sparse_parts(&members).is_none();
    let is_array = |place: &usize| dense && !members[*place].full.ends_with("bin");
    let label = pick(&members, ContentKind::Labels, NAMELESS[1]);
    let others = || (0..members.len()).filter(|&place| Some(place) != label);
    let points = pick(&members, ContentKind::Points, NAMELESS[0]).filter(|&place| Some(place) != label);
    let points = points.or_else(|| others().next().filter(|_| others().count() == 1));
    let mut count = |member: &Member| match read_labels(&mut archive, member, budget) {
        Ok(found) => Some(found.codes.codes.len()),
        Err(_) => read_points(&mut archive, member, budget).ok().map(|points| points.rows),
    };
    let rows = label.and_then(|label| count(&members[label]));
    let by_row = members.iter().filter(|member| count(member) == rows).map(|member| member.place).collect();
    let place = |found: Option<usize>| found.filter(is_array).map(|place| members[place].place);
    Ok(ArrayPlaces { points: place(points), label: place(label), by_row })
}

/// A part of the rows: the indexes of its points and its labels in the archive.
struct SplitPart {
    points: usize,
    labels: Option<usize>,
}

/// The rows to train and to test on, in this order. If `labels` is set and any part has labels, each part needs them.
fn split_parts(members: &[Member], labels: bool) -> Result<Vec<SplitPart>, ReadError> {
    let of = |wanted: ContentKind| {
        let mut found: Vec<(DatasetSplit, usize)> = (0..members.len())
            .filter_map(|place| {
                let (kind, part) = role(&members[place].stem)?;
                (kind == wanted && part != DatasetSplit::Whole).then_some((part, place))
            })
            .collect();
        found.sort();
        found
    };
    let (points, labelled) = (of(ContentKind::Points), of(ContentKind::Labels));
    let twice = points.windows(2).chain(labelled.windows(2)).find(|pair| pair[0].0 == pair[1].0);
    if let Some(pair) = twice {
        let (a, b) = (&members[pair[0].1].full, &members[pair[1].1].full);
        return Err(ReadError::new(format!("{a} and {b} seem to be the same part"))
            .help("leave out one of them, or name the arrays data and label"));
    }
    let own = |part: DatasetSplit| labelled.iter().find(|(other, _)| *other == part).map(|&(_, place)| place);
    let needed = labels && !labelled.is_empty();
    points
        .into_iter()
        .map(|(part, points)| match own(part) {
            None if needed => Err(ReadError::new(format!("{} has no labels", members[points].full))
                .help("store an array of labels for each part, such as y_train and y_test")),
            labels => Ok(SplitPart { points, labels: labels.filter(|_| needed) }),
        })
        .collect()
}

/// Joins the parts; `label` is the array with the labels of all parts, if there is one.
fn read_parts(
    archive: &mut Archive<'_>,
    members: &[Member],
    parts: &[SplitPart],
    label: Option<usize>,
    budget: MemoryBudget,
) -> Result<Unzipped, ReadError> {
    let mut tables = Vec::with_capacity(parts.len());
    let mut bytes = 0;
    let mut notes = Vec::new();
    for part in parts {
        let points = read_points(archive, &members[part.points], budget)?;
        notes.extend(points.notes);
        bytes += points.matrix.bytes();
        budget.check(bytes)?;
        let labels = part.labels.map(|place| read_labels(archive, &members[place], budget)).transpose()?;
        let labels = labels.map(|found| {
            notes.extend(found.note);
            found.codes
        });
        if let Some(labels) = labels.as_ref().filter(|labels| labels.codes.len() != points.rows) {
            let (name, labels) = (&members[part.points].full, labels.codes.len());
            return Err(ReadError::new(format!("{name} has {} rows, but {labels} labels", points.rows))
                .help("give exactly one label for each row"));
        }
        let table = RawTable {
            columns: FeatureColumn::numbered(points.features),
            matrix: points.matrix,
            rows: points.rows,
            labels,
            complete: false,
            extent: None,
            notes: Vec::new(),
            facts: Facts::default(),
        };
        tables.push((members[part.points].stem.clone(), table));
    }
    let all = join(tables)?;
    let labels = match label {
        Some(place) => {
            let found = read_labels(archive, &members[place], budget)?;
            notes.extend(found.note);
            Some(found.codes)
        }
        None => all.labels,
    };
    let used = |place| {
        Some(place) == label || parts.iter().any(|part| part.points == place || part.labels == Some(place))
    };
    // Parts have the same notes.
    for note in std::mem::take(&mut notes) {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes.extend(all.notes);
    notes.extend(unused(members, used));
    Ok(Unzipped { matrix: all.matrix, rows: all.rows, features: all.columns.len(), labels, notes })
}

/// The note on arrays that were not used.
fn unused(members: &[Member], used: impl Fn(usize) -> bool) -> Option<Note> {
    let names: Vec<String> =
        (0..members.len()).filter(|&place| !used(place)).map(|place| members[place].stem.clone()).collect();
    (!names.is_empty()).then_some(Note::Unused { names })
}

/// The layouts in which SciPy saves sparse matrices.
#[derive(Debug, Clone, Copy)]
enum SparseParts {
    Compressed,
    Coordinates,
    Other,
}

fn sparse_parts(members: &[Member]) -> Option<SparseParts> {
    let has = |stem: &str| find(members, stem).is_some();
    if !has("format") || !has("shape") || !has("data") {
        None
    } else if has("indptr") && has("indices") {
        Some(SparseParts::Compressed)
    } else if has("row") && has("col") {
        Some(SparseParts::Coordinates)
    } else {
        Some(SparseParts::Other)
    }
}

fn find(members: &[Member], stem: &str) -> Option<usize> {
    members.iter().position(|member| member.stem == stem)
}

/// Reads a sparse matrix of SciPy and fills in the zeros.
fn read_sparse(
    archive: &mut Archive<'_>,
    members: &[Member],
    kind: SparseParts,
    budget: MemoryBudget,
) -> Result<Unzipped, ReadError> {
    fn part<T>(
        archive: &mut Archive<'_>,
        members: &[Member],
        stem: &str,
        read: impl FnOnce(&mut dyn Read) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        let place = find(members, stem).ok_or_else(|| ReadError::new(format!("there is no {stem}.npy")))?;
        in_member(archive, &members[place], |_, reader| read(reader))
    }
    let mut places = |stem: &str| part(archive, members, stem, |reader| npy::places(reader, budget));
    let shape = places("shape")?;
    let &[rows, features] = shape.as_slice() else {
        return Err(ReadError::new(format!("the sparse matrix has {} dimensions", shape.len()))
            .help("a matrix with one row per point is needed"));
    };
    // Checked before anything else is unpacked.
    budget.check_shape(rows as u64, features as u64, 4)?;
    let (first, second) = match kind {
        SparseParts::Compressed => (places("indptr")?, places("indices")?),
        SparseParts::Coordinates => (places("row")?, places("col")?),
        SparseParts::Other => (Vec::new(), Vec::new()),
    };
    let format = part(archive, members, "format", npy::text)?;
    let places = match (kind, format.as_str()) {
        (SparseParts::Compressed, "csr") => Places::Rows { indptr: first, indices: second },
        (SparseParts::Compressed, "csc") => Places::Columns { indptr: first, indices: second },
        (SparseParts::Coordinates, "coo") => Places::Each { rows: first, columns: second },
        _ => {
            return Err(ReadError::new(format!("the sparse matrix is stored as '{}'", shorten(&format)))
                .help("save it as CSR: scipy.sparse.save_npz(FILE, matrix.tocsr())"));
        }
    };
    let values = part(archive, members, "data", |reader| npy::matrix(reader, None, budget))?;
    let matrix = sparse::dense(values.matrix, &places, (rows, features), budget)?;
    Ok(Unzipped { matrix, rows, features, labels: None, notes: Vec::new() })
}

/// The kind of workbook that an archive is; `None` if it is none.
pub(crate) fn workbook(input: &ByteSource) -> Result<Option<Foreign>, ReadError> {
    let archive = open(input)?;
    let names = archive.file_names().filter_map(|name| Some(name.ok()?.into_owned()));
    Ok(foreign::archive(&names.collect::<Vec<_>>()).filter(|kind| kind.is_workbook()))
}

/// Refuses an archive that unpacks to more than may be used, whatever it says about its size; other bytes pass.
#[cfg(feature = "excel")]
pub(crate) fn check_unpacked_size(bytes: &[u8], budget: MemoryBudget) -> Result<(), ReadError> {
    let Ok(mut archive) = ZipArchive::new(Cursor::new(bytes)) else { return Ok(()) };
    let mut left = budget.limit();
    for place in 0..archive.len() {
        let file = archive.by_index(place).map_err(|error| zip_error(&error))?;
        let count = std::io::copy(&mut file.take(left.saturating_add(1)), &mut std::io::sink());
        let count = count.map_err(|error| damaged(&error))?;
        left = left.checked_sub(count).ok_or_else(|| {
            ReadError::too_large_for_memory("the workbook unpacks to more than may be held in memory")
        })?;
    }
    Ok(())
}

/// The only table of an archive without arrays; `None` if there is none.
///
/// # Errors
/// Several tables: which of them is meant cannot be known.
pub(crate) fn only_table(
    input: &ByteSource,
    budget: MemoryBudget,
) -> Result<Option<UnzippedTable>, ReadError> {
    let mut archive = open(input)?;
    if !members(&archive).is_empty() {
        return Ok(None);
    }
    let names = archive.file_names().filter_map(|name| Some(name.ok()?.into_owned()));
    let names: Vec<String> = names.collect();
    if foreign::archive(&names).is_some() {
        return Ok(None);
    }
    let ends_with = |known: &[&str]| -> Vec<&String> {
        let end =
            |name: &str| without_packing(name).rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase());
        let hidden = |name: &str| {
            name.starts_with("__MACOSX") || name.rsplit('/').next().is_some_and(|own| own.starts_with('.'))
        };
        let is = |name: &&String| !hidden(name) && end(name).is_some_and(|end| known.contains(&end.as_str()));
        names.iter().filter(is).collect()
    };
    let mut tables = ends_with(&EXTENSIONS);
    if tables.is_empty() {
        tables = ends_with(&DOUBTFUL);
    }
    let name = match tables.as_slice() {
        [] => return Ok(None),
        [only] => (*only).clone(),
        several => {
            let shown: Vec<&str> = several.iter().take(8).map(|name| name.as_str()).collect();
            let more = if several.len() > shown.len() { ", …" } else { "" };
            let what = format!("the archive holds {} tables: {}{more}", several.len(), shown.join(", "));
            return Err(ReadError::new(what).help("unpack it with unzip, and give one of them"));
        }
    };
    let file = archive.by_name(&name).map_err(|error| zip_error(&error))?;
    let content = ByteSource::Memory(read_all(file, budget)?.into());
    Ok(Some(UnzippedTable { name, content }))
}

/// What an archive is read from.
pub(crate) trait ReadSeek: Read + Seek {}
impl<T: Read + Seek> ReadSeek for T {}
/// An archive that was opened.
pub(crate) type Archive<'a> = ZipArchive<Box<dyn ReadSeek + 'a>>;

/// A member: its index in the archive and its name without folder and extension.
#[derive(Debug)]
struct Member {
    place: usize,
    full: String,
    stem: String,
}

/// Opens an archive.
pub(crate) fn open(input: &ByteSource) -> Result<Archive<'_>, ReadError> {
    let reader: Box<dyn ReadSeek + '_> = match input {
        ByteSource::File(path) => {
            Box::new(BufReader::new(File::open(path).map_err(|error| damaged(&error))?))
        }
        ByteSource::Memory(bytes) => Box::new(Cursor::new(bytes.as_ref())),
    };
    ZipArchive::new(reader).map_err(|error| zip_error(&error))
}

fn zip_error(error: &ZipError) -> ReadError {
    match error {
        ZipError::Io(error) => damaged(error),
        _ => ReadError::new(format!("the archive cannot be read: {error}"))
            .help("the file is incomplete or damaged: fetch or write it again"),
    }
}

/// Files that may hold arrays; files that macOS adds are skipped.
fn members(archive: &Archive<'_>) -> Vec<Member> {
    let mut members: Vec<Member> = (0..archive.len())
        .filter_map(|place| Some((place, archive.name_for_index(place)?.ok()?.into_owned())))
        .filter(|(_, name)| !name.starts_with("__MACOSX") && !name.ends_with('/'))
        .filter_map(|(place, full)| {
            let file = full.rsplit('/').next()?;
            let (stem, end) = file.rsplit_once('.')?;
            let stem = stem.to_ascii_lowercase();
            matches!(end.to_ascii_lowercase().as_str(), "npy" | "bin").then_some(Member { place, full, stem })
        })
        .collect();
    members.sort_by(|a, b| a.full.cmp(&b.full));
    members
}

/// The member that holds all points or all labels by its name, or else the unnamed one.
fn pick(members: &[Member], kind: ContentKind, nameless: &str) -> Option<usize> {
    let whole = |place: &usize| role(&members[*place].stem) == Some((kind, DatasetSplit::Whole));
    let named = (0..members.len()).filter(whole).min_by_key(|&place| preference(&members[place].stem));
    named.or_else(|| find(members, nameless))
}

/// The error for an archive without arrays of the right names, which may be something else altogether.
fn nothing(archive: &Archive<'_>, path: &Path, what: &str, known: &[&str]) -> ReadError {
    let names = archive.file_names().filter_map(|name| Some(name.ok()?.into_owned()));
    let mut found: Vec<String> = names.filter(|name| !name.ends_with('/')).collect();
    if let Some(found) = foreign::archive(&found) {
        return found.refuse(path);
    }
    found.sort_unstable();
    found.truncate(8);
    let arrays = found.iter().any(|name| name.ends_with(".npy") || name.ends_with(".bin"));
    let help = if arrays || found.is_empty() {
        format!("name the array one of {}", known.join(", "))
    } else {
        "unpack it with unzip, and give the file or folder with the data".to_owned()
    };
    let found = if found.is_empty() { "no .npy or .bin file".to_owned() } else { found.join(", ") };
    ReadError::new(format!("the archive holds no {what}; it holds {found}")).help(help)
}

fn read_points(
    archive: &mut Archive<'_>,
    member: &Member,
    budget: MemoryBudget,
) -> Result<Unzipped, ReadError> {
    in_member(archive, member, |format, mut reader| {
        let (matrix, rows, features, note) = match format {
            FileFormat::Npy => {
                let array = npy::matrix(&mut reader, None, budget)?;
                (array.matrix, array.rows, array.features, array.note)
            }
            _ => {
                let numbers = bin::matrix_from(reader, budget)?;
                (FloatMatrix::F64(numbers.values), numbers.rows, numbers.features, None)
            }
        };
        Ok(Unzipped { matrix, rows, features, labels: None, notes: note.into_iter().collect() })
    })
}

fn read_labels(
    archive: &mut Archive<'_>,
    member: &Member,
    budget: MemoryBudget,
) -> Result<ArrayLabels, ReadError> {
    in_member(archive, member, |format, mut reader| match format {
        FileFormat::Npy => npy::labels(&mut reader, None, budget),
        _ => bin::labels_from(reader, budget).map(|codes| ArrayLabels { codes, note: None }),
    })
}

/// Calls `read` with the format and the bytes of a member; bytes are unpacked only as they are read.
fn in_member<T>(
    archive: &mut Archive<'_>,
    member: &Member,
    read: impl FnOnce(FileFormat, &mut dyn Read) -> Result<T, ReadError>,
) -> Result<T, ReadError> {
    let mut file = archive.by_index(member.place).map_err(|error| zip_error(&error))?;
    let mut head = Vec::new();
    (&mut file).take(16).read_to_end(&mut head).map_err(|error| damaged(&error))?;
    let format = detect(&head);
    let mut reader = Cursor::new(head).chain(file);
    let result = match format {
        FileFormat::Npy | FileFormat::Bin => read(format, &mut reader),
        _ => Err(ReadError::new("this is neither NPY nor zlib-compressed JSON")
            .help("the archive is damaged, or its files have the wrong extension")),
    };
    result.map_err(|mut error| {
        error.what = format!("in {}: {}", member.full, error.what);
        error
    })
}
