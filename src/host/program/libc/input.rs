//! Input of a program: standard input; there are no files.

use super::{Context, c_functions, process, scan};
use sim::Stop;

const EOF: i32 = -1;

c_functions! {
    /// Opens, reopens, removes or renames a file: not supported.
    fn fopen, freopen, remove, rename(c) {
        let path = c.text(c.call.u64(0))?;
        Err(no_files(c, &path))
    }

    /// Creates a temporary file: not supported.
    fn tmpfile(c) {
        Err(no_files(c, b""))
    }

    /// Closes a stream, returns whether one has failed, or rewinds one: all do nothing, as no stream is a
    /// file or can fail.
    fn fclose, ferror, rewind(_c) {
        Ok(())
    }

    /// Returns whether a read has reached the end of a stream.
    fn feof(c) {
        c.thread.set_result_i32((is_stdin(c, 0) && c.library.input.ended).into());
        Ok(())
    }

    /// Clears a stream's error and end-of-file indicators.
    fn clearerr(c) {
        c.library.input.ended &= !is_stdin(c, 0);
        Ok(())
    }

    /// Sets the position in a stream: fails, as no stream is a file.
    fn fseek(c) {
        c.thread.set_result_i32(EOF);
        c.set_errno(process::ESPIPE)
    }

    /// Returns the position in a stream: fails, as no stream is a file.
    fn ftell(c) {
        c.thread.set_result_u64(u64::MAX);
        c.set_errno(process::ESPIPE)
    }

    /// Reads a character from standard input.
    fn getchar(c) {
        next(c)
    }

    /// Returns the next character of standard input without consuming it, for the headers' C++ streams.
    fn __gpulearn_peek(c) {
        let byte = c.library.input.peek();
        c.thread.set_result_i32(byte.map_or(EOF, i32::from));
        Ok(())
    }

    /// Reads a character from a stream.
    fn fgetc, getc(c) {
        if is_stdin(c, 0) { next(c) } else { at_end(c) }
    }

    /// Pushes a character back to a stream.
    fn ungetc(c) {
        let character = c.call.u32(0) as i32;
        if character == EOF || !is_stdin(c, 1) {
            return at_end(c);
        }
        c.library.input.put_back(character as u8);
        c.thread.set_result_i32((character as u8).into());
        Ok(())
    }

    /// Reads a line from a stream.
    fn fgets(c) {
        let most = (c.call.u32(1) as i32).max(1) as usize - 1;
        let mut line = Vec::new();
        while is_stdin(c, 2) && line.len() < most && line.last() != Some(&b'\n') {
            let Some(byte) = c.library.input.next() else { break };
            line.push(byte);
        }
        if line.is_empty() {
            c.thread.set_result_u64(0);
            return Ok(());
        }
        let to = c.call.u64(0);
        c.write_text(to, &line)?;
        c.thread.set_result_u64(to);
        Ok(())
    }

    /// Reads elements from a stream.
    fn fread(c) {
        let (to, size, count) = (c.call.u64(0), c.call.u64(1), c.call.u64(2));
        let wanted = if is_stdin(c, 3) { size.saturating_mul(count) } else { 0 };
        let mut done = 0;
        while done < wanted && c.library.input.peek().is_some() {
            let piece = c.library.input.ahead();
            let piece = piece[..piece.len().min((wanted - done) as usize)].to_vec();
            c.library.input.take(piece.len());
            c.write(to.wrapping_add(done), &piece)?;
            done += piece.len() as u64;
        }
        c.thread.set_result_u64(done.checked_div(size).unwrap_or(0));
        Ok(())
    }

    /// Reads values from standard input by a format.
    fn scanf(c) {
        scan_input(c, 0)
    }

    /// Reads values from a stream by a format.
    fn fscanf(c) {
        if is_stdin(c, 0) { scan_input(c, 1) } else { at_end(c) }
    }

    /// Reads values from a string by a format.
    fn sscanf(c) {
        let (text, format) = (c.text(c.call.u64(0))?, c.text(c.call.u64(1))?);
        let scanned = scan::scan(&text, &format);
        assign(c, 2, &scanned)
    }
}

/// Returns whether an argument is standard input.
fn is_stdin(c: &Context<'_, '_, '_>, argument: usize) -> bool {
    const STDIN: u64 = 1;
    c.call.u64(argument) == STDIN
}

/// Reads a character from standard input and returns it to the program.
fn next(c: &mut Context<'_, '_, '_>) -> Result<(), Stop> {
    let byte = c.library.input.next();
    c.thread.set_result_i32(byte.map_or(EOF, i32::from));
    Ok(())
}

/// Reads values from standard input by the format that is an argument.
fn scan_input(c: &mut Context<'_, '_, '_>, format: usize) -> Result<(), Stop> {
    let text = c.text(c.call.u64(format))?;
    let mut scanned = scan::scan(c.library.input.ahead(), &text);
    // Input that has not arrived yet may continue what was read.
    while scanned.short {
        if !c.library.input.more() {
            c.library.input.ended = true;
            break;
        }
        scanned = scan::scan(c.library.input.ahead(), &text);
    }
    c.library.input.take(scanned.length);
    assign(c, format + 1, &scanned)
}

/// Stores the values read through the pointers from an argument on.
fn assign(c: &mut Context<'_, '_, '_>, from: usize, scanned: &scan::Scanned) -> Result<(), Stop> {
    let pointers = c.call.bytes(from);
    for (n, store) in scanned.stores.iter().enumerate() {
        let pointer = pointers.get(8 * n..8 * n + 8).and_then(|bytes| bytes.try_into().ok());
        let pointer = pointer.map_or(0, u64::from_le_bytes);
        c.write(pointer, store)?;
    }
    c.thread.set_result_i32(scanned.count);
    Ok(())
}

fn at_end(c: &mut Context<'_, '_, '_>) -> Result<(), Stop> {
    c.thread.set_result_i32(EOF);
    Ok(())
}

fn no_files(c: &Context<'_, '_, '_>, path: &[u8]) -> Stop {
    let (function, path) = (c.call.name, String::from_utf8_lossy(path));
    c.unsupported(format!(
        "{function}(\"{path}\"): programs have no files here. Create the data in the program, or put it in its source"
    ))
}
