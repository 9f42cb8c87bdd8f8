//! Global memory: buffers of words that host threads share.
//!
//! Words are atomics read and written with relaxed ordering, so that a race in the learner's kernel is never
//! undefined behaviour of the simulator. The bytes that a kernel wrote are recorded separately, one log for each
//! host thread, and merged when the launch ends; where two logs overlap, the launch depended on the order of its
//! blocks.
//!
//! Addresses only increase: a freed address is never allocated again, so that a later use of it is recognised. The
//! last few thousand freed buffers are remembered by name.

use super::bytes::ByteSet;
use super::resident_pages::ResidentPages;
use super::touch::TouchLog;
use super::zeroed::Zeroed;
use super::{Address, GLOBAL_WINDOW, GLOBAL_WINDOW_END};
use crate::memory_name::MemoryName;
use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The value of never-written bytes, so that a forgotten write shows.
pub const POISON: u8 = 0xfb;

/// [`POISON`] in every byte of a word.
pub const POISON_WORD: u32 = u32::from_ne_bytes([POISON; 4]);
/// [`POISON`] in every byte of a double.
pub const POISON_DOUBLE: u64 = (POISON_WORD as u64) << 32 | POISON_WORD as u64;

/// Unused addresses after each buffer, in bytes.
const GUARD_BYTES: u64 = 1 << 30;

/// Alignment of buffers in bytes (that of `cudaMallocPitch` on current GPUs).
const ALIGN_BYTES: u64 = 512;

/// Largest size of a buffer in bytes.
const BUFFER_LIMIT_BYTES: u64 = 1 << 38;

/// Most lines of which a buffer remembers what they stored without a value.
const MAX_LINES: usize = 16;

/// Number of freed buffers that are remembered.
const MAX_FREED: usize = 2048;

/// A memory pool of a machine, as whoever creates pools numbers them.
pub type PoolNumber = u64;

/// The kind of memory that a buffer lives in, and its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    /// Memory of the GPU with this number: other GPUs access it only with peer access, and the host cannot dereference
    /// its pointers.
    Device(u32),
    /// Memory of that GPU from a memory pool: other GPUs access it only if the pool allows them to.
    Pool { device: u32, pool: PoolNumber },
    /// Page-locked host memory: the host and every GPU access it directly.
    Pinned,
    /// Managed memory: the host and every GPU access it, and its pages migrate as needed.
    Managed,
}

impl Owner {
    /// Returns the GPU that the memory belongs to.
    pub fn device(self) -> Option<u32> {
        match self {
            Owner::Device(device) | Owner::Pool { device, .. } => Some(device),
            Owner::Pinned | Owner::Managed => None,
        }
    }
}

/// A contiguous allocation of global memory.
#[derive(Debug)]
pub struct Buffer {
    pub name: MemoryName,
    /// Address of the first byte.
    pub base: u64,
    pub bytes: u64,
    pub owner: Owner,
    /// Whether kernel writes are reported as findings.
    pub read_only: bool,
    /// Whether it is in `__constant__` memory.
    pub constant: bool,
    pub words: Zeroed<AtomicU32>,
    /// Bytes ever written; `None`: all of them.
    pub written: Option<ByteSet>,
    /// Bytes that do not count as written but hold stored bits, computed from values that nobody wrote.
    pub stored: Option<ByteSet>,
    /// Those of the stored ones of which no bit has a value, by the line in which a kernel read, or made, what was
    /// stored; `None`: not known.
    pub garbage: BTreeMap<Option<u32>, ByteSet>,
    /// The part of `words` that was written, and so occupies memory of this machine.
    pub resident: ResidentPages,
    pub freed: bool,
}

impl Buffer {
    /// Creates a buffer that kernels may write, all of it written.
    fn new(name: MemoryName, base: u64, bytes: u64, owner: Owner, words: Zeroed<AtomicU32>) -> Buffer {
        Buffer {
            name,
            base,
            bytes,
            owner,
            read_only: false,
            constant: false,
            words,
            written: None,
            stored: None,
            garbage: BTreeMap::new(),
            resident: ResidentPages::default(),
            freed: false,
        }
    }
}

