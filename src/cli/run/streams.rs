//! The destinations of a program's output.

use super::super::terminal::in_ci;
use host::program::{Channel, Sink};
use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Passes the program's output on as it comes, or keeps it for JSON.
pub struct Streams {
    keep: bool,
    /// Per stream: whether control characters are escaped, as on a terminal and in a CI job's log.
    escape: [bool; 2],
    /// Whether this is a CI job. Its log gets only whole lines, in which CI commands are escaped.
    in_ci: bool,
    /// Per stream: the incomplete last line.
    line: [Vec<u8>; 2],
    kept: Kept,
    /// Whether anything was written.
    pub any: bool,
    /// Whether the output ends with a line break.
    at_line_start: bool,
}

/// Standard output and standard error as kept for JSON.
#[derive(Clone, Debug, Default)]
pub struct Kept(Arc<Mutex<[Vec<u8>; 2]>>);

impl Kept {
    fn lock(&self) -> MutexGuard<'_, [Vec<u8>; 2]> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns both as text.
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
        if !self.in_ci {
            return self.pass(n, bytes);
        }
        self.line[n].extend_from_slice(bytes);
        if self.line[n].len() > LONGEST_LINE {
            self.line[n].push(b'\n');
        }
        let whole = self.line[n].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let lines: Vec<u8> = self.line[n].drain(..whole).collect();
        self.pass(n, &lines);
    }
}

/// Number of bytes after which a line in a CI job's log is broken.
const LONGEST_LINE: usize = 1 << 16;

impl Streams {
    /// Passes on what was printed to stream `n`.
    fn pass(&mut self, n: usize, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let safe;
        let bytes = if self.escape[n] {
            let text = report::escape_lines(&String::from_utf8_lossy(bytes));
            safe = if self.in_ci { report::without_ci_commands(&text).into_owned() } else { text };
            safe.as_bytes()
        } else {
            bytes
        };
        self.at_line_start = bytes.last().is_none_or(|last| *last == b'\n');
        // Standard output and error may be closed; there is nowhere else to report that.
        let _ = match n {
            0 => io::stdout().write_all(bytes).and_then(|()| io::stdout().flush()),
            _ => io::stderr().write_all(bytes),
        };
    }

    pub fn new(keep: bool) -> Streams {
        let in_ci = in_ci();
        Streams {
            keep,
            escape: [in_ci || io::stdout().is_terminal(), in_ci || io::stderr().is_terminal()],
            in_ci,
            line: [Vec::new(), Vec::new()],
            kept: Kept::default(),
            any: false,
            at_line_start: true,
        }
    }

    /// Returns the kept output, also for the thread that may end the process.
    pub fn kept(&self) -> Kept {
        self.kept.clone()
    }

    /// Flushes incomplete lines. On a terminal, ends the last line; piped output stays as the program wrote it. Returns
    /// whether it ends without a line break.
    pub fn finish(&mut self) -> bool {
        for n in [0, 1] {
            let rest = std::mem::take(&mut self.line[n]);
            self.pass(n, &rest);
        }
        if !self.at_line_start && self.escape[0] {
            self.pass(0, b"\n");
        }
        !self.at_line_start
    }
}
