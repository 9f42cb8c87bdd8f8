//! Where a program's output goes.

use host::program::{Channel, Sink};
use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The program's output, passed on as it comes; kept for JSON.
pub struct Streams {
    keep: bool,
    /// Control characters are shown, not obeyed, where a person looks and in the log of a CI job.
    escape: [bool; 2],
    /// A CI job's log: lines that begin with `::` are commands to some, and are indented.
    in_ci: bool,
    kept: Kept,
    /// Anything was written.
    pub any: bool,
    /// The end of the output has a line of its own.
    at_line_start: bool,
}

/// Standard output and standard error, as far as they are kept.
#[derive(Clone, Debug, Default)]
pub struct Kept(Arc<Mutex<[Vec<u8>; 2]>>);

impl Kept {
    fn lock(&self) -> MutexGuard<'_, [Vec<u8>; 2]> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As text.
    pub fn texts(&self) -> [String; 2] {
        self.lock().each_ref().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }
}

impl Sink for Streams {
    fn write(&mut self, channel: Channel, bytes: &[u8]) {
        let n = usize::from(channel == Channel::Stderr);
        self.any = true;
        if self.keep {
            return self.kept.lock()[n].extend_from_slice(bytes);
        }
        let safe;
        let bytes = if self.escape[n] {
            let text = report::escape_lines(&String::from_utf8_lossy(bytes));
            let begins = self.in_ci && self.at_line_start && text.starts_with("::");
            let text = if self.in_ci { text.replace("\n::", "\n ::") } else { text };
            safe = if begins { format!(" {text}") } else { text };
            safe.as_bytes()
        } else {
            bytes
        };
        self.at_line_start = bytes.last().is_none_or(|last| *last == b'\n');
        // Nobody may be listening; there is nowhere else to say so.
        let _ = match channel {
            Channel::Stdout => io::stdout().write_all(bytes).and_then(|()| io::stdout().flush()),
            Channel::Stderr => io::stderr().write_all(bytes),
        };
    }
}

impl Streams {
    pub fn new(keep: bool) -> Streams {
        let in_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false");
        Streams {
            keep,
            escape: [in_ci || io::stdout().is_terminal(), in_ci || io::stderr().is_terminal()],
            in_ci,
            kept: Kept::default(),
            any: false,
            at_line_start: true,
        }
    }

    /// What is kept, for whoever ends the program as well.
    pub fn kept(&self) -> Kept {
        self.kept.clone()
    }

    /// The end: where a person looks, what comes next has a line of its own; what is piped on stays as
    /// the program wrote it.
    pub fn finish(&mut self) {
        if !self.at_line_start && self.escape[0] {
            self.write(Channel::Stdout, b"\n");
        }
    }
}