/// Why a buffer cannot be allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoBuffer {
    /// It is larger than any GPU's memory.
    TooLarge,
    /// This machine has too little memory to back it.
    Machine,
}

/// All buffers, sorted by address.
#[derive(Debug, Default)]
pub struct GlobalMemory {
    pub buffers: Vec<Buffer>,
    /// Offset of the next buffer from the start of the window.
    next: u64,
    /// How many of `buffers` are freed.
    freed: usize,
}

/// The contents of a buffer before a launch: for each range of words, the index of the first one and the words.
pub type Saved = Vec<(usize, Vec<u32>)>;

impl GlobalMemory {
    /// Allocates a buffer that counts as never written.
    ///
    /// # Errors
    /// Returns [`NoBuffer::TooLarge`] if the buffer is larger than any may be or finds no more addresses, and
    /// [`NoBuffer::Machine`] if this machine has no memory for it.
    pub fn allocate(&mut self, owner: Owner, name: MemoryName, bytes: u64) -> Result<Address, NoBuffer> {
        if bytes > BUFFER_LIMIT_BYTES {
            return Err(NoBuffer::TooLarge);
        }
        let room = bytes.next_multiple_of(ALIGN_BYTES) + GUARD_BYTES;
        let next = self.next.saturating_add(room);
        if next > GLOBAL_WINDOW_END - GLOBAL_WINDOW {
            return Err(NoBuffer::TooLarge);
        }
        let base = GLOBAL_WINDOW + self.next;
        let count = bytes.div_ceil(4) as usize;
        let words = Zeroed::new(count).ok_or(NoBuffer::Machine)?;
        let written = ByteSet::new(count as u64 * 4);
        if written.has_no_room() && count > 0 {
            return Err(NoBuffer::Machine);
        }
        self.next = next;
        let written = Some(written);
        self.buffers.push(Buffer { written, ..Buffer::new(name, base, bytes, owner, words) });
        Ok(Address(base))
    }

    /// Adds a buffer at a given address with given contents: host memory that is being page-locked. Returns false
    /// if a buffer is already there.
    pub fn adopt(&mut self, owner: Owner, name: &MemoryName, base: u64, contents: &[u8]) -> bool {
        let bytes = contents.len() as u64;
        let at = self.buffers.partition_point(|b| b.base <= base);
        let before = at.checked_sub(1).map(|n| &self.buffers[n]);
        if before.is_some_and(|b| base - b.base < b.bytes.max(1))
            || self.buffers.get(at).is_some_and(|b| b.base - base < bytes)
        {
            return false;
        }
        let word = |four: &[u8]| {
            let mut word = [0; 4];
            word[..four.len()].copy_from_slice(four);
            AtomicU32::new(u32::from_le_bytes(word))
        };
        let words = contents.chunks(4).map(word).collect();
        // Nothing of it is resident: the host's memory is counted elsewhere.
        self.buffers.insert(at, Buffer::new(name.clone(), base, bytes, owner, words));
        true
    }

    /// Removes an adopted buffer and returns its contents.
    pub fn release(&mut self, base: u64) -> Option<Vec<u8>> {
        let n = self.find(base).filter(|&n| self.buffers[n].base == base)?;
        let mut contents = vec![0; self.buffers[n].bytes as usize];
        self.read(Address(base), &mut contents);
        self.buffers.remove(n);
        Some(contents)
    }

    /// Returns the number of the last buffer that begins at or before `address`: the one that holds it, or whose
    /// guard zone does.
    #[inline]
    pub fn nearest(&self, address: u64) -> Option<usize> {
        match self.buffers.partition_point(|b| b.base <= address) {
            0 => None,
            n => Some(n - 1),
        }
    }

