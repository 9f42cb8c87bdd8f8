//! Global memory: buffers of words that host threads share.
//!
//! Words are atomics read and written relaxed, so that a learner's race is never undefined
//! behaviour of ours. Which bytes a kernel wrote is kept apart, one log for each host thread, and
//! joined when the launch ends; where two logs meet, the launch was not independent of its order.

use super::{Address, GLOBAL_WINDOW};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Never-written bytes read as this, so that a forgotten write shows.
pub const POISON: u8 = 0xfb;

/// [`POISON`] in every byte of a word.
pub const POISON_WORD: u32 = u32::from_ne_bytes([POISON; 4]);

/// Unused addresses behind each buffer.
const GUARD_BYTES: u64 = 1 << 30;

/// Most bytes one buffer may have.
const BUFFER_LIMIT_BYTES: u64 = 1 << 36;

/// Which bytes of a buffer were written: one bit a byte.
#[derive(Clone, Debug, Default)]
pub struct ByteSet {
    bits: Vec<u32>,
}

impl ByteSet {
    pub fn new(bytes: u64) -> ByteSet {
        ByteSet { bits: vec![0; bytes.div_ceil(32) as usize] }
    }

    /// Marks a whole aligned 4-byte word.
    #[inline(always)]
    pub fn insert_word(&mut self, word: usize) {
        self.bits[word / 8] |= 0xf << (word % 8 * 4);
    }

    /// Marks `count` aligned words from `word`.
    #[inline(always)]
    pub fn insert_words(&mut self, word: usize, count: usize) {
        let (mut word, end) = (word, word + count);
        while word < end {
            if word % 8 == 0 && end - word >= 8 {
                self.bits[word / 8] = u32::MAX;
                word += 8;
            } else {
                self.insert_word(word);
                word += 1;
            }
        }
    }

    pub fn insert(&mut self, byte: u64, count: u64) {
        for b in byte..byte + count {
            self.bits[(b / 32) as usize] |= 1 << (b % 32);
        }
    }

    /// Whether all `count` bytes from `byte` are in.
    #[inline(always)]
    pub fn contains(&self, byte: u64, count: u64) -> bool {
        (byte..byte + count).all(|b| self.bits[(b / 32) as usize] >> (b % 32) & 1 != 0)
    }

    fn intersects(&self, other: &ByteSet) -> bool {
        self.bits.iter().zip(&other.bits).any(|(a, b)| a & b != 0)
    }

    fn intersects_range(&self, first: u64, end: u64) -> bool {
        (first / 32..end.div_ceil(32)).any(|w| self.bits.get(w as usize).is_some_and(|&b| b != 0))
    }

    fn is_full(&self, bytes: u64) -> bool {
        let whole = (bytes / 32) as usize;
        let rest = bytes % 32;
        self.bits[..whole].iter().all(|&b| b == u32::MAX)
            && (rest == 0 || self.bits[whole].count_ones() as u64 >= rest)
    }

    fn join(&mut self, other: &ByteSet) {
        for (a, b) in self.bits.iter_mut().zip(&other.bits) {
            *a |= b;
        }
    }
}

#[derive(Debug)]
pub struct Buffer {
    pub name: Arc<str>,
    /// Device address of the first byte.
    pub base: u64,
    pub bytes: u64,
    /// Kernel writes are findings.
    pub read_only: bool,
    /// In `__constant__` memory.
    pub constant: bool,
    pub words: Box<[AtomicU32]>,
    /// Bytes ever written; `None`: all of them.
    pub written: Option<ByteSet>,
    pub freed: bool,
}

/// All buffers, by address.
#[derive(Debug, Default)]
pub struct GlobalMemory {
    pub buffers: Vec<Buffer>,
    next: u64,
}

fn zeroed(words: usize) -> Box<[AtomicU32]> {
    let plain: Box<[u32]> = vec![0u32; words].into_boxed_slice();
    // SAFETY: `AtomicU32` has the size, alignment and bit validity of `u32` (documented), and the
    // box is the only owner. Made this way so that the pages come zeroed from the system, untouched.
    unsafe { Box::from_raw(Box::into_raw(plain) as *mut [AtomicU32]) }
}

impl GlobalMemory {
    /// `None` when the buffer is larger than any GPU's memory, or the host's.
    pub fn allocate(&mut self, name: &str, bytes: u64) -> Option<Address> {
        if bytes > BUFFER_LIMIT_BYTES {
            return None;
        }
        let words = bytes.div_ceil(4) as usize;
        let mut probe: Vec<u8> = Vec::new();
        probe.try_reserve_exact(words * 4).ok()?;
        drop(probe);
        let base = GLOBAL_WINDOW + self.next;
        self.next += bytes.next_multiple_of(512) + GUARD_BYTES;
        self.buffers.push(Buffer {
            name: name.into(),
            base,
            bytes,
            read_only: false,
            constant: false,
            words: zeroed(words),
            written: Some(ByteSet::new(words as u64 * 4)),
            freed: false,
        });
        Some(Address(base))
    }

    /// The buffer that holds `address`, or whose guard zone does, or the last one before it.
    #[inline]
    pub fn nearest(&self, address: u64) -> Option<usize> {
        match self.buffers.partition_point(|b| b.base <= address) {
            0 => None,
            n => Some(n - 1),
        }
    }

    /// The buffer that holds the byte at `address`.
    pub fn find(&self, address: u64) -> Option<usize> {
        let n = self.nearest(address)?;
        let b = &self.buffers[n];
        (address - b.base < b.bytes.max(1) && !b.freed).then_some(n)
    }

