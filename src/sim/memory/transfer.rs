//! Copies into, out of and within global memory. Bytes past a buffer's end are ignored; the record of which bytes
//! were ever written is copied along.

use super::Address;
use super::bytes::ByteSet;
use super::global::{Buffer, GlobalMemory, POISON};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Size in bytes of the pieces in which a copy within memory is done.
const PIECE_BYTES: u64 = 1 << 20;

/// Reads bytes from byte `offset` of a buffer's words.
fn load(words: &[AtomicU32], offset: u64, out: &mut [u8]) {
    let skip = ((offset.next_multiple_of(4) - offset) as usize).min(out.len());
    let (head, rest) = out.split_at_mut(skip);
    let byte =
        |at: u64| words.get((at / 4) as usize).map_or(POISON, |w| (w.load(Relaxed) >> (at % 4 * 8)) as u8);
    for (n, o) in head.iter_mut().enumerate() {
        *o = byte(offset + n as u64);
    }
    let first = (offset as usize + skip) / 4;
    let whole = rest.len() / 4 * 4;
    for (four, word) in rest.chunks_exact_mut(4).zip(words.get(first..).unwrap_or_default()) {
        four.copy_from_slice(&word.load(Relaxed).to_le_bytes());
    }
    for (n, o) in rest[whole..].iter_mut().enumerate() {
        *o = byte((first * 4 + whole + n) as u64);
    }
}

/// Writes bytes to byte `offset` of a buffer's words.
fn store(words: &mut [AtomicU32], offset: u64, bytes: &[u8]) {
    let skip = ((offset.next_multiple_of(4) - offset) as usize).min(bytes.len());
    let (head, rest) = bytes.split_at(skip);
    let mut put = |at: u64, byte: u8| {
        if let Some(word) = words.get_mut((at / 4) as usize) {
            let (word, shift) = (word.get_mut(), at % 4 * 8);
            *word = *word & !(0xff << shift) | (byte as u32) << shift;
        }
    };
    for (n, &byte) in head.iter().enumerate() {
        put(offset + n as u64, byte);
    }
    let first = (offset as usize + skip) / 4;
    let whole = rest.len() / 4 * 4;
    for (n, &byte) in rest[whole..].iter().enumerate() {
        put((first * 4 + whole + n) as u64, byte);
    }
    for (word, four) in words.get_mut(first..).unwrap_or_default().iter_mut().zip(rest.chunks_exact(4)) {
        *word.get_mut() = u32::from_le_bytes([four[0], four[1], four[2], four[3]]);
    }
}

impl Buffer {
    /// Returns how many of `count` bytes from `offset` are within the buffer.
    fn room(&self, offset: u64, count: u64) -> u64 {
        count.min(self.bytes.saturating_sub(offset))
    }

    /// Notes that these bytes hold nothing any more that was stored without a value.
    fn drop_stored(&mut self, offset: u64, count: u64) {
        let garbage = self.garbage.values_mut();
        self.stored.iter_mut().chain(garbage).for_each(|bytes| bytes.remove(offset, count));
    }

    /// Sets which of `count` bytes at `offset` count as written: as in `from`, from `from_at` on, or all of them
    /// for `None`.
    fn set_written(&mut self, offset: u64, count: u64, from: Option<(&ByteSet, u64)>) {
        self.resident.write(offset, count);
        if from.is_some() {
            self.drop_stored(offset, count);
        }
        let whole = offset == 0 && count == self.bytes;
        match (from, &mut self.written) {
            (None, _) if whole => self.written = None,
            (None, Some(written)) => {
                written.insert(offset, count);
                // Checked only at the buffer's end: for a copy in pieces, each check would cost as much as the
                // whole copy.
                if offset + count == self.bytes && written.is_full(self.bytes) {
                    self.written = None;
                }
            }
            (None, None) => {}
            (Some((from, at)), Some(written)) => written.copy(offset, from, at, count),
            (Some((from, at)), None) => {
                if !from.contains(at, count) {
                    let mut written = ByteSet::all(self.words.len() as u64 * 4);
                    written.copy(offset, from, at, count);
                    self.written = Some(written);
                }
            }
        }
    }
}

