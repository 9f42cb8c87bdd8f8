//! Memory for `malloc` in kernels: blocks of one buffer, first fit by size.
//!
//! Kernels that use it run on one host thread, so what is given out does not depend on their number.

use std::collections::{BTreeMap, HashMap, HashSet};

/// Blocks are multiples of this (CUDA programming guide, "Dynamic global memory": 16-byte aligned).
const UNIT_BYTES: u64 = 16;

/// The heap of one device; what a kernel leaves stays for the next.
#[derive(Clone, Debug, Default)]
pub struct Heap {
    start: u64,
    bytes: u64,
    /// Bytes from the start that were ever given out.
    used: u64,
    /// Bytes of each block that is given out, by address.
    live: HashMap<u64, u64>,
    /// Addresses of returned blocks, by size.
    free: BTreeMap<u64, Vec<u64>>,
    /// Addresses that were once given out, and are not now.
    returned: HashSet<u64>,
}

/// A block that can't be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misuse {
    /// It was taken back before.
    Again,
    /// It was never given out.
    NotGiven,
}

impl Heap {
    pub fn new(start: u64, bytes: u64) -> Heap {
        Heap { start, bytes, ..Heap::default() }
    }

    /// Whether it is more than the empty default.
    pub fn exists(&self) -> bool {
        self.start != 0
    }

    /// A block of at least `bytes`, or 0 where there is none.
    pub fn allocate(&mut self, bytes: u64) -> u64 {
        let Some(bytes) = bytes.max(1).checked_next_multiple_of(UNIT_BYTES) else { return 0 };
        let fits = self.free.range_mut(bytes..).next().and_then(|(&size, list)| Some((size, list.pop()?)));
        let address = match fits {
            Some((size, address)) => {
                if self.free.get(&size).is_some_and(Vec::is_empty) {
                    self.free.remove(&size);
                }
                if size > bytes {
                    self.free.entry(size - bytes).or_default().push(address + bytes);
                }
                address
            }
            None if bytes <= self.bytes - self.used => {
                self.used += bytes;
                self.start + self.used - bytes
            }
            None => return 0,
        };
        self.live.insert(address, bytes);
        self.returned.remove(&address);
        address
    }

    /// Takes a block back. `Err`: what is wrong with that.
    pub fn release(&mut self, address: u64) -> Result<(), Misuse> {
        match self.live.remove(&address) {
            Some(bytes) => {
                self.free.entry(bytes).or_default().push(address);
                self.returned.insert(address);
                Ok(())
            }
            None if self.returned.contains(&address) => Err(Misuse::Again),
            None => Err(Misuse::NotGiven),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_do_not_overlap_and_come_back() {
        let mut heap = Heap::new(1000 * 16, 160);
        let a = heap.allocate(20);
        let b = heap.allocate(1);
        assert_eq!((a, b), (16000, 16032));
        assert_eq!(heap.release(a), Ok(()));
        assert_eq!((heap.release(a), heap.release(5)), (Err(Misuse::Again), Err(Misuse::NotGiven)));
        assert_eq!((heap.allocate(16), heap.allocate(16)), (16000, 16016));
        assert_eq!((heap.allocate(113), heap.allocate(112)), (0, 16048));
        assert_eq!((heap.allocate(1), heap.allocate(u64::MAX)), (0, 0));
    }
}
