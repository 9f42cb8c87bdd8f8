//! Standard input, as far as a program has asked for it.

use std::io::{self, BufRead};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Where a program's standard input comes from.
#[derive(Clone, Debug, Default)]
pub enum Input {
    /// It is empty.
    #[default]
    Nothing,
    /// This process's own, read no sooner than the program asks for it.
    Own,
    Bytes(Arc<[u8]>),
}

/// Whether a program waits for this process's own standard input.
pub fn waits_for_input() -> bool {
    WAITS.load(Relaxed)
}

static WAITS: AtomicBool = AtomicBool::new(false);

/// What came and was not read yet, and the rest.
#[derive(Debug, Default)]
pub(super) struct StandardInput {
    from: Input,
    bytes: Vec<u8>,
    /// Bytes of it that were read.
    read: usize,
    /// Somebody came to the end (`feof`).
    pub ended: bool,
}

impl StandardInput {
    pub fn new(from: Input) -> StandardInput {
        StandardInput { from, ..StandardInput::default() }
    }

    /// What has come and was not read.
    pub fn ahead(&self) -> &[u8] {
        self.bytes.get(self.read..).unwrap_or_default()
    }

    /// Waits for more behind [`StandardInput::ahead`]; `false` at the end.
    pub fn more(&mut self) -> bool {
        self.bytes.drain(..self.read);
        self.read = 0;
        let before = self.bytes.len();
        match &self.from {
            Input::Nothing => {}
            Input::Bytes(all) => {
                self.bytes.extend_from_slice(all);
                self.from = Input::Nothing;
            }
            Input::Own => own(&mut self.bytes),
        }
        self.bytes.len() > before
    }

    /// The next byte, left there.
    pub fn peek(&mut self) -> Option<u8> {
        if self.ahead().is_empty() && !self.more() {
            self.ended = true;
        }
        self.ahead().first().copied()
    }

    /// Takes bytes of [`StandardInput::ahead`].
    pub fn take(&mut self, count: usize) {
        self.read = (self.read + count).min(self.bytes.len());
    }

    pub fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.take(1);
        Some(byte)
    }

    /// Puts a byte before what is ahead.
    pub fn put_back(&mut self, byte: u8) {
        self.ended = false;
        match self.read.checked_sub(1) {
            Some(before) => {
                self.read = before;
                self.bytes[before] = byte;
            }
            None => self.bytes.insert(0, byte),
        }
    }
}

/// A piece of this process's own input: a line where a person types.
fn own(to: &mut Vec<u8>) {
    WAITS.store(true, Relaxed);
    let mut stdin = io::stdin().lock();
    let came = loop {
        match stdin.fill_buf() {
            Ok(piece) => {
                to.extend_from_slice(piece);
                break piece.len();
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // Nothing to read from is an empty input.
            Err(_) => break 0,
        }
    };
    stdin.consume(came);
    WAITS.store(false, Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_once_and_can_be_put_back() {
        let mut input = StandardInput::new(Input::Bytes(b"ab".as_slice().into()));
        assert_eq!(input.peek(), Some(b'a'));
        assert_eq!(input.next(), Some(b'a'));
        input.put_back(b'x');
        assert_eq!((input.next(), input.next(), input.ended), (Some(b'x'), Some(b'b'), false));
        assert_eq!((input.next(), input.ended), (None, true));
        input.put_back(b'y');
        assert_eq!((input.ended, input.next(), input.next()), (false, Some(b'y'), None));
    }
}
