//! Files of a program. They are kept in memory: a program reads what it has written, and nothing of this machine's.
//! What it leaves is part of the run's result.

use super::input::ByteSource;
use serde::{Deserialize, Serialize};

/// A file that a program leaves at its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenFile {
    /// The path as the program wrote it.
    pub path: Vec<u8>,
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
}

/// The files, and the streams that are open.
#[derive(Debug, Default)]
pub(super) struct Files {
    contents: Vec<Content>,
    streams: Vec<Option<OpenFile>>,
}

#[derive(Debug)]
struct Content {
    /// `None` for a temporary file, and once the file was removed.
    path: Option<Vec<u8>>,
    bytes: Vec<u8>,
}

/// An open stream of a file.
#[derive(Clone, Debug)]
pub(super) struct OpenFile {
    /// Index of the contents.
    content: usize,
    position: usize,
    mode: Mode,
    /// Whether a read has reached the end (`feof`).
    ended: bool,
}

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mode {
    reads: bool,
    writes: bool,
    /// Whether writes go to the end.
    appends: bool,
    /// Whether the file is emptied first.
    empties: bool,
    /// Whether the file must not exist.
    exclusive: bool,
}

/// Where a position counts from, as in `stdio.h`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Whence {
    Start,
    Here,
    End,
}

/// Why a file can't be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotOpened {
    /// It is to be read, and the program has not written it.
    NotWritten,
    /// It exists, and must not.
    Exists,
}

/// The first stream of a file; lower numbers are the standard streams.
const FIRST: u64 = 16;

/// The longest file.
const MAX_BYTES: usize = 1 << 30;

impl Mode {
    /// Parses a mode such as `wb` or `r+` (C17 7.21.5.3); `None` if there is no such mode.
    pub fn parse(text: &[u8]) -> Option<Mode> {
        let (first, rest) = text.split_first()?;
        let updates = rest.contains(&b'+');
        let (reads, writes, appends) = match first {
            b'r' => (true, updates, false),
            b'w' => (updates, true, false),
            b'a' => (updates, true, true),
            _ => return None,
        };
        let empties = *first == b'w';
        Some(Mode { reads, writes, appends, empties, exclusive: empties && rest.contains(&b'x') })
    }
}

impl Files {
    fn find(&self, path: &[u8]) -> Option<usize> {
        self.contents.iter().position(|content| content.path.as_deref() == Some(path))
    }

    /// Opens a file and returns the number of its stream.
    pub fn open(&mut self, path: &[u8], mode: Mode) -> Result<u64, NotOpened> {
        let content = match self.find(path) {
            Some(_) if mode.exclusive => return Err(NotOpened::Exists),
            Some(content) => content,
            None if !mode.empties && !mode.appends => return Err(NotOpened::NotWritten),
            None => self.create(Some(path.to_vec())),
        };
        if mode.empties {
            self.contents[content].bytes.clear();
        }
        Ok(self.start(content, mode))
    }

    /// Opens a file without a path, which is gone once it is closed.
    pub fn open_temporary(&mut self) -> u64 {
        let content = self.create(None);
        let mode = Mode { reads: true, writes: true, appends: false, empties: true, exclusive: false };
        self.start(content, mode)
    }

    fn create(&mut self, path: Option<Vec<u8>>) -> usize {
        self.contents.push(Content { path, bytes: Vec::new() });
        self.contents.len() - 1
    }

    fn start(&mut self, content: usize, mode: Mode) -> u64 {
        let stream = OpenFile { content, position: 0, mode, ended: false };
        let free = self.streams.iter().position(Option::is_none).unwrap_or(self.streams.len());
        match self.streams.get_mut(free) {
            Some(place) => *place = Some(stream),
            None => self.streams.push(Some(stream)),
        }
        FIRST + free as u64
    }

    /// Closes a stream. Returns `false` if there is none of this number.
    pub fn close(&mut self, stream: u64) -> bool {
        let open = index(stream).and_then(|index| self.streams.get_mut(index));
        open.is_some_and(|open| open.take().is_some())
    }

    /// Removes a file. Returns `false` if the program has written none of this path.
    pub fn remove(&mut self, path: &[u8]) -> bool {
        self.find(path).map(|content| self.contents[content].path = None).is_some()
    }

    /// Renames a file, in place of one that has the new path. Returns `false` if there is none of the old path.
    pub fn rename(&mut self, from: &[u8], to: &[u8]) -> bool {
        let Some(content) = self.find(from) else { return false };
        if from != to {
            self.remove(to);
            self.contents[content].path = Some(to.to_vec());
        }
        true
    }

    fn stream(&mut self, stream: u64) -> Option<(&mut OpenFile, &mut Vec<u8>)> {
        let open = self.streams.get_mut(index(stream)?)?.as_mut()?;
        let bytes = &mut self.contents.get_mut(open.content)?.bytes;
        Some((open, bytes))
    }

