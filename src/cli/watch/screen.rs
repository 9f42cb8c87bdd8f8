//! The terminal while watching: keys are read one by one, and the terminal is restored however the process ends.

use crate::cli::terminal;
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use std::io::{Write, stdout};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether raw mode is on and has to be turned off.
static RAW: AtomicBool = AtomicBool::new(false);
/// Whether a signal asked this process to end.
static ENDED: AtomicBool = AtomicBool::new(false);

/// Restores the terminal when dropped.
pub struct Screen {
    /// Whether the terminal supports escape sequences.
    clears: bool,
}

impl Screen {
    /// Takes the terminal until it is dropped; a panic or a signal to end restores it too.
    ///
    /// # Errors
    ///
    /// It has no raw mode.
    pub fn enter() -> std::io::Result<Screen> {
        take()?;
        restore_on_panic();
        end_on_signals();
        Ok(Screen { clears: !terminal::is_dumb() })
    }

    /// Clears the screen (the old contents stay in the scrollback) and shows a text.
    ///
    /// # Errors
    ///
    /// It can't be written to.
    pub fn show(&self, text: &str) -> std::io::Result<()> {
        let mut out = stdout().lock();
        let clear = if self.clears { "\x1b[2J\x1b[H" } else { "\r\n" };
        // In raw mode a line feed does not imply a carriage return.
        write!(out, "{clear}{}", terminal::in_terminal_charset(text).replace('\n', "\r\n"))?;
        out.flush()
    }

    /// Restores the terminal and stops this process until it is continued.
    ///
    /// # Errors
    ///
    /// It can't be taken again.
    pub fn suspend(&self) -> std::io::Result<()> {
        restore();
        #[cfg(unix)]
        // SAFETY: raising a signal does not access this process's memory.
        unsafe {
            libc::raise(libc::SIGTSTP);
        }
        take()
    }

    /// Runs `other` with the terminal in its normal mode.
    ///
    /// # Errors
    ///
    /// It can't be taken again.
    pub fn leave_while<T>(&self, other: impl FnOnce() -> T) -> std::io::Result<T> {
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

/// Returns whether SIGINT, SIGTERM or SIGHUP was received.
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

/// A panic message is readable only after the terminal is restored.
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
