//! Memory of the host that another owner has for a time, as registered memory.

use super::pages::GRANULE_BYTES;
use super::{HostBlockKind, HostMemory, window_of};
use crate::memory::HOST_STACK_WINDOW;

impl HostMemory {
    /// Hands memory over to another owner: from now on it is not host memory of the thread's own, and accesses
    /// of it are [`FaultKind::Elsewhere`]. Returns where the range begins, and its contents. The range is
    /// extended to whole granules, but not beyond its block, nor on the stack beyond the variables of one
    /// function. Returns `None` if the range is not within one block of the heap, one variable or the stack.
    pub fn lend(&mut self, address: u64, bytes: u64) -> Option<(u64, Vec<u8>)> {
        let block = self.block(address)?;
        let block_end = block.start + block.bytes;
        let end = address.checked_add(bytes).filter(|&end| end <= block_end)?;
        let start = address / GRANULE_BYTES * GRANULE_BYTES;
        let end = match block.kind {
            HostBlockKind::Heap | HostBlockKind::Variable(_) => {
                end.next_multiple_of(GRANULE_BYTES).min(block_end)
            }
            HostBlockKind::Stack if end.is_multiple_of(GRANULE_BYTES) => end,
            HostBlockKind::Stack => end + self.pages.accessible(end),
            HostBlockKind::Freed => return None,
        };
        let contents = self.pages.slice(start, end - start).ok()?.to_vec();
        self.pages.close(start, end - start);
        self.lent.insert(start, end);
        Some((start, contents))
    }

    /// Takes lent memory back; does nothing if its block was freed meanwhile.
    pub fn take_back(&mut self, start: u64, contents: &[u8]) {
        if self.lent.remove(&start).is_some() {
            // The frame of a function that has returned stays inaccessible.
            let is_left = window_of(start) == Some(HOST_STACK_WINDOW) && !self.stack.holds(start);
            match is_left {
                true => self.pages.close(start, contents.len() as u64),
                false => self.pages.open_with(start, contents),
            }
        }
    }

    pub(super) fn is_lent(&self, address: u64) -> bool {
        self.lent.range(..=address).next_back().is_some_and(|(_, &end)| address < end)
    }

    /// Forgets what was lent of a block; returns whether anything was.
    pub(super) fn forget_lent(&mut self, start: u64, bytes: u64) -> bool {
        let inside: Vec<u64> = self.lent.range(start..start + bytes.max(1)).map(|(&at, _)| at).collect();
        for at in &inside {
            self.lent.remove(at);
        }
        !inside.is_empty()
    }

    /// Keeps what is lent of these bytes inaccessible, whichever function has them now.
    #[cold]
    pub(super) fn keep_lent(&mut self, start: u64, bytes: u64) {
        for (&from, &to) in self.lent.range(..start + bytes) {
            let (from, to) = (from.max(start), to.min(start + bytes));
            if from < to {
                self.pages.close(from, to - from);
            }
        }
    }
}