/// Returns the subranges of a range that are not in a set.
fn gaps(set: &ByteSet, range: Range<u64>) -> Vec<Range<u64>> {
    let (mut gaps, mut at) = (Vec::new(), range.start);
    for known in set.ranges_in(range.clone()).chain(std::iter::once(range.end..range.end)) {
        if at < known.start {
            gaps.push(at..known.start);
        }
        at = known.end;
    }
    gaps
}

impl GlobalMemory {
    /// Copies from the host; all of it counts as written. Returns the number of bytes that were in range.
    pub fn write(&mut self, address: Address, bytes: &[u8]) -> u64 {
        let Some(n) = self.find(address.0) else { return 0 };
        let buffer = &mut self.buffers[n];
        let offset = address.0 - buffer.base;
        let count = buffer.room(offset, bytes.len() as u64);
        store(&mut buffer.words, offset, &bytes[..count as usize]);
        buffer.set_written(offset, count, None);
        count
    }

    /// Returns the ranges of the bytes at an address that nobody ever stored to, as offsets from the address.
    pub fn unwritten(&self, address: Address, bytes: u64) -> Vec<Range<u64>> {
        let Some(buffer) = self.find(address.0).map(|n| &self.buffers[n]) else { return Vec::new() };
        let Some(written) = &buffer.written else { return Vec::new() };
        let start = address.0 - buffer.base;
        let gaps = gaps(written, start..start + buffer.room(start, bytes));
        let empty: Vec<Range<u64>> = match &buffer.stored {
            Some(stored) => gaps.into_iter().flat_map(|gap| self::gaps(stored, gap)).collect(),
            None => gaps,
        };
        empty.into_iter().map(|gap| gap.start - start..gap.end - start).collect()
    }

    /// Returns the ranges of the bytes at an address that a kernel stored without a value, in order: as offsets from
    /// the address, each with the line that it comes from.
    pub fn garbage(&self, address: Address, bytes: u64) -> Vec<(Range<u64>, Option<u32>)> {
        let Some(buffer) = self.find(address.0).map(|n| &self.buffers[n]) else { return Vec::new() };
        let Some(written) = buffer.written.as_ref().filter(|_| !buffer.garbage.is_empty()) else {
            return Vec::new();
        };
        let start = address.0 - buffer.base;
        let gaps = gaps(written, start..start + buffer.room(start, bytes));
        let of = |(line, bytes): (&Option<u32>, &ByteSet)| {
            let ranges = gaps.iter().flat_map(|gap| bytes.ranges_in(gap.clone()));
            ranges.map(|its| (its.start - start..its.end - start, *line)).collect::<Vec<_>>()
        };
        let mut all: Vec<_> = buffer.garbage.iter().flat_map(of).collect();
        all.sort_by_key(|(range, _)| range.start);
        all
    }

    /// Marks bytes as never written: the source of a copy to them never was.
    pub fn forget_written(&mut self, address: Address, bytes: u64) {
        let Some(n) = self.find(address.0) else { return };
        let buffer = &mut self.buffers[n];
        let offset = address.0 - buffer.base;
        let count = buffer.room(offset, bytes);
        let room = buffer.words.len() as u64 * 4;
        if buffer.written.is_none() {
            // Nobody recorded where.
            buffer.resident.write(0, buffer.bytes);
        }
        buffer.written.get_or_insert_with(|| ByteSet::all(room)).remove(offset, count);
        buffer.drop_stored(offset, count);
    }

