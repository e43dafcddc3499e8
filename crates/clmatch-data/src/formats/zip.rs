//! Archives: NumPy's NPZ, and the authors' `NAME_bin.zip` and `NAME_npy.zip`.

use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::error::ReadError;
use crate::formats::detect::{Format, detect};
use crate::formats::{bin, npy};
use crate::input::{Input, damaged};
use crate::memory::Budget;
use crate::real::Matrix;
use crate::table::Codes;

/// Points, and the labels if the archive holds them.
#[derive(Debug)]
pub(crate) struct Unzipped {
    pub(crate) matrix: Matrix,
    pub(crate) rows: usize,
    pub(crate) features: usize,
    pub(crate) labels: Option<Codes>,
}

/// Names of members, in the order in which they are looked for.
const POINTS: [&str; 8] = ["data", "x", "points", "features", "values", "train_x", "x_train", "arr_0"];
const LABELS: [&str; 9] =
    ["label", "labels", "y", "target", "targets", "class", "classes", "y_train", "arr_1"];

/// Reads the points and, unless they come from elsewhere, the labels.
pub(crate) fn read(input: &Input, labels: bool, budget: Budget) -> Result<Unzipped, ReadError> {
    let mut archive = open(input)?;
    let members = members(&archive);
    let label = pick(&members, &LABELS);
    let others = || (0..members.len()).filter(|&place| Some(place) != label);
    let points = pick(&members, &POINTS).filter(|&place| Some(place) != label);
    let points = points.or_else(|| others().next().filter(|_| others().count() == 1));
    let points = points.ok_or_else(|| nothing(&members, "points", &POINTS))?;
    let mut unzipped = read_points(&mut archive, &members[points], budget)?;
    if labels && let Some(label) = label {
        unzipped.labels = Some(read_labels(&mut archive, &members[label], budget)?);
    }
    Ok(unzipped)
}

/// Reads labels alone: the member that is named like labels, or the only one.
pub(crate) fn labels(input: &Input, budget: Budget) -> Result<Codes, ReadError> {
    let mut archive = open(input)?;
    let members = members(&archive);
    let place = pick(&members, &LABELS).or(if members.len() == 1 { Some(0) } else { None });
    let place = place.ok_or_else(|| nothing(&members, "labels", &LABELS))?;
    read_labels(&mut archive, &members[place], budget)
}

trait ReadSeek: Read + Seek {}
impl<T: Read + Seek> ReadSeek for T {}
type Archive<'a> = ZipArchive<Box<dyn ReadSeek + 'a>>;

/// A member: its place in the archive and its name without folder and extension.
#[derive(Debug)]
struct Member {
    place: usize,
    full: String,
    stem: String,
}

fn open(input: &Input) -> Result<Archive<'_>, ReadError> {
    let reader: Box<dyn ReadSeek + '_> = match input {
        Input::File(path) => Box::new(BufReader::new(File::open(path).map_err(|error| damaged(&error))?)),
        Input::Memory(bytes) => Box::new(Cursor::new(bytes.as_slice())),
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

/// Files that may hold arrays; what macOS adds is passed over.
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

fn pick(members: &[Member], known: &[&str]) -> Option<usize> {
    known.iter().find_map(|known| members.iter().position(|member| member.stem == *known))
}

fn nothing(members: &[Member], what: &str, known: &[&str]) -> ReadError {
    let found: Vec<&str> = members.iter().map(|member| member.full.as_str()).take(8).collect();
    let found = if found.is_empty() { "no .npy or .bin file".to_owned() } else { found.join(", ") };
    ReadError::new(format!("the archive holds no {what}; it holds {found}"))
        .help(format!("name the array one of {}", known.join(", ")))
}

fn read_points(archive: &mut Archive<'_>, member: &Member, budget: Budget) -> Result<Unzipped, ReadError> {
    in_member(archive, member, |format, mut reader| {
        let (matrix, rows, features) = match format {
            Format::Npy => {
                let array = npy::matrix(&mut reader, None, budget)?;
                (array.matrix, array.rows, array.features)
            }
            _ => {
                let numbers = bin::matrix_from(reader, budget)?;
                (Matrix::F64(numbers.values), numbers.rows, numbers.features)
            }
        };
        Ok(Unzipped { matrix, rows, features, labels: None })
    })
}

fn read_labels(archive: &mut Archive<'_>, member: &Member, budget: Budget) -> Result<Codes, ReadError> {
    in_member(archive, member, |format, mut reader| match format {
        Format::Npy => npy::labels(&mut reader, None, budget),
        _ => bin::labels_from(reader, budget),
    })
}

/// Calls `read` with the format and the bytes of a member; nothing is unpacked ahead of what is read.
fn in_member<T>(
    archive: &mut Archive<'_>,
    member: &Member,
    read: impl FnOnce(Format, &mut dyn Read) -> Result<T, ReadError>,
) -> Result<T, ReadError> {
    let mut file = archive.by_index(member.place).map_err(|error| zip_error(&error))?;
    let mut head = Vec::new();
    (&mut file).take(16).read_to_end(&mut head).map_err(|error| damaged(&error))?;
    let format = detect(&head);
    let mut reader = Cursor::new(head).chain(file);
    let result = match format {
        Format::Npy | Format::Bin => read(format, &mut reader),
        _ => Err(ReadError::new("this is neither NPY nor zlib-compressed JSON")
            .help("the archive is damaged, or its files have the wrong extension")),
    };
    result.map_err(|mut error| {
        error.what = format!("in {}: {}", member.full, error.what);
        error
    })
}
