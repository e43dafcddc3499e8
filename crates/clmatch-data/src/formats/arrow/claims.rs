//! Checks what an Arrow file says about its sizes before the decoder relies on it: the decoder allocates whatever the file says,
//! and a damaged file may say anything.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use arrow_ipc::{Message, MetadataVersion, RecordBatch, root_as_footer, root_as_message};

use crate::error::ReadError;
use crate::memory::human;

/// How many bytes the end of a file has: the length of the footer, and the magic.
const TAIL: usize = 10;
/// The bytes before the length of a message, except in files of the first versions.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// How many bytes precede a compressed buffer: its length when decompressed.
const PREFIX: u64 = 8;

/// The location of a record batch in a file; all of it is within the file.
#[derive(Debug)]
pub(super) struct StoredBatch {
    /// The dictionary that the batch holds values of, if it does.
    pub(super) dictionary: Option<DictionaryKey>,
    pub(super) rows: u64,
    pub(super) compressed: bool,
    /// The number of values, and of nulls among them, of each column and each of its nested columns.
    pub(super) nodes: Vec<StoredNode>,
    /// The ranges of bytes in the file.
    pub(super) buffers: Vec<Range<u64>>,
    /// How many buffers hold the texts of each column of views.
    pub(super) view_buffers: Vec<u64>,
}

/// Which dictionary a batch of values belongs to.
#[derive(Debug, Clone, Copy)]
pub(super) struct DictionaryKey {
    pub(super) id: i64,
    /// Whether the values are appended to those of an earlier batch.
    pub(super) delta: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct StoredNode {
    pub(super) length: u64,
    pub(super) nulls: u64,
}

/// Checks the messages of a file that begins and ends with its magic; no message may take more than `limit` bytes. Returns the
/// locations of its batches, dictionaries first.
pub(super) fn check_file<R: Read + Seek>(mut file: R, limit: u64) -> Result<Vec<StoredBatch>, ReadError> {
    check_blocks(&mut file, limit).map_err(|error| wrong(&error))
}

/// The error for data with impossible claims.
pub(super) fn wrong(error: &io::Error) -> ReadError {
    ReadError::new(format!("the Arrow data cannot be read: {error}"))
        .help("the file is incomplete or damaged: fetch or write it again")
}

fn invalid(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.into())
}

fn check_blocks<R: Read + Seek>(file: &mut R, limit: u64) -> io::Result<Vec<StoredBatch>> {
    let length = file.seek(SeekFrom::End(0))?;
    let tail = bytes_at(file, length.saturating_sub(TAIL as u64), TAIL)?;
    let footer = u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]);
    let start = length.checked_sub(TAIL as u64 + u64::from(footer));
    let start = start.ok_or_else(|| invalid("its footer is said to be longer than the file"))?;
    let footer = bytes_at(file, start, footer as usize)?;
    let footer = root_as_footer(&footer).map_err(|error| invalid(error.to_string()))?;
    let dictionaries = footer.dictionaries().into_iter().flatten().map(|block| (block, true));
    let record_batches = footer.recordBatches().into_iter().flatten().map(|block| (block, false));
    let (mut batches, mut heads) = (Vec::new(), 0_u64);
    for (block, is_dictionary) in dictionaries.chain(record_batches) {
        let sizes = [block.offset(), i64::from(block.metaDataLength()), block.bodyLength()];
        let [at, head, body] = sizes.map(|size| u64::try_from(size).unwrap_or(u64::MAX));
        if at.saturating_add(head).saturating_add(body) > length {
            return Err(invalid("a record batch is said to end behind the end of the file"));
        }
        // What is kept of all messages takes at most a few times the size of the file.
        heads = heads.saturating_add(head);
        if heads > length {
            return Err(invalid("record batches are said to overlap"));
        }
        let head_bytes = bytes_at(file, at, head as usize)?;
        let message = without_length(&head_bytes);
        let message = root_as_message(message).map_err(|error| invalid(error.to_string()))?;
        if footer.version() != MetadataVersion::V1 && message.version() != footer.version() {
            return Err(invalid("a record batch is of another version of the format than the file"));
        }
        check_message(&message, body, limit, |place| {
            bytes_at(file, at + head + place, PREFIX as usize).map(|bytes| first_number(&bytes))
        })?;
        let batch = stored(&message, at + head).filter(|batch| batch.dictionary.is_some() == is_dictionary);
        // A reader would take it as the end of the data.
        batches.push(batch.ok_or_else(|| invalid("a record batch is said to be something else"))?);
    }
    Ok(batches)
}

/// The location of the parts of a message that was checked; `body` is where its body begins in the file.
fn stored(message: &Message<'_>, body: u64) -> Option<StoredBatch> {
    let batch = batch_of(message)?;
    let dictionary = message.header_as_dictionary_batch();
    let size = |size: i64| u64::try_from(size).unwrap_or(0);
    let node = |node: &arrow_ipc::FieldNode| StoredNode {
        length: size(node.length()),
        nulls: size(node.null_count()),
    };
    let buffer = |buffer: &arrow_ipc::Buffer| {
        let start = body + size(buffer.offset());
        start..start + size(buffer.length())
    };
    Some(StoredBatch {
        dictionary: dictionary.map(|batch| DictionaryKey { id: batch.id(), delta: batch.isDelta() }),
        rows: size(batch.length()),
        compressed: batch.compression().is_some(),
        nodes: batch.nodes().into_iter().flatten().map(node).collect(),
        buffers: batch.buffers().into_iter().flatten().map(buffer).collect(),
        view_buffers: batch.variadicBufferCounts().into_iter().flatten().map(size).collect(),
    })
}

