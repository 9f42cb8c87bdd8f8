//! The heap: small blocks in slots of one size, large ones in pages of their own.
//!
//! Around each block lie bytes that nobody may access. A freed block is not used again before
//! many others were freed, so that a later use of it is found.

use super::fault::{HostBlock, HostBlockKind};
use super::pages::{Begins, PAGE_BYTES, Pages};
use super::unwritten::UNWRITTEN;
use crate::memory::{HOST_HEAP_WINDOW, HOST_WINDOW_BYTES};
use std::collections::{HashMap, VecDeque};

/// Blocks begin at multiples of this.
const ALIGN_BYTES: u64 = 16;

/// Blocks above this have pages of their own.
const SMALL_BYTES: u64 = 32 << 10;

/// Bytes of the pages that hold slots of one size.
const SLOTS_BYTES: u64 = 256 << 10;

/// Inaccessible bytes behind a small block: as many as it has, within these.
const GUARD_BYTES: (u64, u64) = (32, 2048);

/// Freed small blocks kept from use, in bytes.
const QUARANTINE_BYTES: u64 = 16 << 20;

/// Freed large blocks whose addresses are kept from use.
const QUARANTINE_LARGE: usize = 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Unused,
    Live,
    /// As live, and no leak when it stays.
    Permanent,
    Freed,
}

/// One block of the heap, or room for one.
#[derive(Clone, Copy, Debug)]
struct Slot {
    bytes: u64,
    state: State,
    /// Places in the source of its making and its end, as the memory numbers them.
    made: u32,
    freed: u32,
    /// Blocks made before it.
    order: u64,
}

const UNUSED: Slot = Slot { bytes: 0, state: State::Unused, made: 0, freed: 0, order: 0 };

#[derive(Debug)]
struct Run {
    start: u64,
    /// From one slot to the next.
    stride: u64,
    slots: Vec<Slot>,
    /// Pages of its own, for one large block.
    large: bool,
}

#[derive(Debug, Default)]
pub struct Heap {
    /// By segment.
    runs: HashMap<u32, Run>,
    /// Free slots by stride, the last freed first.
    free: HashMap<u64, Vec<(u32, u32)>>,
    /// Segments of large blocks to be used again, by pages.
    free_large: HashMap<u64, Vec<u32>>,
    quarantine: VecDeque<(u32, u32)>,
    quarantine_bytes: u64,
    quarantine_large: VecDeque<u32>,
    /// Bytes of the window that were given out.
    used: u64,
    made: u64,
    /// Bytes of live blocks.
    pub bytes: u64,
}

/// Where a block is kept: its segment and slot.
pub type SlotIndex = (u32, u32);

impl Heap {
    /// A new block, marked as unwritten. `None`: no memory.
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
        run.slots[slot as usize] = Slot { bytes, state, made, freed: 0, order: self.made };
        pages.set_accessible(address, bytes, true);
        pages.fill(address, bytes, UNWRITTEN);
        self.bytes += bytes;
        Some(address)
    }

    fn small(&mut self, pages: &mut Pages, stride: u64) -> Option<SlotIndex> {
        if let Some(place) = self.free.get_mut(&stride).and_then(Vec::pop) {
            return Some(place);
        }
        let start = self.room(SLOTS_BYTES)?;
        let segment = pages.map(start, SLOTS_BYTES, Begins::Unset, None)?;
        // What lies before the first slot guards it.
        let first = start + GUARD_BYTES.0;
        let count = (SLOTS_BYTES - GUARD_BYTES.0) / stride;
        let run = Run { start: first, stride, slots: vec![UNUSED; count as usize], large: false };
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
        let segment = pages.map(start, bytes, Begins::Unset, known)?;
        let run = Run { start, stride: count * PAGE_BYTES, slots: vec![UNUSED], large: true };
        self.runs.insert(segment, run);
        Some(segment)
    }

    /// Addresses of the window, with unused pages behind them.
    fn room(&mut self, bytes: u64) -> Option<u64> {
        let bytes = bytes.checked_add(PAGE_BYTES)?.next_multiple_of(PAGE_BYTES);
        if self.used.checked_add(bytes)? > HOST_WINDOW_BYTES {
            return None;
        }
        let start = HOST_HEAP_WINDOW + self.used;
        self.used += bytes;
        Some(start)
    }

    /// The live block that starts at an address.
    pub fn starts(&self, pages: &Pages, address: u64) -> Option<(SlotIndex, u64)> {
        let segment = pages.segment_of(address)?;
        let run = self.runs.get(&segment)?;
        let slot = run.slot_of(address)?;
        let its = run.slots[slot as usize];
        let live = matches!(its.state, State::Live | State::Permanent);
        (live && run.address(slot) == address).then_some(((segment, slot), its.bytes))
    }

    /// With `for_good` its address is never used again.
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
        pages.set_accessible(address, bytes, false);
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

    /// The block that an address lies in, or else the nearest, with the places of its making and
    /// its end.
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

    /// Blocks that are live and not permanent: address, bytes, place; in the order of their making.
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

impl Run {
    fn address(&self, slot: u32) -> u64 {
        self.start + slot as u64 * self.stride
    }

    /// The blocks in the slot nearest to an address and in its neighbours, with the places of their
    /// making and their end.
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

/// From one slot to the next, for blocks of so many bytes: with the guard behind them, rounded up
/// so that few sizes are told apart.
fn stride_of(bytes: u64) -> u64 {
    let need = bytes + bytes.clamp(GUARD_BYTES.0, GUARD_BYTES.1);
    let step = (need.next_power_of_two() / 8).max(ALIGN_BYTES);
    need.next_multiple_of(step)
}
