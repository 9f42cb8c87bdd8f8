//! The locality of accesses, as far as the run time depends on it: hits and misses in caches.
//!
//! The L2 cache is simulated over the whole grid ([`super::l2`]). L1 caches are simulated for some blocks only
//! (those whose index is 0 or a power of four), so that it costs little. The loads of such a block are gathered
//! warp by warp, then replayed as a multiprocessor would see them, the warps alternating, through caches of
//! several sizes.

use crate::code::DecodedModule;
use crate::counts::{CACHE_BYTES, Counts, Pace};
use crate::engine::findings::FindingLog;
use crate::engine::observer::{Event, MemorySpace, Observer, Start};
use crate::finding::AccessKind;
use crate::kernel_code::KernelContext;
use crate::lanes::lanes_of;
use crate::memory::shape::{Run, Shape};

const SECTOR: u64 = 32;
/// Sectors that share a tag.
const LINE_SECTORS: u64 = 4;
/// Most sectors gathered for a block; a longer block is judged by its beginning.
const MAX_SECTORS: usize = 1 << 16;
/// Associativity of the simulated L1 cache.
const WAYS: usize = 8;
/// An access whose lanes are within this many bytes is taken to touch all bytes of that range.
const CLOSE_BYTES: u64 = 512;

/// The observer that measures the locality of accesses.
#[derive(Debug, Default)]
pub struct LocalityMeter {
    /// Whether the loads of the running block are gathered.
    sampling: bool,
    /// For each warp, the sectors of its loads; each request ends with [`END`].
    gathered: Vec<Vec<u64>>,
    sectors: usize,
    pace: Pace,
}

/// Marks the end of a request among gathered sectors; no sector has this number.
const END: u64 = u64::MAX;

/// Returns whether a block is sampled: block 0, and those whose index is a power of four.
fn sampled(block: u64) -> bool {
    block == 0 || (block.is_power_of_two() && block.trailing_zeros().is_multiple_of(2))
}

impl LocalityMeter {
    /// Records the lines of an access.
    #[inline(always)]
    fn note(&mut self, event: &Event, shape: &Shape, writes: bool) {
        let low = event.first.wrapping_add(shape.low as u64);
        let bytes = (shape.high.wrapping_sub(shape.low) as u64).saturating_add(u64::from(event.width.max(1)));
        if bytes <= CLOSE_BYTES {
            self.note_stretch(low, bytes, writes);
        } else if let Some(runs) = shape.runs() {
            for run in runs {
                let lanes = if run.rising { u64::from(run.lanes) } else { 1 };
                let at = event.first.wrapping_add(run.offset as i64 as u64);
                self.note_stretch(at, lanes * u64::from(event.width.max(1)), writes);
            }
        } else {
            self.note_lanes(event, shape, writes);
        }
    }

    /// Returns the byte ranges that [`LocalityMeter::note`] records for an access whose first lane is at address
    /// 0: the start and length of each. `None` where it records each lane separately.
    pub fn stretches(shape: &Shape) -> Option<Vec<(i64, u64)>> {
        let width = u64::from(shape.width.max(1));
        let bytes = (shape.high.wrapping_sub(shape.low) as u64).saturating_add(width);
        if bytes <= CLOSE_BYTES {
            return Some(vec![(shape.low, bytes)]);
        }
        let of =
            |run: &Run| (i64::from(run.offset), if run.rising { u64::from(run.lanes) } else { 1 } * width);
        Some(shape.runs()?.iter().map(of).collect())
    }

    #[inline(always)]
    fn note_stretch(&mut self, low: u64, bytes: u64, writes: bool) {
        let (first, last) = (low / SECTOR, low.saturating_add(bytes - 1) / SECTOR);
        for line in first / LINE_SECTORS..=last / LINE_SECTORS {
            self.note_sectors(line, first, last, writes);
        }
    }

    /// Records those sectors of a line that are within `first..=last`.
    #[inline(always)]
    fn note_sectors(&mut self, line: u64, first: u64, last: u64, writes: bool) {
        let start = line * LINE_SECTORS;
        let (from, to) = (first.max(start) - start, (last - start).min(LINE_SECTORS - 1));
        let mask = (1 << (to + 1)) - (1 << from);
        self.pace.trace.note(line, mask, writes);
    }

    #[inline(never)]
    fn note_lanes(&mut self, event: &Event, shape: &Shape, writes: bool) {
        for lane in lanes_of(event.mask) {
            let at = event.first.wrapping_add(shape.offsets[lane]);
            self.note_stretch(at, u64::from(event.width.max(1)), writes);
        }
    }

    #[inline(never)]
    fn gather(&mut self, event: &Event, shape: &Shape) {
        if self.sectors >= MAX_SECTORS {
            return;
        }
        let Some(warp) = self.gathered.get_mut(event.warp as usize) else { return };
        let start = warp.len();
        let width = u64::from(event.width.max(1));
        // One past the highest sector so far: no sector from there on has been pushed.
        let mut fresh = 0;
        let mut push = |from: u64, bytes: u64| {
            let to = from.saturating_add(bytes - 1);
            for sector in from / SECTOR..=to / SECTOR {
                if sector >= fresh {
                    fresh = sector + 1;
                } else if warp[start..].contains(&sector) {
                    continue;
                }
                warp.push(sector);
            }
        };
        match shape.runs() {
            Some(runs) => {
                for run in runs {
                    let lanes = if run.rising { u64::from(run.lanes) } else { 1 };
                    push(event.first.wrapping_add(run.offset as i64 as u64), lanes * width);
                }
            }
            None => lanes_of(event.mask)
                .for_each(|lane| push(event.first.wrapping_add(shape.offsets[lane]), width)),
        }
        self.sectors += warp.len() - start;
        warp.push(END);
    }

