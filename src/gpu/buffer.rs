//! A buffer between guard zones, stored twice.
//!
//! A single run cannot show which bytes were never written, because a kernel may write the poison value
//! itself. A launch therefore runs twice on the same inputs and at the same addresses, with a different
//! poison each time: a byte that holds the first poison after the first run and the second after the second
//! was not written. Read-only buffers are seen by both runs, and their second copy keeps the original
//! contents.

use super::checks::Checks;
use super::driver::Memory;
use super::failure::failed;
use super::protocol::{Failed, FailedBy, GuardWrite, Result, Side};

/// Size of the guard zones before and after a buffer, which nothing may write to; also the alignment of small
/// buffers.
const GUARD_BYTES: usize = 4096;
/// `cudaMalloc` places buffers of at least [`LARGE_BYTES`] on pages of this size of their own. A buffer's
/// offset in its page affects a kernel's time by percents, so our buffers begin on pages too.
const PAGE_BYTES: usize = 2 << 20;
const LARGE_BYTES: usize = 1 << 20;
/// The value of bytes never written, in the first run and in the second. The first is NaN as a float of any
/// size, and -1 as an integer.
pub const POISON: [u8; 2] = [0xff, 0x7b];
const GUARD: u8 = 0xc9;
/// Size of the largest supported buffer.
const MAX_BYTES: u64 = 1 << 36;

pub struct Buffer {
    /// The memory that kernels see: a guard, the bytes, and a guard up to the end.
    seen: Memory,
    /// The memory of the other run, before or after it; for a read-only buffer, its original contents.
    other: Memory,
    /// Offset of the bytes in the memory; the guard is directly before them.
    before: usize,
    bytes: usize,
    /// Whether the buffer was filled: every byte then counts as written.
    filled: bool,
    read_only: bool,
}

impl Buffer {
    /// Allocates poisoned memory.
    ///
    /// # Errors
    ///
    /// Fails if there is no memory for it.
    pub fn new(bytes: u64) -> Result<Buffer> {
        if bytes > MAX_BYTES {
            return Err(Failed {
                call: "cuMemAlloc".into(),
                by: FailedBy::Driver(2),
                said: format!("{bytes} bytes"),
            });
        }
        let bytes = bytes as usize;
        let before = if bytes < LARGE_BYTES { GUARD_BYTES } else { PAGE_BYTES };
        let whole = before + bytes.next_multiple_of(GUARD_BYTES) + GUARD_BYTES;
        let (seen, other) = (Memory::new(whole)?, Memory::new(whole)?);
        for (memory, poison) in [(&seen, POISON[0]), (&other, POISON[1])] {
            memory.fill(GUARD)?;
            memory.fill_part(before, bytes, poison)?;
        }
        Ok(Buffer { seen, other, before, bytes, filled: false, read_only: false })
    }

    pub fn address(&self) -> u64 {
        self.seen.address + self.before as u64
    }

    /// Forbids writes to the buffer from now on.
    pub fn set_read_only(&mut self) {
        self.read_only = true;
    }

    /// Writes a piece of the buffer, the same for both runs.
    ///
    /// # Errors
    ///
    /// Fails if the piece is not within the buffer, or the driver can't copy.
    pub fn write(&mut self, offset: usize, bytes: &[u8]) -> Result<()> {
        let at = self.place(offset, bytes.len())?;
        self.filled = true;
        self.seen.write(at, bytes)?;
        self.other.write(at, bytes)
    }

    /// Reads a piece as the first run left it. Both runs are over, and the first one's memory is the visible
    /// one.
    ///
    /// # Errors
    ///
    /// Fails if the piece is not within the buffer, or the driver can't copy.
    pub fn read(&self, offset: usize, into: &mut [u8]) -> Result<()> {
        self.seen.read(self.place(offset, into.len())?, into)
    }

