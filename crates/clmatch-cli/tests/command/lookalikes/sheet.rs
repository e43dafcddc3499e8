//! Tables with known labels, ids and features, written as real programs write them.

/// The cell of a row.
pub type Content = Box<dyn Fn(usize) -> String>;

/// The true role of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    Label,
    Id,
    Feature,
}

pub struct Column {
    pub name: &'static str,
    pub truth: Truth,
    pub content: Content,
}

pub fn label(name: &'static str, content: Content) -> Column {
    Column { name, truth: Truth::Label, content }
}

pub fn id(name: &'static str, content: Content) -> Column {
    Column { name, truth: Truth::Id, content }
}

pub fn feature(name: &'static str, content: Content) -> Column {
    Column { name, truth: Truth::Feature, content }
}

/// Measurements with these names.
pub fn measured(names: &[&'static str]) -> Vec<Column> {
    names.iter().enumerate().map(|(seed, name)| feature(name, real(seed as u64 + 1))).collect()
}

/// Measurements without names.
pub fn nameless(count: usize) -> Vec<Column> {
    (0..count).map(|seed| feature("", real(seed as u64 + 1))).collect()
}

/// A number between 0 and 1 that looks random.
pub fn chance(seed: u64, row: usize) -> f64 {
    let mut bits = (seed << 32 | row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// A measurement that separates three classes.
pub fn real(seed: u64) -> Content {
    Box::new(move |row| format!("{:.3}", 2.0 * (row % 3) as f64 + chance(seed, row)))
}

/// A whole number between two bounds.
pub fn whole(seed: u64, low: i64, high: i64) -> Content {
    Box::new(move |row| (low + (chance(seed, row) * (high - low + 1) as f64) as i64).to_string())
}

/// A measurement in whole numbers, nearly all different, that correlates with others: an area in pixels.
pub fn pixels(seed: u64) -> Content {
    Box::new(move |row| {
        (40_000.0 + 9000.0 * (row % 3) as f64 + 5000.0 * chance(seed, row)).round().to_string()
    })
}

/// Three classes, one after the other.
pub fn kinds(names: [&'static str; 3]) -> Content {
    Box::new(move |row| names[row % 3].to_owned())
}

/// Two classes that split the rows of [`kinds`]: every third row has the second name.
pub fn two(names: [&'static str; 2]) -> Content {
    Box::new(move |row| names[usize::from(row.is_multiple_of(3))].to_owned())
}

/// Classes in blocks, as in files that are sorted by class.
pub fn blocks(rows: usize, names: &'static [&'static str]) -> Content {
    Box::new(move |row| names[row * names.len() / rows].to_owned())
}

/// Row numbers.
pub fn from(start: usize) -> Content {
    Box::new(move |row| (row + start).to_string())
}

/// Row numbers in quotes, as R writes them.
pub fn quoted_from(start: usize) -> Content {
    Box::new(move |row| format!("\"{}\"", row + start))
}

/// Each number up to a prime once, in an order that looks random.
pub fn shuffled(prime: usize) -> Content {
    Box::new(move |row| (row * 37 % prime).to_string())
}

/// Numbers of patients in no order, some of them occurring twice.
pub fn scattered(twice: usize) -> Content {
    Box::new(move |row| {
        let row = if twice > 0 && row.is_multiple_of(twice) { row / twice } else { row };
        (61_634 + (chance(99, row) * 1.3e6) as u64).to_string()
    })
}

/// A text for each row.
pub fn text(kind: &'static str) -> Content {
    Box::new(move |row| {
        let number = (chance(7, row) * 1e9) as u64;
        match kind {
            "name" => format!("\"Braund, Mr. {number}\""),
            "uuid" => format!("{number:08x}-{row:04x}-4000-8000-{number:012x}"),
            "barcode" => {
                let base = |at: u64| ["A", "C", "G", "T"][(number >> (2 * at) & 3) as usize];
                (0..12).map(base).collect::<String>() + &format!("-{row}")
            }
            _ => format!("{kind}_{number}"),
        }
    })
}

/// `2024-05-01 10:00:00`, `seconds` seconds later in each row.
pub fn timestamps(seconds: usize) -> Content {
    Box::new(move |row| {
        let at = row * seconds;
        format!("2024-05-{:02} {:02}:{:02}:{:02}", 1 + at / 86400, at / 3600 % 24, at / 60 % 60, at % 60)
    })
}

/// The columns of two groups together.
pub fn with<const N: usize>(columns: [Column; N], more: Vec<Column>) -> Vec<Column> {
    columns.into_iter().chain(more).collect()
}

/// Columns with some more columns after them.
pub fn then<const N: usize>(mut columns: Vec<Column>, more: [Column; N]) -> Vec<Column> {
    columns.extend(more);
    columns
}

/// How a table is written.
#[derive(Clone, Copy)]
pub struct Style {
    pub separator: &'static str,
    pub header: bool,
    pub quoted_header: bool,
    pub end: &'static str,
}

pub const CSV: Style = Style { separator: ",", header: true, quoted_header: false, end: "\n" };
pub const BARE: Style = Style { header: false, ..CSV };
pub const R: Style = Style { quoted_header: true, ..CSV };

/// A file, and what is true about it.
pub struct LookAlike {
    pub file: &'static str,
    pub bytes: Vec<u8>,
    /// The columns, as the program should name them.
    pub columns: Vec<(String, Truth)>,
    /// What the error must say, if the file should be refused.
    pub refused: Option<&'static str>,
}

impl LookAlike {
    /// Marks a file that should be refused with these words.
    pub fn refused(self, words: &'static str) -> Self {
        LookAlike { refused: Some(words), ..self }
    }

    /// Marks a table whose header is not read.
    pub fn nameless(mut self) -> Self {
        self.columns.iter_mut().enumerate().for_each(|(place, (name, _))| *name = place.to_string());
        self
    }

    /// Puts other bytes before the table.
    pub fn after(mut self, start: &str) -> Self {
        self.bytes.splice(0..0, start.bytes());
        self
    }
}

/// Writes a table.
pub fn sheet(file: &'static str, rows: usize, style: Style, columns: Vec<Column>) -> LookAlike {
    let mut text = String::new();
    if style.header {
        let quoted = |name: &str| if style.quoted_header { format!("\"{name}\"") } else { name.to_owned() };
        let names: Vec<String> = columns.iter().map(|column| quoted(column.name)).collect();
        text.push_str(&(names.join(style.separator) + style.end));
    }
    for row in 0..rows {
        let cells: Vec<String> = columns.iter().map(|column| (column.content)(row)).collect();
        text.push_str(&(cells.join(style.separator) + style.end));
    }
    let name = |(place, column): (usize, Column)| {
        let name = if style.header { column.name.to_owned() } else { place.to_string() };
        (name, column.truth)
    };
    let columns = columns.into_iter().enumerate().map(name).collect();
    LookAlike { file, bytes: text.into_bytes(), columns, refused: None }
}
