//! Memory for `malloc` in kernels: blocks of one buffer; the smallest free block that fits is used.
//!
//! Kernels that use it run on one host thread, so addresses do not depend on the number of host threads.

use std::collections::{BTreeMap, VecDeque};

/// Sizes of blocks are multiples of this (CUDA programming guide, "Dynamic global memory": 16-byte aligned). As many bytes
/// at least lie between two blocks and belong to neither.
const UNIT_BYTES: u64 = 16;

/// The heap of one device; blocks that a kernel does not free remain for the next.
#[derive(Clone, Debug, Default)]
pub struct Heap {
    start: u64,
    bytes: u64,
    /// Bytes from the start that were ever allocated.
    used: u64,
    /// Blocks by address. A block that was freed is removed when its memory is allocated again.
    blocks: BTreeMap<u64, Block>,
    /// Addresses of freed blocks, by the bytes that they occupy, in the order in which they were freed.
    free: BTreeMap<u64, VecDeque<u64>>,
}

/// Memory that `malloc` returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    /// The bytes that were requested, and those that it occupies.
    bytes: u64,
    occupied: u64,
    is_freed: bool,
}

/// Why a block can't be freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misuse {
    /// It has already been freed.
    AlreadyFreed,
    /// It was never allocated.
    NotAllocated,
}

/// An address relative to the block that it is in, or else to the nearest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeapPlace {
    /// Size of the block in bytes, as requested.
    pub bytes: u64,
    /// Offset of the address from the block's start; negative before it.
    pub offset: i64,
    pub is_freed: bool,
}

impl Heap {
    pub fn new(start: u64, bytes: u64) -> Heap {
        Heap { start, bytes, ..Heap::default() }
    }

    /// Returns the address at which its memory begins; 0 if it does not exist.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Returns whether it is not the empty default.
    pub fn exists(&self) -> bool {
        self.start != 0
    }

    /// Allocates `bytes` bytes at a multiple of `align` bytes, a power of two, and returns the address, or 0 if there is
    /// no room. Memory that was never allocated comes first, so that uses of freed blocks show for as long as possible.
    pub fn allocate(&mut self, bytes: u64, align: u64) -> u64 {
        let align = align.max(UNIT_BYTES);
        let occupied = bytes.max(1).checked_next_multiple_of(UNIT_BYTES);
        let Some(occupied) = occupied.and_then(|all| all.checked_add(UNIT_BYTES)) else { return 0 };
        let Some(searched) = occupied.checked_add(align - UNIT_BYTES) else { return 0 };
        let next = self.start + self.used;
        let found = if searched <= self.bytes - self.used {
            let taken = next.next_multiple_of(align) - next + occupied;
            self.used += taken;
            next..next + taken
        } else {
            match self.reuse(searched) {
                Some(found) => found..found + searched,
                None => return 0,
            }
        };
        let address = found.start.next_multiple_of(align);
        // What the alignment leaves on either side.
        for part in [found.start..address, address + occupied..found.end] {
            if !part.is_empty() {
                self.free.entry(part.end - part.start).or_default().push_back(part.start);
            }
        }
        self.blocks.insert(address, Block { bytes, occupied, is_freed: false });
        address
    }

    /// Takes the smallest freed block that fits. What it has in excess stays free.
    fn reuse(&mut self, occupied: u64) -> Option<u64> {
        let (&size, list) = self.free.range_mut(occupied..).next()?;
        let address = list.pop_front()?;
        if list.is_empty() {
            self.free.remove(&size);
        }
        if size > occupied {
            self.free.entry(size - occupied).or_default().push_back(address + occupied);
        }
        Some(address)
    }

