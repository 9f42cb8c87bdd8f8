//! How bytes are laid out between parent and worker, and in the cache of results: after a magic
//! string, numbers (64 bits, little endian) and byte strings with their length before them.

use std::io::{self, Read};

/// Writes what a [`Decoder`] reads.
pub struct Encoder(Vec<u8>);

impl Encoder {
    pub fn new(magic: &[u8]) -> Encoder {
        Encoder(magic.to_vec())
    }

    pub fn number(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// All that was written.
    pub fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// Reads exactly what it needs and no byte more. Lengths are believed only as far as bytes follow.
pub struct Decoder<R>(R);

impl<R: Read> Decoder<R> {
    pub fn new(mut from: R, magic: &[u8]) -> io::Result<Decoder<R>> {
        let mut found = vec![0; magic.len()];
        from.read_exact(&mut found)?;
        if found == magic { Ok(Decoder(from)) } else { Err(malformed()) }
    }

    pub fn number(&mut self) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.0.read_exact(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// A number that was written from 32 bits.
    pub fn small(&mut self) -> io::Result<u32> {
        u32::try_from(self.number()?).map_err(|_| malformed())
    }

    pub fn bytes(&mut self) -> io::Result<Vec<u8>> {
        let length = self.number()?;
        let mut bytes = Vec::new();
        let read = (&mut self.0).take(length).read_to_end(&mut bytes)?;
        if read as u64 == length { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    /// Bytes that are UTF-8.
    pub fn text(&mut self) -> io::Result<String> {
        String::from_utf8(self.bytes()?).map_err(|_| malformed())
    }

    /// Items behind their number.
    pub fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> io::Result<T>) -> io::Result<Vec<T>> {
        let length = self.number()?;
        (0..length).map(|_| item(self)).collect()
    }
}

/// What is read was not written by this build.
pub fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "not in the form of this build")
}
