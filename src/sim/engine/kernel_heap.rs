//! Accesses to memory that kernels obtained from `malloc()`: all of it is one buffer, in which each block has bounds of its
//! own.

use super::fault::Fault;
use super::findings::SideAddress;
use crate::finding::FindingKind;
use crate::lanes::{LANES, lanes_of};
use crate::machine::Heap;
use crate::memory::global::GlobalMemory;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The heap of the GPU that a launch runs on.
#[derive(Clone, Copy, Debug)]
pub struct KernelHeap<'a> {
    pub blocks: &'a Mutex<Heap>,
    /// The number of its buffer; `None` if no kernel has used the heap yet.
    pub buffer: Option<usize>,
}

impl KernelHeap<'_> {
    pub fn lock(&self) -> MutexGuard<'_, Heap> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks an access of `width` bytes per lane, at these offsets from `first`, to the heap's buffer.
    ///
    /// # Errors
    /// Returns the fault of a lane whose bytes are not all in one block that is still allocated.
    pub fn check(&self, first: u64, offsets: &[u64; LANES], width: u32, mask: u32) -> Result<(), Fault> {
        let heap = self.lock();
        // Start and end of the block of the lane before: most lanes access the same.
        let (mut start, mut end) = (0, 0);
        for lane in lanes_of(mask) {
            let at = first.wrapping_add(offsets[lane]);
            if start <= at && at + u64::from(width) <= end {
                continue;
            }
            match heap.place(at) {
                Some(place) if place.is_freed && place.contains(1) => {
                    return Err(Fault(FindingKind::UseAfterFree));
                }
                Some(place) if place.contains(width.into()) => {
                    start = at.wrapping_sub(place.offset as u64);
                    end = start + place.bytes;
                }
                _ => return Err(Fault(FindingKind::OutOfBounds)),
            }
        }
        Ok(())
    }

    /// Describes an address in the heap's buffer by its block, or by the nearest; `None` for other addresses.
    pub fn describe(&self, memory: &GlobalMemory, address: u64) -> Option<SideAddress> {
        self.buffer.filter(|&own| memory.find(address) == Some(own))?;
        let place = self.lock().place(address)?;
        Some(SideAddress::Allocated { bytes: place.bytes, offset: place.offset })
    }
}
