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
    /// How many entries the parts that have run have at each level, from `level` on.
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

    /// Returns the level at which its lines are kept.
    pub fn level(&self) -> u32 {
        self.level
    }

    /// Drops the lines that are not kept at a level.
    pub fn restrict(&mut self, level: u32) {
        if level > self.level {
            self.level = level;
            self.filter();
        }
    }

    /// Returns how many entries are left at each level, from `first` on, which is at least this one's.
    fn entries_by_level(&self, first: u32) -> [u64; LEVELS] {
        let (mut counts, mut last) = ([0; LEVELS], [u64::MAX; LEVELS]);
        for &entry in &self.entries {
            let end = (hash(entry >> 5).trailing_zeros() as usize + 1).min(LEVELS);
            for level in first as usize..end {
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
        if later.level == level {
            let repeated = later.entries.first().is_some_and(|first| self.entries.last() == Some(first));
            self.entries.extend_from_slice(&later.entries[usize::from(repeated)..]);
            return self.shrink();
        }
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
        let numbered = self.numbered();
        let mut kept: Option<KeptUntilReused> = None;
        L2_BYTES.map(|bytes| {
            let capacity = ((bytes / LINE_BYTES) >> self.level).max(1).min(u64::from(numbered.lines)) as u32;
            let found = match capacity >= numbered.longest_reuse.min(numbered.lines) {
                true => kept
                    .get_or_insert_with(|| KeptUntilReused::new(&self.entries, &numbered))
                    .traffic(capacity),
                false => Lru::replay(&self.entries, &numbered, capacity),
            };
            L2Traffic {
                read_sectors: found.read_sectors << self.level,
                written_sectors: found.written_sectors << self.level,
                read_pairs: found.read_pairs << self.level,
            }
        })
    }

    /// Returns which entries access the same line.
    fn numbered(&self) -> NumberedLines {
        const FREE: u32 = u32::MAX;
        let slots = (self.entries.len() * 2).next_power_of_two();
        // By the line's hash: the line's number, where it is not free.
        let mut table = vec![FREE; slots];
        // By number: the line, and its latest access so far.
        let mut known: Vec<(u64, u32)> = Vec::with_capacity(self.entries.len());
        let mut numbers = Vec::with_capacity(self.entries.len());
        let mut longest_reuse = 0;
        for (n, entry) in (0..).zip(&self.entries) {
            let line = entry >> 5;
            // The low bits of the hash are all zero: they select which lines are kept.
            let mut at = (hash(line) >> self.level) as usize & (slots - 1);
            let number = loop {
                match table[at] {
                    FREE => {
                        table[at] = known.len() as u32;
                        known.push((line, n));
                        break table[at];
                    }
                    number if known[number as usize].0 == line => break number,
                    _ => at = (at + 1) & (slots - 1),
                }
            };
            let latest = std::mem::replace(&mut known[number as usize].1, n);
            longest_reuse = longest_reuse.max(n - latest);
            numbers.push(number);
        }
        NumberedLines { numbers, lines: known.len() as u32, longest_reuse }
    }
}

/// Which accesses of a trace are to the same line.
struct NumberedLines {
    /// For each access, the number of its line, counted from 0 in the order of first accesses.
    numbers: Vec<u32>,
    lines: u32,
    /// The most accesses from one to a line to the next one to it. A cache of as many lines keeps each until then.
    longest_reuse: u32,
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
        for (sum, more) in self.entries.iter_mut().zip(part.entries_by_level(self.level)) {
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

/// The traffic past caches that keep each line until its last access.
struct KeptUntilReused {
    /// Without what is written.
    reads: L2Traffic,
    /// After how many lines a cache would replace each line at the end, beginning with the first replaced: how many sectors
    /// of it and of those before it are written.
    written: Vec<u64>,
}

impl KeptUntilReused {
    fn new(entries: &[u64], numbered: &NumberedLines) -> KeptUntilReused {
        let mut states = vec![(SectorState::default(), 0u32); numbered.lines as usize];
        let mut reads = L2Traffic::default();
        for ((n, entry), &number) in (0..).zip(entries).zip(&numbered.numbers) {
            let (state, last) = &mut states[number as usize];
            state.access(*entry, &mut reads);
            *last = n;
        }
        let mut sum = 0;
        let mut written = Vec::with_capacity(states.len());
        for (n, &number) in (0..).zip(&numbered.numbers) {
            let (state, last) = states[number as usize];
            if last == n {
                sum += u64::from(state.dirty.count_ones());
                written.push(sum);
            }
        }
        KeptUntilReused { reads, written }
    }

    /// Returns the traffic past a cache of `capacity` lines, at most as many as there are.
    fn traffic(&self, capacity: u32) -> L2Traffic {
        let replaced = self.written.len() - capacity as usize;
        let written_sectors = replaced.checked_sub(1).map_or(0, |last| self.written[last]);
        L2Traffic { written_sectors, ..self.reads }
    }
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
    sectors: SectorState,
    before: u32,
    after: u32,
}

/// The sectors of a line in a cache, as masks.
#[derive(Clone, Copy, Default)]
struct SectorState {
    valid: u8,
    /// Sectors fetched along with the requested ones where memory is read in pairs.
    paired: u8,
    dirty: u8,
}

impl SectorState {
    /// Makes an access, given as [`LineTrace::entries`], and adds what it reads from memory.
    fn access(&mut self, entry: u64, traffic: &mut L2Traffic) {
        let (mask, writes) = ((entry >> 1 & 15) as u8, entry & 1 != 0);
        if writes {
            self.dirty |= mask;
        } else {
            let missing = mask & !self.valid;
            traffic.read_sectors += u64::from(missing.count_ones());
            for pair in [3, 12] {
                if missing & !self.paired & pair != 0 {
                    traffic.read_pairs += 1;
                    self.paired |= pair;
                }
            }
        }
        self.valid |= mask;
    }
}

impl Lru {
    /// Returns the traffic past a cache of `capacity` lines.
    fn replay(entries: &[u64], numbered: &NumberedLines, capacity: u32) -> L2Traffic {
        let lines = numbered.lines;
        let end = Line { before: lines, after: lines, ..Line::default() };
        let lines = vec![end; lines as usize + 1];
        let mut cache = Lru { lines, count: 0, capacity, traffic: L2Traffic::default() };
        for (entry, &line) in entries.iter().zip(&numbered.numbers) {
            cache.access(line, *entry);
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

    /// Makes an access, given as [`LineTrace::entries`], to a line by its number.
    fn access(&mut self, line: u32, entry: u64) {
        if self.lines[line as usize].present {
            self.unlink(line);
        } else {
            if self.count == self.capacity {
                let last = self.lines[self.lines.len() - 1].before;
                self.unlink(last);
                let old = &mut self.lines[last as usize];
                self.traffic.written_sectors += u64::from(old.sectors.dirty.count_ones());
                old.present = false;
                self.count -= 1;
            }
            self.count += 1;
            let its = &mut self.lines[line as usize];
            (its.present, its.sectors) = (true, SectorState::default());
        }
        self.lines[line as usize].sectors.access(entry, &mut self.traffic);
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
    fn caches_that_keep_lines_until_reused_need_no_replay() {
        // Each line once; or some of the lines before again, at most so many accesses ago.
        for longest in [0, 7, 300] {
            let mut trace = LineTrace::default();
            for n in 0..5000u64 {
                trace.note(n * 7919 % 5003, n % 15 + 1, n % 3 == 0);
                if n % 4 == 0 && longest > 0 {
                    trace.note(
                        n.saturating_sub(n * 31 % longest * 3 / 4) * 7919 % 5003,
                        n * 5 % 15 + 1,
                        n % 8 == 0,
                    );
                }
            }
            let numbered = trace.numbered();
            let kept = KeptUntilReused::new(&trace.entries, &numbered);
            assert_eq!(longest > 0, trace.entries.len() > numbered.lines as usize);
            assert!(longest < 100 || numbered.longest_reuse > 50, "{}", numbered.longest_reuse);
            let capacities = [1, 2, 7, 8, 250, 999, 4000, numbered.lines - 1, numbered.lines];
            for capacity in capacities.into_iter().filter(|most| *most >= numbered.longest_reuse) {
                let replayed = Lru::replay(&trace.entries, &numbered, capacity);
                assert_eq!(kept.traffic(capacity), replayed, "{capacity} of {longest}");
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
