//! The traffic that passes the L2 cache, for caches of several sizes.
//!
//! Accesses to global memory are recorded by 128-byte line, in the order of blocks. There are too many to keep, so
//! lines are sampled by a hash: when a trace grows past [`MAX_ENTRIES`], half of the lines are dropped. Which
//! lines are left depends only on the whole trace, not on how it was divided into parts, so any number of host
//! threads gives the same result. A cache smaller by the sampling factor misses as often on the sample as the full
//! cache would on all accesses.

use crate::kernel_code::line_hash as hash;

/// Most entries that are kept.
const MAX_ENTRIES: usize = 1 << 15;
/// Simulated sizes of the L2 cache, in bytes.
pub const L2_BYTES: [u64; 6] = [1 << 20, 4 << 20, 16 << 20, 32 << 20, 64 << 20, 256 << 20];
const LINE_BYTES: u64 = 128;

/// Sectors that would be transferred from and to device memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct L2Traffic {
    pub read_sectors: u64,
    pub written_sectors: u64,
    /// Pairs of sectors that contain those read, for memory that is read 64 bytes at a time.
    pub read_pairs: u64,
}

/// The accesses to sampled lines, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineTrace {
    /// Lines are kept whose hash is a multiple of 2 to this power.
    level: u32,
    /// For each access: the line (from bit 5), the mask of its sectors (bits 1 to 4), whether it writes (bit 0).
    entries: Vec<u64>,
}

/// How many levels there are.
const LEVELS: usize = 40;

/// What is known about a launch's trace while parts of the launch have not run.
#[derive(Debug)]
pub struct PartialTrace {
    /// How many entries the parts that have run have at each level; for each of them, from its own level on.
    entries: [u64; LEVELS],
    parts: u64,
    level: u32,
}

fn kept(entry: u64, level: u32) -> bool {
    hash(entry >> 5).trailing_zeros() >= level
}

impl LineTrace {
    /// Returns a mask of those bits of a line's hash that are all zero where the line is kept.
    pub fn mask(&self) -> u64 {
        (1 << self.level) - 1
    }

    /// Drops the lines that are not kept at a level.
    pub fn restrict(&mut self, level: u32) {
        if level > self.level {
            self.level = level;
            self.filter();
        }
    }

    /// Returns how many entries are left at each level, from this one's on.
    fn entries_by_level(&self) -> [u64; LEVELS] {
        let (mut counts, mut last) = ([0; LEVELS], [u64::MAX; LEVELS]);
        for &entry in &self.entries {
            let end = (hash(entry >> 5).trailing_zeros() as usize + 1).min(LEVELS);
            for level in self.level as usize..end {
                counts[level] += u64::from(std::mem::replace(&mut last[level], entry) != entry);
            }
        }
        counts
    }

    /// Records that the sectors in `mask` of `line` (its address divided by 128) are read or written.
    #[inline(always)]
    pub fn note(&mut self, line: u64, mask: u64, writes: bool) {
        if hash(line & u64::MAX >> 5).trailing_zeros() < self.level {
            return;
        }
        let entry = line << 5 | mask << 1 | u64::from(writes);
        // An immediate repetition changes nothing.
        if self.entries.last() != Some(&entry) {
            self.entries.push(entry);
            self.shrink();
        }
    }

    fn shrink(&mut self) {
        while self.entries.len() > MAX_ENTRIES && (self.level as usize) < LEVELS {
            self.level += 1;
            self.filter();
        }
    }

    /// Drops lines that the level no longer keeps, and entries that then repeat the previous one.
    fn filter(&mut self) {
        let level = self.level;
        self.entries.retain(|entry| kept(*entry, level));
        self.entries.dedup();
    }

    /// Appends the accesses of later blocks.
    pub fn add(&mut self, later: &LineTrace) {
        self.restrict(later.level);
        let level = self.level;
        for entry in later.entries.iter().filter(|entry| kept(**entry, level)) {
            if self.entries.last() != Some(entry) {
                self.entries.push(*entry);
            }
        }
        self.shrink();
    }

