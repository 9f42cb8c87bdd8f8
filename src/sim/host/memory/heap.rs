//! The heap: small blocks in slots of equal size, large blocks in pages of their own.
//!
//! Each block is surrounded by inaccessible bytes. A freed block is not reused until many others have been
//! freed, so that a use after free is found.

use super::fault::{HostBlock, HostBlockKind};
use super::pages::{InitialContents, PAGE_BYTES, Pages};
use super::unwritten::UNWRITTEN;
use crate::evidence::HostAllocator;
use crate::memory::{HOST_HEAP_WINDOW, HOST_WINDOW_BYTES};
use std::collections::{HashMap, VecDeque};

/// Alignment of blocks.
const ALIGN_BYTES: u64 = 16;

/// Blocks larger than this have pages of their own.
const SMALL_BYTES: u64 = 32 << 10;

/// Bytes of the pages that hold slots of one size.
const SLOTS_BYTES: u64 = 256 << 10;

/// Inaccessible bytes after a small block: as many as it has, clamped to this range.
const GUARD_BYTES: (u64, u64) = (32, 2048);

/// Freed small blocks to keep in quarantine, in bytes.
const QUARANTINE_BYTES: u64 = 16 << 20;

/// The number of freed large blocks to keep in quarantine.
const QUARANTINE_LARGE: usize = 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Unused,
    Live,
    /// As `Live`, and not a leak.
    Permanent,
    Freed,
}

/// A slot that holds one block of the heap, or could.
#[derive(Clone, Copy, Debug)]
struct Slot {
    bytes: u64,
    state: State,
    by: HostAllocator,
    /// Source locations of the allocation and of the `free`, as numbered by the memory.
    made: u32,
    freed: u32,
    /// Rank of the allocation: earlier ones have smaller numbers.
    order: u64,
}

const UNUSED: Slot =
    Slot { bytes: 0, state: State::Unused, by: HostAllocator::C, made: 0, freed: 0, order: 0 };

#[derive(Debug)]
struct SlotRun {
    start: u64,
    /// Bytes from one slot to the next.
    stride: u64,
    slots: Vec<Slot>,
    /// Whether its pages hold a single large block.
    large: bool,
}

#[derive(Debug, Default)]
pub struct Heap {
    /// Runs of slots, by segment.
    runs: HashMap<u32, SlotRun>,
    /// Free slots by stride; the one that was freed last is at the end, and is used first.
    free: HashMap<u64, Vec<(u32, u32)>>,
    /// Segments of large blocks to reuse, by their number of pages.
    free_large: HashMap<u64, Vec<u32>>,
    quarantine: VecDeque<(u32, u32)>,
    quarantine_bytes: u64,
    quarantine_large: VecDeque<u32>,
    /// Bytes of the window that were handed out.
    used: u64,
    made: u64,
    /// Bytes of all live blocks.
    pub bytes: u64,
}

/// Where a block is: its segment and slot.
pub type SlotIndex = (u32, u32);

impl Heap {
    /// Allocates a block, marked as unwritten. `None` if there is no memory.
    pub fn allocate(
        &mut self,
        pages: &mut Pages,
        bytes: u64,
        align: u64,
        made: u32,
        permanent: bool,
    ) -> Option<u64> {
        let (segment, slot) = if bytes > SMALL_BYTES || align > ALIGN_BYTES {
            (self.large(pages, bytes)?, 0)
        } else {
            self.small(pages, stride_of(bytes))?
        };
        let run = self.runs.get_mut(&segment)?;
        let address = run.address(slot);
        self.made += 1;
        let state = if permanent { State::Permanent } else { State::Live };
        run.slots[slot as usize] = Slot { bytes, state, made, order: self.made, ..UNUSED };
        pages.open(address, bytes, UNWRITTEN);
        self.bytes += bytes;
        Some(address)
    }

    fn small(&mut self, pages: &mut Pages, stride: u64) -> Option<SlotIndex> {
        if let Some(place) = self.free.get_mut(&stride).and_then(Vec::pop) {
            return Some(place);
        }
        let start = self.room(SLOTS_BYTES)?;
        let segment = pages.map(start, SLOTS_BYTES, InitialContents::Uninitialised, None)?;
        // The bytes before the first slot guard it.
        let first = start + GUARD_BYTES.0;
        let count = (SLOTS_BYTES - GUARD_BYTES.0) / stride;
        let run = SlotRun { start: first, stride, slots: vec![UNUSED; count as usize], large: false };
        self.runs.insert(segment, run);
        let free = self.free.entry(stride).or_default();
        free.extend((0..count as u32).rev().map(|slot| (segment, slot)));
        free.pop()
    }

    fn large(&mut self, pages: &mut Pages, bytes: u64) -> Option<u32> {
        let count = bytes.div_ceil(PAGE_BYTES).max(1);
        let known = self.free_large.get_mut(&count).and_then(Vec::pop);
        let start = match known {
            Some(segment) => self.runs.get(&segment)?.start,
            None => self.room(count * PAGE_BYTES)?,
        };
        let segment = pages.map(start, bytes, InitialContents::Uninitialised, known)?;
        let run = SlotRun { start, stride: count * PAGE_BYTES, slots: vec![UNUSED], large: true };
        self.runs.insert(segment, run);
        Some(segment)
    }

    /// Reserves addresses of the window, with unused ones after them.
    fn room(&mut self, bytes: u64) -> Option<u64> {
        let bytes = bytes.checked_add(PAGE_BYTES)?.next_multiple_of(PAGE_BYTES);
        if self.used.checked_add(bytes)? > HOST_WINDOW_BYTES {
            return None;
        }
        let start = HOST_HEAP_WINDOW + self.used;
        self.used += bytes;
        Some(start)
    }

