//! Messages over standard input and output. Each follows a header that states its length, which is not trusted.

use lsp_server::{Connection, Message};
use std::io::{self, BufRead, Error, ErrorKind, Read};
use std::thread::{self, JoinHandle};

/// Most bytes of a message, far more than an editor sends, and of its header.
const MOST_BYTES: u64 = 64 << 20;
const MOST_HEADER_BYTES: u64 = 4 << 10;

/// The threads that read and write.
pub struct Threads {
    reader: JoinHandle<io::Result<()>>,
    writer: JoinHandle<io::Result<()>>,
}

/// Connects the server to the editor.
pub fn connect() -> (Connection, Threads) {
    let (server, Connection { sender, receiver }) = Connection::memory();
    let reader = thread::spawn(move || {
        let mut input = io::stdin().lock();
        while let Some(message) = read(&mut input)? {
            let is_last = matches!(&message, Message::Notification(its) if its.method == "exit");
            if sender.send(message).is_err() || is_last {
                break;
            }
        }
        Ok(())
    });
    let writer = thread::spawn(move || {
        let mut output = io::stdout().lock();
        receiver.into_iter().try_for_each(|message| message.write(&mut output))
    });
    (server, Threads { reader, writer })
}

impl Threads {
    /// Waits for both, once the server has dropped its end of the connection.
    ///
    /// # Errors
    ///
    /// Fails if the input holds no messages, or if it can't be read, or the output not be written.
    pub fn join(self) -> io::Result<()> {
        let ended = |thread: JoinHandle<io::Result<()>>| {
            thread.join().unwrap_or_else(|_| Err(Error::other("the language server panicked")))
        };
        let (read, written) = (ended(self.reader), ended(self.writer));
        read.and(written)
    }
}

/// Reads a message; `None` at the end of the input.
fn read(input: &mut impl BufRead) -> io::Result<Option<Message>> {
    let Some(bytes) = length(input)? else { return Ok(None) };
    if bytes > MOST_BYTES {
        return Err(invalid(format!("its Content-Length is {bytes}, more than {} MiB", MOST_BYTES >> 20)));
    }
    let mut text = Vec::new();
    input.take(bytes).read_to_end(&mut text)?;
    if (text.len() as u64) < bytes {
        return Err(invalid(format!("it ends after {} of {bytes} bytes", text.len())));
    }
    serde_json::from_slice(&text).map(Some).map_err(|error| invalid(error.to_string()))
}

/// Reads a header, and returns the length of the message that follows it.
fn length(input: &mut impl BufRead) -> io::Result<Option<u64>> {
    let mut header = input.take(MOST_HEADER_BYTES);
    let mut length = None;
    let mut line = String::new();
    loop {
        line.clear();
        if header.read_line(&mut line)? == 0 && header.limit() > 0 {
            return Ok(None);
        }
        let line = line.strip_suffix("\r\n").ok_or_else(|| invalid("its header is malformed"))?;
        if line.is_empty() {
            return length.map(Some).ok_or_else(|| invalid("its header has no Content-Length"));
        }
        let (name, value) = line.split_once(": ").ok_or_else(|| invalid("its header is malformed"))?;
        if name.eq_ignore_ascii_case("Content-Length") {
            let bytes = value.parse().map_err(|_| invalid(format!("its Content-Length is {value:?}")))?;
            length = Some(bytes);
        }
    }
}

fn invalid(what: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::InvalidData, format!("the editor sent no message of the protocol: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(mut input: &[u8]) -> String {
        match read(&mut input) {
            Ok(Some(Message::Notification(its))) => its.method,
            Ok(other) => format!("{other:?}"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_length_is_not_trusted() {
        let body = r#"{"jsonrpc":"2.0","method":"exit"}"#;
        let of = |length: &str| told(format!("Content-Length: {length}\r\n\r\n{body}").as_bytes());
        assert_eq!(of(&body.len().to_string()), "exit");
        assert!(of("99999999999").ends_with("99999999999, more than 64 MiB"), "{}", of("99999999999"));
        assert!(of("40").ends_with("after 33 of 40 bytes"), "{}", of("40"));
        for length in ["-1", "18446744073709551616", "x"] {
            assert!(of(length).contains("Content-Length is"), "{}", of(length));
        }
        assert!(told(b"A: b\r\n\r\n").ends_with("no Content-Length"));
        assert!(told(&[b'a'; 1 << 13]).ends_with("malformed"));
        assert_eq!(told(b""), "None");
    }
}