    /// Returns whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the traffic past caches of each of [`L2_BYTES`], which are empty at the start; what they hold at
    /// the end is not written back.
    pub fn traffic(&self) -> [L2Traffic; L2_BYTES.len()] {
        let (numbers, lines) = self.numbered();
        let mut all: Option<L2Traffic> = None;
        L2_BYTES.map(|bytes| {
            let capacity = ((bytes / LINE_BYTES) >> self.level).max(1).min(lines as u64) as u32;
            // All caches that hold every line have the same traffic.
            let found = match all {
                Some(known) if capacity as usize == lines => known,
                _ if self.entries.len() == lines => past_without_reuse(&self.entries, capacity),
                _ => Lru::replay(&self.entries, &numbers, lines, capacity),
            };
            if capacity as usize == lines {
                all = Some(found);
            }
            L2Traffic {
                read_sectors: found.read_sectors << self.level,
                written_sectors: found.written_sectors << self.level,
                read_pairs: found.read_pairs << self.level,
            }
        })
    }

    /// Returns for each entry the number of its line, and how many lines there are.
    fn numbered(&self) -> (Vec<u32>, usize) {
        const FREE: u64 = u64::MAX;
        let slots = (self.entries.len() * 2).next_power_of_two();
        let mut table = vec![(FREE, 0u32); slots];
        let mut lines = 0;
        let number = |entry: &u64| {
            let line = entry >> 5;
            // The low bits of the hash are all zero: they select which lines are kept.
            let mut at = (hash(line) >> self.level) as usize & (slots - 1);
            while table[at].0 != line {
                if table[at].0 == FREE {
                    table[at] = (line, lines);
                    lines += 1;
                    break;
                }
                at = (at + 1) & (slots - 1);
            }
            table[at].1
        };
        let numbers = self.entries.iter().map(number).collect();
        (numbers, lines as usize)
    }
}

impl Default for PartialTrace {
    fn default() -> PartialTrace {
        PartialTrace { entries: [0; LEVELS], parts: 0, level: 0 }
    }
}

impl PartialTrace {
    /// Adds the trace of another part of the launch. Returns a level that the launch's trace will have at least, so that other
    /// parts need not keep more.
    pub fn add(&mut self, part: &LineTrace) -> u32 {
        self.level = self.level.max(part.level);
        self.parts += 1;
        for (sum, more) in self.entries.iter_mut().zip(part.entries_by_level()) {
            *sum += more;
        }
        // Where parts meet, an entry may repeat the one before it.
        let is_too_many = |level: u32| {
            let entries = self.entries.get(level as usize);
            entries.is_some_and(|entries| *entries > MAX_ENTRIES as u64 + self.parts)
        };
        while is_too_many(self.level) {
            self.level += 1;
        }
        self.level
    }
}

/// Returns the traffic past a cache of `capacity` lines if each line is accessed once: the first ones make room for the last.
fn past_without_reuse(entries: &[u64], capacity: u32) -> L2Traffic {
    let replaced = entries.len() - capacity as usize;
    let mut traffic = L2Traffic::default();
    for (n, entry) in entries.iter().enumerate() {
        let (mask, writes) = (entry >> 1 & 15, entry & 1 != 0);
        let sectors = u64::from(mask.count_ones());
        if !writes {
            traffic.read_sectors += sectors;
            traffic.read_pairs += [3, 12].iter().filter(|pair| mask & **pair != 0).count() as u64;
        } else if n < replaced {
            traffic.written_sectors += sectors;
        }
    }
    traffic
}

/// A fully associative cache with least-recently-used replacement.
struct Lru {
    /// The lines by number, and a sentinel that precedes the most and follows the least recently used one.
    lines: Vec<Line>,
    count: u32,
    capacity: u32,
    traffic: L2Traffic,
}

#[derive(Clone, Copy, Default)]
struct Line {
    present: bool,
    valid: u8,
    /// Sectors fetched along with the requested ones where memory is read in pairs.
    paired: u8,
    dirty: u8,
    before: u32,
    after: u32,
}

impl Lru {
    /// Returns the traffic past a cache of `capacity` lines.
    fn replay(entries: &[u64], numbers: &[u32], lines: usize, capacity: u32) -> L2Traffic {
        let end = Line { before: lines as u32, after: lines as u32, ..Line::default() };
        let mut cache =
            Lru { lines: vec![end; lines + 1], count: 0, capacity, traffic: L2Traffic::default() };
        for (entry, &line) in entries.iter().zip(numbers) {
            cache.access(line, (entry >> 1 & 15) as u8, entry & 1 != 0);
        }
        cache.traffic
    }

