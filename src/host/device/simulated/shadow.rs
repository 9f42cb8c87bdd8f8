//! Shadow memory: the latest accesses to each byte, as far as they may be unordered with later work.
//!
//! Bytes are kept as ranges, each with the accesses that no later access of equal or stronger kind has
//! replaced. Accesses arrive in an order in which they may have happened (one that respects the clocks).
//! Therefore an earlier access is unordered with a new one exactly if the new one's clock does not cover it,
//! and an access covered by a new write can be forgotten: whatever is unordered with it is unordered with
//! that write too.

use super::clock::{Clock, Stamp};
use sim::{AccessKind, ByteSet, Operation, Request, SourceLocation, StreamName};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The effect of work on memory beyond reading and writing, as far as findings distinguish it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Kernels, copies, sets, host functions, library calls.
    Work,
    /// Memory from a pool becomes usable.
    Allocate,
    /// Memory is freed.
    Free,
    /// The host's own code.
    Host,
}

/// The originator of accesses.
#[derive(Debug)]
pub struct Originator {
    pub operation: Operation,
    pub location: Option<SourceLocation>,
    pub role: Role,
    /// The request and the stream of enqueued work; `None` for work that only orders other work.
    pub enqueued: Option<EnqueuedWork>,
    /// The pointers that a launch passes, by their indices among the kernel's parameters.
    pub pointers: Vec<(u32, u64)>,
}

/// Enqueued work: the request that it comes from, and its stream.
#[derive(Clone, Debug)]
pub struct EnqueuedWork {
    pub request: Request,
    pub stream: StreamName,
}

/// Bytes that one piece of work accessed in one way.
#[derive(Clone, Debug)]
pub struct Touch {
    pub kind: AccessKind,
    pub bytes: Bytes,
}

#[derive(Clone, Debug)]
pub enum Bytes {
    /// A contiguous range of addresses.
    Dense(Range<u64>),
    /// Very many ranges, as a set of offsets from the address of a buffer of `bytes` bytes.
    Sparse { base: u64, bytes: u64, set: Arc<ByteSet> },
}

impl Touch {
    /// Returns the addresses from the first to the last byte.
    pub fn range(&self) -> Range<u64> {
        match &self.bytes {
            Bytes::Dense(range) => range.clone(),
            Bytes::Sparse { base, bytes, .. } => *base..base.saturating_add(*bytes),
        }
    }
}

impl Bytes {
    /// Returns the number of bytes.
    pub fn count(&self) -> u64 {
        match self {
            Bytes::Dense(range) => range.end - range.start,
            Bytes::Sparse { set, .. } => set.ranges().map(|range| range.end - range.start).sum(),
        }
    }
}

/// A remembered access.
#[derive(Clone, Debug)]
pub struct Entry {
    pub stamp: Stamp,
    pub kind: AccessKind,
    pub by: Arc<Originator>,
}

#[derive(Debug)]
struct Segment {
    end: u64,
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct SparseEntry {
    set: Arc<ByteSet>,
    entry: Entry,
}

/// Maximum number of ranges of one set that are kept as such; larger sets are kept as [`Bytes::Sparse`]. Each later access to
/// the whole of a buffer goes through all of its ranges.
pub const MAX_RANGES: usize = 1 << 9;
/// Maximum number of sets remembered for a buffer.
const MAX_SETS: usize = 64;

/// The accesses that may be unordered with later work.
#[derive(Debug, Default)]
pub struct Shadow {
    /// Ranges by start address; they do not overlap.
    segments: BTreeMap<u64, Segment>,
    sets: BTreeMap<u64, Vec<SparseEntry>>,
    /// Number of ranges at which forgetting is tried next.
    sweep_at: usize,
}

/// Returns whether two unordered accesses to the same byte are a race.
fn conflict(a: AccessKind, b: AccessKind) -> bool {
    a != b || a == AccessKind::Write
}

/// Returns whether `new`, whose clock is `clock`, replaces `old`.
fn replaces(new: &Entry, clock: &Clock, old: &Entry) -> bool {
    (new.kind == AccessKind::Write || new.kind == old.kind) && clock.covers(old.stamp)
}

fn same(a: &[Entry], b: &[Entry]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.stamp == b.stamp && a.kind == b.kind)
}

