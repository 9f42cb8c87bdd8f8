//! What a program reads from.

/// Bytes that are read one after the other.
pub(super) trait ByteSource {
    /// Returns the bytes that are there and were not read.
    fn ahead(&self) -> &[u8];

    /// Waits for bytes after [`ByteSource::ahead`]. Returns `false` at the end.
    fn more(&mut self) -> bool;

    /// Consumes bytes of [`ByteSource::ahead`].
    fn take(&mut self, count: usize);

    /// Pushes a byte back, in front of those not yet read. Returns `false` if that is not possible.
    fn put_back(&mut self, byte: u8) -> bool;

    /// Returns whether a read has reached the end (`feof`), to be changed.
    fn ended(&mut self) -> &mut bool;

    /// Returns the next byte without consuming it; `None` at the end.
    fn peek(&mut self) -> Option<u8> {
        if self.ahead().is_empty() && !self.more() {
            *self.ended() = true;
        }
        self.ahead().first().copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.take(1);
        Some(byte)
    }
}