    fn unlink(&mut self, line: u32) {
        let Line { before, after, .. } = self.lines[line as usize];
        self.lines[before as usize].after = after;
        self.lines[after as usize].before = before;
    }

    fn put_first(&mut self, line: u32) {
        let end = self.lines.len() - 1;
        let first = self.lines[end].after;
        (self.lines[line as usize].before, self.lines[line as usize].after) = (end as u32, first);
        self.lines[first as usize].before = line;
        self.lines[end].after = line;
    }

    fn access(&mut self, line: u32, mask: u8, writes: bool) {
        if self.lines[line as usize].present {
            self.unlink(line);
        } else {
            if self.count == self.capacity {
                let last = self.lines[self.lines.len() - 1].before;
                self.unlink(last);
                let old = &mut self.lines[last as usize];
                self.traffic.written_sectors += u64::from(old.dirty.count_ones());
                old.present = false;
                self.count -= 1;
            }
            self.count += 1;
            let its = &mut self.lines[line as usize];
            (its.present, its.valid, its.paired, its.dirty) = (true, 0, 0, 0);
        }
        let its = &mut self.lines[line as usize];
        if writes {
            its.dirty |= mask;
        } else {
            self.traffic.read_sectors += u64::from((mask & !its.valid).count_ones());
            for pair in [3, 12] {
                if mask & !its.valid & !its.paired & pair != 0 {
                    self.traffic.read_pairs += 1;
                    its.paired |= pair;
                }
            }
        }
        its.valid |= mask;
        self.put_first(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sweeps(lines: u64, times: u64, parts: u64) -> LineTrace {
        let mut all = LineTrace::default();
        for part in 0..parts {
            let mut trace = LineTrace::default();
            let total = lines * times;
            for n in total * part / parts..total * (part + 1) / parts {
                trace.note(n % lines, 15, n % 3 == 0);
            }
            all.add(&trace);
        }
        all
    }

    #[test]
    fn how_it_is_cut_into_parts_does_not_matter() {
        for lines in [100, 10_000, 500_000] {
            let whole = sweeps(lines, 2, 1);
            for parts in [2, 7, 64] {
                assert_eq!(whole, sweeps(lines, 2, parts), "{lines} lines in {parts} parts");
            }
        }
    }

    #[test]
    fn what_is_known_from_parts_holds_for_the_whole() {
        for lines in [100, 10_000, 500_000] {
            let whole = sweeps(lines, 2, 1);
            let (mut known, mut joined, mut level) = (PartialTrace::default(), LineTrace::default(), 0);
            for part in 0..16 {
                let mut trace = LineTrace::default();
                trace.restrict(level);
                for n in 2 * lines * part / 16..2 * lines * (part + 1) / 16 {
                    trace.note(n % lines, 15, n % 3 == 0);
                }
                level = known.add(&trace);
                joined.add(&trace);
            }
            assert_eq!(joined, whole, "{lines} lines");
            assert!(level + 1 >= whole.level, "{level} of {}", whole.level);
        }
    }

    #[test]
    fn lines_accessed_once_pass_like_any_others() {
        let mut trace = LineTrace::default();
        for n in 0..5000u64 {
            trace.note(n * 7919 % 5003, n % 15 + 1, n % 3 == 0);
        }
        let (numbers, lines) = trace.numbered();
        assert_eq!(trace.entries.len(), lines);
        for capacity in [1, 2, 999, 4999, 5000] {
            let replayed = Lru::replay(&trace.entries, &numbers, lines, capacity);
            assert_eq!(past_without_reuse(&trace.entries, capacity), replayed, "{capacity}");
        }
    }

    #[test]
    fn what_fits_is_read_once_and_what_does_not_each_time() {
        let mut trace = LineTrace::default();
        // 8 MiB, twice.
        for n in 0..131_072u64 {
            trace.note(n % 65_536, 15, false);
        }
        let traffic = trace.traffic();
        let bytes = |n: usize| traffic[n].read_sectors as f64 * 32.0 / (8 << 20) as f64;
        assert!((bytes(0) - 2.0).abs() < 0.1, "through 1 MiB: {}", bytes(0));
        assert!((bytes(2) - 1.0).abs() < 0.05, "through 16 MiB: {}", bytes(2));
    }
}