impl Shadow {
    pub fn clear(&mut self) {
        self.segments.clear();
        self.sets.clear();
    }

    /// Returns the number of ranges and sets remembered.
    pub fn len(&self) -> usize {
        self.segments.len() + self.sets.values().map(Vec::len).sum::<usize>()
    }

    /// Calls `met` with each remembered access to `range` that conflicts with one of `kind` and is not
    /// covered by `clock`, and with the bytes they share; also with covered accesses that freed the memory.
    pub fn check(
        &self,
        range: Range<u64>,
        kind: AccessKind,
        clock: &Clock,
        met: &mut dyn FnMut(&Entry, Range<u64>),
    ) {
        let first = self.segments.range(..=range.start).next_back().filter(|(_, s)| s.end > range.start);
        let first = first.map_or(range.start, |(&start, _)| start);
        for (&start, segment) in self.segments.range(first..range.end) {
            for entry in &segment.entries {
                if meets(entry, kind, clock) {
                    met(entry, start.max(range.start)..segment.end.min(range.end));
                }
            }
        }
        if let Some((&base, sets)) = self.sets.range(..=range.start).next_back() {
            for sparse in sets.iter().filter(|s| meets(&s.entry, kind, clock)) {
                if let Some(at) = sparse.set.first_in(range.start - base..range.end - base) {
                    met(&sparse.entry, base + at..base + at + 1);
                }
            }
        }
    }

    /// Like [`Shadow::check`], but for a set of bytes.
    fn check_set(
        &self,
        buffer: Range<u64>,
        set: &ByteSet,
        kind: AccessKind,
        clock: &Clock,
        met: &mut dyn FnMut(&Entry, Range<u64>),
    ) {
        let base = buffer.start;
        for (&start, segment) in self.segments.range(buffer) {
            let mut conflicting = segment.entries.iter().filter(|e| meets(e, kind, clock)).peekable();
            if conflicting.peek().is_some()
                && let Some(at) = set.first_in(start - base..segment.end - base)
            {
                conflicting.for_each(|entry| met(entry, base + at..base + at + 1));
            }
        }
        for sparse in self.sets.get(&base).into_iter().flatten() {
            if meets(&sparse.entry, kind, clock)
                && let Some(at) = sparse.set.first_common(set)
            {
                met(&sparse.entry, base + at..base + at + 1);
            }
        }
    }

    /// Checks an access of work, then remembers it.
    pub fn touch(
        &mut self,
        touch: &Touch,
        stamp: Stamp,
        clock: &Clock,
        by: &Arc<Originator>,
        met: &mut dyn FnMut(&Entry, Range<u64>),
    ) {
        let new = Entry { stamp, kind: touch.kind, by: by.clone() };
        match &touch.bytes {
            Bytes::Dense(range) if range.start < range.end => {
                self.check(range.clone(), touch.kind, clock, met);
                self.remember(range.clone(), &new, clock);
            }
            Bytes::Dense(_) => {}
            Bytes::Sparse { base, bytes, set } => {
                self.check_set(*base..base.saturating_add(*bytes), set, touch.kind, clock, met);
                let sets = self.sets.entry(*base).or_default();
                sets.retain(|old| !(replaces(&new, clock, &old.entry) && old.set.is_subset(set)));
                if sets.len() >= MAX_SETS {
                    sets.remove(0);
                }
                sets.push(SparseEntry { set: set.clone(), entry: new });
            }
        }
    }

