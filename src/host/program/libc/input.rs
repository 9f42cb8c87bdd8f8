//! What a program reads: standard input, and files that it has written itself.

use super::files::{Mode, NotOpened, Whence};
use super::{Context, Library, c_functions, process, scan};
use sim::{AccessKind, Stop};

const EOF: i32 = -1;
/// The number of standard input in `stdio.h`.
const STDIN: u64 = 1;

/// Bytes that are read one after the other.
pub(super) trait ByteSource {
    /// Returns the bytes that are there and were not read.
    fn ahead(&self) -> &[u8];

    /// Waits for bytes after [`ByteSource::ahead`]. Returns `false` at the end.
    fn more(&mut self) -> bool;

    /// Consumes bytes of [`ByteSource::ahead`].
    fn take(&mut self, count: usize);

    /// Pushes a byte back, in front of those not yet read. Returns `false` if that is not possible.
    fn put_back(&mut self, byte: u8) -> bool;

    /// Returns whether a read has reached the end (`feof`), to be changed.
    fn ended(&mut self) -> &mut bool;

    /// Returns the next byte without consuming it; `None` at the end.
    fn peek(&mut self) -> Option<u8> {
        if self.ahead().is_empty() && !self.more() {
            *self.ended() = true;
        }
        self.ahead().first().copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.take(1);
        Some(byte)
    }
}

impl Library {
    /// Has `act` read from a stream; returns `None` if it is not open for reading.
    fn reading<T>(&mut self, stream: u64, act: impl FnOnce(&mut dyn ByteSource) -> T) -> Option<T> {
        match stream {
            STDIN => Some(act(&mut self.input)),
            _ => self.files.reader(stream).map(|mut reader| act(&mut reader)),
        }
    }
}

c_functions! {
    /// Opens a file and returns its stream, or a null pointer.
    fn fopen(c) {
        let (path, mode) = (c.text(c.call.u64(0))?, c.text(c.call.u64(1))?);
        let opened = Mode::parse(&mode).map(|mode| c.library.files.open(&path, mode));
        let stream = match opened {
            Some(Ok(stream)) => Ok(stream),
            Some(Err(why)) => Err(error_of(c, why, &path)?),
            None => Err(process::EINVAL),
        };
        c.thread.set_result_u64(stream.unwrap_or(0));
        stream.map_or_else(|error| c.set_errno(error), |_| Ok(()))
    }

    /// Opens a file in place of a stream's: not supported.
    fn freopen(c) {
        let path = c.text(c.call.u64(0))?;
        Err(c.unsupported(format!("freopen(\"{}\")", String::from_utf8_lossy(&path))))
    }

    /// Creates a temporary file.
    fn tmpfile(c) {
        let stream = c.library.files.open_temporary();
        c.thread.set_result_u64(stream);
        Ok(())
    }

    /// Returns the descriptor of a standard stream; files have none.
    fn fileno(c) {
        match c.call.u64(0) {
            0 => Err(c.null(AccessKind::Read)),
            stream @ 1..=3 => {
                c.thread.set_result_u32(stream as u32 - 1);
                Ok(())
            }
            _ => Err(c.unsupported("fileno(): files have no descriptors here")),
        }
    }

    /// Removes a file.
    fn remove, unlink(c) {
        let path = c.text(c.call.u64(0))?;
        let removed = c.library.files.remove(&path);
        removed.or_else(|why| fail(c, why, &path))
    }

    /// Renames a file.
    fn rename(c) {
        let (from, to) = (c.text(c.call.u64(0))?, c.text(c.call.u64(1))?);
        let renamed = c.library.files.rename(&from, &to);
        renamed.or_else(|why| fail(c, why, &from))
    }

    /// Closes a stream.
    fn fclose(c) {
        let stream = c.call.u64(0);
        if stream == 0 {
            return Err(c.null(AccessKind::Read));
        }
        c.library.files.close(stream);
        Ok(())
    }

    /// Returns whether a stream has failed: none can.
    fn ferror(_c) {
        Ok(())
    }

    /// Returns whether a read has reached the end of a stream.
    fn feof(c) {
        let ended = c.library.reading(c.call.u64(0), |source| *source.ended());
        c.thread.set_result_i32(ended.unwrap_or(false).into());
        Ok(())
    }

    /// Clears a stream's error and end-of-file indicators.
    fn clearerr(c) {
        c.library.reading(c.call.u64(0), |source| *source.ended() = false);
        Ok(())
    }

    /// Sets the position in a stream to the start.
    fn rewind(c) {
        c.library.files.seek(c.call.u64(0), 0, Whence::Start);
        Ok(())
    }

    /// Sets the position in a stream.
    fn fseek(c) {
        let whence = match c.call.u32(2) {
            0 => Some(Whence::Start),
            1 => Some(Whence::Here),
            2 => Some(Whence::End),
            _ => None,
        };
        let (stream, offset) = (c.call.u64(0), c.call.u64(1) as i64);
        if whence.is_some_and(|whence| c.library.files.seek(stream, offset, whence)) {
            return Ok(());
        }
        c.thread.set_result_i32(EOF);
        c.set_errno(process::ESPIPE)
    }

    /// Returns the position in a stream.
    fn ftell(c) {
        match c.library.files.position(c.call.u64(0)) {
            Some(position) => {
                c.thread.set_result_u64(position);
                Ok(())
            }
            None => {
                c.thread.set_result_u64(u64::MAX);
                c.set_errno(process::ESPIPE)
            }
        }
    }

    /// Reads a character from standard input.
    fn getchar, getchar_unlocked(c) {
        next(c, STDIN)
    }

    /// Returns the next character of standard input without consuming it, for the headers' C++ streams.
    fn __gpulearn_peek(c) {
        let byte = c.library.input.peek();
        c.thread.set_result_i32(byte.map_or(EOF, i32::from));
        Ok(())
    }

    /// Reads a character from a stream.
    fn fgetc, getc, getc_unlocked(c) {
        next(c, c.call.u64(0))
    }

    /// Pushes a character back to a stream.
    fn ungetc(c) {
        let character = c.call.u32(0) as i32;
        let byte = Some(character as u8).filter(|_| character != EOF);
        let pushed = byte.and_then(|byte| c.library.reading(c.call.u64(1), |source| source.put_back(byte)));
        if pushed == Some(false) {
            return Err(c.unsupported("ungetc() of another character than the one that was read"));
        }
        c.thread.set_result_i32(byte.filter(|_| pushed.is_some()).map_or(EOF, i32::from));
        Ok(())
    }

    /// Reads a line from a stream.
    fn fgets(c) {
        let most = (c.call.u32(1) as i32).max(1) as usize - 1;
        let line = c.library.reading(c.call.u64(2), |source| {
            let mut line = Vec::new();
            while line.len() < most && line.last() != Some(&b'\n') {
                let Some(byte) = source.next() else { break };
                line.push(byte);
            }
            line
        });
        let Some(line) = line.filter(|line| !line.is_empty()) else {
            c.thread.set_result_u64(0);
            return Ok(());
        };
        let to = c.call.u64(0);
        c.write_text(to, &line)?;
        c.thread.set_result_u64(to);
        Ok(())
    }

    /// Reads elements from a stream.
    fn fread(c) {
        let (to, size, count, stream) = (c.call.u64(0), c.call.u64(1), c.call.u64(2), c.call.u64(3));
        let wanted = size.saturating_mul(count);
        let mut done = 0;
        while done < wanted {
            let piece = c.library.reading(stream, |source| {
                source.peek();
                let piece = source.ahead();
                let piece = piece[..piece.len().min((wanted - done) as usize)].to_vec();
                source.take(piece.len());
                piece
            });
            let Some(piece) = piece.filter(|piece| !piece.is_empty()) else { break };
            c.write(to.wrapping_add(done), &piece)?;
            done += piece.len() as u64;
        }
        c.thread.set_result_u64(done.checked_div(size).unwrap_or(0));
        Ok(())
    }

    /// Reads values from standard input by a format.
    fn scanf(c) {
        scan_stream(c, STDIN, 0)
    }

    /// Reads values from a stream by a format.
    fn fscanf(c) {
        scan_stream(c, c.call.u64(0), 1)
    }

    /// Reads values from a string by a format.
    fn sscanf(c) {
        let (text, format) = (c.text(c.call.u64(0))?, c.text(c.call.u64(1))?);
        let scanned = scan::scan(&text, &format);
        assign(c, 2, &scanned)
    }
}

