//! Where a program's output goes.

use super::super::terminal::in_ci;
use host::program::{Channel, Sink};
use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The program's output, passed on as it comes; kept for JSON.
pub struct Streams {
    keep: bool,
    /// Control characters are shown, not obeyed, where a person looks and in the log of a CI job.
    escape: [bool; 2],
    /// A CI job's log, where some lines are commands: it has whole lines, in which none is.
    in_ci: bool,
    /// Of each stream, the line that has not ended.
    line: [Vec<u8>; 2],
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

/// Bytes after which a line of a CI job's log is broken.
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
        // Nobody may be listening; there is nowhere else to say so.
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

    /// What is kept, for whoever ends the program as well.
    pub fn kept(&self) -> Kept {
        self.kept.clone()
    }

    /// The end: where a person looks, what comes next has a line of its own; what is piped on stays as
    /// the program wrote it.
    pub fn finish(&mut self) {
        for n in [0, 1] {
            let rest = std::mem::take(&mut self.line[n]);
            self.pass(n, &rest);
        }
        if !self.at_line_start && self.escape[0] {
            self.pass(0, b"\n");
        }
    }
}
