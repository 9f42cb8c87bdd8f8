//! Memory for `malloc` in kernels: blocks of one buffer; the smallest free block that fits is used.
//!
//! Kernels that use it run on one host thread, so addresses do not depend on the number of host threads.

use std::collections::{BTreeMap, HashMap, HashSet};

/// Sizes of blocks are multiples of this (CUDA programming guide, "Dynamic global memory": 16-byte aligned).
const UNIT_BYTES: u64 = 16;

/// The heap of one device; blocks that a kernel does not free remain for the next.
#[derive(Clone, Debug, Default)]
pub struct Heap {
    start: u64,
    bytes: u64,
    /// Bytes from the start that were ever allocated.
    used: u64,
    /// Size of each allocated block in bytes, by address.
    live: HashMap<u64, u64>,
    /// Addresses of freed blocks, by size.
    free: BTreeMap<u64, Vec<u64>>,
    /// Addresses of blocks that were allocated once and have been freed.
    returned: HashSet<u64>,
}

/// Why a block can't be freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misuse {
    /// It has already been freed.
    AlreadyFreed,
    /// It was never allocated.
    NotAllocated,
}

impl Heap {
    pub fn new(start: u64, bytes: u64) -> Heap {
        Heap { start, bytes, ..Heap::default() }
    }

    /// Returns whether it is not the empty default.
    pub fn exists(&self) -> bool {
        self.start != 0
    }

    /// Allocates at least `bytes` bytes and returns the address, or 0 if there is no room.
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

    /// Frees a block.
    ///
    /// # Errors
    /// Returns the reason if no allocated block begins at `address`.
    pub fn release(&mut self, address: u64) -> Result<(), Misuse> {
        match self.live.remove(&address) {
            Some(bytes) => {
                self.free.entry(bytes).or_default().push(address);
                self.returned.insert(address);
                Ok(())
            }
            None if self.returned.contains(&address) => Err(Misuse::AlreadyFreed),
            None => Err(Misuse::NotAllocated),
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
        assert_eq!(
            (heap.release(a), heap.release(5)),
            (Err(Misuse::AlreadyFreed), Err(Misuse::NotAllocated))
        );
        assert_eq!((heap.allocate(16), heap.allocate(16)), (16000, 16016));
        assert_eq!((heap.allocate(113), heap.allocate(112)), (0, 16048));
        assert_eq!((heap.allocate(1), heap.allocate(u64::MAX)), (0, 0));
    }
}
