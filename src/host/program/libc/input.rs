//! What a program reads: standard input, and files, of which there are none.

use super::{Context, c_functions, process, scan};
use sim::Stop;

const EOF: i32 = -1;

c_functions! {
    /// Opens a file, also in place of a stream; takes a file away; gives it another name.
    fn fopen, freopen, remove, rename(c) {
        let path = c.text(c.call.u64(0))?;
        Err(no_files(c, &path))
    }

    /// A file without a name.
    fn tmpfile(c) {
        Err(no_files(c, b""))
    }

    /// Closes a stream; whether one has failed, which none does; goes to the start of one, which is no file.
    fn fclose, ferror, rewind(_c) {
        Ok(())
    }

    /// Whether somebody came to a stream's end.
    fn feof(c) {
        c.thread.set_result_i32((is_stdin(c, 0) && c.library.input.ended).into());
        Ok(())
    }

    /// Forgets a stream's errors, and that somebody came to its end.
    fn clearerr(c) {
        c.library.input.ended &= !is_stdin(c, 0);
        Ok(())
    }

    /// Goes to a place in a stream, which is no file.
    fn fseek(c) {
        c.thread.set_result_i32(EOF);
        c.set_errno(process::ESPIPE)
    }

    /// The place in a stream, which is no file.
    fn ftell(c) {
        c.thread.set_result_u64(u64::MAX);
        c.set_errno(process::ESPIPE)
    }

    /// A character of standard input.
    fn getchar(c) {
        next(c)
    }

    /// The next character of standard input, left there: for the headers' streams.
    fn __gpulearn_peek(c) {
        let byte = c.library.input.peek();
        c.thread.set_result_i32(byte.map_or(EOF, i32::from));
        Ok(())
    }

    /// A character of a stream.
    fn fgetc, getc(c) {
        if is_stdin(c, 0) { next(c) } else { at_end(c) }
    }

    /// Gives a character back to a stream.
    fn ungetc(c) {
        let character = c.call.u32(0) as i32;
        if character == EOF || !is_stdin(c, 1) {
            return at_end(c);
        }
        c.library.input.put_back(character as u8);
        c.thread.set_result_i32((character as u8).into());
        Ok(())
    }

    /// A line of a stream.
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

    /// Elements of a stream.
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

    /// Values from standard input.
    fn scanf(c) {
        scan_input(c, 0)
    }

    /// Values from a stream.
    fn fscanf(c) {
        if is_stdin(c, 0) { scan_input(c, 1) } else { at_end(c) }
    }

    /// Values from a text.
    fn sscanf(c) {
        let (text, format) = (c.text(c.call.u64(0))?, c.text(c.call.u64(1))?);
        let scanned = scan::scan(&text, &format);
        assign(c, 2, &scanned)
    }
}

/// Whether an argument is standard input.
fn is_stdin(c: &Context<'_, '_, '_>, argument: usize) -> bool {
    const STDIN: u64 = 1;
    c.call.u64(argument) == STDIN
}

/// A character of standard input.
fn next(c: &mut Context<'_, '_, '_>) -> Result<(), Stop> {
    let byte = c.library.input.next();
    c.thread.set_result_i32(byte.map_or(EOF, i32::from));
    Ok(())
}

/// Values from standard input, by a format at an argument.
fn scan_input(c: &mut Context<'_, '_, '_>, format: usize) -> Result<(), Stop> {
    let text = c.text(c.call.u64(format))?;
    let mut scanned = scan::scan(c.library.input.ahead(), &text);
    // What comes may go on where this stopped.
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

/// Stores what was read at the pointers from an argument on.
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
        "{function}(\"{path}\"): programs have no files here. Make the data in the program, or put it into its source"
    ))
}
