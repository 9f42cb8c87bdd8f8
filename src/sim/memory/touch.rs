//! Logs of the accesses of host threads to global memory during a launch.

use super::bytes::ByteSet;
use super::global::GlobalMemory;
use crate::engine::side::Side;
use crate::memory::by_address::ByAddress;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The accesses of one host thread to one buffer during a launch.
#[derive(Clone, Debug, Default)]
pub struct Touched {
    /// Bytes written, by stores and atomics; empty until the first write.
    pub written: Option<ByteSet>,
    /// More of them, of a buffer all of which was written before the launch: then only other host threads are concerned.
    pub written_stretches: Stretches,
    /// Whether the buffer's contents have not been saved before these writes.
    pub unsaved: bool,
    /// The range of bytes read; empty when `read_first >= read_end`.
    pub read_first: u64,
    pub read_end: u64,
    /// Every byte touched, by kind of access, where the launch asks for that.
    pub exact: Option<Box<Exact>>,
    /// Bytes that hold undefined values, from memory never written.
    pub unset: Option<Box<UndefinedBytes>>,
    /// How often a lane read bytes without a defined value.
    pub undefined_reads: u64,
    /// Whether what the buffer holds counts as written from now on.
    pub presumed_written: bool,
}

/// Bytes that were stored to, but whose value comes from memory never written.
#[derive(Clone, Debug)]
pub struct UndefinedBytes {
    pub bytes: ByteSet,
    /// Those of them that hold the bits that were stored; an atomic with an undefined result stores nothing.
    pub held: ByteSet,
    /// Those of the held ones of which no bit has a value.
    pub garbage: ByteSet,
    /// For each word (up to a limit), where the value was read.
    read: ByAddress<Side>,
    /// The instructions that read, or made, the values of all of them.
    readers: BTreeSet<u32>,
}

/// Most words for which it is recorded where their value comes from.
const MAX_READ: usize = 1 << 14;

impl UndefinedBytes {
    /// Creates an empty record for a buffer of `bytes` bytes.
    pub fn new(bytes: u64) -> UndefinedBytes {
        let none = || ByteSet::new(bytes);
        let read = ByAddress::default();
        UndefinedBytes { bytes: none(), held: none(), garbage: none(), read, readers: BTreeSet::new() }
    }

    pub fn insert(&mut self, byte: u64, read: Side) {
        self.bytes.insert(byte, 1);
        self.readers.insert(read.pc);
        if self.read.len() < MAX_READ || self.read.contains_key(&(byte / 4)) {
            self.read.insert(byte / 4, read);
        }
    }

    /// Returns where the value at `byte` was read.
    pub fn read(&self, byte: u64) -> Option<Side> {
        self.read.get(&(byte / 4)).copied()
    }

    /// Returns the bytes of which no bit has a value, by the line in which it was read, or made; `None`: not known.
    /// `line` returns that of an instruction.
    pub fn garbage_by_line(&self, line: impl Fn(u32) -> Option<u32>) -> BTreeMap<Option<u32>, ByteSet> {
        if self.garbage.is_empty() {
            return BTreeMap::new();
        }
        let lines: BTreeSet<_> = self.readers.iter().map(|pc| line(*pc)).collect();
        let mut rest = self.garbage.clone();
        if let (Some(only), 1) = (lines.first(), lines.len()) {
            return BTreeMap::from([(*only, rest)]);
        }
        let mut by_line = BTreeMap::new();
        for (word, read) in &self.read {
            let set = by_line.entry(line(read.pc)).or_insert_with(|| ByteSet::new(self.garbage.bounds().end));
            for range in self.garbage.ranges_in(word * 4..word * 4 + 4) {
                set.insert(range.start, range.end - range.start);
                rest.remove(range.start, range.end - range.start);
            }
        }
        by_line.entry(None).and_modify(|set| set.join(&rest)).or_insert(rest);
        by_line
    }
}