    /// Replays the gathered loads through the caches.
    fn replay(&mut self) {
        let mut caches: Vec<Cache> = CACHE_BYTES.iter().map(|bytes| Cache::new(*bytes)).collect();
        let mut places = vec![0usize; self.gathered.len()];
        let mut left = true;
        while left {
            left = false;
            for (warp, place) in self.gathered.iter().zip(&mut places) {
                while let Some(&sector) = warp.get(*place) {
                    *place += 1;
                    if sector == END {
                        break;
                    }
                    left = true;
                    self.pace.sampled_sectors += 1;
                    for (cache, hits) in caches.iter_mut().zip(&mut self.pace.sampled_hits) {
                        *hits += u64::from(cache.load(sector));
                    }
                }
            }
        }
        self.gathered.iter_mut().for_each(Vec::clear);
        self.sectors = 0;
    }
}

/// A set-associative cache of lines of four sectors, each fetched when first requested; the least recently used
/// line of a set is replaced.
struct Cache {
    /// For each set, its lines from the most recently used one: the tag, and the sectors present. The number of
    /// sets is a power of two.
    sets: Vec<[(u64, u8); WAYS]>,
}

impl Cache {
    fn new(bytes: u64) -> Cache {
        let sets = (bytes / (SECTOR * LINE_SECTORS) / WAYS as u64).next_power_of_two();
        Cache { sets: vec![[(u64::MAX, 0); WAYS]; sets as usize] }
    }

    /// Loads a sector. Returns whether the cache had it already.
    fn load(&mut self, sector: u64) -> bool {
        let (line, bit) = (sector / LINE_SECTORS, 1u8 << (sector % LINE_SECTORS));
        // Lines at a large stride must not all map to one set.
        let mixed = line ^ line >> 7 ^ line >> 15;
        let mask = self.sets.len() - 1;
        let set = &mut self.sets[mixed as usize & mask];
        if set[0].0 == line {
            let had = set[0].1 & bit != 0;
            set[0].1 |= bit;
            return had;
        }
        let way = set.iter().position(|(tag, _)| *tag == line);
        let mut entry = way.map_or((line, 0), |way| set[way]);
        let had = entry.1 & bit != 0;
        entry.1 |= bit;
        set.copy_within(..way.unwrap_or(WAYS - 1), 1);
        set[0] = entry;
        had
    }
}

impl Observer for LocalityMeter {
    type World = ();

    fn can_run_compiled(&self) -> bool {
        !self.sampling
    }

    fn prepare_compiled(&mut self, to: &mut KernelContext) {
        to.trace_mask = self.pace.trace.mask();
    }

    fn note_line(&mut self, line: u64, first: u64, last: u64, writes: bool) -> u64 {
        self.note_sectors(line, first, last, writes);
        self.pace.trace.mask()
    }

    fn next_block(&mut self, block: u64) {
        self.block_complete();
        self.sampling = sampled(block);
    }

    fn block_begin(&mut self, start: &Start) {
        self.sampling = sampled(start.block);
        self.gathered.resize_with(start.warps, Vec::new);
    }

    #[inline(always)]
    fn count_access(&mut self, event: &Event, shape: &mut Shape) {
        match (event.place, event.kind) {
            // The GPU's caches hold no host memory.
            (MemorySpace::Global, _) if event.host => {}
            (MemorySpace::Global, AccessKind::Read) => {
                self.note(event, shape, false);
                // Bulk copies bypass the L1 cache.
                if self.sampling && !event.role.bulk {
                    self.gather(event, shape);
                }
            }
            (MemorySpace::Global, AccessKind::Write) => self.note(event, shape, true),
            (MemorySpace::Global, AccessKind::Atomic) => {
                self.note(event, shape, false);
                self.note(event, shape, true);
            }
            _ => {}
        }
    }

    #[inline(always)]
    fn memory_access(&mut self, event: &Event, shape: &mut Shape, _: &mut FindingLog) {
        self.count_access(event, shape);
    }

    fn block_complete(&mut self) {
        if self.sampling {
            self.replay();
        }
    }

    fn restrict_trace(&mut self, level: u32) {
        self.pace.trace.restrict(level);
    }

    fn add_counts(&self, _: &DecodedModule, counts: &mut Counts) {
        counts.pace.add(&self.pace);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_keeps_what_was_used_last() {
        let mut cache = Cache::new(4096);
        let lines = |n: u64| (0..n).map(|line| line * LINE_SECTORS);
        let hits = |cache: &mut Cache, n: u64| lines(n).filter(|s| cache.load(*s)).count();
        assert_eq!(hits(&mut cache, 32), 0);
        assert_eq!(hits(&mut cache, 32), 32, "32 lines fit 4 KiB");
        assert!(!cache.load(1), "another sector of a line that is there is fetched");
        assert_eq!(hits(&mut cache, 4096), 32);
        assert_eq!(hits(&mut cache, 4096), 0, "a sweep of more than it holds throws all out");
    }

    #[test]
    fn few_blocks_are_looked_at() {
        assert_eq!((0..1 << 20).filter(|b| sampled(*b)).collect::<Vec<_>>().len(), 11);
    }
}
