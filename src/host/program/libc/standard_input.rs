//! Standard input, read only as far as the program asks for it.

use super::byte_source::ByteSource;
use std::io::{self, BufRead};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The source of a program's standard input.
#[derive(Clone, Debug, Default)]
pub enum Input {
    /// Empty input.
    #[default]
    Nothing,
    /// This process's own standard input, read no sooner than the program asks for it.
    Own,
    Bytes(Arc<[u8]>),
}

/// Returns whether a program is waiting for this process's own standard input.
pub fn waits_for_input() -> bool {
    WAITS.load(Relaxed)
}

static WAITS: AtomicBool = AtomicBool::new(false);

/// Input that has arrived but was not read yet, and the source of further input.
#[derive(Debug, Default)]
pub(super) struct StandardInput {
    from: Input,
    bytes: Vec<u8>,
    /// Number of bytes of `bytes` that were read.
    read: usize,
    /// Whether a read has reached the end (`feof`).
    ended: bool,
}

impl StandardInput {
    pub fn new(from: Input) -> StandardInput {
        StandardInput { from, ..StandardInput::default() }
    }
}

impl ByteSource for StandardInput {
    fn ahead(&self) -> &[u8] {
        self.bytes.get(self.read..).unwrap_or_default()
    }

    fn more(&mut self) -> bool {
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

    fn take(&mut self, count: usize) {
        self.read = (self.read + count).min(self.bytes.len());
    }

    fn put_back(&mut self, byte: u8) -> bool {
        self.ended = false;
        match self.read.checked_sub(1) {
            Some(before) => {
                self.read = before;
                self.bytes[before] = byte;
            }
            None => self.bytes.insert(0, byte),
        }
        true
    }

    fn ended(&mut self) -> &mut bool {
        &mut self.ended
    }
}

/// Appends the next piece of this process's own input; at a terminal, a line.
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
            // An input that cannot be read counts as empty.
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