    /// Returns the offset of a piece in the memory. It is an error if the piece extends past the buffer's
    /// end.
    fn place(&self, offset: usize, bytes: usize) -> Result<usize> {
        match offset.checked_add(bytes) {
            Some(end) if end <= self.bytes => Ok(self.before + offset),
            _ => Err(failed("cuMemcpy", "more bytes than the buffer has")),
        }
    }

    /// Exchanges the memory that kernels see with that of the other run; `scratch` is at least as large as the
    /// buffer's memory.
    ///
    /// # Errors
    ///
    /// Fails if the driver can't copy.
    pub fn exchange(&self, scratch: &Memory) -> Result<()> {
        if self.read_only {
            return Ok(());
        }
        scratch.copy_from(&self.seen)?;
        self.seen.copy_from(&self.other)?;
        self.other.copy_from(scratch)
    }

    pub fn whole_bytes(&self) -> usize {
        self.seen.bytes
    }

    /// Returns whether a read-only buffer no longer holds its original contents.
    ///
    /// # Errors
    ///
    /// Fails if the comparison can't be run.
    pub fn is_changed(&self, checks: &Checks) -> Result<bool> {
        let inside = self.before as u64;
        Ok(self.read_only
            && checks.differ(self.seen.address + inside, self.other.address + inside, self.bytes)?)
    }

    /// Returns whether every byte was written, by a copy or by a kernel.
    ///
    /// # Errors
    ///
    /// Fails if the search for poison can't be run.
    pub fn is_all_written(&self, checks: &Checks) -> Result<bool> {
        if self.filled {
            return Ok(true);
        }
        let inside = self.before as u64;
        let (seen, other) = (self.seen.address + inside, self.other.address + inside);
        Ok(!checks.untouched(seen, other, self.bytes, POISON)?)
    }

    /// Stores 1 for each byte of a piece that was written, and 0 for the others.
    ///
    /// # Errors
    ///
    /// Fails if the piece is not within the buffer, or the driver can't copy.
    pub fn written(&self, offset: usize, into: &mut [u8]) -> Result<()> {
        let at = self.place(offset, into.len())?;
        let mut second = vec![0; into.len()];
        self.seen.read(at, into)?;
        self.other.read(at, &mut second)?;
        for (first, second) in into.iter_mut().zip(second) {
            *first = u8::from(self.filled || [*first, second] != POISON);
        }
        Ok(())
    }

    /// Returns the guard zones that the first run wrote to.
    ///
    /// # Errors
    ///
    /// Fails if the driver can't copy.
    pub fn strays(&self) -> Result<Vec<GuardWrite>> {
        let mut before = [0; GUARD_BYTES];
        let mut behind = vec![0; self.seen.bytes - self.before - self.bytes];
        self.seen.read(self.before - GUARD_BYTES, &mut before)?;
        self.seen.read(self.before + self.bytes, &mut behind)?;
        let stray =
            |(side, distance)| GuardWrite { address: self.address(), side, distance: distance as u64 };
        Ok(strays(&before, &behind).map(stray).collect())
    }
}

/// Returns the damaged guard zones: the side, and the distance of the nearest damaged byte from the buffer.
fn strays(before: &[u8], behind: &[u8]) -> impl Iterator<Item = (Side, usize)> {
    let before = before.iter().rev().position(|byte| *byte != GUARD);
    let behind = behind.iter().position(|byte| *byte != GUARD);
    [(Side::Before, before), (Side::After, behind)]
        .into_iter()
        .filter_map(|(side, distance)| Some((side, distance?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_guard_is_told_with_its_distance() {
        let (mut before, mut behind) = ([GUARD; 10], [GUARD; 10]);
        assert_eq!(strays(&before, &behind).count(), 0);
        before[7] = 0;
        before[2] = 0;
        behind[0] = 0;
        let found: Vec<_> = strays(&before, &behind).collect();
        assert_eq!(found, [(Side::Before, 2), (Side::After, 0)]);
    }
}