    /// Gives the memory back; the address stays known, for reports of later use.
    pub fn free(&mut self, address: Address) {
        if let Some(n) = self.find(address.0) {
            let buffer = &mut self.buffers[n];
            buffer.freed = true;
            buffer.words = Box::default();
            buffer.written = Some(ByteSet::default());
        }
    }

    /// Copies in from the host; what does not fit the buffer is left out.
    pub fn write(&mut self, address: Address, bytes: &[u8]) {
        let Some(n) = self.find(address.0) else { return };
        let buffer = &mut self.buffers[n];
        let offset = address.0 - buffer.base;
        let count = (bytes.len() as u64).min(buffer.bytes - offset);
        let skip = (offset.next_multiple_of(4) - offset).min(count) as usize;
        let whole = (count as usize - skip) / 4 * 4;
        let mut put = |at: usize, byte: u8| {
            let word = buffer.words[at / 4].get_mut();
            let shift = at % 4 * 8;
            *word = *word & !(0xff << shift) | (byte as u32) << shift;
        };
        for i in (0..skip).chain(skip + whole..count as usize) {
            put(offset as usize + i, bytes[i]);
        }
        let first = (offset as usize + skip) / 4;
        for (word, four) in buffer.words[first..].iter_mut().zip(bytes[skip..skip + whole].chunks_exact(4)) {
            *word.get_mut() = u32::from_le_bytes([four[0], four[1], four[2], four[3]]);
        }
        if offset == 0 && count == buffer.bytes {
            buffer.written = None;
        } else if let Some(written) = &mut buffer.written {
            written.insert(offset, count);
        }
    }

    /// Copies out to the host; never-written bytes, and those outside, are [`POISON`].
    pub fn read(&self, address: Address, out: &mut [u8]) {
        out.fill(POISON);
        let Some(n) = self.find(address.0) else { return };
        let buffer = &self.buffers[n];
        let offset = address.0 - buffer.base;
        let count = (out.len() as u64).min(buffer.bytes - offset);
        let word = |at: u64| buffer.words[at as usize / 4].load(Relaxed);
        let Some(written) = &buffer.written else {
            for (i, o) in out[..count as usize].iter_mut().enumerate() {
                let at = offset + i as u64;
                *o = (word(at) >> (at % 4 * 8)) as u8;
            }
            return;
        };
        for (i, o) in out[..count as usize].iter_mut().enumerate() {
            let at = offset + i as u64;
            if written.contains(at, 1) {
                *o = (word(at) >> (at % 4 * 8)) as u8;
            }
        }
    }

    pub fn written(&self, address: Address, len: usize) -> Vec<bool> {
        let mut out = vec![false; len];
        if let Some(n) = self.find(address.0) {
            let buffer = &self.buffers[n];
            let offset = address.0 - buffer.base;
            let count = (len as u64).min(buffer.bytes - offset);
            for (i, o) in out[..count as usize].iter_mut().enumerate() {
                *o = buffer.written.as_ref().is_none_or(|w| w.contains(offset + i as u64, 1));
            }
        }
        out
    }
}

/// What one host thread did to one buffer during a launch.
#[derive(Clone, Debug, Default)]
pub struct Touched {
    /// Bytes written; empty until the first write.
    pub written: Option<ByteSet>,
    /// Byte range read; empty when `read_first >= read_end`.
    pub read_first: u64,
    pub read_end: u64,
}

/// What one host thread did to all buffers during a launch.
#[derive(Clone, Debug)]
pub struct TouchLog {
    pub buffers: Vec<Touched>,
}

impl TouchLog {
    pub fn new(memory: &GlobalMemory) -> TouchLog {
        let none = Touched { written: None, read_first: u64::MAX, read_end: 0 };
        TouchLog { buffers: vec![none; memory.buffers.len()] }
    }
}

/// Whether what the host threads did would be the same in any order: nobody wrote what another
/// read or wrote.
pub fn independent(logs: &[TouchLog]) -> bool {
    logs.iter().enumerate().all(|(i, a)| {
        logs.iter().enumerate().all(|(j, b)| {
            i == j
                || a.buffers.iter().zip(&b.buffers).all(|(a, b)| {
                    let Some(written) = &a.written else { return true };
                    !written.intersects_range(b.read_first, b.read_end)
                        && b.written.as_ref().is_none_or(|other| j < i || !written.intersects(other))
                })
        })
    })
}

impl Buffer {
    /// Whether any byte was ever written.
    pub fn holds_something(&self) -> bool {
        self.written.as_ref().is_none_or(|w| w.bits.iter().any(|&b| b != 0))
    }
}

impl GlobalMemory {
    /// Adds to each buffer's written bytes what a launch wrote.
    pub fn absorb(&mut self, log: &TouchLog) {
        for (buffer, touched) in self.buffers.iter_mut().zip(&log.buffers) {
            if let (Some(all), Some(new)) = (&mut buffer.written, &touched.written) {
                all.join(new);
                if all.is_full(buffer.bytes) {
                    buffer.written = None;
                }
            }
        }
    }

    /// Puts back what the buffers held; those without a copy held nothing.
    pub fn restore(&mut self, saved: &[Option<Vec<u32>>]) {
        for (buffer, words) in self.buffers.iter_mut().zip(saved) {
            if let Some(words) = words {
                for (word, &value) in buffer.words.iter_mut().zip(words) {
                    *word.get_mut() = value;
                }
            }
        }
    }
}
