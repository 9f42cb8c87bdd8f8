//! Standard output, where a reader that has closed the pipe is not an error.

use super::{CommandError, Result, terminal};
use std::borrow::Cow;
use std::io::{self, ErrorKind, Write};

/// Writes text to standard output; after a failed write, writes nothing more.
#[derive(Debug, Default)]
pub struct Output {
    /// Whether to write UTF-8 whatever the terminal supports, as for JSON.
    keeps_unicode: bool,
    failed: Option<io::Error>,
}

impl Output {
    /// Creates the output; `keeps_unicode` keeps all characters, whatever the terminal supports.
    pub fn new(keeps_unicode: bool) -> Output {
        Output { keeps_unicode, failed: None }
    }

    /// Writes and flushes. Called few times per command, each time with complete text, in which CI commands are
    /// escaped.
    pub fn print(&mut self, text: &str) {
        if self.failed.is_some() {
            return;
        }
        let text = report::without_ci_commands(text);
        let text = if self.keeps_unicode {
            text
        } else {
            Cow::Owned(terminal::in_terminal_charset(&text).into_owned())
        };
        let mut stdout = io::stdout().lock();
        if let Err(error) = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            self.failed = Some(error);
        }
    }

    /// Checks that everything was written.
    ///
    /// # Errors
    ///
    /// The first write error, unless it is a closed pipe.
    pub fn finish(&mut self) -> Result<()> {
        match self.failed.take() {
            Some(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(CommandError::environment(format!("can't write to standard output: {error}")))
            }
            _ => Ok(()),
        }
    }
}
