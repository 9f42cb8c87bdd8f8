//! Files of a program. They are kept in memory: a program reads what it has written, and those files of this machine that it
//! may read. What it leaves is part of the run's result.

use super::byte_source::ByteSource;
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::{Component, Path};

/// A file that a program leaves at its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenFile {
    /// The path as the program wrote it.
    pub path: Vec<u8>,
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
}

/// Which files of this machine a program may read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReadableFiles {
    #[default]
    None,
    /// Those in the current folder and the folders within it.
    CurrentFolder,
}

/// The files, and the streams that are open.
#[derive(Debug, Default)]
pub(super) struct Files {
    readable: ReadableFiles,
    contents: Vec<Content>,
    streams: Vec<Option<OpenFile>>,
}

#[derive(Debug)]
struct Content {
    /// `None` for a temporary file, and once the file was removed.
    path: Option<Vec<u8>>,
    bytes: Vec<u8>,
    /// Whether this machine has the file, with these bytes.
    is_on_disk: bool,
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
    /// It is to be read, the program has not written it, and may read no other.
    NotWritten,
    /// The same, and it is not in a folder of which the program may read files.
    Outside,
    /// The same, because of a link in a folder of which it may.
    LinksOut,
    /// It is to be removed or renamed, and belongs to this machine.
    OfMachine,
    /// There is no such file.
    Missing,
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
    pub fn new(readable: ReadableFiles) -> Files {
        Files { readable, ..Files::default() }
    }

    fn find(&self, path: &[u8]) -> Option<usize> {
        self.contents.iter().position(|content| content.path.as_deref() == Some(path))
    }

    /// Finds a file among the program's own and, if it may read those, among this machine's.
    fn load(&mut self, path: &[u8]) -> Result<usize, NotOpened> {
        match (self.find(path), self.readable) {
            (Some(content), _) => Ok(content),
            (None, ReadableFiles::None) => Err(NotOpened::NotWritten),
            (None, ReadableFiles::CurrentFolder) => {
                let bytes = read_below(Path::new("."), path)?;
                Ok(self.create(Content { path: Some(path.to_vec()), bytes, is_on_disk: true }))
            }
        }
    }

    /// Opens a file and returns the number of its stream.
    ///
    /// # Errors
    ///
    /// The file may not be opened in this mode, or there is none.
    pub fn open(&mut self, path: &[u8], mode: Mode) -> Result<u64, NotOpened> {
        // What is emptied need not be read.
        let found = match mode.empties && !mode.exclusive {
            true => self.find(path).ok_or(NotOpened::Missing),
            false => self.load(path),
        };
        let content = match found {
            Ok(_) if mode.exclusive => return Err(NotOpened::Exists),
            Ok(content) => content,
            Err(why) if !mode.empties && !mode.appends => return Err(why),
            Err(_) => {
                self.create(Content { path: Some(path.to_vec()), bytes: Vec::new(), is_on_disk: false })
            }
        };
        if mode.empties {
            let its = &mut self.contents[content];
            its.bytes.clear();
            its.is_on_disk = false;
        }
        Ok(self.start(content, mode))
    }

    /// Opens a file without a path, which is gone once it is closed.
    pub fn open_temporary(&mut self) -> u64 {
        let content = self.create(Content { path: None, bytes: Vec::new(), is_on_disk: false });
        let mode = Mode { reads: true, writes: true, appends: false, empties: true, exclusive: false };
        self.start(content, mode)
    }

