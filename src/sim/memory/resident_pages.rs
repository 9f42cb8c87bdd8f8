//! Estimates how much of this machine's memory backs a buffer: pages become resident when they are written.

use std::ops::Range;

/// Size of a page in bytes.
const PAGE_BYTES: u64 = 1 << 16;

/// The set of a buffer's pages that were written.
#[derive(Debug, Default)]
pub struct ResidentPages {
    /// One bit per page.
    pages: Vec<u64>,
    count: u64,
}

impl ResidentPages {
    fn is_resident(&self, page: u64) -> bool {
        self.pages.get((page / 64) as usize).is_some_and(|bits| bits >> (page % 64) & 1 != 0)
    }

    fn make_resident(&mut self, page: u64) {
        let word = (page / 64) as usize;
        if self.pages.len() <= word {
            self.pages.resize(word + 1, 0);
        }
        self.count += u64::from(!self.is_resident(page));
        self.pages[word] |= 1 << (page % 64);
    }

    /// Returns the pages that a byte range touches.
    fn pages_of(offset: u64, bytes: u64) -> Range<u64> {
        match bytes {
            0 => 0..0,
            bytes => offset / PAGE_BYTES..offset.saturating_add(bytes).div_ceil(PAGE_BYTES),
        }
    }

    /// Marks a byte range as written. `offset` and `bytes` must be within the buffer.
    pub fn write(&mut self, offset: u64, bytes: u64) {
        Self::pages_of(offset, bytes).for_each(|page| self.make_resident(page));
    }

    /// Marks those pages of a byte range as written in which `any` reports a written byte. `any` is called with
    /// the first byte and the end of a page, and never past the end of the range.
    pub fn write_where(&mut self, within: Range<u64>, any: impl Fn(u64, u64) -> bool) {
        let bytes = within.end.saturating_sub(within.start);
        for page in Self::pages_of(within.start, bytes) {
            if !self.is_resident(page) && any(page * PAGE_BYTES, ((page + 1) * PAGE_BYTES).min(within.end)) {
                self.make_resident(page);
            }
        }
    }

    /// Returns the bytes that become resident when a byte range is written.
    pub fn bytes_to_commit(&self, offset: u64, bytes: u64) -> u64 {
        Self::pages_of(offset, bytes).filter(|page| !self.is_resident(*page)).count() as u64 * PAGE_BYTES
    }

    /// Returns the written pages as byte ranges.
    pub fn stretches(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        let pages = (0u64..).zip(&self.pages).filter(|(_, bits)| **bits != 0);
        pages.flat_map(|(n, bits)| {
            let held = (0..64).filter(move |page| bits >> page & 1 != 0);
            held.map(move |page| (n * 64 + page) * PAGE_BYTES..(n * 64 + page + 1) * PAGE_BYTES)
        })
    }

    /// Returns the size of all written pages in bytes.
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
        assert_eq!((held.bytes(), held.bytes_to_commit(0, 10 << 20)), (0, 10 << 20));
        held.write(PAGE_BYTES - 1, 2);
        held.write(5, 10);
        assert_eq!(held.bytes(), 2 * PAGE_BYTES);
        assert_eq!(held.bytes_to_commit(0, 3 * PAGE_BYTES), PAGE_BYTES);
        held.write_where(0..100 * PAGE_BYTES, |first, end| (first..end).contains(&(70 * PAGE_BYTES)));
        held.write(0, 0);
        assert_eq!(held.bytes(), 3 * PAGE_BYTES);
        let pages: Vec<u64> = held.stretches().map(|stretch| stretch.start / PAGE_BYTES).collect();
        assert_eq!(pages, [0, 1, 70]);
    }
}
