//! Measures contention of atomics: at the L2 slices that process them, at one word, or at one address of shared
//! memory.
//!
//! A warp's atomics on global memory are sent as one packet for each sector (of 8 sectors on an H100,
//! `lts__t_sectors_op_red` counts 12; of 32, 48). A slice processes one packet after the other, and lanes at the
//! same word one after the other; it owns all of a stretch of [`STRETCH_BYTES`]: atomics of 32 lanes at 32, 64,
//! 256, 1024 consecutive words take as long, as long, half as long, an eighth as long (`atomics_int` in
//! `tests/timing/constants.py`). Blocks that are far apart in the grid do not run at the same time, so they are
//! counted in separate windows.

use super::atomic_trace::{AtomicTrace, add};
use crate::code::DecodedModule;
use crate::counts::{Contention, Counts};
use crate::engine::findings::FindingLog;
use crate::engine::observer::{Event, MemorySpace, Observer, Start};
use crate::finding::AccessKind;
use crate::lanes::{File, LANES, lanes_of};
use crate::memory::access::Action;
use crate::memory::shape::Shape;
use std::collections::BTreeMap;

const SECTOR: u64 = 32;
/// Consecutive bytes that belong to one slice.
const STRETCH_BYTES: u64 = 512;
const SLICES: usize = 64;
/// Number of counters for words; a word uses the counter of its number modulo this.
const WORDS: usize = 4096;
/// Consecutive blocks that may run at the same time.
const WINDOW: u64 = 1024;

/// The observer that measures contention of atomics.
#[derive(Debug, Default)]
pub struct AtomicMeter {
    window: u64,
    windows: BTreeMap<u64, Vec<u64>>,
    /// Operations on each word, by instruction.
    words: Vec<(u32, Vec<u64>)>,
    shared_passes: u64,
}

impl AtomicMeter {
    #[inline(never)]
    fn global(&mut self, event: &Event, shape: &Shape) {
        let slices = self.windows.entry(self.window).or_insert_with(|| vec![0; SLICES]);
        let known = self.words.iter().position(|(pc, _)| *pc == event.pc);
        let known = known.unwrap_or_else(|| {
            self.words.push((event.pc, vec![0; WORDS]));
            self.words.len() - 1
        });
        let words = &mut self.words[known].1;
        // Each sector, and how many lanes access each of its eight words.
        let mut packets = [(0u64, [0u8; 8]); LANES];
        let mut count = 0;
        for lane in lanes_of(event.mask) {
            let address = event.first.wrapping_add(shape.offsets[lane]);
            let (sector, word) = (address / SECTOR, address / 4);
            words[(word % WORDS as u64) as usize] += 1;
            let at = packets[..count].iter().position(|(known, _)| *known == sector).unwrap_or(count);
            if at == count {
                packets[at] = (sector, [0; 8]);
                count += 1;
            }
            packets[at].1[(word % 8) as usize] += 1;
        }
        for (sector, lanes) in &packets[..count] {
            let stretch = sector / (STRETCH_BYTES / SECTOR);
            let slice = (stretch ^ stretch >> 6 ^ stretch >> 12) % SLICES as u64;
            slices[slice as usize] += u64::from(lanes.iter().copied().max().unwrap_or(1));
        }
    }

    /// Adds the largest number of lanes at one address of shared memory.
    #[inline(never)]
    fn shared(&mut self, event: &Event, shape: &Shape) {
        let mut seen = [0u64; LANES];
        let mut most = 0;
        let active = lanes_of(event.mask);
        for (count, lane) in active.enumerate() {
            let address = event.first.wrapping_add(shape.offsets[lane]);
            most = most.max(1 + seen[..count].iter().filter(|a| **a == address).count());
            seen[count] = address;
        }
        self.shared_passes += most as u64;
    }
}

/// Returns whether an atomic instruction adds floats: decided by applying it to two ones.
fn adds_floats(code: &DecodedModule, pc: u32) -> bool {
    let Some(op) = code.access_at(pc) else { return false };
    let Action::Atomic { apply, .. } = op.action else { return false };
    let (one, two) = match op.file {
        File::R64 => (1f64.to_bits(), 2f64.to_bits()),
        _ => (u64::from(1f32.to_bits()), u64::from(2f32.to_bits())),
    };
    apply(one, one, 0) == two
}

impl Observer for AtomicMeter {
    type World = ();

    fn block_begin(&mut self, start: &Start) {
        self.window = start.block / WINDOW;
    }

    fn next_block(&mut self, block: u64) {
        self.window = block / WINDOW;
    }

    #[inline(always)]
    fn memory_access(&mut self, event: &Event, shape: &mut Shape, _: &mut FindingLog) {
        if event.kind == AccessKind::Atomic {
            match event.place {
                MemorySpace::Global => self.global(event, shape),
                MemorySpace::Shared => self.shared(event, shape),
                _ => {}
            }
        }
    }

    fn add_counts(&self, code: &DecodedModule, counts: &mut Counts) {
        let mut trace = AtomicTrace { windows: self.windows.clone(), ..AtomicTrace::default() };
        for (pc, words) in &self.words {
            add(&mut trace.words[usize::from(adds_floats(code, *pc))], words);
        }
        let shared_passes = self.shared_passes;
        counts.pace.atomics.add(&Contention { trace, shared_passes, ..Contention::default() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_follow_each_other_and_words_add_up() {
        let part = |window: u64, slice: usize| {
            let mut slices = vec![0; SLICES];
            slices[slice] = 10;
            AtomicTrace { windows: BTreeMap::from([(window, slices)]), words: [vec![0, 3], Vec::new()] }
        };
        let mut all = AtomicTrace::default();
        for (window, slice) in [(0, 1), (0, 2), (1, 1), (1, 1)] {
            all.add(&part(window, slice));
        }
        // Slices 1 and 2 side by side, then slice 1 twice.
        assert_eq!(all.slice(), 30);
        assert_eq!(all.words(), [12, 0]);
    }
}
