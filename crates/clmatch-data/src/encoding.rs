//! Texts that are not UTF-8: UTF-16 with a byte-order mark, and the Windows-1252 of old programs.

use std::io::{self, Read};

use crate::error::ReadError;
use crate::input::{ByteSource, damaged, read_all};
use crate::memory::MemoryBudget;
use crate::note::Note;

/// How a text that is not UTF-8 is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// UTF-16, least significant byte first.
    Utf16Le,
    /// UTF-16, most significant byte first.
    Utf16Be,
    /// Windows-1252, which contains Latin-1.
    Windows1252,
}

impl Encoding {
    /// How many bytes show a byte-order mark.
    pub(crate) const MARK: usize = 4;

    /// The encoding that a byte-order mark says; `None` for UTF-8.
    pub(crate) fn of_mark(head: &[u8]) -> Option<Self> {
        match head {
            // UTF-32.
            [0xff, 0xfe, 0, 0] => None,
            [0xff, 0xfe, ..] => Some(Encoding::Utf16Le),
            [0xfe, 0xff, ..] => Some(Encoding::Utf16Be),
            _ => None,
        }
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Encoding::Utf16Le | Encoding::Utf16Be => "UTF-16",
            Encoding::Windows1252 => "Windows-1252",
        }
    }

    /// A UTF-8 text in this encoding, with its byte-order mark; `None` if a character is not in it.
    pub(crate) fn encode(self, text: &[u8]) -> Option<Vec<u8>> {
        let text = std::str::from_utf8(text).ok()?;
        let units = || std::iter::once(0xfeff).chain(text.encode_utf16());
        match self {
            Encoding::Utf16Le => Some(units().flat_map(u16::to_le_bytes).collect()),
            Encoding::Utf16Be => Some(units().flat_map(u16::to_be_bytes).collect()),
            Encoding::Windows1252 => text
                .chars()
                .map(|char| match C1.iter().position(|other| *other == char) {
                    Some(place) => u8::try_from(0x80 + place).ok(),
                    None => u8::try_from(u32::from(char)).ok().filter(|byte| windows_1252(*byte) == char),
                })
                .collect(),
        }
    }
}

/// How a text is encoded that is not UTF-8; `None` for UTF-8, and for what cannot be read.
pub(crate) fn encoding_of(input: &ByteSource, budget: MemoryBudget) -> Result<Option<Encoding>, ReadError> {
    let marked = Encoding::of_mark(&input.head(Encoding::MARK)?);
    if marked.is_some() || std::str::from_utf8(&read_all(input.reader()?, budget)?).is_ok() {
        return Ok(marked);
    }
    Ok((survey(input)?.verdict() == Verdict::Windows1252).then_some(Encoding::Windows1252))
}

/// The whole input as UTF-8, in memory.
pub(crate) fn to_utf8(
    input: &ByteSource,
    encoding: Encoding,
    budget: MemoryBudget,
) -> Result<ByteSource, ReadError> {
    let text = read_all(Transcoder::new(input.reader()?, encoding), budget)?;
    Ok(ByteSource::Memory(text.into()))
}

/// Reads a text that turned out not to be UTF-8 once more, as Windows-1252 if that is what it is; or else adds to the error what
/// the encoding may be.
pub(crate) fn read_legacy<T>(
    error: ReadError,
    input: &ByteSource,
    budget: MemoryBudget,
    read: impl FnOnce(&ByteSource) -> Result<T, ReadError>,
) -> Result<(T, Note), ReadError> {
    match survey(input)?.verdict() {
        Verdict::Windows1252 => {
            Ok((read(&to_utf8(input, Encoding::Windows1252, budget)?)?, Note::Windows1252))
        }
        Verdict::Other(candidates) => Err(error.help(format!(
            "the file is not UTF-8, but perhaps {}: convert it with iconv -f ENCODING -t utf-8",
            candidates.join(" or ")
        ))),
    }
}