    fn remember(&mut self, range: Range<u64>, new: &Entry, clock: &Clock) {
        let renewed = |entries: &mut Vec<Entry>| {
            entries.retain(|old| !replaces(new, clock, old));
            entries.push(new.clone());
        };
        if let Some(segment) = self.segments.get_mut(&range.start)
            && segment.end == range.end
        {
            return renewed(&mut segment.entries);
        }
        self.split(range.start);
        self.split(range.end);
        let inside: Vec<u64> = self.segments.range(range.clone()).map(|(&start, _)| start).collect();
        let mut joined: Vec<(u64, Segment)> = Vec::new();
        let mut add = |start: u64, end: u64, entries: Vec<Entry>| match joined.last_mut() {
            Some((_, last)) if last.end == start && same(&last.entries, &entries) => last.end = end,
            _ => joined.push((start, Segment { end, entries })),
        };
        let mut at = range.start;
        for start in inside {
            let Some(mut segment) = self.segments.remove(&start) else { continue };
            if at < start {
                add(at, start, vec![new.clone()]);
            }
            renewed(&mut segment.entries);
            at = segment.end;
            add(start, segment.end, segment.entries);
        }
        if at < range.end {
            add(at, range.end, vec![new.clone()]);
        }
        self.segments.extend(joined);
    }

    /// Splits the range that contains `at`, unless it begins there.
    fn split(&mut self, at: u64) {
        if let Some((&start, segment)) = self.segments.range_mut(..at).next_back()
            && segment.end > at
            && start < at
        {
            let rest = Segment { end: segment.end, entries: segment.entries.clone() };
            segment.end = at;
            self.segments.insert(at, rest);
        }
    }

    /// Forgets the accesses that all later work is ordered after: those covered by `known`. Does so only if
    /// much has been added since the last time. Freed memory stays known.
    pub fn forget(&mut self, known: &Clock) {
        const LEAST: usize = 1 << 10;
        if self.len() < self.sweep_at.max(LEAST) {
            return;
        }
        let stays = |e: &Entry| e.by.role == Role::Free || !known.covers(e.stamp);
        self.segments.retain(|_, segment| {
            segment.entries.retain(stays);
            !segment.entries.is_empty()
        });
        self.sets.retain(|_, sets| {
            sets.retain(|s| stays(&s.entry));
            !sets.is_empty()
        });
        self.sweep_at = self.len() * 2;
    }

    /// Forgets all accesses to a range of memory that is gone.
    pub fn drop_range(&mut self, range: Range<u64>) {
        self.split(range.start);
        self.split(range.end);
        let inside: Vec<u64> = self.segments.range(range.clone()).map(|(&start, _)| start).collect();
        for start in inside {
            self.segments.remove(&start);
        }
        let inside: Vec<u64> = self.sets.range(range).map(|(&start, _)| start).collect();
        for start in inside {
            self.sets.remove(&start);
        }
    }
}

fn meets(entry: &Entry, kind: AccessKind, clock: &Clock) -> bool {
    conflict(entry.kind, kind) && (!clock.covers(entry.stamp) || entry.by.role == Role::Free)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_replaces_what_it_holds_of_earlier_work() {
        let by = Arc::new(Originator {
            operation: sim::Act::IsAsked.into(),
            location: None,
            role: Role::Work,
            enqueued: None,
            pointers: Vec::new(),
        });
        let mut shadow = Shadow::default();
        let mut write = |epoch, bytes: &[u64]| {
            let mut set = ByteSet::new(64);
            bytes.iter().for_each(|byte| set.insert(*byte, 1));
            let touch = Touch {
                kind: AccessKind::Write,
                bytes: Bytes::Sparse { base: 0, bytes: 64, set: Arc::new(set) },
            };
            let stamp = Stamp { chain: 0, epoch };
            let mut clock = Clock::default();
            clock.add(stamp);
            shadow.touch(&touch, stamp, &clock, &by, &mut |_, _| panic!("it is ordered"));
            shadow.len()
        };
        assert_eq!(write(1, &[1, 2]), 1);
        assert_eq!(write(2, &[2, 9]), 2);
        assert_eq!(write(3, &[2, 7, 9]), 2);
        assert_eq!(write(4, &[1, 2, 7, 9]), 1);
    }
}