/// Reads a character from a stream and returns it to the program.
fn next(c: &mut Context<'_, '_, '_>, stream: u64) -> Result<(), Stop> {
    let byte = c.library.reading(stream, |source| source.next()).flatten();
    c.thread.set_result_i32(byte.map_or(EOF, i32::from));
    Ok(())
}

/// Reads values from a stream by the format that is an argument.
fn scan_stream(c: &mut Context<'_, '_, '_>, stream: u64, format: usize) -> Result<(), Stop> {
    let text = c.text(c.call.u64(format))?;
    let scanned = c.library.reading(stream, |source| {
        let mut scanned = scan::scan(source.ahead(), &text);
        // Input that has not arrived yet may continue what was read.
        while scanned.short {
            if !source.more() {
                *source.ended() = true;
                break;
            }
            scanned = scan::scan(source.ahead(), &text);
        }
        source.take(scanned.length);
        scanned
    });
    match scanned {
        Some(scanned) => assign(c, format + 1, &scanned),
        None => {
            c.thread.set_result_i32(EOF);
            Ok(())
        }
    }
}

/// Stores the values read through the pointers from an argument on.
fn assign(c: &mut Context<'_, '_, '_>, from: usize, scanned: &scan::Scanned) -> Result<(), Stop> {
    let pointers = c.call.bytes(from);
    for (n, store) in scanned.stores.iter().enumerate() {
        let pointer = pointers.get(8 * n..8 * n + 8).and_then(|bytes| bytes.try_into().ok());
        let pointer = pointer.map_or(0, u64::from_le_bytes);
        c.check_array_of((from + n, pointer), (pointer, store.len() as u64), AccessKind::Write)?;
        c.write(pointer, store)?;
    }
    c.thread.set_result_i32(scanned.count);
    Ok(())
}

/// Returns the number for `errno` of a file that was not found as it should be.
///
/// # Errors
/// Where a real program would find another file there than this one does.
fn error_of(c: &Context<'_, '_, '_>, why: NotOpened, path: &[u8]) -> Result<i32, Stop> {
    let why = match why {
        NotOpened::Missing => return Ok(process::ENOENT),
        NotOpened::Exists => return Ok(process::EEXIST),
        NotOpened::NotWritten => {
            "programs find no files here but those that they have written themselves. Create the data in the program, or \
             put it in its source"
        }
        NotOpened::OfMachine => {
            "programs remove and rename no files here but those that they have written themselves"
        }
        NotOpened::Outside => {
            "programs read files of the current folder and of folders within it only. Run this in the folder that has the \
             file"
        }
    };
    Err(c.unsupported(format!("{}(\"{}\"): {why}", c.call.name, String::from_utf8_lossy(path))))
}

/// Has a function return -1.
fn fail(c: &mut Context<'_, '_, '_>, why: NotOpened, path: &[u8]) -> Result<(), Stop> {
    let error = error_of(c, why, path)?;
    c.thread.set_result_i32(-1);
    c.set_errno(error)
}