    /// Writes at a stream's position. Returns `false` if no file is open for writing there, or it would be too long.
    pub fn write(&mut self, stream: u64, written: &[u8]) -> bool {
        let Some((open, bytes)) = self.stream(stream).filter(|(open, _)| open.mode.writes) else {
            return false;
        };
        let start = if open.mode.appends { bytes.len() } else { open.position };
        let end = start.saturating_add(written.len());
        if end > MAX_BYTES {
            return false;
        }
        if end > bytes.len() {
            bytes.resize(end, 0);
        }
        bytes[start..end].copy_from_slice(written);
        open.position = end;
        true
    }

    /// Returns the bytes of a stream that is open for reading.
    pub fn reader(&mut self, stream: u64) -> Option<FileReader<'_>> {
        let (open, bytes) = self.stream(stream).filter(|(open, _)| open.mode.reads)?;
        Some(FileReader { open, bytes })
    }

    /// Returns a stream's position, in bytes from the start.
    pub fn position(&mut self, stream: u64) -> Option<u64> {
        self.stream(stream).map(|(open, _)| open.position as u64)
    }

    /// Moves a stream's position. Returns `false` if there is no such stream, or the position would be before the
    /// start.
    pub fn seek(&mut self, stream: u64, offset: i64, whence: Whence) -> bool {
        let Some((open, bytes)) = self.stream(stream) else { return false };
        let from = match whence {
            Whence::Start => 0,
            Whence::Here => open.position,
            Whence::End => bytes.len(),
        };
        let Some(position) = (from as i64).checked_add(offset).and_then(|at| usize::try_from(at).ok()) else {
            return false;
        };
        (open.position, open.ended) = (position, false);
        true
    }

    /// Returns the files that have a path, in the order in which they were created.
    pub fn take_written(&mut self) -> Vec<WrittenFile> {
        let named = |content: Content| content.path.map(|path| WrittenFile { path, bytes: content.bytes });
        self.contents.drain(..).filter_map(named).collect()
    }
}

/// Returns the index of a stream of a file, by its number.
fn index(stream: u64) -> Option<usize> {
    usize::try_from(stream.checked_sub(FIRST)?).ok()
}

/// A file that is read from the position of a stream.
pub(super) struct FileReader<'f> {
    open: &'f mut OpenFile,
    bytes: &'f [u8],
}

impl ByteSource for FileReader<'_> {
    fn ahead(&self) -> &[u8] {
        self.bytes.get(self.open.position..).unwrap_or_default()
    }

    fn more(&mut self) -> bool {
        false
    }

    fn take(&mut self, count: usize) {
        self.open.position += count.min(self.ahead().len());
    }

    fn put_back(&mut self, byte: u8) -> bool {
        let before = self.open.position.checked_sub(1).filter(|&at| self.bytes.get(at) == Some(&byte));
        self.open.position = before.unwrap_or(self.open.position);
        self.open.ended &= before.is_none();
        before.is_some()
    }

    fn ended(&mut self) -> &mut bool {
        &mut self.open.ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(text: &str) -> Mode {
        Mode::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn what_is_written_is_read_back_and_left() {
        let mut files = Files::default();
        assert_eq!(files.open(b"a", mode("r")), Err(NotOpened::NotWritten));
        let out = files.open(b"a", mode("w")).unwrap();
        assert!(files.write(out, b"hello") && files.reader(out).is_none());
        assert!(files.seek(out, 1, Whence::Start) && files.write(out, b"a"));
        assert!(files.close(out) && !files.close(out));
        let read = files.open(b"a", mode("rb")).unwrap();
        assert!(!files.write(read, b"x"));
        let mut reader = files.reader(read).unwrap();
        assert_eq!((reader.next(), reader.ahead()), (Some(b'h'), &b"allo"[..]));
        assert!(reader.put_back(b'h') && !reader.put_back(b'h'));
        reader.take(9);
        assert_eq!((reader.next(), *reader.ended()), (None, true));
        assert_eq!(files.position(read), Some(5));
        let more = files.open(b"a", mode("a+")).unwrap();
        assert!(files.write(more, b"!") && files.rename(b"a", b"b") && !files.remove(b"a"));
        let temporary = files.open_temporary();
        assert!(files.write(temporary, b"gone"));
        let left = files.take_written();
        assert_eq!(left, [WrittenFile { path: b"b".to_vec(), bytes: b"hallo!".to_vec() }]);
    }

    #[test]
    fn modes_are_those_of_c() {
        assert_eq!((Mode::parse(b""), Mode::parse(b"q")), (None, None));
        assert!(mode("r+b").writes);
        let mut files = Files::default();
        let first = files.open(b"a", mode("wx")).unwrap();
        assert!(files.write(first, b"1"));
        assert_eq!(files.open(b"a", mode("wx")), Err(NotOpened::Exists));
        let again = files.open(b"a", mode("w+")).unwrap();
        assert!(files.reader(again).unwrap().ahead().is_empty());
        assert!(files.seek(again, 2, Whence::End) && files.write(again, b"z"));
        assert!(!files.seek(again, -4, Whence::Here));
        assert_eq!(files.take_written()[0].bytes, b"\0\0z");
    }
}
