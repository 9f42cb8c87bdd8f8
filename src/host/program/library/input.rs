//! What a program reads: standard input, which is at its end, and files, of which there are none.

use super::{Context, library, process, scan};
use sim::Stop;

const EOF: i32 = -1;

library! {
    /// Opens a file.
    fn fopen(c) {
        let path = c.text(c.call.u64(0))?;
        Err(no_files(c, "fopen", &path))
    }

    /// Opens a file in place of a stream.
    fn freopen(c) {
        let path = c.text(c.call.u64(0))?;
        Err(no_files(c, "freopen", &path))
    }

    /// A file without a name.
    fn tmpfile(c) {
        Err(no_files(c, "tmpfile", b""))
    }

    /// Takes a file away.
    fn remove(c) {
        let path = c.text(c.call.u64(0))?;
        Err(no_files(c, "remove", &path))
    }

    /// Gives a file another name.
    fn rename(c) {
        let path = c.text(c.call.u64(0))?;
        Err(no_files(c, "rename", &path))
    }

    /// Closes a stream.
    fn fclose(_c) {
        Ok(())
    }

    /// Whether a stream is at its end: standard input is.
    fn feof(c) {
        c.thread.set_result_i32((c.call.u64(0) == 1).into());
        Ok(())
    }

    /// Whether a stream has failed: none does.
    fn ferror(_c) {
        Ok(())
    }

    /// Forgets a stream's errors.
    fn clearerr(_c) {
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

    /// Goes to the start of a stream, which is no file.
    fn rewind(_c) {
        Ok(())
    }

    /// A character of standard input.
    fn getchar(c) {
        at_end(c)
    }

    /// A character of a stream.
    fn fgetc(c) {
        at_end(c)
    }

    /// A character of a stream.
    fn getc(c) {
        at_end(c)
    }

    /// Gives a character back to a stream.
    fn ungetc(c) {
        at_end(c)
    }

    /// A line of a stream.
    fn fgets(c) {
        c.thread.set_result_u64(0);
        Ok(())
    }

    /// Elements of a stream.
    fn fread(c) {
        c.thread.set_result_u64(0);
        Ok(())
    }

    /// Values from standard input.
    fn scanf(c) {
        at_end(c)
    }

    /// Values from a stream.
    fn fscanf(c) {
        at_end(c)
    }

    /// Values from a text.
    fn sscanf(c) {
        let (text, format) = (c.text(c.call.u64(0))?, c.text(c.call.u64(1))?);
        let (assigned, stores) = scan::scan(&text, &format);
        let pointers = c.call.bytes(2);
        for (n, store) in stores.iter().enumerate() {
            let pointer = pointers.get(8 * n..8 * n + 8).and_then(|bytes| bytes.try_into().ok());
            let pointer = pointer.map_or(0, u64::from_le_bytes);
            c.write(pointer, store)?;
        }
        c.thread.set_result_i32(assigned);
        Ok(())
    }
}

fn at_end(c: &mut Context<'_, '_, '_>) -> Result<(), Stop> {
    c.thread.set_result_i32(EOF);
    Ok(())
}

fn no_files(c: &Context<'_, '_, '_>, function: &str, path: &[u8]) -> Stop {
    let path = String::from_utf8_lossy(path);
    c.unsupported(format!(
        "{function}(\"{path}\"): programs have no files here. Make the data in the program, or put it into its source"
    ))
}