    /// Copies to the host; never-written bytes, and those out of range, are [`POISON`]. Returns the number of
    /// bytes that were in range.
    pub fn read(&self, address: Address, out: &mut [u8]) -> u64 {
        let Some(n) = self.find(address.0) else {
            out.fill(POISON);
            return 0;
        };
        let buffer = &self.buffers[n];
        let offset = address.0 - buffer.base;
        let count = buffer.room(offset, out.len() as u64);
        let (inside, outside) = out.split_at_mut(count as usize);
        load(&buffer.words, offset, inside);
        outside.fill(POISON);
        for gap in self.unwritten(address, count) {
            inside[gap.start as usize..gap.end as usize].fill(POISON);
        }
        count
    }

    /// Marks all of a buffer's bytes as written, and leaves their contents.
    pub fn assume_written(&mut self, address: Address) {
        if let Some(n) = self.find(address.0) {
            self.buffers[n].written = None;
        }
    }

    /// Returns which of the `len` bytes at `address` were ever written.
    pub fn written(&self, address: Address, len: u64) -> ByteSet {
        let mut out = ByteSet::new(len);
        if let Some(n) = self.find(address.0) {
            let buffer = &self.buffers[n];
            let offset = address.0 - buffer.base;
            let count = buffer.room(offset, len);
            match &buffer.written {
                None => out.insert(0, count),
                Some(written) => out.copy(0, written, offset, count),
            }
        }
        out
    }

    /// Copies within memory; the ranges may overlap. Bytes never written in the source count as never written in
    /// the destination. Returns the number of bytes that were in range of both.
    pub fn copy(&mut self, to: Address, from: Address, bytes: u64) -> u64 {
        let (Some(t), Some(f)) = (self.find(to.0), self.find(from.0)) else { return 0 };
        let room =
            |n: usize, at: Address, count: u64| self.buffers[n].room(at.0 - self.buffers[n].base, count);
        let count = room(t, to, room(f, from, bytes));
        let all = self.buffers[f].written.is_none();
        let written = (!all).then(|| self.written(from, count));
        let mut piece = vec![0; count.min(PIECE_BYTES) as usize];
        // Backwards where the destination is above the source, so that nothing is overwritten before it is copied.
        let pieces = count.div_ceil(PIECE_BYTES);
        for k in 0..pieces {
            let k = if to > from { pieces - 1 - k } else { k };
            let (start, end) = (k * PIECE_BYTES, ((k + 1) * PIECE_BYTES).min(count));
            let piece = &mut piece[..(end - start) as usize];
            load(&self.buffers[f].words, from.0 - self.buffers[f].base + start, piece);
            let offset = to.0 - self.buffers[t].base + start;
            store(&mut self.buffers[t].words, offset, piece);
        }
        let offset = to.0 - self.buffers[t].base;
        self.buffers[t].set_written(offset, count, written.as_ref().map(|w| (w, 0)));
        count
    }

    /// Fills `bytes` bytes with `pattern`, of 1, 2 or 4 bytes. Returns the number of bytes that were in range.
    pub fn set(&mut self, address: Address, pattern: &[u8], bytes: u64) -> u64 {
        let Some(n) = self.find(address.0) else { return 0 };
        let buffer = &mut self.buffers[n];
        let offset = address.0 - buffer.base;
        let count = buffer.room(offset, bytes);
        let value = |at: u64| pattern[((at - offset) % pattern.len().max(1) as u64) as usize];
        let end = offset + count;
        let (first, last) = (offset.next_multiple_of(4).min(end), (end / 4 * 4).max(offset));
        let mut ends = (offset..end, end..end);
        if first < last {
            let word = u32::from_le_bytes([0, 1, 2, 3].map(|k| value(first + k)));
            for slot in &mut buffer.words[(first / 4) as usize..(last / 4) as usize] {
                *slot.get_mut() = word;
            }
            ends = (offset..first, last..end);
        }
        for at in ends.0.chain(ends.1) {
            store(&mut buffer.words, at, &[value(at)]);
        }
        buffer.set_written(offset, count, None);
        count
    }
}
