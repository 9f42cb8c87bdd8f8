//! The words of a memory space, and transfers between them and the lanes of a warp.

use crate::lanes::{LANES, Lanes32, lanes_of};
use crate::memory::shape::Shape;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Words of a memory space.
pub trait Bank {
    fn get(&self, word: usize) -> u32;
    fn set(&mut self, word: usize, value: u32);
    /// Copies `out.len()` words starting at `word`.
    fn copy_out(&self, word: usize, out: &mut [u32]);
    /// Writes `values` to consecutive words starting at `word`.
    fn copy_in(&mut self, word: usize, values: &[u32]);
}

impl Bank for &[AtomicU32] {
    #[inline(always)]
    fn get(&self, word: usize) -> u32 {
        self[word].load(Relaxed)
    }
    #[inline(always)]
    fn set(&mut self, word: usize, value: u32) {
        self[word].store(value, Relaxed);
    }
    #[inline(always)]
    fn copy_out(&self, word: usize, out: &mut [u32]) {
        let (pairs, last) = self[word..word + out.len()].as_chunks::<2>();
        let (out_pairs, out_last) = out.as_chunks_mut::<2>();
        for (o, pair) in out_pairs.iter_mut().zip(pairs) {
            *o = pair::load(pair);
        }
        if let ([o], [w]) = (out_last, last) {
            *o = w.load(Relaxed);
        }
    }
    #[inline(always)]
    fn copy_in(&mut self, word: usize, values: &[u32]) {
        let (pairs, last) = self[word..word + values.len()].as_chunks::<2>();
        let (value_pairs, last_value) = values.as_chunks::<2>();
        for (v, pair) in value_pairs.iter().zip(pairs) {
            pair::store(pair, *v);
        }
        if let ([v], [w]) = (last_value, last) {
            w.store(*v, Relaxed);
        }
    }
}

impl Bank for &mut [u32] {
    #[inline(always)]
    fn get(&self, word: usize) -> u32 {
        self[word]
    }
    #[inline(always)]
    fn set(&mut self, word: usize, value: u32) {
        self[word] = value;
    }
    #[inline(always)]
    fn copy_out(&self, word: usize, out: &mut [u32]) {
        out.copy_from_slice(&self[word..word + out.len()]);
    }
    #[inline(always)]
    fn copy_in(&mut self, word: usize, values: &[u32]) {
        self[word..word + values.len()].copy_from_slice(values);
    }
}

/// Relaxed atomic accesses to two words, which the compiler would make one by one: that takes twice as long.
mod pair {
    use std::sync::atomic::AtomicU32;
    #[cfg(not(target_arch = "x86_64"))]
    use std::sync::atomic::Ordering::Relaxed;

    #[inline(always)]
    #[cfg(target_arch = "x86_64")]
    pub fn load(words: &[AtomicU32; 2]) -> [u32; 2] {
        let both: u64;
        // SAFETY: it reads those 8 bytes, each word at once, as relaxed atomic loads would.
        unsafe {
            std::arch::asm!(
                "mov {}, qword ptr [{}]",
                lateout(reg) both,
                in(reg) words,
                options(nostack, readonly, preserves_flags),
            );
        }
        [both as u32, (both >> 32) as u32]
    }

    #[inline(always)]
    #[cfg(target_arch = "x86_64")]
    pub fn store(words: &[AtomicU32; 2], values: [u32; 2]) {
        let both = u64::from(values[0]) | u64::from(values[1]) << 32;
        // SAFETY: it writes those 8 bytes, each word at once, as relaxed atomic stores would.
        unsafe {
            std::arch::asm!(
                "mov qword ptr [{}], {}",
                in(reg) words,
                in(reg) both,
                options(nostack, preserves_flags),
            );
        }
    }

    #[inline(always)]
    #[cfg(not(target_arch = "x86_64"))]
    pub fn load(words: &[AtomicU32; 2]) -> [u32; 2] {
        [words[0].load(Relaxed), words[1].load(Relaxed)]
    }

    #[inline(always)]
    #[cfg(not(target_arch = "x86_64"))]
    pub fn store(words: &[AtomicU32; 2], values: [u32; 2]) {
        words[0].store(values[0], Relaxed);
        words[1].store(values[1], Relaxed);
    }
}

