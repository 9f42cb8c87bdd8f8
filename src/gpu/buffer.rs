//! A buffer between guard zones, held twice.
//!
//! What was never written cannot be told from one run: a kernel may write the very poison. So a
//! launch runs twice on the same inputs, with another poison in each, at the same addresses: a byte
//! that holds the first poison after the first run and the second after the second was not written.
//! What nothing may write to is seen by both runs, and its second half keeps what was filled in.

use super::checks::Checks;
use super::driver::{Memory, failed};
use super::protocol::{Failed, Side, Stray};

/// Bytes before and behind a buffer that nothing may write to; also what small buffers are aligned to.
const GUARD_BYTES: usize = 4096;
/// `cudaMalloc` gives buffers from [`LARGE_BYTES`] on pages of this size to themselves. Where on a page a
/// buffer begins moves a kernel's time by percents, so ours begin there, too.
const PAGE_BYTES: usize = 2 << 20;
const LARGE_BYTES: usize = 1 << 20;
/// Never written bytes hold this, in the first run and in the second. The first is no number as a
/// float of any size, and -1 as an integer.
pub const POISON: [u8; 2] = [0xff, 0x7b];
const GUARD: u8 = 0xc9;
/// The largest buffer that is taken on.
const MOST_BYTES: u64 = 1 << 36;

pub struct Buffer {
    /// What kernels see: a guard, the bytes, and a guard from there to the end.
    seen: Memory,
    /// What the other run left or is to find; of what is read only, what it was filled with.
    other: Memory,
    /// Of the memory before the bytes; the guard is the last of it.
    before: usize,
    bytes: usize,
    /// It was filled: every byte counts as written.
    filled: bool,
    read_only: bool,
}

impl Buffer {
    /// Poisoned memory.
    pub fn new(bytes: u64) -> Result<Buffer, Failed> {
        if bytes > MOST_BYTES {
            return Err(Failed { call: "cuMemAlloc".into(), code: 2, said: format!("{bytes} bytes") });
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

    /// Nothing may write to it from now on.
    pub fn set_read_only(&mut self) {
        self.read_only = true;
    }

    /// Writes a piece of it, the same for both runs.
    pub fn write(&mut self, offset: usize, bytes: &[u8]) -> Result<(), Failed> {
        let at = self.place(offset, bytes.len())?;
        self.filled = true;
        self.seen.write(at, bytes)?;
        self.other.write(at, bytes)
    }

    /// A piece of what the first run left; both runs are over, the first is seen.
    pub fn read(&self, offset: usize, into: &mut [u8]) -> Result<(), Failed> {
        self.seen.read(self.place(offset, into.len())?, into)
    }

    /// Where a piece lies in the memory. What reaches past the end is an error.
    fn place(&self, offset: usize, bytes: usize) -> Result<usize, Failed> {
        match offset.checked_add(bytes) {
            Some(end) if end <= self.bytes => Ok(self.before + offset),
            _ => Err(failed("cuMemcpy", "more bytes than the buffer has")),
        }
    }

    /// Exchanges what kernels see for what the other run has; `spare` is as large as the buffer.
    pub fn exchange(&self, spare: &Memory) -> Result<(), Failed> {
        if self.read_only {
            return Ok(());
        }
        spare.copy_from(&self.seen)?;
        self.seen.copy_from(&self.other)?;
        self.other.copy_from(spare)
    }

    pub fn whole_bytes(&self) -> usize {
        self.seen.bytes
    }

    /// It is there to be read, and holds something else than it was filled with.
    pub fn is_changed(&self, checks: &Checks) -> Result<bool, Failed> {
        let inside = self.before as u64;
        Ok(self.read_only
            && checks.differ(self.seen.address + inside, self.other.address + inside, self.bytes)?)
    }

    /// Every byte was written, by a copy or by a kernel.
    pub fn is_all_written(&self, checks: &Checks) -> Result<bool, Failed> {
        if self.filled {
            return Ok(true);
        }
        let inside = self.before as u64;
        let (seen, other) = (self.seen.address + inside, self.other.address + inside);
        Ok(!checks.untouched(seen, other, self.bytes, POISON)?)
    }

    /// 1 for each byte of a piece that was written.
    pub fn written(&self, offset: usize, into: &mut [u8]) -> Result<(), Failed> {
        let at = self.place(offset, into.len())?;
        let mut second = vec![0; into.len()];
        self.seen.read(at, into)?;
        self.other.read(at, &mut second)?;
        for (first, second) in into.iter_mut().zip(second) {
            *first = u8::from(self.filled || [*first, second] != POISON);
        }
        Ok(())
    }

    /// The guards that the first run broke.
    pub fn strays(&self) -> Result<Vec<Stray>, Failed> {
        let mut before = [0; GUARD_BYTES];
        let mut behind = vec![0; self.seen.bytes - self.before - self.bytes];
        self.seen.read(self.before - GUARD_BYTES, &mut before)?;
        self.seen.read(self.before + self.bytes, &mut behind)?;
        let stray = |(side, distance)| Stray { address: self.address(), side, distance: distance as u64 };
        Ok(strays(&before, &behind).map(stray).collect())
    }
}

/// The guards that do not hold what they should: on which side, and how far off.
fn strays(before: &[u8], behind: &[u8]) -> impl Iterator<Item = (Side, usize)> {
    let before = before.iter().rev().position(|byte| *byte != GUARD);
    let behind = behind.iter().position(|byte| *byte != GUARD);
    [(Side::Before, before), (Side::Behind, behind)]
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
        assert_eq!(found, [(Side::Before, 2), (Side::Behind, 0)]);
    }
}