    /// Returns the number of the buffer that holds the byte at `address`, freed or not; a buffer of no bytes holds
    /// its first address.
    pub fn find_any(&self, address: u64) -> Option<usize> {
        let n = self.nearest(address)?;
        let b = &self.buffers[n];
        (address - b.base < b.bytes.max(1)).then_some(n)
    }

    /// Returns the number of the buffer that holds the byte at `address` and was not freed.
    pub fn find(&self, address: u64) -> Option<usize> {
        self.find_any(address).filter(|&n| !self.buffers[n].freed)
    }

    /// Returns the buffer from which an unsigned 32-bit index that wrapped below zero led to `address`: its
    /// number, the index, and the element size in bytes. Searches all buffers, or `own` alone. `None` where
    /// `address` is in a buffer or no index fits.
    pub fn wrapped(&self, address: u64, own: Option<usize>) -> Option<(usize, i64, u64)> {
        // Elements before the buffer's start, in addition to its length, for which an index counts as below zero.
        const NEAR: u64 = 1 << 12;
        if self.find_any(address).is_some() {
            return None;
        }
        let of = |n: usize, width: u64| {
            let buffer = &self.buffers[n];
            let short = (width << 32).checked_sub(address.wrapping_sub(buffer.base))?;
            let near = short > 0 && short <= buffer.bytes.saturating_add(NEAR * width);
            (near && short.is_multiple_of(width)).then_some((n, -((short / width) as i64), width))
        };
        let numbers = own.map_or(0..self.buffers.len(), |own| own..own + 1);
        [4, 1, 2, 8, 16].into_iter().find_map(|width| numbers.clone().find_map(|n| of(n, width)))
    }

    /// Returns whether a poison value as an index leads from a buffer to `address`.
    pub fn is_poisoned(&self, address: u64) -> bool {
        const INDICES: [u64; 3] = [POISON_WORD as i32 as u64, POISON_WORD as u64, POISON_DOUBLE];
        let leads = |base: u64, index: u64| {
            let width = |width: u64| base.wrapping_add(index.wrapping_mul(width)) == address;
            [1, 2, 4, 8, 16].into_iter().any(width)
        };
        self.buffers.iter().any(|buffer| INDICES.into_iter().any(|index| leads(buffer.base, index)))
    }

    /// Frees the buffer that holds `address`; the address stays known for some time, so that later uses can be
    /// reported. Returns false when there is no such buffer.
    pub fn free(&mut self, address: Address) -> bool {
        let Some(n) = self.find(address.0) else { return false };
        self.drop_contents(n);
        self.forget();
        true
    }

    /// Frees all memory of a GPU.
    pub fn free_all(&mut self, device: u32) {
        for n in 0..self.buffers.len() {
            if self.buffers[n].owner.device() == Some(device) && !self.buffers[n].freed {
                self.drop_contents(n);
            }
        }
        self.forget();
    }

    /// Returns the bytes of this machine's memory that back all buffers.
    pub fn resident_bytes(&self) -> u64 {
        self.buffers.iter().map(|buffer| buffer.resident.bytes()).sum()
    }

    /// Returns the additional bytes of this machine's memory that are needed when `bytes` bytes at an address are
    /// written.
    pub fn bytes_to_commit(&self, address: Address, bytes: u64) -> u64 {
        let Some(buffer) = self.find(address.0).map(|n| &self.buffers[n]) else { return 0 };
        let offset = address.0 - buffer.base;
        buffer.resident.bytes_to_commit(offset, bytes.min(buffer.bytes - offset))
    }

    fn drop_contents(&mut self, n: usize) {
        let buffer = &mut self.buffers[n];
        buffer.freed = true;
        buffer.words = Zeroed::default();
        buffer.written = Some(ByteSet::default());
        (buffer.stored, buffer.garbage) = (None, BTreeMap::new());
        buffer.resident = ResidentPages::default();
        self.freed += 1;
    }