/// Decodes a text to UTF-8 while it is read.
pub(crate) struct Transcoder<R> {
    reader: R,
    encoding: Encoding,
    /// Bytes that were read but not decoded yet: less than one character, except within a call.
    raw: Vec<u8>,
    text: Vec<u8>,
    /// How much of the text was taken.
    at: usize,
    first: bool,
}

impl<R: Read> Transcoder<R> {
    /// Decodes what `reader` reads.
    pub(crate) fn new(reader: R, encoding: Encoding) -> Self {
        Transcoder { reader, encoding, raw: Vec::new(), text: Vec::new(), at: 0, first: true }
    }

    /// Decodes the next bytes; false at the end.
    fn fill(&mut self) -> io::Result<bool> {
        const BLOCK: usize = 1 << 16;
        self.text.clear();
        self.at = 0;
        while self.text.is_empty() {
            let held = self.raw.len();
            self.raw.resize(held + BLOCK, 0);
            let count = match self.reader.read(&mut self.raw[held..]) {
                Err(error) => {
                    self.raw.truncate(held);
                    return Err(error);
                }
                Ok(count) => count,
            };
            self.raw.truncate(held + count);
            self.decode(count == 0)?;
            if count == 0 {
                break;
            }
        }
        Ok(!self.text.is_empty())
    }

    fn decode(&mut self, ended: bool) -> io::Result<()> {
        let mut push = |char: char| self.text.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
        if self.encoding == Encoding::Windows1252 {
            self.raw.drain(..).map(windows_1252).for_each(push);
            return Ok(());
        }
        let unit = |pair: &[u8; 2]| match self.encoding {
            Encoding::Utf16Be => u16::from_be_bytes(*pair),
            _ => u16::from_le_bytes(*pair),
        };
        let (pairs, rest) = self.raw.as_chunks();
        let mut units: Vec<u16> = pairs.iter().map(unit).collect();
        let mut held = rest.len();
        if !ended && units.pop_if(|last| (0xd800..0xdc00).contains(last)).is_some() {
            held += 2;
        }
        if ended && held > 0 {
            return Err(not_utf16());
        }
        for char in char::decode_utf16(units) {
            let char = char.map_err(|_| not_utf16())?;
            if !std::mem::take(&mut self.first) || char != '\u{feff}' {
                push(char);
            }
        }
        self.raw.drain(..self.raw.len() - held);
        Ok(())
    }
}