    fn create(&mut self, content: Content) -> usize {
        self.contents.push(content);
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

    /// Returns a file that the program has written.
    fn written(&mut self, path: &[u8]) -> Result<usize, NotOpened> {
        let content = self.load(path)?;
        if self.contents[content].is_on_disk { Err(NotOpened::OfMachine) } else { Ok(content) }
    }

    /// Removes a file that the program has written.
    ///
    /// # Errors
    ///
    /// There is no such file, or the program has not written it.
    pub fn remove(&mut self, path: &[u8]) -> Result<(), NotOpened> {
        self.written(path).map(|content| self.contents[content].path = None)
    }

    /// Renames a file that the program has written, in place of one that has the new path.
    ///
    /// # Errors
    ///
    /// There is no such file, or the program has not written it.
    pub fn rename(&mut self, from: &[u8], to: &[u8]) -> Result<(), NotOpened> {
        let content = self.written(from)?;
        if from != to {
            if let Some(before) = self.find(to) {
                self.contents[before].path = None;
            }
            self.contents[content].path = Some(to.to_vec());
        }
        Ok(())
    }

    fn stream(&mut self, stream: u64) -> Option<(&mut OpenFile, &mut Content)> {
        let open = self.streams.get_mut(index(stream)?)?.as_mut()?;
        let content = self.contents.get_mut(open.content)?;
        Some((open, content))
    }

    /// Writes at a stream's position. Returns `false` if no file is open for writing there, or it would be too long.
    pub fn write(&mut self, stream: u64, written: &[u8]) -> bool {
        let Some((open, Content { bytes, is_on_disk, .. })) =
            self.stream(stream).filter(|(open, _)| open.mode.writes)
        else {
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
        (open.position, *is_on_disk) = (end, false);
        true
    }

    /// Returns the bytes of a stream that is open for reading.
    pub fn reader(&mut self, stream: u64) -> Option<FileReader<'_>> {
        let (open, content) = self.stream(stream).filter(|(open, _)| open.mode.reads)?;
        Some(FileReader { open, bytes: &content.bytes })
    }

    /// Returns a stream's position, in bytes from the start.
    pub fn position(&mut self, stream: u64) -> Option<u64> {
        self.stream(stream).map(|(open, _)| open.position as u64)
    }

    /// Moves a stream's position. Returns `false` if there is no such stream, or the position would be before the
    /// start.
    pub fn seek(&mut self, stream: u64, offset: i64, whence: Whence) -> bool {
        let Some((open, content)) = self.stream(stream) else { return false };
        let from = match whence {
            Whence::Start => 0,
            Whence::Here => open.position,
            Whence::End => content.bytes.len(),
        };
        let Some(position) = (from as i64).checked_add(offset).and_then(|at| usize::try_from(at).ok()) else {
            return false;
        };
        (open.position, open.ended) = (position, false);
        true
    }

    /// Returns the files that have a path and that this machine does not have, in the order in which they were created.
    pub fn take_written(&mut self) -> Vec<WrittenFile> {
        let written = self.contents.drain(..).filter(|content| !content.is_on_disk);
        let named = |content: Content| content.path.map(|path| WrittenFile { path, bytes: content.bytes });
        written.filter_map(named).collect()
    }
}

/// Reads a file of this machine in a folder or below it, where links are followed.
fn read_below(folder: &Path, path: &[u8]) -> Result<Vec<u8>, NotOpened> {
    let path = std::str::from_utf8(path).map(Path::new).map_err(|_| NotOpened::Missing)?;
    let folder = folder.canonicalize().map_err(|_| NotOpened::Outside)?;
    let may_lead_out =
        path.components().any(|part| !matches!(part, Component::Normal(_) | Component::CurDir));
    // What is nowhere is missing, wherever it would be.
    let file = folder.join(path).canonicalize().map_err(|error| match error.kind() {
        ErrorKind::NotFound => NotOpened::Missing,
        _ if may_lead_out => NotOpened::Outside,
        _ => NotOpened::Missing,
    })?;
    if !file.starts_with(&folder) {
        return Err(if may_lead_out { NotOpened::Outside } else { NotOpened::LinksOut });
    }
    let short = file.metadata().is_ok_and(|its| its.is_file() && its.len() <= MAX_BYTES as u64);
    let bytes = short.then(|| std::fs::read(file).ok()).flatten();
    bytes.ok_or(NotOpened::Missing)
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
        assert!(files.write(more, b"!") && files.rename(b"a", b"b").is_ok());
        assert_eq!(files.remove(b"a"), Err(NotOpened::NotWritten));
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
