//! Numbers the texts of a column in order of appearance.
//!
//! Most columns of text hold a few short texts, again and again, in any order. Short texts are looked up by their bytes in two
//! registers, without a call; all others in a hash table that withstands texts made to collide.

use std::collections::HashMap;

use crate::advice::Advice;
use crate::error::ReadError;
use crate::table::{Codes, not_utf8};

/// Numbers texts in order of appearance.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dictionary {
    seen: HashMap<Box<[u8]>, u32>,
    names: Vec<String>,
    /// Short texts, each in or near its slot; empty until there is one.
    short: Vec<(Short, u32)>,
    last: Option<u32>,
}

/// How many slots there are for short texts, a power of two.
const SLOTS: usize = 128;
/// A text is in its slot or in one of those that follow, in this many places altogether.
const NEAR: usize = 4;

/// A text of at most 16 bytes. Its two ends, which may overlap, and its length determine it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Short {
    start: u64,
    end: u64,
    length: usize,
}

impl Short {
    /// A value that no text is equal to.
    const NONE: Short = Short { start: 0, end: 0, length: usize::MAX };

    #[inline(always)]
    fn new(text: &[u8]) -> Option<Short> {
        let length = text.len();
        let (start, end) = match length {
            0 => (0, 0),
            1..=3 => (u64::from(text[0]) << 8 | u64::from(text[length / 2]), u64::from(text[length - 1])),
            4..=7 => (
                u64::from(u32::from_le_bytes(*text.first_chunk()?)),
                u64::from(u32::from_le_bytes(*text.last_chunk()?)),
            ),
            8..=16 => (u64::from_le_bytes(*text.first_chunk()?), u64::from_le_bytes(*text.last_chunk()?)),
            _ => return None,
        };
        Some(Short { start, end, length })
    }

    /// The first place where the text may be.
    #[inline(always)]
    fn slot(self) -> usize {
        // Odd factors with many bits spread out numbers that are close; there are two factors since the ends of a text may be
        // the same.
        let (start, end) =
            (self.start.wrapping_mul(0x9e37_79b9_7f4a_7c15), self.end.wrapping_mul(0xc2b2_ae3d_27d4_eb4f));
        let mixed = start ^ end;
        (mixed >> (u64::BITS - SLOTS.trailing_zeros())) as usize
    }
}

impl Dictionary {
    /// Returns the number of a text, which is a new one if the text is new.
    ///
    /// # Errors
    /// Bytes that are not UTF-8, or four thousand million different texts.
    #[inline]
    pub(crate) fn code(&mut self, text: &[u8]) -> Result<u32, ReadError> {
        match self.near(text) {
            Some(code) => Ok(code),
            None => self.look_up(text),
        }
    }

    /// The number of a text, if it is known.
    pub(crate) fn get(&self, text: &[u8]) -> Option<u32> {
        self.near(text).or_else(|| self.seen.get(text).copied())
    }

    /// The number of a text, if it is found without the hash table.
    #[inline]
    fn near(&self, text: &[u8]) -> Option<u32> {
        match Short::new(text) {
            Some(short) => {
                let places = self.short.get(short.slot()..)?.first_chunk::<NEAR>()?;
                places.iter().find_map(|&(known, code)| (known == short).then_some(code))
            }
            None => self.last.filter(|&last| self.names[last as usize].as_bytes() == text),
        }
    }

    #[cold]
    fn look_up(&mut self, text: &[u8]) -> Result<u32, ReadError> {
        let code = match self.seen.get(text) {
            Some(&code) => code,
            None => self.add(text)?,
        };
        match Short::new(text) {
            Some(short) => {
                self.short.resize(SLOTS + NEAR - 1, (Short::NONE, 0));
                let places = &mut self.short[short.slot()..][..NEAR];
                // Where all places are taken, one is overwritten: any text of a large dictionary may be the next one.
                let free = places.iter().position(|(known, _)| *known == Short::NONE);
                places[free.unwrap_or(code as usize % NEAR)] = (short, code);
            }
            None => self.last = Some(code),
        }
        Ok(code)
    }

    fn add(&mut self, text: &[u8]) -> Result<u32, ReadError> {
        let name = std::str::from_utf8(text).map_err(|_| not_utf8(text))?;
        let code = u32::try_from(self.names.len()).ok().filter(|&code| code != Codes::MISSING);
        let code = code.ok_or_else(too_many_texts)?;
        self.names.push(name.to_owned());
        self.seen.insert(text.into(), code);
        Ok(code)
    }

    /// The texts in order of their numbers.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Like [`Dictionary::names`], without a copy.
    pub(crate) fn into_names(self) -> Vec<String> {
        self.names
    }
}

fn too_many_texts() -> ReadError {
    ReadError::new("there are too many different texts").help(Advice::DropColumn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn short_texts_of_all_lengths_are_told_apart() {
        // For each length, a text and all texts that differ from it in one byte.
        let mut texts: Vec<Vec<u8>> = vec![vec![]];
        for length in 1..=20 {
            let plain = vec![b'a'; length];
            texts.extend((0..length).map(|at| {
                let mut other = plain.clone();
                other[at] = b'b';
                other
            }));
            texts.push(plain);
        }
        let mut dictionary = Dictionary::default();
        for round in 0..2 {
            for (code, text) in texts.iter().enumerate() {
                assert_eq!(dictionary.code(text).unwrap() as usize, code, "{text:?} in round {round}");
                assert_eq!(dictionary.get(text), Some(code as u32));
            }
        }
        assert_eq!(dictionary.into_names().len(), texts.len());
    }

    #[test]
    fn texts_that_differ_in_a_number_have_slots_of_their_own() {
        // At each place in texts of each length, twenty numbers. Five texts in a slot would push each other out.
        for length in 2..=16 {
            for at in 0..length - 1 {
                let text = |number: usize| {
                    let mut text = vec![b'x'; length];
                    text[at..at + 2].copy_from_slice(format!("{number:02}").as_bytes());
                    text
                };
                let mut counts = [0; SLOTS];
                (0..20).for_each(|number| counts[Short::new(&text(number)).unwrap().slot()] += 1);
                assert!(counts.iter().all(|&count| count <= NEAR), "{at} of {length}: {counts:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn numbers_are_those_of_the_first_appearance(texts in prop::collection::vec("[ab]{0,4}|[ab]{15,18}|é{1,9}", 0..400)) {
            let mut dictionary = Dictionary::default();
            let mut names: Vec<String> = Vec::new();
            for text in &texts {
                let place = names.iter().position(|name| name == text).unwrap_or_else(|| {
                    names.push(text.clone());
                    names.len() - 1
                });
                prop_assert_eq!(dictionary.code(text.as_bytes()).unwrap() as usize, place);
            }
            prop_assert_eq!(dictionary.names(), &names[..]);
        }
    }
}
