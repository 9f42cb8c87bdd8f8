//! Standard output, where a reader that has gone away is no error.

use super::{CommandError, terminal};
use std::borrow::Cow;
use std::io::{self, ErrorKind, Write};

/// Collects text and writes it; after a closed pipe, writes nothing more.
#[derive(Debug, Default)]
pub struct Output {
    /// JSON is UTF-8 wherever it is read.
    as_it_is: bool,
    failed: Option<io::Error>,
}

impl Output {
    /// `as_it_is`: characters stay as they are, whatever the terminal knows.
    pub fn new(as_it_is: bool) -> Output {
        Output { as_it_is, failed: None }
    }

    /// Writes and flushes: a command prints few times, each a finished piece, from which no CI job takes a
    /// command.
    pub fn print(&mut self, text: &str) {
        if self.failed.is_some() {
            return;
        }
        let text = report::without_ci_commands(text);
        let text = if self.as_it_is { text } else { Cow::Owned(terminal::spelled(&text).into_owned()) };
        let mut stdout = io::stdout().lock();
        if let Err(error) = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            self.failed = Some(error);
        }
    }

    /// Whether all could be written; a closed pipe counts as that.
    pub fn finish(&mut self) -> Result<(), CommandError> {
        match self.failed.take() {
            Some(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(CommandError::environment(format!("can't write to standard output: {error}")))
            }
            _ => Ok(()),
        }
    }
}