    /// Drops the oldest freed buffers when there are too many.
    fn forget(&mut self) {
        if self.freed > 2 * MAX_FREED {
            let mut surplus = self.freed - MAX_FREED;
            self.buffers.retain(|b| {
                let forget = b.freed && surplus > 0;
                surplus -= forget as usize;
                !forget
            });
            self.freed = MAX_FREED;
        }
    }
}

impl Buffer {
    /// Saves the contents for a second run. Must be called before the first write of a host thread.
    pub fn save(&self, saved: &OnceLock<Saved>) {
        let kept = |first: usize, words: &[AtomicU32]| {
            (first, words.iter().map(|w| w.load(Relaxed)).collect::<Vec<u32>>())
        };
        match &self.written {
            None => {
                saved.get_or_init(|| vec![kept(0, &self.words)]);
            }
            Some(_) => {
                saved.get_or_init(|| {
                    let words = self.resident.stretches().filter_map(|stretch| {
                        let (first, end) = (stretch.start as usize / 4, stretch.end as usize / 4);
                        Some(kept(first, self.words.get(first..end.min(self.words.len()))?))
                    });
                    words.collect()
                });
            }
        }
    }
}

impl GlobalMemory {
    /// Adds the bytes that a launch wrote to each buffer's written bytes. `line` returns that of an instruction.
    pub fn absorb(&mut self, log: &TouchLog, line: impl Fn(u32) -> Option<u32>) {
        for (buffer, touched) in self.buffers.iter_mut().zip(&log.buffers) {
            let unset = touched.unset.as_ref().filter(|unset| !unset.bytes.is_empty());
            if touched.presumed_written {
                buffer.written = None;
            }
            if unset.is_some() && buffer.written.is_none() {
                buffer.written = Some(ByteSet::all(buffer.words.len() as u64 * 4));
                // Until now all of it counted as written, and nobody recorded where.
                buffer.resident.write(0, buffer.bytes);
            }
            if let Some(new) = &touched.written {
                let within = new.bounds().start..new.bounds().end.min(buffer.bytes);
                buffer.resident.write_where(within, |first, end| new.first_in(first..end).is_some());
            }
            if let Some(all) = &mut buffer.written
                && (touched.written.is_some() || unset.is_some())
            {
                if let Some(new) = &touched.written {
                    all.join(new);
                }
                for range in unset.into_iter().flat_map(|unset| unset.bytes.ranges()) {
                    all.remove(range.start, range.end - range.start);
                }
                if let Some(unset) = unset {
                    let room = buffer.words.len() as u64 * 4;
                    buffer.stored.get_or_insert_with(|| ByteSet::new(room)).join(&unset.held);
                    for garbage in buffer.garbage.values_mut() {
                        for range in unset.bytes.ranges() {
                            garbage.remove(range.start, range.end - range.start);
                        }
                    }
                    for (line, bytes) in unset.garbage_by_line(&line) {
                        let is_room = buffer.garbage.len() < MAX_LINES || buffer.garbage.contains_key(&line);
                        let line = line.filter(|_| is_room);
                        buffer.garbage.entry(line).or_insert_with(|| ByteSet::new(room)).join(&bytes);
                    }
                }
                if all.is_full(buffer.bytes) {
                    buffer.written = None;
                }
            }
        }
    }

    /// Restores the buffers' saved contents; those without a copy are unchanged.
    pub fn restore(&mut self, saved: &[OnceLock<Saved>]) {
        for (buffer, saved) in self.buffers.iter_mut().zip(saved) {
            let Some(saved) = saved.get() else { continue };
            // Memory that is not resident was never written.
            if buffer.written.is_some() {
                match Zeroed::new(buffer.words.len()) {
                    Some(words) => buffer.words = words,
                    None => buffer.words.iter_mut().for_each(|word| *word.get_mut() = 0),
                }
            }
            for (first, words) in saved {
                for (word, &value) in buffer.words.iter_mut().skip(*first).zip(words) {
                    *word.get_mut() = value;
                }
            }
        }
    }
}