fn bytes_at<R: Read + Seek>(file: &mut R, at: u64, count: usize) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(at))?;
    let mut bytes = Vec::new();
    file.take(count as u64).read_to_end(&mut bytes)?;
    if bytes.len() == count { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// A message without the length in front of it.
fn without_length(bytes: &[u8]) -> &[u8] {
    let front = if bytes.starts_with(&CONTINUATION) { 8 } else { 4 };
    bytes.get(front..).unwrap_or_default()
}

fn first_number(bytes: &[u8]) -> i64 {
    bytes.first_chunk().map_or(0, |bytes| i64::from_le_bytes(*bytes))
}

/// Checks that what a message describes is within its body, and takes no more than `limit` bytes when decompressed.
/// `prefix` reads the number at a place of the body.
fn check_message(
    message: &Message<'_>,
    body: u64,
    limit: u64,
    mut prefix: impl FnMut(u64) -> io::Result<i64>,
) -> io::Result<()> {
    let Some(batch) = batch_of(message) else { return Ok(()) };
    let mut claimed = 0_u64;
    for buffer in batch.buffers().into_iter().flatten() {
        let [at, length] =
            [buffer.offset(), buffer.length()].map(|size| u64::try_from(size).unwrap_or(u64::MAX));
        if at.saturating_add(length) > body {
            return Err(invalid("a column is said to end behind the end of its record batch"));
        }
        if batch.compression().is_some() && length >= PREFIX {
            match prefix(at)? {
                // Not compressed, because that would not have made it smaller.
                -1 => {}
                size => claimed = claimed.saturating_add(u64::try_from(size).unwrap_or(u64::MAX)),
            }
        }
    }
    if claimed > limit {
        let (claimed, limit) = (human(claimed), human(limit));
        return Err(invalid(format!(
            "a record batch would take {claimed} decompressed, where {limit} may be used"
        )));
    }
    if batch.variadicBufferCounts().into_iter().flatten().any(|count| count < 0) {
        return Err(invalid("a column of a record batch has a negative number of buffers"));
    }
    let negative =
        |node: &arrow_ipc::FieldNode| node.length() < 0 || !(0..=node.length()).contains(&node.null_count());
    if batch.length() < 0 || batch.nodes().into_iter().flatten().any(negative) {
        return Err(invalid("a record batch counts its rows wrongly"));
    }
    Ok(())
}

fn batch_of<'a>(message: &Message<'a>) -> Option<RecordBatch<'a>> {
    message.header_as_record_batch().or_else(|| message.header_as_dictionary_batch()?.data())
}

/// A stream of messages, each of which is checked before it is passed on.
pub(super) struct CheckedStream<R> {
    inner: R,
    limit: u64,
    /// The current message, and how many bytes of it were passed on.
    message: Vec<u8>,
    done: usize,
}

impl<R: Read> CheckedStream<R> {
    /// A checked stream; no message may take more than `limit` bytes.
    pub(super) fn new(inner: R, limit: u64) -> Self {
        CheckedStream { inner, limit, message: Vec::new(), done: 0 }
    }

    /// Reads `count` bytes and appends them to the message. Memory grows with the data that are there, not with what they claim.
    fn append(&mut self, count: u64) -> io::Result<()> {
        let read = (&mut self.inner).take(count).read_to_end(&mut self.message)?;
        if read as u64 == count { Ok(()) } else { Err(invalid("the stream ends within a message")) }
    }

    /// Reads the next message; it is empty at the end.
    fn next_message(&mut self) -> io::Result<()> {
        self.message.clear();
        self.done = 0;
        (&mut self.inner).take(4).read_to_end(&mut self.message)?;
        if self.message.is_empty() {
            return Ok(());
        }
        self.append(4 - self.message.len() as u64)?;
        if self.message == CONTINUATION {
            self.append(4)?;
        }
        let front = self.message.len();
        let head = u64::from(u32::from_le_bytes([
            self.message[front - 4],
            self.message[front - 3],
            self.message[front - 2],
            self.message[front - 1],
        ]));
        if head == 0 {
            return Ok(());
        }
        self.append(head)?;
        let body = {
            let message =
                root_as_message(&self.message[front..]).map_err(|error| invalid(error.to_string()))?;
            u64::try_from(message.bodyLength()).map_err(|_| invalid("a record batch of a negative size"))?
        };
        if body > self.limit {
            let (body, limit) = (human(body), human(self.limit));
            return Err(invalid(format!("a record batch takes {body}, where {limit} may be used")));
        }
        self.append(body)?;
        let (head, body_bytes) = self.message.split_at(front + head as usize);
        let message = root_as_message(&head[front..]).map_err(|error| invalid(error.to_string()))?;
        check_message(&message, body, self.limit, |place| {
            Ok(first_number(body_bytes.get(place as usize..).unwrap_or_default()))
        })
    }
}

impl<R: Read> Read for CheckedStream<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.done == self.message.len() {
            self.next_message()?;
        }
        let count = buffer.len().min(self.message.len() - self.done);
        buffer[..count].copy_from_slice(&self.message[self.done..self.done + count]);
        self.done += count;
        Ok(count)
    }
}
