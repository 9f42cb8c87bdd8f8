//! What the C library declares and programs cannot have here: whoever calls it is told why.

use super::{Context, c_functions};
use sim::Stop;

c_functions! {
    /// Sets what a signal does, or sends one.
    fn signal, raise, kill(c) {
        absent(c, "programs receive no signals here")
    }

    /// Ends another thread.
    fn pthread_cancel(c) {
        absent(c, "threads run one after the other here, each to its end")
    }

    /// Works on files by descriptor, or asks for what is known of a path.
    fn open, creat, fcntl, stat, lstat, fstat, mkdir, chmod, basename, dirname(c) {
        absent(c, "files are read and written by <fstream> and <cstdio> here")
    }

    /// Asks what the program uses, or may use, of the machine.
    fn getrusage, getrlimit, setrlimit(c) {
        absent(c, "a program runs in isolation here: of the system it has only the clocks")
    }

    /// Returns how numbers are written in the locale.
    fn localeconv(c) {
        absent(c, "text is in the C locale here")
    }

    /// Asks for, or changes, what floating-point exceptions do.
    fn fetestexcept, feclearexcept, feenableexcept, fedisableexcept(c) {
        absent(c, FLOATS)
    }

    /// Returns the direction of rounding: to nearest.
    fn fegetround(c) {
        c.thread.set_result_i32(TO_NEAREST);
        Ok(())
    }

    /// Sets the direction of rounding, of which there is one.
    fn fesetround(c) {
        if c.call.i32(0) != TO_NEAREST {
            return absent(c, FLOATS);
        }
        c.thread.set_result_i32(0);
        Ok(())
    }
}

/// `FE_TONEAREST`.
const TO_NEAREST: i32 = 0;
const FLOATS: &str = "floating-point arithmetic rounds to nearest here and sets no flags";

fn absent(c: &Context, why: &str) -> Result<(), Stop> {
    Err(c.unsupported(format!("{}(): {why}", c.call.name)))
}
