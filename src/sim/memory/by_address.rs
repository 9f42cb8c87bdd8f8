//! Hash tables keyed by address, with a fast multiplicative hash.

use crate::random::STEP;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A hash table keyed by an address, or by a value that contains one.
pub type ByAddress<V, K = u64> = HashMap<K, V, BuildHasherDefault<AddressHasher>>;

/// Multiplies by 2⁶⁴ ÷ φ (Knuth, "The Art of Computer Programming", 6.4): neighbouring addresses are spread far
/// apart.
#[derive(Clone, Copy, Debug, Default)]
pub struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(STEP);
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }

    /// The upper bits are the best mixed; tables use the lower ones to choose the bucket.
    fn finish(&self) -> u64 {
        self.0.rotate_left(26)
    }
}