/// Copies consecutive words to consecutive lanes; a warp's and half a warp's in a loop of fixed length.
#[inline(always)]
fn copy_out<B: Bank>(bank: &B, word: usize, lanes: &mut [u32]) {
    match lanes.len() {
        LANES => bank.copy_out(word, lanes.first_chunk_mut::<LANES>().expect("all lanes")),
        HALF => bank.copy_out(word, lanes.first_chunk_mut::<HALF>().expect("half the lanes")),
        _ => bank.copy_out(word, lanes),
    }
}

const HALF: usize = LANES / 2;

/// Reads word `k` of every active lane's access. `first` is the byte offset of the first active lane.
#[inline(always)]
pub fn gather_words<B: Bank>(bank: &B, first: u64, k: usize, shape: &Shape, mask: u32) -> Lanes32 {
    let mut out = [0; LANES];
    let start = (first / 4) as usize + k;
    let stride = shape.width as usize / 4;
    if let Some(row) = shape.row().filter(|_| stride == 1) {
        // The words between those of active lanes are copied too: they are within the access's bounds.
        let (lane, lanes) = (mask.trailing_zeros() as usize % LANES, 32 - row.leading_zeros() as usize);
        copy_out(bank, start, &mut out[lane..][..lanes]);
    } else if let Some(runs) = shape.runs() {
        for run in runs {
            let word = (start as i64 + (run.offset >> 2) as i64) as usize;
            let lanes = &mut out[run.lane as usize..][..run.lanes as usize];
            if !run.rising {
                lanes.fill(bank.get(word));
            } else if stride == 1 {
                copy_out(bank, word, lanes);
            } else {
                for (n, lane) in lanes.iter_mut().enumerate() {
                    *lane = bank.get(word + n * stride);
                }
            }
        }
    } else {
        for lane in lanes_of(mask) {
            let word = (start as i64 + (shape.offsets[lane] as i64 >> 2)) as usize;
            out[lane] = bank.get(word);
        }
    }
    out
}

/// Writes word `k` of every active lane's access. `first` is the byte offset of the first active lane.
#[inline(always)]
pub fn scatter_words<B: Bank>(
    bank: &mut B,
    first: u64,
    k: usize,
    shape: &Shape,
    mask: u32,
    values: &Lanes32,
) {
    let start = (first / 4) as usize + k;
    let stride = shape.width as usize / 4;
    if stride == 1
        && let Some(runs) = shape.runs()
        && runs.iter().all(|run| run.rising)
    {
        for run in runs {
            let word = (start as i64 + (run.offset >> 2) as i64) as usize;
            bank.copy_in(word, &values[run.lane as usize..][..run.lanes as usize]);
        }
        return;
    }
    for lane in lanes_of(mask) {
        let word = (start as i64 + (shape.offsets[lane] as i64 >> 2)) as usize;
        bank.set(word, values[lane]);
    }
}

/// Reads bytes `at .. at + bytes` of a bank (at most 8; they cross a word boundary only as whole words).
#[inline(always)]
pub fn get_bytes<B: Bank>(bank: &B, at: u64, bytes: u32) -> u64 {
    let word = (at / 4) as usize;
    match bytes {
        1 => (bank.get(word) >> (at % 4 * 8)) as u64 & 0xff,
        2 => (bank.get(word) >> (at % 4 * 8)) as u64 & 0xffff,
        4 => bank.get(word) as u64,
        _ => bank.get(word) as u64 | (bank.get(word + 1) as u64) << 32,
    }
}

/// Writes bytes `at .. at + bytes` of a bank, with the restrictions of [`get_bytes`].
#[inline(always)]
pub fn set_bytes<B: Bank>(bank: &mut B, at: u64, bytes: u32, value: u64) {
    let word = (at / 4) as usize;
    match bytes {
        1 | 2 => {
            let (keep, shift) = (if bytes == 1 { 0xffu32 } else { 0xffff }, at % 4 * 8);
            let old = bank.get(word);
            bank.set(word, old & !(keep << shift) | (value as u32 & keep) << shift);
        }
        4 => bank.set(word, value as u32),
        _ => {
            bank.set(word, value as u32);
            bank.set(word + 1, (value >> 32) as u32);
        }
    }
}
