//! Memory that was never written holds a pattern, its mark, which is copied along with the bytes and
//! overwritten by any store. So it is known which bytes were never written, at no cost for those that were.
//!
//! The mark covers a word, by all of its four bytes. Single bytes of a word that was written in part are not
//! detected.

use super::HostMemory;
use crate::memory::host_part;
use std::ops::Range;

/// The mark: not a character, not a small integer, and a float that no program is likely to use.
pub const UNWRITTEN: u32 = 0xfbf9_fdfb;

/// Returns whether a loaded value may contain bytes of the mark.
#[inline(always)]
pub fn may_be_unwritten(value: u64, bytes: usize) -> bool {
    match bytes {
        8 => value as u32 == UNWRITTEN || (value >> 32) as u32 == UNWRITTEN,
        4 => value as u32 == UNWRITTEN,
        2 => value as u16 == UNWRITTEN as u16 || value as u16 == (UNWRITTEN >> 16) as u16,
        _ => value as u8 >= 0xf9,
    }
}

/// Returns the mark's byte at an address.
pub fn mark_at(address: u64) -> u8 {
    UNWRITTEN.to_le_bytes()[(address % 4) as usize]
}

/// Returns the ranges of `bytes`, which lie at `address`, that hold the mark, as offsets.
pub fn marked(address: u64, bytes: &[u8]) -> impl Iterator<Item = Range<u64>> + '_ {
    let skip = (address.wrapping_neg() % 4) as usize;
    let words = bytes.get(skip..).unwrap_or_default().chunks_exact(4);
    let is_marked = |word: &[u8]| word == UNWRITTEN.to_le_bytes();
    let starts = words.enumerate().filter(move |(_, word)| is_marked(word));
    starts.map(move |(n, _)| (skip + n * 4) as u64).map(|at| at..at + 4)
}

impl HostMemory {
    /// Returns which of up to eight bytes at an address were never written: one bit per byte, the lowest for
    /// the first.
    pub fn unwritten(&self, address: u64, bytes: u64) -> u64 {
        if host_part(address).is_none() {
            return 0;
        }
        let is_marked = |word: u64| {
            let its = self.pages.slice(word, 4).ok();
            its.is_some_and(|its| its == UNWRITTEN.to_le_bytes())
        };
        let byte = |n: u64| address.wrapping_add(n);
        (0..bytes.min(8)).fold(0, |bits, n| bits | u64::from(is_marked(byte(n) / 4 * 4)) << n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_bear_the_mark() {
        let mut bytes = [0; 15];
        for (n, byte) in bytes.iter_mut().enumerate().skip(2) {
            *byte = mark_at(0x1002 + n as u64);
        }
        let found: Vec<_> = marked(0x1002, &bytes).collect();
        assert_eq!(found, [2..6, 6..10, 10..14]);
        bytes[7] = 0;
        assert_eq!(marked(0x1002, &bytes).collect::<Vec<_>>(), [2..6, 10..14]);
        assert_eq!(marked(3, &[]).count(), 0);
    }

    #[test]
    fn what_may_bear_it_is_looked_at() {
        let word = u64::from(UNWRITTEN);
        assert!(
            may_be_unwritten(word, 4)
                && may_be_unwritten(word << 32, 8)
                && may_be_unwritten(word | 7 << 32, 8)
        );
        assert!((0..4).all(|n| may_be_unwritten(word >> (8 * n) & 0xff, 1)));
        assert!(may_be_unwritten(word & 0xffff, 2) && may_be_unwritten(word >> 16, 2));
        assert!(!may_be_unwritten(0, 8) && !may_be_unwritten(5, 1) && !may_be_unwritten(word ^ 1, 4));
    }
}
