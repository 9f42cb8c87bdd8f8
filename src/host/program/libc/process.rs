//! Exit, errors, and queries to the system.

use super::{Channel, c_functions};
use sim::Stop;

pub(super) const EBADF: i32 = 9;
pub(super) const ENOMEM: i32 = 12;
pub(super) const ENOENT: i32 = 2;
pub(super) const EEXIST: i32 = 17;
pub(super) const EINVAL: i32 = 22;
pub(super) const ESPIPE: i32 = 29;
pub(super) const ERANGE: i32 = 34;

/// Exit status of an aborted program, as a shell reports it: 128 plus the signal number.
const ABORTED: i32 = 128 + 6;

c_functions! {
    /// Ends the program.
    fn exit(_c, code: i32) {
        Err(Stop::Exit(code & 0xff))
    }

    /// Ends the program without calling the functions registered with `atexit`.
    fn _Exit, _exit, quick_exit(c, code: i32) {
        c.library.at_exit.clear();
        exit(c, code)
    }

    /// Ends the program abnormally.
    fn abort(c) {
        c.library.at_exit.clear();
        Err(Stop::Exit(ABORTED))
    }

    /// Called by a failed `assert`.
    fn __assertfail(c, condition: u64, file: u64, line: u32, function: u64) {
        let (condition, file, function) = (c.text(condition)?, c.text(file)?, c.text(function)?);
        let line = format!(":{line}: ");
        let said = [&*file, line.as_bytes(), &function, b": Assertion `", &condition, b"' failed.\n"].concat();
        c.world.print(Channel::Stderr, &said)?;
        abort(c)
    }

    /// Enters or leaves a `try` block; the argument is added to the nesting depth.
    fn __gpulearn_try(c, deeper: i32) {
        c.library.tries = c.library.tries.saturating_add_signed(deeper);
        Ok(())
    }

    /// Called for a `throw`: ends the program, unless a handler might catch the exception, which is not
    /// supported.
    fn __gpulearn_throw(c, kind: u64, message: u64) {
        let (kind, message) = (c.text(kind)?, c.text(message)?);
        if c.library.tries > 0 {
            let said = String::from_utf8_lossy(&message).into_owned();
            let said = if said.is_empty() { said } else { format!(" (\"{said}\")") };
            return Err(c.unsupported(format!(
                "exceptions: the program throws one here{said} that one of its handlers may catch"
            )));
        }
        let colon: &[u8] = if message.is_empty() { b"" } else { b": " };
        let said = [b"terminate called after throwing ", &*kind, colon, &message, b"\n"].concat();
        c.world.print(Channel::Stderr, &said)?;
        abort(c)
    }

    /// Called where a host thread waits for another one, which can't run meanwhile: threads run one after the other.
    fn __gpulearn_waits_for_thread(c, name: u64) {
        let name = c.text(name)?;
        let name = String::from_utf8_lossy(&name);
        Err(c.unsupported(format!(
            "host threads that wait for each other: here each runs where it is created, to its end, and {name} waits for \
             what another one is to do"
        )))
    }

    /// Registers a function to be called at the program's end.
    fn atexit(c, function: u64) -> i32 {
        const MOST: usize = 4096;
        if c.library.at_exit.len() >= MOST {
            return Ok(-1);
        }
        c.library.at_exit.push(function);
        Ok(0)
    }

    /// Returns an environment variable: there are none.
    fn getenv(_c) -> u64 {
        Ok(0)
    }

    /// Sets an environment variable: fails.
    fn setenv, putenv(c) -> i32 {
        c.failed(EINVAL, -1)
    }

    /// Runs a command: not supported, but for those that hold or clear a terminal, of which there is none.
    fn system(c, command: u64) -> i32 {
        // A null pointer asks whether there is a shell.
        if command == 0 {
            return Ok(0);
        }
        let command = c.text(command)?;
        let command = String::from_utf8_lossy(&command);
        if ["pause", "cls", "clear"].contains(&command.trim().to_ascii_lowercase().as_str()) {
            return Ok(0);
        }
        Err(c.unsupported(format!("system(\"{command}\"): programs can't run other programs here. Leave it out")))
    }

    /// Returns the address of `errno`.
    fn __errno_location(c) -> u64 {
        c.block("errno", 4)
    }

    /// Returns a limit or size of the system.
    fn sysconf(_c, name: i32) -> i64 {
        const PAGE_SIZE: i32 = 30;
        const PROCESSORS: [i32; 2] = [83, 84];
        Ok(match name {
            PAGE_SIZE => 4096,
            name if PROCESSORS.contains(&name) => 1,
            _ => -1,
        })
    }

    /// Returns the size of a memory page in bytes.
    fn getpagesize(_c) -> i32 {
        Ok(4096)
    }

    /// Returns the process id: the program is the only process.
    fn getpid(_c) -> i32 {
        Ok(1)
    }

    /// Returns the machine's name.
    fn gethostname(c, to: u64, room: u64) -> i32 {
        let name = b"gpulearn";
        if room <= name.len() as u64 {
            return c.failed(EINVAL, -1);
        }
        c.write_text(to, name).map(|()| 0)
    }

    /// Returns whether a stream is a terminal: none is.
    fn isatty(_c) {
        Ok(())
    }
}

/// Returns the meaning of a Linux error number.
pub(super) fn error_text(number: i32) -> String {
    match number {
        0 => "Success",
        1 => "Operation not permitted",
        2 => "No such file or directory",
        4 => "Interrupted system call",
        5 => "Input/output error",
        EBADF => "Bad file descriptor",
        11 => "Resource temporarily unavailable",
        ENOMEM => "Cannot allocate memory",
        13 => "Permission denied",
        17 => "File exists",
        EINVAL => "Invalid argument",
        ESPIPE => "Illegal seek",
        33 => "Numerical argument out of domain",
        ERANGE => "Numerical result out of range",
        38 => "Function not implemented",
        _ => return format!("Unknown error {number}"),
    }
    .to_owned()
}