    /// Returns the live block that starts at an address, and its size in bytes.
    pub fn starts(&self, pages: &Pages, address: u64) -> Option<(SlotIndex, u64)> {
        let segment = pages.segment_of(address)?;
        let run = self.runs.get(&segment)?;
        let slot = run.slot_of(address)?;
        let its = run.slots[slot as usize];
        let live = matches!(its.state, State::Live | State::Permanent);
        (live && run.address(slot) == address).then_some(((segment, slot), its.bytes))
    }

    /// Sets what allocated a block.
    pub fn set_allocator(&mut self, (segment, slot): SlotIndex, by: HostAllocator) {
        if let Some(its) = self.runs.get_mut(&segment).and_then(|run| run.slots.get_mut(slot as usize)) {
            its.by = by;
        }
    }

    /// Returns what allocated the live block that starts at an address, and its source location.
    pub fn allocator(&self, pages: &Pages, address: u64) -> Option<(HostAllocator, u32)> {
        let ((segment, slot), _) = self.starts(pages, address)?;
        let its = self.runs.get(&segment)?.slots.get(slot as usize)?;
        Some((its.by, its.made))
    }

    /// Frees a block; with `for_good`, its address is never reused.
    pub fn free(&mut self, pages: &mut Pages, place: SlotIndex, freed: u32, for_good: bool) {
        let Some(run) = self.runs.get_mut(&place.0) else { return };
        let address = run.address(place.1);
        let Some(slot) = run.slots.get_mut(place.1 as usize) else { return };
        let bytes = slot.bytes;
        (slot.state, slot.freed) = (State::Freed, freed);
        self.bytes -= bytes;
        if run.large {
            pages.unmap(place.0);
            if !for_good {
                self.quarantine_large.push_back(place.0);
            }
            if self.quarantine_large.len() > QUARANTINE_LARGE
                && let Some(segment) = self.quarantine_large.pop_front()
                && let Some(run) = self.runs.get(&segment)
            {
                self.free_large.entry(run.stride / PAGE_BYTES).or_default().push(segment);
            }
            return;
        }
        pages.close(address, bytes);
        if for_good {
            return;
        }
        self.quarantine_bytes += run.stride;
        self.quarantine.push_back(place);
        while self.quarantine_bytes > QUARANTINE_BYTES {
            let Some(place) = self.quarantine.pop_front() else { break };
            let Some(run) = self.runs.get(&place.0) else { continue };
            self.quarantine_bytes -= run.stride;
            self.free.entry(run.stride).or_default().push(place);
        }
    }

    /// Returns the block that contains an address, or else the nearest one, with the source locations of its
    /// allocation and its `free`.
    pub fn nearest(&self, pages: &Pages, address: u64) -> Option<(HostBlock, u32, u32)> {
        let segments = match pages.segment_of(address) {
            Some(segment) => [Some(segment), None],
            None => pages.segments_around(address),
        };
        let runs = segments.into_iter().flatten().filter_map(|segment| self.runs.get(&segment));
        let away = |(b, ..): &(HostBlock, u32, u32)| {
            let end = b.start + b.bytes;
            if address < b.start { b.start - address } else { (address + 1).saturating_sub(end) }
        };
        runs.flat_map(|run| run.around(address)).min_by_key(away)
    }

    /// Returns the blocks that are live and not permanent, in the order of their allocation: address, size in
    /// bytes, and source location.
    pub fn live(&self) -> Vec<(u64, u64, u32)> {
        let mut found: Vec<(u64, (u64, u64, u32))> = Vec::new();
        for run in self.runs.values() {
            for (n, slot) in run.slots.iter().enumerate().filter(|(_, s)| s.state == State::Live) {
                found.push((slot.order, (run.address(n as u32), slot.bytes, slot.made)));
            }
        }
        found.sort_unstable();
        found.into_iter().map(|(_, block)| block).collect()
    }
}

impl SlotRun {
    fn address(&self, slot: u32) -> u64 {
        self.start + slot as u64 * self.stride
    }

    /// Returns the blocks in the slot nearest to an address and in its neighbours, with the source locations of
    /// their allocation and their `free`.
    fn around(&self, address: u64) -> impl Iterator<Item = (HostBlock, u32, u32)> + '_ {
        let last = self.slots.len() - 1;
        let at = (address.saturating_sub(self.start) / self.stride).min(last as u64) as usize;
        (at.saturating_sub(1)..=(at + 1).min(last)).filter_map(|n| {
            let slot = self.slots[n];
            let kind = match slot.state {
                State::Unused => return None,
                State::Freed => HostBlockKind::Freed,
                State::Live | State::Permanent => HostBlockKind::Heap,
            };
            let block = HostBlock { start: self.address(n as u32), bytes: slot.bytes, kind };
            Some((block, slot.made, slot.freed))
        })
    }

    fn slot_of(&self, address: u64) -> Option<u32> {
        let slot = address.checked_sub(self.start)? / self.stride;
        (slot < self.slots.len() as u64).then_some(slot as u32)
    }
}

/// Returns the distance between slots for blocks of a size: the block and the guard after it, rounded up to one
/// of few sizes.
fn stride_of(bytes: u64) -> u64 {
    let need = bytes + bytes.clamp(GUARD_BYTES.0, GUARD_BYTES.1);
    let step = (need.next_power_of_two() / 8).max(ALIGN_BYTES);
    need.next_multiple_of(step)
}
