//! The terminal while watching: keys come one by one, and however we end, it is put back.

use crate::cli::terminal;
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use std::io::{Write, stdout};
use std::sync::atomic::{AtomicBool, Ordering};

/// Raw mode is on and has to be taken off.
static RAW: AtomicBool = AtomicBool::new(false);
/// A signal asked us to end.
static ENDED: AtomicBool = AtomicBool::new(false);

/// Puts the terminal back when dropped.
pub struct Screen {
    /// The terminal knows escapes.
    clears: bool,
}

impl Screen {
    pub fn enter() -> std::io::Result<Screen> {
        take()?;
        restore_on_panic();
        end_on_signals();
        Ok(Screen { clears: !terminal::is_dumb() })
    }

    /// Clears the page (what was there can still be scrolled back to) and shows a text.
    pub fn show(&self, text: &str) -> std::io::Result<()> {
        let mut out = stdout().lock();
        let clear = if self.clears { "\x1b[2J\x1b[H" } else { "\r\n" };
        // In raw mode a line feed does not return the carriage.
        write!(out, "{clear}{}", terminal::spelled(text).replace('\n', "\r\n"))?;
        out.flush()
    }

    /// Stops this process until it is continued, the terminal put back meanwhile.
    pub fn suspend(&self) -> std::io::Result<()> {
        restore();
        #[cfg(unix)]
        // SAFETY: raising a signal touches no memory of ours.
        unsafe {
            libc::raise(libc::SIGTSTP);
        }
        take()
    }

    /// The terminal is as usual while `other` runs.
    pub fn lend<T>(&self, other: impl FnOnce() -> T) -> std::io::Result<T> {
        restore();
        let answer = other();
        take().map(|()| answer)
    }
}

fn take() -> std::io::Result<()> {
    enable_raw_mode()?;
    RAW.store(true, Ordering::SeqCst);
    Ok(())
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Whether SIGINT, SIGTERM or SIGHUP came.
pub fn ended_by_signal() -> bool {
    ENDED.load(Ordering::SeqCst)
}

fn restore() {
    if RAW.swap(false, Ordering::SeqCst) {
        // Nothing more can be done about a terminal that is gone.
        let _ = disable_raw_mode();
        let _ = writeln!(stdout());
    }
}

/// The message of a panic is readable only once the terminal is back.
fn restore_on_panic() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        restore();
        before(panic);
    }));
}

#[cfg(unix)]
fn end_on_signals() {
    extern "C" fn note(_signal: libc::c_int) {
        ENDED.store(true, Ordering::SeqCst);
    }
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: the handler only stores to an atomic, which is allowed in a signal handler.
        unsafe {
            libc::signal(signal, note as *const () as libc::sighandler_t);
        }
    }
}

#[cfg(not(unix))]
fn end_on_signals() {}
