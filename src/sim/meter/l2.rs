//! What goes past the second-level cache, for caches of several sizes.
//!
//! Accesses to global memory are noted by line of 128 bytes, in the order of blocks. There are too
//! many to keep, so lines are sampled by a hash: when a trace grows past [`MOST_ENTRIES`], half of
//! the lines are dropped. Which lines are left depends only on the whole trace, not on how it was
//! cut into parts, so any number of host threads gives the same. A cache as many times smaller then
//! misses as often on the sample as the whole one would on all.

use crate::kernel_code::line_hash as hash;

/// Entries that are kept.
const MOST_ENTRIES: usize = 1 << 15;
/// Sizes of the second-level cache that are looked at, in bytes.
pub const L2_BYTES: [u64; 6] = [1 << 20, 4 << 20, 16 << 20, 32 << 20, 64 << 20, 256 << 20];
const LINE_BYTES: u64 = 128;

/// Sectors that would go to and from device memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct L2Traffic {
    pub read_sectors: u64,
    pub written_sectors: u64,
    /// Pairs of sectors that hold those read, for memory that is read 64 bytes at a time.
    pub read_pairs: u64,
}

/// Accesses of sampled lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineTrace {
    /// Lines whose hash is a multiple of two to this power are kept.
    level: u32,
    /// Line, which of its sectors (bits 1 to 4), whether it is written (bit 0).
    entries: Vec<u64>,
}

fn kept(entry: u64, level: u32) -> bool {
    hash(entry >> 5).trailing_zeros() >= level
}

impl LineTrace {
    /// The bits of a line's hash of which none is set where the line is kept.
    pub fn mask(&self) -> u64 {
        (1 << self.level) - 1
    }

    /// Sectors `mask` of `line` (its address over 128) are read or written.
    #[inline(always)]
    pub fn note(&mut self, line: u64, mask: u64, writes: bool) {
        if hash(line & u64::MAX >> 5).trailing_zeros() < self.level {
            return;
        }
        let entry = line << 5 | mask << 1 | u64::from(writes);
        // The same again at once changes nothing.
        if self.entries.last() != Some(&entry) {
            self.entries.push(entry);
            self.shrink();
        }
    }

    fn shrink(&mut self) {
        while self.entries.len() > MOST_ENTRIES && self.level < 40 {
            self.level += 1;
            self.filter();
        }
    }

    /// Drops what the level no longer keeps, and what then follows itself.
    fn filter(&mut self) {
        let level = self.level;
        self.entries.retain(|entry| kept(*entry, level));
        self.entries.dedup();
    }

    /// Adds what later blocks did.
    pub fn add(&mut self, later: &LineTrace) {
        if later.level > self.level {
            self.level = later.level;
            self.filter();
        }
        let level = self.level;
        for entry in later.entries.iter().filter(|entry| kept(**entry, level)) {
            if self.entries.last() != Some(entry) {
                self.entries.push(*entry);
            }
        }
        self.shrink();
    }

    /// Whether nothing was noted.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What caches of [`L2_BYTES`] let through, empty at the start; what they hold at the end
    /// is not written back.
    pub fn traffic(&self) -> [L2Traffic; L2_BYTES.len()] {
        let (numbers, lines) = self.numbered();
        let mut all: Option<L2Traffic> = None;
        L2_BYTES.map(|bytes| {
            let capacity = ((bytes / LINE_BYTES) >> self.level).max(1).min(lines as u64) as u32;
            // Caches that hold every line let the same through.
            let found = match all {
                Some(known) if capacity as usize == lines => known,
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

    /// For each entry the number of its line, and how many lines there are.
    fn numbered(&self) -> (Vec<u32>, usize) {
        const FREE: u64 = u64::MAX;
        let slots = (self.entries.len() * 2).next_power_of_two();
        let mut table = vec![(FREE, 0u32); slots];
        let mut lines = 0;
        let number = |entry: &u64| {
            let line = entry >> 5;
            // The low bits of the hash are alike: they say which lines are kept.
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

/// A cache of lines in the order of their last use.
struct Lru {
    /// By number of the line, and one more that stands before the first and after the last.
    lines: Vec<Line>,
    held: u32,
    capacity: u32,
    traffic: L2Traffic,
}

#[derive(Clone, Copy, Default)]
struct Line {
    held: bool,
    valid: u8,
    /// Sectors that came with those wanted where memory gives pairs.
    paired: u8,
    dirty: u8,
    before: u32,
    after: u32,
}

impl Lru {
    /// What a cache of so many lines lets through.
    fn replay(entries: &[u64], numbers: &[u32], lines: usize, capacity: u32) -> L2Traffic {
        let end = Line { before: lines as u32, after: lines as u32, ..Line::default() };
        let mut cache = Lru { lines: vec![end; lines + 1], held: 0, capacity, traffic: L2Traffic::default() };
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
        if self.lines[line as usize].held {
            self.unlink(line);
        } else {
            if self.held == self.capacity {
                let last = self.lines[self.lines.len() - 1].before;
                self.unlink(last);
                let old = &mut self.lines[last as usize];
                self.traffic.written_sectors += u64::from(old.dirty.count_ones());
                old.held = false;
                self.held -= 1;
            }
            self.held += 1;
            let its = &mut self.lines[line as usize];
            (its.held, its.valid, its.paired, its.dirty) = (true, 0, 0, 0);
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
