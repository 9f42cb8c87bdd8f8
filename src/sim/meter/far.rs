//! What goes past the second-level cache, for caches of several sizes.
//!
//! Accesses to global memory are noted by line of 128 bytes, in the order of blocks. There are too
//! many to keep, so lines are sampled by a hash: when a trace grows past [`MOST_ENTRIES`], half of
//! the lines are dropped. Which lines are left depends only on the whole trace, not on how it was
//! cut into parts, so any number of host threads gives the same. A cache as many times smaller then
//! misses as often on the sample as the whole one would on all.

/// Entries that are kept.
const MOST_ENTRIES: usize = 1 << 15;
/// Sizes of the second-level cache that are looked at, in bytes.
pub const FAR_CACHE_BYTES: [u64; 6] = [1 << 20, 4 << 20, 16 << 20, 32 << 20, 64 << 20, 256 << 20];
const LINE_BYTES: u64 = 128;

/// Sectors that would go to and from device memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FarTraffic {
    pub read_sectors: u64,
    pub written_sectors: u64,
}

/// Accesses of sampled lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineTrace {
    /// Lines whose hash is a multiple of two to this power are kept.
    level: u32,
    /// Line, which of its sectors (bits 1 to 4), whether it is written (bit 0).
    entries: Vec<u64>,
}

fn hash(line: u64) -> u64 {
    let h = line.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    h ^ h >> 29
}

fn kept(entry: u64, level: u32) -> bool {
    hash(entry >> 5).trailing_zeros() >= level
}

impl LineTrace {
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

    /// What caches of [`FAR_CACHE_BYTES`] let through, empty at the start; what they hold at the end
    /// is not written back.
    pub fn traffic(&self) -> [FarTraffic; FAR_CACHE_BYTES.len()] {
        FAR_CACHE_BYTES.map(|bytes| {
            let lines = (bytes / LINE_BYTES) >> self.level;
            let mut cache = Lru::new(lines.max(1) as usize);
            for &entry in &self.entries {
                cache.access(entry);
            }
            FarTraffic {
                read_sectors: cache.traffic.read_sectors << self.level,
                written_sectors: cache.traffic.written_sectors << self.level,
            }
        })
    }
}

/// Lines in the order of their last use.
struct Lru {
    capacity: usize,
    /// By line: its place in `lines`.
    places: std::collections::HashMap<u64, usize>,
    lines: Vec<Line>,
    first: usize,
    last: usize,
    traffic: FarTraffic,
}

struct Line {
    line: u64,
    valid: u64,
    dirty: u64,
    before: usize,
    after: usize,
}

const NONE: usize = usize::MAX;

impl Lru {
    fn new(capacity: usize) -> Lru {
        Lru {
            capacity,
            places: Default::default(),
            lines: Vec::new(),
            first: NONE,
            last: NONE,
            traffic: FarTraffic::default(),
        }
    }

    fn unlink(&mut self, place: usize) {
        let (before, after) = (self.lines[place].before, self.lines[place].after);
        match self.lines.get_mut(before) {
            Some(line) => line.after = after,
            None => self.first = after,
        }
        match self.lines.get_mut(after) {
            Some(line) => line.before = before,
            None => self.last = before,
        }
    }

    fn put_first(&mut self, place: usize) {
        (self.lines[place].before, self.lines[place].after) = (NONE, self.first);
        match self.lines.get_mut(self.first) {
            Some(line) => line.before = place,
            None => self.last = place,
        }
        self.first = place;
    }

    fn access(&mut self, entry: u64) {
        let (line, mask, writes) = (entry >> 5, entry >> 1 & 15, entry & 1 != 0);
        let place = match self.places.get(&line) {
            Some(&place) => {
                self.unlink(place);
                place
            }
            None if self.lines.len() < self.capacity => {
                self.lines.push(Line { line, valid: 0, dirty: 0, before: NONE, after: NONE });
                self.lines.len() - 1
            }
            None => {
                let place = self.last;
                self.unlink(place);
                let old = &self.lines[place];
                self.traffic.written_sectors += u64::from(old.dirty.count_ones());
                self.places.remove(&old.line);
                self.lines[place] = Line { line, valid: 0, dirty: 0, before: NONE, after: NONE };
                place
            }
        };
        self.places.insert(line, place);
        let its = &mut self.lines[place];
        if writes {
            its.dirty |= mask;
        } else {
            self.traffic.read_sectors += u64::from((mask & !its.valid).count_ones());
        }
        its.valid |= mask;
        self.put_first(place);
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
