//! How much of this machine's memory stands behind a buffer: pages come as they are written.

use std::ops::Range;

/// Bytes that are counted together.
const PAGE_BYTES: u64 = 1 << 16;

/// Which pages of a buffer were written.
#[derive(Debug, Default)]
pub struct ResidentPages {
    /// A bit a page.
    pages: Vec<u64>,
    count: u64,
}

impl ResidentPages {
    fn is_held(&self, page: u64) -> bool {
        self.pages.get((page / 64) as usize).is_some_and(|bits| bits >> (page % 64) & 1 != 0)
    }

    fn hold(&mut self, page: u64) {
        let word = (page / 64) as usize;
        if self.pages.len() <= word {
            self.pages.resize(word + 1, 0);
        }
        self.count += u64::from(!self.is_held(page));
        self.pages[word] |= 1 << (page % 64);
    }

    /// Pages of a stretch.
    fn pages_of(offset: u64, bytes: u64) -> Range<u64> {
        match bytes {
            0 => 0..0,
            bytes => offset / PAGE_BYTES..offset.saturating_add(bytes).div_ceil(PAGE_BYTES),
        }
    }

    /// A stretch is written. `offset` and `bytes` are within the buffer.
    pub fn write(&mut self, offset: u64, bytes: u64) {
        Self::pages_of(offset, bytes).for_each(|page| self.hold(page));
    }

    /// Pages of a stretch are written that `any` says has something; it is asked of no byte past the
    /// stretch's end.
    pub fn write_where(&mut self, within: Range<u64>, any: impl Fn(u64, u64) -> bool) {
        let bytes = within.end.saturating_sub(within.start);
        for page in Self::pages_of(within.start, bytes) {
            if !self.is_held(page) && any(page * PAGE_BYTES, ((page + 1) * PAGE_BYTES).min(within.end)) {
                self.hold(page);
            }
        }
    }

    /// Bytes that come when a stretch is written.
    pub fn lacking(&self, offset: u64, bytes: u64) -> u64 {
        Self::pages_of(offset, bytes).filter(|page| !self.is_held(*page)).count() as u64 * PAGE_BYTES
    }

    /// What was written, in stretches of pages.
    pub fn stretches(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        let pages = (0u64..).zip(&self.pages).filter(|(_, bits)| **bits != 0);
        pages.flat_map(|(n, bits)| {
            let held = (0..64).filter(move |page| bits >> page & 1 != 0);
            held.map(move |page| (n * 64 + page) * PAGE_BYTES..(n * 64 + page + 1) * PAGE_BYTES)
        })
    }

    /// Bytes of all that was written, in whole pages.
    pub fn bytes(&self) -> u64 {
        self.count * PAGE_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_count_once() {
        let mut held = ResidentPages::default();
        assert_eq!((held.bytes(), held.lacking(0, 10 << 20)), (0, 10 << 20));
        held.write(PAGE_BYTES - 1, 2);
        held.write(5, 10);
        assert_eq!(held.bytes(), 2 * PAGE_BYTES);
        assert_eq!(held.lacking(0, 3 * PAGE_BYTES), PAGE_BYTES);
        held.write_where(0..100 * PAGE_BYTES, |first, end| (first..end).contains(&(70 * PAGE_BYTES)));
        held.write(0, 0);
        assert_eq!(held.bytes(), 3 * PAGE_BYTES);
        let pages: Vec<u64> = held.stretches().map(|stretch| stretch.start / PAGE_BYTES).collect();
        assert_eq!(pages, [0, 1, 70]);
    }
}