/// Stretches of a buffer's bytes, few enough to be looked at one by one.
#[derive(Clone, Debug, Default)]
pub struct Stretches(Vec<Range<u64>>);

/// Most stretches, and of these how many may be continued: one for each of a kernel's stores in turn.
const MAX_STRETCHES: usize = 256;
const CONTINUED: usize = 8;

impl Stretches {
    /// Adds bytes. Returns false, and does nothing, if there are too many stretches already.
    pub fn insert(&mut self, bytes: Range<u64>) -> bool {
        let recent = self.0.len().saturating_sub(CONTINUED);
        let continued = self.0[recent..].iter_mut().find(|its| (its.start..=its.end).contains(&bytes.start));
        if let Some(its) = continued {
            its.end = its.end.max(bytes.end);
            return true;
        }
        let has_room = self.0.len() < MAX_STRETCHES;
        if has_room {
            self.0.push(bytes);
        }
        has_room
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether any byte of a range is in them.
    pub fn intersects_range(&self, bytes: Range<u64>) -> bool {
        self.0.iter().any(|its| its.start < bytes.end && bytes.start < its.end)
    }

    fn intersects(&self, set: &ByteSet) -> bool {
        self.0.iter().any(|its| set.first_in(its.clone()).is_some())
    }
}

/// Bytes that were loaded, stored, and changed by atomics; sets without room where there were none.
#[derive(Clone, Debug, Default)]
pub struct Exact {
    pub read: ByteSet,
    pub write: ByteSet,
    pub atomic: ByteSet,
}

/// The accesses of one host thread to all buffers during a launch.
#[derive(Clone, Debug)]
pub struct TouchLog {
    pub buffers: Vec<Touched>,
}

impl TouchLog {
    pub fn new(memory: &GlobalMemory) -> TouchLog {
        let none = Touched { read_first: u64::MAX, ..Touched::default() };
        TouchLog { buffers: vec![none; memory.buffers.len()] }
    }
}

impl Touched {
    /// Returns whether anything was written.
    pub fn is_written(&self) -> bool {
        self.written.is_some() || !self.written_stretches.is_empty()
    }

    /// Whether any bytes were read, by loads or atomics, that another host thread wrote. Without the exact bytes, every byte
    /// between the first and the last one read counts as read.
    fn reads_what(&self, other: &Touched) -> bool {
        let within = self.read_first..self.read_end;
        if within.is_empty() {
            return false;
        }
        let sets = self.exact.as_ref().map(|exact| [&exact.read, &exact.atomic]);
        let reads = |written: &ByteSet| {
            written.intersects_range(within.start, within.end)
                && sets.is_none_or(|sets| sets.iter().any(|set| written.intersects(set)))
        };
        let stretches = &other.written_stretches;
        other.written.as_ref().is_some_and(reads)
            || stretches.intersects_range(within.clone())
                && sets.is_none_or(|sets| sets.iter().any(|set| stretches.intersects(set)))
    }

    /// Returns whether any bytes were written that another host thread wrote.
    fn writes_what(&self, other: &Touched) -> bool {
        let sets = self.written.as_ref().zip(other.written.as_ref());
        let meets = |one: &Touched, other: &Touched| {
            one.written.as_ref().is_some_and(|set| other.written_stretches.intersects(set))
        };
        sets.is_some_and(|(one, other)| one.intersects(other))
            || meets(self, other)
            || meets(other, self)
            || self
                .written_stretches
                .0
                .iter()
                .any(|its| other.written_stretches.intersects_range(its.clone()))
    }
}

/// Returns whether the host threads' accesses would have the same effect in any order: none wrote bytes that
/// another read or wrote.
pub fn independent(logs: &[TouchLog]) -> bool {
    logs.iter().enumerate().all(|(i, a)| {
        logs.iter().enumerate().all(|(j, b)| {
            i == j
                || a.buffers
                    .iter()
                    .zip(&b.buffers)
                    .all(|(a, b)| !b.reads_what(a) && (j < i || !a.writes_what(b)))
        })
    })
}
