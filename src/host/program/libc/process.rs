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
    fn exit(c) {
        Err(Stop::Exit(c.call.i32(0) & 0xff))
    }

    /// Ends the program without calling the functions registered with `atexit`.
    fn _Exit, _exit, quick_exit(c) {
        c.library.at_exit.clear();
        exit(c)
    }

    /// Ends the program abnormally.
    fn abort(c) {
        c.library.at_exit.clear();
        Err(Stop::Exit(ABORTED))
    }

    /// Called by a failed `assert`.
    fn __assertfail(c) {
        let condition = c.text(c.call.u64(0))?;
        let file = c.text(c.call.u64(1))?;
        let function = c.text(c.call.u64(3))?;
        let line = c.call.u32(2);
        let mut said = file;
        said.extend_from_slice(format!(":{line}: ").as_bytes());
        said.extend_from_slice(&function);
        said.extend_from_slice(b": Assertion `");
        said.extend_from_slice(&condition);
        said.extend_from_slice(b"' failed.\n");
        c.world.print(Channel::Stderr, &said)?;
        abort(c)
    }

    /// Enters or leaves a `try` block; the argument is added to the nesting depth.
    fn __gpulearn_try(c) {
        c.library.tries = c.library.tries.saturating_add_signed(c.call.u32(0) as i32);
        Ok(())
    }

    /// Called for a `throw`: ends the program, unless a handler might catch the exception, which is not
    /// supported.
    fn __gpulearn_throw(c) {
        let kind = c.text(c.call.u64(0))?;
        let message = c.text(c.call.u64(1))?;
        if c.library.tries > 0 {
            let said = String::from_utf8_lossy(&message).into_owned();
            let said = if said.is_empty() { said } else { format!(" (\"{said}\")") };
            return Err(c.unsupported(format!(
                "exceptions: the program throws one here{said} that one of its handlers may catch"
            )));
        }
        let mut said = b"terminate called after throwing ".to_vec();
        said.extend_from_slice(&kind);
        if !message.is_empty() {
            said.extend_from_slice(b": ");
            said.extend_from_slice(&message);
        }
        said.push(b'\n');
        c.world.print(Channel::Stderr, &said)?;
        abort(c)
    }

    /// Called where a host thread waits for another one, which can't run meanwhile: threads run one after the other.
    fn __gpulearn_waits_for_thread(c) {
        let name = c.text(c.call.u64(0))?;
        let name = String::from_utf8_lossy(&name).into_owned();
        Err(c.unsupported(format!(
            "host threads that wait for each other: here each runs where it is created, to its end, and {name} waits for \
             what another one is to do"
        )))
    }

    /// Registers a function to be called at the program's end.
    fn atexit(c) {
        const MOST: usize = 4096;
        if c.library.at_exit.len() >= MOST {
            c.thread.set_result_i32(-1);
            return Ok(());
        }
        c.library.at_exit.push(c.call.u64(0));
        Ok(())
    }

    /// Returns an environment variable: there are none.
    fn getenv(c) {
        c.thread.set_result_u64(0);
        Ok(())
    }

    /// Sets an environment variable: fails.
    fn setenv, putenv(c) {
        c.thread.set_result_i32(-1);
        c.set_errno(EINVAL)
    }

    /// Runs a command: not supported.
    fn system(c) {
        let command = match c.call.u64(0) {
            // A null pointer asks whether there is a shell.
            0 => return Ok(()),
            address => c.text(address)?,
        };
        let command = String::from_utf8_lossy(&command).into_owned();
        Err(c.unsupported(format!("system(\"{command}\"): programs can't run other programs here. Leave it out")))
    }

    /// Returns the address of `errno`.
    fn __errno_location(c) {
        let address = c.block("errno", 4)?;
        c.thread.set_result_u64(address);
        Ok(())
    }

    /// Returns a limit or size of the system.
    fn sysconf(c) {
        const PAGE_SIZE: i32 = 30;
        const PROCESSORS: [i32; 2] = [83, 84];
        let value = match c.call.i32(0) {
            PAGE_SIZE => 4096,
            name if PROCESSORS.contains(&name) => 1,
            _ => u64::MAX,
        };
        c.thread.set_result_u64(value);
        Ok(())
    }

    /// Returns the size of a memory page in bytes.
    fn getpagesize(c) {
        c.thread.set_result_i32(4096);
        Ok(())
    }

    /// Returns the process id: the program is the only process.
    fn getpid(c) {
        c.thread.set_result_i32(1);
        Ok(())
    }

    /// Returns the machine's name.
    fn gethostname(c) {
        let (to, room) = (c.call.u64(0), c.call.u64(1));
        let name = b"gpulearn";
        if room <= name.len() as u64 {
            c.thread.set_result_i32(-1);
            return c.set_errno(EINVAL);
        }
        c.write_text(to, name)
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
