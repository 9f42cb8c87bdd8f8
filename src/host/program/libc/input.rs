//! What a program reads: standard input, and files that it has written itself.

use super::byte_source::ByteSource;
use super::files::{Mode, NotOpened, Whence};
use super::output::Packed;
use super::{Context, c_functions, process, scan};
use sim::{AccessKind, Stop};

const EOF: i32 = -1;
/// The number of standard input in `stdio.h`.
const STDIN: u64 = 1;

/// Returns a stream, or the stop for the null pointer that `fopen()` returns where it fails.
fn stream_of(c: &Context<'_, '_, '_>, stream: u64) -> Result<u64, Stop> {
    if stream == 0 { Err(c.null(AccessKind::Read)) } else { Ok(stream) }
}

/// Has `act` read from a stream; returns `None` if it is not open for reading.
fn reading<T>(
    c: &mut Context<'_, '_, '_>,
    stream: u64,
    act: impl FnOnce(&mut dyn ByteSource) -> T,
) -> Result<Option<T>, Stop> {
    Ok(match stream_of(c, stream)? {
        STDIN => Some(act(&mut c.library.input)),
        _ => c.library.files.reader(stream).map(|mut reader| act(&mut reader)),
    })
}

c_functions! {
    /// Opens a file and returns its stream, or a null pointer.
    fn fopen(c, path: u64, mode: u64) -> u64 {
        let (path, mode) = (c.text(path)?, c.text(mode)?);
        let Some(mode) = Mode::parse(&mode) else { return c.failed(process::EINVAL, 0) };
        let opened = c.library.files.open(&path, mode);
        opened.or_else(|why| fail(c, why, &path, 0))
    }

    /// Opens a file in place of a stream's: not supported.
    fn freopen(c, path: u64) {
        let path = c.text(path)?;
        Err(c.unsupported(format!("freopen(\"{}\")", String::from_utf8_lossy(&path))))
    }

    /// Creates a temporary file.
    fn tmpfile(c) -> u64 {
        Ok(c.library.files.open_temporary())
    }

    /// Returns the descriptor of a standard stream; files have none.
    fn fileno(c, stream: u64) -> u32 {
        match stream_of(c, stream)? {
            1..=3 => Ok(stream as u32 - 1),
            _ => Err(c.unsupported("fileno(): files have no descriptors here")),
        }
    }

    /// Removes a file.
    fn remove, unlink(c, path: u64) -> i32 {
        let path = c.text(path)?;
        let removed = c.library.files.remove(&path);
        removed.map_or_else(|why| fail(c, why, &path, -1), |()| Ok(0))
    }

    /// Renames a file.
    fn rename(c, from: u64, to: u64) -> i32 {
        let (from, to) = (c.text(from)?, c.text(to)?);
        let renamed = c.library.files.rename(&from, &to);
        renamed.map_or_else(|why| fail(c, why, &from, -1), |()| Ok(0))
    }

    /// Closes a stream.
    fn fclose(c, stream: u64) {
        c.library.files.close(stream_of(c, stream)?);
        Ok(())
    }

    /// Returns whether a stream has failed: none can.
    fn ferror(c, stream: u64) {
        stream_of(c, stream).map(drop)
    }

    /// Returns whether a read has reached the end of a stream.
    fn feof(c, stream: u64) -> i32 {
        Ok(reading(c, stream, |source| *source.ended())?.unwrap_or(false).into())
    }

    /// Clears a stream's error and end-of-file indicators.
    fn clearerr(c, stream: u64) {
        reading(c, stream, |source| *source.ended() = false).map(drop)
    }

    /// Sets the position in a stream to the start.
    fn rewind(c, stream: u64) {
        c.library.files.seek(stream_of(c, stream)?, 0, Whence::Start);
        Ok(())
    }

    /// Sets the position in a stream.
    fn fseek(c, stream: u64, offset: i64, whence: u32) -> i32 {
        let stream = stream_of(c, stream)?;
        let whence = match whence {
            0 => Some(Whence::Start),
            1 => Some(Whence::Here),
            2 => Some(Whence::End),
            _ => None,
        };
        let moved = whence.is_some_and(|whence| c.library.files.seek(stream, offset, whence));
        if moved { Ok(0) } else { c.failed(process::ESPIPE, EOF) }
    }

    /// Returns the position in a stream.
    fn ftell(c, stream: u64) -> u64 {
        let stream = stream_of(c, stream)?;
        c.library.files.position(stream).map_or_else(|| c.failed(process::ESPIPE, u64::MAX), Ok)
    }

    /// Reads a character from standard input.
    fn getchar, getchar_unlocked(c) -> i32 {
        fgetc(c, STDIN)
    }

    /// Returns the next character of standard input without consuming it, for the headers' C++ streams.
    fn __gpulearn_peek(c) -> i32 {
        Ok(c.library.input.peek().map_or(EOF, i32::from))
    }

    /// Reads a character from a stream.
    fn fgetc, getc, getc_unlocked(c, stream: u64) -> i32 {
        Ok(reading(c, stream, |source| source.next())?.flatten().map_or(EOF, i32::from))
    }

    /// Pushes a character back to a stream.
    fn ungetc(c, character: i32, stream: u64) -> i32 {
        let byte = Some(character as u8).filter(|_| character != EOF);
        let pushed = match byte {
            Some(byte) => reading(c, stream, |source| source.put_back(byte))?,
            None => None,
        };
        if pushed == Some(false) {
            return Err(c.unsupported("ungetc() of another character than the one that was read"));
        }
        Ok(byte.filter(|_| pushed.is_some()).map_or(EOF, i32::from))
    }

    /// Reads a line from a stream.
    fn fgets(c, to: u64, room: i32, stream: u64) -> u64 {
        let most = room.max(1) as usize - 1;
        let line = reading(c, stream, |source| {
            let mut line = Vec::new();
            while line.len() < most && line.last() != Some(&b'\n') {
                let Some(byte) = source.next() else { break };
                line.push(byte);
            }
            line
        })?;
        let Some(line) = line.filter(|line| !line.is_empty()) else { return Ok(0) };
        c.write_text(to, &line)?;
        Ok(to)
    }

    /// Reads elements from a stream.
    fn fread(c, to: u64, size: u64, count: u64, stream: u64) -> u64 {
        let wanted = size.saturating_mul(count);
        let mut done = 0;
        while done < wanted {
            let piece = reading(c, stream, |source| {
                source.peek();
                let piece = source.ahead();
                let piece = piece[..piece.len().min((wanted - done) as usize)].to_vec();
                source.take(piece.len());
                piece
            })?;
            let Some(piece) = piece.filter(|piece| !piece.is_empty()) else { break };
            c.write(to.wrapping_add(done), &piece)?;
            done += piece.len() as u64;
        }
        Ok(done.checked_div(size).unwrap_or(0))
    }

    /// Reads values from standard input by a format.
    fn scanf(c) {
        scan_stream(c, STDIN, 0, Packed::Here(c.call.bytes(1)))
    }

    /// The same, with a `va_list`.
    fn vscanf(c) {
        scan_stream(c, STDIN, 0, Packed::list(c.call.u64(1)))
    }

    /// Reads values from a stream by a format.
    fn fscanf(c, stream: u64) {
        scan_stream(c, stream, 1, Packed::Here(c.call.bytes(2)))
    }

    /// The same, with a `va_list`.
    fn vfscanf(c, stream: u64) {
        scan_stream(c, stream, 1, Packed::list(c.call.u64(2)))
    }

    /// Reads values from a string by a format.
    fn sscanf(c) {
        scan_text(c, Packed::Here(c.call.bytes(2)))
    }

    /// The same, with a `va_list`.
    fn vsscanf(c) {
        scan_text(c, Packed::list(c.call.u64(2)))
    }
}

