//! A buffer between guard zones, held twice.
//!
//! What was never written cannot be told from one run: a kernel may write the very poison. So a
//! launch runs twice on the same inputs, with another poison in each, at the same addresses: a byte
//! that holds the first poison after the first run and the second after the second was not written.

use super::driver::{Memory, failed};
use super::protocol::{Content, Failed, Side, Stray};

/// Bytes before and behind a buffer that nothing may write to; also what buffers are aligned to.
pub const GUARD_BYTES: usize = 4096;
/// Never written bytes hold this, in the first run and in the second. The first is no number as a
/// float of any size, and -1 as an integer.
pub const POISON: [u8; 2] = [0xff, 0x7b];
const GUARD: u8 = 0xc9;
/// The largest buffer that is taken on.
const MOST_BYTES: u64 = 1 << 36;

pub struct Buffer {
    /// What kernels see: a guard, the bytes, and a guard from there to the end.
    seen: Memory,
    /// What the other run left or is to find.
    other: Memory,
    bytes: usize,
    /// It was filled: every byte counts as written.
    filled: bool,
}

impl Buffer {
    /// Poisoned memory.
    pub fn new(bytes: u64) -> Result<Buffer, Failed> {
        if bytes > MOST_BYTES {
            return Err(Failed { call: "cuMemAlloc".into(), code: 2, said: format!("{bytes} bytes") });
        }
        let bytes = bytes as usize;
        let whole = bytes.next_multiple_of(GUARD_BYTES) + 2 * GUARD_BYTES;
        let buffer = Buffer { seen: Memory::new(whole)?, other: Memory::new(whole)?, bytes, filled: false };
        for (memory, poison) in [(&buffer.seen, POISON[0]), (&buffer.other, POISON[1])] {
            memory.fill(GUARD)?;
            memory.write(GUARD_BYTES, &vec![poison; bytes])?;
        }
        Ok(buffer)
    }

    pub fn address(&self) -> u64 {
        self.seen.address + GUARD_BYTES as u64
    }

    /// Fills it from its beginning.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Failed> {
        if bytes.len() > self.bytes {
            return Err(failed("cuMemcpyHtoD", "more bytes than the buffer has"));
        }
        self.filled = true;
        self.seen.write(GUARD_BYTES, bytes)?;
        self.other.write(GUARD_BYTES, bytes)
    }

    /// Exchanges what kernels see for what the other run has; `spare` is as large as the buffer.
    pub fn exchange(&self, spare: &Memory) -> Result<(), Failed> {
        spare.copy_from(&self.seen)?;
        self.seen.copy_from(&self.other)?;
        self.other.copy_from(spare)
    }

    pub fn whole_bytes(&self) -> usize {
        self.seen.bytes
    }

    /// What the first run left, and the guards it broke; both runs are over, the first is seen.
    pub fn content(&self) -> Result<(Content, Vec<Stray>), Failed> {
        let first = self.seen.read()?;
        let inside = GUARD_BYTES..GUARD_BYTES + self.bytes;
        let written = match self.filled {
            true => Vec::new(),
            false => written(&first[inside.clone()], &self.other.read()?[inside.clone()]),
        };
        let content = Content { address: self.address(), bytes: first[inside.clone()].to_vec(), written };
        let strays = strays(&first, inside).map(|(side, distance)| Stray {
            address: self.address(),
            side,
            distance: distance as u64,
        });
        Ok((content, strays.collect()))
    }
}

/// 1 for each byte that does not hold the poison of both runs; empty where that is so of all.
fn written(first: &[u8], second: &[u8]) -> Vec<u8> {
    let untouched = |(a, b): (&u8, &u8)| [*a, *b] == POISON;
    if !first.iter().zip(second).any(untouched) {
        return Vec::new();
    }
    first.iter().zip(second).map(|pair| u8::from(!untouched(pair))).collect()
}

/// The guards that do not hold what they should: on which side, and how far off.
fn strays(whole: &[u8], inside: std::ops::Range<usize>) -> impl Iterator<Item = (Side, usize)> {
    let before = whole[..inside.start].iter().rev().position(|byte| *byte != GUARD);
    let behind = whole[inside.end..].iter().position(|byte| *byte != GUARD);
    [(Side::Before, before), (Side::Behind, behind)]
        .into_iter()
        .filter_map(|(side, distance)| Some((side, distance?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_both_poisons_was_not_written() {
        let [a, b] = POISON;
        assert_eq!(written(&[a, a, 1, 1], &[b, a, 1, 2]), [0, 1, 1, 1]);
        assert!(written(&[a, 1], &[a, 1]).is_empty() && written(&[], &[]).is_empty());
    }

    #[test]
    fn a_broken_guard_is_told_with_its_distance() {
        let mut whole = vec![GUARD; 30];
        whole[10..20].fill(1);
        assert_eq!(strays(&whole, 10..20).count(), 0);
        whole[7] = 0;
        whole[2] = 0;
        whole[20] = 0;
        let found: Vec<_> = strays(&whole, 10..20).collect();
        assert_eq!(found, [(Side::Before, 2), (Side::Behind, 0)]);
    }
}