    /// Frees a block.
    ///
    /// # Errors
    /// Returns the reason if no allocated block begins at `address`.
    pub fn release(&mut self, address: u64) -> Result<(), Misuse> {
        match self.blocks.get_mut(&address) {
            Some(block) if !block.is_freed => {
                block.is_freed = true;
                self.free.entry(block.occupied).or_default().push_back(address);
                Ok(())
            }
            Some(_) => Err(Misuse::AlreadyFreed),
            None => Err(Misuse::NotAllocated),
        }
    }

    /// Returns where an address is relative to the block that it is in, or else to the nearest; `None` if there are no
    /// blocks.
    pub fn place(&self, address: u64) -> Option<HeapPlace> {
        let relative = |(start, block): (&u64, &Block)| HeapPlace {
            bytes: block.bytes,
            offset: address.wrapping_sub(*start) as i64,
            is_freed: block.is_freed,
        };
        let before = self.blocks.range(..=address).next_back().map(relative);
        if before.is_some_and(|place| place.contains(1)) {
            return before;
        }
        let after = self.blocks.range(address..).next().map(relative);
        [before, after].into_iter().flatten().min_by_key(HeapPlace::distance)
    }
}

impl HeapPlace {
    /// Returns whether `bytes` bytes from the address on are in the block.
    pub fn contains(&self, bytes: u64) -> bool {
        u64::try_from(self.offset).is_ok_and(|offset| offset.saturating_add(bytes) <= self.bytes)
    }

    /// Returns how many bytes the address is before the block's start or past its last byte.
    fn distance(&self) -> u64 {
        u64::try_from(self.offset)
            .map_or(self.offset.unsigned_abs(), |offset| offset.saturating_sub(self.bytes) + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_do_not_touch_and_are_used_again_when_the_memory_is_used_up() {
        let mut heap = Heap::new(1000 * 16, 176);
        let (a, b) = (heap.allocate(20, 1), heap.allocate(1, 1));
        assert_eq!((a, b), (16000, 16048));
        assert_eq!(heap.release(a), Ok(()));
        assert_eq!(
            (heap.release(a), heap.release(5)),
            (Err(Misuse::AlreadyFreed), Err(Misuse::NotAllocated))
        );
        assert_eq!((heap.allocate(64, 1), heap.allocate(4, 1), heap.allocate(1, 1)), (16080, 16000, 0));
        assert_eq!((heap.release(16080), heap.allocate(1, 1), heap.allocate(32, 1)), (Ok(()), 16080, 16112));
        assert_eq!((heap.allocate(1, 1), heap.allocate(u64::MAX, 1)), (0, 0));
    }

    #[test]
    fn blocks_are_aligned_as_asked() {
        let mut heap = Heap::new(1000 * 16, 4096);
        let (a, b, c) = (heap.allocate(4, 256), heap.allocate(4, 1), heap.allocate(4, 64));
        assert_eq!((a, b, c), (16128, 16160, 16192));
        assert_eq!(heap.allocate(u64::MAX - 64, 256), 0);
        assert_eq!(heap.allocate(4096 - 224, 1), 0);
        // What was skipped is used when there is nothing else.
        assert_eq!(heap.allocate(3856, 1), 16224);
        assert_eq!((heap.allocate(4, 64), heap.allocate(4, 1)), (16000, 16080));
    }

    #[test]
    fn a_place_is_in_a_block_or_behind_it() {
        let mut heap = Heap::new(16000, 4096);
        let (a, b) = (heap.allocate(20, 1), heap.allocate(8, 1));
        let place = |heap: &Heap, address| heap.place(address).unwrap();
        assert!(place(&heap, a + 16).contains(4) && !place(&heap, a + 16).contains(8));
        assert_eq!(place(&heap, a + 32), HeapPlace { bytes: 20, offset: 32, is_freed: false });
        assert_eq!(heap.release(b), Ok(()));
        assert!(place(&heap, b).is_freed && heap.place(a - 1).is_some_and(|place| place.offset == -1));
        assert_eq!(place(&heap, b - 4), HeapPlace { bytes: 8, offset: -4, is_freed: true });
    }
}