/// Reads values from the string that is the first argument by the format that is the second one.
fn scan_text(c: &mut Context<'_, '_, '_>, pointers: Packed<'_>) -> Result<(), Stop> {
    let (text, format) = (c.text(c.call.u64(0))?, c.text(c.call.u64(1))?);
    let scanned = scan::scan(&text, &format);
    assign(c, 2, pointers, &scanned)
}

/// Reads values from a stream by the format that is an argument.
fn scan_stream(
    c: &mut Context<'_, '_, '_>,
    stream: u64,
    format: usize,
    pointers: Packed<'_>,
) -> Result<(), Stop> {
    let text = c.text(c.call.u64(format))?;
    let scanned = reading(c, stream, |source| {
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
    })?;
    match scanned {
        Some(scanned) => assign(c, format + 1, pointers, &scanned),
        None => {
            c.thread.set_result_i32(EOF);
            Ok(())
        }
    }
}

/// Stores the values read through the pointers, of which the first is an argument by its number.
fn assign(
    c: &mut Context<'_, '_, '_>,
    from: usize,
    pointers: Packed<'_>,
    scanned: &scan::Scanned,
) -> Result<(), Stop> {
    let pointers = pointers.bytes(c, scanned.stores.len() as u64 * 8)?;
    for (n, store) in scanned.stores.iter().enumerate() {
        let pointer = pointers.get(8 * n..8 * n + 8).and_then(|bytes| bytes.try_into().ok());
        let pointer = pointer.map_or(0, u64::from_le_bytes);
        c.check_array_of((from + n, pointer), (pointer, store.len() as u64), AccessKind::Write)?;
        c.write(pointer, store)?;
    }
    c.thread.set_result_i32(scanned.count);
    Ok(())
}

/// Has a function fail with a file that was not found as it should be.
///
/// # Errors
/// Where a real program would find another file there than this one does.
fn fail<T>(c: &mut Context<'_, '_, '_>, why: NotOpened, path: &[u8], reply: T) -> Result<T, Stop> {
    let why = match why {
        NotOpened::Missing => return c.failed(process::ENOENT, reply),
        NotOpened::Exists => return c.failed(process::EEXIST, reply),
        NotOpened::NotWritten => {
            "programs find no files here but those that they have written themselves. Create the data in the program, or \
             put it in its source"
        }
        NotOpened::OfMachine => {
            "programs remove and rename no files here but those that they have written themselves"
        }
        NotOpened::LinksOut => {
            "a link leads out of the current folder there, and programs read files of this folder and of folders within it \
             only. Copy the file here, or run this in the folder that has it"
        }
        NotOpened::Outside => {
            "programs read files of the current folder and of folders within it only. Run this in the folder that has the \
             file"
        }
    };
    Err(c.unsupported(format!("{}(\"{}\"): {why}", c.call.name, String::from_utf8_lossy(path))))
}
