//! The local memory of a warp's threads, laid out word by word across the lanes, as the hardware does, so that
//! lanes at the same offset read one row.

use super::super::lanes::{LANES, Lanes32};
use super::global::POISON_WORD;

/// Most bytes of local memory of one thread (CUDA's limit is 512 KiB; programming guide, technical
/// specifications).
pub const LOCAL_LIMIT_BYTES: u64 = 512 << 10;

/// The local memory of the threads of one warp.
#[derive(Debug, Default)]
pub struct LocalMemory {
    rows: Vec<Lanes32>,
    /// For each row and each byte of its words, the lanes that wrote it.
    written: Vec<[u32; 4]>,
}

impl LocalMemory {
    /// Makes room for `bytes` bytes per thread.
    pub fn reserve(&mut self, bytes: u64) {
        let rows = bytes.min(LOCAL_LIMIT_BYTES).div_ceil(4) as usize;
        if self.rows.len() < rows {
            self.rows.resize(rows, [POISON_WORD; LANES]);
            self.written.resize(rows, [0; 4]);
        }
    }

    /// Resets `bytes` bytes from byte `first` on to never written: a new call frame begins there.
    #[inline(always)]
    pub fn forget(&mut self, first: u64, bytes: u64) {
        if bytes > 0 {
            self.forget_rows(first, bytes);
        }
    }

    fn forget_rows(&mut self, first: u64, bytes: u64) {
        let rows = self.written.len();
        let (first, end) = ((first / 4) as usize, (first + bytes).div_ceil(4) as usize);
        self.written[first.min(rows)..end.min(rows)].fill([0; 4]);
        self.rows[first.min(rows)..end.min(rows)].fill([POISON_WORD; LANES]);
    }

    /// Returns the bytes per thread that there is room for.
    pub fn bytes(&self) -> u64 {
        self.rows.len() as u64 * 4
    }

    /// Returns a byte of one lane; `None` past the end.
    #[inline(always)]
    pub fn byte(&self, lane: usize, offset: u64) -> Option<u8> {
        let row = self.rows.get((offset / 4) as usize)?;
        Some((row[lane] >> (offset % 4 * 8)) as u8)
    }

    /// Writes a byte of one lane; ignored past the end.
    #[inline(always)]
    pub fn set_byte(&mut self, lane: usize, offset: u64, value: u8) {
        let (row, shift) = ((offset / 4) as usize, offset % 4 * 8);
        if let Some(words) = self.rows.get_mut(row) {
            words[lane] = words[lane] & !(0xff << shift) | (value as u32) << shift;
            self.written[row][(offset % 4) as usize] |= 1 << lane;
        }
    }

    /// Marks a byte as never written, and leaves its contents.
    pub fn forget_byte(&mut self, lane: usize, offset: u64) {
        if let Some(written) = self.written.get_mut((offset / 4) as usize) {
            written[(offset % 4) as usize] &= !(1 << lane);
        }
    }

    /// Returns the word of every lane at the aligned byte `offset`, and the lanes that wrote all of it.
    #[inline(always)]
    pub fn row(&self, offset: u64) -> Option<(&Lanes32, u32)> {
        let row = (offset / 4) as usize;
        let w = self.written.get(row)?;
        Some((&self.rows[row], w[0] & w[1] & w[2] & w[3]))
    }

    /// Returns the word of every lane at the aligned byte `offset`, and for each of its bytes the lanes that wrote
    /// it.
    pub fn raw(&self, offset: u64) -> Option<(&Lanes32, &[u32; 4])> {
        let row = (offset / 4) as usize;
        Some((self.rows.get(row)?, self.written.get(row)?))
    }

    /// Stores a word of each lane of `mask`.
    #[inline(always)]
    pub fn set_row(&mut self, offset: u64, value: &Lanes32, mask: u32) {
        let row = (offset / 4) as usize;
        if let Some(words) = self.rows.get_mut(row) {
            for lane in 0..LANES {
                if mask >> lane & 1 != 0 {
                    words[lane] = value[lane];
                }
            }
            for byte in &mut self.written[row] {
                *byte |= mask;
            }
        }
    }

    /// Returns whether `lane` wrote all of the `count` bytes at `offset`.
    pub fn is_written(&self, lane: usize, offset: u64, count: u64) -> bool {
        (offset..offset + count)
            .all(|b| self.written.get((b / 4) as usize).is_some_and(|w| w[(b % 4) as usize] >> lane & 1 != 0))
    }
}