impl<R: Read> Read for Transcoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.text.len() && !self.fill()? {
            return Ok(0);
        }
        let count = buffer.len().min(self.text.len() - self.at);
        buffer[..count].copy_from_slice(&self.text[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

fn not_utf16() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it begins like UTF-16, but is not")
}

/// The characters of 0x80 to 0x9f; the others are those of Latin-1. The five bytes without a meaning keep that of Latin-1.
const C1: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

fn windows_1252(byte: u8) -> char {
    match byte {
        0x80..=0x9f => C1[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

/// What a text that is not UTF-8 may be.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    /// Western European letters between others, as Windows-1252 writes them.
    Windows1252,
    /// Something else, and the encodings in which it is valid.
    Other(Vec<&'static str>),
}

/// What all bytes beyond ASCII show: how many of them stand together, and between which others.
#[derive(Debug, Default)]
struct HighBytes {
    /// The byte before the current run of high bytes.
    before: u8,
    run: Vec<u8>,
    runs: usize,
    /// Runs of two.
    pairs: usize,
    /// Runs without a letter beside them.
    lonely: usize,
    /// Runs that no Western European text has.
    foreign: usize,
    multibyte: [MultiByte; 4],
}

fn survey(input: &ByteSource) -> Result<HighBytes, ReadError> {
    let mut found = HighBytes::default();
    let mut reader = input.reader()?;
    let mut block = vec![0; 1 << 16];
    loop {
        match reader.read(&mut block).map_err(|error| damaged(&error))? {
            0 => return Ok(found),
            count => block[..count].iter().for_each(|&byte| found.push(byte)),
        }
    }
}

impl HighBytes {
    /// Longer runs are not kept.
    const LONGEST: usize = 3;

    fn push(&mut self, byte: u8) {
        for (state, rules) in self.multibyte.iter_mut().zip(&MULTIBYTE) {
            state.push(byte, rules);
        }
        if byte >= 0x80 {
            if self.run.len() < HighBytes::LONGEST {
                self.run.push(byte);
            }
            return;
        }
        if !self.run.is_empty() {
            self.close(byte);
        }
        self.before = byte;
    }

    fn close(&mut self, after: u8) {
        let run = std::mem::take(&mut self.run);
        let touches = self.before.is_ascii_alphabetic() || after.is_ascii_alphabetic();
        let inside = self.before.is_ascii_alphabetic() && after.is_ascii_alphabetic();
        self.runs += 1;
        self.pairs += usize::from(run.len() == 2);
        let lower = self.before.is_ascii_lowercase();
        let plausible = run.len() < HighBytes::LONGEST
            && run.iter().all(|&byte| match byte {
                0xdf..=0xf6 | 0xf8..=0xff | 0x9a | 0x9c | 0x9e => true,
                // A capital does not follow a small letter.
                0xc0..=0xd6 | 0xd8..=0xde | 0x8a | 0x8c | 0x8e | 0x9f => !lower,
                // Apostrophe, dashes, soft hyphen and middle dot may stand inside a word.
                0x92 | 0x96 | 0x97 | 0xad | 0xb7 => true,
                0x80 | 0x85 | 0x91 | 0x93..=0x95 | 0x99 | 0xa0 | 0xa1 | 0xa3 | 0xa7 | 0xa9..=0xab => !inside,
                0xae | 0xb0..=0xb5 | 0xb9..=0xbf | 0xd7 => !inside,
                _ => false,
            });
        let letters =
            run.iter().all(|&byte| byte >= 0xc0 || matches!(byte, 0x8a | 0x8c | 0x8e | 0x9a..=0x9f));
        self.lonely += usize::from(letters && !touches);
        self.foreign += usize::from(!plausible);
    }

    fn verdict(mut self) -> Verdict {
        self.push(b'\n');
        let western = self.foreign == 0 && 10 * self.lonely <= self.runs && 5 * self.pairs <= self.runs;
        if western && self.runs > 0 {
            return Verdict::Windows1252;
        }
        let valid = self.multibyte.iter().zip(&MULTIBYTE).filter(|(state, _)| !state.broken && !state.open);
        let valid = valid.map(|(_, rules)| rules.name);
        let western = (self.foreign == 0).then_some("Windows-1252 (Latin-1)").into_iter();
        Verdict::Other(valid.chain(western).chain(["a single-byte encoding such as Windows-1251"]).collect())
    }
}

/// Which bytes make a character of two bytes.
struct PairRules {
    name: &'static str,
    lead: fn(u8) -> bool,
    trail: fn(u8) -> bool,
    /// Bytes beyond ASCII that are a character of their own.
    single: fn(u8) -> bool,
}

const MULTIBYTE: [PairRules; 4] = [
    PairRules {
        name: "EUC-KR",
        lead: |byte| matches!(byte, 0xa1..=0xfe),
        trail: |byte| matches!(byte, 0xa1..=0xfe),
        single: |_| false,
    },
    PairRules {
        name: "GB18030",
        lead: |byte| matches!(byte, 0x81..=0xfe),
        trail: |byte| matches!(byte, 0x40..=0x7e | 0x80..=0xfe),
        single: |_| false,
    },
    PairRules {
        name: "Big5",
        lead: |byte| matches!(byte, 0xa1..=0xf9),
        trail: |byte| matches!(byte, 0x40..=0x7e | 0xa1..=0xfe),
        single: |_| false,
    },
    PairRules {
        name: "Shift-JIS",
        lead: |byte| matches!(byte, 0x81..=0x9f | 0xe0..=0xfc),
        trail: |byte| matches!(byte, 0x40..=0x7e | 0x80..=0xfc),
        single: |byte| matches!(byte, 0xa1..=0xdf),
    },
];

/// Whether a text is valid in an encoding so far, and whether it stands inside a character.
#[derive(Debug, Default)]
struct MultiByte {
    open: bool,
    broken: bool,
}

impl MultiByte {
    fn push(&mut self, byte: u8, rules: &PairRules) {
        if std::mem::take(&mut self.open) {
            self.broken |= !(rules.trail)(byte);
        } else if byte >= 0x80 && !(rules.single)(byte) {
            self.open = (rules.lead)(byte);
            self.broken |= !self.open;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(bytes: &[u8]) -> Verdict {
        survey(&ByteSource::Memory(bytes.to_vec().into())).unwrap().verdict()
    }

    #[test]
    fn texts_are_encoded_as_they_were() {
        let budget = MemoryBudget::new(&crate::ReadOptions::default());
        let all: Vec<u8> = (0..=255).collect();
        for (encoding, bytes) in [
            (Encoding::Windows1252, &all[..]),
            (Encoding::Utf16Le, b"\xff\xfea\0=\xd8\x00\xde"),
            (Encoding::Utf16Be, b"\xfe\xff\0a\xd8=\xde\x00"),
        ] {
            let source = ByteSource::Memory(bytes.to_vec().into());
            let text =
                read_all(to_utf8(&source, encoding, budget).unwrap().reader().unwrap(), budget).unwrap();
            assert_eq!(encoding.encode(&text).as_deref(), Some(bytes), "{encoding:?}");
        }
        assert_eq!(Encoding::Windows1252.encode("\u{65e5}".as_bytes()), None);
    }

    #[test]
    fn western_letters_are_told_from_other_encodings() {
        for western in [
            &b"a,y\n1,M\xfcller\n2,Fran\xe7ois\n3,it\x92s\n"[..],
            b"a (\xb5m),y\n1,Caf\xe9\n",
            b"y\nstra\xdfe\nsm\xf6rg\xe5s\n",
        ] {
            assert_eq!(verdict(western), Verdict::Windows1252, "{western:?}");
        }
        for (other, named) in [
            // Korean, also one character beside a letter.
            (&b"a,y\n1,\xb3\xb2\n2,\xbf\xa9\n"[..], "EUC-KR"),
            (b"y\nA\xc7\xfc\nB\xc7\xfc\n", "EUC-KR"),
            // Japanese and Chinese.
            (b"y\n\x83e\x83X\x83g\n", "Shift-JIS"),
            (b"y\n\xd6\xd0\xb9\xfa\n", "GB18030"),
            // Russian.
            (b"y\n\xec\xee\xf1\xea\xe2\xe0\n", "Windows-1251"),
            // French on an old Mac and in DOS.
            (b"y\ncaf\x8e noir\n", "Windows-1251"),
            (b"y\nK\x94ln\n", "Windows-1251"),
            // A single letter says nothing.
            (b"y\n\xe4\n", "Windows-1251"),
        ] {
            let Verdict::Other(candidates) = verdict(other) else { panic!("{other:?}") };
            assert!(candidates.iter().any(|name| name.contains(named)), "{other:?}: {candidates:?}");
        }
    }

    #[test]
    fn utf_16_is_decoded_in_pieces() {
        struct Slow<'a>(&'a [u8]);
        impl Read for Slow<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                self.0.by_ref().take(1).read(buffer)
            }
        }
        let text = "\u{feff}a,ä\n1,𝄞\n";
        let le: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for bytes in [&le, &be] {
            let encoding = Encoding::of_mark(bytes).unwrap();
            let mut found = String::new();
            Transcoder::new(Slow(bytes), encoding).read_to_string(&mut found).unwrap();
            assert_eq!(found, "a,ä\n1,𝄞\n");
            let cut = Transcoder::new(Slow(&bytes[..bytes.len() - 1]), encoding).read_to_string(&mut found);
            assert!(cut.is_err());
        }
    }
}
